//! Times as users write them: `now`, distances such as `+2w`, dates and times (surfaces.md §3.3).
//!
//! A time without a zone is in UTC: a tracker is shared, and the same words must mean the same instant everywhere.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;
use jiff::{Span, Timestamp};

/// Why a text names no instant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DateError {
    /// Nothing was given.
    #[error("it is empty; give a date, a time or a distance such as +2w")]
    Empty,
    /// `+1d+2h`.
    #[error("distances do not add up; give one, such as +26h")]
    Compound,
    /// `2026-02-30`.
    #[error("{year:04}-{month:02} has {days} days, there is no day {day}")]
    NoSuchDay {
        /// The year.
        year: i16,
        /// The month, 1 to 12.
        month: i8,
        /// The day that was asked for.
        day: i8,
        /// How many days the month has.
        days: i8,
    },
    /// Month 13, hour 25, minute 60.
    #[error("there is no {part} {value}")]
    NoSuchPart {
        /// `month`, `day`, `hour`, `minute`, `second`, `offset`.
        part: &'static str,
        /// What was asked for.
        value: i64,
    },
    /// The instant is outside of the years 0 to 9999.
    #[error("it lies outside of the years 0 to 9999")]
    OutOfRange,
    /// Anything else.
    #[error("give an ISO date or time, now, or a distance such as +6h, +1d, +2w, +6m")]
    Unreadable,
}

/// The instant that a text names, in milliseconds since the epoch, seen from `now`.
///
/// `now`; `[+-]<n><h|d|w|m>`, where `m` is a calendar month in UTC with the day clamped to its end; ISO 8601 dates
/// and times, also without separators; a date alone is midnight in UTC.
pub fn parse(text: &str, now: i64) -> Result<i64, DateError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(DateError::Empty);
    }
    if text.eq_ignore_ascii_case("now") {
        return Ok(now);
    }
    if let Some(parts) = distances(text) {
        let [(amount, unit)] = parts[..] else { return Err(DateError::Compound) };
        return shift(now, amount, unit);
    }
    calendar(text)
}

/// A length of time in milliseconds: a distance (`2h`), minutes (`30min`), or ISO 8601 (`PT1H30M`).
///
/// A distance is measured from `start`, because months differ.
pub fn duration(text: &str, start: i64) -> Result<i64, DateError> {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    if let Some(minutes) = lower.strip_suffix("min").or_else(|| lower.strip_suffix("mins")) {
        let minutes: i64 = minutes.trim().parse().map_err(|_| DateError::Unreadable)?;
        return minutes.checked_mul(60_000).ok_or(DateError::OutOfRange);
    }
    if lower.starts_with('p') {
        let span: Span = text.parse().map_err(|_| DateError::Unreadable)?;
        let end = datetime(start)?.checked_add(span).map_err(|_| DateError::OutOfRange)?;
        return Ok(millis(end)? - start);
    }
    Ok(parse(text, start)? - start)
}

/// Reads one or more distances: `+1d`, `+1d+2h`; `None` when the text is no such thing.
fn distances(text: &str) -> Option<Vec<(i64, u8)>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let sign = match bytes[at] {
            b'+' => 1,
            b'-' => -1,
            _ => 0,
        };
        at += usize::from(sign != 0);
        let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let unit = bytes.get(at + digits)?.to_ascii_lowercase();
        if digits == 0 || !matches!(unit, b'h' | b'd' | b'w' | b'm') {
            return None;
        }
        let amount: i64 = text[at..at + digits].parse().unwrap_or(i64::MAX);
        found.push((if sign < 0 { -amount } else { amount }, unit));
        at += digits + 1;
    }
    Some(found)
}

fn shift(now: i64, amount: i64, unit: u8) -> Result<i64, DateError> {
    let hours = match unit {
        b'h' => 1,
        b'd' => 24,
        b'w' => 24 * 7,
        _ => {
            let months = i32::try_from(amount).map_err(|_| DateError::OutOfRange)?;
            let span = Span::new().try_months(months).map_err(|_| DateError::OutOfRange)?;
            return millis(datetime(now)?.checked_add(span).map_err(|_| DateError::OutOfRange)?);
        }
    };
    let moved = amount.checked_mul(hours * 3_600_000).and_then(|ms| now.checked_add(ms));
    let moved = moved.ok_or(DateError::OutOfRange)?;
    millis(datetime(moved)?)
}

fn datetime(ms: i64) -> Result<DateTime, DateError> {
    let instant = Timestamp::from_millisecond(ms).map_err(|_| DateError::OutOfRange)?;
    Ok(Offset::UTC.to_datetime(instant))
}

fn millis(at: DateTime) -> Result<i64, DateError> {
    if at.year() < 0 {
        return Err(DateError::OutOfRange);
    }
    Ok(Offset::UTC.to_timestamp(at).map_err(|_| DateError::OutOfRange)?.as_millisecond())
}

