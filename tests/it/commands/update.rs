use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const ITEM: &str = ".agents/pm/tasks/pm-a.toon";

fn two() -> Sandbox {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a", "--tags", "x,y"]);
    sandbox.create(&["B", "--id", "b"]);
    sandbox
}

fn history(sandbox: &Sandbox, id: &str) -> Vec<Value> {
    let text = sandbox.read(&format!(".agents/pm/history/{id}.jsonl"));
    text.lines().map(|line| serde_json::from_str(line).expect("an entry is JSON")).collect()
}

#[test]
fn one_field_is_one_line_of_the_file_and_one_entry() {
    let mut sandbox = two();
    let before = sandbox.read(ITEM);
    sandbox.set("PM_CLOCK", "2026-03-02T00:00:00.000Z");
    let receipt = sandbox.json(&["update", "a", "--priority", "high", "--message", "why"]);
    assert_eq!(receipt, json!({"id": "pm-a", "status": "open", "changed_field_count": 1}));
    let wanted = before
        .replace("priority: 2", "priority: 1")
        .replace("updated_at: \"2026-03-01T12:00:00.000Z\"", "updated_at: \"2026-03-02T00:00:00.000Z\"");
    assert_eq!(sandbox.read(ITEM), wanted);
    let entries = history(&sandbox, "pm-a");
    assert_eq!(
        (entries.len(), &entries[1]["op"], &entries[1]["message"]),
        (2, &json!("update"), &json!("why"))
    );
    assert_eq!(entries[1]["patch"].as_array().unwrap().len(), 2);
}

#[test]
fn what_changes_nothing_writes_nothing() {
    let mut sandbox = two();
    sandbox.create(&["K", "--id", "k", "--parent", "a", "--body", "text"]);
    let kept = |sandbox: &Sandbox| {
        (sandbox.read(ITEM), sandbox.read(".agents/pm/tasks/pm-k.toon"), history(sandbox, "pm-k").len())
    };
    let before = kept(&sandbox);
    sandbox.set("PM_CLOCK", "2026-03-02T00:00:00.000Z");
    for argv in [
        &["update", "a", "--priority", "2"][..],
        &["update", "a", "--tags", "Y,X"],
        &["update", "a", "--add-tags", "x", "--remove-tags", "absent"],
        &["update", "a", "--status", "open"],
        &["update", "k", "--parent", "PM-A"],
        &["update", "k", "--body", "text\n\n"],
    ] {
        assert_eq!(sandbox.json(argv)["changed_field_count"], 0, "{argv:?}");
    }
    let nothing = sandbox.json(&["update", "a"]);
    assert_eq!(nothing["warnings"], json!(["noop_no_update_fields"]));
    assert_eq!(kept(&sandbox), before);
}

#[test]
fn values_are_checked_and_clearing_has_a_flag_of_its_own() {
    let sandbox = two();
    let before = sandbox.read(ITEM);
    for (flags, exit, code) in [
        (&["--assignee", ""][..], 2, "invalid_argument_value"),
        (&["--title", " "], 2, "invalid_argument_value"),
        (&["--unset", "priority"], 2, "invalid_argument_value"),
        (&["--unset", "deadline", "--deadline", "+1d"], 2, "conflicting_arguments"),
        (&["--status", "wibble"], 2, "invalid_argument_value"),
        (&["--type", "wibble"], 2, "invalid_argument_value"),
        (&["--parent", "a"], 2, "invalid_argument_value"),
        (&["--blocked-by", "a"], 2, "invalid_argument_value"),
        (&["--parent", "nope"], 2, "parent_not_found"),
        (&["--dep", "nope"], 3, "dependency_target_not_found"),
        (&["--dep-remove", "b"], 3, "dependency_remove_no_match"),
        (&["--dep", "id=b,kind=wibble"], 2, "invalid_argument_value"),
        (&["--replace-deps"], 2, "missing_required_option"),
        (&["--completed-at", "now"], 2, "invalid_argument_value"),
        (&["--add-ac", "a;b"], 2, "acceptance_criteria_semicolon_forbidden"),
        (&["--add-ac", "a", "--ac", "b"], 2, "acceptance_criteria_mutation_conflict"),
        (&["--remove-ac", "a"], 3, "acceptance_criteria_remove_unmatched"),
        (&["--if-hash", "0000", "--priority", "0"], 4, "if_hash_mismatch"),
        (&["--if-updated-at", "2001-01-01T00:00:00Z", "--priority", "0"], 4, "if_updated_at_mismatch"),
    ] {
        let mut argv = vec!["update", "a"];
        argv.extend(flags);
        sandbox.refused(&argv, exit, code);
    }
    sandbox.refused(&["update", "abc", "--priority", "1"], 3, "item_not_found");
    assert_eq!(sandbox.read(ITEM), before);
    sandbox.ok(&["update", "a", "--goal", " g ", "--if-updated-at", "2026-03-01T12:00:00Z"]);
    assert!(sandbox.read(ITEM).contains("goal: g\n"));
    sandbox.ok(&["update", "a", "--unset", "goal", "--unset", "tags"]);
    assert_eq!(sandbox.read(ITEM), before.replace("tags[2]: x,y", "tags: []"));
}

