//! Two versions of a schema compared: what breaks those who go by the older one.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// What breaks those who go by the older schema: those who write by it when `authored`, else those who read by it.
pub(super) fn breaks(authored: bool, old: &Value, new: &Value) -> Vec<String> {
    let mut compare = Compare { authored, found: Vec::new() };
    compare.schemas(&plain(old, old, 0), &plain(new, new, 0), "");
    compare.found
}

/// Keywords that narrow what is allowed and that no schema of this program has: whoever writes one asks for more.
const NARROWING: [&str; 17] = [
    "maxProperties",
    "minProperties",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "contains",
    "minContains",
    "maxContains",
    "prefixItems",
    "unevaluatedItems",
    "format",
    "multipleOf",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "contentEncoding",
    "contentMediaType",
    "$dynamicRef",
];

/// How deep references may lead into each other.
const DEEPEST: usize = 16;

/// A schema with what it refers to in its place, and `true` as the empty schema that it means.
fn plain(schema: &Value, root: &Value, depth: usize) -> Value {
    match schema {
        Value::Bool(true) => json!({}),
        Value::Object(map) => {
            let target = map.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
            let mut out = Map::new();
            if let Some(target) = target.filter(|_| depth < DEEPEST).and_then(|path| root.pointer(path))
                && let Value::Object(there) = plain(target, root, depth + 1)
            {
                out.extend(there);
            }
            for (key, below) in map {
                let value = match key.as_str() {
                    "$ref" | "$defs" if depth < DEEPEST => continue,
                    "properties" => each(below, root, depth),
                    "items" | "additionalProperties" | "not" | "if" | "then" | "else" => {
                        plain(below, root, depth)
                    }
                    "allOf" | "anyOf" | "oneOf" => {
                        list(schema, key).iter().map(|one| plain(one, root, depth)).collect()
                    }
                    _ => below.clone(),
                };
                out.insert(key.clone(), value);
            }
            Value::Object(out)
        }
        other => other.clone(),
    }
}

fn each(properties: &Value, root: &Value, depth: usize) -> Value {
    let all = properties.as_object().into_iter().flatten();
    all.map(|(name, below)| (name.clone(), plain(below, root, depth))).collect::<Map<_, _>>().into()
}

struct Compare {
    authored: bool,
    found: Vec<String>,
}

impl Compare {
    fn breaks(&mut self, at: &str, what: String) {
        let place = if at.is_empty() { "it".to_owned() } else { format!("`{}`", at.trim_start_matches('.')) };
        self.found.push(format!("{place} {what}"));
    }

