//! An error as its reader sees it: lines of text for people, one JSON object for programs (product.md §3.8).

use serde_json::{Map, Value, json};

use super::Error;

/// Most bytes of a refusal, so that it costs at most 400 tokens; `--explain` lifts it.
pub const MAX_BYTES: usize = 1600;

/// The call that failed.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// Everything after `pm`, as typed.
    pub argv: &'a [String],
    /// Whether reasons at length were asked for.
    pub explain: bool,
}

/// How much a part of the envelope may hold: entries of a list, characters of a text.
#[derive(Clone, Copy)]
struct Room {
    entries: usize,
    characters: usize,
}

/// From everything to the barest.
const LADDER: [Room; 6] = [
    Room { entries: usize::MAX, characters: usize::MAX },
    Room { entries: 12, characters: 300 },
    Room { entries: 8, characters: 160 },
    Room { entries: 4, characters: 120 },
    Room { entries: 2, characters: 80 },
    Room { entries: 1, characters: 50 },
];

/// `error: ...` and at most three `hint: ...`, each a command that can be run as it stands.
///
/// Control characters are shown escaped, so that nothing from a file or an argument steers a terminal.
pub fn text(error: &Error, attempt: &Attempt<'_>) -> String {
    let room = if attempt.explain { usize::MAX } else { MAX_BYTES / 2 };
    let mut out = format!("error: {}\n", visible(&shorten(&error.message, room)));
    let mut hints = 0;
    for hint in &error.hints {
        // A hint that is cut cannot be run; one that is long is not read.
        if hints == 3 || hint.len() > 240 && !attempt.explain {
            continue;
        }
        hints += 1;
        out.push_str(&format!("hint: {}\n", visible(hint)));
    }
    if attempt.explain {
        out.push_str(&format!("{}: {}\n", error.code.as_str(), error.code.meaning()));
        let mut cause = error.cause.as_deref().map(|cause| cause as &dyn std::error::Error);
        while let Some(below) = cause {
            out.push_str(&format!("because: {}\n", visible(&below.to_string())));
            cause = below.source();
        }
    }
    out
}

/// The error envelope, indented by two spaces, with a line feed at the end.
pub fn json(error: &Error, attempt: &Attempt<'_>) -> String {
    let mut out = String::new();
    for room in LADDER {
        out = serde_json::to_string_pretty(&envelope(error, attempt, room)).unwrap_or_default();
        out.push('\n');
        if attempt.explain || out.len() <= MAX_BYTES {
            break;
        }
    }
    out
}

/// The keys and their order are the reference's (storage.md §6.1).
fn envelope(error: &Error, attempt: &Attempt<'_>, room: Room) -> Value {
    let code = error.code.as_str();
    let mut envelope = Map::new();
    envelope.insert("code".into(), Value::from(code));
    envelope.insert("required".into(), Value::from(error.code.meaning()));
    envelope.insert("recovery".into(), recovery(error, attempt, room));
    if !error.hints.is_empty() {
        let steps = error.hints.iter().take(3).map(|hint| Value::from(hint.as_str())).collect();
        envelope.insert("next_steps".into(), fit(&Value::Array(steps), room));
    }
    envelope.insert("exit_code".into(), Value::from(error.exit_code()));
    envelope.insert("type".into(), Value::from(format!("urn:pm-cli:error:{code}")));
    let (title, detail) =
        (shorten(&error.message, room.characters), shorten(&error.message, room.characters));
    envelope.insert("title".into(), Value::from(title));
    envelope.insert("detail".into(), Value::from(detail));
    if attempt.explain
        && let Some(cause) = &error.cause
    {
        envelope.insert("why".into(), Value::from(cause.to_string()));
    }
    let examples = error.hints.iter().take(1).map(|hint| Value::from(hint.as_str())).collect();
    envelope.insert("examples".into(), fit(&Value::Array(examples), room));
    envelope.insert("refusal".into(), refusal(error, room));
    Value::Object(envelope)
}

