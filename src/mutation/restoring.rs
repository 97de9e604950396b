//! Bringing an earlier version of an item back.

use serde_json::Value;

use super::receipt::Receipt;
use super::seeds::full_id;
use crate::domain::{chain, dates};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::timestamp;
use crate::surface::Context;
use crate::tracker::{Tracker, Write};

/// Writes the version that `target` means, a number from 1 or a time, as the item's newest.
///
/// Errors: `history_target_out_of_range`, `history_chain_invalid`, and those of the store.
pub(crate) fn restore(context: &Context, id: &str, target: &str, write: &Write<'_>) -> Result<Receipt> {
    let tracker = context.tracker()?;
    if id == crate::domain::survey::WORKSPACE {
        let problem = "settings and schema are no item; change them with `pm config` and `pm schema`";
        return Err(Error::new(Code::InvalidArgumentValue, problem)
            .at("<id>")
            .rejecting(id)
            .hint("pm config list"));
    }
    let entries = tracker.history(id)?;
    let version = version(target, id, &entries, context.clock.now())?;
    let replay = chain::verify(&entries[..version]);
    if let Some(fault) = replay.fault {
        return Err(Error::new(
            Code::HistoryChainInvalid,
            format!("the history of `{id}` cannot be replayed: {fault}"),
        )
        .at("<target>")
        .hint(format!("pm history {id} --verify")));
    }
    if replay.item.metadata.is_empty() {
        return Err(out_of_range(target, id, format!("`{id}` was deleted at version {version}")));
    }
    let mut transaction = tracker.transaction(write)?;
    let there = transaction.item(id)?.is_some();
    let earlier: Item = replay.item;
    let written = if there {
        transaction.change(id, write, &mut |_, _| Ok(earlier.clone()))?
    } else {
        transaction.create(earlier, write)?
    };
    transaction.commit()?;
    let mut receipt = Receipt::of(written);
    receipt.counts_time = true;
    Ok(receipt)
}

/// The full id of an item that is there, or of one whose history is.
pub(crate) fn known(tracker: &Tracker, typed: &str) -> Result<String> {
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

fn out_of_range(target: &str, id: &str, problem: String) -> Error {
    Error::new(Code::HistoryTargetOutOfRange, problem)
        .at("<target>")
        .rejecting(target)
        .hint(format!("pm history {id}"))
}

/// The number of the entry that the target means.
pub(crate) fn version(target: &str, id: &str, entries: &[Value], now: i64) -> Result<usize> {
    let text = target.trim();
    if let Ok(number) = text.parse::<usize>() {
        return if (1..=entries.len()).contains(&number) {
            Ok(number)
        } else {
            Err(out_of_range(target, id, format!("`{id}` has versions 1 to {}, not {number}", entries.len())))
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
        None => Err(out_of_range(target, id, format!("`{id}` has no version that old"))),
    }
}
