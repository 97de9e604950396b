//! `pm graph`: lineages, pages, the open graph.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// An epic with twelve children of which one is closed.
fn family() -> Sandbox {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["Epic", "Top", "--id", "top"]);
    for n in 0..12 {
        sandbox.create(&["Task", &format!("Child {n}"), "--id", &format!("k{n:02}"), "--parent", "top"]);
    }
    sandbox.ok(&["close", "k00", "done"]);
    sandbox
}

#[test]
fn closed_items_count_only_when_asked_for() {
    let sandbox = family();
    let total = |argv: &[&str]| sandbox.json(argv)["total"].clone();
    assert_eq!(total(&["graph", "descendants", "top"]), 11);
    assert_eq!(total(&["graph", "descendants", "top", "--include-closed"]), 12);
    assert_eq!(
        sandbox.json(&["graph", "ancestors", "k00"])["ids"],
        json!(["pm-top"]),
        "a closed root is shown"
    );
}

#[test]
fn a_page_goes_on_after_its_cursor() {
    let sandbox = family();
    let mut seen: Vec<Value> = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut argv = vec!["graph", "descendants", "top", "--limit", "5"];
        if let Some(cursor) = &cursor {
            argv.extend(["--after", cursor]);
        }
        let page = sandbox.json(&argv);
        seen.extend(page["ids"].as_array().cloned().unwrap_or_default());
        cursor = page["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() || seen.len() > 20 {
            break;
        }
    }
    assert_eq!(json!(seen), sandbox.json(&["graph", "descendants", "top"])["ids"]);
}

#[test]
fn kinds_that_do_not_fit_a_question_are_refused_with_the_right_one() {
    let sandbox = family();
    let error =
        sandbox.refused(&["graph", "successors", "top", "--kind", "parent"], 2, "invalid_argument_value");
    assert!(error.to_string().contains("pm graph descendants"), "{error}");
    sandbox.refused(&["graph", "impact", "top", "--kind", "wibble"], 2, "invalid_argument_value");
    sandbox.refused(&["graph", "impact", "nope"], 3, "item_not_found");
}

#[test]
fn an_audit_tells_what_is_new_since_the_one_that_was_kept() {
    let pm = Sandbox::with_items(&[("pm-a", "parent: pm-gone"), ("pm-b", "")]);
    assert!(pm.json(&["graph", "audit"]).get("baseline").is_none());
    assert_eq!(pm.json(&["graph", "audit", "--save-baseline"])["baseline"]["action"], "saved");
    assert_eq!(pm.json(&["graph", "audit"])["baseline"]["new_count"], 0);
    pm.item("pm-a", "");
    pm.item("pm-c", "blocked_by: pm-never");
    let told = pm.json(&["graph", "audit", "--summary"])["baseline"].clone();
    assert!(told["new"].to_string().contains("pm-c"), "{told}");
    assert!(told["resolved"].to_string().contains("pm-a"), "{told}");
    assert_eq!(pm.json(&["graph", "audit", "--include-closed"])["baseline"]["comparable"], false);
}

#[test]
fn the_cache_is_shown_rebuilt_and_cleared() {
    let pm = Sandbox::with_items(&[("pm-a", ""), ("pm-b", "")]);
    let state = |argv: &[&str]| {
        let answer = pm.json(argv);
        (answer["action"].as_str().unwrap().to_owned(), answer["state"].as_str().unwrap().to_owned())
    };
    let own = |action: &str, state: &str| (action.to_owned(), state.to_owned());
    assert_eq!(state(&["graph", "index"]), own("status", "absent"));
    assert_eq!(state(&["graph", "index", "--rebuild"]), own("rebuilt", "fresh"));
    assert_eq!(pm.json(&["graph", "index"])["item_count"], 2);
    assert_eq!(state(&["graph", "index", "--clear"]), own("cleared", "absent"));
    assert!(!pm.root().join("runtime/index-v1.bin").exists());
    let _ = pm.pm(&["graph", "index", "--rebuild", "--clear"]).expect(2);
}

#[test]
fn a_graph_without_open_items_says_what_it_leaves_out() {
    let pm = Sandbox::with_items(&[("pm-a", "status: closed"), ("pm-b", "status: closed\nparent: pm-a")]);
    for question in
        ["analyze", "audit", "plan", "centrality", "communities", "slack", "articulation", "redundancy"]
    {
        let answer = pm.json(&["graph", question]);
        assert_eq!(
            (&answer["left_out"], &answer["widen_with"]),
            (&2.into(), &"--include-closed".into()),
            "{answer}"
        );
        let all = pm.json(&["graph", question, "--include-closed"]);
        assert!(all.get("left_out").is_none(), "{all}");
    }
    assert!(Sandbox::with_items(&[]).json(&["graph", "analyze"]).get("left_out").is_none());
}

#[test]
fn what_stands_alone_can_begin_too() {
    let link = "dependencies[1]{id,kind,created_at}:\n      pm-z,blocked_by,\"2026-02-01T00:00:00.000Z\"";
    let pm = Sandbox::with_items(&[("pm-a", ""), ("pm-y", link), ("pm-z", "")]);
    let execution = &pm.json(&["graph", "analyze"])["execution"];
    assert_eq!((&execution["frontier_count"], &execution["frontier"]), (&2.into(), &json!(["pm-z", "pm-a"])));
}
