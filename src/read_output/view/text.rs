//! Text for people: nothing a terminal would obey, one line where there is room for one, times as distances.

use std::borrow::Cow;

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::super::tree::{Ref, View};
use crate::clock::due::Due;

/// Whether a terminal might obey the character, or a reader be misled by it.
fn is_hostile(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text on one line: white space becomes a space, other control characters a replacement character.
pub(super) fn line(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return Cow::Borrowed(text);
    }
    let clean = |c: char| match c {
        '\n' | '\t' => ' ',
        c if is_hostile(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    Cow::Owned(text.replace("\r\n", "\n").chars().map(clean).collect())
}

/// The text with its lines kept, each of them clean.
pub(super) fn lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().map(|one| line(&one.replace('\t', "    ")).into_owned())
}

/// A value in a cell: plain values bare, lists joined, objects as `key=value` without what says nothing.
pub(super) fn cell(place: Ref<'_>, now: Option<i64>) -> String {
    match place.view() {
        View::Leaf(Value::Null) => String::new(),
        View::Leaf(Value::String(text)) => {
            now.and_then(|now| distance(text, now)).unwrap_or_else(|| line(text).into_owned())
        }
        View::Leaf(value) => value.to_string(),
        View::Array(items) => {
            let all: Vec<String> = (0..items.len()).map(|n| cell(items.at(n), now)).collect();
            all.join(if now.is_some() && all.iter().any(|one| one.contains(',')) { "; " } else { ", " })
        }
        View::Object(fields) => {
            let mut all: Vec<String> = Vec::new();
            fields.each(&mut |key, place| {
                let mut value = cell(place, now);
                if now.is_some() && !value.is_empty() && matches!(place.view(), View::Object(_)) {
                    value = format!("({value})");
                }
                if now.is_none() || !matches!(value.as_str(), "" | "0") {
                    all.push(format!("{}={value}", line(key)));
                }
            });
            all.join(" ")
        }
    }
}

/// The instant that a text names.
fn instant(text: &str) -> Option<Timestamp> {
    let is = text.len() >= 20 && text.ends_with('Z') && text.as_bytes().get(10) == Some(&b'T');
    text.parse().ok().filter(|_| is)
}

/// `3d ago`, `in 2h`: how far an instant is; none when the text is none or so far away that a date says more.
fn distance(text: &str, now: i64) -> Option<String> {
    let instant = instant(text)?.as_millisecond();
    let seconds = (instant - now).div_euclid(1_000);
    let away = seconds.unsigned_abs();
    let amount = match away {
        0..60 => return Some(if away < 10 { "now".to_owned() } else { directed(seconds, away, "s") }),
        60..3_600 => directed(seconds, away / 60, "m"),
        3_600..86_400 => directed(seconds, away / 3_600, "h"),
        86_400..31_536_000 => directed(seconds, away / 86_400, "d"),
        _ => text[..10].to_owned(),
    };
    Some(amount)
}

fn directed(seconds: i64, amount: u64, unit: &str) -> String {
    if seconds < 0 { format!("{amount}{unit} ago") } else { format!("in {amount}{unit}") }
}

/// An appointment: the day it is on, its time when it has one, and how many days that is from today. `due`: it is
/// missed when it has passed.
pub(super) fn appointment(text: &str, due: bool, now: i64, zone: &TimeZone) -> Option<String> {
    let at = instant(text)?;
    let day = Due::at(at.as_millisecond());
    let shown = match day.day() {
        Some(day) => day.to_string(),
        None => zone.to_datetime(at).strftime("%Y-%m-%d %H:%M").to_string(),
    };
    let plural = |days: i64| if days == 1 { "" } else { "s" };
    let when = match day.days_left(now, zone) {
        0 if due && now >= day.ends(zone) => "overdue since today".to_owned(),
        0 => "today".to_owned(),
        days if days > 0 => format!("in {days} day{}", plural(days)),
        days if due => format!("overdue {} day{}", -days, plural(-days)),
        days => format!("{} day{} ago", -days, plural(-days)),
    };
    Some(format!("{shown} ({when})"))
}

/// How many columns of a terminal a text takes.
pub(super) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The beginning of a text that fits into a width; never a part of a character.
pub(super) fn cut(text: &str, room: usize) -> Cow<'_, str> {
    if width(text) <= room {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    for cluster in text.graphemes(true) {
        if width(&kept) + width(cluster) + 1 > room {
            break;
        }
        kept.push_str(cluster);
    }
    Cow::Owned(format!("{}…", kept.trim_end()))
}

/// A line broken between words to fit into a width, what follows set in as far as the line is, or its list mark is.
pub(super) fn wrap(text: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room.filter(|room| width(text) > *room) else { return vec![text.to_owned()] };
    let body = text.trim_start();
    let indent = text.len() - body.len();
    let hang = indent + if body.starts_with("- ") || body.starts_with("* ") { 2 } else { 0 };
    let Some(inner) = room.checked_sub(hang).filter(|inner| *inner >= 8) else {
        return vec![text.to_owned()];
    };
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(inner).unwrap_or(u16::MAX)).add_row([&text[hang..]]);
    for column in table.column_iter_mut() {
        column.set_padding((0, 0));
    }
    let lines = table.lines().enumerate();
    let lead = |n: usize| if n == 0 { text[..hang].to_owned() } else { " ".repeat(hang) };
    lines.map(|(n, line)| format!("{}{}", lead(n), line.trim_end())).collect()
}

