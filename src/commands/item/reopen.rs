//! `pm item reopen`.

use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::{lifecycle, values};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::mutation::receipt::Receipt;
use crate::mutation::write;
use crate::surface::{Command, Context};
use crate::tracker::{Tracker, Write};

/// Opens a closed item again, and records why.
pub(crate) struct Reopen;

/// Arguments of `pm item reopen`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the item
    id: String,
    /// Why it came back
    reason: String,
    /// Status to open it in
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

/// What the end of an item wrote, and its coming back takes away.
const ENDING: &[&str] = &["close_reason", "resolution", "expected_result", "actual_result"];

impl Command for Reopen {
    const CONTRACT: Contract = Contract {
        path: &["item", "reopen"],
        about: "Open a closed item again, with the reason",
        effect: Effect::Writes,
        errors: &[Code::ItemNotFound, Code::ItemAlreadyActive, Code::InvalidArgumentValue],
        examples: &[Example {
            about: "It came back",
            argv: &["item", "reopen", "pm-a1b2", "Fails again on Windows"],
        }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        if args.reason.trim().is_empty() {
            return Err(values::refusal("<reason>", &args.reason, "say why it came back", &[]));
        }
        let status = target(tracker, args.status.as_deref())?;
        let before = tracker.item(&id)?.item;
        let recurrence = recurrence(&before, &args.reason, &status);
        let write = Write {
            context: Some(json!({"recurrence": recurrence})),
            ..write(context, "reopen", args.message.as_deref())?
        };
        let statuses = &tracker.schema().statuses;
        let written = tracker.change(&id, &write, &mut |item, _| {
            if !statuses.is_terminal(item.status()) {
                let status = item.status();
                return Err(Error::new(
                    Code::ItemAlreadyActive,
                    format!("`{id}` is {status}: there is nothing to reopen"),
                )
                .hint(format!("pm get {id}")));
            }
            let mut after = item.clone();
            lifecycle::set_status(&mut after, &status, statuses);
            for key in ENDING {
                after.metadata.shift_remove(*key);
            }
            Ok(after)
        })?;
        Ok(Receipt::of(written).answer(&context.globals).value("recurrence", recurrence))
    }
}

fn target(tracker: &Tracker, typed: Option<&str>) -> Result<String> {
    let statuses = &tracker.schema().statuses;
    let Some(typed) = typed else { return Ok(statuses.open().to_owned()) };
    match statuses.resolve(typed).filter(|status| !status.is_terminal()) {
        Some(status) => Ok(status.id.clone()),
        None => {
            let known: Vec<&str> =
                statuses.iter().filter(|s| !s.is_terminal()).map(|s| s.id.as_str()).collect();
            Err(values::refusal("--status", typed, format!("give one of {}", known.join(", ")), &known))
        }
    }
}

fn recurrence(before: &Item, reason: &str, status: &str) -> Value {
    let previous: Map<String, Value> = ENDING
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), before.metadata.get(*key)?.clone())))
        .collect();
    json!({"reason": reason, "from_status": before.status(), "to_status": status, "previous_terminal": previous})
}
