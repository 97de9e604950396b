use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn paths(answer: &Value) -> Vec<&str> {
    let rows = answer["files"].as_array().expect("files is a list");
    rows.iter().map(|row| row["path"].as_str().expect("a link has a path")).collect()
}

fn one() -> Sandbox {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox
}

#[test]
fn links_are_sorted_unless_their_order_is_kept() {
    let sandbox = one();
    sandbox.ok(&["files", "a", "--add", "path=src/b.rs,note=hi"]);
    let added = sandbox.json(&["files", "a", "--add", "src/a.rs"]);
    assert_eq!((paths(&added), &added["changed"]), (vec!["src/a.rs", "src/b.rs"], &json!(true)));
    assert_eq!(
        paths(&sandbox.json(&["files", "a", "--add", "src/0.rs", "--append-stable"])).last(),
        Some(&"src/0.rs")
    );
    let again = sandbox.json(&["files", "a", "--add", "src/b.rs"]);
    assert_eq!((again["count"].clone(), &again["changed"]), (json!(3), &json!(false)));
    let listed = sandbox.json(&["files", "a"]);
    assert_eq!((paths(&listed).len(), &listed["changed"]), (3, &json!(false)));
    assert_eq!(
        paths(&sandbox.json(&["files", "a", "--remove", "src/0.rs", "--remove", "path=src/a.rs"])),
        ["src/b.rs"]
    );
    sandbox.ok(&["files", "a", "--migrate", "from=src,to=lib", "--note", "n"]);
    assert!(sandbox.read(".agents/pm/tasks/pm-a.toon").contains("  lib/b.rs,project,hi\n"));
}

#[test]
fn patterns_find_files_and_paths_are_looked_at() {
    let sandbox = one();
    for path in ["src/a.rs", "src/deep/b.rs", "src/c.md"] {
        sandbox.write(path, "");
    }
    assert_eq!(
        paths(&sandbox.json(&["files", "a", "--add-glob", "src/**/*.rs"])),
        ["src/a.rs", "src/deep/b.rs"]
    );
    sandbox.ok(&["files", "a", "--add", "gone.rs"]);
    let checked = sandbox.json(&["files", "a", "--validate-paths"]);
    assert_eq!(checked["path_validation"]["missing"], json!(["gone.rs"]));
    sandbox.refused(&["files", "a", "--add-glob", "none/*"], 2, "invalid_argument_value");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let sandbox = one();
    for (flags, code) in [
        (&["--add", "q", "--remove", "q"][..], "linked_artifact_mutation_conflict"),
        (&["--add", "path=q,scope=wide"], "invalid_argument_value"),
        (&["--remove", "path=q,note=x"], "invalid_argument_value"),
        (&["--migrate", "src"], "invalid_argument_value"),
        (&["--list", "--add", "q"], "conflicting_arguments"),
    ] {
        let mut argv = vec!["files", "a"];
        argv.extend(flags);
        sandbox.refused(&argv, 2, code);
    }
    sandbox.ok(&["files", "a", "--remove", "nothing"]);
    assert_eq!(sandbox.read(".agents/pm/history/pm-a.jsonl").lines().count(), 1);
}
