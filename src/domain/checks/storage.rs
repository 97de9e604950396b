//! Whether the tracker's files are what they should be: after merges, hand edits, half copies.

use std::collections::BTreeMap;

use serde_json::json;

use super::{Evidence, Status, Verdict};
use crate::domain::merge::conflicts;
use crate::domain::survey::StreamProblem;
use crate::model::records::fold;

/// A settings or schema file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    /// Its path below the tracker root.
    pub path: String,
    /// Why it cannot be used, if it cannot.
    pub problem: Option<String>,
}

/// Whether Git knows how to merge this tracker: the block in `.gitattributes`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fence {
    /// `ok`, `missing`, `drift`, `not_a_repository`.
    pub status: &'static str,
    /// The file.
    pub path: String,
    /// Lines that are not there.
    pub missing: Vec<String>,
    /// Lines that should not be there any more.
    pub stale: Vec<String>,
}

/// What the check needs to know of files that are no items and no histories.
#[derive(Clone, Debug, Default)]
pub struct StorageFacts {
    /// Settings and schema, as far as they exist.
    pub config: Vec<ConfigFile>,
    /// The block in `.gitattributes`.
    pub fence: Fence,
    /// Merge drivers that Git's configuration does not name.
    pub missing_drivers: Vec<String>,
    /// Merge drivers that run something else.
    pub drifted_drivers: Vec<String>,
    /// Programs of merge drivers that are not where Git's configuration has them.
    pub gone_drivers: Vec<String>,
    /// Items and documents that wait in Git's index for a merge that did not take place.
    pub unjoined: Vec<String>,
    /// Items with merge decisions that nobody has looked at.
    pub pending_decisions: Vec<String>,
    /// Items with merge receipts that lost nothing.
    pub lossless_receipts: Vec<String>,
    /// The tracker's path below the repository.
    pub relative_root: String,
    /// Items that tell again what a redaction took out of them.
    pub returned_secrets: Vec<String>,
    /// Cache files that Git tracks.
    pub tracked_caches: Vec<String>,
}

pub(super) fn check(evidence: &Evidence<'_>) -> Verdict {
    let (records, facts) = (evidence.records, evidence.storage);
    let mut verdict = Verdict::new("storage_integrity");
    let unreadable: Vec<&str> = records.unreadable().iter().map(|file| file.path.as_str()).collect();
    let is_item = |path: &&&str| path.ends_with(".toon") || path.ends_with(".md");
    let mut paths: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for record in records.iter() {
        paths.entry(fold(record.id())).or_default().push(record.path());
    }
    let files = records.len() + unreadable.iter().filter(is_item).count();
    verdict.set("item_files_on_disk", files);
    verdict.set("item_ids_on_disk", files - (records.len() - paths.len()));
    verdict.set("parsed_items", records.len());
    verdict.find(Status::Error, "storage_unreadable_items", unreadable.len());
    verdict.set("unreadable_item_files", unreadable);
    let double = paths.iter().filter(|(_, paths)| paths.len() > 1);
    let double: Vec<String> = double.map(|(id, paths)| format!("{id}:{}", paths.join(","))).collect();
    verdict.find(Status::Error, "storage_duplicate_item_ids", double.len());
    verdict.set("duplicate_item_ids", double);
    histories(evidence, &mut verdict);
    let broken =
        facts.config.iter().filter_map(|file| Some(format!("{}: {}", file.path, file.problem.as_ref()?)));
    let broken: Vec<String> = broken.collect();
    verdict.set("config_files_scanned", facts.config.len());
    verdict.find(Status::Error, "storage_unparseable_config", broken.len());
    verdict.set("unparseable_config_files", broken);
    verdict.find(Status::Error, "storage_redaction_returned", facts.returned_secrets.len());
    if !facts.returned_secrets.is_empty() {
        verdict.set("redaction_returned_items", facts.returned_secrets.clone());
        verdict.set("redaction_returned_remedy", "pm merge reconcile");
    }
    verdict.find(Status::Error, "storage_unjoined_files", facts.unjoined.len());
    if !facts.unjoined.is_empty() {
        verdict.set("unjoined_files", facts.unjoined.clone());
        verdict.set("unjoined_files_remedy", "pm merge reconcile");
    }
    undeclared(evidence, &mut verdict);
    merging(facts, &mut verdict);
    let remedy = (!facts.tracked_caches.is_empty())
        .then(|| format!("git rm -r --cached {}", facts.tracked_caches.join(" ")));
    verdict.warn("storage_tracked_runtime_cache_files", facts.tracked_caches.len());
    verdict.set(
        "tracked_runtime_cache",
        json!({
            "tracker_relative_root": facts.relative_root,
            "tracked_paths": facts.tracked_caches,
            "tracked_path_count": facts.tracked_caches.len(),
            "remediation_command": remedy,
        }),
    );
    verdict
}

