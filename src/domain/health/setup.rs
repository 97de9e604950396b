//! What a tracker says about itself and what lies around it.

use serde_json::{Value, json};

use super::{Surroundings, Verdict};
use crate::domain::checks::Evidence;
use crate::model::settings::SettingsFault;

pub(super) fn settings(evidence: &Evidence<'_>, around: &Surroundings) -> Verdict {
    let mut verdict = Verdict::new("settings");
    let settings = evidence.settings;
    verdict.set("version", settings.number("version", 1));
    verdict.set("id_prefix", settings.id_prefix());
    verdict.set("locks_ttl_seconds", settings.number("locks.ttl_seconds", 1800));
    verdict.set("warnings", around.settings_warnings.clone());
    verdict.warnings.extend(around.settings_warnings.iter().cloned());
    verdict
}

/// The folders that a tracker needs: its own, and that of the histories once there is something to tell.
const REQUIRED: [&str; 2] = ["", "history"];
/// Folders that make themselves when they are needed.
const OPTIONAL: [&str; 3] = ["extensions", "schema", "search"];

pub(super) fn directories(evidence: &Evidence<'_>, around: &Surroundings) -> Verdict {
    let mut verdict = Verdict::new("directories");
    let exists = |folder: &str| folder.is_empty() || around.folders.iter().any(|known| known == folder);
    let kinds = evidence.schema.kinds.iter().map(|kind| kind.folder.as_str());
    let mut optional: Vec<&str> = kinds.chain(OPTIONAL).collect();
    optional.sort_unstable();
    optional.dedup();
    let needed = |folder: &&&str| **folder != "history" || !evidence.records.is_empty();
    let required: Vec<&str> = REQUIRED.iter().filter(needed).filter(|f| !exists(f)).copied().collect();
    let absent: Vec<&str> = optional.iter().filter(|folder| !exists(folder)).copied().collect();
    verdict.set("required_count", REQUIRED.len());
    verdict.set("optional_count", optional.len());
    verdict.set("missing_required", required.clone());
    verdict.set("missing_optional", absent.clone());
    let mut missing = required;
    if around.strict_directories {
        missing.extend(absent);
    }
    verdict.warn_of("missing", "missing_directory", &missing);
    verdict.set("strict_directories", around.strict_directories);
    verdict
}

pub(super) fn settings_values(evidence: &Evidence<'_>, _: &Surroundings) -> Verdict {
    let mut verdict = Verdict::new("settings_values");
    let faults: Vec<String> = match evidence.settings.fault() {
        Some(SettingsFault::InvalidSchema(paths)) => paths.clone(),
        _ => Vec::new(),
    };
    verdict.warn_of("warnings", "settings", &faults);
    verdict
}

/// There is no telemetry, whatever the settings of the reference say.
pub(super) fn telemetry(_: &Evidence<'_>, _: &Surroundings) -> Verdict {
    let mut verdict = Verdict::new("telemetry");
    verdict.set("enabled", false);
    verdict.set("capture_level", "none");
    verdict.set("endpoint", Value::Null);
    verdict.set("queue_entries", 0);
    verdict.set("endpoint_probe", json!({"attempted": false}));
    verdict
}

/// Packages of the reference are kept and not run.
pub(super) fn extensions(_: &Evidence<'_>, around: &Surroundings) -> Verdict {
    let mut verdict = Verdict::new("extensions");
    verdict.set("supported", false);
    verdict.set("discovered", around.packages.clone());
    for key in ["effective", "loaded", "failed", "warnings"] {
        verdict.set(key, Value::Array(Vec::new()));
    }
    verdict
}

pub(super) fn locks(_: &Evidence<'_>, around: &Surroundings) -> Verdict {
    let mut verdict = Verdict::new("locks");
    let locks = &around.locks;
    let counts = [
        ("active_lock_count", &locks.active),
        ("stale_lock_count", &locks.stale),
        ("unreadable_lock_count", &locks.unreadable),
        ("unparseable_lock_count", &locks.unparseable),
    ];
    for (key, list) in counts {
        verdict.set(key, list.len());
    }
    for (code, list) in [("locks_stale_count", &locks.stale), ("locks_unreadable", &locks.unreadable)] {
        if !list.is_empty() {
            verdict.warnings.push(format!("{code}:{}", list.len()));
        }
    }
    verdict.set("stale_locks", locks.stale.clone());
    verdict
}

/// Vectors are none of this program's means of search, so none can be stale.
pub(super) fn vectorization(_: &Evidence<'_>, _: &Surroundings) -> Verdict {
    let mut verdict = Verdict::new("vectorization");
    verdict.set("enabled", false);
    verdict.set("stale_items_before", Value::Array(Vec::new()));
    verdict.set("stale_items_after", Value::Array(Vec::new()));
    verdict
}
