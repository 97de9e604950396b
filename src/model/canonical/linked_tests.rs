//! Linked tests and the records of their runs.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::shape::{
    Entry, by_flag, by_optional_text, by_text, by_time, entries, first_of, integral, listed, members, number,
    slashed, sorted, whole,
};
use super::{Form, NotCanonical, collated, refuse};
use crate::model::collation;
use crate::model::spelling;
use crate::model::text::{into_trimmed, trim, trim_lower};

/// The largest number of measurements, and of executions, that a run keeps.
const PER_RUN: usize = 32;

pub(super) fn tests(value: Value) -> Form {
    let Value::Array(given) = value else { return Ok(None) };
    let mut made = Vec::with_capacity(given.len());
    for test in given {
        let mut entry = Entry::new(members(test)?);
        entry.trim("command")?;
        match entry.take("path") {
            None | Some(Value::Null) => {}
            Some(Value::String(path)) if path.is_empty() => {}
            Some(Value::String(path)) => entry.put("path", slashed(path)),
            Some(_) => return refuse("holds a `path` that is no text"),
        }
        entry.keep("scope");
        let timeout = entry.take("timeout_seconds").filter(|t| number(t).is_some_and(|n| n > 0.0));
        entry.put("timeout_seconds", timeout);
        context_mode(&mut entry)?;
        let env_set = entry.take("env_set").and_then(texts_by_key);
        entry.put("env_set", env_set);
        texts(&mut entry, "env_clear");
        entry.flag("shared_host_safe");
        for key in TEXT_ASSERTIONS {
            texts(&mut entry, key);
        }
        let min_lines = whole(entry.take("assert_stdout_min_lines"), 0.0);
        entry.put("assert_stdout_min_lines", min_lines);
        let equals = entry.take("assert_json_field_equals").and_then(texts_by_key);
        entry.put("assert_json_field_equals", equals);
        let gte = entry.take("assert_json_field_gte").and_then(numbers_by_key);
        entry.put("assert_json_field_gte", gte);
        entry.trim("note")?;
        made.push(entry.done());
    }
    Ok(listed(made))
}

const TEXT_ASSERTIONS: [&str; 4] =
    ["assert_stdout_contains", "assert_stdout_regex", "assert_stderr_contains", "assert_stderr_regex"];

fn context_mode(entry: &mut Entry) -> Result<(), NotCanonical> {
    match entry.take("pm_context_mode") {
        None | Some(Value::Null) => {}
        Some(Value::String(mode)) => {
            let mode = trim_lower(&mode);
            if matches!(mode.as_str(), "schema" | "tracker" | "auto") {
                entry.put("pm_context_mode", Value::String(mode));
            }
        }
        Some(_) => return refuse("holds a `pm_context_mode` that is no text"),
    }
    Ok(())
}

/// A list of texts: trimmed, each once, collated.
fn texts(entry: &mut Entry, key: &str) {
    let Some(Value::Array(given)) = entry.take(key) else { return };
    let mut kept = Vec::with_capacity(given.len());
    let mut seen = std::collections::HashSet::new();
    for text in given {
        if let Value::String(text) = text {
            let text = into_trimmed(text);
            if !text.is_empty() && seen.insert(text.clone()) {
                kept.push(text);
            }
        }
    }
    kept.sort_by(|a, b| collation::compare(a, b));
    entry.put(key, listed(kept.into_iter().map(Value::String).collect()));
}

/// A map to texts: keys and values trimmed, empty ones dropped, keys collated.
fn texts_by_key(value: Value) -> Option<Value> {
    let Value::Object(given) = value else { return None };
    let mut kept = Map::new();
    for (key, value) in given {
        let (key, text) = (trim(&key), into_trimmed(as_text(value)));
        if !key.is_empty() && !text.is_empty() {
            kept.insert(key.to_owned(), Value::String(text));
        }
    }
    collated(kept)
}

/// A value as `String(value)` gives it.
fn as_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Object(_) => "[object Object]".to_owned(),
        Value::Array(items) => {
            let texts =
                items.into_iter().map(|item| if item.is_null() { String::new() } else { as_text(item) });
            texts.collect::<Vec<_>>().join(",")
        }
        other => spelling::compact(&other),
    }
}

fn numbers_by_key(value: Value) -> Option<Value> {
    let Value::Object(given) = value else { return None };
    let mut kept = Map::new();
    for (key, value) in given {
        let number = match value {
            Value::Number(_) => Some(value),
            Value::String(text) => trim(&text).parse::<f64>().ok().filter(|n| n.is_finite()).map(integral),
            _ => None,
        };
        if let (Some(number), false) = (number, trim(&key).is_empty()) {
            kept.insert(trim(&key).to_owned(), number);
        }
    }
    collated(kept)
}

