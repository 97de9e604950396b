//! Rows as lines of compact JSON; an answer without rows is one line.

use super::super::render::{self, Format};
use super::super::tree::{Ref, View};
use super::Page;

pub(super) fn write(out: &mut String, page: &Page<'_>) {
    let tables = page.tables();
    if tables.is_empty() {
        render::write(out, Format::Compact, false, &page.parts);
        out.push('\n');
        return;
    }
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
