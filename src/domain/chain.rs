//! History chains: replay and verification (storage.md §4.3).

use serde_json::{Map, Value, json};

use crate::domain::hash::{Epoch, Fingerprint, item_hash};
use crate::domain::patch::{Operation, PatchError};
use crate::model::item::Item;

/// What a stream says, entry by entry, when replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The document after the last entry that applied.
    pub item: Item,
    /// How many entries were read.
    pub entries: usize,
    /// The epoch in force at the end.
    pub epoch: Epoch,
    /// `after_hash` of the last entry.
    pub latest_after_hash: Option<String>,
    /// The first fault: `after_hash_mismatch:entry_2`, ...
    pub fault: Option<String>,
}

impl Replay {
    /// What is wrong between the stream and the item beside it, `None` for a deleted or missing one: the stream's own
    /// fault or `current_item_hash_mismatch`; `None` when they agree.
    pub fn disagreement(&self, current: Option<&Item>) -> Option<String> {
        let agrees = || {
            self.latest_after_hash.as_deref()
                == Some(&item_hash(current.unwrap_or(&Item::default()), self.epoch))
        };
        self.fault.clone().or_else(|| (!agrees()).then(|| "current_item_hash_mismatch".to_owned()))
    }
}

/// Replays and verifies a stream, oldest entry first.
///
/// Stops at the first fault: `unsupported_item_hash_version:<version>:entry_<n>`, `patch_apply_failed:entry_<n>`,
/// `before_hash_mismatch:entry_<n>` or `after_hash_mismatch:entry_<n>`, entries counted from 1.
pub fn verify<'a>(entries: impl IntoIterator<Item = &'a Value>) -> Replay {
    let mut chain = Chain::new();
    let mut read = 0;
    let mut latest_after_hash = None;
    let mut fault = None;
    for entry in entries {
        read += 1;
        latest_after_hash = entry.get("after_hash").and_then(Value::as_str);
        if fault.is_none() {
            fault = chain.follow(entry, read).err();
        }
    }
    Replay {
        item: chain.document.into_item(),
        entries: read,
        epoch: chain.used,
        latest_after_hash: latest_after_hash.map(str::to_owned),
        fault,
    }
}

/// The item after the given number of entries, whatever their hashes say; the default item stands for none.
///
/// Errors: the entry's number, counted from 1, whose patch does not apply, and why.
pub fn item_after<'a>(
    entries: impl IntoIterator<Item = &'a Value>,
    count: usize,
) -> Result<Item, (usize, PatchError)> {
    let mut document = Document::new();
    for (n, entry) in entries.into_iter().take(count).enumerate() {
        document.apply(entry).map_err(|error| (n + 1, error))?;
    }
    Ok(document.into_item())
}

/// Verification under way.
struct Chain {
    document: Document,
    /// The hash of the document in the first and in the second epoch.
    hashes: [String; 2],
    /// The last epoch that an entry named.
    authoritative: Option<Epoch>,
    /// The epoch under which the last entry verified.
    used: Epoch,
}

impl Chain {
    fn new() -> Chain {
        let document = Document::new();
        let hashes = document.hashes();
        Chain { document, hashes, authoritative: None, used: Epoch::Second }
    }

    fn hash(&self, epoch: Epoch) -> &str {
        &self.hashes[epoch as usize - 1]
    }

    fn follow(&mut self, entry: &Value, n: usize) -> Result<(), String> {
        let named = named_epoch(entry)
            .map_err(|version| format!("unsupported_item_hash_version:{version}:entry_{n}"))?;
        let candidates: &[Epoch] = match named.or(self.authoritative) {
            Some(Epoch::First) => &[Epoch::First],
            Some(Epoch::Second) => &[Epoch::Second],
            None => &[Epoch::First, Epoch::Second],
        };
        let before = entry.get("before_hash").and_then(Value::as_str).unwrap_or_default();
        let possible: Vec<Epoch> =
            candidates.iter().copied().filter(|epoch| self.hash(*epoch) == before).collect();
        self.document.apply(entry).map_err(|_| format!("patch_apply_failed:entry_{n}"))?;
        if possible.is_empty() {
            return Err(format!("before_hash_mismatch:entry_{n}"));
        }
        self.hashes = self.document.hashes();
        let after = entry.get("after_hash").and_then(Value::as_str).unwrap_or_default();
        let verified = possible.into_iter().find(|epoch| self.hash(*epoch) == after);
        self.used = verified.ok_or_else(|| format!("after_hash_mismatch:entry_{n}"))?;
        self.authoritative = named.or(self.authoritative);
        Ok(())
    }
}

