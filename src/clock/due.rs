//! How far away a deadline is. A deadline at midnight in UTC is a day, and a day ends where the reader lives.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

const DAY_MS: i64 = 86_400_000;

/// A deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    at: i64,
}

fn local(ms: i64, zone: &TimeZone) -> Date {
    zone.to_datetime(Timestamp::from_millisecond(ms).unwrap_or_default()).date()
}

impl Due {
    /// The deadline at this instant, in milliseconds since the epoch.
    pub fn at(ms: i64) -> Due {
        Due { at: ms }
    }

    /// The day it names, when it names no time.
    pub fn day(self) -> Option<Date> {
        (self.at.rem_euclid(DAY_MS) == 0).then(|| local(self.at, &TimeZone::UTC))
    }

    /// When it has passed, in milliseconds since the epoch.
    pub fn ends(self, zone: &TimeZone) -> i64 {
        let Some(day) = self.day() else { return self.at };
        let next = day.checked_add(1.day()).ok().map(|next| next.to_datetime(Time::midnight()));
        let end = next.and_then(|next| zone.to_timestamp(next).ok());
        end.map_or(self.at.saturating_add(DAY_MS), |end| end.as_millisecond())
    }

    /// Calendar days from today on; negative when they have passed.
    pub fn days_left(self, now: i64, zone: &TimeZone) -> i64 {
        let day = self.day().unwrap_or_else(|| local(self.at, zone));
        local(now, zone).until(day).map_or(0, |span| i64::from(span.get_days()))
    }

    /// In words: `due today`, `due in 3 days`, `overdue by 1 day`.
    pub fn phrase(self, now: i64, zone: &TimeZone) -> String {
        let plural = |days: i64| if days == 1 { "" } else { "s" };
        match self.days_left(now, zone) {
            0 if now >= self.ends(zone) => "overdue since today".to_owned(),
            0 => "due today".to_owned(),
            days if days > 0 => format!("due in {days} day{}", plural(days)),
            days => format!("overdue by {} day{}", -days, plural(-days)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_over_when_it_is_over_for_the_reader() {
        let ms = |text: &str| text.parse::<Timestamp>().unwrap().as_millisecond();
        let day = Due::at(ms("2026-06-08T00:00:00.000Z"));
        let hours = |n| TimeZone::fixed(jiff::tz::Offset::constant(n));
        for (zone, now, phrase) in [
            (0, "2026-06-08T23:59:00.000Z", "due today"),
            (0, "2026-06-09T00:00:00.000Z", "overdue by 1 day"),
            (-7, "2026-06-09T00:00:00.000Z", "due today"),
            (12, "2026-06-08T12:00:00.000Z", "overdue by 1 day"),
            (12, "2026-06-07T11:00:00.000Z", "due in 1 day"),
            (0, "2026-06-01T12:00:00.000Z", "due in 7 days"),
        ] {
            assert_eq!(day.phrase(ms(now), &hours(zone)), phrase, "{zone} {now}");
        }
        let noon = Due::at(ms("2026-06-08T12:00:00.000Z"));
        assert_eq!(noon.phrase(ms("2026-06-08T13:00:00.000Z"), &hours(0)), "overdue since today");
        assert_eq!(noon.ends(&hours(5)), ms("2026-06-08T12:00:00.000Z"));
        assert_eq!(day.ends(&hours(2)), ms("2026-06-08T22:00:00.000Z"));
    }
}
