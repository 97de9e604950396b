//! Items whose files Git left with conflict markers: nobody can write them before somebody decided, but they are shown.

use serde_json::{Value, json};

use super::{Stored, Tracker};
use crate::codec::item::MAX_ITEM_BYTES;
use crate::domain::merge::{self, Prefer, conflicts, markers};
use crate::error::{Code, Result};
use crate::model::canonical::canonical_item;
use crate::model::item::Item;
use crate::model::records::Records;
use crate::store::Source;

/// The field under which an item stands whose file has markers though its versions merge by themselves.
const MARKERS: &str = "conflict_markers";

impl Tracker {
    /// The records, with a row for each file that has conflict markers and two versions between them. Those files still
    /// count as unreadable.
    ///
    /// Errors: the root cannot be listed.
    pub fn listing(&self) -> Result<&Records> {
        let records = self.records()?;
        let is_marked = |code: &str| code == Code::MergeConflictMarkers.as_str();
        if !records.unreadable().iter().any(|file| is_marked(&file.code)) {
            return Ok(records);
        }
        if let Some(listing) = self.listing.get() {
            return Ok(listing);
        }
        let marked = records.unreadable().iter().filter(|file| is_marked(&file.code));
        let items: Vec<(String, Item)> =
            marked.filter_map(|file| Some((file.path.clone(), self.marked_item(&file.path)?))).collect();
        let listing = self.load()?.and(&items);
        Ok(self.listing.get_or_init(|| listing))
    }

    /// Reads the item file at a path to be shown: one with conflict markers as its two versions merge, and whether it is
    /// such a one.
    ///
    /// Errors: as [`Tracker::item`].
    pub fn shown_item(&self, path: String) -> Result<(Stored, bool)> {
        match self.read_item(path.clone()) {
            Err(error) if error.code == Code::MergeConflictMarkers => match self.marked_item(&path) {
                Some(item) => Ok((Stored { item, path, warnings: Vec::new() }, true)),
                None => Err(error),
            },
            other => other.map(|stored| (stored, false)),
        }
    }

    /// The item in a file with conflict markers: what its versions merge to, undecided where they disagree. None for a file
    /// without two versions, or with none that can be read.
    fn marked_item(&self, path: &str) -> Option<Item> {
        let bytes = self.tree.read(path, MAX_ITEM_BYTES).ok()?;
        let (ours, theirs) = markers::split(&bytes);
        if ours == theirs {
            return None;
        }
        let read = |bytes: &[u8]| self.decode_item(path.to_owned(), bytes).ok().map(|stored| stored.item);
        let name = path.rsplit('/').next().unwrap_or(path);
        let id = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let versions = self.found(id).and_then(|found| self.item_versions(id, &found)).ok();
        let known = versions.and_then(|versions| Some((versions.base, versions.ours?, versions.theirs?)));
        let mut item = match known.or_else(|| Some((Item::default(), read(&ours)?, read(&theirs)?))) {
            Some((base, ours, theirs)) => merge::items(&base, &ours, &theirs, Prefer::Stable).item,
            None => read(&ours).or_else(|| read(&theirs))?,
        };
        if conflicts::undecided(&item).is_empty() {
            item.metadata.insert(conflicts::FIELD.to_owned(), json!({MARKERS: {"base": null, "values": []}}));
        }
        item.metadata.insert("id".to_owned(), Value::from(id));
        canonical_item(&item).ok()
    }
}
