//! Spans of time that a record must lie in; both ends belong to the span (surfaces.md §3.3).

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::FilterArgs;
use crate::domain::dates;
use crate::error::{Code, Error, Result};

const DAY: i64 = 24 * 3_600_000;

/// A span of time, open at either end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Window {
    after: Option<i64>,
    before: Option<i64>,
}

impl Window {
    /// Whether the span has this instant; no instant lies in no bounded span.
    pub(super) fn admits(self, instant: Option<i64>) -> bool {
        if self == Window::default() {
            return true;
        }
        instant.is_some_and(|at| {
            self.after.is_none_or(|after| at >= after) && self.before.is_none_or(|b| at <= b)
        })
    }
}

/// The spans of deadline, last change and creation.
pub(super) fn windows(args: &FilterArgs, now: i64) -> Result<[Window; 3]> {
    let span = |(after_flag, after), (before_flag, before)| -> Result<Window> {
        Ok(Window { after: bound(after_flag, after, now)?, before: bound(before_flag, before, now)? })
    };
    let mut updated =
        span(("--updated-after", &args.updated_after), ("--updated-before", &args.updated_before))?;
    let starts =
        [("--today", args.today), ("--recent", args.recent), ("--updated-after", updated.after.is_some())];
    let given: Vec<&str> = starts.iter().filter(|(_, given)| *given).map(|(flag, _)| *flag).collect();
    if let [first, second, ..] = given[..] {
        let message = format!("`{first}` and `{second}` both say where the span starts; give one");
        return Err(Error::new(Code::ConflictingArguments, message).at(second));
    }
    if args.today {
        updated.after = Some(midnight(now));
    } else if args.recent {
        updated.after = Some(now - 7 * DAY);
    }
    Ok([
        span(("--deadline-after", &args.deadline_after), ("--deadline-before", &args.deadline_before))?,
        updated,
        span(("--created-after", &args.created_after), ("--created-before", &args.created_before))?,
    ])
}

/// An end of a span; an empty text is no end.
fn bound(flag: &str, text: &Option<String>, now: i64) -> Result<Option<i64>> {
    let Some(text) = text.as_deref().filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    dates::parse(text, now).map(Some).map_err(|error| {
        Error::new(Code::InvalidArgumentValue, format!("`{flag}` does not take `{text}`: {error}"))
            .at(flag)
            .rejecting(text)
    })
}

/// The last midnight in the zone of this machine.
fn midnight(now: i64) -> i64 {
    let start = Timestamp::from_millisecond(now)
        .and_then(|instant| instant.to_zoned_datetime(TimeZone::system()).start_of_day());
    start.map_or(now - now.rem_euclid(DAY), |start| start.timestamp().as_millisecond())
}
