//! The server as its client sees it, without a process.

use std::sync::mpsc::{self, Receiver};

use serde_json::{Value, json};

use super::*;
use crate::cli::flags::Flags;
use crate::error::{Code, Error};
use crate::generate::schema;
use crate::grammar;

fn lines(messages: &[Value]) -> Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    messages.iter().for_each(|message| send.send(message.to_string().into_bytes()).unwrap());
    receive
}

/// The answers to these messages, from a server in a folder without a tracker.
fn answers(messages: &[Value]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let mut said = Vec::new();
    let mut send = |bytes: &[u8]| {
        said.push(serde_json::from_slice::<Value>(bytes).unwrap());
        true
    };
    serve(&Env::new(folder.path(), []), "core", lines(messages), &mut send);
    said
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[test]
fn a_request_that_was_cancelled_before_its_turn_never_runs() {
    let said = answers(&[
        request(1, "ping", json!({})),
        request(2, "tools/call", json!({"name": "pm_version"})),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}),
        request(3, "ping", json!({})),
    ]);
    let ids: Vec<&Value> = said.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [1, 3]);
}

#[test]
fn faults_of_the_protocol_have_their_codes_and_end_nothing() {
    let said = answers(&[
        request(1, "no/such", json!({})),
        request(2, "tools/call", json!({"name": "pm_lisst"})),
        request(3, "resources/read", json!({"uri": "pm://nothing"})),
        json!({"jsonrpc": "2.0", "id": 4}),
        json!([]),
        json!([request(5, "ping", json!({})), request(6, "ping", json!({}))]),
    ]);
    let codes: Vec<&Value> = said.iter().take(5).map(|answer| &answer["error"]["code"]).collect();
    assert_eq!(codes, [-32601, -32602, -32002, -32600, -32600]);
    assert!(said[1]["error"]["message"].as_str().unwrap().contains("pm_list"), "{}", said[1]);
    assert_eq!(said[5].as_array().unwrap().len(), 2);
}

/// What of a call a client would send: the words of an example, by the names of the schema.
fn arguments(surface: &crate::surface::Surface, own: &[&str]) -> Map<String, Value> {
    let parser = grammar::parser(surface);
    let own: Vec<String> = own.iter().map(|&word| word.to_owned()).collect();
    let refuse = |flag: &str, _: &[&str]| Error::new(Code::UnknownOption, flag.to_owned());
    let canonical = Flags::of(&parser).canonical(&own, &refuse).unwrap();
    let matches = parser.clone().try_get_matches_from(canonical.args).unwrap();
    let mut out = Map::new();
    for property in schema::properties(&parser) {
        let id = property.arg.get_id().as_str();
        if matches.value_source(id) != Some(clap::parser::ValueSource::CommandLine) {
            continue;
        }
        let raw = matches.get_raw(id).into_iter().flatten().map(|text| text.to_string_lossy().into_owned());
        let integer = property.schema(false)["type"] == "integer";
        let mut values: Vec<Value> =
            raw.map(|text| if integer { text.parse::<i64>().unwrap().into() } else { text.into() }).collect();
        let value = match () {
            () if property.is_switch() => true.into(),
            () if property.is_list() => values.into(),
            () => values.pop().unwrap_or(true.into()),
        };
        out.insert(property.name(), value);
    }
    out
}

#[test]
fn every_example_is_a_call_that_obeys_its_schema_and_becomes_words_that_parse() {
    for surface in CATALOG.iter() {
        let schema = schema::input(surface, false);
        for example in surface.contract.examples {
            let arguments = arguments(surface, &example.argv[surface.contract.path.len()..]);
            for (key, value) in &arguments {
                let property = &schema["properties"][key];
                assert!(property.is_object(), "{:?}: `{key}` is not in the schema", example.argv);
                let types: Vec<&str> = match &property["type"] {
                    Value::String(name) => vec![name],
                    Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
                    _ => continue,
                };
                let kind = match value {
                    Value::Bool(_) => "boolean",
                    Value::Number(_) => "integer",
                    Value::Array(_) => "array",
                    _ => "string",
                };
                assert!(types.contains(&kind), "{:?}: `{key}` is {value}, not {types:?}", example.argv);
            }
            for key in schema["required"].as_array().into_iter().flatten() {
                assert!(arguments.contains_key(key.as_str().unwrap()), "{:?}: {key}", example.argv);
            }
            let words = words::of(surface, &arguments, &|| &[]).unwrap();
            let own = &words[surface.contract.path.len()..];
            let own: Vec<&str> = own.iter().map(String::as_str).collect();
            assert_eq!(self::arguments(surface, &own), arguments, "{:?}", example.argv);
        }
    }
}

#[test]
fn keys_name_one_argument_each() {
    for surface in CATALOG.iter() {
        let parser = grammar::parser(surface);
        let mut names: Vec<String> = schema::properties(&parser)
            .filter(|property| !property.arg.is_hide_set())
            .map(|property| property.name())
            .collect();
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{}", surface.name());
    }
}
