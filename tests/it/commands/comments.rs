use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn one() -> Sandbox {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox
}

/// The texts of a list, as an answer shows them.
fn texts(answer: &Value) -> Vec<&str> {
    let rows = answer["comments"].as_array().expect("comments is a list");
    rows.iter().map(|row| row["text"].as_str().expect("a comment has a text")).collect()
}

#[test]
fn comments_are_added_edited_deleted_and_listed() {
    let mut sandbox = one();
    let added = sandbox.json(&["comments", "a", "first"]);
    assert_eq!(
        added["mutation_receipt"],
        json!({"action": "add", "entry_index": 1, "changed_count": 1, "full_history_included": true})
    );
    sandbox.set("PM_CLOCK", "2026-03-01T12:01:00.000Z");
    let added = sandbox.json(&["comments", "a", "--add", "second"]);
    assert_eq!((texts(&added), &added["total_count"]), (vec!["second"], &json!(2)));
    sandbox.set("PM_CLOCK", "2026-03-01T12:02:00.000Z");
    let edited = sandbox.json(&["comments", "a", "1st", "--edit", "1"]);
    assert_eq!(
        edited["comments"],
        json!([{"created_at": "2026-03-01T12:00:00.000Z", "author": "alice", "text": "1st", "edited_at": "2026-03-01T12:02:00.000Z"}])
    );
    assert_eq!(texts(&sandbox.json(&["comments", "a"])), ["1st", "second"]);
    assert_eq!(texts(&sandbox.json(&["comments", "a", "--limit", "1"])), ["second"]);
    let deleted = sandbox.json(&["comments", "a", "--delete", "2"]);
    assert_eq!((texts(&deleted).len(), &deleted["total_count"]), (0, &json!(1)));
    let whole = sandbox.json(&["comments", "a", "third", "--full-history"]);
    assert_eq!((texts(&whole), &whole["has_more"]), (vec!["1st", "third"], &json!(false)));
}

#[test]
fn a_text_comes_from_one_place() {
    let sandbox = one();
    sandbox.write("note.txt", "from a file\n");
    let _ = sandbox.pm_with(&["comments", "a", "--stdin"], "two\nlines\n").expect(0);
    let _ = sandbox.pm_with(&["comments", "a", "-"], "dash").expect(0);
    sandbox.ok(&["comments", "a", "--file", "note.txt"]);
    sandbox.ok(&["comments", "a", "--add", "author=bob,text=named, yes"]);
    let listed = sandbox.json(&["comments", "a"]);
    assert_eq!(texts(&listed), ["dash", "from a file\n", "named, yes", "two\nlines\n"]);
    assert_eq!(listed["comments"][2]["author"], "bob");
    for (argv, exit, code) in [
        (&["comments", "a", "--add", ""][..], 2, "invalid_argument_value"),
        (&["comments", "a", "x", "--add", "y"], 2, "conflicting_arguments"),
        (&["comments", "a", "x", "--edit", "9"], 2, "invalid_argument_value"),
        (&["comments", "a", "--delete", "0"], 2, "invalid_argument_value"),
        (&["comments", "a", "--edit", "1"], 2, "missing_required_argument"),
        (&["comments", "a", "--edit", "1", "--delete", "1"], 2, "conflicting_arguments"),
        (&["comments", "a", "--message", "m"], 2, "annotation_message_without_text"),
        (&["comments", "a", "--file", "none"], 3, "body_file_unreadable"),
        (&["comments", "nope", "x"], 3, "item_not_found"),
        (&["comments", "a", "x", "--output-limit", "1"], 2, "output_control_not_applicable"),
    ] {
        sandbox.refused(argv, exit, code);
    }
    assert_eq!(texts(&sandbox.json(&["comments", "a"])).len(), 4);
}

#[test]
fn the_same_words_again_change_nothing() {
    let sandbox = one();
    sandbox.ok(&["comments", "a", "first"]);
    let history = sandbox.read(".agents/pm/history/pm-a.jsonl");
    let edited = sandbox.json(&["comments", "a", "first", "--edit", "1"]);
    assert_eq!(edited["mutation_receipt"]["changed_count"], 0);
    let plan = sandbox.json(&["comments", "a", "more", "--dry-run"]);
    assert_eq!((&plan["dry_run"], &plan["changes"][0]["field"]), (&json!(true), &json!("comments")));
    assert_eq!(sandbox.read(".agents/pm/history/pm-a.jsonl"), history);
}

#[test]
fn eight_at_once_are_all_kept() {
    let sandbox = one();
    std::thread::scope(|scope| {
        for n in 0..8 {
            let sandbox = &sandbox;
            scope.spawn(move || sandbox.ok(&["comments", "a", &format!("c{n}")]));
        }
    });
    assert_eq!(texts(&sandbox.json(&["comments", "a"])).len(), 8);
    assert_eq!(sandbox.json(&["history", "a", "--verify"])["verification"]["ok"], true);
}
