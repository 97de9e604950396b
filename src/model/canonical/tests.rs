//! What each field becomes.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn made(field: &str, value: Value) -> Result<Value, String> {
    let metadata = Map::from_iter([(field.to_owned(), value)]);
    let mut canonical = canonicalise(&metadata).map_err(|error| error.to_string())?;
    Ok(canonical.remove(field).unwrap_or(json!("absent")))
}

fn becomes(field: &str, from: Value, to: Value) {
    assert_eq!(made(field, from.clone()), Ok(to), "{field}: {from}");
    // Seen without being made, a field is the same.
    let seen = view(field, &from).unwrap().map(|view| match view {
        View::Same(value) => value.clone(),
        View::Text(text) => Value::from(text),
        View::List(entries) => entries.into_iter().cloned().collect(),
        View::Made(value) => value,
    });
    assert_eq!(seen, super::field(field, from).unwrap());
}

fn refused(field: &str, value: Value) {
    let told = made(field, value.clone()).unwrap_err();
    assert!(told.starts_with(&format!("field `{field}`: ")), "{told}");
    assert!(view(field, &value).is_err());
}

const NONE: &str = "absent";

#[test]
fn scalars() {
    for (field, from, to) in [
        ("assignee", json!("\u{feff} me \n"), json!("me")),
        ("assignee", json!(" \t"), json!(NONE)),
        ("assignee", json!(7), json!(NONE)),
        ("author", json!(" me "), json!(" me ")),
        ("author", json!(""), json!(NONE)),
        ("deadline", json!(null), json!(NONE)),
        ("closed_at", json!("x"), json!("x")),
        ("acceptance_criteria", json!(""), json!("")),
        ("acceptance_criteria", json!(null), json!(NONE)),
        ("risk", json!("odd"), json!("odd")),
        ("confidence", json!(" Med"), json!("medium")),
        ("confidence", json!("sure"), json!(NONE)),
        ("confidence", json!(250), json!(250)),
        ("severity", json!("CRITICAL"), json!("critical")),
        ("severity", json!("huge"), json!(NONE)),
        ("status", json!(" In-Progress "), json!("in_progress")),
        ("status", json!("cancelled"), json!("canceled")),
        ("status", json!("Review"), json!("Review")),
        ("pm_format_version", json!(1), json!(NONE)),
        ("pm_format_version", json!(2), json!(2)),
        ("pm_format_version", json!("2"), json!(NONE)),
        ("regression", json!(false), json!(false)),
        ("order", json!(null), json!(null)),
        ("zzz", json!(null), json!(null)),
        ("__proto__", json!(1), json!(NONE)),
        ("type_options", json!({"b ": " x", "a": "y", "c": " "}), json!({"a": "y", "b": "x"})),
        ("type_options", json!({}), json!(NONE)),
        (
            "tags",
            json!(["Zeta", "alpha", "b_c", " b-c", "ZETA", "", 7]),
            json!(["alpha", "b_c", "b-c", "zeta"]),
        ),
        ("tags", json!("x"), json!([])),
        ("tags", json!(["Ünï"]), json!(["ünï"])),
    ] {
        becomes(field, from, to);
    }
    refused("confidence", json!(null));
    refused("severity", json!(3));
    refused("type_options", json!({"a": 1}));
}

