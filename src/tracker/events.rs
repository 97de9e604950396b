//! What happened in a tracker, over all of its histories.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::Tracker;
use crate::domain::survey::WORKSPACE;
use crate::error::{Code, Error, Result};
use crate::model::events::{Event, EventPlace, Events};
use crate::store::{Source, Stamp, history, index};

/// The names of streams and the stamps of their files: as long as they stay the same, so do the events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamStates(Vec<(String, Stamp)>);

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
        let mut passed = HashSet::new();
        self.each_entry(events, &chosen, &mut |place, entry| {
            if admits(entry) {
                passed.insert(place);
            }
        })?;
        Ok(chosen.into_iter().filter(|place| passed.contains(place)).collect())
    }

    /// Calls `f` with the stored entry of every chosen event, stream by stream, so that each is read once.
    ///
    /// Errors: as [`Tracker::history`].
    pub fn each_entry(
        &self,
        events: &Events,
        chosen: &[EventPlace],
        f: &mut dyn FnMut(EventPlace, &Value),
    ) -> Result<()> {
        let mut by_stream: BTreeMap<&str, Vec<EventPlace>> = BTreeMap::new();
        for place in chosen {
            by_stream.entry(events.get(*place).id()).or_default().push(*place);
        }
        for (id, places) in by_stream {
            let entries = self.history(id)?;
            for place in places {
                if let Some(entry) = entries.get(events.get(place).version() - 1) {
                    f(place, entry);
                }
            }
        }
        Ok(())
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

    /// The states of all streams now.
    ///
    /// Errors: as [`Tracker::events`].
    pub fn stream_states(&self) -> Result<StreamStates> {
        let listing = self.tree.list(history::FOLDER, ".jsonl").map_err(unlisted)?;
        Ok(StreamStates(listing.iter().map(|entry| (entry.name.to_owned(), entry.stamp)).collect()))
    }
}

fn unlisted(error: std::io::Error) -> Error {
    let message = format!("`{}` cannot be listed", history::FOLDER);
    Error::new(Code::HistoryStreamUnreadable, message).at(history::FOLDER).because(error)
}
