//! `pm create`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example, Tier};
use crate::error::{Code, Error, Result};
use crate::model::field::{FIELDS, LISTS};
use crate::mutation::creating::{self, Request, Terms};
use crate::mutation::draft::{self, Options, shell_word};
use crate::mutation::flags::{Flags, OnCreate};
use crate::mutation::{templates, write};
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Creates an item.
pub(super) struct Create;

/// Arguments of `pm create`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Title, or the type when a title follows
    #[arg(value_name = "TYPE|TITLE")]
    first: Option<String>,
    /// Title, when the type stands first
    #[arg(value_name = "TITLE")]
    second: Option<String>,
    #[command(flatten)]
    flags: Flags<OnCreate>,
    /// Id of the new item; the tracker's prefix is added when it is missing
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Add tags to those of --tags
    #[arg(long, value_name = "TAGS")]
    add_tags: Vec<String>,
    /// Which fields must be given: strict or progressive
    #[arg(long, value_name = "MODE")]
    create_mode: Option<String>,
    /// Take the short way for a Reminder, Meeting or Event: lightweight
    #[arg(long, value_name = "PRESET")]
    schedule_preset: Option<String>,
    /// Let the parent be an item that does not exist
    #[arg(long)]
    allow_missing_parent: bool,
    /// Let links lead to items that do not exist
    #[arg(long)]
    allow_unresolved_deps: bool,
    /// Create it even if it looks like an item that exists
    #[arg(long)]
    allow_duplicate: bool,
    /// Field of an installed package: <name>=<value>
    #[arg(long, value_name = "NAME=VALUE")]
    field: Vec<String>,
    /// Leave this field empty
    #[arg(long, value_name = "FIELD")]
    unset: Vec<String>,
    /// Read the item as a JSON document from standard input; flags are stronger
    #[arg(long)]
    stdin_json: bool,
    /// Read the body from a file
    #[arg(long, value_name = "PATH")]
    body_file: Option<String>,
    /// Begin with what this template says; flags are stronger
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Create {
    const CONTRACT: Contract = Contract {
        path: &["create"],
        about: "Create an item",
        effect: Effect::Writes,
        expects: false,
        errors: &[
            Code::MissingRequiredOption,
            Code::InvalidArgumentValue,
            Code::CreatePositionalTypeWithoutTitle,
            Code::CloseReasonRequired,
            Code::ParentNotFound,
            Code::DependencyTargetNotFound,
            Code::HierarchyCycleCreated,
            Code::DependencyCycleCreated,
            Code::LikelyDuplicate,
            Code::StdinJsonInvalid,
            Code::StdinJsonUnknownKey,
            Code::TemplateNotFound,
        ],
        examples: &[
            Example { about: "The least there is", argv: &["create", "Fix the login"] },
            Example {
                about: "Type first, then title",
                argv: &["create", "Issue", "Login fails", "--priority", "high"],
            },
            Example {
                about: "Below another item",
                argv: &["create", "Write the parser", "--parent", "pm-a1b2"],
            },
        ],
        tier: Tier::Core,
        custom_flags: true,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(mut args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        positionals(&mut args, tracker)?;
        let filled = match &args.template {
            Some(name) => templates::fill(context, name, &mut args.flags)?,
            None => templates::Filled::default(),
        };
        let options = Options {
            add_tags: std::mem::take(&mut args.add_tags),
            unset: std::mem::take(&mut args.unset),
            extension_fields: std::mem::take(&mut args.field),
            body_file: args.body_file.take(),
            stdin_json: args.stdin_json,
            allow_missing_parent: args.allow_missing_parent,
            allow_unresolved_deps: args.allow_unresolved_deps,
            ..Options::default()
        };
        let given = given(&args.flags);
        let mut draft = draft::resolve(context, std::mem::take(&mut args.flags), &options, None)?;
        draft.changes.set.extend(filled.custom);
        draft.warnings.extend(filled.warnings);
        let terms = Terms {
            given,
            id: args.id.as_deref(),
            create_mode: args.create_mode.as_deref(),
            schedule_preset: args.schedule_preset.as_deref(),
            allow_duplicate: args.allow_duplicate,
        };
        let write = write(context, "create", args.message.as_deref())?;
        let mut transaction = tracker.transaction(&write)?;
        let created = creating::create(context, &mut transaction, Request { draft, terms }, &write)?;
        transaction.commit()?;
        Ok(created.answer(&context.globals))
    }
}

/// The flags that were typed, without dashes.
fn given(flags: &Flags<OnCreate>) -> Vec<&'static str> {
    let fields = FIELDS.iter().filter(|f| flags.fields.contains_key(f.key)).map(|f| f.flag);
    let lists = LISTS
        .iter()
        .filter(|l| flags.lists.contains_key(l.key) || flags.cleared.contains(l.key))
        .map(|l| l.flag);
    fields.chain(lists).collect()
}

/// One word is the title, two are type and title.
fn positionals(args: &mut Args, tracker: &Tracker) -> Result<()> {
    let fields = &mut args.flags.fields;
    let words = (args.first.take(), args.second.take());
    let conflict = |flag: &str| {
        Error::new(Code::ConflictingArguments, format!("{flag} says what a word before it says too")).at(flag)
    };
    let (kind, title) = match words {
        (None, _) => return Ok(()),
        (Some(kind), Some(title)) if is_kind_name(tracker, &kind) => (Some(kind), Some(title)),
        (Some(first), Some(rest)) => {
            // Most often a title without its quotation marks.
            let whole = shell_word(&format!("{first} {rest}"));
            draft::kind(tracker, "--type", &first)
                .map_err(|error| error.hint_first(format!("pm create {whole}")))?;
            (Some(first), Some(rest))
        }
        // `create task --title ...`: the word can only be the type.
        (Some(kind), None) if fields.contains_key("title") => (Some(kind), None),
        (Some(title), None) => {
            if !fields.contains_key("type") && !args.stdin_json && is_kind_name(tracker, &title) {
                let word = shell_word(&title);
                return Err(Error::new(
                    Code::CreatePositionalTypeWithoutTitle,
                    format!("`{title}` is a type, and there is no title"),
                )
                .at("--title")
                .hint(format!("pm create {word} \"the title\""))
                .hint(format!("pm create --title {word}")));
            }
            (None, Some(title))
        }
    };
    if let Some(title) = title
        && fields.insert("title", vec![title]).is_some()
    {
        return Err(conflict("--title"));
    }
    if let Some(kind) = kind {
        let same =
            |typed: &str| tracker.schema().kinds.resolve(typed) == tracker.schema().kinds.resolve(&kind);
        if fields.get("type").and_then(|typed| typed.last()).is_some_and(|typed| !same(typed)) {
            return Err(conflict("--type"));
        }
        fields.insert("type", vec![kind]);
    }
    Ok(())
}

/// Whether a word is the name of a type as it stands, not a word for one.
fn is_kind_name(tracker: &Tracker, word: &str) -> bool {
    tracker.schema().kinds.iter().any(|kind| kind.name.eq_ignore_ascii_case(word.trim()))
}
