//! The ways in which Git joins changes: rebase, cherry-pick, revert, stash, several branches at once, other worktrees.

use serde_json::{Value, json};

use super::{ITEM, STREAM, on_branch, repository, whole};
use crate::cases::repository::{commit, git, git_ok};
use crate::sandbox::Sandbox;

fn disagreeing(drivers: bool) -> Sandbox {
    let mut sandbox = repository();
    if !drivers {
        without_drivers(&sandbox);
    }
    on_branch(
        &mut sandbox,
        "a",
        "2026-03-01T00:00:00.000Z",
        &[&["update", "x", "--priority", "1"], &["notes", "x", "a"]],
    );
    on_branch(
        &mut sandbox,
        "b",
        "2026-03-02T00:00:00.000Z",
        &[&["update", "x", "--priority", "3"], &["notes", "x", "b"]],
    );
    sandbox
}

pub(super) fn without_drivers(sandbox: &Sandbox) {
    for driver in ["pm-item-toon", "pm-history"] {
        git(sandbox, &["config", "--remove-section", &format!("merge.{driver}")]);
    }
}

/// Decides for one side and looks at what came out.
fn decided(sandbox: &Sandbox, way: &str, priority: i64, notes: &[&str], case: &str) {
    assert_eq!(sandbox.json(&["merge", "status"])["count"], 1, "{case}");
    let done = sandbox.json(&["merge", "resolve", "x", way]);
    assert_eq!(done["decided"], json!([{"field": "priority", "value": priority}]), "{case} {done}");
    let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
    let texts: Vec<&str> =
        item["notes"].as_array().into_iter().flatten().filter_map(|row| row["text"].as_str()).collect();
    assert_eq!((&item["priority"], texts.as_slice()), (&json!(priority), notes), "{case}");
    assert!(!sandbox.read(STREAM).contains("<<<<") && !sandbox.read(ITEM).contains("<<<<"), "{case}");
    whole(sandbox);
}

/// Runs the command that says how to tell Git.
fn stage(sandbox: &Sandbox, done: &Value) {
    let next = done["next"].as_str().unwrap_or_default().to_owned();
    let words: Vec<&str> = next.split(' ').skip(1).collect();
    git_ok(sandbox, &words);
}

#[test]
fn a_rebase_and_a_cherry_pick_with_two_values_are_decided() {
    for drivers in [true, false] {
        for (command, continues) in [
            (&["rebase", "a"][..], &["-c", "core.editor=true", "rebase", "--continue"][..]),
            (&["cherry-pick", "b"], &["-c", "core.editor=true", "cherry-pick", "--continue"]),
        ] {
            // In both, ours is where the commits of the other branch are laid onto.
            for (way, priority) in [("--ours", 1), ("--theirs", 3)] {
                let case = format!("{command:?} {drivers} {way}");
                let sandbox = disagreeing(drivers);
                if command[0] == "cherry-pick" {
                    git_ok(&sandbox, &["checkout", "-q", "a"]);
                }
                let (code, text) = git(&sandbox, command);
                assert_ne!(code, 0, "{case} {text}");
                assert_eq!(sandbox.json(&["merge", "status"])["count"], 1, "{case}");
                let done = sandbox.json(&["merge", "resolve", "x", way]);
                assert_eq!(
                    done["decided"],
                    json!([{"field": "priority", "value": priority}]),
                    "{case} {done}"
                );
                stage(&sandbox, &done);
                git_ok(&sandbox, continues);
                let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
                assert_eq!(
                    (&item["priority"], item["notes"].as_array().map(Vec::len)),
                    (&json!(priority), Some(2)),
                    "{case}"
                );
                whole(&sandbox);
            }
        }
    }
}

#[test]
fn a_cherry_pick_takes_one_change_and_not_what_stood_before_it() {
    let mut sandbox = repository();
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["comments", "x", "ours"]]);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", &[&["comments", "x", "first"]]);
    sandbox.ok(&["update", "x", "--add-tags", "t"]);
    commit(&sandbox);
    git_ok(&sandbox, &["checkout", "-q", "a"]);
    let (code, text) = git(&sandbox, &["cherry-pick", "b"]);
    assert_eq!(code, 0, "{text}");
    let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
    assert_eq!((&item["tags"], item["comments"].as_array().map(Vec::len)), (&json!(["t"]), Some(1)));
    assert!(!sandbox.read(STREAM).contains("first"), "{}", sandbox.read(STREAM));
    whole(&sandbox);
    // Later the rest follows, and nothing is told twice.
    git_ok(&sandbox, &["merge", "-q", "--no-edit", "b"]);
    whole(&sandbox);
    let stream = sandbox.read(STREAM);
    assert_eq!(stream.matches("\"op\":\"comment_add\"").count(), 2, "{stream}");
    assert_eq!(stream.matches("\"op\":\"update\"").count(), 1, "{stream}");
}

