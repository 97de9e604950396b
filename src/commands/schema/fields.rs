//! `pm schema add-field`, `remove-field`, `show-field`, `list-fields`.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Effect, Example};
use crate::domain::declarations::FIELDS;
use crate::domain::values::refusal;
use crate::error::{Code, Error, Result};
use crate::grammar;
use crate::model::canonical;
use crate::model::schema::{Field, FieldKind};
use crate::mutation::declaring::{self, About};
use crate::nearest;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// The commands that a field may join, as declarations spell them.
const COMMANDS: [&str; 7] = ["create", "update", "update_many", "list", "search", "calendar", "context"];

/// Declares a field.
pub(in crate::commands) struct AddField;

/// Arguments of `pm schema add-field`.
#[derive(clap::Args)]
pub(in crate::commands) struct AddArgs {
    /// Key of the field
    name: String,
    /// Type of its values: string, number, boolean, string_array, array, object
    #[arg(long = "type", id = "kind", value_name = "TYPE")]
    kind: Option<String>,
    /// What it means
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Commands that take it: create, update, update_many, list, search, calendar, context
    #[arg(long, value_name = "NAMES")]
    commands: Vec<String>,
    /// Its flag, instead of one made of the key
    #[arg(long, value_name = "FLAG")]
    cli_flag: Option<String>,
    /// Other spellings of its flag; repeat it or separate them with commas
    #[arg(long, value_name = "FLAG")]
    alias: Vec<String>,
    /// Every item must have it
    #[arg(long)]
    required: bool,
    /// A new item must have it
    #[arg(long)]
    required_on_create: bool,
    /// It cannot be cleared
    #[arg(long)]
    no_allow_unset: bool,
    /// Types of items that the demand is limited to
    #[arg(long, value_name = "TYPES")]
    required_types: Vec<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for AddField {
    const CONTRACT: Contract = Contract {
        path: &["schema", "add-field"],
        about: "Declare a field of items, or refine one",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::InvalidArgumentValue, Code::WorkspaceHistoryStateConflict],
        examples: &[Example {
            about: "A number for create and update",
            argv: &["schema", "add-field", "effort", "--type", "number"],
        }],
        ..Contract::BASE
    };
    type Args = AddArgs;

    fn run<'a>(args: AddArgs, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let key = legal_key("NAME", &args.name)?;
        let known = tracker.schema().fields.iter().find(|field| field.key == key);
        let given = declaration(&args, &key, known, context)?;
        let about = About { action: "add-field", noun: "field", section: &FIELDS };
        declaring::add(context, about, &given, args.message.as_deref())
    }
}

pub(super) fn legal_key(surface: &str, typed: &str) -> Result<String> {
    let key = typed.trim().to_ascii_lowercase().replace('-', "_");
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !key.starts_with(|c: char| c.is_ascii_lowercase()) || key.len() > 60 || !key.chars().all(plain) {
        let problem = "a field has a key of lower letters, digits and _, a letter first, at most 60";
        return Err(refusal(surface, typed, problem, &[]));
    }
    if key == "body" || canonical::is_built_in(&key) {
        return Err(refusal(surface, typed, "every item has a field of this name", &[]));
    }
    Ok(key)
}

fn declaration(
    args: &AddArgs,
    key: &str,
    known: Option<&Field>,
    context: &Context,
) -> Result<Map<String, Value>> {
    let tracker = context.tracker()?;
    let kind = match &args.kind {
        None => None,
        Some(typed) => Some(kind(typed)?),
    };
    let commands = commands(&args.commands)?;
    let undashed = |flag: &str| flag.trim().trim_start_matches('-').to_owned();
    let flag = args.cli_flag.as_deref().map(undashed);
    let aliases: Vec<String> = declaring::names(&args.alias).iter().map(|alias| undashed(alias)).collect();
    let fallback = || known.map_or_else(|| key.replace('_', "-"), |field| field.flag.clone());
    let own = flag.clone().unwrap_or_else(fallback);
    let joined: Vec<&str> = match (&commands, known) {
        (Some(commands), _) => commands.clone(),
        (None, Some(field)) => field.commands.iter().map(String::as_str).collect(),
        (None, None) => vec!["create", "update"],
    };
    for flag in std::iter::once(&own).chain(&aliases) {
        free_flag(flag, key, &joined, context)?;
    }
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| out.insert(key.to_owned(), value);
    put("key", key.into());
    if kind.is_some() || known.is_none() {
        put("type", kind.unwrap_or(FieldKind::String).as_str().into());
    }
    if commands.is_some() || known.is_none() {
        put("commands", json!(joined));
    }
    for (name, text) in [("description", args.description.clone()), ("cli_flag", flag)] {
        if let Some(text) = text {
            put(name, text.into());
        }
    }
    if !aliases.is_empty() {
        put("cli_aliases", json!(aliases));
    }
    if args.required {
        put("required", true.into());
    }
    if args.required_on_create {
        put("required_on_create", true.into());
    }
    if args.no_allow_unset {
        put("allow_unset", false.into());
    }
    let types = types(&args.required_types, tracker)?;
    if !types.is_empty() {
        put("required_types", json!(types));
    }
    Ok(out)
}

