//! `pm events`.

use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;

use crate::answer::{Answer, Completeness, Follow, Row, Rows, row};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::event_cursor::{self, EventCursor};
use crate::domain::events::{self, Wanted};
use crate::domain::history_rows::{self, ProvenanceArgs, ProvenanceCount, ProvenanceFilter};
use crate::error::{Code, Error, Result};
use crate::model;
use crate::model::events::{Event, EventPlace};
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Shows what happened, from old to new, and goes on where it ended.
pub(super) struct Events;

/// How many events are given out when nobody says, and at most.
const LIMIT: usize = 100;
const MOST: usize = 1_000;

/// How often to look for new events when nobody says, and at most; in milliseconds.
const INTERVAL: u64 = 250;
const SHORTEST: u64 = 10;

/// Arguments of `pm events`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// From this time on, or after the event of this cursor; without it from the first event on
    #[arg(long, value_name = "TIME|CURSOR", allow_hyphen_values = true)]
    since: Option<String>,
    /// Keep events of these operations: create, update, close, ...
    #[arg(long = "type", value_name = "OPERATION")]
    types: Vec<String>,
    /// Keep events of these authors
    #[arg(long, value_name = "NAME")]
    author: Vec<String>,
    /// Keep events of these items; `_workspace` for settings and schema
    #[arg(long, value_name = "ID")]
    item: Vec<String>,
    /// Give out so many, 1000 at most; with --follow at once
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    limit: Option<String>,
    /// One cursor at the end, or one in each row and no last line: batch or row
    #[arg(long, value_name = "MODE")]
    cursor_mode: Option<String>,
    /// Add each entry as it is stored
    #[arg(long)]
    full: bool,
    /// Add who made each entry, and how that is known
    #[arg(long)]
    provenance: bool,
    /// Count how many entries say who made them
    #[arg(long)]
    provenance_summary: bool,
    #[command(flatten)]
    recorded: ProvenanceArgs,
    /// Go on with new events as they happen, until nobody reads any more
    #[arg(long)]
    follow: bool,
    /// With --follow: how long to wait between two looks, in milliseconds, 10 at least
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    interval_ms: Option<String>,
    /// With --follow: end after so long without an event, in milliseconds
    #[arg(long, value_name = "MS")]
    idle_ms: Option<u64>,
}

impl Command for Events {
    const CONTRACT: Contract = Contract {
        path: &["events"],
        about: "Show what happened, from old to new, to be continued at any time",
        read_output: Some(surfaces::EVENTS),
        errors: &[
            Code::ItemNotFound,
            Code::ConflictingArguments,
            Code::MissingRequiredOption,
            Code::InvalidEventCursor,
            Code::EventCursorQueryMismatch,
            Code::InvalidEventSince,
            Code::InvalidEventLimit,
            Code::InvalidEventCursorMode,
            Code::InvalidEventFollowInterval,
            Code::HistoryStreamUnreadable,
        ],
        examples: &[
            Example {
                about: "What was closed this week",
                argv: &["events", "--type", "close", "--since", "7d"],
            },
            Example { about: "The first ten events", argv: &["events", "--limit", "10"] },
            Example {
                about: "What happens from now on, until nothing has for a moment",
                argv: &["events", "--follow", "--since", "now", "--idle-ms", "0"],
            },
        ],
        tier: Tier::Standard,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let (interval, idle) = (interval(&args)?, idle(&args)?);
        let query = Query::new(&args, context)?;
        // Taken before the streams are read, and only where somebody compares them.
        let mut states = if args.follow { Some(query.tracker.stream_states()?) } else { None };
        let (answer, mut last) = query.page(query.start.as_ref())?;
        if !args.follow {
            return Ok(answer);
        }
        let next = move || {
            let now = query.tracker.stream_states()?;
            if !last.more && states.as_ref() == Some(&now) {
                return Ok(None);
            }
            states = Some(now);
            let (answer, page) = query.page(last.end.as_ref())?;
            let news = page.end != last.end;
            last = page;
            Ok(news.then_some(answer))
        };
        Ok(answer.follow(Follow { interval, idle, next: Box::new(next) }))
    }
}

fn interval(args: &Args) -> Result<Duration> {
    let Some(text) = &args.interval_ms else { return Ok(Duration::from_millis(INTERVAL)) };
    only_following(args, "--interval-ms")?;
    match text.trim().parse() {
        Ok(ms) if ms >= SHORTEST => Ok(Duration::from_millis(ms)),
        _ => {
            let message = format!("`--interval-ms` takes whole milliseconds, {SHORTEST} or more");
            Err(Error::new(Code::InvalidEventFollowInterval, message)
                .at("--interval-ms")
                .rejecting(text.as_str())
                .hint(format!("pm events --follow --interval-ms {INTERVAL}")))
        }
    }
}

