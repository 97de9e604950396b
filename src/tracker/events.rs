//! What happened in a tracker, over all of its histories.

use std::collections::HashMap;

use serde_json::Value;

use super::Tracker;
use crate::domain::survey::WORKSPACE;
use crate::error::{Code, Error, Result};
use crate::model::events::{Event, EventPlace, Events};
use crate::store::{Source, Stamp, history, index};

impl Tracker {
    /// Every event of every history, those of deleted items and of the workspace too; as the streams are now.
    ///
    /// Errors: the folder of the histories cannot be listed. Single streams that cannot be read are in
    /// [`Events::unreadable`].
    pub fn events(&self) -> Result<Events> {
        let place = index::Place::of_root(self.root());
        index::load_events(&self.tree, Some(&place)).map_err(unlisted)
    }

    /// The entry of an event, as it is stored.
    ///
    /// Errors: `history_stream_unreadable` when it is no longer where it was.
    pub fn entry(&self, event: Event<'_>) -> Result<Value> {
        let (offset, length) = event.line();
        let entry = history::entry_at(&self.tree, event.id(), offset, length);
        entry.map_err(|error| self.stream_error(event.id(), error))
    }

    /// Those of the chosen events whose entry, as it is stored, passes a test; in the order given. Every stream is read
    /// once.
    ///
    /// Errors: as [`Tracker::history`].
    pub fn recorded(
        &self,
        events: &Events,
        chosen: Vec<EventPlace>,
        admits: impl Fn(&Value) -> bool,
    ) -> Result<Vec<EventPlace>> {
        let mut passed: HashMap<&str, Vec<bool>> = HashMap::new();
        for place in &chosen {
            let id = events.get(*place).id();
            if !passed.contains_key(id) {
                passed.insert(id, self.history(id)?.iter().map(&admits).collect());
            }
        }
        let keeps = |place: &EventPlace| {
            let event = events.get(*place);
            passed.get(event.id()).and_then(|all| all.get(event.version() - 1)).copied().unwrap_or(false)
        };
        Ok(chosen.into_iter().filter(keeps).collect())
    }

    /// The full id whose history is meant: `_workspace`, that of an item, or of one that is gone.
    ///
    /// Errors: as [`Tracker::resolve`].
    pub fn resolve_stream(&self, typed: &str) -> Result<String> {
        match typed.trim() {
            WORKSPACE => Ok(WORKSPACE.to_owned()),
            typed => self.resolve_history(typed),
        }
    }

    /// Names of the streams and their states: as long as this stays the same, so do the events.
    ///
    /// Errors: as [`Tracker::events`].
    pub fn streams_seen(&self) -> Result<Vec<(String, Stamp)>> {
        let listing = self.tree.list(history::FOLDER, ".jsonl").map_err(unlisted)?;
        Ok(listing.iter().map(|entry| (entry.name.to_owned(), entry.stamp)).collect())
    }
}

fn unlisted(error: std::io::Error) -> Error {
    let message = format!("`{}` cannot be listed", history::FOLDER);
    Error::new(Code::HistoryStreamUnreadable, message).at(history::FOLDER).because(error)
}
