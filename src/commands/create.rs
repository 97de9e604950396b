//! `pm create`.

use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example, Tier};
use crate::domain::changes::Changes;
use crate::domain::{lifecycle, links, similarity, values};
use crate::error::{Code, Error, Result};
use crate::model::field::{FIELDS, LISTS};
use crate::model::id;
use crate::model::item::Item;
use crate::model::kind::Kind;
use crate::model::records::Records;
use crate::model::timestamp;
use crate::mutation::draft::{self, Draft, Options, shell_word};
use crate::mutation::flags::{Flags, OnCreate};
use crate::mutation::receipt::Receipt;
use crate::mutation::{HIERARCHY_LOCK, closing, write};
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
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Create {
    const CONTRACT: Contract = Contract {
        path: &["create"],
        about: "Create an item",
        effect: Effect::Writes,
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
        let draft = draft::resolve(context, std::mem::take(&mut args.flags), &options, None)?;
        create(&args, &given, draft, context)
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
        (Some(kind), Some(title)) => (Some(kind), Some(title)),
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

fn create<'a>(args: &Args, given: &[&str], mut draft: Draft, context: &'a Context) -> Result<Answer<'a>> {
    let tracker = context.tracker()?;
    let kind = kind_of(tracker, &draft)?;
    require(args, given, &draft, kind, context)?;
    check_options(&draft.changes, kind)?;
    let parent_source = parent(&mut draft, tracker)?;
    let now = context.clock.now();
    let write = write(context, "create", args.message.as_deref())?;
    let mut transaction = tracker.transaction(&write)?;
    // What it points at must not close or move away while it is made.
    let records = match draft.changes.may_link() {
        true => {
            transaction.lock(HIERARCHY_LOCK)?;
            Some(tracker.reload()?)
        }
        false => None,
    };
    let item = build(args, &mut draft, kind, now, records.as_ref(), context)?;
    let mut warnings = std::mem::take(&mut draft.warnings);
    let similar = similar(args, &item, tracker, &mut warnings)?;
    if let Some(records) = &records {
        links::check_orders(records, None, &item)?;
        links::check_age(records, &item, item.list("dependencies"), now)?;
    }
    let mut receipt = Receipt::of(transaction.create(item, &write)?);
    transaction.commit()?;
    let id = receipt.written.id.clone();
    receipt.counts_time = true;
    receipt.warnings = warnings;
    if let Some(created) = &receipt.written.after {
        receipt.warnings.extend(unscheduled(created));
        receipt.next = next_transition(&id, created, tracker);
    }
    let mut answer = receipt.answer(&context.globals);
    if context.globals.full_changed_fields || context.globals.no_changed_fields {
        if let Some(source) = parent_source {
            answer = answer.value("parent_source", source);
        }
        if !similar.is_empty() {
            answer = answer.value("similarity_advisory", similar);
        }
    }
    Ok(answer)
}

fn kind_of<'t>(tracker: &'t Tracker, draft: &Draft) -> Result<&'t Kind> {
    let chosen = tracker.settings().governance_word("create_default_type");
    let default = if chosen.is_empty() { "Task" } else { &chosen };
    draft::kind(tracker, "--type", draft.kind.as_deref().unwrap_or(default))
}

/// What must be given: a title always, more in strict mode and by what the type and the tracker declare.
///
/// Errors: `missing_required_option` with everything that is missing, sorted.
fn require(args: &Args, given: &[&str], draft: &Draft, kind: &Kind, context: &Context) -> Result<()> {
    let tracker = context.tracker()?;
    let changes = &draft.changes;
    let in_draft = |key: &str| match key {
        "body" => changes.body.is_some(),
        "status" => changes.status.is_some(),
        "type_options" => !changes.type_options.is_empty(),
        _ => changes.set.contains_key(key) || changes.lists.iter().any(|(list, _)| *list == key),
    };
    let has = |key: &str, flag: &str| in_draft(key) || given.contains(&flag);
    let mut missing: Vec<String> = Vec::new();
    if !has("title", "title") {
        missing.push("--title".to_owned());
    }
    if mode(args, tracker)? == "strict" {
        let fields =
            FIELDS.iter().filter(|f| f.strict && !has(f.key, f.flag)).map(|f| format!("--{}", f.flag));
        let lists = LISTS.iter().filter(|l| l.strict && !has(l.key, l.flag)).map(|l| format!("--{}", l.flag));
        missing.extend(fields.chain(lists));
        for (flag, absent) in
            [("--message", args.message.is_none()), ("--author", context.actor()?.source == "unknown")]
        {
            missing.extend(absent.then(|| flag.to_owned()));
        }
    }
    let wanted = kind.required_create_fields.iter().chain(&kind.required_create_repeatables);
    let demanded =
        kind.policies.iter().filter(|p| p.command == "create" && p.required == Some(true)).map(|p| &p.option);
    for name in wanted.chain(demanded) {
        let known = crate::model::field::find(name).map(|f| (f.key, f.flag));
        let known = known.or_else(|| crate::model::field::find_list(name).map(|l| (l.key, l.flag)));
        let (key, flag) = known.unwrap_or((name, name));
        if !has(key, flag) {
            missing.push(format!("--{}", flag.replace('_', "-")));
        }
    }
    for field in tracker.schema().fields.iter().filter(|f| f.required || f.required_on_create) {
        let applies = field.required_types.is_empty()
            || field.required_types.iter().any(|t| t.eq_ignore_ascii_case(&kind.name));
        if applies && !in_draft(&field.metadata_key) {
            missing.push(format!("--{}", field.flag));
        }
    }
    for option in kind
        .options
        .iter()
        .filter(|option| option.required && !changes.type_options.contains_key(&option.key))
    {
        missing.push(format!("--type-option {}=<value>", option.key));
    }
    missing.sort_unstable();
    missing.dedup();
    match missing.as_slice() {
        [] => Ok(()),
        [first, ..] => Err(Error::new(
            Code::MissingRequiredOption,
            format!("a new {} needs {}", kind.name, missing.join(", ")),
        )
        .at(first.as_str())
        .fact("missing", missing.clone())
        .hint("pm create \"the title\" --create-mode progressive")),
    }
}

