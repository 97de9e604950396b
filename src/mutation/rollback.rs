//! Taking a bulk call back: what it changed goes back to what it was, what came later stays (storage.md §5.5).

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::receipt::Receipt;
use super::{HIERARCHY_LOCK, write};
use crate::domain::merge::{self, Prefer};
use crate::domain::{chain, links};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::records::Records;
use crate::model::timestamp;
use crate::surface::Context;
use crate::tracker::{Tracker, Transaction, Write};

/// The largest checkpoint file that is read, in bytes.
const MAX_CHECKPOINT: u64 = 64 * 1024 * 1024;

/// What a bulk call wrote down before it changed anything.
#[derive(Debug)]
pub(super) struct Checkpoint {
    name: String,
    created_at: String,
    author: String,
    /// The items that it was about, each with the time of its last change until then.
    pub(super) items: Vec<(String, String)>,
}

impl Checkpoint {
    /// Reads the checkpoint of this name in a folder of checkpoints.
    ///
    /// Errors: `checkpoint_not_found`, `checkpoint_invalid`.
    pub(super) fn read(command: &str, folder: &str, name: &str, tracker: &Tracker) -> Result<Checkpoint> {
        let refuse = |code, problem: String| Error::new(code, problem).at("--rollback").rejecting(name);
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let path = format!("{folder}/{name}.json");
        let bytes = plain.then(|| tracker.read_local(&path, MAX_CHECKPOINT)).flatten();
        let Some(bytes) = bytes else {
            let problem = format!("`{command}` has no checkpoint `{name}`");
            return Err(refuse(Code::CheckpointNotFound, problem));
        };
        let document: Value = serde_json::from_slice(&bytes)
            .map_err(|error| refuse(Code::CheckpointInvalid, format!("`{path}` is no JSON: {error}")))?;
        let text = |row: &Value, key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
        let rows = document.get("items").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let items: Option<Vec<_>> =
            rows.iter().map(|row| Some((text(row, "id")?, text(row, "target_updated_at")?))).collect();
        let items =
            items.filter(|items| !items.is_empty() && document.get("schema_version") == Some(&json!(1)));
        let Some(items) = items else {
            return Err(refuse(Code::CheckpointInvalid, format!("`{path}` is no checkpoint of version 1")));
        };
        Ok(Checkpoint {
            name: name.to_owned(),
            created_at: text(&document, "created_at").unwrap_or_default(),
            author: text(&document, "author").unwrap_or_default(),
            items,
        })
    }

    /// The entry by which the call changed an item, counted from 0; none when it did not. `message` is that of its
    /// entries unless the caller gave another one: then the entry names the checkpoint itself, and one of another
    /// program is known by its time and its author.
    ///
    /// Errors: `history_target_out_of_range` when the entry was compacted away.
    fn place(&self, id: &str, target: &str, message: &str, entries: &[Value]) -> Result<Option<usize>> {
        let marked = |entry: &Value| {
            text(entry, "message") == message
                || entry.pointer("/context/checkpoint").and_then(Value::as_str) == Some(&self.name)
        };
        if let Some(place) = entries.iter().position(marked) {
            return Ok(Some(place));
        }
        let Some(at) = timestamp::parse(target) else { return Ok(None) };
        let Some(last) = entries.iter().rposition(|entry| moment(entry).is_some_and(|ts| ts <= at)) else {
            let problem = format!("the history of `{id}` no longer reaches back to the checkpoint");
            return Err(Error::new(Code::HistoryTargetOutOfRange, problem).hint(format!("pm history {id}")));
        };
        let begun = timestamp::parse(&self.created_at);
        let is_it = |entry: &&Value| {
            matches!(text(entry, "op"), "update" | "close")
                && text(entry, "author") == self.author
                && moment(entry) >= begun
        };
        Ok(entries.get(last + 1).filter(is_it).map(|_| last + 1))
    }

    /// The items that an item set free when the call closed it, each with the place of that entry.
    fn freed(&self, id: &str, records: &Records, tracker: &Tracker) -> Vec<(String, usize)> {
        let message = super::closing::freed_message(id);
        let noted = format!("{message};");
        let begun = timestamp::parse(&self.created_at);
        let candidates = records.iter().filter(|record| {
            record.text(crate::model::records::Text::UnblockNote).is_some_and(|note| note.starts_with(&noted))
        });
        candidates
            .filter_map(|record| {
                let entries = tracker.history(record.id()).ok()?;
                let is_it = |entry: &Value| text(entry, "message") == message && moment(entry) >= begun;
                Some((record.id().to_owned(), entries.iter().rposition(is_it)?))
            })
            .collect()
    }
}

fn text<'v>(entry: &'v Value, key: &str) -> &'v str {
    entry.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn moment(entry: &Value) -> Option<i64> {
    timestamp::parse(text(entry, "ts"))
}

/// How an item fared; none when the call had not changed it.
pub(super) type Step = (String, Result<Option<Receipt>>);

