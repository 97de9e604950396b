//! The actions as tools: the statements that speak of the protocol.

use serde_json::{Value, json};

use super::{FIVE, corpus, ok, words};
use crate::mcp::Client;

/// The arguments of each of the five.
fn arguments(action: &str) -> Value {
    match action {
        "search" => json!({"query": "gate"}),
        "preflight" => json!({"task": "add a retrieval action"}),
        "catalog" => json!({}),
        _ => json!({"uri": "k://canon/gate"}),
    }
}

#[test]
fn d_05_tools_declare_what_holds_in_silence_and_nothing_else_is_taken() {
    let pm = corpus();
    let mut client = Client::of(&pm, &["--tools", "full"]);
    let list = client.request("tools/list", json!({}))["result"]["tools"].clone();
    for (action, _) in FIVE {
        let name = format!("kb_{action}");
        let tool = list
            .as_array()
            .unwrap()
            .iter()
            .find(|tool| tool["name"] == name)
            .unwrap_or_else(|| panic!("{name}"));
        let schema = &tool["inputSchema"];
        let answer = ok(&pm, &words(action));
        assert_eq!(client.answer(&name, arguments(action)), answer, "{name}");
        assert_eq!(schema["properties"]["disclosure"]["default"], answer["disclosure_applied"]);
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(tool["annotations"], json!({"readOnlyHint": true, "openWorldHint": false}));
        if answer.get("limit").is_some() {
            assert_eq!(schema["properties"]["limit"]["default"], answer["limit"]);
            assert_eq!(schema["properties"]["include"]["default"], answer["filters_applied"]["include"]);
        } else {
            for key in ["limit", "offset", "include", "audience", "tags"] {
                assert!(schema["properties"].get(key).is_none(), "{name} {key}");
            }
        }
        // Every default, said aloud, changes nothing.
        let mut aloud = arguments(action);
        for (key, property) in schema["properties"].as_object().unwrap() {
            if let Some(default) = property.get("default") {
                aloud[key] = default.clone();
            }
        }
        assert_eq!(client.answer(&name, aloud), answer, "{name}");
        for key in schema["properties"].as_object().unwrap().keys() {
            assert!(
                key == "cwd" || key.starts_with("output") || !key.contains(char::is_uppercase),
                "{name} {key}"
            );
        }
    }
    assert!(!list.to_string().contains("pm_kb_"));
}

#[test]
fn d_11_refusals_of_tools_name_tools() {
    let pm = corpus();
    let mut client = Client::of(&pm, &[]);
    for (action, key) in [("search", "query"), ("catalog", ""), ("preflight", "task")] {
        let with = |more: Value| {
            let mut arguments = more;
            if !key.is_empty() {
                arguments[key] = "x".into();
            }
            arguments
        };
        let name = format!("kb_{action}");
        let error = client.refused(&name, with(json!({"disclosure": ["body"]})));
        assert_eq!(
            (&error["status"], &error["error_code"]),
            (&json!("ERROR"), &json!("DISCLOSURE_FLAG_NOT_PERMITTED"))
        );
        let message = error["error_message"].as_str().unwrap();
        assert!(message.contains("Use kb_get with a URI") && !message.contains("pm kb"), "{message}");
        let error = client.refused(&name, with(json!({"disclosure": ["summary"], "limit": 9999})));
        assert_eq!(
            (&error["error_code"], &error["requested_limit"]),
            (&json!("LIMIT_EXCEEDS_FLAG_CAP"), &json!(9999))
        );
    }
    for (tool, arguments, code) in [
        ("kb_catalog", json!({"category": "x"}), "UNKNOWN_PARAMETER"),
        ("kb_catalog", json!({"limit": "many"}), "INVALID_PARAMETER"),
        ("kb_catalog", json!({"limit": 1.5}), "INVALID_PARAMETER"),
        ("kb_catalog", json!({"include": []}), "INVALID_PARAMETER"),
        ("kb_catalog", json!({"tags": ["law"]}), "TAGS_NEED_STRUCTURAL_FILTER"),
        ("kb_get", json!({"uri": "k://canon/gate", "audience": "canon"}), "FILTER_NOT_ACCEPTED"),
        ("kb_get", json!({"uri": ["a", "b"]}), "MULTIPLE_URIS_NOT_PERMITTED"),
        ("kb_get", json!({}), "INVALID_PARAMETER"),
    ] {
        let error = client.refused(tool, arguments.clone());
        assert_eq!(error["error_code"], code, "{tool} {arguments}: {error}");
    }
    let missing = client.refused("kb_get", json!({"uri": "nothing"}));
    let message = missing["error_message"].as_str().unwrap();
    assert!(message.contains("kb_search or kb_catalog"), "{message}");
}

/// An empty set of tiers is not the same as none: `kb_get` without any shows the body.
#[test]
fn d_03_an_empty_set_of_tiers_is_said_by_an_empty_list() {
    let pm = corpus();
    let mut client = Client::of(&pm, &[]);
    let answer = client.answer("kb_get", json!({"uri": "k://canon/gate", "disclosure": []}));
    assert!(answer["data"].get("body").is_none() && answer["disclosure_applied"] == json!([]), "{answer}");
    let sorted =
        client.answer("kb_catalog", json!({"sort_by": "title", "order": "desc", "path_prefix": ["canon/"]}));
    assert_eq!(sorted["sort_applied"], json!({"by": "title", "order": "desc"}));
}

#[test]
fn d_39_bodies_are_counted_by_the_minute() {
    let pm = corpus();
    pm.write(".agents/pm/settings.json", r#"{"kb": {"max_body_reads_per_minute": 3}}"#);
    let uri = json!({"uri": "k://canon/gate"});
    let teaser = json!({"uri": "k://canon/gate", "disclosure": ["metadata"]});
    let mut client = Client::of(&pm, &[]);
    for _ in 0..5 {
        client.answer("kb_get", teaser.clone());
        client.refused("kb_get", json!({"uri": "nothing"}));
    }
    for tool in ["kb_get", "kb_resolve", "kb_get"] {
        client.answer(tool, uri.clone());
    }
    let error = client.refused("kb_get", uri.clone());
    assert_eq!((&error["error_code"], &error["retry_after_s"]), (&json!("BODY_RATE_LIMITED"), &json!(60)));
    assert!(error.get("data").is_none());
    client.answer("kb_get", teaser);
    // A process counts nothing, and neither does another server.
    ok(&pm, &words("get"));
    Client::of(&pm, &[]).answer("kb_get", uri);
}
