//! The filter grammar of every listing command, over records (surfaces.md §3.1-3.6).

mod args;
mod parts;
mod prefixed;
pub mod values;
mod window;

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

pub use args::FilterArgs;
pub use parts::{Part, PartArgs, Wanted};
pub use prefixed::PrefixedFilterArgs;
use window::Window;

use crate::domain::blockers::Blockers;
use crate::domain::children::Children;
use crate::domain::merge::conflicts::is_conflicted;
use crate::domain::rows::Rows;
use crate::domain::status_set::StatusSet;
use crate::error::{Code, Error, Result};
use crate::model::id;
use crate::model::records::{Count, Presence, Record, Records, fold};
use crate::model::schema::Schema;

/// What filters are read against.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    /// Relative times count from here, in milliseconds since the epoch.
    pub now: i64,
    /// Names of types and statuses.
    pub schema: &'a Schema,
    /// The prefix of ids.
    pub prefix: &'a str,
}

/// Filters as meant: every one must hold.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Which statuses.
    pub statuses: StatusSet,
    kinds: Vec<String>,
    any_tag: Vec<String>,
    all_tags: Vec<String>,
    priorities: Vec<u8>,
    assignees: Vec<String>,
    assigned: Option<bool>,
    sprints: Vec<String>,
    releases: Vec<String>,
    parent: Option<[String; 2]>,
    ids: Option<HashSet<String>>,
    windows: [Window; 3],
    parts: PartArgs,
    custom: BTreeMap<String, Vec<String>>,
}

/// The bits of [`Filter::windows`].
const DEADLINE: usize = 0;
const UPDATED: usize = 1;
const CREATED: usize = 2;

impl Filter {
    /// Reads the flags; `custom` has the values of the flags that the tracker's schema declares, `default` the
    /// statuses when none are asked for.
    ///
    /// Errors: `invalid_argument_value` and `conflicting_arguments`, each with the flag and what it takes.
    pub fn new(
        args: &FilterArgs,
        custom: &BTreeMap<String, Vec<String>>,
        default: StatusSet,
        ground: &Ground<'_>,
    ) -> Result<Filter> {
        args.parts.check()?;
        let lower = |list: Vec<String>| list.into_iter().map(|token| token.to_lowercase()).collect();
        let assigned = assigned(args)?;
        let (bare, named): (Vec<String>, Vec<String>) =
            args.tag_all.iter().cloned().partition(String::is_empty);
        // A bare `--tag-all` makes `--tag` stricter.
        let all_of_tag = !bare.is_empty();
        let (tags, all_tags) = (values::split("--tag", &args.tag)?, values::split("--tag-all", &named)?);
        Ok(Filter {
            statuses: StatusSet::parse(&args.status, &ground.schema.statuses, default)?,
            kinds: kinds(&args.kind, ground.schema)?,
            any_tag: if all_of_tag { Vec::new() } else { lower(tags.clone()) },
            all_tags: lower(all_tags.into_iter().chain(tags.into_iter().filter(|_| all_of_tag)).collect()),
            priorities: priorities(&args.priority)?,
            assignees: assignees(&args.assignee, assigned)?,
            assigned,
            sprints: values::split("--sprint", &args.sprint)?,
            releases: values::split("--release", &args.release)?,
            parent: args.parent.as_deref().map(|typed| parent(typed, ground.prefix)).transpose()?,
            ids: ids(&args.ids, ground.prefix)?,
            windows: window::windows(args, ground.now)?,
            parts: args.parts.clone(),
            custom: custom.clone(),
        })
    }

    /// Drops the demand for direct children: a tree looks further down.
    pub fn forget_parent(&mut self) {
        self.parent = None;
    }

    /// The tags asked for that no item has: a listing warns of them.
    pub fn unknown_tags(&self, records: &Records) -> Vec<String> {
        let mut unknown: Vec<&String> = self.any_tag.iter().chain(&self.all_tags).collect();
        for record in records.iter() {
            if unknown.is_empty() {
                break;
            }
            unknown.retain(|asked| !record.tags().any(|tag| same_tag(tag, asked)));
        }
        unknown.into_iter().cloned().collect()
    }

