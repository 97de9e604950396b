//! The merge of two JSON documents: settings, schema files.

use serde_json::{Map, Value};

use super::place::NAMES;
use super::taken_out::{MARK, TakenOut};
use super::{Conflict, Prefer, by_value};
use crate::codec::json::compact;
use crate::model::item::Item;

/// Merges two versions of a document; the second part is the places that both sides gave other values.
///
/// Objects are merged key by key, lists of rows with names row by row, other lists when both sides only added; everything
/// else as a whole.
pub fn documents(base: &Value, ours: &Value, theirs: &Value, prefer: Prefer) -> (Value, Vec<Conflict>) {
    let versions = without_secrets([base, ours, theirs]);
    let [base, ours, theirs] = &versions;
    let mut merge = Merge { prefer, conflicts: Vec::new() };
    let merged = merge.value("", [Some(base), Some(ours), Some(theirs)]);
    (merged.unwrap_or(Value::Null), merge.conflicts)
}

/// What one side took out as a secret is taken out of the others.
fn without_secrets(versions: [&Value; 3]) -> [Value; 3] {
    let item = |value: &Value| match value {
        Value::Object(members) => Item { metadata: members.clone(), body: String::new() },
        _ => Item::default(),
    };
    let [base, ours, theirs] = versions.map(item);
    let marks = [MARK.to_owned()];
    let taken = TakenOut::of_items(&base, &ours, &marks).and(TakenOut::of_items(&base, &theirs, &marks));
    versions.map(|value| {
        let mut value = value.clone();
        taken.value(&mut value);
        value
    })
}

struct Merge {
    prefer: Prefer,
    conflicts: Vec<Conflict>,
}

/// One value in three versions: the base, ours, theirs; none where it is not there.
type Versions<'v> = [Option<&'v Value>; 3];

impl Merge {
    fn value(&mut self, path: &str, versions: Versions<'_>) -> Option<Value> {
        let [base, ours, theirs] = versions;
        if ours == theirs {
            // Equal, but the order of keys may differ.
            let text = |value: Option<&Value>| value.map(compact);
            return if text(ours) <= text(theirs) { ours.cloned() } else { theirs.cloned() };
        }
        if theirs == base {
            return ours.cloned();
        }
        if ours == base {
            return theirs.cloned();
        }
        match (ours, theirs) {
            (Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
                let nothing = Map::new();
                let base = base.and_then(Value::as_object).unwrap_or(&nothing);
                let keys = order([base, ours, theirs].map(|map| map.keys().map(String::as_str).collect()));
                let mut merged = Map::new();
                for key in keys {
                    let versions = [base, ours, theirs].map(|map| map.get(key));
                    if let Some(value) = self.value(&below(path, key), versions) {
                        merged.insert(key.to_owned(), value);
                    }
                }
                Some(Value::Object(merged))
            }
            (Some(Value::Array(our_rows)), Some(Value::Array(their_rows))) => {
                let base_rows = base.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let lists = [base_rows, our_rows, their_rows];
                if let Some(key) = name_of(lists) {
                    return Some(self.rows(path, key, lists));
                }
                if added(base_rows, our_rows) && added(base_rows, their_rows) {
                    return Some(Value::Array(additions(base_rows, our_rows, their_rows)));
                }
                self.conflict(path, versions)
            }
            _ => self.conflict(path, versions),
        }
    }

    /// Rows with names, one by one.
    fn rows(&mut self, path: &str, key: &str, lists: [&[Value]; 3]) -> Value {
        let name = |row: &'_ Value| row.get(key).and_then(Value::as_str).map(str::to_owned);
        let named = lists.map(|rows| rows.iter().filter_map(name).collect::<Vec<String>>());
        let mut merged = Vec::new();
        for name in order([0, 1, 2].map(|n| named[n].iter().map(String::as_str).collect())) {
            let find = |n: usize| named[n].iter().position(|own| own == name).map(|at| &lists[n][at]);
            merged.extend(self.value(&below(path, name), [find(0), find(1), find(2)]));
        }
        Value::Array(merged)
    }

