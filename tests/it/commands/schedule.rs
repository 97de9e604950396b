//! `pm meet`, `pm event`, `pm remind`.

use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn meetings_and_events_have_a_time() {
    let sandbox = Sandbox::tracker();
    let made = sandbox.json(&[
        "meet",
        "Sync",
        "--start",
        "2026-09-01T10:00:00Z",
        "--duration",
        "2h",
        "--location",
        "Room",
        "--timezone",
        "Europe/Berlin",
        "--tags",
        "a,b",
        "--priority",
        "high",
        "--message",
        "why",
    ]);
    let item = &sandbox.json(&["get", made["id"].as_str().expect("an id"), "--full"])["item"];
    assert_eq!(
        (&item["type"], &item["priority"], &item["tags"]),
        (&json!("Meeting"), &json!(1), &json!(["a", "b"]))
    );
    assert_eq!(
        item["events"],
        json!([{"start_at": "2026-09-01T10:00:00.000Z", "end_at": "2026-09-01T12:00:00.000Z", "location": "Room", "timezone": "Europe/Berlin"}])
    );
    let made = sandbox.json(&["event", "Launch", "--all-day"]);
    let item = &sandbox.json(&["get", made["id"].as_str().expect("an id"), "--full"])["item"];
    assert_eq!(
        item["events"],
        json!([{"start_at": "2026-03-01T12:00:00.000Z", "end_at": "2026-03-01T13:00:00.000Z", "all_day": true}])
    );
    let minutes = sandbox.json(&["meet", "Short", "--duration", "30min"]);
    let item = &sandbox.json(&["get", minutes["id"].as_str().expect("an id"), "--full"])["item"];
    assert_eq!(item["events"][0]["end_at"], "2026-03-01T12:30:00.000Z");
}

#[test]
fn reminders_come_a_day_later_with_their_title() {
    let sandbox = Sandbox::tracker();
    let made = sandbox.json(&["remind", "Ping"]);
    let item = &sandbox.json(&["get", made["id"].as_str().expect("an id"), "--full"])["item"];
    assert_eq!(item["reminders"], json!([{"at": "2026-03-02T12:00:00.000Z", "text": "Ping"}]));
    let made = sandbox.json(&["remind", "Call", "--at", "+2d", "--text", "Bo"]);
    let item = &sandbox.json(&["get", made["id"].as_str().expect("an id"), "--full"])["item"];
    assert_eq!(item["reminders"], json!([{"at": "2026-03-03T12:00:00.000Z", "text": "Bo"}]));
}

#[test]
fn what_cannot_be_scheduled_is_refused_by_its_flag() {
    let sandbox = Sandbox::tracker();
    for (argv, surface) in [
        (&["event", "E", "--start", "2026-09-02", "--end", "2026-09-01"][..], "--end"),
        (&["event", "E", "--start", "soon"], "--start"),
        (&["event", "E", "--end", "2026-02-30"], "--end"),
        (&["meet", "E", "--duration", "long"], "--duration"),
        (&["meet", "E", "--duration", "-1h"], "--duration"),
        (&["remind", "R", "--at", "soon"], "--at"),
        (&["remind", " "], "--title"),
        (&["remind", "R", "--priority", "9"], "--priority"),
    ] {
        let error = sandbox.refused(argv, 2, "invalid_argument_value");
        assert_eq!(error["refusal"]["surface"], surface, "{argv:?}");
    }
    sandbox.refused(&["meet", "M", "--parent", "pm-none"], 2, "parent_not_found");
    sandbox.ok(&["meet", "M", "--parent", "pm-none", "--allow-missing-parent", "--dry-run"]);
    sandbox.refused(&["meet"], 2, "missing_required_argument");
    for argv in [&["meet", "M", "--dry-run"][..], &["event", "E", "--dry-run"], &["remind", "R", "--dry-run"]]
    {
        assert_eq!(sandbox.json(argv)["dry_run"], true);
    }
    assert_eq!(sandbox.json(&["list", "--all"])["count"], 0);
}
