//! History chains: replay and verification (storage.md §4.3).

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::domain::hash::{Epoch, Fingerprint, Variant, item_hash};
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
    /// What is wrong between the stream and the item beside it (none when it was deleted or is missing): the stream's
    /// own fault, or `current_item_hash_mismatch`; `None` when they agree.
    pub fn disagreement(&self, current: Option<&Item>) -> Option<String> {
        if self.fault.is_some() {
            return self.fault.clone();
        }
        let current = item_hash(current.unwrap_or(&Item::default()), self.epoch);
        // The second question matters where the stream was hashed in another way than the item is now.
        let agrees =
            self.latest_after_hash.as_ref() == Some(&current) || item_hash(&self.item, self.epoch) == current;
        (!agrees).then(|| "current_item_hash_mismatch".to_owned())
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

/// The item after each entry from number `from` on (counted from 0), whatever their hashes say.
///
/// Errors: the entry's number, counted from 1, whose patch does not apply, and why.
pub fn states(entries: &[Value], from: usize) -> Result<Vec<Item>, (usize, PatchError)> {
    let mut document = Document::new();
    let mut states = Vec::with_capacity(entries.len().saturating_sub(from));
    for (n, entry) in entries.iter().enumerate() {
        document.apply(entry).map_err(|error| (n + 1, error))?;
        if n >= from {
            states.push(document.item());
        }
    }
    Ok(states)
}

/// A field that an entry changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its name; `body` is one.
    pub field: String,
    /// Null when it was not there.
    pub before: Value,
    /// Null when it is gone.
    pub after: Value,
}

/// What the entries from number `from` on (counted from 0) changed, entry by entry, whatever their hashes say.
///
/// Errors: the entry's number, counted from 1, whose patch does not apply, and why.
pub fn changes(entries: &[Value], from: usize) -> Result<Vec<Vec<Change>>, (usize, PatchError)> {
    let mut document = Document::new();
    let mut all = Vec::with_capacity(entries.len().saturating_sub(from));
    for (n, entry) in entries.iter().enumerate() {
        let fields = if n < from { Vec::new() } else { touched_fields(entry) };
        let before: Vec<Value> = fields.iter().map(|field| document.field(field)).collect();
        document.apply(entry).map_err(|error| (n + 1, error))?;
        if n >= from {
            let changed = fields.into_iter().zip(before).map(|(field, before)| {
                let after = document.field(&field);
                Change { field, before, after }
            });
            all.push(changed.filter(|change| change.before != change.after).collect());
        }
    }
    Ok(all)
}

/// The fields that an entry's patch names, sorted; `body` is one.
pub fn touched_fields(entry: &Value) -> Vec<String> {
    let mut fields = std::collections::BTreeSet::new();
    for op in entry.get("patch").and_then(Value::as_array).into_iter().flatten() {
        let paths = ["path", "from"].into_iter().filter_map(|key| op.get(key)?.as_str());
        for path in paths {
            let mut parts = path.trim_start_matches('/').split('/');
            match (parts.next().unwrap_or_default(), parts.next()) {
                ("metadata" | "front_matter", Some(field)) => {
                    fields.insert(field.replace("~1", "/").replace("~0", "~"));
                }
                ("body", _) => drop(fields.insert("body".to_owned())),
                ("metadata" | "front_matter", None) => fields.extend(keys(op.get("value"))),
                ("", None) => {
                    let value = op.get("value");
                    let metadata = value.and_then(|v| v.get("metadata").or_else(|| v.get("front_matter")));
                    fields.extend(keys(metadata));
                    fields.extend(value.and_then(|v| v.get("body")).map(|_| "body".to_owned()));
                }
                _ => {}
            }
        }
    }
    fields.into_iter().collect()
}

fn keys(value: Option<&Value>) -> impl Iterator<Item = String> {
    value.and_then(Value::as_object).into_iter().flat_map(|map| map.keys().cloned())
}

/// Verification under way.
struct Chain {
    document: Document,
    /// The hashes of the document in the first and in the second epoch.
    hashes: [Hashes; 2],
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

