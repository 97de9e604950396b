//! The first stage: the selectors of `--output-include` keep fields and sections (read-output.md §2.4 to §2.6).
//!
//! A selector names a section (`summary`), a row field (`title`), or a field of one collection (`items.title`,
//! `graph.nodes.id`, `item.title`). One that names nothing is refused, also beside others that do.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::controls::Controls;
use super::frame::Frame;
use super::narrow;
use super::tree::Tree;
use crate::contract::ReadOutput;
use crate::error::{Code, Error, Result};

/// What the selectors of a call select.
#[derive(Debug, Default)]
struct Selection {
    /// Keys at the top of the answer.
    sections: BTreeSet<String>,
    /// Fields of all primary tables and records.
    fields: Vec<String>,
    /// Fields of one table or record, by path.
    qualified: BTreeMap<String, Vec<String>>,
}

/// Narrows the answer to what was selected.
///
/// Errors: `unknown_output_include_selector`.
pub(super) fn project(frame: &mut Frame<'_>, controls: &Controls, surface: &ReadOutput) -> Result<()> {
    if let Some(retrieval) = surface.retrieval {
        return narrow::narrow(frame, controls, surface, retrieval.pinned);
    }
    if controls.want.selectors.is_empty() {
        return Ok(());
    }
    let selection = select(frame, &controls.want.selectors);
    check(frame, &selection, &controls.want.selectors, surface)?;
    apply(frame, &selection, surface);
    Ok(())
}

fn select(frame: &Frame<'_>, selectors: &[String]) -> Selection {
    let mut selection = Selection::default();
    let paths = || frame.tables.iter().map(|table| &table.path).chain(&frame.records);
    for selector in selectors {
        if let Some(path) = paths().find(|path| path.as_str() == selector.as_str()) {
            selection.sections.insert(path.clone());
            continue;
        }
        let inside =
            paths().find_map(|path| Some((path, selector.strip_prefix(path.as_str())?.strip_prefix('.')?)));
        if let Some((path, field)) = inside {
            let field = field.split('.').next().unwrap_or(field);
            selection.qualified.entry(path.clone()).or_default().push(field.to_owned());
            continue;
        }
        let first = selector.split('.').next().unwrap_or(selector);
        if selector.split('.').any(|step| step.trim().is_empty()) {
            // It names nothing, so it is refused as what it is.
            selection.fields.push(selector.clone());
            continue;
        }
        let absent = frame.nameable.sections.contains(&first);
        if absent || frame.doc.root.iter().any(|(key, _)| key == first) {
            selection.sections.insert(first.to_owned());
        } else {
            selection.fields.push(first.to_owned());
        }
    }
    selection
}

/// Refuses selectors that select nothing. Where there is no row there is nothing to refuse on.
fn check(frame: &Frame<'_>, selection: &Selection, selectors: &[String], surface: &ReadOutput) -> Result<()> {
    for path in &frame.records {
        let own = selection.qualified.contains_key(path) || !selection.fields.is_empty();
        if selection.sections.contains(path) && own {
            let message = format!("`{path}` is the whole of it; name `{path}` or its fields, not both");
            return Err(Error::new(Code::UnknownOutputIncludeSelector, message)
                .at("--output-include")
                .rejecting(path.as_str())
                .hint(format!("pm {} --help", surface.surface)));
        }
    }
    let mut unknown: Vec<String> = Vec::new();
    let mut anything = false;
    for field in &selection.fields {
        let primary = frame.tables.iter().filter(|table| table.primary).map(|table| &table.path);
        let (there, known) = known(frame, primary.chain(&frame.records), field)?;
        anything |= there;
        if !known {
            // As it was typed, with what it looked for inside.
            let begins = |selector: &&String| selector.split('.').next() == Some(field.as_str());
            unknown.push(selectors.iter().find(begins).unwrap_or(field).clone());
        }
    }
    for (path, fields) in &selection.qualified {
        for field in fields {
            let (there, known) = known(frame, std::iter::once(path), field)?;
            anything |= there;
            if !known {
                unknown.push(format!("{path}.{field}"));
            }
        }
    }
    if unknown.is_empty() || !anything {
        return Ok(());
    }
    Err(refuse(frame, &unknown, surface))
}

/// Whether there is anything at the paths, and whether any of it has the field.
fn known<'p>(
    frame: &Frame<'_>,
    paths: impl Iterator<Item = &'p String>,
    field: &str,
) -> Result<(bool, bool)> {
    let mut anything = false;
    if frame.nameable.fields.iter().any(|name| name == field) {
        return Ok((true, true));
    }
    for path in paths {
        if let Some(table) = frame.tables.iter().find(|table| table.path == *path) {
            anything |= table.rows.total > 0;
            if table.rows.columns.iter().flatten().any(|column| column == field) {
                return Ok((true, true));
            }
            for place in 0..table.rows.total {
                if table.rows.get(table.place(place))?.get(field).is_some() {
                    return Ok((true, true));
                }
            }
        } else if let Some(Tree::Value(record)) = frame.record(path) {
            anything = true;
            if record.get(field).is_some() {
                return Ok((true, true));
            }
        }
    }
    Ok((anything, false))
}

