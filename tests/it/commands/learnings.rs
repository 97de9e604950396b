use crate::sandbox::Sandbox;

#[test]
fn learnings_are_a_list_of_their_own() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox.ok(&["learnings", "a", "--add", "lesson"]);
    sandbox.ok(&["learnings", "a", "--edit", "1", "better lesson"]);
    assert_eq!(sandbox.json(&["learnings", "a"])["learnings"][0]["text"], "better lesson");
    let history = sandbox.read(".agents/pm/history/pm-a.jsonl");
    assert!(history.contains("\"op\":\"learning_add\"") && history.contains("\"op\":\"learning_edit\""));
    sandbox.ok(&["learnings", "a", "--delete", "1"]);
    assert!(!sandbox.read(".agents/pm/tasks/pm-a.toon").contains("learnings"));
}
