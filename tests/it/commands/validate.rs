use serde_json::{Value, json};

use crate::fixture::small;
use crate::sandbox::Sandbox;

fn check<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let checks = answer["checks"].as_array().unwrap_or_else(|| panic!("no checks in {answer}"));
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name} in {answer}"))
}

/// Two items with true histories: `pm-a`, and `pm-b` below it.
fn grown() -> Sandbox {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["--title", "Parent", "--type", "Epic", "--id", "a"]);
    sandbox.create(&["--title", "Child", "--type", "Task", "--id", "b", "--parent", "a"]);
    sandbox
}

#[test]
fn named_warnings_fail_the_call() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "aa"]);
    let code = "validate_metadata_missing_estimate";
    let exit = |named: &str| sandbox.pm(&["validate", "--check-metadata", "--fail-on", named]).code;
    assert_eq!((exit(code), exit("warning"), exit("error")), (1, 1, 0));
    assert_eq!(exit("validate_storage_duplicate_item_ids"), 0);
    assert_eq!(exit(&format!("validate_storage_duplicate_item_ids,{code}")), 1);
    let error = sandbox.refused(
        &["validate", "--check-metadata", "--fail-on", "estimate"],
        2,
        "invalid_argument_value",
    );
    assert!(error.to_string().contains("warning"), "{error}");
}

#[test]
fn every_check_runs_in_order_and_says_so() {
    let sandbox = grown();
    let answer = sandbox.json(&["validate"]);
    let names: Vec<&str> =
        answer["checks"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "metadata",
            "resolution",
            "lifecycle",
            "dependency_references",
            "files",
            "command_references",
            "history_drift",
            "format_version",
            "storage_integrity"
        ]
    );
    assert_eq!(answer["ok"], true);
    let storage = &check(&answer, "storage_integrity")["details"];
    assert_eq!(
        (&storage["item_files_on_disk"], &storage["parsed_items"], &storage["history_streams_scanned"]),
        (&json!(2), &json!(2), &json!(2))
    );
    assert_eq!(check(&answer, "history_drift")["details"]["drifted_items"], json!([]));
    let counts = sandbox.json(&["validate", "--counts"]);
    assert!(check(&counts, "history_drift")["details"].get("drifted_items").is_none());
    let one = sandbox.json(&["validate", "--check-lifecycle"]);
    assert_eq!(one["checks"].as_array().unwrap().len(), 2);
}

#[test]
fn missing_fields_are_counted_under_their_profile() {
    let sandbox = small();
    let counts = |profile: &str| {
        let answer = sandbox.json(&["validate", "--check-metadata", "--metadata-profile", profile]);
        check(&answer, "metadata")["details"]["counts"].clone()
    };
    assert_eq!(
        counts("core"),
        json!({"missing_author": 6, "missing_acceptance_criteria": 4, "missing_estimated_minutes": 5, "closed_missing_close_reason": 1})
    );
    assert_eq!(
        (&counts("strict")["missing_risk"], &counts("strict")["missing_estimated_minutes"]),
        (&json!(6), &json!(7))
    );
    sandbox.refused(&["validate", "--metadata-profile", "cor"], 2, "invalid_argument_value");
    let strict = sandbox.pm(&["validate", "--check-metadata", "--strict-exit"]).expect(1);
    assert_eq!(strict.stdout, sandbox.ok(&["validate", "--check-metadata"]));
}