fn histories(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let streams = &evidence.streams.streams;
    let with = |wanted: StreamProblem| -> Vec<&str> {
        let is =
            |problem: &Option<(StreamProblem, String)>| problem.as_ref().is_some_and(|(p, _)| *p == wanted);
        streams.iter().filter(|(_, facts)| is(&facts.problem)).map(|(id, _)| id.as_str()).collect()
    };
    let (conflicted, mut broken) = (with(StreamProblem::ConflictMarkers), with(StreamProblem::Unparseable));
    broken.extend(with(StreamProblem::Unreadable));
    let risen = streams.iter().filter(|(id, facts)| facts.deleted && evidence.records.find(id).is_some());
    let risen: Vec<&str> = risen.map(|(id, _)| id.as_str()).collect();
    verdict.set("history_streams_scanned", streams.len());
    verdict.find(Status::Error, "storage_history_conflict_markers", conflicted.len());
    verdict.set("history_conflict_marker_streams", conflicted);
    verdict.find(Status::Error, "storage_unparseable_history", broken.len());
    verdict.set("history_unparseable_streams", broken);
    verdict.find(Status::Error, "storage_resurrected_items", risen.len());
    verdict.set("resurrected_items", risen);
    undecided(evidence, verdict);
    let reconciled: usize = streams.values().map(|facts| facts.reconciled).sum();
    verdict.set("history_repair_reconciliations", reconciled);
}

/// What merges left to somebody: fields of items, deletions beside changes, places in settings and schema.
pub fn undecided_merges(evidence: &Evidence<'_>) -> Vec<String> {
    let fields = evidence.records.iter().filter(|record| conflicts::is_conflicted(*record));
    let mut open: Vec<String> =
        fields.map(|record| format!("{}:{}", record.id(), conflicts::fields_of(record).join(","))).collect();
    for (id, facts) in &evidence.streams.streams {
        if facts.undecided_deletion {
            open.push(format!("{id}:{}", conflicts::DELETED));
        }
        open.extend(facts.undecided.iter().map(|(path, field)| format!("{path}:{field}")));
    }
    open
}

/// Whatever waits is an error.
fn undecided(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let open = undecided_merges(evidence);
    verdict.find(Status::Error, "storage_merge_undecided", open.len());
    if !open.is_empty() {
        verdict.set("merge_undecided", open);
    }
}

/// What items say and the schema does not know, as where one branch took a word out of it that another one used.
fn undeclared(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let found = undeclared_types(evidence);
    verdict.warn("storage_undeclared_type", found.len());
    if !found.is_empty() {
        verdict.set("undeclared_type", found);
        verdict.set("undeclared_type_remedy", "pm merge status");
    }
}

/// The items whose type the schema does not have, each with that type.
pub fn undeclared_types(evidence: &Evidence<'_>) -> Vec<String> {
    let kinds = &evidence.schema.kinds;
    let unknown = evidence.records.iter().filter(|record| kinds.resolve(record.kind()).is_none());
    unknown.map(|record| format!("{}:{}", record.id(), record.kind())).collect()
}

fn merging(facts: &StorageFacts, verdict: &mut Verdict) {
    let fence = &facts.fence;
    let drifted = fence.missing.len() + fence.stale.len();
    verdict.warn("merge_fence_drift", if fence.status == "drift" { drifted } else { 0 });
    verdict.set(
        "merge_fence",
        json!({
            "status": fence.status,
            "path": fence.path,
            "missing_patterns": fence.missing,
            "stale_patterns": fence.stale,
            "schema_scope": "project",
        }),
    );
    let status = match (fence.status, facts.missing_drivers.is_empty(), facts.drifted_drivers.is_empty()) {
        ("not_a_repository", ..) => "not_a_repository",
        (_, false, _) => "missing",
        (_, _, false) => "drift",
        _ if !facts.gone_drivers.is_empty() => "gone",
        _ => "ok",
    };
    let drivers = facts.missing_drivers.len() + facts.drifted_drivers.len() + facts.gone_drivers.len();
    verdict.warn("merge_driver_configuration", drivers);
    let mut drivers = json!({"status": status, "missing_keys": facts.missing_drivers, "drifted_keys": facts.drifted_drivers});
    if !facts.gone_drivers.is_empty() {
        drivers["gone_programs"] = facts.gone_drivers.clone().into();
        drivers["remedy"] = "pm merge install".into();
    }
    verdict.set("merge_driver_configuration", drivers);
    verdict.set("pending_merge_decision_count", facts.pending_decisions.len());
    verdict.warn("merge_decisions_unreviewed", facts.pending_decisions.len());
    verdict.set("pending_merge_decision_items", facts.pending_decisions.clone());
    verdict.set("lossless_merge_receipt_count", facts.lossless_receipts.len());
    verdict.set("lossless_merge_receipt_items", facts.lossless_receipts.clone());
}
