//! Where the entries of a stream come from: which of them are entries of an earlier version of it, though that was
//! shortened, redacted, mended or laid anew since.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use serde_json::{Map, Value};

use super::conflicts;
use super::taken_out::is_redacted_entry;
use crate::codec::json::stable;
use crate::domain::chain::{self, Change};

/// The operation of an entry that stands for many.
pub(super) const BASELINE: &str = "history_compact_baseline";

/// How a side's stream comes from the base's.
#[derive(Debug)]
pub(super) struct Lineage {
    /// For so many entries of the base the side's first entry stands; 0 where it is no baseline of the side's own.
    pub(super) stands_for: usize,
    /// For each entry of the side: the entry of the base that it is, or the last one that it stands for.
    pub(super) from: Vec<Option<usize>>,
    /// Whether the side has every entry of the base, in whatever form.
    pub(super) whole: bool,
}

impl Lineage {
    /// How many entries at the beginning come from the base.
    pub(super) fn lead(&self) -> usize {
        self.from.iter().take_while(|from| from.is_some()).count()
    }
}

/// Traces a side by who did what when, as is enough to compare what the entries say.
pub(super) fn by_name(base: &[Value], side: &[Value]) -> Lineage {
    trace(base, side, &|_, _| true)
}

/// Traces a side by who did what when, and by what that changed.
pub(super) fn by_effect(base: &[Value], side: &[Value]) -> Lineage {
    // A stream that was mended says the same in other patches, and may have lost some of it.
    let mended = |entries: &[Value]| entries.iter().filter(|entry| op(entry) == "history_repair").count();
    if mended(side) > mended(base) {
        return by_name(base, side);
    }
    let shared = shared(base, side);
    let (known, new) = (effects(base, shared), effects(side, shared));
    trace(base, side, &|b, s| {
        let effect = |list: &[Effect], n: usize| n.checked_sub(shared).and_then(|n| list.get(n).cloned());
        match (effect(&known, b), effect(&new, s)) {
            (Some(old), Some(new)) => {
                within(&old, &new)
                    || within(&new, &old)
                    || is_redacted_entry(&base[b], &side[s])
                    || is_redacted_entry(&side[s], &base[b])
            }
            _ => true,
        }
    })
}

/// The entries of `other` (by place, among `of_other`) that `side` has too, in whatever form, among its own.
pub(super) fn in_both(side: (&[Value], &[usize]), other: (&[Value], &[usize])) -> BTreeSet<usize> {
    let mut by_key: HashMap<String, VecDeque<usize>> = HashMap::new();
    for place in side.1 {
        by_key.entry(key(&side.0[*place])).or_default().push_back(*place);
    }
    let known = |place: &&usize| by_key.contains_key(&key(&other.0[**place]));
    let maybe: Vec<usize> = other.1.iter().filter(known).copied().collect();
    let mut found = BTreeSet::new();
    if maybe.is_empty() {
        return found;
    }
    let (ours, theirs) = (effects(side.0, 0), effects(other.0, 0));
    for place in maybe {
        let Some(candidates) = by_key.get_mut(&key(&other.0[place])) else { continue };
        let same = |at: &usize| same_entry(&side.0[*at], &other.0[place]);
        let alike = |at: &usize| matches!((ours.get(*at), theirs.get(place)), (Some(a), Some(b)) if a == b);
        let hit = candidates.iter().position(same).or_else(|| candidates.iter().position(alike));
        if let Some(hit) = hit {
            candidates.remove(hit);
            found.insert(place);
        }
    }
    found
}

fn trace(base: &[Value], side: &[Value], alike: &dyn Fn(usize, usize) -> bool) -> Lineage {
    let shared = shared(base, side);
    let mut from: Vec<Option<usize>> = (0..side.len()).map(|n| (n < shared).then_some(n)).collect();
    if shared == 0 && !base.is_empty() && side.first().is_some_and(|first| op(first) == BASELINE) {
        let (stands_for, places) = kept_from(base, &side[1..]);
        from[0] = Some(stands_for - 1);
        for (kept, place) in (stands_for..base.len()).zip(places) {
            from[place + 1] = Some(kept);
        }
        return Lineage { stands_for, from, whole: true };
    }
    let mut places: HashMap<String, VecDeque<usize>> = HashMap::new();
    for (place, entry) in side.iter().enumerate().skip(shared) {
        places.entry(key(entry)).or_default().push_back(place);
    }
    let mut whole = true;
    for (n, entry) in base.iter().enumerate().skip(shared) {
        let candidates = places.entry(key(entry)).or_default();
        let same = candidates.iter().position(|place| same_entry(entry, &side[*place]));
        let hit = same.or_else(|| candidates.iter().position(|place| alike(n, *place)));
        match hit.and_then(|hit| candidates.remove(hit)) {
            Some(place) => from[place] = Some(n),
            None => whole = false,
        }
    }
    Lineage { stands_for: 0, from, whole }
}

/// How many entries a baseline stands for: those before the first one that is still there with all that follow; and
/// where these are. What a merge brought in may stand between them.
fn kept_from(base: &[Value], rest: &[Value]) -> (usize, Vec<usize>) {
    let keys: Vec<String> = rest.iter().map(key).collect();
    // From the end: each as late as it can be, so that as many as there are find their place.
    let mut places: Vec<usize> = Vec::new();
    let mut end = keys.len();
    for entry in base[1..].iter().rev() {
        let own = key(entry);
        let Some(place) = keys[..end].iter().rposition(|key| *key == own) else { break };
        places.push(place);
        end = place;
    }
    places.reverse();
    (base.len() - places.len(), places)
}

