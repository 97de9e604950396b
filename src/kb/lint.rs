//! What is wrong with the documents of a repository, and where (disclosure.md §2: it has its own place, since answers
//! hold no counts and no verdicts).

use regex::Regex;
use serde_json::{Value, json};

use super::config::Config;
use super::document::LONGEST_URI;
use super::library::Library;
use super::record::DeclaredKind;
use super::resolve::{self, Next};

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file.
    pub path: String,
    /// The line it is about, from 1.
    pub line: usize,
    /// What kind of fault, in a word.
    pub code: &'static str,
    /// What is wrong, in a sentence.
    pub message: String,
}

/// Everything that is wrong with the documents whose path fits one of the patterns, or with all, in the order of
/// paths.
pub fn findings(library: &Library, only: &[Regex]) -> Vec<Finding> {
    let mut found = Vec::new();
    for n in 0..library.corpus.entries.len() {
        of_document(library, n, &mut found);
    }
    for (path, reason) in &library.skipped {
        let message = match *reason {
            "binary" => "it is no text, and is no document",
            "too_large" => "it is larger than the setting kb.max_file_bytes allows, and is no document",
            "foreign_link" => "it is a link out of the repository, and is not followed",
            "no_item" => "it is no item that can be read",
            _ => "it cannot be read",
        };
        found.push(Finding { path: path.clone(), line: 1, code: "skipped", message: message.to_owned() });
    }
    found.retain(|finding| only.is_empty() || only.iter().any(|pattern| pattern.is_match(&finding.path)));
    found.sort();
    found
}

fn of_document(library: &Library, n: usize, found: &mut Vec<Finding>) {
    let corpus = &library.corpus;
    let entry = &corpus.entries[n];
    let record = entry.record();
    let metadata = record.metadata();
    let lines = Lines { library, n };
    let mut say = |key: &str, code: &'static str, message: String| {
        found.push(Finding { path: entry.path.clone(), line: lines.of(key), code, message });
    };
    if let Some(fault) = record.fault() {
        say("", "invalid_front_matter", format!("the front matter cannot be read: {fault}"));
    }
    if record.is_lossy() {
        say("", "invalid_utf8", "some bytes are no UTF-8 and are shown as U+FFFD".to_owned());
    }
    if record.kind() == DeclaredKind::Invalid {
        let kinds = super::kind::Kind::names().join(", ");
        let kind = entry.kind.as_str();
        say("kind", "invalid_kind", format!("its kind is none of {kinds}; by its path it is {kind}"));
    }
    let declared = metadata.get("uri").and_then(Value::as_str).unwrap_or_default();
    if corpus.displaced.binary_search(&n).is_ok() {
        say(
            "uri",
            "duplicate_uri",
            format!("'{declared}' belongs to another document; this one is {}", entry.uri),
        );
    } else if declared.chars().count() > LONGEST_URI || declared.contains(char::is_control) {
        say(
            "uri",
            "invalid_uri",
            format!("a URI has at most {LONGEST_URI} characters and no control characters"),
        );
    }
    if entry.item_id().is_some() {
        return;
    }
    match resolve::successor(corpus, n) {
        Next::Dangling(value) => {
            say("superseded_by", "dangling_successor", format!("'{value}' leads to no document"));
        }
        Next::Entry(_) if resolve::follow(library, &entry.uri).is_err() => {
            say(
                "superseded_by",
                "circular_supersession",
                "its successors lead back to it, or go on too long".to_owned(),
            );
        }
        _ => {}
    }
    of_values(&library.config, &metadata, &mut say);
    if record.title().is_none() {
        say("", "missing_title", "it has neither a title nor a heading of level 1".to_owned());
    }
    if record.has_front_matter() && record.fault().is_none() {
        for (tier, missing) in
            [("blockquote", record.blockquote().is_none()), ("summary", record.summary().is_none())]
        {
            if missing {
                say("", "missing_tier", format!("it has no {tier}"));
            }
        }
    }
}

/// Values that no filter reaches.
fn of_values(
    config: &Config,
    metadata: &serde_json::Map<String, Value>,
    say: &mut impl FnMut(&str, &'static str, String),
) {
    for (key, vocabulary) in
        [("audience", &config.audiences), ("exposure", &config.exposures), ("tier", &config.tiers)]
    {
        let Some(value) = metadata.get(key) else { continue };
        for one in value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice) {
            let quoted = key == "tier" && one.as_str().is_some_and(|text| text.trim().parse::<i64>().is_ok());
            if quoted {
                say(key, "quoted_tier", format!("{one} is a text; it counts as its number"));
            } else if !vocabulary.contains(one) && !one.is_null() {
                say(
                    key,
                    "unknown_value",
                    format!("{one} is no value of {key}; the setting kb.vocab.{key} can add it"),
                );
            }
        }
    }
    for key in ["public", "start_here"] {
        if metadata.get(key).is_some_and(|value| !value.is_boolean() && !value.is_null()) {
            say(key, "no_boolean", format!("{key} is neither true nor false, so no filter finds it"));
        }
    }
}

/// Where a field stands in a file; read only when something is said about it.
struct Lines<'l> {
    library: &'l Library,
    n: usize,
}

impl Lines<'_> {
    fn of(&self, key: &str) -> usize {
        if key.is_empty() {
            return 1;
        }
        let text = self.library.text(self.n).unwrap_or_default();
        let begins =
            |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
        text.lines().position(begins).map_or(1, |line| line + 1)
    }
}

/// The findings as rows.
pub fn rows(findings: &[Finding]) -> Vec<crate::answer::Row> {
    let row = |finding: &Finding| {
        crate::answer::row([
            ("path", json!(finding.path)),
            ("line", json!(finding.line)),
            ("code", json!(finding.code)),
            ("message", json!(finding.message)),
        ])
    };
    findings.iter().map(row).collect()
}
