//! One item in full view: depths, sections, counts (surfaces.md §6).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::domain::filter::values;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::kind::Kind;
use crate::model::records::Record;
use crate::model::schema::Schema;
use crate::model::status::Statuses;

/// The collections that only a deep view shows.
pub const COLLECTIONS: [&str; 8] =
    ["comments", "notes", "learnings", "files", "tests", "docs", "reminders", "events"];
/// What an item's view adds to its stored fields.
pub const COUNTS: [&str; 3] = ["notes_count", "tests_count", "collection_counts"];
/// The sections beside the item.
pub const SECTIONS: [&str; 4] = ["linked", "claim_state", "schedule", "children"];
/// How many children a deep view shows.
pub const SAMPLE: usize = 20;

/// How much of an item is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Its fields, collections only counted.
    Brief,
    /// Also the body, what is linked, who holds it.
    Standard,
    /// Everything.
    Deep,
}

impl Depth {
    /// The depth of this name; `full` is another word for `deep`.
    ///
    /// Errors: `invalid_argument_value` with the legal names.
    pub fn parse(text: &str) -> Result<Depth> {
        Ok(match text.trim().to_lowercase().as_str() {
            "brief" => Depth::Brief,
            "standard" => Depth::Standard,
            "deep" | "full" => Depth::Deep,
            _ => return Err(values::illegal("--depth", text, &["brief", "standard", "deep", "full"])),
        })
    }
}

/// The item's own fields at a depth, then counts, then the body.
pub fn fields(item: &Item, depth: Depth) -> Map<String, Value> {
    let keep = |key: &str| depth == Depth::Deep || !COLLECTIONS.contains(&key);
    let stored = item.metadata.iter().filter(|(key, _)| keep(key));
    let mut view: Map<String, Value> = stored.map(|(key, value)| (key.clone(), value.clone())).collect();
    if depth == Depth::Deep {
        for key in COLLECTIONS {
            view.entry(key).or_insert_with(|| json!([]));
        }
    }
    view.extend(COUNTS.map(|key| (key.to_owned(), count(item, key))));
    if depth >= Depth::Standard {
        view.insert("body".to_owned(), item.body.as_str().into());
    }
    view
}

/// Some fields of an item and its id: a collection that it lacks is empty, any other field null.
pub fn selected(item: &Item, names: &[String]) -> Map<String, Value> {
    let value = |name: &str| match name {
        "body" => item.body.as_str().into(),
        name if COUNTS.contains(&name) => count(item, name),
        name => item
            .metadata
            .get(name)
            .cloned()
            .unwrap_or_else(|| if COLLECTIONS.contains(&name) { json!([]) } else { Value::Null }),
    };
    let names = std::iter::once("id").chain(names.iter().map(String::as_str));
    names.map(|name| (name.to_owned(), value(name))).collect()
}

fn count(item: &Item, name: &str) -> Value {
    match name {
        "notes_count" => item.list("notes").len().into(),
        "tests_count" => item.list("tests").len().into(),
        _ => COLLECTIONS.iter().map(|key| ((*key).to_owned(), Value::from(item.list(key).len()))).collect(),
    }
}

/// What is linked: files, tests, documents.
pub fn linked(item: &Item) -> Value {
    json!({"files": item.list("files"), "tests": item.list("tests"), "docs": item.list("docs")})
}

/// The times that an item has, none when it has none.
pub fn schedule(item: &Item) -> Option<Value> {
    let mut schedule = Map::new();
    let first = item.list("events").first();
    let of_first = |key: &str| first.and_then(|event| event.get(key)).cloned();
    schedule.extend(item.metadata.get("deadline").map(|value| ("deadline".to_owned(), value.clone())));
    for key in ["start_at", "end_at", "location"] {
        schedule.extend(of_first(key).map(|value| (key.to_owned(), value)));
    }
    for key in ["reminders", "events"] {
        let list = item.list(key);
        schedule.extend((!list.is_empty()).then(|| (key.to_owned(), Value::from(list.to_vec()))));
    }
    (!schedule.is_empty()).then_some(Value::Object(schedule))
}

