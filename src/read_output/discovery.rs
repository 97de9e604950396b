//! The contract as data for those who ask before they call: modes, older flags, ceilings (read-output.md §9).

use serde_json::{Value, json};

use super::hint;
use crate::contract::{Dimension, Keep, ReadOutput, surfaces};

/// A row of `read_output_dimensions` for each surface: the four dimensions with their canonical controls and older
/// flags, the precedence, what compaction keeps, the projection modes.
pub fn dimension_rows() -> Vec<Value> {
    surfaces::ALL.iter().map(dimension_row).collect()
}

/// The row of one surface.
pub fn dimension_row(surface: &ReadOutput) -> Value {
    let dimension = |name: &str, option: &str, dimension: Dimension| {
        let aliases: Vec<Value> = surface
            .aliases
            .iter()
            .filter(|alias| alias.dimension == dimension)
            .map(|alias| {
                json!({
                    "flag": alias.flag,
                    "semantics": if alias.replacement { "replacement" } else { "behavior_preserving" },
                    "migration_hint": hint::migration(alias),
                    "visibility": "hidden_alias",
                })
            })
            .collect();
        json!({
            "dimension": name, "canonical_option": option, "applicable": true, "inapplicable_reason": null,
            "legacy_aliases": aliases,
        })
    };
    json!({
        "command": surface.surface,
        "dimensions": {
            "include": dimension("include", "--output-include", Dimension::Include),
            "amount": dimension("amount", "--output-limit", Dimension::Amount),
            "cost": dimension("cost", "--output-budget", Dimension::Cost),
            "encoding": dimension("encoding", "--output-format", Dimension::Encoding),
        },
        "precedence": ["canonical", "legacy", "intent", "default"],
        "budget_retention_policy": match surface.keep {
            Keep::Prefix => "ordered_prefix",
            Keep::VerdictPriority => "verdict_priority",
        },
        "row_keys": surface.row_keys,
        "continuation_row_keys": surface.continuation_row_keys,
        "default_max_estimated_tokens": surface.budget.toon(),
        "default_max_estimated_tokens_by_format": {"toon": surface.budget.toon(), "json": surface.budget.json()},
        "projection_modes": surface.modes,
    })
}

/// `output_projection_contracts`: which modes a command takes, and that the ladder of degradation is no promise of
/// any one of them. All surfaces when no command is named.
pub fn projection_contracts(surface: Option<&ReadOutput>) -> Value {
    let row = |surface: &ReadOutput| json!({"command": surface.surface, "modes": surface.modes});
    let commands: Vec<Value> = match surface {
        Some(surface) => vec![row(surface)],
        None => surfaces::ALL.iter().map(row).collect(),
    };
    json!({"commands": commands, "global_ladder_scope": "union_not_per_command"})
}
