//! The merge of two history streams of one item: every entry of both, one chain, ending in the merged item.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::VecDeque;

use serde_json::{Map, Value, json};

use super::conflicts::DELETED;
use super::lineage::{Lineage, by_effect, in_both, op};
use super::rooted::rooted;
use super::secrets::REDACT;
use super::taken_out::TakenOut;
use super::{Prefer, items, items_beside};
use crate::codec::json::stable;
use crate::domain::chain::{self, Document};
use crate::domain::hash::{Epoch, item_hash};
use crate::domain::patch;
use crate::domain::rewrite::{RewriteError, repair};
use crate::model::canonical::canonical_item;
use crate::model::collation;
use crate::model::item::Item;

/// Where an entry says that a deletion beside a change waits for a decision.
const UNDECIDED_DELETION: &str = "/context/merge/undecided_deletion";

/// Whether a branch deleted the item, another one changed it, and nobody has decided since: by a decision that history
/// tells of, or by deleting it again.
pub fn has_undecided_deletion(entries: &[Value]) -> bool {
    let decides = |entry: &Value| match op(entry) {
        "delete" => true,
        "merge_resolve" => {
            entry.pointer("/context/merge/decisions").and_then(Value::as_array).is_some_and(|rows| {
                rows.iter().any(|row| row.get("field").and_then(Value::as_str) == Some(DELETED))
            })
        }
        _ => false,
    };
    let last =
        entries.iter().rev().find(|entry| entry.pointer(UNDECIDED_DELETION).is_some() || decides(entry));
    last.is_some_and(|entry| entry.pointer(UNDECIDED_DELETION).is_some())
}

/// The operation of entries that a merge itself adds.
const RECONCILE: &str = "merge_reconcile";

/// Merges two streams that come from `base`; an empty one stands for none.
///
/// What comes from the base stays as the side has it that rewrote more of it: a baseline stands for the entries that it
/// replaced, what was taken out on one side is taken out of the other, what was mended stays mended. What is new on
/// either side follows one after another by time, each entry merged onto what stands before it, so that every patch
/// applies and every hash holds. The end is the item that the item driver makes of the three last versions; where the
/// entries alone do not lead there, one more entry does.
///
/// Where a side lacks entries of the base, as in a cherry-pick or a revert, what ours has is the ground.
///
/// Errors: an entry is of a newer program.
pub fn streams(base: &[Value], ours: &[Value], theirs: &[Value]) -> Result<Vec<Value>, RewriteError> {
    streams_beside(base, ours, theirs, &Before::default())
}

/// The tracker's own documents, by path.
pub type Documents = Map<String, Value>;

/// What was there before the branches parted, as far as it is known from elsewhere than from the stream.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// For the stream of the workspace: what the documents said in their files. A stream tells nothing of what a document
    /// was before it was changed for the first time.
    pub documents: Documents,
    /// For an item that had no stream yet: what its file said.
    pub item: Option<Item>,
}

/// As [`streams`], with what is known of the time before the branches parted.
///
/// Errors: as [`streams`].
pub fn streams_beside(
    base: &[Value],
    ours: &[Value],
    theirs: &[Value],
    before: &Before,
) -> Result<Vec<Value>, RewriteError> {
    if ours == theirs || theirs == base {
        return Ok(ours.to_vec());
    }
    if ours == base {
        return Ok(theirs.to_vec());
    }
    let taken = TakenOut::of_streams([base, ours, theirs]);
    let raw = [base, ours, theirs];
    let mut versions = [settled(base, &taken)?, settled(ours, &taken)?, settled(theirs, &taken)?];
    if let Some(rooted) = rooted([&versions[0], &versions[1], &versions[2]], before.item.as_ref()) {
        versions = rooted.map(Cow::Owned);
    }
    let [base, ours, theirs] = &versions;
    let end = End::of([base, ours, theirs], raw, &before.documents, &taken)?;
    let (ours, theirs) = (Side::of(base, ours), Side::of(base, theirs));
    let ours_is_ground = !(ours.lineage.whole && theirs.lineage.whole) || ours.compare(&theirs).is_ge();
    let (ground, other) = if ours_is_ground { (ours, theirs) } else { (theirs, ours) };
    Ok(lay(base, &ground, &other, &end))
}

