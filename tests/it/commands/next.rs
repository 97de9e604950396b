//! `pm next`.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn ids(rows: &Value) -> Vec<&str> {
    rows.as_array().into_iter().flatten().filter_map(|row| row["id"].as_str()).collect()
}

/// A chain of three, one alone, a decision that holds something up, an epic with an open child, somebody else's item.
fn tracker() -> Sandbox {
    Sandbox::with_items(&[
        ("pm-alone", "updated_at: \"2026-02-20T00:00:00.000Z\""),
        ("pm-root", ""),
        ("pm-mid", "blocked_by: pm-root"),
        ("pm-leaf", "dependencies[1]{id,kind,created_at}:\n  pm-mid,blocked_by,\"2026-02-01T00:00:00.000Z\""),
        ("pm-dec", "type: Decision"),
        ("pm-wait", "priority: 0\nblocked_by: pm-dec"),
        ("pm-lost", "priority: 0\nblocked_by: pm-nowhere"),
        ("pm-epic", "type: Epic\npriority: 0"),
        ("pm-child", "parent: pm-epic\npriority: 4"),
        ("pm-bos", "priority: 0\nassignee: bo"),
        ("pm-done", "status: closed\npriority: 0"),
    ])
}

#[test]
fn the_item_that_unblocks_most_is_recommended_and_the_decision_is_shown() {
    let pm = tracker();
    let answer = pm.json(&["next"]);
    assert_eq!(answer["recommended"]["id"], "pm-root");
    assert_eq!(answer["recommended"]["reasons"], json!(["ready, nothing blocks it", "unblocks 2: pm-mid"]));
    assert_eq!(ids(&answer["decision_needed"]), ["pm-dec"]);
    let expected = json!({"ready": 3, "blocked": 4, "in_progress": 0, "candidates": 10, "containers": 1,
        "decision_needed": 1, "held_by_others": 1});
    assert_eq!(answer["summary"], expected);
    let text = pm.ok(&["next"]);
    assert!(text.len() <= 600, "{} bytes: {text}", text.len());
}

#[test]
fn limits_show_the_queue_and_what_waits() {
    let pm = tracker();
    let answer = pm.json(&["next", "--limit", "2"]);
    assert_eq!(ids(&answer["ready"]), ["pm-alone", "pm-child"]);
    assert_eq!(answer["ready"][0]["rank"], 2);
    assert_eq!(ids(&answer["blocked"]), ["pm-lost", "pm-wait"]);
    assert_eq!(answer["blocked"][0]["waits_for"], "pm-nowhere");
    let held = pm.json(&["next", "--output-include", "held_by_others"]);
    assert_eq!(held["held_by_others"], json!([{"id": "pm-bos", "assignee": "bo"}]));
    assert!(pm.json(&["next", "--limit", "2", "--ready-only"])["blocked"].is_null());
    assert_eq!(ids(&pm.json(&["next", "--limit", "1", "--blocked-limit", "4"])["blocked"]).len(), 4);
    assert_eq!(ids(&pm.json(&["next", "--limit", "9", "--include-decisions"])["ready"]).len(), 3);
    let more = pm.json(&["next", "--limit", "2", "--output-include", "blocked,id,blockers"]);
    assert_eq!(more["blocked"][0]["blockers"], json!([{"id": "pm-nowhere", "title": null, "status": null}]));
}

#[test]
fn what_a_score_is_made_of_adds_up() {
    let pm = tracker();
    let answer = pm.json(&["next", "--why", "--limit", "5"]);
    let rows = answer["why"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        let parts: f64 =
            row.as_object().unwrap().iter().skip(2).map(|(_, part)| part.as_f64().unwrap()).sum();
        assert!((parts - row["score"].as_f64().unwrap()).abs() < 1e-9, "{row}");
    }
    assert_eq!((&rows[0]["unblocks"], &rows[0]["critical_path"]), (&json!(9.5), &json!(10)));
    assert_eq!(answer["recommended"]["score"], rows[0]["score"]);
}

#[test]
fn an_epic_whose_children_are_over_comes_last_and_says_so() {
    let pm = tracker();
    pm.item("pm-child", "parent: pm-epic\nstatus: closed");
    let answer = pm.json(&["next", "--limit", "5"]);
    assert_eq!(ids(&answer["ready"]), ["pm-alone", "pm-epic"]);
    let alone = pm.json(&["next", "--ids", "pm-epic"]);
    assert_eq!(alone["recommended"]["reasons"][0], "all its children are over: close it");
}

