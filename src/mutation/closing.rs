//! Closing an item, and what follows from it: warnings about children, items that are free again.

use serde_json::{Map, Value};

use super::receipt::Receipt;
use super::{HIERARCHY_LOCK, claiming, then, write};
use crate::answer::Answer;
use crate::domain::changes::Changes;
use crate::domain::lifecycle::{self, Closing, Latest, Unblocked};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::status::Roles;
use crate::surface::Context;
use crate::tracker::{Tracker, Transaction, Write};

/// How strictly a closing item is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validation {
    /// Only active children are named.
    Off,
    /// Missing fields are warned about too.
    Warn,
    /// Missing fields are refused.
    Strict,
}

impl Validation {
    /// Reads the value of `--validate-close`; none given is the tracker's own choice.
    pub(crate) fn read(tracker: &Tracker, text: Option<&str>) -> Result<Validation> {
        let chosen = tracker.settings().governance_word("close_validation_default");
        match text.map_or(chosen.as_str(), str::trim) {
            "warn" => Ok(Validation::Warn),
            "strict" => Ok(Validation::Strict),
            "off" => Ok(Validation::Off),
            other if text.is_none() => Ok(if other.is_empty() { Validation::Off } else { Validation::Warn }),
            other => Err(crate::domain::values::refusal(
                "--validate-close",
                other,
                "give off, warn or strict",
                &["off", "warn", "strict"],
            )),
        }
    }
}

/// A call that closes an item.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// The full id.
    pub(crate) id: &'a str,
    /// What closing writes.
    pub(crate) closing: Closing,
    /// Other changes that go with it, in the same entry.
    pub(crate) changes: Changes,
    /// The message of the entry.
    pub(crate) message: Option<&'a str>,
    /// `context` of the entry.
    pub(crate) context: Option<&'a Value>,
    /// How strictly it is looked at.
    pub(crate) validation: Validation,
    /// The claim is given up by an entry of its own right after.
    pub(crate) releases: bool,
}

/// The reason of a closing: what was said, else the duplicate, else the resolution, else the message.
///
/// Errors: `close_reason_required` when the tracker asks for one and there is none.
pub(crate) fn reason(
    tracker: &Tracker,
    id: &str,
    said: Option<&str>,
    closing: &Closing,
    message: Option<&str>,
) -> Result<Option<String>> {
    let filled = |text: Option<&str>| text.filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let reason = filled(said)
        .or_else(|| closing.duplicate_of.as_ref().map(|canonical| format!("Duplicate of {canonical}")))
        .or_else(|| filled(closing.resolution.as_deref()))
        .or_else(|| filled(message));
    if reason.is_none() && tracker.settings().governance_flag("require_close_reason") {
        return Err(reason_required(id));
    }
    Ok(reason)
}

/// An item that ends has to say why.
pub(crate) fn reason_required(id: &str) -> Error {
    let error = Error::new(Code::CloseReasonRequired, "an item that is closed needs a reason");
    if id.is_empty() {
        error.at("--close-reason")
    } else {
        error.at("--reason").hint(format!("pm close {id} \"what was done\""))
    }
}

