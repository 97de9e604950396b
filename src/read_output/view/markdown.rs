//! Markdown: a heading for the command, one for each part, rows as tables.

use super::super::tree::{Fields, Items, Ref, View};
use super::{Page, text};

pub(super) fn write(out: &mut String, page: &Page<'_>, surface: &str) {
    out.push_str(&format!("# pm {surface}\n"));
    if let Some(refusal) = page.refusal() {
        out.push_str(&format!("\n{refusal}\n"));
    }
    let plain: Vec<_> = page.parts.iter().filter(|(_, place)| place.leaf().is_some()).collect();
    if !plain.is_empty() {
        out.push('\n');
    }
    for (key, place) in plain {
        out.push_str(&format!("- {}: {}\n", inline(key), inline(&text::cell(*place, None))));
    }
    for (key, place) in &page.parts {
        match place.view() {
            View::Leaf(_) => {}
            View::Array(items) => section(out, key, items),
            View::Object(fields) => object(out, key, fields),
        }
    }
    for remark in page.remarks() {
        out.push_str(&format!("\n> {}\n", inline(&remark)));
    }
    if let Some(footer) = page.footer() {
        out.push_str(&format!("\n*{footer}*\n"));
    }
}

fn section(out: &mut String, key: &str, items: Items<'_>) {
    if items.len() == 0 {
        return;
    }
    out.push_str(&format!("\n## {}\n\n", inline(&text::heading(key))));
    let columns = columns(items);
    if columns.is_empty() {
        for n in 0..items.len() {
            out.push_str(&format!("- {}\n", inline(&text::cell(items.at(n), None))));
        }
        return;
    }
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    out.push_str(&row(columns.iter().map(|column| inline(column)).collect()));
    out.push_str(&row(columns.iter().map(|_| "---".to_owned()).collect()));
    for n in 0..items.len() {
        let View::Object(fields) = items.at(n).view() else { continue };
        let cell = |column: &&str| fields.get(column).map_or(String::new(), |place| text::cell(place, None));
        out.push_str(&row(columns.iter().map(|column| inline(&cell(column))).collect()));
    }
}

/// The columns when every item is an object.
fn columns<'d>(items: Items<'d>) -> Vec<&'d str> {
    let mut columns: Vec<&str> = items.columns.unwrap_or_default().iter().map(String::as_str).collect();
    for n in 0..items.len() {
        let View::Object(fields) = items.at(n).view() else { return Vec::new() };
        fields.each(&mut |key, _| {
            if !columns.contains(&key) {
                columns.push(key);
            }
        });
    }
    columns
}

fn object(out: &mut String, key: &str, fields: Fields<'_>) {
    out.push_str(&format!("\n## {}\n\n", inline(&text::heading(key))));
    let mut lists: Vec<(&str, Items<'_>)> = Vec::new();
    let mut long: Vec<(&str, Ref<'_>)> = Vec::new();
    fields.each(&mut |name, place| match place.view() {
        View::Array(items) if !columns(items).is_empty() => lists.push((name, items)),
        _ if place.leaf().and_then(|v| v.as_str()).is_some_and(|v| v.contains('\n')) => {
            long.push((name, place))
        }
        _ => out.push_str(&format!("- {}: {}\n", inline(name), inline(&text::cell(place, None)))),
    });
    for (name, items) in lists {
        section(out, name, items);
    }
    for (name, place) in long {
        out.push_str(&format!("\n### {}\n\n", inline(&text::heading(name))));
        let value = place.leaf().and_then(|v| v.as_str()).unwrap_or_default();
        text::lines(value).for_each(|line| {
            out.push_str(&line);
            out.push('\n');
        });
    }
}

/// Text inside a line or a table cell.
fn inline(text: &str) -> String {
    text::line(text).replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}
