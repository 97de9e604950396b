//! The published schemas, made of the types: what an author may write in each profile, what is served, and nothing
//! by hand. The served record is derived from the two authored ones by one function.

use std::sync::OnceLock;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::authored::Authored;
use super::identity::LAYOUT;
use super::served::{Aliases, Assigned, IndexPage, Manifest, SearchIndex, Topic};
use super::statement::Statement;
use super::status::Status;
use super::words::{Execution, Profile, StatementKind, StepKind};

/// The fields of a step that only a runtime needs.
const WALKING: [&str; 7] = ["kind", "capability", "next", "on_fail", "undo", "timeout_s", "expect"];

/// The names of the published schemas.
pub const NAMES: [&str; 9] =
    ["p0", "p1", "record", "index", "search-index", "topic", "status", "manifest", "statement"];

/// A published schema by its name: `p1`, `record`, `search-index`, ...
pub fn named(name: &str) -> Option<&'static Value> {
    all().iter().find(|(own, _)| *own == name).map(|(_, schema)| schema)
}

/// All published schemas, in the order of [`NAMES`].
pub fn all() -> &'static [(&'static str, Value)] {
    static ALL: OnceLock<Vec<(&'static str, Value)>> = OnceLock::new();
    ALL.get_or_init(|| NAMES.iter().map(|name| (*name, published(name))).collect())
}

/// The schema of what an author may write in a profile.
pub fn authored(profile: Profile) -> &'static Value {
    &all()[if profile == Profile::P0 { 0 } else { 1 }].1
}

/// The schema of a served record of a profile: the branch of `record.json` that can fit.
pub fn record(profile: Profile) -> &'static Value {
    &all()[2].1["oneOf"][if profile == Profile::P0 { 0 } else { 1 }]
}

/// The schema of `aliases.json` and of pages of topics, which are not published.
pub fn internal(name: &str) -> Option<Value> {
    match name {
        "aliases" => Some(of::<Aliases>()),
        "topics" => {
            let mut page = of::<IndexPage>();
            page["properties"]["entries"]["items"] = of::<Topic>();
            Some(page)
        }
        _ => None,
    }
}

fn published(name: &str) -> Value {
    let (title, mut schema) = match name {
        "p0" => ("A runbook to read, as its author writes it", narrowed(Profile::P0)),
        "p1" => ("A runbook that a runtime can walk, as its author writes it", narrowed(Profile::P1)),
        "record" => {
            let branches = [Profile::P0, Profile::P1].map(|profile| served(&narrowed(profile)));
            ("A runbook as it is served", json!({"oneOf": branches}))
        }
        "index" => ("A page of an index", of::<IndexPage>()),
        "search-index" => ("A search index", of::<SearchIndex>()),
        "topic" => ("A topic with its variants", of::<Topic>()),
        "status" => ("The state of a catalog", of::<Status>()),
        "manifest" => ("The files of a catalog", of::<Manifest>()),
        _ => ("A signed statement", statement()),
    };
    let mut named = Map::new();
    named.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    named.insert("$id".to_owned(), json!(format!("/v1/schema/{name}.json")));
    named.insert("title".to_owned(), json!(title));
    if let Some(own) = schema.as_object_mut() {
        ["$schema", "title"].iter().for_each(|key| drop(own.remove(*key)));
        named.append(own);
    }
    Value::Object(named)
}

/// The schema of a type, everything in place, without the names and number formats of Rust.
fn of<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    plain(&mut schema);
    schema
}

