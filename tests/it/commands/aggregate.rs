//! `pm aggregate`.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn tracker() -> Sandbox {
    Sandbox::with_items(&[
        ("pm-a", "type: Epic\ntags[2]: io,net\nestimated_minutes: 30"),
        ("pm-b", "parent: pm-a\ntags[1]: net\nstatus: closed\nestimated_minutes: 90"),
        ("pm-c", "parent: pm-a\nassignee: bo"),
        ("pm-d", "parent: pm-a\nstatus: canceled"),
    ])
}

fn groups(answer: &Value) -> Vec<String> {
    let group = |row: &Value| {
        let values: Vec<String> =
            row["group"].as_object().unwrap().values().map(|v| v.to_string().replace('"', "")).collect();
        format!("{}={}", values.join("/"), row["count"])
    };
    answer["groups"].as_array().unwrap().iter().map(group).collect()
}

#[test]
fn groups_are_ordered_and_tags_count_one_by_one() {
    let pm = tracker();
    let by = |fields: &str| groups(&pm.json(&["aggregate", "--group-by", fields]));
    assert_eq!(by("status"), ["canceled=1", "closed=1", "open=2"]);
    assert_eq!(by("type,status"), ["Epic/open=1", "Task/canceled=1", "Task/closed=1", "Task/open=1"]);
    assert_eq!(by("tags"), ["io=1", "net=2", "null=2"]);
    assert_eq!(by("tag_sets"), ["io,net=1", "net=1", "null=2"]);
    assert_eq!(by("assignee"), ["bo=1", "null=3"]);
    assert_eq!(groups(&pm.json(&["aggregate"])), by("status"));
    assert_eq!(
        groups(&pm.json(&["aggregate", "--group-by", "tags", "--status", "open"])),
        ["io=1", "net=1", "null=1"]
    );
}

#[test]
fn parents_are_counted_without_orphans_unless_asked() {
    let pm = tracker();
    let answer = pm.json(&["aggregate", "--group-by", "parent", "--completion"]);
    let expected = json!({"group": {"parent": "pm-a"}, "count": 3, "open": 1, "in_progress": 0, "closed": 1, "other": 1,
        "completion_pct": 33.33});
    assert_eq!(answer["groups"], json!([expected]));
    let totals = json!({"items_considered": 4, "items_grouped": 3, "items_skipped_unparented": 1});
    assert_eq!(answer["totals"], totals);
    assert_eq!(
        groups(&pm.json(&["aggregate", "--group-by", "parent", "--include-unparented"])),
        ["pm-a=3", "null=1"]
    );
}

#[test]
fn numbers_are_summed_and_averaged() {
    let pm = tracker();
    let answer = pm.json(&["aggregate", "--group-by", "type", "--sum", "estimate", "--avg", "estimate"]);
    assert_eq!(
        answer["groups"][1],
        json!({"group": {"type": "Task"}, "count": 3, "null_count": 2, "sum": 90, "avg": 90})
    );
    pm.refused(&["aggregate", "--sum", "estimate", "--avg", "priority"], 2, "conflicting_arguments");
    pm.refused(&["aggregate", "--sum", "titel"], 2, "invalid_argument_value");
    let error = pm.refused(&["aggregate", "--group-by", "tpye"], 2, "invalid_argument_value");
    assert_eq!(error["recovery"]["allowed_values"][0], "type");
}