#[test]
fn links_never_close_a_cycle() {
    let sandbox = two();
    sandbox.create(&["C", "--id", "c"]);
    sandbox.ok(&["update", "b", "--parent", "a"]);
    sandbox.ok(&["update", "c", "--parent", "b"]);
    let error = sandbox.refused(&["update", "a", "--parent", "c"], 4, "hierarchy_cycle_created");
    assert_eq!(error["recovery"]["cycle"], "pm-a -> pm-c -> pm-b -> pm-a");
    sandbox.ok(&["update", "a", "--dep", "id=b,kind=depends_on"]);
    sandbox.refused(&["update", "b", "--dep", "id=a,kind=blocked_by"], 4, "dependency_cycle_created");
    sandbox.refused(&["update", "a", "--dep", "id=b,kind=blocks"], 4, "dependency_cycle_created");
    sandbox.refused(&["update", "c", "--dep", "id=a,kind=parent"], 4, "hierarchy_parent_divergence_created");
    sandbox.refused(&["create", "D", "--dep", "id=c,kind=child"], 4, "hierarchy_cardinality_created");
    sandbox.ok(&["update", "c", "--unset", "parent", "--dep", "id=a,kind=related"]);
}

#[test]
fn a_link_is_added_once_and_removed_by_any_spelling() {
    let sandbox = two();
    sandbox.ok(&["update", "a", "--dep", "id=b,kind=depends_on"]);
    sandbox.ok(&["update", "a", "--dep", "id=pm-b,kind=blocked_by", "--dep", "b"]);
    let kinds = |sandbox: &Sandbox| -> Vec<String> {
        let item = sandbox.json(&["get", "a", "--full"])["item"].clone();
        let rows = item["dependencies"].as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| format!("{}:{}", row["id"], row["kind"]).replace('"', "")).collect()
    };
    assert_eq!(kinds(&sandbox), ["pm-b:blocked_by", "pm-b:related"]);
    sandbox.ok(&["update", "a", "--dep-remove", "id=B,kind=related"]);
    assert_eq!(kinds(&sandbox), ["pm-b:blocked_by"]);
    sandbox.ok(&["update", "a", "--replace-deps", "--dep", "id=b,kind=verifies"]);
    assert_eq!(kinds(&sandbox), ["pm-b:verifies"]);
    sandbox.ok(&["update", "a", "--clear-deps"]);
    assert!(kinds(&sandbox).is_empty());
}

#[test]
fn lists_grow_and_calendars_are_set() {
    let sandbox = two();
    for _ in 0..2 {
        sandbox.ok(&["update", "a", "--comment", "c", "--file", "a.rs", "--reminder", "at=+1d,text=r"]);
    }
    let item = sandbox.json(&["get", "a", "--full"])["item"].clone();
    let count = |key: &str| item[key].as_array().map_or(0, Vec::len);
    assert_eq!((count("comments"), count("files"), count("reminders")), (2, 1, 1));
    let receipt = sandbox.json(&["update", "a", "--ac", "one", "--ac", "two"]);
    assert_eq!(receipt["warnings"], json!(["acceptance_criteria_replaced:0:2"]));
    sandbox.ok(&["update", "a", "--add-ac", "three", "--remove-ac", "one"]);
    assert!(sandbox.read(ITEM).contains("acceptance_criteria: two; three\n"));
}

