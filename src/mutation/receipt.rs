//! What a mutation answers with (storage.md §6.1): the lean receipt, the full envelope, the plan of a dry run.

use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::model::item::Item;
use crate::surface::Globals;
use crate::tracker::Written;

/// What a mutation did, and what else there is to say.
#[derive(Debug)]
pub struct Receipt {
    /// The change.
    pub written: Written,
    /// Warnings beside those of the change.
    pub warnings: Vec<String>,
    /// What is usually done next, in the full envelope.
    pub next: Option<Value>,
    /// Whether the time of the change counts as a changed field, as it does for new and restored items.
    pub counts_time: bool,
}

/// The parts of an item that two versions differ in, with both values.
#[derive(Debug)]
struct Difference<'a> {
    field: &'a str,
    before: Value,
    after: Value,
}

fn value(item: Option<&Item>, field: &str) -> Value {
    match (item, field) {
        (None, _) => Value::Null,
        (Some(item), "body") => Value::from(item.body.as_str()),
        (Some(item), key) => item.metadata.get(key).cloned().unwrap_or(Value::Null),
    }
}

impl Receipt {
    /// The receipt of a change.
    pub fn of(written: Written) -> Receipt {
        Receipt { written, warnings: Vec::new(), next: None, counts_time: false }
    }

    /// The fields that changed.
    pub fn changed(&self) -> Vec<&str> {
        let mut changed: Vec<&str> = self.written.changed.iter().map(String::as_str).collect();
        if self.counts_time
            && !changed.contains(&"updated_at")
            && value(self.written.before.as_ref(), "updated_at")
                != value(self.written.after.as_ref(), "updated_at")
        {
            // Where the canonical order has it: right after `created_at`, else after the last field before it.
            let ahead = ["id", "title", "description", "type", "status", "priority", "tags", "created_at"];
            let place = changed.iter().rposition(|field| ahead.contains(field)).map_or(0, |at| at + 1);
            changed.insert(place, "updated_at");
        }
        changed
    }

    fn item(&self) -> &Item {
        static NOTHING: std::sync::OnceLock<Item> = std::sync::OnceLock::new();
        let written = &self.written;
        written
            .after
            .as_ref()
            .or(written.before.as_ref())
            .unwrap_or_else(|| NOTHING.get_or_init(Item::default))
    }

    fn differences(&self) -> Vec<Difference<'_>> {
        let (before, after) = (self.written.before.as_ref(), self.written.after.as_ref());
        let differ = |field| Difference { field, before: value(before, field), after: value(after, field) };
        self.changed().into_iter().map(differ).collect()
    }

    /// The answer that the options of the call ask for.
    pub fn answer<'a>(mut self, globals: &Globals) -> Answer<'a> {
        let mut warnings = std::mem::take(&mut self.written.warnings);
        warnings.append(&mut self.warnings);
        if globals.dry_run {
            return self.plan(warnings);
        }
        if globals.full_changed_fields || globals.no_changed_fields {
            return self.full(globals, &warnings);
        }
        let item = self.item();
        let mut answer = Answer::new().value("id", self.written.id.as_str()).value("status", item.status());
        if globals.id_only {
            return answer;
        }
        answer = answer.value("changed_field_count", self.changed().len());
        if let Some(reason) = item.text("close_reason") {
            answer = answer.value("close_reason", reason);
        }
        warnings.into_iter().fold(answer, Answer::warn)
    }

    fn full<'a>(&self, globals: &Globals, warnings: &[String]) -> Answer<'a> {
        let changed = self.changed();
        let mut answer = Answer::new().value("item", Value::Object(self.item().metadata.clone()));
        if !globals.no_changed_fields {
            answer = answer.value("changed_fields", changed.clone());
        }
        answer = answer.value("warnings", warnings.to_vec());
        if let Some(next) = &self.next {
            answer = answer.value("next_transition", next.clone());
        }
        if globals.no_changed_fields {
            answer = answer.value("changed_field_count", changed.len());
        }
        answer
    }

    /// What changed: each field with both values.
    pub fn changes(&self) -> Vec<Value> {
        let row = |d: &Difference<'_>| json!({"field": d.field, "before": d.before, "after": d.after});
        self.differences().iter().map(row).collect()
    }

    /// What would change, as an answer.
    fn plan<'a>(&self, warnings: Vec<String>) -> Answer<'a> {
        let rows = self.changes();
        let answer = Answer::new()
            .value("id", self.written.id.as_str())
            .value("status", self.item().status())
            .value("dry_run", true)
            .value("changed_field_count", rows.len())
            .value("changes", rows);
        warnings.into_iter().fold(answer, Answer::warn)
    }

    /// The full envelope as a value, for answers that nest it (`start-task`).
    pub fn envelope(&self) -> Value {
        let mut out = Map::new();
        out.insert("item".to_owned(), Value::Object(self.item().metadata.clone()));
        out.insert("changed_fields".to_owned(), Value::from(self.changed()));
        let warnings: Vec<&String> = self.written.warnings.iter().chain(&self.warnings).collect();
        out.insert("warnings".to_owned(), json!(warnings));
        Value::Object(out)
    }
}