/// Who holds the item, and the last claim and release of its history.
pub fn claim_state(item: &Item, last_claim: Option<&Value>, last_release: Option<&Value>) -> Value {
    let event = |entry: Option<&Value>| {
        entry.map_or(Value::Null, |entry| {
            let part = |key: &str| entry.get(key).cloned().unwrap_or(Value::Null);
            json!({"ts": part("ts"), "author": part("author"), "message": part("message")})
        })
    };
    let assignee = item.text("assignee");
    json!({
        "claimed": assignee.is_some(),
        "assignee": assignee,
        "last_claim": event(last_claim),
        "last_release": event(last_release),
    })
}

/// Whether a section says more than that there is nothing.
pub fn says_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(values) => values.iter().any(says_something),
        Value::Object(map) => map.values().any(says_something),
        _ => true,
    }
}

/// Whether items of this kind are there to hold others: the kinds that plan, and every kind of the tracker's own.
pub fn is_container(kind: &str, schema: &Schema) -> bool {
    match schema.kinds.get(kind) {
        Some(Kind { built_in: true, name, .. }) => {
            matches!(name.as_str(), "Epic" | "Feature" | "Milestone" | "Plan")
        }
        _ => true,
    }
}

/// The children of an item: counted, with `sample` also the first of them by id.
pub fn children(
    id: &str,
    children: &[Record<'_>],
    statuses: &Statuses,
    sample: bool,
    scanned: usize,
) -> Value {
    let mut by_status: BTreeMap<&str, usize> = BTreeMap::new();
    for child in children {
        *by_status.entry(child.status()).or_default() += 1;
    }
    let active = children.iter().filter(|child| !statuses.is_terminal(child.status())).count();
    let mut view = Map::from_iter([
        ("count".to_owned(), children.len().into()),
        ("active".to_owned(), active.into()),
        ("by_status".to_owned(), json!(by_status)),
    ]);
    if sample {
        let row = |child: &Record<'_>| {
            json!({"id": child.id(), "title": child.title(), "type": child.kind(), "status": child.status(),
                "priority": child.priority()})
        };
        let truncated = children.len() > SAMPLE;
        let rows: Vec<Value> = children.iter().take(SAMPLE).map(row).collect();
        view.insert("sample".to_owned(), rows.into());
        view.insert("sample_limit".to_owned(), SAMPLE.into());
        view.insert("truncated".to_owned(), truncated.into());
        let more = truncated.then(|| format!("pm list --status all --parent {id}"));
        view.insert("continuation".to_owned(), more.into());
        view.insert("scanned".to_owned(), scanned.into());
    }
    Value::Object(view)
}

/// What `get --fields` names: fields of the item, and sections beside it with the parts of each (none: all).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Fields of the item, in order.
    pub fields: Vec<String>,
    /// Sections.
    pub sections: Vec<(&'static str, Vec<String>)>,
}

impl Selection {
    /// Reads the names; `item.` in front of a field is dropped. `held` are keys that the items at hand have besides;
    /// `call` is the call without its options, for a hint.
    ///
    /// Errors: `unknown_field_projection` with the legal names, the nearest first.
    pub fn parse(asked: &[String], held: &[String], call: &str, schema: &Schema) -> Result<Selection> {
        let mut selection = Selection::default();
        for name in asked {
            let name = name.trim();
            let (first, rest) =
                name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
            if let Some(section) = SECTIONS.iter().find(|section| **section == first) {
                selection.add_section(section, rest);
                continue;
            }
            let field = name.strip_prefix("item.").unwrap_or(name);
            if !COUNTS.contains(&field) {
                let held = held.iter().map(String::as_str);
                let legal: Vec<&str> = COUNTS.iter().chain(&SECTIONS).copied().chain(held).collect();
                crate::domain::projection::Projection::named(&[field.to_owned()], &legal, schema, call)?;
            }
            if field != "id" && !selection.fields.iter().any(|known| known == field) {
                selection.fields.push(field.to_owned());
            }
        }
        if asked.is_empty() {
            return Err(
                Error::new(Code::InvalidArgumentValue, "`--fields` needs at least one field").at("--fields")
            );
        }
        Ok(selection)
    }

