//! The checks of `pm health`: is the tracker in order, and if not, which command helps (surfaces.md §19).

mod data;
mod setup;

use serde_json::{Map, Value, json};

use crate::domain::checks::Evidence;

/// The most warnings that an answer names.
pub const MAX_WARNINGS: usize = 100;
/// The most that a short answer names, of warnings and in every list.
pub const SAMPLE: usize = 8;

/// What the checks look at beside the evidence of [`crate::domain::checks`].
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Now, in milliseconds since the epoch.
    pub now: i64,
    /// What of settings and schema could not be used.
    pub settings_warnings: Vec<String>,
    /// Folders that exist below the root.
    pub folders: Vec<String>,
    /// Optional folders are required.
    pub strict_directories: bool,
    /// Packages of the reference that lie in the tracker.
    pub packages: Vec<String>,
    /// The locks, by what they are.
    pub locks: Locks,
    /// Missing merge drivers are failures.
    pub require_merge_drivers: bool,
}

/// The locks of a tracker, by item.
#[derive(Clone, Debug, Default)]
pub struct Locks {
    /// Their holders live, or may live.
    pub active: Vec<String>,
    /// Their holders are gone.
    pub stale: Vec<String>,
    /// They cannot be read.
    pub unreadable: Vec<String>,
    /// They are none.
    pub unparseable: Vec<String>,
}

/// What a check found.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The check's name.
    pub name: &'static str,
    /// Everything worth knowing.
    pub details: Map<String, Value>,
    /// `code:what`, in order.
    pub warnings: Vec<String>,
    /// It was not made.
    pub skipped: bool,
}

impl Verdict {
    fn new(name: &'static str) -> Verdict {
        Verdict { name, details: Map::new(), warnings: Vec::new(), skipped: false }
    }

    fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.details.insert(key.to_owned(), value.into());
    }

    /// Adds a list to the details and a warning for each of its entries.
    fn warn_of<S: AsRef<str>>(&mut self, key: &str, code: &str, entries: &[S]) {
        let entries: Vec<&str> = entries.iter().map(AsRef::as_ref).collect();
        self.warnings.extend(entries.iter().map(|entry| format!("{code}:{entry}")));
        self.set(key, entries);
    }
}

/// How much of each check is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Everything.
    Full,
    /// Lists by number and sample.
    Brief,
    /// Verdicts only.
    Summary,
}

impl Mode {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Full => "full",
            Mode::Brief => "brief",
            Mode::Summary => "summary",
        }
    }
}

/// One check.
pub struct Check {
    /// Its name on the wire.
    pub name: &'static str,
    /// It looks at everything, so that a short answer goes without it.
    pub deep: bool,
    /// Looks.
    pub run: fn(&Evidence<'_>, &Surroundings) -> Verdict,
    /// Whether what every answer knows shows already that a deep check would fail: then it is made in short answers too.
    pub fails: fn(&Evidence<'_>) -> bool,
}

const fn check(name: &'static str, deep: bool, run: fn(&Evidence<'_>, &Surroundings) -> Verdict) -> Check {
    Check { name, deep, run, fails: |_| false }
}

/// Every check, in the order of the answer.
pub const CHECKS: &[Check] = &[
    check("settings", false, setup::settings),
    check("directories", false, setup::directories),
    check("settings_values", false, setup::settings_values),
    check("telemetry", false, setup::telemetry),
    check("extensions", false, setup::extensions),
    check("storage", false, data::storage),
    check("locks", false, setup::locks),
    Check { fails: data::cannot_be_whole, ..check("integrity", true, data::integrity) },
    Check { fails: data::has_drifted, ..check("history_drift", true, data::drift) },
    check("vectorization", true, setup::vectorization),
];

impl Check {
    /// A check that is not made.
    pub fn skipped(&self) -> Verdict {
        let mut verdict = Verdict::new(self.name);
        verdict.set("skipped", true);
        verdict.skipped = true;
        verdict
    }
}

/// A warning and the commands that help, the best first: codes by their beginning. A command that this program does not
/// have is not named.
struct Remedy {
    code: &'static str,
    commands: &'static [&'static str],
}

/// Shows what there is to see.
const LOOK: &str = "pm health --full";

const REMEDIES: &[Remedy] = &[
    Remedy { code: "settings_read_", commands: &["pm init --force"] },
    Remedy { code: "missing_directory", commands: &["pm init"] },
    Remedy { code: "integrity_item_", commands: &["pm validate --check-storage-integrity"] },
    Remedy { code: "integrity_history_", commands: &["pm validate --check-storage-integrity"] },
    Remedy { code: "integrity_hierarchy_", commands: &["pm validate --check-lifecycle"] },
    Remedy { code: "integrity_legacy_hierarchy_", commands: &["pm validate --check-lifecycle"] },
    Remedy {
        code: "history_drift_",
        commands: &["pm history-repair --all", "pm validate --check-history-drift"],
    },
    Remedy {
        code: "history_unknown_author_events",
        commands: &[
            "pm history-author-acknowledge --all-actionable --attributed-author NAME --reviewer NAME --reason WHY --dry-run",
            LOOK,
        ],
    },
    Remedy {
        code: "history_stream_over_compact_threshold",
        commands: &["pm history-compact --all-streams", LOOK],
    },
    Remedy { code: "locks_stale_count", commands: &["pm gc", LOOK] },
    Remedy { code: "integrity_undeclared_type", commands: &["pm merge status"] },
    Remedy { code: "integrity_merge_undecided", commands: &["pm merge status"] },
    Remedy { code: "integrity_unjoined_", commands: &["pm merge reconcile", "pm merge status"] },
    Remedy { code: "integrity_redaction_", commands: &["pm merge reconcile"] },
    Remedy { code: "merge_driver_configuration_", commands: &["pm merge install"] },
    Remedy {
        code: "merge_decisions_unreviewed",
        commands: &["pm merge reconcile", "pm validate --check-storage-integrity"],
    },
    Remedy {
        code: "stale_in_progress_items",
        commands: &["pm list --status in_progress --sort updated --order asc"],
    },
];

