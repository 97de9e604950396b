//! A tracker: open it, read a snapshot of its records, read an item, change it.
//!
//! The boundary of the library: everything above works through these calls, everything below is `store`.

mod adopting;
mod archive;
mod batches;
mod document;
mod entry;
mod events;
mod focus;
mod garbage;
mod guard;
mod hooks;
mod marked;
mod merging;
mod open;
mod read;
mod redaction;
mod returned;
mod rewrite;
mod search;
mod snapshots;
mod streams;
mod survey;
mod templates;
#[cfg(test)]
mod tests;
mod transaction;
mod unjoined;
mod usage;
mod work;

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::clock::Clock;
use crate::error::Result;
use crate::ids::Tokens;
use crate::model::item::Item;
use crate::model::records::Records;
use crate::model::schema::Schema;
use crate::model::settings::Settings;
use crate::store::WorkTree;
use crate::store::fault::Fault;
use crate::store::git;
use crate::store::paths::Place;
use crate::store::settings::{self, Configuration};
use crate::store::setup;

pub use archive::{StateDifference, WorkspaceRestored, WorkspaceSnapshot};
pub use document::{Document, DocumentWritten};
pub use events::StreamStates;
pub use hooks::{HooksAllowed, Landed, RUNNING as RUNNING_HOOK};
pub use merging::{DocumentVersions, ItemVersions, MergeReceipt};
pub use open::Opening;
pub use redaction::Scrubbed;
pub use rewrite::{Found, Rewriting};
pub use transaction::Transaction;
pub use work::{Work, WorkWanted};

/// Who acts: the author written into history, the principal that holds claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The author.
    pub author: String,
    /// How it was found: `asserted`, `configured`, `detected`, `unknown`.
    pub source: &'static str,
    /// Whose claims these are: the session when there is one, else the author (product.md §5.9).
    pub principal: String,
    /// Harness attribution for history entries (`agent_harness`, ...), in wire order; may be empty.
    pub provenance: Vec<(String, Value)>,
}

/// How a change is to be made.
#[derive(Clone, Debug)]
pub struct Write<'a> {
    /// The operation's name in history: `update`, `comment_add`, ...
    pub op: &'a str,
    /// Who does it.
    pub actor: &'a Actor,
    /// The message of the entry; `create` writes an empty one when there is none.
    pub message: Option<&'a str>,
    /// `context` of the entry.
    pub context: Option<Value>,
    /// `--if-hash`: the hash that the item must have now.
    pub if_hash: Option<&'a str>,
    /// `--if-updated-at`: the time of the last change that it must have now.
    pub if_updated_at: Option<&'a str>,
    /// Says what would change, writes nothing.
    pub dry_run: bool,
    /// Overrides claims, stale locks and other guards that can be overridden.
    pub force: bool,
}

/// What a change did, or with `dry_run` would do.
#[derive(Clone, Debug)]
pub struct Written {
    /// The full id.
    pub id: String,
    /// The item before; none for a new one.
    pub before: Option<Item>,
    /// The item after; none for a deleted one.
    pub after: Option<Item>,
    /// The fields that differ, in canonical order, `updated_at` left out, `body` last.
    pub changed: Vec<String>,
    /// Nothing differed, so nothing was written.
    pub unchanged: bool,
    /// Warnings: `ownership_warning:...`, ...
    pub warnings: Vec<String>,
}

/// An item as it lies in the tracker.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The canonical item.
    pub item: Item,
    /// Its path below the tracker root, with `/`.
    pub path: String,
    /// What the reader had to say.
    pub warnings: Vec<String>,
}

/// An open tracker.
#[derive(Debug)]
pub struct Tracker {
    place: Place,
    tree: WorkTree,
    configuration: Configuration,
    clock: Clock,
    tokens: Tokens,
    program: PathBuf,
    search_path: String,
    lock_wait_ms: Option<u64>,
    fault: Fault,
    landed: RefCell<Vec<Landed>>,
    records: OnceCell<Records>,
    listing: OnceCell<Records>,
    folders: OnceCell<Vec<String>>,
    promised: RefCell<Vec<String>>,
    /// What changes of the schema changed in Git's own files, as warnings.
    fence: RefCell<Vec<String>>,
    merge: OnceCell<Option<git::Merge>>,
}

