//! Two builds compared, major by major: what breaks those who read the older one.

use std::collections::BTreeSet;

use jiff::civil::Date;
use serde_json::Value;

use super::artifacts::{MANIFEST, STATUS};
use super::edition::{AUTHORED, Edition};
use super::finding::Finding;
use super::folder::Folder;
use super::schema;
use super::settings;
use super::validator::Validator;

/// Everything in the newer folder that breaks a reader, or an author, of the older one: in each major that it had.
pub fn findings(old: &Folder, new: &Folder) -> Vec<Finding> {
    let mut found = Vec::new();
    for before in old.editions() {
        match new.edition(before.major()) {
            Some(after) => edition(before, after, &mut found),
            None => found.extend(ended(before, new)),
        }
        found.extend(shortened(before, new));
    }
    found
}

/// What breaks readers of one major.
fn edition(old: Edition<'_>, new: Edition<'_>, found: &mut Vec<Finding>) {
    for path in ["/v1/", "/spec/v1/"].iter().flat_map(|folder| old.below(folder)) {
        if is_of_the_contract(&path) && !new.has(&path) {
            found.push(Finding::error(&old.path(&path), "path", "the path is gone"));
        }
    }
    for name in schema::NAMES {
        let path = format!("/v1/schema/{name}.json");
        let (Some(before), Some(after)) = (old.json(&path), new.json(&path)) else { continue };
        found.extend(breaking(&old.path(&path), name, &before, &after));
    }
    samples(old, new, found);
}

/// What breaks those who read, or write, by the older one of two schemas of this name.
pub(super) fn breaking(path: &str, name: &str, old: &Value, new: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut compare = Compare { path, authored: AUTHORED.contains(&name), found: &mut found };
    compare.schemas(old, new, "");
    found
}

fn majors(status: &Value) -> &[Value] {
    status["majors"].as_array().map_or(&[], Vec::as_slice)
}

fn facts(folder: &Folder, major: u32) -> Option<(Value, Value)> {
    let status = folder.oldest().json(STATUS)?;
    let of = |number: u32| majors(&status).iter().find(|one| one["major"] == number).cloned();
    Some((of(major)?, of(major + 1).unwrap_or(Value::Null)))
}

fn day(value: &Value) -> Option<Date> {
    value.as_str()?.parse().ok()
}

/// A major that is gone must have ended as the newer folder tells: at least 12 months after its successor came.
fn ended(old: Edition<'_>, new: &Folder) -> Option<Finding> {
    let major = old.major();
    let path = old.path("/v1/");
    let gone = |why: String| Some(Finding::error(&path, "major", format!("major {major} is gone, {why}")));
    let Some((own, next)) = facts(new, major) else {
        return gone("and the newer status does not tell of its end".to_owned());
    };
    let (Some(end), Some(released)) = (day(&own["supported_until"]), day(&next["released_on"])) else {
        return gone(
            "and the newer status does not say when it ended, and when its successor came".to_owned(),
        );
    };
    let least = settings::least_end(released);
    if end < least {
        return gone(format!(
            "ended on {end}, and its successor of {released} obliges to serve it until {least}"
        ));
    }
    let today = new.oldest().json(STATUS).and_then(|status| day(&status["as_of"]));
    if today.is_none_or(|today| today < end) {
        return gone(format!("and it is to be served until {end}"));
    }
    None
}

/// A day that readers were told may be moved to a later one only.
fn shortened(old: Edition<'_>, new: &Folder) -> Option<Finding> {
    let major = old.major();
    let promised = facts(old.folder(), major).and_then(|(own, _)| day(&own["supported_until"]))?;
    let now = facts(new, major).and_then(|(own, _)| day(&own["supported_until"]));
    let message = format!("major {major} was to be served until {promised}, and now it is until {}", now?);
    now.filter(|now| *now < promised).map(|_| Finding::error(&old.path(STATUS), "major", message))
}