/// Warnings that are worth knowing but no failure, by their beginning.
const ADVISORY: &[&str] = &[
    "telemetry_",
    "history_stream_over_compact_threshold:",
    "integrity_legacy_hierarchy_",
    "stale_in_progress_items:",
    "provenance_",
];

/// Whether a warning is no failure.
fn is_advisory(warning: &str, surroundings: &Surroundings) -> bool {
    ADVISORY.iter().any(|prefix| warning.starts_with(prefix))
        || (warning.starts_with("merge_driver_configuration_missing:") && !surroundings.require_merge_drivers)
}

fn code(warning: &str) -> &str {
    warning.split(':').next().unwrap_or(warning)
}

/// The rows of the answer in a mode.
pub fn row(verdict: &Verdict, mode: Mode) -> Map<String, Value> {
    let ok = (!verdict.skipped).then_some(verdict.warnings.is_empty());
    let status = match ok {
        // Nobody has looked: neither good nor bad.
        None => "skipped",
        Some(true) => "ok",
        Some(false) => "warn",
    };
    let details = match mode {
        Mode::Summary => Map::new(),
        Mode::Full => verdict.details.clone(),
        Mode::Brief => verdict.details.iter().map(|(key, value)| (key.clone(), sampled(value))).collect(),
    };
    Map::from_iter([
        ("name".to_owned(), verdict.name.into()),
        ("status".to_owned(), status.into()),
        ("ok".to_owned(), ok.into()),
        ("details".to_owned(), details.into()),
    ])
}

/// A list as its length and first entries; anything else as it is.
fn sampled(value: &Value) -> Value {
    match value.as_array() {
        None => value.clone(),
        Some(entries) => {
            let sample: Vec<&Value> = entries.iter().take(SAMPLE).collect();
            json!({"count": entries.len(), "sample": sample, "truncated": entries.len() > SAMPLE})
        }
    }
}

/// What all checks together say.
#[derive(Clone, Debug)]
pub struct Summary {
    /// No warning is a failure.
    pub ok: bool,
    /// Every warning, in the order of the checks.
    pub warnings: Vec<String>,
    /// Each warning with its check, weight and remedy.
    pub findings: Vec<Value>,
    /// The codes that are failures, each once.
    pub failed_because: Vec<String>,
}

/// Puts the verdicts together; `declared` says whether this program has a command.
pub fn summary(
    verdicts: &[Verdict],
    surroundings: &Surroundings,
    declared: &dyn Fn(&str) -> bool,
) -> Summary {
    let mut summary =
        Summary { ok: true, warnings: Vec::new(), findings: Vec::new(), failed_because: Vec::new() };
    for verdict in verdicts {
        for warning in &verdict.warnings {
            let (code, advisory) = (code(warning), is_advisory(warning, surroundings));
            let mut finding = json!({
                "warning": warning, "code": code, "check": verdict.name,
                "severity": if advisory { "advisory" } else { "gate_failing" },
            });
            let remedy = REMEDIES.iter().find(|remedy| code.starts_with(remedy.code));
            let command = remedy.and_then(|remedy| remedy.commands.iter().find(|command| declared(command)));
            if let Some(command) = command {
                finding["remediation"] = (*command).into();
            }
            summary.findings.push(finding);
            summary.warnings.push(warning.clone());
            if !advisory {
                summary.ok = false;
                if !summary.failed_because.iter().any(|known| known == code) {
                    summary.failed_because.push(code.to_owned());
                }
            }
        }
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sampled_and_advice_is_no_failure() {
        let mut verdict = Verdict::new("integrity");
        let ids: Vec<String> = (0..10).map(|n| format!("pm-{n}")).collect();
        verdict.warn_of("legacy", "integrity_legacy_hierarchy_cardinality", &ids);
        let brief = row(&verdict, Mode::Brief);
        assert_eq!(brief["details"]["legacy"]["count"], 10);
        assert_eq!(brief["details"]["legacy"]["sample"].as_array().unwrap().len(), SAMPLE);
        assert_eq!(row(&verdict, Mode::Summary)["details"], json!({}));
        let surroundings = Surroundings::default();
        assert!(summary(&[verdict.clone()], &surroundings, &|_| true).ok);
        verdict.warn_of("bad", "integrity_item_unreadable", &["tasks/x.toon"]);
        let all = summary(&[verdict.clone()], &surroundings, &|_| true);
        assert_eq!((all.ok, all.failed_because), (false, vec!["integrity_item_unreadable".to_owned()]));
        assert_eq!(all.findings[10]["remediation"], "pm validate --check-storage-integrity");
        verdict.warn_of("stale", "locks_stale_count", &["1"]);
        let without = summary(&[verdict], &surroundings, &|command| command != "pm gc");
        assert_eq!(without.findings[11]["remediation"], LOOK);
    }
}
