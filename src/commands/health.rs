//! `pm health`.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Completeness, Rows};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::checks::{Evidence, Options, WorkspaceFiles, coverage};
use crate::domain::children::Hierarchy;
use crate::domain::health::{self, CHECKS, MAX_WARNINGS, Mode, SAMPLE, Surroundings, Verdict};
use crate::domain::rows::Rows as RowIndex;
use crate::error::Result;
use crate::model::timestamp;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Says whether a tracker is in order.
pub(super) struct Health;

/// Arguments of `pm health`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Show verdicts only; nothing is refreshed, as always
    #[arg(long)]
    check_only: bool,
    /// Show lists by number and sample; leaves the deep checks out
    #[arg(long)]
    brief: bool,
    /// Show verdicts only; leaves the deep checks out
    #[arg(long)]
    summary: bool,
    /// Make every check and show everything
    #[arg(long)]
    full: bool,
    /// Every folder must be there, also those that make themselves
    #[arg(long)]
    strict_directories: bool,
    /// Missing merge drivers are a failure
    #[arg(long)]
    require_merge_drivers: bool,
    /// Leave the check of item and history files out
    #[arg(long)]
    skip_integrity: bool,
    /// Leave the check of the histories' chains out
    #[arg(long)]
    skip_drift: bool,
    /// Leave the check of vectors out
    #[arg(long)]
    skip_vectors: bool,
    /// Accepted for compatibility: there is no telemetry to probe
    #[arg(long, hide = true)]
    check_telemetry: bool,
    /// Accepted for compatibility: nothing is ever refreshed here
    #[arg(long, hide = true)]
    no_refresh: bool,
    /// Accepted for compatibility: there are no vectors to refresh
    #[arg(long, hide = true)]
    refresh_vectors: bool,
    /// Accepted for compatibility: there are no vectors that could be stale
    #[arg(long, hide = true)]
    verbose_stale_items: bool,
    /// Accepted for compatibility: --full shows them
    #[arg(long, hide = true)]
    verbose_author_events: bool,
    /// Exit 1 when something is not in order; shows verdicts only unless --full is given
    #[arg(long, alias = "fail-on-warn")]
    strict_exit: bool,
}

impl Command for Health {
    const CONTRACT: Contract = Contract {
        path: &["health"],
        about: "Say whether the tracker is in order",
        read_output: Some(surfaces::HEALTH),
        examples: &[
            Example { about: "Every check", argv: &["health"] },
            Example { about: "In short", argv: &["health", "--summary"] },
            Example { about: "A gate for CI", argv: &["health", "--strict-exit"] },
        ],
        tier: Tier::Standard,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let mode = mode(&args, context);
        let mut surroundings = tracker.surroundings();
        surroundings.strict_directories = args.strict_directories;
        surroundings.require_merge_drivers = args.require_merge_drivers;
        let looked = look(&args, context, tracker, &surroundings)?;
        let verdicts = looked.verdicts;
        let summary = health::summary(&verdicts, &surroundings, &|command| context.catalog.declares(command));
        let omitted: Vec<&str> = verdicts.iter().filter(|v| v.skipped).map(|v| v.name).collect();
        let shown = verdicts.iter().filter(|verdict| mode != Mode::Summary || !verdict.skipped);
        let rows = shown.map(|verdict| health::row(verdict, mode)).collect();
        let limit = if mode == Mode::Full { MAX_WARNINGS } else { SAMPLE };
        let count = summary.warnings.len();
        let warnings: Vec<Value> = summary.warnings.into_iter().take(limit).map(Value::from).collect();
        let findings: Vec<Value> = summary.findings.into_iter().take(limit).collect();
        let mut answer = Answer::new()
            .value("ok", summary.ok)
            .rows("checks", Rows::ready(rows).columns(["name", "status", "ok", "details"]))
            .rows("warnings", Rows::values(warnings));
        if !findings.is_empty() {
            answer = answer.rows("findings", Rows::values(findings));
        }
        if !summary.failed_because.is_empty() {
            answer = answer.value("failed_because", summary.failed_because);
        }
        let described = [
            ("mode", json!(mode.as_str())),
            ("warning_count", json!(count)),
            ("warnings_truncated", json!(count > limit)),
            ("detail_limit", json!(SAMPLE)),
        ];
        answer = projected(answer, &described, &omitted)
            .value("coverage", looked.coverage)
            .completeness(Completeness::of(tracker.records()?.unserved()))
            .echo("generated_at", timestamp::format(context.clock.now()))
            .value("warning_count", count)
            .value("warning_limit", MAX_WARNINGS)
            .value("warnings_truncated", count > limit);
        if mode != Mode::Full {
            answer = answer.omits("full_check_details", "--full");
        }
        Ok(answer.exit(u8::from(args.strict_exit && !summary.ok)))
    }
}

