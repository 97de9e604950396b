//! Copies of the whole tracker, made, listed, brought back and removed (storage.md §6.3).

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::entry::Heading;
use super::{Tracker, Write, document, guard};
use crate::codec::item::MAX_ITEM_BYTES;
use crate::error::{Code, Error, Result};
use crate::model::timestamp;
use crate::store::archive::{self, ArchiveError, Files};
use crate::store::journal::{FileChange, Group};
use crate::store::{Source, history};

/// The lock of whoever makes, names or removes copies.
pub(super) const LOCK: &str = "workspace-snapshots";

/// A name for a copy of the tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceSnapshot {
    /// The name.
    pub name: String,
    /// The object that it names: 64 hex digits.
    pub object: String,
    /// When it was named.
    pub created_at: String,
    /// Who named it.
    pub author: String,
    /// What for.
    pub message: Option<String>,
}

/// What differs between two states of a tracker, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateDifference {
    /// Only the second one has them.
    pub added: Vec<String>,
    /// Both have them, with other bytes.
    pub changed: Vec<String>,
    /// Only the first one has them.
    pub removed: Vec<String>,
}

impl StateDifference {
    fn between(from: &Files, to: &Files) -> StateDifference {
        let mut found = StateDifference::default();
        for (path, kept) in to {
            match from.get(path) {
                None => found.added.push(path.clone()),
                Some(known) if known != kept => found.changed.push(path.clone()),
                Some(_) => {}
            }
        }
        found.removed.extend(from.keys().filter(|path| !to.contains_key(*path)).cloned());
        found
    }

