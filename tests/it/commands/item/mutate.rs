//! `pm item mutate`.

use serde_json::{Value, json};

use crate::sandbox::{Output, Sandbox};

fn mutate(sandbox: &Sandbox, batch: &Value, flags: &[&str]) -> Output {
    let mut argv = vec!["item", "mutate", "--json"];
    argv.extend(flags);
    sandbox.pm_with(&argv, &batch.to_string())
}

fn refused(sandbox: &Sandbox, batch: &Value, exit: i32, code: &str) -> Value {
    let output = mutate(sandbox, batch, &[]).expect(exit);
    let error: Value = serde_json::from_str(&output.stderr).expect("a JSON error");
    assert_eq!(error["code"], code, "{error}");
    error
}

fn items(sandbox: &Sandbox) -> u64 {
    sandbox.json(&["list", "--all"])["count"].as_u64().expect("a count")
}

#[test]
fn a_batch_lands_as_a_whole_and_once() {
    let sandbox = Sandbox::tracker();
    let old = sandbox.create(&["Old"]);
    let batch = json!({"transactionId": "import-1", "mutations": [
        {"op": "create", "ref": "epic", "options": {"title": "Big", "type": "Epic", "tags": ["a", "b"]}},
        {"op": "create", "ref": "part", "options": {"title": "Part", "parent": "@epic", "dep": ["id=@late,kind=blocked_by"], "priority": 1}},
        {"op": "create", "ref": "late", "options": {"title": "Late"}},
        {"op": "update", "id": old, "options": {"parent": "@epic", "addTags": ["x"], "message": "why"}},
        {"op": "update", "id": "@part", "options": {"assignee": "bo"}},
        {"op": "release", "id": "@part"},
        {"op": "close", "id": "@late", "reason": "done"},
    ]});
    let dry = mutate(&sandbox, &batch, &["--dry-run"]).expect(0).json();
    assert_eq!((&dry["status"], &dry["dry_run"]), (&json!("planned"), &json!(true)));
    assert_eq!(items(&sandbox), 1);
    let done = mutate(&sandbox, &batch, &[]).expect(0).json();
    assert_eq!((&done["status"], &done["mutation_count"]), (&json!("committed"), &json!(7)));
    let id = |n: usize| done["results"][n]["id"].as_str().expect("an id").to_owned();
    assert_eq!(dry["results"][0]["id"], json!(id(0)), "the name of a batch fixes its ids");
    let part = &sandbox.json(&["get", &id(1), "--full"])["item"];
    assert_eq!((&part["parent"], &part["priority"]), (&json!(id(0)), &json!(1)));
    assert_eq!(part["dependencies"][0]["id"], json!(id(2)));
    assert_eq!(part.get("assignee"), None);
    assert_eq!(sandbox.json(&["get", &old])["item"]["parent"], json!(id(0)));
    assert_eq!(sandbox.json(&["get", &id(2)])["item"]["status"], "closed");
    let stream = sandbox.read(&format!(".agents/pm/history/{}.jsonl", id(2)));
    assert!(stream.contains("bulk-item-transaction import-1 step-3 apply"), "{stream}");
    let again = mutate(&sandbox, &batch, &[]).expect(0).json();
    assert_eq!((&again["recovered"], &again["changed"]), (&json!(true), &json!(false)));
    assert_eq!(again["results"], done["results"]);
    assert_eq!(items(&sandbox), 4);
    for n in 0..7 {
        assert_eq!(sandbox.json(&["history", &id(n), "--verify"])["verification"]["ok"], true);
    }
    let other =
        json!({"transactionId": "import-1", "mutations": [{"op": "create", "options": {"title": "X"}}]});
    refused(&sandbox, &other, 4, "transaction_id_reused");
}

#[test]
fn a_batch_with_a_fault_changes_nothing() {
    let sandbox = Sandbox::tracker();
    let old = sandbox.create(&["Old"]);
    let create = json!({"op": "create", "ref": "a", "options": {"title": "A"}});
    let with = |row: Value| json!({"mutations": [create, row]});
    for (row, exit, code) in [
        (json!({"op": "update", "id": "pm-none", "options": {"priority": 1}}), 3, "item_not_found"),
        (json!({"op": "update", "id": old, "options": {"priority": 9}}), 2, "invalid_argument_value"),
        (json!({"op": "update", "id": old, "options": {"wibble": 1}}), 2, "stdin_json_unknown_key"),
        (json!({"op": "update", "id": old, "options": {"parent": "@b"}}), 2, "stdin_json_invalid"),
        (json!({"op": "update", "id": old, "ifHash": "0"}), 4, "if_hash_mismatch"),
        (json!({"op": "close", "id": old}), 2, "close_reason_required"),
        (
            json!({"op": "close", "id": old, "reason": "x", "ifUpdatedAt": "2001-01-01T00:00:00Z"}),
            4,
            "if_updated_at_mismatch",
        ),
        (json!({"op": "close", "options": {}}), 2, "stdin_json_invalid"),
        (json!({"op": "explode", "id": old}), 2, "stdin_json_invalid"),
        (json!({"op": "update", "id": old, "what": 1}), 2, "stdin_json_unknown_key"),
        (json!({"op": "create", "ref": "a", "options": {"title": "B"}}), 2, "stdin_json_invalid"),
        (json!({"op": "create", "options": {}}), 2, "missing_required_option"),
        (json!({"op": "create", "id": old, "options": {"title": "B"}}), 4, "item_already_exists"),
        (json!(7), 2, "stdin_json_invalid"),
    ] {
        let error = refused(&sandbox, &with(row.clone()), exit, code);
        assert!(error["detail"].as_str().is_some_and(|text| text.contains("mutations[1]")), "{row}: {error}");
    }
    let circle = json!([
        {"op": "create", "ref": "a", "options": {"title": "A", "parent": "@b"}},
        {"op": "create", "ref": "b", "options": {"title": "B", "parent": "@a"}},
    ]);
    refused(&sandbox, &circle, 4, "hierarchy_cycle_created");
    refused(&sandbox, &json!({"mutations": []}), 2, "stdin_json_invalid");
    refused(&sandbox, &json!({"mutations": [create], "x": 1}), 2, "stdin_json_unknown_key");
    let output = mutate(&sandbox, &json!([create]), &["--transaction-id", "../x"]).expect(2);
    assert!(output.stderr.contains("invalid_argument_value"), "{output:?}");
    let output = mutate(&sandbox, &json!([create]), &["--if-hash", "0"]).expect(2);
    assert!(output.stderr.contains("conflicting_arguments"), "{output:?}");
    assert_eq!(items(&sandbox), 1);
    assert!(!sandbox.root().join("transactions/sdk").read_dir().is_ok_and(|mut dir| dir.next().is_some()));
}

