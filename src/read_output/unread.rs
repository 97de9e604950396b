//! What stands beside the rows about the tracker as a whole: what could not be read, and what is to be warned of.
//!
//! Either may be as long as the tracker. No answer may be lost to them, so they are told by number and by the first
//! few of them: fewer where rows had to go, all where nothing bounds the answer.

use serde_json::{Value, json};

use super::frame::shorten;
use super::run::Run;
use crate::answer::Completeness;

/// So many are named at most where the answer has a ceiling.
const NAMED: usize = 20;
/// So many are named where the ceiling took rows away.
const NAMED_OF_CUT: usize = 3;

impl Run<'_, '_> {
    /// How many of a list of so many are named.
    fn named(&self, all: usize) -> usize {
        match (self.binding.tokens, self.compacting) {
            (None, _) => all,
            (Some(_), false) => all.min(NAMED),
            (Some(_), true) => all.min(NAMED_OF_CUT),
        }
    }

    /// Whether a page that is cut names fewer of them than one that is whole.
    pub(super) fn names_fewer(&self) -> bool {
        let unread = self.frame.completeness.as_ref().map_or(0, |told| told.unreadable.len());
        unread.max(self.frame.warnings.len()) > NAMED_OF_CUT
    }

    /// What could not be read: how much, and which. A later page names nothing again.
    pub(super) fn completeness(&self) -> Option<Value> {
        let completeness = self.frame.completeness.as_ref()?;
        let unread = &completeness.unreadable;
        let partial = !unread.is_empty() || completeness.unreadable_directories > 0;
        if !partial && !self.is_full() {
            return None;
        }
        let mut value = json!({
            "status": if partial { "partial" } else { "complete" },
            "unreadable_item_count": unread.len().saturating_sub(completeness.unreadable_directories),
            "unreadable_directory_count": completeness.unreadable_directories,
        });
        let is_later = self.controls.rows_cursor.is_some() || self.controls.item_cursor.is_some();
        if !unread.is_empty() && !is_later {
            let named = self.named(unread.len());
            let files = unread[..named].iter().map(|(path, code, problem)| {
                let mut problem = json!(problem);
                shorten(&mut problem);
                json!({"path": path, "code": code, "problem": problem})
            });
            value["unreadable"] = files.collect();
            if named < unread.len() {
                value["unreadable_truncated"] = json!(true);
                value["restore_with"] = json!(Completeness::ALL);
            }
        }
        Some(value)
    }

    /// The warnings, and where not all are named, how many there are.
    pub(super) fn warnings(&self) -> Vec<(&'static str, Value)> {
        let all = &self.frame.warnings;
        if all.is_empty() || self.has("warnings") {
            return Vec::new();
        }
        let named = self.named(all.len());
        let mut told = vec![("warnings", json!(all[..named]))];
        if named < all.len() {
            told.push(("warning_count", json!(all.len())));
            told.push(("warnings_truncated", json!(true)));
        }
        told
    }
}
