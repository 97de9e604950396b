//! Claims: taking an item into one's hands and giving it back (storage.md §5.6, product.md §5.9).

use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::domain::lifecycle::{self, Claim, Claimant};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::surface::Context;
use crate::tracker::{Transaction, Write, Written};

/// How a claim is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terms {
    /// Somebody else's item is passed over, not refused.
    pub(crate) if_available: bool,
    /// An item that is held already, even by the caller, is refused.
    pub(crate) exclusive: bool,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Claimed {
    pub(crate) written: Written,
    pub(crate) holder: String,
    pub(crate) previous: Option<String>,
    pub(crate) forced: bool,
    pub(crate) skipped: bool,
    pub(crate) already_held: bool,
    pub(crate) warnings: Vec<String>,
}

fn held(id: &str, holder: &str) -> Error {
    Error::new(Code::AlreadyClaimedBy, format!("`{id}` is claimed by {holder}"))
        .fact("claimed_by", holder)
        .hint(format!("pm claim {id} --if-available"))
        .hint("pm claim --next")
        .hint(format!("pm claim {id} --force"))
}

/// Claims an item under its lock.
///
/// Errors: `already_claimed_by`, `terminal_state_conflict`.
pub(crate) fn claim(
    context: &Context,
    transaction: &mut Transaction<'_>,
    id: &str,
    write: &Write<'_>,
    terms: Terms,
) -> Result<Claimed> {
    let tracker = context.tracker()?;
    let actor = context.actor()?;
    let claimant = Claimant { author: &actor.author, principal: &actor.principal };
    let forced = context.globals.force;
    let mut state = Claim::Free;
    let mut previous = None;
    let mut edit = |item: &Item, _: &str| {
        previous = item.text("assignee").map(str::to_owned);
        state = lifecycle::claim_state(item, claimant, tracker.claim_lease(), context.clock.now());
        if tracker.schema().statuses.is_terminal(item.status()) && !forced {
            return Err(terminal(id, item.status()));
        }
        match &state {
            Claim::Own if terms.exclusive => Err(held(id, claimant.author)),
            Claim::Own => Ok(item.clone()),
            Claim::Held(holder) if !forced && !terms.if_available => Err(held(id, holder)),
            Claim::Held(_) if !forced => Ok(item.clone()),
            _ => Ok(lifecycle::claim(item, claimant)),
        }
    };
    let written = transaction.change(id, write, &mut edit)?;
    let mut claimed = Claimed {
        written,
        holder: claimant.author.to_owned(),
        previous,
        forced,
        skipped: false,
        already_held: false,
        warnings: Vec::new(),
    };
    match state {
        Claim::Own => claimed.already_held = true,
        Claim::Held(holder) if !forced => {
            claimed.warnings.push(format!("claim_skipped_held_by:{holder}"));
            claimed.holder = holder;
            claimed.skipped = true;
        }
        Claim::Held(holder) => claimed.warnings.push(format!("claim_takeover:{holder}->{}", claimant.author)),
        Claim::Expired(holder) => {
            claimed.warnings.push(format!("claim_expired:{holder}"));
            claimed.warnings.push(format!("claim_takeover:{holder}->{}", claimant.author));
        }
        Claim::Free => {}
    }
    Ok(claimed)
}

/// Refuses work on an item that is over, unless it is forced.
///
/// Errors: `terminal_state_conflict`.
pub(crate) fn refuse_terminal(context: &Context, item: &Item) -> Result<()> {
    let over = context.tracker()?.schema().statuses.is_terminal(item.status());
    if over && !context.globals.force { Err(terminal(item.id(), item.status())) } else { Ok(()) }
}

fn terminal(id: &str, status: &str) -> Error {
    Error::new(Code::TerminalStateConflict, format!("`{id}` is {status}: there is nothing to work on"))
        .hint(format!("pm update {id} --status open"))
        .hint(format!("pm claim {id} --force"))
}

