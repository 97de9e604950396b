//! A transaction: changes of one or more items that land together.

use std::collections::BTreeMap;
use std::time::Duration;

use super::document::Workspace;
use super::entry::{self, Heading};
use super::{Landed, Stored, Tracker, Write, Written};
use crate::codec::item::{self, MAX_ITEM_BYTES};
use crate::domain::merge::conflicts;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::records::Records;
use crate::model::settings::Settings;
use crate::store::journal::{self, FileChange, Group};
use crate::store::lock::{Lock, LockError, Terms};
use crate::store::{ReadError, Source, history, recovery};

/// The newest format of a tracker that this program writes.
const SETTINGS_VERSION: u64 = 1;

/// Changes under way: nothing is on disk before [`Transaction::commit`], and dropping it forgets them.
#[derive(Debug)]
pub struct Transaction<'t> {
    pub(super) tracker: &'t Tracker,
    terms: Terms,
    dry_run: bool,
    locks: BTreeMap<String, Lock>,
    items: BTreeMap<String, Held>,
    documents: Vec<Group>,
    pub(super) workspace: Workspace,
}

/// An item that a transaction holds.
#[derive(Debug)]
struct Held {
    /// Its file, as found.
    file: Option<(String, Vec<u8>)>,
    /// What it is now, within the transaction.
    now: Option<Stored>,
    /// Whether its stream was there, and how much of it stays.
    existed: bool,
    keep: u64,
    /// Lines that bring the stream up to the item; written when the item changes.
    preface: String,
    /// What is said about that.
    warnings: Vec<String>,
    /// The entries of this transaction.
    lines: String,
}

impl Tracker {
    /// Begins a transaction on behalf of a caller.
    ///
    /// Errors: `settings_read_invalid_json`, `settings_read_invalid_schema`, `schema_read_invalid_json` when the
    /// tracker cannot be trusted to say where things go; `mutation_author_required`.
    pub fn transaction(&self, write: &Write<'_>) -> Result<Transaction<'_>> {
        self.writable()?;
        self.transaction_on_any_ground(write)
    }

    /// As [`Tracker::transaction`], also where settings and schema cannot be read: they are what is to be mended.
    ///
    /// Errors: `mutation_author_required`.
    pub(super) fn transaction_on_any_ground(&self, write: &Write<'_>) -> Result<Transaction<'_>> {
        if write.actor.author == "unknown" && self.settings().flag("mutation_guard.require_attributed_author")
        {
            return Err(Error::new(
                Code::MutationAuthorRequired,
                "this tracker wants to know who changes it",
            )
            .at("--author")
            .fact("alternatives", vec!["PM_AUTHOR", "author_default"]));
        }
        Ok(Transaction {
            tracker: self,
            terms: self.lock_terms(&write.actor.author, write.force),
            dry_run: write.dry_run,
            locks: BTreeMap::new(),
            items: BTreeMap::new(),
            documents: Vec::new(),
            workspace: Workspace::default(),
        })
    }

    /// Refuses to write on grounds that cannot be trusted.
    fn writable(&self) -> Result<()> {
        if let Some(fault) = self.settings().fault() {
            let code = match fault {
                crate::model::settings::SettingsFault::InvalidJson(_) => Code::SettingsInvalidJson,
                crate::model::settings::SettingsFault::InvalidSchema(_) => Code::SettingsInvalidSchema,
            };
            let problem = fault.problem();
            return Err(Error::new(code, format!("nothing is written on unreadable settings: {problem}"))
                .at("settings.json")
                .hint("pm config list"));
        }
        let version = self.settings().number("version", SETTINGS_VERSION);
        if version > SETTINGS_VERSION {
            return Err(Error::new(
                Code::ItemFormatNewer,
                format!(
                    "this tracker has format {version}, and this program writes up to {SETTINGS_VERSION}"
                ),
            )
            .at("settings.json")
            .fact("found_version", version)
            .fact("supported_version", SETTINGS_VERSION)
            .hint("pm version"));
        }
        match self.warnings().iter().find(|warning| warning.starts_with("schema_read_invalid_json:")) {
            Some(warning) => {
                let problem = warning.split_once(':').map_or("", |(_, problem)| problem);
                Err(Error::new(
                    Code::SchemaInvalidJson,
                    format!("nothing is written on an unreadable schema: {problem}"),
                )
                .at(problem.split(':').next().unwrap_or_default()))
            }
            None => Ok(()),
        }
    }

    pub(super) fn lock_terms(&self, owner: &str, force: bool) -> Terms {
        let settings: &Settings = self.settings();
        let wait = self.lock_wait_ms.unwrap_or_else(|| settings.number("locks.wait_ms", 0));
        Terms {
            owner: owner.to_owned(),
            wait: Duration::from_millis(wait),
            ttl_seconds: settings.number("locks.ttl_seconds", 1800),
            force,
            force_required: settings.governance_flag("force_required_for_stale_lock"),
        }
    }
}

impl Transaction<'_> {
    /// Takes a lock and keeps it until the end. Take `hierarchy-integrity` before any item's, and several items in
    /// the order of their ids, so that two transactions never wait for each other. A dry run takes none.
    ///
    /// Errors: `lock_conflict`, `lock_stale`.
    pub fn lock(&mut self, id: &str) -> Result<()> {
        if self.dry_run || self.locks.contains_key(id) {
            return Ok(());
        }
        let mut held: Vec<String> = self.locks.keys().cloned().collect();
        let lock =
            recovery::take_lock(self.tracker.root(), id, &self.terms, &mut held).map_err(
                |error| match error {
                    LockError::Io { source, .. } => self.not_written(&source),
                    error => error.into(),
                },
            )?;
        self.locks.insert(id.to_owned(), lock);
        Ok(())
    }

    fn unlock(&mut self, id: &str) {
        self.locks.remove(id);
    }

    fn not_written(&self, error: &std::io::Error) -> Error {
        let root = self.tracker.root().display();
        let code = match error.kind() {
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                Code::TrackerReadOnly
            }
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Code::StorageFull,
            _ => Code::WriteFailed,
        };
        Error::new(code, format!("`{root}` cannot be written: {error}; nothing was changed"))
    }

