//! Reminders and calendar events as repeatable flags write them (storage.md §2.4).

use serde_json::{Map, Value, json};

use crate::domain::dates;
use crate::domain::entries::{self, Shape};
use crate::domain::values::{self, refusal};
use crate::error::Result;
use crate::model::timestamp;

const REMINDER: Shape = Shape {
    keys: &["at", "text"],
    aliases: &[("when", "at"), ("date", "at"), ("title", "text")],
    bare: None,
    prose: &["text"],
    only_with: None,
};

const EVENT: Shape = Shape {
    keys: &[
        "start",
        "end",
        "duration",
        "title",
        "description",
        "location",
        "all_day",
        "timezone",
        "recur_freq",
        "recur_interval",
        "recur_count",
        "recur_until",
        "recur_by_weekday",
        "recur_by_month_day",
        "recur_exdates",
    ],
    aliases: &[
        ("start_at", "start"),
        ("end_at", "end"),
        ("tz", "timezone"),
        ("recur_by_day", "recur_by_weekday"),
        ("recur_weekdays", "recur_by_weekday"),
        ("recur_exdate", "recur_exdates"),
    ],
    bare: None,
    prose: &["title", "description", "location", "recur_by_weekday", "recur_by_month_day", "recur_exdates"],
    only_with: None,
};

const FREQUENCIES: [&str; 4] = ["daily", "weekly", "monthly", "yearly"];
const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// A reminder: `at=<time>,text=<text>`; `text` falls back to the title of the item.
///
/// Errors: `invalid_argument_value` for a missing or unreadable time, or for no text at all.
pub fn reminder(flag: &str, text: &str, title: Option<&str>, now: i64) -> Result<Value> {
    let pairs = REMINDER.read(flag, text)?;
    let Some(at) = entries::value(&pairs, "at") else {
        return Err(refusal(flag, text, "it names no time, write at=<time>", &[]));
    };
    let Some(words) = entries::value(&pairs, "text").or(title.map(str::trim).filter(|t| !t.is_empty()))
    else {
        return Err(refusal(flag, text, "it says nothing, write text=<text>", &[]));
    };
    Ok(json!({"at": values::instant(flag, at, now)?, "text": words}))
}

/// What one event is made of, as typed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Typed<'a> {
    /// When it starts.
    pub start: Option<&'a str>,
    /// When it ends; stronger than a duration.
    pub end: Option<&'a str>,
    /// How long it lasts.
    pub duration: Option<&'a str>,
    /// Its own title.
    pub title: Option<&'a str>,
    /// More about it.
    pub description: Option<&'a str>,
    /// Where.
    pub location: Option<&'a str>,
    /// `true` or `false`.
    pub all_day: Option<&'a str>,
    /// An IANA name.
    pub timezone: Option<&'a str>,
}

/// The stored row of an event.
///
/// Errors: `invalid_argument_value` for a missing start, an unreadable time, an end that is not after the start.
pub fn event_row(flag: &str, typed: &Typed<'_>, now: i64) -> Result<Map<String, Value>> {
    let Some(start_text) = typed.start else {
        return Err(refusal(flag, "", "an event needs a start", &[]));
    };
    let start = dates::parse(start_text, now).map_err(|p| refusal(flag, start_text, p, &[]))?;
    let end = match (typed.end, typed.duration) {
        (Some(end), _) => Some((end, dates::parse(end, now).map_err(|p| refusal(flag, end, p, &[]))?)),
        (None, Some(span)) => {
            let length = dates::duration(span, start).map_err(|p| refusal(flag, span, p, &[]))?;
            Some((span, start.saturating_add(length)))
        }
        (None, None) => None,
    };
    let mut row = Map::new();
    row.insert("start_at".to_owned(), Value::from(timestamp::format(start)));
    if let Some((shown, end)) = end {
        if end <= start {
            return Err(refusal(flag, shown, "an event ends after it starts", &[]));
        }
        row.insert("end_at".to_owned(), Value::from(timestamp::format(end)));
    }
    for (key, text) in
        [("title", typed.title), ("description", typed.description), ("location", typed.location)]
    {
        if let Some(text) = text {
            row.insert(key.to_owned(), Value::from(text));
        }
    }
    if let Some(text) = typed.all_day {
        row.insert("all_day".to_owned(), Value::from(values::boolean(flag, text)?));
    }
    if let Some(zone) = typed.timezone {
        row.insert("timezone".to_owned(), Value::from(zone));
    }
    Ok(row)
}

/// An event from one value of its flag.
pub fn event(flag: &str, text: &str, now: i64) -> Result<Value> {
    let pairs = EVENT.read(flag, text)?;
    let get = |key: &str| entries::value(&pairs, key);
    let typed = Typed {
        start: get("start"),
        end: get("end"),
        duration: get("duration"),
        title: get("title"),
        description: get("description"),
        location: get("location"),
        all_day: get("all_day"),
        timezone: get("timezone"),
    };
    let mut row = event_row(flag, &typed, now)?;
    if let Some(recurrence) = recurrence(flag, &get, &row, now)? {
        row.insert("recurrence".to_owned(), recurrence);
    }
    Ok(Value::Object(row))
}