impl Claimed {
    /// The envelope of `claim`.
    pub(crate) fn envelope(&self) -> Map<String, Value> {
        let mut out = Map::new();
        out.insert("item".to_owned(), item(&self.written));
        out.insert("claimed_by".to_owned(), Value::from(self.holder.as_str()));
        out.insert("previous_assignee".to_owned(), Value::from(self.previous.clone()));
        out.insert("forced".to_owned(), Value::from(self.forced));
        if self.skipped {
            out.insert("skipped".to_owned(), Value::from(true));
        }
        if self.already_held {
            out.insert("already_held".to_owned(), Value::from(true));
        }
        out
    }

    /// All warnings, those of the store first.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.written.warnings.iter().chain(&self.warnings).cloned().collect()
    }
}

/// The item of a claim or release, as it is afterwards.
fn item(written: &Written) -> Value {
    let item = written.after.as_ref().or(written.before.as_ref());
    Value::Object(item.map(|item| item.metadata.clone()).unwrap_or_default())
}

/// A release.
#[derive(Debug)]
pub(crate) struct Released {
    pub(crate) written: Written,
    pub(crate) by: String,
    pub(crate) previous: Option<String>,
    pub(crate) forced: bool,
}

/// Gives an item back, whoever holds it; one that nobody holds stays as it is.
///
/// Errors: `ownership_conflict` where the tracker enforces ownership.
pub(crate) fn release(
    context: &Context,
    transaction: &mut Transaction<'_>,
    id: &str,
    write: &Write<'_>,
) -> Result<Released> {
    let mut previous = None;
    let actor = context.actor()?;
    let written = transaction.change(id, write, &mut |item, _| {
        previous = item.text("assignee").map(str::to_owned);
        if !context.globals.force {
            refuse_foreign_session(id, item, &actor.author, &actor.principal)?;
        }
        Ok(lifecycle::release(item))
    })?;
    let by = actor.author.clone();
    Ok(Released { written, by, previous, forced: context.globals.force })
}

/// A claim that a session took is that session's to give up, also among sessions of one author (product.md §5.9).
fn refuse_foreign_session(id: &str, item: &Item, author: &str, principal: &str) -> Result<()> {
    let Some(assignee) = item.text("assignee") else { return Ok(()) };
    let holder = lifecycle::standing(assignee, item.text("claim_principal"));
    match holder.filter(|holder| holder.contains('#') && *holder != principal && assignee == author) {
        None => Ok(()),
        Some(holder) => {
            let problem = format!("`{id}` is claimed by the session {holder}");
            Err(Error::new(Code::OwnershipConflict, problem)
                .fact("claimed_by", holder)
                .hint(format!("pm release {id} --force")))
        }
    }
}

impl Released {
    /// The envelope of `release`.
    pub(crate) fn envelope(&self) -> Map<String, Value> {
        let mut out = Map::new();
        out.insert("item".to_owned(), item(&self.written));
        out.insert("released_by".to_owned(), Value::from(self.by.as_str()));
        out.insert("previous_assignee".to_owned(), Value::from(self.previous.clone()));
        out.insert("forced".to_owned(), Value::from(self.forced));
        out
    }
}

/// An answer of these keys, with a word about a dry run, and warnings; with `--id-only` what became of the item.
pub(crate) fn answer<'a>(
    context: &Context,
    envelope: Map<String, Value>,
    warnings: Vec<String>,
) -> Answer<'a> {
    if context.globals.id_only
        && let Some(item) = envelope.values().rev().find_map(|step| step.get("item")).or(envelope.get("item"))
    {
        return Answer::new().value("id", item["id"].clone()).value("status", item["status"].clone());
    }
    let mut answer = parts(envelope);
    if context.globals.dry_run {
        answer = answer.value("dry_run", true);
    }
    warnings.into_iter().fold(answer, Answer::warn)
}

/// The parts of an envelope: an item is a record, a step with an item a group.
fn parts<'a>(envelope: Map<String, Value>) -> Answer<'a> {
    envelope.into_iter().fold(Answer::new(), |answer, (key, value)| match value {
        Value::Object(step) if step.contains_key("item") => answer.group(&key, parts(step)),
        item if key == "item" => answer.record(&key, item),
        other => answer.value(&key, other),
    })
}
