//! What a document must hold to be read as an item (storage.md §2.4).

use serde_json::{Map, Value};

use super::canonical::{FREQUENCIES, NotCanonical};
use super::text::{trim, trim_lower};
use super::timestamp;

/// Fields without which a document is no item; one of them makes it an attempt at one.
pub(crate) const REQUIRED: [&str; 9] =
    ["id", "title", "description", "type", "status", "priority", "tags", "created_at", "updated_at"];

/// Checks metadata as it was read, before it is brought into its form. The status is judged elsewhere.
pub(crate) fn check(metadata: &Map<String, Value>) -> Result<(), NotCanonical> {
    for key in ["id", "title", "description", "created_at", "updated_at"] {
        if !matches!(metadata.get(key), Some(Value::String(_))) {
            return wrong(key, if metadata.contains_key(key) { "is no text" } else { "is missing" });
        }
    }
    for key in ["type", "status"] {
        if !metadata.get(key).and_then(Value::as_str).is_some_and(|text| !trim(text).is_empty()) {
            return wrong(
                key,
                if metadata.contains_key(key) { "is no text, or blank" } else { "is missing" },
            );
        }
    }
    match metadata.get("priority") {
        None => return wrong("priority", "is missing"),
        Some(priority) if !whole(priority).is_some_and(|n| (0.0..=4.0).contains(&n)) => {
            return wrong("priority", &format!("is {priority}, not a whole number from 0 to 4"));
        }
        Some(_) => {}
    }
    match metadata.get("tags") {
        None => return wrong("tags", "is missing"),
        Some(Value::Array(tags)) if tags.iter().all(Value::is_string) => {}
        Some(_) => return wrong("tags", "is no list of texts"),
    }
    match metadata.get("confidence") {
        None | Some(Value::String(_)) => {}
        Some(confidence) if whole(confidence).is_some_and(|n| (0.0..=100.0).contains(&n)) => {}
        Some(confidence) => {
            return wrong(
                "confidence",
                &format!("is {confidence}, not a whole number from 0 to 100, low, medium or high"),
            );
        }
    }
    events(metadata.get("events"))
}

fn whole(value: &Value) -> Option<f64> {
    value.as_f64().filter(|n| n.fract() == 0.0)
}

fn events(value: Option<&Value>) -> Result<(), NotCanonical> {
    for (i, event) in value.and_then(Value::as_array).into_iter().flatten().enumerate() {
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
