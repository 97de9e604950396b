//! `pm schema add-type`, `remove-type`, `show`.

use serde_json::{Value, json};

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Effect, Example};
use crate::domain::declarations::{self, TYPES, TypeWish};
use crate::domain::values::refusal;
use crate::error::{Code, Error, Result};
use crate::model::kind::{self, Kind};
use crate::mutation::declaring::{self, About};
use crate::mutation::draft::shell_word;
use crate::mutation::write;
use crate::nearest;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Declares a type.
pub(in crate::commands) struct AddType;

/// Arguments of `pm schema add-type`.
#[derive(clap::Args)]
pub(in crate::commands) struct AddArgs {
    /// Name of the type
    name: Option<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Status of new items
    #[arg(long, value_name = "STATUS")]
    default_status: Option<String>,
    /// Folder of its items, below the tracker root
    #[arg(long, value_name = "DIR")]
    folder: Option<String>,
    /// Other names; repeat it or separate them with commas
    #[arg(long, value_name = "NAME")]
    alias: Vec<String>,
    /// Look for types that titles name, as `Spike: ...`; only --apply declares them
    #[arg(long)]
    infer: bool,
    /// With --infer: in how many titles a name must stand
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    min_count: usize,
    /// With --infer: declare what was found
    #[arg(long)]
    apply: bool,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for AddType {
    const CONTRACT: Contract = Contract {
        path: &["schema", "add-type"],
        about: "Declare a type of items, or refine one",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::InvalidArgumentValue, Code::WorkspaceHistoryStateConflict],
        examples: &[
            Example { about: "A type with its own folder", argv: &["schema", "add-type", "Spike"] },
            Example {
                about: "What do titles tell?",
                argv: &["schema", "add-type", "--infer", "--min-count", "5"],
            },
        ],
        ..Contract::BASE
    };
    type Args = AddArgs;

    fn run<'a>(args: AddArgs, context: &'a Context) -> Result<Answer<'a>> {
        if args.infer {
            return infer(&args, context);
        }
        let tracker = context.tracker()?;
        let name = legal_name("NAME", args.name.as_deref().unwrap_or_default())?;
        let wish = wish(&args, &name, tracker)?;
        let about = About { action: "add-type", noun: "type", section: &TYPES };
        declaring::add(context, about, &wish.declaration(&name), args.message.as_deref())
    }
}

/// A name that a type may have: one line that begins with a letter or digit and makes a folder.
pub(super) fn legal_name(surface: &str, typed: &str) -> Result<String> {
    let name = typed.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    if name.is_empty() || name.chars().count() > 60 || !name.chars().all(plain) {
        let problem = "a type has a name of letters, digits, blanks, - and _, at most 60";
        return Err(refusal(surface, typed, problem, &[]).hint("pm schema add-type Spike"));
    }
    Ok(name)
}

fn wish(args: &AddArgs, name: &str, tracker: &Tracker) -> Result<TypeWish> {
    let schema = tracker.schema();
    let wish = TypeWish {
        description: args.description.clone(),
        default_status: args.default_status.as_deref().map(|typed| status(tracker, typed)).transpose()?,
        folder: args.folder.as_deref().map(folder).transpose()?,
        aliases: declaring::names(&args.alias),
    };
    let own = |kind: &Kind| kind.name.eq_ignore_ascii_case(name);
    let says_something = wish.description.is_some()
        || wish.default_status.is_some()
        || wish.folder.is_some()
        || !wish.aliases.is_empty();
    if let Some(built_in) = schema.kinds.iter().find(|kind| own(kind) && kind.built_in)
        && !says_something
    {
        let problem = format!("every tracker has the type {}", built_in.name);
        return Err(refusal("NAME", name, problem, &[]).hint(format!("pm schema show {}", built_in.name)));
    }
    let others = || schema.kinds.iter().filter(|kind| !own(kind));
    let named = |kind: &Kind, word: &str| {
        let same = |other: &str| kind::token(other) == kind::token(word);
        same(&kind.name) || kind.aliases.iter().any(|alias| same(alias))
    };
    for (flag, word) in
        [("NAME", name)].into_iter().chain(wish.aliases.iter().map(|a| ("--alias", a.as_str())))
    {
        if let Some(other) = others().find(|kind| named(kind, word)) {
            return Err(refusal(flag, word, format!("it names the type {} already", other.name), &[]));
        }
    }
    if let Some(folder) = &wish.folder
        && let Some(other) = others().find(|kind| kind.folder == *folder)
    {
        return Err(refusal("--folder", folder, format!("it is the folder of {}", other.name), &[]));
    }
    let default = kind::default_folder(name);
    if wish.folder.is_none()
        && !schema.kinds.iter().any(own)
        && let Some(other) = others().find(|kind| kind.folder == default)
    {
        let problem =
            format!("its folder `{default}` would be that of {}; --folder names another", other.name);
        return Err(refusal("NAME", name, problem, &[]));
    }
    Ok(wish)
}

