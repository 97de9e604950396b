//! What a merge left to somebody: which items and documents, and what the branches made of them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::documents;
use super::sides::{Source, quoted, same_id};
use crate::domain::chain;
use crate::domain::merge::conflicts::{self, DELETED, Undecided};
use crate::domain::merge::{self, Prefer, TakenOut};
use crate::domain::survey::{StreamProblem, WORKSPACE};
use crate::error::{Code, Error, Result};
use crate::model::canonical::canonical_item;
use crate::model::item::Item;
use crate::model::records::{Record, Records};
use crate::mutation::seeds::full_id;
use crate::tracker::{Found, ItemVersions, Tracker};

/// How a merge left something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Fields have more than one value.
    Values,
    /// One branch deleted the item, another one changed it.
    Deletion,
    /// The item's file has conflict markers.
    ItemMarkers,
    /// The history has conflict markers.
    HistoryMarkers,
    /// The item has more than one file.
    TwoFiles,
    /// Git left the file of one branch, without a mark: no driver merged it.
    Unjoined,
    /// The item's type is none of the schema: one branch took it out, another one used it.
    Undeclared,
    /// Git saw a renamed folder and put a new item where its type does not belong.
    Misplaced,
    /// Places of a document have more than one value.
    DocumentValues,
    /// A document's file has conflict markers.
    DocumentMarkers,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Kind::Values => "values",
            Kind::Deletion => "deletion",
            Kind::ItemMarkers => "item_markers",
            Kind::HistoryMarkers => "history_markers",
            Kind::TwoFiles => "two_files",
            Kind::Unjoined => "unjoined",
            Kind::Undeclared => "undeclared",
            Kind::Misplaced => "misplaced",
            Kind::DocumentValues => "document_values",
            Kind::DocumentMarkers => "document_markers",
        }
    }

    /// Whether the files themselves wait, and not only a decision.
    pub(super) fn is_of_files(self) -> bool {
        !matches!(self, Kind::Values | Kind::Deletion | Kind::DocumentValues | Kind::Undeclared)
    }
}

/// Something that a merge left.
#[derive(Debug)]
pub(super) struct Unmerged {
    /// The item's id, or the document's path.
    pub(super) id: String,
    /// Its file, seen from the tracker root.
    pub(super) path: Option<String>,
    pub(super) kind: Kind,
    /// The fields in question; none where only the files tell.
    pub(super) fields: Vec<String>,
    /// The command that decides, where it is another than `pm merge resolve`.
    decide: Option<String>,
}

impl Unmerged {
    pub(super) fn row(&self) -> Value {
        let how = if self.kind.is_of_files() { "" } else { " --keep" };
        json!({
            "id": self.id, "kind": self.kind.as_str(), "path": self.path, "fields": self.fields,
            "show_with": format!("pm merge status {}", self.id),
            "resolve_with":
                self.decide.clone().unwrap_or_else(|| format!("pm merge resolve {}{how}", self.id)),
        })
    }
}

