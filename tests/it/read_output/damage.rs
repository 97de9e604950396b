//! Trackers of which much cannot be read: reads still answer within their ceilings, and say how much is missing.

use serde_json::json;

use super::items;
use crate::sandbox::Sandbox;

/// Five items that can be read, and so many files that cannot, half of them with the marks of a merge.
fn damaged(count: usize) -> Sandbox {
    let sandbox = items(5);
    for n in 0..count {
        let text =
            if n % 2 == 0 { "garbage {{\n" } else { "<<<<<<< ours\na: 1\n=======\na: 2\n>>>>>>> theirs\n" };
        sandbox.write(&format!(".agents/pm/tasks/pm-broken{n:03}.toon"), text);
    }
    sandbox
}

#[test]
fn files_that_cannot_be_read_take_no_answer_away() {
    let sandbox = damaged(300);
    let reads: [&[&str]; 9] = [
        &["list"],
        &["list", "--limit", "3"],
        &["context"],
        &["next"],
        &["search", "something"],
        &["stats"],
        &["health"],
        &["health", "--summary"],
        &["validate", "--check-storage-integrity"],
    ];
    for argv in reads {
        for budget in [None, Some("2000")] {
            let words: Vec<&str> =
                argv.iter().copied().chain(budget.into_iter().flat_map(|n| ["--output-budget", n])).collect();
            let answer = sandbox.pm(&[&words[..], &["--json"]].concat()).json();
            assert!(answer.get("output_budget_exceeded").is_none(), "{words:?}: {answer}");
            let told = &answer["completeness"];
            assert_eq!(told["status"], "partial", "{words:?}");
            let named = told["unreadable"].as_array().map_or(0, Vec::len);
            assert!((1..=20).contains(&named), "{words:?} names {named}");
            assert_eq!(told["unreadable_truncated"], true, "{words:?}");
        }
    }
    let list = sandbox.json(&["list"]);
    assert_eq!(list["completeness"]["unreadable_item_count"], 300);
    assert_eq!(list["items"].as_array().map(Vec::len), Some(5));
    assert_eq!((&list["warning_count"], &list["warnings_truncated"]), (&json!(150), &json!(true)));
}

#[test]
fn the_command_that_is_named_lists_all_that_cannot_be_read() {
    let sandbox = damaged(60);
    let told = sandbox.json(&["list"])["completeness"].clone();
    let command: Vec<&str> = told["restore_with"].as_str().unwrap().split(' ').skip(1).collect();
    let mut named = 0;
    let mut cursor: Option<String> = None;
    loop {
        let mut words = command.clone();
        words.extend(["--output-budget", "1500", "--json"]);
        words.extend(cursor.iter().flat_map(|cursor| ["--output-cursor", cursor]));
        let page = sandbox.pm(&words).json();
        let details = &page["checks"][0]["details"]["unreadable_item_files"];
        named += details.as_array().map_or(0, Vec::len);
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(named, 60);
}

#[test]
fn few_of_them_are_named_and_all_where_nothing_bounds_the_answer() {
    let few = damaged(4).json(&["list"])["completeness"].clone();
    assert_eq!((few["unreadable"].as_array().map(Vec::len), few.get("restore_with")), (Some(4), None));
    let all = damaged(60).json(&["list", "--output-budget", "unbounded"]);
    assert_eq!(all["completeness"]["unreadable"].as_array().map(Vec::len), Some(60));
}