fn status(tracker: &Tracker, typed: &str) -> Result<String> {
    let statuses = &tracker.schema().statuses;
    match statuses.resolve(typed) {
        Some(status) => Ok(status.id.clone()),
        None => {
            let known: Vec<&str> = statuses.iter().map(|status| status.id.as_str()).collect();
            Err(refusal("--default-status", typed, format!("the statuses are {}", known.join(", ")), &known))
        }
    }
}

fn folder(typed: &str) -> Result<String> {
    let folder = typed.trim().trim_matches('/');
    if folder.is_empty() || !kind::is_safe_folder(folder) {
        let problem = "a folder lies below the tracker root and is none of the tracker's own";
        return Err(refusal("--folder", typed, problem, &[]));
    }
    Ok(folder.to_owned())
}

/// Types that titles name and nobody declared.
fn infer<'a>(args: &AddArgs, context: &'a Context) -> Result<Answer<'a>> {
    let tracker = context.tracker()?;
    let records = tracker.records()?;
    let titles = records.iter().map(|record| (record.id(), record.title()));
    let mut found = declarations::inferred(titles, args.min_count.max(1));
    found.retain(|(name, ..)| tracker.schema().kinds.resolve(name).is_none());
    let rows: Vec<Value> = found
        .iter()
        .map(|(name, count, ids)| json!({"name": name, "count": count, "examples": ids}))
        .collect();
    let applies = args.apply && !found.is_empty();
    let mut warnings = Vec::new();
    let dry_run = context.globals.dry_run;
    if applies {
        let write = write(context, "schema:add-type", args.message.as_deref())?;
        let mut transaction = tracker.transaction(&write)?;
        for (name, ..) in &found {
            let given = TypeWish::default().declaration(&legal_name("NAME", name)?);
            let (_, _, said) = declaring::put(&mut transaction, (tracker, &TYPES), &given, &write)
                .map_err(|error| declaring::retry(error, context))?;
            warnings.extend(said);
        }
        transaction.commit()?;
        if !dry_run {
            warnings.extend(declaring::refresh_fence(tracker));
        }
    }
    let count = rows.len();
    let mut answer = Answer::new().value("action", "add-type");
    if dry_run {
        answer = answer.value("dry_run", true);
    }
    answer = answer
        .value("applied", applies && !dry_run)
        .rows("inferred", Rows::values(rows))
        .value("count", count);
    Ok(warnings.into_iter().fold(answer, Answer::warn))
}

/// Takes a type out of the schema.
pub(in crate::commands) struct RemoveType;

/// Arguments of `pm schema remove-type`.
#[derive(clap::Args)]
pub(in crate::commands) struct RemoveArgs {
    /// Name of the type
    name: String,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for RemoveType {
    const CONTRACT: Contract = Contract {
        path: &["schema", "remove-type"],
        about: "Take a type out of the schema; --force even if items have it",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::UnknownItemType, Code::SchemaDefinitionInUse, Code::WorkspaceHistoryStateConflict],
        examples: &[Example { about: "Nobody uses it", argv: &["schema", "remove-type", "Spike"] }],
        ..Contract::BASE
    };
    type Args = RemoveArgs;

