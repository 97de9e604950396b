//! Rows as comma-separated values: the columns of all rows in first-seen order, quoted where RFC 4180 asks for it.

use serde_json::Value;

use super::super::tree::{Items, Ref, View};
use super::Page;

/// Writes the rows; a terminal gets no control characters, a file gets what there is.
pub(super) fn write(out: &mut String, page: &Page<'_>, terminal: bool) {
    let begin = out.len();
    rows(out, page);
    if terminal && out[begin..].contains(|c: char| c.is_control() && c != '\n') {
        let clean = |c: char| if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c };
        *out = out.chars().map(clean).collect();
    }
}

fn rows(out: &mut String, page: &Page<'_>) {
    if page.is_omitted() {
        return omission(out, page);
    }
    match filled(page).first() {
        Some((_, items)) => table(out, *items),
        None if !page.tables().iter().any(|(_, items)| is_rows(items)) => object(out, page),
        None => {}
    }
}

/// A list inside a record is a value of it; an answer that has a row collection, however empty, has only that.
fn is_rows(items: &Items<'_>) -> bool {
    items.columns.is_some()
}

fn filled<'e>(page: &Page<'e>) -> Vec<(String, Items<'e>)> {
    page.tables().into_iter().filter(|(_, items)| is_rows(items) && items.len() > 0).collect()
}

/// Which collections have no place in a file of one table.
pub(super) fn left_out(page: &Page<'_>) -> Option<String> {
    let paths: Vec<String> = filled(page).into_iter().map(|(path, _)| path).collect();
    let (first, others) = paths.split_first().filter(|(_, others)| !others.is_empty())?;
    Some(format!("csv has one table, {first}; not shown: {}", others.join(", ")))
}

/// The receipt in place of an answer that does not fit: one row.
fn omission(out: &mut String, page: &Page<'_>) {
    let facts = [
        ("output_budget_exceeded", "omitted_result"),
        ("output_budget_exceeded", "reason"),
        ("output_budget_exceeded", "restore_with"),
        ("read_output", "estimated_tokens"),
        ("read_output", "omitted_result_estimated_tokens"),
    ];
    let told: Vec<(&str, Value)> =
        facts.iter().filter_map(|(key, field)| Some((*field, page.inside(key, field)?))).collect();
    line(out, told.iter().map(|(field, _)| (*field).to_owned()));
    line(out, told.iter().map(|(_, value)| text(Ref::Value(value))));
}

fn table(out: &mut String, items: Items<'_>) {
    let mut columns: Vec<&str> = items.columns.unwrap_or_default().iter().map(String::as_str).collect();
    for n in 0..items.len() {
        if let View::Object(fields) = items.at(n).view() {
            fields.each(&mut |key, _| {
                if !columns.contains(&key) {
                    columns.push(key);
                }
            });
        }
    }
    if columns.is_empty() {
        columns.push("value");
    }
    line(out, columns.iter().map(|column| (*column).to_owned()));
    for n in 0..items.len() {
        let row = items.at(n);
        match row.view() {
            View::Object(fields) => {
                line(out, columns.iter().map(|column| fields.get(column).map_or(String::new(), text)));
            }
            _ => line(out, std::iter::once(text(row))),
        }
    }
}

/// An answer without rows: the plain values of its one object, or of the answer itself.
fn object(out: &mut String, page: &Page<'_>) {
    let mut pairs: Vec<(String, String)> = Vec::new();
    match page.parts.first().map(|(_, place)| place.view()) {
        Some(View::Object(fields)) if page.parts.len() == 1 => {
            fields.each(&mut |key, place| pairs.push((key.to_owned(), text(place))));
        }
        _ => pairs.extend(page.parts.iter().map(|(key, place)| ((*key).to_owned(), text(*place)))),
    }
    if !pairs.is_empty() {
        line(out, pairs.iter().map(|(key, _)| key.clone()));
        line(out, pairs.into_iter().map(|(_, value)| value));
    }
}

fn text(place: Ref<'_>) -> String {
    match place.view() {
        View::Leaf(Value::Null) => String::new(),
        View::Leaf(Value::String(text)) => text.clone(),
        _ => place.to_value().to_string(),
    }
}

fn line(out: &mut String, cells: impl Iterator<Item = String>) {
    for (n, cell) in cells.enumerate() {
        if n > 0 {
            out.push(',');
        }
        if cell.contains(['"', ',', '\n', '\r']) {
            out.push('"');
            out.push_str(&cell.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(&cell);
        }
    }
    out.push('\n');
}