/// The first epoch hashed a sorted list of tests; today they keep the order in which they were added.
pub(crate) fn sort_as_first_epoch(tests: Vec<Value>) -> Form {
    sorted(tests, |a, b| {
        first_of!(
            by_text(a, b, "scope")?,
            by_optional_text(a, b, "path")?,
            by_optional_text(a, b, "command")?,
            by_number(a, b, "timeout_seconds"),
            by_optional_text(a, b, "pm_context_mode")?,
            by_flag(a, b, "shared_host_safe"),
            by_json(a, b, "env_clear", "[]"),
            by_json(a, b, "env_set", "{}"),
            by_json(a, b, TEXT_ASSERTIONS[0], "[]"),
            by_json(a, b, TEXT_ASSERTIONS[1], "[]"),
            by_json(a, b, TEXT_ASSERTIONS[2], "[]"),
            by_json(a, b, TEXT_ASSERTIONS[3], "[]"),
            by_number(a, b, "assert_stdout_min_lines"),
            by_json(a, b, "assert_json_field_equals", "{}"),
            by_json(a, b, "assert_json_field_gte", "{}"),
            by_optional_text(a, b, "note")?,
        )
    })
}

fn by_number(a: &Value, b: &Value, key: &str) -> Ordering {
    let of = |entry: &Value| entry.get(key).and_then(number).unwrap_or(0.0);
    of(a).total_cmp(&of(b))
}

fn by_json(a: &Value, b: &Value, key: &str, absent: &str) -> Ordering {
    match (a.get(key), b.get(key)) {
        (None, None) => Ordering::Equal,
        (x, y) => {
            let text = |value: Option<&Value>| value.map_or(absent.to_owned(), spelling::compact);
            collation::compare(&text(x), &text(y))
        }
    }
}

pub(super) fn runs(value: Value) -> Form {
    let Some(given) = entries(value)? else { return Ok(None) };
    let mut made = Vec::with_capacity(given.len());
    for given in given {
        made.extend(run(Entry::new(members(given)?))?);
    }
    sorted(made, |a, b| {
        first_of!(by_time(a, b, "recorded_at")?, by_text(a, b, "run_id")?, by_text(a, b, "kind")?)
    })
}

/// One run; nothing when it does not say which and when.
fn run(mut entry: Entry) -> Form {
    let mut complete = true;
    let id = entry.take("run_id").and_then(|id| id.as_str().map(|id| trim(id).to_owned()));
    complete &= id.as_ref().is_some_and(|id| !id.is_empty());
    entry.put("run_id", id.map(Value::String));
    one_of(&mut entry, "kind", &["test", "test-all"], "test");
    one_of(&mut entry, "status", &["passed", "failed", "stopped", "canceled"], "failed");
    for key in ["started_at", "finished_at", "recorded_at"] {
        let time = entry.take(key).filter(|t| t.as_str().is_some_and(|t| !t.is_empty()));
        complete &= time.is_some();
        entry.put(key, time);
    }
    let attempt = whole(entry.take("attempt"), 1.0);
    entry.put("attempt", attempt);
    entry.trim("resumed_from")?;
    for key in ["passed", "failed", "skipped"] {
        let count = whole(entry.take(key), 0.0).unwrap_or_else(|| Value::from(0));
        entry.put(key, count);
    }
    for key in ["items", "linked_tests"] {
        let count = whole(entry.take(key), 0.0);
        entry.put(key, count);
    }
    entry.flag("fail_on_skipped_triggered");
    let measured = entry.take("measurements").and_then(measurements);
    entry.put("measurements", measured);
    let executed = entry.take("executions").and_then(executions);
    entry.put("executions", executed);
    Ok(complete.then(|| entry.done()))
}

fn one_of(entry: &mut Entry, key: &str, choices: &[&str], otherwise: &str) {
    let value = entry.take(key).filter(|v| v.as_str().is_some_and(|v| choices.contains(&v)));
    entry.put(key, value.unwrap_or_else(|| Value::from(otherwise)));
}

/// Measurements: the last of each name, collated by name.
fn measurements(value: Value) -> Option<Value> {
    let Value::Array(given) = value else { return None };
    let mut by_name = Map::new();
    for measurement in given {
        let Value::Object(measurement) = measurement else { continue };
        let mut entry = Entry::new(measurement);
        entry.trim_text("name");
        let value = entry.take("value").filter(Value::is_number);
        entry.put("value", value);
        entry.trim_text("unit");
        let threshold = entry.take("threshold").filter(Value::is_number);
        entry.put("threshold", threshold);
        entry.trim_text("recorded_at");
        if ["name", "value", "recorded_at"].iter().all(|key| entry.has(key)) {
            let made = entry.done();
            by_name.insert(made["name"].as_str().unwrap_or_default().to_owned(), made);
        }
    }
    let mut kept: Vec<(String, Value)> = by_name.into_iter().collect();
    kept.sort_by(|a, b| collation::compare(&a.0, &b.0));
    listed(kept.into_iter().take(PER_RUN).map(|(_, made)| made).collect())
}

fn executions(value: Value) -> Option<Value> {
    let Value::Array(given) = value else { return None };
    let executions = given.into_iter().filter_map(|execution| {
        let Value::Object(execution) = execution else { return None };
        let mut entry = Entry::new(execution);
        entry.trim_text("command");
        for key in ["requested_pm_context_mode", "pm_context_mode"] {
            let mode = entry.take(key).filter(|m| matches!(m.as_str(), Some("schema" | "tracker" | "auto")));
            entry.put(key, mode);
        }
        entry.has("command").then(|| entry.done())
    });
    listed(executions.take(PER_RUN).collect())
}
