//! Search: one function over the search index (catalog.md §9). The command, the tool, the endpoint and the page give the
//! same answer; the page has it once more in JavaScript, and `fixtures/catalog/search-vectors.json` holds both to it.
//!
//! In this order: the effective level on a day and all filters, then ranking of what is left, then grouping by topic,
//! then the page. A record below the floor is never a candidate, so it cannot move another one.

mod cursor;
mod query;
mod rank;
mod refusal;
pub mod words;

pub use query::{Given, PARAMETERS, Query};
pub use rank::{Hit, Kind, Variant, ranked};
pub use refusal::{cursor_refused, parameter_refused};

use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::folder::Folder;
use super::sealed::Sealed;
use super::served::{SearchEntry, SearchIndex};
use crate::error::{Code, Error, Result};

/// What a search found: all hits after the cursor, in order, and how many there are in all.
#[derive(Debug)]
pub struct Found<'e> {
    /// The hits after the cursor; the page is its first [`Query::limit`].
    pub hits: Vec<Hit<'e>>,
    /// The hits of all pages.
    pub total: usize,
}

/// Searches entries; `as_of` is the day on which levels are judged.
///
/// Errors: `CURSOR_REFUSED`.
pub fn search<'e>(
    entries: impl IntoIterator<Item = &'e SearchEntry>,
    query: &Query,
    as_of: Date,
) -> Result<Found<'e>> {
    let mut hits = ranked(entries, query, as_of);
    let total = hits.len();
    if let Some(text) = &query.cursor {
        let after = cursor::read(text, query)?;
        hits.drain(..cursor::place(&hits, &after));
    }
    Ok(Found { hits, total })
}

/// The entries of a search index that was built.
///
/// Errors: `catalog_folder_invalid` when it is not there, is not the one of the manifest, or cannot be read.
pub fn index(folder: &Folder, path: &str) -> Result<Vec<SearchEntry>> {
    let refused = |problem: String| {
        let message = format!("`{}` has no search index to go by: {problem}", folder.root().display());
        Error::new(Code::CatalogFolderInvalid, message).hint("pm catalog build")
    };
    let index = Sealed::of(folder.oldest()).document(path).map_err(|broken| refused(broken.problem))?;
    let index: SearchIndex =
        serde_json::from_value(index).map_err(|error| refused(format!("{path}: {error}")))?;
    Ok(index.entries)
}

/// The cursor that continues after a hit.
pub fn cursor_after(hit: &Hit<'_>, query: &Query) -> String {
    cursor::write(hit, query)
}

/// The whole answer as one object: what the endpoint serves.
///
/// Errors: `CURSOR_REFUSED`.
pub fn answer<'e>(
    entries: impl IntoIterator<Item = &'e SearchEntry>,
    query: &Query,
    as_of: Date,
) -> Result<Value> {
    let found = search(entries, query, as_of)?;
    let page = &found.hits[..found.hits.len().min(query.limit)];
    let mut answer = Map::new();
    answer.insert("hits".to_owned(), page.iter().map(|hit| Value::Object(hit.shown(&[]))).collect());
    answer.insert("count".to_owned(), json!(page.len()));
    answer.insert("total".to_owned(), json!(found.total));
    if page.len() < found.hits.len() {
        answer.insert("has_more".to_owned(), json!(true));
    }
    if let Some(last) = page.last().filter(|_| page.len() < found.hits.len()) {
        answer.insert("next_cursor".to_owned(), json!(cursor_after(last, query)));
    }
    answer.insert("applied".to_owned(), query.applied(as_of));
    Ok(Value::Object(answer))
}
