use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn new_items_go_under_the_focused_one() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["E", "--id", "e"]);
    assert_eq!(sandbox.json(&["focus"])["focused_item"], json!(null));
    let set = sandbox.json(&["focus", "e"]);
    assert_eq!(
        (&set["action"], &set["focused_item"], &set["title"]),
        (&json!("set"), &json!("pm-e"), &json!("E"))
    );
    sandbox.create(&["K", "--id", "k"]);
    assert!(sandbox.read(".agents/pm/tasks/pm-k.toon").contains("parent: pm-e\n"));
    sandbox.create(&["O", "--id", "o", "--parent", "none"]);
    assert!(!sandbox.read(".agents/pm/tasks/pm-o.toon").contains("parent"));
    let full = sandbox.json(&["create", "F", "--full-changed-fields"]);
    assert_eq!(full["parent_source"], "focus");
    assert_eq!(sandbox.json(&["focus", "--clear"])["action"], "clear");
    sandbox.create(&["P", "--id", "p"]);
    assert!(!sandbox.read(".agents/pm/tasks/pm-p.toon").contains("parent"));
    sandbox.refused(&["focus", "nope"], 3, "item_not_found");
    sandbox.refused(&["focus", "e", "--clear"], 2, "conflicting_arguments");
}
