//! Reminders and events.

use std::cmp::Ordering;

use serde_json::Value;

use super::shape::{
    Entry, by_flag, by_optional_text, by_text, by_time, entries, first_of, listed, members, number,
    required_text, sorted,
};
use super::{Form, NotCanonical, is_falsy, refuse};
use crate::model::collation;
use crate::model::spelling;
use crate::model::text::{trim, trim_lower};
use crate::model::timestamp;

pub(super) fn reminders(value: Value) -> Form {
    let Some(given) = entries(value)? else { return Ok(None) };
    let mut made = Vec::with_capacity(given.len());
    for reminder in given {
        let mut entry = Entry::new(members(reminder)?);
        match entry.take("at") {
            Some(at) => entry.put("at", at),
            None => return refuse("holds an entry without `at`"),
        }
        let text = required_text(entry.take("text"), "text")?;
        if !text.is_empty() {
            entry.put("text", Value::String(text));
            made.push(entry.done());
        }
    }
    sorted(made, |a, b| first_of!(by_time(a, b, "at")?, by_text(a, b, "text")?))
}

pub(super) fn events(value: Value) -> Form {
    let Value::Array(given) = value else { return Ok(None) };
    let mut made = Vec::with_capacity(given.len());
    for event in given {
        let mut entry = Entry::new(members(event)?);
        entry.keep("start_at");
        let end = entry.take("end_at").filter(|end| !is_falsy(end));
        entry.put("end_at", end);
        for key in ["title", "description", "location"] {
            entry.trim(key)?;
        }
        entry.keep("all_day");
        entry.trim("timezone")?;
        let recurrence = match entry.take("recurrence") {
            None | Some(Value::Null) => None,
            Some(given) => recurrence(given)?,
        };
        entry.put("recurrence", recurrence);
        made.push(entry.done());
    }
    sorted(made, |a, b| {
        first_of!(
            by_time(a, b, "start_at")?,
            by_optional_text(a, b, "end_at")?,
            by_optional_text(a, b, "title")?,
            by_flag(a, b, "all_day"),
            by_optional_text(a, b, "timezone")?,
            by_optional_text(a, b, "location")?,
            by_optional_text(a, b, "description")?,
            by_recurrence(a, b),
        )
    })
}

fn by_recurrence(a: &Value, b: &Value) -> Ordering {
    let text = |event: &Value| event.get("recurrence").map(spelling::compact).unwrap_or_default();
    collation::compare(&text(a), &text(b))
}

/// The days of a week, as they are sorted.
pub(crate) const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// How often an event recurs.
pub(crate) const FREQUENCIES: [&str; 4] = ["daily", "weekly", "monthly", "yearly"];

fn recurrence(value: Value) -> Form {
    let mut entry = Entry::new(members(value)?);
    let frequency = trim_lower(&required_text(entry.take("freq"), "freq")?);
    if !FREQUENCIES.contains(&frequency.as_str()) {
        return Ok(None);
    }
    entry.put("freq", Value::String(frequency));
    let interval = entry.take("interval").filter(|n| number(n).is_some_and(|n| n > 1.0));
    entry.put("interval", interval);
    entry.keep("count");
    entry.trim("until")?;
    let mut days = Vec::new();
    for day in list_of(&mut entry, "by_weekday")? {
        let Value::String(day) = day else { return refuse("holds a weekday that is no text") };
        days.extend(WEEKDAYS.iter().position(|known| *known == trim_lower(&day)));
    }
    days.sort_unstable();
    days.dedup();
    entry.put("by_weekday", listed(days.into_iter().map(|day| Value::from(WEEKDAYS[day])).collect()));
    let month_days = list_of(&mut entry, "by_month_day")?;
    let mut month_days: Vec<i64> =
        month_days.iter().filter_map(Value::as_i64).filter(|day| (1..=31).contains(day)).collect();
    month_days.sort_unstable();
    month_days.dedup();
    entry.put("by_month_day", listed(month_days.into_iter().map(Value::from).collect()));
    let mut exceptions: Vec<String> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for date in list_of(&mut entry, "exdates")? {
        let Value::String(date) = date else { return refuse("holds an exception that is no text") };
        let date = trim(&date);
        if timestamp::parse(date).is_some() && seen.insert(date.to_owned()) {
            exceptions.push(date.to_owned());
        }
    }
    exceptions.sort_by(|a, b| collation::compare_timestamps(a, b));
    entry.put("exdates", listed(exceptions.into_iter().map(Value::String).collect()));
    Ok(Some(entry.done()))
}

fn list_of(entry: &mut Entry, key: &str) -> Result<Vec<Value>, NotCanonical> {
    match entry.take(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => refuse(&format!("holds a `{key}` that is no list")),
    }
}