    /// The filter made ready for these records: relations that it asks for are looked up once.
    pub fn over<'f, 'r>(&'f self, records: &'r Records, schema: &'f Schema) -> Selection<'f, 'r> {
        let blockers = self
            .statuses
            .wants_blocked()
            .then(|| Blockers::new(records, &Rows::new(records), &schema.statuses));
        let children = self.parent.as_ref().map(|spellings| {
            let known = spellings.iter().find(|id| records.find(id.trim()).is_some());
            Children::of(known.unwrap_or(&spellings[0]), records)
        });
        Selection { filter: self, schema, records, blockers, children }
    }

    fn admits(&self, record: Record<'_>, schema: &Schema) -> bool {
        let one_of = |list: &[String], value: Option<&str>| {
            list.is_empty() || value.is_some_and(|value| list.iter().any(|asked| asked == value))
        };
        let assignee = record.assignee().filter(|name| !name.is_empty());
        (self.kinds.is_empty() || self.kinds.iter().any(|kind| kind.eq_ignore_ascii_case(record.kind())))
            && (self.priorities.is_empty() || self.priorities.contains(&record.priority()))
            && one_of(&self.assignees, assignee)
            && self.assigned.is_none_or(|wanted| wanted == assignee.is_some())
            && one_of(&self.sprints, record.sprint())
            && one_of(&self.releases, record.release())
            && self.windows[DEADLINE].admits(record.deadline_ms())
            && self.windows[UPDATED].admits(record.updated_ms())
            && self.windows[CREATED].admits(record.created_ms())
            && self.ids.as_ref().is_none_or(|ids| ids.contains(&fold(record.id())))
            && (self.any_tag.is_empty() || self.any_tag.iter().any(|asked| tagged(record, asked)))
            && self.all_tags.iter().all(|asked| tagged(record, asked))
            && self.parts.has.iter().all(|part| has(record, *part))
            && !self.parts.lacks.iter().any(|part| has(record, *part))
            && self.parts.missing.iter().all(|wanted| misses(record, *wanted, schema))
            && self.custom.iter().all(|(key, asked)| matches_custom(record, key, asked))
    }
}

/// A filter over given records.
pub struct Selection<'f, 'r> {
    filter: &'f Filter,
    schema: &'f Schema,
    records: &'r Records,
    blockers: Option<Blockers<'r>>,
    children: Option<Children>,
}

impl<'r> Selection<'_, 'r> {
    /// Whether a record passes.
    pub fn admits(&self, record: Record<'_>) -> bool {
        let statuses = &self.filter.statuses;
        let by_status = statuses.admits(record.status(), &self.schema.statuses);
        let row = record.number();
        let by_facts = || {
            self.blockers.as_ref().is_some_and(|blockers| blockers.is_blocked(row))
                || (statuses.wants_conflicted() && is_conflicted(record))
        };
        (by_status || by_facts())
            && self.children.as_ref().is_none_or(|children| children.has(row))
            && self.filter.admits(record, self.schema)
    }

    /// Every record that passes, by id.
    pub fn records(&self) -> impl Iterator<Item = Record<'r>> {
        self.records.iter().filter(|record| self.admits(*record))
    }
}

fn same_tag(stored: &str, asked: &str) -> bool {
    stored == asked || stored.trim().to_lowercase() == asked
}

fn tagged(record: Record<'_>, asked: &str) -> bool {
    record.tags().any(|tag| same_tag(tag, asked))
}

fn has(record: Record<'_>, part: Part) -> bool {
    match part {
        Part::Notes => record.count(Count::Notes) > 0,
        Part::Learnings => record.count(Count::Learnings) > 0,
        Part::Files => record.count(Count::Files) > 0,
        Part::Docs => record.count(Count::Docs) > 0,
        Part::Tests => record.count(Count::Tests) > 0,
        Part::Comments => record.count(Count::Comments) > 0,
        Part::Deps => record.count(Count::Dependencies) > 0,
        Part::Body => record.has(Presence::BODY),
        Part::LinkedCommand => record.has(Presence::LINKED_COMMAND),
    }
}