impl Tracker {
    /// The tracker root: the folder with `settings.json`.
    pub fn root(&self) -> &Path {
        &self.place.root
    }

    /// The folder that the tracker speaks about: the one with `.agents` in it.
    pub fn workspace(&self) -> &Path {
        &self.place.workspace
    }

    /// The settings, defaults beneath.
    pub fn settings(&self) -> &Settings {
        &self.configuration.settings
    }

    /// Statuses, kinds, custom fields.
    pub fn schema(&self) -> &Schema {
        &self.configuration.schema
    }

    /// What of settings and schema could not be used: every answer passes it on as warnings.
    pub fn warnings(&self) -> &[String] {
        &self.configuration.warnings
    }

    /// The tracker's clock: that of the call.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Tokens for new names: reproducible when the call is.
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Tells Git how to merge the folders of every kind that the files declare now, if it knows how to merge this
    /// tracker at all. Returns what changed, with what the changes of this value changed already, as warnings.
    pub fn refresh_merge_fence(&self) -> Vec<String> {
        let mut said = self.fence.take();
        let kinds = settings::read(&self.tree).schema.kinds;
        said.extend(setup::refresh_merge_fence(&self.place, &kinds, &self.program));
        said
    }

    /// Tells Git how to merge this tracker; a dry run changes nothing. Returns what changed, or would, as warnings.
    ///
    /// Errors: `merge_root_not_found`, `merge_git_config_unwritable`, `write_failed`.
    pub fn install_merge_fence(&self, dry_run: bool) -> Result<Vec<String>> {
        setup::install_merge_fence(&self.place, &self.schema().kinds, &self.program, dry_run)
    }

    /// The snapshot of all records, read once and kept: changes made through this value are not in it.
    ///
    /// Errors: the root cannot be listed.
    pub fn records(&self) -> Result<&Records> {
        if let Some(records) = self.records.get() {
            return Ok(records);
        }
        let records = self.load()?;
        Ok(self.records.get_or_init(|| records))
    }

    /// A fresh snapshot of all records: for checks that must hold under a lock.
    ///
    /// Errors: as [`Tracker::records`].
    pub fn reload(&self) -> Result<Records> {
        self.load()
    }

    /// Writes a new item. Its `id` may be empty: then one is generated, probed and retried. `created_at` and
    /// `updated_at` are the present instant unless they are given.
    ///
    /// Errors: `item_already_exists`, those of [`Tracker::transaction`] and [`Transaction::commit`].
    pub fn create(&self, item: Item, write: &Write<'_>) -> Result<Written> {
        let mut transaction = self.transaction(write)?;
        let written = transaction.create(item, write)?;
        transaction.commit().map(|()| written)
    }

    /// Changes an item under its lock: `edit` gets the item as it is now and the time of the change, and returns
    /// what it should become. No difference: nothing is written. `updated_at` becomes that time unless `edit`
    /// itself changed it.
    ///
    /// Errors: those of reading the item, `lock_conflict`, `lock_stale`, `ownership_conflict`, `if_hash_mismatch`,
    /// `if_updated_at_mismatch`, `item_format_newer`, and whatever `edit` returns; nothing was changed then.
    pub fn change(
        &self,
        id: &str,
        write: &Write<'_>,
        edit: &mut dyn FnMut(&Item, &str) -> Result<Item>,
    ) -> Result<Written> {
        let mut transaction = self.transaction(write)?;
        let written = transaction.change(id, write, edit)?;
        transaction.commit().map(|()| written)
    }

    /// Removes an item and ends its stream. Whether others point at it is for the caller to ask.
    ///
    /// Errors: as [`Tracker::change`].
    pub fn delete(&self, id: &str, write: &Write<'_>) -> Result<Written> {
        let mut transaction = self.transaction(write)?;
        let written = transaction.delete(id, write)?;
        transaction.commit().map(|()| written)
    }
}