fn mode(args: &Args, tracker: &Tracker) -> Result<&'static str> {
    let modes = ["strict", "progressive"];
    let chosen = tracker.settings().governance_word("create_mode_default");
    let word = args.create_mode.as_deref().unwrap_or(&chosen).trim().to_ascii_lowercase();
    if let Some(preset) = &args.schedule_preset {
        if !preset.trim().eq_ignore_ascii_case("lightweight") {
            return Err(values::refusal(
                "--schedule-preset",
                preset,
                "the only preset is lightweight",
                &["lightweight"],
            ));
        }
        return Ok("progressive");
    }
    match modes.iter().find(|mode| **mode == word) {
        Some(mode) => Ok(mode),
        None if args.create_mode.is_none() => Ok("progressive"),
        None => Err(values::refusal("--create-mode", &word, "give strict or progressive", &modes)),
    }
}

/// The options of the type must be among those it declares, when it declares any.
fn check_options(changes: &Changes, kind: &Kind) -> Result<()> {
    for (key, value) in &changes.type_options {
        let Some(option) = kind.options.iter().find(|o| o.key == *key || o.aliases.contains(key)) else {
            if kind.options.is_empty() {
                continue;
            }
            let known: Vec<&str> = kind.options.iter().map(|o| o.key.as_str()).collect();
            return Err(values::refusal(
                "--type-option",
                key,
                format!("{} has no such option", kind.name),
                &known,
            ));
        };
        let text = value.as_str().unwrap_or_default();
        if !option.values.is_empty() && !option.values.iter().any(|legal| legal == text) {
            let known: Vec<&str> = option.values.iter().map(String::as_str).collect();
            let problem = format!("`{}` of {} is {}", option.key, kind.name, known.join(", "));
            return Err(values::refusal("--type-option", text, problem, &known));
        }
    }
    Ok(())
}

/// Where the parent comes from; the focused item is the parent of a new one that names none.
fn parent(draft: &mut Draft, tracker: &Tracker) -> Result<Option<&'static str>> {
    if draft.changes.set.contains_key("parent") {
        return Ok(Some("explicit"));
    }
    if draft.orphan || draft.changes.unset.iter().any(|key| key == "parent") {
        return Ok(None);
    }
    let Some(focused) = tracker.focused()? else { return Ok(None) };
    if tracker.item(&focused).is_err() {
        draft.warnings.push(format!("focused_item_missing:{focused}"));
        return Ok(None);
    }
    draft.changes.set.insert("parent".to_owned(), Value::from(focused));
    Ok(Some("focus"))
}

