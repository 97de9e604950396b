//! Whether the ids that items name exist: parents, blockers, links.

use super::{Evidence, Verdict};
use crate::domain::blockers::{NO_BLOCKER, is_in_words};
use crate::model::records::Record;

/// Links that name something outside of the tracker.
fn is_external(source_kind: &str) -> bool {
    source_kind.starts_with("external")
}

/// Everything that an item names, with the field that names it.
fn named(record: Record<'_>) -> impl Iterator<Item = (&'static str, &str)> {
    let blocker = record.blocked_by().filter(|id| !is_sentinel(id) && !is_in_words(id));
    let links = record.links().filter(|link| !is_external(link.source_kind));
    let parent = record.parent().map(|id| ("parent", id));
    parent
        .into_iter()
        .chain(blocker.map(|id| ("blocked_by", id)))
        .chain(links.map(|link| ("dependencies", link.id)))
}

fn is_sentinel(id: &str) -> bool {
    id.trim().to_lowercase().replace([' ', '_'], "-") == NO_BLOCKER
}

pub(super) fn check(evidence: &Evidence<'_>) -> Verdict {
    let (mut active, mut legacy, mut hints) = (Vec::new(), Vec::new(), Vec::new());
    let (mut closed, mut sentinels) = (0, 0);
    for record in evidence.records.iter() {
        sentinels += usize::from(record.blocked_by().is_some_and(is_sentinel));
        for (field, id) in named(record).filter(|(_, id)| !id.trim().is_empty()) {
            if evidence.rows.find(id).is_some() {
                continue;
            }
            let row = format!("{}:{field}:{}", record.id(), id.trim());
            if evidence.is_over(record) {
                closed += usize::from(record.status() == evidence.schema.statuses.close());
                legacy.push(row);
            } else {
                hints.push(hint(record.id(), field, id.trim()));
                active.push(row);
            }
        }
    }
    let mut verdict = Verdict::new("dependency_references");
    verdict.set("checked_items", evidence.records.len());
    verdict.set("dangling_reference_count", active.len());
    verdict.set("active_dangling_reference_count", active.len());
    verdict.warn("dangling_dependency_references", active.len());
    verdict.list("dangling_reference_rows", active);
    verdict.set("legacy_terminal_dangling_reference_count", legacy.len());
    verdict.set("legacy_closed_dangling_reference_count", closed);
    verdict.list("legacy_terminal_dangling_reference_rows", legacy);
    verdict.set("no_active_blocker_sentinel_count", sentinels);
    verdict.hints.clone_from(&hints);
    verdict.list("remediation_hints", hints);
    verdict
}

/// A command that takes the reference away.
fn hint(holder: &str, field: &str, id: &str) -> String {
    match field {
        "dependencies" => format!("pm update {holder} --dep-remove {id}"),
        "parent" => format!("pm update {holder} --unset parent"),
        _ => format!("pm update {holder} --unset blocked-by"),
    }
}
