//! How the entries of collections are taken apart and put together again.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::super::collation;
use super::super::text::into_trimmed;
use super::{Form, NotCanonical, refuse, trimmed};

/// The entries of a collection; nothing when there is none.
pub(super) fn entries(value: Value) -> Result<Option<Vec<Value>>, NotCanonical> {
    match value {
        Value::Null => Ok(None),
        Value::Array(entries) => Ok(Some(entries).filter(|e| !e.is_empty())),
        _ => refuse("is no list"),
    }
}

/// The members of an entry.
pub(super) fn members(entry: Value) -> Result<Map<String, Value>, NotCanonical> {
    match entry {
        Value::Object(members) => Ok(members),
        _ => refuse("holds an entry that is no object"),
    }
}

/// A list as a field's form: dropped when empty.
pub(super) fn listed(entries: Vec<Value>) -> Option<Value> {
    (!entries.is_empty()).then_some(Value::Array(entries))
}

/// An entry that is built member by member from an old one.
pub(super) struct Entry {
    from: Map<String, Value>,
    made: Map<String, Value>,
}

impl Entry {
    pub(super) fn new(from: Map<String, Value>) -> Entry {
        let made = Map::with_capacity(from.len());
        Entry { from, made }
    }

    /// Takes a member out of the old entry.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        // The rest of the old entry loses its order, which nobody reads.
        self.from.swap_remove(key)
    }

    pub(super) fn put(&mut self, key: &str, value: impl Into<Option<Value>>) {
        if let Some(value) = value.into() {
            self.made.insert(key.to_owned(), value);
        }
    }

    /// Kept as it is, null included.
    pub(super) fn keep(&mut self, key: &str) {
        let value = self.take(key);
        self.put(key, value);
    }

    /// A text, trimmed, dropped when empty or null; anything else is an error.
    pub(super) fn trim(&mut self, key: &str) -> Result<(), NotCanonical> {
        let value = match self.take(key) {
            None | Some(Value::Null) => None,
            Some(text @ Value::String(_)) => trimmed(text),
            Some(_) => return refuse(&format!("holds a `{key}` that is no text")),
        };
        self.put(key, value);
        Ok(())
    }

    /// A text, trimmed, dropped when empty or no text.
    pub(super) fn trim_text(&mut self, key: &str) {
        let value = self.take(key).and_then(trimmed);
        self.put(key, value);
    }

    /// True, or dropped.
    pub(super) fn flag(&mut self, key: &str) {
        let value = self.take(key).filter(|v| *v == Value::Bool(true));
        self.put(key, value);
    }

    /// A path with `/` as its separator; must be there.
    pub(super) fn path(&mut self) -> Result<(), NotCanonical> {
        match self.take("path") {
            Some(Value::String(path)) => self.put("path", slashed(path)),
            _ => return refuse("holds an entry without a path"),
        }
        Ok(())
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.made.contains_key(key)
    }

    /// A text of the new entry; empty when it has none.
    pub(super) fn text(&self, key: &str) -> &str {
        self.made.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn done(self) -> Value {
        Value::Object(self.made)
    }
}

/// A path with `/` as its separator.
pub(super) fn slashed(path: String) -> Value {
    Value::String(if path.contains('\\') { path.replace('\\', "/") } else { path })
}

/// The text of a member, trimmed; must be there.
pub(super) fn required_text(value: Option<Value>, key: &str) -> Result<String, NotCanonical> {
    match value {
        Some(Value::String(text)) => Ok(into_trimmed(text)),
        _ => refuse(&format!("holds an entry without `{key}`")),
    }
}

/// A number that is no NaN.
pub(super) fn number(value: &Value) -> Option<f64> {
    if value.is_number() { value.as_f64() } else { None }
}

/// A number rounded down, when it is at least `least`.
pub(super) fn whole(value: Option<Value>, least: f64) -> Option<Value> {
    let value = value?;
    let float = number(&value).filter(|n| *n >= least)?;
    Some(if value.is_f64() { integral(float.floor()) } else { value })
}

/// A float as an integer where it is one.
pub(super) fn integral(float: f64) -> Value {
    if float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0 {
        Value::from(float as i64)
    } else {
        Value::from(float)
    }
}

/// Sorts entries by `compare`.
pub(super) fn sorted(
    mut entries: Vec<Value>,
    compare: impl FnMut(&Value, &Value) -> Result<Ordering, NotCanonical>,
) -> Form {
    collation::sort(&mut entries, compare)?;
    Ok(listed(entries))
}

/// A member as the text that it must be in order to be compared.
fn comparable<'a>(entry: &'a Value, key: &str) -> Result<&'a str, NotCanonical> {
    match entry.get(key) {
        Some(Value::String(text)) => Ok(text),
        _ => refuse(&format!("holds an entry whose `{key}` is no text")),
    }
}

/// Compares by instant.
pub(super) fn by_time(a: &Value, b: &Value, key: &str) -> Result<Ordering, NotCanonical> {
    Ok(collation::compare_timestamps(comparable(a, key)?, comparable(b, key)?))
}

/// Compares by collation.
pub(super) fn by_text(a: &Value, b: &Value, key: &str) -> Result<Ordering, NotCanonical> {
    Ok(collation::compare(comparable(a, key)?, comparable(b, key)?))
}

/// Compares by collation; an absent text is an empty one.
pub(super) fn by_optional_text(a: &Value, b: &Value, key: &str) -> Result<Ordering, NotCanonical> {
    let a = if a.get(key).is_some() { comparable(a, key)? } else { "" };
    let b = if b.get(key).is_some() { comparable(b, key)? } else { "" };
    Ok(collation::compare(a, b))
}

/// Compares by a flag, false first.
pub(super) fn by_flag(a: &Value, b: &Value, key: &str) -> Ordering {
    let set = |entry: &Value| entry.get(key).and_then(Value::as_bool).unwrap_or(false);
    set(a).cmp(&set(b))
}

/// The first inequality of a chain of comparisons.
macro_rules! first_of {
    ($($comparison:expr),+ $(,)?) => {{
        $(
            let order: std::cmp::Ordering = $comparison;
            if order != std::cmp::Ordering::Equal {
                return Ok(order);
            }
        )+
        Ok(std::cmp::Ordering::Equal)
    }};
}
pub(super) use first_of;