/// The new item, as far as it can be known before it has an id.
fn build(
    args: &Args,
    draft: &mut Draft,
    kind: &Kind,
    now: i64,
    records: Option<&Records>,
    context: &Context,
) -> Result<Item> {
    let tracker = context.tracker()?;
    let statuses = &tracker.schema().statuses;
    let at = timestamp::format(now);
    let explicit = draft.changes.status.take();
    let default =
        kind.default_status.as_deref().and_then(|s| statuses.resolve(s)).map_or(statuses.open(), |s| &s.id);
    let over = |id: &String| Some(statuses.is_terminal(records?.find(id)?.status()));
    let waits = |id: &String| over(id) != Some(true);
    let status = match &explicit {
        Some(status) => status.as_str(),
        None if draft.blocker.as_ref().is_some_and(waits) => statuses.blocked(),
        None => default,
    };
    let mut metadata = Map::new();
    metadata.insert("id".to_owned(), Value::from(explicit_id(args, draft, tracker)?));
    for key in ["title", "description"] {
        metadata
            .insert(key.to_owned(), draft.changes.set.shift_remove(key).unwrap_or_else(|| Value::from("")));
    }
    metadata.insert("type".to_owned(), Value::from(kind.name.as_str()));
    metadata.insert("status".to_owned(), Value::from(status));
    metadata.insert(
        "priority".to_owned(),
        draft.changes.set.shift_remove("priority").unwrap_or_else(|| Value::from(2)),
    );
    metadata.insert("tags".to_owned(), draft.changes.set.shift_remove("tags").unwrap_or_else(|| json!([])));
    for key in ["created_at", "updated_at"] {
        metadata.insert(key.to_owned(), Value::from(at.as_str()));
    }
    let author = draft.document.get("author").and_then(Value::as_str).unwrap_or(&context.actor()?.author);
    metadata.insert("author".to_owned(), Value::from(author));
    let base = Item { metadata, body: String::new() };
    draft.changes.set.shift_remove("type");
    let item = draft.changes.apply(&base, statuses, &at)?;
    if !statuses.is_terminal(status) {
        let early = ["completed_at", "close_reason"].into_iter().find(|key| item.metadata.contains_key(*key));
        return match early {
            None => Ok(item),
            Some(key) => {
                let flag = format!("--{}", key.replace('_', "-"));
                let text = item.text(key).unwrap_or_default();
                Err(values::refusal(&flag, text, format!("an item in status `{status}` is not over"), &[]))
            }
        };
    }
    let said = item.text("close_reason").map(str::to_owned);
    let resolution = item.text("resolution").map(str::to_owned);
    let closing = lifecycle::Closing { resolution, ..lifecycle::Closing::default() };
    let reason = closing::reason(tracker, "", said.as_deref(), &closing, None)?;
    let ended = lifecycle::Closing { reason, ..lifecycle::Closing::default() };
    let assignee = item.metadata.get("assignee").cloned();
    let mut after = lifecycle::close(&item, &ended, status, &at);
    // Who did it is a part of what is recorded; nobody holds it.
    if let Some(assignee) = assignee {
        after.metadata.insert("assignee".to_owned(), assignee);
    }
    Ok(after)
}

fn explicit_id(args: &Args, draft: &Draft, tracker: &Tracker) -> Result<String> {
    let document = draft.document.get("id").and_then(Value::as_str);
    let Some(typed) = args.id.as_deref().or(document) else { return Ok(String::new()) };
    id::explicit(typed, &tracker.settings().id_prefix())
        .map_err(|problem| values::refusal("--id", typed, problem, &[]))
}

/// Items with much the same title, when the tracker looks for them.
///
/// Errors: `likely_duplicate` in strict mode.
fn similar(args: &Args, item: &Item, tracker: &Tracker, warnings: &mut Vec<String>) -> Result<Vec<Value>> {
    let settings = tracker.settings();
    let mode = settings.governance_word("duplicate_detection_mode");
    if args.allow_duplicate || !matches!(mode.as_str(), "advisory" | "strict") {
        return Ok(Vec::new());
    }
    let threshold = settings.governance("duplicate_detection_threshold").as_f64().unwrap_or(0.8);
    let limit = settings.governance("duplicate_detection_limit").as_u64().unwrap_or(3).clamp(1, 20);
    let limit = usize::try_from(limit).unwrap_or(3);
    let found = similarity::nearest(tracker.records()?, item.title(), threshold, limit);
    let rows: Vec<Value> = found
        .iter()
        .map(|(record, score, reason)| {
            json!({"id": record.id(), "title": record.title(), "status": record.status(),
                "score": (score * 100.0).round() / 100.0, "reason": reason.as_str()})
        })
        .collect();
    match found.first() {
        Some((record, ..)) if mode == "strict" => Err(Error::new(
            Code::LikelyDuplicate,
            format!("it looks like `{}` \"{}\"", record.id(), record.title()),
        )
        .at("--title")
        .rejecting(item.title())
        .fact("similar", rows)
        .hint(format!("pm get {}", record.id()))
        .hint(format!("pm create {} --allow-duplicate", shell_word(item.title())))),
        Some((record, ..)) => {
            warnings.push(format!("similar_item:{}", record.id()));
            Ok(rows)
        }
        None => Ok(rows),
    }
}

/// A calendar item without any time never shows up in a calendar.
fn unscheduled(item: &Item) -> Option<String> {
    let dated = ["deadline", "reminders", "events"].iter().any(|key| item.metadata.contains_key(*key));
    let calendar = matches!(item.kind(), "Milestone" | "Meeting" | "Event" | "Reminder");
    (calendar && !dated)
        .then(|| format!("calendar_item_without_schedule:{}:no_deadline_or_reminder_or_event", item.id()))
}

fn next_transition(id: &str, item: &Item, tracker: &Tracker) -> Option<Value> {
    let statuses = &tracker.schema().statuses;
    let startable = !statuses.is_terminal(item.status()) && item.status() != statuses.in_progress();
    startable.then(|| json!({"command": format!("pm start-task {id}"), "to_status": statuses.in_progress()}))
}
