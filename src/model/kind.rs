//! Kinds of items (`type` on the wire): the built-in ones, a tracker's own, and their folders.

use serde_json::Value;

/// A kind of item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kind {
    /// The name as stored in `type`: `Task`, `Epic`, ...
    pub name: String,
    /// The folder below the tracker root, with `/`.
    pub folder: String,
    /// Other spellings.
    pub aliases: Vec<String>,
    /// What it is for, if the tracker says so.
    pub description: Option<String>,
    /// The status of a new item of this kind, if it has one of its own.
    pub default_status: Option<String>,
    /// Fields that `create` demands.
    pub required_create_fields: Vec<String>,
    /// Repeatable options that `create` demands.
    pub required_create_repeatables: Vec<String>,
    /// Options of its own (`--type-option`).
    pub options: Vec<KindOption>,
    /// What this kind demands or hides of a command's options.
    pub policies: Vec<OptionPolicy>,
    /// Whether every tracker has it.
    pub built_in: bool,
}

/// An option that only one kind has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KindOption {
    /// Its key.
    pub key: String,
    /// The legal values; none named: any.
    pub values: Vec<String>,
    /// Whether it must be given.
    pub required: bool,
    /// Other spellings of the key.
    pub aliases: Vec<String>,
    /// What it means.
    pub description: Option<String>,
}

/// What a kind says about an option of `create` or `update`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptionPolicy {
    /// `create` or `update`.
    pub command: String,
    /// The option, without dashes.
    pub option: String,
    /// Whether it must be given.
    pub required: Option<bool>,
    /// Whether help shows it.
    pub visible: Option<bool>,
    /// Whether it may be given.
    pub enabled: Option<bool>,
}

/// The folders below the root that never hold items (storage.md §1.2), at the top level only.
pub const RESERVED_FOLDERS: &[&str] = &[
    "checkpoints",
    "extensions",
    "history",
    "index",
    "locks",
    "merge-receipts",
    "runtime",
    "schema",
    "search",
    "templates",
    "transactions",
];

/// The kinds that every tracker has, with their folders (storage.md §1.2).
const BUILT_IN: [(&str, &str); 11] = [
    ("Epic", "epics"),
    ("Feature", "features"),
    ("Task", "tasks"),
    ("Chore", "chores"),
    ("Issue", "issues"),
    ("Decision", "decisions"),
    ("Event", "events"),
    ("Reminder", "reminders"),
    ("Milestone", "milestones"),
    ("Meeting", "meetings"),
    ("Plan", "plans"),
];

/// Words that people use for a built-in kind; a tracker's own kinds and aliases come first.
const SYNONYMS: [(&str, &str); 10] = [
    ("bug", "Issue"),
    ("bugfix", "Issue"),
    ("change", "Chore"),
    ("defect", "Issue"),
    ("enhancement", "Feature"),
    ("incident", "Issue"),
    ("story", "Feature"),
    ("ticket", "Task"),
    ("todo", "Task"),
    ("user-story", "Feature"),
];

/// Every kind of a tracker: the built-in ones, then its own in the order declared.
#[derive(Clone, Debug, PartialEq)]
pub struct Kinds {
    list: Vec<Kind>,
}

impl Default for Kinds {
    fn default() -> Kinds {
        Kinds::new(&[])
    }
}

/// How a kind is compared: lower case, blanks and `_` as `-`.
pub fn token(name: &str) -> String {
    name.trim().to_lowercase().replace(['_', ' '], "-")
}

/// The folder of a kind that names none: its slug in the plural.
pub fn default_folder(name: &str) -> String {
    let mut slug = String::new();
    for c in name.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    match slug {
        "" => "items".to_owned(),
        slug if slug.ends_with('s') => slug.to_owned(),
        slug => format!("{slug}s"),
    }
}

