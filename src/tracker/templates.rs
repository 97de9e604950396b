//! Templates of new items, as they lie in the tracker.

use super::{Document, Tracker};
use crate::store::Source;
use crate::store::settings::read_object;

const FOLDER: &str = "templates";

impl Tracker {
    /// The names of all templates, sorted; their files may still be unreadable.
    pub fn template_names(&self) -> Vec<String> {
        let Ok(listing) = self.tree.list(FOLDER, ".json") else { return Vec::new() };
        let mut names: Vec<String> =
            listing.iter().filter_map(|entry| Some(entry.name.strip_suffix(".json")?.to_owned())).collect();
        names.sort_unstable();
        names
    }

    /// The file of a template; `None` when there is none, `Err` with the problem when it cannot be read.
    pub fn template(&self, name: &str) -> Result<Option<Document>, String> {
        read_object(&self.tree, &format!("{FOLDER}/{name}.json"))
    }
}
