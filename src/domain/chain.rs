//! History chains: replay and verification (storage.md §4.3).

use serde_json::Value;

use crate::domain::hash::Epoch;
use crate::model::item::Item;

/// What a stream says, entry by entry, when replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The document after the last entry that applied.
    pub item: Item,
    /// How many entries were read.
    pub entries: usize,
    /// The epoch in force at the end.
    pub epoch: Epoch,
    /// `after_hash` of the last entry.
    pub latest_after_hash: Option<String>,
    /// The first fault: `after_hash_mismatch:entry_2`, ...
    pub fault: Option<String>,
}

/// Replays and verifies a stream.
pub fn verify<'a>(_entries: impl IntoIterator<Item = &'a Value>) -> Replay {
    todo!()
}
