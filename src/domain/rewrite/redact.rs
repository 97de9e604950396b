//! Secrets taken out of a stream and of its item.

use regex::Regex;
use serde_json::Value;

use super::{Anchor, RewriteError, epoch_of};
use crate::codec::json;
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

/// A text as JSON writes it between its quotes.
fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

impl Pattern {
    /// Whether it finds anything.
    pub fn finds(&self, text: &str) -> bool {
        match self {
            Pattern::Literal(literal) => text.contains(literal.as_str()),
            Pattern::Regex(regex) => regex.find_iter(text).any(|found| !found.is_empty()),
        }
    }

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
pub(in crate::domain) const FIXED: &[&str] =
    &["id", "type", "status", "priority", "created_at", "updated_at"];

/// Takes what the pen finds out of every patch value, message and context of a stream, and out of the item.
///
/// Errors: the chain does not verify, a patch no longer applies, an entry is of a newer program, or the item would get
/// another id, kind, status, priority or time.
pub fn redact(entries: &[Value], item: Option<&Item>, pen: Pen<'_>) -> Result<Redacted, RewriteError> {
    let (mut redacted, end) = lay(entries, pen)?;
    redacted.item = item.map(|item| pen.item(item)).transpose()?;
    let shown = (!end.metadata.is_empty()).then_some(&end);
    // Two values that became one leave the replayed list longer than the item's.
    let rest = diff_items(shown, redacted.item.as_ref());
    if !rest.is_empty() && !entries.is_empty() {
        redacted.entries.push(settling(&redacted.entries, rest, shown, redacted.item.as_ref()));
    }
    Ok(redacted)
}

/// The same for a stream that is of no item: it ends in what its entries say.
///
/// Errors: as [`redact`].
pub fn redact_stream(entries: &[Value], pen: Pen<'_>) -> Result<Redacted, RewriteError> {
    let (redacted, end) = lay(entries, pen)?;
    Ok(Redacted { item: Some(end), ..redacted })
}

/// The entries without what the pen finds, with hashes that fit, and what they end in.
fn lay(entries: &[Value], pen: Pen<'_>) -> Result<(Redacted, Item), RewriteError> {
    let fallback = epoch_of(entries)?;
    if let Some(fault) = chain::verify(entries).fault {
        return Err(RewriteError::Chain(fault));
    }
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
    Ok((Redacted { entries: laid, item: None, matches, touched }, anchor.item()))
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

/// Takes what patterns find out of texts and values.
#[derive(Clone, Copy, Debug)]
pub struct Pen<'a> {
    patterns: &'a [Pattern],
    replacement: &'a str,
    /// Texts that stay as they are, sorted.
    spared: &'a [String],
}

impl<'a> Pen<'a> {
    /// A pen that writes `replacement` where a pattern finds something.
    pub fn new(patterns: &'a [Pattern], replacement: &'a str) -> Pen<'a> {
        Pen { patterns, replacement, spared: &[] }
    }

    /// What it writes where it found something.
    pub fn replacement(&self) -> &'a str {
        self.replacement
    }

    /// The same pen, which leaves these texts alone where they stand by themselves: ids, which files are named after.
    /// They must be sorted.
    pub fn sparing(self, spared: &'a [String]) -> Pen<'a> {
        Pen { spared, ..self }
    }

    /// Whether there is anything to take out of a text.
    pub fn finds(&self, text: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.finds(text))
    }

    /// Whether there is anything to take out of a file: of the texts in it where it is JSON or lines of JSON, and of
    /// its bytes as they are.
    pub fn finds_in(&self, bytes: &[u8]) -> bool {
        let text = String::from_utf8_lossy(bytes);
        let plain = self.patterns.iter().any(|pattern| match pattern {
            Pattern::Literal(literal) => pattern.finds(&text) || text.contains(&escaped(literal)),
            Pattern::Regex(_) => false,
        });
        // Only what is escaped, and what an expression finds, needs the texts themselves.
        let decode = text.contains("\\u") || self.patterns.iter().any(|p| matches!(p, Pattern::Regex(_)));
        plain || (decode && self.redacted(bytes).is_some())
    }

    /// A file without what the patterns find: JSON and lines of JSON keep their form, other text is taken as it is.
    /// `None` when there is nothing to take out. Bytes that are no text are taken as text with marks in it.
    pub fn redacted(&self, bytes: &[u8]) -> Option<String> {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(mut document) = serde_json::from_str::<Value>(&text) {
            let end = if text.ends_with('\n') { "\n" } else { "" };
            let form = if text.trim_end().contains('\n') { json::pretty } else { json::compact };
            return (self.value(&mut document) > 0).then(|| format!("{}{end}", form(&document)));
        }
        let mut found = 0;
        let mut lines: Vec<String> = Vec::new();
        for line in text.split_inclusive('\n') {
            let end = if line.ends_with('\n') { "\n" } else { "" };
            let mut own = line.to_owned();
            match serde_json::from_str::<Value>(line) {
                Ok(mut value) => {
                    let here = self.value(&mut value);
                    if here > 0 {
                        own = format!("{}{end}", json::compact(&value));
                    }
                    found += here;
                }
                Err(_) => found += self.text(&mut own),
            }
            lines.push(own);
        }
        (found > 0).then(|| lines.concat())
    }

    /// Replaces in a text; returns how often.
    fn text(&self, text: &mut String) -> usize {
        if self.spared.binary_search(text).is_ok() {
            return 0;
        }
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
