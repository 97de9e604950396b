//! The canonical form of an item: what each field becomes on every read and write (storage.md §2.2, §2.4).
//!
//! Each field's form depends on that field alone; [`field`] is that function, and everything else is ordering.

mod linked_tests;
mod plan;
mod records;
mod schedule;
mod shape;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::collation;
use super::item::Item;
use super::text::{into_trimmed, is_space, trim, trim_lower};

pub(crate) use linked_tests::sort_as_first_epoch;
pub(crate) use plan::STEP_STATUSES;
pub(crate) use schedule::FREQUENCIES;

/// Why metadata has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("field `{field}`: {problem}")]
pub struct NotCanonical {
    /// The field.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

/// The result of bringing one field into its form; `None` drops it.
type Form = Result<Option<Value>, NotCanonical>;

/// What happens to a field.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// Kept as it is.
    Keep,
    /// Dropped when null, empty, zero or false.
    NotEmpty,
    /// Dropped when null.
    NotNull,
    /// A text, trimmed, dropped when empty; anything else is dropped.
    Trim,
    /// A list of entries that are only sorted.
    Log,
    /// Whatever the function makes of it.
    By(fn(Value) -> Form),
}

use Rule::{By, Keep, Log, NotEmpty, NotNull, Trim};

/// The built-in fields in the order in which they are written, and what happens to each.
const FIELDS: &[(&str, Rule)] = &[
    ("id", Keep),
    ("title", Keep),
    ("description", Keep),
    ("type", Keep),
    ("pm_format_version", By(format_version)),
    ("source_type", Trim),
    ("type_options", By(type_options)),
    ("status", By(status)),
    ("priority", Keep),
    ("tags", By(tags)),
    ("created_at", Keep),
    ("updated_at", Keep),
    ("deadline", NotEmpty),
    ("reminders", By(schedule::reminders)),
    ("events", By(schedule::events)),
    ("closed_at", NotEmpty),
    ("completed_at", NotEmpty),
    ("assignee", Trim),
    ("claim_principal", Trim),
    ("source_owner", Trim),
    ("author", NotEmpty),
    ("estimated_minutes", Keep),
    ("acceptance_criteria", NotNull),
    ("design", NotNull),
    ("external_ref", NotNull),
    ("definition_of_ready", Trim),
    ("order", Keep),
    ("goal", Trim),
    ("objective", Trim),
    ("value", Trim),
    ("impact", Trim),
    ("outcome", Trim),
    ("why_now", Trim),
    ("parent", Trim),
    ("reviewer", Trim),
    ("risk", NotNull),
    ("confidence", By(confidence)),
    ("sprint", Trim),
    ("release", Trim),
    ("blocked_by", Trim),
    ("blocked_reason", Trim),
    ("unblock_note", Trim),
    ("reporter", Trim),
    ("severity", By(severity)),
    ("environment", Trim),
    ("repro_steps", Trim),
    ("resolution", Trim),
    ("expected_result", Trim),
    ("actual_result", Trim),
    ("affected_version", Trim),
    ("fixed_version", Trim),
    ("component", Trim),
    ("regression", Keep),
    ("customer_impact", Trim),
    ("dependencies", By(records::dependencies)),
    ("comments", Log),
    ("notes", Log),
    ("learnings", Log),
    ("files", By(records::files)),
    ("tests", By(linked_tests::tests)),
    ("test_runs", By(linked_tests::runs)),
    ("docs", By(records::docs)),
    ("close_reason", NotEmpty),
    ("duplicate_of", Keep),
    ("plan_mode", Trim),
    ("plan_scope", Trim),
    ("plan_harness", Trim),
    ("plan_resume_context", Trim),
    ("plan_validation", By(plan::validation)),
    ("plan_decisions", By(plan::decisions)),
    ("plan_discoveries", By(plan::discoveries)),
    ("plan_steps", By(plan::steps)),
];

/// The built-in fields in the order in which they are written; any other key follows, collated.
pub const FIELD_ORDER: &[&str] = &{
    let mut names = [""; FIELDS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = FIELDS[i].0;
        i += 1;
    }
    names
};

