//! Histories that one branch wrote anew, beside a change on another one.

use serde_json::Value;

use super::kinds::without_drivers;
use super::{ITEM, STREAM, on_branch, repository, whole};
use crate::cases::repository::{commit, git, git_ok};
use crate::sandbox::Sandbox;

const SECRET: &str = "hunter2";

/// A repository whose item has a history, with a secret in it.
fn with_history() -> Sandbox {
    let mut sandbox = repository();
    sandbox.set("PM_CLOCK", "2026-02-10T00:00:00.000Z");
    sandbox.ok(&["comments", "x", "the password is hunter2, do not tell"]);
    sandbox.ok(&["update", "x", "--description", "log in with hunter2", "--priority", "3"]);
    sandbox.ok(&["append", "x", "hunter2 works"]);
    sandbox.ok(&["update", "x", "--priority", "2"]);
    commit(&sandbox);
    sandbox
}

/// Merges each branch into the other; both give the same files.
fn both_ways(sandbox: &Sandbox) {
    let merged = |from: &str, into: &str| {
        git_ok(sandbox, &["checkout", "-q", "-B", "trial", into]);
        git_ok(sandbox, &["merge", "-q", "--no-edit", from]);
        whole(sandbox);
        (sandbox.read(ITEM), sandbox.read(STREAM))
    };
    assert_eq!(merged("a", "b"), merged("b", "a"));
}

fn ops(sandbox: &Sandbox) -> Vec<String> {
    let entry = |line: &str| serde_json::from_str::<Value>(line).expect("an entry");
    sandbox
        .read(STREAM)
        .lines()
        .map(|line| entry(line)["op"].as_str().unwrap_or_default().to_owned())
        .collect()
}

fn count(ops: &[String], op: &str) -> usize {
    ops.iter().filter(|own| *own == op).count()
}

#[test]
fn what_was_redacted_on_one_branch_stays_away_though_the_other_one_touched_it() {
    let mut sandbox = with_history();
    let redact: &[&[&str]] = &[&["history-redact", "x", "--literal", SECRET]];
    let edit: &[&[&str]] = &[
        &["update", "x", "--description", "log in with hunter2 and a badge"],
        &["append", "x", "still hunter2"],
        &["comments", "x", "who knows hunter2?"],
        &["update", "x", "--add-tags", "t"],
    ];
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", redact);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", edit);
    both_ways(&sandbox);
    for path in [ITEM, STREAM] {
        assert!(!sandbox.read(path).contains(SECRET), "{path}: {}", sandbox.read(path));
    }
    let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
    assert_eq!(item["description"], "log in with [redacted] and a badge");
    assert_eq!(item["tags"], serde_json::json!(["t"]));
    assert_eq!(item["comments"].as_array().map(Vec::len), Some(2));
    assert_eq!(count(&ops(&sandbox), "create"), 1);
}

#[test]
fn a_replacement_of_ones_own_is_known_by_the_history() {
    let mut sandbox = with_history();
    let redact: &[&[&str]] = &[&["history-redact", "x", "--literal", SECRET, "--replacement", "XXX"]];
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", redact);
    let edit: &[&[&str]] = &[&["comments", "x", "more"], &["append", "x", "still hunter2"]];
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", edit);
    both_ways(&sandbox);
    for path in [ITEM, STREAM] {
        let text = sandbox.read(path);
        assert!(!text.contains(SECRET) && text.contains("XXX"), "{path}: {text}");
    }
}

#[test]
fn what_was_shortened_on_one_branch_stays_short() {
    let mut sandbox = with_history();
    on_branch(
        &mut sandbox,
        "a",
        "2026-03-01T00:00:00.000Z",
        &[&["comments", "x", "ours"], &["history-compact", "x"]],
    );
    on_branch(
        &mut sandbox,
        "b",
        "2026-03-02T00:00:00.000Z",
        &[&["comments", "x", "theirs"], &["update", "x", "--priority", "1"]],
    );
    both_ways(&sandbox);
    let ops = ops(&sandbox);
    assert_eq!((count(&ops, "history_compact_baseline"), count(&ops, "create")), (1, 0), "{ops:?}");
    assert_eq!(
        (count(&ops, "history_compact"), count(&ops, "comment_add"), count(&ops, "update")),
        (1, 1, 1)
    );
    let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
    assert_eq!((item["comments"].as_array().map(Vec::len), &item["priority"]), (Some(3), &1.into()));
}

