//! The merge of two versions of an item, field by field.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::taken_out::TakenOut;
use super::{Prefer, by_value, conflicts, documents};
use crate::codec::json::stable;
use crate::domain::survey::WORKSPACE;
use crate::domain::values;
use crate::model::item::Item;
use crate::model::timestamp;

/// A field that both sides changed, each to another value.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// Its path: `priority`, `plan_steps.plan-step-001.status`, `body`.
    pub field: String,
    /// What it was; null when it was not there.
    pub base: Value,
    /// What our side has.
    pub ours: Value,
    /// What their side has.
    pub theirs: Value,
    /// What stands in the result.
    pub retained: Value,
}

/// A merged item.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The result; not canonical yet.
    pub item: Item,
    /// What could not be decided, by field.
    pub conflicts: Vec<Conflict>,
}

/// Lists of which both sides keep what they added, and lose what either removed.
const LISTS: &[&str] = &[
    "tags",
    "dependencies",
    "comments",
    "notes",
    "learnings",
    "files",
    "tests",
    "test_runs",
    "docs",
    "reminders",
    "events",
    "plan_decisions",
    "plan_discoveries",
    "plan_validation",
];

/// Merges two versions that come from `base`; the default item stands for no base. Where no side is preferred, what
/// could not be decided is in the result too (see [`conflicts`]). What a side took out as a secret is taken out of the
/// others first.
pub fn items(base: &Item, ours: &Item, theirs: &Item, prefer: Prefer) -> Merged {
    items_beside(base, ours, theirs, prefer, &TakenOut::default())
}

/// As [`items`]; `taken` is what the histories of the versions tell was taken out. An item does not tell of a text that a
/// side took out and then gave up altogether, nor of one that stands where no other version has it.
pub fn items_beside(base: &Item, ours: &Item, theirs: &Item, prefer: Prefer, taken: &TakenOut) -> Merged {
    let marks = taken.all_marks();
    let learned = TakenOut::of_items(base, ours, &marks).and(TakenOut::of_items(base, theirs, &marks));
    let taken = taken.clone().and(learned);
    if taken.is_empty() {
        return versions([base, ours, theirs], prefer);
    }
    let clean = |item: &Item| {
        let mut item = item.clone();
        taken.item(&mut item);
        item
    };
    versions([&clean(base), &clean(ours), &clean(theirs)], prefer)
}

fn versions([base, ours, theirs]: [&Item; 3], prefer: Prefer) -> Merged {
    let workspace = [ours, theirs].iter().any(|item| item.id() == WORKSPACE);
    let mut merge = Merge { prefer, workspace, conflicts: Vec::new() };
    let keys: BTreeSet<&String> = ours.metadata.keys().chain(theirs.metadata.keys()).collect();
    let mut metadata = Map::new();
    for key in keys.into_iter().filter(|key| *key != conflicts::FIELD) {
        let at = |item: &Item| item.metadata.get(key).cloned().unwrap_or(Value::Null);
        let value = merge.field(key, at(base), at(ours), at(theirs));
        if !value.is_null() {
            metadata.insert(key.clone(), value);
        }
    }
    let body = merge.body(&base.body, &ours.body, &theirs.body);
    let mut item = Item { metadata, body };
    let conflicts = conflicts::settle(&mut item, [base, ours, theirs], prefer, &merge.conflicts);
    Merged { item, conflicts }
}

struct Merge {
    prefer: Prefer,
    /// Whether these are versions of the tracker's own documents.
    workspace: bool,
    /// The paths that both sides gave other values.
    conflicts: Vec<String>,
}

impl Merge {
    fn field(&mut self, key: &str, base: Value, ours: Value, theirs: Value) -> Value {
        // What one side left alone is as the other side has it, the order of its rows too.
        if ours == theirs || theirs == base {
            return ours;
        }
        if ours == base {
            return theirs;
        }
        match key {
            "created_at" | "updated_at" if self.workspace => earlier(ours, theirs),
            "updated_at" => later(ours, theirs),
            "documents" if self.workspace => self.documents(&base, &ours, &theirs),
            "acceptance_criteria" => criteria(&base, &ours, &theirs),
            "plan_steps" => self.keyed(key, &base, &ours, &theirs),
            _ if LISTS.contains(&key) => Value::Array(union(list(&base), list(&ours), list(&theirs))),
            _ => self.value(key, base, ours, theirs),
        }
    }

    /// The tracker's own documents, each as its own file is merged.
    fn documents(&mut self, base: &Value, ours: &Value, theirs: &Value) -> Value {
        let (merged, conflicts) = documents(base, ours, theirs, self.prefer);
        self.conflicts.extend(conflicts.into_iter().map(|found| format!("documents.{}", found.field)));
        merged
    }