    fn run<'a>(args: RemoveArgs, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let kinds = &tracker.schema().kinds;
        let known = kinds.iter().find(|kind| kind.name.eq_ignore_ascii_case(args.name.trim()));
        let name = known.map_or(args.name.trim(), |kind| &kind.name).to_owned();
        // A built-in type stays even when its refinement goes.
        if !context.globals.force && known.is_some_and(|kind| !kind.built_in) {
            let records = tracker.records()?;
            let ids: Vec<String> =
                records.iter().filter(|r| r.kind() == name).map(|r| r.id().to_owned()).collect();
            if !ids.is_empty() {
                let word = shell_word(&name);
                let hint = format!("pm schema rename-type {word} --to Task");
                return Err(declaring::in_use(&format!("the type {name}"), &ids, hint).at("NAME"));
            }
        }
        let about = About { action: "remove-type", noun: "type", section: &TYPES };
        declaring::remove(context, about, &name, args.message.as_deref(), &|declared| {
            if known.is_some_and(|kind| kind.built_in) {
                return refusal("NAME", &name, "every tracker has this type", &[]);
            }
            let names: Vec<&str> = declared.iter().filter_map(|value| value["name"].as_str()).collect();
            unknown_type(&name, &names)
        })
    }
}

fn unknown_type(typed: &str, known: &[&str]) -> Error {
    let error = Error::new(Code::UnknownItemType, format!("there is no type `{typed}`"))
        .at("NAME")
        .rejecting(typed)
        .hint("pm schema list");
    if known.is_empty() { error } else { error.fact("allowed_values", nearest::order(typed, known)) }
}

/// Shows a type.
pub(in crate::commands) struct Show;

/// Arguments of `pm schema show`.
#[derive(clap::Args)]
pub(in crate::commands) struct ShowArgs {
    /// Name of the type
    name: String,
}

impl Command for Show {
    const CONTRACT: Contract = Contract {
        path: &["schema", "show"],
        about: "Show what a type of items is",
        errors: &[Code::UnknownItemType],
        examples: &[Example { about: "What is a Task here?", argv: &["schema", "show", "Task"] }],
        ..Contract::BASE
    };
    type Args = ShowArgs;

    fn run<'a>(args: ShowArgs, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let schema = tracker.schema();
        let Some(kind) = schema.kinds.resolve(&args.name) else {
            let known: Vec<&str> = schema.kinds.iter().map(|kind| kind.name.as_str()).collect();
            return Err(unknown_type(&args.name, &known));
        };
        let count = tracker.records()?.iter().filter(|record| record.kind() == kind.name).count();
        let mut answer = Answer::new().value("action", "show").value("type", described(kind));
        let transitions = schema.transitions.iter().find(|t| t.kind.eq_ignore_ascii_case(&kind.name));
        if let Some(transitions) = transitions {
            answer = answer.value("allowed_transitions", json!(transitions.allowed));
        }
        Ok(answer.value("item_count", count))
    }
}

/// A type, without what it does not say.
pub(super) fn described(kind: &Kind) -> Value {
    let mut out = json!({"name": kind.name, "source": source(kind), "folder": kind.folder});
    let lists = [
        ("aliases", json!(kind.aliases)),
        ("required_create_fields", json!(kind.required_create_fields)),
        ("required_create_repeatables", json!(kind.required_create_repeatables)),
        ("options", kind.options.iter().map(|o| json!({"key": o.key, "values": o.values, "required": o.required})).collect()),
        ("command_option_policies", kind.policies.iter().map(|p| {
            json!({"command": p.command, "option": p.option, "required": p.required, "visible": p.visible, "enabled": p.enabled})
        }).collect()),
    ];
    for (key, text) in [("description", &kind.description), ("default_status", &kind.default_status)] {
        if let Some(text) = text {
            out[key] = Value::from(text.as_str());
        }
    }
    for (key, list) in lists {
        if list.as_array().is_some_and(|list: &Vec<Value>| !list.is_empty()) {
            out[key] = list;
        }
    }
    out
}

/// Where a type comes from.
pub(super) fn source(kind: &Kind) -> &'static str {
    if kind.built_in { "builtin" } else { "custom" }
}