/// The epoch that an entry names; the version as written when nobody knows it.
fn named_epoch(entry: &Value) -> Result<Option<Epoch>, String> {
    match entry.get("item_hash_version") {
        None | Some(Value::Null) => Ok(None),
        Some(version) => match version.as_f64() {
            Some(1.0) => Ok(Some(Epoch::First)),
            Some(2.0) => Ok(Some(Epoch::Second)),
            _ => Err(version.as_str().map_or_else(|| version.to_string(), str::to_owned)),
        },
    }
}

/// The most bytes that `copy` operations may add in one stream; the reference never writes one.
const MAX_COPIED: usize = 16 * 1024 * 1024;

/// The document of a stream, `{metadata, body}`, and its hash kept up to date.
struct Document {
    value: Value,
    print: Fingerprint,
    copied: usize,
}

impl Document {
    fn new() -> Document {
        Document { value: json!({"metadata": {}, "body": ""}), print: Fingerprint::default(), copied: 0 }
    }

    /// Applies an entry's patch. What is no operation at all is skipped, as the reference does.
    fn apply(&mut self, entry: &Value) -> Result<(), PatchError> {
        let mut touched = Touched::default();
        for op in entry.get("patch").and_then(Value::as_array).into_iter().flatten() {
            let text = |key| op.get(key).is_some_and(Value::is_string);
            if !text("op") || !text("path") {
                continue;
            }
            let mut op = Operation::read(op)?;
            for path in op.paths_mut() {
                if let Some(first) = path.first_mut().filter(|first| *first == "front_matter") {
                    *first = "metadata".into();
                }
                touched.add(path);
            }
            self.copied = self.copied.saturating_add(op.copied(&self.value));
            if self.copied > MAX_COPIED {
                return Err(op.failed("copies too much"));
            }
            op.apply(&mut self.value).map_err(|problem| op.failed(problem))?;
            if self.value.get("metadata").is_none_or(|m| !m.is_object()) || self.value.get("body").is_none() {
                return Err(op.failed("leaves no document"));
            }
        }
        self.refresh(touched);
        Ok(())
    }

    fn refresh(&mut self, touched: Touched) {
        let metadata = metadata(&self.value);
        if touched.everything {
            self.print = Fingerprint::default();
            for (key, value) in metadata {
                self.print.set(key, Some(value));
            }
        } else {
            for key in touched.fields {
                self.print.set(&key, metadata.get(&key));
            }
        }
    }

    fn hashes(&self) -> [String; 2] {
        let body = self.value.get("body").unwrap_or(&Value::Null);
        let hash = |epoch| self.print.hash(metadata(&self.value), body, epoch);
        let second = hash(Epoch::Second);
        [if self.print.epochs_agree() { second.clone() } else { hash(Epoch::First) }, second]
    }

    fn into_item(mut self) -> Item {
        let mut take = |key| self.value.get_mut(key).map(Value::take);
        let metadata = match take("metadata") {
            Some(Value::Object(metadata)) => metadata,
            _ => Map::new(),
        };
        let body = match take("body") {
            Some(Value::String(body)) => body,
            _ => String::new(),
        };
        Item { metadata, body }
    }
}

fn metadata(document: &Value) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    document.get("metadata").and_then(Value::as_object).unwrap_or(&NONE)
}

/// The fields whose hash has to be made anew.
#[derive(Default)]
struct Touched {
    fields: Vec<String>,
    everything: bool,
}

impl Touched {
    fn add(&mut self, path: &[std::borrow::Cow<'_, str>]) {
        match path {
            [] => self.everything = true,
            [first] if first == "metadata" => self.everything = true,
            [first, field, ..] if first == "metadata" && !self.fields.iter().any(|known| known == field) => {
                self.fields.push(field.clone().into_owned());
            }
            _ => {}
        }
    }
}