/// Everything in this tracker that a merge left to somebody, by id.
///
/// Errors: the tracker cannot be listed.
pub(super) fn all(tracker: &Tracker) -> Result<Vec<Unmerged>> {
    let records = tracker.records()?;
    let streams = tracker.streams()?;
    let mut found: BTreeMap<String, Unmerged> = BTreeMap::new();
    let mut add = |id: &str, path: Option<&str>, kind: Kind, fields: Vec<String>| {
        let new = || Unmerged {
            id: id.to_owned(),
            path: path.map(str::to_owned),
            kind,
            fields: Vec::new(),
            decide: None,
        };
        // What was found first rules: files before values.
        found.entry(id.to_owned()).or_insert_with(new).fields.extend(fields);
    };
    let marked = records.unreadable().iter().filter(|file| file.code == Code::MergeConflictMarkers.as_str());
    for file in marked {
        add(stem(&file.path), Some(&file.path), Kind::ItemMarkers, Vec::new());
    }
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for record in records.iter() {
        if seen.insert(record.id(), record.path()).is_some() {
            add(record.id(), Some(record.path()), Kind::TwoFiles, Vec::new());
        }
    }
    for (id, facts) in &streams.streams {
        if matches!(facts.problem, Some((StreamProblem::ConflictMarkers, _))) {
            add(id, seen.get(id.as_str()).copied(), Kind::HistoryMarkers, Vec::new());
        }
    }
    for id in tracker.unjoined() {
        let path = if id.ends_with(".json") { Some(id.as_str()) } else { seen.get(id.as_str()).copied() };
        add(&id, path, Kind::Unjoined, Vec::new());
    }
    for record in records.iter().filter(|record| conflicts::is_conflicted(*record)) {
        add(record.id(), Some(record.path()), Kind::Values, conflicts::fields_of(record));
    }
    let by_history =
        streams.streams.iter().filter(|(_, facts)| facts.undecided_deletion).map(|(id, _)| id.as_str());
    let unmerged = tracker.unmerged_files();
    let is_item = |path: &&String| path.ends_with(".toon") || path.ends_with(".md");
    let by_git = unmerged.iter().filter(is_item).filter(|path| tracker.is_unmerged_deletion(path));
    let by_git = by_git.map(|path| stem(path));
    let mut deleted: Vec<&str> = by_history.collect();
    // What history knows of it already is known with the decision.
    deleted.extend(by_git.filter(|id| streams.streams.get(*id).is_none_or(|facts| facts.problem.is_some())));
    deleted.sort_unstable();
    deleted.dedup();
    for id in deleted.into_iter().filter(|id| seen.contains_key(id)) {
        add(id, seen.get(id).copied(), Kind::Deletion, vec![DELETED.to_owned()]);
    }
    for (path, marked, fields) in documents::unmerged(tracker, &streams, &unmerged) {
        let kind = if marked { Kind::DocumentMarkers } else { Kind::DocumentValues };
        add(&path, Some(&path), kind, fields);
    }
    for path in unmerged.iter().filter(is_item).filter(|path| tracker.is_misplaced(path)) {
        add(stem(path), Some(path), Kind::Misplaced, Vec::new());
    }
    for (record, decide) in undeclared(tracker, records) {
        let new = || Unmerged {
            id: record.id().to_owned(),
            path: Some(record.path().to_owned()),
            kind: Kind::Undeclared,
            fields: vec!["type".to_owned()],
            decide: Some(decide),
        };
        found.entry(record.id().to_owned()).or_insert_with(new);
    }
    let mut found: Vec<Unmerged> = found.into_values().collect();
    for unmerged in &mut found {
        // Two files of one item may both wait for the same field.
        let mut seen = std::collections::BTreeSet::new();
        unmerged.fields.retain(|field| seen.insert(field.clone()));
    }
    Ok(found)
}