#[test]
fn a_revert_takes_a_change_back_and_history_keeps_it() {
    let mut sandbox = repository();
    on_branch(
        &mut sandbox,
        "a",
        "2026-03-01T00:00:00.000Z",
        &[&["update", "x", "--priority", "1", "--add-tags", "t"]],
    );
    sandbox.set("PM_CLOCK", "2026-03-05T00:00:00.000Z");
    sandbox.ok(&["notes", "x", "later"]);
    commit(&sandbox);
    let (code, text) = git(&sandbox, &["revert", "--no-edit", "HEAD^"]);
    assert_eq!(code, 0, "{text}");
    let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
    assert_eq!(
        (&item["priority"], &item["tags"], &item["notes"][0]["text"]),
        (&json!(2), &json!([]), &json!("later"))
    );
    assert!(sandbox.read(STREAM).contains("\"op\":\"update\""));
    whole(&sandbox);
    // Against a change of the same field, there are two values.
    sandbox.ok(&["update", "x", "--priority", "4"]);
    commit(&sandbox);
    sandbox.ok(&["update", "x", "--priority", "0"]);
    commit(&sandbox);
    let (code, text) = git(&sandbox, &["revert", "--no-edit", "HEAD^"]);
    assert_ne!(code, 0, "{text}");
    decided(&sandbox, "--theirs", 2, &["later"], "revert");
}

#[test]
fn a_stash_that_does_not_fit_is_decided() {
    for drivers in [true, false] {
        for (way, priority) in [("--ours", 1), ("--theirs", 3)] {
            let mut sandbox = repository();
            if !drivers {
                without_drivers(&sandbox);
            }
            sandbox.set("PM_CLOCK", "2026-03-01T00:00:00.000Z");
            sandbox.ok(&["update", "x", "--priority", "3"]);
            sandbox.ok(&["notes", "x", "stashed"]);
            git_ok(&sandbox, &["stash", "-q"]);
            sandbox.set("PM_CLOCK", "2026-03-02T00:00:00.000Z");
            sandbox.ok(&["update", "x", "--priority", "1"]);
            commit(&sandbox);
            let (code, text) = git(&sandbox, &["stash", "pop"]);
            assert_ne!(code, 0, "{text}");
            decided(&sandbox, way, priority, &["stashed"], &format!("stash {drivers} {way}"));
        }
    }
}

#[test]
fn several_branches_at_once_are_mended() {
    let mut sandbox = repository();
    for branch in ["a", "b", "c"] {
        let clock = format!("2026-03-0{}T00:00:00.000Z", branch.as_bytes()[0] - b'a' + 1);
        on_branch(&mut sandbox, branch, &clock, &[&["notes", "x", branch]]);
    }
    git_ok(&sandbox, &["checkout", "-q", "-B", "trial", "main"]);
    let (code, text) = git(&sandbox, &["merge", "-q", "--no-edit", "a", "b"]);
    // Git merges several branches without any driver, and gives up where one does not fit.
    if code != 0 && sandbox.read(STREAM).contains("<<<<") {
        sandbox.ok(&["merge", "reconcile"]);
    } else if code != 0 {
        git(&sandbox, &["merge", "--abort"]);
        git_ok(&sandbox, &["reset", "-q", "--hard", "main"]);
        git_ok(&sandbox, &["merge", "-q", "--no-edit", "a"]);
        git_ok(&sandbox, &["merge", "-q", "--no-edit", "b"]);
    }
    let notes = sandbox.json(&["get", "x", "--full"])["item"]["notes"].clone();
    assert_eq!(notes.as_array().map(Vec::len), Some(2), "{text}");
    whole(&sandbox);
}

#[test]
fn a_merge_in_another_worktree_is_decided_there() {
    let sandbox = disagreeing(true);
    git_ok(&sandbox, &["checkout", "-q", "main"]);
    git_ok(&sandbox, &["worktree", "add", "-q", "tree", "a"]);
    let (code, text) = git(&sandbox, &["-C", "tree", "merge", "-q", "--no-edit", "b"]);
    assert_ne!(code, 0, "{text}");
    let there = ["--pm-path", "tree/.agents/pm"];
    let status = sandbox.json(&[&["merge", "status", "x"][..], &there].concat());
    assert_eq!(status["fields"][0]["values"], json!([1, 3]));
    let done = sandbox.json(&[&["merge", "resolve", "x", "--theirs"][..], &there].concat());
    assert_eq!(done["decided"], json!([{"field": "priority", "value": 3}]), "{done}");
    assert_eq!(sandbox.json(&["merge", "status"])["count"], 0);
}
