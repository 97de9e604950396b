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
    let tables = page.tables();
    let rows = tables.iter().find(|(_, items)| items.len() > 0).map(|(_, items)| *items);
    match rows {
        Some(items) => table(out, items),
        None if tables.is_empty() => object(out, page),
        None => {}
    }
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
