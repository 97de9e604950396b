//! What a merge in Git left behind: the versions of items and histories, and the receipts of the reference.

use std::path::PathBuf;

use serde_json::Value;

use super::{Found, Tracker};
use crate::codec::json;
use crate::domain::merge::markers;
use crate::domain::rewrite::salvage;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::store::{git, history, receipts, userfile};

/// The versions of an item that two branches disagree about.
#[derive(Clone, Debug)]
pub struct ItemVersions {
    /// Before the branches parted; the empty item when nobody knows.
    pub base: Item,
    /// Of the branch that was merged into.
    pub ours: Item,
    /// Of the branch that was merged.
    pub theirs: Item,
}

/// A receipt of a merge that the reference wrote.
#[derive(Clone, Debug)]
pub struct MergeReceipt {
    /// Its file.
    pub path: PathBuf,
    /// Its content.
    pub document: Value,
}

impl MergeReceipt {
    fn text(&self, key: &str) -> &str {
        self.document.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// The id of the receipt.
    pub fn id(&self) -> &str {
        self.text("id")
    }

    /// The id of the item that was merged.
    pub fn item_id(&self) -> &str {
        self.text("item_id")
    }

    /// Whether nobody has taken note of it yet.
    pub fn is_pending(&self) -> bool {
        self.text("state") == "pending"
    }

    /// Whether a value was thrown away.
    pub fn discards(&self) -> bool {
        self.document.get("decisions").and_then(Value::as_array).is_some_and(|list| !list.is_empty())
    }
}

impl Tracker {
    /// The versions of an item's file: those that Git still has, else those between the file's own markers.
    ///
    /// Errors: `merge_versions_unknown`, and those of a version that is no item.
    pub fn item_versions(&self, path: &str, bytes: &[u8]) -> Result<ItemVersions> {
        let read = |bytes: &[u8]| self.decode_item(path.to_owned(), bytes).map(|stored| stored.item);
        if let Some(git::Versions { base, ours: Some(ours), theirs: Some(theirs) }) =
            git::versions(self.root(), path)
            && let (Ok(ours), Ok(theirs)) = (read(&ours), read(&theirs))
        {
            let base = base.and_then(|base| read(&base).ok()).unwrap_or_default();
            return Ok(ItemVersions { base, ours, theirs });
        }
        let (ours, theirs) = markers::split(bytes);
        if ours == theirs {
            return Err(Error::new(
                Code::MergeVersionsUnknown,
                format!("nobody knows two versions of `{path}`: Git has none, and the file has no markers"),
            )
            .at(path));
        }
        Ok(ItemVersions { base: Item::default(), ours: read(&ours)?, theirs: read(&theirs)? })
    }

    /// Whether an item, written to this path, would be read back.
    ///
    /// Errors: those of reading it, and of a parent that is the item itself or does not exist.
    pub fn check(&self, path: &str, item: &Item) -> Result<()> {
        let text = crate::codec::item::encode(item)?;
        self.decode_item(path.replace(".md", ".toon"), text.as_bytes())?;
        match item.text("parent") {
            Some(parent) if parent == item.id() => {
                Err(Error::new(Code::InvalidArgumentValue, "an item is not its own parent"))
            }
            Some(parent) => self.resolve(parent).map(drop),
            None => Ok(()),
        }
    }

    /// The two versions of a history that Git could not merge, as far as Git still has them.
    pub fn stream_versions(&self, id: &str) -> Option<(Vec<Value>, Vec<Value>)> {
        let git::Versions { ours, theirs, .. } = git::versions(self.root(), &history::path(id))?;
        let (ours, our_damage) = salvage(&ours?);
        let (theirs, their_damage) = salvage(&theirs?);
        let whole = our_damage.markers + their_damage.markers == 0;
        whole.then_some((ours, theirs))
    }

    /// Whether a stream, as it lies there, has conflict markers.
    pub fn has_markers(found: &Found) -> bool {
        found.stream.as_deref().is_some_and(|bytes| salvage(bytes).1.markers > 0)
    }

    /// The receipts of merges, those in the tracker and those that only this clone has, by id.
    pub fn merge_receipts(&self) -> Vec<MergeReceipt> {
        let mut receipts: Vec<MergeReceipt> = receipts::read(self.root())
            .into_iter()
            .map(|(path, document)| MergeReceipt { path, document })
            .collect();
        receipts.sort_by(|a, b| a.id().cmp(b.id()).then_with(|| a.path.cmp(&b.path)));
        receipts
    }

    /// Notes in a receipt that history knows of it now.
    ///
    /// Errors: `write_failed`.
    pub fn settle_receipt(&self, receipt: &MergeReceipt, at: &str) -> Result<()> {
        let mut document = receipt.document.clone();
        document["state"] = "reconciled".into();
        document["reconciled_at"] = at.into();
        let text = format!("{}\n", json::pretty(&document));
        let name = receipt.path.to_string_lossy().into_owned();
        userfile::write(self.root(), &name, text.as_bytes()).map_err(|cause| {
            Error::new(Code::WriteFailed, format!("`{name}` cannot be written")).at(name).because(cause)
        })
    }
}
