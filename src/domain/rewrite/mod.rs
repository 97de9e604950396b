//! Streams written anew as a whole: secrets taken out, many entries made one, broken chains mended (storage.md §4.5).
//!
//! Pure functions over entries. Whatever they change, the result verifies: every hash is made anew where it has to be.

mod compact;
mod redact;
mod repair;

pub use compact::{Compacted, compact};
pub(super) use redact::FIXED;
pub use redact::{Pattern, Pen, Redacted, redact, redact_stream};
pub use repair::{Damage, Repaired, repair, salvage};

use serde_json::Value;

use crate::domain::chain::{self, Document};
use crate::domain::hash::Epoch;
use crate::domain::patch::PatchError;
use crate::model::item::Item;

/// Why a stream cannot be written anew.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RewriteError {
    /// An entry follows rules that only a newer program knows.
    #[error("entry {entry} has hash version {version}, which this program does not know")]
    NewerHash {
        /// Counted from 1.
        entry: usize,
        /// As written.
        version: String,
    },
    /// An entry's patch does not apply to what stands before it.
    #[error("entry {entry} does not apply: {problem}")]
    Patch {
        /// Counted from 1.
        entry: usize,
        /// What is wrong.
        problem: PatchError,
    },
    /// The chain does not verify.
    #[error("the chain does not verify: {0}")]
    Chain(String),
    /// A field by which the item is found and filed would change.
    #[error("it would change `{0}`")]
    Fixed(&'static str),
}

/// The epoch for entries that name none, unless one before them did: that of the named ones where it is one, else
/// the one under which the stream verified, else the first (storage.md §4.5).
fn epoch_of(entries: &[Value]) -> Result<Epoch, RewriteError> {
    let mut named = Vec::new();
    for (n, entry) in entries.iter().enumerate() {
        let epoch =
            chain::named_epoch(entry).map_err(|version| RewriteError::NewerHash { entry: n + 1, version })?;
        named.extend(epoch);
    }
    Ok(match named.first() {
        Some(first) if named.iter().all(|epoch| epoch == first) => *first,
        Some(_) => Epoch::Second,
        None => {
            let replay = chain::verify(entries);
            if replay.fault.is_none() { replay.epoch } else { Epoch::First }
        }
    })
}

/// How the entries of a stream get their hashes.
struct Anchor {
    document: Document,
    fallback: Epoch,
    named: Option<Epoch>,
    /// The hash of the document, for the epoch it was last asked in.
    latest: Option<(Epoch, String)>,
    /// How many entries have other hashes than before.
    rehashed: usize,
}

impl Anchor {
    fn new(fallback: Epoch) -> Anchor {
        Anchor { document: Document::new(), fallback, named: None, latest: None, rehashed: 0 }
    }

    fn epoch(&mut self, entry: &Value) -> Epoch {
        // Unknown versions were refused before.
        self.named = chain::named_epoch(entry).ok().flatten().or(self.named);
        self.named.unwrap_or(self.fallback)
    }

    fn hash(&self, epoch: Epoch) -> String {
        match &self.latest {
            Some((of, hash)) if *of == epoch => hash.clone(),
            _ => self.document.hash(epoch),
        }
    }

    /// Applies the entry's patch and gives it the hashes that its place needs.
    fn lay(&mut self, mut entry: Value) -> Result<Value, PatchError> {
        let epoch = self.epoch(&entry);
        let before = self.hash(epoch);
        self.document.apply(&entry)?;
        let after = self.document.hash(epoch);
        self.latest = Some((epoch, after.clone()));
        let has = |key: &str, hash: &str| entry.get(key).and_then(Value::as_str) == Some(hash);
        if !has("before_hash", &before) || !has("after_hash", &after) {
            self.rehashed += 1;
            entry["before_hash"] = before.into();
            entry["after_hash"] = after.into();
        }
        Ok(entry)
    }

    fn item(self) -> Item {
        self.document.into_item()
    }
}
