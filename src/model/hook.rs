//! Hooks: programs that run after a change, as the settings name them.

use serde_json::Value;

use super::settings::Settings;

/// Where the settings hold the hooks.
pub const PATH: &str = "hooks.after_mutation";

/// How long a hook may take when nothing else is said, in milliseconds.
pub const TIMEOUT_MS: u64 = 5_000;

/// The longest time that a hook may ask for, in milliseconds.
pub const MAX_TIMEOUT_MS: u64 = 60_000;

/// A program that runs after changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The program and its arguments; a program with `/` in its name is seen from the folder around the tracker.
    pub command: Vec<String>,
    /// How long it may take.
    pub timeout_ms: u64,
    /// The operations after which it runs (`create`, `close`, ...); all when empty.
    pub ops: Vec<String>,
}

impl Hook {
    /// Whether it runs after any of these operations.
    pub fn wants<'a>(&self, mut ops: impl Iterator<Item = &'a str>) -> bool {
        self.ops.is_empty() || ops.any(|op| self.ops.iter().any(|wanted| wanted == op))
    }
}

/// The hooks of these settings. An entry of a wrong shape stands as its number, counted from 1, and what is wrong.
pub fn configured(settings: &Settings) -> Vec<Result<Hook, String>> {
    let entries = settings.get(PATH).and_then(Value::as_array);
    entries.into_iter().flatten().enumerate().map(|(n, entry)| read(n + 1, entry)).collect()
}

fn read(number: usize, entry: &Value) -> Result<Hook, String> {
    let wrong = |problem: &str| format!("{PATH} entry {number}: {problem}");
    let words = |value: &Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let command = entry.get("command").and_then(words).filter(|words| !words.is_empty());
    let command = command.ok_or_else(|| wrong("`command` is a list: the program, then its arguments"))?;
    let timeout_ms = match entry.get("timeout_ms") {
        None => TIMEOUT_MS,
        Some(value) => value
            .as_u64()
            .filter(|ms| (1..=MAX_TIMEOUT_MS).contains(ms))
            .ok_or_else(|| wrong("`timeout_ms` is a number from 1 to 60000"))?,
    };
    let ops = match entry.get("ops") {
        None => Vec::new(),
        Some(value) => words(value).ok_or_else(|| wrong("`ops` is a list of operations"))?,
    };
    Ok(Hook { command, timeout_ms, ops })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_are_read_one_by_one() {
        let settings = |hooks: Value| {
            let document = json!({"hooks": {"after_mutation": hooks}});
            Settings::from_document(document.as_object().unwrap().clone())
        };
        let hooks = configured(&settings(json!([
            {"command": ["./notify", "x"], "ops": ["close"], "timeout_ms": 100},
            {"command": "notify"}, {"command": ["a"], "timeout_ms": 0}, {"command": ["b"]},
        ])));
        let first = hooks[0].as_ref().unwrap();
        assert_eq!((first.command.len(), first.timeout_ms), (2, 100));
        assert!(first.wants(["update", "close"].into_iter()) && !first.wants(["update"].into_iter()));
        assert!(hooks[1].as_ref().unwrap_err().contains("entry 2"));
        assert!(hooks[2].is_err());
        assert!(hooks[3].as_ref().unwrap().wants(std::iter::empty()));
    }
}
