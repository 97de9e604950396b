//! Comments, notes and learnings: one set of arguments, one way to add, edit, delete and list (storage.md §6.2).

use serde_json::{Value, json};

use super::receipt::Receipt;
use super::{text_or_stdin, write};
use crate::answer::{Answer, Rows};
use crate::domain::{annotations, dates, values};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::timestamp;
use crate::store::userfile;
use crate::surface::Context;
use crate::tracker::Written;

/// One of the three lists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Annotation {
    /// The field of the item, and the name of the command.
    pub(crate) key: &'static str,
    /// What one entry is called, and the first word of the operations in history.
    pub(crate) entry: &'static str,
}

/// The options and arguments whose presence makes the call a change.
pub(crate) const CHANGES: &[&str] =
    &["<text>", "--add", "--note", "--add-json", "--stdin", "--file", "--edit", "--delete"];

/// The arguments that the three commands share.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// Id of the item
    id: String,
    /// Text of the entry; `-` reads standard input
    text: Option<String>,
    /// Text of the entry, or author=<name>,created_at=<time>,text=<text>; `-` reads standard input
    #[arg(long, value_name = "TEXT")]
    add: Option<String>,
    /// Read the text from standard input
    #[arg(long)]
    stdin: bool,
    /// Read the text from a file
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Replace the text of this entry, counted from 1
    #[arg(long, value_name = "INDEX")]
    edit: Option<String>,
    /// Delete this entry, counted from 1
    #[arg(long, value_name = "INDEX")]
    delete: Option<String>,
    /// Show only the newest entries
    #[arg(long, value_name = "COUNT")]
    limit: Option<String>,
    /// After a change show all entries, not only the one that changed
    #[arg(long)]
    full_history: bool,
    /// Show how many entries there are beside how many are shown
    #[arg(long)]
    include_meta: bool,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

/// What only notes have.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(crate) struct EventArgs {
    /// Another name of --add
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Add a structured note: a JSON object, whose `type` becomes its event type
    #[arg(long, value_name = "JSON")]
    add_json: Option<String>,
    /// List structured notes since this time
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// List structured notes of this type
    #[arg(long, value_name = "TYPE")]
    event_type: Option<String>,
}

/// Where the text of an entry comes from.
#[derive(Debug)]
enum Text {
    /// A flag or argument: `key=value` pairs are read.
    Typed { flag: &'static str, text: String },
    /// Standard input or a file: taken as it is.
    Plain { flag: &'static str, text: String },
    /// A structured note.
    Event(String),
}

/// What a change does to the list.
#[derive(Debug)]
enum Action {
    Add(Text),
    Edit(String, Text),
    Delete(String),
}

impl Action {
    fn name(&self) -> &'static str {
        match self {
            Action::Add(_) => "add",
            Action::Edit(..) => "edit",
            Action::Delete(_) => "delete",
        }
    }
}

/// Runs one of the three commands.
pub(crate) fn run<'a>(
    of: Annotation,
    args: &Args,
    events: &EventArgs,
    context: &'a Context,
) -> Result<Answer<'a>> {
    let action = action(args, events, context)?;
    let tracker = context.tracker()?;
    let id = tracker.resolve(&args.id).map_err(|error| transposed(of, args, error))?;
    match action {
        None if args.message.is_some() => Err(Error::new(
            Code::AnnotationMessageWithoutText,
            format!("--message describes a change, and there is no text for the {}", of.entry),
        )
        .at("--message")
        .hint(format!("pm {} {id} \"text\"", of.key))),
        None => list(of, &id, args, events, context),
        Some(action) => change(of, &id, &action, args, context),
    }
}

/// `pm comments add pm-a1`: the words are in the order of another program.
fn transposed(of: Annotation, args: &Args, error: Error) -> Error {
    let verb = args.id.to_ascii_lowercase();
    match (&args.text, matches!(verb.as_str(), "add" | "edit" | "delete" | "list" | "remove")) {
        (Some(id), true) if error.code == Code::ItemNotFound => error.hint(format!("pm {} {id}", of.key)),
        _ => error,
    }
}