#[test]
fn to_the_closing_status_is_a_close() {
    let sandbox = two();
    sandbox.refused(&["update", "a", "--status", "closed"], 2, "close_reason_required");
    let receipt =
        sandbox.json(&["update", "a", "--status", "closed", "--close-reason", "done", "--priority", "0"]);
    assert_eq!(receipt["warnings"], json!(["auto_routed_from_update_to_close"]));
    assert_eq!(
        history(&sandbox, "pm-a").iter().map(|e| e["op"].clone()).collect::<Vec<_>>(),
        [json!("create"), json!("close")]
    );
    let item = sandbox.read(ITEM);
    assert!(item.contains("priority: 0\n") && item.contains("close_reason: done\n"), "{item}");
    sandbox.ok(&["update", "a", "--status", "in-progress"]);
    let item = sandbox.read(ITEM);
    assert!(item.contains("status: in_progress\n") && !item.contains("close"), "{item}");
    sandbox.ok(&["update", "a", "--status", "cancelled"]);
    assert!(!sandbox.read(ITEM).contains("closed_at"));
    sandbox.refused(
        &["update", "a", "--status", "closed", "--close-reason", "x"],
        4,
        "terminal_state_conflict",
    );
}

#[test]
fn another_type_moves_the_file() {
    let sandbox = two();
    sandbox.ok(&["update", "a", "--type", "issue"]);
    assert!(!sandbox.root().join("tasks/pm-a.toon").exists());
    assert!(sandbox.read(".agents/pm/issues/pm-a.toon").contains("type: Issue\n"));
}

#[test]
fn a_dry_run_tells_both_values() {
    let sandbox = two();
    let before = sandbox.read(ITEM);
    let plan = sandbox.json(&["update", "a", "--priority", "0", "--add-tags", "z", "--dry-run"]);
    assert_eq!(
        plan["changes"],
        json!([{"field": "priority", "before": 2, "after": 0}, {"field": "tags", "before": ["x", "y"], "after": ["x", "y", "z"]}])
    );
    assert_eq!(sandbox.read(ITEM), before);
}

#[test]
fn a_document_changes_what_it_names() {
    let sandbox = two();
    let _ = sandbox
        .pm_with(
            &["update", "a", "--stdin-json", "--priority", "0"],
            r#"{"title":"T","priority":4,"tags":["q"]}"#,
        )
        .expect(0);
    let item = sandbox.read(ITEM);
    assert!(
        item.contains("title: T\n") && item.contains("priority: 0\n") && item.contains("tags[1]: q\n"),
        "{item}"
    );
}

#[test]
fn a_workflow_is_warned_about_or_enforced() {
    let sandbox = two();
    let workflow = r#"{"workflow":{},"type_workflows":[{"type":"Task","allowed_transitions":[["open","in_progress"]]}]}"#;
    sandbox.write(".agents/pm/schema/workflows.json", workflow);
    let settings = sandbox.read(".agents/pm/settings.json");
    let enforce = |word: &str| {
        settings.replace(
            "\"preset\": \"minimal\",",
            &format!("\"preset\": \"minimal\", \"workflow_enforcement\": \"{word}\","),
        )
    };
    sandbox.write(".agents/pm/settings.json", enforce("strict"));
    let error =
        sandbox.refused(&["update", "a", "--status", "blocked"], 2, "workflow_transition_not_allowed");
    assert_eq!(error["recovery"]["allowed_values"], json!(["in_progress"]));
    sandbox.refused(&["close", "a", "x"], 2, "workflow_transition_not_allowed");
    sandbox.write(".agents/pm/settings.json", enforce("warn"));
    let warned = sandbox.json(&["update", "a", "--status", "blocked"]);
    assert_eq!(warned["warnings"], json!(["workflow_transition_not_allowed: Task open -> blocked"]));
}
