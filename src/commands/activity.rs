//! `pm activity`.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Completeness, Row, Rows, row};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::events::{self, Digest, ItemDigest, Wanted};
use crate::domain::history_rows::{self, ProvenanceArgs, ProvenanceCount};
use crate::error::{Code, Error, Result};
use crate::model::events::{Event, EventPlace, Events};
use crate::model::timestamp;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Shows what happened lately, over all items.
pub(super) struct Activity;

const DAY: i64 = 86_400_000;

/// How many characters of a title the digest shows.
const TITLE: usize = 160;

/// Arguments of `pm activity`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Keep events of these items; `_workspace` for settings and schema
    #[arg(long, value_name = "ID")]
    id: Vec<String>,
    /// Keep events of these operations: create, update, close, ...
    #[arg(long, value_name = "OPERATION")]
    op: Vec<String>,
    /// Keep events of these authors
    #[arg(long, value_name = "NAME")]
    author: Vec<String>,
    /// From this time on: a date, a time, 7d for the last seven days
    #[arg(long, alias = "since", value_name = "TIME", allow_hyphen_values = true)]
    from: Option<String>,
    /// Before this time
    #[arg(long, alias = "until", value_name = "TIME", allow_hyphen_values = true)]
    to: Option<String>,
    /// Show the latest so many
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Show all
    #[arg(long)]
    unbounded: bool,
    /// Show events one by one: id, operation, time, author, message
    #[arg(long)]
    compact: bool,
    /// The same as --compact
    #[arg(long)]
    raw: bool,
    /// Show entries as they are stored, patches and hashes included
    #[arg(long)]
    full: bool,
    /// Show who made each entry, and how that is known
    #[arg(long)]
    provenance: bool,
    /// Count how many entries say who made them
    #[arg(long)]
    provenance_summary: bool,
    #[command(flatten)]
    recorded: ProvenanceArgs,
    /// With --json: one line of JSON per row
    #[arg(long, value_name = "SHAPE", num_args = 0..=1, default_missing_value = "rows", value_parser = ["rows", "ndjson", "jsonl"])]
    stream: Option<String>,
}

impl Command for Activity {
    const CONTRACT: Contract = Contract {
        path: &["activity"],
        about: "Show what happened lately, over all items",
        read_output: Some(surfaces::ACTIVITY),
        errors: &[Code::ItemNotFound, Code::ConflictingArguments, Code::HistoryStreamUnreadable],
        examples: &[
            Example { about: "The last day, item by item", argv: &["activity"] },
            Example {
                about: "What was closed this week",
                argv: &["activity", "--op", "close", "--from", "7d"],
            },
            Example { about: "The last fifty events", argv: &["activity", "--raw", "--limit", "50"] },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let mode = mode(&args, context)?;
        if args.unbounded && args.limit.is_some() {
            let message = "`--unbounded` and `--limit` say two amounts; give one";
            return Err(Error::new(Code::ConflictingArguments, message)
                .at("--unbounded")
                .hint("pm activity --raw --unbounded"));
        }
        let asked = args.recorded.filter()?;
        let tracker = context.tracker()?;
        let wanted = wanted(&args, mode, tracker, context.clock.now())?;
        let events = tracker.events()?;
        let mut chosen = events.select(|event| wanted.admits(event));
        if !asked.is_empty() {
            chosen = tracker.recorded(&events, chosen, |entry| asked.admits(entry))?;
        }
        chosen.sort_by(EventPlace::newest_first);
        let summary = args.provenance_summary.then(|| summary(tracker, &events, &chosen)).transpose()?;
        let empty = chosen.is_empty().then(|| empty(&events, &wanted));
        let unreadable = events
            .unreadable()
            .iter()
            .map(|file| (file.path.clone(), file.code.clone(), file.problem.clone()));
        let unreadable = Completeness { unreadable: unreadable.collect(), unreadable_directories: 0 };
        let limit = if args.unbounded { None } else { Some(args.limit.unwrap_or(mode.limit())) };
        let mut answer = Answer::new();
        let mut digest = None;
        answer = if mode == Mode::Digest {
            let found = events::digest(&events, &chosen);
            digest = Some(digest_summary(&wanted, chosen.len(), &found));
            let total = found.items.len();
            answer
                .rows(mode.row_key(), digest_rows(tracker, events, found).limited(limit))
                .value("total_count", total)
        } else {
            let total = chosen.len();
            answer
                .rows(mode.row_key(), event_rows(tracker, events, chosen, mode).limited(limit))
                .value("total_count", total)
        };
        answer = answer
            .echo("compact", mode == Mode::Compact)
            .echo("projection", json!({"mode": mode.as_str(), "row_key": mode.row_key()}))
            .echo("limit", limit)
            .completeness(unreadable);
        for (key, value) in [("activity_summary", digest), ("provenance_summary", summary)] {
            if let Some(value) = value {
                answer = answer.value(key, value);
            }
        }
        for (key, value) in empty.into_iter().flatten() {
            answer = answer.value(&key, value);
        }
        Ok(match mode {
            Mode::Digest => answer.omits("event_rows", "--raw"),
            Mode::Compact | Mode::Provenance => answer.omits("provenance", "--full"),
            Mode::Full => answer,
        })
    }
}

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// An item, with what happened to it.
    Digest,
    Compact,
    Provenance,
    Full,
}