fn refuse(frame: &Frame<'_>, unknown: &[String], surface: &ReadOutput) -> Error {
    let mut legal: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !legal.iter().any(|known| known == name) {
            legal.push(name.to_owned());
        }
    };
    for path in &frame.records {
        if let Some(Tree::Value(Value::Object(record))) = frame.record(path) {
            record.keys().for_each(|key| add(key));
        }
    }
    for table in frame.tables.iter().filter(|table| table.primary) {
        table.rows.columns.iter().flatten().for_each(|column| add(column));
        if table.rows.total > 0
            && let Ok(Value::Object(row)) = table.rows.get(table.place(0))
        {
            row.keys().for_each(|key| add(key));
        }
    }
    frame.doc.root.iter().for_each(|(key, _)| add(key));
    frame.nameable.fields.iter().for_each(|field| add(field));
    frame.nameable.sections.iter().for_each(|section| add(section));
    let wrong = &unknown[0];
    // What may have been meant, then what the answer has, in its order, then what it could have.
    let wrong = wrong.rsplit('.').next().unwrap_or(wrong);
    legal.sort_by_key(|name| Some(strsim::osa_distance(name, wrong)).filter(|far| *far < 3).unwrap_or(3));
    let meant = legal.iter().take_while(|name| strsim::osa_distance(name, wrong) < 3).count();
    let modes = match surface.modes {
        [] => format!("`pm {}` has no projection modes", surface.surface),
        [only] => format!("its projection mode is {only}"),
        modes => format!("its projection modes are {}", modes.join(", ")),
    };
    let names = unknown.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Error::new(
        Code::UnknownOutputIncludeSelector,
        format!(
            "--output-include {names} is no field or section of `pm {}`{}; {modes}",
            surface.surface,
            named(&legal, meant)
        ),
    )
    .at("--output-include")
    .rejecting(unknown.join(","))
    .fact("projection_modes", surface.modes.to_vec())
    .fact("allowed_values", legal)
    .hint(format!("pm {} --help", surface.surface))
}

/// The first of the legal names, for a reader.
fn named(legal: &[String], meant: usize) -> String {
    let shown = |most: usize| legal[..legal.len().min(most)].join(", ");
    match (legal.len(), meant) {
        (0, _) => String::new(),
        (_, 1..) => format!("; near it: {}", shown(meant.min(3))),
        (6.., 0) => format!("; there are {} and {} more", shown(5), legal.len() - 5),
        (_, 0) => format!("; there are {}", shown(5)),
    }
}

fn apply(frame: &mut Frame<'_>, selection: &Selection, surface: &ReadOutput) {
    let mut kept: BTreeSet<String> = selection.sections.iter().map(|path| first(path)).collect();
    let pinned = surface.catalog.map_or(&[][..], |catalog| catalog.pinned);
    kept.extend(pinned.iter().map(|key| (*key).to_owned()));
    let fields_of = |path: &str, primary: bool| {
        let mut fields: Vec<String> = selection.qualified.get(path).cloned().unwrap_or_default();
        if primary {
            fields.extend(selection.fields.iter().cloned());
        }
        if !fields.is_empty() {
            fields.extend(pinned.iter().map(|field| (*field).to_owned()));
        }
        fields
    };
    for table in &mut frame.tables {
        let fields = fields_of(&table.path, table.primary);
        if !fields.is_empty() {
            kept.insert(first(&table.path));
            if let Some(columns) = &mut frame.doc.lists[table.list].columns {
                columns.retain(|column| fields.contains(column));
            }
            table.projection = Some(fields);
        }
    }
    for path in frame.records.clone() {
        let fields = fields_of(&path, true);
        if !fields.is_empty()
            && let Some(Tree::Value(Value::Object(record))) = frame.record_mut(&path)
        {
            record.retain(|key, _| fields.contains(key));
            kept.insert(first(&path));
        }
    }
    // Fields alone narrow rows; sections, and any selection of `get`, narrow the answer.
    if !selection.sections.is_empty() || surface.surface == "get" {
        let echoes = &frame.echoes;
        frame.doc.root.retain(|(key, _)| kept.contains(key) || echoes.contains(key));
        frame.records.retain(|path| kept.contains(&first(path)));
        if let Some(counted) = frame.counted
            && !kept.contains(&frame.tables[counted].path)
        {
            frame.counted = None;
        }
        for table in &mut frame.tables {
            if !kept.contains(&first(&table.path)) {
                // It is gone from the document, so nothing of it is left to serve.
                (table.len, table.page) = (0, 0);
                table.rows.total = 0;
            }
        }
    }
    narrow_groups(frame, selection);
}

/// `graph.nodes` alone leaves `graph` with nothing but its nodes.
fn narrow_groups(frame: &mut Frame<'_>, selection: &Selection) {
    for (key, tree) in &mut frame.doc.root {
        let inner: Vec<&str> = selection
            .sections
            .iter()
            .filter_map(|path| path.strip_prefix(key.as_str())?.strip_prefix('.'))
            .collect();
        if selection.sections.contains(key) || inner.is_empty() {
            continue;
        }
        if let Tree::Object(entries) = tree {
            entries.retain(|(name, _)| inner.contains(&name.as_str()));
        }
    }
}

fn first(path: &str) -> String {
    path.split('.').next().unwrap_or(path).to_owned()
}
