//! The declarations of a tracker's schema files: adding, refining, removing and renaming them (storage.md §7.6).

use std::cmp::Ordering;

use serde_json::{Map, Value, json};

use crate::model::collation;
use crate::model::status::{Roles, Statuses, normalise_status};

/// A schema file: a JSON object.
pub type Document = Map<String, Value>;

/// One of the lists of declarations.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// The file below the tracker root.
    pub path: &'static str,
    /// The key of the list in it.
    pub list: &'static str,
    /// The key that names a declaration.
    pub name: &'static str,
    /// The keys of a declaration in the order in which they are written; others follow.
    pub order: &'static [&'static str],
}

/// `types.json`.
pub const TYPES: Section = Section {
    path: "schema/types.json",
    list: "definitions",
    name: "name",
    order: &["name", "folder", "aliases", "description", "default_status"],
};

/// `statuses.json`.
pub const STATUSES: Section = Section {
    path: "schema/statuses.json",
    list: "statuses",
    name: "id",
    order: &["id", "aliases", "roles", "order", "description"],
};

/// `fields.json`.
pub const FIELDS: Section = Section {
    path: "schema/fields.json",
    list: "fields",
    name: "key",
    order: &[
        "key",
        "metadata_key",
        "type",
        "commands",
        "description",
        "cli_flag",
        "cli_aliases",
        "repeatable",
        "required",
        "required_on_create",
        "required_types",
        "allow_unset",
        "value_schema",
    ],
};

/// `workflows.json`, the part about types.
pub const WORKFLOWS: Section = Section {
    path: "schema/workflows.json",
    list: "type_workflows",
    name: "type",
    order: &["type", "allowed_transitions"],
};

/// What adding a declaration did.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// The file after it.
    pub document: Document,
    /// Whether there was one of this name.
    pub replaced: bool,
    /// The declaration as it is now.
    pub declaration: Value,
}

fn name_of<'v>(section: &Section, value: &'v Value) -> &'v str {
    value.as_str().or_else(|| value.get(section.name)?.as_str()).unwrap_or_default()
}

fn same(one: &str, other: &str) -> bool {
    one.trim().eq_ignore_ascii_case(other.trim())
}

/// The declarations of a file.
pub fn list<'d>(section: &Section, document: Option<&'d Document>) -> &'d [Value] {
    document
        .and_then(|document| document.get(section.list))
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The declaration of this name, in any case.
pub fn find<'d>(section: &Section, document: Option<&'d Document>, name: &str) -> Option<&'d Value> {
    list(section, document).iter().find(|value| same(name_of(section, value), name))
}

