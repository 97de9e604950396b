//! O01 to O14: data loss, merge conflicts, corruption.

use serde_json::{Value, json};

use super::repository::{assert_verified, commit, git, git_ok, repository, status};
use crate::sandbox::Sandbox;

fn item(id: &str) -> String {
    format!(".agents/pm/tasks/{id}.toon")
}

fn texts(sandbox: &Sandbox, id: &str, list: &str) -> Vec<String> {
    let item = sandbox.json(&["get", id, "--fields", list])["item"].clone();
    let rows = item[list].as_array().cloned().unwrap_or_default();
    rows.iter().map(|row| row["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn o01_an_item_that_is_not_committed_survives_a_pull() {
    let sandbox = repository();
    git_ok(&sandbox, &["checkout", "-q", "-b", "other"]);
    sandbox.create(&["Theirs", "--id", "theirs"]);
    commit(&sandbox);
    git_ok(&sandbox, &["checkout", "-q", "main"]);
    sandbox.create(&["X", "--id", "xx"]);
    git_ok(&sandbox, &["merge", "-q", "--no-edit", "other"]);
    assert_eq!(sandbox.json(&["list"])["count"], 2);
    for argv in [
        &["next"][..],
        &["search", "X"],
        &["context"],
        &["history", "xx"],
        &["validate", "--check-storage-integrity"],
    ] {
        let _ = sandbox.pm(argv);
    }
    let left = status(&sandbox);
    assert!(left.contains(&format!("?? {}", item("pm-xx"))), "{left:?}");
    assert_eq!(left.len(), 2, "the item and its history: {left:?}");
}

#[test]
fn o02_the_index_of_git_outside_of_the_tracker_is_nobody_elses() {
    let sandbox = repository();
    sandbox.write("src/a.rs", "one");
    sandbox.write("src/b.rs", "one");
    commit(&sandbox);
    sandbox.write("src/a.rs", "staged");
    git_ok(&sandbox, &["add", "src/a.rs"]);
    sandbox.write("src/b.rs", "unstaged");
    git_ok(&sandbox, &["mv", "-k", "src/b.rs", "src/c.rs"]);
    let staged = || git_ok(&sandbox, &["diff", "--cached", "--name-status", "--", "src"]);
    let before = (staged(), sandbox.read("src/a.rs"), sandbox.read("src/c.rs"));
    sandbox.create(&["A", "--id", "aa"]);
    for argv in [
        &["update", "aa", "--title", "B"][..],
        &["comments", "aa", "c"],
        &["merge", "install"],
        &["config", "set", "locks.wait_ms", "1000"],
        &["close", "aa", "Done"],
        &["delete", "aa"],
    ] {
        sandbox.ok(argv);
        assert_eq!((staged(), sandbox.read("src/a.rs"), sandbox.read("src/c.rs")), before, "{argv:?}");
    }
}

#[test]
fn o03_a_forced_init_touches_no_item() {
    let sandbox = repository();
    for n in 0..5 {
        sandbox.create(&[&format!("Item {n}"), "--id", &format!("n{n}")]);
    }
    let before = sandbox.read(&item("pm-n3"));
    sandbox.ok(&["init", "--force"]);
    sandbox.ok(&["init"]);
    assert_eq!(sandbox.json(&["list", "--all"])["count"], 5);
    assert_eq!(sandbox.read(&item("pm-n3")), before);
}

#[test]
fn o05_comments_are_added_to_what_is_there() {
    let sandbox = repository();
    sandbox.create(&["X", "--id", "xx"]);
    let mut wanted = Vec::new();
    for text in ["a", "b", "c"] {
        sandbox.ok(&["comments", "xx", text]);
        commit(&sandbox);
        wanted.push(text);
        assert_eq!(texts(&sandbox, "xx", "comments"), wanted);
    }
    assert_eq!(sandbox.json(&["history", "xx"])["total"], 4);
    assert_verified(&sandbox, "xx");
}

#[test]
fn o06_a_new_worktree_changes_one_item_only() {
    let sandbox = repository();
    for n in 0..20 {
        sandbox.create(&[&format!("Item {n}"), "--id", &format!("n{n}")]);
        sandbox.ok(&["comments", &format!("n{n}"), "said"]);
    }
    commit(&sandbox);
    git_ok(&sandbox, &["worktree", "add", "-q", "w"]);
    let tree = sandbox.path().join("w/.agents/pm");
    sandbox.ok(&["--pm-path", &tree.display().to_string(), "update", "n7", "--priority", "1"]);
    let changed = git_ok(&sandbox, &["-C", "w", "diff", "--name-only"]);
    let changed: Vec<&str> = changed.lines().collect();
    assert_eq!(changed, [".agents/pm/history/pm-n7.jsonl", ".agents/pm/tasks/pm-n7.toon"]);
}

#[test]
fn o07_keys_that_nobody_knows_keep_their_values() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["X", "--id", "xx"]);
    let path = item("pm-xx");
    let own = "approval:\n  by: ann\n  steps[2]: one,two\n  limits:\n    low: 1.5\n    high: null\n";
    sandbox.write(&path, sandbox.read(&path).replace("body:", &format!("{own}body:")));
    sandbox.ok(&["update", "xx", "--status", "in_progress"]);
    let wanted = json!({"by": "ann", "steps": ["one", "two"], "limits": {"low": 1.5, "high": null}});
    assert_eq!(sandbox.json(&["get", "xx", "--fields", "approval"])["item"]["approval"], wanted);
    assert_verified(&sandbox, "xx");
}