/// The items whose type the schema does not have, each with a command that gives it one that it has.
fn undeclared<'r>(tracker: &Tracker, records: &'r Records) -> Vec<(Record<'r>, String)> {
    let schema = tracker.schema();
    let mut found = Vec::new();
    for record in records.iter() {
        if schema.kinds.resolve(record.kind()).is_none() {
            // A renamed type has the folder of the item.
            let folder = record.path().split('/').next().unwrap_or_default();
            let kind = schema.kinds.iter().find(|kind| kind.folder == folder);
            let decide = match kind {
                Some(kind) => format!("pm update {} --type {}", record.id(), quoted(&kind.name)),
                None => format!("pm schema add-type {}", quoted(record.kind())),
            };
            found.push((record, decide));
        }
    }
    found
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// What was typed: the full id of an item, which may not be readable, or the path of a document.
#[derive(Debug)]
pub(super) enum Named {
    Item(String),
    /// Every document where no path is given.
    Documents(Option<String>),
}

/// What was typed.
///
/// Errors: `item_not_found`.
pub(super) fn named(tracker: &Tracker, typed: &str) -> Result<Named> {
    if typed.trim() == WORKSPACE {
        return Ok(Named::Documents(None));
    }
    if let Some(path) = documents::path_of(tracker, typed) {
        return Ok(Named::Documents(Some(path)));
    }
    let missing = match tracker.resolve(typed) {
        Ok(id) => return Ok(Named::Item(id)),
        Err(error) => error,
    };
    let full = full_id(tracker, typed);
    let all = all(tracker)?;
    let found = all.iter().find(|found| same_id(&found.id, typed) || found.id == full);
    found.map(|found| Named::Item(found.id.clone())).ok_or(missing)
}

/// What stands in an item and what the branches made of it.
#[derive(Debug)]
pub(super) struct Dispute {
    /// The item with one value for each field.
    pub(super) item: Item,
    /// The fields with more than one.
    pub(super) undecided: Vec<Undecided>,
    /// The versions, where the file itself has to be written, whatever is decided.
    pub(super) versions: Option<ItemVersions>,
}

impl Dispute {
    pub(super) fn is_of_files(&self) -> bool {
        self.versions.is_some()
    }
}

/// Looks at an item and at what the branches made of it; `None` for an item that is deleted.
///
/// Errors: `merge_versions_unknown`, and those of reading.
pub(super) fn dispute(tracker: &Tracker, id: &str, found: &Found) -> Result<Option<Dispute>> {
    let Some((path, _)) = &found.file else { return Ok(None) };
    let taken = taken_out(tracker, id);
    let unjoined = tracker.is_unjoined(id, found);
    let standing = match found.item(tracker) {
        Ok(item) => item.map(|item| without_secrets(tracker, id, found, &taken, item)),
        Err(error) if error.code == Code::MergeConflictMarkers => None,
        Err(_) if unjoined => None,
        Err(error) => return Err(error),
    };
    let mut dispute = match standing {
        Some(item) if found.others.is_empty() && !unjoined => {
            Dispute { undecided: conflicts::undecided(&item), item, versions: None }
        }
        _ => of_versions(tracker.standing_versions(id, found)?, &taken),
    };
    let deleted = match &dispute.versions {
        Some(versions) => is_deletion(versions),
        None => tracker.is_unmerged_deletion(path) && Tracker::has_markers(found),
    };
    if deleted || found.entries(tracker, id).is_ok_and(|entries| merge::has_undecided_deletion(&entries)) {
        dispute.undecided.push(Undecided {
            field: DELETED.to_owned(),
            base: false.into(),
            values: vec![false.into(), true.into()],
            stands: false.into(),
        });
    }
    Ok(Some(dispute))
}

/// The item without what was redacted on the other branch: as its history has it, where nothing else differs, and without
/// what the histories of both tell.
fn without_secrets(tracker: &Tracker, id: &str, found: &Found, taken: &TakenOut, item: Item) -> Item {
    let end = found.entries(tracker, id).ok().map(|entries| chain::verify(&entries).item);
    let end = end.and_then(|end| canonical_item(&end).ok()).filter(|end| merge::is_redacted(&item, end));
    let mut item = end.unwrap_or(item);
    taken.item(&mut item);
    item
}

/// What was taken out of an item on one of the branches that a merge joined, as their histories tell.
pub(super) fn taken_out(tracker: &Tracker, id: &str) -> TakenOut {
    let versions = tracker.stream_versions(id);
    versions.map(|[base, ours, theirs]| TakenOut::of_streams([&base, &ours, &theirs])).unwrap_or_default()
}

fn is_deletion(versions: &ItemVersions) -> bool {
    versions.ours.is_none() != versions.theirs.is_none() && !versions.base.metadata.is_empty()
}

fn of_versions(mut versions: ItemVersions, taken: &TakenOut) -> Dispute {
    let sides = [Some(&mut versions.base), versions.ours.as_mut(), versions.theirs.as_mut()];
    sides.into_iter().flatten().for_each(|item| taken.item(item));
    let item = match (&versions.ours, &versions.theirs) {
        (Some(ours), Some(theirs)) => {
            merge::items_beside(&versions.base, ours, theirs, Prefer::Stable, taken).item
        }
        (Some(only), None) | (None, Some(only)) => only.clone(),
        (None, None) => versions.base.clone(),
    };
    Dispute { undecided: conflicts::undecided(&item), item, versions: Some(versions) }
}

/// The error for values of which nobody said which one stands.
pub(super) fn undecided(id: &str, open: &[Undecided]) -> Error {
    let rows: Vec<Value> =
        open.iter().map(|field| json!({"field": field.field, "values": field.values})).collect();
    let fields: Vec<&str> = open.iter().map(|field| field.field.as_str()).collect();
    let error = Error::new(
        Code::MergeUndecided,
        format!("two branches disagree about {} of `{id}`; say what stands", fields.join(", ")),
    )
    .at("--set")
    .fact("undecided", rows)
    .fact("alternatives", vec!["--ours", "--theirs", "--keep", "--set FIELD=VALUE"])
    .hint(format!("pm merge status {id}"));
    Source::commands(id, open).into_iter().take(HINTS).fold(error, |error, command| error.hint(command))
}

/// How many commands an error proposes.
const HINTS: usize = 4;
