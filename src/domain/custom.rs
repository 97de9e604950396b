//! Values of the fields that a tracker declares itself (storage.md §7.6).

use serde_json::Value;

use crate::domain::values::{boolean, refusal};
use crate::error::Result;
use crate::model::schema::{Field, FieldKind};
use crate::model::timestamp;

/// How deep a `value_schema` may nest.
const MAX_DEPTH: usize = 16;

/// What a declared field stores for the values given to its flag.
///
/// Errors: `invalid_argument_value` when a value is not of the declared type, or breaks its `value_schema`.
pub fn value(field: &Field, texts: &[String]) -> Result<Value> {
    let flag = format!("--{}", field.flag);
    let text = texts.last().map_or("", String::as_str);
    let value = match field.kind {
        FieldKind::String if field.repeatable && texts.len() > 1 => Value::from(texts.to_vec()),
        FieldKind::String => Value::from(text),
        FieldKind::Number => number(&flag, text)?,
        FieldKind::Boolean => Value::from(boolean(&flag, text)?),
        FieldKind::StringArray => {
            let words =
                texts.iter().flat_map(|t| t.split([',', '\n', '|'])).map(str::trim).filter(|w| !w.is_empty());
            Value::from(words.map(str::to_owned).collect::<Vec<_>>())
        }
        FieldKind::Array => json(&flag, text, Value::is_array, "a JSON list")?,
        FieldKind::Object => json(&flag, text, Value::is_object, "a JSON object")?,
    };
    check(field, &flag, text, value)
}

/// A value from a JSON document: of the declared type already, or a text to be read like a flag's.
pub fn from_json(field: &Field, given: &Value) -> Result<Value> {
    let flag = format!("--{}", field.flag);
    let fits = match field.kind {
        FieldKind::String => given.is_string(),
        FieldKind::Number => given.is_number(),
        FieldKind::Boolean => given.is_boolean(),
        FieldKind::StringArray => given.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
        FieldKind::Array => given.is_array(),
        FieldKind::Object => given.is_object(),
    };
    match given {
        _ if fits => check(field, &flag, &given.to_string(), given.clone()),
        Value::String(text) => value(field, std::slice::from_ref(text)),
        other => {
            let kind = field.kind.as_str();
            Err(refusal(&flag, &other.to_string(), format!("the field is of type {kind}"), &[]))
        }
    }
}

fn check(field: &Field, flag: &str, text: &str, value: Value) -> Result<Value> {
    if let Some(schema) = &field.value_schema
        && let Some(problem) = fault(schema, &value, 0)
    {
        return Err(refusal(flag, text, problem, &choices(schema)));
    }
    Ok(value)
}

/// A number as JavaScript reads one; whole ones stay whole.
fn number(flag: &str, text: &str) -> Result<Value> {
    let text = text.trim();
    if let Ok(whole) = text.parse::<i64>() {
        return Ok(Value::from(whole));
    }
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    match text.parse::<f64>() {
        Ok(number) if plain && number.is_finite() => Ok(Value::from(number)),
        _ => Err(refusal(flag, text, "give a number", &[])),
    }
}

fn json(flag: &str, text: &str, fits: fn(&Value) -> bool, what: &str) -> Result<Value> {
    match serde_json::from_str::<Value>(text) {
        Ok(value) if fits(&value) => Ok(value),
        Ok(_) => Err(refusal(flag, text, format!("give {what}"), &[])),
        Err(error) => Err(refusal(flag, text, format!("give {what} ({error})"), &[])),
    }
}

