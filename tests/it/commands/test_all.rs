//! `pm test-all`.

use serde_json::json;

use crate::sandbox::Sandbox;

#[cfg(unix)]
#[test]
fn each_distinct_test_runs_once_for_all_items() {
    let sandbox = Sandbox::tracker();
    for id in ["a", "b", "c"] {
        sandbox.create(&["T", "--id", id]);
    }
    let shared = "command=echo x >> log.txt,note=n";
    sandbox.ok(&["test", "a", "--add", shared]);
    sandbox.ok(&["test", "b", "--add", "command=echo x >> log.txt", "--add", "command=echo no; false"]);
    sandbox.ok(&["close", "c", "done"]);
    let dry = sandbox.json(&["test-all", "--dry-run"]);
    assert_eq!((&dry["count"], &dry["item_count"]), (&json!(3), &json!(2)));
    assert!(!sandbox.path().join("log.txt").exists());
    let run = sandbox.pm(&["test-all", "--json"]).expect(5).json();
    assert_eq!(sandbox.read("log.txt"), "x\n");
    assert_eq!(
        run["totals"],
        json!({"items": 2, "linked_tests": 3, "runs": 2, "passed": 2, "failed": 1, "skipped": 0})
    );
    assert_eq!(run["failures"][0]["id"], "pm-b");
    assert_eq!(run["failures"][0]["stdout"], "no\n");
    assert_eq!(
        run["results"][1],
        json!({"id": "pm-b", "status": "failed", "passed": 1, "failed": 1, "skipped": 0})
    );
    let first = sandbox.json(&["test-all", "--limit", "1"]);
    assert_eq!((&first["ok"], &first["count"]), (&json!(true), &json!(1)));
    assert_eq!(sandbox.json(&["test-all", "--status", "closed"])["count"], 0);
}

#[cfg(unix)]
#[test]
fn runs_are_recorded_where_the_tracker_wants_that() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["T", "--id", "a"]);
    sandbox.ok(&["test", "a", "--add", "command=true"]);
    sandbox.ok(&["test-all"]);
    assert_eq!(sandbox.json(&["get", "a", "--full"])["item"].get("test_runs"), None);
    sandbox.ok(&["config", "set", "test-result-tracking", "enabled"]);
    sandbox.ok(&["test-all"]);
    let runs = &sandbox.json(&["get", "a", "--full"])["item"]["test_runs"];
    assert_eq!((&runs[0]["kind"], &runs[0]["status"]), (&json!("test-all"), &json!("passed")));
}

#[test]
fn what_it_does_not_take_is_refused() {
    let sandbox = Sandbox::tracker();
    for (argv, surface) in [
        (&["test-all", "--timeout", "0"][..], "--timeout"),
        (&["test-all", "--pm-context", "all"], "--pm-context"),
        (&["test-all", "--env-set", "x"], "--env-set"),
        (&["test-all", "--status", "nope"], "--status"),
    ] {
        let error = sandbox.refused(argv, 2, "invalid_argument_value");
        assert_eq!(error["refusal"]["surface"], surface, "{argv:?}");
    }
    assert_eq!(sandbox.json(&["test-all"])["ok"], true);
}
