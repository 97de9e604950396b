use crate::sandbox::Sandbox;

#[test]
fn text_goes_after_a_blank_line() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    let body = |sandbox: &Sandbox| {
        let item = sandbox.read(".agents/pm/tasks/pm-a.toon");
        item.lines().last().unwrap().to_owned()
    };
    sandbox.ok(&["append", "a", "one"]);
    assert_eq!(body(&sandbox), "body: one");
    sandbox.ok(&["append", "a", "--text", "two"]);
    let _ = sandbox.pm_with(&["append", "a", "-"], "three\n").expect(0);
    assert_eq!(body(&sandbox), "body: \"one\\n\\ntwo\\n\\nthree\"");
    sandbox.refused(&["append", "a", ""], 2, "append_empty_body");
    sandbox.refused(&["append", "a"], 2, "append_empty_body");
    sandbox.refused(&["append", "a", "x", "--body", "y"], 2, "conflicting_arguments");
}
