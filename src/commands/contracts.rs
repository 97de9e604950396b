//! `pm contracts`.

use std::collections::BTreeMap;

mod intents;
mod vocabulary;

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::graph::kinds::{Family, KINDS, LinkKind};
use crate::domain::projection;
use crate::error::{Code, Error, Result};
use crate::generate::{contracts, sections, tools};
use crate::grammar::{self, DEPRECATED};
use crate::model::schema::{Field, Schema};
use crate::model::setting_key::SettingKey;
use crate::nearest;
use crate::read_output::discovery;
use crate::surface::{Catalog, Command, Context, Surface};

/// Says what every command takes and promises.
pub(super) struct Contracts;

/// Arguments of `pm contracts`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Speak about this command, or all commands of this group
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// The same by the name of a call: plan-add-step
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,
    /// One line for each command; the default without --command
    #[arg(long)]
    summary: bool,
    /// Show JSON Schemas of calls only
    #[arg(long)]
    schema_only: bool,
    /// Show flags only
    #[arg(long)]
    flags_only: bool,
    /// Show only what can be called
    #[arg(long)]
    availability_only: bool,
    /// Leave out what this build of pm cannot do
    #[arg(long, alias = "active-only")]
    runtime_only: bool,
    /// Show everything
    #[arg(long)]
    full: bool,
}

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Summary,
    Command,
    Schema,
    Flags,
    Availability,
    Full,
}

impl Command for Contracts {
    const CONTRACT: Contract = Contract {
        path: &["contracts"],
        about: "Say what every command takes, costs and promises, for programs",
        read_output: Some(surfaces::CONTRACTS),
        errors: &[Code::UnknownCommand, Code::ConflictingArguments],
        examples: &[
            Example { about: "Every command in a line", argv: &["contracts"] },
            Example { about: "One command in brief", argv: &["contracts", "--command", "list", "--summary"] },
            Example {
                about: "The JSON Schema of a call",
                argv: &["contracts", "--action", "create", "--schema-only"],
            },
            Example { about: "Everything", argv: &["contracts", "--full", "--json"] },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let mut scope = scope(&args, context.catalog)?;
        if args.runtime_only {
            scope.retain(|surface| sections::is_available(surface));
        }
        let view = view(&args, context)?;
        let scoped = args.command.is_some() || args.action.is_some();
        let schema = context.tracker().ok().map(|tracker| tracker.schema());
        let selected = json!({
            "action": args.action, "command": args.command, "summary": view == View::Summary,
            "schema_only": view == View::Schema, "flags_only": view == View::Flags,
            "availability_only": view == View::Availability, "runtime_only": args.runtime_only,
            "command_scoped": scoped,
        });
        let answer = Answer::new();
        let answer = match view {
            // There it stands in every envelope.
            View::Full => answer,
            _ => answer.echo("schema_version", sections::VERSION).echo("schema_id", sections::ID),
        };
        let answer = answer.echo("selected", selected);
        let catalog = context.catalog;
        let parser = |surface: &Surface| parser(surface, schema);
        Ok(match view {
            View::Summary => summaries(answer, &scope, scoped),
            View::Command => {
                let answer = available(answer, &scope, catalog, schema)
                    .value("command_flags", sections::flags(&scope, catalog, &parser))
                    .value("command_aliases", sections::aliases(&scope, catalog))
                    .value("list_projections", projections(&scope));
                answer.omits("input_schema", "--schema-only")
            }
            View::Schema => {
                let with = |answer: Answer<'a>, described: bool, answers: Map<String, Value>| {
                    let answer = answer.value("schema", sections::schema(&scope, described));
                    if answers.is_empty() {
                        answer
                    } else {
                        answer.value("answer_schemas", Value::Object(answers))
                    }
                };
                // Of all commands, and of a large group in short, the calls alone.
                let answers = |wanted: bool, described: bool| {
                    if wanted { sections::answers(&scope, described) } else { Map::new() }
                };
                let brief = with(Answer::new(), false, answers(scope.len() == 1, false));
                with(answer, scoped, answers(scoped, true)).fallback("brief", move || Ok(brief))
            }
            View::Flags => answer
                .rows("commands", names(&scope, catalog))
                .value("command_flags", sections::flags(&scope, catalog, &parser))
                .value("command_aliases", sections::aliases(&scope, catalog))
                .value("list_projections", projections(&scope)),
            View::Availability => available(answer, &scope, catalog, schema),
            View::Full => everything(answer, &scope, context, schema),
        })
    }
}

