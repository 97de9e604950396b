//! History entries as they are appended, and how a stream is brought up to the item first (storage.md §4.1, §4.4).

use serde_json::{Map, Value};

use super::{Actor, Write};
use crate::codec::json;
use crate::domain::chain::{self, Replay};
use crate::domain::hash::{Epoch, GENESIS, item_hash};
use crate::domain::patch::diff_items;
use crate::model::item::Item;
use crate::store::history::Tail;

/// What an entry says besides the change itself.
pub(super) struct Heading<'a> {
    pub(super) at: &'a str,
    pub(super) op: &'a str,
    pub(super) actor: Option<&'a Actor>,
    pub(super) message: Option<&'a str>,
    pub(super) context: Option<&'a Value>,
}

impl<'a> Heading<'a> {
    pub(super) fn of(write: &'a Write<'_>, at: &'a str) -> Heading<'a> {
        // The reference writes an empty message where `create` was given none.
        let message = write.message.or((write.op == "create").then_some(""));
        Heading { at, op: write.op, actor: Some(write.actor), message, context: write.context.as_ref() }
    }

    /// An entry that nobody asked for: it tells what had happened before.
    pub(super) fn found(at: &'a str, op: &'a str, message: &'a str) -> Heading<'a> {
        Heading { at, op, actor: None, message: Some(message), context: None }
    }
}

/// The line for a change from one item to another; `None` is the item before `create` and after `delete`.
pub(super) fn line(heading: &Heading<'_>, before: Option<&Item>, after: Option<&Item>) -> String {
    let mut entry = Map::new();
    let mut put = |key: &str, value: Value| entry.insert(key.to_owned(), value);
    put("ts", heading.at.into());
    match heading.actor {
        Some(actor) => {
            put("author", actor.author.as_str().into());
            put("author_source", actor.source.into());
            for (key, value) in &actor.provenance {
                put(key, value.clone());
            }
        }
        None => {
            put("author", "unknown".into());
            put("author_source", "unknown".into());
        }
    }
    put("op", heading.op.into());
    put("patch", Value::Array(diff_items(before, after)));
    put("before_hash", hash(before).into());
    put("after_hash", hash(after).into());
    put("item_hash_version", (Epoch::Second as u8).into());
    if let Some(message) = heading.message {
        put("message", message.into());
    }
    if let Some(context) = heading.context {
        put("context", context.clone());
    }
    let mut line = json::compact(&Value::Object(entry));
    line.push('\n');
    line
}

fn hash(item: Option<&Item>) -> String {
    item.map_or_else(|| GENESIS.to_owned(), |item| item_hash(item, Epoch::Second))
}

/// Whether the last entry of a stream ends in this item; `None` for an item that is not there.
pub(super) fn agrees(tail: &Tail, item: Option<&Item>) -> bool {
    let Some(last) = &tail.last else { return item.is_none() };
    let latest = last.get("after_hash").and_then(Value::as_str);
    match item {
        None => latest == Some(GENESIS),
        Some(item) => {
            [Epoch::Second, Epoch::First].iter().any(|epoch| latest == Some(&item_hash(item, *epoch)))
        }
    }
}

/// The line that gives an item without history a beginning.
pub(super) fn baseline(at: &str, item: &Item) -> String {
    let heading = Heading::found(at, "history_compact_baseline", "history began here: the item had none");
    line(&heading, None, Some(item))
}

/// The line that records what was done to an item's file outside of this program, or the fault of a stream that
/// cannot be replayed.
pub(super) fn external_edit(at: &str, entries: &[Value], item: Option<&Item>) -> Result<String, String> {
    let Replay { item: replayed, fault, .. } = chain::verify(entries);
    if let Some(fault) = fault {
        return Err(fault);
    }
    let replayed = (!replayed.metadata.is_empty()).then_some(replayed);
    let heading = Heading::found(at, "external_edit", "the item's file was changed outside of pm");
    Ok(line(&heading, replayed.as_ref(), item))
}
