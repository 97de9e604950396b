//! A tracker's own schema: statuses, kinds, custom fields, transitions (storage.md §7.1, §7.2, §7.6).

use serde_json::{Map, Value};

use super::kind::Kinds;
use super::settings::Settings;
use super::status::{Statuses, normalise_status};

/// The four schema files, as far as they exist and are JSON objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SchemaFiles {
    /// `types.json`.
    pub types: Option<Map<String, Value>>,
    /// `statuses.json`.
    pub statuses: Option<Map<String, Value>>,
    /// `fields.json`.
    pub fields: Option<Map<String, Value>>,
    /// `workflows.json`.
    pub workflows: Option<Map<String, Value>>,
    /// The kinds and fields that installed packages contribute (`extensions/.managed-extensions.json`).
    pub extensions: Option<Map<String, Value>>,
}

/// What the values of a custom field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Text.
    String,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// A list of texts.
    StringArray,
    /// A JSON list.
    Array,
    /// A JSON object.
    Object,
}

impl FieldKind {
    const ALL: [(&str, FieldKind); 6] = [
        ("string", FieldKind::String),
        ("number", FieldKind::Number),
        ("boolean", FieldKind::Boolean),
        ("string_array", FieldKind::StringArray),
        ("array", FieldKind::Array),
        ("object", FieldKind::Object),
    ];

    /// The kind of this name.
    pub fn named(name: &str) -> Option<FieldKind> {
        FieldKind::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        FieldKind::ALL.iter().find(|(_, kind)| *kind == self).map_or("string", |(name, _)| name)
    }
}

/// A field that the tracker declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its key.
    pub key: String,
    /// Where its value lies in an item.
    pub metadata_key: String,
    /// Its option, without dashes.
    pub flag: String,
    /// Other spellings of the option, without dashes.
    pub flag_aliases: Vec<String>,
    /// What it means.
    pub description: Option<String>,
    /// What its values are.
    pub kind: FieldKind,
    /// The commands that take it.
    pub commands: Vec<String>,
    /// Whether the option may be given several times.
    pub repeatable: bool,
    /// Whether every item must have it.
    pub required: bool,
    /// Whether a new item must have it.
    pub required_on_create: bool,
    /// The kinds that the demand is limited to; none: all.
    pub required_types: Vec<String>,
    /// Whether `--unset` may remove it.
    pub allow_unset: bool,
    /// What its values must satisfy.
    pub value_schema: Option<Value>,
}

/// The transitions that one kind allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transitions {
    /// The kind's name, as written.
    pub kind: String,
    /// From and to, as status ids.
    pub allowed: Vec<(String, String)>,
}

/// A tracker's schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// The statuses.
    pub statuses: Statuses,
    /// The kinds.
    pub kinds: Kinds,
    /// The custom fields, in the order declared.
    pub fields: Vec<Field>,
    /// The kinds whose transitions are limited.
    pub transitions: Vec<Transitions>,
}

impl Default for Schema {
    fn default() -> Schema {
        Schema::new(&Settings::none(), &SchemaFiles::default())
    }
}

fn list<'v>(map: Option<&'v Map<String, Value>>, key: &str) -> Option<&'v [Value]> {
    map?.get(key)?.as_array().map(Vec::as_slice)
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Schema {
    /// The schema of a tracker: its files, else the inline sections of its settings, else what every tracker
    /// has. A definition that cannot be used is skipped.
    pub fn new(settings: &Settings, files: &SchemaFiles) -> Schema {
        let inline = |path: &str| settings.own(path).and_then(Value::as_array).map(Vec::as_slice);
        let contributed = |key: &str| -> Vec<Value> {
            let entries = list(files.extensions.as_ref(), "entries").unwrap_or_default();
            let of = |entry: &Value| entry.get("contributions")?.get(key)?.as_array().cloned();
            entries.iter().filter_map(of).flatten().collect()
        };
        let or_inline = |file: Option<&Map<String, Value>>, key: &str, path: &str| {
            list(file, key).or_else(|| inline(path)).unwrap_or_default().to_vec()
        };
        let mut kinds = or_inline(files.types.as_ref(), "definitions", "item_types.definitions");
        kinds.extend(contributed("item_types"));
        let mut fields = or_inline(files.fields.as_ref(), "fields", "schema.fields");
        fields.extend(contributed("item_fields"));
        let workflow = files.workflows.as_ref().and_then(|file| file.get("workflow"));
        let workflow =
            workflow.or_else(|| settings.own("schema.workflow")).and_then(Value::as_object).cloned();
        let statuses = or_inline(files.statuses.as_ref(), "statuses", "schema.statuses");
        let transitions = list(files.workflows.as_ref(), "type_workflows").unwrap_or_default();
        let mut known: Vec<Field> = Vec::new();
        for field in fields.iter().filter_map(declared_field) {
            if !known.iter().any(|other| other.key == field.key) {
                known.push(field);
            }
        }
        Schema {
            statuses: Statuses::new(&statuses, &workflow.unwrap_or_default()),
            kinds: Kinds::new(&kinds),
            fields: known,
            transitions: transitions.iter().filter_map(declared_transitions).collect(),
        }
    }

    /// The custom field of this metadata key.
    pub fn field(&self, metadata_key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.metadata_key == metadata_key)
    }

    /// Whether a kind's items may go from one status to another: only kinds with declared transitions say no.
    pub fn allows_transition(&self, kind: &str, from: &str, to: &str) -> bool {
        from == to
            || self
                .transitions
                .iter()
                .find(|t| t.kind.eq_ignore_ascii_case(kind))
                .is_none_or(|t| t.allowed.iter().any(|(a, b)| a == from && b == to))
    }
}

