//! The tracker's own documents (settings, schema) and their stream `_workspace` (storage.md §4.7).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::entry::{self, Heading};
use super::{Tracker, Transaction, Write};
use crate::codec::item::conflict_marker;
use crate::codec::json;
use crate::domain::chain;
use crate::domain::rewrite::{repair, salvage};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::timestamp;
use crate::store::journal::{FileChange, Group};
use crate::store::settings::MAX_SETTINGS_BYTES;
use crate::store::{ReadError, Source, history};

/// The stream, and the id of the document that it is about.
pub(super) const STREAM: &str = "_workspace";

/// The lock of the stream.
pub(super) const LOCK: &str = "workspace-history";

/// A document: a JSON object.
pub type Document = Map<String, Value>;

/// What a change of a document did, or with `dry_run` would do.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentWritten {
    /// The document before; none when it did not exist.
    pub before: Option<Document>,
    /// The document after.
    pub after: Document,
    /// Nothing differed, so nothing was written.
    pub unchanged: bool,
    /// Warnings: `workspace_external_edit_recorded:<path>`.
    pub warnings: Vec<String>,
}

/// The tracker's own documents as a transaction has them.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    /// Opened when the first of them changes.
    stream: Option<Stream>,
    /// Their bytes as found, and what they become.
    files: BTreeMap<String, (Option<Vec<u8>>, Option<Document>)>,
}

impl Workspace {
    /// What is to be written.
    pub(super) fn group(&self) -> Option<Group> {
        let stream = self.stream.as_ref()?;
        let files = self.files.iter().map(|(path, (before, after))| {
            let text =
                after.as_ref().map(|after| format!("{}\n", json::pretty(&Value::Object(after.clone()))));
            FileChange { path: path.clone(), before: before.clone(), after: text }
        });
        Some(stream.group(files.collect()))
    }
}

impl Transaction<'_> {
    /// As [`Tracker::change_document`]; several documents land together. Take the locks of items later.
    pub fn change_document(
        &mut self,
        path: &str,
        write: &Write<'_>,
        edit: &mut dyn FnMut(Option<&Document>) -> Result<Document>,
    ) -> Result<DocumentWritten> {
        self.lock(LOCK)?;
        write.without_expectation("documents of the tracker have no item's state")?;
        let (bytes, before) = self.find_document(path)?;
        let after = edit(before.as_ref())?;
        if before.as_ref() == Some(&after) {
            return Ok(DocumentWritten { before, after, unchanged: true, warnings: Vec::new() });
        }
        let warnings = self.put_document(path, write, (bytes, before.as_ref()), Some(&after))?;
        Ok(DocumentWritten { before, after, unchanged: false, warnings })
    }

    /// Removes a document; returns it with the warnings of that, or nothing when there is none.
    ///
    /// Errors: as [`Tracker::change_document`].
    pub fn remove_document(
        &mut self,
        path: &str,
        write: &Write<'_>,
    ) -> Result<Option<(Document, Vec<String>)>> {
        self.lock(LOCK)?;
        write.without_expectation("documents of the tracker have no item's state")?;
        let (bytes, Some(before)) = self.find_document(path)? else { return Ok(None) };
        let warnings = self.put_document(path, write, (bytes, Some(&before)), None)?;
        Ok(Some((before, warnings)))
    }

    /// A document as the transaction has it: the bytes on disk, and what it says now.
    fn find_document(&self, path: &str) -> Result<(Option<Vec<u8>>, Option<Document>)> {
        if let Some((bytes, document)) = self.workspace.files.get(path) {
            return Ok((bytes.clone(), document.clone()));
        }
        Ok(self.tracker.read_document(path)?.unzip())
    }

    /// Gives a document another state, with its entry.
    fn put_document(
        &mut self,
        path: &str,
        write: &Write<'_>,
        (bytes, before): (Option<Vec<u8>>, Option<&Document>),
        after: Option<&Document>,
    ) -> Result<Vec<String>> {
        let at = timestamp::format(self.tracker.clock().now());
        if self.workspace.stream.is_none() {
            self.workspace.stream = Some(Stream::open(self.tracker)?);
        }
        let stream = self.workspace.stream.as_mut().expect("it was just opened");
        let mut warnings = Vec::new();
        if let Some(known) = stream.document(path)
            && before != Some(&known)
        {
            if !write.force {
                return Err(state_conflict(path));
            }
            let found = Heading::found(&at, "external_edit", "the document was changed outside of pm");
            stream.append(&found, path, before);
            warnings.push(format!("workspace_external_edit_recorded:{path}"));
        }
        stream.append(&Heading::of(write, &at), path, after);
        self.workspace.files.insert(path.to_owned(), (bytes, after.cloned()));
        Ok(warnings)
    }
}