/// Takes back what a call changed, item by item; those that it set free too.
pub(super) fn all(
    context: &Context,
    checkpoint: &Checkpoint,
    made_by: &str,
    write_message: &str,
) -> Result<Vec<Step>> {
    let tracker = context.tracker()?;
    let write = write(context, "restore", Some(write_message))?;
    let records = tracker.records()?;
    let mut steps: Vec<Step> = Vec::new();
    for (id, target) in &checkpoint.items {
        let place = |entries: &[Value]| checkpoint.place(id, target, made_by, entries);
        let step = take_back(context, id, &place, &write);
        let changed = matches!(&step, Ok(Some(receipt)) if !receipt.written.unchanged);
        steps.push((id.clone(), step));
        if !changed {
            continue;
        }
        for (freed, at) in checkpoint.freed(id, records, tracker) {
            if checkpoint.items.iter().any(|(known, _)| *known == freed) {
                continue;
            }
            let step = take_back(context, &freed, &|_: &[Value]| Ok(Some(at)), &write);
            steps.push((freed, step));
        }
    }
    Ok(steps)
}

/// Takes one entry of an item back. Where nothing came after it the item is again exactly as it was before; else what
/// the entry changed goes back, and what others changed since stays. Forced, everything since goes back.
///
/// Errors: `rollback_conflict` when something since changed the same, or the item is gone; those of the store.
fn take_back(
    context: &Context,
    id: &str,
    place: &dyn Fn(&[Value]) -> Result<Option<usize>>,
    write: &Write<'_>,
) -> Result<Option<Receipt>> {
    let tracker = context.tracker()?;
    let mut transaction: Transaction<'_> = tracker.transaction(write)?;
    transaction.lock(HIERARCHY_LOCK)?;
    transaction.lock(id)?;
    let entries = tracker.history(id)?;
    let Some(place) = place(&entries)?.filter(|place| *place > 0) else { return Ok(None) };
    let before = state(id, &entries, place)?;
    let after = state(id, &entries, place + 1)?;
    let Some(now) = transaction.item(id)?.cloned() else {
        if !write.force {
            let problem = format!("`{id}` was deleted since");
            return Err(Error::new(Code::RollbackConflict, problem).hint(format!("pm restore {id} {place}")));
        }
        let written = transaction.create(before, write)?;
        transaction.commit()?;
        return Ok(Some(receipt(written)));
    };
    let wanted = if now == after || write.force { before } else { merged(id, &before, &after, &now)? };
    if now != wanted {
        check(id, &tracker.reload()?, &now, &wanted, write)?;
    }
    let written = transaction.change(id, write, &mut |_, _| Ok(wanted.clone()))?;
    transaction.commit()?;
    Ok(Some(receipt(written)))
}

fn receipt(written: crate::tracker::Written) -> Receipt {
    let mut receipt = Receipt::of(written);
    receipt.counts_time = true;
    receipt
}

/// The item after so many entries.
fn state(id: &str, entries: &[Value], count: usize) -> Result<Item> {
    chain::item_after(entries, count).map_err(|(entry, problem)| {
        let problem = format!("the history of `{id}` cannot be replayed: entry {entry}: {problem}");
        Error::new(Code::HistoryChainInvalid, problem).hint(format!("pm history {id} --verify"))
    })
}

/// The item now, without what led from `before` to `after`.
fn merged(id: &str, before: &Item, after: &Item, now: &Item) -> Result<Item> {
    let merged = merge::items(after, now, before, Prefer::Ours);
    let fields: BTreeSet<&str> = merged
        .conflicts
        .iter()
        .map(|conflict| conflict.field.split('.').next().unwrap_or(&conflict.field))
        .collect();
    if !fields.is_empty() {
        let named: Vec<&str> = fields.into_iter().collect();
        return Err(Error::new(
            Code::RollbackConflict,
            format!("`{id}` was changed again since: {}", named.join(", ")),
        )
        .fact("fields", named.clone())
        .hint(format!("pm history {id} --fields")));
    }
    let mut item = merged.item;
    // A new state, not the one of back then.
    match now.metadata.get("updated_at") {
        Some(at) => item.metadata.insert("updated_at".to_owned(), at.clone()),
        None => item.metadata.shift_remove("updated_at"),
    };
    Ok(item)
}

/// Refuses links that have become impossible since.
fn check(id: &str, records: &Records, now: &Item, wanted: &Item, write: &Write<'_>) -> Result<()> {
    if write.force || !links::adds_edges(Some(now), wanted) {
        return Ok(());
    }
    links::check_orders(records, Some(now), wanted)?;
    let targets = |item: &Item| -> BTreeSet<String> {
        let rows = item.list("dependencies").iter().filter_map(|row| row.get("id")?.as_str());
        rows.chain(item.text("parent")).map(str::to_owned).collect()
    };
    let known = targets(now);
    let gone: Vec<String> =
        targets(wanted).into_iter().filter(|to| !known.contains(to) && records.find(to).is_none()).collect();
    if gone.is_empty() {
        return Ok(());
    }
    let problem = format!("`{id}` would point at what is gone: {}", gone.join(", "));
    Err(Error::new(Code::RollbackConflict, problem).fact("gone", gone))
}

/// The facts of a refusal that a row shows.
pub(super) fn facts(error: &Error) -> Map<String, Value> {
    let shown = ["fields", "gone"].into_iter();
    shown.filter_map(|key| Some((key.to_owned(), error.recovery.get(key)?.clone()))).collect()
}
