use serde_json::{Value, json};

use crate::sandbox::Sandbox;

#[test]
fn a_closed_item_comes_back_with_the_reason_in_its_history() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox.refused(&["item", "reopen", "a", "why"], 4, "item_already_active");
    sandbox.ok(&["close", "a", "done", "--resolution", "fixed"]);
    sandbox.refused(&["item", "reopen", "a", " "], 2, "invalid_argument_value");
    sandbox.refused(&["item", "reopen", "a", "why", "--status", "closed"], 2, "invalid_argument_value");
    let reopened = sandbox.json(&["item", "reopen", "a", "it came back"]);
    assert_eq!(reopened["recurrence"]["reason"], "it came back");
    let item = sandbox.read(".agents/pm/tasks/pm-a.toon");
    assert!(
        item.contains("status: open\n") && !item.contains("resolution") && !item.contains("close"),
        "{item}"
    );
    let history = sandbox.read(".agents/pm/history/pm-a.jsonl");
    let last: Value = serde_json::from_str(history.lines().last().unwrap()).unwrap();
    assert_eq!(last["op"], "reopen");
    assert_eq!(
        last["context"]["recurrence"],
        json!({"reason": "it came back", "from_status": "closed", "to_status": "open",
            "previous_terminal": {"close_reason": "done", "resolution": "fixed"}})
    );
}