fn idle(args: &Args) -> Result<Option<Duration>> {
    if args.idle_ms.is_some() {
        only_following(args, "--idle-ms")?;
    }
    Ok(args.idle_ms.map(Duration::from_millis))
}

fn only_following(args: &Args, flag: &str) -> Result<()> {
    if args.follow {
        return Ok(());
    }
    Err(Error::new(Code::MissingRequiredOption, format!("`{flag}` has a meaning only with `--follow`"))
        .at(flag)
        .fact("missing", vec!["--follow"]))
}

/// What of an entry a row shows besides what every row does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Plain,
    Provenance,
    Full,
}

/// How a page ended.
struct End {
    /// After which event.
    end: Option<EventCursor>,
    more: bool,
}

/// What is asked for.
struct Query<'a> {
    tracker: &'a Tracker,
    wanted: Wanted,
    asked: ProvenanceFilter,
    mode: Mode,
    summary: bool,
    /// A cursor in each row instead of one at the end.
    each: bool,
    limit: usize,
    /// Of the filters.
    fingerprint: Rc<str>,
    start: Option<EventCursor>,
}

impl<'a> Query<'a> {
    fn new(args: &Args, context: &'a Context) -> Result<Query<'a>> {
        let mode = mode(args, context)?;
        let limit = context.want.limit.into_iter().fold(limit(args)?, usize::min);
        let each = each(args)?;
        let asked = args.recorded.filter()?;
        let tracker = context.tracker()?;
        let items = events::values("--item", &args.item)?;
        let wanted = Wanted {
            ids: items.iter().map(|id| tracker.resolve_stream(id)).collect::<Result<_>>()?,
            ops: events::values("--type", &args.types)?,
            authors: events::values("--author", &args.author)?,
            ..Wanted::default()
        };
        let fingerprint = event_cursor::fingerprint(&[
            ("type", &wanted.ops),
            ("author", &wanted.authors),
            ("item", &wanted.ids),
            ("harness", &args.recorded.harness),
            ("agent_instance", &args.recorded.agent_instance),
            ("provenance_filter", &args.recorded.provenance_filter),
        ]);
        let mut query = Query {
            tracker,
            wanted,
            asked,
            mode,
            summary: args.provenance_summary,
            each,
            limit,
            fingerprint: fingerprint.into(),
            start: None,
        };
        query.begin(args.since.as_deref(), context)?;
        Ok(query)
    }

    /// Sets where to begin: at the time or after the cursor of `--since`; a cursor of the output control goes on from
    /// there.
    fn begin(&mut self, since: Option<&str>, context: &Context) -> Result<()> {
        let since = since.map(str::trim);
        if let Some(text) = since.filter(|text| event_cursor::resembles(text)) {
            self.start = Some(self.cursor("--since", Code::InvalidEventCursor, text)?);
        } else if let Some(text) = since {
            let at = events::past("--since", text, context.clock.now());
            self.wanted.from = Some(at.map_err(|mut error| {
                error.code = Code::InvalidEventSince;
                error.hint("pm events --since 7d")
            })?);
        }
        if let Some(text) = &context.want.after {
            self.start = Some(self.cursor("--output-cursor", Code::ReadOutputCursorInvalid, text)?);
        }
        Ok(())
    }

    fn cursor(&self, flag: &str, code: Code, text: &str) -> Result<EventCursor> {
        let shown: String = text.chars().take(64).collect();
        let Some(cursor) = EventCursor::decode(text) else {
            let message = format!("`{flag}` got no cursor of events; start again without it");
            return Err(Error::new(code, message).at(flag).rejecting(shown).hint("pm events"));
        };
        if !cursor.belongs_to(&self.fingerprint) {
            let message = "the cursor belongs to other filters; a cursor goes on with those it came from";
            return Err(Error::new(Code::EventCursorQueryMismatch, message)
                .at(flag)
                .rejecting(shown)
                .hint(format!("pm events --since {}", cursor.ts)));
        }
        Ok(cursor)
    }

    /// The events after a cursor, from old to new.
    fn page(&self, after: Option<&EventCursor>) -> Result<(Answer<'a>, End)> {
        let events = self.tracker.events()?;
        let follows = after.map(EventCursor::followers);
        let mut chosen = events.select(|event| {
            self.wanted.admits(event) && follows.as_ref().is_none_or(|follows| follows(event))
        });
        if !self.asked.is_empty() {
            chosen = self.tracker.recorded(&events, chosen, |entry| self.asked.admits(entry))?;
        }
        let shown = &chosen[..chosen.len().min(self.limit)];
        let end = shown.last().map(|last| EventCursor::after(events.get(*last), &self.fingerprint));
        let end = End { end: end.or_else(|| after.cloned()), more: chosen.len() > shown.len() };
        let unreadable = events
            .unreadable()
            .iter()
            .map(|file| (file.path.clone(), file.code.clone(), file.problem.clone()));
        let unreadable = Completeness { unreadable: unreadable.collect(), unreadable_directories: 0 };
        let mut answer = Answer::new();
        let mut count = ProvenanceCount::default();
        if self.summary {
            self.tracker.each_entry(&events, shown, &mut |_, entry| count.add(entry))?;
        }
        answer = answer.rows("events", self.rows(events, chosen).limited(Some(self.limit)));
        answer = match self.each {
            true => answer.value("cursor_mode", "row"),
            false => answer.echo("cursor_mode", "batch"),
        };
        answer = answer.echo("source", "derived_index").completeness(unreadable);
        if self.summary {
            answer = answer.value("provenance_summary", count.summary());
        }
        Ok((if self.mode == Mode::Plain { answer.omits("entry", "--full") } else { answer }, end))
    }

    fn rows(&self, events: model::events::Events, chosen: Vec<EventPlace>) -> Rows<'a> {
        let columns = ["item_id", "version", "ts", "author", "type", "message", "patch_count"];
        let columns = self.each.then_some("cursor").into_iter().chain(columns).chain(match self.mode {
            Mode::Plain => None,
            Mode::Provenance => Some("provenance"),
            Mode::Full => Some("entry"),
        });
        let total = chosen.len();
        let events = Rc::new((events, chosen));
        let (continued, fingerprint) = (events.clone(), self.fingerprint.clone());
        let cursor =
            move |n: usize| EventCursor::after(continued.0.get(continued.1[n]), &fingerprint).encode();
        let cursor = Rc::new(cursor);
        let (tracker, mode, each) = (self.tracker, self.mode, self.each.then(|| cursor.clone()));
        let make = move |n: usize| {
            let mut row = Row::new();
            if let Some(cursor) = &each {
                row.insert("cursor".to_owned(), cursor(n).into());
            }
            tell(&mut row, tracker, events.0.get(events.1[n]), mode)?;
            Ok(row)
        };
        Rows::lazy(total, make).columns(columns).continued_by(move |n| cursor(n))
    }
}

