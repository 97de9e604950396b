//! Files that wait in Git's index as one branch alone has them, without a mark: the merge driver refused, was killed, or
//! its program is gone. What Git calls merged with a conflict is told apart from them by what history says.

use std::collections::BTreeSet;

use serde_json::Value;

use super::merging::stem;
use super::{Found, ItemVersions, Tracker};
use crate::domain::chain;
use crate::domain::merge::{self, Prefer};
use crate::domain::rewrite::salvage;
use crate::domain::survey::WORKSPACE;
use crate::error::Result;
use crate::model::canonical::canonical_item;
use crate::model::item::Item;
use crate::store::{git, history};

/// The operations by which somebody takes note of a file that says something else than its history.
const NOTICED: [&str; 2] = ["external_edit", "history_repair"];

impl Tracker {
    /// What waits for a merge that did not take place: ids of items and paths of documents, sorted.
    pub fn unjoined(&self) -> Vec<String> {
        let waiting = self.unmerged_files();
        let stream = |path: &str| path.starts_with("history/") && path.ends_with(".jsonl");
        let item = |path: &str| path.ends_with(".toon") || path.ends_with(".md");
        let ids: BTreeSet<&str> =
            waiting.iter().filter(|path| item(path) || stream(path)).map(|path| stem(path)).collect();
        let waits =
            |id: &&&str| **id != WORKSPACE && self.found(id).is_ok_and(|found| self.is_unjoined(id, &found));
        let mut found: Vec<String> = ids.iter().filter(waits).map(|id| (*id).to_owned()).collect();
        found.extend(waiting.iter().filter(|path| self.is_unjoined_document(path)).cloned());
        if found.iter().all(|known| !known.ends_with(".json")) && ids.contains(WORKSPACE) {
            // Documents that Git merged, beside a history that it did not.
            let state = self.found(WORKSPACE).ok().and_then(|found| found.entries(self, WORKSPACE).ok());
            found.extend(
                state
                    .filter(|entries| self.unjoined_stream(WORKSPACE, entries).is_some())
                    .map(|_| WORKSPACE.to_owned()),
            );
        }
        found.sort();
        found
    }

    /// The programs of merge drivers that are not where Git's configuration has them.
    pub fn gone_drivers(&self) -> Vec<String> {
        let state = git::work_tree(self.root()).and_then(|work_tree| git::driver_state(&work_tree).ok());
        state.map(|state| state.gone).unwrap_or_default()
    }

    /// Whether an item waits in Git's index that one branch made new, and that Git put where its type does not belong.
    pub fn is_misplaced(&self, path: &str) -> bool {
        if !self.merge().is_some_and(|merge| merge.is_new(path)) {
            return false;
        }
        let found = self.found(stem(path)).ok();
        let item = found.as_ref().and_then(|found| found.item(self).ok().flatten());
        found.zip(item).is_some_and(|(found, item)| self.new_place(&found, &item).is_some())
    }

    /// Whether an item or its history waits for a merge that did not take place.
    pub fn is_unjoined(&self, id: &str, found: &Found) -> bool {
        let Some(merge) = self.merge() else { return false };
        let paths = || found.file.iter().chain(&found.others).map(|(path, _)| path.as_str());
        let item_waits = paths().any(|path| merge.is_of_both(path));
        if !item_waits && !merge.is_of_both(&history::path(id)) {
            return false;
        }
        let item = match found.item(self) {
            Ok(item) => item,
            Err(error) if error.code == crate::error::Code::MergeConflictMarkers => return false,
            Err(_) => return item_waits,
        };
        let Ok(entries) = found.entries(self, id) else { return !Self::has_markers(found) && item_waits };
        if self.unjoined_stream(id, &entries).is_some() {
            return true;
        }
        let (true, Some(item)) = (item_waits, item) else { return false };
        let agrees = chain::verify(&entries).disagreement(Some(&item)).is_none();
        if agrees && !self.is_noticed(id, &entries) {
            return false;
        }
        let Ok(ItemVersions { base, theirs: Some(theirs), .. }) = self.item_versions(id, found) else {
            return true;
        };
        let same = |item: &Item| canonical_item(item).unwrap_or_else(|_| item.clone());
        same(&merge::items(&base, &item, &theirs, Prefer::Stable).item) != same(&item)
    }

    /// Whether history tells, since the last decision, that the file says something else: so the driver of the history has
    /// merged and that of the item has not.
    fn is_noticed(&self, id: &str, entries: &[Value]) -> bool {
        let sides = self.stream_versions(id).unwrap_or_default();
        let known: BTreeSet<[&str; 3]> = sides.iter().flatten().map(name).collect();
        let mut since = entries.iter().rev().take_while(|entry| !decides(entry));
        since.any(|entry| NOTICED.contains(&name(entry)[2]) && !known.contains(&name(entry)))
    }

