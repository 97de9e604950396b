use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A tracker in which ann created two items and closed one, a day and more before bob deleted a third.
fn lively() -> Sandbox {
    let mut sandbox = Sandbox::tracker();
    for (clock, author, argv) in [
        (
            "2026-02-27T09:00:00.000Z",
            "ann",
            vec!["create", "--title", "One", "--id", "pm-one", "--message", "why"],
        ),
        ("2026-03-01T09:00:00.000Z", "ann", vec!["create", "--title", "Two", "--id", "pm-two"]),
        ("2026-03-01T09:10:00.000Z", "bob", vec!["create", "--title", "Three", "--id", "pm-three"]),
        ("2026-03-01T09:20:00.000Z", "ann", vec!["comments", "pm-one", "--add", "Hello"]),
        ("2026-03-01T09:30:00.000Z", "ann", vec!["close", "pm-one", "--reason", "done"]),
        ("2026-03-01T09:40:00.000Z", "bob", vec!["delete", "pm-three"]),
    ] {
        sandbox.set("PM_CLOCK", clock).set("PM_AUTHOR", author);
        sandbox.ok(&argv);
    }
    sandbox.set("PM_CLOCK", "2026-03-01T12:00:00.000Z").set("PM_AUTHOR", "alice");
    sandbox
}

fn told(answer: &Value) -> Vec<String> {
    let rows = answer["compact_activity"].as_array().unwrap_or_else(|| panic!("no rows in {answer}"));
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    rows.iter().map(|row| format!("{} {}", text(row, "id"), text(row, "op"))).collect()
}

#[test]
fn the_digest_tells_of_the_last_day_item_by_item() {
    let sandbox = lively();
    let answer = sandbox.json(&["activity"]);
    assert_eq!(
        answer["activity_digest"],
        json!([
            {"id": "pm-three", "type": "unknown", "status": "unknown", "title": "(item metadata unavailable)",
             "event_count": 2, "first_ts": "2026-03-01T09:10:00.000Z", "last_ts": "2026-03-01T09:40:00.000Z",
             "operations": "create:1,delete:1"},
            {"id": "pm-one", "type": "Task", "status": "closed", "title": "One", "event_count": 2,
             "first_ts": "2026-03-01T09:20:00.000Z", "last_ts": "2026-03-01T09:30:00.000Z",
             "operations": "close:1,comment_add:1"},
            {"id": "pm-two", "type": "Task", "status": "open", "title": "Two", "event_count": 1,
             "first_ts": "2026-03-01T09:00:00.000Z", "last_ts": "2026-03-01T09:00:00.000Z",
             "operations": "create:1"},
        ])
    );
    let window = json!({"from": "2026-02-28T12:00:00.000Z", "to": "2026-03-01T12:00:00.000Z"});
    assert_eq!(answer["activity_summary"]["window"], window);
    assert_eq!(answer["activity_summary"]["operation_counts"]["create"], 2);
    assert_eq!((&answer["count"], &answer["total_count"]), (&json!(3), &json!(3)));
    assert_eq!(answer["activity_summary"]["author_count"], 2);
    let all = sandbox.json(&["activity", "--from", "7d", "--limit", "1"]);
    assert_eq!((&all["total_count"], &all["has_more"]), (&json!(3), &json!(true)));
    assert_eq!(all["activity_summary"]["event_count"], 6);
}

#[test]
fn events_come_one_by_one_the_newest_first() {
    let sandbox = lively();
    let answer = sandbox.json(&["activity", "--raw"]);
    assert_eq!(
        told(&answer),
        [
            "pm-three delete",
            "pm-one close",
            "pm-one comment_add",
            "pm-three create",
            "pm-two create",
            "pm-one create"
        ]
    );
    assert_eq!(answer["compact_activity"][5]["msg"], "why");
    assert!(answer["compact_activity"][4].get("msg").is_none(), "an empty message is none");
    assert_eq!(sandbox.json(&["activity", "--compact"])["compact_activity"], answer["compact_activity"]);
    let full = sandbox.json(&["activity", "--full", "--limit", "1"]);
    assert_eq!(
        (&full["activity"][0]["op"], &full["activity"][0]["id"]),
        (&json!("delete"), &json!("pm-three"))
    );
    assert!(full["activity"][0]["patch"].is_array());
    let who = sandbox.json(&["activity", "--provenance", "--provenance-summary"]);
    assert_eq!(who["provenance_activity"][0]["author_source"], "asserted");
    assert_eq!(who["provenance_summary"]["entries"], 6);
}

