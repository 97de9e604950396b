//! JSON Schemas (draft 2020-12) of what a command takes and what it answers, made of its declaration.
//!
//! A call that comes as JSON has a key for each argument, in camel case: `--output-limit` is `outputLimit`. It becomes
//! words again and goes through the one parser (docs/decisions/0001-one-parser.md), so a schema describes and never
//! decides.

use std::any::TypeId;

use clap::{Arg, ArgAction};
use serde_json::{Map, Value, json};

use crate::contract::{Effect, ReadOutput};
use crate::grammar::{self, GLOBAL_HEADING, OUTPUT_HEADING};
pub use crate::read_output::camel;
use crate::read_output::session_schema;
use crate::rows;
use crate::surface::Surface;

/// The dialect of all schemas.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Global flags about a terminal or a process: who calls with JSON has neither.
const OF_PROCESSES: &[&str] = &["json", "quiet", "no-pager", "no-extensions", "profile", "path", "format"];

/// Positional arguments under the name that a call as JSON gives them.
const SPOKEN: &[(&str, &str)] = &[("keywords", "query"), ("ids", "id")];

/// An argument of a command as a key of a JSON object.
#[derive(Clone, Copy, Debug)]
pub struct Property<'p> {
    /// The declared argument.
    pub arg: &'p Arg,
}

/// The arguments that a call as JSON may have, in the order declared; `hidden` ones work and are not shown.
pub fn properties(parser: &clap::Command) -> impl Iterator<Item = Property<'_>> {
    parser.get_arguments().map(|arg| Property { arg }).filter(|property| {
        property.arg.get_help_heading() != Some(GLOBAL_HEADING)
            || !OF_PROCESSES.contains(&property.arg.get_long().unwrap_or_default())
    })
}

/// The property that a key means: in camel, snake or kebab case, by any name of the flag, else by the name of the value.
pub fn find<'p>(parser: &'p clap::Command, key: &str) -> Option<Property<'p>> {
    let key = camel(key);
    let named = |property: &Property<'p>| {
        property.name() == key
            || property.arg.get_all_aliases().is_some_and(|names| names.iter().any(|name| camel(name) == key))
    };
    let identified = |property: &Property<'p>| camel(property.arg.get_id().as_str()) == key;
    properties(parser).find(named).or_else(|| properties(parser).find(identified))
}

impl Property<'_> {
    /// The key.
    pub fn name(&self) -> String {
        let id = self.arg.get_id().as_str();
        match self.arg.get_long() {
            Some(long) => camel(long),
            None => {
                SPOKEN.iter().find(|(own, _)| *own == id).map_or_else(|| camel(id), |(_, key)| (*key).into())
            }
        }
    }

    /// Whether it takes no value: true sets it.
    pub fn is_switch(&self) -> bool {
        !self.arg.get_action().takes_values()
    }

    /// Whether its value may be left out: true sets it without one.
    pub fn is_optional_value(&self) -> bool {
        !self.is_switch() && self.arg.get_num_args().is_some_and(|count| count.min_values() == 0)
    }

    /// Whether it may have several values: a list gives each.
    pub fn is_list(&self) -> bool {
        let many = self.arg.get_num_args().is_some_and(|count| count.max_values() > 1);
        !self.is_switch() && (many || matches!(self.arg.get_action(), ArgAction::Append))
    }

    /// Whether its value is a list of words with commas between them, by the name of the value.
    pub fn is_of_words(&self) -> bool {
        self.arg.get_value_names().unwrap_or_default().iter().any(|name| name.starts_with("CSV"))
    }

    /// The schema of its value.
    pub fn schema(&self, described: bool) -> Value {
        let mut schema = control(self.arg, described).map_or_else(|| self.shape(), object);
        if described && let Some(help) = self.arg.get_help() {
            schema.insert("description".into(), help.to_string().into());
        }
        if !self.is_switch()
            && !self.arg.is_hide_default_value_set()
            && let [default] = self.arg.get_default_values()
        {
            schema.insert("default".into(), default.to_string_lossy().into());
        }
        Value::Object(schema)
    }

    /// Whether its value is a number in most calls, by the name of the value.
    fn counts(&self) -> bool {
        let names = self.arg.get_value_names().unwrap_or_default();
        names.iter().any(|name| {
            ["N", "COUNT", "TOKENS", "SCORE", "DAYS", "MINUTES", "NUMBER"].contains(&name.as_str())
        }) || ["priority", "estimate"].contains(&self.arg.get_long().unwrap_or_default())
    }

    fn shape(&self) -> Map<String, Value> {
        if self.is_switch() {
            return object(json!({"type": "boolean"}));
        }
        let parser = self.arg.get_value_parser().type_id();
        let whole = [
            TypeId::of::<u8>(),
            TypeId::of::<u16>(),
            TypeId::of::<u32>(),
            TypeId::of::<u64>(),
            TypeId::of::<usize>(),
            TypeId::of::<i64>(),
        ];
        let values = self.arg.get_possible_values();
        let legal: Vec<&str> = values.iter().filter(|v| !v.is_hide_set()).map(|v| v.get_name()).collect();
        let one = if !legal.is_empty() {
            json!({"type": "string", "enum": legal})
        } else if whole.iter().any(|id| parser == *id) {
            json!({"type": "integer"})
        } else if parser == TypeId::of::<f64>() {
            json!({"type": "number"})
        } else if self.is_list() {
            return object(json!({"type": ["string", "array"]}));
        } else if self.is_optional_value() {
            return object(json!({"type": ["boolean", "string"]}));
        } else if self.counts() {
            // A number, or a word such as `unbounded`: the parser knows.
            json!({})
        } else {
            json!({"type": "string"})
        };
        if self.is_list() {
            return object(json!({"anyOf": [one.clone(), {"type": "array", "items": one}]}));
        }
        if self.is_optional_value() {
            return object(json!({"anyOf": [{"type": "boolean"}, one]}));
        }
        object(one)
    }
}

