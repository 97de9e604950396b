//! What of an item is searched: its texts, field by field.

use serde_json::Value;

use crate::model::item::Item;

/// How much a match in a field says about the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// The title.
    Title,
    /// The tags.
    Tags,
    /// The description.
    Description,
    /// Every other text.
    Rest,
    /// Linked files, documents and tests: only when asked for.
    Linked,
}

impl Class {
    /// How many there are.
    pub(crate) const COUNT: usize = 5;
}

/// A searched field: a number that postings can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Field(u8);

/// Every searched field, in the order in which a document gives them; the number of a field is its place here.
const FIELDS: &[(&str, Class)] = &[
    ("title", Class::Title),
    ("tags", Class::Tags),
    ("description", Class::Description),
    ("acceptance_criteria", Class::Rest),
    ("definition_of_ready", Class::Rest),
    ("goal", Class::Rest),
    ("objective", Class::Rest),
    ("value", Class::Rest),
    ("impact", Class::Rest),
    ("outcome", Class::Rest),
    ("why_now", Class::Rest),
    ("component", Class::Rest),
    ("environment", Class::Rest),
    ("repro_steps", Class::Rest),
    ("customer_impact", Class::Rest),
    ("resolution", Class::Rest),
    ("expected_result", Class::Rest),
    ("actual_result", Class::Rest),
    ("close_reason", Class::Rest),
    ("blocked_reason", Class::Rest),
    ("unblock_note", Class::Rest),
    ("assignee", Class::Rest),
    ("reviewer", Class::Rest),
    ("reporter", Class::Rest),
    ("sprint", Class::Rest),
    ("release", Class::Rest),
    ("parent", Class::Rest),
    ("external_ref", Class::Rest),
    ("body", Class::Rest),
    ("comments", Class::Rest),
    ("notes", Class::Rest),
    ("learnings", Class::Rest),
    ("reminders", Class::Rest),
    ("events", Class::Rest),
    ("dependencies", Class::Rest),
    ("plan", Class::Rest),
    ("files", Class::Linked),
    ("docs", Class::Linked),
    ("tests", Class::Linked),
];

impl Field {
    /// The field with this number.
    pub(crate) fn numbered(number: u8) -> Option<Field> {
        (usize::from(number) < FIELDS.len()).then_some(Field(number))
    }

    /// Its number.
    pub(crate) fn number(self) -> u8 {
        self.0
    }

    /// The name under which matches are reported.
    pub(crate) fn name(self) -> &'static str {
        FIELDS[usize::from(self.0)].0
    }

    /// How much a match in it says.
    pub(crate) fn class(self) -> Class {
        FIELDS[usize::from(self.0)].1
    }
}

/// The texts of an item, grouped by field in the order of the table; a list gives one text per value.
pub(crate) fn texts(item: &Item) -> Vec<(Field, &str)> {
    let mut out = Vec::new();
    for (number, (name, _)) in (0u8..).zip(FIELDS) {
        let field = Field(number);
        match *name {
            "body" => out.push((field, item.body.as_str())),
            "plan" => {
                for (list, keys) in PLAN {
                    push_each(&mut out, field, item.list(list), keys);
                }
                out.extend(item.text("plan_resume_context").map(|text| (field, text)));
            }
            _ => match (entry_keys(name), item.metadata.get(*name)) {
                (Some(keys), Some(Value::Array(list))) => push_each(&mut out, field, list, keys),
                (None, Some(Value::Array(list))) => {
                    out.extend(list.iter().filter_map(Value::as_str).map(|text| (field, text)));
                }
                (_, Some(Value::String(text))) => out.push((field, text.as_str())),
                _ => {}
            },
        }
    }
    out.retain(|(_, text)| !text.trim().is_empty());
    out
}

/// The texts of a plan.
const PLAN: &[(&str, &[&str])] = &[
    ("plan_steps", &["title", "body", "evidence", "blocked_reason"]),
    ("plan_decisions", &["decision", "rationale", "evidence"]),
    ("plan_discoveries", &["text"]),
    ("plan_validation", &["text", "command", "expected"]),
];

/// Which keys of a collection's entries hold text; `None` for a field that holds texts itself.
fn entry_keys(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "comments" | "notes" | "learnings" | "reminders" => &["text"],
        "events" => &["title", "description", "location"],
        "dependencies" => &["id"],
        "files" | "docs" => &["path", "note"],
        "tests" => &["command", "path", "note"],
        _ => return None,
    })
}

fn push_each<'a>(out: &mut Vec<(Field, &'a str)>, field: Field, entries: &'a [Value], keys: &[&str]) {
    for entry in entries {
        out.extend(keys.iter().filter_map(|key| entry.get(key)?.as_str()).map(|text| (field, text)));
    }
}
