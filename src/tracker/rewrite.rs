//! History streams written anew as a whole, together with their item (storage.md §4.5).

use serde_json::Value;

use super::entry::{self, Heading};
use super::{Stored, Tracker, Transaction, Write, document};
use crate::codec::item::{self, MAX_ITEM_BYTES};
use crate::codec::json;
use crate::error::Result;
use crate::model::item::Item;
use crate::model::timestamp;
use crate::store::journal::{FileChange, Group};
use crate::store::{ReadError, Source, history};

/// A stream as it lies on disk, with its item.
#[derive(Debug)]
pub struct Found {
    /// The bytes of the stream; none when there is none.
    pub stream: Option<Vec<u8>>,
    /// The path and the bytes of the item's file; none when it is deleted.
    pub file: Option<(String, Vec<u8>)>,
    /// Further files of the same id, as a merge leaves them when a type changed.
    pub others: Vec<(String, Vec<u8>)>,
    /// The documents beside the stream of the workspace, as their files have them.
    workspace: Option<Item>,
}

impl Found {
    /// The item; none when it is deleted.
    ///
    /// Errors: as [`Tracker::item`] for a file that is no item.
    pub fn item(&self, tracker: &Tracker) -> Result<Option<Item>> {
        if self.workspace.is_some() {
            return Ok(self.workspace.clone());
        }
        Ok(self.stored(tracker)?.map(|stored| stored.item))
    }

    fn stored(&self, tracker: &Tracker) -> Result<Option<Stored>> {
        self.file.as_ref().map(|(path, bytes)| tracker.decode_item(path.clone(), bytes)).transpose()
    }

    /// The entries of the stream.
    ///
    /// Errors: `history_merge_conflict_markers_detected`, `history_stream_unreadable`.
    pub fn entries(&self, tracker: &Tracker, id: &str) -> Result<Vec<Value>> {
        history::parse(self.stream.as_deref().unwrap_or_default())
            .map_err(|error| tracker.stream_error(id, error))
    }
}

/// What a stream and its item become.
#[derive(Debug)]
pub struct Rewriting {
    /// The entries before the one that tells of the rewriting.
    pub entries: Vec<Value>,
    /// The item that they end in; none when it is deleted.
    pub end: Option<Item>,
    /// The item afterwards. Where it is another than `end`, the last entry leads to it.
    pub item: Option<Item>,
    /// Whether the item's file is written; for the workspace, its documents.
    pub item_changes: bool,
    /// Whether the item's file goes where its type belongs, and other files of it go away.
    pub files_anew: bool,
    /// `context` of the last entry.
    pub context: Option<Value>,
    /// Message of the last entry.
    pub message: String,
}

impl Tracker {
    /// A stream and its item as they are now, without any lock.
    ///
    /// Errors: a file cannot be read.
    pub fn found(&self, id: &str) -> Result<Found> {
        let stream = match self.tree.read(&history::path(id), history::MAX_STREAM_BYTES) {
            Ok(bytes) => Some(bytes),
            Err(ReadError::NotFound) => None,
            Err(error) => return Err(self.stream_error(id, error.into())),
        };
        let file = match self.locate(id) {
            Some(path) => match self.tree.read(&path, MAX_ITEM_BYTES) {
                Ok(bytes) => Some((path, bytes)),
                Err(ReadError::NotFound) => None,
                Err(error) => return Err(super::read::unreadable_file(&path, error)),
            },
            None => None,
        };
        let workspace = if id == document::STREAM {
            self.documents_beside(stream.as_deref().unwrap_or_default())
        } else {
            None
        };
        let first = file.as_ref().map(|(path, _)| path.as_str());
        let mut others = Vec::new();
        for path in self.probe_all(id).into_iter().filter(|path| Some(path.as_str()) != first) {
            let bytes = self.tree.read(&path, MAX_ITEM_BYTES);
            let bytes = bytes.map_err(|error| super::read::unreadable_file(&path, error))?;
            others.push((path, bytes));
        }
        Ok(Found { stream, file, others, workspace })
    }

