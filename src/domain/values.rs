//! Values of fields as users write them, turned into what an item holds (storage.md §2.4, §6.2).

use serde_json::Value;

use crate::domain::dates;
use crate::error::{Code, Error, Result};
use crate::model::field::{Field, Form};
use crate::model::timestamp;
use crate::nearest;

/// The names of the priorities, in order: `critical` is 0.
pub const PRIORITIES: &[&str] = &["critical", "high", "medium", "low", "minimal"];
/// The levels of risk and severity.
pub const LEVELS: &[&str] = &["low", "medium", "high", "critical"];

/// A refused value: names the flag, quotes the value, lists what is legal with the nearest first.
pub fn refusal(flag: &str, text: &str, problem: impl std::fmt::Display, allowed: &[&str]) -> Error {
    let error =
        Error::new(Code::InvalidArgumentValue, format!("{flag} does not take `{}`: {problem}", shown(text)))
            .at(flag)
            .rejecting(text);
    if allowed.is_empty() { error } else { error.fact("allowed_values", nearest::order(text, allowed)) }
}

/// A text shortened for a sentence.
fn shown(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// What a field stores for the values given to its flag; the last one counts but for criteria and tags.
///
/// Types, statuses, parents and blockers are returned as typed: only the tracker can resolve them.
pub fn field(field: &Field, texts: &[String], now: i64) -> Result<Value> {
    let flag = format!("--{}", field.flag);
    let text = texts.last().map_or("", String::as_str);
    Ok(match field.form {
        Form::Tags => Value::from(tags(texts)),
        Form::Criteria => Value::from(texts.iter().map(|t| t.trim()).collect::<Vec<_>>().join("; ")),
        Form::Prose => Value::from(text),
        Form::Text | Form::Type | Form::Status | Form::Item | Form::Blocker => {
            if text.trim().is_empty() {
                return Err(refusal(&flag, text, "it must not be empty", &[]));
            }
            Value::from(text)
        }
        Form::Priority => Value::from(priority(&flag, text)?),
        Form::Level => Value::from(level(&flag, text)?),
        Form::Confidence => confidence(&flag, text)?,
        Form::Minutes => Value::from(whole(&flag, text, 0)?),
        Form::Integer => Value::from(whole(&flag, text, i64::MIN)?),
        Form::Instant => Value::from(instant(&flag, text, now)?),
        Form::Boolean => Value::from(boolean(&flag, text)?),
    })
}

/// `0`..`4`, `p0`..`p4` or a name.
pub fn priority(flag: &str, text: &str) -> Result<u8> {
    let lower = text.trim().to_ascii_lowercase();
    if let Some(at) = PRIORITIES.iter().position(|name| *name == lower) {
        return Ok(at as u8);
    }
    match lower.strip_prefix('p').unwrap_or(&lower).parse() {
        Ok(number @ 0..=4) => Ok(number),
        _ => Err(refusal(
            flag,
            text,
            "give 0..4 or critical, high, medium, low, minimal",
            &["0", "1", "2", "3", "4", "critical", "high", "medium", "low", "minimal"],
        )),
    }
}

/// `low`, `medium` (or `med`), `high`, `critical`.
pub fn level(flag: &str, text: &str) -> Result<&'static str> {
    let lower = text.trim().to_ascii_lowercase();
    let lower = if lower == "med" { "medium" } else { &lower };
    LEVELS
        .iter()
        .find(|l| *l == &lower)
        .copied()
        .ok_or_else(|| refusal(flag, text, "give low, medium, high or critical", LEVELS))
}

/// `0`..`100`, or `low`, `medium` (or `med`), `high`.
pub fn confidence(flag: &str, text: &str) -> Result<Value> {
    let lower = text.trim().to_ascii_lowercase();
    match (lower.as_str(), lower.parse::<u8>()) {
        ("med" | "medium", _) => Ok(Value::from("medium")),
        ("low" | "high", _) => Ok(Value::from(lower)),
        (_, Ok(number @ 0..=100)) => Ok(Value::from(number)),
        _ => Err(refusal(flag, text, "give 0..100 or low, medium, high", &["low", "medium", "high"])),
    }
}

