//! Finds what looks like a secret in the texts of an item (storage.md §6.3, secret guard).

use std::collections::HashSet;

use serde_json::Value;

use crate::model::item::Item;

/// Beginnings of tokens that their makers marked, how many more characters they have at least, and the rule's name.
const MARKED: &[(&str, usize, &str)] = &[
    ("ghp_", 36, "github_token"),
    ("gho_", 36, "github_token"),
    ("ghu_", 36, "github_token"),
    ("ghs_", 36, "github_token"),
    ("ghr_", 36, "github_token"),
    ("github_pat_", 22, "github_token"),
    ("npm_", 36, "npm_token"),
    ("xoxb-", 10, "slack_token"),
    ("xoxa-", 10, "slack_token"),
    ("xoxp-", 10, "slack_token"),
    ("xoxr-", 10, "slack_token"),
    ("xoxs-", 10, "slack_token"),
    ("AKIA", 16, "aws_access_key"),
    ("ASIA", 16, "aws_access_key"),
];

/// Words before `=` or `:` that promise a secret.
const NAMES: &[&str] =
    &["password", "passwd", "secret", "token", "api_key", "apikey", "api-key", "access_key", "private_key"];

/// The shortest value that counts as one, and how mixed it must be, in bits per character.
const SHORTEST: usize = 20;
const MIXED: f64 = 3.5;

/// The rules that the new texts of an item break, each once, in alphabetic order. What was there before is not
/// looked at again.
pub fn found(before: Option<&Item>, after: &Item) -> Vec<&'static str> {
    let mut rules = Vec::new();
    let mut old = Vec::new();
    if let Some(before) = before {
        before.metadata.values().for_each(|value| texts(value, &mut old));
        old.push(&before.body);
    }
    let mut new = Vec::new();
    after.metadata.values().for_each(|value| texts(value, &mut new));
    new.push(&after.body);
    let old: HashSet<&str> = old.into_iter().collect();
    for text in new.into_iter().filter(|text| text.len() >= 14 && !old.contains(text)) {
        scan(text, &mut rules);
    }
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// The texts at the leaves of a value.
fn texts<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(list) => list.iter().for_each(|value| texts(value, found)),
        Value::Object(map) => map.values().for_each(|value| texts(value, found)),
        _ => {}
    }
}

fn scan(text: &str, rules: &mut Vec<&'static str>) {
    if text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----") {
        rules.push("private_key");
    }
    let inner = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    for word in text.split(|c| !inner(c)) {
        let marked = MARKED.iter().find(|(start, more, rule)| {
            let rest = word.strip_prefix(start);
            let strict = *rule == "aws_access_key";
            rest.is_some_and(|rest| {
                rest.len() >= *more
                    && (!strict
                        || (rest.len() == *more
                            && rest.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())))
            })
        });
        rules.extend(marked.map(|(_, _, rule)| *rule));
    }
    if assigns(text) {
        rules.push("high_entropy_assignment");
    }
}

/// Whether a text says `password = <something that nobody would type>`.
fn assigns(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    NAMES.iter().any(|name| {
        lower.match_indices(name).any(|(at, _)| {
            let rest = text[at + name.len()..].trim_start_matches(['"', '\'', ' ', '\t']);
            let Some(rest) = rest.strip_prefix(['=', ':']) else { return false };
            let rest = rest.trim_start_matches(['"', '\'', ' ', '\t']);
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || "+/_-=.".contains(c)))
                .unwrap_or(rest.len());
            let value = &rest[..end];
            let digit = value.bytes().any(|b| b.is_ascii_digit());
            value.len() >= SHORTEST && digit && entropy(value) >= MIXED
        })
    })
}

/// Shannon's entropy, in bits per character.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    text.bytes().for_each(|b| counts[usize::from(b)] += 1);
    let all = text.len() as f64;
    counts.iter().filter(|n| **n > 0).map(|n| f64::from(*n) / all).map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(body: &str) -> Item {
        Item { body: body.to_owned(), ..Item::default() }
    }

    #[test]
    fn marked_tokens_and_mixed_values_are_found() {
        // Put together here, so that no scanner of this repository takes them for real.
        let aws = format!("key {}{}", "AKIA", "IOSFODNN7EXAMPLE");
        let github = format!("{}{}", "ghp_", "a1".repeat(18));
        let value = format!("api_key = \"{}{}\"", "q9Zx3Lm7Vb", "2Nc8Rt5Wy1K");
        let pem = format!("-----BEGIN {} KEY-----\nabc", "RSA PRIVATE");
        for (text, rule) in [
            (aws.as_str(), "aws_access_key"),
            (&github, "github_token"),
            (&value, "high_entropy_assignment"),
            (&pem, "private_key"),
        ] {
            assert_eq!(found(None, &item(text)), [rule], "{text}");
        }
    }

    #[test]
    fn plain_words_and_old_texts_are_not() {
        for text in [
            "the token: refresh it later",
            "password = correct horse",
            "AKIA is a prefix",
            "ghp_short",
            "secret: aaaaaaaaaaaaaaaaaaaaaaaa1",
        ] {
            assert!(found(None, &item(text)).is_empty(), "{text}");
        }
        let old = item(&format!("{}{}", "ghp_", "a1".repeat(18)));
        assert!(found(Some(&old), &old).is_empty());
    }
}
