//! Instants on the wire: `YYYY-MM-DDTHH:MM:SS.mmmZ`, compared by the instant they name.

const DAY: i64 = 86_400_000;

/// Writes an instant (milliseconds since the epoch) the way every file of a tracker does.
///
/// Years outside 0000 to 9999 get a sign and six digits, as in ECMAScript.
pub fn format(ms: i64) -> String {
    let (year, month, day) = date_of(ms.div_euclid(DAY));
    let in_day = ms.rem_euclid(DAY);
    let (seconds, millis) = (in_day / 1000, in_day % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let year = if (0..=9999).contains(&year) { format!("{year:04}") } else { format!("{year:+07}") };
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Reads an RFC 3339 or plain date text; `None` when it names no instant.
///
/// A date alone, and a time without a zone, is UTC. Digits past the millisecond are cut.
pub fn parse(text: &str) -> Option<i64> {
    fixed(text.as_bytes()).or_else(|| other(text))
}

/// The form that is written: no allocation, no library call.
fn fixed(text: &[u8]) -> Option<i64> {
    let text: &[u8; 24] = text.try_into().ok()?;
    const SHAPE: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
    for (byte, shape) in text.iter().zip(SHAPE) {
        let fits = if *shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
        if !fits {
            return None;
        }
    }
    let number = |from: usize, to: usize| text[from..to].iter().fold(0, |n, b| n * 10 + i64::from(b - b'0'));
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let (hour, minute, second) = (number(11, 13), number(14, 16), number(17, 19));
    if !(1..=12).contains(&month)
        || day < 1
        || day > days_in(year, month)
        || hour > 23
        || minute > 59
        || second > 59
    {
        return None;
    }
    Some(days_before(year, month, day) * DAY + (hour * 3600 + minute * 60 + second) * 1000 + number(20, 23))
}

/// Every other ISO form: an offset, fewer digits, no zone, no time.
fn other(text: &str) -> Option<i64> {
    // Annotations such as `[Europe/Paris]` are beyond RFC 3339.
    if text.len() < 10 || text.len() > 64 || text.contains('[') {
        return None;
    }
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return Some(instant.as_nanosecond().div_euclid(1_000_000) as i64);
    }
    let civil = text.parse::<jiff::civil::DateTime>().ok()?;
    let instant = jiff::tz::Offset::UTC.to_timestamp(civil).ok()?;
    Some(instant.as_nanosecond().div_euclid(1_000_000) as i64)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from the epoch to a date of the proleptic Gregorian calendar; years begin in March, so that leap days come last.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The inverse of [`days_before`].
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_like_the_wire() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (1_785_232_800_000, "2026-07-28T10:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(format(ms), text);
        }
    }

    #[test]
    fn reads_every_iso_form() {
        for (text, ms) in [
            ("2026-07-28T10:00:00.000Z", Some(1_785_232_800_000)),
            ("2026-07-28T12:00:00+02:00", Some(1_785_232_800_000)),
            ("2026-07-28T10:00:00Z", Some(1_785_232_800_000)),
            ("2026-07-28T10:00:00.123456Z", Some(1_785_232_800_123)),
            ("2026-07-28T10:00:00", Some(1_785_232_800_000)),
            ("2026-07-28T10:00", Some(1_785_232_800_000)),
            ("2026-07-28", Some(1_785_196_800_000)),
            ("2026-02-30T10:00:00.000Z", None),
            ("2026-07-28T25:00:00.000Z", None),
            ("2026-07-28T10:00:00Z[UTC]", None),
            ("tomorrow", None),
            ("2026", None),
            ("", None),
        ] {
            assert_eq!(parse(text), ms, "{text}");
        }
    }

    #[test]
    fn reads_what_it_writes() {
        for day in -200_000..200_000 {
            let ms = day * DAY + (day * 7919).rem_euclid(DAY);
            if (0..=9999).contains(&date_of(day).0) {
                assert_eq!(parse(&format(ms)), Some(ms));
            }
        }
    }
}