/// A text that is read from left to right.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (head, tail) = self.0.split_at_checked(count)?;
        if !head.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.0 = tail;
        Some(head.iter().fold(0, |n, d| n * 10 + i64::from(d - b'0')))
    }

    fn eat(&mut self, wanted: u8) -> bool {
        let found = self.0.first() == Some(&wanted);
        if found {
            self.0 = &self.0[1..];
        }
        found
    }

    fn count_digits(&self) -> usize {
        self.0.iter().take_while(|b| b.is_ascii_digit()).count()
    }
}

fn calendar(text: &str) -> Result<i64, DateError> {
    let mut reader = Reader(text.as_bytes());
    let date = date(&mut reader)?;
    if reader.0.is_empty() {
        return millis(date.to_datetime(Time::midnight()));
    }
    if !reader.eat(b'T') && !reader.eat(b't') {
        let blanks = reader.0.iter().take_while(|b| b.is_ascii_whitespace()).count();
        if blanks == 0 {
            return Err(DateError::Unreadable);
        }
        reader.0 = &reader.0[blanks..];
    }
    let time = time(&mut reader)?;
    let offset = offset(&mut reader)?;
    let local = millis(date.to_datetime(time))?;
    local.checked_sub(offset * 60_000).ok_or(DateError::OutOfRange)
}

fn date(reader: &mut Reader<'_>) -> Result<Date, DateError> {
    let year = reader.digits(4).ok_or(DateError::Unreadable)?;
    let dashed = reader.eat(b'-');
    let month = reader.digits(2).ok_or(DateError::Unreadable)?;
    let day = match (dashed, reader.0.is_empty()) {
        (true, true) => 1,
        (true, false) if !reader.eat(b'-') => return Err(DateError::Unreadable),
        _ => reader.digits(2).ok_or(DateError::Unreadable)?,
    };
    if !(1..=12).contains(&month) {
        return Err(DateError::NoSuchPart { part: "month", value: month });
    }
    let narrow = |n: i64| i8::try_from(n).map_err(|_| DateError::Unreadable);
    let year = i16::try_from(year).map_err(|_| DateError::Unreadable)?;
    let (month, day) = (narrow(month)?, narrow(day)?);
    Date::new(year, month, day).map_err(|_| match Date::new(year, month, 1) {
        Ok(first) => DateError::NoSuchDay { year, month, day, days: first.days_in_month() },
        Err(_) => DateError::OutOfRange,
    })
}

fn time(reader: &mut Reader<'_>) -> Result<Time, DateError> {
    let hour = reader.digits(2).ok_or(DateError::Unreadable)?;
    let mark = [b':', b'-'].into_iter().find(|mark| reader.eat(*mark));
    let minute = reader.digits(2).ok_or(DateError::Unreadable)?;
    let has_seconds = match mark {
        Some(b'-') => {
            reader.0.len() >= 3 && reader.0[0] == b'-' && !looks_like_offset(reader.0) && reader.eat(b'-')
        }
        Some(mark) => reader.eat(mark),
        None => reader.count_digits() >= 2,
    };
    let second = if has_seconds { reader.digits(2).ok_or(DateError::Unreadable)? } else { 0 };
    let mut nanos = 0;
    if reader.eat(b'.') {
        let count = reader.count_digits();
        if count == 0 {
            return Err(DateError::Unreadable);
        }
        let shown = reader.digits(count.min(9)).ok_or(DateError::Unreadable)?;
        reader.0 = &reader.0[count.saturating_sub(9)..];
        nanos = (count.min(9)..9).fold(shown, |n, _| n * 10);
    }
    for (part, value, most) in [("hour", hour, 23), ("minute", minute, 59), ("second", second, 59)] {
        if value > most {
            return Err(DateError::NoSuchPart { part, value });
        }
    }
    let narrow = |n: i64| i8::try_from(n).map_err(|_| DateError::Unreadable);
    let nanos = i32::try_from(nanos).map_err(|_| DateError::Unreadable)?;
    Time::new(narrow(hour)?, narrow(minute)?, narrow(second)?, nanos).map_err(|_| DateError::Unreadable)
}

/// `-08:00` after a time written with dashes is a zone, `-08` before a zone or the end is seconds.
fn looks_like_offset(rest: &[u8]) -> bool {
    rest.len() == 6 && rest[3] == b':'
}

