//! The items in focus: chosen by relevance and cost, shown with as many fields as fit.

use std::collections::HashSet;
use std::rc::Rc;

use serde_json::{Value, json};

use super::{Plan, Scene};
use crate::answer::{Row, Rows};
use crate::domain::packing::{self, Candidate, Level};
use crate::domain::relevance::Relevant;
use crate::error::{Code, Error, Result};
use crate::model::checksum::checksum;
use crate::model::records::Record;
use crate::nearest;

/// The fields of a focus row that are shown unless others are asked for.
const DEFAULT: &[&str] = &["id", "title", "type", "status", "priority", "parent", "blocked"];

/// The same in a brief context.
const BRIEF: &[&str] = &["id", "title", "type", "status", "priority", "blocked"];

/// Fields that are shown only when some row has them.
const IF_SAID: &[&str] = &["parent", "blocked"];

/// All of them.
const KNOWN: &[&str] = &[
    "id",
    "title",
    "type",
    "status",
    "priority",
    "order",
    "deadline",
    "assignee",
    "tags",
    "tags_inherited",
    "updated_at",
    "created_at",
    "parent",
    "children_total",
    "children_closed",
    "completion_pct",
    "blocked",
    "blocker_ids",
];

const IDENTITY: &[&str] = &["id", "title"];
const SUMMARY: &[&str] = &["id", "title", "type", "status", "priority"];

impl Plan {
    /// The fields at a level. Fields that were named are shown, or the row is not.
    fn columns(&self, level: Level) -> Vec<&'static str> {
        let keep = |field: &&&str| match level {
            _ if self.named_fields => true,
            Level::Identity => IDENTITY.contains(*field),
            Level::Summary => SUMMARY.contains(*field),
            Level::Full => true,
        };
        self.fields.iter().filter(keep).copied().collect()
    }
}

/// The fields that are asked for, by `--fields` or as selectors beside the default ones.
///
/// Errors: `unknown_field_projection`.
pub(super) fn fields(
    named: Option<&[String]>,
    depth: &str,
    selectors: &[String],
) -> Result<Vec<&'static str>> {
    let known = |name: &str| KNOWN.iter().find(|known| **known == name).copied();
    let Some(named) = named else {
        let mut fields = if depth == "brief" { BRIEF } else { DEFAULT }.to_vec();
        for selector in selectors {
            let name = known(selector.rsplit('.').next().unwrap_or(selector));
            if let Some(name) = name.filter(|name| !fields.contains(name)) {
                fields.push(name);
            }
        }
        return Ok(fields);
    };
    let mut fields = vec!["id"];
    for name in named.iter().map(String::as_str) {
        let Some(field) = known(name) else {
            let legal = nearest::order(name, KNOWN);
            let near = legal.iter().take(3).copied().collect::<Vec<_>>().join(", ");
            let message = format!("focus rows have no field `{name}`; near ones are {near}");
            return Err(Error::new(Code::UnknownFieldProjection, message)
                .at("--fields")
                .rejecting(name)
                .fact("allowed_values", legal)
                .hint("pm context --fields id,title,priority"));
        };
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    Ok(fields)
}

/// The choice: which rows are shown, and with which fields.
#[derive(Clone, Debug)]
pub(super) struct Focus {
    high: Vec<u32>,
    low: Vec<u32>,
    shown: HashSet<u32>,
    columns: Vec<&'static str>,
}

/// One list of the focus: what was chosen, then the rest of its kind.
pub(super) struct List {
    rows: Vec<u32>,
    shown: usize,
    columns: Vec<&'static str>,
}

fn is_high(record: Record<'_>) -> bool {
    ["Epic", "Feature"].iter().any(|kind| record.kind().eq_ignore_ascii_case(kind))
}

