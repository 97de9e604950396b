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

fn item(sandbox: &Sandbox, id: &str) -> serde_json::Value {
    sandbox.json(&["get", id, "--full"])["item"].clone()
}

#[test]
fn a_rollback_leaves_what_came_later() {
    let sandbox = five();
    let done =
        sandbox.json(&["update-many", "--ids", "m0,m1,m2,m3", "--priority", "4", "--add-tags", "bulk"]);
    let checkpoint = done["checkpoint"]["id"].as_str().expect("a checkpoint is named").to_owned();
    // Another field, the same list, the same field, an item that is gone.
    sandbox.ok(&["update", "m0", "--title", "Later"]);
    sandbox.ok(&["update", "m1", "--add-tags", "mine"]);
    sandbox.ok(&["comments", "m1", "later"]);
    sandbox.ok(&["update", "m2", "--priority", "0"]);
    sandbox.ok(&["delete", "m3"]);
    let plan =
        sandbox.pm(&["update-many", "--rollback", &checkpoint, "--dry-run", "--json"]).expect(0).json();
    let actions: Vec<&str> =
        plan["item_plans"].as_array().unwrap().iter().map(|plan| plan["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["restore", "restore", "refuse", "refuse"], "{plan}");
    let back = sandbox.pm(&["update-many", "--rollback", &checkpoint, "--json"]).expect(7).json();
    assert_eq!((&back["outcome"], &back["restored_count"]), (&json!("partial_effect"), &json!(2)));
    let failed: Vec<_> =
        back["rows"].as_array().unwrap().iter().filter(|row| row["status"] == "failed").collect();
    assert_eq!((&failed[0]["id"], &failed[0]["code"]), (&json!("pm-m2"), &json!("rollback_conflict")));
    assert_eq!(failed[0]["fields"], json!(["priority"]));
    assert_eq!(failed[1]["id"], "pm-m3");
    let (first, second) = (item(&sandbox, "m0"), item(&sandbox, "m1"));
    assert_eq!(
        (&first["title"], &first["priority"], &first["tags"]),
        (&json!("Later"), &json!(2), &json!([]))
    );
    assert_eq!((&second["priority"], &second["tags"]), (&json!(2), &json!(["mine"])));
    assert_eq!(second["comments"].as_array().map(Vec::len), Some(1));
    assert_eq!(item(&sandbox, "m2")["priority"], 0);
    // Again there is nothing left to take back; forced, all goes back.
    let _ = sandbox.pm(&["update-many", "--rollback", &checkpoint, "--json"]).expect(6);
    let forced = sandbox.json(&["update-many", "--rollback", &checkpoint, "--force"]);
    assert_eq!(forced["failed_count"], 0, "{forced}");
    assert_eq!(
        (&item(&sandbox, "m2")["priority"], &item(&sandbox, "m3")["priority"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(item(&sandbox, "m0")["title"], "Item 0");
}

#[test]
fn a_rollback_passes_over_what_the_call_left_alone() {
    for message in [&[][..], &["--message", "of my own"]] {
        let sandbox = five();
        sandbox.ok(&["update", "m1", "--priority", "4"]);
        let call = [&["update-many", "--ids", "m0,m1", "--priority", "4"][..], message].concat();
        let done = sandbox.json(&call);
        let checkpoint = done["checkpoint"]["id"].as_str().unwrap();
        sandbox.ok(&["update", "m1", "--priority", "3"]);
        let back = sandbox.json(&["update-many", "--rollback", checkpoint]);
        assert_eq!((&back["restored_count"], &back["skipped_count"]), (&json!(1), &json!(1)), "{back}");
        assert_eq!(priorities(&sandbox)[..2], [2, 3]);
    }
}

#[test]
fn a_rollback_of_a_closing_blocks_again_what_it_set_free() {
    let sandbox = five();
    sandbox.create(&["Waits", "--id", "w", "--blocked-by", "m0"]);
    let waiting = item(&sandbox, "w");
    let done = sandbox.json(&["close-many", "--ids", "m0,m1", "--reason", "Done"]);
    let checkpoint = done["checkpoint"]["id"].as_str().unwrap();
    assert_eq!(item(&sandbox, "w")["status"], "open");
    let back = sandbox.json(&["close-many", "--rollback", checkpoint]);
    assert_eq!(back["restored_count"], 3, "{back}");
    assert_eq!(item(&sandbox, "w"), waiting);
    assert_eq!(item(&sandbox, "m0")["status"], "open");
}

#[test]
fn a_rollback_makes_no_circle() {
    let sandbox = five();
    sandbox.ok(&["update", "m0", "--parent", "m1"]);
    let done = sandbox.json(&["update-many", "--ids", "m0", "--unset", "parent"]);
    let checkpoint = done["checkpoint"]["id"].as_str().unwrap();
    sandbox.ok(&["update", "m1", "--parent", "m0"]);
    let back = sandbox.pm(&["update-many", "--rollback", checkpoint, "--json"]).expect(6).json();
    assert_eq!(back["rows"][0]["code"], "hierarchy_cycle_created", "{back}");
}

#[test]
fn a_call_without_effect_keeps_no_checkpoint() {
    let sandbox = five();
    for argv in [
        &["update-many", "--ids", "m0", "--priority", "2", "--json"][..],
        &["update-many", "--filter-tag", "nobody", "--priority", "3", "--json"],
    ] {
        let answer = sandbox.pm(argv).expect(6).json();
        assert_eq!(answer["checkpoint"], serde_json::Value::Null, "{answer}");
    }
    sandbox.ok(&["close-many", "--ids", "m0", "--reason", "Done", "--no-checkpoint"]);
    let _ = sandbox.pm(&["close-many", "--ids", "m0", "--reason", "Done"]).expect(6);
    assert!(!sandbox.root().join("checkpoints").exists());
}

#[test]
fn what_no_item_can_get_is_refused_before_any_item_is_looked_for() {
    let sandbox = five();
    for (filter, change, code) in [
        ("nobody", &["--priority", "9"][..], "invalid_argument_value"),
        ("nobody", &["--status", "nonsense"], "invalid_argument_value"),
        ("nobody", &["--deadline", "someday"], "invalid_argument_value"),
        ("nobody", &["--sprint", ""], "invalid_argument_value"),
        ("nobody", &["--status", "closed"], "close_reason_required"),
    ] {
        let argv = [&["update-many", "--filter-tag", filter][..], change].concat();
        sandbox.refused(&argv, 2, code);
        let argv = [&["update-many", "--filter-status", "open"][..], change].concat();
        sandbox.refused(&argv, 2, code);
    }
    sandbox.refused(&["update-many", "--filter-tag", "nobody", "--parent", "nobody"], 2, "parent_not_found");
    assert!(!sandbox.root().join("checkpoints").exists());
}

#[test]
fn many_are_closed_as_duplicates_of_one() {
    let sandbox = five();
    sandbox.refused(
        &["close-many", "--ids", "m0", "--duplicate-of", "nobody"],
        2,
        "duplicate_target_missing",
    );
    let done =
        sandbox.pm(&["close-many", "--ids", "m0,m1,m2", "--duplicate-of", "m0", "--json"]).expect(7).json();
    assert_eq!(done["closed_count"], 2);
    let failed = done["rows"].as_array().unwrap().iter().find(|row| row["status"] == "failed").unwrap();
    assert_eq!((&failed["id"], &failed["code"]), (&json!("pm-m0"), &json!("duplicate_target_self")));
    let item = item(&sandbox, "m1");
    assert_eq!(
        (&item["duplicate_of"], &item["close_reason"]),
        (&json!("pm-m0"), &json!("Duplicate of pm-m0"))
    );
    sandbox.refused(
        &["close-many", "--ids", "m3", "--duplicate-of", "m1"],
        2,
        "duplicate_target_is_duplicate",
    );
}
