//! `pm import`: items of other trackers, and of this one.

pub(super) mod foreign;
pub(super) mod jsonl;