    /// Writes a stream anew: `edit` gets it as it is under the lock, with its item, and says what becomes of both;
    /// `None` leaves everything as it is. One more entry, of the operation that `write` names, tells of it. Returns
    /// how many entries the stream has then, or would have.
    ///
    /// Errors: what `edit` returns, and those of [`Tracker::change`]; nothing was changed then.
    pub fn rewrite(
        &self,
        id: &str,
        write: &Write<'_>,
        edit: &mut dyn FnMut(&Found) -> Result<Option<Rewriting>>,
    ) -> Result<Option<usize>> {
        // Whoever mends the tracker's own documents cannot wait until they can be read.
        let mut transaction: Transaction<'_> = if id == document::STREAM {
            self.transaction_on_any_ground(write)?
        } else {
            self.transaction(write)?
        };
        transaction.lock(if id == document::STREAM { document::LOCK } else { id })?;
        let found = self.found(id)?;
        // A file that is no item has no owner to ask; whoever edits it has looked at it.
        if let Ok(Some(stored)) = found.stored(self) {
            super::guard::admit(self.settings(), &stored, write)?;
        }
        let Some(new) = edit(&found)? else { return Ok(None) };
        let at = timestamp::format(self.clock().now());
        let message = write.message.unwrap_or(&new.message);
        let heading =
            Heading { message: Some(message), context: new.context.as_ref(), ..Heading::of(write, &at) };
        let mut text: String =
            new.entries.iter().map(|entry| format!("{}\n", json::compact(entry))).collect();
        text.push_str(&entry::line(&heading, new.end.as_ref(), new.item.as_ref()));
        let mut files =
            vec![FileChange { path: history::path(id), before: found.stream.clone(), after: Some(text) }];
        if new.item_changes {
            files.extend(self.item_files(id, &found, &new)?);
        }
        let keep = found.stream.as_ref().map_or(0, |bytes| bytes.len() as u64);
        transaction.document(Group {
            stream: history::path(id),
            existed: found.stream.is_some(),
            keep,
            text: String::new(),
            files,
        });
        transaction.commit()?;
        Ok(Some(new.entries.len() + 1))
    }

    /// What becomes of an item's files.
    fn item_files(&self, id: &str, found: &Found, new: &Rewriting) -> Result<Vec<FileChange>> {
        if id == document::STREAM {
            return self.document_files(new.item.as_ref());
        }
        let mut files = Vec::new();
        let mut target = None;
        if let (Some((path, _)), Some(item)) = (&found.file, &new.item) {
            let path = if new.files_anew { self.place_of(path, item) } else { path.clone() };
            let text = if path.ends_with(".md") { item::encode_markdown(item)? } else { item::encode(item)? };
            let there = found.file.iter().chain(&found.others).find(|(other, _)| *other == path);
            let before = there.map(|(_, bytes)| bytes.clone());
            files.push(FileChange { path: path.clone(), before, after: Some(text) });
            target = Some(path);
        }
        let leaves = |path: &String| new.item.is_none() || new.files_anew && target.as_ref() != Some(path);
        for (path, bytes) in found.file.iter().chain(&found.others).filter(|(path, _)| leaves(path)) {
            files.push(FileChange { path: path.clone(), before: Some(bytes.clone()), after: None });
        }
        Ok(files)
    }

    /// Where an item goes that is filed anew; none when it stays where it is.
    pub fn new_place(&self, found: &Found, item: &Item) -> Option<String> {
        let (path, _) = found.file.as_ref()?;
        Some(self.place_of(path, item)).filter(|place| place != path)
    }

    /// Where an item's file belongs: in the folder of its type, if it has one that is declared.
    fn place_of(&self, path: &str, item: &Item) -> String {
        let kinds = &self.schema().kinds;
        if kinds.resolve(item.kind()).is_none() {
            return path.to_owned();
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let wanted = kinds.folder_of(item.kind());
        if folder == wanted {
            return path.to_owned();
        }
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        format!("{wanted}/{stem}.toon")
    }
}