fn recovery(error: &Error, attempt: &Attempt<'_>, room: Room) -> Value {
    let provided: Vec<&str> =
        attempt.argv.iter().filter(|word| word.starts_with("--")).map(|word| flag_name(word)).collect();
    let mut recovery = Map::new();
    recovery.insert("attempted_command".into(), Value::from(command_line(attempt.argv)));
    recovery.insert("normalized_args".into(), json!(attempt.argv));
    recovery.insert("provided_fields".into(), json!(provided));
    for (key, fact) in &error.recovery {
        let few = Room { entries: room.entries.min(3), ..room };
        let fact = if key == "allowed_values" && !attempt.explain { fit(fact, few) } else { fact.clone() };
        recovery.insert(key.clone(), fact);
    }
    fit(&Value::Object(recovery), room)
}

fn refusal(error: &Error, room: Room) -> Value {
    let mut refusal = Map::new();
    if let Some(surface) = &error.surface {
        refusal.insert("surface".into(), Value::from(surface.as_str()));
    }
    if let Some(rejected) = &error.rejected {
        refusal.insert("rejected_value".into(), Value::from(rejected.as_str()));
    }
    if let Some(legal) = error.recovery.get("allowed_values") {
        refusal.insert("legal_domain".into(), legal.clone());
    }
    refusal.insert("exit_code".into(), Value::from(error.exit_code()));
    fit(&Value::Object(refusal), room)
}

/// A value with its lists and texts cut to the room there is.
fn fit(value: &Value, room: Room) -> Value {
    match value {
        Value::String(text) => Value::from(shorten(text, room.characters)),
        Value::Array(entries) => entries.iter().take(room.entries).map(|entry| fit(entry, room)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (key.clone(), fit(value, room))).collect())
        }
        other => other.clone(),
    }
}

/// At most so many characters, an ellipsis included.
fn shorten(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters.saturating_sub(1)) {
        Some((cut, last)) if cut + last.len_utf8() < text.len() => format!("{}…", &text[..cut]),
        _ => text.to_owned(),
    }
}

/// `--status` of `--status=open`.
fn flag_name(word: &str) -> &str {
    word.split('=').next().unwrap_or(word)
}

/// Control characters, and those that change the direction of text, in escaped form.
fn visible(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// A call as one line that a shell reads back as the same words.
pub fn command_line(argv: &[String]) -> String {
    let mut line = String::from("pm");
    for word in argv {
        line.push(' ');
        let plain =
            !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=,@+%".contains(c));
        if plain {
            line.push_str(word);
        } else {
            line.push('\'');
            line.push_str(&word.replace('\'', "'\\''"));
            line.push('\'');
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn words(line: &[&str]) -> Vec<String> {
        line.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn a_refusal_never_costs_more_than_400_tokens() {
        let long = "x".repeat(5000);
        let many: Vec<String> = (0..500).map(|n| format!("value-{n}")).collect();
        let argv = words(&["update", "--title", &long, "--status", "nope", "--body", &long, "--json"]);
        let error = Error::new(Code::InvalidArgumentValue, format!("`--status` does not take `{long}`"))
            .at("--status")
            .rejecting(long.clone())
            .fact("allowed_values", many)
            .hint(long);
        let attempt = Attempt { argv: &argv, explain: false };
        assert!(json(&error, &attempt).len() <= MAX_BYTES, "{}", json(&error, &attempt));
        assert!(text(&error, &attempt).len() <= MAX_BYTES);
        let all = Attempt { explain: true, ..attempt };
        assert!(json(&error, &all).contains("value-499"));
    }

    #[test]
    fn nothing_steers_a_terminal() {
        let error = Error::new(Code::ItemNotFound, "no item `\u{1b}[31m\u{202e}x\n`");
        let shown = text(&error, &Attempt { argv: &[], explain: false });
        assert_eq!(shown, "error: no item `\\u{1b}[31m\\u{202e}x\\u{a}`\n");
    }

    #[test]
    fn a_line_can_be_pasted_into_a_shell() {
        let argv = words(&["create", "It's late", "", "--tags=a,b"]);
        assert_eq!(command_line(&argv), r"pm create 'It'\''s late' '' --tags=a,b");
    }
}
