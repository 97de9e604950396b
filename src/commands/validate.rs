//! `pm validate`.

use serde_json::{Value, json};

use super::plan::runbook;
use crate::answer::{Answer, Completeness, Rows};
use crate::contract::{Contract, Effect, Example, Tier, surfaces};
use crate::domain::checks::fixes::{self, Fix};
use crate::domain::checks::{
    self, CHECKS, Check, Evidence, Needs, Options, Scan, Severity, Status, StorageFacts, Verdict,
    WorkspaceFiles, codes,
};
use crate::domain::children::Hierarchy;
use crate::domain::filter::values;
use crate::domain::rows::Rows as RowIndex;
use crate::domain::survey::Streams;
use crate::error::{Code, Error, Result};
use crate::model::timestamp;
use crate::surface::{Command, Context};
use crate::tracker::Write;

use super::health::projected;

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
    /// Add commands that help to the details of each check
    #[arg(long, help_heading = "Fixes")]
    fix_hints: bool,
    /// Fix what follows from what items say already
    #[arg(long, help_heading = "Fixes")]
    auto_fix: bool,
    /// With --auto-fix: the parts that may be touched: metadata, resolution, lifecycle
    #[arg(long, value_name = "SCOPE", help_heading = "Fixes")]
    fix_scope: Vec<String>,
    /// Remove links to files that are gone
    #[arg(long, help_heading = "Fixes")]
    prune_missing: bool,
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
    /// Exit 1 when one of these warnings is present, named by its code; `warning` is any, `error` is what fails anyway
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    fail_on: Vec<String>,
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
        effect: Effect::Hybrid(&["--auto-fix", "--prune-missing"]),
        expects: false,
        read_output: Some(surfaces::VALIDATE),
        errors: &[Code::InvalidArgumentValue, Code::MissingRequiredOption],
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
        refuse_idle(&args, context)?;
        let fixer = Fixer::of(&args, context)?;
        let options = options(&args)?;
        let scan = scan(&args)?;
        let chosen = chosen(&args);
        let Looked { mut verdicts, planned, coverage } = look(&args, &chosen, &options, scan, context)?;
        let omitted: Vec<&str> =
            CHECKS.iter().map(|c| c.name).filter(|name| !verdicts.iter().any(|v| v.name == *name)).collect();
        if chosen.iter().any(|check| check.selector.is_none()) {
            verdicts.extend(runbook::drift(context)?);
        }
        for verdict in &mut verdicts {
            // A command that this program does not have helps nobody.
            verdict.hints.retain(|hint| context.catalog.declares(hint));
        }
        let counts = context.want.mode.as_deref() == Some("counts");
        let records = context.tracker()?.records()?;
        // Whatever was asked: nothing is known to be in order about files that cannot be read.
        let unread = records.unreadable().len();
        let ok = unread == 0 && verdicts.iter().all(|verdict| verdict.status != Status::Error);
        let mut warnings = checks::warnings(&verdicts);
        let unreadable = format!("validate_storage_unreadable_items:{unread}");
        if unread > 0 && !warnings.contains(&unreadable) {
            warnings.push(unreadable);
            warnings.sort_unstable();
        }
        let failing = args.strict_exit && !warnings.is_empty() || fails_on(&args.fail_on, &warnings)?;
        let exit = u8::from(!ok || failing);
        let rows = verdicts.iter().map(|verdict| verdict.row(counts, args.fix_hints)).collect();
        let warned = warnings.into_iter().map(Value::from).collect::<Vec<_>>();
        let included: &[&str] = if counts { &[] } else { &["diagnostic_rows"] };
        let mut answer = Answer::new()
            .value("ok", ok)
            .value("has_warnings", !warned.is_empty())
            .rows("checks", Rows::ready(rows).columns(["name", "status", "ok", "details"]))
            .rows("warnings", Rows::values(warned));
        if let Some(fixer) = fixer {
            answer = answer.value("fixes", fixer.run(planned, context)?);
        }
        let described = [
            ("mode", json!(if counts { "counts" } else { "full" })),
            ("declared_field_groups", json!([{"name": "diagnostic_rows", "restore_with": "--full"}])),
            ("included_field_groups", json!(included)),
        ];
        answer = answer
            .value("coverage", coverage)
            .completeness(Completeness::of(records.unserved()))
            .echo("generated_at", timestamp::format(context.clock.now()));
        answer = projected(answer, &described, &omitted);
        if counts {
            answer = answer.omits("diagnostic_rows", "--full");
        }
        Ok(answer.exit(exit))
    }
}