#[test]
fn references_and_parents_that_make_no_sense_are_rows() {
    let sandbox = small();
    let item = |id: &str, status: &str, lines: &[&str]| {
        let mut all = vec![
            "title: T".to_owned(),
            "description: \"\"".into(),
            "type: Task".into(),
            format!("status: {status}"),
            "priority: 2".into(),
            "tags: []".into(),
        ];
        all.extend(["created_at", "updated_at"].map(|key| format!("{key}: \"2026-01-01T00:00:00.000Z\"")));
        all.extend(lines.iter().map(|line| (*line).to_owned()));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        crate::fixture::put(&sandbox, "tasks", id, &all, "");
    };
    item("pm-x", "open", &["blocked_by: pm-y", "parent: pm-done"]);
    item("pm-y", "open", &["blocked_by: pm-x", "parent: pm-ghost"]);
    item("pm-z", "open", &["resolution: Work is closed", "definition_of_ready: after pm-x"]);
    let answer = sandbox.json(&["validate", "--check-lifecycle"]);
    let lifecycle = &check(&answer, "lifecycle")["details"];
    assert_eq!(lifecycle["dependency_cycle_sample_paths"], json!(["pm-x -> pm-y -> pm-x"]));
    assert_eq!(lifecycle["active_terminal_parent_rows"], json!(["pm-x:pm-done:closed"]));
    assert_eq!(lifecycle["active_closure_like_metadata_rows"], json!(["pm-z:resolution:work is closed"]));
    let references = &check(&answer, "dependency_references")["details"];
    assert_eq!(references["dangling_reference_rows"], json!(["pm-y:parent:pm-ghost"]));
    let failing = sandbox
        .pm(&["validate", "--check-lifecycle", "--dependency-cycle-severity", "error", "--json"])
        .expect(1);
    assert_eq!(failing.json()["ok"], false);
    let off = sandbox.json(&["validate", "--check-lifecycle", "--dependency-cycle-severity", "off"]);
    assert!(!off["warnings"].to_string().contains("dependency_cycles"));
}

#[test]
fn an_item_that_is_its_own_parent_is_a_cycle() {
    let items = [("pm-a", "parent: pm-b"), ("pm-b", "parent: pm-a"), ("pm-own", "parent: PM-OWN")];
    let sandbox = Sandbox::with_items(&items);
    let answer = sandbox.json(&["validate", "--check-lifecycle"]);
    let lifecycle = &check(&answer, "lifecycle")["details"];
    assert_eq!(lifecycle["parent_cycle_count"], 2);
    assert_eq!(lifecycle["parent_cycle_sample_paths"], json!(["pm-a -> pm-b -> pm-a", "pm-own -> pm-own"]));
    assert_eq!(lifecycle["active_parent_cycle_count"], 2);
}

#[test]
fn links_are_compared_with_the_files_of_the_workspace() {
    let sandbox = small();
    sandbox.write("src/two.rs", "");
    sandbox.write("lib/one.rs", "");
    let files = check(&sandbox.json(&["validate", "--check-files"]), "files")["details"].clone();
    assert_eq!(files["missing_linked_paths"], json!(["src/one.rs"]));
    assert_eq!(files["orphaned_paths"], json!(["src/two.rs"]));
    assert_eq!(files["missing_linked_path_classifications"][0]["classification"], "deleted");
    sandbox.write("tests/one.rs", "");
    let files = check(&sandbox.json(&["validate", "--check-files"]), "files")["details"].clone();
    assert_eq!(files["missing_linked_path_classifications"][0]["candidates"], json!(["tests/one.rs"]));
    sandbox.write("src/one.rs", "");
    let files = check(&sandbox.json(&["validate", "--check-files"]), "files")["details"].clone();
    assert_eq!(files["missing_linked_paths_count"], 0);
}

#[test]
fn what_is_wrong_with_a_history_is_told_by_id() {
    let sandbox = grown();
    let path = ".agents/pm/history/pm-b.jsonl";
    let good = sandbox.read(path);
    let drifted = |sandbox: &Sandbox| {
        let answer = sandbox.json(&["validate", "--check-history-drift"]);
        check(&answer, "history_drift")["details"]["drifted_items"].clone()
    };
    assert_eq!(drifted(&sandbox), json!([]));
    sandbox.write(path, good.replace("Child", "Kid"));
    assert_eq!(drifted(&sandbox), json!(["pm-b"]));
    assert_eq!(drifted(&sandbox), json!(["pm-b"]), "and again, from memory");
    sandbox.write(path, &good);
    assert_eq!(drifted(&sandbox), json!([]));
    let item = ".agents/pm/tasks/pm-b.toon";
    let text = sandbox.read(item);
    sandbox.write(item, text.replace("Child", "Kid"));
    assert_eq!(drifted(&sandbox), json!(["pm-b"]));
    sandbox.write(item, &text);
    std::fs::remove_file(sandbox.path().join(path)).unwrap();
    assert_eq!(drifted(&sandbox), json!(["pm-b"]));
    sandbox.write(path, format!("{good}<<<<<<< ours\n"));
    let answer = sandbox.pm(&["validate", "--json"]).expect(1).json();
    assert_eq!(answer["ok"], false);
    assert_eq!(
        check(&answer, "storage_integrity")["details"]["history_conflict_marker_streams"],
        json!(["pm-b"])
    );
}