impl Transaction<'_> {
    /// Adds an entry to the stream `_workspace` that changes no document: what was found out about the tracker itself.
    ///
    /// Errors: as [`Tracker::change_document`].
    pub fn tell_workspace(&mut self, write: &Write<'_>) -> Result<()> {
        self.lock(LOCK)?;
        if self.workspace.stream.is_none() {
            self.workspace.stream = Some(Stream::open(self.tracker)?);
        }
        let at = timestamp::format(self.tracker.clock().now());
        self.workspace.stream.as_mut().expect("it was just opened").tell(&Heading::of(write, &at));
        Ok(())
    }
}

impl Tracker {
    /// Changes one of the tracker's own JSON documents (a path below the root) and records that in the stream
    /// `_workspace`: `edit` gets the document as it is now and returns what it should become. No difference:
    /// nothing is written.
    ///
    /// The document must be the one that the stream knows: one that was edited by hand since is refused, or with
    /// `force` recorded as it is found, in an entry of its own. This value keeps the settings and schema with which
    /// it was opened.
    ///
    /// Errors: `workspace_history_state_conflict`, `workspace_history_chain_invalid`, `lock_conflict`, `lock_stale`,
    /// `settings_read_invalid_json` and the like for a document that cannot be read, and whatever `edit` returns;
    /// nothing was changed then.
    pub fn change_document(
        &self,
        path: &str,
        write: &Write<'_>,
        edit: &mut dyn FnMut(Option<&Document>) -> Result<Document>,
    ) -> Result<DocumentWritten> {
        let mut transaction = self.transaction(write)?;
        let written = transaction.change_document(path, write, edit)?;
        transaction.commit().map(|()| written)
    }

    fn read_document(&self, path: &str) -> Result<Option<(Vec<u8>, Document)>> {
        let bytes = match self.tree.read(path, MAX_SETTINGS_BYTES) {
            Ok(bytes) => bytes,
            Err(ReadError::NotFound) => return Ok(None),
            Err(error) => return Err(super::read::unreadable_file(path, error)),
        };
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        match serde_json::from_slice(text) {
            Ok(document) => Ok(Some((bytes, document))),
            Err(error) => {
                Err(Error::new(Code::SchemaInvalidJson, format!("`{path}` is no JSON object: {error}"))
                    .at(path))
            }
        }
    }
}

impl Tracker {
    /// What the stream of the workspace says, with every document that it knows as its file has it now; none when
    /// there is no such stream. A file that cannot be read counts as what the stream says of it.
    pub(super) fn documents_beside(&self, stream: &[u8]) -> Option<Item> {
        let (entries, _) = salvage(stream);
        let mut item = repair(&entries).ok()?.end?;
        let known = item.metadata.get("documents").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut documents = Map::new();
        for (path, document) in known {
            match self.read_document(&path) {
                Ok(Some((_, found))) => drop(documents.insert(path, Value::Object(found))),
                Ok(None) => {}
                Err(_) => drop(documents.insert(path, document)),
            }
        }
        item.metadata.insert("documents".to_owned(), Value::Object(documents));
        Some(item)
    }

    /// The documents of the workspace as the item says, where their files say something else.
    pub(super) fn document_files(&self, item: Option<&Item>) -> Result<Vec<FileChange>> {
        let documents = item.and_then(|item| item.metadata.get("documents")?.as_object());
        let mut files = Vec::new();
        for (path, document) in documents.into_iter().flatten() {
            let bytes = match self.tree.read(path, MAX_SETTINGS_BYTES) {
                Ok(bytes) => Some(bytes),
                Err(ReadError::NotFound) => None,
                Err(error) => return Err(super::read::unreadable_file(path, error)),
            };
            let found = bytes.as_deref().and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok());
            if found.as_ref() != Some(document) {
                let text = format!("{}\n", json::pretty(document));
                files.push(FileChange { path: path.clone(), before: bytes, after: Some(text) });
            }
        }
        Ok(files)
    }

    /// Whether a file holds the markers of a merge that was left unfinished.
    pub fn has_marked_document(&self, path: &str) -> bool {
        let bytes = self.tree.read(path, MAX_SETTINGS_BYTES).unwrap_or_default();
        conflict_marker(&bytes).is_some()
    }

    /// A document as its file has it; null where there is none or it cannot be read.
    pub fn document(&self, path: &str) -> Value {
        self.read_document(path).ok().flatten().map_or(Value::Null, |(_, document)| Value::Object(document))
    }

    /// The state of the stream of the workspace before it knows any document.
    pub fn blank_workspace(&self) -> Item {
        beginning(&timestamp::format(self.clock().now()))
    }
}

