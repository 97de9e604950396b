use crate::sandbox::Sandbox;

#[test]
fn documents_are_sorted_by_scope_and_path() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    for path in ["z.md", "a.md", "path=m.md,scope=global"] {
        sandbox.ok(&["docs", "a", "--add", path]);
    }
    let docs = sandbox.json(&["docs", "a"])["docs"].clone();
    let paths: Vec<_> = docs.as_array().unwrap().iter().map(|row| row["path"].clone()).collect();
    assert_eq!(paths, ["m.md", "a.md", "z.md"]);
    for path in ["m.md", "a.md", "z.md"] {
        sandbox.ok(&["docs", "a", "--remove", path]);
    }
    assert!(!sandbox.read(".agents/pm/tasks/pm-a.toon").contains("docs"));
    assert!(sandbox.read(".agents/pm/history/pm-a.jsonl").contains("\"op\":\"docs_add\""));
}
