//! The items in focus: those that are open, most relevant first.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::rc::Rc;

use serde_json::{Value, json};

use super::plan::Plan;
use super::scene::Scene;
use crate::answer::{Row, Rows};
use crate::domain::packing;
pub(super) use crate::domain::packing::Level;
use crate::error::{Code, Error, Result};
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

/// Fields that other items decide.
const OF_OTHERS: &[&str] =
    &["tags_inherited", "children_total", "children_closed", "completion_pct", "blocker_ids"];

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

/// The items in focus, all of them, most relevant first: epics and features, everything else.
pub(super) struct Focus {
    pub(super) high: Rc<[u32]>,
    pub(super) low: Rc<[u32]>,
    /// Those that the answer speaks of.
    members: HashSet<u32>,
    /// What fits into the tokens that the call allows for the rows; none where it does not say.
    pub(super) packed: Option<Packed>,
}

/// How the rows fit into their own bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    pub(super) level: Level,
    /// How many of each list, the first ones; one at least, so that pages go on.
    pub(super) high: usize,
    pub(super) low: usize,
}

fn is_high(record: Record<'_>) -> bool {
    ["Epic", "Feature"].iter().any(|kind| record.kind().eq_ignore_ascii_case(kind))
}

impl Focus {
    /// Finds the lists, and what of them fits where the rows have a bound of their own.
    pub(super) fn of(scene: &Scene<'_>, plan: &Plan) -> Focus {
        let ranked = scene.ranked.iter().map(|relevant| relevant.row);
        let (high, low): (Vec<u32>, Vec<u32>) = ranked.partition(|row| is_high(scene.record(*row)));
        let first = |list: &[u32]| list[..plan.among(list.len(), plan.rows)].to_vec();
        let members = [first(&high), first(&low)].concat().into_iter().collect();
        let mut focus = Focus { high: high.into(), low: low.into(), members, packed: None };
        focus.packed = plan.tokens.map(|tokens| focus.pack(scene, plan, tokens));
        focus
    }

    /// Lowers the first rows of both lists to the level at which they fit, then keeps the most relevant.
    fn pack(&self, scene: &Scene<'_>, plan: &Plan, tokens: usize) -> Packed {
        let (high, low) = (self.high.len().min(plan.rows), self.low.len().min(plan.rows));
        let page: HashSet<u32> = self.high[..high].iter().chain(&self.low[..low]).copied().collect();
        let levels = Level::ALL.map(|level| plan.columns(level));
        let cost = |row: u32| {
            levels.each_ref().map(|columns| {
                packing::row(columns.iter().map(|field| value(scene, row, field)).collect::<Vec<_>>().iter())
            })
        };
        let rows = || scene.ranked.iter().map(|relevant| relevant.row).filter(|row| page.contains(row));
        let head = 2 * packing::head("high_level", &levels[0]);
        let bytes = tokens.saturating_mul(packing::BYTES_PER_TOKEN).saturating_sub(head);
        let (level, kept) = packing::pack(&rows().map(cost).collect::<Vec<_>>(), bytes);
        let kept_high = rows().take(kept).filter(|row| is_high(scene.record(*row))).count();
        Packed { level, high: kept_high.max(1), low: (kept - kept_high).max(1) }
    }

    /// Whether the answer speaks of a row.
    pub(super) fn shows(&self, row: u32) -> bool {
        self.members.contains(&row)
    }

    /// The rows that the answer speaks of, those of the first list first, in the order of rank.
    pub(super) fn members(&self) -> impl Iterator<Item = u32> {
        self.high.iter().chain(self.low.iter()).copied().filter(|row| self.shows(*row))
    }
}

/// One list of the focus, with the fields of a level.
pub(super) fn list<'a>(
    scene: &Rc<Scene<'a>>,
    plan: &Plan,
    rows: &Rc<[u32]>,
    level: Level,
    packed: Option<usize>,
) -> Rows<'a> {
    let columns = plan.columns(level);
    let all = plan.among(rows.len(), plan.rows);
    let names = columns.clone();
    let (told, told_rows) = (Rc::clone(scene), Rc::clone(rows));
    let mut list = plan
        .listed(rows.len(), plan.rows, move |n| {
            let cells = columns.iter().map(|field| ((*field).to_owned(), value(&told, told_rows[n], field)));
            Ok(cells.filter(|(_, value)| !value.is_null()).collect::<Row>())
        })
        .columns(names.clone());
    if !plan.named_fields {
        list = list.optional(IF_SAID.iter().copied());
    }
    if packed.is_some() {
        list = list.limited(packed);
    }
    // Its file says all of such a row, but for whether it waits.
    if names.iter().all(|field| !OF_OTHERS.contains(field)) {
        let (scene, rows) = (Rc::clone(scene), Rc::clone(rows));
        list = list.steady_digest(move || digest(&scene, &rows[..all]));
    }
    list
}

fn digest(scene: &Scene<'_>, rows: &[u32]) -> String {
    let mut text = String::new();
    for row in rows {
        let waits = u8::from(scene.blockers.is_blocked(*row as usize));
        let _ = write!(text, "{:x}.{waits} ", scene.record(*row).digest());
    }
    text
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