/// The zone behind a time, in minutes east of Greenwich; none is UTC.
fn offset(reader: &mut Reader<'_>) -> Result<i64, DateError> {
    if reader.0.is_empty() {
        return Ok(0);
    }
    if reader.eat(b'Z') || reader.eat(b'z') {
        return if reader.0.is_empty() { Ok(0) } else { Err(DateError::Unreadable) };
    }
    let sign = if reader.eat(b'+') {
        1
    } else if reader.eat(b'-') {
        -1
    } else {
        return Err(DateError::Unreadable);
    };
    let hours = reader.digits(2).ok_or(DateError::Unreadable)?;
    reader.eat(b':');
    let minutes = if reader.0.is_empty() { 0 } else { reader.digits(2).ok_or(DateError::Unreadable)? };
    if !reader.0.is_empty() {
        return Err(DateError::Unreadable);
    }
    if hours > 23 || minutes > 59 {
        return Err(DateError::NoSuchPart { part: "offset", value: hours * 100 + minutes });
    }
    Ok(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i64 {
        text.parse::<Timestamp>().expect("a literal of the test").as_millisecond()
    }

    #[test]
    fn every_spelling_of_a_time_is_read() {
        let now = at("2026-01-31T10:00:00Z");
        for (text, want) in [
            ("now", "2026-01-31T10:00:00Z"),
            (" NOW ", "2026-01-31T10:00:00Z"),
            ("+6h", "2026-01-31T16:00:00Z"),
            ("6H", "2026-01-31T16:00:00Z"),
            ("-1d", "2026-01-30T10:00:00Z"),
            ("+2w", "2026-02-14T10:00:00Z"),
            ("+1m", "2026-02-28T10:00:00Z"),
            ("-2m", "2025-11-30T10:00:00Z"),
            ("2026-04-01", "2026-04-01T00:00:00Z"),
            ("20260401", "2026-04-01T00:00:00Z"),
            ("2026-04", "2026-04-01T00:00:00Z"),
            ("2024-02-29", "2024-02-29T00:00:00Z"),
            ("2026-04-01T12:30Z", "2026-04-01T12:30:00Z"),
            ("2026-04-01T12:30:15.25+02:00", "2026-04-01T10:30:15.250Z"),
            ("2026-04-01 12:30", "2026-04-01T12:30:00Z"),
            ("20260401T1230", "2026-04-01T12:30:00Z"),
            ("20260401 123015.5-0330", "2026-04-01T16:00:15.500Z"),
            ("2026-04-01T12-30", "2026-04-01T12:30:00Z"),
            ("2026-04-01T12-30-15Z", "2026-04-01T12:30:15Z"),
            ("2026-04-01T12-30-08:00", "2026-04-01T20:30:00Z"),
            ("2026-04-01T123015", "2026-04-01T12:30:15Z"),
            ("2026-04-01t12:30:15.1234567891z", "2026-04-01T12:30:15.123Z"),
        ] {
            assert_eq!(parse(text, now), Ok(at(want)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused_with_the_reason() {
        for (text, want) in [
            ("", DateError::Empty),
            ("  ", DateError::Empty),
            ("+1d+2h", DateError::Compound),
            ("2026-02-30", DateError::NoSuchDay { year: 2026, month: 2, day: 30, days: 28 }),
            ("20240230", DateError::NoSuchDay { year: 2024, month: 2, day: 30, days: 29 }),
            ("2026-13-01", DateError::NoSuchPart { part: "month", value: 13 }),
            ("2026-04-01T25:00", DateError::NoSuchPart { part: "hour", value: 25 }),
            ("2026-04-01T12:60", DateError::NoSuchPart { part: "minute", value: 60 }),
            ("2026-04-01T12:00+99:00", DateError::NoSuchPart { part: "offset", value: 9900 }),
            ("soon", DateError::Unreadable),
            ("+1y", DateError::Unreadable),
            ("+h", DateError::Unreadable),
            ("2026-04-01x", DateError::Unreadable),
            ("2026-04-01T12:30:15.Z", DateError::Unreadable),
            ("2026-04-01T12:30Zx", DateError::Unreadable),
            ("999999999999999999999d", DateError::OutOfRange),
            ("+99999999m", DateError::OutOfRange),
            ("日本", DateError::Unreadable),
        ] {
            assert_eq!(parse(text, 0), Err(want), "{text}");
        }
    }

    #[test]
    fn a_duration_is_measured_from_its_start() {
        let start = at("2026-01-31T10:00:00Z");
        let hour = 3_600_000;
        for (text, want) in [
            ("1h", hour),
            ("+2h", 2 * hour),
            ("30min", hour / 2),
            ("PT30M", hour / 2),
            ("pt1h30m", hour + hour / 2),
            ("P1D", 24 * hour),
            ("1m", 28 * 24 * hour),
        ] {
            assert_eq!(duration(text, start), Ok(want), "{text}");
        }
        assert_eq!(duration("long", start), Err(DateError::Unreadable));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,24}", now in proptest::num::i64::ANY) {
            let _ = parse(&text, now);
            let _ = duration(&text, now);
        }

        #[test]
        fn what_is_formatted_is_read_back(ms in -62_167_219_200_000_i64..253_402_300_799_000) {
            let text = Timestamp::from_millisecond(ms).expect("within jiff's years").to_string();
            proptest::prop_assert_eq!(parse(&text, 0), Ok(ms));
        }
    }
}
