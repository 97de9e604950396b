//! Items that come with their whole history, as an export of another tracker has them.

use serde_json::Value;

use super::{Transaction, Written};
use crate::codec::json;
use crate::domain::chain;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;

impl Transaction<'_> {
    /// Takes an item over together with its history, word for word: as a new item, or as the continuation of one whose
    /// history is the beginning of this one. No entry is added.
    ///
    /// Errors: `import_source_invalid` when the history does not hold, does not end in the item, or does not go on from
    /// what is here; those of reading the item and of taking its lock.
    pub fn adopt(&mut self, item: Item, entries: &[Value]) -> Result<Written> {
        let id = item.id().to_owned();
        let invalid = |problem: String| Error::new(Code::ImportSourceInvalid, problem).rejecting(id.as_str());
        let replay = chain::verify(entries);
        if let Some(fault) = &replay.fault {
            return Err(invalid(format!("the history of `{id}` does not hold: {fault}")));
        }
        if let Some(problem) = replay.disagreement(Some(&item)) {
            return Err(invalid(format!("the history of `{id}` ends in another item: {problem}")));
        }
        let before = self.item(&id)?.cloned();
        let known = self.tracker.history(&id)?;
        if !entries.starts_with(&known) || (before.is_none() && !known.is_empty()) {
            return Err(invalid(format!("`{id}` has another history here")));
        }
        let lines =
            entries[known.len()..].iter().map(|entry| format!("{}\n", json::compact(entry))).collect();
        self.continue_with(&id, item, lines)
    }
}