/// Says how the answer was made. What nobody looked at is named in every envelope.
pub(super) fn projected<'a>(answer: Answer<'a>, described: &[(&str, Value)], omitted: &[&str]) -> Answer<'a> {
    if omitted.is_empty() {
        let all = described.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
        return answer.echo("projection", all.collect::<Map<_, _>>());
    }
    let add = |group: Answer<'a>, (key, value): &(&str, Value)| group.echo(key, value.clone());
    let group = described.iter().fold(Answer::new(), add);
    answer.group("projection", group.value("omitted_checks", omitted.to_vec()))
}

fn mode(args: &Args, context: &Context) -> Mode {
    match context.want.mode.as_deref() {
        Some("full") => Mode::Full,
        Some("brief") => Mode::Brief,
        Some("summary") => Mode::Summary,
        _ if args.check_only || args.strict_exit => Mode::Summary,
        _ => Mode::Full,
    }
}

/// What the checks found, and how much they looked at.
struct Looked {
    verdicts: Vec<Verdict>,
    coverage: Value,
}

/// Makes the checks. The deep ones are left out of a short answer, unless it is known already that they would fail;
/// `--full` makes all of them.
fn look(args: &Args, context: &Context, tracker: &Tracker, surroundings: &Surroundings) -> Result<Looked> {
    let asked = context.want.mode.as_deref();
    let short = matches!(asked, Some("brief" | "summary"));
    let records = tracker.records()?;
    let rows = RowIndex::new(records);
    let hierarchy = Hierarchy::new(records, &rows);
    let streams = tracker.streams()?;
    let mut evidence = Evidence {
        records,
        rows: &rows,
        hierarchy: &hierarchy,
        schema: tracker.schema(),
        settings: tracker.settings(),
        options: &Options::default(),
        facts: &[],
        streams: &streams,
        files: &WorkspaceFiles::default(),
        storage: &Default::default(),
    };
    let refused = |name: &str| match name {
        "integrity" => args.skip_integrity,
        "history_drift" => args.skip_drift,
        "vectorization" => args.skip_vectors,
        _ => false,
    };
    let skipped: Vec<&str> = match asked {
        Some("full") => Vec::new(),
        _ => CHECKS
            .iter()
            .filter(|check| refused(check.name) || short && check.deep && !(check.fails)(&evidence))
            .map(|check| check.name)
            .collect(),
    };
    let is_skipped = |check: &health::Check| skipped.contains(&check.name);
    let storage =
        if skipped.contains(&"integrity") { Default::default() } else { tracker.storage_facts(&streams) };
    evidence.storage = &storage;
    let make = |(n, check): (usize, &health::Check)| {
        context.step(n, CHECKS.len(), check.name)?;
        Ok(if is_skipped(check) { check.skipped() } else { (check.run)(&evidence, surroundings) })
    };
    let verified = (!skipped.contains(&"history_drift")).then_some(&streams);
    let verdicts = CHECKS.iter().enumerate().map(make).collect::<Result<_>>()?;
    Ok(Looked { verdicts, coverage: coverage(records, verified) })
}
