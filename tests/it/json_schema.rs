//! As much of JSON Schema as our own schemas use: says what is wrong with a value, and what with a schema.

use serde_json::Value;

/// The first fault of a value, with its path.
pub(crate) fn fault(value: &Value, schema: &Value, path: &str) -> Option<String> {
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is(value, name)) {
        return Some(format!("{path}: {value} is no {types:?}"));
    }
    if schema["enum"].as_array().is_some_and(|legal| !legal.contains(value)) {
        return Some(format!("{path}: {value} is none of {}", schema["enum"]));
    }
    if schema.get("const").is_some_and(|only| only != value) {
        return Some(format!("{path}: {value} is not {}", schema["const"]));
    }
    if *schema == Value::Bool(false) {
        return Some(format!("{path} is not allowed"));
    }
    if let Some(problem) = bounds(value, schema) {
        return Some(format!("{path}: {value} {problem}"));
    }
    if let Some(problem) = rules(value, schema, path) {
        return Some(problem);
    }
    if let Some(any) = schema["anyOf"].as_array()
        && any.iter().all(|schema| fault(value, schema, path).is_some())
    {
        return Some(format!("{path}: {value} is none of {any:?}"));
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for key in required {
        if value.is_object() && value.get(key).is_none() {
            return Some(format!("{path}: `{key}` is missing"));
        }
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        let place = format!("{path}.{key}");
        match schema["properties"].get(key) {
            Some(schema) => {
                if let Some(fault) = fault(inner, schema, &place) {
                    return Some(fault);
                }
            }
            None if schema["additionalProperties"] == false => {
                return Some(format!("{place} is not allowed"));
            }
            None => {}
        }
    }
    let rows = value.as_array().into_iter().flatten().enumerate();
    rows.filter(|_| schema.get("items").is_some())
        .find_map(|(n, row)| fault(row, &schema["items"], &format!("{path}[{n}]")))
}

/// What a text, list or number breaks: its form, its size.
fn bounds(value: &Value, schema: &Value) -> Option<String> {
    let number = |key: &str| schema[key].as_f64();
    let size = match value {
        Value::String(text) => {
            let fits = |pattern: &str| regex::Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text));
            if let Some(pattern) = schema["pattern"].as_str().filter(|pattern| !fits(pattern)) {
                return Some(format!("does not fit {pattern}"));
            }
            (text.chars().count() as f64, "minLength", "maxLength")
        }
        Value::Array(items) => {
            let twice = (1..items.len()).any(|n| items[..n].contains(&items[n]));
            if twice && schema["uniqueItems"] == true {
                return Some("repeats itself".to_owned());
            }
            (items.len() as f64, "minItems", "maxItems")
        }
        Value::Number(n) => (n.as_f64().unwrap_or_default(), "minimum", "maximum"),
        _ => return None,
    };
    let (size, least, most) = size;
    let outside =
        number(least).is_some_and(|least| size < least) || number(most).is_some_and(|most| size > most);
    outside.then(|| format!("is outside of {least} and {most}"))
}

/// Schemas made of schemas: all, exactly one, one for a case.
fn rules(value: &Value, schema: &Value, path: &str) -> Option<String> {
    let all = schema["allOf"].as_array().into_iter().flatten();
    if let Some(problem) = all.into_iter().find_map(|one| fault(value, one, path)) {
        return Some(problem);
    }
    if let Some(branches) = schema["oneOf"].as_array() {
        let fitting = branches.iter().filter(|one| fault(value, one, path).is_none()).count();
        if fitting != 1 {
            return Some(format!("{path}: {fitting} of the branches fit"));
        }
    }
    let case = schema.get("if")?;
    let next = if fault(value, case, path).is_none() { "then" } else { "else" };
    schema.get(next).and_then(|next| fault(value, next, path))
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        _ => false,
    }
}

/// The first keyword that is not one of draft 2020-12 as used here, or a type that there is not.
pub(crate) fn unsound(schema: &Value, path: &str) -> Option<String> {
    const KNOWN: [&str; 29] = [
        "$schema",
        "$id",
        "title",
        "description",
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "anyOf",
        "oneOf",
        "default",
        "minimum",
        "maximum",
        "format",
        "pattern",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "uniqueItems",
        "allOf",
        "if",
        "then",
        "else",
        "examples",
        "x-schema-version",
    ];
    let Some(map) = schema.as_object() else {
        return (!schema.is_boolean()).then(|| format!("{path}: no schema"));
    };
    if let Some(odd) = map.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Some(format!("{path}: keyword {odd}"));
    }
    let properties = map.get("properties").and_then(Value::as_object).into_iter().flatten();
    let mut below: Vec<(String, &Value)> =
        properties.map(|(key, schema)| (format!("{path}.{key}"), schema)).collect();
    for key in ["anyOf", "oneOf"] {
        let branches = map.get(key).and_then(Value::as_array).into_iter().flatten();
        below.extend(branches.enumerate().map(|(n, schema)| (format!("{path}.{key}[{n}]"), schema)));
    }
    below.extend(map.get("items").map(|schema| (format!("{path}[]"), schema)));
    for required in map.get("required").and_then(Value::as_array).into_iter().flatten() {
        // A branch of a rule speaks about what the schema around it declares.
        let known = |key: &str| map.get("properties").is_none_or(|keys| keys.get(key).is_some());
        if !required.as_str().is_some_and(known) {
            return Some(format!("{path}: required {required} is no property"));
        }
    }
    below.into_iter().find_map(|(path, schema)| unsound(schema, &path))
}
