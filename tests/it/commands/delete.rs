use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn a_deleted_item_leaves_its_history() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    let receipt = sandbox.json(&["delete", "a", "--dry-run"]);
    assert_eq!((&receipt["status"], &receipt["deleted"]), (&json!("would_delete"), &json!(false)));
    assert!(sandbox.root().join("tasks/pm-a.toon").exists());
    let receipt = sandbox.json(&["delete", "a"]);
    assert_eq!(
        receipt,
        json!({"id": "pm-a", "status": "deleted", "deleted": true, "previous_status": "open", "changed_field_count": 1})
    );
    assert!(!sandbox.root().join("tasks/pm-a.toon").exists());
    sandbox.refused(&["delete", "a"], 3, "item_not_found");
    sandbox.create(&["A again", "--id", "a"]);
    let history = sandbox.json(&["history", "a", "--verify"]);
    assert_eq!(
        (history["compact_history"].as_array().unwrap().len(), &history["verification"]["ok"]),
        (3, &json!(true))
    );
}

#[test]
fn what_others_point_at_stays_unless_told_what_to_do() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox.create(&["B", "--id", "b"]);
    sandbox.create(&["K", "--id", "k", "--parent", "a", "--dep", "id=a,kind=verifies", "--dep", "b"]);
    let error = sandbox.refused(&["delete", "a"], 4, "item_referenced");
    assert_eq!(error["recovery"]["references"], json!(["pm-k:parent", "pm-k:verifies"]));
    sandbox.ok(&["delete", "a", "--remove-references"]);
    let kid = sandbox.read(".agents/pm/tasks/pm-k.toon");
    assert!(!kid.contains("pm-a") && kid.contains("pm-b"), "{kid}");
    sandbox.ok(&["delete", "b", "--leave-references"]);
    assert!(sandbox.read(".agents/pm/tasks/pm-k.toon").contains("pm-b"));
}
