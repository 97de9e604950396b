//! The session stage: what the caller has already is told by reference only.
//!
//! Rows are replaced while they are made; this is about records.

use super::frame::identity;
use super::run::Run;
use super::tree::Tree;

impl Run<'_, '_> {
    /// Replaces records that the caller has, and notes the others as delivered.
    pub(super) fn refer(&mut self) {
        for path in self.frame.records.clone() {
            let Some(Tree::Value(record)) = self.frame.record_mut(&path) else { continue };
            let Some(id) = identity(record).map(str::to_owned) else { continue };
            match self.controls.session.as_ref().filter(|session| session.seen.contains(&id)) {
                Some(session) => {
                    *record = session.reference(&id);
                    self.suppressed_records += 1;
                }
                None => {
                    self.delivered_records.insert(id);
                }
            }
        }
    }
}
