//! Settings and schema that two branches changed: what they disagree about, and how that is decided.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::resolve::{Choice, history_of};
use super::sides::Source;
use super::unmerged;
use crate::domain::merge::conflicts::{self, Undecided};
use crate::domain::merge::place::document_value_at;
use crate::domain::merge::{self, Documents, Prefer};
use crate::domain::survey::{Streams, WORKSPACE};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::settings::Settings;
use crate::mutation::write;
use crate::store::history;
use crate::surface::Context;
use crate::tracker::{Found, Rewriting, Tracker};

/// The documents that a tracker always may have.
const DOCUMENTS: [&str; 5] = [
    "settings.json",
    "schema/types.json",
    "schema/statuses.json",
    "schema/fields.json",
    "schema/workflows.json",
];

/// The path of the document that was typed, from the tracker root or from where it lies.
pub(super) fn path_of(tracker: &Tracker, typed: &str) -> Option<String> {
    let typed = typed.trim().trim_start_matches("./");
    if !typed.ends_with(".json") {
        return None;
    }
    let root = tracker.root().strip_prefix(tracker.workspace()).unwrap_or(tracker.root());
    let below = typed.strip_prefix(&format!("{}/", root.display())).unwrap_or(typed);
    Some(below.to_owned())
}

/// The documents as they were before the branches parted, for the stream that tells of them.
pub(super) fn before(tracker: &Tracker, id: &str) -> Documents {
    let paths = DOCUMENTS.into_iter().filter(|_| id == WORKSPACE);
    let known = paths.filter_map(|path| Some((path.to_owned(), tracker.document_versions(path).ok()?.base)));
    known.filter(|(_, document)| !document.is_null()).collect()
}

/// A document of the tracker, among the files of which Git speaks.
fn is_document(path: &str) -> bool {
    const OTHERS: [&str; 3] = ["extensions/", "merge-receipts/", "search/"];
    path.ends_with(".json") && !OTHERS.iter().any(|folder| path.starts_with(folder))
}

/// The documents that a merge left: their paths, whether the file has markers, the places in question.
pub(super) fn unmerged(
    tracker: &Tracker,
    streams: &Streams,
    waiting: &[String],
) -> Vec<(String, bool, Vec<String>)> {
    let facts = streams.streams.get(WORKSPACE);
    let mut paths: BTreeSet<&str> = DOCUMENTS.into_iter().collect();
    paths.extend(waiting.iter().map(String::as_str).filter(|path| is_document(path)));
    paths.extend(facts.iter().flat_map(|facts| facts.documents.keys().map(String::as_str)));
    let mut found = Vec::new();
    for path in paths {
        let fields = |fields: Vec<merge::Conflict>| fields.into_iter().map(|found| found.field).collect();
        if tracker.has_marked_document(path) {
            let fields = tracker.document_versions(path).map(|_| merged(tracker, path).1);
            found.push((path.to_owned(), true, fields.map(fields_of).unwrap_or_default()));
            continue;
        }
        let known = facts.is_some_and(|facts| facts.problem.is_none() && facts.documents.contains_key(path));
        let open: Vec<String> = if known {
            let undecided = facts.iter().flat_map(|facts| &facts.undecided);
            undecided.filter(|(own, _)| own == path).map(|(_, field)| field.clone()).collect()
        } else if waiting.iter().any(|other| other == path) {
            fields(standing(tracker, path))
        } else {
            Vec::new()
        };
        if !open.is_empty() {
            found.push((path.to_owned(), false, open));
        }
    }
    found
}

fn fields_of(conflicts: Vec<merge::Conflict>) -> Vec<String> {
    conflicts.into_iter().map(|found| found.field).collect()
}

/// A document as its versions merge.
fn merged(tracker: &Tracker, path: &str) -> (Value, Vec<merge::Conflict>) {
    match tracker.document_versions(path) {
        Ok(versions) => merge::documents(&versions.base, &versions.ours, &versions.theirs, Prefer::Stable),
        Err(_) => (tracker.document(path), Vec::new()),
    }
}

/// A document that no driver merged: as it is, with what the other branch made of it.
fn joined(tracker: &Tracker, path: &str) -> (Value, Vec<merge::Conflict>) {
    let now = tracker.document(path);
    match tracker.document_versions(path) {
        Ok(versions) => merge::documents(&versions.base, &now, &versions.theirs, Prefer::Stable),
        Err(_) => (now, Vec::new()),
    }
}

/// What the versions disagree about where the file still says what the merge itself chose.
fn standing(tracker: &Tracker, path: &str) -> Vec<merge::Conflict> {
    let now = tracker.document(path);
    let mut found = merged(tracker, path).1;
    found.retain(|conflict| document_value_at(&now, &conflict.field) == conflict.retained);
    found
}

/// The documents, as far as a merge left them to somebody.
pub(super) struct State {
    /// The entries of the stream that verify.
    entries: Vec<Value>,
    /// The state in which they end.
    end: Option<Item>,
    /// The state with every document as its file, or the merge of its versions, has it.
    pub(super) item: Item,
    /// The documents that have to be written, whatever is decided.
    pub(super) marked: Vec<String>,
    /// Whether the stream itself has to be written.
    broken: bool,
}

impl State {
    /// The undecided places of one document, or of all, each with the document's path.
    pub(super) fn undecided(&self, only: Option<&str>) -> Vec<(String, Undecided)> {
        let mut all = conflicts::undecided_documents(&self.item);
        all.retain(|(path, _)| only.is_none_or(|only| only == path));
        all
    }
}