#[test]
fn collections_of_records() {
    let at = |n: u8| format!("2026-07-28T10:00:0{n}.000Z");
    becomes("dependencies", json!([]), json!(NONE));
    becomes(
        "dependencies",
        json!([
            {"kind": "related", "id": "PM-B ", "created_at": at(1), "author": " ", "odd": 1},
            {"id": "pm-c", "kind": "blocks", "created_at": at(0), "author": null, "author_source": "asserted"},
            {"id": "pm-b", "kind": "blocks", "created_at": "2026-07-28T12:00:01+02:00", "source_kind": "x"},
        ]),
        json!([
            {"id": "pm-c", "kind": "blocks", "created_at": at(0), "author_source": "asserted"},
            {"id": "pm-b", "kind": "related", "created_at": at(1)},
            {"id": "pm-b", "kind": "blocks", "created_at": "2026-07-28T12:00:01+02:00", "source_kind": "x"},
        ]),
    );
    refused("dependencies", json!([{"kind": "blocks"}]));
    refused("dependencies", json!(["pm-a"]));
    refused("dependencies", json!("pm-a"));
    let comment = |n, text: &str| json!({"created_at": at(n), "text": text, "author": "a", "odd": [1]});
    becomes(
        "comments",
        json!([comment(1, "b"), comment(1, "a"), comment(0, "c")]),
        json!([comment(0, "c"), comment(1, "a"), comment(1, "b")]),
    );
    becomes("notes", json!([{"odd": 1}]), json!([{"odd": 1}]));
    refused("notes", json!([{"odd": 1}, {"odd": 2}]));
    becomes(
        "files",
        json!([{"path": "b\\c", "scope": "project", "note": " "}, {"note": "n", "scope": "global", "path": "a"}]),
        json!([{"path": "b/c", "scope": "project"}, {"path": "a", "scope": "global", "note": "n"}]),
    );
    becomes(
        "docs",
        json!([{"path": "b", "scope": "project"}, {"path": "c", "scope": "global"}, {"path": "a", "scope": "project"}]),
        json!([{"path": "c", "scope": "global"}, {"path": "a", "scope": "project"}, {"path": "b", "scope": "project"}]),
    );
    refused("files", json!([{"scope": "project"}]));
    becomes(
        "reminders",
        json!([{"text": " b ", "at": at(2)}, {"at": at(1), "text": "a"}, {"at": at(0), "text": " "}]),
        json!([{"at": at(1), "text": "a"}, {"at": at(2), "text": "b"}]),
    );
    refused("reminders", json!([{"text": "x"}]));
}

#[test]
fn tests_and_their_runs() {
    becomes(
        "tests",
        json!([{
            "note": " n ", "scope": "project", "command": " cargo test ", "path": "", "timeout_seconds": 0,
            "pm_context_mode": "AUTO", "shared_host_safe": false, "env_clear": ["b", " a", "b", 1],
            "env_set": {"B": 1, "A": " x ", "C": ""}, "assert_stdout_min_lines": 2.7,
            "assert_json_field_equals": {"k": true}, "assert_json_field_gte": {"n": "3", "m": 0.5, "x": "y"},
        }]),
        json!([{
            "command": "cargo test", "scope": "project", "pm_context_mode": "auto",
            "env_set": {"A": "x", "B": "1"}, "env_clear": ["a", "b"], "assert_stdout_min_lines": 2,
            "assert_json_field_equals": {"k": "true"}, "assert_json_field_gte": {"m": 0.5, "n": 3}, "note": "n",
        }]),
    );
    becomes(
        "tests",
        json!([{"command": "b"}, {"command": "a"}]),
        json!([{"command": "b"}, {"command": "a"}]),
    );
    refused("tests", json!([7]));
    let run = |id: &str, more: Value| {
        let mut run = json!({"run_id": id, "kind": "test", "status": "passed", "started_at": "a", "finished_at": "b",
            "recorded_at": "2026-07-28T10:00:00.000Z", "passed": 1, "failed": 0, "skipped": 0});
        run.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        run
    };
    becomes(
        "test_runs",
        json!([
            run("r2", json!({"kind": "odd", "status": "odd", "passed": -1, "attempt": 0, "measurements": [
                {"name": "t", "value": 1, "recorded_at": "x"}, {"name": "a", "value": 2, "recorded_at": "x", "unit": " ms"},
                {"name": "t", "value": 3, "recorded_at": "x"}, {"name": "u", "value": "3", "recorded_at": "x"}],
                "executions": [{"command": " c "}, {"command": " "}, 7]})),
            run("r1", json!({})),
            {"run_id": "r0"},
        ]),
        json!([
            run("r1", json!({})),
            {"run_id": "r2", "kind": "test", "status": "failed", "started_at": "a", "finished_at": "b",
             "recorded_at": "2026-07-28T10:00:00.000Z", "passed": 0, "failed": 0, "skipped": 0,
             "measurements": [{"name": "a", "value": 2, "unit": "ms", "recorded_at": "x"},
                              {"name": "t", "value": 3, "recorded_at": "x"}],
             "executions": [{"command": "c"}]},
        ]),
    );
    becomes("test_runs", json!([{"run_id": "r0"}]), json!(NONE));
}

