//! Secrets beside the items: in checkpoints, copies of the tracker, records and caches (storage.md §4.5 goes no further
//! than one history).

use std::collections::{BTreeMap, BTreeSet};

use super::entry::Heading;
use super::{Tracker, Write, archive as copies, document};
use crate::codec::item;
use crate::codec::json;
use crate::domain::chain;
use crate::domain::rewrite::{Pen, redact, redact_stream};
use crate::error::{Code, Error, Result};
use crate::model::timestamp;
use crate::store::archive::{self, Files};
use crate::store::contents::{self, Part};
use crate::store::index::Place;
use crate::store::journal::{FileChange, Group};
use crate::store::{Source, history};

/// What a search for secrets through everything that a tracker keeps did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scrubbed {
    /// Records and copies that were written anew.
    pub rewritten: Vec<String>,
    /// Files that hold the secret still: other items, settings, what belongs to other programs, what cannot be read.
    pub remains: Vec<String>,
}

/// The id that a file of an item or of a history is named after.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Whether a source is the file or the history of an item.
fn is_of_item(path: &str) -> bool {
    path.contains('/') && !path.starts_with("schema/") && stem(path) != document::STREAM
}

/// A history and the item file that goes with it, as a copy has them.
#[derive(Default)]
struct Pair {
    stream: Option<(String, Vec<u8>)>,
    file: Option<(String, Vec<u8>)>,
}

impl Tracker {
    /// The files of the tracker with what they are for; schema files that the settings put elsewhere are sources too.
    fn contents(&self) -> Vec<(String, Part)> {
        let elsewhere = self.elsewhere();
        let mut files = contents::files(self.root());
        for (path, part) in &mut files {
            if elsewhere.contains(path) {
                *part = Part::Source;
            }
        }
        files
    }

    /// The ids of the items whose file or history holds what the pen takes out.
    ///
    /// Errors: none of a single file; what cannot be read holds nothing.
    pub fn holding(&self, pen: Pen<'_>) -> Vec<String> {
        let sources =
            self.contents().into_iter().filter(|(path, part)| *part == Part::Source && is_of_item(path));
        let holding = sources.filter(|(path, _)| self.holds(path, pen) == Some(true));
        let ids: BTreeSet<String> = holding.map(|(path, _)| stem(&path).to_owned()).collect();
        ids.into_iter().collect()
    }

    /// Whether a file holds what the pen takes out; none when it cannot be read.
    fn holds(&self, path: &str, pen: Pen<'_>) -> Option<bool> {
        self.tree.read(path, contents::MAX_BYTES).ok().map(|bytes| pen.finds_in(&bytes))
    }

    /// Takes what the pen finds out of all that the tracker keeps beside its items: records are written anew, copies
    /// of the tracker too, with their part of the histories of `ids`; indexes and caches go. Histories and items
    /// themselves are only looked at. What is interrupted is finished by the same call.
    ///
    /// Errors: `lock_conflict`, `write_failed`, ...
    pub fn scrub(&self, pen: Pen<'_>, ids: &[String], write: &Write<'_>) -> Result<Scrubbed> {
        let mut transaction = self.transaction(write)?;
        transaction.lock(copies::LOCK)?;
        let files = self.contents();
        let mut known: Vec<String> = files
            .iter()
            .filter(|(path, _)| is_of_item(path))
            .map(|(path, _)| stem(path).to_owned())
            .collect();
        known.sort_unstable();
        known.dedup();
        let sparing = pen.sparing(&known);
        let mut found = Scrubbed::default();
        let documents = self.scrub_documents(sparing, write, &mut found)?;
        for (path, part) in files.iter().filter(|(path, _)| !documents.contains(path)) {
            match part {
                // A dry run sees them as they are before.
                Part::Source
                    if write.dry_run && is_of_item(path) && ids.iter().any(|id| id == stem(path)) => {}
                Part::Source | Part::Foreign => {
                    if self.holds(path, pen) != Some(false) {
                        found.remains.push(path.clone());
                    }
                }
                Part::Record => self.scrub_record(path, sparing, write, &mut found)?,
                Part::Cache => {
                    if !write.dry_run {
                        let removed = contents::remove(self.root(), path);
                        removed.map_err(|cause| not_written(path).because(cause))?;
                    }
                }
            }
        }
        for object in archive::objects(self.root()) {
            self.scrub_copy(&object, ids, sparing, write, &mut found)?;
        }
        for (path, bytes) in contents::receipts_of_clone(self.root()) {
            let Some(text) = sparing.redacted(&bytes) else { continue };
            let shown = path.display().to_string();
            if !write.dry_run {
                let replaced = contents::replace_receipt(&path, text.as_bytes());
                replaced.map_err(|cause| not_written(&shown).because(cause))?;
            }
            found.rewritten.push(shown);
        }
        if !write.dry_run {
            Place::of_root(self.root()).forget_everywhere();
        }
        Ok(found)
    }

