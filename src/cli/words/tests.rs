//! Every example of every command as a call, and back.

use serde_json::{Map, Value};

use crate::cli::flags::Flags;
use crate::commands::CATALOG;
use crate::error::{Code, Error};
use crate::generate::schema;
use crate::grammar;

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
        // A table of parameters has names of its own, and one text where the parser understands several.
        let (key, value) = match (surface.contract.parameters, value) {
            (Some(_), Value::Array(mut one))
                if own_schema(surface, id)["type"] == "string" && one.len() == 1 =>
            {
                (id.to_owned(), one.remove(0))
            }
            (Some(_), value) if !schema::is_control(&property) => (id.to_owned(), value),
            (_, value) => (property.name(), value),
        };
        out.insert(key, value);
    }
    out
}

fn own_schema(surface: &crate::surface::Surface, key: &str) -> Value {
    surface.contract.parameters.map(|parameters| parameters()["properties"][key].clone()).unwrap_or_default()
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
            let words = super::of(surface, &arguments, &|| &[]).unwrap();
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