    /// Locks an item and reads it and the end of its stream; later calls find what the transaction made of it.
    fn hold(&mut self, id: &str) -> Result<&mut Held> {
        self.hold_at(id, Tracker::locate)
    }

    /// As [`Transaction::hold`], with the way in which the item's file is looked for once the lock is held.
    fn hold_at(&mut self, id: &str, locate: fn(&Tracker, &str) -> Option<String>) -> Result<&mut Held> {
        if !self.items.contains_key(id) {
            self.lock(id)?;
            let path = locate(self.tracker, id);
            let held = self.read(id, path)?;
            self.items.insert(id.to_owned(), held);
        }
        Ok(self.items.get_mut(id).expect("it was just inserted"))
    }

    fn read(&self, id: &str, path: Option<String>) -> Result<Held> {
        let tracker = self.tracker;
        let file = match path {
            None => None,
            Some(path) => match tracker.tree.read(&path, MAX_ITEM_BYTES) {
                Ok(bytes) => Some((path, bytes)),
                Err(ReadError::NotFound) => None,
                Err(error) => return Err(super::read::unreadable_file(&path, error)),
            },
        };
        let now = file.as_ref().map(|(path, bytes)| tracker.decode_item(path.clone(), bytes)).transpose()?;
        let mut held = Held {
            file,
            now,
            existed: true,
            keep: 0,
            preface: String::new(),
            warnings: Vec::new(),
            lines: String::new(),
        };
        self.catch_up(id, &mut held)?;
        Ok(held)
    }

