//! `pm comments-audit`.

use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn what_was_said_last_comes_first() {
    let said = |lines: &[(&str, &str)]| {
        let rows: String = lines.iter().map(|(at, text)| format!("\n      {at},ann,{text}")).collect();
        format!("comments[{}]{{created_at,author,text}}:{rows}", lines.len())
    };
    let day = |n: u8| format!("\"2026-02-0{n}T00:00:00.000Z\"");
    let pm = Sandbox::with_items(&[
        ("pm-a", said(&[(&day(1), "First"), (&day(2), "Second")]).as_str()),
        ("pm-b", format!("updated_at: {}\n{}", day(9), said(&[(&day(3), "Third")])).as_str()),
        ("pm-c", "status: closed"),
    ]);
    let answer = pm.json(&["comments-audit"]);
    let texts = |answer: &serde_json::Value| -> Vec<String> {
        answer["comments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| c["text"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(texts(&answer), ["Third", "Second"]);
    assert_eq!(answer["totals"], json!({"items": 3, "items_with_comments": 2, "comments": 3}));
    assert_eq!(
        (&answer["comments"][1]["id"], &answer["comments"][1]["comment_count"]),
        (&json!("pm-a"), &json!(2))
    );
    assert_eq!(texts(&pm.json(&["comments-audit", "--full-history"])), ["Third", "Second", "First"]);
    assert_eq!(texts(&pm.json(&["comments-audit", "--latest", "2", "--ids", "pm-a"])), ["Second", "First"]);
    assert_eq!(texts(&pm.json(&["comments-audit", "--limit-items", "1"])), ["Third"]);
    assert_eq!(pm.json(&["comments-audit", "--status", "closed"])["comments"], json!([]));
}
