//! The sizes of all history streams, counted anew where a file changed.

use std::collections::HashSet;

use super::Tracker;
use crate::clock::Clock;
use crate::domain::stream_sizes::{self, Identity, StreamSize};
use crate::error::{Code, Error, Result};
use crate::store::findings::in_parallel;
use crate::store::{Source, Stamp, history, index};

const FILE: &str = "streams-v1.bin";

impl Tracker {
    /// The size of every history stream with its id, in the order of ids.
    ///
    /// Errors: the folder of the histories cannot be listed.
    pub fn stream_sizes(&self) -> Result<Vec<(String, StreamSize)>> {
        // Before the stamps are taken: what is changed later must not look old.
        let now_ns = Clock::System.now().saturating_mul(1_000_000);
        let listing = self.tree.list("history", ".jsonl").map_err(|error| {
            Error::new(Code::HistoryStreamUnreadable, "`history` cannot be listed")
                .at("history")
                .because(error)
        })?;
        let place = index::Place::of_root(self.root());
        let kept = place.read(FILE);
        let mut known =
            kept.as_ref().map_or_else(Default::default, |bytes| stream_sizes::decode((**bytes).as_ref()));
        let mut sizes = Vec::with_capacity(listing.len());
        let mut jobs: Vec<(&str, Stamp)> = Vec::new();
        for entry in listing.iter() {
            let id = entry.name.trim_end_matches(".jsonl");
            match known.get(id) {
                Some((state, size)) if *state == identity(&entry.stamp) && size.bytes == entry.stamp.size => {
                    sizes.push((id.to_owned(), *size));
                }
                _ => jobs.push((id, entry.stamp)),
            }
        }
        let tree = &self.tree;
        let counted = in_parallel(&jobs, |(id, _)| {
            let bytes = tree.read(&history::path(id), history::MAX_STREAM_BYTES).ok()?;
            Some(stream_sizes::count(&bytes))
        });
        let mut changed = known.len() != sizes.len();
        if changed {
            let there: HashSet<&str> = sizes.iter().map(|(id, _)| id.as_str()).collect();
            known.retain(|id, _| there.contains(id));
        }
        for ((id, stamp), size) in jobs.into_iter().zip(counted) {
            let Some(size) = size else { continue };
            if !stamp.is_racy(now_ns) && size.bytes == stamp.size {
                known.insert(id, (identity(&stamp), size));
                changed = true;
            }
            sizes.push((id.to_owned(), size));
        }
        if changed {
            place.write(FILE, &[stream_sizes::encode(&known)], None);
        }
        sizes.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(sizes)
    }
}

fn identity(stamp: &Stamp) -> Identity {
    [stamp.mtime_ns as u64, stamp.ctime_ns as u64, stamp.ino]
}