/// A stream without what was taken out, and one that can be replayed.
fn settled<'a>(entries: &'a [Value], taken: &TakenOut) -> Result<Cow<'a, [Value]>, RewriteError> {
    if taken.is_empty() {
        return match chain::item_after(entries, entries.len()) {
            Ok(_) => Ok(Cow::Borrowed(entries)),
            Err(_) => Ok(Cow::Owned(repair(entries)?.entries)),
        };
    }
    let mut clean = entries.to_vec();
    clean.iter_mut().for_each(|entry| taken.entry(entry));
    if clean == entries { Ok(Cow::Borrowed(entries)) } else { Ok(Cow::Owned(repair(&clean)?.entries)) }
}

/// The item in which a stream ends.
fn last(entries: &[Value]) -> Result<Item, RewriteError> {
    match chain::item_after(entries, entries.len()) {
        Ok(item) => Ok(canonical(&item)),
        Err(_) => repair(entries).map(|repaired| canonical(&repaired.end.unwrap_or_default())),
    }
}

/// The item in which the merged stream ends: what Git makes of the file beside it.
struct End {
    item: Item,
    /// One side deleted the item, the other one changed it.
    undecided_deletion: bool,
}

impl End {
    fn of(
        [base, ours, theirs]: [&[Value]; 3],
        raw: [&[Value]; 3],
        documents: &Documents,
        taken: &TakenOut,
    ) -> Result<End, RewriteError> {
        let (base, ours, theirs) = (last(base)?, last(ours)?, last(theirs)?);
        let gone = |item: &Item| item.metadata.is_empty();
        let certain = |item: Item| End { item, undecided_deletion: false };
        let beside_deletion = |mut item: Item| {
            if gone(&base) {
                certain(item)
            } else if item == base {
                certain(Item::default())
            } else {
                // No driver sees the file, so what was taken out is still there. Here it does not come back.
                taken.item(&mut item);
                End { item: canonical(&item), undecided_deletion: true }
            }
        };
        Ok(match (gone(&ours), gone(&theirs)) {
            (true, true) => certain(Item::default()),
            (true, false) => beside_deletion(theirs),
            (false, true) => beside_deletion(ours),
            (false, false) => {
                // The driver of the item learns from its versions as they are, before anything is taken out of them.
                let [base, ours, theirs] = if taken.is_empty() {
                    [base, ours, theirs]
                } else {
                    [last(raw[0])?, last(raw[1])?, last(raw[2])?]
                };
                let base = knowing(base, [&ours, &theirs], documents);
                certain(canonical(&items_beside(&base, &ours, &theirs, Prefer::Stable, taken).item))
            }
        })
    }
}

/// The base of the tracker's own stream with the documents that both sides have and it has not: they were there before.
fn knowing(mut base: Item, sides: [&Item; 2], documents: &Documents) -> Item {
    let names = |item: &Item, path: &str| {
        item.metadata.get("documents").is_some_and(|documents| documents.get(path).is_some())
    };
    let new = |path: &&String| sides.iter().all(|side| names(side, path)) && !names(&base, path);
    let new: Vec<&String> = documents.keys().filter(new).collect();
    for path in new {
        let known = base.metadata.entry("documents").or_insert_with(|| json!({}));
        if let Value::Object(known) = known {
            known.insert(path.clone(), documents[path].clone());
        }
    }
    base
}

/// A side of the merge.
struct Side<'a> {
    entries: &'a [Value],
    lineage: Lineage,
}

impl<'a> Side<'a> {
    fn of(base: &[Value], entries: &'a [Value]) -> Side<'a> {
        Side { entries, lineage: by_effect(base, entries) }
    }

    /// Which side's beginning the result has: the one that stands for more, then the one that took more out, then the
    /// one that holds, then either, so that it is the same whichever is called ours.
    fn compare(&self, other: &Side<'_>) -> Ordering {
        let leads = [self, other].map(|side| &side.entries[..side.lineage.lead()]);
        let holds = |lead: &[Value]| chain::verify(lead).fault.is_none();
        self.lineage
            .stands_for
            .cmp(&other.lineage.stands_for)
            .then_with(|| self.redactions().cmp(&other.redactions()))
            .then_with(|| {
                if leads[0] == leads[1] { Ordering::Equal } else { holds(leads[0]).cmp(&holds(leads[1])) }
            })
            .then_with(|| {
                let differing = self.entries.iter().zip(other.entries).find(|(a, b)| a != b);
                match differing {
                    Some((a, b)) => stable(b).cmp(&stable(a)),
                    None => self.entries.len().cmp(&other.entries.len()),
                }
            })
    }

    fn redactions(&self) -> usize {
        self.additions().into_iter().filter(|place| op(&self.entries[*place]) == REDACT).count()
    }

    /// The places of the entries that do not come from the base.
    fn additions(&self) -> Vec<usize> {
        (0..self.entries.len()).filter(|place| self.lineage.from[*place].is_none()).collect()
    }

    /// The item before an entry and after each of the entries from there on.
    fn states(&self, from: usize) -> (Item, Vec<Item>) {
        let before = chain::item_after(self.entries, from).unwrap_or_default();
        (before, chain::states(self.entries, from).unwrap_or_default())
    }
}

/// An entry with the versions it leads from and to on its own side.
struct Step {
    entry: Value,
    before: Item,
    after: Item,
}

impl Step {
    fn ts(&self) -> &str {
        ts(&self.entry)
    }

