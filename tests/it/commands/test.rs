use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn one() -> Sandbox {
    let mut sandbox = Sandbox::tracker();
    sandbox.set("PATH", &std::env::var("PATH").unwrap_or_default());
    sandbox.create(&["A", "--id", "a"]);
    sandbox
}

fn commands(answer: &Value) -> Vec<&str> {
    let rows = answer["tests"].as_array().expect("tests is a list");
    rows.iter().map(|row| row["command"].as_str().expect("a test has a command")).collect()
}

#[test]
fn tests_are_linked_and_unlinked() {
    let sandbox = one();
    let added = sandbox.json(&["test", "a", "--add", "command=true,timeout_seconds=10,note=n"]);
    assert_eq!(
        added["tests"],
        json!([{"command": "true", "scope": "project", "timeout_seconds": 10, "note": "n"}])
    );
    assert_eq!((&added["changed"], &added["run_results"]), (&json!(true), &json!([])));
    sandbox.ok(&["test", "a", "--add-json", r#"[{"command":"echo a, b"},{"command":"false"}]"#]);
    assert_eq!(commands(&sandbox.json(&["test", "a", "--remove", "command=echo a, b"])), ["true", "false"]);
    assert_eq!(commands(&sandbox.json(&["test", "a", "--remove-index", "1"])), ["false"]);
    sandbox.refused(&["test", "a", "--remove", "nope"], 3, "linked_test_remove_no_match");
    sandbox.refused(&["test", "a", "--add", "note=x"], 2, "invalid_argument_value");
    sandbox.refused(&["test", "a", "--list", "--run"], 2, "conflicting_arguments");
    sandbox.ok(&["test", "a", "--remove", "false"]);
    assert!(!sandbox.read(".agents/pm/tasks/pm-a.toon").contains("tests"));
    let history = sandbox.read(".agents/pm/history/pm-a.jsonl");
    assert!(history.contains("\"op\":\"tests_add\"") && history.contains("\"op\":\"tests_remove\""));
}

#[cfg(unix)]
#[test]
fn linked_commands_run_only_when_asked_for() {
    let sandbox = one();
    sandbox.ok(&["test", "a", "--add", "command=touch ran && echo done"]);
    sandbox.ok(&["test", "a"]);
    sandbox.ok(&["test", "a", "--run", "--dry-run"]);
    assert!(!sandbox.path().join("ran").exists());
    let run = sandbox.json(&["test", "a", "--run"]);
    assert!(sandbox.path().join("ran").exists());
    assert_eq!(
        run["run_results"],
        json!([{"command": "touch ran && echo done", "status": "passed", "exit_code": 0, "stdout": "done\n", "stderr": ""}])
    );
    assert_eq!((&run["ok"], &run["selection"]["selected_indexes"]), (&json!(true), &json!([1])));
}

#[cfg(unix)]
#[test]
fn a_failed_test_says_how_and_exits_five() {
    let sandbox = one();
    for entry in [
        "command=exit 3",
        "command=echo hello,assert_stdout_contains=bye",
        "command=echo '{\"n\":2}',assert_json_field_gte=n=2",
        "command=sleep 600,timeout_seconds=1",
        "command=echo $GREETING,assert_stdout_regex=^hi",
    ] {
        sandbox.ok(&["test", "a", "--add", entry]);
    }
    let output = sandbox.pm(&["test", "a", "--run", "--env-set", "GREETING=hi", "--json"]).expect(5);
    let run = output.json();
    let statuses: Vec<_> =
        run["run_results"].as_array().unwrap().iter().map(|row| row["status"].clone()).collect();
    assert_eq!(statuses, ["failed", "failed", "passed", "failed", "passed"]);
    assert_eq!(
        (&run["failure_categories"]["assertion_failure"], &run["failure_categories"]["timeout"]),
        (&json!(2), &json!(1))
    );
    let only = sandbox.json(&["test", "a", "--run", "--only-last", "--env-set", "GREETING=hi"]);
    assert_eq!(only["selection"]["selected_indexes"], json!([5]));
    sandbox.refused(&["test", "a", "--run", "--match", "nothing"], 2, "invalid_argument_value");
}

#[cfg(unix)]
#[test]
fn a_test_works_on_a_copy_of_the_tracker() {
    let sandbox = one();
    sandbox.ok(&["test", "a", "--add", "command=ls $PM_PATH/tasks | wc -l"]);
    let count = |flags: &[&str]| {
        let mut argv = vec!["test", "a", "--run"];
        argv.extend(flags);
        sandbox.json(&argv)["run_results"][0]["stdout"].as_str().unwrap().trim().to_owned()
    };
    assert_eq!((count(&[]), count(&["--pm-context", "tracker"])), ("0".to_owned(), "1".to_owned()));
    let left: Vec<_> = std::fs::read_dir(sandbox.root().join("runtime"))
        .map(|entries| entries.flatten().map(|entry| entry.file_name()).collect())
        .unwrap_or_default();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("test-")), "{left:?}");
}

#[cfg(unix)]
#[test]
fn runs_are_recorded_where_the_tracker_wants_that() {
    let sandbox = one();
    let settings = sandbox.read(".agents/pm/settings.json");
    let record = settings.replace("\"record_results_to_items\": false", "\"record_results_to_items\": true");
    sandbox.write(".agents/pm/settings.json", record);
    sandbox.ok(&["test", "a", "--add", "command=true", "--run"]);
    let item = sandbox.json(&["get", "a", "--full"])["item"].clone();
    assert_eq!(
        (&item["test_runs"][0]["status"], &item["test_runs"][0]["passed"]),
        (&json!("passed"), &json!(1))
    );
}
