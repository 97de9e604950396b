//! `pm next`.

mod view;

use std::rc::Rc;

use jiff::tz::TimeZone;
use serde_json::Value;

use self::view::View;

use crate::answer::{Answer, Completeness, Row, Rows};
use crate::contract::{Contract, Effect, Example, Tier, surfaces};
use crate::domain::filter::{Filter, FilterArgs, Ground, values};
use crate::domain::packing;
use crate::domain::status_set::StatusSet;
use crate::error::{Code, Error, Result};
use crate::mutation;
use crate::mutation::claiming::{self, Claimed, Terms};
use crate::surface::{Command, Context, Want};
use crate::tracker::{Actor, Work, WorkWanted};

/// Recommends what to work on.
pub(super) struct Next;

/// What the whole answer may cost when nobody says how many rows to show, in tokens (product.md §7).
const TOKENS: usize = 150;

/// How many rows a list has when its limit makes no sense.
const ROWS: usize = 5;

/// What a row can show beyond its default, when it is selected.
const SELECTABLE: &[&str] = &[
    "type",
    "status",
    "parent",
    "order",
    "tags",
    "updated_at",
    "created_at",
    "estimated_minutes",
    "open_blocker_count",
    "blockers",
    "unblocks",
    "score",
    "reasons",
];

/// Arguments of `pm next`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Print what each score is made of
    #[arg(long, alias = "explain-ranking")]
    why: bool,
    /// Claim the first item that can be claimed, in one step
    #[arg(long)]
    claim: bool,
    /// Show so many ready items after the recommended one, and as many that wait
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(i64).range(0..))]
    limit: Option<i64>,
    /// Show so many items that wait
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(i64).range(0..))]
    blocked_limit: Option<i64>,
    /// Leave out items that wait
    #[arg(long)]
    ready_only: bool,
    /// Treat decisions as work like any other
    #[arg(long)]
    include_decisions: bool,
    /// Show what a purpose needs: `execute`
    #[arg(long = "for", value_name = "INTENT")]
    intent: Option<String>,
    /// Show as many ready items as fit into so many tokens
    #[arg(long, value_name = "N")]
    token_budget: Option<usize>,
    #[command(flatten)]
    filters: FilterArgs,
}

impl Command for Next {
    const CONTRACT: Contract = Contract {
        path: &["next"],
        about: "Recommend what to work on",
        effect: Effect::Hybrid(&["--claim"]),
        read_output: Some(surfaces::NEXT),
        errors: &[
            Code::InvalidArgumentValue,
            Code::ItemNotFound,
            Code::UnknownContextIntent,
            Code::NoAvailableNextItem,
            Code::NextItemsTaken,
        ],
        examples: &[
            Example { about: "What now, and why", argv: &["next"] },
            Example {
                about: "The queue, and what each place is made of",
                argv: &["next", "--limit", "5", "--why"],
            },
            Example { about: "Take the best of one area", argv: &["next", "--tag", "ui", "--claim"] },
        ],
        tier: Tier::Core,
        custom_flags: true,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let execute = intent(args.intent.as_deref())?;
        let tracker = context.tracker()?;
        let now = context.clock.now();
        let work = find(&args, context, now)?;
        let page = Page::of(&args, &context.want, execute);
        let view = Rc::new(View {
            work,
            now,
            zone: TimeZone::system(),
            wanted: wanted(context),
            shows_held: context.want.selectors.iter().any(|name| name.starts_with("held_by_others")),
            open: tracker.schema().statuses.open().to_owned(),
        });
        if args.claim {
            return claim(&args, context, &page, &view);
        }
        let answer = view.undecided().fold(view.clone().answer(&args, &page), Answer::warn);
        Ok(tracker.warnings().iter().fold(answer, |answer, warning| answer.warn(warning.clone())))
    }
}

/// Whether the caller wants to get going; there is one purpose.
fn intent(asked: Option<&str>) -> Result<bool> {
    match asked.map(str::trim) {
        None => Ok(false),
        Some("execute") => Ok(true),
        Some(other) => {
            let mut error = values::illegal("--for", other, &["execute"]);
            error.code = Code::UnknownContextIntent;
            Err(error.hint("pm next --for execute"))
        }
    }
}

/// The work that the filters leave.
fn find<'a>(args: &Args, context: &'a Context, now: i64) -> Result<Work<'a>> {
    let tracker = context.tracker()?;
    let schema = tracker.schema();
    let prefix = tracker.settings().id_prefix();
    let mut filters = args.filters.clone();
    // Here a parent means everything below it.
    let parent = filters.parent.take();
    let ground = Ground { now, schema, prefix: &prefix };
    let filter = Filter::new(&filters, &context.custom, StatusSet::Open, &ground)?;
    let records = tracker.records()?;
    let selection = filter.over(records, schema);
    let actor = context.actor()?;
    // Who asks for the work of one person asks for that person.
    let asked: Actor = match &filters.assignee[..] {
        [one] if !one.contains(',') => Actor { author: one.clone(), principal: one.clone(), ..actor.clone() },
        _ => actor.clone(),
    };
    tracker.work(&WorkWanted {
        actor: &asked,
        admits: &|record| selection.admits(record),
        parent: parent.as_deref(),
        include_decisions: args.include_decisions,
        now,
    })
}

