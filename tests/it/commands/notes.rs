use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn a_structured_note_keeps_its_data() {
    let mut sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox.ok(&["notes", "a", "plain"]);
    sandbox.set("PM_CLOCK", "2026-03-02T00:00:00.000Z");
    let added = sandbox.json(&["notes", "a", "--add-json", r#"{"type":"build","ok":true}"#]);
    assert_eq!(
        added["notes"],
        json!([{"created_at": "2026-03-02T00:00:00.000Z", "author": "alice", "text": r#"{"ok":true,"type":"build"}"#,
            "format": "json", "data": {"type": "build", "ok": true}, "event_type": "build"}])
    );
    let of = |flags: &[&str]| {
        let mut argv = vec!["notes", "a"];
        argv.extend(flags);
        sandbox.json(&argv)["notes"].as_array().unwrap().len()
    };
    assert_eq!((of(&[]), of(&["--event-type", "build"]), of(&["--event-type", "x"])), (2, 1, 0));
    assert_eq!((of(&["--since", "2026-03-02"]), of(&["--since", "2026-03-03"])), (1, 0));
    for (argv, code) in [
        (&["notes", "a", "--edit", "2", "x"][..], "structured_event_immutable"),
        (&["notes", "a", "--add-json", "[1]"], "structured_event_json_invalid"),
        (&["notes", "a", "--add-json", "{"], "structured_event_json_invalid"),
        (&["notes", "a", "x", "--add-json", "{}"], "structured_event_input_conflict"),
        (&["notes", "a", "--since", "soon"], "invalid_argument_value"),
    ] {
        sandbox.refused(argv, 2, code);
    }
    let meta = sandbox.json(&["notes", "a", "--limit", "1", "--include-meta"]);
    assert_eq!((&meta["total_count"], &meta["returned_count"]), (&json!(2), &json!(1)));
}
