//! Dependencies, logs, and the links to files and documents.

use std::cmp::Ordering;

use serde_json::Value;

use super::shape::{
    Entry, by_optional_text, by_text, by_time, entries, first_of, listed, members, required_text, sorted,
};
use super::{Form, NotCanonical};
use crate::model::collation;
use crate::model::text::trim_lower;

/// The members of a dependency, in order.
pub(super) const DEPENDENCY: [&str; 6] =
    ["id", "kind", "created_at", "author", "source_kind", "author_source"];

/// The members of a link to a file or a document, in order.
pub(super) const LINK: [&str; 3] = ["path", "scope", "note"];

pub(super) fn dependencies(value: Value) -> Form {
    let Some(given) = entries(value)? else { return Ok(None) };
    let mut made = Vec::with_capacity(given.len());
    for dependency in given {
        let mut entry = Entry::new(members(dependency)?);
        let id = required_text(entry.take("id"), "id")?;
        entry.put("id", Value::String(trim_lower(&id)));
        entry.keep("kind");
        entry.keep("created_at");
        entry.trim("author")?;
        entry.trim("source_kind")?;
        entry.keep("author_source");
        made.push(entry.done());
    }
    sorted(made, |a, b| {
        first_of!(
            by_time(a, b, "created_at")?,
            by_text(a, b, "id")?,
            by_text(a, b, "kind")?,
            by_optional_text(a, b, "source_kind")?,
        )
    })
}

/// Comments, notes, learnings: every key stays, in its own order.
pub(super) fn log(value: Value) -> Form {
    let Some(given) = entries(value)? else { return Ok(None) };
    sorted(given, compare_log)
}

/// The entries of a log in canonical order.
pub(super) fn in_log_order(entries: &[Value]) -> Result<Vec<&Value>, NotCanonical> {
    let mut order: Vec<&Value> = entries.iter().collect();
    collation::sort(&mut order, |a, b| compare_log(a, b))?;
    Ok(order)
}

fn compare_log(a: &Value, b: &Value) -> Result<Ordering, NotCanonical> {
    first_of!(by_time(a, b, "created_at")?, by_entry_text(a, b)?, by_text(a, b, "author")?)
}

fn by_entry_text(a: &Value, b: &Value) -> Result<Ordering, NotCanonical> {
    match (a.get("text"), b.get("text")) {
        (Some(x), Some(y)) if x == y && !x.is_null() => Ok(Ordering::Equal),
        _ => by_text(a, b, "text"),
    }
}

/// Links to files keep the order in which they were added.
pub(super) fn files(value: Value) -> Form {
    Ok(links(value)?.and_then(listed))
}

pub(super) fn docs(value: Value) -> Form {
    let Some(made) = links(value)? else { return Ok(None) };
    sorted(made, |a, b| {
        first_of!(by_text(a, b, "scope")?, by_text(a, b, "path")?, by_optional_text(a, b, "note")?)
    })
}

fn links(value: Value) -> Result<Option<Vec<Value>>, NotCanonical> {
    let Some(given) = entries(value)? else { return Ok(None) };
    let link = |link: Value| {
        let mut entry = Entry::new(members(link)?);
        entry.path()?;
        entry.keep("scope");
        entry.trim("note")?;
        Ok(entry.done())
    };
    given.into_iter().map(link).collect::<Result<_, _>>().map(Some)
}