impl Mode {
    fn as_str(self) -> &'static str {
        match self {
            Mode::Digest => "digest",
            Mode::Compact => "compact",
            Mode::Provenance => "provenance",
            Mode::Full => "full",
        }
    }

    fn row_key(self) -> &'static str {
        match self {
            Mode::Digest => "activity_digest",
            Mode::Compact => "compact_activity",
            Mode::Provenance => "provenance_activity",
            Mode::Full => "activity",
        }
    }

    /// How many rows are shown when nobody says.
    fn limit(self) -> usize {
        match self {
            Mode::Digest => 15,
            Mode::Compact => 20,
            Mode::Provenance | Mode::Full => 5,
        }
    }
}

fn mode(args: &Args, context: &Context) -> Result<Mode> {
    let full = context.want.mode.as_deref() == Some("full");
    let compact = context.want.mode.as_deref() == Some("compact") || args.raw;
    let given = [
        (compact, if args.raw { "--raw" } else { "--compact" }),
        (args.provenance, "--provenance"),
        (full, "--full"),
    ];
    let given: Vec<&str> = given.iter().filter(|(given, _)| *given).map(|(_, flag)| *flag).collect();
    if let [first, second, ..] = given[..] {
        let message = format!("`{first}` and `{second}` are two projections; give one");
        return Err(Error::new(Code::ConflictingArguments, message)
            .at(second)
            .hint(format!("pm activity {first}")));
    }
    Ok(match given[..] {
        ["--full"] => Mode::Full,
        ["--provenance"] => Mode::Provenance,
        [_] => Mode::Compact,
        _ => Mode::Digest,
    })
}

/// Which events are asked for. The digest, unless told otherwise, is of the last day.
fn wanted(args: &Args, mode: Mode, tracker: &Tracker, now: i64) -> Result<Wanted> {
    let bound = |flag: &str, text: &Option<String>| {
        text.as_deref().map(|text| events::past(flag, text, now)).transpose()
    };
    let (mut from, mut to) = (bound("--from", &args.from)?, bound("--to", &args.to)?);
    if mode == Mode::Digest {
        to = to.or(Some(now));
        from = from.or(to.map(|to| to.saturating_sub(DAY)));
    }
    if let (Some(from), Some(to)) = (from, to)
        && from >= to
    {
        let (shown_from, shown_to) = (timestamp::format(from), timestamp::format(to));
        let message = format!("nothing lies between {shown_from} and {shown_to}: --from must be before --to");
        return Err(Error::new(Code::InvalidArgumentValue, message)
            .at("--from")
            .rejecting(args.from.as_deref().unwrap_or_default())
            .hint(format!("pm activity --from {shown_to} --to {shown_from}")));
    }
    let ids = events::values("--id", &args.id)?;
    Ok(Wanted {
        ids: ids.iter().map(|id| tracker.resolve_stream(id)).collect::<Result<_>>()?,
        ops: events::values("--op", &args.op)?,
        authors: events::values("--author", &args.author)?,
        from,
        to,
    })
}

fn summary(tracker: &Tracker, events: &Events, chosen: &[EventPlace]) -> Result<Value> {
    let mut count = ProvenanceCount::default();
    tracker.each_entry(events, chosen, &mut |_, entry| count.add(entry))?;
    Ok(count.summary())
}

