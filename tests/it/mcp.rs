//! `pm mcp`: a scripted client over the binary.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::json_schema::{fault, unsound};
use crate::sandbox::Sandbox;

/// A client of one server.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// The folders that it tells when it is asked.
    roots: Vec<String>,
    last: u64,
    /// What was told of the progress of calls.
    pub(crate) progress: Vec<Value>,
}

impl Client {
    /// Starts a server in a sandbox and shakes hands.
    pub(crate) fn of(sandbox: &Sandbox, argv: &[&str]) -> Client {
        Client::with_roots(sandbox, argv, &[])
    }

    /// The same as a client that works in these folders.
    pub(crate) fn with_roots(sandbox: &Sandbox, argv: &[&str], roots: &[String]) -> Client {
        let mut process = sandbox.process(&[&["mcp"], argv].concat());
        let mut child =
            process.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut client =
            Client { child, stdin, stdout, roots: roots.to_vec(), last: 0, progress: Vec::new() };
        let capabilities = if roots.is_empty() { json!({}) } else { json!({"roots": {}}) };
        let hello = client.request(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}}),
        );
        assert_eq!(hello["result"]["protocolVersion"], "2025-06-18", "{hello}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("it is open");
        writeln!(stdin, "{message}").expect("the server reads");
    }

    pub(crate) fn line(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the server writes");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The answer to a request; questions that come before it are answered.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let line = self.line();
            if line["method"] == "roots/list" {
                let roots: Vec<Value> =
                    self.roots.iter().map(|root| json!({"uri": format!("file://{root}")})).collect();
                let answer = json!({"jsonrpc": "2.0", "id": line["id"], "result": {"roots": roots}});
                self.send(&answer);
                continue;
            }
            if line["method"] == "notifications/progress" {
                self.progress.push(line["params"].clone());
                continue;
            }
            assert_eq!(line["id"], id, "{line}");
            return line;
        }
    }

    /// The result of a tool: its first text, and whether it failed.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let result = self.result(tool, arguments);
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"));
        (text.to_owned(), result["isError"] == true)
    }

    /// The whole result of a tool.
    pub(crate) fn result(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// The answer of a tool, which must succeed.
    pub(crate) fn answer(&mut self, tool: &str, arguments: Value) -> Value {
        let (text, failed) = self.call(tool, arguments);
        assert!(!failed, "{text}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// The error of a tool, which must fail.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let (text, failed) = self.call(tool, arguments);
        assert!(failed, "{text}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let status = self.child.wait().expect("it ends");
        assert!(std::thread::panicking() || status.success(), "{status}");
    }
}

fn tracker() -> (Sandbox, Vec<String>) {
    let pm = Sandbox::tracker();
    let one = pm.create(&["First login", "--tags", "ui,web", "--priority", "1"]);
    let two = pm.create(&["Second", "--type", "Epic", "--blocked-by", &one, "--body", "- a list"]);
    pm.ok(&["comments", &one, "--add", "a word"]);
    (pm, vec![one, two])
}

#[test]
fn every_revision_is_spoken() {
    let pm = Sandbox::tracker();
    for asked in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01"] {
        let hello =
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": asked}});
        let said = pm.pm_with(&["mcp"], &format!("{hello}\n")).expect(0).json();
        let spoken = if asked.starts_with("19") { "2025-11-25" } else { asked };
        assert_eq!(said["result"]["protocolVersion"], spoken);
        assert_eq!(said["result"]["serverInfo"]["name"], "pm");
    }
}

/// The same question on the command line and as a call: the same bytes, errors included.
#[test]
fn calls_answer_what_the_command_line_answers() {
    let (pm, ids) = tracker();
    let (one, two) = (ids[0].as_str(), ids[1].as_str());
    let mut client = Client::of(&pm, &[]);
    let cases: Vec<(&str, Value, Vec<&str>)> = vec![
        ("pm_list", json!({}), vec!["list"]),
        ("pm_list", json!({"status": "all", "limit": 1}), vec!["list", "--status", "all", "--limit", "1"]),
        (
            "pm_list",
            json!({"tag": ["ui", "web"], "outputInclude": "id,title"}),
            vec!["list", "--tag", "ui", "--tag", "web", "--output-include", "id,title"],
        ),
        ("pm_list", json!({"output_budget": 60}), vec!["list", "--output-budget", "60"]),
        ("pm_list", json!({"status": "nope"}), vec!["list", "--status=nope"]),
        ("pm_get", json!({"id": one}), vec!["get", one]),
        ("pm_get", json!({"id": [one, two]}), vec!["get", one, two]),
        ("pm_get", json!({"id": "pm-none"}), vec!["get", "pm-none"]),
        ("pm_get", json!({}), vec!["get"]),
        ("pm_search", json!({"query": "login"}), vec!["search", "login"]),
        ("pm_next", json!({"why": true}), vec!["next", "--why"]),
        ("pm_context", json!({}), vec!["context"]),
        ("pm_deps", json!({"id": two}), vec!["deps", two]),
        ("pm_stats", json!({"byTag": true}), vec!["stats", "--by-tag"]),
        ("pm_comments", json!({"id": one}), vec!["comments", one]),
        ("pm_history", json!({"id": one, "compact": true}), vec!["history", "--compact", one]),
        ("pm_graph_ancestors", json!({"id": two}), vec!["graph", "ancestors", two]),
        ("pm_validate", json!({"counts": true}), vec!["validate", "--counts"]),
        (
            "pm_contracts",
            json!({"command": "list", "summary": true}),
            vec!["contracts", "--command=list", "--summary"],
        ),
        ("pm_aggregate", json!({"groupBy": "type"}), vec!["aggregate", "--group-by", "type"]),
        ("pm_update", json!({"id": "pm-none", "title": "x"}), vec!["update", "pm-none", "--title=x"]),
    ];
    for (tool, arguments, argv) in cases {
        let mut asked = arguments.clone();
        asked["outputFormat"] = json!("json");
        let (text, failed) = client.call(tool, asked);
        let output = pm.pm(&[&argv[..], &["--output-format", "json"]].concat());
        assert_eq!(failed, output.code != 0, "{tool} {arguments}: {text}");
        if output.stdout.is_empty() {
            let (here, there): (Value, Value) =
                (serde_json::from_str(&text).unwrap(), serde_json::from_str(&output.stderr).unwrap());
            for key in ["code", "exit_code", "title", "refusal", "required"] {
                assert_eq!(here[key], there[key], "{tool} {arguments}");
            }
        } else {
            assert_eq!(text, output.stdout, "{tool} {arguments}");
        }
    }
    let (toon, _) = client.call("pm_list", json!({"outputFormat": "toon"}));
    assert_eq!(toon, pm.ok(&["list"]));
}

/// Every read of the catalog that needs nothing, in a loop.
#[test]
fn every_read_answers_alike_on_both_roads() {
    let (pm, _) = tracker();
    let mut client = Client::of(&pm, &["--tools", "full"]);
    for surface in pm::commands::CATALOG.iter() {
        let Some(tool) = pm::generate::tools::profile(surface).map(|_| pm::generate::tools::name(surface))
        else {
            continue;
        };
        if surface.contract.effect != pm::contract::Effect::Reads {
            continue;
        }
        let (text, failed) = client.call(&tool, json!({"outputFormat": "json"}));
        let output = pm.pm(&[surface.contract.path, &["--output-format", "json"]].concat());
        assert_eq!(failed, output.code != 0, "{tool}: {text}");
        let said = if output.stdout.is_empty() { output.stderr } else { output.stdout };
        let code = |text: &str| {
            serde_json::from_str::<Value>(text).map(|value| value["code"].clone()).unwrap_or_default()
        };
        assert!(said == text || failed && code(&said) == code(&text), "{tool}: {text}\n{said}");
    }
}

/// Whoever holds to the schema of a tool can give the JSON that it reads.
#[test]
fn a_tool_that_reads_json_takes_it() {
    let pm = Sandbox::tracker();
    let mut client = Client::of(&pm, &["--tools", "full"]);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let reading: Vec<&Value> = tools
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["inputSchema"]["properties"].get("stdinJson").is_some())
        .collect();
    assert!(reading.len() >= 4, "{}", reading.len());
    for tool in reading {
        assert!(tool["inputSchema"]["properties"].get("stdin").is_some(), "{}", tool["name"]);
    }
    let batch = json!({"transactionId": "t", "mutations": [{"op": "create", "options": {"title": "One"}}]});
    for stdin in [batch.clone(), Value::from(batch.to_string())] {
        let (text, failed) = client.call("pm_item_mutate", json!({"stdinJson": true, "stdin": stdin}));
        assert!(!failed, "{text}");
    }
    assert_eq!(pm.json(&["list"])["count"], 1, "a transaction lands once");
}

