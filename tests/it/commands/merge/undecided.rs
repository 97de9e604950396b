//! Values that wait for a decision, through further merges.

use serde_json::json;

use super::{on_branch, repository, whole};
use crate::cases::repository::{commit, git, git_ok};
use crate::sandbox::Sandbox;

fn three() -> Sandbox {
    let mut sandbox = repository();
    for (branch, clock, value) in
        [("a", "2026-03-01", "1"), ("b", "2026-03-02", "3"), ("c", "2026-03-03", "0")]
    {
        let clock = format!("{clock}T00:00:00.000Z");
        on_branch(
            &mut sandbox,
            branch,
            &clock,
            &[&["update", "x", "--priority", value], &["notes", "x", branch]],
        );
    }
    sandbox
}

#[test]
fn a_third_branch_adds_its_value_to_those_that_wait() {
    let sandbox = three();
    git_ok(&sandbox, &["checkout", "-q", "b"]);
    git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    commit(&sandbox);
    git_ok(&sandbox, &["tag", "two"]);
    for (into, from) in [("two", "c"), ("c", "two")] {
        git_ok(&sandbox, &["checkout", "-q", "-B", "trial", into]);
        let (code, text) = git(&sandbox, &["merge", "-q", "--no-edit", from]);
        assert_ne!(code, 0, "{text}");
        commit(&sandbox);
        let status = sandbox.json(&["merge", "status", "x"]);
        let field = &status["fields"][0];
        assert_eq!(
            (&field["base"], &field["values"], &field["stands"]),
            (&json!(2), &json!([0, 1, 3]), &json!(0))
        );
        let notes = sandbox.json(&["get", "x", "--full"])["item"]["notes"].clone();
        assert_eq!(notes.as_array().map(Vec::len), Some(3));
        whole(&sandbox);
        // Every command that is proposed runs as it stands.
        git_ok(&sandbox, &["tag", "-f", "three"]);
        let commands = status["resolve_with"].as_array().cloned().unwrap_or_default();
        assert!(commands.len() >= 6, "{commands:?}");
        for command in commands {
            let words: Vec<String> =
                command.as_str().unwrap_or_default().split(' ').skip(1).map(str::to_owned).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let output = sandbox.pm(&words);
            // The side that was merged before has two values of its own: nobody can say which.
            let known = output.code == 0 || output.stderr.contains("merge_versions_unknown");
            assert!(known, "{command}: {output:?}");
            git_ok(&sandbox, &["reset", "-q", "--hard", "three"]);
        }
    }
}

#[test]
fn an_item_that_waits_for_a_decision_is_not_offered_as_work() {
    let sandbox = three();
    sandbox.create(&["Task", "Other", "--id", "y", "--priority", "4"]);
    git_ok(&sandbox, &["checkout", "-q", "b"]);
    git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    let next = sandbox.json(&["next", "--limit", "5"]);
    assert_eq!(next["recommended"]["id"], "pm-y", "{next}");
    assert!(!next["ready"].to_string().contains("pm-x"), "{next}");
    assert_eq!(next["warnings"], json!(["conflicted:pm-x:priority"]));
    assert_eq!(next["summary"]["decision_needed"], 1);
    sandbox.ok(&["merge", "resolve", "x", "--keep"]);
    let next = sandbox.json(&["next"]);
    assert_eq!((&next["recommended"]["id"], &next["warnings"]), (&json!("pm-x"), &serde_json::Value::Null));
}

#[test]
fn one_field_of_several_is_decided_and_the_rest_waits() {
    let mut sandbox = repository();
    on_branch(
        &mut sandbox,
        "a",
        "2026-03-01T00:00:00.000Z",
        &[&["update", "x", "--priority", "1", "--title", "A", "--risk", "low"]],
    );
    on_branch(
        &mut sandbox,
        "b",
        "2026-03-02T00:00:00.000Z",
        &[&["update", "x", "--priority", "3", "--title", "B", "--risk", "high"]],
    );
    git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    let done = sandbox.json(&["merge", "resolve", "x", "--ours", "--field", "title"]);
    assert_eq!(
        (&done["decided"], &done["undecided"]),
        (&json!([{"field": "title", "value": "B"}]), &json!(["priority", "risk"]))
    );
    sandbox.refused(&["merge", "resolve", "x", "--theirs", "--field", "title"], 2, "invalid_argument_value");
    sandbox.refused(&["merge", "resolve", "x", "--field", "risk"], 2, "missing_required_argument");
    sandbox.ok(&["merge", "resolve", "x", "--theirs", "--set", "risk=medium"]);
    let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
    assert_eq!(
        (&item["title"], &item["priority"], &item["risk"]),
        (&json!("B"), &json!(1), &json!("medium"))
    );
    whole(&sandbox);
}

#[test]
fn sides_are_known_long_after_the_merge() {
    let sandbox = three();
    git_ok(&sandbox, &["checkout", "-q", "b"]);
    git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    commit(&sandbox);
    sandbox.ok(&["notes", "x", "later"]);
    commit(&sandbox);
    sandbox.create(&["Task", "Other", "--id", "y"]);
    commit(&sandbox);
    let done = sandbox.json(&["merge", "resolve", "x", "--theirs"]);
    assert_eq!(done["decided"], json!([{"field": "priority", "value": 1}]));
}
