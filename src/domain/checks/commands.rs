//! Whether the ids that linked commands name exist.

use std::collections::BTreeSet;

use super::{Evidence, Verdict};

pub(super) fn check(evidence: &Evidence<'_>) -> Verdict {
    let (mut commands, mut named) = (0, 0);
    let (mut unique, mut stale, mut rows) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for record in evidence.records.iter() {
        let facts = evidence.facts(record);
        commands += facts.commands;
        for id in &facts.named_by_commands {
            named += 1;
            unique.insert(id.as_str());
            if evidence.rows.find(id).is_none() {
                stale.insert(id.as_str());
                rows.push(format!("{}:{id}", record.id()));
            }
        }
    }
    let mut verdict = Verdict::new("command_references");
    verdict.set("checked_items", evidence.records.len());
    verdict.set("linked_commands_scanned", commands);
    verdict.set("referenced_pm_ids_count", named);
    verdict.set("unique_referenced_pm_ids_count", unique.len());
    verdict.list("unique_referenced_pm_ids", unique.into_iter().collect());
    verdict.set("stale_pm_id_references_count", rows.len());
    verdict.set("stale_pm_ids_count", stale.len());
    verdict.warn("command_references_stale_pm_ids", stale.len());
    verdict.list("stale_pm_ids", stale.into_iter().collect());
    verdict.list("stale_pm_id_reference_rows", rows);
    verdict
}