/// How many items a claim tries before it gives up.
const ATTEMPTS: usize = 100;

/// Claims the best item that nobody took meanwhile.
///
/// Errors: `no_available_next_item` when nothing is ready, `next_items_taken` when others were quicker every time.
fn claim<'a>(args: &Args, context: &'a Context, page: &Page, view: &Rc<View<'a>>) -> Result<Answer<'a>> {
    let queue = &view.work.queue;
    let mut lost = 0;
    for ready in queue.ready.iter().take(ATTEMPTS) {
        let claimed = match take(context, view.id(ready.row)) {
            Ok(claimed) => claimed,
            Err(error)
                if matches!(
                    error.code,
                    Code::AlreadyClaimedBy
                        | Code::TerminalStateConflict
                        | Code::ItemNotFound
                        | Code::LockConflict
                ) =>
            {
                lost += 1;
                continue;
            }
            Err(error) => return Err(error),
        };
        let mut record = view.recommended(ready, page);
        record.insert("assignee".to_owned(), claimed.holder.as_str().into());
        let mut answer = Answer::new()
            .record("recommended", Value::Object(record))
            .completeness(Completeness::of(view.work.records.unserved()));
        answer = answer.value("claimed_by", claimed.holder.as_str());
        if claimed.already_held {
            answer = answer.value("already_held", true);
        }
        if lost > 0 {
            answer = answer.value("lost_to_others", lost);
        }
        if context.globals.dry_run {
            answer = answer.value("dry_run", true);
        }
        if args.why {
            answer = answer.rows("why", view.why(1 + lost, false));
        }
        return Ok(claimed.warnings().into_iter().fold(answer, Answer::warn));
    }
    Err(match lost {
        0 => Error::new(Code::NoAvailableNextItem, "no item is ready for this caller")
            .hint("pm next --limit 5"),
        _ => Error::new(Code::NextItemsTaken, format!("others were quicker with all {lost} candidates"))
            .hint("pm next --claim"),
    }
    .at("--claim"))
}

/// Claims one item under its lock, unless it has been closed or taken since it was read.
fn take(context: &Context, id: &str) -> Result<Claimed> {
    let write = mutation::write(context, "claim", None)?;
    let mut transaction = context.tracker()?.transaction(&write)?;
    let claimed = claiming::claim(context, &mut transaction, id, &write, Terms::default())?;
    transaction.commit()?;
    Ok(claimed)
}

/// The known fields that the caller selects.
fn wanted(context: &Context) -> Vec<&'static str> {
    let asked =
        |field: &&str| context.want.selectors.iter().any(|name| name.rsplit('.').next() == Some(field));
    SELECTABLE.iter().copied().filter(asked).collect()
}

/// How much of each list is shown.
struct Page {
    /// Whether the call says how many rows it wants: then each list has all its rows, on pages. Else it is a choice of
    /// the first ones.
    asked: bool,
    /// Rows of the queue after the first; as many as fit when not given.
    ready: Option<usize>,
    blocked: Option<usize>,
    /// Rows that say why, where it is not as many as there are of the queue.
    why: Option<usize>,
    /// What the answer may cost while the number of rows is not given, in bytes.
    bytes: usize,
    /// Whether it goes on after another page, and so has rows.
    continued: bool,
}

impl Page {
    fn of(args: &Args, want: &Want, execute: bool) -> Page {
        // No rows at all makes no sense: the default, as in the reference.
        let rows = |n: i64| usize::try_from(n).ok().filter(|n| *n > 0).unwrap_or(ROWS);
        // The control that every read has says how many rows are shown, and nothing else; the pipeline counts by it.
        let ready = args.limit.map(rows);
        let blocked = match args.blocked_limit {
            _ if args.ready_only || execute => None,
            Some(n) => Some(usize::try_from(n).unwrap_or(ROWS)),
            None => ready,
        };
        Page {
            asked: want.asked,
            ready,
            blocked,
            why: want.limit.map(|limit| limit.saturating_add(1)),
            bytes: args.token_budget.unwrap_or(TOKENS).saturating_mul(packing::BYTES_PER_TOKEN),
            continued: want.continued,
        }
    }

    /// The rows of a list, made one by one; a page of them shows `most`.
    fn listed<'a>(&self, total: usize, most: usize, make: impl Fn(usize) -> Row + 'a) -> Rows<'a> {
        Rows::first(total, most, self.asked, move |n| Ok(make(n)))
    }
}
