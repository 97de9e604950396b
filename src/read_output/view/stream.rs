//! Rows as lines of compact JSON that say what they are. The last line tells what a reader must know of the whole: how
//! many there were, and how to go on.

use serde_json::{Map, Value};

use super::super::tree::Ref;
use super::Page;

/// What the last line repeats of the envelope: the state of a session is in nothing else, and an answer that did not
/// fit is told as such.
const AT_THE_END: [&str; 13] = [
    "count",
    "total",
    "has_more",
    "next_cursor",
    "continuations",
    "completeness",
    "warnings",
    "output_budget_exceeded",
    "read_output",
    "read_session",
    "continuation_kind",
    "output_budget_truncation",
    "row_contract",
];

/// What the first line repeats of the question, where the envelope has it.
const AT_THE_START: [&str; 4] = ["count", "now", "filters", "projection"];

pub(super) fn write(out: &mut String, page: &Page<'_>, surface: &str) {
    let kind = if surface == "list" { "item" } else { "entry" };
    line(out, "meta", surface, &|key| pick(page, key), &AT_THE_START);
    // The question itself has lists too; they are in the first line.
    let asked = |path: &str| AT_THE_START.iter().any(|key| path.split('.').next() == Some(key));
    for (_, items) in page.tables().into_iter().filter(|(path, _)| !asked(path)) {
        for n in 0..items.len() {
            let row = items.at(n).to_value();
            line(out, kind, surface, &|_| Some(row.clone()), &[kind]);
        }
    }
    line(out, "end", surface, &|key| pick(page, key), &AT_THE_END);
}

fn pick(page: &Page<'_>, key: &str) -> Option<Value> {
    let part = page.parts.iter().find(|(name, _)| *name == key).map(|(_, place)| *place);
    page.get(key).or(part).map(Ref::to_value)
}

fn line(out: &mut String, kind: &str, surface: &str, value: &dyn Fn(&str) -> Option<Value>, keys: &[&str]) {
    let mut fields = Map::from_iter([
        ("type".to_owned(), Value::from(kind)),
        ("command".to_owned(), Value::from(surface)),
    ]);
    fields.extend(keys.iter().filter_map(|key| Some(((*key).to_owned(), value(key)?))));
    out.push_str(&Value::Object(fields).to_string());
    out.push('\n');
}