/// Adds a declaration; one of the same name takes over what is given and keeps the rest.
pub fn put(section: &Section, document: Option<&Document>, given: &Map<String, Value>) -> Declared {
    let mut document = document.cloned().unwrap_or_else(|| beginning(section));
    let mut all = list(section, Some(&document)).to_vec();
    let name = given.get(section.name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let known = all.iter().position(|value| same(name_of(section, value), &name));
    let mut merged = known.and_then(|at| all[at].as_object().cloned()).unwrap_or_default();
    for (key, value) in given {
        // The spelling of a name that is there stays.
        if key != section.name || !merged.contains_key(key) {
            merged.insert(key.clone(), value.clone());
        }
    }
    let declaration = Value::Object(ordered(section, merged));
    match known {
        Some(at) => all[at] = declaration.clone(),
        None => all.push(declaration.clone()),
    }
    if section.list == TYPES.list {
        // The reference keeps this list in order.
        all.sort_by(|a, b| by_name(section, a, b));
    }
    document.insert(section.list.to_owned(), Value::Array(all));
    Declared { document, replaced: known.is_some(), declaration }
}

fn by_name(section: &Section, a: &Value, b: &Value) -> Ordering {
    collation::compare(name_of(section, a), name_of(section, b))
}

/// Takes a declaration out; `None` when there is none of this name.
pub fn remove(section: &Section, document: Option<&Document>, name: &str) -> Option<(Document, Value)> {
    let mut document = document.cloned()?;
    let mut all = list(section, Some(&document)).to_vec();
    let at = all.iter().position(|value| same(name_of(section, value), name))?;
    let gone = all.remove(at);
    document.insert(section.list.to_owned(), Value::Array(all));
    Some((document, gone))
}

fn ordered(section: &Section, mut declaration: Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::new();
    for key in section.order {
        if let Some(value) = declaration.shift_remove(*key) {
            out.insert((*key).to_owned(), value);
        }
    }
    out.extend(declaration);
    out
}

/// A file that did not exist: where every tracker has declarations of its own, with those.
fn beginning(section: &Section) -> Document {
    let mut all = Vec::new();
    if section.path == STATUSES.path {
        for status in Statuses::default().iter() {
            let mut entry = Map::new();
            entry.insert("id".to_owned(), Value::from(status.id.as_str()));
            if !status.aliases.is_empty() {
                entry.insert("aliases".to_owned(), Value::from(status.aliases.clone()));
            }
            entry.insert("roles".to_owned(), Value::from(status.roles.iter().collect::<Vec<_>>()));
            all.push(Value::Object(entry));
        }
    }
    let mut document = Map::new();
    document.insert(section.list.to_owned(), Value::Array(all));
    document
}

/// What a call says about a type; none: stays as it is.
#[derive(Clone, Debug, Default)]
pub struct TypeWish {
    /// What it is for.
    pub description: Option<String>,
    /// The status of new items.
    pub default_status: Option<String>,
    /// Its folder.
    pub folder: Option<String>,
    /// Other names.
    pub aliases: Vec<String>,
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort_by(|a, b| collation::compare(a, b));
    texts.dedup();
    texts
}

impl TypeWish {
    /// The declaration.
    pub fn declaration(&self, name: &str) -> Map<String, Value> {
        let mut out = Map::new();
        out.insert("name".to_owned(), Value::from(name));
        for (key, text) in [
            ("folder", &self.folder),
            ("description", &self.description),
            ("default_status", &self.default_status),
        ] {
            if let Some(text) = text {
                out.insert(key.to_owned(), Value::from(text.as_str()));
            }
        }
        if !self.aliases.is_empty() {
            out.insert("aliases".to_owned(), json!(sorted(self.aliases.clone())));
        }
        out
    }
}

/// What a call says about a status; none: stays as it is.
#[derive(Clone, Debug, Default)]
pub struct StatusWish {
    /// What it means.
    pub description: Option<String>,
    /// Other spellings.
    pub aliases: Vec<String>,
    /// The parts it plays.
    pub roles: Vec<String>,
    /// Its place among the others.
    pub order: Option<i64>,
}

impl StatusWish {
    /// The declaration; `Err` is the role that does not exist.
    pub fn declaration(&self, id: &str) -> Result<Map<String, Value>, String> {
        let mut out = Map::new();
        out.insert("id".to_owned(), Value::from(normalise_status(id)));
        if !self.aliases.is_empty() {
            out.insert("aliases".to_owned(), json!(sorted(self.aliases.clone())));
        }
        let roles: Vec<String> = self.roles.iter().map(|role| normalise_status(role)).collect();
        if let Some(unknown) = roles.iter().find(|role| Roles::named(role).is_none()) {
            return Err(unknown.clone());
        }
        if !roles.is_empty() {
            out.insert("roles".to_owned(), json!(sorted(roles)));
        }
        if let Some(order) = self.order {
            out.insert("order".to_owned(), Value::from(order));
        }
        if let Some(text) = &self.description {
            out.insert("description".to_owned(), Value::from(text.as_str()));
        }
        Ok(out)
    }
}

/// Names that several titles begin with, as `Spike: what` or `[Spike] what`: the name, how many titles, some of their
/// ids. The most frequent first.
pub fn inferred<'r>(
    titles: impl Iterator<Item = (&'r str, &'r str)>,
    at_least: usize,
) -> Vec<(String, usize, Vec<String>)> {
    const SHOWN: usize = 3;
    let mut found: Vec<(String, usize, Vec<String>)> = Vec::new();
    for (id, title) in titles {
        let Some(prefix) = prefix_of(title) else { continue };
        match found.iter_mut().find(|(name, ..)| same(name, prefix)) {
            Some((_, count, ids)) => {
                *count += 1;
                if ids.len() < SHOWN {
                    ids.push(id.to_owned());
                }
            }
            None => found.push((prefix.to_owned(), 1, vec![id.to_owned()])),
        }
    }
    found.retain(|(_, count, _)| *count >= at_least);
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| collation::compare(&a.0, &b.0)));
    found
}

