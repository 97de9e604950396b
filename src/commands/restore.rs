//! `pm restore`.

use serde_json::Value;

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::{chain, dates};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::timestamp;
use crate::mutation::receipt::Receipt;
use crate::mutation::seeds::full_id;
use crate::mutation::write;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Brings an earlier version of an item back.
pub(super) struct Restore;

/// Arguments of `pm restore`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item; it may be deleted
    id: String,
    /// Version, counted from 1, or a time: the last version at or before it
    target: String,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Restore {
    const CONTRACT: Contract = Contract {
        path: &["restore"],
        about: "Bring an earlier version of an item back, also of a deleted one",
        effect: Effect::Writes,
        errors: &[Code::ItemNotFound, Code::HistoryTargetOutOfRange, Code::HistoryChainInvalid],
        examples: &[
            Example { about: "As it was created", argv: &["restore", "pm-a1b2", "1"] },
            Example { about: "As it was at a time", argv: &["restore", "pm-a1b2", "2026-04-01T00:00:00Z"] },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = known(tracker, &args.id)?;
        let entries = tracker.history(&id)?;
        let version = version(&args, &id, &entries, context.clock.now())?;
        let replay = chain::verify(&entries[..version]);
        if let Some(fault) = replay.fault {
            return Err(Error::new(
                Code::HistoryChainInvalid,
                format!("the history of `{id}` cannot be replayed: {fault}"),
            )
            .at("<target>")
            .hint(format!("pm history {id} --verify"))
            .hint(format!("pm history-repair {id}")));
        }
        if replay.item.metadata.is_empty() {
            return Err(out_of_range(&args, &id, format!("`{id}` was deleted at version {version}")));
        }
        let write = write(context, "restore", args.message.as_deref())?;
        let mut transaction = tracker.transaction(&write)?;
        let there = transaction.item(&id)?.is_some();
        let target: Item = replay.item;
        let written = if there {
            transaction.change(&id, &write, &mut |_, _| Ok(target.clone()))?
        } else {
            transaction.create(target, &write)?
        };
        transaction.commit()?;
        let mut receipt = Receipt::of(written);
        receipt.counts_time = true;
        Ok(receipt.answer(&context.globals))
    }
}

/// The full id of an item that is there, or of one whose history is.
fn known(tracker: &Tracker, typed: &str) -> Result<String> {
    let missing = match tracker.resolve(typed) {
        Ok(id) => return Ok(id),
        Err(error) => error,
    };
    let id = full_id(tracker, typed);
    if missing.code == Code::ItemNotFound && !tracker.history(&id)?.is_empty() {
        Ok(id)
    } else {
        Err(missing)
    }
}

fn out_of_range(args: &Args, id: &str, problem: String) -> Error {
    Error::new(Code::HistoryTargetOutOfRange, problem)
        .at("<target>")
        .rejecting(&args.target)
        .hint(format!("pm history {id}"))
}

/// The number of the entry that the target means.
fn version(args: &Args, id: &str, entries: &[Value], now: i64) -> Result<usize> {
    let text = args.target.trim();
    if let Ok(number) = text.parse::<usize>() {
        return if (1..=entries.len()).contains(&number) {
            Ok(number)
        } else {
            Err(out_of_range(args, id, format!("`{id}` has versions 1 to {}, not {number}", entries.len())))
        };
    }
    let at = dates::parse(text, now).map_err(|problem| {
        crate::domain::values::refusal("<target>", text, format!("give a version or a time ({problem})"), &[])
    })?;
    let before = |entry: &Value| {
        entry.get("ts").and_then(Value::as_str).and_then(timestamp::parse).is_some_and(|ts| ts <= at)
    };
    match entries.iter().rposition(before) {
        Some(place) => Ok(place + 1),
        None => Err(out_of_range(args, id, format!("`{id}` has no version that old"))),
    }
}
