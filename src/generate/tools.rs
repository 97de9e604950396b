//! The commands as tools of an MCP server (issue of interfaces; surfaces.md §25): names, what a tool is for, what it takes.
//!
//! The core profile is read by every session, so it shows the arguments that are used daily, without a word on each;
//! all others work too, and `pm_contracts` shows them.

use serde_json::{Map, Value, json};

use crate::contract::{Effect, Tier};
use crate::grammar;
use crate::surface::{Catalog, Surface};

use super::schema;

/// How many tools a server shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// The daily ones, arguments of daily use.
    Core,
    /// The regular ones too, every argument.
    Standard,
    /// Everything.
    Full,
}

/// The names of the profiles.
pub const PROFILES: [&str; 3] = ["core", "standard", "full"];

/// Commands that make no sense as tools: they serve a shell, Git or this protocol.
const NO_TOOLS: &[&[&str]] = &[
    &["mcp"],
    &["completion"],
    &["merge", "driver"],
    &["man"],
    // What a catalog says is made and signed where people work: building and attesting are for the command line.
    &["catalog", "attest"],
    &["catalog", "build"],
    &["catalog", "new"],
    &["catalog", "serve"],
    &["catalog", "verify"],
];

/// Commands of another tier that every session needs: how to ask for more.
const CORE_TOO: &[&[&str]] = &[&["contracts"]];

/// Commands of the core tier that a session does not need.
const NOT_CORE: &[&[&str]] = &[&["init"]];

/// Groups whose contracts name their tools without `pm_`.
const OWN_NAMES: &[&str] = &["kb", "catalog"];

/// The arguments that the core profile shows, by command.
const DAILY: &[(&str, &[&str])] = &[
    ("claim", &["id"]),
    ("close", &["id", "reason", "resolution"]),
    ("comments", &["id", "add", "limit"]),
    ("context", &["for", "parent", "assignee", "since"]),
    ("contracts", &["command", "action", "summary", "schemaOnly"]),
    (
        "create",
        &[
            "title",
            "type",
            "description",
            "body",
            "priority",
            "tags",
            "parent",
            "deadline",
            "dep",
            "acceptanceCriteria",
        ],
    ),
    ("get", &["id", "depth", "fields", "tree"]),
    ("list", &["status", "type", "tag", "priority", "assignee", "parent", "sort", "limit"]),
    ("next", &["limit", "why", "claim", "assignee", "tag"]),
    ("notes", &["id", "add", "limit"]),
    ("release", &["id"]),
    ("search", &["query", "status", "type", "tag", "limit"]),
    (
        "update",
        &[
            "id",
            "title",
            "description",
            "body",
            "status",
            "priority",
            "addTags",
            "removeTags",
            "parent",
            "assignee",
            "dep",
            "ifHash",
        ],
    ),
    ("validate", &["counts"]),
];

impl Profile {
    /// The profile of a name.
    pub fn named(name: &str) -> Option<Profile> {
        let profiles = [Profile::Core, Profile::Standard, Profile::Full];
        PROFILES.iter().position(|known| *known == name).map(|n| profiles[n])
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        PROFILES[self as usize]
    }
}

/// A command whose tool always has a switch, and says so in its name: nothing else can be asked of it.
const ALWAYS: &[(&[&str], &str, &str)] = &[(&["catalog", "run"], "catalog_run_dry", "dryRun")];

/// The switch that every call of a tool has.
pub fn always(surface: &Surface) -> Option<&'static str> {
    ALWAYS.iter().find(|(path, ..)| *path == surface.contract.path).map(|(_, _, switch)| *switch)
}

/// The name of a command as a tool: `pm_plan_add_step`, or `kb_search` where a contract of its own names it.
pub fn name(surface: &Surface) -> String {
    if let Some((_, name, _)) = ALWAYS.iter().find(|(path, ..)| *path == surface.contract.path) {
        return (*name).to_owned();
    }
    let name = surface.contract.path.join("_").replace('-', "_");
    if OWN_NAMES.contains(&surface.contract.path[0]) { name } else { format!("pm_{name}") }
}

