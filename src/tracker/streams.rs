//! The sizes of all history streams, counted anew where a file changed.

use super::Tracker;
use crate::domain::stream_sizes::StreamSize;
use crate::error::{Code, Error, Result};
use crate::store::{history, index};

impl Tracker {
    /// The size of every history stream that can be read with its id, in the order of ids.
    ///
    /// Errors: the folder of the histories cannot be listed.
    pub fn stream_sizes(&self) -> Result<Vec<(String, StreamSize)>> {
        let place = index::Place::of_root(self.root());
        index::load_sizes(&self.tree, Some(&place)).map_err(|error| {
            let folder = history::FOLDER;
            Error::new(Code::HistoryStreamUnreadable, format!("`{folder}` cannot be listed"))
                .at(folder)
                .because(error)
        })
    }
}
