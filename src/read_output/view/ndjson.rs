//! Rows as lines of compact JSON; an answer without rows is one line.

use serde_json::{Map, Value, json};

use super::super::render::{self, Format};
use super::super::tree::{Items, Ref, View};
use super::Page;

pub(super) fn write(out: &mut String, page: &Page<'_>) {
    if page.is_omitted() {
        return page.omission(out);
    }
    let tables = page.tables();
    if tables.is_empty() {
        render::write(out, Format::Compact, false, &page.parts);
        out.push('\n');
        return;
    }
    rows(out, &tables);
}

/// What the trailer repeats of the envelope, where the envelope has it.
const IN_TRAILER: [&str; 7] = [
    "source",
    "provenance_summary",
    "completeness",
    "warnings",
    "read_output",
    "read_session",
    "row_contract",
];

/// Writes the rows, then a line that counts them and tells how to go on. No such line where every row has its own
/// cursor; in place of an answer that does not fit there is one line that says so.
pub(super) fn write_trailed(out: &mut String, page: &Page<'_>) {
    if page.is_omitted() {
        return page.omission(out);
    }
    rows(out, &page.tables());
    let part =
        |key: &str| page.parts.iter().find(|(name, _)| *name == key).map(|(_, place)| place.to_value());
    if part("cursor_mode") == Some(Value::from("row")) {
        return;
    }
    let mut trailer = Map::new();
    for (key, silent) in [("count", json!(0)), ("has_more", json!(false)), ("next_cursor", Value::Null)] {
        trailer.insert(key.to_owned(), page.leaf(key).cloned().unwrap_or(silent));
    }
    for key in IN_TRAILER {
        if let Some(value) = page.get(key).map(Ref::to_value).or_else(|| part(key)) {
            trailer.insert(key.to_owned(), value);
        }
    }
    trailer.insert("record_type".to_owned(), "pm.stream.trailer".into());
    out.push_str(&Value::Object(trailer).to_string());
    out.push('\n');
}

fn rows(out: &mut String, tables: &[(String, Items<'_>)]) {
    for (_, items) in tables {
        for n in 0..items.len() {
            row(out, items.at(n));
            out.push('\n');
        }
    }
}

fn row(out: &mut String, place: Ref<'_>) {
    match place.view() {
        View::Object(fields) => {
            let mut entries = Vec::new();
            fields.each(&mut |key, place| entries.push((key, place)));
            render::write(out, Format::Compact, false, &entries);
        }
        _ => out.push_str(&place.to_value().to_string()),
    }
}