    fn schemas(&mut self, old: &Value, new: &Value, at: &str) {
        let (Some(before), Some(after)) = (old.as_object(), new.as_object()) else {
            if old != new && *new == Value::Bool(false) {
                self.breaks(at, "is no longer allowed".to_owned());
            }
            return;
        };
        self.values(old, new, at);
        for (name, below) in before.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let place = format!("{at}.{name}");
            match after.get("properties").and_then(|all| all.get(name)) {
                Some(now) => self.schemas(below, now, &place),
                // What was forbidden may be forgotten.
                None if *below == Value::Bool(false) => {}
                None => self.breaks(&place, "is gone".to_owned()),
            }
        }
        for key in ["items", "additionalProperties"] {
            match (before.get(key), after.get(key)) {
                (Some(was), Some(is)) => {
                    self.schemas(was, is, &format!("{at}{}", if key == "items" { "[]" } else { "" }))
                }
                (None, Some(Value::Bool(false))) if key == "additionalProperties" => {
                    self.breaks(at, "takes no other fields any more".to_owned());
                }
                (None, Some(is)) if key == "items" => self.schemas(&json!({}), is, &format!("{at}[]")),
                _ => {}
            }
        }
        for key in ["oneOf", "anyOf"] {
            let (was, is) = (list(old, key), list(new, key));
            if is.len() < was.len() {
                self.breaks(at, "has fewer forms".to_owned());
            }
            was.iter().zip(is).for_each(|(was, is)| self.schemas(was, is, at));
        }
        self.rules(old, new, at);
    }

    /// What holds under a condition, or must not hold: who writes is broken by a rule that comes, who reads by one that
    /// goes.
    fn rules(&mut self, old: &Value, new: &Value, at: &str) {
        let (mut was, mut is) = (rules(old), rules(new));
        let kept: Vec<Value> = was.iter().filter(|rule| is.contains(rule)).cloned().collect();
        was.retain(|rule| !kept.contains(rule));
        is.retain(|rule| !kept.contains(rule));
        for rule in was {
            let same = |other: &Value| rule.get("if").is_some() && other.get("if") == rule.get("if");
            match is.iter().position(same) {
                Some(n) => {
                    let now = is.remove(n);
                    for key in ["then", "else"] {
                        let part = |rule: &Value| rule.get(key).cloned().unwrap_or_else(|| json!({}));
                        self.schemas(&part(&rule), &part(&now), at);
                    }
                }
                None if !self.authored => self.breaks(at, format!("has lost the rule {rule}")),
                None => {}
            }
        }
        if self.authored {
            is.iter().for_each(|rule| self.breaks(at, format!("has a new rule: {rule}")));
        }
    }

    /// What a value may be, without what lies in it.
    fn values(&mut self, old: &Value, new: &Value, at: &str) {
        let words = |schema: &Value, key: &str| -> Option<BTreeSet<String>> {
            let list = match schema.get(key)? {
                Value::Array(items) => items.clone(),
                other => vec![other.clone()],
            };
            Some(list.iter().map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_owned)).collect())
        };
        for key in ["type", "enum"] {
            let (was, is) = (words(old, key), words(new, key));
            match (was, is) {
                (Some(was), Some(is)) => {
                    for word in
                        was.difference(&is).filter(|word| !(*word == "integer" && is.contains("number")))
                    {
                        self.breaks(at, format!("may no longer be {word}"));
                    }
                }
                (None, Some(_)) if old.get("const").is_none() => {
                    self.breaks(at, format!("has a narrower {key}"));
                }
                _ => {}
            }
        }
        if new.get("const").is_some() && old.get("const") != new.get("const") {
            self.breaks(at, format!("must be {} now", new["const"]));
        }
        let forced = old.get("const").filter(|_| !self.authored && new.get("const").is_none());
        if let Some(forced) = forced.filter(|forced| !list(new, "enum").contains(forced)) {
            self.breaks(at, format!("need no longer be {forced}"));
        }
        if old.get("default") != new.get("default") {
            let shown = |schema: &Value| schema.get("default").map_or("none".to_owned(), Value::to_string);
            self.breaks(at, format!("has another default: {}, before {}", shown(new), shown(old)));
        }
        self.bounds(old, new, at);
        let (was, is) =
            (words(old, "required").unwrap_or_default(), words(new, "required").unwrap_or_default());
        let (changed, what) = match self.authored {
            true => (is.difference(&was), "is newly required"),
            false => (was.difference(&is), "need no longer be there"),
        };
        for name in changed {
            self.breaks(&format!("{at}.{name}"), what.to_owned());
        }
    }

    fn bounds(&mut self, old: &Value, new: &Value, at: &str) {
        let number = |schema: &Value, key: &str| schema.get(key).and_then(Value::as_f64);
        for key in ["minLength", "minItems", "minimum"] {
            let (was, is) = (number(old, key), number(new, key));
            if is.is_some_and(|is| was.is_none_or(|was| is > was)) {
                self.breaks(at, format!("has a narrower {key}"));
            }
        }
        for key in ["maxLength", "maxItems", "maximum"] {
            let (was, is) = (number(old, key), number(new, key));
            if is.is_some_and(|is| was.is_none_or(|was| is < was)) {
                self.breaks(at, format!("has a narrower {key}"));
            }
        }
        for key in ["pattern", "uniqueItems"].into_iter().chain(NARROWING) {
            if new.get(key).is_some() && old.get(key) != new.get(key) {
                self.breaks(at, format!("has another {key}"));
            }
        }
    }
}

fn list<'s>(schema: &'s Value, key: &str) -> &'s [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The rules of a schema, each as a schema of its own and without the words that explain it.
fn rules(schema: &Value) -> Vec<Value> {
    let mut all: Vec<Value> = list(schema, "allOf").to_vec();
    let mut own = Map::new();
    for key in ["if", "then", "else"] {
        own.extend(schema.get(key).map(|part| (key.to_owned(), part.clone())));
    }
    all.extend((!own.is_empty()).then_some(Value::Object(own)));
    all.extend(schema.get("not").map(|part| json!({"not": part})));
    for (key, needs) in schema.get("dependentRequired").and_then(Value::as_object).into_iter().flatten() {
        all.push(json!({"if": {"required": [key]}, "then": {"required": needs}}));
    }
    for (key, needs) in schema.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten() {
        all.push(json!({"if": {"required": [key]}, "then": needs}));
    }
    all.iter_mut().for_each(unexplained);
    all
}

