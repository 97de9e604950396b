//! Values of an item that two branches set differently, until somebody decides.
//!
//! A merge keeps one value by a fixed order and writes both into the item itself, under one key. So they are
//! committed, travel with the item, show in its history, and go when the field is set again.

use serde_json::{Map, Value, json};

use super::Conflict;
use crate::codec::json::stable;
use crate::model::collation;
use crate::model::item::Item;
use crate::model::records::Record;

/// The key under which an item holds its undecided values: `{<field>: {base, values}}`.
pub const FIELD: &str = "merge_conflicts";

/// The status that listings show for an item with undecided values.
pub const STATUS: &str = "conflicted";

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

fn held(item: &Item) -> Option<&Map<String, Value>> {
    item.metadata.get(FIELD).and_then(Value::as_object)
}

/// Writes what a merge could not decide into the item.
pub(super) fn record(item: &mut Item, conflicts: &[Conflict]) {
    let mut entries = held(item).cloned().unwrap_or_default();
    for conflict in conflicts.iter().filter(|conflict| root(&conflict.field) != FIELD) {
        let mut values = vec![conflict.ours.clone(), conflict.theirs.clone()];
        values.sort_by(|a, b| collation::compare(&stable(a), &stable(b)));
        entries.insert(conflict.field.clone(), json!({"base": conflict.base, "values": values}));
    }
    entries.sort_keys();
    if !entries.is_empty() {
        item.metadata.insert(FIELD.to_owned(), Value::Object(entries));
    }
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

/// The value at a path, null when there is none; rows of a list go by their `id`.
pub fn value_at(item: &Item, field: &str) -> Value {
    if field == "body" {
        return item.body.as_str().into();
    }
    let mut parts = field.split('.');
    let mut value = parts.next().and_then(|key| item.metadata.get(key));
    for part in parts {
        value = value.and_then(|value| match value {
            Value::Array(rows) => rows.iter().find(|row| is_row(row, part)),
            value => value.get(part),
        });
    }
    value.cloned().unwrap_or(Value::Null)
}

fn is_row(row: &Value, id: &str) -> bool {
    row.get("id").and_then(Value::as_str) == Some(id)
}

fn set_at(item: &mut Item, field: &str, value: Value) {
    if field == "body" {
        item.body = value.as_str().unwrap_or_default().to_owned();
        return;
    }
    let mut whole = Value::Object(std::mem::take(&mut item.metadata));
    let parts: Vec<&str> = field.split('.').collect();
    set_below(&mut whole, &parts, value);
    if let Value::Object(metadata) = whole {
        item.metadata = metadata;
    }
}

fn set_below(target: &mut Value, parts: &[&str], value: Value) {
    let Some((first, rest)) = parts.split_first() else {
        *target = value;
        return;
    };
    match target {
        Value::Object(members) if rest.is_empty() && value.is_null() => {
            members.shift_remove(*first);
        }
        Value::Object(members) => {
            let below = members.entry((*first).to_owned()).or_insert_with(|| json!({}));
            set_below(below, rest, value);
        }
        Value::Array(rows) => match rows.iter().position(|row| is_row(row, first)) {
            Some(at) if rest.is_empty() && value.is_null() => drop(rows.remove(at)),
            Some(at) => set_below(&mut rows[at], rest, value),
            None if rest.is_empty() && !value.is_null() => rows.push(value),
            None => {}
        },
        _ => {}
    }
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
    fn rows_are_found_by_their_id() {
        let mut whole =
            item(json!({"plan_steps": [{"id": "s1", "status": "a"}, {"id": "s2", "status": "b"}]}));
        assert_eq!(value_at(&whole, "plan_steps.s2.status"), "b");
        decide(&mut whole, "plan_steps.s2.status", json!("c"));
        decide(&mut whole, "plan_steps.s1", Value::Null);
        assert_eq!(whole, item(json!({"plan_steps": [{"id": "s2", "status": "c"}]})));
    }
}
