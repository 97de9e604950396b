//! `pm profile`.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::store::crash::files;

fn changes(answer: &Value) -> Vec<(String, String, String)> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let rows = answer["changes"].as_array().expect("rows").iter();
    rows.map(|row| (text(row, "section"), text(row, "name"), text(row, "change"))).collect()
}

#[test]
fn the_profiles_are_listed_and_shown() {
    let sandbox = Sandbox::empty();
    let list = sandbox.json(&["profile", "list"]);
    let names: Vec<&str> =
        list["profiles"].as_array().unwrap().iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["agile", "ops", "research"]);
    assert_eq!(list["profiles"][1]["composition"]["statuses"], 2);
    let shown = sandbox.json(&["profile", "show", "Research"]);
    assert_eq!(shown["types"].as_array().map(Vec::len), Some(2));
    assert_eq!(shown["templates"][0]["name"], "experiment");
    let error = sandbox.refused(&["profile", "show", "agil"], 2, "unknown_profile");
    assert_eq!(error["recovery"]["allowed_values"][0], "agile");
}

#[test]
fn a_profile_lands_as_a_whole_and_once() {
    for name in ["agile", "ops", "research"] {
        let sandbox = Sandbox::tracker();
        let untouched = files(&sandbox.root());
        let dry = sandbox.json(&["profile", "apply", name, "--dry-run"]);
        assert_eq!((&dry["dry_run"], &dry["changed"]), (&json!(true), &json!(true)));
        let before = sandbox.json(&["profile", "lint", name]);
        assert_eq!(before["ok"], false);
        assert_eq!(files(&sandbox.root()), untouched, "{name}");
        let done = sandbox.json(&["profile", "apply", name]);
        assert_eq!(changes(&dry), changes(&done));
        assert_eq!(
            sandbox.json(&["profile", "lint", name]),
            json!({"action": "lint", "profile": name, "ok": true, "findings": [], "count": 0})
        );
        let applied = files(&sandbox.root());
        let again = sandbox.json(&["profile", "apply", name]);
        assert_eq!(again["changed"], false);
        assert!(changes(&again).iter().all(|(_, _, change)| change == "present"), "{again}");
        assert_eq!(files(&sandbox.root()), applied, "{name}: the same again writes nothing");
        assert_eq!(sandbox.json(&["history", "_workspace", "--verify"])["verification"]["ok"], true);
    }
}

#[test]
fn what_a_profile_brings_works() {
    let sandbox = Sandbox::tracker();
    sandbox.ok(&["profile", "apply", "agile"]);
    let id = sandbox.create(&["A story", "--template", "story", "--story-points", "5"]);
    let text = sandbox.read(&format!(".agents/pm/stories/{id}.toon"));
    assert!(text.contains("type: Story\n") && text.contains("story_points: 5\n"), "{text}");
    assert!(text.contains("tags[1]: story\n"), "{text}");
    let warned = sandbox.json(&["update", &id, "--status", "review"]);
    assert!(
        warned["warnings"][0].as_str().is_some_and(|w| w.starts_with("workflow_transition_not_allowed")),
        "{warned}"
    );
    let fine = sandbox.json(&["update", &id, "--status", "in_progress"]);
    assert_eq!(fine["warnings"], Value::Null);
}

#[test]
fn what_a_tracker_declares_itself_stays() {
    let sandbox = Sandbox::tracker();
    sandbox.ok(&["schema", "add-field", "service", "--type", "string_array"]);
    let done = sandbox.json(&["profile", "apply", "ops"]);
    assert!(changes(&done).contains(&("fields".into(), "service".into(), "kept".into())), "{done}");
    let lint = sandbox.json(&["profile", "lint", "ops"]);
    assert_eq!(lint["findings"], json!([{"section": "fields", "name": "service", "problem": "differs"}]));
    sandbox.refused(&["profile", "apply", "ops", "--if-hash", "x"], 2, "invalid_argument_value");
}
