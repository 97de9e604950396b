//! The merge of two JSON documents: settings, schema files.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Prefer;
use crate::codec::json::stable;
use crate::model::collation;

/// Merges two versions of a document; the second part is the paths that both sides changed to different values.
///
/// Objects are merged key by key, lists when both sides only added; everything else as a whole.
pub fn documents(base: &Value, ours: &Value, theirs: &Value, prefer: Prefer) -> (Value, Vec<String>) {
    let mut conflicts = Vec::new();
    let merged = merge("", Some(base), Some(ours), Some(theirs), prefer, &mut conflicts);
    (merged.unwrap_or(Value::Null), conflicts)
}

fn merge(
    path: &str,
    base: Option<&Value>,
    ours: Option<&Value>,
    theirs: Option<&Value>,
    prefer: Prefer,
    conflicts: &mut Vec<String>,
) -> Option<Value> {
    if ours == theirs || theirs == base {
        return ours.cloned();
    }
    if ours == base {
        return theirs.cloned();
    }
    match (ours, theirs) {
        (Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
            let nothing = Map::new();
            let base = base.and_then(Value::as_object).unwrap_or(&nothing);
            let mut seen = BTreeSet::new();
            let mut merged = Map::new();
            for key in ours.keys().chain(theirs.keys()).filter(|key| seen.insert((*key).clone())) {
                let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                let (b, o, t) = (base.get(key), ours.get(key), theirs.get(key));
                if let Some(value) = merge(&below, b, o, t, prefer, conflicts) {
                    merged.insert(key.clone(), value);
                }
            }
            Some(Value::Object(merged))
        }
        (Some(Value::Array(ours)), Some(Value::Array(theirs)))
            if added(base, ours) && added(base, theirs) =>
        {
            let base = base.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            Some(Value::Array(additions(base, ours, theirs)))
        }
        _ => {
            conflicts.push(path.to_owned());
            let ours_stands = match prefer {
                Prefer::Ours => true,
                Prefer::Theirs => false,
                Prefer::Stable => {
                    let text = |value: Option<&Value>| value.map(stable).unwrap_or_default();
                    collation::compare(&text(ours), &text(theirs)).is_le()
                }
            };
            if ours_stands { ours.cloned() } else { theirs.cloned() }
        }
    }
}

/// Whether a list still has everything that the base has, as often.
fn added(base: Option<&Value>, side: &[Value]) -> bool {
    let mut left: Vec<&Value> = side.iter().collect();
    base.and_then(Value::as_array)
        .into_iter()
        .flatten()
        .all(|row| left.iter().position(|other| *other == row).map(|at| left.swap_remove(at)).is_some())
}

/// The base, then what our side added, then what only their side added.
fn additions(base: &[Value], ours: &[Value], theirs: &[Value]) -> Vec<Value> {
    let beyond = |side: &[Value]| {
        let mut left: Vec<&Value> = base.iter().collect();
        side.iter()
            .filter(|row| left.iter().position(|other| other == row).map(|at| left.swap_remove(at)).is_none())
            .cloned()
            .collect::<Vec<Value>>()
    };
    let (ours, theirs) = (beyond(ours), beyond(theirs));
    let mut new: Vec<Value> = ours.clone();
    new.extend(theirs.into_iter().filter(|row| !ours.contains(row)));
    new.sort_by_key(stable);
    base.iter().cloned().chain(new).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_added_on_both_sides_are_both_there() {
        let base = json!({"definitions": [{"name": "A"}]});
        let ours = json!({"definitions": [{"name": "A"}, {"name": "B"}]});
        let theirs = json!({"definitions": [{"name": "A"}, {"name": "C"}]});
        let (merged, conflicts) = documents(&base, &ours, &theirs, Prefer::Stable);
        assert_eq!(merged, json!({"definitions": [{"name": "A"}, {"name": "B"}, {"name": "C"}]}));
        assert!(conflicts.is_empty());
        assert_eq!(documents(&base, &theirs, &ours, Prefer::Stable).0, merged);
    }

    #[test]
    fn a_removal_on_one_side_is_honoured_and_two_values_are_a_conflict() {
        let base = json!({"a": 1, "b": {"c": 1}});
        let (merged, conflicts) =
            documents(&base, &json!({"b": {"c": 2}}), &json!({"a": 1, "b": {"c": 3}}), Prefer::Stable);
        assert_eq!((merged, conflicts), (json!({"b": {"c": 2}}), vec!["b.c".to_owned()]));
    }
}
