//! The input schemas of the actions, made of the table: every default is a `default` (disclosure.md §2.2).

use serde_json::{Map, Value, json};

use super::actions::{Action, DEFAULT_LIMIT, Parameter, Takes};
use super::kind::Kind;

/// The schema of an action's parameters, the output controls left out: JSON Schema 2020-12, closed.
pub fn input_schema(action: &Action) -> Value {
    let mut properties = Map::new();
    for parameter in action.subject.iter().chain(action.parameters) {
        properties.insert(parameter.name.to_owned(), property(action, parameter));
    }
    let mut schema = json!({"type": "object", "additionalProperties": false});
    if let Some(subject) = &action.subject {
        schema["required"] = json!([subject.name]);
    }
    schema["properties"] = Value::Object(properties);
    schema
}

fn property(action: &Action, parameter: &Parameter) -> Value {
    let mut schema = match parameter.takes {
        Takes::Text(longest) => json!({"type": "string", "minLength": 1, "maxLength": longest}),
        Takes::Texts => json!({"type": ["string", "array"]}),
        Takes::Kinds => json!({"type": ["string", "array"], "items": {"enum": Kind::names()}}),
        Takes::Integers => json!({"type": ["integer", "array"]}),
        Takes::Count(least) => json!({"type": "integer", "minimum": least}),
        Takes::Boolean => json!({"type": "boolean"}),
        Takes::Switch => json!({"type": "boolean", "default": false}),
        Takes::Word(words) => json!({"enum": words, "default": words[0]}),
        Takes::Tiers => {
            let default: Vec<&str> = action.default_disclosure.iter().map(|flag| flag.as_str()).collect();
            json!({
                "type": "array", "uniqueItems": true, "default": default,
                "items": {"enum": action.permitted_names()},
            })
        }
    };
    match parameter.name {
        "limit" => {
            schema["maximum"] = json!(super::actions::BASE_CAP);
            schema["default"] = json!(DEFAULT_LIMIT);
        }
        "offset" => schema["default"] = json!(0),
        "include" => schema["default"] = json!(Kind::DEFAULT.map(Kind::as_str)),
        _ => {}
    }
    schema["description"] = json!(parameter.about);
    schema
}

#[cfg(test)]
mod tests {
    use super::super::actions::{ACTIONS, Verb};
    use super::*;

    #[test]
    fn defaults_stand_in_the_schema() {
        let search = input_schema(Verb::Search.action());
        assert_eq!(search["properties"]["disclosure"]["default"], json!([]));
        assert_eq!(search["properties"]["include"]["default"], json!(["canon", "docs", "essays"]));
        assert_eq!(search["properties"]["limit"]["default"], json!(25));
        assert_eq!(search["required"], json!(["query"]));
        let get = input_schema(Verb::Get.action());
        assert_eq!(get["properties"]["disclosure"]["default"], json!(["body"]));
        assert!(get["properties"].get("limit").is_none() && get["properties"].get("audience").is_none());
        for action in &ACTIONS {
            assert_eq!(input_schema(action)["additionalProperties"], json!(false));
        }
    }
}
