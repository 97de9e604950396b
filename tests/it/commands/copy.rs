use crate::sandbox::Sandbox;

#[test]
fn a_copy_is_open_and_nobody_holds_it() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a", "--tags", "x", "--body", "text"]);
    sandbox.ok(&["claim", "a"]);
    sandbox.ok(&["close", "a", "done"]);
    let id = sandbox.json(&["copy", "a", "--title", "B"])["id"].as_str().unwrap().to_owned();
    let copy = sandbox.read(&format!(".agents/pm/tasks/{id}.toon"));
    assert!(
        copy.contains("title: B\n") && copy.contains("status: open\n") && copy.ends_with("body: text\n"),
        "{copy}"
    );
    for gone in ["close", "completed_at", "assignee", "claim_principal"] {
        assert!(!copy.contains(gone), "{gone} in {copy}");
    }
    sandbox.refused(&["copy", "nope"], 3, "item_not_found");
    sandbox.refused(&["copy", "a", "--title", " "], 2, "invalid_argument_value");
}