/// The item that `--duplicate-of` names, when it can be the canonical one.
///
/// Errors: `duplicate_target_missing`, `duplicate_target_self`, `duplicate_target_circular`,
/// `duplicate_target_is_duplicate`.
pub(crate) fn canonical(tracker: &Tracker, id: &str, typed: &str) -> Result<String> {
    let refuse = |code, problem: String| Error::new(code, problem).at("--duplicate-of").rejecting(typed);
    let target = tracker.resolve(typed).map_err(|mut error| {
        if error.code == Code::ItemNotFound {
            error.code = Code::DuplicateTargetMissing;
            error.message = format!("`{id}` cannot repeat `{typed}`: there is no such item");
        }
        error.at("--duplicate-of").rejecting(typed)
    })?;
    if target == id {
        return Err(refuse(Code::DuplicateTargetSelf, format!("`{id}` cannot be a duplicate of itself")));
    }
    let mut seen = vec![target.clone()];
    let mut next = tracker.item(&target)?.item.text("duplicate_of").map(str::to_owned);
    let direct = next.clone();
    while let Some(above) = next.filter(|above| !seen.contains(above)) {
        if above == id {
            let chain = format!("{id} -> {} -> {id}", seen.join(" -> "));
            return Err(refuse(
                Code::DuplicateTargetCircular,
                format!("they would repeat each other: {chain}"),
            ));
        }
        next = tracker.item(&above).ok().and_then(|s| s.item.text("duplicate_of").map(str::to_owned));
        seen.push(above);
    }
    match direct {
        Some(above) => Err(refuse(
            Code::DuplicateTargetIsDuplicate,
            format!("`{target}` is a duplicate itself, of `{above}`"),
        )
        .hint(format!("pm close {id} --duplicate-of {above}"))),
        None => Ok(target),
    }
}

/// Closes an item and opens those that waited for it alone, all within one transaction.
///
/// Errors: `terminal_state_conflict` unless forced, `close_validation_missing_fields`,
/// `workflow_transition_not_allowed`, and those of the store.
pub(crate) fn close(
    context: &Context,
    transaction: &mut Transaction<'_>,
    request: &Request<'_>,
) -> Result<Receipt> {
    let tracker = context.tracker()?;
    let write = Write { context: request.context.cloned(), ..write(context, "close", request.message)? };
    // Of two calls that each close one of the last two blockers of an item the later one must see the earlier one.
    transaction.lock(HIERARCHY_LOCK)?;
    let (stored, changed) = (tracker.reload()?, transaction.changed_records());
    let records = Latest::new(&stored, &changed);
    let statuses = &tracker.schema().statuses;
    let freed = lifecycle::unblocked_by(records, statuses, request.id);
    // In the order of ids, so that two calls that close and free each other's items do not wait for each other.
    let mut ids: Vec<&str> = freed.iter().map(|item| item.id.as_str()).chain([request.id]).collect();
    ids.sort_unstable();
    for id in ids {
        transaction.lock(id)?;
    }
    let mut warnings = Vec::new();
    let mut edit = |item: &Item, at: &str| edit(tracker, request, &write, item, at, &mut warnings);
    let written = transaction.change(request.id, &write, &mut edit)?;
    let mut receipt = Receipt::of(written);
    receipt.warnings = warnings;
    receipt.warnings.extend(children_warning(records, tracker, request));
    unblock(context, &freed, request.id, transaction, &mut receipt.warnings)?;
    Ok(receipt)
}

/// Closes an item and gives up its claim, in two entries of one transaction; answers with both envelopes.
pub(crate) fn close_and_release<'a>(
    context: &'a Context,
    request: &Request<'_>,
    action: &str,
) -> Result<Answer<'a>> {
    let tracker = context.tracker()?;
    let mut transaction = tracker.transaction(&write(context, "close", request.message)?)?;
    let closed = close(context, &mut transaction, request)?;
    let release = then(context, "release", request.message)?;
    let released = claiming::release(context, &mut transaction, request.id, &release)?;
    transaction.commit()?;
    let mut envelope = Map::new();
    envelope.insert("id".to_owned(), Value::from(request.id));
    envelope.insert("action".to_owned(), Value::from(action));
    envelope.insert("close".to_owned(), closed.envelope());
    envelope.insert("release".to_owned(), Value::Object(released.envelope()));
    let warnings = closed.written.warnings.iter().chain(&closed.warnings).cloned().collect();
    Ok(claiming::answer(context, envelope, warnings))
}

