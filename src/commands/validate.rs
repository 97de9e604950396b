//! `pm validate`.

use serde_json::{Value, json};

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::checks::{
    self, CHECKS, Check, Evidence, Needs, Options, Scan, Severity, Status, StorageFacts, Verdict,
    WorkspaceFiles,
};
use crate::domain::children::Hierarchy;
use crate::domain::filter::values;
use crate::domain::rows::Rows as RowIndex;
use crate::domain::survey::Streams;
use crate::error::{Code, Result};
use crate::model::timestamp;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Checks a tracker.
pub(super) struct Validate;

/// Arguments of `pm validate`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Check whether items have the fields of their profile
    #[arg(long, help_heading = "Checks")]
    check_metadata: bool,
    /// The profile: core, strict or custom
    #[arg(long, value_name = "PROFILE", help_heading = "Checks")]
    metadata_profile: Option<String>,
    /// Check whether finished items say what came of them
    #[arg(long, help_heading = "Checks")]
    check_resolution: bool,
    /// Check blockers, parents, circles and references of items
    #[arg(long, help_heading = "Checks")]
    check_lifecycle: bool,
    /// Also look for blockers that say nothing any more
    #[arg(long, help_heading = "Checks")]
    check_stale_blockers: bool,
    /// What a circle of dependencies is: off, warn or error
    #[arg(long, value_name = "SEVERITY", help_heading = "Checks")]
    dependency_cycle_severity: Option<String>,
    /// What a circle of parents is: off, warn or error
    #[arg(long, value_name = "SEVERITY", help_heading = "Checks")]
    parent_cycle_severity: Option<String>,
    /// Check whether linked files exist and which files nobody links
    #[arg(long, help_heading = "Checks")]
    check_files: bool,
    /// Which files to look at: default, tracked-all or tracked-all-strict
    #[arg(long, value_name = "MODE", help_heading = "Checks")]
    scan_mode: Option<String>,
    /// Look at the tracker's own files too
    #[arg(long, help_heading = "Checks")]
    include_pm_internals: bool,
    /// Check whether the ids that linked commands name exist
    #[arg(long, help_heading = "Checks")]
    check_command_references: bool,
    /// Check every history and the item at its end
    #[arg(long, help_heading = "Checks")]
    check_history_drift: bool,
    /// Check the tracker's files: readable, unique, without leftovers of a merge
    #[arg(long, help_heading = "Checks")]
    check_storage_integrity: bool,
    /// Accepted for compatibility: lists are complete unless they cost too much
    #[arg(long, hide = true)]
    verbose_file_lists: bool,
    /// Accepted for compatibility: lists are complete unless they cost too much
    #[arg(long, hide = true)]
    verbose_diagnostics: bool,
    /// Accepted for compatibility: lists are complete unless they cost too much
    #[arg(long, hide = true)]
    all_affected_ids: bool,
    /// Exit 1 when there are warnings
    #[arg(long, alias = "fail-on-warn")]
    strict_exit: bool,
    /// Show numbers, no rows
    #[arg(long)]
    counts: bool,
    /// Show everything
    #[arg(long)]
    full: bool,
}

impl Command for Validate {
    const CONTRACT: Contract = Contract {
        path: &["validate"],
        about: "Check the tracker",
        read_output: Some(surfaces::VALIDATE),
        errors: &[Code::InvalidArgumentValue],
        examples: &[
            Example { about: "Everything, in numbers", argv: &["validate", "--counts"] },
            Example { about: "Whether the histories hold", argv: &["validate", "--check-history-drift"] },
            Example {
                about: "A gate for CI",
                argv: &["validate", "--check-storage-integrity", "--strict-exit"],
            },
        ],
        tier: Tier::Core,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let options = options(&args)?;
        let scan = scan(&args)?;
        let chosen = chosen(&args);
        let tracker = context.tracker()?;
        let verdicts = verdicts(&chosen, &options, scan, args.include_pm_internals, tracker)?;
        let counts = context.want.mode.as_deref() == Some("counts");
        let ok = verdicts.iter().all(|verdict| verdict.status != Status::Error);
        let warnings = checks::warnings(&verdicts);
        let exit = u8::from(!ok || (args.strict_exit && !warnings.is_empty()));
        let rows = verdicts.iter().map(|verdict| verdict.row(counts)).collect();
        let warned = warnings.into_iter().map(Value::from).collect::<Vec<_>>();
        let included: &[&str] = if counts { &[] } else { &["diagnostic_rows"] };
        let mut answer = Answer::new()
            .value("ok", ok)
            .value("has_warnings", !warned.is_empty())
            .rows("checks", Rows::ready(rows).columns(["name", "status", "ok", "details"]))
            .rows("warnings", Rows::values(warned))
            .echo("generated_at", timestamp::format(context.clock.now()))
            .echo(
                "projection",
                json!({
                    "mode": if counts { "counts" } else { "full" },
                    "declared_field_groups": [{"name": "diagnostic_rows", "restore_with": "--full"}],
                    "included_field_groups": included,
                }),
            );
        if counts {
            answer = answer.omits("diagnostic_rows", "--full");
        }
        Ok(answer.exit(exit))
    }
}