    /// Compares the end of the stream with the item, and prepares what is missing between them.
    fn catch_up(&self, id: &str, held: &mut Held) -> Result<()> {
        let tracker = self.tracker;
        let item = held.now.as_ref().map(|stored| &stored.item);
        let tail = match history::tail(&tracker.tree, id) {
            Ok(tail) => tail,
            Err(error @ history::StreamError::InvalidLine { .. }) => {
                held.keep = stream_size(tracker, id);
                held.warnings.push(format!("history_stream_unreadable:{id}: {error}"));
                return Ok(());
            }
            Err(error) => return Err(tracker.stream_error(id, error)),
        };
        held.existed = tail.is_some();
        if let Some(last) = tail.as_ref().and_then(|tail| tail.last.as_ref()) {
            super::guard::entry_format(id, last)?;
        }
        let empty = history::Tail { size: 0, keep: 0, last: None, unterminated: false };
        let tail = tail.unwrap_or(empty);
        held.keep = tail.keep;
        if tail.keep < tail.size {
            held.warnings.push(format!("history_torn_line_repaired:{id}"));
        }
        if tail.unterminated {
            held.preface.push('\n');
        }
        if entry::agrees(&tail, item) {
            return Ok(());
        }
        let at = crate::model::timestamp::format(tracker.clock().now());
        match (&tail.last, item) {
            (None, Some(item)) => {
                if tracker.settings().text("history.missing_stream") == "strict_error" {
                    return Err(Error::new(Code::HistoryStreamMissing, format!("`{id}` has no history"))
                        .at(history::path(id)));
                }
                held.preface.push_str(&entry::baseline(&at, item));
                held.warnings.push(format!("history_stream_auto_created:{id}"));
            }
            _ => match entry::external_edit(&at, &tracker.history(id)?, item) {
                Ok(line) => {
                    held.preface.push_str(&line);
                    held.warnings.push(format!("history_external_edit_recorded:{id}"));
                }
                Err(fault) => held.warnings.push(format!("history_chain_invalid:{id}:{fault}")),
            },
        }
        Ok(())
    }

    /// The item with this full id as the transaction has it; `None` when it does not exist.
    ///
    /// Errors: those of reading it and of taking its lock.
    pub fn item(&mut self, id: &str) -> Result<Option<&Item>> {
        Ok(self.hold(id)?.now.as_ref().map(|stored| &stored.item))
    }

    /// The records of the items that the transaction changed or made, as they are now within it.
    pub fn changed_records(&self) -> Records {
        let changed = self.items.values().filter(|held| !held.lines.is_empty());
        let items: Vec<(String, Item)> = changed
            .filter_map(|held| held.now.as_ref())
            .map(|stored| (stored.path.clone(), stored.item.clone()))
            .collect();
        Records::from_items(&items)
    }

    /// As [`Tracker::create`].
    pub fn create(&mut self, mut item: Item, write: &Write<'_>) -> Result<Written> {
        write.without_expectation("an item that is made has no state before")?;
        let now = crate::model::timestamp::format(self.tracker.clock().now());
        for key in ["created_at", "updated_at"] {
            if item.text(key).is_none_or(str::is_empty) {
                item.metadata.insert(key.to_owned(), now.as_str().into());
            }
        }
        let id = match item.id() {
            "" => self.free_id()?,
            id => {
                let id = id.to_owned();
                if self.hold_at(&id, Tracker::probe)?.now.is_some() {
                    return Err(Error::new(Code::ItemAlreadyExists, format!("`{id}` exists already"))
                        .at("--id")
                        .rejecting(id.as_str())
                        .hint(format!("pm get {id}")));
                }
                id
            }
        };
        item.metadata.insert("id".to_owned(), id.as_str().into());
        let at = if write.op == "create" { item.text("created_at").unwrap_or(&now).to_owned() } else { now };
        self.put(&id, Some(item), write, &at)
    }

    /// An id that nobody has, or had: its lock is held.
    fn free_id(&mut self) -> Result<String> {
        const TRIES: usize = 32;
        let prefix = self.tracker.settings().id_prefix();
        let shortest = self.tracker.settings().token_length();
        for length in shortest..=shortest + 6 {
            for _ in 0..TRIES {
                let token = self.tracker.tokens().next(length).ok_or_else(|| {
                    Error::new(Code::Internal, "the system gives no randomness for a new id")
                })?;
                let id = format!("{prefix}{token}");
                if self.items.contains_key(&id) {
                    continue;
                }
                // A new id is one among millions: no need to read every record for it.
                let held = self.hold_at(&id, Tracker::probe)?;
                if held.now.is_none() && !held.existed {
                    return Ok(id);
                }
                self.items.remove(&id);
                self.unlock(&id);
            }
        }
        Err(Error::new(Code::Internal, "no free id was found"))
    }