fn kind(typed: &str) -> Result<FieldKind> {
    let word = typed.trim().to_ascii_lowercase().replace('-', "_");
    FieldKind::named(&word).ok_or_else(|| {
        let legal = ["string", "number", "boolean", "string_array", "array", "object"];
        refusal("--type", typed, format!("give one of {}", legal.join(", ")), &legal)
    })
}

fn commands(texts: &[String]) -> Result<Option<Vec<&'static str>>> {
    if texts.is_empty() {
        return Ok(None);
    }
    let mut found = Vec::new();
    for typed in declaring::names(texts) {
        let word = typed.to_ascii_lowercase().replace('-', "_");
        let Some(command) = COMMANDS.iter().find(|command| **command == word) else {
            return Err(refusal("--commands", &typed, format!("give {}", COMMANDS.join(", ")), &COMMANDS));
        };
        if !found.contains(command) {
            found.push(command);
        }
    }
    Ok(Some(found))
}

fn types(texts: &[String], tracker: &Tracker) -> Result<Vec<String>> {
    let kinds = &tracker.schema().kinds;
    declaring::names(texts)
        .into_iter()
        .map(|typed| match kinds.resolve(&typed) {
            Some(kind) => Ok(kind.name.clone()),
            None => {
                let known: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
                Err(refusal(
                    "--required-types",
                    &typed,
                    format!("the types are {}", known.join(", ")),
                    &known,
                ))
            }
        })
        .collect()
}

/// A flag must be free on every command that the field joins.
pub(super) fn free_flag<S: AsRef<str>>(
    flag: &str,
    key: &str,
    commands: &[S],
    context: &Context,
) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if flag.is_empty() || !flag.starts_with(|c: char| c.is_ascii_alphabetic()) || !flag.chars().all(plain) {
        return Err(refusal("--cli-flag", flag, "a flag has letters, digits and -, a letter first", &[]));
    }
    for command in commands {
        let word = command.as_ref().replace('_', "-");
        let Some(surface) = context.catalog.find(&[word.as_str()]) else { continue };
        let parser = grammar::parser(surface);
        let taken = parser.get_arguments().any(|arg| {
            arg.get_long() == Some(flag) || arg.get_all_aliases().is_some_and(|known| known.contains(&flag))
        });
        if taken {
            let problem = format!("`pm {word}` has a flag --{flag} already");
            return Err(refusal("--cli-flag", flag, problem, &[])
                .hint(format!("pm schema add-field {key} --cli-flag {}-{flag}", key.replace('_', "-"))));
        }
    }
    let fields = &context.tracker()?.schema().fields;
    let other =
        fields.iter().find(|f| f.key != key && (f.flag == flag || f.flag_aliases.iter().any(|a| a == flag)));
    match other {
        Some(other) => {
            Err(refusal("--cli-flag", flag, format!("it is the flag of the field {}", other.key), &[]))
        }
        None => Ok(()),
    }
}

pub(super) fn find<'t>(tracker: &'t Tracker, typed: &str) -> Result<&'t Field> {
    let word = typed.trim().trim_start_matches('-');
    let fields = &tracker.schema().fields;
    let found =
        fields.iter().find(|f| f.key.eq_ignore_ascii_case(word) || f.metadata_key == word || f.flag == word);
    found.ok_or_else(|| {
        let known: Vec<&str> = fields.iter().map(|field| field.key.as_str()).collect();
        Error::new(Code::UnknownField, format!("this tracker declares no field `{word}`"))
            .at("NAME")
            .rejecting(typed)
            .fact("allowed_values", nearest::order(word, &known))
            .hint("pm schema list-fields")
    })
}

/// Takes a field out of the schema.
pub(in crate::commands) struct RemoveField;

