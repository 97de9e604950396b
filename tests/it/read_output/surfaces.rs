//! 82 to 90: discovery, row contracts, refusals.

use serde_json::{Value, json};

use super::{SMALL, exists, items};

#[test]
fn s82_s83_modes_can_be_asked_for() {
    if !exists("contracts") {
        return;
    }
    let answer = SMALL.json(&["contracts", "--command", "list", "--summary"]);
    let contracts = &answer["output_projection_contracts"];
    assert_eq!(contracts["global_ladder_scope"], "union_not_per_command");
    assert!(contracts.to_string().contains(r#"["brief","compact","full"]"#), "{contracts}");
    let rows = SMALL.json(&["contracts", "--full"])["read_output_dimensions"].clone();
    assert_eq!(rows.as_array().unwrap().len(), pm::read_output::PM_READ_OUTPUT_SURFACE_CONTRACTS.len());
}

#[test]
fn s84_s85_row_contracts_on_request_only() {
    assert!(SMALL.json(&["list"]).get("row_contract").is_none());
    for (argv, rows) in [
        (&["list"][..], json!(["items"])),
        (&["comments", "pm-000"], json!(["comments"])),
        (&["stats"], json!(["by_type", "by_status"])),
        (&["aggregate", "--group-by", "type"], json!(["groups"])),
    ] {
        if exists(argv[0]) {
            let words: Vec<&str> = argv.iter().copied().chain(["--output-row-contract"]).collect();
            let answer = SMALL.json(&words);
            assert_eq!(answer["row_contract"]["row_keys"], rows);
            assert!(answer.get("read_output").is_some(), "{answer}");
        }
    }
}

#[test]
fn s86_s87_s88_refusals_are_cheap_and_specific() {
    for (argv, exit, code) in [
        (&["get", "pm-zzzz"][..], 3, "item_not_found"),
        (&["lst"], 2, "unknown_command"),
        (&["list", "--nosuch"], 2, "unknown_option"),
        (&["get"], 2, "missing_required_argument"),
        (&["list", "--output-include", "nosuch"], 2, "unknown_output_include_selector"),
        (&["get", "pm-003", "--output-include", "nosuch"], 2, "unknown_output_include_selector"),
    ] {
        let error = SMALL.refused(argv, exit, code);
        let words: Vec<&str> = argv.iter().copied().chain(["--json"]).collect();
        let size = SMALL.pm(&words).stderr.len();
        assert!(size <= 1_600, "{argv:?}: {size} bytes: {error}");
    }
}

#[test]
fn s89_health_in_summary() {
    if exists("health") {
        let strict = SMALL.pm(&["health", "--strict-exit", "--json"]).json();
        let told = |check: &Value| check["details"].as_object().is_some_and(|details| !details.is_empty());
        assert!(!strict["checks"].as_array().unwrap().iter().any(told), "{strict}");
        let full = SMALL.pm(&["health", "--strict-exit", "--full", "--json"]).json();
        assert!(full["checks"].as_array().unwrap().iter().any(told), "{full}");
    }
}

#[test]
fn reading_is_repeatable_and_changes_nothing() {
    let sandbox = items(12);
    let calls: [&[&str]; 5] =
        [&["list"], &["next"], &["context"], &["search", "something"], &["get", "pm-003"]];
    for argv in calls.into_iter().filter(|argv| exists(argv[0])) {
        assert_eq!(sandbox.ok(argv), sandbox.ok(argv), "{argv:?}");
    }
    let names = std::fs::read_dir(sandbox.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let unexpected: Vec<String> = names
        .filter(|name| !["tasks", "settings.json", "runtime", "search", "locks"].contains(&name.as_str()))
        .collect();
    assert!(unexpected.is_empty(), "{unexpected:?}");
}

#[test]
fn what_a_ranking_read_showed_is_kept_only_on_request() {
    let sandbox = items(6);
    let file = sandbox.root().join("runtime/context-usage.jsonl");
    let _ = sandbox.ok(&["next"]);
    assert!(!file.exists());
    sandbox.write(
        ".agents/pm/settings.json",
        r#"{"version": 1, "id_prefix": "pm-", "context": {"usage_feedback": true}}"#,
    );
    let shown = sandbox.json(&["next"]);
    let _ = sandbox.pm(&["next", "--output-budget", "1"]).expect(2);
    let events: Vec<serde_json::Value> = std::fs::read_to_string(&file)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(events[0]["rows"][0]["id"], shown["recommended"]["id"]);
    assert_eq!(
        (&events[0]["surface"], &events[1]["rows"]),
        (&json!("next"), &json!([])),
        "an omitted page showed nothing"
    );
}

#[test]
fn s90_a_failing_verdict_is_on_the_first_page() {
    let sandbox = items(3);
    let mut assertions: Vec<Value> = (0..60)
        .map(|n| json!({"id": format!("fine-{n:02}"), "measurement_id": "open", "floor": 0, "enforcement": "block"}))
        .collect();
    assertions.push(json!({"id": "broken", "measurement_id": "open", "ceiling": 0, "enforcement": "block"}));
    let ids: Vec<Value> = assertions.iter().map(|assertion| assertion["id"].clone()).collect();
    let registry = json!({
        "version": 1,
        "measurements": [{"id": "open", "source": {"kind": "items", "status": "open"}}],
        "assertions": assertions,
        "gates": [{"id": "all", "assertion_ids": ids, "triggers": ["ci"]}],
    });
    sandbox.write(".agents/pm/assurance.json", registry.to_string());
    let argv = ["assurance", "run", "all", "--json", "--output-budget"];
    let whole = sandbox.pm(&[&argv[..], &["unbounded"]].concat()).expect(1).json();
    let mut page = sandbox.pm(&[&argv[..], &["900"]].concat()).expect(1).json();
    assert_eq!(page["assertions"][0]["id"], "broken");
    assert_eq!(page["budget_retention_policy"], "verdict_priority");
    assert_eq!((&page["assertions_total"], &whole["assertions_total"]), (&json!(61), &json!(61)));
    // The same rows go on with the same cursor as everywhere.
    let mut walked = page["assertions"].as_array().unwrap().clone();
    while let Some(cursor) = page["next_cursor"].as_str().map(str::to_owned) {
        page = sandbox.pm(&[&argv[..], &["900", "--output-cursor", &cursor]].concat()).json();
        walked.extend(page["assertions"].as_array().unwrap().iter().cloned());
    }
    let id = |rows: &[Value]| rows.iter().map(|row| row["id"].clone()).collect::<Vec<_>>();
    assert_eq!(id(&walked), id(whole["assertions"].as_array().unwrap()));
}