fn prefix_of(title: &str) -> Option<&str> {
    let title = title.trim();
    let prefix = match title.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.0,
        None => title.split_once(": ")?.0,
    };
    let prefix = prefix.trim();
    let is_name = |c: char| c.is_alphanumeric() || c == ' ' || c == '-' || c == '_';
    let short = prefix.chars().count() <= 30 && prefix.split_whitespace().count() <= 3;
    (short && prefix.starts_with(char::is_uppercase) && prefix.chars().all(is_name)).then_some(prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(value: Value) -> Document {
        value.as_object().cloned().expect("an object")
    }

    #[test]
    fn types_stay_in_order_and_keep_what_is_not_said() {
        let file = document(
            json!({"definitions": [{"name": "Story", "options": [1], "description": "old"}], "x": 1}),
        );
        let wish = TypeWish {
            description: Some("new".to_owned()),
            aliases: vec!["b".to_owned(), "a".to_owned(), "a".to_owned()],
            ..TypeWish::default()
        };
        let refined = put(&TYPES, Some(&file), &wish.declaration("story"));
        assert!(refined.replaced);
        assert_eq!(
            refined.declaration.to_string(),
            r#"{"name":"Story","aliases":["a","b"],"description":"new","options":[1]}"#
        );
        let more = put(&TYPES, Some(&refined.document), &TypeWish::default().declaration("Spike"));
        assert!(!more.replaced);
        let names: Vec<&str> =
            list(&TYPES, Some(&more.document)).iter().map(|value| name_of(&TYPES, value)).collect();
        assert_eq!(names, ["Spike", "Story"]);
        assert_eq!(more.document["x"], 1);
        let (rest, gone) = remove(&TYPES, Some(&more.document), "SPIKE").expect("it is there");
        assert_eq!((rest, gone), (refined.document, json!({"name": "Spike"})));
        assert_eq!(remove(&TYPES, Some(&file), "Nope"), None);
    }

    #[test]
    fn a_first_status_file_has_what_every_tracker_knows() {
        let wish = StatusWish { roles: vec!["Active".to_owned()], ..StatusWish::default() };
        let declared = put(&STATUSES, None, &wish.declaration("In Review").expect("legal"));
        let ids: Vec<&str> =
            list(&STATUSES, Some(&declared.document)).iter().map(|value| name_of(&STATUSES, value)).collect();
        assert_eq!(ids, ["draft", "open", "in_progress", "blocked", "closed", "canceled", "in_review"]);
        assert_eq!(declared.declaration, json!({"id": "in_review", "roles": ["active"]}));
        let wrong = StatusWish { roles: vec!["hot".to_owned()], ..StatusWish::default() };
        assert_eq!(wrong.declaration("x"), Err("hot".to_owned()));
    }

    #[test]
    fn prefixes_of_titles_become_names() {
        let titles = [
            ("1", "Spike: a"),
            ("2", "[spike] b"),
            ("3", "Spike: c"),
            ("4", "[Spike] d"),
            ("5", "see http://x: y"),
            ("6", "Bug: x"),
            ("7", "This is a long sentence: x"),
        ];
        let found = inferred(titles.into_iter(), 2);
        assert_eq!(found, [("Spike".to_owned(), 3, vec!["1".to_owned(), "3".to_owned(), "4".to_owned()])]);
        assert_eq!(inferred(titles.into_iter(), 1).len(), 2);
    }
}