/// A call that asks for no encoding keeps the ceiling of its class: the larger one is for who asks for JSON (seed 001,
/// Cost).
#[test]
fn calls_without_an_encoding_keep_the_smaller_ceiling() {
    let pm = Sandbox::tracker();
    let made: Vec<Value> = (0..400)
        .map(
            |n| json!({"op": "create", "options": {"title": format!("Item {n} has a title of some length")}}),
        )
        .collect();
    let _ = pm
        .pm_with(
            &["item", "mutate", "--json"],
            &json!({"transactionId": "many", "mutations": made}).to_string(),
        )
        .expect(0);
    let mut client = Client::of(&pm, &["--tools", "full"]);
    for (tool, ceiling) in [("pm_list", 4_000), ("pm_search", 4_000)] {
        let call = |more: Value| {
            let mut asked = json!({"outputLimit": "unbounded"});
            if tool == "pm_search" {
                asked["query"] = json!("item");
            }
            asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            asked
        };
        let (text, failed) = client.call(tool, call(json!({})));
        assert!(!failed, "{tool}: {text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["read_output"]["budget_tokens"], ceiling, "{tool}");
        assert_eq!(value["read_output"]["estimated_tokens"], text.len().div_ceil(4), "{tool}");
        assert!(text.len() <= ceiling * 4, "{tool}: {}", text.len());
        let (json, _) = client.call(tool, call(json!({"outputFormat": "json"})));
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["read_output"]["budget_tokens"], ceiling * 3 / 2, "{tool}");
    }
}

