//! `pm context`.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn ids(rows: &Value) -> Vec<&str> {
    rows.as_array().into_iter().flatten().filter_map(|row| row["id"].as_str()).collect()
}

/// All rows in focus.
fn focus(answer: &Value) -> Vec<&str> {
    ["high_level", "low_level"].into_iter().flat_map(|key| ids(&answer[key])).collect()
}

fn tracker() -> Sandbox {
    Sandbox::with_items(&[
        ("pm-epic", "type: Epic\npriority: 1\nparent: pm-top"),
        ("pm-top", "type: Feature"),
        ("pm-a", "parent: pm-epic\ndeadline: \"2026-03-05T00:00:00.000Z\"\nassignee: bo"),
        ("pm-b", "parent: pm-epic\nblocked_by: pm-a\nblocked_reason: waits for a"),
        ("pm-c", "parent: pm-epic\nstatus: closed"),
        ("pm-late", "deadline: \"2026-02-20T00:00:00.000Z\""),
        (
            "pm-meet",
            "events[1]{start_at,title}:\n  \"2026-03-03T09:00:00.000Z\",Planning\n\
             reminders[1]{at,text}:\n  \"2026-03-02T09:00:00.000Z\",Call them",
        ),
        ("pm-now", "status: in_progress\npriority: 4\nupdated_at: \"2026-02-28T00:00:00.000Z\""),
        ("pm-draft", "status: draft"),
        ("pm-void", "status: canceled"),
    ])
}

#[test]
fn the_whole_tracker_is_counted_whatever_is_shown() {
    let pm = tracker();
    let expected = json!({"total_items": 10, "active_items": 8, "open": 6, "in_progress": 1, "blocked": 1,
        "closed": 1, "canceled": 1, "overdue": 1});
    for argv in
        [&["context"][..], &["context", "--limit", "1"], &["context", "--token-budget", "1"], &["ctx"]]
    {
        assert_eq!(pm.json(argv)["summary"], expected, "{argv:?}");
    }
    let narrow = pm.json(&["context", "--parent", "pm-epic"]);
    assert_eq!((&narrow["summary"]["total_items"], &narrow["summary"]["in_scope"]), (&json!(10), &json!(4)));
    assert_eq!(focus(&narrow), ["pm-epic", "pm-a", "pm-b"]);
    pm.refused(&["context", "--parent", "pm-nope"], 3, "item_not_found");
}

#[test]
fn the_focus_has_open_items_with_epics_apart() {
    let pm = tracker();
    let answer = pm.json(&["context"]);
    assert_eq!(ids(&answer["high_level"]), ["pm-epic", "pm-top"]);
    let low = ids(&answer["low_level"]);
    assert_eq!(low[0], "pm-now");
    assert!(!low.contains(&"pm-draft") && !low.contains(&"pm-c") && low.len() == 5, "{low:?}");
    let b = answer["low_level"].as_array().unwrap().iter().find(|row| row["id"] == "pm-b").unwrap();
    assert_eq!(b["blocked"], true);
    let fields = pm.json(&["context", "--fields", "id,blocker_ids,children_total,completion_pct"]);
    assert_eq!(fields["high_level"][0], json!({"id": "pm-epic", "children_total": 3, "completion_pct": 33}));
    pm.refused(&["context", "--fields", "id,titel"], 2, "unknown_field_projection");
    let ranking = pm.json(&["context", "--explain-ranking"])["ranking"].clone();
    for row in ranking.as_array().unwrap() {
        let parts: f64 =
            row.as_object().unwrap().iter().skip(2).map(|(_, part)| part.as_f64().unwrap()).sum();
        assert!((parts - row["score"].as_f64().unwrap()).abs() < 0.001, "{row}");
    }
}

#[test]
fn a_small_budget_lowers_rows_before_it_drops_them() {
    let pm = tracker();
    let tight = pm.json(&["context", "--token-budget", "80"]);
    assert_eq!(focus(&tight).len(), 7);
    assert_eq!(tight["high_level"][0], json!({"id": "pm-epic", "title": "Title of pm-epic"}));
    let least = pm.json(&["context", "--token-budget", "40"]);
    assert!(focus(&least).len() < 7 && focus(&least).contains(&"pm-now"), "{least}");
    let named =
        pm.json(&["context", "--token-budget", "80", "--fields", "id,title,status,type,priority,parent"]);
    assert!(focus(&named).len() < 7 && !named["low_level"][0]["status"].is_null(), "{named}");
}

