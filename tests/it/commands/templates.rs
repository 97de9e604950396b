//! `pm templates`, and `pm create --template`.

use serde_json::json;

use crate::sandbox::Sandbox;
use crate::store::crash::files;

#[test]
fn a_template_is_saved_used_and_deleted() {
    let sandbox = Sandbox::tracker();
    assert_eq!(sandbox.json(&["templates", "list"])["count"], 0);
    let save = |extra: &[&str]| {
        let mut argv =
            vec!["templates", "save", "Bug", "--type", "Issue", "--tags", "bug", "--deadline", "+2d"];
        argv.extend(["--comment", "How to see it?", "--severity", "high"]);
        argv.extend(extra);
        sandbox.json(&argv)
    };
    let untouched = files(&sandbox.root());
    assert_eq!(save(&["--dry-run"])["dry_run"], true);
    assert_eq!(files(&sandbox.root()), untouched);
    let saved = save(&[]);
    assert_eq!((&saved["name"], &saved["replaced"]), (&json!("bug"), &json!(false)));
    let after = files(&sandbox.root());
    assert_eq!(save(&[])["changed"], false);
    assert_eq!(files(&sandbox.root()), after, "the same again writes nothing");
    assert_eq!(sandbox.json(&["templates", "show", "bug"])["options"]["deadline"], "+2d");

    let id = sandbox.create(&["It breaks", "--template", "bug", "--severity", "low"]);
    let text = sandbox.read(&format!(".agents/pm/issues/{id}.toon"));
    for line in ["deadline: \"2026-03-03T12:00:00.000Z\"\n", "severity: low\n", "How to see it?"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    let without = sandbox.create(&["Chore", "No words", "--template", "bug", "--clear-comments"]);
    let text = sandbox.read(&format!(".agents/pm/chores/{without}.toon"));
    assert!(!text.contains("How to see it?"), "{text}");

    assert_eq!(sandbox.json(&["templates", "list"])["templates"][0]["type"], "Issue");
    let gone = sandbox.json(&["templates", "delete", "bug"]);
    assert_eq!((&gone["removed"], &gone["options"]["tags"]), (&json!(true), &json!("bug")));
    assert!(!sandbox.root().join("templates/bug.json").exists());
    sandbox.refused(&["templates", "show", "bug"], 3, "template_not_found");
    sandbox.refused(&["create", "X", "--template", "bug"], 3, "template_not_found");
    sandbox.refused(&["templates", "delete", "bug"], 3, "template_not_found");
    assert_eq!(sandbox.json(&["history", "_workspace", "--verify"])["verification"]["ok"], true);
}

#[test]
fn what_create_would_refuse_is_no_template() {
    let sandbox = Sandbox::tracker();
    sandbox.refused(&["templates", "save", "x"], 2, "missing_required_option");
    sandbox.refused(&["templates", "save", "x", "--priority", "9"], 2, "invalid_argument_value");
    sandbox.refused(&["templates", "save", "../x", "--tags", "a"], 2, "invalid_argument_value");
    sandbox.write(".agents/pm/templates/broken.json", "{");
    sandbox.refused(&["create", "X", "--template", "broken"], 1, "template_invalid");
    let list = sandbox.json(&["templates", "list"]);
    assert!(list["warnings"][0].as_str().is_some_and(|w| w.starts_with("template_invalid:broken")), "{list}");
    sandbox.write(".agents/pm/templates/own.json", "{\"options\":{\"tags\":[\"a\",\"b\"],\"colour\":1}}");
    let made = sandbox.json(&["create", "X", "--template", "own"]);
    assert_eq!(made["warnings"], json!(["template_option_ignored:own:colour"]));
}

#[test]
fn fields_of_the_tracker_are_kept_too() {
    let sandbox = Sandbox::tracker();
    sandbox.ok(&["schema", "add-field", "effort", "--type", "number"]);
    sandbox.ok(&["templates", "save", "big", "--effort", "8"]);
    let id = sandbox.create(&["X", "--template", "big"]);
    assert!(sandbox.read(&format!(".agents/pm/tasks/{id}.toon")).contains("effort: 8\n"));
    let id = sandbox.create(&["Y", "--template", "big", "--effort", "1"]);
    assert!(sandbox.read(&format!(".agents/pm/tasks/{id}.toon")).contains("effort: 1\n"));
}
