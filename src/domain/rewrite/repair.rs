//! A broken chain mended, as far as its entries carry.

use serde_json::Value;

use super::{Anchor, RewriteError, epoch_of};
use crate::codec::item::conflict_marker;
use crate::domain::chain::Document;
use crate::model::item::Item;

/// A mended stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// Entries that verify.
    pub entries: Vec<Value>,
    /// The item that they end in; none when it was deleted.
    pub end: Option<Item>,
    /// How many entries got other hashes.
    pub rehashed: usize,
    /// How many operations could not be kept.
    pub dropped: usize,
}

/// Makes every hash anew. An operation that does not apply any more is added where it replaced something that is not
/// there, else it is left out.
///
/// Errors: an entry is of a newer program.
pub fn repair(entries: &[Value]) -> Result<Repaired, RewriteError> {
    let mut anchor = Anchor::new(epoch_of(entries)?);
    let mut dropped = 0;
    let mut laid = Vec::with_capacity(entries.len());
    for (n, entry) in entries.iter().enumerate() {
        let mut entry = entry.clone();
        dropped += fit(&anchor.document, &mut entry);
        let problem = |problem| RewriteError::Patch { entry: n + 1, problem };
        laid.push(anchor.lay(entry).map_err(problem)?);
    }
    let rehashed = anchor.rehashed;
    let end = anchor.item();
    let end = (!end.metadata.is_empty()).then_some(end);
    Ok(Repaired { entries: laid, end, rehashed, dropped })
}

/// Makes the entry's patch one that applies to this document; returns how many operations were left out.
fn fit(document: &Document, entry: &mut Value) -> usize {
    let mut trial = document.copy();
    if trial.apply(entry).is_ok() {
        return 0;
    }
    let ops = entry.get("patch").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut trial = document.copy();
    let mut kept = Vec::with_capacity(ops.len());
    let mut dropped = 0;
    for op in ops {
        let mut as_add = op.clone();
        if op.get("op").and_then(Value::as_str) == Some("replace") {
            as_add["op"] = "add".into();
        }
        let choices = if as_add == op { vec![op] } else { vec![op, as_add] };
        let fitting = choices.into_iter().find(|op| {
            let mut next = trial.copy();
            let applies = next.apply(&serde_json::json!({"patch": [op]})).is_ok();
            if applies {
                trial = next;
            }
            applies
        });
        match fitting {
            Some(op) => kept.push(op),
            None => dropped += 1,
        }
    }
    entry["patch"] = kept.into();
    dropped
}

/// What lines of a stream say that is no entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// The lines that are no JSON objects, with their numbers, counted from 1.
    pub unreadable: Vec<(usize, String)>,
    /// How many conflict markers stood between the lines.
    pub markers: usize,
}

/// The entries of a damaged stream. Between conflict markers both sides count: entries that are there twice are
/// one, and all of them are put in the order of their times.
pub fn salvage(bytes: &[u8]) -> (Vec<Value>, Damage) {
    let mut entries: Vec<Value> = Vec::new();
    let mut damage = Damage::default();
    for (n, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        match serde_json::from_slice::<Value>(line) {
            Ok(entry) if entry.is_object() => entries.push(entry),
            _ if conflict_marker(line).is_some() || line.starts_with(b"|||||||") => damage.markers += 1,
            _ => damage.unreadable.push((n + 1, String::from_utf8_lossy(line).into_owned())),
        }
    }
    if damage.markers > 0 {
        let mut seen = std::collections::HashSet::new();
        entries.retain(|entry| seen.insert(crate::domain::merge::identity(entry)));
        entries.sort_by(|a, b| crate::model::collation::compare_timestamps(ts(a), ts(b)));
    }
    (entries, damage)
}

fn ts(entry: &Value) -> &str {
    entry.get("ts").and_then(Value::as_str).unwrap_or_default()
}
