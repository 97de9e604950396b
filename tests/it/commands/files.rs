use serde_json::{Value, json};

use crate::cases::repository::{git_ok, repository};
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

#[test]
fn mentioned_files_are_found_and_linked_on_request() {
    let pm = Sandbox::with_items(&[(
        "pm-a",
        "title: Split src/a.rs\ndescription: \"see ./docs/x.md:12, src/gone.rs and ../out.rs\"\nfiles[1]{path,scope}:\n      src/b.rs,project",
    )]);
    for path in ["src/a.rs", "src/b.rs", "docs/x.md"] {
        pm.write(path, "");
    }
    let before = pm.read(".agents/pm/tasks/pm-a.toon");
    let answer = pm.json(&["files", "discover", "a"]);
    let rows: Vec<(&str, &str)> = answer["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["status"].as_str().unwrap(), row["path"].as_str().unwrap()))
        .collect();
    assert_eq!(rows, [("addable", "docs/x.md"), ("addable", "src/a.rs"), ("already_linked", "src/b.rs")]);
    assert_eq!(
        (&answer["addable_count"], &answer["changed"]),
        (&serde_json::json!(2), &serde_json::json!(false))
    );
    assert_eq!(before, pm.read(".agents/pm/tasks/pm-a.toon"));
    let detailed = pm.json(&["files", "discover", "a", "--output-include", "path,source_fields"]);
    assert_eq!(detailed["candidates"][0]["source_fields"], serde_json::json!(["metadata.description"]));
    assert_eq!(pm.json(&["files", "discover", "a", "--apply", "--note", "said so"])["added_count"], 2);
    let linked = pm.json(&["files", "a"]);
    assert_eq!(
        linked["files"][0],
        serde_json::json!({"path": "docs/x.md", "scope": "project", "note": "said so"})
    );
    assert_eq!(pm.json(&["files", "discover", "a", "--apply"])["changed"], false);
}

#[test]
fn files_know_their_items() {
    let pm = Sandbox::with_items(&[
        ("pm-a", "files[2]{path,scope}:\n      src/a.rs,project\n      /etc/x,global"),
        ("pm-b", "priority: 0\nfiles[1]{path,scope,note}:\n      ./src/a.rs,project,why"),
        ("pm-c", "files[1]{path,scope}:\n      src/deep/c.rs,project"),
    ]);
    let ids = |argv: &[&str]| -> Vec<String> {
        let words: Vec<&str> = ["files", "lookup"].iter().chain(argv).copied().collect();
        let answer = pm.json(&words);
        let rows = answer["matches"].as_array().unwrap();
        rows.iter().map(|row| row["item"]["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&["src/a.rs"]), ["pm-b", "pm-a"]);
    assert_eq!(ids(&["src/"]), ["pm-b", "pm-a", "pm-c"]);
    assert_eq!(ids(&["/etc/x"]), ["pm-a"]);
    assert_eq!(ids(&["/etc/x", "--scope", "project"]), Vec::<String>::new());
    assert_eq!(ids(&["src/", "--limit", "1", "--offset", "1"]), ["pm-a"]);
    let found = pm.json(&["files", "lookup", "src/a.rs", "nothing.rs"]);
    assert_eq!(found["matches"][0]["files"][0]["note"], "why");
    assert_eq!(found["total"], 2);
    pm.write(".agents/pm/tasks/pm-bad.toon", "id: [");
    pm.refused(&["files", "lookup", "src/a.rs", "--strict-read"], 1, "list_source_incomplete");
    pm.refused(&["files", "lookup", "x", "--scope", "moon"], 2, "invalid_argument_value");
}

#[test]
fn lines_are_explained_by_commits_decisions_and_words() {
    let pm = repository();
    pm.create(&["--title", "Keep logs", "--type", "Decision", "--id", "dec"]);
    pm.create(&["--title", "Logging", "--type", "Epic", "--id", "epic", "--dep", "id=dec,kind=implements"]);
    pm.create(&["--title", "Log to a file", "--id", "file", "--parent", "epic", "--goal", "Nothing is lost"]);
    pm.create(&["--title", "Rotate logs", "--id", "turn"]);
    pm.create(&["--title", "Compress logs", "--id", "zip"]);
    for id in ["file", "turn"] {
        pm.ok(&["files", id, "--add", "src/log.rs"]);
    }
    pm.write("src/log.rs", "one\ntwo\nthree\n");
    git_ok(&pm, &["add", "-A"]);
    git_ok(&pm, &["commit", "-qm", "Rotate by size (pm-turn)"]);
    pm.write("src/log.rs", "one\nzwei\ndrei\n");
    git_ok(&pm, &["commit", "-qam", "Log in German\n\nFor pm-file and pm-zip."]);
    pm.write("src/log.rs", "one\nzwei\ndrei\nmore\n");

    let lines = pm.json(&["files", "lookup", "src/log.rs", "--lines", "2:4"]);
    let first = &lines["matches"][0];
    assert_eq!(first["item"]["id"], "pm-file", "{lines}");
    assert_eq!(first["evidence"]["commits"][0]["lines"], 2);
    assert_eq!(first["evidence"]["commits"][0]["subject"], "Log in German");
    assert_eq!(first["evidence"]["rationale"], json!({"goal": "Nothing is lost"}));
    let decision = &first["evidence"]["decisions"][0];
    assert_eq!((&decision["id"], &decision["distance"]), (&json!("pm-dec"), &json!(2)));
    assert_eq!(decision["path"], json!(["pm-file", "pm-epic", "pm-dec"]));
    assert_eq!(decision["kinds"], json!(["parent", "implements"]));
    assert_eq!(lines["matches"][1]["evidence"]["commit_count"], 0);
    assert_eq!(
        lines["explained"],
        json!({"commits": 1, "commits_of_no_linked_item": 0, "uncommitted_lines": 1})
    );
    assert_eq!(lines["unlinked"][0]["id"], "pm-zip");

    let near = pm.json(&["files", "lookup", "src/log.rs", "--decision-depth", "1"]);
    assert_eq!(near["matches"][0]["evidence"]["decisions"], json!([]));
    let all = pm.json(&["files", "lookup", "src/", "--explain"]);
    assert_eq!((&all["explained"]["commits"], &all["explained"]["equally_likely"]), (&json!(2), &json!(2)));
    assert!(pm.json(&["files", "lookup", "src/log.rs"])["matches"][0].get("evidence").is_none());

    for (argv, code) in [
        (&["src/log.rs", "--lines", "4:2"][..], "invalid_argument_value"),
        (&["src/log.rs", "--lines", "0:2"], "invalid_argument_value"),
        (&["src/log.rs", "--lines", "90:91"], "invalid_argument_value"),
        (&["src/log.rs", "src/b.rs", "--lines", "1:2"], "conflicting_arguments"),
        (&["src/", "--lines", "1:2"], "conflicting_arguments"),
        (&["src/log.rs", "--decision-depth", "33"], "invalid_argument_value"),
    ] {
        pm.refused(&[&["files", "lookup"], argv].concat(), 2, code);
    }
}

#[test]
fn without_git_the_tracker_alone_explains() {
    let pm = Sandbox::with_items(&[("pm-a", "files[1]{path,scope}:\n      src/a.rs,project")]);
    let answer = pm.json(&["files", "lookup", "src/a.rs", "--explain"]);
    assert_eq!(answer["warnings"], json!(["git_history_unavailable"]));
    assert_eq!(answer["matches"][0]["evidence"]["commit_count"], 0);
}