    /// As [`Tracker::change`].
    pub fn change(
        &mut self,
        id: &str,
        write: &Write<'_>,
        edit: &mut dyn FnMut(&Item, &str) -> Result<Item>,
    ) -> Result<Written> {
        let tracker = self.tracker;
        let Some(stored) = self.hold(id)?.now.clone() else { return Err(tracker.missing(id)) };
        let warnings = super::guard::admit(tracker.settings(), &stored, write)?;
        let at = crate::model::timestamp::format(tracker.clock().now());
        let mut after = edit(&stored.item, &at)?;
        conflicts::decide_changed(&stored.item, &mut after);
        after
            .metadata
            .insert("id".to_owned(), stored.item.metadata.get("id").cloned().unwrap_or_else(|| id.into()));
        if after.metadata.get("updated_at") == stored.item.metadata.get("updated_at") {
            let canonical = canonical(&after)?;
            if canonical == stored.item {
                return Ok(Written {
                    id: id.to_owned(),
                    before: Some(stored.item.clone()),
                    after: Some(stored.item),
                    changed: Vec::new(),
                    unchanged: true,
                    warnings,
                });
            }
            after.metadata.insert("updated_at".to_owned(), at.as_str().into());
        }
        let mut written = self.put(id, Some(after), write, &at)?;
        written.warnings.splice(0..0, warnings);
        Ok(written)
    }

    /// As [`Tracker::delete`].
    pub fn delete(&mut self, id: &str, write: &Write<'_>) -> Result<Written> {
        let tracker = self.tracker;
        let Some(stored) = self.hold(id)?.now.clone() else { return Err(tracker.missing(id)) };
        let warnings = super::guard::admit(tracker.settings(), &stored, write)?;
        let at = crate::model::timestamp::format(tracker.clock().now());
        let mut written = self.put(id, None, write, &at)?;
        written.warnings.splice(0..0, warnings);
        Ok(written)
    }

    /// Gives an item another state within the transaction, with its entry.
    fn put(&mut self, id: &str, after: Option<Item>, write: &Write<'_>, at: &str) -> Result<Written> {
        let after = after.map(|item| self.settle(id, item)).transpose()?;
        let settings = self.tracker.settings();
        let held = self.hold(id)?;
        if let Some(after) = &after {
            let before = held.now.as_ref().map(|stored| &stored.item);
            held.warnings.extend(super::guard::secrets(settings, before, &after.item)?);
        }
        let before = held.now.take();
        let from = before.as_ref().map(|stored| &stored.item);
        let to = after.as_ref().map(|stored| &stored.item);
        held.lines.push_str(&entry::line(&Heading::of(write, at), from, to));
        let written = Written {
            id: id.to_owned(),
            changed: changed(from, to),
            before: from.cloned(),
            after: to.cloned(),
            unchanged: false,
            warnings: std::mem::take(&mut held.warnings),
        };
        held.now = after;
        Ok(written)
    }

    /// Gives an item another state with entries that tell of it already.
    pub(super) fn continue_with(&mut self, id: &str, item: Item, lines: String) -> Result<Written> {
        let after = self.settle(id, item)?;
        let held = self.hold(id)?;
        held.lines.push_str(&lines);
        let before = held.now.replace(after).map(|stored| stored.item);
        let after = held.now.as_ref().map(|stored| stored.item.clone());
        Ok(Written {
            id: id.to_owned(),
            changed: changed(before.as_ref(), after.as_ref()),
            before,
            after,
            unchanged: false,
            warnings: std::mem::take(&mut held.warnings),
        })
    }

    /// The canonical item and the path where it goes: what it would be read back as.
    fn settle(&mut self, id: &str, item: Item) -> Result<Stored> {
        let tracker = self.tracker;
        let path = self.destination(id, &item)?;
        let text = item::encode(&item)?;
        tracker.decode_item(path, text.as_bytes())
    }

    /// Where an item's file goes. An item of a kind that nobody declared stays in the folder where it lies.
    fn destination(&mut self, id: &str, item: &Item) -> Result<String> {
        let kinds = &self.tracker.schema().kinds;
        let held = self.hold(id)?;
        let found = held.file.as_ref().map(|(path, _)| path.as_str());
        let same_kind = held.now.as_ref().is_some_and(|stored| stored.item.kind() == item.kind());
        let folder = match found.and_then(|path| path.rsplit_once('/')) {
            Some((folder, _)) if same_kind && kinds.resolve(item.kind()).is_none() => folder.to_owned(),
            _ => kinds.folder_of(item.kind()),
        };
        let stem = found.and_then(|path| path.rsplit('/').next()).and_then(|name| name.rsplit_once('.'));
        let path = format!("{folder}/{}.toon", stem.map_or(id, |(stem, _)| stem));
        if found != Some(path.as_str()) && self.tracker.root().join(&path).symlink_metadata().is_ok() {
            return Err(Error::new(Code::ItemPathOccupied, format!("`{path}` exists already")).at(path));
        }
        Ok(path)
    }