/// Looks at the documents and at what the branches made of them.
///
/// Errors: `merge_versions_unknown` for a document with markers of which nobody has the versions.
pub(super) fn state(tracker: &Tracker, found: &Found) -> Result<State> {
    let broken = Tracker::has_markers(found) || !is_sound(tracker, found) || lacks(tracker, found);
    let (entries, end) = if broken {
        history_of(tracker, WORKSPACE, found)?
    } else {
        let entries = found.entries(tracker, WORKSPACE)?;
        let end = crate::domain::chain::verify(&entries).item;
        (entries, Some(end).filter(|end| !end.metadata.is_empty()))
    };
    let mut item = end.clone().unwrap_or_else(|| tracker.blank_workspace());
    let known: Vec<String> = match item.metadata.get("documents").and_then(Value::as_object) {
        Some(documents) => documents.keys().cloned().collect(),
        None => Vec::new(),
    };
    let waiting = tracker.unmerged_files();
    let mut paths: BTreeSet<String> = known.iter().cloned().collect();
    paths.extend(waiting.into_iter().filter(|path| is_document(path)));
    paths.extend(DOCUMENTS.into_iter().filter(|path| tracker.has_marked_document(path)).map(str::to_owned));
    let mut marked = Vec::new();
    for path in paths {
        let is_marked = tracker.has_marked_document(&path);
        let is_unjoined = tracker.is_unjoined_document(&path);
        let (document, conflicts) = if is_marked {
            tracker.document_versions(&path)?;
            merged(tracker, &path)
        } else if is_unjoined {
            joined(tracker, &path)
        } else if known.contains(&path) {
            (tracker.document(&path), Vec::new())
        } else {
            (tracker.document(&path), standing(tracker, &path))
        };
        let documents = item.metadata.entry("documents").or_insert_with(|| json!({}));
        if let Value::Object(documents) = documents {
            match document {
                Value::Null => drop(documents.shift_remove(&path)),
                document => drop(documents.insert(path.clone(), document)),
            }
        }
        for conflict in &conflicts {
            conflicts::leave_open(&mut item, &conflicts::document_field(&path, &conflict.field), conflict);
        }
        if is_marked || is_unjoined {
            marked.push(path);
        }
    }
    Ok(State { entries, end, item, marked, broken })
}

/// Whether the stream waits for what the other branch did.
fn lacks(tracker: &Tracker, found: &Found) -> bool {
    let entries = found.entries(tracker, WORKSPACE).unwrap_or_default();
    tracker.unjoined_stream(WORKSPACE, &entries).is_some()
}

fn is_sound(tracker: &Tracker, found: &Found) -> bool {
    found
        .entries(tracker, WORKSPACE)
        .is_ok_and(|entries| crate::domain::chain::verify(&entries).fault.is_none())
}

/// Decides documents as far as the choice goes, brings their files in order and the stream to them; `None` when nothing
/// was open.
///
/// Errors: `merge_undecided`, `invalid_argument_value` for settings that none can be.
pub(super) fn settle(
    context: &Context,
    tracker: &Tracker,
    only: Option<&str>,
    choice: &Choice,
    (op, message): (&str, Option<&str>),
) -> Result<Option<Map<String, Value>>> {
    let write = write(context, op, message)?;
    let mut facts = Map::new();
    let mut touched = Vec::new();
    let written = tracker.rewrite(WORKSPACE, &write, &mut |found| {
        let mut state = state(tracker, found)?;
        let undecided = state.undecided(only);
        choice.only_of(undecided.iter().map(|(_, field)| field))?;
        let (mut decided, mut open) = (Vec::new(), Vec::new());
        for (path, field) in undecided {
            match choice.value(&Source::document(tracker, &path), &field)? {
                Some(value) => {
                    let name = conflicts::document_field(&path, &field.field);
                    conflicts::decide(&mut state.item, &name, value.clone());
                    decided.push(json!({"document": path, "field": field.field, "base": field.base,
                        "values": field.values, "retained": value}));
                    touched.push(path);
                }
                None => open.push(field),
            }
        }
        let changes = !state.marked.is_empty() || state.broken || !decided.is_empty();
        if !changes && (choice.lenient || open.is_empty()) {
            // What was edited by hand is for the next command to judge.
            return Ok(None);
        }
        if !changes {
            return Err(unmerged::undecided(only.unwrap_or(WORKSPACE), &open));
        }
        checked(&state.item)?;
        touched.extend(state.marked.iter().cloned());
        let told = |row: &Value| json!({"document": row["document"], "field": row["field"], "value": row["retained"]});
        facts.insert("decided".into(), decided.iter().map(told).collect::<Vec<_>>().into());
        facts.insert("undecided".into(), open.iter().map(|field| field.field.clone()).collect::<Vec<_>>().into());
        Ok(Some(Rewriting {
            message: format!("{} of a merge", op.replace('_', " ")),
            entries: state.entries,
            end: state.end,
            item: Some(state.item),
            item_changes: true,
            files_anew: false,
            context: Some(json!({"merge": {"decisions": decided}})),
        }))
    })?;
    Ok(written.map(|_| {
        touched.push(history::path(WORKSPACE));
        facts.insert("next".into(), super::resolve::staging(tracker, &touched).into());
        facts
    }))
}

/// Settings that nobody could read must not be written.
fn checked(item: &Item) -> Result<()> {
    let Some(settings) = item.metadata.get("documents").and_then(|all| all.get("settings.json")) else {
        return Ok(());
    };
    match Settings::parse(&settings.to_string()).fault() {
        None => Ok(()),
        Some(fault) => Err(Error::new(Code::InvalidArgumentValue, fault.problem().to_string()).at("--set")),
    }
}
