//! Texts that a redaction took out and that are there again: a merge without the drivers, or a file of another branch,
//! brought them back.

use std::collections::BTreeSet;

use super::Tracker;
use crate::domain::merge::TakenOut;
use crate::domain::rewrite::salvage;
use crate::domain::survey::{Streams, WORKSPACE};
use crate::model::item::Item;
use crate::store::documents::now_ns;
use crate::store::findings::{Findings, in_parallel};
use crate::store::{Source, git, history};

impl Tracker {
    /// The items that tell again what a redaction took out, as they or their histories lie there, each with what that was,
    /// as the commits tell that made the redaction. The tracker itself keeps no note of a secret.
    pub fn returned_secrets(&self, streams: &Streams) -> Vec<(String, TakenOut)> {
        let heads = git::heads(self.root());
        if heads.is_empty() {
            return Vec::new();
        }
        let told = streams.streams.iter().filter(|(_, facts)| facts.redacted).map(|(id, _)| id.clone());
        let mut ids: BTreeSet<String> = told.collect();
        let ground = heads.join("+");
        ids.extend(self.unlike(&heads));
        // What was found to tell nothing again does not, as long as files and commits are the same.
        let mut silent: Findings<()> = Findings::open(&self.tree, "redactions-held", &[b"1"]);
        let asked: Vec<(String, Option<String>)> = ids
            .into_iter()
            .map(|id| {
                let identity = self.identity_of(&id, &ground);
                (id, identity)
            })
            .filter(|(id, identity)| {
                identity.as_ref().is_none_or(|identity| silent.get(id, identity).is_none())
            })
            .collect();
        let root = self.root();
        let steps = in_parallel(&asked, |(id, _)| git::redactions(root, &history::path(id), &heads));
        let mut found = Vec::new();
        for ((id, identity), steps) in asked.into_iter().zip(steps) {
            let taken = taken_out(steps);
            if self.tells_again(&id, &taken) {
                found.push((id, taken));
            } else if let Some(identity) = identity {
                silent.learn(&id, identity, ());
            }
        }
        silent.keep(&self.tree);
        found
    }

    /// What the answer for an item depends on; none where that cannot be told cheaply or surely.
    fn identity_of(&self, id: &str, ground: &str) -> Option<String> {
        let stamp = self.tree.stamp(&history::path(id)).ok()??;
        if id == WORKSPACE || stamp.is_racy(now_ns()) {
            return None;
        }
        let records = self.records().ok()?;
        let files = records.iter().filter(|record| record.id() == id);
        let files: Vec<String> =
            files.map(|record| format!("{}:{:016x}", record.path(), record.digest())).collect();
        Some(format!("{ground} {stamp:?} {}", files.join(" ")))
    }

    /// The ids of which a merge, a revert or somebody who took older files may have given a redaction up; each commit is
    /// asked about once.
    fn unlike(&self, heads: &[String]) -> Vec<String> {
        let mut known: Findings<(Vec<String>, Vec<String>)> =
            Findings::open(&self.tree, "redactions", &[b"2"]);
        let (earlier, mut ids) = known.get("unlike", "").cloned().unwrap_or_default();
        if earlier == heads {
            return ids;
        }
        let new = git::unlike(self.root(), heads, &earlier);
        // Commits that are there no more were those of a branch that was written anew.
        let new = new.or_else(|| git::unlike(self.root(), heads, &[]));
        ids.extend(new.unwrap_or_default());
        ids.sort();
        ids.dedup();
        known.learn("unlike", String::new(), (heads.to_vec(), ids.clone()));
        known.keep(&self.tree);
        ids
    }

    fn tells_again(&self, id: &str, taken: &TakenOut) -> bool {
        if taken.is_empty() {
            return false;
        }
        let Ok(found) = self.found(id) else { return false };
        let item: Option<Item> = found.item(self).ok().flatten();
        let (entries, _) = salvage(found.stream.as_deref().unwrap_or_default());
        let in_item = item.is_some_and(|item| {
            let mut clean = item.clone();
            taken.item(&mut clean);
            clean != item
        });
        in_item
            || entries.into_iter().any(|entry| {
                let mut clean = entry.clone();
                taken.entry(&mut clean);
                clean != entry
            })
    }
}

/// What the redactions of a history took out, by what it said before and after each of them.
fn taken_out(steps: Vec<[Vec<u8>; 2]>) -> TakenOut {
    let learned = steps.iter().map(|[before, after]| {
        let [before, after] = [before, after].map(|bytes| salvage(bytes).0);
        TakenOut::of_streams([&before, &after, &[]])
    });
    learned.fold(TakenOut::default(), TakenOut::and).certain()
}
