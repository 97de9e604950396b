//! Texts that a redaction took out and that are there again: a merge without the drivers, or a file of another branch,
//! brought them back.

use std::collections::BTreeSet;

use super::Tracker;
use crate::domain::merge::TakenOut;
use crate::domain::rewrite::salvage;
use crate::domain::survey::Streams;
use crate::model::item::Item;
use crate::store::findings::Findings;
use crate::store::{git, history};

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
        ids.extend(self.unlike(&heads.join("+")));
        let taken = ids.into_iter().map(|id| {
            let taken = self.redacted_once(&id, &heads);
            (id, taken)
        });
        taken.filter(|(id, taken)| self.tells_again(id, taken)).collect()
    }

    fn redacted_once(&self, id: &str, heads: &[String]) -> TakenOut {
        let steps = git::redactions(self.root(), &history::path(id), heads);
        let learned = steps.iter().map(|[before, after]| {
            let [before, after] = [before, after].map(|bytes| salvage(bytes).0);
            TakenOut::of_streams([&before, &after, &[]])
        });
        learned.fold(TakenOut::default(), TakenOut::and).certain()
    }

    /// The ids of which a merge may have given a redaction up; asked of Git once for each commit.
    fn unlike(&self, ground: &str) -> Vec<String> {
        let mut known: Findings<Vec<String>> = Findings::open(&self.tree, "redactions", &[b"1"]);
        if let Some(ids) = known.get("unlike", ground) {
            return ids.clone();
        }
        let ids = git::unlike_in_merges(self.root());
        known.learn("unlike", ground.to_owned(), ids.clone());
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
