//! Whether every history holds and ends at its item as it is.

use std::collections::BTreeSet;

use serde_json::json;

use super::{Evidence, Verdict};
use crate::domain::survey::{Attribution, Streams};
use crate::model::records::Records;

/// What is wrong with histories, by kind of fault; ids in order.
#[derive(Clone, Debug, Default)]
pub struct Drift {
    /// Items without a stream.
    pub missing: Vec<String>,
    /// Streams that cannot be read.
    pub unreadable: Vec<String>,
    /// Items, or deletions, that their stream does not end with.
    pub hash_mismatches: Vec<String>,
    /// Streams whose chain does not hold, with the fault.
    pub chain_mismatches: Vec<(String, String)>,
}

impl Drift {
    /// Looks at all streams.
    pub fn of(streams: &Streams, records: &Records) -> Drift {
        let mut drift = Drift::default();
        for record in records.iter() {
            if !streams.streams.contains_key(record.id()) {
                drift.missing.push(record.id().to_owned());
            }
        }
        for (id, facts) in &streams.streams {
            let exists = records.find(id).is_some();
            if facts.problem.is_some() {
                drift.unreadable.push(id.clone());
            } else if let Some(fault) = &facts.fault {
                drift.chain_mismatches.push((id.clone(), fault.clone()));
            } else if facts.differs && (exists || facts.entries > 0) {
                drift.hash_mismatches.push(id.clone());
            }
        }
        drift
    }

    /// Everything that drifted, each id once.
    pub fn ids(&self) -> Vec<&str> {
        let chains = self.chain_mismatches.iter().map(|(id, _)| id);
        let all = self.missing.iter().chain(&self.unreadable).chain(&self.hash_mismatches).chain(chains);
        all.map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

pub(super) fn check(evidence: &Evidence<'_>) -> Verdict {
    let streams = evidence.streams;
    let drift = Drift::of(streams, evidence.records);
    let mut verdict = Verdict::new("history_drift");
    let ids = drift.ids();
    verdict.hints = ids.iter().map(|id| format!("pm history-repair {id}")).collect();
    verdict.hints.extend(ids.iter().map(|id| format!("pm history {id} --verify")));
    verdict.set("checked_items", evidence.records.len());
    verdict.set("drifted_items_count", ids.len());
    verdict.list("drifted_items", ids);
    let documents = [
        ("workspace_state_mismatches", &streams.changed_documents),
        ("workspace_state_missing", &streams.missing_documents),
        ("workspace_state_unreadable", &streams.unreadable_documents),
    ];
    verdict.set(
        "counts",
        json!({
            "missing_streams": drift.missing.len(),
            "unreadable_streams": drift.unreadable.len(),
            "hash_mismatches": drift.hash_mismatches.len(),
            "chain_mismatches": drift.chain_mismatches.len(),
            "workspace_state_mismatches": documents[0].1.len(),
            "workspace_state_missing": documents[1].1.len(),
            "workspace_state_unreadable": documents[2].1.len(),
        }),
    );
    for (key, paths) in documents {
        verdict.set(key, paths.clone());
        verdict.warn(&format!("history_drift_{key}"), paths.len());
    }
    if !drift.chain_mismatches.is_empty() {
        let faults = drift.chain_mismatches.iter().map(|(id, fault)| format!("{id}:{fault}")).collect();
        verdict.list::<String>("chain_mismatch_rows", faults);
    }
    verdict.warn("history_drift_missing_streams", drift.missing.len());
    verdict.warn("history_drift_unreadable_streams", drift.unreadable.len());
    verdict.warn("history_drift_hash_mismatches", drift.hash_mismatches.len());
    verdict.warn("history_drift_chain_mismatches", drift.chain_mismatches.len());
    let authors = Attribution::of(streams);
    verdict.warn("history_unknown_author_events", authors.actionable.len());
    verdict
}