#[test]
fn o08_a_change_of_one_field_changes_one_field() {
    let sandbox = repository();
    sandbox.create(&[
        "X",
        "--id",
        "xx",
        "--body",
        "One line.\n\n\n  Indented, after two blank lines.\n\tTab.",
    ]);
    commit(&sandbox);
    sandbox.ok(&["update", "xx", "--add-tags", "foo"]);
    let diff = git_ok(&sandbox, &["diff", "-U0", "--", &item("pm-xx")]);
    let changed: Vec<&str> = diff
        .lines()
        .filter(|line| line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---"))
        .collect();
    assert!(
        changed.iter().all(|line| line[1..].starts_with("tags") || line[1..].starts_with("updated_at")),
        "{changed:?}"
    );
    // Written by hand, in another order: what stands there is kept, whatever form it had.
    let by_hand = "title: By hand\nid: PM-Hand\nbody: \"  text \\n\\n\\n more\\n\"\ntype: Task\nstatus: open\npriority: 2\n\
                   created_at: \"2026-01-01T00:00:00Z\"\nupdated_at: \"2026-01-01T00:00:00Z\"\ntags[1]: a\ndescription: \"\"\n";
    sandbox.write(".agents/pm/tasks/PM-Hand.toon", by_hand);
    sandbox.ok(&["update", "pm-hand", "--add-tags", "foo"]);
    let after = sandbox.read(".agents/pm/tasks/PM-Hand.toon");
    assert!(after.contains("id: PM-Hand\n") && after.contains("tags[2]: a,foo\n"), "{after}");
    let body = sandbox.json(&["get", "pm-hand", "--full"])["item"]["body"].clone();
    assert_eq!(body.as_str().unwrap().trim(), "text \n\n\n more");
}

#[test]
fn o09_one_broken_file_hides_no_other_and_is_not_overwritten() {
    let sandbox = Sandbox::tracker();
    for n in 0..10 {
        sandbox.create(&[&format!("Item {n}"), "--id", &format!("n{n}")]);
    }
    let broken = sandbox.read(&item("pm-n0")).replace("tags: []", "tags[2]: a");
    sandbox.write(&item("pm-n0"), &broken);
    let listed = sandbox.json(&["list"]);
    assert_eq!(listed["count"], 9);
    let told = &listed["completeness"];
    assert_eq!((&told["status"], &told["unreadable_item_count"]), (&json!("partial"), &json!(1)));
    let file = &told["unreadable"][0];
    assert_eq!(file["path"], "tasks/pm-n0.toon");
    assert!(file["problem"].as_str().unwrap().contains("line"), "{file}");
    let made = sandbox.create(&["New"]);
    assert_ne!(made, "pm-n0");
    assert_eq!(sandbox.read(&item("pm-n0")), broken);
    sandbox.refused(&["create", "New", "--id", "n0"], 1, "item_document_invalid");
}

fn two_branches(ours: &[&[&str]], theirs: &[&[&str]]) -> Sandbox {
    let mut sandbox = repository();
    sandbox.create(&["X", "--id", "xx", "--ac", "one"]);
    commit(&sandbox);
    for (branch, clock, calls) in
        [("a", "2026-04-01T00:00:00.000Z", ours), ("b", "2026-04-02T00:00:00.000Z", theirs)]
    {
        git_ok(&sandbox, &["checkout", "-q", "-b", branch, "main"]);
        sandbox.set("PM_CLOCK", clock);
        calls.iter().for_each(|call| drop(sandbox.ok(call)));
        commit(&sandbox);
    }
    git_ok(&sandbox, &["checkout", "-q", "a"]);
    sandbox
}

#[test]
fn o10_tags_and_notes_of_two_branches_merge_clean() {
    let ours: &[&[&str]] = &[&["update", "xx", "--add-tags", "p"]];
    let theirs: &[&[&str]] = &[&["update", "xx", "--add-tags", "q"], &["notes", "xx", "note"]];
    let sandbox = two_branches(ours, theirs);
    git_ok(&sandbox, &["merge", "-q", "--no-edit", "b"]);
    assert!(sandbox.read(&item("pm-xx")).contains("tags[2]: p,q\n"));
    assert_eq!(texts(&sandbox, "xx", "notes"), ["note"]);
    assert_verified(&sandbox, "xx");
}

#[test]
fn o11_a_delete_beside_an_edit_is_told_and_leaves_no_markers() {
    let sandbox = two_branches(&[&["delete", "xx"]], &[&["update", "xx", "--title", "Kept"]]);
    let (code, text) = git(&sandbox, &["merge", "-q", "--no-edit", "b"]);
    assert_ne!(code, 0, "Git asks: {text}");
    let stream = sandbox.read(".agents/pm/history/pm-xx.jsonl");
    assert!(!stream.contains("<<<<<<<"));
    assert!(stream.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    // The edit stands.
    git_ok(&sandbox, &["add", "-A"]);
    git_ok(&sandbox, &["commit", "-qm", "merged"]);
    assert_eq!(sandbox.json(&["get", "xx"])["item"]["title"], "Kept");
    assert_verified(&sandbox, "xx");
    sandbox.write(".agents/pm/history/pm-xx.jsonl", format!("<<<<<<< ours\n{stream}"));
    assert_eq!(sandbox.pm(&["validate", "--json"]).json()["ok"], false);
}

#[test]
fn o12_criteria_of_two_branches_are_all_there() {
    let sandbox =
        two_branches(&[&["update", "xx", "--add-ac", "two a"]], &[&["update", "xx", "--add-ac", "two b"]]);
    git_ok(&sandbox, &["merge", "-q", "--no-edit", "b"]);
    let item = sandbox.json(&["get", "xx", "--fields", "acceptance_criteria"])["item"].clone();
    assert_eq!(item["acceptance_criteria"], "one; two a; two b");
}

#[test]
fn o13_texts_that_look_like_syntax_come_back_as_they_were() {
    let sandbox = Sandbox::tracker();
    let odd = [
        "notes[]: x",
        "[redacted]: y",
        "a[3]{b,c}: 1",
        "key: \"v\"",
        "-",
        "  spaces\tand tabs",
        "#x",
        "true",
        "1e5",
        "null",
        "\\n",
        "'",
        "a,b|c",
    ];
    for (n, text) in odd.iter().enumerate() {
        let id = format!("odd{n}");
        let text = text.trim();
        sandbox.create(&["T", "--id", &id]);
        sandbox.ok(&["update", &id, &format!("--title={text}")]);
        sandbox.write("body", text);
        sandbox.ok(&["update", &id, "--body-file", "body"]);
        let item = sandbox.json(&["get", &id, "--full"])["item"].clone();
        assert_eq!((&item["title"], &item["body"]), (&json!(text), &json!(text)), "{text:?}");
        assert_verified(&sandbox, &id);
    }
}

#[test]
fn o14_what_validate_looked_at_and_what_it_could_not_read_are_all_files() {
    let sandbox = Sandbox::tracker();
    for n in 0..5 {
        sandbox.create(&[&format!("Item {n}"), "--id", &format!("n{n}")]);
    }
    let whole = sandbox.read(&item("pm-n2"));
    sandbox.write(&item("pm-n2"), &whole[..20]);
    let output = sandbox.pm(&["validate", "--json"]).expect(1);
    assert!(output.stdout.contains("tasks/pm-n2.toon"));
    let checks = output.json()["checks"].clone();
    let details = |name: &str| {
        let check = checks.as_array().unwrap().iter().find(|check| check["name"] == name).unwrap();
        check["details"].clone()
    };
    let (checked, files) = (details("metadata")["checked_items"].clone(), details("storage_integrity"));
    let unreadable = files["unreadable_item_files"].as_array().unwrap().len() as u64;
    assert_eq!(checked.as_u64().unwrap() + unreadable, files["item_files_on_disk"].as_u64().unwrap());
    let health = sandbox.pm(&["health", "--json", "--strict-exit"]);
    assert_ne!(health.code, 0);
}