/// Arguments of `pm schema remove-field`.
#[derive(clap::Args)]
pub(in crate::commands) struct RemoveArgs {
    /// Key of the field
    name: String,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for RemoveField {
    const CONTRACT: Contract = Contract {
        path: &["schema", "remove-field"],
        about: "Take a field out of the schema; items keep their values with --force",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::UnknownField, Code::SchemaDefinitionInUse, Code::WorkspaceHistoryStateConflict],
        examples: &[Example { about: "Nobody uses it", argv: &["schema", "remove-field", "effort"] }],
        ..Contract::BASE
    };
    type Args = RemoveArgs;

    fn run<'a>(args: RemoveArgs, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let field = find(tracker, &args.name)?;
        if !context.globals.force {
            let records = tracker.records()?;
            let with = records.iter().filter(|record| record.custom_value(&field.metadata_key).is_some());
            let ids: Vec<String> = with.map(|record| record.id().to_owned()).collect();
            if !ids.is_empty() {
                let hint = format!("pm schema remove-field {} --force", field.key);
                return Err(declaring::in_use(&format!("the field {}", field.key), &ids, hint).at("NAME"));
            }
        }
        let about = About { action: "remove-field", noun: "field", section: &FIELDS };
        declaring::remove(context, about, &field.key, args.message.as_deref(), &|_| {
            Error::new(Code::UnknownField, format!("an installed package declares `{}`", field.key))
                .at("NAME")
                .rejecting(&field.key)
        })
    }
}

/// Shows a field.
pub(in crate::commands) struct ShowField;

/// Arguments of `pm schema show-field`.
#[derive(clap::Args)]
pub(in crate::commands) struct ShowArgs {
    /// Key of the field, or its flag
    name: String,
}

impl Command for ShowField {
    const CONTRACT: Contract = Contract {
        path: &["schema", "show-field"],
        about: "Show what a declared field is",
        errors: &[Code::UnknownField],
        examples: &[Example { about: "What does it take?", argv: &["schema", "show-field", "effort"] }],
        ..Contract::BASE
    };
    type Args = ShowArgs;

    fn run<'a>(args: ShowArgs, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let field = find(tracker, &args.name)?;
        let records = tracker.records()?;
        let count = records.iter().filter(|r| r.custom_value(&field.metadata_key).is_some()).count();
        Ok(Answer::new()
            .value("action", "show-field")
            .value("field", described(field))
            .value("item_count", count))
    }
}

/// Lists the declared fields.
pub(in crate::commands) struct ListFields;

/// Arguments of `pm schema list-fields`.
#[derive(clap::Args)]
pub(in crate::commands) struct ListArgs {}

impl Command for ListFields {
    const CONTRACT: Contract = Contract {
        path: &["schema", "list-fields"],
        about: "List the fields that this tracker declares",
        examples: &[Example { about: "All of them", argv: &["schema", "list-fields"] }],
        ..Contract::BASE
    };
    type Args = ListArgs;

    fn run<'a>(_: ListArgs, context: &'a Context) -> Result<Answer<'a>> {
        let fields = &context.tracker()?.schema().fields;
        let rows: Vec<Value> = fields.iter().map(row).collect();
        let count = rows.len();
        Ok(Answer::new()
            .value("action", "list-fields")
            .rows("fields", Rows::values(rows))
            .value("count", count))
    }
}

/// A field in a table.
pub(super) fn row(field: &Field) -> Value {
    json!({"key": field.key, "type": field.kind.as_str(), "flag": format!("--{}", field.flag), "commands": field.commands.join(",")})
}

/// A field, without what it does not say.
fn described(field: &Field) -> Value {
    let mut out = json!({"key": field.key, "type": field.kind.as_str(), "flag": format!("--{}", field.flag), "commands": field.commands});
    if field.metadata_key != field.key {
        out["metadata_key"] = json!(field.metadata_key);
    }
    if !field.flag_aliases.is_empty() {
        out["cli_aliases"] = json!(field.flag_aliases);
    }
    if let Some(text) = &field.description {
        out["description"] = json!(text);
    }
    for (key, holds) in [
        ("repeatable", field.repeatable),
        ("required", field.required),
        ("required_on_create", field.required_on_create),
    ] {
        if holds {
            out[key] = json!(true);
        }
    }
    if !field.allow_unset {
        out["allow_unset"] = json!(false);
    }
    if !field.required_types.is_empty() {
        out["required_types"] = json!(field.required_types);
    }
    if let Some(schema) = &field.value_schema {
        out["value_schema"] = schema.clone();
    }
    out
}
