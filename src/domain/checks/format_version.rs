//! Whether items are of the format that this program writes.

use super::{Evidence, Status, Verdict};
use crate::model::records::Record;

/// What is written today; items that name no version have it.
const CURRENT: f64 = 1.0;

pub(super) fn check(evidence: &Evidence<'_>) -> Verdict {
    let version = |record: &Record<'_>| record.format_version().unwrap_or(CURRENT);
    let row = |record: Record<'_>| format!("{}:{}", record.id(), version(&record));
    let outdated: Vec<String> = evidence.records.iter().filter(|r| version(r) < CURRENT).map(row).collect();
    let ahead: Vec<String> = evidence.records.iter().filter(|r| version(r) > CURRENT).map(row).collect();
    let mut verdict = Verdict::new("format_version");
    verdict.set("checked_items", evidence.records.len());
    verdict.set("current_format_version", 1);
    verdict.set("outdated_items_count", outdated.len());
    verdict.warn("format_version_outdated_items", outdated.len());
    verdict.list("outdated_items", outdated);
    verdict.set("ahead_items_count", ahead.len());
    verdict.find(Status::Error, "format_version_ahead_items", ahead.len());
    verdict.list("ahead_items", ahead);
    verdict
}