#[test]
fn damaged_and_doubled_items_are_errors() {
    let sandbox = grown();
    sandbox.write(".agents/pm/tasks/pm-torn.toon", "id: pm-torn\n");
    let answer = sandbox.pm(&["validate", "--json"]).expect(1).json();
    let storage = &check(&answer, "storage_integrity")["details"];
    assert_eq!(storage["unreadable_item_files"], json!(["tasks/pm-torn.toon"]));
    assert_eq!((&storage["parsed_items"], &storage["item_files_on_disk"]), (&json!(2), &json!(3)));
    std::fs::remove_file(sandbox.path().join(".agents/pm/tasks/pm-torn.toon")).unwrap();
    sandbox.write(".agents/pm/issues/pm-b.toon", sandbox.read(".agents/pm/tasks/pm-b.toon"));
    let answer = sandbox.pm(&["validate", "--json"]).expect(1).json();
    let double = &check(&answer, "storage_integrity")["details"]["duplicate_item_ids"];
    assert_eq!(*double, json!(["pm-b:issues/pm-b.toon,tasks/pm-b.toon"]));
}

#[test]
fn newer_formats_are_errors() {
    let sandbox = small();
    let path = ".agents/pm/tasks/pm-one.toon";
    sandbox.write(path, sandbox.read(path).replace("body:", "pm_format_version: 99\nbody:"));
    let answer = sandbox.pm(&["validate", "--json"]).expect(1).json();
    assert_eq!(check(&answer, "format_version")["details"]["ahead_items"], json!(["pm-one:99"]));
}

#[test]
fn fixes_follow_from_what_items_say_and_are_granted() {
    let sandbox = grown();
    sandbox.create(&["--title", "Done", "--type", "Task", "--id", "d"]);
    sandbox.ok(&["close", "d", "It was fixed"]);
    sandbox.create(&["--title", "Linked", "--type", "Task", "--id", "l"]);
    sandbox.ok(&["files", "l", "--add", "src/gone.rs"]);
    sandbox.ok(&["close", "a", "Over", "--force"]);
    let dry = sandbox.json(&["validate", "--check-resolution", "--auto-fix", "--dry-run"]);
    assert_eq!(dry["fixes"]["planned_fixes"][0]["id"], "pm-a");
    assert_eq!(
        dry["fixes"]["gated_fixes"],
        json!([{"id": "pm-b", "kind": "unset_parent", "scope": "lifecycle", "field": "parent", "value": null}])
    );
    assert!(sandbox.json(&["get", "d"])["item"].get("resolution").is_none());
    let done = sandbox.json(&[
        "validate",
        "--check-resolution",
        "--auto-fix",
        "--fix-scope",
        "resolution,lifecycle",
    ]);
    assert_eq!((&done["fixes"]["applied_count"], &done["fixes"]["failed_count"]), (&json!(3), &json!(0)));
    assert_eq!(sandbox.json(&["get", "d"])["item"]["resolution"], "It was fixed");
    assert!(sandbox.json(&["get", "b"])["item"].get("parent").is_none());
    let pruned = sandbox.json(&["validate", "--check-files", "--prune-missing"]);
    assert_eq!(pruned["fixes"]["applied_fixes"][0]["path"], "src/gone.rs");
    let after = sandbox.json(&["validate"]);
    assert_eq!(check(&after, "files")["details"]["missing_linked_paths_count"], 0);
    assert_eq!(check(&after, "history_drift")["details"]["drifted_items"], json!([]));
    for line in ["--dry-run", "--fix-scope lifecycle"] {
        let argv: Vec<&str> = std::iter::once("validate").chain(line.split(' ')).collect();
        sandbox.refused(&argv, 2, "missing_required_option");
    }
    let hints = sandbox.json(&["validate", "--check-metadata", "--fix-hints"]);
    assert!(
        check(&hints, "metadata")["details"]["fix_hints"][0].as_str().unwrap().starts_with("pm update pm-")
    );
}
