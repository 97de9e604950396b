//! 64 to 74: pages.

use serde_json::{Value, json};

use super::{BIG, exists, id, items, listed, tokens};
use crate::sandbox::Sandbox;

/// Every row at a path, by following its cursors; each page obeys its budget and has a row.
fn walk(sandbox: &Sandbox, argv: &[&str], path: &str, budget: u64) -> Vec<Value> {
    let budget_text = budget.to_string();
    let (mut rows, mut cursor) = (Vec::new(), String::new());
    for page in 0.. {
        assert!(page < 300, "{argv:?} has no end");
        let mut words: Vec<&str> = argv.to_vec();
        words.extend(["--output-budget", &budget_text, "--json"]);
        if !cursor.is_empty() {
            words.extend(["--output-cursor", &cursor]);
        }
        let output = sandbox.pm(&words).expect(0);
        assert!(tokens(&output) <= budget, "{words:?}");
        let answer = output.json();
        let place = path.split('.').fold(&answer, |place, step| match step.parse::<usize>() {
            Ok(n) => &place[n],
            Err(_) => &place[step],
        });
        let found = place.as_array().unwrap_or_else(|| panic!("{path} in {answer}"));
        assert!(!found.is_empty(), "an empty page: {words:?}");
        rows.extend(found.iter().cloned());
        let entries =
            answer["output_budget_truncation"]["continuations"].as_array().cloned().unwrap_or_default();
        let Some(entry) = entries.iter().find(|entry| entry["path"] == path) else { break };
        let count = |key: &str| entry[key].as_u64().unwrap() as usize;
        assert_eq!(count("retained_rows"), found.len());
        assert_eq!(count("remaining_rows") + rows.len(), count("total_rows"));
        cursor = entry["cursor"].as_str().unwrap().to_owned();
    }
    rows
}

#[test]
fn s64_s65_pages_are_the_whole_once() {
    let whole = BIG.json(&["list", "--output-budget", "unbounded"])["items"].clone();
    assert_eq!(Value::from(walk(&BIG, &["list"], "items", 700)), whole);
    let compact = BIG.json(&["list", "--compact", "--output-budget", "unbounded"])["items"].clone();
    assert_eq!(Value::from(walk(&BIG, &["list", "--compact"], "items", 3_000)), compact);
    for (argv, path) in [
        (&["search", "something", "--limit", "200"][..], "items"),
        (&["deps", "pm-010", "--format", "graph", "--node-limit", "1000"], "graph.nodes"),
        (&["contracts"], "command_summaries"),
        (&["validate", "--check-metadata"], "checks"),
    ] {
        if exists(argv[0]) {
            let words: Vec<&str> = argv.iter().copied().chain(["--output-budget", "unbounded"]).collect();
            let answer = BIG.json(&words);
            let whole = path.split('.').fold(&answer, |place, step| &place[step]).clone();
            let ids = |rows: &Value| {
                rows.as_array().unwrap().iter().map(|row| row.get("id").cloned()).collect::<Vec<_>>()
            };
            assert_eq!(ids(&Value::from(walk(&BIG, argv, path, 2_500))), ids(&whole), "{argv:?}");
        }
    }
}

/// Behind a command's own limit lies another page, of a collection with a cursor of its own.
#[test]
fn what_lies_behind_a_limit_of_one_of_several_tables() {
    let argv = ["deps", "pm-000", "--format", "graph", "--node-limit", "60"];
    let first = walk(&BIG, &argv, "graph.nodes", 1_200);
    let ids = |rows: &[Value]| rows.iter().map(|row| row["id"].clone()).collect::<Vec<_>>();
    let mut all = ids(&first);
    assert_eq!(all.len(), 60);
    let mut argv = argv.to_vec();
    argv.extend(["--output-include", "graph.nodes", "--output-budget", "unbounded"]);
    let mut answer = BIG.json(&argv);
    assert_eq!(ids(answer["graph"]["nodes"].as_array().unwrap()), all);
    while let Some(cursor) = answer["next_cursor"].as_str().map(str::to_owned) {
        assert!(all.len() < 500, "no end");
        let words: Vec<&str> = argv.iter().copied().chain(["--output-cursor", &cursor]).collect();
        answer = BIG.json(&words);
        all.extend(ids(answer["graph"]["nodes"].as_array().unwrap()));
    }
    argv[4] = "--full";
    argv.remove(5);
    assert_eq!(all, ids(BIG.json(&argv)["graph"]["nodes"].as_array().unwrap()));
}

