use serde_json::{Value, json};

use crate::fixture::small;
use crate::sandbox::Sandbox;

fn names(answer: &Value) -> Vec<&str> {
    answer["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect()
}

#[test]
fn a_fresh_tracker_is_in_order() {
    let sandbox = Sandbox::tracker();
    let answer = sandbox.json(&["health"]);
    assert_eq!(
        (&answer["ok"], &answer["warnings"], &answer["warning_count"]),
        (&json!(true), &json!([]), &json!(0))
    );
    assert_eq!(names(&answer).len(), 10);
    let telemetry =
        answer["checks"].as_array().unwrap().iter().find(|check| check["name"] == "telemetry").unwrap();
    assert_eq!(telemetry["details"]["enabled"], false);
    let _ = sandbox.pm(&["health", "--strict-exit"]).expect(0);
}

#[test]
fn short_answers_leave_the_deep_checks_out() {
    let sandbox = Sandbox::tracker();
    let short = ["settings", "directories", "settings_values", "telemetry", "extensions", "storage", "locks"];
    for argv in [
        vec!["health", "--summary"],
        vec!["health", "--check-only", "--skip-drift", "--skip-integrity", "--skip-vectors"],
        vec!["health", "--output-include", "summary"],
    ] {
        assert_eq!(names(&sandbox.json(&argv)), short, "{argv:?}");
    }
    let brief = sandbox.json(&["health", "--brief"]);
    assert_eq!(
        brief["checks"][8],
        json!({"name": "history_drift", "status": "skipped", "ok": null, "details": {"skipped": true}})
    );
    assert_eq!(names(&sandbox.json(&["health", "--check-only"])).len(), 10);
    assert_eq!(sandbox.json(&["health", "--check-only"])["checks"][5]["details"], json!({}));
    let full = sandbox.json(&["health", "--full", "--skip-drift"]);
    assert!(full["checks"][8]["details"].get("skipped").is_none());
}

#[test]
fn what_fails_is_named_with_a_way_out() {
    let sandbox = small();
    sandbox.write(".agents/pm/tasks/pm-torn.toon", "id: pm-torn\n");
    let answer = sandbox.json(&["health"]);
    assert_eq!(answer["ok"], false);
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("integrity_item_parse_failed:tasks/pm-torn.toon"), "{warnings}");
    assert!(warnings.contains("history_drift_missing_stream:pm-one"), "{warnings}");
    assert_eq!(
        answer["failed_because"],
        json!(["missing_directory", "integrity_item_parse_failed", "history_drift_missing_stream"])
    );
    assert_eq!(answer["findings"][0]["severity"], "gate_failing");
    let strict = sandbox.pm(&["health", "--strict-exit", "--json"]).expect(1).json();
    assert_eq!(strict["checks"][7]["details"], json!({}));
    assert_eq!((strict["warnings"].as_array().unwrap().len(), &strict["warning_limit"]), (8, &json!(100)));
}

