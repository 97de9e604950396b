//! An error as its reader sees it: lines of text for people, one JSON object for programs (product.md §3.8).

use serde_json::{Map, Value, json};

use super::Error;

/// The call that failed, as it was typed.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// Everything after `pm`.
    pub argv: &'a [String],
}

/// `error: ...` and at most three `hint: ...`, each a command that can be run.
pub fn text(error: &Error) -> String {
    let mut out = format!("error: {}\n", error.message);
    for hint in error.hints.iter().take(3) {
        out.push_str(&format!("hint: {hint}\n"));
    }
    out
}

/// The error envelope, indented by two spaces, with a line feed at the end.
pub fn json(error: &Error, attempt: &Attempt<'_>) -> String {
    let code = error.code.as_str();
    let exit_code = error.exit_code();
    let mut recovery = Map::new();
    recovery.insert("attempted_command".into(), Value::from(command_line(attempt.argv)));
    recovery.insert("normalized_args".into(), Value::from(attempt.argv.to_vec()));
    let provided: Vec<&str> =
        attempt.argv.iter().map(String::as_str).filter(|word| word.starts_with("--")).collect();
    recovery.insert("provided_fields".into(), Value::from(provided));
    recovery.extend(error.recovery.clone());
    let mut refusal = Map::new();
    if let Some(surface) = &error.surface {
        refusal.insert("surface".into(), Value::from(surface.as_str()));
    }
    if let Some(rejected) = &error.rejected {
        refusal.insert("rejected_value".into(), Value::from(rejected.as_str()));
    }
    refusal.insert("exit_code".into(), Value::from(exit_code));
    let envelope = json!({
        "code": code,
        "required": error.code.meaning(),
        "recovery": recovery,
        "next_steps": error.hints,
        "exit_code": exit_code,
        "type": format!("urn:pm-cli:error:{code}"),
        "title": error.message,
        "detail": error.message,
        "examples": error.hints.iter().take(3).collect::<Vec<_>>(),
        "refusal": refusal,
    });
    let mut out = serde_json::to_string_pretty(&envelope).unwrap_or_default();
    out.push('\n');
    out
}

/// The call as one line that a shell reads back as the same words.
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
