//! What every list-like answer needs of every item, in one flat block of bytes.

/// Which optional parts an item has, as bits of [`Record::presence`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence(pub u32);

/// A dependency of an item, as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link<'a> {
    /// The target's id.
    pub id: &'a str,
    /// The kind, as stored: `blocks`, `blocked_by`, `related`, ...
    pub kind: &'a str,
}

/// An item file that could not be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Path below the tracker root, with `/`.
    pub path: String,
    /// The error code: `item_document_invalid`, `merge_conflict_markers_detected`, ...
    pub code: String,
    /// What is wrong, in one sentence.
    pub problem: String,
}

/// Every readable item of a tracker at one moment, and the files that are not.
#[derive(Debug)]
pub struct Records {}

/// One item's row: a view into the block.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    records: &'a Records,
    row: usize,
}
