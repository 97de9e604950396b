//! Finds the row of an id in constant time, for work that follows many references.

use std::borrow::Cow;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use crate::model::records::{Records, fold};

/// Row numbers by folded id.
///
/// The ids are kept beside each other: looking at those in the records would bring in a piece of memory for each.
#[derive(Debug)]
pub struct Rows {
    /// The folded ids in the order of rows.
    ids: String,
    /// Where each of them ends.
    ends: Vec<u32>,
    /// Half of an id's hash and its row; the number of slots is a power of two, an id lies in the first free one from
    /// that of its hash on.
    slots: Vec<(u32, u32)>,
}

const FREE: u32 = u32::MAX;

/// The folded form; ids are nearly always folded already.
fn folded(id: &str) -> Cow<'_, str> {
    if id.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
        Cow::Borrowed(id)
    } else {
        Cow::Owned(fold(id))
    }
}

impl Rows {
    /// The rows of all records; of two files with one id the first by path.
    pub fn new(records: &Records) -> Rows {
        let mut rows = Rows {
            ids: String::with_capacity(16 * records.len()),
            ends: Vec::with_capacity(records.len()),
            slots: vec![(0, FREE); (2 * records.len()).next_power_of_two()],
        };
        for (number, record) in (0u32..).zip(records.iter()) {
            let id = folded(record.id());
            rows.ids.push_str(&id);
            rows.ends
                .push(u32::try_from(rows.ids.len()).expect("4 GiB of ids do not fit into memory limits"));
            let (slot, tag) = rows.slot(&id);
            if rows.slots[slot].1 == FREE {
                rows.slots[slot] = (tag, number);
            }
        }
        rows
    }

    /// The row of an id, in any case.
    pub fn find(&self, id: &str) -> Option<u32> {
        let (slot, _) = self.slot(&folded(id.trim()));
        Some(self.slots[slot].1).filter(|row| *row != FREE)
    }

    /// The slot of a folded id, or the free one where it would be, and half of its hash.
    fn slot(&self, id: &str) -> (usize, u32) {
        let hash = FixedState::default().hash_one(id);
        let tag = (hash >> 32) as u32;
        let mut slot = hash as usize & (self.slots.len() - 1);
        loop {
            match self.slots[slot] {
                (known, row) if row != FREE && (known != tag || self.id(row) != id) => {
                    slot = (slot + 1) & (self.slots.len() - 1);
                }
                _ => return (slot, tag),
            }
        }
    }

    fn id(&self, row: u32) -> &str {
        let row = row as usize;
        let start = if row == 0 { 0 } else { self.ends[row - 1] as usize };
        &self.ids[start..self.ends[row] as usize]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::model::item::Item;

    proptest! {
        #[test]
        fn rows_are_those_that_a_search_by_halves_finds(
            ids in prop::collection::vec("(pm-)?[aAbBÄ]{1,3}", 0..60),
            asked in prop::collection::vec(" ?(pm-)?[aAbBÄä]{0,3} ?", 0..30),
        ) {
            let item = |(n, id): (usize, &String)| {
                let metadata = json!({"id": id}).as_object().cloned().unwrap_or_default();
                (format!("tasks/{n}.toon"), Item { metadata, body: String::new() })
            };
            let records = Records::from_items(&ids.iter().enumerate().map(item).collect::<Vec<_>>());
            let rows = Rows::new(&records);
            for id in ids.iter().chain(&asked) {
                let found = rows.find(id).map(|row| row as usize);
                prop_assert_eq!(found, records.find(id.trim()).map(|record| record.number()), "{}", id);
            }
        }
    }
}