    fn conflict(&mut self, path: &str, [base, ours, theirs]: Versions<'_>) -> Option<Value> {
        let shown = |value: Option<&Value>| value.cloned().unwrap_or(Value::Null);
        let (our_value, their_value) = (shown(ours), shown(theirs));
        let ours_stands = match self.prefer {
            Prefer::Ours => true,
            Prefer::Theirs => false,
            Prefer::Stable => by_value(&our_value, &their_value).is_le(),
        };
        let stands = if ours_stands { ours } else { theirs };
        self.conflicts.push(Conflict {
            field: path.to_owned(),
            base: shown(base),
            ours: our_value,
            theirs: their_value,
            retained: shown(stands),
        });
        stands.cloned()
    }
}

fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Every name once: those of the base in their order, then the new ones, in the order that both sides give them or
/// sorted.
fn order<'n>([base, ours, theirs]: [Vec<&'n str>; 3]) -> Vec<&'n str> {
    let new = |side: Vec<&'n str>| -> Vec<&'n str> {
        side.into_iter().filter(|name| !base.contains(name)).collect()
    };
    let (ours, theirs) = (new(ours), new(theirs));
    let mut added = ours.clone();
    if ours != theirs {
        added.extend(theirs.into_iter().filter(|name| !ours.contains(name)));
        added.sort_unstable();
    }
    base.into_iter().chain(added).collect()
}

/// The key by which every row of all lists has a name of its own; none when one has no such name.
fn name_of(lists: [&[Value]; 3]) -> Option<&'static str> {
    let names = |key: &str, rows: &[Value]| {
        let mut seen = std::collections::BTreeSet::new();
        rows.iter()
            .all(|row| row.get(key).and_then(Value::as_str).is_some_and(|name| seen.insert(name.to_owned())))
    };
    NAMES.into_iter().find(|key| lists.iter().all(|rows| names(key, rows)))
}

/// Whether a list still has everything that the base has, as often.
fn added(base: &[Value], side: &[Value]) -> bool {
    let mut left: Vec<&Value> = side.iter().collect();
    base.iter()
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
    new.sort_by(by_value);
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
        assert_eq!(merged, json!({"b": {"c": 2}}));
        let found = &conflicts[0];
        assert_eq!(
            (found.field.as_str(), &found.base, &found.ours, &found.theirs),
            ("b.c", &json!(1), &json!(2), &json!(3))
        );
    }

    #[test]
    fn rows_with_names_are_merged_one_by_one() {
        let base = json!({"fields": [{"key": "a", "type": "string"}, {"key": "b", "type": "string"}]});
        let ours =
            json!({"fields": [{"key": "a", "type": "number"}, {"key": "b", "type": "string"}, {"key": "d"}]});
        let theirs =
            json!({"fields": [{"key": "a", "type": "string", "commands": ["create"]}, {"key": "c"}]});
        let want = json!({"fields": [{"key": "a", "type": "number", "commands": ["create"]}, {"key": "c"}, {"key": "d"}]});
        for (ours, theirs) in [(&ours, &theirs), (&theirs, &ours)] {
            let (merged, conflicts) = documents(&base, ours, theirs, Prefer::Stable);
            assert_eq!((compact(&merged), conflicts), (compact(&want), vec![]));
        }
    }

    #[test]
    fn new_keys_stand_in_one_order() {
        let [a, b, both] = [json!({"z": 1, "a": 1}), json!({"z": 1, "a": 2}), json!({"m": 1, "a": 1})];
        assert_eq!(compact(&documents(&Value::Null, &a, &b, Prefer::Stable).0), r#"{"z":1,"a":1}"#);
        for (ours, theirs) in [(&a, &both), (&both, &a)] {
            let merged = documents(&json!({}), ours, theirs, Prefer::Stable).0;
            assert_eq!(compact(&merged), r#"{"a":1,"m":1,"z":1}"#);
        }
    }
}
