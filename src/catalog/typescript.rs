//! The published schemas as TypeScript declarations, for clients that are written in it.

use std::fmt::Write as _;

use serde_json::Value;

use super::schema;

/// The text of `catalog.d.ts`.
pub fn declarations() -> String {
    let mut out = String::from(
        "// The documents of a catalog (`pm catalog`), made of the published schemas. Fields that a later minor version\n// adds are read over: every served type is open.\n",
    );
    for (name, schema) in schema::all() {
        let type_name = type_name(name);
        let title = schema["title"].as_str().unwrap_or_default();
        let _ = write!(out, "\n/** {title}. */\nexport type {type_name} = {};\n", of(schema, 0));
    }
    out.push_str(
        "\n/** The level that a reader goes by on a day: T3 and T4 are T2 from their expiry on, and without one. */\nexport declare function effectiveTrust(level: \"T0\" | \"T1\" | \"T2\" | \"T3\" | \"T4\", expiresOn: string | undefined, today: string): \"T0\" | \"T1\" | \"T2\" | \"T3\" | \"T4\";\n",
    );
    out
}

/// `search-index` becomes `SearchIndex`, `p0` becomes `AuthoredP0`.
fn type_name(name: &str) -> String {
    let prefix = if matches!(name, "p0" | "p1") { "Authored" } else { "" };
    let part = |part: &str| {
        let mut letters = part.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    prefix.chars().chain(name.split('-').flat_map(|word| part(word).chars().collect::<Vec<_>>())).collect()
}

/// The type of the values of a schema; rules that a type cannot say are left out.
fn of(schema: &Value, depth: usize) -> String {
    let Some(map) = schema.as_object() else {
        return if *schema == Value::Bool(false) { "never".to_owned() } else { "unknown".to_owned() };
    };
    if let Some(only) = map.get("const") {
        return only.to_string();
    }
    if let Some(legal) = map.get("enum").and_then(Value::as_array) {
        return either(legal.iter().map(Value::to_string).collect());
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(branches) = map.get(key).and_then(Value::as_array) {
            return either(branches.iter().map(|branch| of(branch, depth)).collect());
        }
    }
    let types: Vec<&str> = match map.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ if map.contains_key("properties") => vec!["object"],
        _ => return "unknown".to_owned(),
    };
    either(types.into_iter().map(|name| named(name, schema, depth)).collect())
}

fn named(name: &str, schema: &Value, depth: usize) -> String {
    match name {
        "integer" | "number" => "number".to_owned(),
        "array" => {
            let inner = schema.get("items").map_or_else(|| "unknown".to_owned(), |items| of(items, depth));
            if inner.contains('|') { format!("Array<{inner}>") } else { format!("{inner}[]") }
        }
        "object" => object(schema, depth),
        other => other.to_owned(),
    }
}

fn object(schema: &Value, depth: usize) -> String {
    let Some(properties) = schema["properties"].as_object() else {
        let each = schema.get("additionalProperties").filter(|each| each.is_object());
        return format!(
            "Record<string, {}>",
            each.map_or_else(|| "unknown".to_owned(), |each| of(each, depth))
        );
    };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let indent = "  ".repeat(depth + 1);
    let mut out = String::from("{\n");
    for (key, property) in properties {
        if let Some(about) = property["description"].as_str() {
            let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
            let _ = writeln!(out, "{indent}/** {about} */");
        }
        let plain = key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let name = if plain { key.clone() } else { format!("\"{key}\"") };
        let mark = if required.contains(&key.as_str()) { "" } else { "?" };
        let _ = writeln!(out, "{indent}{name}{mark}: {};", of(property, depth + 1));
    }
    if schema["additionalProperties"] != Value::Bool(false) {
        let _ = writeln!(out, "{indent}[later: string]: unknown;");
    }
    out.push_str(&"  ".repeat(depth));
    out.push('}');
    out
}

fn either(mut types: Vec<String>) -> String {
    types.dedup();
    types.join(" | ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_become_types() {
        let schema = json!({"type": "object", "required": ["id"], "additionalProperties": false, "properties": {
            "id": {"type": "string", "description": "Its\nname."}, "level": {"enum": ["T0", "T1"]},
            "x-y": false, "rows": {"type": "array", "items": {"enum": [1, 2]}}, "n": {"type": ["integer", "null"]},
            "map": {"type": "object", "additionalProperties": {"type": "string"}}}});
        assert_eq!(
            of(&schema, 0),
            "{\n  /** Its name. */\n  id: string;\n  level?: \"T0\" | \"T1\";\n  \"x-y\"?: never;\n  rows?: Array<1 | 2>;\n  n?: number | null;\n  map?: Record<string, string>;\n}"
        );
        assert_eq!(
            (type_name("search-index").as_str(), type_name("p0").as_str()),
            ("SearchIndex", "AuthoredP0")
        );
    }
}
