//! `pm comments-audit`: what was said last about each item, or all that was said.

use std::cell::RefCell;
use std::cmp::Reverse;

use serde_json::{Value, json};

use crate::answer::{Answer, Completeness, Row, Rows, row};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::filter::{Filter, FilterArgs, Ground};
use crate::domain::status_set::StatusSet;
use crate::error::{Code, Result};
use crate::model::item::Item;
use crate::model::records::{Count, Record};
use crate::surface::{Command, Context};

/// Shows the comments of many items.
pub(super) struct CommentsAudit;

/// Arguments of `pm comments-audit`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Show so many comments of each item, the newest first
    #[arg(long, value_name = "N", default_value_t = 1)]
    latest: usize,
    /// Show every comment
    #[arg(long, conflicts_with = "latest")]
    full_history: bool,
    /// Look at so many items, the last changed first
    #[arg(long, value_name = "N")]
    limit_items: Option<usize>,
    /// Show at most so many comments
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    filters: FilterArgs,
}

impl Command for CommentsAudit {
    const CONTRACT: Contract = Contract {
        path: &["comments-audit"],
        about: "Show the latest comments of many items",
        read_output: Some(surfaces::COMMENTS_AUDIT),
        errors: &[Code::InvalidArgumentValue],
        examples: &[
            Example {
                about: "What was said last about each open item",
                argv: &["comments-audit", "--status", "open"],
            },
            Example {
                about: "All that was said about one area",
                argv: &["comments-audit", "--tag", "area:ui", "--full-history"],
            },
        ],
        tier: Tier::Full,
        custom_flags: true,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let (schema, records, now) = (tracker.schema(), tracker.records()?, context.clock.now());
        let prefix = tracker.settings().id_prefix();
        let ground = Ground { now, schema, prefix: &prefix };
        let filter = Filter::new(&args.filters, &context.custom, StatusSet::All, &ground)?;
        let selection = filter.over(records, schema);
        let mut items: Vec<Record<'a>> = selection.records().collect();
        items.sort_by_key(|record| (Reverse(record.updated_ms()), record.number()));
        items.truncate(args.limit_items.unwrap_or(usize::MAX));
        let said = |record: &Record<'_>| record.count(Count::Comments);
        let with = items.iter().filter(|record| said(record) > 0).count();
        let all: usize = items.iter().map(said).sum();
        let most = if args.full_history { usize::MAX } else { args.latest };
        // How many comments are told before each item's; they are read only where they are shown.
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (index, record) in items.iter().enumerate() {
            places.extend((0..said(record).min(most)).map(|back| (index, back)));
        }
        let considered = items.len();
        let last: RefCell<Option<(usize, Item)>> = RefCell::new(None);
        let rows = Rows::lazy(places.len(), move |n| {
            let (index, back) = places[n];
            let record = items[index];
            let mut last = last.borrow_mut();
            if last.as_ref().is_none_or(|(known, _)| *known != index) {
                *last = Some((index, tracker.read_item(record.path().to_owned())?.item));
            }
            Ok(last.as_ref().map(|(_, item)| line(record, item, back)).unwrap_or_default())
        });
        let columns = ["id", "title", "status", "comment_count", "created_at", "author", "text"];
        let answer = Answer::new()
            .value("totals", json!({"items": considered, "items_with_comments": with, "comments": all}))
            .rows("comments", rows.columns(columns).limited(args.limit))
            .completeness(Completeness::of(records.unserved()))
            .echo("filters", Value::Object(args.filters.echo()));
        Ok(tracker.warnings().iter().fold(answer, |answer, warning| answer.warn(warning.clone())))
    }
}

/// A comment of an item, counted back from the newest.
fn line(record: Record<'_>, item: &Item, back: usize) -> Row {
    let comments = item.list("comments");
    let comment = comments.len().checked_sub(back + 1).and_then(|at| comments.get(at));
    let field = |key: &str| comment.and_then(|comment| comment.get(key)).cloned().unwrap_or(Value::Null);
    row([
        ("id", record.id().into()),
        ("title", record.title().into()),
        ("status", record.status().into()),
        ("comment_count", comments.len().into()),
        ("created_at", field("created_at")),
        ("author", field("author")),
        ("text", field("text")),
    ])
}