#[test]
fn filters_narrow_what_is_told() {
    let sandbox = lively();
    let of = |argv: &[&str]| told(&sandbox.json(&[&["activity", "--raw"], argv].concat()));
    assert_eq!(of(&["--author", "bob"]), ["pm-three delete", "pm-three create"]);
    assert_eq!(of(&["--id", "one", "--op", "close,create"]), ["pm-one close", "pm-one create"]);
    assert_eq!(of(&["--id", "three"]), ["pm-three delete", "pm-three create"]);
    let window = ["--from", "2026-03-01T09:10:00Z", "--to", "2026-03-01T09:30:00Z"];
    assert_eq!(
        of(&window),
        ["pm-one comment_add", "pm-three create"],
        "from belongs to the window, to does not"
    );
    assert_eq!(of(&["--since", "2026-03-01T09:40:00Z"]), ["pm-three delete"]);
    assert_eq!(of(&["--provenance-filter", "author=bob"]).len(), 2);
}

#[test]
fn pages_are_the_whole_once_even_when_something_happens_between_them() {
    let mut sandbox = lively();
    let first = sandbox.json(&["activity", "--raw", "--limit", "2"]);
    sandbox.set("PM_CLOCK", "2026-03-01T13:00:00.000Z");
    sandbox.ok(&["comments", "pm-one", "--add", "Meanwhile"]);
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = sandbox.json(&["activity", "--raw", "--limit", "2", "--output-cursor", cursor]);
    assert_eq!(told(&first), ["pm-three delete", "pm-one close"]);
    assert_eq!(told(&second), ["pm-one comment_add", "pm-three create"]);
}

#[test]
fn an_empty_window_says_which_and_how_to_widen_it() {
    let mut sandbox = lively();
    sandbox.set("PM_CLOCK", "2026-04-01T12:00:00.000Z");
    let answer = sandbox.json(&["activity"]);
    assert_eq!(answer["activity_digest"], json!([]));
    assert_eq!(answer["window"]["from"], "2026-03-31T12:00:00.000Z");
    assert_eq!(answer["last_event"]["op"], "delete");
    let widen = answer["widen_with"].as_str().unwrap();
    let words: Vec<&str> = ["activity"].into_iter().chain(widen.split(' ')).collect();
    assert_eq!(sandbox.json(&words)["total_count"], 3);
    let empty = Sandbox::tracker();
    assert_eq!(empty.json(&["activity"])["activity_digest"], json!([]));
    assert_eq!(empty.json(&["activity", "--raw"])["total_count"], 0);
    assert!(empty.ok(&["activity"]).contains("--from -30d"));
}

#[test]
fn an_unreadable_stream_is_named_and_the_rest_is_served() {
    let sandbox = lively();
    let path = ".agents/pm/history/pm-two.jsonl";
    let whole = sandbox.read(path);
    sandbox.write(path, format!("{whole}no entry\n{whole}"));
    let answer = sandbox.json(&["activity", "--raw"]);
    assert_eq!(answer["total_count"], 5);
    let unreadable = &answer["completeness"]["unreadable"][0];
    assert_eq!(
        (&unreadable["path"], &unreadable["code"]),
        (&json!("history/pm-two.jsonl"), &json!("history_stream_unreadable"))
    );
    assert!(unreadable["problem"].as_str().is_some_and(|problem| problem.contains("line 2")), "{answer}");
    sandbox.write(path, format!("{whole}<<<<<<< ours\n"));
    let answer = sandbox.json(&["activity"]);
    assert_eq!(answer["completeness"]["unreadable"][0]["code"], "history_merge_conflict_markers_detected");
    // A line that was never finished does not count.
    sandbox.write(path, format!("{whole}{{\"ts\":\"2026-"));
    let answer = sandbox.json(&["activity", "--raw"]);
    assert_eq!((&answer["total_count"], answer.get("completeness")), (&json!(6), None));
}

#[test]
fn what_cannot_be_is_refused() {
    let sandbox = lively();
    for (argv, code) in [
        (&["--unbounded", "--limit", "3"][..], "conflicting_arguments"),
        (&["--raw", "--full"], "conflicting_arguments"),
        (&["--from", "2026-01-02", "--to", "2026-01-01"], "invalid_argument_value"),
        (&["--from", "soon"], "invalid_argument_value"),
        (&["--op", ""], "invalid_argument_value"),
        (&["--stream"], "missing_required_option"),
    ] {
        let argv: Vec<&str> = ["activity"].iter().chain(argv).copied().collect();
        let output = sandbox.pm(&argv).expect(2);
        assert!(output.stdout.is_empty(), "{output:?}");
        if argv[1] != "--stream" {
            sandbox.refused(&argv, 2, code);
        }
    }
    sandbox.refused(&["activity", "--id", "nobody"], 3, "item_not_found");
}

#[test]
fn rows_stream_as_lines() {
    let sandbox = lively();
    let lines = sandbox.ok(&["activity", "--raw", "--json", "--stream", "ndjson", "--limit", "2"]);
    let kinds: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].clone()).collect();
    assert_eq!(kinds, ["meta", "entry", "entry", "end"]);
}
