//! A call that came as JSON, as the words of the one parser.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::commands::CATALOG;
use crate::contract::Refusals;
use crate::error::{Code, Error, Result};
use crate::generate::schema::{self, Property};
use crate::grammar;
use crate::model::schema::Field;
use crate::nearest;
use crate::surface::Surface;

/// The words of a call: the command, its options, then what stands without a name.
///
/// `fields` are asked for only when a key is met that the declaration does not know.
///
/// Errors: `unknown_option` or `flag_typo_requires_retry` for a key that is no argument.
pub(super) fn of<'f>(
    surface: &Surface,
    arguments: &Map<String, Value>,
    fields: &dyn Fn() -> &'f [Field],
) -> Result<Vec<String>> {
    let mut parser = grammar::parser(surface);
    if surface.contract.custom_flags && arguments.keys().any(|key| schema::find(&parser, key).is_none()) {
        parser = grammar::with_fields(parser, surface.contract.path[0], fields());
    }
    let mut words: Vec<String> = surface.contract.path.iter().map(|&word| word.to_owned()).collect();
    for (key, value) in arguments {
        let Some(property) = schema::find(&parser, key) else {
            if surface.contract.refusals != Refusals::Program {
                // Its contract refuses unknown parameters in its own words, whichever way they come.
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                words.push(format!("--{key}={value}"));
                continue;
            }
            return Err(unknown(surface, &parser, key));
        };
        if property.arg.is_positional() {
            continue;
        }
        // An empty list is a value for a contract that tells it from no value.
        match value {
            Value::Array(values) if values.is_empty() && surface.contract.refusals != Refusals::Program => {
                words.push(format!("{}=", flag(&property)));
            }
            // Its contract takes each parameter once, and some of them are lists of words.
            Value::Array(values)
                if property.is_of_words() && surface.contract.refusals == Refusals::Catalog =>
            {
                let all: Vec<String> = values.iter().map(|value| text(&property, value)).collect();
                words.push(format!("{}={}", flag(&property), all.join(",")));
            }
            // A file is for who sits at its machine: what looks like one is taken as it stands, which the contract refuses.
            Value::String(text)
                if text.starts_with('@') && surface.contract.refusals == Refusals::Catalog =>
            {
                words.push(format!("{}= {text}", flag(&property)));
            }
            value => option(&property, value, &mut words),
        }
    }
    let mut unnamed = Vec::new();
    for arg in parser.get_positionals() {
        let property = Property { arg };
        let same = |key: &&String| schema::find(&parser, key).is_some_and(|p| p.arg.get_id() == arg.get_id());
        if let Some(key) = arguments.keys().find(same) {
            unnamed.extend(texts(&property, &arguments[key]));
        }
    }
    // Neither a flag nor one more word of the command: `pm files discover` is another command than this one.
    let first = unnamed.first().map(String::as_str).unwrap_or_default();
    let path = [surface.contract.path, &[first]].concat();
    let longer = CATALOG.iter().any(|other| other.contract.path.starts_with(&path));
    if longer || unnamed.iter().any(|word| word.starts_with('-')) {
        words.push("--".to_owned());
    }
    words.extend(unnamed);
    Ok(words)
}

fn flag(property: &Property<'_>) -> String {
    format!("--{}", property.arg.get_long().unwrap_or_default())
}

fn option(property: &Property<'_>, value: &Value, words: &mut Vec<String>) {
    let flag = flag(property);
    match value {
        Value::Null => {}
        Value::Bool(false) if property.is_switch() => {}
        Value::Bool(true) if property.is_switch() || property.is_optional_value() => words.push(flag),
        value => words.extend(texts(property, value).into_iter().map(|text| format!("{flag}={text}"))),
    }
}

/// A value as it would be typed: a list as several values where the argument takes several, else with commas.
fn texts(property: &Property<'_>, value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(values) if property.is_list() => {
            values.iter().map(|value| text(property, value)).collect()
        }
        Value::Array(values) => {
            vec![values.iter().map(|value| text(property, value)).collect::<Vec<_>>().join(",")]
        }
        value => vec![text(property, value)],
    }
}

/// One value: an object is `key=value,...` where the argument may be given several times, as `dep` and `file` are.
fn text(property: &Property<'_>, value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(entries)
            if property.is_list() && !entries.values().any(|v| v.is_object() || v.is_array()) =>
        {
            let entry = |(key, value): (&String, &Value)| match value {
                Value::String(text) => format!("{key}={text}"),
                other => format!("{key}={other}"),
            };
            entries.iter().map(entry).collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

/// A key that is no argument: all that are, the nearest first.
fn unknown(surface: &Surface, parser: &clap::Command, key: &str) -> Error {
    let mut legal: Vec<String> = schema::properties(parser)
        .filter(|property| !property.arg.is_hide_set())
        .map(|property| property.name())
        .collect();
    legal.extend(["cwd".to_owned(), "stdin".to_owned()]);
    let legal: Vec<&str> = legal.iter().map(String::as_str).collect();
    let near = nearest::typo(key, &legal);
    let ordered: Vec<&str> = near
        .into_iter()
        .chain(nearest::order(key, &legal).into_iter().filter(|name| Some(*name) != near))
        .collect();
    let name = surface.name();
    let message =
        format!("`{name}` has no argument `{key}`; near it: {}", ordered[..ordered.len().min(3)].join(", "));
    let code = if near.is_some() { Code::FlagTypo } else { Code::UnknownOption };
    let action = surface.contract.path.join("-");
    Error::new(code, message)
        .at(key)
        .rejecting(key)
        .fact("allowed_values", ordered)
        .hint(format!("pm contracts --action {action} --schema-only"))
}
