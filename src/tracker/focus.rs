//! The focused item: a word of the working copy to itself, in `runtime/`, never in git.

use serde_json::{Map, Value};

use super::Tracker;
use crate::codec::json;
use crate::error::{Code, Error, Result};
use crate::store::Source;

/// Where it is kept, below the tracker root; the reference keeps it there too.
const PATH: &str = "runtime/session.json";

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

impl Tracker {
    /// The full id of the focused item; a file that cannot be understood focuses nothing.
    pub fn focused(&self) -> Result<Option<String>> {
        let id =
            self.session_file().get("focused_item").and_then(Value::as_str).map(str::trim).map(str::to_owned);
        Ok(id.filter(|id| !id.is_empty()))
    }

    /// Focuses an item, or none. Other words of the file survive.
    ///
    /// Errors: `write_failed`.
    pub fn focus(&self, id: Option<&str>) -> Result<()> {
        let mut file = self.session_file();
        match id {
            Some(id) => file.insert("focused_item".to_owned(), Value::from(id)),
            None => file.shift_remove("focused_item"),
        };
        let text = format!("{}\n", json::pretty(&Value::Object(file)));
        self.write_local(PATH, text.as_bytes())
    }

    /// The files of the index of items, as they lie there.
    pub fn index_files(&self) -> Vec<crate::store::index::IndexFile> {
        crate::store::index::Place::of_root(self.root()).census()
    }

    /// Removes the index of items: the next read makes it anew.
    pub fn forget_index(&self) {
        crate::store::index::Place::of_root(self.root()).clear();
    }

    /// Writes a file that is local to this working copy, in one step.
    ///
    /// Errors: `write_failed`.
    pub(crate) fn write_local(&self, path: &str, bytes: &[u8]) -> Result<()> {
        crate::store::write_local(self.root(), path, bytes).map_err(|cause| {
            Error::new(Code::WriteFailed, format!("`{path}` cannot be written")).at(path).because(cause)
        })
    }

    /// Removes such a file.
    ///
    /// Errors: `write_failed`.
    pub(crate) fn remove_local(&self, path: &str) -> Result<()> {
        crate::store::contents::remove(self.root(), path).map_err(|cause| {
            Error::new(Code::WriteFailed, format!("`{path}` cannot be removed")).at(path).because(cause)
        })
    }

    /// Reads such a file; `None` when it is not there or cannot be read.
    pub(crate) fn read_local(&self, path: &str, max_bytes: u64) -> Option<Vec<u8>> {
        self.tree.read(path, max_bytes).ok()
    }

    fn session_file(&self) -> Map<String, Value> {
        let bytes = self.tree.read(PATH, MAX_BYTES).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}
