//! As much of JSON Schema 2020-12 as the published schemas use: says everything that is wrong with a value, with its
//! place and the legal values. Why it is our own: docs/decisions/0004-schema-validation.md.

use std::collections::HashMap;
use std::sync::OnceLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::schema;
use super::words::Profile;

/// The most faults that are told of one value.
const MOST: usize = 50;

/// Something wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where: `steps[0].body.text`; empty for the value itself.
    pub at: String,
    /// What.
    pub problem: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.at.is_empty() {
            write!(f, "it {}", self.problem)
        } else {
            write!(f, "`{}` {}", self.at, self.problem)
        }
    }
}

/// A schema, ready to judge values.
#[derive(Debug)]
pub struct Validator<'s> {
    schema: &'s Value,
    patterns: HashMap<&'s str, Regex>,
}

impl<'s> Validator<'s> {
    /// Of a schema; a pattern that is none fits nothing.
    pub fn new(schema: &'s Value) -> Validator<'s> {
        let mut patterns = HashMap::new();
        gather(schema, &mut patterns);
        Validator { schema, patterns }
    }

    /// What is wrong with a value, in the order of the schema; empty when nothing is.
    pub fn faults(&self, value: &Value) -> Vec<Fault> {
        let mut faults = Vec::new();
        self.judge(self.schema, value, "", &mut faults);
        faults.truncate(MOST);
        faults
    }

    fn holds(&self, schema: &Value, value: &Value) -> bool {
        let mut faults = Vec::new();
        self.judge(schema, value, "", &mut faults);
        faults.is_empty()
    }

    fn judge(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<Fault>) {
        if faults.len() > MOST {
            return;
        }
        let schema = match schema {
            Value::Object(schema) => schema,
            Value::Bool(false) => return faults.push(fault(at, "is not allowed here")),
            _ => return,
        };
        if let Some(problem) = self.flat(schema, value) {
            return faults.push(fault(at, problem));
        }
        match value {
            Value::Object(members) => self.members(schema, members, at, faults),
            Value::Array(items) => {
                if let Some(each) = schema.get("items") {
                    let each_item = items.iter().enumerate();
                    each_item.for_each(|(n, item)| self.judge(each, item, &format!("{at}[{n}]"), faults));
                }
            }
            _ => {}
        }
        self.combined(schema, value, at, faults);
    }

    /// What is wrong with the value itself.
    fn flat(&self, schema: &Map<String, Value>, value: &Value) -> Option<String> {
        if let Some(types) = schema.get("type") {
            let names: Vec<&str> = match types {
                Value::String(name) => vec![name],
                other => other.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
            };
            if !names.iter().any(|name| is(value, name)) {
                return Some(format!("must be {}", names.join(" or ")));
            }
        }
        if schema.get("const").is_some_and(|only| only != value) {
            return Some(format!("must be {}", spelled(&schema["const"])));
        }
        if let Some(legal) = schema.get("enum").and_then(Value::as_array)
            && !legal.contains(value)
        {
            let legal: Vec<String> = legal.iter().map(spelled).collect();
            return Some(format!("is {}, not one of: {}", spelled(value), legal.join(", ")));
        }
        let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
        match value {
            Value::String(text) => {
                let length = text.chars().count() as u64;
                if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
                    && !self.patterns.get(pattern).is_some_and(|pattern| pattern.is_match(text))
                {
                    return Some(format!("is {}, which does not fit {pattern}", spelled(value)));
                }
                outside(length, bound("minLength"), bound("maxLength"), "characters")
            }
            Value::Array(items) => {
                if schema.get("uniqueItems") == Some(&Value::Bool(true))
                    && let Some(twice) = items.iter().enumerate().find(|(n, item)| items[..*n].contains(item))
                {
                    return Some(format!("holds {} twice", spelled(twice.1)));
                }
                outside(items.len() as u64, bound("minItems"), bound("maxItems"), "entries")
            }
            Value::Number(number) => {
                let number = number.as_f64()?;
                let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
                let low = limit("minimum").filter(|least| number < *least);
                let high = limit("maximum").filter(|most| number > *most);
                low.map(|least| format!("must be at least {least}"))
                    .or_else(|| high.map(|most| format!("must be at most {most}")))
            }
            _ => None,
        }
    }

    fn members(
        &self,
        schema: &Map<String, Value>,
        members: &Map<String, Value>,
        at: &str,
        faults: &mut Vec<Fault>,
    ) {
        let place = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
        for key in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            let key = key.as_str().unwrap_or_default();
            if !members.contains_key(key) {
                faults.push(fault(&place(key), "is missing"));
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        for (key, value) in members {
            match (properties.and_then(|properties| properties.get(key)), others) {
                (Some(own), _) => self.judge(own, value, &place(key), faults),
                (None, Some(Value::Bool(false))) => faults.push(fault(&place(key), "is not allowed here")),
                (None, Some(other)) => self.judge(other, value, &place(key), faults),
                (None, None) => {}
            }
        }
    }

    /// Schemas made of others.
    fn combined(&self, schema: &Map<String, Value>, value: &Value, at: &str, faults: &mut Vec<Fault>) {
        let list = |key: &str| schema.get(key).and_then(Value::as_array);
        for all in list("allOf").into_iter().flatten() {
            self.judge(all, value, at, faults);
        }
        if let Some(any) = list("anyOf")
            && !any.iter().any(|one| self.holds(one, value))
        {
            faults.push(fault(at, format!("is {}, which fits none of the forms", spelled(value))));
        }
        if let Some(one) = list("oneOf") {
            match one.iter().filter(|one| self.holds(one, value)).count() {
                1 => {}
                0 => self.nearest(one, value, at, faults),
                _ => faults.push(fault(at, "fits more than one form")),
            }
        }
        if let Some(condition) = schema.get("if") {
            let key = if self.holds(condition, value) { "then" } else { "else" };
            if let Some(then) = schema.get(key) {
                self.judge(then, value, at, faults);
            }
        }
    }

    /// The faults by the branch that has the fewest of them.
    fn nearest(&self, branches: &[Value], value: &Value, at: &str, faults: &mut Vec<Fault>) {
        let told = branches.iter().map(|branch| {
            let mut faults = Vec::new();
            self.judge(branch, value, at, &mut faults);
            faults
        });
        faults.extend(told.min_by_key(Vec::len).unwrap_or_default());
    }
}

/// What is wrong with an authored document, by the schema of the profile it states.
pub fn authored(document: &Value) -> Vec<Fault> {
    static BY_PROFILE: OnceLock<[Validator<'static>; 2]> = OnceLock::new();
    let all =
        BY_PROFILE.get_or_init(|| [Profile::P0, Profile::P1].map(|p| Validator::new(schema::authored(p))));
    of_profile(all, document)
}

/// What is wrong with a served record, by the branch of `record.json` of its profile.
pub fn record(record: &Value) -> Vec<Fault> {
    static BY_PROFILE: OnceLock<[Validator<'static>; 2]> = OnceLock::new();
    let all =
        BY_PROFILE.get_or_init(|| [Profile::P0, Profile::P1].map(|p| Validator::new(schema::record(p))));
    of_profile(all, record)
}

/// What is wrong with a statement.
pub fn statement(statement: &Value) -> Vec<Fault> {
    static ONE: OnceLock<Option<Validator<'static>>> = OnceLock::new();
    let one = ONE.get_or_init(|| schema::named("statement").map(Validator::new));
    one.as_ref().map_or_else(Vec::new, |one| one.faults(statement))
}

fn of_profile(all: &[Validator<'static>; 2], document: &Value) -> Vec<Fault> {
    let profile = document.get("profile").and_then(Value::as_str).and_then(Profile::named);
    match profile {
        Some(profile) => all[profile as usize].faults(document),
        None if !document.is_object() => vec![fault("", "must be object")],
        None => {
            let said = document.get("profile").map_or_else(|| "missing".to_owned(), spelled);
            vec![fault("profile", format!("is {said}, not one of: p0, p1"))]
        }
    }
}

fn fault(at: &str, problem: impl Into<String>) -> Fault {
    Fault { at: at.to_owned(), problem: problem.into() }
}

/// A value as a message quotes it: short.
fn spelled(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("'{short}…'") } else { format!("'{short}'") }
}

fn outside(count: u64, least: Option<u64>, most: Option<u64>, what: &str) -> Option<String> {
    if let Some(least) = least.filter(|least| count < *least) {
        return Some(format!("has {count} {what}, fewer than {least}"));
    }
    most.filter(|most| count > *most).map(|most| format!("has {count} {what}, more than {most}"))
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    }
}

fn gather<'s>(schema: &'s Value, patterns: &mut HashMap<&'s str, Regex>) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::String(pattern)) = map.get("pattern")
                && !patterns.contains_key(pattern.as_str())
                && let Ok(made) = Regex::new(pattern)
            {
                patterns.insert(pattern, made);
            }
            map.values().for_each(|below| gather(below, patterns));
        }
        Value::Array(items) => items.iter().for_each(|below| gather(below, patterns)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(schema: &Value, value: &Value) -> Vec<String> {
        Validator::new(schema).faults(value).iter().map(Fault::to_string).collect()
    }

    #[test]
    fn every_fault_has_its_place_and_the_legal_values() {
        let schema = json!({
            "type": "object", "required": ["a", "b"], "additionalProperties": false,
            "properties": {
                "a": {"type": "array", "minItems": 1, "uniqueItems": true, "items": {"enum": ["x", "y"]}},
                "b": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 3},
                "n": {"type": "integer", "minimum": 1, "maximum": 9},
            },
            "allOf": [{"if": {"properties": {"b": {"const": "on"}}, "required": ["b"]}, "then": {"required": ["n"]},
                "else": {"properties": {"n": false}}}],
        });
        assert!(of(&schema, &json!({"a": ["x"], "b": "abc"})).is_empty());
        assert!(of(&schema, &json!({"a": ["x"], "b": "on", "n": 2.0})).is_empty());
        assert_eq!(
            of(&schema, &json!({"a": ["x", "z"], "c": 1})),
            ["`b` is missing", "`a[1]` is 'z', not one of: 'x', 'y'", "`c` is not allowed here",]
        );
        assert_eq!(
            of(&schema, &json!({"a": ["x", "x"], "b": "abcd"})),
            ["`a` holds 'x' twice", "`b` has 4 characters, more than 3",]
        );
        assert_eq!(
            of(&schema, &json!({"a": [], "b": "on"})),
            ["`a` has 0 entries, fewer than 1", "`n` is missing"]
        );
        assert_eq!(
            of(&schema, &json!({"a": ["y"], "b": "A", "n": 0})),
            ["`b` is 'A', which does not fit ^[a-z]+$", "`n` must be at least 1", "`n` is not allowed here",]
        );
        assert_eq!(of(&schema, &json!([])), ["it must be object"]);
        assert_eq!(
            of(&json!({"oneOf": [{"type": "null"}, {"required": ["q"]}]}), &json!({})),
            ["it must be null"]
        );
    }

    /// A keyword that the validator does not know would be a rule that nobody checks.
    #[test]
    fn the_published_schemas_use_known_keywords_only() {
        const KNOWN: [&str; 24] = [
            "$schema",
            "$id",
            "title",
            "description",
            "default",
            "type",
            "const",
            "enum",
            "pattern",
            "minLength",
            "maxLength",
            "items",
            "minItems",
            "maxItems",
            "uniqueItems",
            "minimum",
            "maximum",
            "properties",
            "required",
            "additionalProperties",
            "allOf",
            "anyOf",
            "oneOf",
            "if",
        ];
        fn walk(schema: &Value, odd: &mut Vec<String>) {
            let Some(map) = schema.as_object() else { return };
            for (key, below) in map {
                match key.as_str() {
                    "properties" => {
                        below.as_object().into_iter().flatten().for_each(|(_, one)| walk(one, odd))
                    }
                    "allOf" | "anyOf" | "oneOf" => {
                        below.as_array().into_iter().flatten().for_each(|one| walk(one, odd))
                    }
                    "items" | "if" | "then" | "else" | "additionalProperties" => walk(below, odd),
                    key if !KNOWN.contains(&key) => odd.push(key.to_owned()),
                    _ => {}
                }
            }
        }
        let mut odd = Vec::new();
        schema::all().iter().for_each(|(_, schema)| walk(schema, &mut odd));
        assert!(odd.is_empty(), "{odd:?}");
    }
}
