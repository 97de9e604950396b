use crate::sandbox::Sandbox;

#[test]
fn evidence_is_the_reason_and_the_claim_ends() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox.ok(&["claim", "a"]);
    sandbox.refused(&["item", "complete", "a"], 2, "close_reason_required");
    let completed =
        sandbox.json(&["item", "complete", "a", "--resolution", "fixed", "--actual", "tests pass"]);
    assert_eq!(completed["close"]["item"]["close_reason"], "fixed");
    let item = sandbox.read(".agents/pm/tasks/pm-a.toon");
    assert!(item.contains("actual_result: tests pass\n") && !item.contains("claim_principal"), "{item}");
}

#[test]
fn evidence_lands_with_the_closing() {
    let pm = Sandbox::tracker();
    pm.create(&["A", "--id", "a"]);
    pm.write("src/main.rs", "fn main() {}\n");
    let argv = [
        "item",
        "complete",
        "a",
        "--reason",
        "Done",
        "--comment",
        "said",
        "--note",
        "noted",
        "--learning",
        "learnt",
        "--file",
        "src/main.rs",
        "--doc",
        "path=README.md",
        "--test",
        "command=true",
        "--completed-at",
        "2026-02-01",
        "--transaction-id",
        "once",
    ];
    pm.ok(&argv);
    let item = pm.json(&["get", "a", "--full"])["item"].clone();
    for list in ["comments", "notes", "learnings", "files", "docs", "tests"] {
        assert_eq!(item[list].as_array().map(Vec::len), Some(1), "{list}: {item}");
    }
    assert_eq!(item["completed_at"], "2026-02-01T00:00:00.000Z");
    let stream = pm.read(".agents/pm/history/pm-a.jsonl");
    assert_eq!(stream.lines().count(), 2, "one entry for all of it: {stream}");
    pm.refused(&argv, 4, "terminal_state_conflict");
}
