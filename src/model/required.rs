//! What a document must hold to be read as an item (storage.md §2.4).

use serde_json::{Map, Value};

use super::canonical::{FREQUENCIES, NotCanonical};
use super::spelling;
use super::text::{trim, trim_lower};
use super::timestamp;

/// Fields without which a document is no item; one of them makes it an attempt at one.
pub(crate) const REQUIRED: [&str; 9] =
    ["id", "title", "description", "type", "status", "priority", "tags", "created_at", "updated_at"];

/// Checks metadata as it was read, before it is brought into its form. The status is judged elsewhere.
pub(crate) fn check(metadata: &Map<String, Value>) -> Result<(), NotCanonical> {
    if let Some(missing) = REQUIRED.iter().find(|key| !metadata.contains_key(**key)) {
        return wrong(missing, "is missing");
    }
    metadata.iter().try_for_each(|(key, value)| check_field(key, value))
}

/// Checks one field that is there.
pub(crate) fn check_field(key: &str, value: &Value) -> Result<(), NotCanonical> {
    match (key, value) {
        ("id" | "title" | "description" | "created_at" | "updated_at", Value::String(_)) => Ok(()),
        ("id" | "title" | "description" | "created_at" | "updated_at", _) => wrong(key, "is no text"),
        ("type" | "status", Value::String(text)) if !trim(text).is_empty() => Ok(()),
        ("type" | "status", _) => wrong(key, "is no text, or blank"),
        ("priority", _) if !is_whole_within(value, 4.0) => {
            wrong(key, &format!("is {}, not a whole number from 0 to 4", brief(value)))
        }
        ("tags", Value::Array(tags)) if tags.iter().all(Value::is_string) => Ok(()),
        ("tags", _) => wrong(key, "is no list of texts"),
        ("confidence", Value::String(_)) => Ok(()),
        ("confidence", _) if !is_whole_within(value, 100.0) => {
            wrong(key, &format!("is {}, not low, medium, high or a whole number from 0 to 100", brief(value)))
        }
        ("events", _) => events(value),
        _ => Ok(()),
    }
}

fn is_whole_within(value: &Value, most: f64) -> bool {
    whole(value).is_some_and(|n| (0.0..=most).contains(&n))
}

/// A value as a sentence can hold it.
fn brief(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a map".to_owned(),
        Value::String(text) if text.chars().count() > 40 => "a long text".to_owned(),
        scalar => spelling::compact(scalar),
    }
}

fn whole(value: &Value) -> Option<f64> {
    value.as_f64().filter(|n| n.fract() == 0.0)
}

fn events(value: &Value) -> Result<(), NotCanonical> {
    for (i, event) in value.as_array().into_iter().flatten().enumerate() {
        if let Err(problem) = event_problem(event) {
            return wrong("events", &format!("entry {}: {problem}", i + 1));
        }
    }
    Ok(())
}

fn event_problem(event: &Value) -> Result<(), String> {
    if !event.is_object() {
        return Err("is no object".to_owned());
    }
    let start = time(event, "start_at")?.ok_or("`start_at` is missing")?;
    if time(event, "end_at")?.is_some_and(|end| end <= start) {
        return Err("ends before it starts".to_owned());
    }
    for key in ["title", "description", "location", "timezone"] {
        match event.get(key) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if !trim(text).is_empty() => {}
            Some(_) => return Err(format!("`{key}` is no text, or blank")),
        }
    }
    match event.get("recurrence") {
        None | Some(Value::Null) => Ok(()),
        Some(recurrence) => recurrence_problem(recurrence, start),
    }
}

fn recurrence_problem(recurrence: &Value, start: i64) -> Result<(), String> {
    let frequency = recurrence.get("freq").and_then(Value::as_str).map(trim_lower).unwrap_or_default();
    if !FREQUENCIES.contains(&frequency.as_str()) {
        return Err(format!("`freq` is none of {}", FREQUENCIES.join(", ")));
    }
    for key in ["interval", "count"] {
        match recurrence.get(key) {
            None | Some(Value::Null) => {}
            Some(number) if whole(number).is_some_and(|n| n >= 1.0) => {}
            Some(_) => return Err(format!("`{key}` is no whole number from 1")),
        }
    }
    match time(recurrence, "until")? {
        Some(until) if until < start => Err("recurs until before it starts".to_owned()),
        _ => Ok(()),
    }
}

fn time(entry: &Value, key: &str) -> Result<Option<i64>, String> {
    match entry.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.is_empty() && key == "end_at" => Ok(None),
        Some(value) => match value.as_str().and_then(|text| timestamp::parse(trim(text))) {
            Some(instant) => Ok(Some(instant)),
            None => Err(format!("`{key}` is no time")),
        },
    }
}

fn wrong<T>(field: &str, problem: &str) -> Result<T, NotCanonical> {
    Err(NotCanonical { field: field.to_owned(), problem: problem.to_owned() })
}
