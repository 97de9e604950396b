//! `pm import jsonl`: what `pm export jsonl` wrote.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Error, Result};
use crate::import::{Mapped, Skip};
use crate::model::id;
use crate::model::item::Item;
use crate::mutation::importing::{self, Fate, OP, Outcome};
use crate::mutation::{self, text_or_stdin};
use crate::store::userfile;
use crate::surface::{Command, Context};
use crate::tracker::{Tracker, Transaction, Write};

/// Takes over an export of a tracker.
pub(in crate::commands) struct Jsonl;

/// Arguments of `pm import jsonl`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The file; `-` is standard input
    source: String,
    /// Message of the history entries
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

/// The largest export that is read.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

impl Command for Jsonl {
    const CONTRACT: Contract = Contract {
        path: &["import", "jsonl"],
        about: "Take over an export of a tracker, with histories where it has them",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::ImportSourceUnreadable],
        examples: &[Example {
            about: "What would come",
            argv: &["import", "jsonl", "items.jsonl", "--dry-run"],
        }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let owned;
        let text = if args.source == "-" {
            text_or_stdin(context, &args.source)?
        } else {
            owned = read(&args.source, context)?;
            &owned
        };
        let mut outcome = Outcome::default();
        let (items, histories) = lines(text, &mut outcome);
        let message = args.message.clone().unwrap_or_else(|| "import jsonl".to_owned());
        let write = mutation::write(context, OP, Some(&message))?;
        write.without_expectation("an import is about many items")?;
        importing::land_with(
            context,
            &items,
            &write,
            &mut outcome,
            &|tracker, transaction, mapped, write| match histories.get(mapped.item.id()) {
                Some(history) => with_history(tracker, transaction, mapped, history, write),
                None => importing::one(tracker, transaction, mapped, write),
            },
        )?;
        Ok(outcome.answer(context))
    }
}

fn read(path: &str, context: &Context) -> Result<String> {
    let refused = |problem: String| {
        Error::new(Code::ImportSourceUnreadable, problem)
            .at("<source>")
            .rejecting(path)
            .hint("pm export jsonl")
    };
    let bytes = userfile::read_bytes(&context.env.cwd, path, MAX_BYTES)
        .map_err(|cause| refused(format!("`{path}` cannot be read: {cause}")).because(cause))?;
    String::from_utf8(bytes).map_err(|_| refused(format!("`{path}` is no UTF-8 text")))
}

/// The items of all lines and the histories of those that have one.
fn lines(text: &str, outcome: &mut Outcome) -> (Vec<Mapped>, HashMap<String, Vec<Value>>) {
    let mut items: Vec<Mapped> = Vec::new();
    let mut histories = HashMap::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        outcome.read += 1;
        let origin = format!("line {}", n + 1);
        let (item, history) = match one_line(line) {
            Ok(found) => found,
            Err(reason) => {
                outcome.skipped.push(Skip { origin, reason, declared: false });
                continue;
            }
        };
        let id = item.id().to_owned();
        if let Some(at) = seen.get(&id) {
            let declared = items[*at].item == item;
            let reason = format!("`{id}` stands in {} already", items[*at].origin);
            outcome.skipped.push(Skip { origin, reason, declared });
            continue;
        }
        seen.insert(id.clone(), items.len());
        if !history.is_empty() {
            histories.insert(id, history);
        }
        items.push(Mapped { item, origin });
    }
    (items, histories)
}

/// `{"item": {..}, "body": "..", "history": [..]}`, or an item with its body among its fields.
fn one_line(line: &str) -> Result<(Item, Vec<Value>), String> {
    let mut line: Map<String, Value> =
        serde_json::from_str(line).map_err(|error| format!("it is no JSON object: {error}"))?;
    let history = match line.shift_remove("history") {
        Some(Value::Array(entries)) => entries,
        _ => Vec::new(),
    };
    let body = line.shift_remove("body").and_then(|body| body.as_str().map(str::to_owned));
    let metadata = match line.shift_remove("item") {
        Some(Value::Object(metadata)) => metadata,
        Some(_) => return Err("its item is no JSON object".to_owned()),
        None => line,
    };
    let item = Item { metadata, body: body.unwrap_or_default() };
    if !id::is_file_name(item.id()) {
        return Err("it has no id that can name a file".to_owned());
    }
    if item.title().is_empty() || item.kind().is_empty() || item.status().is_empty() {
        return Err("an item has a title, a type and a status".to_owned());
    }
    Ok((item, history))
}

/// A new item comes with its history, one whose history goes on gets what is new, and one that knows more stays. Where
/// both went on, the item is merged.
fn with_history(
    tracker: &Tracker,
    transaction: &mut Transaction<'_>,
    mapped: &Mapped,
    history: &[Value],
    write: &Write<'_>,
) -> Result<Fate> {
    let id = mapped.item.id();
    let known = tracker.history(id)?;
    let here = tracker.records()?.find(id).is_some();
    if here && known.starts_with(history) {
        return Ok(Fate::Unchanged);
    }
    if !here && !known.is_empty() {
        return if write.force {
            importing::one(tracker, transaction, mapped, write)
        } else {
            Ok(Fate::Deleted)
        };
    }
    if !history.starts_with(&known) {
        return importing::one(tracker, transaction, mapped, write);
    }
    match transaction.adopt(mapped.item.clone(), history) {
        Ok(written) if here => Ok(Fate::Updated { undecided: false, warnings: written.warnings }),
        Ok(written) => Ok(Fate::Created(written.warnings)),
        // The item is worth more than a history that does not hold; what is left out is told.
        Err(error) if error.code == Code::ImportSourceInvalid => {
            let fate = importing::one(tracker, transaction, mapped, write)?;
            let told = format!("history_left_out:{id}: {}", error.message);
            Ok(match fate {
                Fate::Created(mut warnings) => {
                    warnings.push(told);
                    Fate::Created(warnings)
                }
                fate => fate,
            })
        }
        Err(error) => Err(error),
    }
}
