//! The audit that later ones are compared with: kept in `runtime/`, so local to a working copy.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::domain::graph::audit::Audit;
use crate::error::Result;
use crate::model::timestamp;
use crate::surface::Context;

const PATH: &str = "runtime/graph-audit-baseline.json";
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// How many findings are named.
const NAMED: usize = 25;

type Subjects = BTreeMap<String, BTreeSet<String>>;

/// Keeps an audit, or compares it with the one that was kept; none when there is none.
pub(super) fn consult(
    report: &Audit,
    everything: bool,
    save: bool,
    context: &Context,
) -> Result<Option<Value>> {
    let tracker = context.tracker()?;
    let now: Subjects = report
        .findings
        .iter()
        .map(|finding| (finding.rule.code.to_owned(), finding.subjects.iter().cloned().collect()))
        .collect();
    if save {
        let saved_at = timestamp::format(context.clock.now());
        let kept = json!({"saved_at": saved_at, "include_closed": everything, "subjects": now});
        tracker.write_local(PATH, format!("{kept}\n").as_bytes())?;
        return Ok(Some(json!({"action": "saved", "saved_at": saved_at, "finding_count": now.len()})));
    }
    let kept =
        tracker.read_local(PATH, MAX_BYTES).and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    Ok(kept.and_then(|kept| compared(&kept, &now, everything)))
}

fn compared(kept: &Value, now: &Subjects, everything: bool) -> Option<Value> {
    let before: Subjects = serde_json::from_value(kept.get("subjects")?.clone()).ok()?;
    let mut told = json!({"action": "compared", "saved_at": kept.get("saved_at")});
    if kept.get("include_closed").and_then(Value::as_bool) != Some(everything) {
        // One of all items and one of the open ones differ in everything that is over.
        told["comparable"] = false.into();
        return Some(told);
    }
    for (name, from, to) in [("new", &before, now), ("resolved", now, &before)] {
        let (counts, named) = gained(from, to);
        told[format!("{name}_count")] = counts.values().filter_map(Value::as_u64).sum::<u64>().into();
        told[format!("{name}_by_code")] = counts.into();
        told[name] = named.into();
    }
    Some(told)
}

/// What the second has that the first lacks: counts by code, and the first few by name.
fn gained(from: &Subjects, to: &Subjects) -> (Map<String, Value>, Vec<Value>) {
    let (mut counts, mut named) = (Map::new(), Vec::new());
    let none = BTreeSet::new();
    for (code, subjects) in to {
        let known = from.get(code).unwrap_or(&none);
        let gained: Vec<&String> = subjects.difference(known).collect();
        if !gained.is_empty() {
            counts.insert(code.clone(), gained.len().into());
            named.extend(gained.into_iter().map(|subject| json!({"code": code, "subject": subject})));
        }
    }
    named.truncate(NAMED);
    (counts, named)
}