fn options(args: &Args) -> Result<Options> {
    let severity = |flag: &str, text: &Option<String>| match text.as_deref().map(str::trim) {
        None => Ok(Severity::Warn),
        Some(text) => {
            Severity::named(&text.to_lowercase()).ok_or_else(|| values::illegal(flag, text, &Severity::NAMES))
        }
    };
    Ok(Options {
        profile: args.metadata_profile.as_deref().map(checks::known_profile).transpose()?,
        stale_blockers: args.check_stale_blockers,
        dependency_cycles: severity("--dependency-cycle-severity", &args.dependency_cycle_severity)?,
        parent_cycles: severity("--parent-cycle-severity", &args.parent_cycle_severity)?,
    })
}

fn scan(args: &Args) -> Result<Scan> {
    match args.scan_mode.as_deref().map(str::trim) {
        None => Ok(Scan::Default),
        Some(text) => Scan::named(&text.to_lowercase())
            .ok_or_else(|| values::illegal("--scan-mode", text, &Scan::NAMES)),
    }
}

/// The checks that flags ask for, all of them when no flag does.
fn chosen(args: &Args) -> Vec<&'static Check> {
    let flags = [
        ("--check-metadata", args.check_metadata),
        ("--check-resolution", args.check_resolution),
        ("--check-lifecycle", args.check_lifecycle || args.check_stale_blockers),
        ("--check-files", args.check_files),
        ("--check-command-references", args.check_command_references),
        ("--check-history-drift", args.check_history_drift),
        ("--check-storage-integrity", args.check_storage_integrity),
    ];
    let asked: Vec<&str> = flags.iter().filter(|(_, asked)| *asked).map(|(flag, _)| *flag).collect();
    let wanted =
        |check: &&Check| asked.is_empty() || check.selector.is_some_and(|flag| asked.contains(&flag));
    CHECKS.iter().filter(wanted).collect()
}

/// Collects what the checks need and lets them look.
fn verdicts(
    chosen: &[&Check],
    options: &Options,
    scan: Scan,
    internals: bool,
    tracker: &Tracker,
) -> Result<Vec<Verdict>> {
    let needs = chosen.iter().fold(Needs::default(), |needs, check| needs.with(check.needs));
    let records = tracker.records()?;
    let rows = RowIndex::new(records);
    let hierarchy = Hierarchy::new(records, &rows);
    let facts = if needs.facts { tracker.item_facts()? } else { Vec::new() };
    let streams = if needs.streams { tracker.streams()? } else { Streams::default() };
    let files = if needs.files {
        let linked = facts.iter().flat_map(|facts| facts.files.iter().chain(&facts.docs));
        tracker.workspace_files(scan, internals, linked.map(|path| checks::normalise(path)))
    } else {
        WorkspaceFiles::default()
    };
    let storage = if needs.storage { tracker.storage_facts() } else { StorageFacts::default() };
    let evidence = Evidence {
        records,
        rows: &rows,
        hierarchy: &hierarchy,
        schema: tracker.schema(),
        settings: tracker.settings(),
        options,
        facts: &facts,
        streams: &streams,
        files: &files,
        storage: &storage,
    };
    Ok(chosen.iter().map(|check| (check.run)(&evidence)).collect())
}