    /// The streams of the base and of the other branch, where a history waits that lacks what the other branch did.
    pub fn unjoined_stream(&self, id: &str, entries: &[Value]) -> Option<[Vec<Value>; 2]> {
        let merge = self.merge()?;
        let path = history::path(id);
        if !merge.is_of_both(&path) {
            return None;
        }
        let git::Versions { base, ours, theirs } = merge.versions(&path)?;
        let [base, ours, theirs] = [base.unwrap_or_default(), ours?, theirs?].map(|bytes| salvage(&bytes).0);
        let sides: BTreeSet<[&str; 3]> = ours.iter().chain(&theirs).map(name).collect();
        if entries.iter().any(|entry| decides(entry) && !sides.contains(&name(entry))) {
            return None;
        }
        let known: BTreeSet<[&str; 3]> = base.iter().chain(entries).map(name).collect();
        // What an earlier merge added by itself, another one may leave out.
        let is_missing = |entry: &Value| name(entry)[2] != "merge_reconcile" && !known.contains(&name(entry));
        let lacks = entries == ours || theirs.iter().any(is_missing);
        lacks.then_some([base, theirs])
    }

    /// Whether a settings or schema file waits for a merge that did not take place.
    pub fn is_unjoined_document(&self, path: &str) -> bool {
        if !path.ends_with(".json") || !self.merge().is_some_and(|merge| merge.is_of_both(path)) {
            return false;
        }
        if self.has_marked_document(path) {
            return false;
        }
        let Ok(versions) = self.document_versions(path) else { return false };
        let now = self.document(path);
        let joined = |prefer: Prefer| merge::documents(&versions.base, &now, &versions.theirs, prefer).0;
        let entries = self
            .found(WORKSPACE)
            .ok()
            .and_then(|found| found.entries(self, WORKSPACE).ok())
            .unwrap_or_default();
        if self.unjoined_stream(WORKSPACE, &entries).is_some() {
            return joined(Prefer::Stable) != now;
        }
        let end = chain::verify(&entries).item;
        let told = end.metadata.get("documents").and_then(|documents| documents.get(path));
        // Where history does not tell of it, what both changed may have been decided already.
        told != Some(&now) && joined(Prefer::Ours) != now
    }

    /// The versions of an item, each side as the file has it that a merge left of it: who wrote to one since is not passed
    /// over.
    ///
    /// Errors: as [`Tracker::item_versions`].
    pub fn standing_versions(&self, id: &str, found: &Found) -> Result<ItemVersions> {
        let mut versions = self.item_versions(id, found)?;
        let files = found.file.iter().chain(&found.others);
        let readable = |(path, bytes): &(String, Vec<u8>)| self.decode_item(path.clone(), bytes).ok();
        let there: Vec<Item> = files.filter_map(readable).map(|stored| stored.item).collect();
        // A file with markers holds both sides as Git has them.
        let mut known = [there.len() <= found.others.len(); 2];
        for item in there {
            let second = !found.others.is_empty() && is_of_theirs(&item, &versions);
            let side = if second { &mut versions.theirs } else { &mut versions.ours };
            let of_side = match side.take() {
                Some(other) if known[usize::from(second)] => {
                    merge::items(&versions.base, &other, &item, Prefer::Stable).item
                }
                _ => item,
            };
            *side = Some(of_side);
            known[usize::from(second)] = true;
        }
        Ok(versions)
    }
}

/// Whether a file is that of the other branch.
fn is_of_theirs(item: &Item, versions: &ItemVersions) -> bool {
    let is = |side: &Option<Item>| side.as_ref() == Some(item);
    let has_kind = |side: &Option<Item>| side.as_ref().is_some_and(|side| side.kind() == item.kind());
    match (is(&versions.ours), is(&versions.theirs)) {
        (true, _) => false,
        (_, true) => true,
        _ => has_kind(&versions.theirs) && !has_kind(&versions.ours),
    }
}

/// Whether an entry tells that somebody has joined the versions of a merge.
fn decides(entry: &Value) -> bool {
    entry.pointer("/context/merge/decisions").is_some()
}

/// Who did what when: what stays of an entry that a merge lays elsewhere.
fn name(entry: &Value) -> [&str; 3] {
    ["ts", "author", "op"].map(|key| entry.get(key).and_then(Value::as_str).unwrap_or_default())
}