/// A whole number that is not below `least`.
pub fn whole(flag: &str, text: &str, least: i64) -> Result<i64> {
    match text.trim().parse::<i64>() {
        // Beyond 2^53 a reader that holds numbers as doubles sees another one.
        Ok(number) if number >= least && number.unsigned_abs() <= 1 << 53 => Ok(number),
        _ if least == 0 => Err(refusal(flag, text, "give a whole number, 0 or more", &[])),
        _ => Err(refusal(flag, text, "give a whole number", &[])),
    }
}

/// `true` or `false`, also `1`, `0`, `yes`, `no`; nothing means true.
pub fn boolean(flag: &str, text: &str) -> Result<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "" | "true" | "1" | "yes" => Ok(true),
        "false" | "0" | "no" => Ok(false),
        _ => Err(refusal(flag, text, "give true or false", &["true", "false"])),
    }
}

/// A time, written the way items hold it.
pub fn instant(flag: &str, text: &str, now: i64) -> Result<String> {
    match dates::parse(text, now) {
        Ok(ms) => Ok(timestamp::format(ms)),
        Err(problem) => Err(refusal(flag, text, problem, &[])),
    }
}

/// Tags of comma-separated texts or JSON lists: trimmed, in lower case, each once, in the order given.
pub fn tags(texts: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in texts {
        let listed =
            text.trim_start().starts_with('[').then(|| serde_json::from_str::<Vec<String>>(text).ok());
        let words = listed.flatten().unwrap_or_else(|| text.split(',').map(str::to_owned).collect());
        for word in words {
            let word = word.trim().to_lowercase();
            if !word.is_empty() && !found.contains(&word) {
                found.push(word);
            }
        }
    }
    found
}

/// The single criteria of the stored text.
pub fn criteria(stored: &str) -> Vec<&str> {
    stored.split(';').map(str::trim).filter(|c| !c.is_empty()).collect()
}

/// A text as a name: lower case, runs of blanks and dashes become one underscore.
pub fn token(text: &str) -> String {
    let mut out = String::new();
    for c in text.trim().chars() {
        if c == '-' || c == '_' || c.is_whitespace() {
            if !out.ends_with('_') {
                out.push('_');
            }
        } else {
            out.extend(c.to_lowercase());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::field;

    fn parsed(key: &str, text: &str) -> Result<Value> {
        super::field(field::find(key).expect("a field of the table"), &[text.to_owned()], 0)
    }

    #[test]
    fn values_become_what_items_hold() {
        for (key, text, want) in [
            ("priority", "high", json!(1)),
            ("priority", " P3 ", json!(3)),
            ("priority", "MINIMAL", json!(4)),
            ("risk", "med", json!("medium")),
            ("severity", "Critical", json!("critical")),
            ("confidence", "100", json!(100)),
            ("confidence", "Med", json!("medium")),
            ("estimate", "90", json!(90)),
            ("rank", "-3", json!(-3)),
            ("regression", "", json!(true)),
            ("regression", "No", json!(false)),
            ("tags", "b, A,b,,a", json!(["b", "a"])),
            ("tags", r#"["X y","z"]"#, json!(["x y", "z"])),
            ("tags", "", json!([])),
            ("description", "", json!("")),
            ("title", " as typed ", json!(" as typed ")),
            ("ac", " one ", json!("one")),
        ] {
            assert_eq!(parsed(key, text).expect(text), want, "{key} {text}");
        }
    }

    #[test]
    fn what_a_field_does_not_take_is_refused() {
        for (key, text) in [
            ("priority", "9"),
            ("priority", "abc"),
            ("priority", "-1"),
            ("priority", ""),
            ("risk", "huge"),
            ("confidence", "101"),
            ("confidence", "critical"),
            ("estimate", "-1"),
            ("estimate", "1.5"),
            ("order", "9007199254740993"),
            ("regression", "maybe"),
            ("deadline", "2026-02-30"),
            ("goal", " "),
            ("title", ""),
        ] {
            let error = parsed(key, text).expect_err(text);
            assert_eq!(error.code, Code::InvalidArgumentValue, "{key} {text}");
            let flag = format!("--{}", field::find(key).expect("a field of the table").flag);
            assert_eq!(error.surface.as_deref(), Some(flag.as_str()));
        }
    }

    #[test]
    fn criteria_and_tokens() {
        assert_eq!(criteria("one; two;three ; "), ["one", "two", "three"]);
        assert_eq!(token(" In-Progress  now "), "in_progress_now");
    }
}