#[test]
fn filters_and_subtrees_choose_candidates() {
    let pm = tracker();
    assert_eq!(pm.json(&["next", "--parent", "epic"])["recommended"]["id"], "pm-child");
    assert_eq!(pm.json(&["next", "--parent", "pm-epic"])["summary"]["candidates"], 2);
    pm.refused(&["next", "--parent", "pm-nope"], 3, "item_not_found");
    pm.refused(&["next", "--for", "exectue"], 2, "unknown_context_intent");
    assert_eq!(pm.json(&["next", "--assignee", "bo"])["recommended"]["id"], "pm-bos");
    let nothing = pm.json(&["next", "--type", "Plan"]);
    assert_eq!(nothing["recommended"], Value::Null);
    assert_eq!(nothing["suggestions"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_fresh_tracker_has_nothing_to_offer() {
    let pm = Sandbox::with_items(&[]);
    let answer = pm.json(&["next"]);
    assert_eq!((&answer["recommended"], &answer["summary"]["candidates"]), (&Value::Null, &json!(0)));
}

#[test]
fn a_claim_takes_the_recommended_item_and_is_kept() {
    let pm = tracker();
    let answer = pm.json(&["next", "--claim"]);
    assert_eq!((&answer["recommended"]["id"], &answer["claimed_by"]), (&json!("pm-root"), &json!("alice")));
    let again = pm.json(&["next", "--claim"]);
    assert_eq!((&again["recommended"]["id"], &again["already_held"]), (&json!("pm-root"), &json!(true)));
    assert_eq!(pm.json(&["next"])["recommended"]["reasons"][1], "assigned to you");
    let other = pm.json(&["next", "--author", "bo", "--limit", "9"]);
    assert_eq!(
        (&other["recommended"]["id"], &other["summary"]["held_by_others"]),
        (&json!("pm-bos"), &json!(1))
    );
    pm.refused(&["next", "--claim", "--type", "Plan"], 3, "no_available_next_item");
    let before = pm.read(".agents/pm/tasks/pm-alone.toon");
    assert_eq!(pm.json(&["next", "--claim", "--ids", "pm-alone", "--dry-run"])["dry_run"], true);
    assert_eq!(pm.read(".agents/pm/tasks/pm-alone.toon"), before);
}

#[test]
fn claims_at_the_same_moment_take_different_items() {
    let pm = Sandbox::with_items(&[("pm-a", ""), ("pm-b", ""), ("pm-c", ""), ("pm-d", "")]);
    let got: Vec<String> = std::thread::scope(|scope| {
        let claim = |n: usize| {
            let pm = &pm;
            scope.spawn(move || {
                let session = format!("session-{n}");
                let answer = pm.json(&["next", "--claim", "--session", &session]);
                answer["recommended"]["id"].as_str().unwrap().to_owned()
            })
        };
        let threads: Vec<_> = (0..4).map(claim).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut different = got.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), 4, "{got:?}");
}

#[test]
fn a_negative_limit_is_refused() {
    let sandbox = Sandbox::tracker();
    for flag in ["--limit", "--blocked-limit"] {
        sandbox.refused(&["next", flag, "-1"], 2, "invalid_argument_value");
    }
}

#[test]
fn rows_say_when_all_children_are_over() {
    let pm = Sandbox::with_items(&[
        ("pm-now", "priority: 0"),
        ("pm-epic", "type: Epic\npriority: 1"),
        ("pm-done", "parent: pm-epic\nstatus: closed"),
        ("pm-last", "priority: 3"),
    ]);
    for argv in [&["next"][..], &["next", "--limit", "3"]] {
        let answer = pm.json(argv);
        let rows = answer["ready"].as_array().unwrap();
        let note = |id: &str| rows.iter().find(|row| row["id"] == id).map(|row| row["note"].clone());
        assert_eq!(note("pm-epic"), Some("ready to close".into()), "{answer}");
        assert_eq!(note("pm-last"), Some(serde_json::Value::Null), "{answer}");
    }
    // A column that tells nothing is not there.
    let without = pm.ok(&["next", "--parent", "pm-last"]);
    assert!(!without.contains("note"), "{without}");
}
