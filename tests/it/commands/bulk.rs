//! `pm update-many` and `pm close-many`: choosing, planning, checkpoints, taking back.

use serde_json::json;

use crate::sandbox::Sandbox;

fn five() -> Sandbox {
    let sandbox = Sandbox::tracker();
    for n in 0..5 {
        sandbox.create(&["Task", &format!("Item {n}"), "--id", &format!("m{n}")]);
    }
    sandbox
}

fn priorities(sandbox: &Sandbox) -> Vec<u64> {
    (0..5)
        .map(|n| sandbox.json(&["get", &format!("m{n}"), "--depth", "brief"])["item"]["priority"].as_u64())
        .map(|priority| priority.expect("an item has a priority"))
        .collect()
}

#[test]
fn a_dry_run_plans_and_writes_nothing() {
    let sandbox = five();
    let plan = sandbox.json(&["update-many", "--filter-status", "open", "--priority", "4", "--dry-run"]);
    assert_eq!((&plan["matched_count"], &plan["dry_run"]), (&json!(5), &json!(true)));
    assert_eq!(plan["item_plans"][0]["changes"], json!([{"field": "priority", "before": 2, "after": 4}]));
    assert_eq!(priorities(&sandbox), [2; 5]);
    assert!(!sandbox.root().join("checkpoints").exists(), "a plan needs no checkpoint");
}

#[test]
fn a_change_of_many_can_be_taken_back() {
    let sandbox = five();
    let done = sandbox.json(&["update-many", "--ids", "m0,m1,m2", "--priority", "4"]);
    assert_eq!((&done["outcome"], &done["updated_count"]), (&json!("effect"), &json!(3)));
    assert_eq!(priorities(&sandbox), [4, 4, 4, 2, 2]);
    let checkpoint = done["checkpoint"]["id"].as_str().expect("a checkpoint is named");
    let file = format!(".agents/pm/checkpoints/update-many/{checkpoint}.json");
    let saved: serde_json::Value = serde_json::from_str(&sandbox.read(&file)).expect("it is JSON");
    assert_eq!((&saved["schema_version"], saved["items"].as_array().map(Vec::len)), (&json!(1), Some(3)));
    let back = sandbox.json(&["update-many", "--rollback", checkpoint]);
    assert_eq!(back["restored_count"], 3);
    assert_eq!(priorities(&sandbox), [2; 5]);
}

#[test]
fn no_match_and_no_difference_have_no_effect() {
    let sandbox = five();
    for argv in [
        &["update-many", "--filter-status", "draft", "--priority", "4", "--json"][..],
        &["update-many", "--ids", "m0", "--priority", "2", "--json"],
    ] {
        let answer = sandbox.pm(argv).expect(6).json();
        assert_eq!((&answer["outcome"], &answer["updated_count"]), (&json!("no_effect"), &json!(0)));
    }
}

#[test]
fn many_are_closed_for_one_reason() {
    let sandbox = five();
    sandbox.refused(&["close-many", "--filter-status", "open"], 2, "close_reason_required");
    let done = sandbox.json(&["close-many", "--ids", "m0,m1", "--reason", "Sprint done"]);
    assert_eq!(done["closed_count"], 2);
    let item = sandbox.json(&["get", "m0"])["item"].clone();
    assert_eq!((&item["status"], &item["close_reason"]), (&json!("closed"), &json!("Sprint done")));
    let again = sandbox.json(&["close-many", "--filter-status", "all", "--reason", "The rest"]);
    assert_eq!((&again["closed_count"], &again["skipped_count"]), (&json!(3), &json!(2)));
    let checkpoint = again["checkpoint"]["id"].as_str().expect("a checkpoint is named");
    sandbox.json(&["close-many", "--rollback", checkpoint]);
    assert_eq!(sandbox.json(&["list", "--status", "open"])["total"], 3);
}

#[test]
fn a_checkpoint_that_is_none_is_refused() {
    let sandbox = five();
    for name in ["nope", "../../settings", "a/b"] {
        sandbox.refused(&["update-many", "--rollback", name], 3, "checkpoint_not_found");
    }
    sandbox.write(".agents/pm/checkpoints/update-many/broken.json", "{\"schema_version\": 2}");
    sandbox.refused(&["update-many", "--rollback", "broken"], 1, "checkpoint_invalid");
    sandbox.refused(&["update-many", "--ids", "m0"], 2, "missing_required_option");
}
