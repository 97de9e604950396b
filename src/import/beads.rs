//! Beads: `issues.jsonl`, one issue a line.

use serde_json::{Map, Value};

use super::{Entry, Link, Reading, Record, Source, priority, sections, take, text, texts};

pub(super) fn read(sources: &[Source], reading: &mut Reading) {
    for source in sources {
        for (n, line) in source.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let origin = format!("{}:{}", source.path, n + 1);
            match serde_json::from_str::<Value>(line) {
                Ok(Value::Object(issue)) => issue_of(origin, issue, reading),
                Ok(_) => reading.skip(&origin, "it is no JSON object"),
                Err(error) => reading.skip(&origin, format!("it is no JSON: {error}")),
            }
        }
    }
}

/// What only issues have. The journals that lie beside them have ids and times as well.
const OF_ISSUES: [&str; 6] = ["title", "status", "issue_type", "priority", "description", "dependencies"];

fn issue_of(origin: String, mut issue: Map<String, Value>, reading: &mut Reading) {
    if !OF_ISSUES.iter().any(|key| issue.contains_key(*key)) {
        return reading.pass_over(&origin, "it is no issue");
    }
    let id = text(&take(&mut issue, "id"));
    if id.is_empty() {
        return reading.skip(&origin, "it has no id");
    }
    let mut of = |key: &str| take(&mut issue, key);
    let mut record = Record {
        origin,
        id,
        title: text(&of("title")),
        text: text(&of("description")),
        kind: text(&of("issue_type")),
        status: text(&of("status")),
        tags: texts(&of("labels")),
        ..Record::default()
    };
    priority(&mut record, of("priority"));
    for (key, name) in [
        ("assignee", "assignee"),
        ("author", "created_by"),
        ("source_owner", "owner"),
        ("design", "design"),
        ("estimated_minutes", "estimated_minutes"),
        ("external_ref", "external_ref"),
        ("deadline", "due_at"),
        ("created_at", "created_at"),
        ("updated_at", "updated_at"),
        ("closed_at", "closed_at"),
        ("close_reason", "close_reason"),
    ] {
        record.set(key, of(name));
    }
    let notes = text(&of("notes"));
    if !notes.is_empty() {
        let at = |key| record.fields.get(key).map(text).unwrap_or_default();
        let note =
            Entry { author: at("author"), created_at: at("created_at"), text: notes, rest: Map::new() };
        record.notes.push(note);
    }
    let criteria = text(&of("acceptance_criteria"));
    sections::place_criteria(&mut record, "Acceptance Criteria", &criteria, false);
    deleted(&mut record, &mut of);
    if let Value::Array(rows) = of("dependencies") {
        rows.into_iter().for_each(|row| link(&mut record, row));
    }
    if let Value::Array(rows) = of("comments") {
        record.comments.extend(rows.into_iter().filter_map(comment));
    }
    if issue.shift_remove("content_hash").is_some() {
        reading.lose("content_hash", "a digest of the other fields: not needed here");
    }
    for (key, value) in issue {
        // Counters at zero say nothing.
        if value.as_u64() != Some(0) {
            record.keep(&key, value);
        }
    }
    reading.records.push(record);
}

/// An issue that was deleted there stays as one that was given up.
fn deleted(record: &mut Record, of: &mut dyn FnMut(&str) -> Value) {
    let kind = text(&of("original_type"));
    if !kind.is_empty() {
        record.kind = kind;
    }
    for (key, name) in [("closed_at", "deleted_at"), ("close_reason", "delete_reason")] {
        let value = of(name);
        if record.fields.contains_key(key) {
            record.keep(name, value);
        } else {
            record.set(key, value);
        }
    }
}

/// `issue_id` depends on `depends_on_id`.
fn link(record: &mut Record, row: Value) {
    let get = |key: &str| row.get(key).map(text).unwrap_or_default();
    let (id, kind) = (get("depends_on_id"), get("type"));
    if id.is_empty() {
        let mut rows = take(&mut record.rest, "dependencies").as_array().cloned().unwrap_or_default();
        rows.push(row);
        record.keep("dependencies", rows.into());
        return;
    }
    if kind.replace('_', "-") == "parent-child" && record.parent.is_empty() {
        record.parent = id;
        return;
    }
    record.links.push(Link { id, kind, author: get("created_by"), created_at: get("created_at") });
}

fn comment(row: Value) -> Option<Entry> {
    let Value::Object(mut row) = row else { return None };
    for key in ["id", "issue_id"] {
        row.shift_remove(key);
    }
    let mut of = |key: &str| text(&take(&mut row, key));
    Some(Entry { author: of("author"), created_at: of("created_at"), text: of("text"), rest: row })
}
