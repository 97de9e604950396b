//! Items in the older form, Markdown: the first write moves them to another file, so Git sees two new ones.

use serde_json::{Value, json};

use super::kinds::without_drivers;
use super::{ITEM, on_branch, whole};
use crate::cases::repository::{commit, git, git_ok};
use crate::sandbox::Sandbox;

const OLD: &str = ".agents/pm/tasks/pm-x.md";

/// A repository with one item in the older form.
fn older(history: bool, drivers: bool) -> Sandbox {
    let mut sandbox = super::repository();
    sandbox.set("PM_CLOCK", "2026-02-10T00:00:00.000Z");
    if !drivers {
        without_drivers(&sandbox);
    }
    sandbox.ok(&["update", "x", "--tags", "s,t,u"]);
    sandbox.ok(&["comments", "x", "first"]);
    let mut item = sandbox.json(&["get", "x", "--full"])["item"].clone();
    let members = item.as_object_mut().expect("an item");
    members.retain(|key, value| {
        !key.ends_with("_count")
            && key != "collection_counts"
            && !matches!(value, Value::Array(rows) if rows.is_empty())
    });
    members.remove("body");
    sandbox.write(OLD, format!("{}\n\nsome words\n", serde_json::to_string_pretty(&item).expect("JSON")));
    std::fs::remove_file(sandbox.path().join(ITEM)).expect("the item is there");
    if !history {
        std::fs::remove_file(sandbox.root().join("history/pm-x.jsonl")).expect("the history is there");
    }
    commit(&sandbox);
    sandbox
}

fn branches(sandbox: &mut Sandbox) {
    let ours: &[&[&str]] = &[
        &["update", "x", "--priority", "1", "--remove-tags", "s", "--add-tags", "a"],
        &["comments", "x", "a"],
    ];
    let theirs: &[&[&str]] = &[
        &["update", "x", "--title", "Renamed", "--remove-tags", "t", "--add-tags", "b"],
        &["comments", "x", "b"],
    ];
    on_branch(sandbox, "a", "2026-03-01T00:00:00.000Z", ours);
    on_branch(sandbox, "b", "2026-03-02T00:00:00.000Z", theirs);
}

/// What both branches changed is there, what either took away is gone, and nothing is asked.
fn has_both(sandbox: &Sandbox, case: &str) {
    let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
    let said: Vec<&str> =
        item["comments"].as_array().into_iter().flatten().filter_map(|row| row["text"].as_str()).collect();
    assert_eq!(
        (&item["title"], &item["priority"], &item["tags"]),
        (&json!("Renamed"), &json!(1), &json!(["a", "b", "u"])),
        "{case}"
    );
    assert_eq!(said, ["first", "a", "b"], "{case}");
    assert_eq!(item["merge_conflicts"], Value::Null, "{case}");
    assert!(!sandbox.path().join(OLD).exists(), "{case}");
    assert_eq!(sandbox.json(&["merge", "status"])["count"], 0, "{case}");
    whole(sandbox);
}

/// Joins the branches in one of the ways that Git has; whether it found nothing to ask.
fn join(sandbox: &Sandbox, way: &str) -> bool {
    let code = match way {
        "merge" => git(sandbox, &["merge", "-q", "--no-edit", "a"]).0,
        "stash" => {
            git_ok(sandbox, &["reset", "-q", "--soft", "main"]);
            git_ok(sandbox, &["stash", "-q"]);
            git_ok(sandbox, &["checkout", "-q", "a"]);
            git(sandbox, &["stash", "pop"]).0
        }
        way => git(sandbox, &[way, "a"]).0,
    };
    code == 0
}

#[test]
fn two_branches_that_write_an_older_item_for_the_first_time_merge_clean() {
    for history in [true, false] {
        for way in ["merge", "rebase", "cherry-pick", "stash"] {
            let mut sandbox = older(history, true);
            branches(&mut sandbox);
            let case = format!("{way}, history {history}");
            assert!(join(&sandbox, way), "{case}");
            has_both(&sandbox, &case);
        }
    }
}