impl Kinds {
    /// The kinds of `types.json`. A definition without a name is skipped; one that repeats a name, in any
    /// case, refines it. A folder that would leave the tracker is replaced by the default one.
    pub fn new(declared: &[Value]) -> Kinds {
        let mut list: Vec<Kind> = BUILT_IN
            .iter()
            .map(|(name, folder)| Kind {
                name: (*name).to_owned(),
                folder: (*folder).to_owned(),
                built_in: true,
                ..Kind::default()
            })
            .collect();
        for kind in declared.iter().filter_map(declared_kind) {
            match list.iter_mut().find(|known| known.name.eq_ignore_ascii_case(&kind.name)) {
                Some(known) => {
                    let (name, built_in) = (std::mem::take(&mut known.name), known.built_in);
                    let folder =
                        if kind.folder.is_empty() { std::mem::take(&mut known.folder) } else { kind.folder };
                    *known = Kind { name, built_in, folder, ..kind };
                }
                None => {
                    let folder =
                        if kind.folder.is_empty() { default_folder(&kind.name) } else { kind.folder };
                    list.push(Kind { folder, ..kind });
                }
            }
        }
        Kinds { list }
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Kind> {
        self.list.iter()
    }

    /// The kind that a token stands for: a name, an alias, in any case, or a common synonym.
    pub fn resolve(&self, typed: &str) -> Option<&Kind> {
        let typed = token(typed);
        let by_name = |name: &str| self.list.iter().find(|kind| token(&kind.name) == name);
        by_name(&typed)
            .or_else(|| self.list.iter().find(|kind| kind.aliases.iter().any(|alias| token(alias) == typed)))
            .or_else(|| by_name(&token(SYNONYMS.iter().find(|(word, _)| *word == typed)?.1)))
    }

    /// The kind of exactly this name.
    pub fn get(&self, name: &str) -> Option<&Kind> {
        self.list.iter().find(|kind| kind.name == name)
    }

    /// The kind whose items lie in this folder.
    pub fn in_folder(&self, folder: &str) -> Option<&Kind> {
        self.list.iter().find(|kind| kind.folder == folder)
    }

    /// The folder for items of a kind, known or not.
    pub fn folder_of(&self, name: &str) -> String {
        self.get(name)
            .or_else(|| self.resolve(name))
            .map_or_else(|| default_folder(name), |kind| kind.folder.clone())
    }
}

fn declared_kind(value: &Value) -> Option<Kind> {
    let name = value.as_str().or_else(|| value.get("name")?.as_str())?.trim();
    if name.is_empty() {
        return None;
    }
    let text = |key: &str| Some(value.get(key)?.as_str()?.trim().to_owned()).filter(|text| !text.is_empty());
    let folder = text("folder").map(|f| f.trim_matches('/').to_owned()).filter(|f| is_safe_folder(f));
    Some(Kind {
        name: name.to_owned(),
        folder: folder.unwrap_or_default(),
        aliases: texts(value.get("aliases")),
        description: text("description"),
        default_status: text("default_status"),
        required_create_fields: texts(value.get("required_create_fields")),
        required_create_repeatables: texts(value.get("required_create_repeatables")),
        options: objects(value.get("options")).filter_map(declared_option).collect(),
        policies: objects(value.get("command_option_policies")).filter_map(declared_policy).collect(),
        built_in: false,
    })
}

fn declared_option(value: &Value) -> Option<KindOption> {
    Some(KindOption {
        key: value.get("key")?.as_str()?.to_owned(),
        values: texts(value.get("values")),
        required: value.get("required").and_then(Value::as_bool).unwrap_or(false),
        aliases: texts(value.get("aliases")),
        description: value.get("description").and_then(Value::as_str).map(str::to_owned),
    })
}

fn declared_policy(value: &Value) -> Option<OptionPolicy> {
    let flag = |key: &str| value.get(key).and_then(Value::as_bool);
    Some(OptionPolicy {
        command: value.get("command")?.as_str()?.to_owned(),
        option: value.get("option")?.as_str()?.to_owned(),
        required: flag("required"),
        visible: flag("visible"),
        enabled: flag("enabled"),
    })
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn objects(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

/// Whether a folder stays below the tracker root, on every system, and is none of the tracker's own.
pub fn is_safe_folder(folder: &str) -> bool {
    let first = folder.split('/').next().unwrap_or_default();
    RESERVED_FOLDERS.binary_search(&first).is_err()
        && folder.len() <= 200
        && folder.split('/').all(|part| {
            !part.is_empty()
                && !part.starts_with('.')
                && !part.contains(['\\', ':'])
                && !part.contains(char::is_control)
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kinds(declared: &Value) -> Kinds {
        Kinds::new(declared.as_array().unwrap())
    }

    #[test]
    fn tokens_resolve_by_name_alias_and_synonym() {
        let own = kinds(
            &json!([{"name": "Story", "folder": "stories", "aliases": ["user-story"]}, {"name": "Bug"}]),
        );
        for (token, name) in [
            ("task", "Task"),
            (" EPIC", "Epic"),
            ("User Story", "Story"),
            ("story", "Story"),
            ("bug", "Bug"),
            ("defect", "Issue"),
            ("todo", "Task"),
        ] {
            assert_eq!(own.resolve(token).unwrap().name, name, "{token}");
        }
        assert_eq!(Kinds::default().resolve("story").unwrap().name, "Feature");
        assert!(own.resolve("banana").is_none());
        assert_eq!(own.in_folder("stories").unwrap().name, "Story");
        assert_eq!(own.get("Bug").unwrap().folder, "bugs");
    }

    #[test]
    fn folders_stay_inside() {
        for (folder, want) in [
            (json!("../x"), "evils"),
            (json!("a/../b"), "evils"),
            (json!(".git"), "evils"),
            (json!("c:x"), "evils"),
            (json!("a\u{0}b"), "evils"),
            (json!("work/items/"), "work/items"),
            (json!(7), "evils"),
            (json!("history/x"), "evils"),
        ] {
            let own = kinds(&json!([{"name": "Evil", "folder": folder}]));
            assert_eq!(own.get("Evil").unwrap().folder, want, "{folder}");
        }
    }

    #[test]
    fn reserved_folders_are_sorted() {
        assert!(RESERVED_FOLDERS.is_sorted());
    }

    #[test]
    fn default_folders_are_plural_slugs() {
        for (name, folder) in [
            ("Spike", "spikes"),
            ("Big  Thing!", "big-things"),
            ("Status", "status"),
            ("Ünï", "ns"),
            ("!!", "items"),
        ] {
            assert_eq!(default_folder(name), folder);
        }
    }

    #[test]
    fn a_definition_refines_a_built_in_kind() {
        let own = kinds(&json!([{"name": "task", "default_status": "draft"}, {"name": ""}, 5]));
        let task = own.get("Task").unwrap();
        assert_eq!((task.folder.as_str(), task.default_status.as_deref()), ("tasks", Some("draft")));
        assert!(task.built_in);
        assert_eq!(own.iter().count(), 11);
    }
}
