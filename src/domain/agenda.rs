//! What lies ahead: deadlines, reminders and events of items, recurring ones occurrence by occurrence.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};
use serde_json::Value;

use crate::model::timestamp;

/// How many days, weeks, months or years a recurrence is followed at most.
const MOST_STEPS: i64 = 20_000;

const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// A span of time, in milliseconds since the epoch; both ends belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// From here on; from the beginning when there is none.
    pub from: Option<i64>,
    /// Up to here; without end when there is none.
    pub to: Option<i64>,
}

impl Window {
    /// Whether an instant lies in it.
    pub fn holds(self, at: i64) -> bool {
        self.from.is_none_or(|from| from <= at) && self.to.is_none_or(|to| at <= to)
    }
}

/// A reminder or an event of an item, at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appointment {
    /// When, in milliseconds since the epoch.
    pub at: i64,
    /// What a reminder says, or the title of an event.
    pub text: Option<String>,
    /// Whether it recurs.
    pub recurring: bool,
}

/// The reminders of an item within a window.
pub fn reminders(list: &[Value], window: Window) -> Vec<Appointment> {
    let reminder = |entry: &Value| {
        let at = timestamp::parse(entry.get("at")?.as_str()?)?;
        Some(Appointment { at, text: text(entry, "text"), recurring: false })
    };
    list.iter().filter_map(reminder).filter(|appointment| window.holds(appointment.at)).collect()
}

/// The events of an item within a window, at most `most` occurrences of each.
pub fn events(list: &[Value], window: Window, most: usize) -> Vec<Appointment> {
    let mut found = Vec::new();
    for entry in list {
        let Some(start) = entry.get("start_at").and_then(Value::as_str).and_then(timestamp::parse) else {
            continue;
        };
        let title = text(entry, "title");
        match entry.get("recurrence").filter(|rule| rule.is_object()) {
            None if window.holds(start) => {
                found.push(Appointment { at: start, text: title, recurring: false })
            }
            None => {}
            Some(rule) => {
                let zone =
                    entry.get("timezone").and_then(Value::as_str).and_then(|name| TimeZone::get(name).ok());
                let at = occurrences(rule, start, &zone.unwrap_or(TimeZone::UTC), window, most);
                found.extend(at.into_iter().map(|at| Appointment {
                    at,
                    text: title.clone(),
                    recurring: true,
                }));
            }
        }
    }
    found
}

