//! `pm stats`.

use serde_json::json;

use crate::sandbox::Sandbox;

fn tracker() -> Sandbox {
    let pm = Sandbox::with_items(&[
        ("pm-a", "type: Epic\npriority: 0\ntags[2]: area:x,net"),
        ("pm-b", "status: closed\nresolution: done\nassignee: bo\nparent: pm-a\ntags[1]: net"),
        ("pm-c", "status: canceled\nestimated_minutes: 30"),
        ("pm-d", "status: in_progress\nassignee: bo\nbody: text"),
    ]);
    let entry = |at: &str| format!("{{\"ts\":\"2026-02-0{at}T00:00:00.000Z\",\"op\":\"update\"}}\n");
    pm.write(".agents/pm/history/pm-a.jsonl", format!("{}{}{{\"ts\":\"2026", entry("1"), entry("3")));
    pm.write(".agents/pm/history/pm-b.jsonl", entry("2"));
    pm
}

#[test]
fn every_breakdown_has_one_shape() {
    let pm = tracker();
    let answer = pm.json(&["stats", "--by-tag", "--by-assignee", "--by-priority"]);
    assert_eq!(
        answer["totals"],
        json!({"items": 4, "active": 2, "history_streams": 2, "history_entries": 3})
    );
    let line = |total: usize, rest: [usize; 7]| {
        let names = ["open", "in_progress", "blocked", "draft", "closed", "canceled", "other"];
        let mut row = json!({ "total": total });
        for (name, count) in names.iter().zip(rest) {
            row[*name] = json!(count);
        }
        row
    };
    let mut task = answer["by_type"][0].clone();
    assert_eq!(task.as_object_mut().unwrap().shift_remove("type"), Some(json!("Task")));
    assert_eq!(task, line(3, [0, 1, 0, 0, 1, 1, 0]));
    assert_eq!(answer["by_status"][0], json!({"status": "open", "total": 1}));
    let labels = |key: &str| {
        let rows = answer["breakdowns"][key]["rows"].as_array().unwrap().iter();
        rows.map(|row| format!("{}={}", row["label"].as_str().unwrap(), row["total"]))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(labels("tag"), "(untagged)=2 net=2 area:x=1");
    assert_eq!(labels("assignee"), "(unassigned)=2 bo=2");
    assert_eq!(labels("priority"), "P2=3 P0=1");
    let empty = pm.json(&["stats", "--include-empty"]);
    assert!(empty["by_status"].as_array().unwrap().len() > answer["by_status"].as_array().unwrap().len());
    pm.refused(&["stats", "--tag-prefix", "x"], 2, "missing_required_option");
}

#[test]
fn coverage_utilization_and_storage() {
    let pm = tracker();
    let answer = pm.json(&["stats", "--metadata-coverage", "--field-utilization", "--storage"]);
    let overall = &answer["metadata_coverage"]["overall"];
    assert_eq!(overall["resolution"], json!({"present": 1, "applicable": 2, "percent": 50}));
    assert_eq!(overall["tags"], json!({"present": 2, "applicable": 4, "percent": 50}));
    let body =
        answer["field_utilization"].as_array().unwrap().iter().find(|row| row["field"] == "body").unwrap();
    assert_eq!(*body, json!({"field": "body", "present": 1, "total": 4, "percent": 25}));
    let storage = &answer["storage"];
    assert_eq!((&storage["total_lines"], &storage["deepest_by_lines"][0]["id"]), (&json!(3), &json!("pm-a")));
    assert_eq!(storage["newest_entry"], json!({"id": "pm-a", "ts": "2026-02-03T00:00:00.000Z"}));
}

#[test]
fn histories_are_counted_as_they_are() {
    let pm = tracker();
    let entries = |pm: &Sandbox| pm.json(&["stats"])["totals"]["history_entries"].as_u64().unwrap();
    assert_eq!((entries(&pm), entries(&pm)), (3, 3));
    let path = pm.root().join("history/pm-b.jsonl");
    let line = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{line}{line}")).unwrap();
    assert_eq!(entries(&pm), 4);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(entries(&pm), 2);
}