/// How many entries both begin with.
fn shared(base: &[Value], side: &[Value]) -> usize {
    base.iter().zip(side).take_while(|(a, b)| same_entry(a, b)).count()
}

pub(super) fn op(entry: &Value) -> &str {
    entry.get("op").and_then(Value::as_str).unwrap_or_default()
}

/// Whether two entries are the same: who did what when; hashes depend on where an entry stands.
pub(super) fn same_entry(a: &Value, b: &Value) -> bool {
    const PARTS: [&str; 5] = ["ts", "author", "op", "patch", "message"];
    let part = |entry: &Value, key: &str| entry.get(key).cloned().filter(|value| !value.is_null());
    PARTS.iter().all(|key| a.get(key) == b.get(key) || part(a, key) == part(b, key))
}

/// Who did what when, whatever it says.
fn key(entry: &Value) -> String {
    let part = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    format!("{}\n{}\n{}", part("ts"), part("author"), part("op"))
}

/// What an entry changed, by field: what came and what went.
type Effect = BTreeMap<String, (Vec<String>, Vec<String>)>;

/// The effects of the entries from number `from` on; none when the stream cannot be replayed.
fn effects(entries: &[Value], from: usize) -> Vec<Effect> {
    let changes = chain::changes(entries, from).unwrap_or_default();
    changes.iter().map(|changes| changes.iter().filter_map(effect).collect()).collect()
}

fn effect(change: &Change) -> Option<(String, (Vec<String>, Vec<String>))> {
    if ["updated_at", conflicts::FIELD].contains(&change.field.as_str()) {
        return None;
    }
    let beyond = |these: &Value, those: &Value| {
        let (mut new, known) = (parts(these), parts(those));
        new.retain(|part| !known.contains(part));
        new.sort();
        new
    };
    let came = beyond(&change.after, &change.before);
    // What one value replaced depends on where the entry stands; which rows went does not.
    let is_list = change.before.is_array() && (change.after.is_array() || change.after.is_null());
    let went = if is_list { beyond(&change.before, &change.after) } else { Vec::new() };
    Some((change.field.clone(), (came, went)))
}

/// What a value is made of, as far as a merge may put parts of two values together: rows of a list, members of an object
/// or of a row with an id, paragraphs and criteria of a text.
fn parts(value: &Value) -> Vec<String> {
    const OF_PLACE: [&str; 3] = ["id", "order", "updated_at"];
    let members = |members: &Map<String, Value>| -> Vec<String> {
        let own = members.iter().filter(|(key, _)| !OF_PLACE.contains(&key.as_str()));
        own.flat_map(|(key, value)| parts(value).into_iter().map(move |part| format!("{key}={part}")))
            .collect()
    };
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => {
            text.split("\n\n").flat_map(|part| part.split("; ")).map(str::to_owned).collect()
        }
        Value::Object(map) => members(map),
        Value::Array(rows) => rows
            .iter()
            .flat_map(|row| match row {
                Value::Object(map) if map.contains_key("id") => members(map),
                row => vec![stable(row)],
            })
            .collect(),
        other => vec![stable(other)],
    }
}

/// Whether everything that the first one did, the second one did too.
fn within(part: &Effect, whole: &Effect) -> bool {
    part.iter().all(|(field, (added, removed))| {
        whole.get(field).is_some_and(|(more, less)| {
            added.iter().all(|row| more.contains(row)) && removed.iter().all(|row| less.contains(row))
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(ts: u8, op: &str, patch: Value) -> Value {
        json!({"ts": ts.to_string(), "author": "ann", "op": op, "patch": patch})
    }

    fn add(ts: u8) -> Value {
        entry(ts, "update", json!([{"op": "add", "path": format!("/metadata/f{ts}"), "value": ts}]))
    }

    #[test]
    fn a_baseline_is_known_by_what_it_left() {
        let base: Vec<Value> = (0..5).map(add).collect();
        let kept = [vec![entry(2, BASELINE, json!([]))], base[3..].to_vec(), vec![add(7)]].concat();
        let lineage = by_effect(&base, &kept);
        assert_eq!((lineage.stands_for, lineage.lead(), lineage.whole), (3, 3, true));
        let all = [entry(4, BASELINE, json!([])), entry(8, "history_compact", json!([]))];
        let lineage = by_effect(&base, &all);
        assert_eq!((lineage.stands_for, lineage.from), (5, vec![Some(4), None]));
    }

    #[test]
    fn an_entry_that_was_laid_anew_is_known_by_what_it_did() {
        let comments = |place: &str, value: Value| json!([{"op": "add", "path": format!("/metadata/comments{place}"), "value": value}]);
        let base = [add(1), entry(3, "comment_add", comments("", json!([{"text": "a"}])))];
        let side = [
            add(1),
            entry(2, "comment_add", comments("", json!([{"text": "b"}]))),
            entry(3, "comment_add", comments("/1", json!({"text": "a"}))),
        ];
        assert_eq!(by_effect(&base, &side).from, [Some(0), None, Some(1)]);
        // Another entry by the same author at the same time is not it.
        let other = [add(1), entry(3, "comment_add", comments("", json!([{"text": "c"}])))];
        let lineage = by_effect(&base, &other);
        assert_eq!((lineage.from, lineage.whole), (vec![Some(0), None], false));
        let both = in_both((&base, &[1]), (&side, &[1, 2]));
        assert_eq!(both.into_iter().collect::<Vec<_>>(), [2]);
    }
}
