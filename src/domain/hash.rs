//! The hash of an item (storage.md §4.2).

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::codec::json;
use crate::model::canonical::{self, View};
use crate::model::collation::compare_utf16;
use crate::model::item::Item;

/// Which rules a hash follows; entries carry it as `item_hash_version`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Epoch {
    /// Entries without a version, and those that say 1.
    First = 1,
    /// What is written today.
    Second = 2,
}

/// The hash of no item: before `create`, after `delete`.
pub const GENESIS: &str = "3cc22dff72be7b14824654a7a64ea62b04799939b2fee54c1b5f52ca60bf6df0";

/// The hash of an item: 64 lower-case hex digits.
///
/// The item need not be canonical. One that has no canonical form, or no list of tags, is hashed as it is.
pub fn item_hash(item: &Item, epoch: Epoch) -> String {
    let print = Fingerprint::of(&item.metadata);
    print.hash(&item.metadata, &Value::from(item.body.as_str()), Variant { epoch, stored_tags: false })
}

/// A way to hash a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variant {
    pub(crate) epoch: Epoch,
    /// Tags in their stored order: what the reference hashed under a locale that sorts unlike the root.
    pub(crate) stored_tags: bool,
}

/// The hash of a document that changes field by field: only what changed is brought into its form again.
#[derive(Debug, Default)]
pub(crate) struct Fingerprint {
    /// What each field contributes, in the order in which it is hashed.
    fields: Vec<(String, Part)>,
    has_tags: bool,
    /// How many fields have no canonical form.
    broken: usize,
}

#[derive(Debug)]
enum Part {
    /// `"key":value`; `other` is what another variant hashes where that differs.
    Text { text: String, other: Option<String> },
    /// Dropped.
    Nothing,
    /// It has no canonical form.
    Broken,
}

impl Part {
    fn of(key: &str, value: &Value) -> Part {
        let form = match canonical::view(key, value) {
            Ok(Some(form)) => form,
            Ok(None) => return Part::Nothing,
            Err(_) => return Part::Broken,
        };
        let mut text = member(key);
        match &form {
            View::Same(value) => json::write_stable(value, &mut text),
            View::Text(value) => json::write_string(value, &mut text),
            View::List(entries) => json::write_stable_list(entries.iter().copied(), &mut text),
            View::Made(value) => json::write_stable(value, &mut text),
        }
        let other = match (key, form) {
            ("tests", View::Made(Value::Array(tests))) => {
                canonical::sort_as_first_epoch(tests).ok().flatten()
            }
            ("tags", _) => Some(canonical::tags_as_stored(value.clone())),
            _ => None,
        };
        let other = other.map(|other| {
            let mut text = member(key);
            json::write_stable(&other, &mut text);
            text
        });
        Part::Text { other: other.filter(|other| *other != text), text }
    }

    fn differs(&self) -> bool {
        matches!(self, Part::Text { other: Some(_), .. })
    }
}

/// `"key":`
fn member(key: &str) -> String {
    let mut text = String::new();
    json::write_string(key, &mut text);
    text.push(':');
    text
}

impl Fingerprint {
    /// Of a whole document.
    pub(crate) fn of(metadata: &Map<String, Value>) -> Fingerprint {
        let mut fields: Vec<_> =
            metadata.iter().map(|(key, value)| (key.clone(), Part::of(key, value))).collect();
        fields.sort_unstable_by(|a, b| compare_utf16(&a.0, &b.0));
        let broken = fields.iter().filter(|(_, part)| matches!(part, Part::Broken)).count();
        Fingerprint { fields, broken, has_tags: metadata.get("tags").is_some_and(Value::is_array) }
    }

    /// Tells that a field has a new value, or none any more.
    pub(crate) fn set(&mut self, key: &str, value: Option<&Value>) {
        let place = self.place(key);
        if let Ok(at) = place
            && matches!(self.fields[at].1, Part::Broken)
        {
            self.broken -= 1;
        }
        if key == "tags" {
            self.has_tags = value.is_some_and(Value::is_array);
        }
        let part = value.map(|value| Part::of(key, value));
        self.broken += usize::from(matches!(part, Some(Part::Broken)));
        match (place, part) {
            (Ok(at), Some(part)) => self.fields[at].1 = part,
            (Ok(at), None) => drop(self.fields.remove(at)),
            (Err(at), Some(part)) => self.fields.insert(at, (key.to_owned(), part)),
            (Err(_), None) => {}
        }
    }

    /// Whether both epochs hash this document alike.
    pub(crate) fn epochs_agree(&self) -> bool {
        !self.part("tests").is_some_and(Part::differs)
    }

    /// Whether the stored order of the tags is that of the root collation.
    pub(crate) fn tags_are_sorted(&self) -> bool {
        !self.part("tags").is_some_and(Part::differs)
    }

    fn place(&self, key: &str) -> Result<usize, usize> {
        self.fields.binary_search_by(|(known, _)| compare_utf16(known, key))
    }

    fn part(&self, key: &str) -> Option<&Part> {
        self.place(key).ok().map(|at| &self.fields[at].1)
    }

    /// The hash of the document whose fields were told; `metadata` and `body` are that document.
    pub(crate) fn hash(&self, metadata: &Map<String, Value>, body: &Value, variant: Variant) -> String {
        if metadata.is_empty() {
            return hash_text(&json::stable(&json!({"body": body, "front_matter": {}})));
        }
        let (Value::String(body), true, 0) = (body, self.has_tags, self.broken) else {
            let raw = json!({"replay_fallback": true, "metadata": metadata, "body": body});
            return hash_text(&json::stable(&raw));
        };
        let mut head = String::from("{\"body\":");
        json::write_string(canonical::stored_body(body), &mut head);
        head.push_str(",\"front_matter\":{");
        let mut sha = Sha256::new();
        sha.update(&head);
        let mut comma = "";
        for (key, part) in &self.fields {
            if let Part::Text { text, other } = part {
                let takes_other = match key.as_str() {
                    "tests" => variant.epoch == Epoch::First,
                    _ => variant.stored_tags,
                };
                let text = if takes_other { other.as_ref().unwrap_or(text) } else { text };
                sha.update(comma);
                sha.update(text);
                comma = ",";
            }
        }
        sha.update("}}");
        hex(&sha.finalize())
    }
}

fn hash_text(text: &str) -> String {
    hex(&Sha256::digest(text))
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}