    /// Objects are merged key by key, everything else as a whole.
    fn value(&mut self, path: &str, base: Value, ours: Value, theirs: Value) -> Value {
        if ours == theirs || theirs == base {
            return ours;
        }
        if ours == base {
            return theirs;
        }
        if let (Value::Object(ours), Value::Object(theirs)) = (&ours, &theirs) {
            let nothing = Map::new();
            let base = base.as_object().unwrap_or(&nothing);
            let keys: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
            let mut merged = Map::new();
            for key in keys {
                let at = |map: &Map<String, Value>| map.get(key).cloned().unwrap_or(Value::Null);
                let value = self.value(&format!("{path}.{key}"), at(base), at(ours), at(theirs));
                let gone = value.is_null() && !(ours.contains_key(key) && theirs.contains_key(key));
                if !gone {
                    merged.insert(key.clone(), value);
                }
            }
            return Value::Object(merged);
        }
        self.conflict(path, ours, theirs)
    }

    fn conflict(&mut self, path: &str, ours: Value, theirs: Value) -> Value {
        let ours_stands = match self.prefer {
            Prefer::Ours => true,
            Prefer::Theirs => false,
            Prefer::Stable => by_value(&ours, &theirs).is_le(),
        };
        self.conflicts.push(path.to_owned());
        if ours_stands { ours } else { theirs }
    }

    /// Rows with an `id` are merged row by row.
    fn keyed(&mut self, path: &str, base: &Value, ours: &Value, theirs: &Value) -> Value {
        let find = |rows: &Value, id: &str| list(rows).iter().find(|row| id_of(row) == Some(id)).cloned();
        let all_named = |rows: &Value| {
            let mut seen = BTreeSet::new();
            list(rows).iter().all(|row| id_of(row).is_some_and(|id| seen.insert(id)))
        };
        if !(all_named(base) && all_named(ours) && all_named(theirs)) {
            return self.value(path, base.clone(), ours.clone(), theirs.clone());
        }
        let ids: BTreeSet<&str> = list(ours).iter().chain(list(theirs)).filter_map(id_of).collect();
        let (mut merged, mut renamed) = (Vec::new(), Vec::new());
        for id in ids {
            let [base, ours, theirs] = [base, ours, theirs].map(|rows| find(rows, id).unwrap_or(Value::Null));
            if base.is_null() && differ(&ours, &theirs) {
                // Both sides counted on to the same id, each for a row of its own.
                let (first, second) =
                    if stable(&ours) <= stable(&theirs) { (ours, theirs) } else { (theirs, ours) };
                merged.push(first);
                renamed.push(second);
                continue;
            }
            let row = self.value(&format!("{path}.{id}"), base, ours, theirs);
            if !row.is_null() {
                merged.push(row);
            }
        }
        for row in renamed {
            let row = with_next_id(row, &merged);
            merged.push(row);
        }
        if merged.is_empty() { Value::Null } else { Value::Array(merged) }
    }