#[test]
fn locks_left_behind_are_counted() {
    let sandbox = Sandbox::tracker();
    sandbox.write(".agents/pm/locks/pm-a.lock", "no lock at all");
    let old = json!({"id": "pm-b", "pid": 999_999_999u64, "owner": "x", "created_at": "2020-01-01T00:00:00.000Z", "ttl_seconds": 1800});
    sandbox.write(".agents/pm/locks/pm-b.lock", old.to_string());
    let locks = sandbox.json(&["health"])["checks"][6].clone();
    assert_eq!(
        (&locks["details"]["stale_lock_count"], &locks["details"]["unparseable_lock_count"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(locks["status"], "warn");
}

#[test]
fn remedies_are_commands_that_there_are() {
    let pm = Sandbox::with_items(&[
        ("pm-a", "parent: pm-gone\nfiles[1]{path,scope}:\n      gone.rs,project"),
        ("pm-b", "status: closed"),
    ]);
    pm.write(".agents/pm/history/pm-a.jsonl", "{\"op\":\"create\"}\n");
    pm.write(".agents/pm/locks/pm-a.lock", "{\"pid\": 1, \"created_at\": \"2020-01-01T00:00:00.000Z\"}");
    pm.write(".agents/pm/tasks/pm-x.toon", "<<<<<<< ours\n");
    let mut commands: Vec<String> = Vec::new();
    let health = pm.pm(&["health", "--full", "--json"]).json();
    for finding in health["findings"].as_array().into_iter().flatten() {
        commands.extend(finding["remediation"].as_str().map(str::to_owned));
    }
    let validate = pm.pm(&["validate", "--fix-hints", "--json"]).json();
    for check in validate["checks"].as_array().unwrap() {
        let hints = check["details"]["fix_hints"].as_array().into_iter().flatten();
        commands.extend(hints.filter_map(|hint| hint.as_str().map(str::to_owned)));
    }
    assert!(commands.len() > 4, "{commands:?}");
    for command in commands {
        let words: Vec<&str> =
            command.split_whitespace().skip(1).take_while(|word| !word.starts_with('-')).collect();
        assert!(pm::commands::CATALOG.declares(&command), "`{command}` is no command: {words:?}");
    }
}

#[test]
fn attributions_that_say_nothing_are_counted() {
    let pm = Sandbox::with_items(&[("pm-a", "")]);
    let entry = r#"{"ts":"2026-02-01T00:00:00.000Z","op":"create","agent_harness":"h","agent_provenance":{"role":{"value":"1"},"topic":{"value":"pm-a"}}}"#;
    pm.write(".agents/pm/history/pm-a.jsonl", format!("{entry}\n"));
    let health = pm.pm(&["health", "--full", "--json"]).json();
    let storage =
        health["checks"].as_array().unwrap().iter().find(|check| check["name"] == "storage").unwrap();
    assert_eq!(
        storage["details"]["provenance_invalid_values"],
        serde_json::json!([{"harness": "h", "dimension": "role", "kind": "single_digit", "count": 1}])
    );
}

/// Every shape of the two commands that judge a tracker, and the checks that it leaves out.
const SHAPES: &[(&[&str], usize)] = &[
    (&["health"], 0),
    (&["health", "--full"], 0),
    (&["health", "--check-only"], 0),
    (&["health", "--summary"], 3),
    (&["health", "--brief"], 3),
    (&["health", "--check-only", "--summary"], 3),
    (&["health", "--skip-drift"], 1),
    (&["health", "--strict-exit"], 0),
    (&["validate"], 0),
    (&["validate", "--counts"], 0),
    (&["validate", "--check-metadata"], 8),
    (&["validate", "--check-history-drift", "--counts"], 8),
    (&["validate", "--check-lifecycle", "--check-files"], 6),
];

#[test]
fn what_nobody_looked_at_is_named() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["--title", "A", "--id", "a"]);
    for (argv, omitted) in SHAPES {
        let answer = sandbox.json(argv);
        let named = answer["projection"]["omitted_checks"].as_array().map_or(0, Vec::len);
        assert_eq!(named, *omitted, "{argv:?}: {answer}");
        assert_eq!(answer.get("projection").is_some(), *omitted > 0, "{argv:?}: {answer}");
        let lean = sandbox.ok(argv);
        assert_eq!(lean.contains("omitted_checks"), *omitted > 0, "{argv:?}: {lean}");
        assert!(answer.get("completeness").is_none(), "{argv:?}: {answer}");
    }
    let short = sandbox.json(&["health", "--summary", "--full-envelope"]);
    assert_eq!(
        short["projection"],
        json!({"mode": "summary", "warning_count": 0, "warnings_truncated": false, "detail_limit": 8,
            "omitted_checks": ["integrity", "history_drift", "vectorization"]})
    );
}

#[test]
fn what_cannot_be_read_is_never_green() {
    let sandbox = Sandbox::tracker();
    for id in ["a", "b", "c"] {
        sandbox.create(&["--title", id, "--id", id]);
    }
    sandbox.write(".agents/pm/tasks/pm-torn.toon", "id: pm-torn\n");
    sandbox.write(".agents/pm/tasks/pm-marked.md", "<<<<<<< ours\n");
    for (argv, _) in SHAPES {
        let output = sandbox.pm(&[*argv, &["--json", "--output-budget", "unbounded"]].concat());
        let answer = output.json();
        let counts = &answer["coverage"]["items"];
        assert_eq!(*counts, json!({"files": 5, "checked": 3, "unreadable": 2}), "{argv:?}");
        assert_eq!(answer["completeness"]["unreadable_item_count"], 2, "{argv:?}: {answer}");
        assert_eq!(answer["ok"], false, "{argv:?}: {answer}");
    }
    // What was left out on request says nothing, but that files cannot be read is told all the same.
    let left = sandbox.json(&["health", "--skip-integrity"]);
    assert_eq!(left["projection"]["omitted_checks"], json!(["integrity"]));
    assert_eq!(left["completeness"]["status"], "partial");
    // A history that does not hold shows in a short answer too.
    let drifted = Sandbox::tracker();
    drifted.create(&["--title", "A", "--id", "a"]);
    drifted.write(".agents/pm/history/pm-a.jsonl", "{\"op\":\"create\"}\n");
    let short = drifted.json(&["health", "--summary"]);
    assert_eq!(short["ok"], false, "{short}");
    assert_eq!(short["projection"]["omitted_checks"], json!(["integrity", "vectorization"]));
    assert_eq!(short["coverage"]["histories"], json!({"files": 1, "checked": 1, "unreadable": 0}));
}
