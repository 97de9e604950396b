//! Which items wait for which, and lie below which: new links must not close a circle.

use std::collections::{HashMap, HashSet};

use crate::model::records::{Records, fold};

/// One order of items: from an item to those before or above it.
#[derive(Debug, Default)]
pub(super) struct Order {
    before: HashMap<String, Vec<String>>,
}

impl Order {
    /// Which item waits for which.
    pub(super) fn waiting(records: &Records) -> Order {
        let mut order = Order::default();
        for record in records.iter() {
            for link in record.links() {
                match link.kind {
                    "blocked_by" => order.insert(record.id(), link.id),
                    "blocks" => order.insert(link.id, record.id()),
                    _ => {}
                }
            }
        }
        order
    }

    /// Which item lies below which.
    pub(super) fn hierarchy(records: &Records) -> Order {
        let mut order = Order::default();
        for record in records.iter() {
            if let Some(parent) = record.parent() {
                order.insert(record.id(), parent);
            }
        }
        order
    }

    fn insert(&mut self, item: &str, before: &str) {
        self.before.entry(fold(item)).or_default().push(fold(before));
    }

    /// Adds a link unless it closes a circle; whether it is in.
    pub(super) fn add(&mut self, item: &str, before: &str) -> bool {
        let (item, before) = (fold(item), fold(before));
        if self.before.get(&item).is_some_and(|known| known.contains(&before)) {
            return true;
        }
        if self.reaches(&before, &item) {
            return false;
        }
        self.before.entry(item).or_default().push(before);
        true
    }

    fn reaches(&self, from: &str, to: &str) -> bool {
        let mut waiting = vec![from];
        let mut seen = HashSet::new();
        while let Some(at) = waiting.pop() {
            if at == to {
                return true;
            }
            if seen.insert(at) {
                waiting.extend(self.before.get(at).into_iter().flatten().map(String::as_str));
            }
        }
        false
    }
}