/// The commands that the call speaks about.
fn scope(args: &Args, catalog: Catalog) -> Result<Vec<&'static Surface>> {
    let mut scope: Vec<&'static Surface> = catalog.iter().collect();
    if let Some(typed) = &args.command {
        let words: Vec<&str> = typed.split_whitespace().skip_while(|word| *word == "pm").collect();
        let found = named(&words, catalog);
        if found.is_empty() {
            return Err(unknown("--command", typed, catalog.iter().map(Surface::name).collect()));
        }
        scope = found;
    }
    if let Some(typed) = &args.action {
        let found: Vec<&'static Surface> = catalog
            .iter()
            .filter(|surface| sections::action(surface) == typed.replace(['_', ' '], "-"))
            .collect();
        if found.is_empty() {
            return Err(unknown("--action", typed, catalog.iter().map(sections::action).collect()));
        }
        scope.retain(|surface| found.iter().any(|other| other.contract.path == surface.contract.path));
    }
    if scope.is_empty() {
        let message = "`--action` and `--command` name different commands";
        return Err(Error::new(Code::ConflictingArguments, message).at("--action"));
    }
    Ok(scope)
}

/// The command of these words, by any name, and the commands below it.
fn named(words: &[&str], catalog: Catalog) -> Vec<&'static Surface> {
    let Some(first) = words.first() else { return Vec::new() };
    if let Some(old) = DEPRECATED.iter().find(|old| old.word == *first) {
        return named(&old.argv[..1], catalog);
    }
    let named = |surface: &&'static Surface| {
        let contract = surface.contract;
        let last = contract.path.len() - 1;
        contract.path.starts_with(words)
            || words.len() == contract.path.len()
                && words[..last] == contract.path[..last]
                && contract.aliases.contains(&words[last])
    };
    catalog.iter().filter(named).collect()
}

