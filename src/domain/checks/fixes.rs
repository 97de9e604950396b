//! What `pm validate --auto-fix` and `--prune-missing` would change: only what follows from what an item says already.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{Evidence, normalise};
use crate::domain::filter::values;
use crate::error::{Error, Result};
use crate::model::item::Item;
use crate::model::records::{Presence, Record};
use crate::model::status::Roles;

/// The parts of a tracker that fixes may touch.
pub const SCOPES: [&str; 3] = ["metadata", "resolution", "lifecycle"];
/// Those that need not be named.
pub const DEFAULT_SCOPES: [&str; 2] = ["metadata", "resolution"];

/// Reads the values of `--fix-scope`; none: the default scopes.
///
/// Errors: `invalid_argument_value` with the legal names.
pub fn scopes(given: &[String]) -> Result<Vec<&'static str>> {
    if given.is_empty() {
        return Ok(DEFAULT_SCOPES.to_vec());
    }
    let known = |token: String| -> Result<&'static str, Error> {
        let lower = token.to_lowercase();
        let known = SCOPES.into_iter().find(|scope| *scope == lower);
        known.ok_or_else(|| values::illegal("--fix-scope", &token, &SCOPES))
    };
    values::split("--fix-scope", given)?.into_iter().map(known).collect()
}

/// What a fix does.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A field takes the text of another one.
    Copy {
        /// The field that is missing.
        to: &'static str,
        /// The field that says it.
        from: &'static str,
    },
    /// `estimated_minutes` takes the tracker's default for the item's type.
    Estimate(Value),
    /// The item goes below another one; none: below nobody.
    Parent(Option<String>),
    /// A link to a file that is gone goes too.
    Prune {
        /// `files` or `docs`.
        list: &'static str,
        /// The path, as compared.
        path: String,
    },
}

impl Change {
    /// The name on the wire.
    pub fn kind(&self) -> &'static str {
        match self {
            Change::Copy { to: "resolution", .. } => "set_resolution",
            Change::Copy { .. } => "set_close_reason",
            Change::Estimate(_) => "set_estimate",
            Change::Parent(Some(_)) => "reparent",
            Change::Parent(None) => "unset_parent",
            Change::Prune { list: "docs", .. } => "prune_doc_link",
            Change::Prune { .. } => "prune_file_link",
        }
    }

    /// The name of the operation in the item's history.
    pub fn op(&self) -> &'static str {
        match self {
            Change::Prune { list: "docs", .. } => "docs_add",
            Change::Prune { .. } => "files_add",
            _ => "update",
        }
    }

    /// The item after the change.
    pub fn apply(&self, item: &Item) -> Item {
        let mut item = item.clone();
        match self {
            Change::Copy { to, from } => {
                if let Some(text) = item.metadata.get(*from).cloned() {
                    item.metadata.insert((*to).to_owned(), text);
                }
            }
            Change::Estimate(minutes) => {
                item.metadata.insert("estimated_minutes".to_owned(), minutes.clone());
            }
            Change::Parent(Some(parent)) => {
                item.metadata.insert("parent".to_owned(), parent.as_str().into());
            }
            Change::Parent(None) => drop(item.metadata.shift_remove("parent")),
            Change::Prune { list, path } => {
                if let Some(Value::Array(links)) = item.metadata.get_mut(*list) {
                    let of = |link: &Value| link.get("path").and_then(Value::as_str).map(normalise);
                    links.retain(|link| of(link).as_ref() != Some(path));
                }
            }
        }
        item
    }
}

/// One fix of one item.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// The item.
    pub id: String,
    /// The scope that must be granted; pruning is asked for by a flag of its own.
    pub scope: &'static str,
    /// What changes.
    pub change: Change,
}

impl Fix {
    /// The fix as a row.
    pub fn row(&self) -> Map<String, Value> {
        let what = match &self.change {
            Change::Copy { to, from } => json!({"field": to, "from": from}),
            Change::Estimate(minutes) => json!({"field": "estimated_minutes", "value": minutes}),
            Change::Parent(parent) => json!({"field": "parent", "value": parent}),
            Change::Prune { list, path } => json!({"field": list, "path": path}),
        };
        let mut row = Map::from_iter([
            ("id".to_owned(), self.id.as_str().into()),
            ("kind".to_owned(), self.change.kind().into()),
            ("scope".to_owned(), self.scope.into()),
        ]);
        if let Value::Object(what) = what {
            row.extend(what);
        }
        row
    }
}

/// Fixes of fields and parents, in the order of the items.
pub fn plan(evidence: &Evidence<'_>) -> Vec<Fix> {
    let mut fixes = Vec::new();
    for record in evidence.records.iter() {
        let mut add = |scope, change| fixes.push(Fix { id: record.id().to_owned(), scope, change });
        let done = evidence.schema.statuses.plays(record.status(), Roles::TERMINAL_DONE);
        let (reason, resolution) = (record.has(Presence::CLOSE_REASON), record.has(Presence::RESOLUTION));
        if record.status() == evidence.schema.statuses.close() && !reason && resolution {
            add("metadata", Change::Copy { to: "close_reason", from: "resolution" });
        }
        if done && !resolution && reason {
            add("resolution", Change::Copy { to: "resolution", from: "close_reason" });
        }
        if evidence.is_over(record) {
            continue;
        }
        let estimate =
            evidence.settings.get(&format!("validation.estimate_defaults_by_type.{}", record.kind()));
        if let Some(minutes) = estimate.filter(|value| value.is_number() && !record.has(Presence::ESTIMATE)) {
            add("metadata", Change::Estimate(minutes.clone()));
        }
        if let Some(change) = parent(record, evidence) {
            add("lifecycle", change);
        }
    }
    fixes
}

/// Where an open item below a parent that is over belongs: below the nearest open one above, or below nobody.
fn parent(record: Record<'_>, evidence: &Evidence<'_>) -> Option<Change> {
    let parent_of = |record: Record<'_>| {
        let row = evidence.rows.find(record.parent()?)?;
        evidence.records.get(row as usize)
    };
    let mut above = parent_of(record).filter(|parent| evidence.is_over(*parent))?;
    let mut seen = BTreeSet::from([record.number(), above.number()]);
    while let Some(next) = parent_of(above).filter(|next| seen.insert(next.number())) {
        if !evidence.is_over(next) {
            return Some(Change::Parent(Some(next.id().to_owned())));
        }
        above = next;
    }
    Some(Change::Parent(None))
}

/// Links to files that are gone: neither there nor anywhere else under the same name.
pub fn prune(evidence: &Evidence<'_>) -> Vec<Fix> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let names: BTreeSet<String> = evidence.files.candidates.iter().map(|path| name(path)).collect();
    let mut fixes = Vec::new();
    for record in evidence.records.iter() {
        let facts = evidence.facts(record);
        for (list, paths) in [("files", &facts.files), ("docs", &facts.docs)] {
            let gone: BTreeSet<String> = paths
                .iter()
                .map(|path| normalise(path))
                .filter(|path| !evidence.files.existing.contains(path) && !names.contains(&name(path)))
                .collect();
            let fix = |path| Fix {
                id: record.id().to_owned(),
                scope: "files",
                change: Change::Prune { list, path },
            };
            fixes.extend(gone.into_iter().map(fix));
        }
    }
    fixes
}
