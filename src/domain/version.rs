//! A moment in an item's history: the number of an entry, or a time.

use serde_json::Value;

use crate::domain::events;
use crate::error::{Code, Error, Result};
use crate::model::timestamp;

/// A moment in a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    flag: String,
    text: String,
    moment: Moment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// After this entry, counted from 1.
    Entry(usize),
    /// At this instant.
    Instant(i64),
}

impl Version {
    /// Reads the value of a flag: up to seven digits are an entry's number, anything else a time. A distance looks
    /// back, with a sign or without: nothing is known of an item in the future.
    ///
    /// Errors: `invalid_argument_value`.
    pub fn parse(flag: &str, text: &str, now: i64) -> Result<Version> {
        let plain = text.trim();
        let is_number = !plain.is_empty() && plain.len() <= 7 && plain.bytes().all(|b| b.is_ascii_digit());
        let moment = if is_number {
            plain.parse().map(Moment::Entry).ok()
        } else {
            events::past(flag, plain, now).map(Moment::Instant).ok()
        };
        let moment = moment.filter(|moment| *moment != Moment::Entry(0)).ok_or_else(|| {
            Error::new(
                Code::InvalidArgumentValue,
                format!("`{flag}` does not take `{text}`; it takes a version from 1 on, a time, or a distance such as 7d, which looks back"),
            )
            .at(flag)
            .rejecting(text)
        })?;
        Ok(Version { flag: flag.to_owned(), text: plain.to_owned(), moment })
    }

    /// How many entries of a history lie at or before this moment; at least one.
    ///
    /// Errors: `history_target_out_of_range`.
    pub fn count(&self, entries: &[Value]) -> Result<usize> {
        let at = |entry: &Value| entry.get("ts").and_then(Value::as_str).and_then(timestamp::parse);
        let count = match self.moment {
            Moment::Entry(number) => Some(number).filter(|number| *number <= entries.len()),
            Moment::Instant(instant) => {
                entries.iter().rposition(|entry| at(entry).is_some_and(|ts| ts <= instant)).map(|n| n + 1)
            }
        };
        count.ok_or_else(|| {
            let first = entries.first().and_then(|entry| entry.get("ts")).and_then(Value::as_str);
            let (text, number) = (&self.text, entries.len());
            let message = match (number, first) {
                (0, _) => format!("there is no `{text}`: the item has no history"),
                (_, None) => format!("the history has no `{text}`: the number of its versions is {number}"),
                (1, Some(first)) => format!("the history has no `{text}`: its one version is of {first}"),
                (_, Some(first)) => {
                    format!("the history has no `{text}`: its {number} versions begin at {first}")
                }
            };
            Error::new(Code::HistoryTargetOutOfRange, message)
                .at(self.flag.clone())
                .rejecting(self.text.clone())
                .fact("versions", entries.len())
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_count_and_times_look_back() {
        let entries = ["2026-01-01T00:00:00.000Z", "2026-01-03T00:00:00.000Z", "2026-01-03T00:00:00.000Z"]
            .map(|ts| json!({"ts": ts}));
        let now = timestamp::parse("2026-01-04T00:00:00.000Z").unwrap();
        let count = |text: &str| {
            Version::parse("--at", text, now).and_then(|version| version.count(&entries)).map_err(|e| e.code)
        };
        assert_eq!(count("1"), Ok(1));
        assert_eq!(count(" 3 "), Ok(3));
        assert_eq!(count("4"), Err(Code::HistoryTargetOutOfRange));
        assert_eq!(count("2026-01-02"), Ok(1));
        assert_eq!(count("20260103"), Ok(3));
        assert_eq!((count("-1d"), count("1d"), count("2d")), (Ok(3), Ok(3), Ok(1)));
        assert_eq!(count("2025-12-31"), Err(Code::HistoryTargetOutOfRange));
        assert_eq!(count("0"), Err(Code::InvalidArgumentValue));
        assert_eq!(count("soon"), Err(Code::InvalidArgumentValue));
        let told = |entries: &[Value]| {
            Version::parse("--at", "9", now).unwrap().count(entries).unwrap_err().to_string()
        };
        assert_eq!(told(&[]), "there is no `9`: the item has no history");
        assert!(told(&entries[..1]).ends_with("its one version is of 2026-01-01T00:00:00.000Z"));
        assert!(told(&entries).ends_with("its 3 versions begin at 2026-01-01T00:00:00.000Z"));
    }
}
