//! Values of an item that two branches set differently, until somebody decides.
//!
//! A merge keeps one value by a fixed order and writes both into the item itself, under one key. So they are
//! committed, travel with the item, show in its history, and go when the field is set again.

use serde_json::{Map, Value, json};

use super::place::set_at;
pub use super::place::value_at;
use super::{Conflict, Prefer, by_value};
use crate::domain::survey::WORKSPACE;
use crate::model::item::Item;
use crate::model::records::Record;

/// The key under which an item holds its undecided values: `{<field>: {base, values}}`.
pub const FIELD: &str = "merge_conflicts";

/// The status that listings show for an item with undecided values.
pub const STATUS: &str = "conflicted";

/// What the question is called whether the item is to be deleted: one branch did, another one changed it.
pub const DELETED: &str = "deleted";

/// A field with more than one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Undecided {
    /// Its path: `priority`, `plan_steps.plan-step-001.status`, `body`.
    pub field: String,
    /// What it was before the branches parted; null when it was not there.
    pub base: Value,
    /// What the branches made of it, in a fixed order; null for one that took it away.
    pub values: Vec<Value>,
    /// What stands in the item until it is decided.
    pub stands: Value,
}

/// The undecided values of an item.
pub fn undecided(item: &Item) -> Vec<Undecided> {
    let list = |field: (&String, &Value)| {
        let (field, entry) = field;
        Undecided {
            field: field.clone(),
            base: entry.get("base").cloned().unwrap_or(Value::Null),
            values: entry.get("values").and_then(Value::as_array).cloned().unwrap_or_default(),
            stands: value_at(item, field),
        }
    };
    held(item).into_iter().flatten().map(list).collect()
}

/// Whether a record's item has undecided values.
pub fn is_conflicted(record: Record<'_>) -> bool {
    record.custom().any(|(key, _)| key == FIELD)
}

/// The undecided fields of a record's item, by path.
pub fn fields_of(record: Record<'_>) -> Vec<String> {
    match record.custom_value(FIELD) {
        Some(Value::Object(entries)) => entries.into_iter().map(|(field, _)| field).collect(),
        _ => Vec::new(),
    }
}

/// The undecided values of the tracker's own documents, each with the document's path and its place in that; `item` is
/// the state of the workspace's stream.
pub fn undecided_documents(item: &Item) -> Vec<(String, Undecided)> {
    let documents = item.metadata.get("documents").and_then(Value::as_object);
    let paths: Vec<&String> = documents.into_iter().flat_map(Map::keys).collect();
    let place = |found: Undecided| {
        let below = |path: &&&String| {
            let rest = found.field.strip_prefix("documents.")?.strip_prefix(path.as_str())?;
            if rest.is_empty() { Some("") } else { rest.strip_prefix('.') }
        };
        let (path, field) =
            paths.iter().find_map(|path| Some((path.to_string(), below(&path)?.to_owned())))?;
        Some((path, Undecided { field, ..found }))
    };
    undecided(item).into_iter().filter_map(place).collect()
}

/// Whether a stream is that of the workspace.
pub fn is_of_workspace(entries: &[Value]) -> bool {
    let ops = entries.first().and_then(|entry| entry.get("patch")?.as_array());
    let names = |op: &Value| {
        op.get("path").and_then(Value::as_str) == Some("/metadata/id")
            && op.get("value").and_then(Value::as_str) == Some(WORKSPACE)
    };
    ops.into_iter().flatten().any(names)
}

/// The name of a place in a document, in the state of the workspace.
pub fn document_field(path: &str, field: &str) -> String {
    if field.is_empty() { format!("documents.{path}") } else { format!("documents.{path}.{field}") }
}

/// Notes in an item that a field waits for a decision.
pub fn leave_open(item: &mut Item, field: &str, conflict: &Conflict) {
    let [base, ours, theirs] = [&conflict.base, &conflict.ours, &conflict.theirs].map(|value| Say {
        base: value.clone(),
        values: vec![value.clone()],
        stands: value.clone(),
        open: false,
    });
    Say::both(&base, &ours, &theirs).write(item, field);
}

fn held(item: &Item) -> Option<&Map<String, Value>> {
    item.metadata.get(FIELD).and_then(Value::as_object)
}

/// What one version of an item says about a field: one value, or several that wait for a decision.
#[derive(Clone, PartialEq)]
struct Say {
    base: Value,
    values: Vec<Value>,
    stands: Value,
    open: bool,
}

impl Say {
    fn of(item: &Item, field: &str) -> Say {
        let stands = value_at(item, field);
        match held(item).and_then(|entries| entries.get(field)) {
            Some(entry) => Say {
                base: entry.get("base").cloned().unwrap_or(Value::Null),
                values: entry.get("values").and_then(Value::as_array).cloned().unwrap_or_default(),
                stands,
                open: true,
            },
            None => Say { base: stands.clone(), values: vec![stands.clone()], stands, open: false },
        }
    }

    /// Everything that either says, undecided: what was a candidate once stays one until somebody decides.
    fn both(base: &Say, ours: &Say, theirs: &Say) -> Say {
        let mut values: Vec<Value> = ours.values.iter().chain(&theirs.values).cloned().collect();
        values.sort_by(by_value);
        values.dedup();
        let stands = values.first().cloned().unwrap_or(Value::Null);
        Say { base: base.base.clone(), open: values.len() > 1, values, stands }
    }

