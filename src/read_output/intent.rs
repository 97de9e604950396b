//! Purposes of reads (`--for`): what each may cost, and what the full envelope says of it (surfaces.md §8.2).

use serde_json::{Value, json};

use super::controls::BudgetSource;
use super::run::Run;

/// A purpose that a surface knows.
struct Intent {
    surface: &'static str,
    name: &'static str,
    /// What the answer holds, in words of the contract.
    groups: &'static [&'static str],
    /// In tokens.
    budget: u64,
    /// What gives way when the budget does not hold everything.
    degradation: &'static str,
}

const INTENTS: &[Intent] = &[
    Intent {
        surface: "context",
        name: "orient",
        groups: &["summary", "focus", "hierarchy", "blockers", "activity"],
        budget: 3_000,
        degradation: "bounded_sections",
    },
    Intent {
        surface: "context",
        name: "handoff",
        groups: &["summary", "focus", "in_progress", "decisions", "activity"],
        budget: 2_200,
        degradation: "bounded_sections",
    },
    Intent {
        surface: "get",
        name: "inspect",
        groups: &["item", "children", "claim_state", "linked"],
        budget: 3_200,
        degradation: "depth_fallback",
    },
    Intent {
        surface: "list",
        name: "triage",
        groups: &["identity", "governance", "ownership", "dependencies"],
        budget: 3_200,
        degradation: "bounded_fields_and_rows",
    },
    Intent {
        surface: "next",
        name: "execute",
        groups: &["recommended"],
        budget: 1_200,
        degradation: "budget_row_compaction",
    },
    Intent {
        surface: "search",
        name: "discover",
        groups: &["identity", "status", "lineage", "match"],
        budget: 1_800,
        degradation: "budget_row_compaction",
    },
];

fn named(surface: &str, intent: &str) -> Option<&'static Intent> {
    INTENTS.iter().find(|known| known.surface == surface && known.name == intent)
}

/// The budget that a purpose declares.
pub(super) fn budget(surface: &str, intent: &str) -> Option<u64> {
    named(surface, intent).map(|intent| intent.budget)
}

impl Run<'_, '_> {
    /// The receipt of the purpose; none where none was named.
    pub(super) fn context_intent(&self, estimate: u64) -> Option<Value> {
        let intent = named(self.surface.surface, self.controls.want.intent.as_deref()?)?;
        let ceiling = self.controls.ceiling;
        let binding = self.binding.tokens;
        let overridden = ceiling.source != BudgetSource::Intent;
        let effective = ceiling.tokens.map_or(json!("unbounded"), |tokens| json!(tokens));
        Some(json!({
            "command": intent.surface,
            "intent": intent.name,
            "source": "core",
            "included_field_groups": intent.groups,
            "token_budget": effective,
            "declared_token_budget": intent.budget,
            "token_budget_override": if overridden { effective.clone() } else { json!(0) },
            "estimated_tokens": estimate,
            "within_budget": binding.is_none_or(|most| estimate <= most),
            "degradation": intent.degradation,
            "declaration_feasible": estimate <= intent.budget,
            "result_omitted": false,
        }))
    }

    /// What a page after a cursor leaves out, since the first page told it: the keys, and how to have them.
    pub(super) fn continuation_contract(&self) -> Option<Value> {
        let given = self.controls.given_cursor.as_ref()?;
        Some(json!({
            "fingerprint": self.question,
            "metadata": "reference",
            "restore_with": format!("omit {}", given.flag),
        }))
    }
}