fn state_conflict(path: &str) -> Error {
    let problem = format!("`{path}` was changed outside of pm since its last entry in `{STREAM}`");
    Error::new(Code::WorkspaceHistoryStateConflict, problem).at(path).fact("accept_with", "--force")
}

/// The stream as far as it is written, and what is added to it.
#[derive(Debug)]
struct Stream {
    item: Option<Item>,
    existed: bool,
    keep: u64,
    text: String,
}

impl Stream {
    fn open(tracker: &Tracker) -> Result<Stream> {
        let tail =
            history::tail(&tracker.tree, STREAM).map_err(|error| tracker.stream_error(STREAM, error))?;
        let replay = chain::verify(&tracker.history(STREAM)?);
        if let Some(fault) = replay.fault {
            return Err(Error::new(
                Code::WorkspaceHistoryChainInvalid,
                format!("`{}` does not verify: {fault}", history::path(STREAM)),
            )
            .at(history::path(STREAM)));
        }
        Ok(Stream {
            item: (!replay.item.metadata.is_empty()).then_some(replay.item),
            existed: tail.is_some(),
            keep: tail.as_ref().map_or(0, |tail| tail.keep),
            text: if tail.is_some_and(|tail| tail.unterminated) { "\n".to_owned() } else { String::new() },
        })
    }

    fn document(&self, path: &str) -> Option<Document> {
        self.item.as_ref()?.metadata.get("documents")?.get(path)?.as_object().cloned()
    }

    fn append(&mut self, heading: &Heading<'_>, path: &str, document: Option<&Document>) {
        let mut item = self.item.clone().unwrap_or_else(|| beginning(heading.at));
        let documents = item.metadata.entry("documents").or_insert_with(|| json!({}));
        if let Value::Object(documents) = documents {
            match document {
                Some(document) => documents.insert(path.to_owned(), Value::Object(document.clone())),
                None => documents.shift_remove(path),
            };
        }
        self.text.push_str(&entry::line(heading, self.item.as_ref(), Some(&item)));
        self.item = Some(item);
    }

    fn tell(&mut self, heading: &Heading<'_>) {
        let item = self.item.clone().unwrap_or_else(|| beginning(heading.at));
        self.text.push_str(&entry::line(heading, self.item.as_ref(), Some(&item)));
        self.item = Some(item);
    }

    fn group(&self, files: Vec<FileChange>) -> Group {
        Group {
            stream: history::path(STREAM),
            existed: self.existed,
            keep: self.keep,
            text: self.text.clone(),
            files,
        }
    }
}

/// The text of a stream with an entry at its end that changes no document.
///
/// Errors: why the stream does not verify.
pub(super) fn with_event(text: &str, heading: &Heading<'_>) -> std::result::Result<String, String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let entries: Vec<Value> = lines
        .map(serde_json::from_str)
        .collect::<std::result::Result<_, _>>()
        .map_err(|error| error.to_string())?;
    let replay = chain::verify(&entries);
    if let Some(fault) = replay.fault {
        return Err(fault);
    }
    let before = (!replay.item.metadata.is_empty()).then_some(replay.item);
    let after = before.clone().unwrap_or_else(|| beginning(heading.at));
    let separator = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{text}{separator}{}", entry::line(heading, before.as_ref(), Some(&after))))
}

/// The document that the stream is about, before it knows any.
fn beginning(at: &str) -> Item {
    let metadata = json!({
        "id": STREAM, "title": "Workspace state", "description": "Audited singleton workspace document state.",
        "type": "Chore", "status": "open", "priority": 2, "tags": ["workspace-history"], "created_at": at, "updated_at": at,
    });
    Item { metadata: metadata.as_object().cloned().unwrap_or_default(), body: String::new() }
}