/// Whether one of the warnings is one of those that were named; a warning reads `code:count`.
///
/// Errors: `invalid_argument_value` for a code that no check has: such a gate would never fail.
fn fails_on(named: &[String], warnings: &[String]) -> Result<bool> {
    let mut fails = false;
    let known: Vec<String> = codes::all().collect();
    for name in named.iter().map(|name| name.trim()) {
        fails |= match name {
            "warning" => !warnings.is_empty(),
            "error" => false,
            code if known.iter().any(|known| known == code) => {
                warnings.iter().any(|warning| warning.split(':').next() == Some(code))
            }
            other => {
                let words = ["warning", "error"].into_iter();
                let legal: Vec<&str> = words.chain(known.iter().map(String::as_str)).collect();
                return Err(values::illegal("--fail-on", other, &legal).hint("pm validate --fail-on warning"));
            }
        };
    }
    Ok(fails)
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

/// Flags that have a meaning only beside a fixer.
fn refuse_idle(args: &Args, context: &Context) -> Result<()> {
    let needs = |flag: &str, others: &[&str]| {
        let message = format!("`{flag}` has a meaning only with `{}`", others.join("` or `"));
        Error::new(Code::MissingRequiredOption, message).at(flag).fact("missing", others.to_vec())
    };
    if context.globals.dry_run && !args.auto_fix && !args.prune_missing {
        return Err(needs("--dry-run", &["--auto-fix", "--prune-missing"]));
    }
    if !args.fix_scope.is_empty() && !args.auto_fix {
        return Err(needs("--fix-scope", &["--auto-fix"]));
    }
    Ok(())
}

/// What the checks found, what can be fixed, how much was looked at.
struct Looked {
    verdicts: Vec<Verdict>,
    planned: Vec<Fix>,
    coverage: Value,
}

/// Collects what the checks and the fixers need and lets them look.
fn look(args: &Args, chosen: &[&Check], options: &Options, scan: Scan, context: &Context) -> Result<Looked> {
    let tracker = context.tracker()?;
    let mut needs = chosen.iter().fold(Needs::default(), |needs, check| needs.with(check.needs));
    needs.facts |= args.prune_missing;
    needs.files |= args.prune_missing;
    let records = tracker.records()?;
    let rows = RowIndex::new(records);
    let hierarchy = Hierarchy::new(records, &rows);
    let facts = if needs.facts { tracker.item_facts()? } else { Vec::new() };
    let streams = if needs.streams { tracker.streams()? } else { Streams::default() };
    let files = if needs.files {
        let linked = facts.iter().flat_map(|facts| facts.files.iter().chain(&facts.docs));
        let linked = linked.map(|path| checks::normalise(path));
        tracker.workspace_files(scan, args.include_pm_internals, linked)
    } else {
        WorkspaceFiles::default()
    };
    let storage = if needs.storage { tracker.storage_facts(&streams) } else { StorageFacts::default() };
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
    let mut planned = if args.auto_fix { fixes::plan(&evidence) } else { Vec::new() };
    if args.prune_missing {
        planned.extend(fixes::prune(&evidence));
    }
    let make = |(n, check): (usize, &&Check)| {
        context.step(n, chosen.len(), check.name)?;
        Ok((check.run)(&evidence))
    };
    let verdicts = chosen.iter().enumerate().map(make).collect::<Result<_>>()?;
    let coverage = checks::coverage(records, needs.streams.then_some(&streams));
    Ok(Looked { verdicts, planned, coverage })
}

/// What may be fixed, and whether it is.
struct Fixer {
    auto_fix: bool,
    prune: bool,
    scopes: Vec<&'static str>,
    dry_run: bool,
}

impl Fixer {
    fn of(args: &Args, context: &Context) -> Result<Option<Fixer>> {
        let scopes = fixes::scopes(&args.fix_scope)?;
        let fixer = Fixer {
            auto_fix: args.auto_fix,
            prune: args.prune_missing,
            scopes: if args.auto_fix { scopes } else { Vec::new() },
            dry_run: context.globals.dry_run,
        };
        Ok((args.auto_fix || args.prune_missing).then_some(fixer))
    }

    /// Makes the fixes that are granted, each a change of its own, and tells of all of them.
    fn run(&self, planned: Vec<Fix>, context: &Context) -> Result<Value> {
        let granted = |fix: &Fix| fix.scope == "files" || self.scopes.contains(&fix.scope);
        let (granted, gated): (Vec<Fix>, Vec<Fix>) = planned.into_iter().partition(granted);
        let (mut applied, mut failed) = (Vec::new(), Vec::new());
        if !self.dry_run {
            for fix in &granted {
                match self.make(fix, context) {
                    Ok(()) => applied.push(fix.row()),
                    Err(error) => {
                        let mut row = fix.row();
                        row.insert("code".to_owned(), error.code.as_str().into());
                        row.insert("error".to_owned(), error.message.clone().into());
                        failed.push(row);
                    }
                }
            }
        }
        let rows = |fixes: &[Fix]| fixes.iter().map(Fix::row).collect::<Vec<_>>();
        let mut told = json!({
            "mode": if self.dry_run { "dry_run" } else { "apply" },
            "auto_fix": self.auto_fix,
            "prune_missing": self.prune,
            "granted_fix_scopes": self.scopes,
            "planned_count": granted.len(),
            "applied_count": applied.len(),
            "gated_count": gated.len(),
            "failed_count": failed.len(),
            "planned_fixes": if self.dry_run { rows(&granted) } else { Vec::new() },
            "applied_fixes": applied,
            "gated_fixes": rows(&gated),
            "failed_fixes": failed,
        });
        if !gated.is_empty() {
            told["gate_hint"] =
                format!("pm validate --auto-fix --fix-scope {}", fixes::SCOPES.join(",")).into();
        }
        Ok(told)
    }

    fn make(&self, fix: &Fix, context: &Context) -> Result<()> {
        let message = format!("pm validate: {}", fix.change.kind());
        let write = Write {
            op: fix.change.op(),
            actor: context.actor()?,
            message: Some(&message),
            context: None,
            if_hash: None,
            if_updated_at: None,
            dry_run: false,
            force: context.globals.force,
        };
        context.tracker()?.change(&fix.id, &write, &mut |item, _| Ok(fix.change.apply(item))).map(|_| ())
    }
}
