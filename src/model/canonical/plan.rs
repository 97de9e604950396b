//! Plan steps, decisions, discoveries and validations: entries that lack something required are dropped.

use serde_json::Value;

use super::shape::{Entry, integral, listed, number, slashed, sorted};
use super::{Form, NotCanonical, trimmed};

/// The states of a step.
pub(crate) const STEP_STATUSES: [&str; 6] =
    ["pending", "in_progress", "completed", "blocked", "skipped", "superseded"];

pub(super) fn decisions(value: Value) -> Form {
    Ok(rows(value, |entry| {
        entry.as_is("ts");
        entry.as_is("author");
        entry.trim_texts(&["decision", "rationale", "evidence", "step_id"]);
        entry.has_all(&["ts", "author", "decision"])
    }))
}

pub(super) fn discoveries(value: Value) -> Form {
    Ok(rows(value, |entry| {
        entry.as_is("ts");
        entry.as_is("author");
        entry.trim_texts(&["text", "step_id"]);
        entry.has_all(&["ts", "author", "text"])
    }))
}

pub(super) fn validation(value: Value) -> Form {
    Ok(rows(value, |entry| {
        entry.trim_texts(&["text", "command", "expected"]);
        entry.has("text")
    }))
}

pub(super) fn steps(value: Value) -> Form {
    let Value::Array(given) = value else { return Ok(None) };
    let steps = given.into_iter().filter_map(|step| match step {
        Value::Object(step) => one_step(Entry::new(step)),
        _ => None,
    });
    sorted(steps.collect(), |a, b| {
        let order = |step: &Value| step.get("order").and_then(number).unwrap_or(0.0);
        Ok::<_, NotCanonical>(order(a).total_cmp(&order(b)))
    })
}

fn one_step(mut entry: Entry) -> Option<Value> {
    entry.trim_text("id");
    let order = match entry.take("order") {
        Some(Value::String(text)) => text.trim().parse::<f64>().ok().filter(|n| n.is_finite()).map(integral),
        other => other.filter(Value::is_number),
    };
    entry.put("order", order);
    entry.trim_texts(&["title", "status"]);
    entry.as_is("created_at");
    entry.as_is("updated_at");
    if !entry.has_all(&["id", "order", "title", "status", "created_at", "updated_at"])
        || !STEP_STATUSES.contains(&entry.text("status"))
    {
        return None;
    }
    entry.trim_texts(&["body", "owner", "evidence", "blocked_reason", "superseded_by"]);
    entry.as_is("completed_at");
    entry.rows("linked_items", |link| {
        link.trim_texts(&["id", "kind", "note"]);
        link.flag("required_before_step");
        link.has_all(&["id", "kind"])
    });
    entry.rows("files", linked_file);
    entry.rows("tests", |test| {
        test.trim_text("command");
        test.trimmed_path();
        test.trim_text("note");
        test.has("command") || test.has("path")
    });
    entry.rows("docs", linked_file);
    Some(entry.done())
}

fn linked_file(link: &mut Entry) -> bool {
    link.trimmed_path();
    let scope = link.take("scope").filter(|scope| matches!(scope.as_str(), Some("project" | "global")));
    link.put("scope", scope);
    link.trim_text("note");
    link.has("path")
}

/// Entries rebuilt by `make`, without those that it refuses.
fn rows(value: Value, make: impl Fn(&mut Entry) -> bool) -> Option<Value> {
    let Value::Array(given) = value else { return None };
    let rows = given.into_iter().filter_map(|row| {
        let Value::Object(row) = row else { return None };
        let mut entry = Entry::new(row);
        make(&mut entry).then(|| entry.done())
    });
    listed(rows.collect())
}

impl Entry {
    fn trim_texts(&mut self, keys: &[&str]) {
        keys.iter().for_each(|key| self.trim_text(key));
    }

    /// A text that is not empty, untrimmed.
    fn as_is(&mut self, key: &str) {
        let value = self.take(key).filter(|v| v.as_str().is_some_and(|v| !v.is_empty()));
        self.put(key, value);
    }

    fn trimmed_path(&mut self) {
        let path = self.take("path").and_then(trimmed);
        if let Some(Value::String(path)) = path {
            self.put("path", slashed(path));
        }
    }

    fn has_all(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.has(key))
    }

    fn rows(&mut self, key: &str, make: impl Fn(&mut Entry) -> bool) {
        let rows = self.take(key).and_then(|value| rows(value, make));
        self.put(key, rows);
    }
}
