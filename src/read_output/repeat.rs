//! The session stage: what the caller has already is told by reference only.
//!
//! Rows are replaced while they are made; this is about records.

use super::facts::{self, Telling, What};
use super::frame::identity;
use super::run::Run;
use super::tree::Tree;

impl Run<'_, '_> {
    /// Replaces records that the caller has, and notes the others as delivered.
    pub(super) fn refer(&mut self) {
        let telling = self.making.telling;
        for path in self.frame.records.clone() {
            let Some(Tree::Value(record)) = self.frame.record(&path) else { continue };
            let session = self.controls.session.as_ref();
            let (id, what, reference) = if let Some(served) = self.frame.served.as_deref() {
                let id = served.identity(0);
                let session = session.filter(|session| served.has(0, &session.seen));
                let reference = session.map(|session| session.with_reference(served.reference(0), &id));
                (id, What::Named, reference)
            } else {
                let Some(id) = identity(record).map(str::to_owned) else { continue };
                let is_item = facts::item_id(record).is_some() && telling != Telling::Otherwise;
                let what = if is_item { What::Item } else { What::Other };
                let session = session.filter(|session| is_item && session.has_facts(&id, record, telling));
                let reference = session.map(|session| session.reference(&id));
                (id, what, reference)
            };
            match reference {
                Some(reference) => {
                    self.frame.replace_record(&path, reference);
                    self.suppressed_records += 1;
                }
                None => self.delivered_records.push((path, id, what)),
            }
        }
    }
}
