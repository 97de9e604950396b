//! `pm stats`.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Completeness, Row, Rows};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::stream_sizes::StreamSize;
use crate::domain::tally::{self, STATIONS, Tally, percent};
use crate::error::{Code, Error, Result};
use crate::model::records::{Count, Presence, Record, Records};
use crate::model::timestamp;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Counts items and histories.
pub(super) struct Stats;

/// How many streams `--storage` names.
const LARGEST: usize = 5;

/// Arguments of `pm stats`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Show types and statuses that no item has, too
    #[arg(long)]
    include_empty: bool,
    /// Count by assignee
    #[arg(long)]
    by_assignee: bool,
    /// Count by tag, each tag of an item by itself
    #[arg(long)]
    by_tag: bool,
    /// With --by-tag: only tags that begin with this
    #[arg(long, value_name = "PREFIX")]
    tag_prefix: Option<String>,
    /// Count by priority
    #[arg(long)]
    by_priority: bool,
    /// Say how many items have which metadata
    #[arg(long)]
    metadata_coverage: bool,
    /// Say how many items have which parts
    #[arg(long)]
    field_utilization: bool,
    /// Say how large the histories are
    #[arg(long)]
    storage: bool,
}

impl Command for Stats {
    const CONTRACT: Contract = Contract {
        path: &["stats"],
        about: "Count items and histories",
        read_output: Some(surfaces::STATS),
        errors: &[Code::MissingRequiredOption, Code::HistoryStreamUnreadable],
        examples: &[
            Example { about: "By type and status", argv: &["stats"] },
            Example { about: "By tag of one area", argv: &["stats", "--by-tag", "--tag-prefix", "area:"] },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        if args.tag_prefix.is_some() && !args.by_tag {
            let message = "`--tag-prefix` has a meaning only with `--by-tag`";
            return Err(Error::new(Code::MissingRequiredOption, message)
                .at("--tag-prefix")
                .fact("missing", vec!["--by-tag"])
                .hint("pm stats --by-tag --tag-prefix area:"));
        }
        let tracker = context.tracker()?;
        let records = tracker.records()?;
        let streams = tracker.stream_sizes()?;
        let statuses = &tracker.schema().statuses;
        let active = records.iter().filter(|record| !statuses.is_terminal(record.status())).count();
        let entries: u64 = streams.iter().map(|(_, size)| size.entries).sum();
        let mut answer = Answer::new().value(
            "totals",
            json!({"items": records.len(), "active": active, "history_streams": streams.len(), "history_entries": entries}),
        );
        answer = answer.rows("by_type", by_type(&args, tracker, records));
        answer = answer.rows("by_status", by_status(&args, tracker, records));
        if args.metadata_coverage {
            answer = answer.group("metadata_coverage", coverage(tracker, records));
        }
        let breakdowns = breakdowns(&args, tracker, records);
        if !breakdowns.parts.is_empty() {
            answer = answer.group("breakdowns", breakdowns);
        }
        if args.storage {
            let streams: Vec<(&String, &StreamSize)> = streams.iter().map(|(id, size)| (id, size)).collect();
            answer = answer.group("storage", storage(&streams));
        }
        if args.field_utilization {
            answer = answer.rows("field_utilization", utilization(records));
        }
        let answer = answer
            .completeness(Completeness::of(records.unserved()))
            .echo("generated_at", timestamp::format(context.clock.now()));
        Ok(tracker.warnings().iter().fold(answer, |answer, warning| answer.warn(warning.clone())))
    }
}

/// A group in the shape that all breakdowns have.
fn line(key: &str, label: &str, tally: &Tally) -> Row {
    let mut row = Row::new();
    row.insert(key.to_owned(), label.into());
    row.insert("total".to_owned(), tally.total.into());
    row.extend(STATIONS.iter().zip(tally.stations).map(|(name, count)| ((*name).to_owned(), count.into())));
    row
}

fn table(key: &str, tallies: &[(String, Tally)]) -> Rows<'static> {
    let columns = [key, "total"].into_iter().chain(STATIONS).map(str::to_owned).collect::<Vec<_>>();
    Rows::ready(tallies.iter().map(|(label, tally)| line(key, label, tally)).collect()).columns(columns)
}

