//! What lies in a tracker: items, histories, their files.

use serde_json::{Value, json};

use super::{Surroundings, Verdict};
use crate::domain::checks::{Drift, Evidence, parent_findings, undecided_merges, undeclared_types};
use crate::domain::survey::{Attribution, StreamProblem, WORKSPACE};
use crate::model::records::Record;

/// How many ids of a kind are listed.
const LISTED: usize = 100;
/// How many entries by unknown authors are shown.
const SHOWN: usize = 20;
const DAY: i64 = 24 * 3_600_000;

pub(super) fn storage(evidence: &Evidence<'_>, around: &Surroundings) -> Verdict {
    let mut verdict = Verdict::new("storage");
    let streams = &evidence.streams.streams;
    let gone = |id: &&String| *id != WORKSPACE && evidence.records.find(id).is_none();
    let (deleted, orphaned): (Vec<&String>, Vec<&String>) =
        streams.keys().filter(gone).partition(|id| streams[id.as_str()].deleted);
    verdict.set("items", evidence.records.len());
    verdict.set("history_streams", streams.len());
    verdict.set(
        "tombstones",
        json!({"retention_policy": "retain_append_only", "gc_enabled": false, "count": deleted.len(),
            "ids": first(&deleted), "truncated": deleted.len() > LISTED}),
    );
    verdict.set(
        "orphaned_history_streams",
        json!({"count": orphaned.len(), "ids": first(&orphaned), "truncated": orphaned.len() > LISTED}),
    );
    let authors = Attribution::of(evidence.streams);
    let samples: Vec<Value> = authors
        .actionable
        .iter()
        .take(SHOWN)
        .map(|(id, line)| json!({"item_id": id, "line": line}))
        .collect();
    verdict.set(
        "author_attribution",
        json!({
            "checked_streams": streams.len(),
            "checked_events": authors.entries,
            "unknown_event_count": authors.unknown,
            "legacy_unknown_event_count": authors.legacy,
            "actionable_unknown_event_count": authors.actionable.len(),
            "acknowledged_actionable_event_count": authors.acknowledged,
            "affected_item_ids": first(&authors.ids.iter().collect::<Vec<_>>()),
            "samples": samples,
            "samples_truncated": authors.actionable.len() > SHOWN,
        }),
    );
    if !authors.actionable.is_empty() {
        verdict.warnings.push(format!("history_unknown_author_events:{}", authors.actionable.len()));
    }
    attributions(evidence, &mut verdict);
    let resting = resting(evidence, around.now);
    if resting > 0 {
        verdict.warnings.push(format!("stale_in_progress_items:{resting}"));
    }
    if evidence.settings.flag("history.compact_policy.enabled") {
        let most = evidence.settings.number("history.compact_policy.max_entries", 500);
        let long = streams.iter().filter(|(_, facts)| facts.entries as u64 > most).map(|(id, _)| id);
        let long: Vec<&String> = long.collect();
        verdict.warn_of("over_compact_threshold", "history_stream_over_compact_threshold", &long);
    }
    verdict
}

/// Harness attributions that say nothing, over all entries.
fn attributions(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let mut counts: std::collections::BTreeMap<&str, usize> = Default::default();
    for (key, count) in evidence.streams.streams.values().flat_map(|facts| &facts.empty_attributions) {
        *counts.entry(key).or_default() += count;
    }
    let rows = counts.iter().map(|(key, count)| {
        let (harness, dimension) = key.rsplit_once(' ').unwrap_or(("", key));
        json!({"harness": harness, "dimension": dimension, "kind": "single_digit", "count": count})
    });
    verdict.set("provenance_invalid_values", rows.collect::<Vec<_>>());
}

fn first<'a>(ids: &[&'a String]) -> Vec<&'a String> {
    ids.iter().take(LISTED).copied().collect()
}

/// How many items are said to be worked on and have not changed for long.
fn resting(evidence: &Evidence<'_>, now: i64) -> usize {
    let days = evidence.settings.number("context.stale_threshold_days", 7);
    let since = now - i64::try_from(days).unwrap_or(7).saturating_mul(DAY);
    let worked_on = |record: &Record<'_>| record.status() == evidence.schema.statuses.in_progress();
    let rests = |record: &Record<'_>| record.updated_ms().is_some_and(|updated| updated < since);
    evidence.records.iter().filter(worked_on).filter(rests).count()
}

