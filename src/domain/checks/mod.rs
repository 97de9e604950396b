//! The checks of `pm validate`: one file each, one table (surfaces.md §18).
//!
//! A check is a pure function over [`Evidence`]; what it needs beside the records says its line in [`CHECKS`], so that
//! nothing is collected that nobody asked for.

pub mod codes;
mod commands;
mod coverage;
mod drift;
mod files;
pub mod fixes;
mod format_version;
mod lifecycle;
mod metadata;
mod references;
mod resolution;
mod storage;

use serde_json::{Map, Value};

use crate::domain::children::Hierarchy;
use crate::domain::rows::Rows;
use crate::domain::survey::{ItemFacts, Streams};
use crate::model::records::{Record, Records};
use crate::model::schema::Schema;
use crate::model::settings::Settings;

pub use coverage::coverage;
pub use drift::Drift;
pub use files::{Scan, WorkspaceFiles, normalise};
pub use lifecycle::{ParentFindings, parent_findings};
pub use metadata::known_profile;
pub use storage::{ConfigFile, Fence, StorageFacts, undecided_merges, undeclared_types};

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Nothing to say.
    Ok,
    /// Something to look at.
    Warn,
    /// Something broken.
    Error,
}

impl Status {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Warn => "warn",
            Status::Error => "error",
        }
    }
}

/// What a check found.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The check's name.
    pub name: &'static str,
    /// The worst of its findings.
    pub status: Status,
    /// Numbers and rows, in wire order.
    pub details: Map<String, Value>,
    /// Codes with how often each was found.
    pub warnings: Vec<(String, usize)>,
    /// Commands that help, one for each finding.
    pub hints: Vec<String>,
}

impl Verdict {
    fn new(name: &'static str) -> Verdict {
        Verdict { name, status: Status::Ok, details: Map::new(), warnings: Vec::new(), hints: Vec::new() }
    }

    /// What became of the runbooks that open plans were made of: plan, code and sentence of each finding.
    pub fn of_runbooks(plans: usize, findings: &[(String, &'static str, String)]) -> Verdict {
        let mut verdict = Verdict::new("runbooks");
        verdict.set("open_plans_with_runbook", plans);
        let row = |(plan, code, message): &(String, &'static str, String)| {
            Value::from_iter([("id", plan.as_str()), ("code", code), ("message", message.as_str())])
        };
        verdict.list("findings", findings.iter().map(row).collect::<Vec<Value>>());
        let mut codes: Vec<&str> = findings.iter().map(|(_, code, _)| *code).collect();
        codes.sort_unstable();
        codes.dedup();
        for code in codes {
            verdict.warn(code, findings.iter().filter(|(_, own, _)| *own == code).count());
        }
        verdict.hints = findings.iter().map(|(plan, ..)| format!("pm plan show {plan}")).collect();
        verdict
    }

    /// Adds a detail.
    fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.details.insert(key.to_owned(), value.into());
    }

    /// Adds a list and that nothing of it is left out: the output pipeline shortens lists, and says so.
    fn list<T: Into<Value>>(&mut self, key: &str, rows: Vec<T>) {
        self.set(key, Value::Array(rows.into_iter().map(Into::into).collect()));
        self.set(&format!("{key}_truncated"), false);
    }

    /// Adds a warning when there is something to warn of.
    fn warn(&mut self, code: &str, count: usize) {
        self.find(Status::Warn, code, count);
    }

    /// Adds a finding of some weight when there is one.
    fn find(&mut self, status: Status, code: &str, count: usize) {
        debug_assert!(codes::is_declared(code), "{code} stands in checks::codes");
        if count > 0 {
            self.warnings.push((format!("{}{code}", codes::PREFIX), count));
            self.status = self.status.max(status);
        }
    }

    /// The row of the answer; `counts` leaves every list out, `hints` adds the commands that help.
    pub fn row(&self, counts: bool, hints: bool) -> Map<String, Value> {
        let mut details = Value::Object(self.details.clone());
        if hints && !self.hints.is_empty() {
            details["fix_hints"] = self.hints.clone().into();
        }
        if counts {
            drop_lists(&mut details);
        }
        Map::from_iter([
            ("name".to_owned(), self.name.into()),
            ("status".to_owned(), self.status.as_str().into()),
            ("ok".to_owned(), (self.status == Status::Ok).into()),
            ("details".to_owned(), details),
        ])
    }
}

fn drop_lists(value: &mut Value) {
    if let Value::Object(map) = value {
        map.retain(|_, value| !value.is_array());
        map.values_mut().for_each(drop_lists);
    }
}

/// Whether a finding in a graph is a warning, an error, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Counted, not reported.
    Off,
    /// A warning.
    Warn,
    /// An error.
    Error,
}

impl Severity {
    /// The legal words.
    pub const NAMES: [&'static str; 3] = ["off", "warn", "error"];

    /// The severity of this name.
    pub fn named(name: &str) -> Option<Severity> {
        Some(match name {
            "off" => Severity::Off,
            "warn" => Severity::Warn,
            "error" => Severity::Error,
            _ => return None,
        })
    }

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Off => "off",
            Severity::Warn => "warn",
            Severity::Error => "error",
        }
    }
}

