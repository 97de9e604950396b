//! The sentences of the contract and the statements about them are each named by a test (B-69, C2).

use std::collections::BTreeSet;
use std::path::Path;

/// The source of every test of `pm catalog`.
fn sources() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/catalog");
    let files = std::fs::read_dir(folder).expect("the folder can be read").flatten();
    files.filter_map(|entry| std::fs::read_to_string(entry.path()).ok()).collect()
}

/// Numbers that follow a letter in a text: `C7` for `C`, `b07` for `b`.
fn numbered(text: &str, letter: char) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if c == letter && !before.is_ascii_alphanumeric() {
            let digits: String = text[at + 1..].chars().take_while(char::is_ascii_digit).collect();
            found.extend(digits.parse::<u32>());
        }
        before = c;
    }
    found
}

/// C2: every sentence of the seed, by its key.
#[test]
fn b69_every_sentence_and_statement_is_named_by_a_test() {
    let text = sources();
    let keys = numbered(&text, 'C');
    let missing: Vec<u32> = (1..=30).filter(|n| !keys.contains(n)).collect();
    assert!(missing.is_empty(), "no test names C{missing:?}");
    // B-70 is timed by scripts/bench, see scripts/measure_catalog.rs.
    let names: String =
        text.lines().filter(|line| line.trim_start().starts_with("fn ")).collect::<Vec<_>>().join("\n");
    let named = numbered(&names.replace("fn ", " ").replace('_', " "), 'b');
    let missing: Vec<u32> = (1..=69).filter(|n| !named.contains(n)).collect();
    assert!(missing.is_empty(), "no test is called after B-{missing:?}");
}