/// What to say where nothing happened: in which window, when something last did, how to see it.
fn empty(events: &Events, wanted: &Wanted) -> Vec<(String, Value)> {
    let mut told = Vec::new();
    let time = |at: Option<i64>| at.map_or(Value::Null, |at| timestamp::format(at).into());
    let windowed = wanted.from.is_some() || wanted.to.is_some();
    if !windowed {
        return told;
    }
    told.push(("window".to_owned(), json!({"from": time(wanted.from), "to": time(wanted.to)})));
    let last = events.last(|event| wanted.matches(event));
    let mut widen = "--from -30d".to_owned();
    if let Some(last) = last.map(|last| events.get(last)) {
        told.push(("last_event".to_owned(), json!({"id": last.id(), "op": last.op(), "ts": last.ts()})));
        if last.at() != i64::MIN {
            let day = last.at().div_euclid(DAY) * DAY;
            widen = format!("--from {}", &timestamp::format(day)[..10]);
        }
    }
    told.push(("widen_with".to_owned(), widen.into()));
    told
}

fn digest_summary(wanted: &Wanted, events: usize, digest: &Digest) -> Value {
    const SHOWN: usize = 8;
    let time = |at: Option<i64>| at.map_or(Value::Null, |at| timestamp::format(at).into());
    let counts = events::most_frequent(&digest.operations, SHOWN);
    let counts: Map<String, Value> = counts.into_iter().map(|(name, count)| (name, count.into())).collect();
    json!({
        "window": {"from": time(wanted.from), "to": time(wanted.to)},
        "event_count": events,
        "item_count": digest.items.len(),
        "author_count": digest.authors,
        "operation_counts": counts,
    })
}

fn digest_rows<'a>(tracker: &'a Tracker, events: Events, digest: Digest) -> Rows<'a> {
    const COLUMNS: [&str; 8] =
        ["id", "type", "status", "title", "event_count", "first_ts", "last_ts", "operations"];
    let rows = Rows::lazy(digest.items.len(), move |n| {
        let item: &ItemDigest = &digest.items[n];
        let last = events.get(item.last);
        // A window without events asks for no items. Of what is deleted only its history is left.
        let record = tracker.records()?.find(last.id());
        let title = record.map_or("(item metadata unavailable)", |record| record.title());
        let title: String = title.chars().take(TITLE).collect();
        let operations: Vec<String> = events::most_frequent(&item.operations, 4)
            .into_iter()
            .map(|(name, count)| if name.starts_with('+') { name } else { format!("{name}:{count}") })
            .collect();
        Ok(row([
            ("id", last.id().into()),
            ("type", record.map_or("unknown", |record| record.kind()).into()),
            ("status", record.map_or("unknown", |record| record.status()).into()),
            ("title", title.into()),
            ("event_count", item.events.into()),
            ("first_ts", events.get(item.first).ts().into()),
            ("last_ts", last.ts().into()),
            ("operations", operations.join(",").into()),
        ]))
    });
    rows.columns(COLUMNS)
}

fn event_rows<'a>(tracker: &'a Tracker, events: Events, chosen: Vec<EventPlace>, mode: Mode) -> Rows<'a> {
    let events = std::rc::Rc::new((events, chosen));
    let (named, digested) = (events.clone(), events.clone());
    let rows = Rows::lazy(events.1.len(), move |n| {
        let event = events.0.get(events.1[n]);
        Ok(match mode {
            Mode::Full => {
                let mut row = tracker.entry(event)?.as_object().cloned().unwrap_or_default();
                row.insert("id".to_owned(), event.id().into());
                row
            }
            Mode::Provenance => {
                let mut row = row([("id", event.id().into())]);
                row.extend(history_rows::provenance(event.version(), &tracker.entry(event)?));
                row
            }
            _ => compact(event),
        })
    })
    .named(move |n| {
        let event = named.0.get(named.1[n]);
        format!("{}@{}", event.id(), event.version())
    })
    .digest(move || events::digest_of(&digested.0, &digested.1));
    if mode == Mode::Compact { rows.columns(["id", "op", "ts", "author", "msg"]) } else { rows }
}

/// An event in one line.
fn compact(event: Event<'_>) -> Row {
    let mut row = row([
        ("id", event.id().into()),
        ("op", event.op().into()),
        ("ts", event.ts().into()),
        ("author", event.author().into()),
    ]);
    if let Some(message) = event.message().filter(|message| !message.is_empty()) {
        row.insert("msg".to_owned(), message.into());
    }
    row
}