impl Focus {
    /// Chooses among the best of each list what fits into these bytes, with as many fields as fit.
    pub(super) fn choose(scene: &Scene<'_>, plan: &Plan, bytes: usize) -> Focus {
        let (mut high, mut low) = (Vec::new(), Vec::new());
        for relevant in &scene.ranked {
            if is_high(scene.record(relevant.row)) { &mut high } else { &mut low }.push(relevant);
        }
        let candidates: Vec<&Relevant> =
            high.iter().take(plan.limit).chain(low.iter().take(plan.limit)).copied().collect();
        let levels = [Level::Identity, Level::Summary, Level::Full].map(|level| plan.columns(level));
        let heads = levels.each_ref().map(|columns| 2 * packing::head("high_level", columns));
        let weigh = |relevant: &&Relevant| {
            let record = scene.record(relevant.row);
            let cells = |columns: &Vec<&'static str>| {
                packing::row(
                    columns.iter().map(|field| value(scene, relevant.row, field)).collect::<Vec<_>>().iter(),
                )
            };
            Candidate {
                value: relevant.score,
                costs: levels.each_ref().map(cells),
                cluster: checksum(record.parent().unwrap_or(record.kind()).as_bytes()),
                required: relevant.is_claimed(),
            }
        };
        let (level, chosen) = if plan.bytes == usize::MAX {
            (Level::Full, vec![true; candidates.len()])
        } else {
            packing::pack(&candidates.iter().map(weigh).collect::<Vec<_>>(), bytes.saturating_sub(heads[0]))
        };
        let shown =
            candidates.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(relevant, _)| relevant.row);
        let rows = |list: Vec<&Relevant>| list.iter().map(|relevant| relevant.row).collect();
        Focus { high: rows(high), low: rows(low), shown: shown.collect(), columns: plan.columns(level) }
    }

    /// Whether a row is shown.
    pub(super) fn shows(&self, row: u32) -> bool {
        self.shown.contains(&row)
    }

    /// The rows shown, those of the first list first, in the order of rank.
    pub(super) fn shown(&self) -> impl Iterator<Item = u32> {
        self.high.iter().chain(&self.low).copied().filter(|row| self.shows(*row))
    }

    /// The two lists: epics and features, everything else.
    pub(super) fn split(&self) -> (List, List) {
        let list = |rows: &[u32]| {
            // What was chosen comes first; a cursor goes on with the rest.
            let (chosen, rest): (Vec<u32>, Vec<u32>) = rows.iter().partition(|row| self.shows(**row));
            let shown = chosen.len();
            List { rows: chosen.into_iter().chain(rest).collect(), shown, columns: self.columns.clone() }
        };
        (list(&self.high), list(&self.low))
    }
}

impl List {
    /// The rows of the answer.
    pub(super) fn rows<'a>(self, scene: &Rc<Scene<'a>>, plan: &Plan) -> Rows<'a> {
        let scene = Rc::clone(scene);
        let List { mut rows, shown, mut columns } = self;
        if !plan.paged {
            rows.truncate(shown);
            // A column in which no row says anything is none.
            let says = |field: &str| rows.iter().any(|row| !value(&scene, *row, field).is_null());
            columns.retain(|field| !IF_SAID.contains(field) || plan.named_fields || says(field));
        }
        let names = columns.clone();
        Rows::lazy(rows.len(), move |n| {
            let cells = columns.iter().map(|field| ((*field).to_owned(), value(&scene, rows[n], field)));
            Ok(cells.filter(|(_, value)| !value.is_null()).collect::<Row>())
        })
        .columns(names)
        .limited(Some(shown))
    }
}

/// A field of an item in focus; null when it has none.
pub(super) fn value(scene: &Scene<'_>, row: u32, field: &str) -> Value {
    let record = scene.record(row);
    let children = || super::sections::Children::of(scene, row);
    match field {
        "id" => record.id().into(),
        "title" => record.title().into(),
        "type" => record.kind().into(),
        "status" => record.status().into(),
        "priority" => record.priority().into(),
        "order" => crate::domain::projection::from_record(record, "order").unwrap_or_default(),
        "deadline" => record.deadline().into(),
        "assignee" => record.assignee().into(),
        "tags" => record.tags().collect::<Vec<_>>().into(),
        "tags_inherited" => inherited(scene, record),
        "updated_at" => record.updated_at().into(),
        "created_at" => record.created_at().into(),
        "parent" => record.parent().into(),
        "children_total" => some(children().total),
        "children_closed" => {
            some(children().total).as_u64().map_or(Value::Null, |_| children().closed.into())
        }
        "completion_pct" => children().percent().map_or(Value::Null, Value::from),
        "blocked" => {
            if scene.blockers.is_blocked(row as usize) {
                json!(true)
            } else {
                Value::Null
            }
        }
        "blocker_ids" => {
            let ids: Vec<&str> = scene.blockers.open(row as usize).map(|blocker| blocker.id).collect();
            if ids.is_empty() { Value::Null } else { ids.into() }
        }
        _ => Value::Null,
    }
}

/// The parent whose tags the item has, exactly.
fn inherited(scene: &Scene<'_>, record: Record<'_>) -> Value {
    let parent = record.parent().and_then(|id| scene.rows.find(id)).map(|row| scene.record(row));
    match parent {
        Some(parent) if parent.tags().next().is_some() && parent.tags().eq(record.tags()) => {
            parent.id().into()
        }
        _ => Value::Null,
    }
}

fn some(count: usize) -> Value {
    if count == 0 { Value::Null } else { count.into() }
}
