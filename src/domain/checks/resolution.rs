//! Whether finished items say what came of them.

use super::{Evidence, Verdict};
use crate::model::records::Presence;
use crate::model::status::Roles;

const FIELDS: [(&str, &str, Presence); 3] = [
    ("resolution", "--resolution \"How it was resolved\"", Presence::RESOLUTION),
    ("expected_result", "--expected-result \"What was expected\"", Presence::EXPECTED_RESULT),
    ("actual_result", "--actual-result \"What came of it\"", Presence::ACTUAL_RESULT),
];

pub(super) fn check(evidence: &Evidence<'_>) -> Verdict {
    let done = |status: &str| evidence.schema.statuses.plays(status, Roles::TERMINAL_DONE);
    let (mut checked, mut rows, mut hints) = (0, Vec::new(), Vec::new());
    for record in evidence.records.iter().filter(|record| done(record.status())) {
        checked += 1;
        let missing: Vec<_> = FIELDS.iter().filter(|(_, _, part)| !record.has(*part)).collect();
        if !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(|(name, ..)| *name).collect();
            let flags: Vec<&str> = missing.iter().map(|(_, flag, _)| *flag).collect();
            rows.push(format!("{}:{}", record.id(), names.join(",")));
            hints.push(format!("pm update {} {}", record.id(), flags.join(" ")));
        }
    }
    let mut verdict = Verdict::new("resolution");
    verdict.set("checked_closed_items", checked);
    verdict.set("missing_resolution_items", rows.len());
    verdict.warn("resolution_missing_fields", rows.len());
    verdict.list("missing_resolution_rows", rows);
    // The hints differ in the id only: the first shows the form of all.
    verdict.list("missing_resolution_remediation_hints", hints.iter().take(1).cloned().collect());
    verdict.hints = hints;
    verdict
}
