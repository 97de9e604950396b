use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn a_released_item_is_free() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox.ok(&["claim", "a"]);
    let released = sandbox.json(&["release", "a", "--author", "bob"]);
    assert_eq!((&released["released_by"], &released["previous_assignee"]), (&json!("bob"), &json!("alice")));
    let item = sandbox.read(".agents/pm/tasks/pm-a.toon");
    assert!(!item.contains("assignee") && !item.contains("claim_principal"));
    let history = sandbox.read(".agents/pm/history/pm-a.jsonl");
    sandbox.ok(&["release", "a"]);
    assert_eq!(sandbox.read(".agents/pm/history/pm-a.jsonl"), history);
    sandbox.refused(&["release", "nope"], 3, "item_not_found");
}

/// Who writes to an item that another holds is told so, or refused, as the tracker wants, whatever the command.
#[test]
fn the_work_of_others_is_as_safe_as_the_tracker_wants() {
    let calls: [&[&str]; 8] = [
        &["update", "a", "--priority", "1"],
        &["release", "a"],
        &["pause-task", "a"],
        &["close", "a", "Done"],
        &["append", "a", "--body", "more"],
        &["comments", "a", "A word"],
        &["delete", "a"],
        &["copy", "a"],
    ];
    for policy in ["none", "warn", "strict"] {
        for call in calls {
            let sandbox = Sandbox::tracker();
            sandbox.ok(&["config", "set", "governance-ownership-enforcement", policy]);
            sandbox.create(&["A", "--id", "a"]);
            sandbox.ok(&["claim", "a"]);
            let before = sandbox.read(".agents/pm/tasks/pm-a.toon");
            let by = |more: &[&str]| {
                sandbox.pm(&[call, &["--author", "bob", "--output-format", "json"], more].concat())
            };
            let output = by(&[]);
            // A copy is an item of its own.
            let (code, warned) = match policy {
                "strict" if call[0] != "copy" => (4, false),
                policy => (0, policy == "warn" && call[0] != "copy"),
            };
            assert_eq!(output.code, code, "{policy}: {output:?}");
            let told = output.stdout.contains("ownership_warning:assignee_conflict:pm-a:alice");
            assert_eq!(told, warned, "{policy}: {output:?}");
            if code == 4 {
                assert!(output.stderr.contains("ownership_conflict"), "{output:?}");
                assert_eq!(sandbox.read(".agents/pm/tasks/pm-a.toon"), before);
                let _ = by(&["--force"]).expect(0);
            }
        }
    }
}
