//! Secrets taken out of a stream and of its item.

use regex::Regex;
use serde_json::Value;

use super::{Anchor, RewriteError, epoch_of};
use crate::domain::chain;
use crate::domain::hash::{Epoch, GENESIS, item_hash};
use crate::domain::patch::diff_items;
use crate::model::canonical::canonical_item;
use crate::model::item::Item;

/// What is taken out.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// This text.
    Literal(String),
    /// Whatever this expression finds; what it finds without a character in it does not count.
    Regex(Regex),
}

impl Pattern {
    /// The text with everything that is found replaced, and how often that was.
    fn replace(&self, text: &str, replacement: &str) -> Option<(String, usize)> {
        let (changed, count) = match self {
            Pattern::Literal(literal) => (text.replace(literal, replacement), text.matches(literal).count()),
            Pattern::Regex(regex) => {
                let count = regex.find_iter(text).filter(|found| !found.is_empty()).count();
                let replaced = regex.replace_all(text, |found: &regex::Captures<'_>| {
                    if found[0].is_empty() { String::new() } else { replacement.to_owned() }
                });
                (replaced.into_owned(), count)
            }
        };
        (count > 0 && changed != text).then_some((changed, count))
    }
}

/// What is left, and how much was taken out.
#[derive(Clone, Debug, PartialEq)]
pub struct Redacted {
    /// The stream; it ends in `item`.
    pub entries: Vec<Value>,
    /// The item; none when it was deleted.
    pub item: Option<Item>,
    /// How often something was found, in the stream.
    pub matches: usize,
    /// In how many entries.
    pub touched: usize,
}

/// Fields by which an item is found, filed and ordered.
const FIXED: &[&str] = &["id", "type", "status", "priority", "created_at", "updated_at"];

/// Takes what the patterns find out of every patch value, message and context of a stream, and out of the item.
///
/// Errors: the chain does not verify, a patch no longer applies, an entry is of a newer program, or the item would get another id, kind, status,
/// priority or time.
pub fn redact(
    entries: &[Value],
    item: Option<&Item>,
    patterns: &[Pattern],
    replacement: &str,
) -> Result<Redacted, RewriteError> {
    let fallback = epoch_of(entries)?;
    if let Some(fault) = chain::verify(entries).fault {
        return Err(RewriteError::Chain(fault));
    }
    let pen = Pen { patterns, replacement };
    let mut anchor = Anchor::new(fallback);
    let (mut laid, mut matches, mut touched) = (Vec::with_capacity(entries.len()), 0, 0);
    for (n, entry) in entries.iter().enumerate() {
        let mut entry = entry.clone();
        let found = pen.entry(&mut entry);
        matches += found;
        touched += usize::from(found > 0);
        let problem = |problem| RewriteError::Patch { entry: n + 1, problem };
        laid.push(anchor.lay(entry).map_err(problem)?);
    }
    let item = item.map(|item| pen.item(item)).transpose()?;
    let end = anchor.item();
    let shown = (!end.metadata.is_empty()).then_some(&end);
    // Two values that became one leave the replayed list longer than the item's.
    let rest = diff_items(shown, item.as_ref());
    if !rest.is_empty() && !entries.is_empty() {
        laid.push(settling(&laid, rest, shown, item.as_ref()));
    }
    Ok(Redacted { entries: laid, item, matches, touched })
}

/// The entry that leads from the redacted entries to the redacted item.
fn settling(entries: &[Value], patch: Vec<Value>, before: Option<&Item>, after: Option<&Item>) -> Value {
    let hash =
        |item: Option<&Item>| item.map_or_else(|| GENESIS.to_owned(), |item| item_hash(item, Epoch::Second));
    let ts = entries.last().and_then(|entry| entry.get("ts")).cloned().unwrap_or(Value::Null);
    serde_json::json!({
        "ts": ts, "author": "unknown", "author_source": "unknown", "op": "history_redact", "patch": patch,
        "before_hash": hash(before), "after_hash": hash(after), "item_hash_version": 2,
        "message": "the history is brought to the item",
    })
}

struct Pen<'a> {
    patterns: &'a [Pattern],
    replacement: &'a str,
}

impl Pen<'_> {
    /// Replaces in a text; returns how often.
    fn text(&self, text: &mut String) -> usize {
        let mut found = 0;
        for pattern in self.patterns {
            if let Some((replaced, count)) = pattern.replace(text, self.replacement) {
                *text = replaced;
                found += count;
            }
        }
        found
    }

    /// Replaces in every text of a value.
    fn value(&self, value: &mut Value) -> usize {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(list) => list.iter_mut().map(|value| self.value(value)).sum(),
            Value::Object(members) => members.values_mut().map(|value| self.value(value)).sum(),
            _ => 0,
        }
    }

    fn entry(&self, entry: &mut Value) -> usize {
        let mut found = 0;
        for key in ["message", "context"] {
            found += entry.get_mut(key).map_or(0, |value| self.value(value));
        }
        for op in entry.get_mut("patch").and_then(Value::as_array_mut).into_iter().flatten() {
            found += op.get_mut("value").map_or(0, |value| self.value(value));
        }
        found
    }

    fn item(&self, item: &Item) -> Result<Item, RewriteError> {
        let mut redacted = item.clone();
        for (key, value) in redacted.metadata.iter_mut() {
            if self.value(value) > 0
                && let Some(fixed) = FIXED.iter().find(|fixed| *fixed == key)
            {
                return Err(RewriteError::Fixed(fixed));
            }
        }
        self.text(&mut redacted.body);
        Ok(canonical_item(&redacted).unwrap_or(redacted))
    }
}
