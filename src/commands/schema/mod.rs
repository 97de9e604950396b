//! `pm schema`: the types, statuses and fields of a tracker.

pub(super) mod fields;
pub(super) mod migrations;
pub(super) mod overview;
pub(super) mod preset;
pub(super) mod statuses;
pub(super) mod types;