#[test]
fn a_part_that_was_shortened_is_known_by_what_it_left() {
    let mut sandbox = with_history();
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["history-compact", "x", "--before", "4"]]);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", &[&["notes", "x", "n"]]);
    both_ways(&sandbox);
    assert_eq!(
        ops(&sandbox),
        ["history_compact_baseline", "append", "update", "history_compact", "note_add"]
    );
}

#[test]
fn histories_that_both_branches_wrote_anew_merge_too() {
    let redact: &[&str] = &["history-redact", "x", "--literal", SECRET];
    let other: &[&str] = &["history-redact", "x", "--literal", "password"];
    let shorten: &[&str] = &["history-compact", "x"];
    let part: &[&str] = &["history-compact", "x", "--before", "3"];
    for (ours, theirs, secret) in [
        (redact, redact, true),
        (redact, other, true),
        (shorten, shorten, false),
        (part, shorten, false),
        (redact, shorten, true),
        (redact, part, true),
    ] {
        let mut sandbox = with_history();
        on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["notes", "x", "a"], ours]);
        on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", &[theirs, &["notes", "x", "b"]]);
        both_ways(&sandbox);
        if secret {
            let text = sandbox.read(ITEM) + &sandbox.read(STREAM);
            assert!(!text.contains(SECRET), "{ours:?} {theirs:?}: {text}");
        }
        if theirs[0] == "history-compact" {
            assert_eq!(count(&ops(&sandbox), "create"), 0, "{ours:?} {theirs:?}");
        }
        let notes = sandbox.json(&["get", "x", "--full"])["item"]["notes"].clone();
        assert_eq!(notes.as_array().map(Vec::len), Some(2));
    }
}

#[test]
fn a_history_that_one_branch_mended_stays_mended() {
    let mut sandbox = with_history();
    let broken = sandbox.read(STREAM).replacen("\"after_hash\":\"", "\"after_hash\":\"0", 1);
    sandbox.write(STREAM, broken);
    commit(&sandbox);
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["history-repair", "x"]]);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", &[&["notes", "x", "n"]]);
    both_ways(&sandbox);
    assert_eq!(count(&ops(&sandbox), "create"), 1);
    assert_eq!(count(&ops(&sandbox), "history_repair"), 1);
}

