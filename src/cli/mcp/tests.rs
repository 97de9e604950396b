//! The server as its client sees it, without a process.

use std::sync::mpsc::{self, Receiver};

use serde_json::{Value, json};

use super::*;

fn lines(messages: &[Value]) -> Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    messages.iter().for_each(|message| send.send(message.to_string().into_bytes()).unwrap());
    receive
}

/// What is said to these messages and to a handshake before them, in the order in which it is said; from a server in a
/// folder without a tracker.
fn said(messages: &[Value]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let mut said = Vec::new();
    let mut send = |bytes: &[u8]| {
        said.push(serde_json::from_slice::<Value>(bytes).unwrap());
        true
    };
    let hello = request(
        0,
        "initialize",
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
    );
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let all = [&[hello, ready], messages].concat();
    serve(&Env::new(folder.path(), []), "core", lines(&all), &mut send).unwrap();
    // What is no message is refused as it is read, before anything else.
    let hello = said.iter().position(|answer| answer["id"] == 0).unwrap();
    assert_eq!(said.remove(hello)["result"]["protocolVersion"], "2025-06-18");
    said
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn answer(said: &[Value], id: u64) -> &Value {
    said.iter().find(|answer| answer["id"] == id).unwrap()
}

#[test]
fn a_request_that_was_cancelled_before_its_turn_never_runs() {
    let said = said(&[
        request(1, "ping", json!({})),
        request(2, "tools/call", json!({"name": "pm_version"})),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}),
        request(3, "ping", json!({})),
    ]);
    let mut ids: Vec<i64> = said.iter().filter_map(|answer| answer["id"].as_i64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 3]);
}

#[test]
fn faults_of_the_protocol_have_their_codes_and_end_nothing() {
    let said = said(&[
        request(1, "no/such", json!({})),
        request(2, "tools/call", json!({"name": "pm_lisst"})),
        request(3, "resources/read", json!({"uri": "pm://nothing"})),
        json!({"jsonrpc": "2.0", "id": 4}),
        json!([]),
        request(7, "tools/call", json!({"name": "pm_list", "arguments": []})),
        json!("no message"),
        request(8, "ping", json!({})),
    ]);
    for (id, code) in [(1, -32601), (2, -32602), (3, -32002), (4, -32600), (7, -32602)] {
        assert_eq!(answer(&said, id)["error"]["code"], code, "{id}");
    }
    assert!(answer(&said, 2)["error"]["message"].as_str().unwrap().contains("pm_list"), "{said:?}");
    let nameless = said.iter().filter(|answer| answer["id"].is_null());
    assert_eq!(nameless.map(|answer| &answer["error"]["code"]).collect::<Vec<_>>(), [-32600, -32600]);
    assert_eq!(answer(&said, 8)["result"], json!({}));
}

#[test]
fn a_batch_is_answered_by_a_batch() {
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 6}});
    let said = said(&[
        json!([
            request(5, "ping", json!({})),
            request(6, "ping", json!({})),
            request(7, "no/such", json!({})),
            5
        ]),
        cancelled,
    ]);
    let mut sizes: Vec<usize> = said.iter().filter_map(Value::as_array).map(Vec::len).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [2], "{said:?}");
    assert!(
        said.iter().any(|answer| answer["error"]["code"] == -32600 && answer["id"].is_null()),
        "{said:?}"
    );
}

/// Without a handshake: the revision of July 2026 says in every request what a handshake would.
#[test]
fn requests_that_carry_their_revision_need_no_handshake() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let folder = tempfile::tempdir().unwrap();
    let mut said = Vec::new();
    let mut send = |bytes: &[u8]| {
        said.push(serde_json::from_slice::<Value>(bytes).unwrap());
        true
    };
    let messages = [
        request(1, "server/discover", json!({"_meta": meta})),
        request(2, "tools/list", json!({"_meta": meta})),
        request(3, "tools/call", json!({"_meta": meta, "name": "pm_version"})),
        request(4, "tools/list", json!({})),
    ];
    serve(&Env::new(folder.path(), []), "core", lines(&messages), &mut send).unwrap();
    let spoken = answer(&said, 1)["result"]["supportedVersions"].as_array().unwrap();
    assert!(spoken.contains(&json!("2026-07-28")), "{spoken:?}");
    assert!(answer(&said, 2)["result"]["tools"].is_array(), "{said:?}");
    assert_eq!(answer(&said, 3)["result"]["isError"], false);
    assert_eq!(answer(&said, 4)["error"]["code"], -32602);
}