fn edit(
    tracker: &Tracker,
    request: &Request<'_>,
    write: &Write<'_>,
    item: &Item,
    at: &str,
    warnings: &mut Vec<String>,
) -> Result<Item> {
    let (schema, settings) = (tracker.schema(), tracker.settings());
    let statuses = &schema.statuses;
    let id = request.id;
    if statuses.is_terminal(item.status()) && !write.force {
        let status = item.status();
        return Err(Error::new(Code::TerminalStateConflict, format!("`{id}` is {status} already"))
            .hint(format!("pm close {id} \"another reason\" --force"))
            .hint(format!("pm update {id} --status {}", statuses.open())));
    }
    let close = statuses.close();
    warnings.clear();
    let enforcement = settings.governance_word("workflow_enforcement");
    warnings.extend(lifecycle::check_transition(schema, &enforcement, item, close)?);
    let changed = request.changes.apply(item, statuses, at)?;
    let mut after = lifecycle::close(&changed, &request.closing, close, at);
    if let Some(principal) = changed.metadata.get("claim_principal").filter(|_| request.releases) {
        after.metadata.insert("claim_principal".to_owned(), principal.clone());
    }
    let missing = lifecycle::missing_at_close(&after);
    match request.validation {
        Validation::Strict if !missing.is_empty() => {
            let flags: Vec<String> =
                missing.iter().map(|key| format!("--{}", key.replace('_', "-"))).collect();
            Err(Error::new(
                Code::CloseValidationMissingFields,
                format!("`{id}` lacks what a closed item must have: {}", missing.join(", ")),
            )
            .at("--validate-close")
            .fact("missing", flags))
        }
        Validation::Warn if !missing.is_empty() => {
            warnings.push(format!("close_validation_missing_fields:{id}:{}", missing.join(",")));
            Ok(after)
        }
        _ => Ok(after),
    }
}

fn children_warning(records: Latest<'_>, tracker: &Tracker, request: &Request<'_>) -> Option<String> {
    let children = lifecycle::active_children(records, &tracker.schema().statuses, request.id);
    let code = match request.validation {
        Validation::Off => "closed_with_active_children",
        _ => "close_validation_active_children",
    };
    (!children.is_empty()).then(|| format!("{code}:{}:{}", request.id, children.join(",")))
}

/// The message of the entry by which an item is set free when `closed` ends.
pub(crate) fn freed_message(closed: &str) -> String {
    format!("Auto-unblocked after blocker {closed} closed")
}

/// Opens the items that waited for this one alone, which the transaction has ended. The caller holds the lock for links.
///
/// Errors: those of the store.
pub(crate) fn free(
    context: &Context,
    transaction: &mut Transaction<'_>,
    id: &str,
    warnings: &mut Vec<String>,
) -> Result<()> {
    let tracker = context.tracker()?;
    let (stored, changed) = (tracker.reload()?, transaction.changed_records());
    let freed = lifecycle::unblocked_by(Latest::new(&stored, &changed), &tracker.schema().statuses, id);
    unblock(context, &freed, id, transaction, warnings)
}

/// Opens the items whose last blocker just ended, each in an entry of its own.
fn unblock(
    context: &Context,
    freed: &[Unblocked],
    closed: &str,
    transaction: &mut Transaction<'_>,
    warnings: &mut Vec<String>,
) -> Result<()> {
    let statuses = &context.tracker()?.schema().statuses;
    let message = freed_message(closed);
    for free in freed {
        // What frees an item is no work on it: whoever holds it, it is free.
        let write = Write { force: true, ..then(context, "update", Some(&message))? };
        let Unblocked { id, blockers } = free;
        let still_waits = |item: &Item| statuses.plays(item.status(), Roles::BLOCKED);
        let written = transaction.change(id, &write, &mut |item, _| {
            Ok(if still_waits(item) {
                lifecycle::unblock(item, free, closed, statuses)
            } else {
                item.clone()
            })
        })?;
        if !written.unchanged {
            warnings.push(format!("auto_unblocked:{id}:resolved_blockers={}", blockers.join(",")));
        }
    }
    Ok(())
}