/// The place of a key in [`FIELD_ORDER`]; keys that are not built in share the place after the last.
pub(crate) fn rank(key: &str) -> usize {
    static RANKS: LazyLock<HashMap<&str, usize, foldhash::fast::FixedState>> =
        LazyLock::new(|| FIELD_ORDER.iter().enumerate().map(|(i, name)| (*name, i)).collect());
    RANKS.get(key).copied().unwrap_or(FIELDS.len())
}

/// Whether a field is one that every tracker knows.
pub fn is_built_in(key: &str) -> bool {
    rank(key) < FIELD_ORDER.len()
}

/// The members that each row of a list has for the reference, present or not, in order; those of other lists have
/// only their own.
pub(crate) fn row_members(field: &str) -> &'static [&'static str] {
    match field {
        "dependencies" => &records::DEPENDENCY,
        "files" | "docs" => &records::LINK,
        _ => &[],
    }
}

/// What happens to the built-in field of this rank.
pub(crate) fn rule(rank: usize) -> Option<Rule> {
    FIELDS.get(rank).map(|(_, rule)| *rule)
}

/// The place of `tags`, which every item has.
const TAGS: usize = {
    let mut i = 0;
    while !matches!(FIELD_ORDER[i].as_bytes(), b"tags") {
        i += 1;
    }
    i
};

/// One field in its canonical form; `None` when it is dropped.
pub(crate) fn field(key: &str, value: Value) -> Form {
    form(rank(key), key, value)
}

/// A field in its canonical form, borrowed where nothing had to be made.
pub(crate) enum View<'v> {
    Same(&'v Value),
    Text(&'v str),
    List(Vec<&'v Value>),
    Made(Value),
}

/// The same as [`field`], for who only looks.
pub(crate) fn view<'v>(key: &str, value: &'v Value) -> Result<Option<View<'v>>, NotCanonical> {
    let rank = rank(key);
    Ok(match (FIELDS.get(rank).map(|(_, rule)| rule), value) {
        (Some(Keep), _) => Some(View::Same(value)),
        (Some(NotEmpty), _) => Some(View::Same(value)).filter(|_| !is_falsy(value)),
        (Some(NotNull), _) => Some(View::Same(value)).filter(|_| !value.is_null()),
        (Some(Trim), Value::String(text)) => Some(trim(text)).filter(|text| !text.is_empty()).map(View::Text),
        (Some(Log), Value::Array(entries)) => {
            Some(View::List(records::in_log_order(entries)?)).filter(|_| !entries.is_empty())
        }
        _ => form(rank, key, value.clone())?.map(View::Made),
    })
}

fn form(rank: usize, key: &str, value: Value) -> Form {
    let Some((_, rule)) = FIELDS.get(rank) else {
        // Keys that would change what an object is in the reference's language never survive there.
        return Ok(Some(value).filter(|_| !matches!(key, "__proto__" | "constructor" | "prototype")));
    };
    let form = match rule {
        Keep => Ok(Some(value)),
        NotEmpty => Ok(Some(value).filter(|v| !is_falsy(v))),
        NotNull => Ok(Some(value).filter(|v| !v.is_null())),
        Trim => Ok(trimmed(value)),
        Log => records::log(value),
        By(make) => make(value),
    };
    form.map_err(|problem| NotCanonical { field: key.to_owned(), ..problem })
}

/// Normalises each field, drops empty ones, sorts collections, orders the keys.
///
/// Errors: a field is of a kind from which no canonical form can be made, as a dependency without an id.
pub fn canonicalise(metadata: &Map<String, Value>) -> Result<Map<String, Value>, NotCanonical> {
    into_canonical(metadata.clone())
}

/// The same without copying what is already in its form.
pub(crate) fn into_canonical(metadata: Map<String, Value>) -> Result<Map<String, Value>, NotCanonical> {
    let mut fields = Vec::with_capacity(metadata.len() + 1);
    let mut has_tags = false;
    for (key, value) in metadata {
        let rank = rank(&key);
        has_tags |= rank == TAGS;
        if let Some(value) = form(rank, &key, value)? {
            fields.push((rank, key, value));
        }
    }
    if !has_tags {
        fields.push((TAGS, FIELD_ORDER[TAGS].to_owned(), Value::Array(Vec::new())));
    }
    let in_order = |a: &Entry, b: &Entry| {
        a.0.cmp(&b.0).then_with(|| match a.0 < FIELDS.len() {
            true => std::cmp::Ordering::Equal,
            false => collation::compare(&a.1, &b.1),
        })
    };
    if !fields.is_sorted_by(|a, b| in_order(a, b).is_le()) {
        fields.sort_by(in_order);
    }
    Ok(fields.into_iter().map(|(_, key, value)| (key, value)).collect())
}

