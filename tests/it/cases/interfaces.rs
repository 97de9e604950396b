//! O24, O28, O29, O31, O32, O40: what programs get, over MCP and over a pipe.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::json_schema::unsound;
use crate::mcp::Client;
use crate::sandbox::Sandbox;

#[test]
fn o24_a_call_changes_the_worktree_that_it_was_made_for() {
    let (a, b) = (Sandbox::tracker(), Sandbox::tracker());
    let of = |sandbox: &Sandbox| sandbox.json(&["list"])["items"].as_array().map_or(0, Vec::len);
    let b_path = b.path().display().to_string();
    Client::of(&a, &[]).answer("pm_create", json!({"title": "By folder", "cwd": b_path}));
    assert_eq!((of(&a), of(&b)), (0, 1));
    // The client's folders: the first one with a tracker.
    let empty = Sandbox::empty();
    let roots = [empty.path().display().to_string(), b_path.clone()];
    let result = Client::with_roots(&a, &[], &roots).result("pm_create", json!({"title": "By root"}));
    assert_eq!((of(&a), of(&b)), (0, 2), "{result}");
    assert_eq!(result["content"].as_array().unwrap().len(), 1);
    // Nobody said where: the answer names the tracker that was used.
    let mut client = Client::of(&a, &[]);
    let result = client.result("pm_create", json!({"title": "By the server"}));
    let root = std::fs::canonicalize(a.root()).unwrap();
    let told = result["content"][1]["text"].as_str().unwrap().trim_start_matches("tracker: ").to_owned();
    assert_eq!(std::fs::canonicalize(told).unwrap(), root, "{result}");
    let error = client.refused("pm_list", json!({"cwd": "/no/such/folder"}));
    assert_eq!(error["refusal"]["surface"], "cwd");
}

#[test]
fn o28_a_session_starts_cheaply_and_asks_for_more_on_demand() {
    let pm = Sandbox::tracker();
    let mut client = Client::of(&pm, &[]);
    let list = client.request("tools/list", json!({}))["result"].to_string();
    assert!(list.len().div_ceil(4) <= 3_000, "{}", list.len());
    let whole = client.answer("pm_contracts", json!({"action": "update", "schemaOnly": true}));
    let keys = whole["schema"]["oneOf"][0]["properties"].as_object().unwrap();
    assert!(keys.len() > 60 && keys.contains_key("addTags"), "{whole}");
}

#[test]
fn o29_lists_carry_no_bodies_and_say_how_to_get_them() {
    let pm = Sandbox::with_items(&[]);
    let body = "search ".repeat(3_000);
    for n in 0..20 {
        let comments: String = (0..50)
            .map(|k| format!("  \"2026-02-01T00:00:00.000Z\",alice,\"comment {k} {}\"\n", "word ".repeat(20)))
            .collect();
        pm.item(
            &format!("pm-a{n:02}"),
            &format!("body: \"{body}\"\ncomments[50]{{created_at,author,text}}:\n{comments}"),
        );
    }
    let mut client = Client::of(&pm, &[]);
    for (tool, arguments) in [("pm_list", json!({})), ("pm_search", json!({"query": "search"}))] {
        let (text, failed) = client.call(tool, arguments);
        assert!(!failed && text.len().div_ceil(4) < 2_000, "{tool}: {}", text.len());
        assert!(!text.contains(&"search ".repeat(50)));
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["items"].as_array().unwrap().len(), 20, "{tool}");
        assert!(answer["items"].as_array().unwrap().iter().all(|row| row.get("body").is_none()));
    }
    let whole = client
        .answer("pm_get", json!({"id": "pm-a00", "outputInclude": "body", "outputBudget": "unbounded"}));
    assert!(whole.to_string().len() > 20_000);
}

#[test]
fn o31_cursors_of_a_cut_answer_lead_to_every_row_once() {
    let pm = Sandbox::with_items(&[]);
    (0..300).for_each(|n| pm.item(&format!("pm-{n:03}"), ""));
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut argv = vec!["list", "--output-budget", "500"];
        argv.extend(cursor.iter().flat_map(|cursor| ["--output-cursor", cursor.as_str()]));
        let page = pm.json(&argv);
        let rows = page["items"].as_array().unwrap();
        assert!(!rows.is_empty(), "{page}");
        rows.iter().for_each(|row| *seen.entry(row["id"].as_str().unwrap().to_owned()).or_default() += 1);
        cursor = page["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 300);
    assert!(seen.values().all(|times| *times == 1));
}

/// The smallest budget that an omission names works, and so does the default.
#[test]
fn o32_a_budget_that_holds_nothing_names_one_that_holds_something() {
    let pm = Sandbox::tracker();
    let one = pm.create(&["First", "--body", "some text"]);
    let two = pm.create(&["Second", "--blocked-by", &one]);
    pm.ok(&["comments", &one, "--add", "a word"]);
    pm.ok(&["notes", &one, "--add", "a word"]);
    for argv in [
        vec!["list"],
        vec!["get", &one],
        vec!["next"],
        vec!["context"],
        vec!["search", "first"],
        vec!["stats"],
        vec!["aggregate", "--group-by", "type"],
        vec!["history", &one],
        vec!["activity", "--raw"],
        vec!["deps", &two],
        vec!["validate"],
        vec!["health"],
        vec!["comments", &one],
        vec!["notes", &one],
        vec!["contracts"],
    ] {
        pm.json(&argv);
        let small = pm.pm(&[&argv[..], &["--output-budget", "50", "--json"]].concat());
        let answer = small.json();
        if small.code == 0 {
            continue;
        }
        assert_eq!(
            (small.code, &answer["output_budget_exceeded"]["omitted_result"]),
            (2, &json!(true)),
            "{argv:?}"
        );
        let needed = &answer["read_output"]["omitted_result_estimated_tokens"];
        let enough = needed.as_u64().unwrap_or_else(|| panic!("{argv:?}: {answer}")).to_string();
        let again = pm.pm(&[&argv[..], &["--output-budget", &enough, "--json"]].concat());
        assert_eq!(again.code, 0, "{argv:?} at {enough}: {}", again.stdout);
    }
}

#[test]
fn o40_schemas_are_objects_typos_are_named_and_streams_stay_apart() {
    let pm = Sandbox::tracker();
    let mut client = Client::of(&pm, &["--tools", "full"]);
    for tool in client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(unsound(&tool["inputSchema"], "$"), None, "{tool}");
        assert!(tool.get("outputSchema").is_none());
    }
    let error = client.refused("pm_list", json!({"stauts": "open"}));
    assert_eq!(
        (&error["code"], &error["refusal"]["rejected_value"]),
        (&json!("flag_typo_requires_retry"), &json!("stauts"))
    );
    assert_eq!(error["refusal"]["legal_domain"][0], "status");
    // The envelope of a failure: on standard error, alone, and nothing on standard output.
    pm.refused(&["get", "pm-none"], 3, "item_not_found");
}