/// Whether a path stands for itself, not for the records of a day.
fn is_of_the_contract(path: &str) -> bool {
    let page = |rest: &str| rest.split('.').any(|part| part.bytes().all(|b| b.is_ascii_digit()));
    let data = ["/v1/runbooks/", "/v1/topics/"].iter().any(|folder| path.starts_with(folder));
    (path.starts_with("/v1/") && !data && !page(path)) || path.starts_with("/spec/v1/")
}

/// The documents of the newer folder by the schemas of the older one: a reader of then must understand them.
fn samples(old: Edition<'_>, new: Edition<'_>, found: &mut Vec<Finding>) {
    for (name, prefix) in [
        ("record", "/v1/runbooks/"),
        ("topic", "/v1/topics/"),
        ("index", "/v1/index."),
        ("search-index", "/v1/search-index."),
        ("status", STATUS),
        ("manifest", MANIFEST),
    ] {
        let Some(schema) = old.json(&format!("/v1/schema/{name}.json")) else { continue };
        let validator = Validator::new(&schema);
        for path in new.below(prefix) {
            let Some(document) = new.json(&path) else { continue };
            if let Some(fault) = validator.faults(&document).first() {
                let message = format!("by the older schema {fault}");
                found.push(Finding::error(&new.path(&path), "sample", message));
            }
        }
    }
}

struct Compare<'c> {
    path: &'c str,
    authored: bool,
    found: &'c mut Vec<Finding>,
}

impl Compare<'_> {
    fn breaks(&mut self, at: &str, what: String) {
        let place = if at.is_empty() { "it".to_owned() } else { format!("`{}`", at.trim_start_matches('.')) };
        self.found.push(Finding::error(self.path, "breaking", format!("{place} {what}")));
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
        for key in ["items", "additionalProperties", "if", "then", "else"] {
            match (before.get(key), after.get(key)) {
                (Some(was), Some(is)) => {
                    self.schemas(was, is, &format!("{at}{}", if key == "items" { "[]" } else { "" }))
                }
                (None, Some(Value::Bool(false))) => {
                    self.breaks(at, "takes no other fields any more".to_owned());
                }
                _ => {}
            }
        }
        for key in ["oneOf", "anyOf", "allOf"] {
            let list = |schema: &serde_json::Map<String, Value>| {
                schema.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
            };
            let (was, is) = (list(before), list(after));
            if key != "allOf" && is.len() < was.len() {
                self.breaks(at, "has fewer forms".to_owned());
            }
            was.iter().zip(&is).for_each(|(was, is)| self.schemas(was, is, at));
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
        if old.get("default") != new.get("default") {
            let shown = |schema: &Value| schema.get("default").map_or("none".to_owned(), Value::to_string);
            self.breaks(at, format!("has another default: {}, before {}", shown(new), shown(old)));
        }
        self.bounds(old, new, at);
        if self.authored {
            let (was, is) =
                (words(old, "required").unwrap_or_default(), words(new, "required").unwrap_or_default());
            for name in is.difference(&was) {
                self.breaks(&format!("{at}.{name}"), "is newly required".to_owned());
            }
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
        for key in ["pattern", "uniqueItems"] {
            if new.get(key).is_some() && old.get(key) != new.get(key) {
                self.breaks(at, format!("has another {key}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn breaks(authored: bool, old: &Value, new: &Value) -> Vec<String> {
        let mut found = Vec::new();
        Compare { path: "p", authored, found: &mut found }.schemas(old, new, "");
        found.into_iter().map(|one| one.message).collect()
    }

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
        assert!(breaks(false, &old, &with("/properties/a/enum", json!(["x", "y", "z"]))).is_empty());
    }

    #[test]
    fn records_and_pages_are_no_contract() {
        for path in ["/v1/index.json", "/v1/topics.untrusted.json", "/v1/schema/p0.json", "/spec/v1/trust.md"]
        {
            assert!(is_of_the_contract(path), "{path}");
        }
        for path in [
            "/v1/index.2.json",
            "/v1/runbooks/rb_1.json",
            "/v1/topics/a.json",
            "/assets/x.js",
            "/catalog/index.html",
        ] {
            assert!(!is_of_the_contract(path), "{path}");
        }
    }
}
