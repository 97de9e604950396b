//! The merge of two event lists, one JSON object a line, each with an `eventId`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::codec::json::stable;
use crate::model::collation;

/// All events of both sides once, by `timestamp` (missing ones last), then numbered anew from 1 in `sequence`.
pub fn relationships(ours: &[Value], theirs: &[Value]) -> Vec<Value> {
    let name = |row: &Value| row.get("eventId").map_or_else(|| stable(row), stable);
    let shared = ours.iter().zip(theirs).take_while(|(a, b)| name(a) == name(b)).count();
    let mut seen: BTreeSet<String> = ours[..shared].iter().map(name).collect();
    let mut new: Vec<Value> = ours[shared..]
        .iter()
        .chain(&theirs[shared..])
        .filter(|row| seen.insert(name(row)))
        .cloned()
        .collect();
    let at = |row: &Value| row.get("timestamp").and_then(Value::as_str).map(str::to_owned);
    new.sort_by(|a, b| {
        let order = match (at(a), at(b)) {
            (Some(a), Some(b)) => collation::compare_timestamps(&a, &b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        };
        order.then_with(|| name(a).cmp(&name(b)))
    });
    let mut merged: Vec<Value> = ours[..shared].iter().cloned().chain(new).collect();
    for (n, row) in merged.iter_mut().enumerate() {
        if let Some(sequence) = row.get_mut("sequence") {
            *sequence = (n + 1).into();
        }
    }
    merged
}