pub(super) fn integrity(evidence: &Evidence<'_>, _: &Surroundings) -> Verdict {
    let mut verdict = Verdict::new("integrity");
    let files = |wanted: &dyn Fn(&str) -> bool| -> Vec<&str> {
        let unreadable = evidence.records.unreadable().iter();
        unreadable.filter(|file| wanted(&file.code)).map(|file| file.path.as_str()).collect()
    };
    let (conflict, invalid) = ("merge_conflict_markers_detected", "item_document_invalid");
    let unreadable = files(&|code| code != conflict && code != invalid);
    verdict.warn_of("item_unreadable", "integrity_item_unreadable", &unreadable);
    verdict.warn_of(
        "item_conflict_markers",
        "integrity_item_conflict_marker",
        &files(&|code| code == conflict),
    );
    verdict.warn_of("item_parse_failures", "integrity_item_parse_failed", &files(&|code| code == invalid));
    let streams = |wanted: StreamProblem| -> Vec<&String> {
        let all = evidence.streams.streams.iter();
        let is =
            |problem: &Option<(StreamProblem, String)>| problem.as_ref().is_some_and(|(p, _)| *p == wanted);
        all.filter(|(_, facts)| is(&facts.problem)).map(|(id, _)| id).collect()
    };
    let unreadable = streams(StreamProblem::Unreadable);
    verdict.warn_of("history_unreadable", "integrity_history_unreadable", &unreadable);
    let conflicted = streams(StreamProblem::ConflictMarkers);
    verdict.warn_of("history_conflict_markers", "integrity_history_conflict_marker", &conflicted);
    let invalid = streams(StreamProblem::Unparseable);
    verdict.warn_of("history_invalid_json", "integrity_history_invalid_json", &invalid);
    let version = |wanted: &dyn Fn(f64) -> bool| -> Vec<&str> {
        let with = |record: &Record<'_>| record.format_version().is_some_and(wanted);
        evidence.records.iter().filter(with).map(Record::id).collect()
    };
    verdict.warn_of("ahead_format_version", "integrity_ahead_format_version", &version(&|v| v > 1.0));
    parents(evidence, &mut verdict);
    merging(evidence, &mut verdict);
    verdict
}

fn parents(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let found = parent_findings(evidence);
    let several = found.several.iter().map(|(id, _, open)| (id, *open));
    let divergent = found.divergent.iter().map(|(id, .., open)| (id, *open));
    for (what, ids) in [("cardinality", several.collect::<Vec<_>>()), ("divergence", divergent.collect())] {
        for (age, wanted) in [("", true), ("legacy_", false)] {
            let ids: Vec<&String> =
                ids.iter().filter(|(_, open)| *open == wanted).map(|(id, _)| *id).collect();
            let name = format!("{age}hierarchy_{what}");
            verdict.warn_of(&name, &format!("integrity_{name}"), &ids);
        }
    }
}

fn merging(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let facts = evidence.storage;
    let counted = [
        ("tracked_runtime_cache_files", &facts.tracked_caches),
        ("merge_driver_configuration_missing", &facts.missing_drivers),
        ("merge_driver_configuration_drift", &facts.drifted_drivers),
        ("merge_decisions_unreviewed", &facts.pending_decisions),
    ];
    if !facts.returned_secrets.is_empty() {
        verdict.warn_of("redaction_returned", "integrity_redaction_returned", &facts.returned_secrets);
    }
    let undecided = undecided_merges(evidence);
    if !undecided.is_empty() {
        verdict.warn_of("merge_undecided", "integrity_merge_undecided", &undecided);
    }
    if !facts.unjoined.is_empty() {
        verdict.warn_of("unjoined_files", "integrity_unjoined_file", &facts.unjoined);
    }
    let undeclared = undeclared_types(evidence);
    if !undeclared.is_empty() {
        verdict.warn_of("undeclared_type", "integrity_undeclared_type", &undeclared);
    }
    if !facts.gone_drivers.is_empty() {
        verdict.warn_of("merge_drivers_gone", "merge_driver_configuration_gone", &facts.gone_drivers);
    }
    for (code, list) in counted {
        verdict.set(code, list.clone());
        if !list.is_empty() {
            verdict.warnings.push(format!("{code}:{}", list.len()));
        }
    }
}

/// Whether some item or history is known to be unreadable.
pub(super) fn cannot_be_whole(evidence: &Evidence<'_>) -> bool {
    let mut streams = evidence.streams.streams.values();
    !evidence.records.unreadable().is_empty() || streams.any(|facts| facts.problem.is_some())
}

/// Whether some history is known not to hold.
pub(super) fn has_drifted(evidence: &Evidence<'_>) -> bool {
    let streams = evidence.streams;
    let documents = [&streams.changed_documents, &streams.missing_documents, &streams.unreadable_documents];
    !Drift::of(streams, evidence.records).ids().is_empty() || documents.iter().any(|list| !list.is_empty())
}

pub(super) fn drift(evidence: &Evidence<'_>, _: &Surroundings) -> Verdict {
    let mut verdict = Verdict::new("history_drift");
    let drift = Drift::of(evidence.streams, evidence.records);
    let chains: Vec<&String> = drift.chain_mismatches.iter().map(|(id, _)| id).collect();
    verdict.set("drifted_items", drift.ids());
    verdict.warn_of("missing_streams", "history_drift_missing_stream", &drift.missing);
    verdict.warn_of("unreadable_streams", "history_drift_unreadable_stream", &drift.unreadable);
    verdict.warn_of("hash_mismatches", "history_drift_hash_mismatch", &drift.hash_mismatches);
    verdict.warn_of("chain_mismatches", "history_drift_chain_mismatch", &chains);
    let documents = [
        (
            "workspace_state_mismatches",
            "history_drift_workspace_state_mismatch",
            &evidence.streams.changed_documents,
        ),
        (
            "workspace_state_missing",
            "history_drift_workspace_state_missing",
            &evidence.streams.missing_documents,
        ),
        (
            "workspace_state_unreadable",
            "history_drift_workspace_state_unreadable",
            &evidence.streams.unreadable_documents,
        ),
    ];
    for (key, code, paths) in documents {
        verdict.warn_of(key, code, paths);
    }
    verdict
}