fn declared_field(value: &Value) -> Option<Field> {
    let text = |key: &str| Some(value.get(key)?.as_str()?.trim().to_owned()).filter(|text| !text.is_empty());
    let flag = |key: &str, fallback: bool| value.get(key).and_then(Value::as_bool).unwrap_or(fallback);
    let key = text("key")?;
    if key == "body" || key == "id" {
        return None;
    }
    let undashed = |text: String| text.trim_start_matches('-').to_owned();
    let commands = texts(value.get("commands"));
    Some(Field {
        metadata_key: text("metadata_key").unwrap_or_else(|| key.clone()),
        flag: text("cli_flag").map_or_else(|| key.replace('_', "-"), undashed),
        flag_aliases: texts(value.get("cli_aliases")).into_iter().map(undashed).collect(),
        description: text("description"),
        kind: text("type").and_then(|name| FieldKind::named(&name)).unwrap_or(FieldKind::String),
        commands: if commands.is_empty() { vec!["create".to_owned(), "update".to_owned()] } else { commands },
        repeatable: flag("repeatable", false),
        required: flag("required", false),
        required_on_create: flag("required_on_create", false),
        required_types: texts(value.get("required_types")),
        allow_unset: flag("allow_unset", true),
        value_schema: value.get("value_schema").filter(|schema| schema.is_object()).cloned(),
        key,
    })
}

/// An entry with pairs of which none is usable is no entry; one with an empty list denies everything.
fn declared_transitions(value: &Value) -> Option<Transitions> {
    let kind = value.get("type")?.as_str()?.trim().to_owned();
    let pairs = value.get("allowed_transitions")?.as_array()?;
    let allowed: Vec<_> = pairs
        .iter()
        .filter_map(|pair| match pair.as_array()?.as_slice() {
            [from, to] => Some((normalise_status(from.as_str()?), normalise_status(to.as_str()?))),
            _ => None,
        })
        .collect();
    (pairs.is_empty() || !allowed.is_empty()).then_some(Transitions { kind, allowed })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn file(value: Value) -> Option<Map<String, Value>> {
        value.as_object().cloned()
    }

    #[test]
    fn files_win_over_inline_sections() {
        let settings = Settings::from_document(
            file(json!({"item_types": {"definitions": [{"name": "Spike"}]}, "schema": {"statuses": [{"id": "review"}]}}))
                .unwrap(),
        );
        let inline = Schema::new(&settings, &SchemaFiles::default());
        assert!(inline.kinds.get("Spike").is_some() && inline.statuses.get("review").is_some());
        let files = SchemaFiles { types: file(json!({"definitions": []})), ..SchemaFiles::default() };
        let schema = Schema::new(&settings, &files);
        assert!(schema.kinds.get("Spike").is_none() && schema.statuses.get("review").is_some());
    }

    #[test]
    fn fields_take_their_defaults() {
        let declared = json!({"fields": [{"key": "team_size", "type": "number"}, {"key": ""}, {"type": "string"},
            {"key": "x", "cli_flag": "--ex", "metadata_key": "y", "type": "wild", "commands": ["list"], "allow_unset": false},
            {"key": "x"}]});
        let schema =
            Schema::new(&Settings::none(), &SchemaFiles { fields: file(declared), ..SchemaFiles::default() });
        let [team, x] = schema.fields.as_slice() else { panic!("{:?}", schema.fields) };
        assert_eq!((team.flag.as_str(), team.kind, team.allow_unset), ("team-size", FieldKind::Number, true));
        assert_eq!(team.commands, ["create", "update"]);
        assert_eq!((x.flag.as_str(), x.kind, x.metadata_key.as_str()), ("ex", FieldKind::String, "y"));
        assert_eq!(schema.field("y"), Some(x));
    }

    #[test]
    fn transitions_limit_only_declared_kinds() {
        let declared = json!({"type_workflows": [{"type": "Task", "allowed_transitions": [["open", "In-Progress"], ["x"]]},
            {"type": "Bug", "allowed_transitions": []}, {"type": "Epic", "allowed_transitions": [["x"]]}]});
        let schema = Schema::new(
            &Settings::none(),
            &SchemaFiles { workflows: file(declared), ..SchemaFiles::default() },
        );
        assert!(schema.allows_transition("task", "open", "in_progress"));
        assert!(!schema.allows_transition("Task", "open", "closed"));
        assert!(schema.allows_transition("Task", "closed", "closed"));
        assert!(!schema.allows_transition("Bug", "open", "closed"));
        assert!(schema.allows_transition("Epic", "open", "closed"));
    }

    #[test]
    fn packages_contribute_kinds() {
        let declared = json!({"entries": [{"contributions": {"item_types": [{"name": "Recipe", "folder": "recipes"}, "Odd"]}}]});
        let schema = Schema::new(
            &Settings::none(),
            &SchemaFiles { extensions: file(declared), ..SchemaFiles::default() },
        );
        assert_eq!(schema.kinds.in_folder("recipes").unwrap().name, "Recipe");
        assert!(schema.kinds.get("Odd").is_some());
    }
}
