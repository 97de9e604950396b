//! `pm history-repair`.

use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::chain;
use crate::domain::merge;
use crate::domain::rewrite::{Damage, repair, salvage};
use crate::domain::survey::WORKSPACE;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::mutation::restoring::known;
use crate::mutation::{rewriting, write};
use crate::surface::{Command, Context};
use crate::tracker::{Rewriting, Tracker};

/// Mends histories.
pub(super) struct HistoryRepair;

/// Arguments of `pm history-repair`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item; it may be deleted
    id: Option<String>,
    /// Look at every history and mend those that need it
    #[arg(long, conflicts_with = "id")]
    all: bool,
    /// Message of the entry that tells of it
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for HistoryRepair {
    const CONTRACT: Contract = Contract {
        path: &["history-repair"],
        about: "Mend a history that does not verify or does not end in its item",
        effect: Effect::Writes,
        errors: &[Code::ItemNotFound, Code::MissingRequiredArgument, Code::HistoryChainInvalid],
        examples: &[
            Example { about: "See what would be done", argv: &["history-repair", "pm-a1b2", "--dry-run"] },
            Example { about: "Everything that needs it", argv: &["history-repair", "--all"] },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        match &args.id {
            Some(typed) => {
                let id = known(tracker, typed)?;
                let facts = mend(context, tracker, &id, "history_repair", args.message.as_deref())?;
                let entries = if facts.is_none() { tracker.history(&id)?.len() } else { 0 };
                Ok(rewriting::one(context, &id, facts, entries))
            }
            None if args.all => {
                let ids = drifted(tracker)?;
                Ok(rewriting::all(context, &ids, "repaired", |id| {
                    mend(context, tracker, id, "history_repair", args.message.as_deref())
                }))
            }
            None => Err(Error::new(Code::MissingRequiredArgument, "say whose history is to be mended")
                .at("<id>")
                .fact("alternatives", vec!["<id>", "--all"])
                .hint("pm history-repair --all --dry-run")),
        }
    }
}

/// The ids whose histories do not verify, do not end in their item, or are missing.
pub(super) fn drifted(tracker: &Tracker) -> Result<Vec<String>> {
    let streams = tracker.streams()?;
    let documents_differ = !streams.changed_documents.is_empty() || !streams.missing_documents.is_empty();
    let mut ids: Vec<String> = streams
        .streams
        .iter()
        .filter(|(id, facts)| {
            let differs = if id.as_str() == WORKSPACE { documents_differ } else { facts.differs };
            facts.problem.is_some() || facts.fault.is_some() || differs
        })
        .map(|(id, _)| id.clone())
        .collect();
    let records = tracker.records()?;
    ids.extend(
        records.iter().map(|record| record.id().to_owned()).filter(|id| !streams.streams.contains_key(id)),
    );
    Ok(ids)
}

/// Mends one history; `None` when there is nothing to mend.
pub(super) fn mend(
    context: &Context,
    tracker: &Tracker,
    id: &str,
    op: &str,
    message: Option<&str>,
) -> Result<Option<Map<String, Value>>> {
    let write = write(context, op, message)?;
    let mut facts = Map::new();
    let written = tracker.rewrite(id, &write, &mut |found| {
        let (entries, damage) = salvage(found.stream.as_deref().unwrap_or_default());
        let item = found.item(tracker)?;
        if damage == Damage::default() && is_sound(item.as_ref(), &entries) {
            return Ok(None);
        }
        let repaired = repair(&entries).map_err(|error| rewriting::refused(id, &error))?;
        // What was redacted on another branch does not come back with the file.
        let redacted =
            matches!((&item, &repaired.end), (Some(item), Some(end)) if merge::is_redacted(item, end));
        let item = if redacted { repaired.end.clone() } else { item };
        let reconciled = repaired.end != item;
        facts.insert("rehashed".into(), repaired.rehashed.into());
        facts.insert("dropped_operations".into(), repaired.dropped.into());
        facts.insert("reconciled".into(), reconciled.into());
        if damage != Damage::default() {
            facts.insert("unreadable_lines".into(), damage.unreadable.len().into());
            facts.insert("conflict_markers".into(), damage.markers.into());
        }
        Ok(Some(Rewriting {
            message: format!("{} made {} hashes anew.", op.replace('_', "-"), repaired.rehashed),
            entries: repaired.entries,
            end: repaired.end,
            item,
            item_changes: redacted,
            files_anew: false,
            context: kept(&damage),
        }))
    })?;
    Ok(written.map(|entries| {
        facts.insert("entries".into(), entries.into());
        facts
    }))
}

/// Lines that are no entries are not thrown away: the entry that tells of the repair keeps them.
fn kept(damage: &Damage) -> Option<Value> {
    let row = |(line, text): &(usize, String)| json!({"line": line, "text": text});
    let lines: Vec<Value> = damage.unreadable.iter().map(row).collect();
    (!lines.is_empty()).then(|| json!({"unreadable_lines": lines}))
}

fn is_sound(item: Option<&Item>, entries: &[Value]) -> bool {
    if entries.is_empty() {
        return item.is_none();
    }
    chain::verify(entries).disagreement(item).is_none()
}
