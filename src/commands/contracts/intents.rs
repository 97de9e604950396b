//! The purposes of reads (`--for`).

use serde_json::{Value, json};

use crate::surface::Catalog;

/// A purpose: the command, its name, what it shows.
const INTENTS: &[(&str, &str, &str)] = &[
    ("context", "orient", "where things stand: hierarchy, blockers, what happened lately"),
    ("context", "handoff", "what somebody who goes on must know: what happened, progress, blockers"),
    ("list", "triage", "what a decision about each item needs"),
    ("search", "discover", "which items are about it, in few tokens"),
    ("get", "inspect", "one item before work on it"),
    ("next", "execute", "the one thing to do now"),
];

/// Every purpose, with the ceiling of its command.
pub(super) fn rows(catalog: Catalog) -> Value {
    let row = |(command, intent, about): &(&str, &str, &str)| {
        let output = catalog.find(&[command]).and_then(|surface| surface.contract.read_output.as_ref());
        json!({
            "command": command, "intent": intent, "about": about,
            "default_max_estimated_tokens": output.map(|output| output.budget.toon()),
            "budget_flag": "--token-budget",
        })
    };
    INTENTS.iter().map(row).collect()
}
