//! What a merge in Git left behind: the versions of items and histories, and the receipts of the reference.

use std::path::PathBuf;

use serde_json::Value;

use super::{Found, Tracker};
use crate::codec::json;
use crate::domain::chain;
use crate::domain::merge::{self, Prefer, markers};
use crate::domain::rewrite::salvage;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::store::settings::MAX_SETTINGS_BYTES;
use crate::store::{Source, git, history, receipts, userfile};

/// The versions of an item that two branches disagree about.
#[derive(Clone, Debug)]
pub struct ItemVersions {
    /// Before the branches parted; the empty item when nobody knows.
    pub base: Item,
    /// Of the branch that was merged into; none when it deleted the item.
    pub ours: Option<Item>,
    /// Of the branch that was merged; none when it deleted the item.
    pub theirs: Option<Item>,
}

/// The versions of one of the tracker's own documents; null for a side that has none.
#[derive(Clone, Debug)]
pub struct DocumentVersions {
    /// Before the branches parted.
    pub base: Value,
    /// Of the branch that was merged into.
    pub ours: Value,
    /// Of the branch that was merged.
    pub theirs: Value,
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
    /// What Git knows of a merge, asked once; none without a repository.
    pub(super) fn merge(&self) -> Option<&git::Merge> {
        self.merge.get_or_init(|| git::Merge::of(self.root())).as_ref()
    }

    /// The files below the tracker root that wait in Git's index for somebody.
    pub fn unmerged_files(&self) -> Vec<String> {
        self.merge().map(|merge| merge.unmerged().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// Whether a file waits in Git's index because one branch deleted it.
    pub fn is_unmerged_deletion(&self, path: &str) -> bool {
        self.merge().is_some_and(|merge| merge.is_deletion(path))
    }

    /// The versions of an item: those that Git still has, else those between the markers of its file, else its two
    /// files.
    ///
    /// Errors: `merge_versions_unknown`, and those of a version that is no item.
    pub fn item_versions(&self, id: &str, found: &Found) -> Result<ItemVersions> {
        let read =
            |path: &str, bytes: &[u8]| self.decode_item(path.to_owned(), bytes).map(|stored| stored.item);
        // Git has bytes only; an item in them must be this one.
        let [toon, markdown] = ["toon", "md"].map(|extension| format!("{id}.{extension}"));
        let any =
            |bytes: &[u8]| read(&toon, bytes).or_else(|error| read(&markdown, bytes).map_err(|_| error));
        if let Some(git::Versions { base, ours, theirs }) =
            self.merge().and_then(|merge| merge.item_versions(id))
        {
            // A version that cannot be read is no empty one: what it held would count as added by both.
            let of = |place: usize, bytes: Option<Vec<u8>>| -> Result<Option<Item>> {
                let read = |bytes: Vec<u8>| {
                    let apart =
                        |error| self.apart(&any, &bytes).or_else(|| self.told(id, place)).ok_or(error);
                    any(&bytes).or_else(apart)
                };
                bytes.map(read).transpose()
            };
            if let (Ok(ours), Ok(theirs)) = (of(1, ours), of(2, theirs)) {
                return Ok(ItemVersions { base: of(0, base)?.unwrap_or_default(), ours, theirs });
            }
        }
        let unknown = || {
            Error::new(
                Code::MergeVersionsUnknown,
                format!("nobody knows two versions of `{id}`: Git has none, and no file has markers"),
            )
        };
        let Some((path, bytes)) = &found.file else { return Err(unknown()) };
        let (ours, theirs) = markers::split(bytes);
        if ours != theirs {
            let (ours, theirs) = (Some(read(path, &ours)?), Some(read(path, &theirs)?));
            return Ok(ItemVersions { base: Item::default(), ours, theirs });
        }
        match found.others.first() {
            Some((other, theirs)) => {
                let (ours, theirs) = (Some(read(path, bytes)?), Some(read(other, theirs)?));
                Ok(ItemVersions { base: Item::default(), ours, theirs })
            }
            None => Err(unknown().at(path.as_str())),
        }
    }

    /// The item of a version that was committed with its conflict markers: what the two between them merge to.
    fn apart(&self, read: &dyn Fn(&[u8]) -> Result<Item>, bytes: &[u8]) -> Option<Item> {
        let (ours, theirs) = markers::split(bytes);
        if ours == theirs {
            return None;
        }
        let (ours, theirs) = (read(&ours).ok()?, read(&theirs).ok()?);
        Some(merge::items(&Item::default(), &ours, &theirs, Prefer::Stable).item)
    }

    /// The item of a version whose file cannot be read, as its history tells: before, ours, theirs by their places.
    fn told(&self, id: &str, place: usize) -> Option<Item> {
        let git::Versions { base, ours, theirs } = self.merge()?.versions(&history::path(id))?;
        let (entries, damage) = salvage(&[base, ours, theirs].into_iter().nth(place)??);
        let item = chain::item_after(&entries, entries.len()).ok()?;
        (damage.markers == 0 && !item.metadata.is_empty()).then_some(item)
    }

    /// The versions of a document: those that Git still has, else those between the markers in its file.
    ///
    /// Errors: `merge_versions_unknown`.
    pub fn document_versions(&self, path: &str) -> Result<DocumentVersions> {
        let read = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
        let of = |bytes: Option<Vec<u8>>| bytes.map_or(Some(Value::Null), |bytes| read(&bytes));
        if let Some(git::Versions { base, ours, theirs }) =
            self.merge().and_then(|merge| merge.versions(path))
            && let (Some(ours), Some(theirs)) = (of(ours), of(theirs))
        {
            return Ok(DocumentVersions { base: of(base).unwrap_or(Value::Null), ours, theirs });
        }
        let bytes = self.tree.read(path, MAX_SETTINGS_BYTES).unwrap_or_default();
        let (ours, theirs) = markers::split(&bytes);
        match (read(&ours), read(&theirs)) {
            (Some(our_value), Some(their_value)) if ours != theirs => {
                Ok(DocumentVersions { base: Value::Null, ours: our_value, theirs: their_value })
            }
            _ => Err(Error::new(
                Code::MergeVersionsUnknown,
                format!(
                    "nobody knows two versions of `{path}`: Git has none, and the file has no whole ones"
                ),
            )
            .at(path)),
        }
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

    /// The versions of a history that Git could not merge, as far as Git still has them: before, ours, theirs.
    pub fn stream_versions(&self, id: &str) -> Option<[Vec<Value>; 3]> {
        let git::Versions { base, ours, theirs } = self.merge()?.versions(&history::path(id))?;
        let sides = [base.unwrap_or_default(), ours?, theirs?].map(|bytes| salvage(&bytes));
        let whole = sides.iter().all(|(_, damage)| damage.markers == 0);
        whole.then(|| sides.map(|(entries, _)| entries))
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

/// What a file is of: its name without what stands behind the last dot.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
