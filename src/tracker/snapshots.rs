//! The states of the tracker that were shown: kept in `runtime/`, so that a caller can ask what changed since.

use super::Tracker;
use crate::domain::snapshots::{self, Snapshots, State};
use crate::error::Result;
use crate::store::index;

const FILE: &str = "snapshots-v1.bin";

impl Tracker {
    /// The name of the present state.
    ///
    /// Errors: those of [`Tracker::records`].
    pub(crate) fn snapshot(&self) -> Result<String> {
        Ok(snapshots::name(self.records()?))
    }

    /// Keeps the present state under its name; nobody minds when that fails.
    pub(crate) fn keep_snapshot(&self, name: &str) -> Result<()> {
        let place = index::Place::of_root(self.root());
        let bytes = place.read(FILE);
        let bytes = bytes.as_ref().map_or(&[][..], |bytes| (**bytes).as_ref());
        if Snapshots::newest_in(bytes) != Some(name) {
            let mut kept = Snapshots::decode(bytes);
            kept.advance(name.to_owned(), snapshots::state(self.records()?));
            place.write(FILE, &[kept.encode()], None);
        }
        Ok(())
    }

    /// The items of the state of this name, when it is kept.
    pub(crate) fn kept_snapshot(&self, name: &str) -> Option<State> {
        read(&index::Place::of_root(self.root())).find(name)
    }
}

fn read(place: &index::Place) -> Snapshots {
    place.read(FILE).map_or_else(Snapshots::default, |bytes| Snapshots::decode((*bytes).as_ref()))
}