#[test]
fn events_and_plans() {
    becomes(
        "events",
        json!([{"title": " T ", "start_at": "2026-07-28T10:00:00.000Z", "end_at": "", "all_day": false, "recurrence": {
            "freq": "Weekly", "interval": 1, "count": 3, "by_weekday": ["sun", "MON", "odd"], "by_month_day": [31, 1, 1, 40],
            "exdates": ["2026-07-30", "2026-07-29", "2026-07-29", "odd"]}}]),
        json!([{"start_at": "2026-07-28T10:00:00.000Z", "title": "T", "all_day": false, "recurrence": {
            "freq": "weekly", "count": 3, "by_weekday": ["mon", "sun"], "by_month_day": [1, 31],
            "exdates": ["2026-07-29", "2026-07-30"]}}]),
    );
    let step = |order: Value, more: Value| {
        let mut step = json!({"id": "plan-step-001", "order": order, "title": "t", "status": "pending",
            "created_at": "a", "updated_at": "b"});
        step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        step
    };
    becomes(
        "plan_steps",
        json!([
            step(json!("2"), json!({"owner": " o ", "linked_items": [{"kind": "blocks", "id": " x "}, {"id": "y"}]})),
            step(json!(1), json!({"tests": [{"path": "a\\b"}, {"note": "n"}], "files": [{"path": "f", "scope": "odd"}]})),
            step(json!(3), json!({"status": "odd"})),
            {"id": "x"},
        ]),
        json!([
            step(json!(1), json!({"files": [{"path": "f"}], "tests": [{"path": "a/b"}]})),
            step(json!(2), json!({"owner": "o", "linked_items": [{"id": "x", "kind": "blocks"}]})),
        ]),
    );
    becomes(
        "plan_decisions",
        json!([{"decision": " d ", "ts": "t", "author": "a", "odd": 1}, {"ts": "t"}]),
        json!([{"ts": "t", "author": "a", "decision": "d"}]),
    );
    becomes(
        "plan_discoveries",
        json!([{"text": "d", "ts": "t", "author": "a"}]),
        json!([{"ts": "t", "author": "a", "text": "d"}]),
    );
    becomes(
        "plan_validation",
        json!([{"command": "c", "text": "t"}, {"command": "c"}, 3]),
        json!([{"text": "t", "command": "c"}]),
    );
}

#[test]
fn keys_are_ordered() {
    let metadata = json!({"zeta": 1, "b-c": 1, "plan_mode": "draft", "b_c": 1, "status": "open", "id": "x"});
    let canonical = canonicalise(metadata.as_object().unwrap()).unwrap();
    assert_eq!(
        canonical.keys().collect::<Vec<_>>(),
        ["id", "status", "tags", "plan_mode", "b_c", "b-c", "zeta"]
    );
    assert!(FIELD_ORDER.iter().enumerate().all(|(i, field)| rank(field) == i));
}

proptest! {
    #[test]
    fn the_form_of_a_form_is_itself(field in prop::sample::select(FIELD_ORDER), value in values()) {
        if let Ok(Some(form)) = super::field(field, value.clone()) {
            prop_assert_eq!(super::field(field, form.clone()), Ok(Some(form.clone())));
        }
        prop_assert_eq!(view(field, &value).is_ok(), super::field(field, value).is_ok());
    }
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2i64..40).prop_map(Value::from),
        (-2.0f64..3.0).prop_map(Value::from),
        prop::sample::select(vec![
            "",
            " a ",
            "B",
            "pm-x",
            "2026-07-28T10:00:00.000Z",
            "2026-07-28",
            "weekly",
            "mon",
            "pending",
            "project",
            "test"
        ])
        .prop_map(Value::from),
    ];
    let keys = prop::sample::select(vec![
        "id",
        "kind",
        "created_at",
        "updated_at",
        "author",
        "text",
        "path",
        "scope",
        "note",
        "command",
        "env_set",
        "env_clear",
        "run_id",
        "started_at",
        "finished_at",
        "recorded_at",
        "at",
        "start_at",
        "recurrence",
        "freq",
        "by_weekday",
        "exdates",
        "title",
        "status",
        "order",
        "linked_items",
        "ts",
        "decision",
        "measurements",
        "name",
        "value",
        "interval",
    ]);
    leaf.prop_recursive(4, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((keys.clone(), inner), 0..8).prop_map(|members| Value::Object(
                members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
            )),
        ]
    })
}