#[test]
fn an_item_is_free_when_a_batch_closes_all_that_it_waits_for() {
    let sandbox = Sandbox::tracker();
    let (a, b) = (sandbox.create(&["A", "--id", "a"]), sandbox.create(&["B", "--id", "b"]));
    let waiting = sandbox.create(&["W", "--blocked-by", &a, "--dep", &format!("id={b},kind=blocked_by")]);
    let parent = sandbox.create(&["P", "--type", "Epic"]);
    let child = sandbox.create(&["C", "--parent", &parent]);
    let batch = json!({"transactionId": "both", "mutations": [
        {"op": "create", "ref": "late", "options": {"title": "Late", "blockedBy": a}},
        {"op": "close", "id": a, "reason": "done"},
        {"op": "close", "id": b, "reason": "done"},
        {"op": "close", "id": child, "reason": "done"},
        {"op": "close", "id": parent, "reason": "done"},
    ]});
    let done = mutate(&sandbox, &batch, &[]).expect(0).json();
    let late = done["results"][0]["id"].as_str().expect("an id").to_owned();
    for id in [&waiting, &late] {
        let item = &sandbox.json(&["get", id, "--full"])["item"];
        assert_eq!((&item["status"], &item["blocked_by"]), (&json!("open"), &Value::Null), "{item}");
    }
    let said = done["warnings"].to_string();
    assert!(!said.contains("closed_with_active_children"), "{said}");
    assert!(said.contains(&format!("auto_unblocked:{waiting}:resolved_blockers={a},{b}")), "{said}");
    assert_eq!(sandbox.json(&["history", &waiting, "--verify"])["verification"]["ok"], true);
}

#[test]
fn words_of_a_batch_that_would_be_passed_over_are_refused() {
    let pm = Sandbox::tracker();
    pm.create(&["A", "--id", "a"]);
    let rows = r#""mutations": [{"op": "update", "id": "a", "options": {"title": "B"}}]"#;
    for own in [r#""transactionId": 5"#, r#""dryRun": true"#] {
        let output = pm.pm_with(&["item", "mutate", "--stdin-json", "--json"], &format!("{{{own}, {rows}}}"));
        assert_eq!(output.code, 2, "{own}");
        assert!(output.stderr.contains("stdin_json_invalid"), "{output:?}");
    }
    assert_eq!(pm.json(&["get", "a"])["item"]["title"], "A");
}

#[test]
fn values_of_another_sort_and_keys_that_stand_twice_are_refused() {
    let sandbox = Sandbox::tracker();
    for options in [
        json!({"title": 5}),
        json!({"title": ["A"]}),
        json!({"title": "A", "priority": [1]}),
        json!({"title": "A", "priority": true}),
        json!({"title": "A", "tags": {"a": 1}}),
        json!({"title": "A", "deadline": 20_300_101}),
        json!({"title": "A", "allow-duplicate": "no"}),
        json!({"title": "A", "message": 1}),
    ] {
        let batch = json!([{"op": "create", "options": options}]);
        let error = refused(&sandbox, &batch, 2, "stdin_json_invalid");
        let said = error.to_string();
        assert!(said.contains("mutations[0]: ") && !said.contains("mutations[0]: mutations[0]"), "{said}");
    }
    for row in [json!({"op": "create", "ref": 1}), json!({"op": "close", "id": 5, "reason": "r"})] {
        refused(&sandbox, &json!([row]), 2, "stdin_json_invalid");
    }
    let twice = r#"[{"op": "create", "options": {"title": "A", "title": "B"}}]"#;
    let refusal = sandbox.pm_with(&["item", "mutate", "--json", "--stdin-json"], twice).expect(2);
    assert!(refusal.stderr.contains("the key `title` stands twice"), "{}", refusal.stderr);
    assert_eq!(items(&sandbox), 0);
}
