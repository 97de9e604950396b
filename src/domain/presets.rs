//! Ready-made kinds of items for the ways in which teams work.

use serde_json::{Value, json};

/// The names of the presets.
pub const NAMES: [&str; 3] = ["agile", "ops", "research"];

/// The kinds that a preset brings, as `types.json` declares them; none for a name that is no preset.
pub fn kinds(preset: &str) -> Vec<Value> {
    let kinds: &[(&str, &str, &str, &str)] = match preset {
        "agile" => &[
            ("Story", "stories", "user-story", "What a user gets out of it, told from the user's side."),
            ("Spike", "spikes", "research-spike", "A question answered within a fixed time before building."),
        ],
        "ops" => &[
            ("Incident", "incidents", "outage", "Something that broke for users, from alarm to review."),
            ("Change", "changes", "change-request", "A planned change of a running system."),
            ("Runbook", "runbooks", "procedure", "How to do a recurring job in operation."),
        ],
        "research" => &[
            ("Hypothesis", "hypotheses", "claim", "A statement that an experiment can refute."),
            ("Experiment", "experiments", "trial", "A test of a hypothesis, with its setup and result."),
            ("Finding", "findings", "insight", "What an experiment or a source showed."),
        ],
        _ => &[],
    };
    kinds
        .iter()
        .map(|(name, folder, alias, description)| {
            json!({"name": name, "folder": folder, "aliases": [alias], "description": description, "default_status": "open"})
        })
        .collect()
}