fn by_type(args: &Args, tracker: &Tracker, records: &Records) -> Rows<'static> {
    let statuses = &tracker.schema().statuses;
    let mut tallies = tally::by_label(records.iter(), statuses, |record, count| count(record.kind()));
    if args.include_empty {
        for kind in tracker.schema().kinds.iter() {
            if !tallies.iter().any(|(name, _)| *name == kind.name) {
                tallies.push((kind.name.clone(), Tally::default()));
            }
        }
    }
    table("type", &tallies)
}

/// The statuses in the tracker's own order, then those that it does not know.
fn by_status(args: &Args, tracker: &Tracker, records: &Records) -> Rows<'static> {
    let statuses = &tracker.schema().statuses;
    let counted = tally::by_label(records.iter(), statuses, |record, count| count(record.status()));
    let count = |id: &str| counted.iter().find(|(name, _)| name == id).map_or(0, |(_, tally)| tally.total);
    let known = statuses.iter().map(|status| (status.id.as_str(), count(&status.id)));
    let known = known.filter(|(_, count)| *count > 0 || args.include_empty);
    let unknown = counted.iter().filter(|(name, _)| statuses.get(name).is_none());
    let unknown = unknown.map(|(name, tally)| (name.as_str(), tally.total));
    let row = |(id, total): (&str, usize)| {
        Row::from_iter([("status".to_owned(), id.into()), ("total".to_owned(), total.into())])
    };
    Rows::ready(known.chain(unknown).map(row).collect())
}

fn breakdowns<'a>(args: &Args, tracker: &Tracker, records: &Records) -> Answer<'a> {
    let statuses = &tracker.schema().statuses;
    let mut all = Answer::new();
    let mut add = |name: &str, tallies: Vec<(String, Tally)>| {
        let group = Answer::new().rows("rows", table("label", &tallies)).value("total_items", records.len());
        all = std::mem::take(&mut all).group(name, group);
    };
    if args.by_assignee {
        let label = |record: Record<'_>, count: &mut dyn FnMut(&str)| {
            count(record.assignee().filter(|name| !name.is_empty()).unwrap_or("(unassigned)"));
        };
        add("assignee", tally::by_label(records.iter(), statuses, label));
    }
    if args.by_tag {
        let prefix = args.tag_prefix.as_deref().unwrap_or_default();
        let label = |record: Record<'_>, count: &mut dyn FnMut(&str)| {
            let mut any = false;
            for tag in record.tags().filter(|tag| tag.starts_with(prefix)) {
                any = true;
                count(tag);
            }
            if !any {
                count("(untagged)");
            }
        };
        add("tag", tally::by_label(records.iter(), statuses, label));
    }
    if args.by_priority {
        let label =
            |record: Record<'_>, count: &mut dyn FnMut(&str)| count(&format!("P{}", record.priority()));
        add("priority", tally::by_label(records.iter(), statuses, label));
    }
    all
}

/// The metadata whose presence is counted, and whether an item should have it.
const METADATA: [&str; 5] = ["acceptance_criteria", "estimated_minutes", "resolution", "tags", "parent"];