fn texts(args: &Args, events: &EventArgs, context: &Context) -> Result<Vec<Text>> {
    let mut texts = Vec::new();
    for (flag, typed) in [("<text>", &args.text), ("--add", &args.add), ("--note", &events.note)] {
        let Some(typed) = typed else { continue };
        let text = text_or_stdin(context, typed)?.to_owned();
        texts.push(if typed == "-" { Text::Plain { flag, text } } else { Text::Typed { flag, text } });
    }
    if args.stdin {
        texts.push(Text::Plain { flag: "--stdin", text: context.stdin()?.to_owned() });
    }
    if let Some(path) = &args.file {
        let text = userfile::read_text(&context.env.cwd, path).map_err(|problem| {
            Error::new(Code::BodyFileUnreadable, format!("`{path}` cannot be read: {problem}"))
                .at("--file")
                .rejecting(path)
        })?;
        texts.push(Text::Plain { flag: "--file", text });
    }
    if let Some(json) = &events.add_json {
        if let Some(Text::Typed { flag, .. } | Text::Plain { flag, .. }) = texts.first() {
            let problem = format!("{flag} and --add-json exclude each other");
            return Err(Error::new(Code::StructuredEventInputConflict, problem).at("--add-json"));
        }
        texts.push(Text::Event(text_or_stdin(context, json)?.to_owned()));
    }
    Ok(texts)
}

fn action(args: &Args, events: &EventArgs, context: &Context) -> Result<Option<Action>> {
    let mut texts = texts(args, events, context)?;
    let several = texts.len() > 1;
    let text = texts.pop();
    let conflict = |one: &str, other: &str| {
        Err(Error::new(Code::ConflictingArguments, format!("{one} and {other} exclude each other")).at(other))
    };
    if several {
        return Err(
            Error::new(Code::ConflictingArguments, "the text comes from more than one place").at("--add")
        );
    }
    match (text, &args.edit, &args.delete) {
        (_, Some(_), Some(_)) => conflict("--edit", "--delete"),
        (Some(Text::Typed { flag, .. } | Text::Plain { flag, .. }), None, Some(_)) => {
            conflict("--delete", flag)
        }
        (Some(Text::Event(_)), _, Some(_)) => conflict("--delete", "--add-json"),
        (Some(Text::Event(_)), Some(_), _) => conflict("--edit", "--add-json"),
        (Some(text), Some(index), None) => Ok(Some(Action::Edit(index.clone(), text))),
        (None, Some(_), None) => {
            Err(Error::new(Code::MissingRequiredArgument, "--edit needs the new text").at("<text>"))
        }
        (None, None, Some(index)) => Ok(Some(Action::Delete(index.clone()))),
        (Some(text), None, None) => Ok(Some(Action::Add(text))),
        (None, None, None) => Ok(None),
    }
}

fn change<'a>(
    of: Annotation,
    id: &str,
    action: &Action,
    args: &Args,
    context: &'a Context,
) -> Result<Answer<'a>> {
    let tracker = context.tracker()?;
    let op = format!("{}_{}", of.entry, action.name());
    let author = &context.actor()?.author;
    let now = context.clock.now();
    let write = write(context, &op, args.message.as_deref())?;
    let mut touched: Option<Value> = None;
    let mut place = 0;
    let written = tracker.change(id, &write, &mut |item, at| {
        let mut entries = item.list(of.key).to_vec();
        let at_index = |flag, text: &str| annotations::index(flag, text, entries.len());
        match action {
            Action::Add(text) => {
                let entry = entry(text, author, at, now)?;
                touched = Some(entry.clone());
                entries.push(entry);
            }
            Action::Edit(index, text) => {
                place = at_index("--edit", index)?;
                if annotations::is_event(&entries[place]) {
                    return Err(immutable(of, id, place));
                }
                let (flag, text) = match text {
                    Text::Typed { flag, text } | Text::Plain { flag, text } => (*flag, text.as_str()),
                    Text::Event(text) => ("--add-json", text.as_str()),
                };
                annotations::check_text(flag, text)?;
                if entries[place].get("text").and_then(Value::as_str) != Some(text) {
                    entries[place] = annotations::edited(&entries[place], text, at);
                }
                touched = Some(entries[place].clone());
            }
            Action::Delete(index) => {
                place = at_index("--delete", index)?;
                entries.remove(place);
                touched = None;
            }
        }
        let mut after = item.clone();
        annotations::store(&mut after, of.key, entries);
        Ok(after)
    })?;
    if context.globals.dry_run {
        return Ok(Receipt::of(written).answer(&context.globals));
    }
    Ok(receipt(of, action, written, touched, place, args))
}

