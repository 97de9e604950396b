//! `pm merge reconcile`.

use serde_json::{Map, Value, json};

use super::resolve::{Choice, settle};
use super::unmerged;
use crate::answer::Answer;
use crate::commands::history_repair::{drifted, mend};
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Error, Result};
use crate::model::timestamp;
use crate::mutation::{rewriting, write};
use crate::surface::{Command, Context};
use crate::tracker::{MergeReceipt, Rewriting, Tracker};

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
        let marked: Vec<String> = unmerged::all(tracker)?
            .into_iter()
            .filter(|found| found.kind != "values")
            .map(|found| found.id)
            .collect();
        let mut ids = marked.clone();
        ids.extend(drifted(tracker)?);
        ids.extend(receipts.iter().map(|receipt| receipt.item_id().to_owned()).filter(|id| !id.is_empty()));
        ids.sort();
        ids.dedup();
        let answer = rewriting::all(context, &ids, "reconciled", |id| {
            let own: Vec<&MergeReceipt> = receipts.iter().filter(|receipt| receipt.item_id() == id).collect();
            one(context, id, &own, marked.iter().any(|known| known == id), message)
        });
        if !context.globals.dry_run {
            let at = timestamp::format(tracker.clock().now());
            receipts.iter().try_for_each(|receipt| tracker.settle_receipt(receipt, &at))?;
        }
        let left = left(tracker, context.globals.dry_run)?;
        let answer = answer.value("receipts", receipts.len()).value("left", left.clone());
        Ok(if left.is_empty() { answer } else { answer.exit(1) })
    }
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
    id: &str,
    receipts: &[&MergeReceipt],
    marked: bool,
    message: Option<&str>,
) -> Result<Option<Map<String, Value>>> {
    let facts = if marked {
        match settle(context, id, &Choice::NONE, OP, message)? {
            Some(mut facts) => {
                facts.shift_remove("decided");
                facts.shift_remove("next");
                Some(facts)
            }
            // Only the history has markers, and the item is gone.
            None => mend(context, id, OP, message)?,
        }
    } else {
        mend(context, id, OP, message)?
    };
    if receipts.is_empty() {
        return Ok(facts);
    }
    note(context, id, receipts, message)?;
    let mut facts = facts.unwrap_or_default();
    facts.insert("receipts".into(), receipts.len().into());
    Ok(Some(facts))
}

/// An entry that holds the receipts.
fn note(context: &Context, id: &str, receipts: &[&MergeReceipt], message: Option<&str>) -> Result<()> {
    let tracker = context.tracker()?;
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
            context: Some(json!({"merge": {"receipts": documents}})),
        }))
    })?;
    Ok(())
}

/// What is still not in order. A dry run has changed nothing, so it does not ask.
fn left(tracker: &Tracker, dry_run: bool) -> Result<Vec<String>> {
    if dry_run {
        return Ok(Vec::new());
    }
    let records = tracker.reload()?;
    let unreadable = records
        .unreadable()
        .iter()
        .filter(|file| file.code == Code::MergeConflictMarkers.as_str())
        .map(|file| file.path.clone());
    let mut left: Vec<String> = unreadable.collect();
    left.extend(
        records
            .iter()
            .filter(|record| crate::domain::merge::conflicts::is_conflicted(*record))
            .map(|record| record.id().to_owned()),
    );
    Ok(left)
}
