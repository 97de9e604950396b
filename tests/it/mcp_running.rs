//! Calls over `pm mcp` while they run: how far they are, who takes them back, who made them.

use serde_json::{Value, json};

use crate::mcp::Client;
use crate::sandbox::Sandbox;

fn call(id: u64, tool: &str, arguments: &Value, token: Option<&str>) -> Value {
    let mut params = json!({"name": tool, "arguments": arguments});
    if let Some(token) = token {
        params["_meta"] = json!({"progressToken": token});
    }
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

fn cancelled(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

#[test]
fn long_calls_say_how_far_they_are_to_those_who_ask() {
    let pm = Sandbox::tracker();
    pm.create(&["One"]);
    let mut client = Client::of(&pm, &[]);
    let plain = client.answer("pm_validate", json!({"counts": true}));
    assert!(client.progress.is_empty());
    let meta = json!({"progressToken": "p"});
    let params = json!({"name": "pm_validate", "arguments": {"counts": true}, "_meta": meta});
    let answer = client.request("tools/call", params);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let again: Value = serde_json::from_str(text).unwrap();
    assert_eq!(again["checks"], plain["checks"]);
    let told: Vec<f64> = client.progress.iter().map(|told| told["progress"].as_f64().unwrap()).collect();
    assert!(told.len() > 3 && told.windows(2).all(|pair| pair[0] < pair[1]), "{told:?}");
    for told in &client.progress {
        assert!(told["progressToken"] == "p" && told["total"].as_f64() > told["progress"].as_f64(), "{told}");
        assert!(told["message"].is_string(), "{told}");
    }
    // Many changes in one call.
    client.progress.clear();
    (0..4).for_each(|n| drop(pm.create(&[&format!("More {n}")])));
    let arguments = json!({"filterStatus": "open", "priority": 1});
    let many = json!({"name": "pm_update_many", "arguments": arguments, "_meta": meta});
    let answer = client.request("tools/call", many);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(client.progress.len(), 5, "{:?}", client.progress);
}

#[cfg(unix)]
#[test]
fn a_call_that_waits_is_stopped_when_it_is_taken_back_and_records_nothing() {
    let mut pm = Sandbox::tracker();
    pm.set("PATH", &std::env::var("PATH").unwrap_or_default());
    let id = pm.create(&["One"]);
    pm.ok(&["test", &id, "--add", "command=sleep 1000"]);
    let before = pm.read(&format!(".agents/pm/history/{id}.jsonl"));
    let mut client = Client::of(&pm, &[]);
    client.send(&call(50, "pm_test", &json!({"id": id, "run": true}), Some("p")));
    let told = client.line();
    assert_eq!(
        (&told["method"], &told["params"]["message"]),
        (&json!("notifications/progress"), &json!("sleep 1000"))
    );
    client.send(&cancelled(50));
    // The protocol answers while a call runs, and the next call has its turn: the command was stopped.
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    assert_eq!(client.answer("pm_get", json!({"id": id}))["item"]["title"], "One");
    assert_eq!(pm.read(&format!(".agents/pm/history/{id}.jsonl")), before);
}

/// A change that is taken back either happens as a whole or not at all; its answer is not sent.
#[test]
fn changes_that_are_taken_back_are_whole_or_not_there() {
    let pm = Sandbox::tracker();
    let id = pm.create(&["Title 0"]);
    let mut client = Client::of(&pm, &[]);
    for n in 1..=20 {
        client.send(&call(100 + n, "pm_update", &json!({"id": id, "title": format!("Title {n}")}), None));
        if n % 2 == 0 {
            client.send(&cancelled(100 + n));
        }
    }
    let mut answered = Vec::new();
    while answered.last() != Some(&119) {
        let line = client.line();
        assert_eq!(line["result"]["isError"], false, "{line}");
        answered.push(line["id"].as_u64().unwrap());
    }
    assert!((1..=20).step_by(2).all(|n| answered.contains(&(100 + n))), "{answered:?}");
    assert!(answered.is_sorted(), "{answered:?}");
    drop(client);
    let checked = pm.json(&["history", &id, "--verify"]);
    assert_eq!(checked["verification"]["ok"], true);
    let entries = pm.read(&format!(".agents/pm/history/{id}.jsonl")).lines().count();
    assert!((11..=21).contains(&entries), "{entries}");
    let title = pm.json(&["get", &id])["item"]["title"].clone();
    assert!(title == "Title 19" || title == "Title 20", "{title}");
}

#[test]
fn the_client_stands_behind_changes_that_nobody_else_stands_behind() {
    // Settings that name nobody.
    let mut pm = Sandbox::with_items(&[]);
    let entry = |pm: &Sandbox, title: &str| -> Value {
        let mut client = Client::of(pm, &[]);
        let made = client.answer("pm_create", json!({"title": title}));
        let stream = pm.read(&format!(".agents/pm/history/{}.jsonl", made["id"].as_str().unwrap()));
        serde_json::from_str(stream.lines().next().unwrap()).unwrap()
    };
    let asserted = entry(&pm, "By alice");
    assert_eq!((&asserted["author"], &asserted["author_source"]), (&json!("alice"), &json!("asserted")));
    pm.unset("PM_AUTHOR");
    let detected = entry(&pm, "By the client");
    assert_eq!((&detected["author"], &detected["author_source"]), (&json!("harness:t"), &json!("detected")));
    assert_eq!(detected["agent_harness"], "t");
    assert_eq!(detected["agent_provenance"]["client"], json!({"value": "t 1", "source": "client_info"}));
    pm.set("PM_AGENT_PROBES", "off");
    assert_eq!(entry(&pm, "By nobody")["author"], "unknown");
    pm.ok(&["validate"]);
}

#[test]
fn all_that_was_asked_is_answered_before_the_end() {
    let pm = Sandbox::tracker();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {"roots": {}}, "clientInfo": {"name": "t", "version": "1"}}});
    let mut lines = vec![hello, json!({"jsonrpc": "2.0", "method": "notifications/initialized"})];
    lines.extend((1..=30).map(|n| call(n, "pm_create", &json!({"title": format!("Item {n}")}), None)));
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    // The client is gone at once, and never says which folders it has.
    let output = pm.pm_with(&["mcp"], &input).expect(0);
    let said: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answered: Vec<u64> = said
        .iter()
        .filter(|line| line["result"]["content"].is_array())
        .filter_map(|line| line["id"].as_u64())
        .collect();
    assert_eq!(answered, (1..=30).collect::<Vec<u64>>());
    assert_eq!(pm.json(&["list", "--limit", "100"])["count"], 30);
}
