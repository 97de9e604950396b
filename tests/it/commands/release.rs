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
