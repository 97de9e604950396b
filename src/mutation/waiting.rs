//! What `--blocked-by` means: items that an item waits for, or a reason in words.

use super::seeds::{full_id, no_target};
use crate::error::{Code, Error, Result};
use crate::model::id;
use crate::tracker::Tracker;

/// The flag.
pub(super) const FLAG: &str = "--blocked-by";

/// What an item waits for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    /// For these items, in the order given.
    For(Vec<String>),
    /// For something that is no item of this tracker.
    Words(String),
}

/// Reads the values of the flag. A word that only an id can be, or that
/// stands among ids, names an item.
///
/// Errors: `dependency_target_not_found` for an id that nothing has, unless it may lead nowhere.
pub(super) fn waiting(tracker: &Tracker, texts: &[String], allow_unresolved: bool) -> Result<Waiting> {
    let mut parts: Vec<&str> = Vec::new();
    for part in texts.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|part| !part.is_empty()) {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    let found: Vec<Option<String>> = parts.iter().map(|part| named(tracker, part)).collect();
    // "pm-a1, and the vendor" is a sentence; "pm-a1,pm-b2" is a list, and so is every word of it.
    let are_words = parts.iter().all(|part| !part.contains(char::is_whitespace));
    let is_list =
        are_words && (found.iter().any(Option::is_some) || parts.iter().any(|part| is_id(tracker, part)));
    if !is_list {
        return Ok(Waiting::Words(texts.join(", ")));
    }
    let mut ids: Vec<String> = Vec::new();
    let mut missing: Vec<&str> = Vec::new();
    for (part, found) in parts.iter().zip(found) {
        match found {
            Some(id) if !ids.contains(&id) => ids.push(id),
            Some(_) => {}
            None => missing.push(part),
        }
    }
    match missing.first() {
        None => Ok(Waiting::For(ids)),
        Some(typed) if allow_unresolved => Ok(Waiting::Words(match parts.as_slice() {
            [_] => full_id(tracker, typed),
            _ => parts.join(","),
        })),
        Some(typed) => match tracker.resolve(typed) {
            Err(error) if error.code == Code::ItemNotFound => Err(no_target(FLAG, typed, error)),
            Err(error) => Err(error.at(FLAG)),
            Ok(near) => {
                let error =
                    Error::new(Code::DependencyTargetNotFound, String::new()).fact("nearest", vec![near]);
                Err(no_target(FLAG, typed, error))
            }
        },
    }
}

/// The item that a word names: by its whole id, or with the prefix by a beginning that only one has, which without it
/// may be any word.
fn named(tracker: &Tracker, part: &str) -> Option<String> {
    let exact = |found: &String| *found == id::normalise_typed(part) || *found == full_id(tracker, part);
    tracker.resolve(part).ok().filter(|found| is_id(tracker, part) || exact(found))
}

/// Whether a word can be nothing but an id of this tracker.
fn is_id(tracker: &Tracker, part: &str) -> bool {
    let prefix = tracker.settings().id_prefix();
    let typed = id::normalise_typed(part);
    !prefix.is_empty() && typed.starts_with(&prefix) && typed != prefix && id::is_canonical(&typed)
}