/// The words of a key: `created_at` becomes `created at`; what is no key of ours stays as it is.
pub(super) fn words(key: &str) -> Cow<'_, str> {
    let ours = key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if ours { Cow::Owned(key.replace('_', " ")) } else { line(key) }
}

/// A key as a heading: `decision_needed` becomes `Decision needed`.
pub(super) fn heading(key: &str) -> String {
    let words = line(key).replace(['_', '.'], " ");
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_never_reach_the_terminal() {
        assert_eq!(
            line("a\u{1b}[31mred\u{7}\nb\u{9b}c\u{202e}d"),
            "a\u{fffd}[31mred\u{fffd} b\u{fffd}c\u{fffd}d"
        );
        assert_eq!(line("plain"), "plain");
    }

    #[test]
    fn instants_are_distances() {
        let now = 1_767_225_600_000; // 2026-01-01T00:00:00Z
        for (text, want) in [
            ("2025-12-31T23:59:58.000Z", "now"),
            ("2025-12-31T23:59:30.000Z", "30s ago"),
            ("2025-12-31T22:00:00.000Z", "2h ago"),
            ("2026-01-04T00:00:00.000Z", "in 3d"),
            ("2020-01-04T00:00:00.000Z", "2020-01-04"),
        ] {
            assert_eq!(distance(text, now).as_deref(), Some(want));
        }
        assert_eq!(distance("not a time at all, really Z", now), None);
    }

    #[test]
    fn appointments_are_days() {
        let ms = |text: &str| text.parse::<Timestamp>().unwrap().as_millisecond();
        let hours = |n| TimeZone::fixed(jiff::tz::Offset::constant(n));
        let day = "2026-06-08T00:00:00.000Z";
        for (text, due, now, zone, want) in [
            (day, true, "2026-06-08T12:00:00Z", 0, "2026-06-08 (today)"),
            (day, true, "2026-06-05T12:00:00Z", 0, "2026-06-08 (in 3 days)"),
            (day, true, "2026-06-10T12:00:00Z", 0, "2026-06-08 (overdue 2 days)"),
            (day, false, "2026-06-09T12:00:00Z", 0, "2026-06-08 (1 day ago)"),
            (day, true, "2026-06-09T03:00:00Z", -7, "2026-06-08 (today)"),
            (day, true, "2026-06-07T12:30:00Z", 12, "2026-06-08 (today)"),
            ("2026-06-08T13:30:00.000Z", true, "2026-06-08T12:00:00Z", 2, "2026-06-08 15:30 (today)"),
        ] {
            assert_eq!(appointment(text, due, ms(now), &hours(zone)).as_deref(), Some(want));
        }
        assert_eq!(appointment("some day", true, 0, &TimeZone::UTC), None);
    }

    #[test]
    fn texts_are_cut_and_broken_by_what_is_seen() {
        assert_eq!(cut("修正ログイン", 7), "修正ロ…");
        assert_eq!(cut("👩‍👩‍👧‍👦 family", 3), "👩‍👩‍👧‍👦…");
        assert_eq!(cut("e\u{301}tude", 3), "e\u{301}t…");
        assert_eq!(cut("short", 5), "short");
        assert_eq!(wrap("one two three four", Some(9)), ["one two", "three", "four"]);
        assert_eq!(wrap("  - one two three", Some(12)), ["  - one two", "    three"]);
        assert_eq!(wrap("as it is", None), ["as it is"]);
    }
}
