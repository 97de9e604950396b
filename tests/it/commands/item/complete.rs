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
