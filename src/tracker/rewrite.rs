//! History streams written anew as a whole, together with their item (storage.md §4.5).

use serde_json::Value;

use super::entry::{self, Heading};
use super::{Stored, Tracker, Transaction, Write};
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
    /// The item; none when it is deleted.
    pub item: Option<Stored>,
}

impl Found {
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
    /// Whether the item's file is written.
    pub item_changes: bool,
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
        let item = match self.locate(id) {
            Some(path) => match self.tree.read(&path, MAX_ITEM_BYTES) {
                Ok(bytes) => Some(self.decode_item(path, &bytes)?),
                Err(ReadError::NotFound) => None,
                Err(error) => return Err(super::read::unreadable_file(&path, error)),
            },
            None => None,
        };
        Ok(Found { stream, item })
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
        let mut transaction: Transaction<'_> = self.transaction(write)?;
        transaction.lock(id)?;
        let found = self.found(id)?;
        if let Some(stored) = &found.item {
            super::guard::admit(self.settings(), stored, write)?;
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
        if new.item_changes
            && let (Some(stored), Some(item)) = (&found.item, &new.item)
        {
            files.push(self.item_file(stored, item)?);
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

    fn item_file(&self, stored: &Stored, item: &Item) -> Result<FileChange> {
        let before = self
            .tree
            .read(&stored.path, MAX_ITEM_BYTES)
            .map_err(|error| super::read::unreadable_file(&stored.path, error))?;
        let text =
            if stored.path.ends_with(".md") { item::encode_markdown(item)? } else { item::encode(item)? };
        let after = Some(text);
        Ok(FileChange { path: stored.path.clone(), before: Some(before), after })
    }
}
