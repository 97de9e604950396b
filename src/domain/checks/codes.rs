//! Every code that `pm validate` can warn with.
//!
//! One table, so that a gate that names a code which no check has is refused instead of staying green for ever.

/// What stands before each code on the wire.
pub(super) const PREFIX: &str = "validate_";

/// The codes without their prefix, in the order of the checks.
const BARE: [&str; 59] = [
    "metadata_missing_author",
    "metadata_missing_acceptance_criteria",
    "metadata_missing_estimate",
    "metadata_missing_close_reason",
    "metadata_missing_reviewer",
    "metadata_missing_risk",
    "metadata_missing_confidence",
    "metadata_missing_sprint",
    "metadata_missing_release",
    "metadata_duplicate_issue_codes",
    "metadata_custom_profile_missing_required_fields",
    "resolution_missing_fields",
    "lifecycle_active_closure_like_metadata",
    "lifecycle_active_terminal_parent",
    "lifecycle_stale_blockers",
    "lifecycle_dependency_cycles",
    "lifecycle_dependency_cycles_error",
    "hierarchy_parent_cycle",
    "hierarchy_parent_cycle_error",
    "hierarchy_cardinality_violation",
    "hierarchy_cardinality_violation_error",
    "hierarchy_parent_divergence",
    "hierarchy_parent_divergence_error",
    "legacy_hierarchy_parent_cycle",
    "legacy_hierarchy_cardinality_violation",
    "legacy_hierarchy_parent_divergence",
    "dangling_dependency_references",
    "files_missing_linked_paths",
    "files_orphaned_paths",
    "files_tracked_all_strict_forces_pm_internals",
    "command_references_stale_pm_ids",
    "history_drift_missing_streams",
    "history_drift_unreadable_streams",
    "history_drift_hash_mismatches",
    "history_drift_chain_mismatches",
    "history_drift_workspace_state_mismatches",
    "history_drift_workspace_state_missing",
    "history_drift_workspace_state_unreadable",
    "history_unknown_author_events",
    "format_version_outdated_items",
    "format_version_ahead_items",
    "storage_unreadable_items",
    "storage_duplicate_item_ids",
    "storage_unparseable_config",
    "storage_history_conflict_markers",
    "storage_unparseable_history",
    "storage_resurrected_items",
    "storage_merge_undecided",
    "storage_redaction_returned",
    "storage_unjoined_files",
    "storage_undeclared_type",
    "storage_tracked_runtime_cache_files",
    "merge_fence_drift",
    "merge_driver_configuration",
    "merge_decisions_unreviewed",
    "plan_runbook_missing",
    "plan_runbook_changed",
    "plan_runbook_revoked",
    "plan_runbook_untrusted",
];

/// Whether a check may warn with this code, which has no prefix.
pub(super) fn is_declared(bare: &str) -> bool {
    BARE.contains(&bare)
}

/// Every code as it stands in an answer.
pub fn all() -> impl Iterator<Item = String> {
    BARE.iter().map(|bare| format!("{PREFIX}{bare}"))
}
