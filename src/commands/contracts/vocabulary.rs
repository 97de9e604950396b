//! Words that files beside the items may use: hooks, and what a tracker promises about itself.

use serde_json::{Value, json};

use crate::commands::assurance::registry;
use crate::domain::assurance::{SourceKind, bound_names};
use crate::model::hook;
use crate::surface::Context;

/// What may be added to `pm` from outside, and who decides about it: programs that run after changes, and nothing else.
pub(super) fn extensions() -> Value {
    json!({
        "capabilities": ["hooks"],
        "services": [],
        "policy_surfaces": [hook::PATH],
        "policy_modes": ["enforce"],
        "trust_modes": ["enforce"],
        "trust_commands": ["hooks list", "hooks allow", "hooks deny"],
        "sandbox_profiles": ["none"],
        "manifest_versions": [],
        "default_timeout_ms": hook::TIMEOUT_MS,
        "max_timeout_ms": hook::MAX_TIMEOUT_MS,
    })
}

/// What measurements, assertions and gates may say; a gate names its triggers itself, so those are the tracker's own.
pub(super) fn assurance(context: &Context) -> Value {
    let registry = registry::read(context).unwrap_or_default();
    json!({
        "measurement_source_kinds": SourceKind::ALL.map(SourceKind::name),
        "assertion_bounds": bound_names().collect::<Vec<_>>(),
        "gate_triggers": registry.triggers(),
    })
}
