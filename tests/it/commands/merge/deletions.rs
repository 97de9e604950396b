//! An item that one branch deleted and another one changed.

use serde_json::{Value, json};

use super::{ITEM, STREAM, on_branch, repository, whole};
use crate::cases::repository::{commit, git, git_ok};
use crate::sandbox::Sandbox;

fn merged(drivers: bool, ours_deletes: bool) -> Sandbox {
    let mut sandbox = repository();
    if !drivers {
        for driver in ["pm-item-toon", "pm-history"] {
            git(&sandbox, &["config", "--remove-section", &format!("merge.{driver}")]);
        }
    }
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["delete", "x"]]);
    on_branch(
        &mut sandbox,
        "b",
        "2026-03-02T00:00:00.000Z",
        &[&["update", "x", "--priority", "1"], &["notes", "x", "n"]],
    );
    let (into, from) = if ours_deletes { ("a", "b") } else { ("b", "a") };
    git_ok(&sandbox, &["checkout", "-q", into]);
    let (code, text) = git(&sandbox, &["merge", "-q", "--no-edit", from]);
    assert_ne!(code, 0, "{text}");
    sandbox
}

#[test]
fn a_deletion_beside_a_change_is_a_question_that_one_command_decides() {
    for (way, deleted) in [
        ("--ours", None),
        ("--theirs", None),
        ("--keep", Some(false)),
        ("--set=deleted=true", Some(true)),
        ("--set=deleted=false", Some(false)),
    ] {
        for ours_deletes in [true, false] {
            for (drivers, committed) in [(true, false), (true, true), (false, false)] {
                let sandbox = merged(drivers, ours_deletes);
                if committed {
                    commit(&sandbox);
                }
                let case = format!("{way} {ours_deletes} {drivers} {committed}");
                let all = sandbox.json(&["merge", "status"]);
                assert_eq!(
                    (&all["conflicts"][0]["id"], &all["count"]),
                    (&json!("pm-x"), &json!(1)),
                    "{case} {all}"
                );
                let status = sandbox.json(&["merge", "status", "x"]);
                assert_eq!(status["fields"][0]["field"], "deleted", "{case} {status}");
                assert_eq!(sandbox.json(&["merge", "report"])["undecided"][0]["id"], "pm-x");
                assert_eq!(sandbox.pm(&["validate", "--json"]).json()["ok"], false);
                if drivers {
                    whole(&sandbox);
                    let told = sandbox.read(STREAM);
                    let delete =
                        told.lines().find(|line| line.contains("\"op\":\"delete\"")).unwrap_or_default();
                    let delete: Value = serde_json::from_str(delete).expect("an entry");
                    assert_ne!(delete["patch"], json!([]), "{case}");
                }
                sandbox.ok(&["merge", "resolve", "x", way]);
                let deleted = deleted.unwrap_or((way == "--ours") == ours_deletes);
                assert_eq!(sandbox.path().join(ITEM).exists(), !deleted, "{case}");
                let verdict = sandbox.json(&["history", "x", "--verify"])["verification"].clone();
                assert_eq!(
                    (&verdict["ok"], &verdict["current_matches_latest"]),
                    (&json!(true), &json!(true)),
                    "{case} {verdict}"
                );
                commit(&sandbox);
                assert_eq!(sandbox.json(&["merge", "status"])["count"], 0, "{case}");
            }
        }
    }
}

#[test]
fn a_deletion_beside_a_change_of_nothing_but_the_history_is_a_deletion() {
    let mut sandbox = repository();
    sandbox.set("PM_CLOCK", "2026-02-10T00:00:00.000Z");
    sandbox.ok(&["notes", "x", "n"]);
    commit(&sandbox);
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[&["delete", "x"]]);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", &[&["history-compact", "x"]]);
    git_ok(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    assert!(!sandbox.path().join(ITEM).exists());
    let verdict = sandbox.json(&["history", "x", "--verify"])["verification"].clone();
    assert_eq!(
        (&verdict["ok"], &verdict["current_matches_latest"]),
        (&json!(true), &json!(true)),
        "{verdict}"
    );
    assert_eq!(sandbox.json(&["merge", "status"])["count"], 0);
}

#[test]
fn deleting_it_again_decides_it() {
    let sandbox = merged(true, false);
    commit(&sandbox);
    sandbox.ok(&["delete", "x"]);
    assert_eq!(sandbox.json(&["merge", "status"])["count"], 0);
}