fn unknown(flag: &str, typed: &str, known: Vec<String>) -> Error {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let near: Vec<&str> = nearest::order(typed, &known).into_iter().take(3).collect();
    let message = format!("there is no command `{typed}`; near it: {}", near.join(", "));
    let error = Error::new(Code::UnknownCommand, message).at(flag).rejecting(typed);
    let way = near.first().map(|name| format!("pm contracts {flag} '{name}' --summary"));
    let error = error.fact("suggestions", near.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    way.into_iter().fold(error, Error::hint)
}

fn view(args: &Args, context: &Context) -> Result<View> {
    let mode = context.want.mode.as_deref();
    let asked = [
        ("--summary", mode == Some("summary"), View::Summary),
        ("--schema-only", args.schema_only, View::Schema),
        ("--flags-only", args.flags_only, View::Flags),
        ("--availability-only", args.availability_only, View::Availability),
    ];
    let mut asked = asked.iter().filter(|(_, said, _)| *said);
    let view = asked.next();
    if let (Some((one, ..)), Some((other, ..))) = (view, asked.next()) {
        let message = format!("`{other}` excludes `{one}`");
        return Err(Error::new(Code::ConflictingArguments, message).at(*other));
    }
    // The weaker of two wishes narrows: `--full --summary` is a summary, as in the reference.
    Ok(match view {
        Some((_, _, view)) => *view,
        None if mode == Some("full") => View::Full,
        None if args.command.is_some() || args.action.is_some() => View::Command,
        None => View::Summary,
    })
}

fn names(scope: &[&'static Surface], catalog: Catalog) -> Rows<'static> {
    Rows::values(sections::names(scope, catalog).into_iter().map(Value::from).collect())
}

fn summaries<'a>(answer: Answer<'a>, scope: &[&'static Surface], scoped: bool) -> Answer<'a> {
    let rows = Rows::ready(scope.iter().map(|surface| sections::summary(surface, scoped)).collect());
    let answer = answer.rows("command_summaries", rows).value("output_policy", sections::output_policy());
    let output = scope.iter().find_map(|surface| surface.contract.read_output.as_ref());
    let answer = match output.filter(|_| scoped) {
        Some(output) => {
            answer.value("output_projection_contracts", discovery::projection_contracts(Some(output)))
        }
        None => answer,
    };
    answer.omits("full_contract_catalog", "--full")
}

fn available<'a>(
    answer: Answer<'a>,
    scope: &[&'static Surface],
    catalog: Catalog,
    schema: Option<&Schema>,
) -> Answer<'a> {
    let actions: Vec<String> = scope.iter().map(|surface| sections::action(surface)).collect();
    let answer = answer
        .rows("commands", names(scope, catalog))
        .value("actions", actions)
        .value("action_availability", sections::availability(scope));
    let answer = match schema {
        Some(schema) => answer.value("runtime_schema", runtime_schema(schema)),
        None => answer,
    };
    answer.value("governance_contracts", governance()).value("relationship_kind_contracts", link_kinds())
}

/// The parser of a command, with the flags that the tracker at hand declares.
fn parser(surface: &Surface, schema: Option<&Schema>) -> clap::Command {
    let parser = grammar::parser(surface);
    match schema.filter(|_| surface.contract.custom_flags) {
        Some(schema) => grammar::with_fields(parser, surface.contract.path[0], &schema.fields),
        None => parser,
    }
}

/// The words of the settings that say how strict a tracker is.
fn governance() -> Value {
    let words = |name: &str| SettingKey::find(name).map_or(&[][..], SettingKey::words);
    json!({
        "ownership_enforcement_modes": words("governance_ownership_enforcement"),
        "create_modes": words("governance_create_mode_default"),
        "close_validation_modes": words("governance_close_validation_default"),
        "workflow_enforcement_modes": words("governance_workflow_enforcement"),
    })
}

/// Every kind of link with its older names, and what it says.
fn link_kinds() -> Value {
    let row = |kind: &LinkKind| {
        let mut row = json!({"canonical": kind.name, "aliases": kind.aliases});
        if let Some(inverse) = kind.inverse {
            row["inverse"] = inverse.into();
        }
        row["ordering"] = (kind.family == Family::Ordering).into();
        row["hierarchy"] = (kind.family == Family::Hierarchy).into();
        row
    };
    KINDS.iter().map(row).collect()
}

/// The statuses, types and fields of the tracker at hand.
fn runtime_schema(schema: &Schema) -> Value {
    let statuses = &schema.statuses;
    let mut types: Vec<&str> = schema.kinds.iter().map(|kind| kind.name.as_str()).collect();
    types.sort_unstable();
    let mut by_command: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for field in &schema.fields {
        for command in &field.commands {
            by_command.entry(command).or_default().push(format!("--{}", field.flag));
        }
    }
    let field = |field: &Field| {
        json!({"field": field.metadata_key, "flag": format!("--{}", field.flag),
            "type": field.kind.as_str(), "commands": field.commands})
    };
    json!({
        "statuses": statuses.iter().map(|status| status.id.as_str()).collect::<Vec<_>>(),
        "open_status": statuses.open(), "close_status": statuses.close(), "canceled_status": statuses.canceled(),
        "types": types,
        "fields_by_command": by_command,
        "fields": schema.fields.iter().map(field).collect::<Vec<_>>(),
    })
}

/// What `pm list` shows by default and in its named projections.
fn projections(scope: &[&'static Surface]) -> Value {
    let lists = scope.iter().filter(|surface| surface.contract.path == ["list"]);
    lists
        .map(|_| {
            json!({"command": "list", "default": "brief", "brief_fields": projection::BRIEF,
                "compact_fields": projection::COMPACT})
        })
        .collect()
}

fn everything<'a>(
    answer: Answer<'a>,
    scope: &[&'static Surface],
    context: &'a Context,
    schema: Option<&Schema>,
) -> Answer<'a> {
    let catalog = context.catalog;
    let parser = |surface: &Surface| parser(surface, schema);
    let answer = answer.value("schema_version", sections::VERSION).value("schema_id", sections::ID);
    let summaries = scope.iter().map(|surface| sections::summary(surface, true)).collect();
    available(answer, scope, catalog, schema)
        .rows("command_summaries", Rows::ready(summaries))
        .value("output_policy", sections::output_policy())
        .value("output_projection_contracts", discovery::projection_contracts(None))
        .value("grammar_contracts", sections::grammar_contracts(scope))
        .value("schema", sections::schema(scope, false))
        .value("answer_schemas", Value::Object(sections::answers(scope, true)))
        .value("extension_commands", json!([]))
        .value("extension_contracts", vocabulary::extensions())
        .value("command_flags", sections::flags(scope, catalog, &parser))
        .value("list_projections", projections(scope))
        .value("command_aliases", sections::aliases(scope, catalog))
        .value("commander_aliases", sections::option_keys(scope))
        .value("assurance_contracts", vocabulary::assurance(context))
        .value("surfaces", contracts::surfaces_of(scope, catalog))
        .value("formats", contracts::formats())
        .value("mcp_tools", tools::all(catalog))
        .value("context_intents", intents::rows(catalog))
        .value("read_output_dimensions", discovery::dimension_rows())
        .value("continuation_fingerprint_policies", sections::fingerprints())
        .value("error_codes", contracts::errors())
        .value("command_output_contracts", sections::output_contracts(scope))
        .value("diagnostic_output_contracts", sections::diagnostics())
        .value("command_exit_contracts", sections::exits())
}