/// The schema of an output control that takes more than words; `whole`: with what is in a session's state.
fn control(arg: &Arg, whole: bool) -> Option<Value> {
    if arg.get_help_heading() != Some(OUTPUT_HEADING) {
        return None;
    }
    Some(match arg.get_long()? {
        "output-include" => json!({"type": ["string", "array"]}),
        "output-limit" | "output-budget" => {
            json!({"anyOf": [{"type": "integer", "minimum": 1}, {"const": "unbounded"}]})
        }
        // The state, or its text as the command line takes it.
        "output-session" if whole => json!({"anyOf": [session_schema(), {"type": "string"}]}),
        "output-session" => json!({"type": ["object", "string"]}),
        _ => return None,
    })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// The schema of a call: every argument, unknown ones refused. `described`: with what each is for.
pub fn input(surface: &Surface, described: bool) -> Value {
    if let Some(parameters) = surface.contract.parameters {
        return declared(surface, parameters(), described);
    }
    let parser = grammar::parser(surface);
    let mut keys = Map::new();
    let mut required = Vec::new();
    for property in properties(&parser).filter(|property| !property.arg.is_hide_set()) {
        if property.arg.is_required_set() {
            required.push(property.name());
        }
        keys.insert(property.name(), property.schema(described));
    }
    if keys.contains_key("stdinJson") {
        // A call has no standard input of its own: it brings what would stand there.
        let mut stdin = json!({"type": ["object", "string"]});
        if described {
            stdin["description"] = "The JSON that stdinJson reads: the document itself, or its text".into();
        }
        keys.insert("stdin".to_owned(), stdin);
    }
    let mut schema = object(json!({"type": "object", "title": format!("pm {}", surface.name())}));
    if described {
        schema.insert("description".into(), surface.contract.about.into());
    }
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema.insert("properties".into(), Value::Object(keys));
    // The tracker's own fields join as arguments; the server knows them, this declaration does not.
    schema.insert("additionalProperties".into(), surface.contract.custom_flags.into());
    Value::Object(schema)
}

/// The schema of a call whose parameters are declared in a table of their own: they and the output controls, nothing
/// else.
fn declared(surface: &Surface, mut schema: Value, described: bool) -> Value {
    let parser = grammar::parser(surface);
    if let Some(Value::Object(keys)) = schema.get_mut("properties") {
        if !described {
            keys.values_mut().filter_map(Value::as_object_mut).for_each(|key| {
                key.shift_remove("description");
            });
        }
        for property in properties(&parser).filter(|p| is_control(p) && !p.arg.is_hide_set()) {
            keys.insert(property.name(), property.schema(described));
        }
    }
    let mut out = object(json!({"type": "object", "title": format!("pm {}", surface.name())}));
    if described {
        out.insert("description".into(), surface.contract.about.into());
    }
    out.extend(object(schema));
    Value::Object(out)
}

/// The schema of an answer: its collections of rows, and what the pipeline promises of it, whatever was selected, cut
/// or left out; of a change the keys of its receipt. None for a command that answers with text.
pub fn output_document(surface: &Surface) -> Option<Value> {
    let output = surface.contract.read_output.as_ref().filter(|_| surface.contract.effect != Effect::Writes);
    let id = format!("urn:pm:schema:{}:output", surface.contract.path.join("-"));
    let mut out = object(json!({"$schema": DIALECT, "$id": id}));
    out.extend(object(match output {
        Some(output) => self::output(surface, output),
        None => {
            let mut keys = collections(surface);
            beside(&mut keys, surface);
            if keys.is_empty() {
                return None;
            }
            json!({"title": title(surface), "type": "object", "properties": keys})
        }
    }));
    Some(Value::Object(out))
}

/// Takes the descriptions out of a schema, and leaves the properties of that name.
pub fn undescribe(schema: &mut Value) {
    let Value::Object(keys) = schema else { return };
    keys.shift_remove("description");
    for (key, below) in keys {
        match (key.as_str(), below) {
            ("properties", Value::Object(properties)) => properties.values_mut().for_each(undescribe),
            ("anyOf" | "oneOf", Value::Array(branches)) => branches.iter_mut().for_each(undescribe),
            ("items", below) => undescribe(below),
            _ => {}
        }
    }
}

fn title(surface: &Surface) -> String {
    format!("Answer of pm {}", surface.name())
}

/// The collections of an answer, by their places: lists of rows, or one record in the place of its only row.
fn collections(surface: &Surface) -> Map<String, Value> {
    let name = surface.name();
    let mut keys = Map::new();
    for row in rows::all().filter(|row| row.command == name) {
        place(&mut keys, row.path, json!({"type": ["array", "object", "null"], "items": (row.make)()}));
    }
    keys
}

/// What stands beside the collections of an answer.
fn beside(keys: &mut Map<String, Value>, surface: &Surface) {
    let mut own = Map::new();
    own.extend(rows::keys(&surface.name()).into_iter().map(|(key, schema)| (key.to_owned(), schema)));
    for (key, schema) in own {
        keys.entry(key).or_insert(schema);
    }
}

fn output(surface: &Surface, output: &ReadOutput) -> Value {
    let mut keys = collections(surface);
    let whole = json!({"type": "integer", "minimum": 0});
    let receipt = json!({"type": "object"});
    for (key, schema) in [
        ("count", whole.clone()),
        ("total", json!({"type": ["integer", "object"]})),
        ("has_more", json!({"type": "boolean"})),
        ("truncated", json!({"type": "boolean"})),
        ("next_cursor", json!({"type": ["string", "null"]})),
        ("completeness", json!({"type": ["object", "string"]})),
        ("warnings", json!({"type": "array"})),
        ("row_contract", receipt.clone()),
        ("read_session", receipt.clone()),
        ("output_budget_truncation", receipt.clone()),
        (
            "output_budget_exceeded",
            json!({"type": "object", "required": ["omitted_result", "reason", "recovery"]}),
        ),
        (
            "read_output",
            json!({"type": "object", "properties": {
                "command": {"const": output.surface},
                "estimated_tokens": whole,
                "within_budget": {"type": "boolean"},
            }}),
        ),
    ] {
        keys.entry(key).or_insert(schema);
    }
    beside(&mut keys, surface);
    json!({"title": title(surface), "type": "object", "properties": keys})
}

/// Puts a schema at a dot-delimited path of properties; what lies below a `*` is left open.
fn place(keys: &mut Map<String, Value>, path: &str, schema: Value) {
    match path.split_once('.') {
        None => {
            keys.insert(path.to_owned(), schema);
        }
        Some((_, rest)) if rest.starts_with('*') => {}
        Some((first, rest)) => {
            let parent = keys.entry(first).or_insert_with(|| json!({"type": "object", "properties": {}}));
            if let Some(Value::Object(below)) = parent.get_mut("properties") {
                place(below, rest, schema);
            }
        }
    }
}

/// Whether a call as JSON may leave the read-output controls in: it reads, at least without its writing options.
pub fn takes_controls(surface: &Surface) -> bool {
    surface.contract.read_output.is_some() && surface.contract.effect != Effect::Writes
}

/// Whether a property is one of the controls of the read output.
pub fn is_control(property: &Property<'_>) -> bool {
    property.arg.get_help_heading() == Some(OUTPUT_HEADING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_every_case() {
        assert_eq!(camel("--output-row_contract"), "outputRowContract");
        assert_eq!(camel("outputLimit"), "outputLimit");
    }
}
