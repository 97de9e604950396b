//! Items that a merge left to somebody: which they are, and what the branches made of them.

use std::cell::OnceCell;

use serde_json::{Value, json};

use crate::domain::merge::conflicts::{self, Undecided};
use crate::domain::merge::{self, Prefer};
use crate::domain::survey::StreamProblem;
use crate::error::{Code, Result};
use crate::model::item::Item;
use crate::mutation::seeds::full_id;
use crate::tracker::{Found, ItemVersions, Tracker};

/// What a merge left of an item.
#[derive(Debug)]
pub(super) struct Unmerged {
    pub(super) id: String,
    /// Its file, seen from the tracker root.
    pub(super) path: Option<String>,
    /// `values`, `item_markers`, `history_markers`.
    pub(super) kind: &'static str,
    /// The fields in question; none where only the files tell.
    pub(super) fields: Vec<String>,
}

impl Unmerged {
    pub(super) fn row(&self) -> Value {
        json!({
            "id": self.id, "kind": self.kind, "path": self.path, "fields": self.fields,
            "resolve_with": format!("pm merge resolve {}", self.id),
        })
    }
}

/// Everything in this tracker that a merge left to somebody, by id.
pub(super) fn all(tracker: &Tracker) -> Result<Vec<Unmerged>> {
    let records = tracker.records()?;
    let mut found: Vec<Unmerged> = records
        .iter()
        .filter(|record| conflicts::is_conflicted(*record))
        .map(|record| Unmerged {
            id: record.id().to_owned(),
            path: Some(record.path().to_owned()),
            kind: "values",
            fields: conflicts::fields_of(record),
        })
        .collect();
    let marked = records.unreadable().iter().filter(|file| file.code == Code::MergeConflictMarkers.as_str());
    found.extend(marked.map(|file| Unmerged {
        id: stem(&file.path).to_owned(),
        path: Some(file.path.clone()),
        kind: "item_markers",
        fields: Vec::new(),
    }));
    for (id, facts) in &tracker.streams()?.streams {
        if matches!(facts.problem, Some((StreamProblem::ConflictMarkers, _)))
            && !found.iter().any(|known| known.id == *id)
        {
            found.push(Unmerged { id: id.clone(), path: None, kind: "history_markers", fields: Vec::new() });
        }
    }
    found.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(found)
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The full id that was typed, of an item that may not be readable.
///
/// Errors: `item_not_found`.
pub(super) fn id_of(tracker: &Tracker, typed: &str) -> Result<String> {
    let missing = match tracker.resolve(typed) {
        Ok(id) => return Ok(id),
        Err(error) => error,
    };
    let full = full_id(tracker, typed);
    let named = |id: &&Unmerged| id.id == typed || id.id == full;
    all(tracker)?.iter().find(named).map(|found| found.id.clone()).ok_or(missing)
}

/// What stands in an item and what the branches made of it.
#[derive(Debug)]
pub(super) struct Dispute {
    /// The item with one value for each field.
    pub(super) item: Item,
    /// The fields with more than one.
    pub(super) undecided: Vec<Undecided>,
    /// Whether the file itself has to be written, whatever is decided.
    pub(super) marked: bool,
}

/// Looks at an item and at what the branches made of it; `None` for an item that is deleted.
///
/// Errors: `merge_versions_unknown`, and those of reading.
pub(super) fn dispute(tracker: &Tracker, found: &Found, prefer: Prefer) -> Result<Option<Dispute>> {
    let Some((path, bytes)) = &found.file else { return Ok(None) };
    match found.item(tracker) {
        Ok(None) => Ok(None),
        Ok(Some(item)) => {
            let undecided = conflicts::undecided(&item);
            Ok(Some(Dispute { item, undecided, marked: false }))
        }
        Err(error) if error.code == Code::MergeConflictMarkers => {
            let versions = tracker.item_versions(path, bytes)?;
            let item = merge::items(&versions.base, &versions.ours, &versions.theirs, prefer).item;
            let undecided = conflicts::undecided(&item);
            Ok(Some(Dispute { item, undecided, marked: true }))
        }
        Err(error) => Err(error),
    }
}

/// The versions of an item that a merge left open, asked of Git once however many fields need them.
pub(super) struct Sides<'a> {
    tracker: &'a Tracker,
    found: &'a Found,
    versions: OnceCell<ItemVersions>,
}

impl<'a> Sides<'a> {
    pub(super) fn new(tracker: &'a Tracker, found: &'a Found) -> Sides<'a> {
        Sides { tracker, found, versions: OnceCell::new() }
    }

    /// The value that one side has, for a field that an earlier merge left undecided.
    ///
    /// Errors: `merge_versions_unknown`.
    pub(super) fn value(&self, field: &str, ours: bool) -> Result<Value> {
        let Some((path, bytes)) = &self.found.file else { return Ok(Value::Null) };
        let versions = match self.versions.get() {
            Some(versions) => versions,
            None => {
                let versions = self.tracker.item_versions(path, bytes);
                let versions = versions.map_err(|error| error.hint("pm merge status"))?;
                self.versions.get_or_init(|| versions)
            }
        };
        Ok(conflicts::value_at(if ours { &versions.ours } else { &versions.theirs }, field))
    }
}