    fn add_section(&mut self, section: &'static str, part: Option<&str>) {
        let at = self.sections.iter().position(|(name, _)| *name == section).unwrap_or_else(|| {
            self.sections.push((section, Vec::new()));
            self.sections.len() - 1
        });
        // Parts of `claim_state` and `children` mean nothing alone: the whole section is shown.
        if matches!(section, "linked" | "schedule") {
            self.sections[at].1.extend(part.map(str::to_owned));
        }
    }

    /// Whether a section is wanted.
    pub fn wants(&self, section: &str) -> bool {
        self.sections.iter().any(|(name, _)| *name == section)
    }

    /// The parts of a section that are wanted.
    pub fn cut(&self, section: &str, value: Value) -> Value {
        let parts = self.sections.iter().find(|(name, _)| *name == section).map(|(_, parts)| parts);
        match (parts, value) {
            (Some(parts), Value::Object(mut map)) if !parts.is_empty() => {
                map.retain(|key, _| parts.iter().any(|part| part == key));
                Value::Object(map)
            }
            (_, value) => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item() -> Item {
        let value = json!({"id": "pm-a", "title": "A", "comments": [{"text": "c"}], "deadline": "2026-01-01T00:00:00Z",
            "tests": [{"command": "true"}], "assignee": "ann"});
        Item { metadata: value.as_object().unwrap().clone(), body: "text".into() }
    }

    #[test]
    fn depths_differ_in_collections_and_body() {
        let keys = |depth| fields(&item(), depth).keys().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(
            keys(Depth::Brief),
            "id title deadline assignee notes_count tests_count collection_counts"
        );
        assert_eq!(
            keys(Depth::Standard),
            "id title deadline assignee notes_count tests_count collection_counts body"
        );
        assert_eq!(
            keys(Depth::Deep),
            "id title comments deadline tests assignee notes learnings files docs reminders events notes_count tests_count collection_counts body"
        );
        assert_eq!(fields(&item(), Depth::Brief)["collection_counts"]["tests"], 1);
    }

    #[test]
    fn selections_name_fields_and_sections() {
        let asked: Vec<String> =
            ["item.title", "linked.files", "children", "notes", "id", "risk", "notes_count"]
                .map(str::to_owned)
                .to_vec();
        let selection = Selection::parse(&asked, &[], "get", &Schema::default()).unwrap();
        assert_eq!(selection.fields, ["title", "notes", "risk", "notes_count"]);
        assert!(selection.wants("children") && !selection.wants("schedule"));
        assert_eq!(selection.cut("linked", linked(&item())), json!({"files": []}));
        let view = Value::Object(selected(&item(), &selection.fields));
        assert_eq!(view, json!({"id": "pm-a", "title": "A", "notes": [], "risk": null, "notes_count": 0}));
        let error = Selection::parse(&["titel".to_owned()], &[], "get", &Schema::default()).unwrap_err();
        assert_eq!(
            (error.code, &error.recovery["allowed_values"][0]),
            (Code::UnknownFieldProjection, &json!("title"))
        );
    }

    #[test]
    fn a_claim_is_told_with_its_history() {
        let claim = json!({"ts": "t", "author": "ann", "op": "claim"});
        let state = claim_state(&item(), Some(&claim), None);
        assert_eq!(
            state,
            json!({"claimed": true, "assignee": "ann", "last_claim": {"ts": "t", "author": "ann", "message": null}, "last_release": null})
        );
        assert_eq!(schedule(&item()).unwrap(), json!({"deadline": "2026-01-01T00:00:00Z"}));
        assert!(is_container("Epic", &Schema::default()) && !is_container("Task", &Schema::default()));
    }
}
