//! Selectors on surfaces of the retrieval contract: they narrow the tiers that are shown, and nothing else. What is
//! pinned stays, the envelope stays, and a tier that the call does not show is not added by naming it
//! (disclosure.md §11).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::controls::Controls;
use super::frame::{self, Frame};
use super::tree::Tree;
use crate::contract::ReadOutput;
use crate::error::{Code, Error, Result};

/// Narrows rows and record to the pinned fields and those that were selected.
///
/// Errors: `unknown_output_include_selector`.
pub(super) fn narrow(
    frame: &mut Frame<'_>,
    controls: &Controls,
    surface: &ReadOutput,
    pinned: &[&str],
) -> Result<()> {
    if controls.want.selectors.is_empty() {
        return Ok(());
    }
    let shown = shown(frame);
    let mut kept: BTreeSet<String> = pinned.iter().map(|field| (*field).to_owned()).collect();
    let mut whole: BTreeSet<&str> = BTreeSet::new();
    let mut inner: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for selector in &controls.want.selectors {
        let path = selector.strip_prefix("data.").unwrap_or(selector);
        let (field, below) = path.split_once('.').map_or((path, None), |(field, below)| (field, Some(below)));
        if !pinned.contains(&field) && !shown.iter().any(|known| known == field) {
            let envelope = frame.doc.root.iter().any(|(key, _)| key == field);
            if envelope && below.is_none() {
                continue;
            }
            return Err(refuse(frame, selector, field, &shown, surface));
        }
        kept.insert(field.to_owned());
        match below {
            Some(below) => inner.entry(field.to_owned()).or_default().push(below.to_owned()),
            None => {
                whole.insert(field);
            }
        }
    }
    inner.retain(|field, _| !whole.contains(field.as_str()));
    let kept: Vec<String> = kept.into_iter().collect();
    for table in &mut frame.tables {
        if let Some(columns) = &mut frame.doc.lists[table.list].columns {
            columns.retain(|column| kept.contains(column));
        }
        table.projection = Some(kept.clone());
        table.inner = inner.clone();
    }
    for path in frame.records.clone() {
        if let Some(Tree::Value(Value::Object(record))) = frame.record_mut(&path) {
            record.retain(|key, _| kept.contains(key));
            frame::narrow(record, &inner);
        }
    }
    Ok(())
}

/// The fields of rows and record.
fn shown(frame: &Frame<'_>) -> Vec<String> {
    let columns = frame.tables.iter().flat_map(|table| table.rows.columns.iter().flatten().cloned());
    let fields = frame.records.iter().filter_map(|path| match frame.record(path) {
        Some(Tree::Value(Value::Object(record))) => Some(record.keys().cloned().collect::<Vec<_>>()),
        _ => None,
    });
    columns.chain(fields.flatten()).collect()
}

fn refuse(frame: &Frame<'_>, selector: &str, field: &str, shown: &[String], surface: &ReadOutput) -> Error {
    let hidden = frame.omissions.iter().find(|omission| omission.name == field);
    let message = match hidden {
        Some(hidden) => {
            format!(
                "--output-include narrows what is shown, and `{field}` is not; add {}",
                hidden.restore_with
            )
        }
        None => format!("--output-include `{selector}` is no field of `pm {}`", surface.surface),
    };
    let error = Error::new(Code::UnknownOutputIncludeSelector, message)
        .at("--output-include")
        .rejecting(selector)
        .fact("projection_modes", surface.modes.to_vec())
        .fact("allowed_values", shown.to_vec());
    match hidden {
        Some(hidden) => error.hint(format!("pm {} {}", surface.surface, hidden.restore_with)),
        None => error.hint(format!("pm {} --help", surface.surface)),
    }
}