#[test]
fn without_the_drivers_they_are_reconciled() {
    for history in [true, false] {
        for (way, committed) in
            [("merge", false), ("merge", true), ("rebase", false), ("cherry-pick", false), ("stash", false)]
        {
            let mut sandbox = older(history, false);
            branches(&mut sandbox);
            let case = format!("{way}, history {history}, committed {committed}");
            assert!(!join(&sandbox, way), "{case}");
            if committed {
                commit(&sandbox);
            }
            sandbox.ok(&["merge", "reconcile"]);
            has_both(&sandbox, &case);
        }
    }
}

#[test]
fn both_ways_round_give_the_same_bytes() {
    for history in [true, false] {
        let mut sandbox = older(history, true);
        branches(&mut sandbox);
        let merged = |from: &str, into: &str| {
            git_ok(&sandbox, &["checkout", "-q", "-B", "trial", into]);
            git_ok(&sandbox, &["merge", "-q", "--no-edit", from]);
            (sandbox.read(ITEM), sandbox.read(super::STREAM))
        };
        assert_eq!(merged("a", "b"), merged("b", "a"));
        // Each change is told once, and the beginning is.
        let ops = |op: &str| sandbox.read(super::STREAM).matches(&format!("\"op\":\"{op}\"")).count();
        assert_eq!((ops("update"), ops("merge_reconcile")), (if history { 3 } else { 2 }, 0));
    }
}

#[test]
fn an_edit_by_hand_beside_the_first_write_becomes_one_item() {
    for drivers in [true, false] {
        let mut sandbox = older(true, drivers);
        on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["update", "x", "--priority", "1"]]);
        git_ok(&sandbox, &["checkout", "-q", "-b", "b", "main"]);
        sandbox.write(OLD, sandbox.read(OLD).replace("\"Shared\"", "\"By hand\""));
        commit(&sandbox);
        let _ = git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
        sandbox.ok(&["merge", "reconcile"]);
        let item = &sandbox.json(&["get", "x"])["item"];
        assert_eq!((&item["title"], &item["priority"]), (&json!("By hand"), &json!(1)));
        assert_eq!(sandbox.json(&["list", "--all"])["total"], 1);
        whole(&sandbox);
    }
}

#[test]
fn a_driver_says_nothing_where_nothing_is_to_be_decided() {
    let mut sandbox = older(true, true);
    branches(&mut sandbox);
    let said = git_ok(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    let own: Vec<&str> = said.lines().filter(|line| !line.starts_with("Auto-merging ")).collect();
    assert_eq!(own, [""; 0]);
}

#[test]
fn branches_that_were_merged_crosswise_give_the_same_bytes_both_ways_round() {
    let mut sandbox = older(true, true);
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["append", "x", "tail-a"]]);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", &[&["comments", "x", "from b"]]);
    git_ok(&sandbox, &["branch", "a0", "a"]);
    git_ok(&sandbox, &["checkout", "-q", "a"]);
    git_ok(&sandbox, &["merge", "-q", "--no-edit", "b"]);
    sandbox.set("PM_CLOCK", "2026-03-03T00:00:00.000Z");
    sandbox.ok(&["append", "x", "tail-a2"]);
    commit(&sandbox);
    git_ok(&sandbox, &["checkout", "-q", "b"]);
    git_ok(&sandbox, &["merge", "-q", "--no-edit", "a0"]);
    let merged = |from: &str, into: &str| {
        git_ok(&sandbox, &["checkout", "-q", "-B", "trial", into]);
        git_ok(&sandbox, &["merge", "-q", "--no-edit", from]);
        whole(&sandbox);
        (sandbox.read(ITEM), sandbox.read(super::STREAM))
    };
    let (item, stream) = merged("a", "b");
    assert_eq!((&item, &stream), (&merged("b", "a").0, &merged("b", "a").1));
    for (word, times) in [("tail-a", 2), ("tail-a2", 1), ("from b", 1)] {
        assert_eq!(item.matches(word).count(), times, "{word}: {item}");
    }
}
