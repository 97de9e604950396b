//! The session stage: what the caller has already is told by reference only.
//!
//! Rows are replaced while they are made; this is about records.

use serde_json::Value;

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

/// The rows of an assurance answer, failing verdicts first; the order within a class stays (verdict_priority).
pub(super) fn verdict_class(row: &Value) -> u8 {
    let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default();
    match (text("verdict"), text("severity")) {
        ("pass", _) => 4,
        ("retired", _) => 3,
        (_, "observe") => 2,
        (_, "warn") => 1,
        _ => 0,
    }
}