    fn write(self, item: &mut Item, field: &str) {
        if value_at(item, field) != self.stands {
            set_at(item, field, self.stands);
        }
        if !self.open {
            return forget(item, field);
        }
        let entries = item.metadata.entry(FIELD).or_insert_with(|| json!({}));
        if let Value::Object(entries) = entries {
            entries.insert(field.to_owned(), json!({"base": self.base, "values": self.values}));
            entries.sort_keys();
        }
    }
}

/// Settles the fields that one of three versions left open, and those of which the merge found that both sides gave
/// them values of their own: into the merged item goes one value, or all of them undecided. Returns the fields that
/// this merge left open.
pub(super) fn settle(
    merged: &mut Item,
    [base, ours, theirs]: [&Item; 3],
    prefer: Prefer,
    found: &[String],
) -> Vec<Conflict> {
    let mut fields: Vec<&String> = found.iter().filter(|field| root(field) != FIELD).collect();
    fields.extend([base, ours, theirs].into_iter().filter_map(held).flat_map(Map::keys));
    fields.sort_unstable();
    fields.dedup();
    let mut conflicts = Vec::new();
    for field in fields {
        let [b, o, t] = [base, ours, theirs].map(|item| Say::of(item, field));
        let (our_value, their_value) = (o.stands.clone(), t.stands.clone());
        let said = if o == t || t == b {
            o
        } else if o == b {
            t
        } else {
            let said = match prefer {
                Prefer::Ours => o,
                Prefer::Theirs => t,
                Prefer::Stable => Say::both(&b, &o, &t),
            };
            conflicts.push(Conflict {
                field: field.clone(),
                base: b.base,
                ours: our_value,
                theirs: their_value,
                retained: said.stands.clone(),
            });
            said
        };
        said.write(merged, field);
    }
    conflicts
}

/// Decides a field: the item gets the value, and the field is undecided no more.
pub fn decide(item: &mut Item, field: &str, value: Value) {
    set_at(item, field, value);
    forget(item, field);
}

/// The undecided fields whose value a change set are decided by that.
pub fn decide_changed(before: &Item, after: &mut Item) {
    let fields: Vec<String> =
        held(after).map(|entries| entries.keys().cloned().collect()).unwrap_or_default();
    for field in fields {
        if value_at(before, &field) != value_at(after, &field) {
            forget(after, &field);
        }
    }
}

fn forget(item: &mut Item, field: &str) {
    if let Some(Value::Object(entries)) = item.metadata.get_mut(FIELD) {
        entries.shift_remove(field);
        if entries.is_empty() {
            item.metadata.shift_remove(FIELD);
        }
    }
}

fn root(field: &str) -> &str {
    field.split('.').next().unwrap_or(field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::merge::{Prefer, items};

    fn item(metadata: Value) -> Item {
        Item { metadata: metadata.as_object().unwrap().clone(), body: String::new() }
    }

    #[test]
    fn what_was_not_decided_is_in_the_item_until_it_is() {
        let base = item(json!({"priority": 2, "risk": "low", "steps": 1}));
        let ours = item(json!({"priority": 1, "steps": 1}));
        let theirs = item(json!({"priority": 3, "risk": "high", "steps": 1}));
        let mut merged = items(&base, &ours, &theirs, Prefer::Stable).item;
        assert_eq!(merged, items(&base, &theirs, &ours, Prefer::Stable).item);
        let open = undecided(&merged);
        assert_eq!(open.len(), 2);
        assert_eq!((open[0].field.as_str(), &open[0].values), ("priority", &vec![json!(1), json!(3)]));
        assert_eq!(open[0].stands, 1);
        decide(&mut merged, "priority", json!(3));
        decide(&mut merged, "risk", Value::Null);
        assert_eq!(merged, item(json!({"priority": 3, "steps": 1})));
    }

    #[test]
    fn a_change_of_the_field_decides_it() {
        let before = item(json!({"priority": 1, FIELD: {"priority": {"base": 2, "values": [1, 3]}}}));
        let mut after = before.clone();
        decide_changed(&before, &mut after);
        assert_eq!(after, before);
        after.metadata["priority"] = json!(0);
        decide_changed(&before, &mut after);
        assert_eq!(after, item(json!({"priority": 0})));
    }

    #[test]
    fn a_third_value_joins_the_two_that_wait_already() {
        let base = item(json!({"priority": 2}));
        let two = item(json!({"priority": 1, FIELD: {"priority": {"base": 2, "values": [1, 3]}}}));
        let third = item(json!({"priority": 0}));
        for (ours, theirs) in [(&two, &third), (&third, &two)] {
            let merged = items(&base, ours, theirs, Prefer::Stable);
            assert_eq!(undecided(&merged.item)[0].values, [json!(0), json!(1), json!(3)]);
            assert_eq!((merged.conflicts.len(), &merged.item.metadata["priority"]), (1, &json!(0)));
        }
        // Decided on both branches, each in its own way: the base is still what it was.
        let [one, three] = [1, 3].map(|value| item(json!({"priority": value})));
        let merged = items(&two, &one, &three, Prefer::Stable);
        assert_eq!(undecided(&merged.item)[0].values, [json!(1), json!(3)]);
        assert_eq!(undecided(&merged.item)[0].base, 2);
        // Decided on one branch only, or on both alike.
        assert_eq!(items(&two, &three, &two, Prefer::Stable).item, three);
        assert_eq!(items(&two, &three, &three, Prefer::Stable).item, three);
    }
}
