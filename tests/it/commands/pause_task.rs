use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn open_and_free_again() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox.ok(&["start-task", "a"]);
    let paused = sandbox.json(&["pause-task", "a"]);
    assert_eq!(
        (&paused["action"], &paused["release"]["previous_assignee"]),
        (&json!("pause_task"), &json!("alice"))
    );
    let item = sandbox.read(".agents/pm/tasks/pm-a.toon");
    assert!(item.contains("status: open\n") && !item.contains("assignee"), "{item}");
    sandbox.refused(&["pause-task", "nope"], 3, "item_not_found");
}
