//! Views of the envelope for people and for other programs: pure functions of what the contract's encodings show.
//!
//! A view sees the finished envelope and nothing else; budgets measure it like any other rendering.

mod csv;
mod grid;
mod human;
mod markdown;
mod ndjson;
mod stream;
mod text;

use serde_json::Value;

use super::environment::Environment;
use super::render::{self, Format};
use super::tree::{Items, Ref, View};

/// The envelope, the answer and what stands around it told apart.
struct Page<'e> {
    /// The answer's own parts.
    parts: Vec<(&'e str, Ref<'e>)>,
    /// Everything else, by key.
    around: Vec<(&'e str, Ref<'e>)>,
}

/// The keys that the pipeline adds.
const AROUND: &[&str] = &[
    "count",
    "total",
    "applied_limit",
    "has_more",
    "truncated",
    "next_cursor",
    "continuations",
    "applied_bound",
    "completeness",
    "warnings",
    "omission_receipt",
    "read_output",
    "read_session",
    "continuation_kind",
    "output_budget_truncation",
    "output_budget_exceeded",
    "row_contract",
];

impl<'e> Page<'e> {
    fn of(entries: &[(&'e str, Ref<'e>)]) -> Page<'e> {
        let (around, parts) = entries.iter().partition(|(key, _)| AROUND.contains(key));
        Page { parts, around }
    }

    fn get(&self, key: &str) -> Option<Ref<'e>> {
        self.around.iter().find(|(name, _)| *name == key).map(|(_, place)| *place)
    }

    fn leaf(&self, key: &str) -> Option<&'e Value> {
        self.get(key).and_then(Ref::leaf)
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.leaf(key)?.as_u64()
    }

    /// A field of a receipt.
    fn inside(&self, key: &str, field: &str) -> Option<Value> {
        let View::Object(fields) = self.get(key)?.view() else { return None };
        fields.get(field).map(Ref::to_value)
    }

    /// Every collection of rows, by path, in order; empty ones too.
    fn tables(&self) -> Vec<(String, Items<'e>)> {
        let mut all = Vec::new();
        for (key, place) in &self.parts {
            match place.view() {
                View::Array(items) => all.push(((*key).to_owned(), items)),
                View::Object(fields) => fields.each(&mut |name, place| {
                    if let View::Array(items) = place.view() {
                        all.push((format!("{key}.{name}"), items));
                    }
                }),
                View::Leaf(_) => {}
            }
        }
        all
    }

    /// `3 of 305 · next: --output-cursor ...`, when the page is not the whole.
    fn footer(&self) -> Option<String> {
        let mut said: Vec<String> = Vec::new();
        match (self.number("count"), self.number("total")) {
            (Some(count), Some(total)) if count == total => said.push(format!("{total} in all")),
            (Some(count), Some(total)) => said.push(format!("{count} of {total}")),
            _ => {}
        }
        if let Some(budget) = self.inside("output_budget_truncation", "budget_tokens") {
            said.push(format!("cut to fit {budget} tokens"));
        }
        if let Some(cursor) = self.leaf("next_cursor").and_then(Value::as_str) {
            said.push(format!("next: --output-cursor {cursor}"));
        }
        (!said.is_empty()).then(|| said.join(" · "))
    }

    /// What a person must know beside the rows: what could not be read, warnings.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some(Value::Array(files)) = self.inside("completeness", "unreadable") {
            for file in files {
                let field = |key: &str| text::line(file[key].as_str().unwrap_or_default()).into_owned();
                remarks.push(format!("not read: {} ({})", field("path"), field("code")));
            }
        }
        if let Some(Value::Array(warnings)) = self.get("warnings").map(Ref::to_value) {
            let lines = warnings.iter().filter_map(Value::as_str);
            remarks.extend(lines.map(|line| format!("warning: {}", text::line(line))));
        }
        remarks
    }

    /// Whether there is no answer because none fits.
    fn is_omitted(&self) -> bool {
        self.get("output_budget_exceeded").is_some()
    }

    /// What stands in place of an answer that does not fit, as one line of JSON.
    fn omission(&self, out: &mut String) {
        render::write(out, Format::Compact, false, &self.around);
        out.push('\n');
    }

    /// Why there is no answer.
    fn refusal(&self) -> Option<String> {
        self.is_omitted().then_some(())?;
        let needed = self.inside("read_output", "omitted_result_estimated_tokens");
        let needed = needed.map_or(String::new(), |tokens| format!("; it needs about {tokens} tokens"));
        Some(format!("The result does not fit the output budget{needed}. Use --output-budget unbounded."))
    }
}

/// Writes a view of an envelope, final line feed included where there is a line.
pub(super) fn write(
    out: &mut String,
    format: Format,
    entries: &[(&str, Ref<'_>)],
    environment: &Environment<'_>,
    surface: &str,
) {
    let page = Page::of(entries);
    match format {
        Format::Csv => csv::write(out, &page, environment.width.is_some()),
        Format::Ndjson => ndjson::write(out, &page),
        Format::Stream => stream::write(out, &page, surface),
        Format::Trailed => ndjson::write_trailed(out, &page),
        Format::Markdown => markdown::write(out, &page, surface),
        _ => human::write(out, &page, environment),
    }
}

/// What views without a place for it must say on standard error: what could not be read, warnings, how a cut page goes
/// on.
pub(super) fn note(format: Format, entries: &[(&str, Ref<'_>)]) -> Option<String> {
    if !matches!(format, Format::Csv | Format::Ndjson) {
        return None;
    }
    let page = Page::of(entries);
    let mut said = page.remarks();
    said.extend(csv::left_out(&page).filter(|_| format == Format::Csv));
    said.extend(page.leaf("next_cursor").and_then(|_| page.footer()));
    (!said.is_empty()).then(|| said.join("\n"))
}