    /// Adds a stream that is written anew, made by the caller, who holds its lock.
    pub(super) fn document(&mut self, group: Group) {
        self.documents.push(group);
    }

    /// Lands every change, or none; then the locks are free. A dry run lands nothing.
    ///
    /// Errors: `tracker_read_only`, `storage_full`, `write_failed`; nothing was changed then.
    pub fn commit(self) -> Result<()> {
        let mut groups = Vec::new();
        for (id, held) in &self.items {
            if held.lines.is_empty() {
                continue;
            }
            let mut files = Vec::new();
            let target = held.now.as_ref().map(|stored| stored.path.as_str());
            if let Some(stored) = &held.now {
                let before = held
                    .file
                    .as_ref()
                    .filter(|(path, _)| *path == stored.path)
                    .map(|(_, bytes)| bytes.clone());
                let after = Some(item::encode(&stored.item)?);
                files.push(FileChange { path: stored.path.clone(), before, after });
            }
            if let Some((path, bytes)) = &held.file
                && target != Some(path.as_str())
            {
                files.push(FileChange { path: path.clone(), before: Some(bytes.clone()), after: None });
            }
            let text = format!("{}{}", held.preface, held.lines);
            groups.push(Group {
                stream: history::path(id),
                existed: held.existed,
                keep: held.keep,
                text,
                files,
            });
        }
        groups.extend(self.documents.iter().cloned());
        groups.extend(self.workspace.group());
        if self.dry_run || groups.is_empty() {
            return Ok(());
        }
        let locks: Vec<String> = self.locks.keys().cloned().collect();
        let tracker = self.tracker;
        let warnings = journal::commit(tracker.root(), &locks, &groups, &tracker.fault)
            .map_err(|error| self.not_written(&error))?;
        tracker.fence.borrow_mut().extend(warnings);
        tracker.landed.borrow_mut().extend(groups.iter().map(landed));
        Ok(())
    }
}

/// What a group did, as its entries say.
fn landed(group: &Group) -> Landed {
    let name = group.stream.rsplit('/').next().unwrap_or_default();
    // A stream that was written anew tells in its last line why.
    let rewritten =
        group.files.iter().find(|file| file.path == group.stream).and_then(|file| file.after.as_deref());
    let lines = match rewritten {
        Some(text) => text.lines().last().unwrap_or_default(),
        None => group.text.as_str(),
    };
    let op = |line: &str| {
        let entry: serde_json::Value = serde_json::from_str(line).ok()?;
        entry.get("op")?.as_str().map(str::to_owned)
    };
    Landed { id: name.trim_end_matches(".jsonl").to_owned(), ops: lines.lines().filter_map(op).collect() }
}

fn stream_size(tracker: &Tracker, id: &str) -> u64 {
    tracker.tree.stamp(&history::path(id)).ok().flatten().map_or(0, |stamp| stamp.size)
}

fn canonical(item: &Item) -> Result<Item> {
    crate::model::canonical::canonical_item(item)
        .map_err(|error| Error::new(Code::ItemDocumentInvalid, error.to_string()).because(error))
}

/// The fields that differ, in canonical order, the body last. `updated_at` counts only for an item that is new.
fn changed(before: Option<&Item>, after: Option<&Item>) -> Vec<String> {
    let none = Item::default();
    let (old, new) = (before.unwrap_or(&none), after.unwrap_or(&none));
    let order = |item: &Item| item.metadata.keys().cloned().collect::<Vec<_>>();
    let mut keys = order(new);
    keys.extend(order(old).into_iter().filter(|key| !new.metadata.contains_key(key)));
    keys.retain(|key| old.metadata.get(key) != new.metadata.get(key));
    if before.is_some() {
        keys.retain(|key| key != "updated_at");
    }
    if old.body != new.body {
        keys.push("body".to_owned());
    }
    keys
}
