use serde_json::{Value, json};

use crate::fixture::small;
use crate::sandbox::Sandbox;

/// A deleted item's stream: created, changed, deleted.
fn stream(sandbox: &Sandbox) {
    let genesis = "3cc22dff72be7b14824654a7a64ea62b04799939b2fee54c1b5f52ca60bf6df0";
    let entry = |ts: &str, op: &str, author: &str, patch: Value| {
        json!({"ts": format!("2026-02-0{ts}T00:00:00.000Z"), "author": author, "op": op, "patch": patch,
            "before_hash": genesis, "after_hash": genesis, "item_hash_version": 2})
    };
    let lines = [
        entry(
            "1",
            "create",
            "ann",
            json!([{"op": "add", "path": "/metadata/title", "value": "A"}, {"op": "add", "path": "/metadata/status", "value": "open"}]),
        ),
        entry(
            "2",
            "update",
            "bob",
            json!([{"op": "replace", "path": "/metadata/status", "value": "closed"}]),
        ),
        entry(
            "3",
            "delete",
            "harness:codex",
            json!([{"op": "remove", "path": "/metadata/title"}, {"op": "remove", "path": "/metadata/status"}]),
        ),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    sandbox.write(".agents/pm/history/pm-gone.jsonl", text);
}

#[test]
fn entries_of_a_deleted_item_are_still_told() {
    let sandbox = small();
    stream(&sandbox);
    let answer = sandbox.json(&["history", "gone"]);
    let row = json!({"index": 2, "ts": "2026-02-02T00:00:00.000Z", "op": "update", "author": "bob", "patch_ops": 1, "changed_fields": ["status"]});
    assert_eq!((&answer["id"], &answer["compact_history"][1]), (&json!("pm-gone"), &row));
    assert_eq!(answer["compact_history"].as_array().unwrap().len(), 3);
    let last = sandbox.json(&["history", "gone", "--limit", "1"]);
    assert_eq!((&last["compact_history"][0]["index"], &last["total"]), (&json!(3), &json!(3)));
    let full = sandbox.json(&["history", "gone", "--full"]);
    assert_eq!(full["history"][1]["patch"][0]["value"], "closed");
    let who = sandbox.json(&["history", "gone", "--harness", "codex", "--provenance"]);
    assert_eq!(
        who["provenance_history"],
        json!([{"index": 3, "ts": "2026-02-03T00:00:00.000Z", "op": "delete", "author": "harness:codex"}])
    );
    sandbox.refused(&["history", "nobody"], 3, "item_not_found");
}

#[test]
fn differences_are_told_field_by_field() {
    let sandbox = small();
    stream(&sandbox);
    let answer = sandbox.json(&["history", "gone", "--field", "status", "--limit", "2"]);
    assert_eq!(
        answer["diff"][0]["changes"],
        json!([{"field": "status", "before": "open", "after": "closed"}])
    );
    assert_eq!(answer["diff"][1]["changes"], json!([{"field": "status", "before": "closed", "after": null}]));
    let all = sandbox.json(&["history", "gone", "--diff"]);
    assert_eq!(all["diff"][0]["changes"].as_array().unwrap().len(), 2);
}

#[test]
fn differences_go_on_from_page_to_page() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["One", "--id", "x"]);
    for n in 0..6 {
        sandbox.ok(&["update", "x", "--title", &format!("Title {n}")]);
    }
    for amount in
        [&["--output-limit", "2"][..], &["--limit", "2"], &["--output-limit", "2", "--output-budget", "900"]]
    {
        let (mut entries, mut changes, mut cursor) = (Vec::new(), Vec::new(), None::<String>);
        loop {
            let mut words = [&["history", "x", "--diff"][..], amount].concat();
            words.extend(cursor.iter().flat_map(|cursor| ["--output-cursor", cursor]));
            let page = sandbox.json(&words);
            let rows = |key: &str| page[key].as_array().cloned().unwrap_or_default();
            entries.extend(rows("compact_history").iter().filter_map(|row| row["index"].as_u64()));
            changes.extend(rows("diff").iter().filter_map(|row| row["index"].as_u64()));
            let Some(next) = page["next_cursor"].as_str() else { break };
            cursor = Some(next.to_owned());
        }
        entries.sort_unstable();
        changes.sort_unstable();
        assert_eq!((&entries, &changes), (&(1..=7).collect(), &(1..=7).collect()), "{amount:?}");
    }
}

#[test]
fn a_broken_chain_is_told_and_fails_only_when_asked() {
    let sandbox = small();
    stream(&sandbox);
    let answer = sandbox.json(&["history", "gone", "--verify"]);
    assert_eq!(answer["verification"]["ok"], false);
    assert_eq!(answer["verification"]["errors"][0], "verify_failed:after_hash_mismatch:entry_1");
    let strict = sandbox.pm(&["history", "gone", "--verify", "--strict-exit"]).expect(1);
    assert!(strict.stdout.contains("after_hash_mismatch:entry_1"));
    sandbox.refused(&["history", "gone", "--strict-exit"], 2, "missing_required_option");
    sandbox.write(".agents/pm/history/pm-gone.jsonl", "{}\n<<<<<<< ours\n{}\n");
    sandbox.refused(&["history", "gone", "--verify"], 1, "history_merge_conflict_markers_detected");
}

#[test]
fn differences_have_both_values_of_every_kind_of_field() {
    let mut sandbox = Sandbox::tracker();
    let steps: [&[&str]; 4] = [
        &["create", "One", "--id", "x", "--tags", "b", "--body", "text"],
        &["update", "x", "--add-tags", "a", "--estimate", "30"],
        &["comments", "x", "heard"],
        &["update", "x", "--unset", "estimated-minutes", "--body", "other"],
    ];
    for (n, argv) in steps.iter().enumerate() {
        sandbox.set("PM_CLOCK", &format!("2026-03-01T09:0{n}:00.000Z")).ok(argv);
    }
    let answer = sandbox.json(&["history", "x", "--diff", "--output-budget", "unbounded"]);
    let of = |n: usize| -> Vec<Value> {
        let row = answer["diff"].as_array().unwrap().iter().find(|row| row["index"] == n).unwrap();
        let changes = row["changes"].as_array().unwrap().iter();
        let stamp = |change: &&Value| change["field"] == "updated_at";
        changes.filter(|change| !stamp(change)).cloned().collect()
    };
    let change =
        |field: &str, before: Value, after: Value| json!({"field": field, "before": before, "after": after});
    assert!(of(1).contains(&change("title", Value::Null, json!("One"))), "{answer}");
    assert!(of(1).contains(&change("body", json!(""), json!("text"))), "{answer}");
    assert_eq!(
        of(2),
        [
            change("estimated_minutes", Value::Null, json!(30)),
            change("tags", json!(["b"]), json!(["a", "b"]))
        ]
    );
    let comment = json!([{"created_at": "2026-03-01T09:02:00.000Z", "author": "alice", "text": "heard"}]);
    assert_eq!(of(3), [change("comments", Value::Null, comment)]);
    assert_eq!(
        of(4),
        [change("body", json!("text"), json!("other")), change("estimated_minutes", json!(30), Value::Null)]
    );
}