#[test]
fn the_agenda_has_deadlines_reminders_and_events() {
    let pm = tracker();
    let events = pm.json(&["context", "--past"])["agenda"]["events"].clone();
    let entries: Vec<String> = events
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            format!("{} {} {}", &row["at"].as_str().unwrap()[..10], row["kind"], row["item_id"])
                .replace('"', "")
        })
        .collect();
    assert_eq!(
        entries,
        [
            "2026-02-20 deadline pm-late",
            "2026-03-02 reminder pm-meet",
            "2026-03-03 event pm-meet",
            "2026-03-05 deadline pm-a"
        ]
    );
    let ahead = pm.json(&["context"])["agenda"]["events"].clone();
    assert_eq!(ahead.as_array().map(Vec::len), Some(3));
    assert_eq!(
        ahead[2],
        json!({"at": "2026-03-05T00:00:00.000Z", "kind": "deadline", "item_id": "pm-a", "title": "Title of pm-a"})
    );
    let one = pm.json(&["context", "--from", "2026-03-03", "--to", "2026-03-04", "--full-envelope"]);
    assert_eq!(
        one["agenda"]["summary"],
        json!({"events": 1, "deadlines": 0, "reminders": 0, "scheduled": 1})
    );
    pm.refused(&["context", "--from", "2026-02-30"], 2, "invalid_argument_value");
}

#[test]
fn sections_come_by_depth_by_name_and_by_purpose() {
    let pm = tracker();
    let keys = |argv: &[&str]| {
        let answer = pm.json(argv);
        let known = [
            "hierarchy",
            "activity",
            "progress",
            "recently_created",
            "unparented",
            "workload",
            "blockers",
            "files",
            "staleness",
            "tests",
        ];
        known.into_iter().filter(|key| !answer[*key].is_null()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&["context"]), [""; 0]);
    assert_eq!(keys(&["context", "--depth", "standard"]).len(), 6);
    assert_eq!(keys(&["context", "--depth", "deep"]).len(), 10);
    assert_eq!(keys(&["context", "--section", "progress,blockers"]), ["progress", "blockers"]);
    assert_eq!(keys(&["context", "--for", "orient"]), ["hierarchy", "activity", "blockers"]);
    assert_eq!(keys(&["context", "--for", "handoff"]), ["activity", "progress", "blockers"]);
    pm.refused(&["context", "--section", "bogus"], 2, "invalid_argument_value");
    pm.refused(&["context", "--depth", "bogus"], 2, "invalid_argument_value");
    pm.refused(&["context", "--stale-threshold", "0d"], 2, "invalid_argument_value");
    pm.refused(&["context", "--for", "orintt"], 2, "unknown_context_intent");
    let deep = pm.json(&["context", "--depth", "deep", "--stale-threshold", "14"]);
    assert_eq!(
        deep["blockers"][0],
        json!({"id": "pm-b", "blocked_by": "pm-a", "blocked_by_title": "Title of pm-a", "blocked_by_status": "open"})
    );
    assert_eq!(deep["progress"][0]["completion_pct"], 25);
    assert_eq!(deep["hierarchy"][0]["children_blocked"], 1);
    assert_eq!(deep["workload"][0], json!({"assignee": null, "active": 6, "in_progress": 1}));
    assert_eq!(deep["staleness"][0]["stale_days"], 28);
    assert!(!ids(&deep["staleness"]).contains(&"pm-now"));
    assert_eq!(ids(&deep["unparented"]), ["pm-now", "pm-late", "pm-meet"]);
}

#[test]
fn only_what_changed_since_a_snapshot_is_shown() {
    let pm = tracker();
    let first = pm.json(&["context"])["snapshot"].as_str().unwrap().to_owned();
    assert_eq!(focus(&pm.json(&["context", "--since", &first])), [""; 0]);
    // A merge brings changes with older dates; the files tell.
    pm.item("pm-a", "parent: pm-epic\ntitle: Another\nupdated_at: \"2026-01-01T00:00:00.000Z\"");
    pm.item("pm-new", "updated_at: \"2026-01-01T00:00:00.000Z\"");
    pm.item("pm-b", "status: closed");
    std::fs::remove_file(pm.root().join("tasks/pm-late.toon")).unwrap();
    let changed = pm.json(&["context", "--since", &first]);
    assert_eq!(focus(&changed), ["pm-a", "pm-new"]);
    assert_eq!((ids(&changed["finished"]), &changed["removed"]), (vec!["pm-b"], &json!(["pm-late"])));
    let second = changed["snapshot"].as_str().unwrap();
    assert_eq!(focus(&pm.json(&["context", "--since", second])), [""; 0]);
    std::fs::remove_dir_all(pm.root().join("runtime")).unwrap();
    pm.item("pm-c", "title: Reopened\nupdated_at: \"2026-03-01T00:00:00.000Z\"");
    let lost = pm.json(&["context", "--since", &first]);
    assert_eq!(focus(&lost), ["pm-c"]);
    assert!(lost["warnings"][0].as_str().unwrap().starts_with("snapshot_not_kept:"));
    pm.refused(&["context", "--since", "yesterday"], 2, "invalid_argument_value");
}

#[test]
fn an_empty_tracker_says_how_to_begin() {
    let answer = Sandbox::with_items(&[]).json(&["context"]);
    assert_eq!((&answer["high_level"], &answer["summary"]["total_items"]), (&json!([]), &json!(0)));
    assert_eq!(answer["suggestions"].as_array().map(Vec::len), Some(4));
}