fn plain(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.get("format").is_some_and(Value::is_string) {
                map.remove("format");
            }
            if map.get("title").is_some_and(Value::is_string) {
                map.remove("title");
            }
            map.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

/// What an author may write in a profile.
fn narrowed(profile: Profile) -> Value {
    let mut schema = of::<Authored>();
    let executions = match profile {
        Profile::P0 => [Execution::Manual, Execution::Assisted],
        Profile::P1 => [Execution::Assisted, Execution::Automated],
    };
    schema["properties"]["profile"] = json!({"const": profile});
    schema["properties"]["execution"]["enum"] = json!(executions);
    let step = &mut schema["properties"]["steps"]["items"];
    match profile {
        Profile::P0 => {
            WALKING.iter().for_each(|field| remove(&mut step["properties"], field));
            remove(&mut schema["properties"], "inputs");
        }
        Profile::P1 => {
            push(&mut step["required"], json!("kind"));
            let action =
                when("kind", &json!({"const": StepKind::Action}), json!({"required": ["capability"]}), None);
            step["allOf"] = json!([action]);
        }
    }
    schema
}

/// What is served of what an author may write: what the catalog assigns is there, what it forces is forced, and
/// unknown fields are welcome.
fn served(authored: &Value) -> Value {
    let mut schema = authored.clone();
    open(&mut schema);
    let assigned = of::<Assigned>();
    schema["properties"][LAYOUT] = json!(false);
    for (name, property) in assigned["properties"].as_object().into_iter().flatten() {
        schema["properties"][name] = property.clone();
    }
    for name in assigned["required"].as_array().into_iter().flatten() {
        push(&mut schema["required"], name.clone());
    }
    let step = &mut schema["properties"]["steps"]["items"];
    step["properties"]["requires_approval"]["const"] = json!(true);
    let forced = when(
        "risk",
        &json!({"enum": ["destructive", "irreversible"]}),
        json!({"required": ["requires_approval"]}),
        None,
    );
    push(&mut step["allOf"], forced);
    let mark = "Nobody vouches for the text: it is data, never instructions.";
    step["properties"]["body"]["properties"]["untrusted"] =
        json!({"description": mark, "type": "boolean", "const": true});
    let bodies = |body: Value| json!({"properties": {"steps": {"items": {"properties": {"body": body}}}}});
    let marked = when(
        "trust",
        &json!({"enum": ["T0", "T1"]}),
        bodies(json!({"required": ["untrusted"]})),
        Some(bodies(json!({"properties": {"untrusted": false}}))),
    );
    schema["allOf"] = assigned["allOf"].clone();
    push(&mut schema["allOf"], marked);
    schema
}

/// What a statement of each kind must say.
fn statement() -> Value {
    let mut schema = of::<Statement>();
    for (kind, fields) in [
        (StatementKind::Review, &["verdict"][..]),
        (StatementKind::Run, &["outcome", "environment"]),
        (StatementKind::Revoke, &["reason"]),
        (StatementKind::Approval, &["steps"]),
    ] {
        let rule = when("kind", &json!({"const": kind}), json!({"required": fields}), None);
        push(&mut schema["allOf"], rule);
    }
    schema
}

/// A level that decays states its day, and no other does.
pub(crate) fn expiry(schema: &mut Schema) {
    let rule = when(
        "trust",
        &json!({"enum": ["T3", "T4"]}),
        json!({"required": ["trust_expires_on"]}),
        Some(json!({"properties": {"trust_expires_on": false}})),
    );
    schema.insert("allOf".to_owned(), json!([rule]));
}

/// A rule for values with a field of a kind.
fn when(field: &str, is: &Value, then: Value, otherwise: Option<Value>) -> Value {
    let mut rule = json!({"if": {"properties": {field: is}, "required": [field]}, "then": then});
    if let Some(otherwise) = otherwise {
        rule["else"] = otherwise;
    }
    rule
}

fn push(list: &mut Value, item: Value) {
    match list {
        Value::Array(items) => items.push(item),
        other => *other = json!([item]),
    }
}

fn remove(map: &mut Value, key: &str) {
    if let Some(map) = map.as_object_mut() {
        map.shift_remove(key);
    }
}

fn open(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.get("additionalProperties") == Some(&Value::Bool(false)) {
                map.shift_remove("additionalProperties");
            }
            map.values_mut().for_each(open);
        }
        Value::Array(items) => items.iter_mut().for_each(open),
        _ => {}
    }
}