    /// Every path that differs, sorted.
    pub fn paths(&self) -> BTreeSet<&str> {
        self.added.iter().chain(&self.changed).chain(&self.removed).map(String::as_str).collect()
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

/// What bringing a copy back did, or would do.
#[derive(Clone, Debug)]
pub struct WorkspaceRestored {
    /// The difference between the tracker before and the copy.
    pub difference: StateDifference,
    /// The name of the copy of what was there before; none when nothing differed.
    pub recovery: Option<String>,
    /// What could not be brought back or told.
    pub warnings: Vec<String>,
}

impl Tracker {
    /// Schema files that the settings put elsewhere.
    pub(super) fn elsewhere(&self) -> Vec<String> {
        let names = ["types", "statuses", "fields", "workflows"];
        let paths = names.iter().map(|name| self.settings().text(&format!("schema.files.{name}")));
        paths.filter(|path| !path.is_empty()).map(str::to_owned).collect()
    }

    pub(super) fn archive_error(&self, error: ArchiveError) -> Error {
        let root = self.root().display();
        match error {
            ArchiveError::Busy => {
                Error::new(Code::LockConflict, format!("{error}; no copy of it was made, try again"))
            }
            ArchiveError::Damaged(problem) => {
                Error::new(Code::WorkspaceSnapshotDamaged, problem).hint("pm workspace snapshot list")
            }
            ArchiveError::Io(error) => {
                let code = match error.kind() {
                    std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Code::StorageFull,
                    std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                        Code::TrackerReadOnly
                    }
                    _ => Code::WriteFailed,
                };
                Error::new(code, format!("`{root}`: {error}; nothing was changed"))
            }
        }
    }

    /// All copies by name, oldest first, and the names whose files cannot be understood.
    ///
    /// Errors: `write_failed` and the like, when they cannot be listed.
    pub fn workspace_snapshots(&self) -> Result<(Vec<WorkspaceSnapshot>, Vec<String>)> {
        let (refs, broken) = archive::refs(&self.tree).map_err(|error| self.archive_error(error.into()))?;
        let mut all: Vec<WorkspaceSnapshot> = refs
            .into_iter()
            .map(|(name, about)| {
                let text = |key: &str| about.get(key).and_then(Value::as_str).map(str::to_owned);
                WorkspaceSnapshot {
                    name,
                    object: text("object").unwrap_or_default(),
                    created_at: text("created_at").unwrap_or_default(),
                    author: text("author").unwrap_or_default(),
                    message: text("message"),
                }
            })
            .collect();
        all.sort_by(|a, b| a.created_at.cmp(&b.created_at).then_with(|| a.name.cmp(&b.name)));
        Ok((all, broken))
    }

    /// The files of a copy.
    ///
    /// Errors: `workspace_snapshot_damaged`.
    pub fn workspace_snapshot_files(&self, object: &str) -> Result<Files> {
        archive::read(&self.tree, object).map_err(|error| self.archive_error(error))
    }

    /// The first file of a copy that is gone or was changed since; each is read.
    ///
    /// Errors: as [`Tracker::workspace_snapshot_files`].
    pub fn workspace_snapshot_fault(&self, object: &str) -> Result<Option<String>> {
        let files = self.workspace_snapshot_files(object)?;
        Ok(files.iter().find_map(|(path, kept)| {
            archive::bytes(&self.tree, object, path, kept).err().map(|error| error.to_string())
        }))
    }

    /// What a copy made now would hold, the name that its content gives it, and what could not be kept.
    ///
    /// Errors: `lock_conflict` when the tracker changes all the while.
    pub fn workspace_state(&self) -> Result<(String, Files, Vec<String>)> {
        let (files, refused) =
            archive::contents(&self.tree, &self.elsewhere()).map_err(|error| self.archive_error(error))?;
        Ok((archive::name_of(&files), files, refused))
    }

    /// The difference between the tracker and a copy. The stream of documents differs in nothing when all that
    /// follows what the copy has is that copies were brought back.
    fn difference(&self, now: &Files, object: &str, wanted: &Files) -> StateDifference {
        let mut difference = StateDifference::between(now, wanted);
        let stream = history::path(document::STREAM);
        if difference.paths().iter().eq([&stream.as_str()]) && self.only_restored(&stream, object, wanted) {
            difference = StateDifference::default();
        }
        difference
    }

    fn only_restored(&self, stream: &str, object: &str, wanted: &Files) -> bool {
        let kept = match wanted.get(stream) {
            Some(kept) => archive::bytes(&self.tree, object, stream, kept).ok(),
            None => Some(Vec::new()),
        };
        let now = self.tree.read(stream, history::MAX_STREAM_BYTES).ok();
        let (Some(kept), Some(now)) = (kept, now) else { return false };
        let Some(Ok(rest)) = now.strip_prefix(kept.as_slice()).map(std::str::from_utf8) else { return false };
        let restored = |line: &str| {
            let entry: Option<Value> = serde_json::from_str(line).ok();
            entry.is_some_and(|entry| entry["op"] == "workspace_snapshot_restore")
        };
        rest.lines().filter(|line| !line.trim().is_empty()).all(restored)
    }

    /// What bringing a copy back would change now.
    ///
    /// Errors: those of [`Tracker::workspace_state`] and [`Tracker::workspace_snapshot_files`].
    pub fn workspace_difference(&self, object: &str) -> Result<StateDifference> {
        let wanted = self.workspace_snapshot_files(object)?;
        Ok(self.difference(&self.workspace_state()?.1, object, &wanted))
    }

    /// Copies the tracker under a name; gives the object, its files, and what could not be kept.
    ///
    /// Errors: `lock_conflict`, `storage_full`, `tracker_read_only`, `write_failed`.
    pub fn keep_workspace(&self, name: &str, write: &Write<'_>) -> Result<(String, Files, Vec<String>)> {
        let mut transaction = self.transaction(write)?;
        transaction.lock(LOCK)?;
        self.keep_under_lock(name, write)
    }

    fn keep_under_lock(&self, name: &str, write: &Write<'_>) -> Result<(String, Files, Vec<String>)> {
        let kept = archive::keep(&self.tree, &self.elsewhere()).map_err(|error| self.archive_error(error))?;
        let mut about = Map::new();
        about.insert("object".to_owned(), kept.0.as_str().into());
        about.insert("created_at".to_owned(), timestamp::format(self.clock().now()).into());
        about.insert("author".to_owned(), write.actor.author.as_str().into());
        if let Some(message) = write.message {
            about.insert("message".to_owned(), message.into());
        }
        archive::name(self.root(), name, about).map_err(|error| self.archive_error(error.into()))?;
        Ok(kept)
    }

    /// Forgets these names, and removes each object that nothing names any more. Gives the objects that went.
    ///
    /// Errors: `lock_conflict`, `write_failed`, ...
    pub fn forget_workspace(&self, names: &[String], write: &Write<'_>) -> Result<Vec<String>> {
        let mut transaction = self.transaction(write)?;
        transaction.lock(LOCK)?;
        let (all, _) = self.workspace_snapshots()?;
        let (gone, left): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| names.contains(&one.name));
        let objects: BTreeSet<String> = gone.into_iter().map(|one| one.object).collect();
        let unnamed = objects.into_iter().filter(|object| !left.iter().any(|one| one.object == *object));
        let unnamed: Vec<String> = unnamed.collect();
        if write.dry_run {
            return Ok(unnamed);
        }
        let failed = |error| self.archive_error(ArchiveError::Io(error));
        names.iter().try_for_each(|name| archive::forget(self.root(), name)).map_err(failed)?;
        unnamed.iter().try_for_each(|object| archive::discard(self.root(), object)).map_err(failed)?;
        Ok(unnamed)
    }