/// How checks are to be made.
#[derive(Clone, Debug)]
pub struct Options {
    /// The metadata profile asked for; else that of the settings.
    pub profile: Option<String>,
    /// Look for blockers that have become meaningless.
    pub stale_blockers: bool,
    /// What a circle of dependencies is.
    pub dependency_cycles: Severity,
    /// What a circle of parents is.
    pub parent_cycles: Severity,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            profile: None,
            stale_blockers: false,
            dependency_cycles: Severity::Warn,
            parent_cycles: Severity::Warn,
        }
    }
}

/// What checks look at.
pub struct Evidence<'a> {
    /// Every item.
    pub records: &'a Records,
    /// Their rows by id.
    pub rows: &'a Rows,
    /// Who belongs to whom.
    pub hierarchy: &'a Hierarchy,
    /// Statuses and kinds.
    pub schema: &'a Schema,
    /// Profiles, patterns.
    pub settings: &'a Settings,
    /// How to check.
    pub options: &'a Options,
    /// What the text of each item says, by row; empty when no check asked for it.
    pub facts: &'a [ItemFacts],
    /// The histories; empty when no check asked for them.
    pub streams: &'a Streams,
    /// The files of the workspace.
    pub files: &'a WorkspaceFiles,
    /// The state of the tracker's own files.
    pub storage: &'a StorageFacts,
}

impl<'a> Evidence<'a> {
    fn is_over(&self, record: Record<'_>) -> bool {
        self.schema.statuses.is_terminal(record.status())
    }

    fn open(&self) -> impl Iterator<Item = Record<'a>> {
        self.records.iter().filter(|record| !self.is_over(*record))
    }

    fn facts(&self, record: Record<'_>) -> &'a ItemFacts {
        static NONE: std::sync::LazyLock<ItemFacts> = std::sync::LazyLock::new(ItemFacts::default);
        self.facts.get(record.number()).unwrap_or(&NONE)
    }
}

/// What a check needs beside the records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// [`Evidence::facts`].
    pub facts: bool,
    /// [`Evidence::streams`].
    pub streams: bool,
    /// [`Evidence::files`].
    pub files: bool,
    /// [`Evidence::storage`].
    pub storage: bool,
}

impl Needs {
    const NOTHING: Needs = Needs { facts: false, streams: false, files: false, storage: false };

    /// Both together.
    pub fn with(self, other: Needs) -> Needs {
        Needs {
            facts: self.facts || other.facts,
            streams: self.streams || other.streams,
            files: self.files || other.files,
            storage: self.storage || other.storage,
        }
    }
}

/// One check.
pub struct Check {
    /// Its name on the wire.
    pub name: &'static str,
    /// The flag that asks for it alone; none: it runs when no flag asks for another.
    pub selector: Option<&'static str>,
    /// What it needs.
    pub needs: Needs,
    /// Looks.
    pub run: fn(&Evidence<'_>) -> Verdict,
}

const LIFECYCLE: Option<&str> = Some("--check-lifecycle");

/// Every check, in the order of the answer.
pub const CHECKS: &[Check] = &[
    Check {
        name: "metadata",
        selector: Some("--check-metadata"),
        needs: Needs::NOTHING,
        run: metadata::check,
    },
    Check {
        name: "resolution",
        selector: Some("--check-resolution"),
        needs: Needs::NOTHING,
        run: resolution::check,
    },
    Check {
        name: "lifecycle",
        selector: LIFECYCLE,
        needs: Needs { facts: true, ..Needs::NOTHING },
        run: lifecycle::check,
    },
    Check {
        name: "dependency_references",
        selector: LIFECYCLE,
        needs: Needs::NOTHING,
        run: references::check,
    },
    Check {
        name: "files",
        selector: Some("--check-files"),
        needs: Needs { facts: true, files: true, ..Needs::NOTHING },
        run: files::check,
    },
    Check {
        name: "command_references",
        selector: Some("--check-command-references"),
        needs: Needs { facts: true, ..Needs::NOTHING },
        run: commands::check,
    },
    Check {
        name: "history_drift",
        selector: Some("--check-history-drift"),
        needs: Needs { streams: true, ..Needs::NOTHING },
        run: drift::check,
    },
    Check { name: "format_version", selector: None, needs: Needs::NOTHING, run: format_version::check },
    Check {
        name: "storage_integrity",
        selector: Some("--check-storage-integrity"),
        needs: Needs { streams: true, storage: true, ..Needs::NOTHING },
        run: storage::check,
    },
];

/// The envelope's warnings: each code with its count, sorted.
pub fn warnings(verdicts: &[Verdict]) -> Vec<String> {
    let mut all: Vec<String> =
        verdicts.iter().flat_map(|v| &v.warnings).map(|(code, count)| format!("{code}:{count}")).collect();
    all.sort_unstable();
    all.dedup();
    all
}
