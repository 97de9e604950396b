//! The session stage: what the caller has already is told by reference only.
//!
//! Rows are replaced while they are made; this is about records.

use super::frame::identity;
use super::run::Run;
use super::session::Session;
use super::tree::Tree;

impl Run<'_, '_> {
    /// Replaces records that the caller has, and notes the others as delivered.
    pub(super) fn refer(&mut self) {
        for path in self.frame.records.clone() {
            let Some(Tree::Value(record)) = self.frame.record(&path) else { continue };
            let own = identity(record).map(str::to_owned);
            let served = self.frame.served.as_deref();
            let Some(id) = served.map(|served| served.identity(0)).or(own) else { continue };
            let has = |session: &&Session| match served {
                Some(served) => served.has(0, &session.seen),
                None => session.seen.contains(&id),
            };
            match self.controls.session.as_ref().filter(has) {
                Some(session) => {
                    let reference = match served {
                        Some(served) => session.with_reference(served.reference(0), &id),
                        None => session.reference(&id),
                    };
                    self.frame.replace_record(&path, reference);
                    self.suppressed_records += 1;
                }
                None => {
                    self.delivered_records.insert(id);
                }
            }
        }
    }
}