fn entry(text: &Text, author: &str, at: &str, now: i64) -> Result<Value> {
    match text {
        Text::Typed { flag, text } => annotations::entry(flag, text, author, at, now),
        Text::Plain { flag, text } => annotations::plain_entry(flag, text, author, at),
        Text::Event(text) => annotations::event("--add-json", text, author, at),
    }
}

fn immutable(of: Annotation, id: &str, place: usize) -> Error {
    Error::new(
        Code::StructuredEventImmutable,
        format!("{} {} of `{id}` is structured and stays as it was added", of.entry, place + 1),
    )
    .at("--edit")
    .hint(format!("pm {} {id} --add-json '{{\"type\":\"correction\"}}'", of.key))
}

/// The touched entry, how many there are, and how to see the rest.
fn receipt<'a>(
    of: Annotation,
    action: &Action,
    written: Written,
    touched: Option<Value>,
    place: usize,
    args: &Args,
) -> Answer<'a> {
    let nothing = Item::default();
    let all = written.after.as_ref().unwrap_or(&nothing).list(of.key).to_vec();
    // Where the canonical order put a new entry.
    let index = match (action, &touched) {
        (Action::Add(_), Some(entry)) => all.iter().rposition(|known| known == entry).unwrap_or(place),
        _ => place,
    };
    let total = all.len();
    let shown = if args.full_history { all } else { touched.into_iter().collect() };
    let returned = shown.len();
    let complete = returned == total;
    let answer = Answer::new()
        .value("id", written.id.as_str())
        .value(of.key, shown)
        .value("count", returned)
        .value("total_count", total)
        .value("returned_count", returned)
        .value("has_more", !complete)
        .value(
            "mutation_receipt",
            json!({
                "action": action.name(),
                "entry_index": index + 1,
                "changed_count": usize::from(!written.unchanged),
                "full_history_included": complete,
            }),
        );
    let answer = written.warnings.into_iter().fold(answer, Answer::warn);
    if complete { answer } else { answer.omits(&format!("{}_history", of.key), "--full-history") }
}

fn list<'a>(
    of: Annotation,
    id: &str,
    args: &Args,
    events: &EventArgs,
    context: &'a Context,
) -> Result<Answer<'a>> {
    let limit = match &args.limit {
        None => None,
        Some(text) => Some(usize::try_from(values::whole("--limit", text, 0)?).unwrap_or(usize::MAX)),
    };
    let mut entries = context.tracker()?.item(id)?.item.list(of.key).to_vec();
    if let Some(since) = &events.since {
        let since = dates::parse(since, context.clock.now())
            .map_err(|problem| values::refusal("--since", since, problem, &[]))?;
        let time = |entry: &Value| entry.get("created_at").and_then(Value::as_str).and_then(timestamp::parse);
        entries.retain(|entry| annotations::is_event(entry) && time(entry).is_some_and(|at| at >= since));
    }
    if let Some(kind) = &events.event_type {
        entries.retain(|entry| entry.get("event_type").and_then(Value::as_str) == Some(kind.trim()));
    }
    let total = entries.len();
    let rows: Vec<_> = entries.into_iter().filter_map(|entry| entry.as_object().cloned()).collect();
    let mut answer =
        Answer::new().value("id", id).rows(of.key, Rows::ready(rows).newest_last().limited(limit));
    if args.include_meta {
        let returned = limit.map_or(total, |limit| limit.min(total));
        answer = answer.value("total_count", total).value("returned_count", returned).value("limit", limit);
    }
    Ok(answer)
}
