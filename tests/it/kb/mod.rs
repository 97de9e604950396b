//! `pm kb` from outside: the statements D-01 to D-63 of the retrieval contract, each named by its number.

mod library;
mod properties;
mod real;
mod resolving;
mod slices;
mod table;
mod tiers;
mod tools;

use serde_json::{Value, json};

use crate::cases::repository::{commit, git_ok};
use crate::sandbox::{Output, Sandbox};

/// A repository of these files, committed; no tracker in it.
fn repository(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::empty();
    git_ok(&sandbox, &["init", "-q", "-b", "main"]);
    files.iter().for_each(|(path, text)| sandbox.write(path, text));
    commit(&sandbox);
    sandbox
}

const GATE: &str = "---\nuri: k://canon/gate\ntitle: The gate\naudience: canon\nexposure: public\ntier: 1\npublic: true\n\
     tags: [gate, law]\nepoch: 7\ndate: 2026-02-09\n---\n\n# Another title\n\n> First line\n> second line.\n>\n> Not this.\n\n\
     ## Summary\n\nShort gate.\n\n### Deeper\n\n```\n## Not a heading\n```\n\n## Next section\n\nThe gate stands open at night.\n";

/// A corpus with every kind and every filter.
fn corpus() -> Sandbox {
    repository(&[
        ("README.md", "# Read me\n\nAll about gates and retrieval.\n"),
        ("canon/gate.md", GATE),
        (
            "canon/constraints/no-bodies.md",
            "---\naudience: canon\ntier: 2\nstart_here: true\n---\n# No bodies\n\n> Never.\n\nA retrieval action has no body.\n",
        ),
        ("canon/definition-of-done.md", "# Done\n\nIt is tested.\n"),
        ("docs/guide.md", "---\naudience: docs\ntags: [law]\n---\n# Guide\n\nHow to use it.\n"),
        ("docs/declared.md", "---\nkind: journals\n---\n# Declared journal\n"),
        ("odd/ledger.md", "# Ledger\n\nWhat happened at the gate.\n"),
        ("odd/handoffs/one.md", "---\nkind: docs\n---\n# One\n"),
        (
            "writings/essay.md",
            "---\nexposure: public\naudience: public\n---\n# Essay\n\n> Teaser.\n\nText 日本語 here.\n",
        ),
        ("apocrypha/old.md", "# Old\n"),
        ("notes/plain.md", "no heading at all\n"),
    ])
}

fn kb(sandbox: &Sandbox, words: &[&str]) -> Output {
    sandbox.pm(&[&["kb"], words, &["--output-format", "json"]].concat())
}

fn ok(sandbox: &Sandbox, words: &[&str]) -> Value {
    let answer = kb(sandbox, words).expect(0).json();
    assert_eq!(answer["status"], "OK");
    answer
}

/// Refused with this code: an answer without data on standard output, one line on standard error.
fn refused(sandbox: &Sandbox, words: &[&str], exit: i32, code: &str) -> Value {
    let output = kb(sandbox, words).expect(exit);
    let answer = output.json();
    assert_eq!((&answer["status"], &answer["error_code"]), (&json!("ERROR"), &json!(code)), "{output:?}");
    assert!(answer.get("data").is_none(), "{output:?}");
    assert_eq!(output.stderr.lines().count(), 1, "{output:?}");
    answer
}

fn uris(answer: &Value) -> Vec<String> {
    let rows = answer["data"].as_array().expect("rows");
    rows.iter().map(|row| row["uri"].as_str().expect("every row has its uri").to_owned()).collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// The words of each of the five.
const FIVE: [(&str, &[&str]); 5] = [
    ("search", &["search", "gate"]),
    ("catalog", &["catalog"]),
    ("preflight", &["preflight", "add a retrieval action"]),
    ("get", &["get", "k://canon/gate"]),
    ("resolve", &["resolve", "k://canon/gate"]),
];

/// The actions that answer with rows, and their own fields.
const MANY: [(&str, &[&str]); 3] = [
    ("search", &["score", "snippet"]),
    ("catalog", &["position"]),
    ("preflight", &["position", "role", "score"]),
];

fn words(name: &str) -> Vec<&'static str> {
    FIVE.iter().find(|(own, _)| *own == name).expect("one of the five").1.to_vec()
}
