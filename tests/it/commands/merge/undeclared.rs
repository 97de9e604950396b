//! A schema that one branch changed, and items that use on another branch what is there no more.

use serde_json::{Value, json};

use super::{on_branch, repository};
use crate::cases::repository::{commit, git, git_ok};
use crate::sandbox::Sandbox;

/// A repository with a type, a status and an item in each; `ours` changes the schema, `theirs` uses it.
fn merged(items: &[&[&str]], ours: &[&[&str]], theirs: &[&[&str]]) -> Sandbox {
    let mut sandbox = repository();
    sandbox.ok(&["schema", "add-type", "Spike"]);
    sandbox.ok(&["schema", "add-status", "review", "--role", "active"]);
    for item in items {
        sandbox.ok(item);
    }
    commit(&sandbox);
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", ours);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", theirs);
    git_ok(&sandbox, &["checkout", "-q", "a"]);
    git(&sandbox, &["merge", "-q", "--no-edit", "b"]);
    sandbox
}

fn waiting(sandbox: &Sandbox) -> Vec<Value> {
    sandbox.json(&["merge", "status"])["conflicts"].as_array().cloned().unwrap_or_default()
}

/// Runs the command that a row proposes.
fn decide(sandbox: &Sandbox, row: &Value) {
    let command = row["resolve_with"].as_str().unwrap_or_default();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    sandbox.ok(&words);
}

fn sound(sandbox: &Sandbox) {
    assert!(waiting(sandbox).is_empty(), "{:?}", waiting(sandbox));
    let text = sandbox.pm(&["validate", "--json"]).json().to_string();
    assert!(!text.contains("validate_storage") && !text.contains("validate_history"), "{text}");
    commit(sandbox);
}

/// Nobody knows what such a status means: the item is named and refused until somebody declares it.
#[test]
fn an_item_in_a_status_that_is_declared_no_more_is_named_until_it_is_declared_again() {
    let take = &["schema", "remove-status", "review"][..];
    let sandbox = merged(&[], &[take], &[&["update", "x", "--status", "review"]]);
    for call in [&["list", "--json"][..], &["validate", "--json"], &["health", "--json"]] {
        let output = sandbox.pm(call);
        assert!(format!("{}{}", output.stdout, output.stderr).contains("tasks/pm-x.toon"), "{call:?}");
    }
    let before = sandbox.files();
    for call in [&["get", "x"][..], &["update", "x", "--goal", "g"], &["close", "x", "done"]] {
        assert_eq!(sandbox.pm(call).code, 1, "{call:?}");
    }
    assert_eq!(sandbox.files(), before);
    sandbox.ok(&["schema", "add-status", "review", "--role", "active"]);
    assert_eq!(sandbox.json(&["get", "x"])["item"]["status"], "review");
    super::whole(&sandbox);
    sound(&sandbox);
}

#[test]
fn a_type_that_is_declared_no_more_is_named_with_the_one_that_took_its_place() {
    let new: &[&[&str]] = &[&["create", "New", "--id", "new", "--type", "Spike"]];
    for renames in [true, false] {
        let items: &[&[&str]] = &[
            &["create", "Old", "--id", "old", "--type", "Spike"],
            &["create", "Older", "--id", "older", "--type", "Spike"],
        ];
        for follows in ["true", "false"] {
            let mut sandbox = repository();
            sandbox.ok(&["schema", "add-type", "Spike"]);
            if renames {
                items.iter().for_each(|item| drop(sandbox.ok(item)));
            }
            commit(&sandbox);
            let change: &[&str] = if renames {
                &["schema", "rename-type", "Spike", "--to", "Probe"]
            } else {
                &["schema", "remove-type", "Spike"]
            };
            on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[change]);
            on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", new);
            git_ok(&sandbox, &["checkout", "-q", "a"]);
            git_ok(&sandbox, &["config", "merge.directoryRenames", follows]);
            git(&sandbox, &["merge", "-q", "--no-edit", "b"]);
            let case = format!("renames: {renames}, Git follows: {follows}");
            let text = sandbox.pm(&["validate", "--json"]).json().to_string();
            assert!(text.contains("validate_storage_undeclared_type:1"), "{case}: {text}");
            let text = sandbox.pm(&["health", "--json"]).json().to_string();
            assert!(text.contains("integrity_undeclared_type:pm-new:Spike"), "{case}: {text}");
            let rows = waiting(&sandbox);
            assert_eq!(
                (rows.len(), &rows[0]["id"], &rows[0]["kind"]),
                (1, &json!("pm-new"), &json!("undeclared")),
                "{case}"
            );
            decide(&sandbox, &rows[0]);
            let kind = sandbox.json(&["get", "new"])["item"]["type"].clone();
            // The folder tells what the type is called now, where Git moved the item there.
            let wanted = if renames && follows == "true" { "Probe" } else { "Spike" };
            assert_eq!(kind, wanted, "{case}");
            sound(&sandbox);
        }
    }
}

#[test]
fn a_new_item_that_git_put_into_a_renamed_folder_is_named_and_filed() {
    for mend in [&["merge", "reconcile"][..], &["merge", "resolve", "new"]] {
        let sandbox =
            merged(&[], &[&["update", "x", "--type", "Issue"]], &[&["create", "New", "--id", "new"]]);
        let status = git_ok(&sandbox, &["status", "--porcelain"]);
        assert!(status.contains("UA .agents/pm/issues/pm-new.toon"), "{status}");
        let rows = waiting(&sandbox);
        assert_eq!((&rows[0]["id"], &rows[0]["kind"]), (&json!("pm-new"), &json!("misplaced")), "{mend:?}");
        sandbox.ok(mend);
        assert!(sandbox.path().join(".agents/pm/tasks/pm-new.toon").exists(), "{mend:?}");
        assert!(!sandbox.path().join(".agents/pm/issues/pm-new.toon").exists(), "{mend:?}");
        crate::cases::repository::assert_verified(&sandbox, "new");
        sound(&sandbox);
    }
}
