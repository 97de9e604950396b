//! `pm history-compact`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::chain;
use crate::domain::rewrite::compact;
use crate::domain::values;
use crate::error::{Code, Error, Result};
use crate::mutation::restoring::{known, version};
use crate::mutation::{rewriting, write};
use crate::surface::{Command, Context};
use crate::tracker::Rewriting;

/// Shortens histories.
pub(super) struct HistoryCompact;

/// Streams with at most so many entries are not worth it.
const SHORTEST: u64 = 3;

/// Arguments of `pm history-compact`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item; leave it out to shorten many at once
    id: Option<String>,
    /// The first version to keep, counted from 1, or a time: versions from then on are kept
    #[arg(long, value_name = "VERSION|TIME", conflicts_with_all = ["ids", "all_over", "closed", "all_streams"])]
    before: Option<String>,
    /// These items, separated by commas
    #[arg(long, value_name = "IDS", value_delimiter = ',', conflicts_with = "id")]
    ids: Vec<String>,
    /// Every history with more than so many entries
    #[arg(long, value_name = "N", conflicts_with = "id")]
    all_over: Option<u64>,
    /// Every history of an item that is over
    #[arg(long, conflicts_with = "id")]
    closed: bool,
    /// Every history
    #[arg(long, conflicts_with = "id")]
    all_streams: bool,
    /// Pass over histories with at most so many entries
    #[arg(long, value_name = "N", default_value_t = SHORTEST)]
    min_entries: u64,
    /// Message of the entry that tells of it
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for HistoryCompact {
    const CONTRACT: Contract = Contract {
        path: &["history-compact"],
        about: "Shorten a history: one entry stands for the beginning, the rest stays",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::MissingRequiredArgument,
            Code::InvalidArgumentValue,
            Code::HistoryChainInvalid,
        ],
        examples: &[
            Example {
                about: "See what one history would become",
                argv: &["history-compact", "pm-a1b2", "--dry-run"],
            },
            Example {
                about: "All with more than 500 entries",
                argv: &["history-compact", "--all-over", "500"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        if let Some(typed) = &args.id {
            let id = known(tracker, typed)?;
            let entries = tracker.history(&id)?;
            let count = match &args.before {
                None => entries.len(),
                Some(before) => first_kept(before, &id, &entries, context)?,
            };
            let facts = shorten(context, &id, count, args.message.as_deref())?;
            return Ok(rewriting::one(context, &id, facts, entries.len()));
        }
        let ids = chosen(&args, context)?;
        Ok(rewriting::all(context, &ids, "compacted", |id| {
            shorten(context, id, usize::MAX, args.message.as_deref())
        }))
    }
}

/// How many entries come before the first one that is kept.
fn first_kept(before: &str, id: &str, entries: &[Value], context: &Context) -> Result<usize> {
    let refused = |error: Error| {
        let problem = format!("`{id}` has versions 1 to {}", entries.len());
        if error.code == Code::HistoryTargetOutOfRange {
            values::refusal("--before", before, problem, &[]).hint(format!("pm history {id}"))
        } else {
            error.at("--before")
        }
    };
    if before.trim().parse::<usize>().is_ok() {
        return version(before, id, entries, context.clock.now()).map(|kept| kept - 1).map_err(refused);
    }
    let at = values::instant("--before", before, context.clock.now())?;
    let at = crate::model::timestamp::parse(&at).unwrap_or(i64::MIN);
    let old = |entry: &&Value| {
        entry
            .get("ts")
            .and_then(Value::as_str)
            .and_then(crate::model::timestamp::parse)
            .is_some_and(|ts| ts < at)
    };
    Ok(entries.iter().take_while(old).count())
}

/// The streams of a call without an id.
fn chosen(args: &Args, context: &Context) -> Result<Vec<String>> {
    let tracker = context.tracker()?;
    if args.ids.is_empty() && args.all_over.is_none() && !args.closed && !args.all_streams {
        return Err(Error::new(Code::MissingRequiredArgument, "say whose history is to be shortened")
            .at("<id>")
            .fact("alternatives", vec!["<id>", "--ids", "--all-over", "--closed", "--all-streams"])
            .hint("pm history-compact --all-over 500 --dry-run"));
    }
    let wanted: Option<BTreeSet<String>> = if args.ids.is_empty() {
        None
    } else {
        let ids = args.ids.iter().filter(|id| !id.trim().is_empty());
        Some(ids.map(|id| known(tracker, id.trim())).collect::<Result<_>>()?)
    };
    let records = tracker.records()?;
    let statuses = &tracker.schema().statuses;
    let over = |id: &str| records.find(id).is_some_and(|record| statuses.is_terminal(record.status()));
    let least = args.min_entries.max(args.all_over.unwrap_or(0));
    let sizes = tracker.stream_sizes()?;
    let fits = |(id, size): &&(String, crate::domain::stream_sizes::StreamSize)| {
        size.entries > least
            && (!args.closed || over(id))
            && wanted.as_ref().is_none_or(|wanted| wanted.contains(id))
    };
    Ok(sizes.iter().filter(fits).map(|(id, _)| id.clone()).collect())
}

fn shorten(
    context: &Context,
    id: &str,
    count: usize,
    message: Option<&str>,
) -> Result<Option<Map<String, Value>>> {
    let tracker = context.tracker()?;
    let write = write(context, "history_compact", message)?;
    let mut author = Map::new();
    author.insert("author".into(), write.actor.author.as_str().into());
    author.insert("author_source".into(), write.actor.source.into());
    let mut facts = Map::new();
    let written = tracker.rewrite(id, &write, &mut |found| {
        let before = found.entries(tracker, id)?;
        let compacted = compact(&before, count, &author).map_err(|error| rewriting::refused(id, &error))?;
        if compacted.replaced == 0 {
            return Ok(None);
        }
        facts.insert("entries_before".into(), before.len().into());
        facts.insert("compacted".into(), compacted.replaced.into());
        facts.insert("kept".into(), (before.len() - compacted.replaced).into());
        let item = found.item(tracker)?;
        // Where the file was edited outside of pm, the last entry tells of that too.
        let replay = chain::verify(&compacted.entries);
        let end = match replay.disagreement(item.as_ref()) {
            None => item.clone(),
            Some(_) => Some(replay.item).filter(|end| !end.metadata.is_empty()),
        };
        Ok(Some(Rewriting {
            message: format!("history-compact replaced {} entries by a baseline.", compacted.replaced),
            entries: compacted.entries,
            end,
            item,
            item_changes: false,
            files_anew: false,
            context: None,
        }))
    })?;
    Ok(written.map(|entries| {
        facts.insert("entries".into(), entries.into());
        facts
    }))
}