    /// Takes what the pen finds out of the stream of documents and of the documents that it knows, together: the one
    /// must say what the other is. Settings and schema are never changed; where they hold it everything stays. Gives
    /// the paths that need no other look.
    fn scrub_documents(
        &self,
        pen: Pen<'_>,
        write: &Write<'_>,
        found: &mut Scrubbed,
    ) -> Result<BTreeSet<String>> {
        let mut transaction = self.transaction(write)?;
        transaction.lock(document::LOCK)?;
        let stream = history::path(document::STREAM);
        let Some(bytes) = self.read_local(&stream, history::MAX_STREAM_BYTES) else {
            return Ok(BTreeSet::new());
        };
        let known = recorded(&bytes);
        let on_disk =
            known.iter().filter_map(|path| Some((path.clone(), self.read_local(path, contents::MAX_BYTES)?)));
        let files: BTreeMap<String, Vec<u8>> = on_disk.collect();
        let mut handled: BTreeSet<String> = files.keys().cloned().collect();
        handled.insert(stream.clone());
        let Some(mut changes) = redacted_documents(&bytes, &files, pen) else {
            let holding = files.iter().filter(|(_, bytes)| pen.finds_in(bytes)).map(|(path, _)| path.clone());
            found.remains.extend(holding);
            found.remains.extend(Some(stream).filter(|_| pen.finds_in(&bytes)));
            return Ok(handled);
        };
        let Some(lines) = changes.remove(&stream) else { return Ok(handled) };
        let at = timestamp::format(self.clock().now());
        let lines = document::with_event(&lines, &Heading::of(write, &at)).map_err(|fault| {
            Error::new(Code::WorkspaceHistoryChainInvalid, format!("`{stream}` does not verify: {fault}"))
        })?;
        found.rewritten.push(stream.clone());
        found.rewritten.extend(changes.keys().cloned());
        let keep = bytes.len() as u64;
        let mut written = vec![FileChange { path: stream.clone(), before: Some(bytes), after: Some(lines) }];
        written.extend(changes.into_iter().map(|(path, text)| {
            let before = files.get(&path).cloned();
            FileChange { path, before, after: Some(text) }
        }));
        transaction.document(Group { stream, existed: true, keep, text: String::new(), files: written });
        transaction.commit()?;
        Ok(handled)
    }

    fn scrub_record(&self, path: &str, pen: Pen<'_>, write: &Write<'_>, found: &mut Scrubbed) -> Result<()> {
        let Some(bytes) = self.read_local(path, contents::MAX_BYTES) else {
            found.remains.push(path.to_owned());
            return Ok(());
        };
        if !pen.finds_in(&bytes) {
            return Ok(());
        }
        // Bytes that are no text would not survive.
        let text = pen.redacted(&bytes).filter(|_| std::str::from_utf8(&bytes).is_ok());
        let Some(text) = text else {
            found.remains.push(path.to_owned());
            return Ok(());
        };
        if pen.finds_in(text.as_bytes()) {
            found.remains.push(path.to_owned());
        }
        found.rewritten.push(path.to_owned());
        if write.dry_run { Ok(()) } else { self.write_local(path, text.as_bytes()) }
    }

    fn scrub_copy(
        &self,
        object: &str,
        ids: &[String],
        pen: Pen<'_>,
        write: &Write<'_>,
        found: &mut Scrubbed,
    ) -> Result<()> {
        let place = format!("{}/objects/{object}", archive::FOLDER);
        let Ok(files) = archive::read(&self.tree, object) else {
            found.remains.push(place);
            return Ok(());
        };
        let changes = self.copy_changes(object, &files, ids, pen, found);
        if changes.is_empty() {
            return Ok(());
        }
        let mut made = object.to_owned();
        if !write.dry_run {
            made =
                archive::revise(&self.tree, object, &changes).map_err(|error| self.archive_error(error))?;
        }
        found.rewritten.push(format!("{}/objects/{made}", archive::FOLDER));
        Ok(())
    }

