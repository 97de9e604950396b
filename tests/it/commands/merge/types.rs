//! A type that changed on one branch, so that the item's file moved, beside a change on another one.

use serde_json::json;

use super::{on_branch, repository, whole};
use crate::cases::repository::{git, git_ok};
use crate::sandbox::Sandbox;

/// The files of the item.
fn files(sandbox: &Sandbox) -> Vec<String> {
    let folders = ["tasks", "issues", "chores"];
    let there = |folder: &&&str| sandbox.path().join(format!(".agents/pm/{folder}/pm-x.toon")).exists();
    folders.iter().filter(there).map(|folder| (*folder).to_owned()).collect()
}

fn without_drivers(sandbox: &Sandbox) {
    for driver in ["pm-item-toon", "pm-history"] {
        git(sandbox, &["config", "--remove-section", &format!("merge.{driver}")]);
    }
}

/// A type beside a change, merged; Git follows the file when it looks alike enough, which `like` says.
fn moved(drivers: bool, like: bool, ours_moves: bool) -> Sandbox {
    let mut sandbox = repository();
    if !drivers {
        without_drivers(&sandbox);
    }
    let edit: &[&[&str]] =
        &[&["comments", "x", "theirs"], &["update", "x", "--add-tags", "q", "--priority", "1"]];
    let text = "a long text that makes a small item look like another one altogether ".repeat(40);
    let long: &[&str] = &["update", "x", "--description", &text, "--type", "Issue"];
    let moves: &[&[&str]] = if like { &[&["update", "x", "--type", "Issue"]] } else { &[long] };
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", moves);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", edit);
    let (into, from) = if ours_moves { ("a", "b") } else { ("b", "a") };
    git_ok(&sandbox, &["checkout", "-q", into]);
    git(&sandbox, &["merge", "-q", "--no-edit", from]);
    sandbox
}

fn has_both_changes(sandbox: &Sandbox) {
    assert_eq!(files(sandbox), ["issues"]);
    let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
    assert_eq!(
        (&item["type"], &item["priority"], &item["tags"], &item["comments"][0]["text"]),
        (&json!("Issue"), &json!(1), &json!(["q"]), &json!("theirs"))
    );
    whole(sandbox);
    git_ok(sandbox, &["add", "-A"]);
    git(sandbox, &["commit", "-qm", "step"]);
    assert_eq!(sandbox.json(&["merge", "status"])["count"], 0);
}

#[test]
fn a_change_of_the_type_and_another_change_become_one_item() {
    for drivers in [true, false] {
        for like in [true, false] {
            for ours_moves in [true, false] {
                for one_by_one in [true, false] {
                    let sandbox = moved(drivers, like, ours_moves);
                    let waiting = sandbox.json(&["merge", "status"]);
                    if waiting["count"] != 0 {
                        let row = &waiting["conflicts"][0];
                        assert_eq!(row["id"], "pm-x", "{waiting}");
                        let command = row["resolve_with"].as_str().unwrap_or_default().to_owned();
                        let words: Vec<&str> = command.split(' ').skip(1).collect();
                        if one_by_one {
                            sandbox.ok(&words);
                        } else {
                            sandbox.ok(&["merge", "reconcile"]);
                        }
                    }
                    has_both_changes(&sandbox);
                }
            }
        }
    }
}

#[test]
fn two_types_are_one_item_with_a_question() {
    for drivers in [true, false] {
        let mut sandbox = repository();
        if !drivers {
            without_drivers(&sandbox);
        }
        on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["update", "x", "--type", "Issue"]]);
        on_branch(
            &mut sandbox,
            "b",
            "2026-03-02T00:00:00.000Z",
            &[&["update", "x", "--type", "Chore"], &["notes", "x", "n"]],
        );
        let (code, text) = git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
        assert_ne!(code, 0, "{text}");
        assert_eq!(sandbox.json(&["merge", "status"])["conflicts"][0]["id"], "pm-x");
        let output = sandbox.pm(&["merge", "reconcile", "--json"]);
        assert_eq!(output.expect(1).json()["left"], json!(["pm-x"]));
        assert_eq!(files(&sandbox), ["chores"]);
        whole(&sandbox);
        let done = sandbox.json(&["merge", "resolve", "x", "--set", "type=Issue"]);
        assert!(done["next"].as_str().is_some_and(|next| next.contains("issues/pm-x.toon")), "{done}");
        assert_eq!(files(&sandbox), ["issues"]);
        whole(&sandbox);
    }
}