/// Takes out what only explains; a property may be called `description` too.
fn unexplained(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, below| key != "description" || !below.is_string());
            map.values_mut().for_each(unexplained);
        }
        Value::Array(items) => items.iter_mut().for_each(unexplained),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn adding_breaks_nobody_and_taking_away_does() {
        let old = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"enum": ["x", "y"]}, "n": {"type": ["integer", "null"], "minimum": 1},
            "list": {"type": "array", "items": {"type": "string", "maxLength": 9}, "default": []}}});
        let with = |at: &str, value: Value| {
            let mut new = old.clone();
            *new.pointer_mut(at).unwrap() = value;
            new
        };
        assert!(breaks(false, &old, &old).is_empty());
        let mut added = old.clone();
        added["properties"]["note"] = json!({"type": "string"});
        assert!(breaks(true, &old, &added).is_empty());
        for (new, want) in [
            (
                with(
                    "/properties",
                    json!({"a": {"enum": ["x", "y"]}, "n": {"type": ["integer", "null"], "minimum": 1}}),
                ),
                "`list` is gone",
            ),
            (with("/properties/a/enum", json!(["x"])), "`a` may no longer be y"),
            (with("/properties/n/type", json!("integer")), "`n` may no longer be null"),
            (with("/properties/n/minimum", json!(2)), "`n` has a narrower minimum"),
            (with("/properties/list/items/maxLength", json!(8)), "`list[]` has a narrower maxLength"),
            (
                with("/properties/list/default", json!(["x"])),
                "`list` has another default: [\"x\"], before []",
            ),
        ] {
            assert_eq!(breaks(false, &old, &new), [want]);
        }
        let required = with("/required", json!(["a", "n"]));
        assert_eq!(breaks(true, &old, &required), ["`n` is newly required"]);
        assert!(breaks(false, &old, &required).is_empty());
        assert_eq!(breaks(false, &old, &with("/required", json!([]))), ["`a` need no longer be there"]);
        assert!(breaks(false, &old, &with("/properties/a/enum", json!(["x", "y", "z"]))).is_empty());
    }

    /// What a schema says stands for itself, wherever it says it; what it says in words that nobody here reads narrows it.
    #[test]
    fn references_and_other_keywords_hide_nothing() {
        let of = |a: Value| json!({"type": "object", "properties": {"a": a}});
        let text = json!({"type": "string", "maxLength": 9});
        let mut referring = of(json!({"$ref": "#/$defs/text"}));
        referring["$defs"] = json!({"text": text});
        for authored in [true, false] {
            assert_eq!(breaks(authored, &referring, &of(text.clone())), [""; 0]);
            assert_eq!(breaks(authored, &of(text.clone()), &referring), [""; 0]);
            let mut short = referring.clone();
            short["$defs"]["text"]["maxLength"] = json!(3);
            assert_eq!(breaks(authored, &of(text.clone()), &short), ["`a` has a narrower maxLength"]);
            assert_eq!(breaks(authored, &of(json!(true)), &of(text.clone())).len(), 2);
            let circle = json!({"$ref": "#"});
            assert_eq!(breaks(authored, &circle, &circle), [""; 0]);
            let items = |schema: Value| json!({"type": "array", "items": schema});
            assert!(!breaks(authored, &json!({"type": "array"}), &items(text.clone())).is_empty());
            for key in NARROWING {
                let mut narrow = of(text.clone());
                narrow["properties"]["a"][key] = json!(2);
                assert_eq!(breaks(authored, &of(text.clone()), &narrow), [format!("`a` has another {key}")]);
            }
        }
    }

    /// Every way to ask for a field under a condition breaks who writes when it comes, and who reads when it goes.
    #[test]
    fn rules_come_and_go_only_with_a_major() {
        let plain = json!({"type": "object", "properties": {"a": {}, "b": {}}});
        let rule = |then: Value| json!({"if": {"required": ["a"]}, "then": then});
        let needs_b = json!({"required": ["b"]});
        let with = |key: &str, value: Value| {
            let mut schema = plain.clone();
            schema[key] = value;
            schema
        };
        let mut beside = plain.clone();
        beside["if"] = json!({"required": ["a"]});
        beside["then"] = needs_b.clone();
        for ruled in [
            with("allOf", json!([rule(needs_b.clone())])),
            beside,
            with("not", json!({"required": ["a"]})),
            with("dependentRequired", json!({"a": ["b"]})),
            with("dependentSchemas", json!({"a": needs_b})),
        ] {
            assert_eq!(breaks(true, &ruled, &ruled), [""; 0]);
            assert_eq!(breaks(true, &plain, &ruled).len(), 1, "{ruled}");
            assert_eq!(breaks(false, &plain, &ruled), [""; 0]);
            assert_eq!(breaks(false, &ruled, &plain).len(), 1, "{ruled}");
            assert_eq!(breaks(true, &ruled, &plain), [""; 0]);
        }
        // The same rule in other words, in another order, or with more of them, is the same rule.
        let two = |first: Value, second: Value| with("allOf", json!([first, second]));
        let forced = rule(json!({"properties": {"b": {"const": true}}}));
        let told = json!({"if": {"required": ["a"], "description": "When."}, "then": {"required": ["b"]}});
        let (one, other) = (two(told, forced.clone()), two(forced, rule(json!({"required": ["b"]}))));
        assert_eq!(breaks(false, &one, &other), [""; 0]);
        assert_eq!(breaks(true, &one, &other), [""; 0]);
        let asked = with("allOf", json!([rule(json!({"required": ["b"]}))]));
        let more = with("allOf", json!([rule(json!({"required": ["b", "c"]}))]));
        assert_eq!(breaks(true, &asked, &more), ["`c` is newly required"]);
        assert_eq!(breaks(false, &more, &asked), ["`c` need no longer be there"]);
        let must = |value: Value| with("allOf", json!([rule(json!({"properties": {"b": value}}))]));
        assert_eq!(
            breaks(false, &must(json!({"const": true})), &must(json!({}))),
            ["`b` need no longer be true"]
        );
    }
}