fn text(entry: &Value, key: &str) -> Option<String> {
    entry.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// When a recurring event takes place within a window: the same time of day in its zone, every so many days, weeks,
/// months or years.
fn occurrences(rule: &Value, start: i64, zone: &TimeZone, window: Window, most: usize) -> Vec<i64> {
    let number = |key: &str| rule.get(key).and_then(Value::as_i64).filter(|n| *n > 0);
    let instants = |key: &str| {
        let texts = rule.get(key).and_then(Value::as_array).into_iter().flatten();
        texts.filter_map(|text| timestamp::parse(text.as_str()?)).collect::<Vec<_>>()
    };
    let until = rule.get("until").and_then(Value::as_str).and_then(timestamp::parse);
    let (count, except) = (number("count"), instants("exdates"));
    let Ok(first) = Timestamp::from_millisecond(start).map(|start| zone.to_datetime(start)) else {
        return Vec::new();
    };
    let (mut found, mut nth) = (Vec::new(), 0);
    for step in 0..MOST_STEPS {
        for day in days(rule, first, step * number("interval").unwrap_or(1)) {
            let Ok(at) = zone.to_timestamp(day.to_datetime(first.time())).map(|at| at.as_millisecond())
            else {
                continue;
            };
            if at < start {
                continue;
            }
            nth += 1;
            let over = until.is_some_and(|until| at > until)
                || count.is_some_and(|count| nth > count)
                || window.to.is_some_and(|to| at > to)
                || found.len() >= most;
            if over {
                return found;
            }
            if window.holds(at) && !except.contains(&at) {
                found.push(at);
            }
        }
    }
    found
}

/// The days of one step of a recurrence, ascending.
fn days(rule: &Value, first: DateTime, step: i64) -> Vec<Date> {
    let list = |key: &str| rule.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let weekdays: Vec<usize> = list("by_weekday")
        .iter()
        .filter_map(|day| WEEKDAYS.iter().position(|known| Some(*known) == day.as_str()))
        .collect();
    let month_days: Vec<i8> =
        list("by_month_day").iter().filter_map(|day| i8::try_from(day.as_i64()?).ok()).collect();
    let date = first.date();
    let weekday = |date: Date| date.weekday().to_monday_zero_offset() as usize;
    let shift = |from: Date, span: Span| from.checked_add(span).ok();
    match rule.get("freq").and_then(Value::as_str) {
        Some("daily") => {
            let days = shift(date, step.days()).into_iter();
            days.filter(|day| weekdays.is_empty() || weekdays.contains(&weekday(*day))).collect()
        }
        Some("weekly") => {
            let monday = shift(date, (step * 7 - weekday(date) as i64).days());
            let wanted = if weekdays.is_empty() { vec![weekday(date)] } else { weekdays };
            monday
                .into_iter()
                .flat_map(|m| wanted.iter().filter_map(move |n| shift(m, (*n as i64).days())))
                .collect()
        }
        Some("monthly") => {
            let month = shift(date.first_of_month(), step.months());
            let wanted = if month_days.is_empty() { vec![date.day()] } else { month_days };
            // A day that a month does not have is no day of it.
            month
                .into_iter()
                .flat_map(|m| wanted.iter().filter_map(move |n| Date::new(m.year(), m.month(), *n).ok()))
                .collect()
        }
        Some("yearly") => {
            let year = i16::try_from(i64::from(date.year()) + step).ok();
            year.and_then(|year| Date::new(year, date.month(), date.day()).ok()).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ms(text: &str) -> i64 {
        timestamp::parse(text).unwrap()
    }

    fn at(event: Value, from: &str, to: Option<&str>) -> Vec<String> {
        let window = Window { from: Some(ms(from)), to: to.map(ms) };
        let found = events(&[event], window, 4);
        found.into_iter().map(|a| timestamp::format(a.at)[..16].to_owned()).collect()
    }

    #[test]
    fn events_recur() {
        let event =
            |rule: Value| json!({"start_at": "2026-01-30T09:00:00.000Z", "title": "x", "recurrence": rule});
        for (rule, from, expected) in [
            (
                json!({"freq": "daily", "interval": 2}),
                "2026-02-02",
                &["2026-02-03T09:00", "2026-02-05T09:00", "2026-02-07T09:00", "2026-02-09T09:00"][..],
            ),
            (json!({"freq": "daily", "count": 3}), "2026-01-31", &["2026-01-31T09:00", "2026-02-01T09:00"]),
            (
                json!({"freq": "weekly", "by_weekday": ["mon", "fri"], "until": "2026-02-09T12:00:00.000Z"}),
                "2026-01-01",
                &["2026-01-30T09:00", "2026-02-02T09:00", "2026-02-06T09:00", "2026-02-09T09:00"],
            ),
            (
                json!({"freq": "weekly", "exdates": ["2026-02-06T09:00:00.000Z"], "count": 3}),
                "2026-01-01",
                &["2026-01-30T09:00", "2026-02-13T09:00"],
            ),
            (
                json!({"freq": "monthly", "by_month_day": [1, 31], "count": 4}),
                "2026-01-01",
                &["2026-01-31T09:00", "2026-02-01T09:00", "2026-03-01T09:00", "2026-03-31T09:00"],
            ),
            (json!({"freq": "monthly", "count": 2}), "2026-01-01", &["2026-01-30T09:00", "2026-03-30T09:00"]),
            (json!({"freq": "yearly", "count": 2}), "2026-06-01", &["2027-01-30T09:00"]),
            (json!({"freq": "hourly"}), "2026-01-01", &[]),
        ] {
            assert_eq!(at(event(rule.clone()), from, None), expected, "{rule}");
        }
    }

    #[test]
    fn the_time_of_day_is_that_of_the_events_zone() {
        let event = json!({"start_at": "2026-03-28T08:00:00.000Z", "timezone": "Europe/Berlin", "recurrence": {"freq": "daily", "count": 2}});
        if TimeZone::get("Europe/Berlin").is_ok() {
            assert_eq!(at(event, "2026-01-01", None), ["2026-03-28T08:00", "2026-03-29T07:00"]);
        }
    }

    #[test]
    fn a_window_bounds_everything() {
        let once = json!({"start_at": "2026-03-02T09:00:00.000Z"});
        assert_eq!(at(once.clone(), "2026-03-01", Some("2026-03-02T09:00:00.000Z")), ["2026-03-02T09:00"]);
        assert_eq!(at(once, "2026-03-03", None), [""; 0]);
        let list = [json!({"at": "2026-03-02T09:00:00.000Z", "text": "call"}), json!({"at": "never"})];
        let window = Window { from: None, to: None };
        assert_eq!(reminders(&list, window)[0].text.as_deref(), Some("call"));
        assert_eq!(reminders(&list, window).len(), 1);
    }
}