#[test]
fn a_branch_that_was_merged_already_merges_again_without_telling_anything_twice() {
    let mut sandbox = with_history();
    on_branch(
        &mut sandbox,
        "a",
        "2026-03-01T00:00:00.000Z",
        &[&["comments", "x", "a"], &["update", "x", "--add-tags", "a"]],
    );
    on_branch(
        &mut sandbox,
        "b",
        "2026-02-20T00:00:00.000Z",
        &[&["comments", "x", "b"], &["update", "x", "--add-tags", "b"]],
    );
    git_ok(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    git_ok(&sandbox, &["checkout", "-q", "a"]);
    sandbox.set("PM_CLOCK", "2026-03-05T00:00:00.000Z");
    sandbox.ok(&["notes", "x", "later"]);
    commit(&sandbox);
    both_ways(&sandbox);
    let ops = ops(&sandbox);
    assert_eq!((count(&ops, "comment_add"), count(&ops, "note_add")), (3, 1), "{ops:?}");
    let (code, text) = git(&sandbox, &["merge", "--no-edit", "b"]);
    assert_eq!(code, 0, "{text}");
}

/// The roads on which a change and a redaction of one item meet; the redaction is on `a`, the change on `b`.
const ROADS: [&str; 5] = ["merge a", "merge b", "rebase a", "pick a", "pick b"];

fn meet(sandbox: &Sandbox, road: &str) -> bool {
    let (way, branch) = road.split_once(' ').expect("two words");
    git_ok(sandbox, &["checkout", "-q", if branch == "a" { "b" } else { "a" }]);
    let code = match way {
        "merge" => git(sandbox, &["merge", "-q", "--no-edit", branch]).0,
        "rebase" => git(sandbox, &["rebase", branch]).0,
        _ => git(sandbox, &["cherry-pick", branch]).0,
    };
    code == 0
}

#[test]
fn what_was_redacted_and_then_given_up_does_not_come_back() {
    for mark in ["[redacted]", "<<gone>>"] {
        for (road, drivers) in ROADS.iter().flat_map(|road| [(road, true), (road, false)]) {
            let mut sandbox = with_history();
            if !drivers {
                without_drivers(&sandbox);
            }
            let redact: &[&[&str]] = &[
                &["history-redact", "x", "--literal", SECRET, "--replacement", mark],
                &["update", "x", "--description", "nothing", "--body", "all new"],
            ];
            let edit: &[&[&str]] = &[
                &["update", "x", "--description", "log in with hunter2 and a badge"],
                &["append", "x", "still hunter2"],
                &["comments", "x", "who knows hunter2?"],
            ];
            on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", redact);
            on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", edit);
            assert!(!meet(&sandbox, road), "{road}: both gave the description a value");
            let case = format!("{road}, {mark}, drivers {drivers}");
            if !drivers {
                let _ = sandbox.pm(&["merge", "reconcile"]).expect(1);
            }
            let clean = |when: &str| {
                for path in [ITEM, STREAM] {
                    assert!(!sandbox.read(path).contains(SECRET), "{case}, {when}: {path}");
                }
                whole(&sandbox);
            };
            clean("merged");
            let values = sandbox.json(&["merge", "status", "x"])["fields"][1]["values"].clone();
            let said = format!("log in with {mark} and a badge");
            assert!(values.as_array().is_some_and(|all| all.contains(&said.as_str().into())), "{values}");
            sandbox.ok(&["merge", "resolve", "x", "--theirs"]);
            clean("decided");
        }
    }
}

#[test]
fn a_redaction_that_is_reverted_stays() {
    let mut sandbox = with_history();
    on_branch(
        &mut sandbox,
        "a",
        "2026-03-01T00:00:00.000Z",
        &[&["history-redact", "x", "--literal", SECRET], &["update", "x", "--title", "T"]],
    );
    sandbox.ok(&["update", "x", "--add-tags", "later"]);
    commit(&sandbox);
    let _ = git(&sandbox, &["revert", "--no-edit", "HEAD~1"]);
    for path in [ITEM, STREAM] {
        assert!(!sandbox.read(path).contains(SECRET), "{path}");
    }
    assert_eq!(sandbox.json(&["get", "x"])["item"]["title"], "Shared");
    whole(&sandbox);
}

#[test]
fn a_secret_that_came_back_by_hand_is_named_and_goes_again() {
    for mark in ["[redacted]", "<<gone>>"] {
        // What somebody takes from the other branch to end a merge that Git left with markers.
        for taken in [&[ITEM, STREAM][..], &[ITEM], &[STREAM]] {
            let mut sandbox = with_history();
            without_drivers(&sandbox);
            let redact: &[&[&str]] = &[&["history-redact", "x", "--literal", SECRET, "--replacement", mark]];
            let edit: &[&[&str]] = &[&["append", "x", "still hunter2"], &["comments", "x", "hunter2?"]];
            on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", edit);
            on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", redact);
            assert_ne!(git(&sandbox, &["merge", "-q", "--no-edit", "b"]).0, 0);
            git_ok(&sandbox, &["checkout", "--ours", "--", ITEM, STREAM]);
            git_ok(&sandbox, &[&["checkout", "--theirs", "--"], taken].concat());
            commit(&sandbox);
            let tells = || [ITEM, STREAM].iter().any(|path| sandbox.read(path).contains(SECRET));
            assert!(tells());
            let named = |command: &[&str], code: &str| {
                let answer = sandbox.pm(command).json().to_string();
                answer.contains(code)
            };
            let case = format!("{mark}, {taken:?}");
            assert!(named(&["validate", "--json"], "validate_storage_redaction_returned:1"), "{case}");
            assert!(named(&["health", "--json"], "integrity_redaction_returned"), "{case}");
            let done = sandbox.json(&["merge", "reconcile"]);
            assert!(done["warnings"].to_string().contains("redacted_again:pm-x"), "{case}: {done}");
            assert!(!tells(), "{case}");
            whole(&sandbox);
            assert!(!named(&["validate", "--json"], "redaction_returned"), "{case}");
            assert_eq!(sandbox.json(&["merge", "reconcile"])["warnings"], Value::Null, "{case}");
            sandbox.ok(&["comments", "x", "goes on"]);
            whole(&sandbox);
        }
    }
}