fn coverage<'a>(tracker: &Tracker, records: &Records) -> Answer<'a> {
    let statuses = &tracker.schema().statuses;
    let has = |record: Record<'_>| {
        [
            record.has(Presence::ACCEPTANCE_CRITERIA),
            record.has(Presence::ESTIMATE),
            record.has(Presence::RESOLUTION),
            record.tags().next().is_some(),
            record.parent().is_some_and(|parent| !parent.trim().is_empty()),
        ]
    };
    let of = |wanted: &dyn Fn(Record<'_>) -> bool| {
        let mut counts = [(0usize, 0usize); METADATA.len()];
        for record in records.iter().filter(|record| wanted(*record)) {
            let over = statuses.is_terminal(record.status());
            for ((field, has), count) in METADATA.iter().zip(has(record)).zip(&mut counts) {
                if *field != "resolution" || over {
                    count.1 += 1;
                    count.0 += usize::from(has);
                }
            }
        }
        counts
    };
    let mut overall = Map::new();
    for (field, (present, applicable)) in METADATA.iter().zip(of(&|_| true)) {
        let percent = percent(present, applicable, 1);
        overall.insert(
            (*field).to_owned(),
            json!({"present": present, "applicable": applicable, "percent": percent}),
        );
    }
    let kinds = tally::by_label(records.iter(), statuses, |record, count| count(record.kind()));
    let row = |(kind, tally): &(String, Tally)| {
        let mut row = Row::from_iter([
            ("type".to_owned(), kind.as_str().into()),
            ("total".to_owned(), tally.total.into()),
        ]);
        let counts = of(&|record: Record<'_>| record.kind() == kind);
        let percents = METADATA.iter().zip(counts);
        row.extend(
            percents
                .map(|(field, (present, all))| (format!("{field}_percent"), json!(percent(present, all, 1)))),
        );
        row
    };
    Answer::new()
        .value("overall", Value::Object(overall))
        .rows("by_type", Rows::ready(kinds.iter().map(row).collect()))
}

fn utilization(records: &Records) -> Rows<'static> {
    let part = |name: &str, has: &dyn Fn(Record<'_>) -> bool| {
        let present = records.iter().filter(|record| has(*record)).count();
        Row::from_iter([
            ("field".to_owned(), name.into()),
            ("present".to_owned(), present.into()),
            ("total".to_owned(), records.len().into()),
            ("percent".to_owned(), json!(percent(present, records.len(), 1))),
        ])
    };
    let collections = [
        ("notes", Count::Notes),
        ("learnings", Count::Learnings),
        ("files", Count::Files),
        ("docs", Count::Docs),
        ("tests", Count::Tests),
        ("comments", Count::Comments),
        ("deps", Count::Dependencies),
    ];
    let mut rows: Vec<Row> = collections
        .iter()
        .map(|(name, of)| part(name, &|record: Record<'_>| record.count(*of) > 0))
        .collect();
    rows.push(part("body", &|record: Record<'_>| record.has(Presence::BODY)));
    rows.push(part("linked_command", &|record: Record<'_>| record.has(Presence::LINKED_COMMAND)));
    Rows::ready(rows)
}

fn storage<'a>(streams: &[(&String, &StreamSize)]) -> Answer<'a> {
    let time = |ms: i64| if ms == 0 { Value::Null } else { timestamp::format(ms).into() };
    let row = |(id, size): &(&String, &StreamSize)| {
        Row::from_iter([
            ("id".to_owned(), id.as_str().into()),
            ("bytes".to_owned(), size.bytes.into()),
            ("lines".to_owned(), size.entries.into()),
            ("oldest_ts".to_owned(), time(size.first)),
            ("newest_ts".to_owned(), time(size.last)),
        ])
    };
    let largest = |key: fn(&StreamSize) -> u64| {
        let mut sorted = streams.to_vec();
        sorted.sort_by(|a, b| key(b.1).cmp(&key(a.1)).then_with(|| a.0.cmp(b.0)));
        Rows::ready(sorted.iter().take(LARGEST).map(row).collect())
    };
    let sum = |key: fn(&StreamSize) -> u64| streams.iter().map(|(_, size)| key(size)).sum::<u64>();
    let dated = || streams.iter().filter(|(_, size)| size.first != 0);
    let oldest = dated().min_by_key(|(_, size)| size.first);
    let newest = dated().max_by(|a, b| a.1.last.cmp(&b.1.last).then_with(|| b.0.cmp(a.0)));
    let entry = |id: &str, at: i64| json!({"id": id, "ts": time(at)});
    Answer::new()
        .value("total_streams", streams.len())
        .value("total_lines", sum(|size| size.entries))
        .value("total_bytes", sum(|size| size.bytes))
        .rows("largest_by_bytes", largest(|size| size.bytes))
        .rows("deepest_by_lines", largest(|size| size.entries))
        .value("oldest_entry", oldest.map_or(Value::Null, |(id, size)| entry(id, size.first)))
        .value("newest_entry", newest.map_or(Value::Null, |(id, size)| entry(id, size.last)))
}