/// The smallest profile that shows a command; none when it is no tool.
pub fn profile(surface: &Surface) -> Option<Profile> {
    let path = surface.contract.path;
    let is = |list: &[&[&str]]| list.contains(&path);
    Some(match surface.contract.tier {
        _ if is(NO_TOOLS) => return None,
        _ if is(CORE_TOO) => Profile::Core,
        Tier::Core if !is(NOT_CORE) => Profile::Core,
        Tier::Core | Tier::Standard => Profile::Standard,
        Tier::Full => Profile::Full,
    })
}

/// The commands that a profile shows. All tools can be called, shown or not.
pub fn of(profile: Profile, catalog: Catalog) -> impl Iterator<Item = &'static Surface> {
    catalog.iter().filter(move |surface| self::profile(surface).is_some_and(|least| least <= profile))
}

/// The command of a tool; `list` and `pm-list` mean `pm_list`.
pub fn find(typed: &str, catalog: Catalog) -> Option<&'static Surface> {
    let bare = |name: &str| name.strip_prefix("pm_").unwrap_or(name).to_owned();
    let typed = bare(&typed.replace('-', "_"));
    catalog.iter().find(|surface| profile(surface).is_some() && bare(&name(surface)) == typed)
}

/// A tool as `tools/list` shows it.
pub fn declaration(surface: &'static Surface, profile: Profile) -> Value {
    let mut tool = Map::new();
    tool.insert("name".into(), name(surface).into());
    tool.insert("description".into(), surface.contract.about.into());
    let schema = match profile {
        Profile::Core => daily(surface),
        _ => with_place(schema::input(surface, profile == Profile::Full)),
    };
    tool.insert("inputSchema".into(), schema);
    let reads = surface.contract.effect == Effect::Reads;
    match (reads, profile) {
        (true, Profile::Core) => tool.insert("annotations".into(), json!({"readOnlyHint": true})),
        // Nothing reaches beyond the repository.
        (true, _) => tool.insert("annotations".into(), json!({"readOnlyHint": true, "openWorldHint": false})),
        (false, Profile::Core) => None,
        (false, _) => tool.insert("annotations".into(), json!({"openWorldHint": false})),
    };
    Value::Object(tool)
}

/// The schema of daily use: other arguments are neither shown nor excluded.
fn daily(surface: &Surface) -> Value {
    let parser = grammar::parser(surface);
    let own = DAILY.iter().find(|(command, _)| *command == surface.name()).map_or(&[][..], |(_, keys)| keys);
    let own = own.iter().filter_map(|key| Some(((*key).to_owned(), schema::find(&parser, key)?)));
    // What an answer may cost and how it goes on is asked of every tool that takes it, in every profile.
    let controls = schema::properties(&parser)
        .filter(|property| schema::is_control(property) && !property.arg.is_hide_set())
        .map(|property| (property.name(), property));
    let mut keys = Map::new();
    let mut required = Vec::new();
    for (key, property) in own.chain(controls) {
        keys.insert(key.clone(), property.schema(false));
        if property.arg.is_required_set() {
            required.push(key);
        }
    }
    let mut schema = json!({"type": "object", "properties": keys});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    with_place(schema)
}

/// Every tool also takes the folder of the call.
fn with_place(mut schema: Value) -> Value {
    if let Some(Value::Object(keys)) = schema.get_mut("properties") {
        keys.insert("cwd".into(), json!({"type": "string"}));
    }
    schema
}

/// Every tool in brief: its command, the smallest profile that shows it, what must be given, what core shows.
pub fn all(catalog: Catalog) -> Value {
    let row = |surface: &'static Surface| {
        let least = profile(surface)?;
        let schema = daily(surface);
        let shown: Vec<&String> = schema["properties"].as_object().into_iter().flat_map(Map::keys).collect();
        let full = schema::input(surface, false);
        let mut row = json!({
            "name": name(surface), "command": surface.name(), "profile": least.as_str(),
            "description": surface.contract.about, "required": full.get("required").cloned().unwrap_or(json!([])),
        });
        if least == Profile::Core {
            row["core_arguments"] = json!(shown);
        }
        Some(row)
    };
    catalog.iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_grow() {
        assert!(Profile::Core < Profile::Standard && Profile::named("full") == Some(Profile::Full));
        assert_eq!(Profile::named("nope"), None);
    }
}