    fn has(&self, epoch: Epoch, hash: &str) -> bool {
        let hashes = &self.hashes[epoch as usize - 1];
        hashes.canonical == hash || hashes.stored_tags.as_deref() == Some(hash)
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
            candidates.iter().copied().filter(|epoch| self.has(*epoch, before)).collect();
        self.document.apply(entry).map_err(|_| format!("patch_apply_failed:entry_{n}"))?;
        if possible.is_empty() {
            return Err(format!("before_hash_mismatch:entry_{n}"));
        }
        self.hashes = self.document.hashes();
        let after = entry.get("after_hash").and_then(Value::as_str).unwrap_or_default();
        let verified = possible.into_iter().find(|epoch| self.has(*epoch, after));
        self.used = verified.ok_or_else(|| format!("after_hash_mismatch:entry_{n}"))?;
        self.authoritative = named.or(self.authoritative);
        Ok(())
    }
}

/// The hashes that a document may have in one epoch.
#[derive(Clone)]
struct Hashes {
    canonical: String,
    /// With the tags in their stored order, where that is another.
    stored_tags: Option<String>,
}

/// The epoch that an entry names; the version as written when nobody knows it.
pub(super) fn named_epoch(entry: &Value) -> Result<Option<Epoch>, String> {
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
pub(super) struct Document {
    value: Value,
    print: Fingerprint,
    copied: usize,
}

impl Document {
    pub(super) fn new() -> Document {
        Document { value: json!({"metadata": {}, "body": ""}), print: Fingerprint::default(), copied: 0 }
    }

    /// Applies an entry's patch. What is no operation at all is skipped, as the reference does.
    pub(super) fn apply(&mut self, entry: &Value) -> Result<(), PatchError> {
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
        }
        if !self.value["metadata"].is_object() || !self.value["body"].is_string() {
            let problem = "the patch leaves no document".to_owned();
            return Err(PatchError { op: String::new(), path: String::new(), problem });
        }
        self.refresh(touched);
        Ok(())
    }

    /// A document to try a patch on; its hash is not asked for.
    pub(super) fn copy(&self) -> Document {
        Document { value: self.value.clone(), print: Fingerprint::default(), copied: self.copied }
    }

    /// The hash of the canonical document.
    pub(super) fn hash(&self, epoch: Epoch) -> String {
        let body = self.value.get("body").unwrap_or(&Value::Null);
        self.print.hash(metadata(&self.value), body, Variant { epoch, stored_tags: false })
    }

    pub(super) fn item(&self) -> Item {
        let body = self.value["body"].as_str().unwrap_or_default().to_owned();
        Item { metadata: metadata(&self.value).clone(), body }
    }

    /// A field as it is now, null when there is none.
    fn field(&self, name: &str) -> Value {
        let found = match name {
            "body" => self.value.get("body"),
            _ => metadata(&self.value).get(name),
        };
        found.cloned().unwrap_or(Value::Null)
    }

    fn refresh(&mut self, touched: Touched) {
        let metadata = metadata(&self.value);
        if touched.everything || touched.fields.len() > TOUCHED_ONE_BY_ONE {
            self.print = Fingerprint::of(metadata);
        } else {
            for key in touched.fields {
                self.print.set(&key, metadata.get(&key));
            }
        }
    }

    fn hashes(&self) -> [Hashes; 2] {
        let body = self.value.get("body").unwrap_or(&Value::Null);
        let hash =
            |epoch, stored_tags| self.print.hash(metadata(&self.value), body, Variant { epoch, stored_tags });
        let both = |epoch| Hashes {
            canonical: hash(epoch, false),
            stored_tags: (!self.print.tags_are_sorted()).then(|| hash(epoch, true)),
        };
        let second = both(Epoch::Second);
        [if self.print.epochs_agree() { second.clone() } else { both(Epoch::First) }, second]
    }

    pub(super) fn into_item(mut self) -> Item {
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

/// From how many fields on the hash of the whole document is made anew.
const TOUCHED_ONE_BY_ONE: usize = 100;

/// The fields whose hash has to be made anew.
#[derive(Default)]
struct Touched {
    fields: HashSet<String>,
    everything: bool,
}

impl Touched {
    fn add(&mut self, path: &[std::borrow::Cow<'_, str>]) {
        match path {
            [] => self.everything = true,
            [first] if first == "metadata" => self.everything = true,
            [first, field, ..] if first == "metadata" && !self.fields.contains(field.as_ref()) => {
                self.fields.insert(field.clone().into_owned());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::hash::GENESIS;
    use crate::domain::patch::diff_items;

    fn item(metadata: Value) -> Item {
        let mut whole = json!({
            "id": "pm-a", "title": "A", "description": "", "type": "Task", "status": "open", "priority": 2,
            "tags": [], "created_at": "2026-07-28T10:00:00.000Z", "updated_at": "2026-07-28T10:00:00.000Z",
        });
        for (key, value) in metadata.as_object().unwrap() {
            whole[key] = value.clone();
        }
        Item { metadata: serde_json::from_value(whole).unwrap(), body: "text".to_owned() }
    }

    /// A stream through these items; `None` is a deleted one.
    fn stream(items: &[Option<Item>], epoch: Epoch, named: bool) -> Vec<Value> {
        let mut before: Option<&Item> = None;
        let hash = |item: Option<&Item>| item.map_or(GENESIS.to_owned(), |item| item_hash(item, epoch));
        let entries = items.iter().map(|after| {
            let mut entry = json!({
                "patch": diff_items(before, after.as_ref()),
                "before_hash": hash(before), "after_hash": hash(after.as_ref()),
            });
            if named {
                entry["item_hash_version"] = json!(epoch as u8);
            }
            before = after.as_ref();
            entry
        });
        entries.collect()
    }

    fn three() -> [Option<Item>; 3] {
        [
            Some(item(json!({}))),
            Some(item(json!({"tags": ["b", "a"], "tests": [
                {"command": "b", "scope": "project"}, {"command": "a", "scope": "project"}]}))),
            Some(item(json!({"title": "B", "deadline": ""}))),
        ]
    }

    #[test]
    fn chains_of_every_age_verify() {
        for (epoch, named) in
            [(Epoch::First, false), (Epoch::First, true), (Epoch::Second, false), (Epoch::Second, true)]
        {
            let entries = stream(&three(), epoch, named);
            let replay = verify(&entries);
            assert_eq!((replay.fault.as_deref(), replay.entries, replay.epoch), (None, 3, epoch));
            assert_eq!(replay.disagreement(three()[2].as_ref()), None);
            assert_eq!(replay.disagreement(None).as_deref(), Some("current_item_hash_mismatch"));
            assert_eq!(item_after(&entries, 1).unwrap(), three()[0].clone().unwrap());
        }
        let mixed: Vec<Value> = {
            let old = stream(&three()[..1], Epoch::First, false);
            let new = stream(&three(), Epoch::Second, true);
            old.into_iter().chain(new.into_iter().skip(1)).collect()
        };
        assert_eq!(verify(&mixed).fault, None);
    }

    #[test]
    fn changes_are_told_field_by_field() {
        let entries = stream(&three(), Epoch::Second, true);
        let names = |n: usize| {
            let all = changes(&entries, n).unwrap();
            all.iter()
                .map(|entry| entry.iter().map(|c| c.field.clone()).collect::<Vec<_>>().join(" "))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(1), ["tags tests", "deadline tags tests title"]);
        assert_eq!(names(0).len(), 3);
        assert_eq!(
            touched_fields(
                &json!({"patch": [{"op": "add", "path": "", "value": {"front_matter": {"b": 1, "a": 2}, "body": ""}}]})
            ),
            ["a", "b", "body"]
        );
    }

    #[test]
    fn a_deleted_item_ends_in_the_genesis_hash() {
        let entries = stream(&[three()[0].clone(), None], Epoch::Second, true);
        let replay = verify(&entries);
        assert_eq!((&replay.fault, replay.latest_after_hash.as_deref()), (&None, Some(GENESIS)));
        assert_eq!(replay.disagreement(None), None);
        assert_eq!(replay.item, Item::default());
    }

    #[test]
    fn faults_are_named_with_their_entry() {
        let good = stream(&three(), Epoch::Second, true);
        let with = |n: usize, key: &str, value: Value| {
            let mut entries = good.clone();
            entries[n][key] = value;
            verify(&entries).fault.unwrap_or_default()
        };
        assert_eq!(with(1, "after_hash", json!("x")), "after_hash_mismatch:entry_2");
        assert_eq!(with(1, "before_hash", json!("x")), "before_hash_mismatch:entry_2");
        assert_eq!(with(2, "item_hash_version", json!(3)), "unsupported_item_hash_version:3:entry_3");
        assert_eq!(
            with(0, "patch", json!([{"op": "remove", "path": "/metadata/x"}])),
            "patch_apply_failed:entry_1"
        );
        assert_eq!(
            with(0, "patch", json!([{"op": "remove", "path": "/body"}])),
            "patch_apply_failed:entry_1"
        );
        assert_eq!(with(0, "patch", json!("none")), "after_hash_mismatch:entry_1");
        let lost: Vec<Value> = [&good[..1], &good[2..]].concat();
        assert_eq!(verify(&lost).entries, 2);
        assert!(verify(&lost).fault.is_some_and(|fault| fault.ends_with(":entry_2")));
    }

    #[test]
    fn old_paths_and_stray_operations_are_understood() {
        let mut entries = stream(&three(), Epoch::Second, true);
        for entry in &mut entries {
            let patch = entry["patch"].to_string().replace("/metadata", "/front_matter");
            entry["patch"] = serde_json::from_str(&patch).unwrap();
            entry["patch"].as_array_mut().unwrap().push(json!({"op": 1, "path": "/body"}));
        }
        assert_eq!(verify(&entries).fault, None);
    }

    #[test]
    fn tags_hashed_in_the_order_of_another_locale_verify() {
        let stored = item(json!({"tags": ["b", "z", "aa"]}));
        let mut entries = stream(&[Some(stored.clone())], Epoch::Second, true);
        let print = Fingerprint::of(&stored.metadata);
        let variant = Variant { epoch: Epoch::Second, stored_tags: true };
        let hash = print.hash(&stored.metadata, &json!("text"), variant);
        assert_ne!(entries[0]["after_hash"], json!(hash));
        entries[0]["after_hash"] = json!(hash);
        let replay = verify(&entries);
        assert_eq!(replay.fault, None);
        assert_eq!(replay.disagreement(Some(&stored)), None);
    }

    #[test]
    fn what_has_no_canonical_form_is_hashed_as_it_is() {
        let broken = item(json!({"dependencies": [{"kind": "blocks"}]}));
        let fallback = crate::codec::json::stable(&json!({
            "replay_fallback": true, "metadata": broken.metadata, "body": "text"}));
        let entries = stream(&[Some(broken.clone()), three()[0].clone()], Epoch::Second, true);
        assert_eq!(verify(&entries).fault, None);
        use sha2::Digest;
        let expected: String = sha2::Sha256::digest(fallback).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(item_hash(&broken, Epoch::First), expected);
        assert_eq!(item_hash(&Item::default(), Epoch::Second), GENESIS);
    }

    #[test]
    fn copies_cannot_grow_without_bound() {
        let text = "x".repeat(1000);
        let double: Vec<Value> = (0..40)
            .map(|n| json!({"op": "copy", "from": "/metadata/a", "path": format!("/metadata/a/k{n}")}))
            .collect();
        let start = json!({"op": "add", "path": "/metadata/a", "value": {"t": text}});
        let patch = [vec![start], double].concat();
        let entry = json!({ "patch": patch });
        assert_eq!(verify([&entry]).fault.as_deref(), Some("patch_apply_failed:entry_1"));
    }
}
