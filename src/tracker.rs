//! A tracker: open it, read a snapshot of its records, read an item, change it.
//!
//! The boundary of the library: everything above works through these calls, everything below is `store`.

use serde_json::Value;

use crate::error::Result;
use crate::model::item::Item;
use crate::model::records::Records;

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
pub struct Tracker {}

impl Tracker {
    /// The snapshot of all records, read once and kept.
    pub fn records(&self) -> Result<&Records> {
        todo!()
    }

    /// Finds the full id for what a user typed: any case, with or without `#` and prefix, or a unique short form.
    ///
    /// Errors: `item_not_found` with the nearest ids, `ambiguous_item_id` with the candidates.
    pub fn resolve(&self, _typed: &str) -> Result<String> {
        todo!()
    }

    /// Reads the item with this full id.
    pub fn item(&self, _id: &str) -> Result<Stored> {
        todo!()
    }

    /// Reads the history stream of this full id, oldest entry first; empty when there is none.
    pub fn history(&self, _id: &str) -> Result<Vec<Value>> {
        todo!()
    }

    /// Writes a new item. Its `id` may be empty: then one is generated, probed and retried.
    pub fn create(&self, _item: Item, _write: &Write<'_>) -> Result<Written> {
        todo!()
    }

    /// Changes an item under its lock: `edit` gets the item as it is now and the time of the change, and returns
    /// what it should become. No difference: nothing is written.
    pub fn change(
        &self,
        _id: &str,
        _write: &Write<'_>,
        _edit: &mut dyn FnMut(&Item, &str) -> Result<Item>,
    ) -> Result<Written> {
        todo!()
    }

    /// Removes an item and ends its stream.
    pub fn delete(&self, _id: &str, _write: &Write<'_>) -> Result<Written> {
        todo!()
    }
}