type Entry = (usize, String, Value);

/// Strips leading line feeds and trailing white space, as the body is stored.
pub fn normalise_body(body: &str) -> String {
    stored_body(body).to_owned()
}

/// The same as a part of the text.
pub(crate) fn stored_body(body: &str) -> &str {
    body.trim_start_matches('\n').trim_end_matches(is_space)
}

/// The canonical item: both of the above.
pub fn canonical_item(item: &Item) -> Result<Item, NotCanonical> {
    Ok(Item { metadata: canonicalise(&item.metadata)?, body: normalise_body(&item.body) })
}

fn refuse<T>(problem: &str) -> Result<T, NotCanonical> {
    Err(NotCanonical { field: String::new(), problem: problem.to_owned() })
}

fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

/// A text without white space around it; nothing when it is empty or no text.
fn trimmed(value: Value) -> Option<Value> {
    match value {
        Value::String(text) => Some(into_trimmed(text)).filter(|text| !text.is_empty()).map(Value::String),
        _ => None,
    }
}

fn format_version(value: Value) -> Form {
    let above_one = value.as_f64().is_some_and(|n| n > 1.0 && n.fract() == 0.0);
    Ok(Some(value).filter(|_| above_one))
}

fn type_options(value: Value) -> Form {
    let options = match value {
        Value::Null => return Ok(None),
        Value::Object(options) => options,
        _ => return refuse("is no map"),
    };
    let mut kept = Map::new();
    for (key, option) in options {
        let Value::String(option) = option else { return refuse("holds an option that is no text") };
        let (key, option) = (trim(&key), into_trimmed(option));
        if !key.is_empty() && !option.is_empty() {
            kept.insert(key.to_owned(), Value::String(option));
        }
    }
    Ok(collated(kept))
}

/// A map with its keys collated; nothing when it is empty.
fn collated(map: Map<String, Value>) -> Option<Value> {
    let mut members: Vec<_> = map.into_iter().collect();
    members.sort_by(|a, b| collation::compare(&a.0, &b.0));
    (!members.is_empty()).then(|| Value::Object(members.into_iter().collect()))
}

/// The built-in statuses and their aliases; a status of the tracker's own is kept as it is.
fn status(value: Value) -> Form {
    let known = value.as_str().and_then(|text| match trim_lower(text).as_str() {
        "draft" => Some("draft"),
        "open" => Some("open"),
        "in_progress" | "in-progress" => Some("in_progress"),
        "blocked" => Some("blocked"),
        "closed" => Some("closed"),
        "canceled" | "cancelled" => Some("canceled"),
        _ => None,
    });
    Ok(Some(match known {
        Some(id) if value.as_str() != Some(id) => Value::from(id),
        _ => value,
    }))
}

fn tags(value: Value) -> Form {
    let mut tags = distinct_tags(value);
    tags.sort_by(|a, b| collation::compare(a, b));
    Ok(Some(tags.into_iter().map(Value::String).collect()))
}

/// The tags in the order in which they are stored: what the reference hashed under a locale that sorts otherwise.
pub(crate) fn tags_as_stored(value: Value) -> Value {
    distinct_tags(value).into_iter().map(Value::String).collect()
}

fn distinct_tags(value: Value) -> Vec<String> {
    let Value::Array(listed) = value else { return Vec::new() };
    let mut seen = std::collections::HashSet::new();
    let tags = listed.iter().filter_map(Value::as_str).map(trim_lower);
    tags.filter(|tag| !tag.is_empty() && seen.insert(tag.clone())).collect()
}

fn confidence(value: Value) -> Form {
    if value.is_number() { Ok(Some(value)) } else { level(value, &["low", "medium", "high"]) }
}

fn severity(value: Value) -> Form {
    level(value, &["low", "medium", "high", "critical"])
}

fn level(value: Value, levels: &[&str]) -> Form {
    let Value::String(text) = value else { return refuse("is no text") };
    let text = match trim_lower(&text).as_str() {
        "med" => "medium".to_owned(),
        other => other.to_owned(),
    };
    Ok(levels.contains(&text.as_str()).then_some(Value::String(text)))
}
