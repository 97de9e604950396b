//! `pm duplicates`.

use serde_json::{Value, json};

use crate::answer::{Answer, Completeness, Row, Rows, row};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::dates;
use crate::domain::duplicates::{self, Cluster, Member};
use crate::domain::filter::{Filter, FilterArgs, Ground, values};
use crate::domain::status_set::StatusSet;
use crate::domain::values::refusal;
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Finds items that look like the same piece of work.
pub(super) struct Duplicates;

/// The likeness from which on items belong together.
const THRESHOLD: f64 = 0.8;
/// The most clusters that are shown when nobody says how many.
const CLUSTERS: usize = 100;
/// The most that can be asked for.
const MOST: usize = 1000;

/// Arguments of `pm duplicates`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Look at items in these statuses only
    #[arg(long, value_name = "STATUS")]
    status: Vec<String>,
    /// Look at items created at or after this time only
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,
    /// How alike titles must be, 0 to 1
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    threshold: Option<String>,
    /// Show at most so many clusters
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    limit: Option<String>,
}

impl Command for Duplicates {
    const CONTRACT: Contract = Contract {
        path: &["duplicates"],
        about: "Find items that look like the same piece of work",
        read_output: Some(surfaces::DUPLICATES),
        errors: &[Code::InvalidArgumentValue],
        examples: &[
            Example { about: "Among all items", argv: &["duplicates"] },
            Example {
                about: "Among open ones, less strictly",
                argv: &["duplicates", "--status", "open", "--threshold", "0.6"],
            },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let threshold = threshold(args.threshold.as_deref())?;
        let limit = limit(args.limit.as_deref())?;
        let now = context.clock.now();
        let since = match args.since.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            None => None,
            Some(text) => {
                Some(dates::parse(text, now).map_err(|problem| refusal("--since", text, problem, &[]))?)
            }
        };
        let tracker = context.tracker()?;
        let (schema, records) = (tracker.schema(), tracker.records()?);
        let prefix = tracker.settings().id_prefix();
        let filters = FilterArgs { status: args.status.clone(), ..FilterArgs::default() };
        let filter =
            Filter::new(&filters, &context.custom, StatusSet::All, &Ground { now, schema, prefix: &prefix })?;
        let selection = filter.over(records, schema);
        let wanted = |record: &crate::model::records::Record<'_>| {
            since.is_none_or(|since| record.created_ms().is_some_and(|created| created >= since))
        };
        let found = duplicates::sweep(selection.records().filter(wanted), threshold);
        let (items, pairs) = (found.items, found.pairs);
        let clusters = found.clusters;
        let statuses = &schema.statuses;
        let rows = Rows::lazy(clusters.len(), move |n| {
            Ok(cluster(&clusters[n], &|status| statuses.is_terminal(status)))
        });
        let columns = ["id", "max_score", "canonical_id", "close_command", "items"];
        let answer = Answer::new()
            .rows("clusters", rows.columns(columns).limited(Some(limit)))
            .completeness(Completeness::of(records.unserved()))
            .echo("threshold", threshold)
            .echo("source", "metadata_scan")
            .echo("filters", json!({"statuses": args.status, "since": args.since}))
            .echo("cost", json!({"item_count": items, "candidate_pairs": pairs, "scored_pairs": pairs}));
        Ok(tracker.warnings().iter().fold(answer, |answer, warning| answer.warn(warning.clone())))
    }
}

fn threshold(text: Option<&str>) -> Result<f64> {
    let Some(text) = text.map(str::trim) else { return Ok(THRESHOLD) };
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(values::illegal("--threshold", text, &["0", "0.5", "0.8", "1"])),
    }
}

fn limit(text: Option<&str>) -> Result<usize> {
    let Some(text) = text.map(str::trim) else { return Ok(CLUSTERS) };
    match text.parse::<usize>() {
        Ok(count) if count <= MOST => Ok(count),
        _ => Err(refusal("--limit", text, format!("it takes 0 to {MOST}"), &[])),
    }
}

/// The item that is to stay: the oldest of those that are not over, else the oldest.
fn canonical<'c>(cluster: &'c Cluster<'_>, is_over: &dyn Fn(&str) -> bool) -> Option<&'c Member<'c>> {
    let age = |member: &&Member<'_>| {
        let record = member.record;
        (is_over(record.status()), record.created_ms().unwrap_or(i64::MAX), record.number())
    };
    cluster.members.iter().min_by_key(age)
}

fn cluster(cluster: &Cluster<'_>, is_over: &dyn Fn(&str) -> bool) -> Row {
    let id = cluster.members.first().map_or("", |member| member.record.id());
    let stays = canonical(cluster, is_over).map_or(id, |member| member.record.id());
    let items: Vec<Value> = cluster.members.iter().map(|member| Value::Object(item(member))).collect();
    row([
        ("id", id.into()),
        ("max_score", rounded(cluster.max_score)),
        ("canonical_id", stays.into()),
        ("close_command", close_command(cluster, stays, is_over).into()),
        ("items", items.into()),
    ])
}

/// The command that closes all that repeat the one that stays; none when all of them are over.
fn close_command(cluster: &Cluster<'_>, stays: &str, is_over: &dyn Fn(&str) -> bool) -> Option<String> {
    let repeat = cluster.members.iter().map(|member| member.record);
    let open: Vec<&str> =
        repeat.filter(|r| r.id() != stays && !is_over(r.status())).map(|record| record.id()).collect();
    match open.as_slice() {
        [] => None,
        [id] => Some(format!("pm close {id} --duplicate-of {stays}")),
        ids => Some(format!("pm close-many --ids {} --duplicate-of {stays}", ids.join(","))),
    }
}

fn item(member: &Member<'_>) -> Row {
    let record = member.record;
    row([
        ("id", record.id().into()),
        ("title", record.title().into()),
        ("status", record.status().into()),
        ("type", record.kind().into()),
        ("score", rounded(member.score)),
        ("reason", member.reason.as_str().into()),
    ])
}

/// A share with three digits: more say nothing.
fn rounded(share: f64) -> Value {
    json!((share * 1000.0).round() / 1000.0)
}