    /// What of a copy changes, by path.
    fn copy_changes(
        &self,
        object: &str,
        files: &Files,
        ids: &[String],
        pen: Pen<'_>,
        found: &mut Scrubbed,
    ) -> BTreeMap<String, String> {
        let mut changes = BTreeMap::new();
        let mut pairs: BTreeMap<String, Pair> = BTreeMap::new();
        let place = |path: &str| format!("{}/objects/{object}/files/{path}", archive::FOLDER);
        let stream = history::path(document::STREAM);
        let kept_bytes =
            |path: &str| files.get(path).and_then(|kept| archive::bytes(&self.tree, object, path, kept).ok());
        let mut handled = BTreeSet::new();
        if let Some(lines) = kept_bytes(&stream) {
            let known = recorded(&lines).into_iter();
            let known: BTreeMap<_, _> =
                known.filter_map(|path| Some((path.clone(), kept_bytes(&path)?))).collect();
            if let Some(changed) = redacted_documents(&lines, &known, pen) {
                changes.extend(changed);
                handled.extend(known.into_keys().chain([stream]));
            }
        }
        for (path, kept) in files.iter().filter(|(path, _)| !handled.contains(*path)) {
            let Ok(bytes) = archive::bytes(&self.tree, object, path, kept) else {
                found.remains.push(place(path));
                continue;
            };
            match contents::part(path, true) {
                Some(Part::Record) => changes.extend(pen.redacted(&bytes).map(|text| (path.clone(), text))),
                _ if is_of_item(path) && ids.iter().any(|id| id == stem(path)) => {
                    let pair = pairs.entry(stem(path).to_owned()).or_default();
                    let slot = if path.starts_with("history/") { &mut pair.stream } else { &mut pair.file };
                    *slot = Some((path.clone(), bytes));
                }
                _ if pen.finds_in(&bytes) => found.remains.push(place(path)),
                _ => {}
            }
        }
        for pair in pairs.into_values() {
            let paths: Vec<String> =
                [&pair.stream, &pair.file].into_iter().flatten().map(|p| p.0.clone()).collect();
            match self.redacted_pair(pair, pen) {
                Some(changed) => changes.extend(changed),
                None => found.remains.extend(paths.iter().map(|path| place(path))),
            }
        }
        changes
    }

    /// A history and its item without what the pen takes out; none when that cannot be.
    fn redacted_pair(&self, pair: Pair, pen: Pen<'_>) -> Option<Vec<(String, String)>> {
        let held = [&pair.stream, &pair.file].into_iter().flatten().any(|(_, bytes)| pen.finds_in(bytes));
        if !held {
            return Some(Vec::new());
        }
        let (stream, bytes) = pair.stream.unzip();
        let entries = history::parse(bytes.as_deref().unwrap_or_default()).ok()?;
        let stored = match pair.file {
            None => None,
            Some((path, bytes)) => Some(self.decode_item(path, &bytes).ok()?),
        };
        let redacted = redact(&entries, stored.as_ref().map(|stored| &stored.item), pen).ok()?;
        let mut changes = Vec::new();
        if let Some(path) = stream {
            let lines = redacted.entries.iter().map(|entry| format!("{}\n", json::compact(entry)));
            changes.push((path, lines.collect()));
        }
        if let (Some(stored), Some(item)) = (stored, redacted.item) {
            let encode = if stored.path.ends_with(".md") { item::encode_markdown } else { item::encode };
            changes.push((stored.path, encode(&item).ok()?));
        }
        Some(changes)
    }
}

/// The documents that a stream of documents knows, by path; none when it does not verify.
fn recorded(stream: &[u8]) -> Vec<String> {
    let Ok(entries) = history::parse(stream) else { return Vec::new() };
    let item = chain::verify(&entries).item;
    let documents = item.metadata.get("documents").and_then(serde_json::Value::as_object);
    documents.into_iter().flatten().map(|(path, _)| path.clone()).collect()
}

/// A stream of documents and those documents without what the pen takes out, by path; nothing when there is nothing
/// to take out. None when that cannot be: settings or schema hold it, or the stream does not verify.
fn redacted_documents(
    stream: &[u8],
    files: &BTreeMap<String, Vec<u8>>,
    pen: Pen<'_>,
) -> Option<BTreeMap<String, String>> {
    let mut changes = BTreeMap::new();
    for (path, bytes) in files.iter().filter(|(_, bytes)| pen.finds_in(bytes)) {
        if contents::part(path, true) != Some(Part::Record) {
            return None;
        }
        changes.insert(path.clone(), pen.redacted(bytes)?);
    }
    if changes.is_empty() && !pen.finds_in(stream) {
        return Some(changes);
    }
    let redacted = redact_stream(&history::parse(stream).ok()?, pen).ok()?;
    if redacted.item.is_none_or(|item| item.id() != document::STREAM) {
        return None;
    }
    let lines = redacted.entries.iter().map(|entry| format!("{}\n", json::compact(entry))).collect();
    changes.insert(history::path(document::STREAM), lines);
    Some(changes)
}

fn not_written(path: &str) -> Error {
    Error::new(Code::WriteFailed, format!("`{path}` cannot be written")).at(path)
}
