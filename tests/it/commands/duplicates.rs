//! `pm duplicates`.

use serde_json::json;

use crate::sandbox::Sandbox;

fn tracker() -> Sandbox {
    Sandbox::with_items(&[
        ("pm-a", "title: Fix the login page\nstatus: closed\ncreated_at: \"2026-01-01T00:00:00.000Z\""),
        ("pm-b", "title: fix  the LOGIN page"),
        ("pm-c", "title: Fix the login page now"),
        ("pm-d", "title: Scanner finding 17 in a.rs"),
        ("pm-e", "title: Scanner finding 18 in a.rs"),
        ("pm-f", "title: \"GH-12: crash at start\""),
        ("pm-g", "title: Something else about gh-12"),
    ])
}

#[test]
fn clusters_tell_who_belongs_together_and_who_stays() {
    let pm = tracker();
    let answer = pm.json(&["duplicates"]);
    let ids = |n: usize| -> Vec<&str> {
        answer["clusters"][n]["items"].as_array().unwrap().iter().map(|i| i["id"].as_str().unwrap()).collect()
    };
    assert_eq!((ids(0), ids(1)), (vec!["pm-a", "pm-b", "pm-c"], vec!["pm-f", "pm-g"]));
    let first = &answer["clusters"][0];
    assert_eq!(
        (&first["id"], &first["max_score"], &first["canonical_id"]),
        (&json!("pm-a"), &json!(1), &json!("pm-b"))
    );
    let command = first["close_command"].as_str().unwrap();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    pm.ok(&words);
    let left = pm.json(&["duplicates", "--status", "open"]);
    assert_eq!(left["clusters"].as_array().map(Vec::len), Some(1), "the command is one that runs: {command}");
    assert_eq!(
        (&first["items"][2]["score"], &first["items"][2]["reason"]),
        (&json!(0.8), &json!("title_token_jaccard"))
    );
    assert_eq!(answer["clusters"][1]["items"][0]["reason"], "issue_code");
    assert_eq!((&answer["count"], &answer["total"]), (&json!(2), &json!(2)));
}

#[test]
fn the_sweep_can_be_narrowed_and_its_arguments_are_checked() {
    let pm = tracker();
    assert_eq!(pm.json(&["duplicates", "--status", "open", "--threshold", "1"])["total"], 0);
    assert_eq!(pm.json(&["duplicates", "--since", "2026-01-15"])["clusters"][1]["id"], "pm-b");
    let one = pm.json(&["duplicates", "--limit", "1"]);
    assert_eq!((&one["count"], &one["total"], &one["has_more"]), (&json!(1), &json!(2), &json!(true)));
    for argv in [
        &["duplicates", "--threshold", "2"][..],
        &["duplicates", "--limit", "1001"],
        &["duplicates", "--since", "soon"],
        &["duplicates", "--status", "all,open"],
    ] {
        pm.refused(argv, 2, "invalid_argument_value");
    }
}
