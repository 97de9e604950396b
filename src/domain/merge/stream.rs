//! The merge of two history streams of one item: every entry of both, one chain, ending in the merged item.

use serde_json::{Map, Value, json};

use super::{Prefer, items};
use crate::codec::json::stable;
use crate::domain::chain;
use crate::domain::hash::{Epoch, item_hash};
use crate::domain::patch::{self, PatchError};
use crate::model::canonical::canonical_item;
use crate::model::collation;
use crate::model::item::Item;

/// Merges two streams.
///
/// The entries that both begin with stay as they are. What follows is laid one after another by time, each entry
/// merged onto what stands before it, so that every patch applies and every hash holds. The end is the item that the
/// item driver makes of the two last versions; where the entries alone do not lead there, one more entry does.
///
/// Errors: the entry's number, counted from 1, whose patch does not apply on its own side, and why.
pub fn streams(ours: &[Value], theirs: &[Value]) -> Result<Vec<Value>, (usize, PatchError)> {
    let shared = ours.iter().zip(theirs).take_while(|(a, b)| identity(a) == identity(b)).count();
    if theirs.len() == shared {
        return Ok(ours.to_vec());
    }
    if ours.len() == shared {
        return Ok(theirs.to_vec());
    }
    let base = chain::item_after(ours, shared)?;
    let (our_ends, their_ends) = (chain::states(ours, shared)?, chain::states(theirs, shared)?);
    let mut steps = steps(&ours[shared..], &our_ends, &base);
    let known: Vec<String> = steps.iter().map(|step| identity(step.entry)).collect();
    let new = steps_of_theirs(&theirs[shared..], &their_ends, &base, &known);
    steps.extend(new);
    steps.sort_by(|a, b| {
        collation::compare_timestamps(a.ts(), b.ts())
            .then(a.place.cmp(&b.place))
            .then_with(|| identity(a.entry).cmp(&identity(b.entry)))
    });
    let mut merged = ours[..shared].to_vec();
    let mut current = canonical(&base);
    for step in &steps {
        let next = if step.after.metadata.is_empty() {
            // A deletion beside other changes: the changes stand.
            current.clone()
        } else {
            canonical(&items(step.before, &current, step.after, Prefer::Theirs).item)
        };
        merged.push(relaid(step.entry, &current, &next));
        current = next;
    }
    let (our_end, their_end) = (our_ends.last().unwrap_or(&base), their_ends.last().unwrap_or(&base));
    let end = match (our_end.metadata.is_empty(), their_end.metadata.is_empty()) {
        (true, _) => their_end.clone(),
        (_, true) => our_end.clone(),
        _ => items(&base, our_end, their_end, Prefer::Stable).item,
    };
    let end = canonical(&end);
    if end != current {
        let ts = steps.last().map_or("", Step::ts);
        merged.push(closing(ts, &current, &end));
    }
    Ok(merged)
}

/// An entry with the versions it leads from and to on its own side.
struct Step<'a> {
    entry: &'a Value,
    before: &'a Item,
    after: &'a Item,
    /// Its place on its side: entries of one side keep their order when their times are equal.
    place: usize,
}

impl Step<'_> {
    fn ts(&self) -> &str {
        self.entry.get("ts").and_then(Value::as_str).unwrap_or_default()
    }
}

fn steps<'a>(entries: &'a [Value], ends: &'a [Item], base: &'a Item) -> Vec<Step<'a>> {
    entries
        .iter()
        .zip(ends)
        .enumerate()
        .map(|(place, (entry, after))| {
            let before = if place == 0 { base } else { &ends[place - 1] };
            Step { entry, before, after, place }
        })
        .collect()
}

fn steps_of_theirs<'a>(
    entries: &'a [Value],
    ends: &'a [Item],
    base: &'a Item,
    known: &[String],
) -> Vec<Step<'a>> {
    let mut steps = steps(entries, ends, base);
    steps.retain(|step| !known.contains(&identity(step.entry)));
    steps
}

/// What makes two entries the same: who did what when; hashes depend on where an entry stands.
pub(in crate::domain) fn identity(entry: &Value) -> String {
    let part = |key: &str| entry.get(key).cloned().unwrap_or(Value::Null);
    let parts: Map<String, Value> = ["ts", "author", "op", "patch", "message"]
        .map(|key| (key.to_owned(), part(key)))
        .into_iter()
        .collect();
    stable(&Value::Object(parts))
}

fn canonical(item: &Item) -> Item {
    if item.metadata.is_empty() {
        // No item at all: a canonical form would give it fields.
        return Item::default();
    }
    canonical_item(item).unwrap_or_else(|_| item.clone())
}

fn shown(item: &Item) -> Option<&Item> {
    (!item.metadata.is_empty()).then_some(item)
}

/// The entry with its patch and hashes as its new place needs them.
fn relaid(entry: &Value, before: &Item, after: &Item) -> Value {
    let mut entry = entry.as_object().cloned().unwrap_or_default();
    entry.insert("patch".into(), patch::diff_items(shown(before), shown(after)).into());
    entry.insert("before_hash".into(), item_hash(before, Epoch::Second).into());
    entry.insert("after_hash".into(), item_hash(after, Epoch::Second).into());
    if entry.insert("item_hash_version".into(), 2.into()).is_none() {
        // The version stands right behind the hashes; what came later goes after it.
        for key in ["message", "context"] {
            if let Some(value) = entry.shift_remove(key) {
                entry.insert(key.into(), value);
            }
        }
    }
    Value::Object(entry)
}

/// The entry that leads from the laid out entries to the merged item.
fn closing(ts: &str, before: &Item, after: &Item) -> Value {
    json!({
        "ts": ts,
        "author": "pm",
        "op": "merge_reconcile",
        "patch": patch::diff_items(shown(before), shown(after)),
        "before_hash": item_hash(before, Epoch::Second),
        "after_hash": item_hash(after, Epoch::Second),
        "item_hash_version": 2,
        "message": "two histories merged",
    })
}