    /// Makes the tracker what it was when a copy was made: all files in one step, after copying what is there now
    /// under `recovery`, and with an entry in the stream `_workspace`. What others change meanwhile is refused.
    ///
    /// Errors: `workspace_snapshot_damaged`, `lock_conflict`, `write_failed`, ...; nothing was changed then.
    pub fn restore_workspace(
        &self,
        object: &str,
        recovery: &str,
        write: &Write<'_>,
    ) -> Result<WorkspaceRestored> {
        let wanted = self.workspace_snapshot_files(object)?;
        let mut transaction = self.transaction(write)?;
        transaction.lock(LOCK)?;
        let (_, now, mut warnings) = self.workspace_state()?;
        let difference = self.difference(&now, object, &wanted);
        if difference.is_empty() || write.dry_run {
            return Ok(WorkspaceRestored { difference, recovery: None, warnings });
        }
        // `hierarchy-integrity` and the stream of documents before items, items in the order of their ids.
        transaction.lock("hierarchy-integrity")?;
        transaction.lock(document::LOCK)?;
        for id in ids(&difference) {
            transaction.lock(&id)?;
            self.admit_replacing(&id)?;
        }
        let about = Write { message: Some("before a snapshot was restored"), ..write.clone() };
        let (copy, now, _) = self.keep_under_lock(recovery, &about)?;
        let locked = ids(&difference);
        let difference = StateDifference::between(&now, &wanted);
        if !ids(&difference).is_subset(&locked) {
            return Err(self.archive_error(ArchiveError::Busy));
        }
        let mut files = Vec::new();
        let stream = history::path(document::STREAM);
        for path in difference.paths().into_iter().filter(|path| *path != stream) {
            files.push(self.change_back(path, object, &wanted, &now)?);
        }
        let at = timestamp::format(self.clock().now());
        let context = json!({"workspace_snapshot": {
            "snapshot": object, "recovery": copy, "added": difference.added.len(),
            "changed": difference.changed.len(), "removed": difference.removed.len(),
        }});
        let write = Write { context: Some(context), ..write.clone() };
        let mut change = self.change_back(&stream, object, &wanted, &now)?;
        let text = change.after.take().unwrap_or_default();
        match document::with_event(&text, &Heading::of(&write, &at)) {
            Ok(text) => change.after = Some(text),
            Err(fault) => {
                warnings.push(format!("workspace_history_chain_invalid:{fault}"));
                change.after = Some(text).filter(|text| !text.is_empty());
            }
        }
        let keep = change.before.as_ref().map_or(0, |bytes| bytes.len() as u64);
        let existed = change.before.is_some();
        files.push(change);
        transaction.document(Group { stream, existed, keep, text: String::new(), files });
        transaction.commit()?;
        if let Some(focused) = self.focused()?
            && self.locate(&focused).is_none()
        {
            self.focus(None)?;
            warnings.push(format!("focus_cleared:{focused}"));
        }
        Ok(WorkspaceRestored { difference, recovery: Some(recovery.to_owned()), warnings })
    }

    /// Refuses to write over what a newer program wrote.
    fn admit_replacing(&self, id: &str) -> Result<()> {
        if let Ok(Some(last)) = history::tail(&self.tree, id).map(|tail| tail.and_then(|tail| tail.last)) {
            guard::entry_format(id, &last)?;
        }
        let stored = self.locate(id).and_then(|path| {
            let bytes = self.tree.read(&path, MAX_ITEM_BYTES).ok()?;
            self.decode_item(path, &bytes).ok()
        });
        stored.map_or(Ok(()), |stored| guard::format(&stored))
    }

    /// The change that brings one file back.
    fn change_back(&self, path: &str, object: &str, wanted: &Files, now: &Files) -> Result<FileChange> {
        let before = match now.get(path) {
            None => None,
            Some(_) => Some(
                self.tree
                    .read(path, history::MAX_STREAM_BYTES)
                    .map_err(|error| super::read::unreadable_file(path, error))?,
            ),
        };
        let after = match wanted.get(path) {
            None => None,
            Some(kept) => {
                let bytes = archive::bytes(&self.tree, object, path, kept)
                    .map_err(|error| self.archive_error(error))?;
                let text = String::from_utf8(bytes).map_err(|_| {
                    Error::new(Code::WorkspaceSnapshotDamaged, format!("the copy of `{path}` is no text"))
                        .at(path)
                })?;
                Some(text)
            }
        };
        Ok(FileChange { path: path.to_owned(), before, after })
    }
}

/// The items whose files or histories differ, in the order of their ids.
fn ids(difference: &StateDifference) -> BTreeSet<String> {
    let is_item = |path: &&str| {
        let folder = path.split('/').next().unwrap_or_default();
        path.contains('/')
            && !["schema", "merge-receipts", "templates", "context-intents", "search"].contains(&folder)
    };
    let stem = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
    };
    let ids = difference.paths().into_iter().filter(is_item).map(stem);
    ids.filter(|id| id != document::STREAM).collect()
}