    /// Whether it changed something and left an item.
    fn is_change(&self) -> bool {
        !self.after.metadata.is_empty() && self.before != self.after
    }

    /// Whether it deletes the item and the next one, which an earlier merge added, takes that back.
    fn is_taken_back_by(&self, next: &Step) -> bool {
        self.after.metadata.is_empty()
            && next.before.metadata.is_empty()
            && !next.after.metadata.is_empty()
            && op(&next.entry) == RECONCILE
    }
}

fn ts(entry: &Value) -> &str {
    entry.get("ts").and_then(Value::as_str).unwrap_or_default()
}

/// The entries of a side from one on, and which of them come into the result.
fn steps(side: &Side<'_>, from: usize, wanted: &dyn Fn(usize) -> bool) -> VecDeque<Step> {
    let (mut before, states) = side.states(from);
    let mut steps = VecDeque::new();
    for (place, after) in (from..).zip(states) {
        if wanted(place) {
            let entry = side.entries[place].clone();
            steps.push_back(Step { entry, before, after: after.clone() });
        }
        before = after;
    }
    steps
}

fn lay(base: &[Value], ground: &Side<'_>, other: &Side<'_>, end: &End) -> Vec<Value> {
    let alike = |place: &usize| ground.entries.get(*place) == other.entries.get(*place);
    let both = (0..ground.entries.len()).take_while(alike).count();
    let lead = ground.lineage.lead().max(both);
    let known = in_both((ground.entries, &ground.additions()), (other.entries, &other.additions()));
    let mut first = steps(ground, lead, &|_| true);
    let new = |place: usize| other.lineage.from[place].is_none() && !known.contains(&place);
    let mut second = steps(other, other.lineage.lead(), &new);
    if let Some(step) = hidden_in_baseline(base, other) {
        second.push_front(step);
    }
    let mut laying = Laying::on(&ground.entries[..lead], end);
    while let Some(from_first) = next_is_first(&first, &second) {
        let (own, beside) = if from_first { (&mut first, &second) } else { (&mut second, &first) };
        let Some(step) = own.pop_front() else { break };
        let takes_back = own.front().is_some_and(|next| step.is_taken_back_by(next));
        let back = if takes_back { own.pop_front() } else { None };
        laying.put(&step, back, beside);
    }
    let last = [ground, other].into_iter().filter_map(|side| side.entries.last()).map(ts);
    let last = last.max_by(|a, b| collation::compare_timestamps(a, b)).unwrap_or_default();
    laying.close(last)
}

/// What a side changed before it made one entry of all: its baseline says more than the base does.
fn hidden_in_baseline(base: &[Value], side: &Side<'_>) -> Option<Step> {
    let count = side.lineage.stands_for;
    let first = side.entries.first().filter(|_| count > 0)?;
    let before = chain::item_after(base, count).unwrap_or_default();
    let after = chain::item_after(side.entries, 1).unwrap_or_default();
    if canonical(&before) == canonical(&after) {
        return None;
    }
    let mut entry = first.clone();
    entry["op"] = RECONCILE.into();
    entry["message"] = "what a branch changed before it shortened its history".into();
    Some(Step { entry, before, after })
}

/// Which side's entry comes next; none when there is no more.
fn next_is_first(first: &VecDeque<Step>, second: &VecDeque<Step>) -> Option<bool> {
    Some(match (first.front(), second.front()) {
        (Some(a), Some(b)) => collation::compare_timestamps(a.ts(), b.ts())
            .then_with(|| identity(&a.entry).cmp(&identity(&b.entry)))
            .is_le(),
        (Some(_), None) => true,
        (None, Some(_)) => false,
        (None, None) => return None,
    })
}

/// The result as far as it is laid.
struct Laying<'e> {
    laid: Vec<Value>,
    /// The document after the last entry, as its patches leave it.
    document: Document,
    /// The same in canonical form.
    current: Item,
    end: &'e End,
}

