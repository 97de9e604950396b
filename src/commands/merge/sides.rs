//! The values of the branches that a merge joined, and the commands that choose between them.

use std::cell::OnceCell;

use serde_json::Value;

use super::unmerged::taken_out;
use crate::codec::json::compact as json_text;
use crate::domain::merge::conflicts::{self, DELETED, Undecided};
use crate::domain::merge::place::document_value_at;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::tracker::{DocumentVersions, Found, ItemVersions, Tracker};

/// One of the two branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The one that was merged into.
    Ours,
    /// The one that was merged.
    Theirs,
}

/// Where the values of the branches come from.
pub(super) enum Source<'a> {
    /// An item, with its versions once they were asked for.
    Item(&'a Tracker, &'a str, &'a Found, OnceCell<ItemVersions>),
    /// A document.
    Document(&'a Tracker, &'a str, OnceCell<DocumentVersions>),
}

impl<'a> Source<'a> {
    /// An item whose versions may be known already.
    pub(super) fn item(
        tracker: &'a Tracker,
        id: &'a str,
        found: &'a Found,
        known: Option<&ItemVersions>,
    ) -> Source<'a> {
        let cell = OnceCell::new();
        if let Some(known) = known {
            let _ = cell.set(known.clone());
        }
        Source::Item(tracker, id, found, cell)
    }

    /// The document at a path.
    pub(super) fn document(tracker: &'a Tracker, path: &'a str) -> Source<'a> {
        Source::Document(tracker, path, OnceCell::new())
    }

    /// The value that a side has for a field that a merge left undecided.
    ///
    /// Errors: `merge_versions_unknown`.
    pub(super) fn value(&self, field: &Undecided, side: Side) -> Result<Value> {
        let (id, value) = match self {
            Source::Item(tracker, id, found, cell) => {
                let versions = once(cell, || tracker.item_versions(id, found));
                let versions = versions.map_err(|error| unknown(error, id, field))?;
                let item = if side == Side::Ours { &versions.ours } else { &versions.theirs };
                let mut value = value_of(item.as_ref(), field);
                // What the other branch redacted does not come back with this one.
                if !field.values.contains(&value) {
                    taken_out(tracker, id).value(&mut value);
                }
                (*id, value)
            }
            Source::Document(tracker, path, cell) => {
                let versions = once(cell, || tracker.document_versions(path));
                let versions = versions.map_err(|error| unknown(error, path, field))?;
                let document = if side == Side::Ours { &versions.ours } else { &versions.theirs };
                (*path, document_value_at(document, &field.field))
            }
        };
        // Versions of another merge are not those that disagree.
        if field.values.contains(&value) {
            return Ok(value);
        }
        let problem = format!("nobody knows which value of `{}` of `{id}` is whose", field.field);
        Err(unknown(Error::new(Code::MergeVersionsUnknown, problem), id, field))
    }

    /// The commands that decide: for all fields at once, then for each field by its value.
    pub(super) fn commands(id: &str, open: &[Undecided]) -> Vec<String> {
        let whole = ["--ours", "--theirs", "--keep"].map(|side| format!("pm merge resolve {id} {side}"));
        whole.into_iter().chain(setting(id, open)).collect()
    }
}

/// The longest value that a command repeats, in bytes.
const LONGEST: usize = 80;

fn setting(id: &str, open: &[Undecided]) -> Vec<String> {
    let command = |field: &Undecided, value: &Value| {
        let text = match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => json_text(other),
        };
        (text.len() <= LONGEST)
            .then(|| format!("pm merge resolve {id} --set {}", quoted(&format!("{}={text}", field.field))))
    };
    open.iter().flat_map(|field| field.values.iter().filter_map(|value| command(field, value))).collect()
}

/// A word as a shell takes it.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn value_of(item: Option<&Item>, field: &Undecided) -> Value {
    match item {
        _ if field.field == DELETED => item.is_none().into(),
        Some(item) => conflicts::value_at(item, &field.field),
        None => Value::Null,
    }
}

fn once<T>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = make()?;
    Ok(cell.get_or_init(|| value))
}

fn unknown(error: Error, id: &str, field: &Undecided) -> Error {
    let commands = setting(id, std::slice::from_ref(field));
    let error = error.hint(format!("pm merge resolve {id} --keep"));
    commands.into_iter().fold(error, |error, command| error.hint(command))
}

/// Whether what was typed is this id.
pub(super) fn same_id(id: &str, typed: &str) -> bool {
    id.eq_ignore_ascii_case(typed.trim().trim_start_matches('#'))
}
