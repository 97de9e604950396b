//! `pm merge`: two branches of one repository, merged by Git through the drivers.

use std::process::Command;

use serde_json::Value;

use crate::sandbox::Sandbox;

fn git(sandbox: &Sandbox, arguments: &[&str]) -> (i32, String) {
    let output = Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(sandbox.path())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", sandbox.path())
        .output()
        .expect("git runs");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap_or(-1), text)
}

/// A repository with a tracker and one item, everything committed.
fn repository() -> Sandbox {
    let sandbox = Sandbox::empty();
    git(&sandbox, &["init", "-q", "-b", "main"]);
    sandbox.ok(&["init"]);
    sandbox.create(&["Task", "Shared", "--id", "x", "--ac", "one"]);
    commit(&sandbox);
    sandbox
}

fn commit(sandbox: &Sandbox) {
    git(sandbox, &["add", "-A"]);
    let (code, text) = git(sandbox, &["commit", "-qm", "step"]);
    assert_eq!(code, 0, "{text}");
}

fn on_branch(sandbox: &mut Sandbox, branch: &str, clock: &str, calls: &[&[&str]]) {
    git(sandbox, &["checkout", "-q", "-b", branch, "main"]);
    sandbox.set("PM_CLOCK", clock);
    for call in calls {
        sandbox.ok(call);
    }
    commit(sandbox);
}

fn whole(sandbox: &Sandbox) {
    let verdict = sandbox.json(&["history", "x", "--verify"])["verification"].clone();
    assert_eq!(
        (&verdict["ok"], &verdict["current_matches_latest"]),
        (&true.into(), &true.into()),
        "{verdict}"
    );
}

#[test]
fn branches_that_add_to_one_item_merge_clean_and_verify_at_once() {
    let mut sandbox = repository();
    let ours: &[&[&str]] = &[
        &["comments", "x", "ours"],
        &["update", "x", "--add-tags", "p", "--priority", "1", "--add-ac", "two"],
    ];
    let theirs: &[&[&str]] = &[
        &["comments", "x", "theirs"],
        &["update", "x", "--add-tags", "q", "--title", "Renamed", "--add-ac", "three"],
        &["append", "x", "more"],
    ];
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", ours);
    on_branch(&mut sandbox, "b", "2026-02-01T00:00:00.000Z", theirs);
    let (code, text) = git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    assert_eq!(code, 0, "{text}");
    let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
    let texts: Vec<&str> =
        item["comments"].as_array().into_iter().flatten().filter_map(|row| row["text"].as_str()).collect();
    assert_eq!(texts, ["theirs", "ours"], "comments stand in the order of their times");
    assert_eq!(item["tags"], Value::from(vec!["p", "q"]));
    assert_eq!(
        (&item["title"], &item["priority"], &item["body"]),
        (&"Renamed".into(), &1.into(), &"more".into())
    );
    assert_eq!(item["acceptance_criteria"], "one; three; two");
    whole(&sandbox);
    sandbox.ok(&["update", "x", "--priority", "0"]);
    whole(&sandbox);
}

#[test]
fn the_result_does_not_depend_on_which_branch_is_merged_into_which() {
    let mut sandbox = repository();
    on_branch(
        &mut sandbox,
        "a",
        "2026-03-01T00:00:00.000Z",
        &[&["update", "x", "--sprint", "1"], &["notes", "x", "a"]],
    );
    on_branch(
        &mut sandbox,
        "b",
        "2026-03-02T00:00:00.000Z",
        &[&["update", "x", "--release", "2"], &["files", "x", "--add", "b.rs"]],
    );
    let merged = |from: &str, into: &str| {
        git(&sandbox, &["checkout", "-q", "-B", "trial", into]);
        let (code, text) = git(&sandbox, &["merge", "-q", "--no-edit", from]);
        assert_eq!(code, 0, "{text}");
        (sandbox.read(".agents/pm/tasks/pm-x.toon"), sandbox.read(".agents/pm/history/pm-x.jsonl"))
    };
    assert_eq!(merged("a", "b"), merged("b", "a"));
    whole(&sandbox);
}

#[test]
fn two_values_for_one_field_are_a_conflict_that_stays_readable() {
    let mut sandbox = repository();
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["update", "x", "--priority", "1"]]);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", &[&["update", "x", "--priority", "3"]]);
    let (code, text) = git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    assert_ne!(code, 0, "{text}");
    let (_, status) = git(&sandbox, &["status", "--porcelain"]);
    assert!(status.contains("UU .agents/pm/tasks/pm-x.toon"), "{status}");
    assert_eq!(sandbox.json(&["get", "x"])["item"]["priority"], 1);
    whole(&sandbox);
}

#[test]
fn files_that_are_none_are_refused_and_left_alone() {
    let sandbox = Sandbox::empty();
    sandbox.write("o", "");
    sandbox.write("a", "id: pm-a\ntags[2]: x\n");
    sandbox.write("b", "no item");
    sandbox.refused(&["merge", "driver", "item", "o", "a", "b"], 1, "merge_input_invalid");
    assert_eq!(sandbox.read("a"), "id: pm-a\ntags[2]: x\n");
    sandbox.refused(&["merge", "driver", "json", "o", "a", "missing"], 1, "merge_input_invalid");
}