impl<'e> Laying<'e> {
    fn on(ground: &[Value], end: &'e End) -> Laying<'e> {
        let mut document = Document::new();
        // What could not be replayed was mended before.
        ground.iter().for_each(|entry| drop(document.apply(entry)));
        Laying { laid: ground.to_vec(), current: canonical(&document.item()), document, end }
    }

    /// Lays an entry, and the one that takes a deletion back. `beside` is what the other side still does.
    fn put(&mut self, step: &Step, back: Option<Step>, beside: &VecDeque<Step>) {
        if !step.after.metadata.is_empty() {
            let (before, after) = (canonical(&step.before), canonical(&step.after));
            let next = if before == self.current {
                after
            } else {
                canonical(&items(&before, &self.current, &after, Prefer::Theirs).item)
            };
            return self.push(&step.entry, next);
        }
        let stood = self.current.clone();
        self.push(&step.entry, Item::default());
        if let Some(back) = back {
            return self.push(&back.entry, stood);
        }
        let alive = self.end.undecided_deletion || beside.iter().any(Step::is_change);
        if alive && !stood.metadata.is_empty() {
            self.push(&reinstating(step, self.end.undecided_deletion), stood);
        }
    }

    fn push(&mut self, entry: &Value, next: Item) {
        let hashes = [&self.current, &next].map(|item| item_hash(item, Epoch::Second));
        let entry = if self.holds(entry, &hashes, &next) {
            entry.clone()
        } else {
            relaid(entry, patch::diff_items(shown(&self.document.item()), shown(&next)), hashes)
        };
        // A difference between two documents applies to the first one.
        drop(self.document.apply(&entry));
        self.laid.push(entry);
        self.current = next;
    }

    /// Whether an entry, as it is, leads from here to there.
    fn holds(&self, entry: &Value, hashes: &[String; 2], next: &Item) -> bool {
        let says = |key: &str, hash: &String| entry.get(key).and_then(Value::as_str) == Some(hash);
        let named = entry.get("item_hash_version").and_then(Value::as_u64) == Some(2);
        let mut trial = self.document.copy();
        named
            && says("before_hash", &hashes[0])
            && says("after_hash", &hashes[1])
            && trial.apply(entry).is_ok()
            && canonical(&trial.item()) == *next
    }

    /// Ends in the merged item, at a time when nothing else is told to do so.
    fn close(mut self, ts: &str) -> Vec<Value> {
        if self.end.item != self.current {
            let mut entry =
                json!({"ts": ts, "author": "pm", "op": RECONCILE, "message": "two histories merged"});
            if self.end.undecided_deletion && self.current.metadata.is_empty() {
                entry["context"] = json!({"merge": {"undecided_deletion": {"ts": ts}}});
            }
            self.push(&ordered(&entry), self.end.item.clone());
        }
        self.laid
    }
}

/// The entry that takes a deletion back because the other side changed the item.
fn reinstating(step: &Step, undecided: bool) -> Value {
    let author = step.entry.get("author").cloned().unwrap_or(Value::Null);
    let mut entry = json!({
        "ts": step.ts(), "author": "pm", "op": RECONCILE,
        "message": "deleted on one branch, changed on the other: the change stands",
    });
    if undecided {
        entry["context"] = json!({"merge": {"undecided_deletion": {"ts": step.ts(), "author": author}}});
    }
    ordered(&entry)
}

/// The keys of an entry in their order on the wire, with a place for those that say where it stands.
fn ordered(entry: &Value) -> Value {
    let mut out = Map::new();
    for key in [
        "ts",
        "author",
        "op",
        "patch",
        "before_hash",
        "after_hash",
        "item_hash_version",
        "message",
        "context",
    ] {
        let place = ["patch", "before_hash", "after_hash", "item_hash_version"].contains(&key);
        if let Some(value) = entry.get(key).cloned().or(place.then_some(Value::Null)) {
            out.insert(key.to_owned(), value);
        }
    }
    Value::Object(out)
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

/// The entry with a patch and hashes as its new place needs them.
fn relaid(entry: &Value, patch: Vec<Value>, [before, after]: [String; 2]) -> Value {
    let mut entry = entry.as_object().cloned().unwrap_or_default();
    entry.insert("patch".into(), patch.into());
    entry.insert("before_hash".into(), before.into());
    entry.insert("after_hash".into(), after.into());
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