fn recurrence<'a>(
    flag: &str,
    get: &dyn Fn(&str) -> Option<&'a str>,
    row: &Map<String, Value>,
    now: i64,
) -> Result<Option<Value>> {
    let Some(freq) = get("recur_freq") else {
        let stray = EVENT.keys.iter().filter(|key| key.starts_with("recur_")).find(|key| get(key).is_some());
        return match stray {
            Some(key) => Err(refusal(flag, key, "say how often with recur_freq", &FREQUENCIES)),
            None => Ok(None),
        };
    };
    let lower = freq.to_ascii_lowercase();
    if !FREQUENCIES.contains(&lower.as_str()) {
        return Err(refusal(flag, freq, "recur_freq is daily, weekly, monthly or yearly", &FREQUENCIES));
    }
    let mut out = Map::new();
    out.insert("freq".to_owned(), Value::from(lower));
    for (key, name) in [("recur_interval", "interval"), ("recur_count", "count")] {
        if let Some(text) = get(key) {
            let number = values::whole(flag, text, 0)?;
            if number < 1 {
                return Err(refusal(flag, text, format!("{key} is 1 or more"), &[]));
            }
            // An interval of one is what no interval means.
            if !(name == "interval" && number == 1) {
                out.insert(name.to_owned(), Value::from(number));
            }
        }
    }
    if let Some(text) = get("recur_until") {
        let until = dates::parse(text, now).map_err(|p| refusal(flag, text, p, &[]))?;
        let start = row.get("start_at").and_then(Value::as_str).and_then(timestamp::parse);
        if start.is_some_and(|start| until < start) {
            return Err(refusal(flag, text, "it recurs until after its start", &[]));
        }
        out.insert("until".to_owned(), Value::from(timestamp::format(until)));
    }
    if let Some(text) = get("recur_by_weekday") {
        let mut days = Vec::new();
        for word in words(text) {
            let short: String = word.to_ascii_lowercase().chars().take(3).collect();
            let day = WEEKDAYS.iter().position(|day| *day == short);
            days.push(day.ok_or_else(|| refusal(flag, word, "a weekday is mon .. sun", &WEEKDAYS))?);
        }
        days.sort_unstable();
        days.dedup();
        out.insert(
            "by_weekday".to_owned(),
            Value::from(days.iter().map(|d| WEEKDAYS[*d]).collect::<Vec<_>>()),
        );
    }
    if let Some(text) = get("recur_by_month_day") {
        let mut days = Vec::new();
        for word in words(text) {
            match word.parse::<u8>() {
                Ok(day @ 1..=31) => days.push(day),
                _ => return Err(refusal(flag, word, "a day of the month is 1..31", &[])),
            }
        }
        days.sort_unstable();
        days.dedup();
        out.insert("by_month_day".to_owned(), Value::from(days));
    }
    if let Some(text) = get("recur_exdates") {
        let dates: Result<Vec<String>> = words(text).map(|word| values::instant(flag, word, now)).collect();
        out.insert("exdates".to_owned(), Value::from(dates?));
    }
    Ok(Some(Value::Object(out)))
}

/// The words of a list inside one value: `mon|wed`, `mon;wed`, `mon,wed`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(['|', ';', ',', ' ']).map(str::trim).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_recur_as_written() {
        let text = "start=2026-03-02T09:00Z,duration=30min,title=Stand-up, daily,recur_freq=weekly,recur_interval=1,\
            recur_by_weekday=wed|mon,recur_count=3";
        let row = event("--event", text, 0).expect("legal");
        assert_eq!(
            row,
            json!({"start_at": "2026-03-02T09:00:00.000Z", "end_at": "2026-03-02T09:30:00.000Z", "title": "Stand-up, daily",
                "recurrence": {"freq": "weekly", "count": 3, "by_weekday": ["mon", "wed"]}})
        );
    }

    #[test]
    fn what_makes_no_event_is_refused() {
        for text in [
            "title=x",
            "start=soon",
            "start=2026-03-02,end=2026-03-01",
            "start=2026-03-02,recur_freq=hourly",
            "start=2026-03-02,recur_count=2",
            "start=2026-03-02,recur_freq=daily,recur_until=2026-03-01",
            "start=2026-03-02,recur_freq=weekly,recur_by_weekday=noday",
            "start=2026-03-02,recur_freq=monthly,recur_by_month_day=32",
            "2026-03-02",
        ] {
            assert!(event("--event", text, 0).is_err(), "{text}");
        }
    }

    #[test]
    fn a_reminder_has_a_time_and_words() {
        let made = reminder("--reminder", "at=2026-03-02,text=call, them", None, 0).expect("legal");
        assert_eq!(made, json!({"at": "2026-03-02T00:00:00.000Z", "text": "call, them"}));
        assert_eq!(reminder("--reminder", "at=2026-03-02", Some("T"), 0).expect("legal")["text"], "T");
        assert!(reminder("--reminder", "at=2026-03-02", None, 0).is_err());
        assert!(reminder("--reminder", "text=x", None, 0).is_err());
    }
}
