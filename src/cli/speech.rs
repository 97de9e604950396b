//! In which encoding a call wants to be answered (product.md §3.5).

use crate::environment::Env;

/// An encoding for machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speech {
    /// TOON, or plain text for errors.
    Toon,
    /// JSON.
    Json,
}

/// The flags of a call, without their values: everything before `--` that begins with two dashes.
fn flags(argv: &[String]) -> impl Iterator<Item = &str> {
    argv.iter().map(String::as_str).take_while(|word| *word != "--").filter(|word| word.starts_with("--"))
}

/// Whether the words hold this flag.
pub(super) fn says(argv: &[String], flag: &str) -> bool {
    flags(argv).any(|word| word == flag)
}

/// What the words and the environment ask for, the strongest first; `None` when they are silent.
pub(super) fn of_words(argv: &[String], env: &Env) -> Option<Speech> {
    value(argv, "--output-format")
        .and_then(Speech::named)
        .or_else(|| says(argv, "--json").then_some(Speech::Json))
        .or_else(|| value(argv, "--format").and_then(Speech::named))
        .or_else(|| env.get("PM_OUTPUT_FORMAT").and_then(Speech::named))
}

impl Speech {
    pub(super) fn named(format: &str) -> Option<Speech> {
        match format {
            "json" => Some(Speech::Json),
            "toon" => Some(Speech::Toon),
            _ => None,
        }
    }
}

/// The last value of a flag.
pub(super) fn value<'a>(argv: &'a [String], flag: &str) -> Option<&'a str> {
    let end = argv.iter().position(|word| word == "--").unwrap_or(argv.len());
    let said = &argv[..end];
    (0..said.len()).rev().find_map(|n| {
        let (name, value) = match said[n].split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (said[n].as_str(), None),
        };
        let same = name.len() == flag.len()
            && name.bytes().zip(flag.bytes()).all(|(a, b)| a == b || (a == b'_' && b == b'-'));
        if same { value.or_else(|| said.get(n + 1).map(String::as_str)) } else { None }
    })
}