/// What a row tells of an event.
fn tell(told: &mut Row, tracker: &Tracker, event: Event<'_>, mode: Mode) -> Result<()> {
    told.extend(row([
        ("item_id", event.id().into()),
        ("version", event.version().into()),
        ("ts", event.ts().into()),
        ("author", event.author().into()),
        ("type", event.op().into()),
    ]));
    if let Some(message) = event.message() {
        told.insert("message".to_owned(), message.into());
    }
    told.insert("patch_count".to_owned(), event.patch_count().into());
    match mode {
        Mode::Plain => {}
        Mode::Provenance => {
            let recorded = history_rows::recorded(&tracker.entry(event)?);
            told.insert("provenance".to_owned(), Value::Object(recorded));
        }
        Mode::Full => {
            told.insert("entry".to_owned(), tracker.entry(event)?);
        }
    }
    Ok(())
}

fn mode(args: &Args, context: &Context) -> Result<Mode> {
    let full = context.want.mode.as_deref() == Some("full");
    if full && args.provenance {
        let message = "`--provenance` and `--full` are two projections; give one";
        return Err(Error::new(Code::ConflictingArguments, message)
            .at("--provenance")
            .hint("pm events --full")
            .hint("pm events --provenance"));
    }
    Ok(match (args.provenance, full) {
        (true, _) => Mode::Provenance,
        (_, true) => Mode::Full,
        _ => Mode::Plain,
    })
}

/// Whether each row has a cursor.
fn each(args: &Args) -> Result<bool> {
    match args.cursor_mode.as_deref() {
        None | Some("batch") => Ok(false),
        Some("row") => Ok(true),
        Some(other) => {
            let message = "`--cursor-mode` is batch or row";
            Err(Error::new(Code::InvalidEventCursorMode, message)
                .at("--cursor-mode")
                .rejecting(other)
                .fact("allowed_values", vec!["batch", "row"])
                .hint("pm events --cursor-mode row"))
        }
    }
}

fn limit(args: &Args) -> Result<usize> {
    let Some(text) = &args.limit else { return Ok(LIMIT) };
    text.trim().parse().ok().filter(|n| *n <= MOST).ok_or_else(|| {
        let message =
            format!("`--limit` takes a whole number up to {MOST}; a cursor goes on where a page ends");
        Error::new(Code::InvalidEventLimit, message)
            .at("--limit")
            .rejecting(text.as_str())
            .hint(format!("pm events --limit {MOST}"))
    })
}
