//! Text for people: nothing a terminal would obey, one line where there is room for one, times as distances.

use std::borrow::Cow;

use serde_json::Value;

use super::super::tree::{Ref, View};

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

/// A value in a cell: plain values bare, lists joined, objects as `key=value`.
pub(super) fn cell(place: Ref<'_>, now: Option<i64>) -> String {
    match place.view() {
        View::Leaf(Value::Null) => String::new(),
        View::Leaf(Value::String(text)) => {
            now.and_then(|now| distance(text, now)).unwrap_or_else(|| line(text).into_owned())
        }
        View::Leaf(value) => value.to_string(),
        View::Array(items) => (0..items.len()).map(|n| cell(items.at(n), now)).collect::<Vec<_>>().join(", "),
        View::Object(fields) => {
            let mut all: Vec<String> = Vec::new();
            fields.each(&mut |key, place| all.push(format!("{}={}", line(key), cell(place, now))));
            all.join(" ")
        }
    }
}

/// `3d ago`, `in 2h`: how far an instant is; none when the text is none or so far away that a date says more.
fn distance(text: &str, now: i64) -> Option<String> {
    if text.len() < 20 || !text.ends_with('Z') || text.as_bytes().get(10) != Some(&b'T') {
        return None;
    }
    let instant = text.parse::<jiff::Timestamp>().ok()?.as_millisecond();
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
}
