//! Finds the row of an id in constant time, for work that follows many references.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::model::records::{Records, fold};

/// Row numbers by folded id.
#[derive(Debug)]
pub struct Rows<'a>(HashMap<Cow<'a, str>, u32, FixedState>);

/// The folded form; ids are nearly always folded already.
fn folded(id: &str) -> Cow<'_, str> {
    if id.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
        Cow::Borrowed(id)
    } else {
        Cow::Owned(fold(id))
    }
}

impl<'a> Rows<'a> {
    /// The rows of all records; of two files with one id the first by path.
    pub fn new(records: &'a Records) -> Rows<'a> {
        let mut rows = HashMap::with_capacity_and_hasher(records.len(), FixedState::default());
        for (number, record) in (0u32..).zip(records.iter()) {
            rows.entry(folded(record.id())).or_insert(number);
        }
        Rows(rows)
    }

    /// The row of an id, in any case.
    pub fn find(&self, id: &str) -> Option<u32> {
        let id = id.trim();
        self.0.get(&folded(id)).copied()
    }
}
