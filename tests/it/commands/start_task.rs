use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn ops(sandbox: &Sandbox) -> Vec<Value> {
    let text = sandbox.read(".agents/pm/history/pm-a.jsonl");
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("an entry is JSON")["op"].clone())
        .collect()
}

#[test]
fn claimed_and_in_progress_in_two_entries_that_land_together() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    let started = sandbox.json(&["start-task", "a"]);
    assert_eq!(
        (&started["action"], &started["claim"]["claimed_by"]),
        (&json!("start_task"), &json!("alice"))
    );
    assert_eq!(started["update"]["changed_fields"], json!(["status"]));
    assert_eq!(ops(&sandbox), ["create", "claim", "update"]);
    sandbox.refused(&["start-task", "a", "--author", "bob"], 4, "already_claimed_by");
    assert_eq!(sandbox.json(&["start-task", "a"])["claim"]["already_held"], true);
    assert_eq!(ops(&sandbox).len(), 3);
    assert_eq!(
        sandbox.json(&["start-task", "a", "--id-only"]),
        json!({"id": "pm-a", "status": "in_progress"})
    );
    assert_eq!(sandbox.json(&["release", "a", "--id-only"]), json!({"id": "pm-a", "status": "in_progress"}));
}

#[test]
fn nothing_is_claimed_when_the_workflow_says_no() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox.write(
        ".agents/pm/schema/workflows.json",
        r#"{"workflow":{},"type_workflows":[{"type":"Task","allowed_transitions":[]}]}"#,
    );
    let settings = sandbox.read(".agents/pm/settings.json");
    let strict = settings.replace(
        "\"preset\": \"minimal\",",
        "\"preset\": \"minimal\", \"workflow_enforcement\": \"strict\",",
    );
    sandbox.write(".agents/pm/settings.json", strict);
    let before = sandbox.read(".agents/pm/tasks/pm-a.toon");
    sandbox.refused(&["start-task", "a"], 2, "workflow_transition_not_allowed");
    assert_eq!((sandbox.read(".agents/pm/tasks/pm-a.toon"), ops(&sandbox).len()), (before, 1));
}