/// The amounts of the next call may be others: the cursor knows what it continues.
#[test]
fn s72_a_cursor_outlives_another_amount() {
    let graph = ["deps", "pm-000", "--format", "graph", "--output-include", "graph.nodes"];
    let ask = |extra: &[&str]| {
        let words: Vec<&str> =
            graph.iter().chain(extra).copied().chain(["--output-budget", "unbounded"]).collect();
        BIG.json(&words)
    };
    let whole = ask(&["--full"])["graph"]["nodes"].as_array().unwrap().clone();
    for (first, then) in [
        (&["--output-limit", "7"][..], &[][..]),
        (&["--node-limit", "7"], &[]),
        (&["--node-limit", "7"], &["--output-limit", "3"]),
        (&["--node-limit", "7"], &["--node-limit", "9"]),
    ] {
        let page = ask(first);
        let cursor = page["next_cursor"].as_str().unwrap_or_else(|| panic!("{page}")).to_owned();
        let words: Vec<&str> = then.iter().copied().chain(["--output-cursor", &cursor]).collect();
        let next = ask(&words)["graph"]["nodes"].as_array().unwrap().clone();
        assert!(!next.is_empty());
        assert_eq!(next, whole[7..7 + next.len()], "{first:?} then {then:?}");
    }
}

#[test]
fn s66_one_cursor_three_bindings() {
    let answer = BIG.json(&["list", "--output-budget", "900"]);
    let disclosure = &answer["output_budget_truncation"];
    assert_eq!(answer["continuation_kind"], "output_cursor");
    assert_eq!(disclosure["restore_with"], "recovery");
    assert_eq!(disclosure["recovery"]["cursor"], answer["next_cursor"]);
    assert_eq!(disclosure["recovery"]["cli"], "--output-cursor");
    assert_eq!(
        (&disclosure["recovery"]["sdk"], &disclosure["recovery"]["mcp"]),
        (&json!("outputCursor"), &json!("outputCursor"))
    );
    assert_eq!(disclosure["recovery_budget_multiplier"], 1);
}

#[test]
fn s67_s68_s69_s70_cursors_that_are_refused() {
    let sandbox = items(60);
    let answer = sandbox.json(&["list", "--output-budget", "600"]);
    let cursor = answer["next_cursor"].as_str().unwrap();
    assert!(sandbox.pm(&["list", "--after", cursor, "--json"]).code == 0, "either flag takes either cursor");
    for wrong in ["bm90IGEgY3Vyc29y", &cursor[..cursor.len() - 7], &"A".repeat(5_000)] {
        sandbox.refused(&["list", "--output-cursor", wrong], 2, "read_output_cursor_invalid");
        sandbox.refused(&["list", "--after", wrong], 2, "invalid_query_cursor");
    }
    let error =
        sandbox.refused(&["next", "--output-cursor", cursor], 2, "read_output_cursor_command_mismatch");
    assert!(error.to_string().contains("list"), "{error}");
    let page = sandbox.json(&["list", "--limit", "2"]);
    let items = page["next_cursor"].as_str().unwrap();
    sandbox.refused(
        &["list", "--limit", "2", "--priority", "0", "--after", items],
        2,
        "invalid_query_cursor",
    );
    sandbox.item(&id(45), "title: Another title, of the same count");
    sandbox.refused(&["list", "--output-cursor", cursor], 2, "read_output_cursor_stale");
}

#[test]
fn s71_s72_a_cut_page_of_items_goes_on_without_the_output_flags() {
    let whole = listed(&BIG.json(&["list", "--output-budget", "unbounded"]));
    let argv = ["list", "--limit", "100", "--output-budget", "900", "--output-row-contract"];
    let page = BIG.json(&argv);
    assert_eq!(page["continuation_kind"], "producer_cursor");
    assert_eq!(page["output_budget_truncation"]["continuation_cursor_rebased"], true);
    let kept = listed(&page);
    assert_eq!(kept, whole[..kept.len()]);
    let cursor = page["next_cursor"].as_str().unwrap();
    let next = BIG.json(&["list", "--limit", "100", "--after", cursor, "--output-budget", "unbounded"]);
    assert_eq!(listed(&next), whole[kept.len()..kept.len() + 100]);
}

#[test]
fn s73_health_forgets_only_what_changes_by_itself() {
    if !exists("health") {
        return;
    }
    let sandbox = items(5);
    let argv = ["health", "--check-only", "--full", "--output-budget", "1200", "--json"];
    let answer = sandbox.pm(&argv).json();
    let Some(cursor) = answer["next_cursor"].as_str() else { return };
    let mut again = argv.to_vec();
    again.extend(["--output-cursor", cursor]);
    assert_eq!(sandbox.pm(&again).stderr, "");
    sandbox.item("pm-new", "title: One more");
    again.pop();
    again.push(cursor);
    sandbox.refused(&again[..again.len()], 2, "read_output_cursor_stale");
}

#[test]
fn s74_a_cursor_outlives_another_budget_and_encoding() {
    let whole = listed(&BIG.json(&["list", "--output-budget", "unbounded"]));
    let first = BIG.ok(&["list", "--output-budget", "900", "--output-format", "toon"]);
    let cursor = first.lines().find_map(|line| line.strip_prefix("next_cursor: ")).unwrap();
    let kept = first.lines().filter(|line| line.starts_with("  pm-")).count();
    let next = listed(&BIG.json(&["list", "--output-budget", "2000", "--output-cursor", cursor]));
    assert_eq!(next, whole[kept..kept + next.len()]);
    assert!(next.len() > kept / 2);
}
