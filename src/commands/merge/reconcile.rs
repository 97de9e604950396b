//! `pm merge reconcile`.

use serde_json::{Map, Value, json};

use super::documents;
use super::resolve::{Choice, settle};
use super::returned;
use super::unmerged::{self, Kind};
use crate::answer::Answer;
use crate::commands::history_repair::{drifted, mend};
use crate::contract::{Contract, Effect, Example};
use crate::domain::survey::WORKSPACE;
use crate::error::{Code, Error, Result};
use crate::model::timestamp;
use crate::mutation::{rewriting, write};
use crate::surface::{Command, Context};
use crate::tracker::{MergeReceipt, Opening, Rewriting, Tracker};

/// Brings everything in order that a merge left.
pub(in crate::commands) struct Reconcile;

/// Arguments of `pm merge reconcile`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Message of the history entries
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

const OP: &str = "merge_reconcile";

impl Command for Reconcile {
    const CONTRACT: Contract = Contract {
        path: &["merge", "reconcile"],
        about: "Bring items and histories together again after a merge, also one without the drivers",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::MergeDiscards, Code::HistoryChainInvalid],
        examples: &[Example { about: "See what would be done", argv: &["merge", "reconcile", "--dry-run"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let message = args.message.as_deref();
        let receipts: Vec<MergeReceipt> =
            tracker.merge_receipts().into_iter().filter(MergeReceipt::is_pending).collect();
        accepted(context, &receipts)?;
        let documents = documents::settle(context, tracker, None, &Choice::NONE, (OP, message));
        // Settings and schema that could not be read before are read now.
        let anew = match (&documents, tracker.warnings().is_empty(), context.globals.dry_run) {
            (Ok(Some(_)), false, false) => Some(opened(context)?),
            _ => None,
        };
        let tracker = anew.as_ref().unwrap_or(tracker);
        let found = unmerged::all(tracker)?;
        let marked: Vec<String> = found
            .iter()
            .filter(|found| found.kind.is_of_files() && found.kind != Kind::DocumentMarkers)
            .map(|found| found.id.clone())
            .filter(|id| id != WORKSPACE && !id.ends_with(".json"))
            .collect();
        let mut ids = marked.clone();
        ids.extend(drifted(tracker)?);
        ids.extend(receipts.iter().map(|receipt| receipt.item_id().to_owned()).filter(|id| !id.is_empty()));
        if !matches!(documents, Ok(None)) {
            ids.push(WORKSPACE.to_owned());
        }
        ids.sort();
        ids.dedup();
        let documents = std::cell::RefCell::new(Some(documents));
        let answer = rewriting::all(context, &ids, "reconciled", |id| {
            let own: Vec<&MergeReceipt> = receipts.iter().filter(|receipt| receipt.item_id() == id).collect();
            let mut done = None;
            if id == WORKSPACE
                && let Some(documents) = documents.take()
            {
                done = documents?.map(brief);
            }
            let marked = marked.iter().any(|known| known == id);
            Ok(one(context, tracker, id, &own, marked, message)?.or(done))
        });
        if !context.globals.dry_run {
            let at = timestamp::format(tracker.clock().now());
            receipts.iter().try_for_each(|receipt| tracker.settle_receipt(receipt, &at))?;
        }
        // Whatever the merge kept of it: what was redacted once goes again.
        let again = returned::redact_again(context, &opened(context)?)?;
        let answer = again.into_iter().fold(answer, Answer::warn);
        let left = left(context)?;
        let answer = answer.value("receipts", receipts.len()).value("left", left.clone());
        // Where both branches declared a type, both wrote into the block that names the drivers.
        let fence = if context.globals.dry_run { Vec::new() } else { tracker.refresh_merge_fence() };
        let answer = fence.into_iter().fold(answer, Answer::warn);
        Ok(if left.is_empty() { answer } else { answer.exit(1) })
    }
}

/// What is told of one among many.
fn brief(mut facts: Map<String, Value>) -> Map<String, Value> {
    facts.shift_remove("decided");
    facts.shift_remove("next");
    facts
}

/// Values that were thrown away are not buried without a word.
fn accepted(context: &Context, receipts: &[MergeReceipt]) -> Result<()> {
    let discarding: Vec<&str> =
        receipts.iter().filter(|receipt| receipt.discards()).map(MergeReceipt::item_id).collect();
    if discarding.is_empty() || context.globals.force || context.globals.dry_run {
        return Ok(());
    }
    let problem = format!("a merge threw values away in {}; look at them first", discarding.join(", "));
    Err(Error::new(Code::MergeDiscards, problem)
        .at("--force")
        .fact("items", discarding)
        .hint("pm merge report")
        .hint("pm merge reconcile --force"))
}

fn one(
    context: &Context,
    tracker: &Tracker,
    id: &str,
    receipts: &[&MergeReceipt],
    marked: bool,
    message: Option<&str>,
) -> Result<Option<Map<String, Value>>> {
    let settled = if marked { settle(context, tracker, id, &Choice::NONE, (OP, message))? } else { None };
    // Only the history has markers and the item is gone, or there is nothing to merge.
    let facts = match settled {
        Some(facts) => Some(brief(facts)),
        None => mend(context, tracker, id, OP, message)?,
    };
    if receipts.is_empty() {
        return Ok(facts);
    }
    note(context, tracker, id, receipts, message)?;
    let mut facts = facts.unwrap_or_default();
    facts.insert("receipts".into(), receipts.len().into());
    Ok(Some(facts))
}

/// An entry that holds the receipts.
fn note(
    context: &Context,
    tracker: &Tracker,
    id: &str,
    receipts: &[&MergeReceipt],
    message: Option<&str>,
) -> Result<()> {
    let write = write(context, OP, message)?;
    let documents: Vec<Value> = receipts.iter().map(|receipt| receipt.document.clone()).collect();
    tracker.rewrite(id, &write, &mut |found| {
        let item = found.item(tracker)?;
        Ok(Some(Rewriting {
            message: format!("{} receipts of merges noted", documents.len()),
            entries: found.entries(tracker, id)?,
            end: item.clone(),
            item,
            item_changes: false,
            files_anew: false,
            context: Some(json!({"merge": {"receipts": documents}})),
        }))
    })?;
    Ok(())
}

/// The tracker as it is now.
fn opened(context: &Context) -> Result<Tracker> {
    let pm_path = context.globals.pm_path.as_deref();
    Tracker::open(&Opening { pm_path, env: &context.env, clock: &context.clock })
}

/// What is still not in order. A dry run has changed nothing, so it does not ask.
fn left(context: &Context) -> Result<Vec<String>> {
    if context.globals.dry_run {
        return Ok(Vec::new());
    }
    Ok(unmerged::all(&opened(context)?)?.into_iter().map(|found| found.id).collect())
}