    /// Texts that were only added to at the end get both additions.
    fn body(&mut self, base: &str, ours: &str, theirs: &str) -> String {
        if ours == theirs || theirs == base {
            return ours.to_owned();
        }
        if ours == base {
            return theirs.to_owned();
        }
        if let (Some(one), Some(other)) = (ours.strip_prefix(base), theirs.strip_prefix(base)) {
            let (one, other) = (one.trim_matches('\n'), other.trim_matches('\n'));
            let (first, second) = if one <= other { (one, other) } else { (other, one) };
            let parts = [base.trim_end_matches('\n'), first, second];
            return parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("\n\n");
        }
        self.conflict("body", ours.into(), theirs.into()).as_str().unwrap_or_default().to_owned()
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn id_of(row: &Value) -> Option<&str> {
    row.get("id").and_then(Value::as_str)
}

/// Whether two rows tell of different things.
fn differ(ours: &Value, theirs: &Value) -> bool {
    ours.get("title").is_some() && theirs.get("title").is_some() && ours.get("title") != theirs.get("title")
}

/// The row with the number after the highest among the others: `plan-step-004`.
fn with_next_id(mut row: Value, others: &[Value]) -> Value {
    let parts = |id: &str| {
        let stem = id.trim_end_matches(|c: char| c.is_ascii_digit());
        id[stem.len()..].parse::<u64>().ok().map(|number| (stem.to_owned(), number))
    };
    let own = id_of(&row).unwrap_or_default();
    let stem = parts(own).map_or_else(|| format!("{own}-"), |(stem, _)| stem);
    let same = others.iter().filter_map(|row| parts(id_of(row)?)).filter(|(known, _)| *known == stem);
    let next = same.map(|(_, number)| number).max().unwrap_or(0).saturating_add(1);
    row["id"] = format!("{stem}{next:03}").into();
    row
}

/// What both sides still have, in the order of the base, then what either added, in a fixed order.
fn union(base: &[Value], ours: &[Value], theirs: &[Value]) -> Vec<Value> {
    let names = |rows: &[Value]| rows.iter().map(stable).collect::<BTreeSet<String>>();
    let (in_base, in_ours, in_theirs) = (names(base), names(ours), names(theirs));
    let mut merged: Vec<Value> = base
        .iter()
        .filter(|row| {
            let name = stable(row);
            in_ours.contains(&name) && in_theirs.contains(&name)
        })
        .cloned()
        .collect();
    let mut added: Vec<(String, &Value)> = ours
        .iter()
        .chain(theirs)
        .map(|row| (stable(row), row))
        .filter(|(name, _)| !in_base.contains(name))
        .collect();
    added.sort_by(|a, b| a.0.cmp(&b.0));
    added.dedup_by(|a, b| a.0 == b.0);
    merged.extend(added.into_iter().map(|(_, row)| row.clone()));
    merged
}

fn later(ours: Value, theirs: Value) -> Value {
    if by_time(&ours, &theirs).is_ge() { ours } else { theirs }
}

fn earlier(ours: Value, theirs: Value) -> Value {
    if theirs.is_null() || !ours.is_null() && by_time(&ours, &theirs).is_le() { ours } else { theirs }
}

fn by_time(ours: &Value, theirs: &Value) -> std::cmp::Ordering {
    let at = |value: &Value| value.as_str().and_then(timestamp::parse);
    at(ours).cmp(&at(theirs)).then_with(|| stable(ours).cmp(&stable(theirs)))
}

/// Criteria are a list that is stored as one text.
fn criteria(base: &Value, ours: &Value, theirs: &Value) -> Value {
    let rows = |value: &Value| -> Vec<Value> {
        values::criteria(value.as_str().unwrap_or_default()).into_iter().map(Value::from).collect()
    };
    let merged = union(&rows(base), &rows(ours), &rows(theirs));
    if merged.is_empty() && (ours.is_null() || theirs.is_null()) {
        return Value::Null;
    }
    merged.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ").into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(metadata: Value, body: &str) -> Item {
        Item { metadata: metadata.as_object().cloned().unwrap_or_default(), body: body.to_owned() }
    }

    fn both_ways(base: &Item, ours: &Item, theirs: &Item) -> Merged {
        let one = items(base, ours, theirs, Prefer::Stable);
        let other = items(base, theirs, ours, Prefer::Stable);
        assert_eq!(one.item, other.item, "the sides have no order");
        assert_eq!(one.conflicts.len(), other.conflicts.len());
        one
    }

    #[test]
    fn different_fields_and_additions_merge_clean() {
        let base =
            item(json!({"title": "t", "priority": 2, "tags": ["a", "b"], "acceptance_criteria": "one"}), "x");
        let ours = item(
            json!({"title": "u", "priority": 2, "tags": ["a", "b", "p"], "acceptance_criteria": "one; 2a",
                "comments": [{"text": "c1"}]}),
            "x\n\nours",
        );
        let theirs = item(
            json!({"title": "t", "priority": 1, "tags": ["b", "q"], "acceptance_criteria": "one; 2b",
                "comments": [{"text": "c2"}]}),
            "x\n\ntheirs",
        );
        let merged = both_ways(&base, &ours, &theirs);
        assert_eq!(merged.conflicts, []);
        let want = json!({"title": "u", "priority": 1, "tags": ["b", "p", "q"],
            "acceptance_criteria": "one; 2a; 2b", "comments": [{"text": "c1"}, {"text": "c2"}]});
        assert_eq!(Value::Object(merged.item.metadata), want);
        assert_eq!(merged.item.body, "x\n\nours\n\ntheirs");
    }

    #[test]
    fn a_field_changed_to_two_values_is_a_conflict_with_both_told() {
        let base = item(json!({"priority": 2}), "");
        let merged = both_ways(&base, &item(json!({"priority": 1}), ""), &item(json!({"priority": 3}), ""));
        assert_eq!(merged.item.metadata["priority"], 1);
        let conflict = &merged.conflicts[0];
        assert_eq!((&conflict.ours, &conflict.theirs, &conflict.base), (&json!(1), &json!(3), &json!(2)));
    }

    #[test]
    fn what_one_side_clears_is_gone_and_what_the_other_keeps_unchanged_stays_gone() {
        let base = item(json!({"deadline": "d", "sprint": "s"}), "b");
        let merged =
            both_ways(&base, &item(json!({"sprint": "s"}), "b"), &item(json!({"deadline": "d"}), "b"));
        assert_eq!((merged.item.metadata.len(), merged.conflicts.len()), (0, 0));
    }

    #[test]
    fn steps_of_a_plan_merge_one_by_one() {
        let step = |id: &str, status: &str, note: &str| json!({"id": id, "status": status, "evidence": note});
        let rows = |rows: &[Value]| item(json!({"plan_steps": rows}), "");
        let base = rows(&[step("s1", "pending", ""), step("s2", "pending", "")]);
        let ours = rows(&[step("s1", "completed", ""), step("s2", "pending", "")]);
        let theirs =
            rows(&[step("s1", "pending", "seen"), step("s2", "blocked", ""), step("s3", "pending", "")]);
        let merged = both_ways(&base, &ours, &theirs);
        assert_eq!(merged.conflicts, []);
        let want = [step("s1", "completed", "seen"), step("s2", "blocked", ""), step("s3", "pending", "")];
        assert_eq!(merged.item.metadata["plan_steps"], json!(want));
    }
}