fn misses(record: Record<'_>, wanted: Wanted, schema: &Schema) -> bool {
    let lacks = |part| !record.has(part);
    let resolution = || schema.statuses.is_terminal(record.status()) && lacks(Presence::RESOLUTION);
    match wanted {
        Wanted::AcceptanceCriteria => lacks(Presence::ACCEPTANCE_CRITERIA),
        Wanted::Estimate => lacks(Presence::ESTIMATE),
        Wanted::Resolution => resolution(),
        Wanted::Metadata => lacks(Presence::ACCEPTANCE_CRITERIA) || lacks(Presence::ESTIMATE) || resolution(),
        Wanted::Reviewer => lacks(Presence::REVIEWER),
        Wanted::Risk => lacks(Presence::RISK),
        Wanted::Confidence => lacks(Presence::CONFIDENCE),
        Wanted::Sprint => lacks(Presence::SPRINT),
        Wanted::Release => lacks(Presence::RELEASE),
    }
}

/// A custom field matches when its value, or one entry of a list, reads as one of the values asked for.
fn matches_custom(record: Record<'_>, key: &str, asked: &[String]) -> bool {
    let reads = |value: &Value| match value {
        Value::String(text) => asked.iter().any(|a| a == text),
        Value::Null => false,
        other => asked.contains(&other.to_string()),
    };
    record.custom_value(key).is_some_and(|value| match &value {
        Value::Array(entries) => entries.iter().any(reads),
        single => reads(single),
    })
}

fn kinds(given: &[String], schema: &Schema) -> Result<Vec<String>> {
    let resolve = |token: String| match schema.kinds.resolve(&token) {
        Some(kind) => Ok(kind.name.clone()),
        None => {
            let legal: Vec<&str> = schema.kinds.iter().map(|kind| kind.name.as_str()).collect();
            Err(values::illegal("--type", &token, &legal))
        }
    };
    values::split("--type", given)?.into_iter().map(resolve).collect()
}

fn priorities(given: &[String]) -> Result<Vec<u8>> {
    let read = |token: String| match token.as_bytes() {
        [digit @ b'0'..=b'4'] => Ok(digit - b'0'),
        _ => Err(Error::new(
            Code::InvalidArgumentValue,
            format!("`--priority` does not take `{token}`; a filter on priorities must be 0..4"),
        )
        .at("--priority")
        .rejecting(token)
        .fact("allowed_values", vec!["0", "1", "2", "3", "4"])),
    };
    values::split("--priority", given)?.into_iter().map(read).collect()
}

fn assigned(args: &FilterArgs) -> Result<Option<bool>> {
    match args.assignee_filter.as_deref().map(str::trim) {
        None => Ok(None),
        Some("assigned") => Ok(Some(true)),
        Some("unassigned") => Ok(Some(false)),
        Some(other) => Err(values::illegal("--assignee-filter", other, &["assigned", "unassigned"])),
    }
}

fn assignees(given: &[String], assigned: Option<bool>) -> Result<Vec<String>> {
    let names = values::split("--assignee", given)?;
    if let Some(name) = names.iter().find(|name| ["none", "null"].contains(&name.to_lowercase().as_str())) {
        return Err(Error::new(
            Code::InvalidArgumentValue,
            format!(
                "`--assignee {name}` names nobody; `--assignee-filter unassigned` asks for items without one"
            ),
        )
        .at("--assignee")
        .rejecting(name.clone())
        .fact("suggested_flag", "--assignee-filter unassigned"));
    }
    if !names.is_empty() && assigned == Some(false) {
        let message = "`--assignee` and `--assignee-filter unassigned` exclude each other";
        return Err(Error::new(Code::ConflictingArguments, message).at("--assignee-filter"));
    }
    Ok(names)
}

/// Both forms that a typed id may stand for, folded: with the prefix, and as it is.
pub fn spellings(typed: &str, prefix: &str) -> [String; 2] {
    let plain = id::normalise_typed(typed);
    let prefixed = if plain.starts_with(prefix) { plain.clone() } else { format!("{prefix}{plain}") };
    [prefixed, plain]
}

fn parent(typed: &str, prefix: &str) -> Result<[String; 2]> {
    if typed.trim().is_empty() {
        return Err(Error::new(Code::InvalidArgumentValue, "`--parent` needs an id")
            .at("--parent")
            .rejecting(typed));
    }
    Ok(spellings(typed, prefix))
}

fn ids(given: &[String], prefix: &str) -> Result<Option<HashSet<String>>> {
    if given.is_empty() {
        return Ok(None);
    }
    let tokens = values::split("--ids", given)?;
    Ok(Some(tokens.iter().flat_map(|token| spellings(token, prefix)).collect()))
}

#[cfg(test)]
mod tests;
