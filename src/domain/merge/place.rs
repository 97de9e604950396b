//! Places in an item that a merge speaks of: `priority`, `plan_steps.plan-step-001.status`, `body`.

use serde_json::{Value, json};

use crate::model::item::Item;

/// The keys by which rows of a list are named, the first that all of them have.
pub(super) const NAMES: [&str; 3] = ["id", "key", "name"];

/// The value at a path, null when there is none.
///
/// Rows of a list go by their `id`, `key` or `name`. A name with dots in it is found too: the longest that is there.
pub fn value_at(item: &Item, field: &str) -> Value {
    if field == "body" {
        return item.body.as_str().into();
    }
    let parts: Vec<&str> = field.split('.').collect();
    let found = (1..=parts.len()).rev().find_map(|n| {
        let value = item.metadata.get(&parts[..n].join("."))?;
        Some(below(value, &parts[n..]))
    });
    found.flatten().cloned().unwrap_or(Value::Null)
}

/// As [`value_at`], in a document.
pub fn document_value_at(document: &Value, path: &str) -> Value {
    let parts: Vec<&str> = path.split('.').collect();
    below(document, &parts).cloned().unwrap_or(Value::Null)
}

fn below<'v>(value: &'v Value, parts: &[&str]) -> Option<&'v Value> {
    if parts.is_empty() {
        return Some(value);
    }
    (1..=parts.len()).rev().find_map(|n| {
        let name = parts[..n].join(".");
        let next = match value {
            Value::Object(members) => members.get(&name),
            Value::Array(rows) => rows.iter().find(|row| is_row(row, &name)),
            _ => None,
        };
        below(next?, &parts[n..])
    })
}

fn is_row(row: &Value, name: &str) -> bool {
    let own = NAMES.iter().find_map(|key| row.get(key).and_then(Value::as_str));
    own == Some(name)
}

/// Gives a place a value; null takes it away.
pub(super) fn set_at(item: &mut Item, field: &str, value: Value) {
    if field == "body" {
        item.body = value.as_str().unwrap_or_default().to_owned();
        return;
    }
    let mut whole = Value::Object(std::mem::take(&mut item.metadata));
    set_document_at(&mut whole, field, value);
    if let Value::Object(metadata) = whole {
        item.metadata = metadata;
    }
}

/// As [`set_at`], in a document.
pub fn set_document_at(document: &mut Value, path: &str, value: Value) {
    let parts: Vec<&str> = path.split('.').collect();
    set_below(document, &parts, value);
}

fn set_below(target: &mut Value, parts: &[&str], value: Value) {
    if parts.is_empty() {
        *target = value;
        return;
    }
    let there = |n: &usize| {
        let name = parts[..*n].join(".");
        match &*target {
            Value::Object(members) => members.contains_key(&name),
            Value::Array(rows) => rows.iter().any(|row| is_row(row, &name)),
            _ => false,
        }
    };
    let n = (1..=parts.len()).rev().find(there).unwrap_or(1);
    let (name, rest) = (parts[..n].join("."), &parts[n..]);
    match target {
        Value::Object(members) if rest.is_empty() && value.is_null() => {
            members.shift_remove(&name);
        }
        Value::Object(members) => {
            let next = members.entry(name).or_insert_with(|| json!({}));
            set_below(next, rest, value);
        }
        Value::Array(rows) => match rows.iter().position(|row| is_row(row, &name)) {
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

    fn item(metadata: Value) -> Item {
        Item { metadata: metadata.as_object().cloned().unwrap_or_default(), body: "b".to_owned() }
    }

    #[test]
    fn places_are_found_and_set() {
        let mut whole = item(json!({
            "plan_steps": [{"id": "s1", "status": "a"}, {"id": "s2", "status": "b"}],
            "documents": {"settings.json": {"governance": {"preset": "x"}}, "schema/types.json": {"definitions": [{"name": "Spike", "folder": "f"}]}},
        }));
        for (path, value) in [
            ("plan_steps.s2.status", "b"),
            ("documents.settings.json.governance.preset", "x"),
            ("documents.schema/types.json.definitions.Spike.folder", "f"),
            ("body", "b"),
        ] {
            assert_eq!(value_at(&whole, path), value, "{path}");
            set_at(&mut whole, path, json!("new"));
            assert_eq!(value_at(&whole, path), "new", "{path}");
        }
        assert_eq!(value_at(&whole, "plan_steps.s3.status"), Value::Null);
        set_at(&mut whole, "plan_steps.s1", Value::Null);
        set_at(&mut whole, "documents.settings.json.governance.preset", Value::Null);
        set_at(&mut whole, "documents.settings.json.ids.length", json!(6));
        assert_eq!(whole.metadata["plan_steps"], json!([{"id": "s2", "status": "new"}]));
        assert_eq!(
            whole.metadata["documents"]["settings.json"],
            json!({"governance": {}, "ids": {"length": 6}})
        );
    }
}
