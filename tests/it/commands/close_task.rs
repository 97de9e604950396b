use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn closed_and_released_in_two_entries() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox.ok(&["start-task", "a"]);
    sandbox.refused(&["close-task", "a"], 2, "close_reason_required");
    let closed = sandbox.json(&["close-task", "a", "finished"]);
    assert_eq!(
        (&closed["action"], &closed["close"]["item"]["close_reason"]),
        (&json!("close_task"), &json!("finished"))
    );
    let item = sandbox.read(".agents/pm/tasks/pm-a.toon");
    assert!(item.contains("status: closed\n") && !item.contains("claim_principal"), "{item}");
    let history = sandbox.json(&["history", "a", "--verify"]);
    let ops: Vec<_> =
        history["compact_history"].as_array().unwrap().iter().map(|e| e["op"].clone()).collect();
    assert_eq!(ops, ["create", "claim", "update", "close", "release"]);
    assert_eq!(history["verification"]["ok"], true);
}