#[test]
fn the_daily_tools_cost_little_and_their_schemas_are_sound() {
    let pm = Sandbox::tracker();
    let list = |profile: &str| {
        let mut client = Client::of(&pm, &["--tools", profile]);
        client.request("tools/list", json!({}))["result"].clone()
    };
    let (core, full) = (list("core"), list("full"));
    assert!(core.to_string().len() <= 12_000, "{}", core.to_string().len());
    let names = |list: &Value| {
        list["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for tool in ["context", "next", "search", "list", "get", "create", "update", "close", "claim", "release"]
    {
        assert!(names(&core).contains(&format!("pm_{tool}")), "{tool}");
    }
    assert!(names(&full).len() > 90);
    for tool in core["tools"].as_array().unwrap().iter().chain(full["tools"].as_array().unwrap()) {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(unsound(&tool["inputSchema"], "$"), None, "{tool}");
        assert!(!tool["description"].as_str().unwrap().is_empty());
    }
    // What core shows is there in the declaration.
    for tool in core["tools"].as_array().unwrap() {
        let whole =
            full["tools"].as_array().unwrap().iter().find(|other| other["name"] == tool["name"]).unwrap();
        let daily = tool["inputSchema"]["properties"].as_object().unwrap();
        assert!(daily.len() > 1, "{tool}");
        for key in daily.keys() {
            assert!(whole["inputSchema"]["properties"].get(key).is_some(), "{} {key}", tool["name"]);
        }
    }
}

/// In every profile a tool declares an output control if and only if it takes it.
#[test]
fn controls_are_declared_by_exactly_the_tools_that_take_them() {
    let pm = Sandbox::tracker();
    let controls = [
        ("outputInclude", json!("id")),
        ("outputLimit", json!(1)),
        ("outputBudget", json!("unbounded")),
        ("outputFormat", json!("json")),
        (
            "outputSession",
            json!({"version": 1, "id": "s", "token_budget": 9000, "spent_tokens": 0, "seen_item_ids": []}),
        ),
        ("outputCursor", json!("x")),
        ("outputRowContract", json!(true)),
    ];
    let mut taken: BTreeMap<(String, &str), bool> = BTreeMap::new();
    for profile in ["full", "standard", "core"] {
        let mut client = Client::of(&pm, &["--tools", profile]);
        let tools = client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone();
        for tool in &tools {
            let (name, input) = (tool["name"].as_str().unwrap(), &tool["inputSchema"]);
            for (control, value) in &controls {
                let takes = *taken.entry((name.to_owned(), *control)).or_insert_with(|| {
                    // What is needed is there and names nothing, so that a call that is taken does nothing either.
                    let needed = input["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
                    let mut call: serde_json::Map<String, Value> =
                        needed.map(|key| (key.to_owned(), json!("nothing"))).collect();
                    if name == "pm_history_redact" {
                        call.extend(["id", "literal"].map(|key| (key.to_owned(), json!("nothing"))));
                    }
                    if input["properties"].get("dryRun").is_some() {
                        call.insert("dryRun".to_owned(), json!(true));
                    }
                    call.insert((*control).to_owned(), value.clone());
                    let (text, failed) = client.call(name, Value::Object(call));
                    !failed || !text.contains("output_control_not_applicable")
                });
                let declared = input["properties"].get(control);
                assert_eq!(declared.is_some(), takes, "{profile} {name} {control}");
                if let Some(schema) = declared {
                    assert_eq!(fault(value, schema, "$"), None, "{name} {control}");
                    let lists = matches!(*control, "outputInclude" | "outputSession");
                    assert!(lists || fault(&json!([]), schema, "$").is_some(), "{name} {control}");
                }
            }
            let format = &input["properties"]["outputFormat"];
            assert_eq!(format["enum"], json!(["toon", "json"]), "{name}");
        }
    }
    // What the schema of the state allows is what is taken.
    let mut client = Client::of(&pm, &["--tools", "full"]);
    let asked = json!({"action": "list", "schemaOnly": true, "outputBudget": "unbounded"});
    let whole = client.answer("pm_contracts", asked);
    let schema = &whole["schema"]["oneOf"][0]["properties"]["outputSession"];
    let state = |key: &str, value: Value| {
        let mut state = controls[4].1.clone();
        state[key] = value;
        state
    };
    for (key, value) in [
        ("version", json!(2)),
        ("id", json!("-x")),
        ("token_budget", json!(255)),
        ("spent_tokens", json!(-1)),
        ("seen_item_ids", json!("x")),
        ("more", json!(1)),
    ] {
        let state = state(key, value);
        assert!(fault(&state, schema, "$").is_some(), "{state}");
        let error = client.refused("pm_list", json!({"outputSession": state}));
        assert_eq!(error["code"], "invalid_read_output_session", "{error}");
    }
    let text = controls[4].1.to_string();
    assert_eq!(fault(&json!(text), schema, "$"), None);
    assert!(client.answer("pm_list", json!({"outputSession": text}))["read_session"].is_object());
    let error = client.refused("pm_list", json!({"outputFormat": "yaml"}));
    assert_eq!(error["refusal"]["legal_domain"], json!(["toon", "json"]), "{error}");
}

#[test]
fn changes_land_in_order_and_are_seen_by_the_command_line() {
    let pm = Sandbox::tracker();
    let mut client = Client::of(&pm, &[]);
    let made =
        client.answer("pm_create", json!({"title": "Made by a tool", "type": "Task", "tags": ["a", "b"]}));
    let id = made["id"].as_str().unwrap().to_owned();
    assert_eq!(pm.json(&["get", &id])["item"]["tags"], json!(["a", "b"]));
    for n in 0..10 {
        let id = &id;
        client.send(&json!({"jsonrpc": "2.0", "id": 100 + n, "method": "tools/call",
            "params": {"name": "pm_update", "arguments": {"id": id, "title": format!("Title {n}")}}}));
    }
    for n in 0..10 {
        let answer = client.line();
        assert_eq!(
            (&answer["id"], &answer["result"]["isError"]),
            (&json!(100 + n), &json!(false)),
            "{answer}"
        );
    }
    assert_eq!(pm.json(&["get", &id])["item"]["title"], "Title 9");
    let error = client.refused("pm_create", json!({"title": "Not made", "titel": "x"}));
    assert!(error.to_string().contains("title"), "{error}");
    assert_eq!(pm.json(&["list"])["items"].as_array().unwrap().len(), 1);
    let batch = json!({"mutations": [{"op": "create", "ref": "e", "options": {"title": "From a batch"}}]});
    client.answer("pm_item_mutate", json!({"stdin": batch}));
    assert_eq!(pm.json(&["list"])["items"].as_array().unwrap().len(), 2);
}

#[test]
fn pages_and_sessions_go_on_from_call_to_call() {
    let pm = Sandbox::tracker();
    let ids: Vec<String> = (0..30).map(|n| pm.create(&[&format!("Item number {n}")])).collect();
    let mut client = Client::of(&pm, &[]);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut arguments = json!({"outputBudget": 700});
    for _ in 0..40 {
        let page = client.answer("pm_list", arguments.clone());
        for row in page["items"].as_array().unwrap() {
            *seen.entry(row["id"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        arguments["outputCursor"] = cursor.into();
    }
    assert_eq!(seen.len(), ids.len());
    assert!(seen.values().all(|times| *times == 1));
    let state =
        json!({"version": 1, "id": "o", "token_budget": 9000, "spent_tokens": 0, "seen_item_ids": []});
    let first = client.answer("pm_list", json!({"limit": 2, "outputSession": state}));
    let next = first["read_session"]["next_state"].clone();
    let second = client.answer("pm_list", json!({"limit": 2, "outputSession": next}));
    assert!(second["items"][0]["context_ref"].is_string(), "{second}");
}

#[test]
fn resources_and_prompts_tell_of_items_and_contracts() {
    let (pm, ids) = tracker();
    let mut client = Client::of(&pm, &[]);
    let read = |client: &mut Client, uri: &str| client.request("resources/read", json!({"uri": uri}));
    for resource in client.request("resources/list", json!({}))["result"]["resources"].as_array().unwrap() {
        let answer = read(&mut client, resource["uri"].as_str().unwrap());
        assert!(answer["result"]["contents"][0]["text"].is_string(), "{answer}");
    }
    let item = read(&mut client, &format!("pm://items/{}", ids[0]));
    assert!(item["result"]["contents"][0]["text"].as_str().unwrap().contains("First login"), "{item}");
    let contract = read(&mut client, "pm://contracts/plan%20add-step");
    assert!(
        contract["result"]["contents"][0]["text"].as_str().unwrap().contains("plan-add-step"),
        "{contract}"
    );
    let missing = read(&mut client, "pm://items/pm-none");
    assert_eq!(
        (&missing["error"]["code"], &missing["error"]["data"]["code"]),
        (&json!(-32002), &json!("item_not_found"))
    );
    for (prompt, argument) in [("orient", "request"), ("handoff", "id")] {
        let answer =
            client.request("prompts/get", json!({"name": prompt, "arguments": {argument: "the login"}}));
        let text = answer["result"]["messages"][0]["content"]["text"].as_str().unwrap().to_owned();
        assert!(text.contains("the login") && text.contains("snapshot: "), "{text}");
    }
    assert_eq!(client.request("prompts/get", json!({"name": "nope"}))["error"]["code"], -32602);
}