/// The texts that a schema lists, for the refusal.
fn choices(schema: &Value) -> Vec<&str> {
    let list = schema.get("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(Value::as_str).collect()
}

/// What is wrong with a value, if anything.
fn fault(schema: &Value, value: &Value, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return Some(format!("its schema nests deeper than {MAX_DEPTH}"));
    }
    let rule = |key: &str| schema.get(key);
    let list = |key: &str| rule(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if let Some(kind) = rule("type").and_then(Value::as_str)
        && !is_kind(value, kind)
    {
        return Some(format!("it must be of type {kind}"));
    }
    if rule("const").is_some_and(|only| only != value) {
        return Some(format!("it must be {}", rule("const").unwrap_or(&Value::Null)));
    }
    if rule("enum").is_some() && !list("enum").contains(value) {
        return Some("it is none of the declared values".to_owned());
    }
    let least = |key: &str| rule(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    if let (Some(least), Some(text)) = (least("min_length"), value.as_str())
        && text.chars().count() < least
    {
        return Some(format!("it must have {least} characters or more"));
    }
    if let (Some(least), Some(items)) = (least("min_items"), value.as_array())
        && items.len() < least
    {
        return Some(format!("it must have {least} entries or more"));
    }
    if rule("format").and_then(Value::as_str) == Some("date-time")
        && value.as_str().is_some_and(|text| timestamp::parse(text).is_none())
    {
        return Some("it must be a time".to_owned());
    }
    if rule("one_of").is_some() {
        let fitting =
            list("one_of").iter().filter(|option| fault(option, value, depth + 1).is_none()).count();
        if fitting != 1 {
            return Some("it must fit exactly one of the declared shapes".to_owned());
        }
    }
    if let (Some(items), Some(of)) = (value.as_array(), rule("items")) {
        return items.iter().find_map(|item| fault(of, item, depth + 1));
    }
    value.as_object().and_then(|_| object_fault(schema, value, depth))
}

fn object_fault(schema: &Value, value: &Value, depth: usize) -> Option<String> {
    let object = value.as_object()?;
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if let Some(missing) = required.iter().filter_map(Value::as_str).find(|key| !object.contains_key(*key)) {
        return Some(format!("it lacks `{missing}`"));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (key, inner) in object {
        match properties.and_then(|p| p.get(key)) {
            Some(rule) => {
                if let Some(problem) = fault(rule, inner, depth + 1) {
                    return Some(format!("`{key}`: {problem}"));
                }
            }
            None if schema.get("additional_properties") == Some(&Value::Bool(false)) => {
                return Some(format!("it must not have `{key}`"));
            }
            None => {}
        }
    }
    None
}

fn is_kind(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::schema::{Schema, SchemaFiles};
    use crate::model::settings::Settings;

    fn field(definition: Value) -> Field {
        let mut definition = definition;
        definition["key"] = json!("f");
        let fields = json!({"fields": [definition]});
        let files = SchemaFiles { fields: fields.as_object().cloned(), ..SchemaFiles::default() };
        Schema::new(&Settings::none(), &files).fields.remove(0)
    }

    #[test]
    fn values_follow_their_declaration() {
        for (definition, text, want) in [
            (json!({"type": "string"}), "3", json!("3")),
            (json!({"type": "number"}), "3", json!(3)),
            (json!({"type": "number"}), " -2.5e1 ", json!(-25.0)),
            (json!({"type": "boolean"}), "yes", json!(true)),
            (json!({"type": "string_array"}), "a, b|c\nd,", json!(["a", "b", "c", "d"])),
            (json!({"type": "array"}), "[1]", json!([1])),
            (json!({"type": "object"}), r#"{"a":1}"#, json!({"a": 1})),
            (json!({"type": "string", "value_schema": {"enum": ["x", "y"]}}), "y", json!("y")),
        ] {
            assert_eq!(value(&field(definition), &[text.to_owned()]).expect(text), want);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (definition, text) in [
            (json!({"type": "number"}), "x"),
            (json!({"type": "number"}), "inf"),
            (json!({"type": "boolean"}), "maybe"),
            (json!({"type": "array"}), "{}"),
            (json!({"type": "object"}), "nope"),
            (json!({"type": "string", "value_schema": {"enum": ["x"]}}), "y"),
            (json!({"type": "string", "value_schema": {"const": "x"}}), "y"),
            (json!({"type": "string", "value_schema": {"min_length": 2}}), "y"),
            (json!({"type": "array", "value_schema": {"min_items": 1}}), "[]"),
            (json!({"type": "array", "value_schema": {"items": {"type": "integer"}}}), "[1,2.5]"),
            (json!({"type": "object", "value_schema": {"required": ["a"]}}), "{}"),
            (
                json!({"type": "object", "value_schema": {"properties": {"a": {"type": "string"}}}}),
                r#"{"a":1}"#,
            ),
            (
                json!({"type": "object", "value_schema": {"properties": {}, "additional_properties": false}}),
                r#"{"a":1}"#,
            ),
            (
                json!({"type": "number", "value_schema": {"one_of": [{"type": "number"}, {"type": "integer"}]}}),
                "1",
            ),
        ] {
            assert!(value(&field(definition.clone()), &[text.to_owned()]).is_err(), "{definition} {text}");
        }
    }

    #[test]
    fn json_documents_bring_values_or_texts() {
        let number = field(json!({"type": "number"}));
        assert_eq!(from_json(&number, &json!(3)).expect("a number"), json!(3));
        assert_eq!(from_json(&number, &json!("3")).expect("a text"), json!(3));
        assert!(from_json(&number, &json!([3])).is_err());
    }
}
