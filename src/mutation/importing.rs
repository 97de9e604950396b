//! Landing items that come from elsewhere: new ones are made, known ones get what changed there and keep what changed here.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::HIERARCHY_LOCK;
use crate::answer::{Answer, Rows};
use crate::domain::chain;
use crate::domain::merge::{self, Prefer};
use crate::error::{Code, Error, Kind, Result};
use crate::import::{Losses, Mapped, Skip};
use crate::model::canonical;
use crate::model::item::Item;
use crate::surface::Context;
use crate::tracker::{Tracker, Transaction, Write};

/// The operation in histories.
pub(crate) const OP: &str = "import";

/// So many items land together: a call that is killed has landed whole batches, and can be made again.
pub(crate) const BATCH: usize = 200;

/// What became of an import.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// How many things the source holds.
    pub(crate) read: usize,
    /// Of these, how many became new items.
    pub(crate) created: usize,
    /// How many changed an item.
    pub(crate) updated: usize,
    /// How many said nothing new.
    pub(crate) unchanged: usize,
    /// What became no item.
    pub(crate) skipped: Vec<Skip>,
    /// What is no item in the source either.
    pub(crate) passed_over: Vec<Skip>,
    /// What changed on the way.
    pub(crate) losses: Losses,
    /// Items in which both the source and somebody here changed a field.
    pub(crate) undecided: Vec<String>,
    /// What else there is to say.
    pub(crate) warnings: Vec<String>,
}

/// So many skipped things are named.
const MAX_NAMED: usize = 20;

impl Outcome {
    /// The receipt. The exit code is that of success only when everything that was read is here now, or was left out on
    /// purpose.
    pub(crate) fn answer<'a>(self, context: &Context) -> Answer<'a> {
        let written = self.created + self.updated;
        let undeclared = self.skipped.iter().filter(|skip| !skip.declared).count();
        let mut answer = Answer::new();
        if context.globals.dry_run {
            answer = answer.value("dry_run", true);
        }
        answer = answer
            .value("read", self.read)
            .value("written", written)
            .value("created", self.created)
            .value("updated", self.updated)
            .value("unchanged", self.unchanged)
            .value("skipped", self.skipped.len());
        if !self.skipped.is_empty() {
            answer = answer.rows("skips", named(&self.skipped));
        }
        if !self.losses.is_empty() {
            let row = |((field, reason), count): ((String, String), usize)| json!({"field": field, "count": count, "reason": reason});
            answer = answer.rows("losses", Rows::values(self.losses.into_iter().map(row).collect()));
        }
        if !self.passed_over.is_empty() {
            let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
            for passed in &self.passed_over {
                *reasons.entry(passed.reason.clone()).or_default() += 1;
            }
            let row = |(reason, count)| json!({"count": count, "reason": reason});
            answer = answer.rows("passed_over", Rows::values(reasons.into_iter().map(row).collect()));
        }
        if !self.undecided.is_empty() {
            let ids = self.undecided.join(",");
            answer = answer.warn(format!("changed_on_both_sides:{ids}: see pm merge status"));
        }
        let answer = self.warnings.into_iter().fold(answer, Answer::warn);
        if self.read != written + self.unchanged + self.skipped.len() {
            return answer.exit(Kind::Failure.exit_code());
        }
        if undeclared > 0 { answer.exit(Kind::PartialEffect.exit_code()) } else { answer }
    }
}

fn named(skipped: &[Skip]) -> Rows<'static> {
    let mut order: Vec<&Skip> = skipped.iter().collect();
    order.sort_by_key(|skip| skip.declared);
    let row = |skip: &&Skip| json!({"origin": skip.origin, "reason": skip.reason, "declared": skip.declared});
    let mut rows: Vec<Value> = order.iter().take(MAX_NAMED).map(row).collect();
    if order.len() > MAX_NAMED {
        rows.push(
            json!({"origin": format!("{} more", order.len() - MAX_NAMED), "reason": "", "declared": true}),
        );
    }
    Rows::values(rows)
}

/// Lands items in batches, and tells of each in the outcome.
///
/// Errors: those of locks and of the disk; whole batches have landed then, and the call can be made again.
pub(crate) fn land(
    context: &Context,
    items: &[Mapped],
    write: &Write<'_>,
    outcome: &mut Outcome,
) -> Result<()> {
    land_with(context, items, write, outcome, &one)
}

/// Lands one item within a transaction.
pub(crate) type One<'a> = dyn Fn(&Tracker, &mut Transaction<'_>, &Mapped, &Write<'_>) -> Result<Fate> + 'a;

/// The same with a way of its own for each item.
pub(crate) fn land_with(
    context: &Context,
    items: &[Mapped],
    write: &Write<'_>,
    outcome: &mut Outcome,
    one: &One<'_>,
) -> Result<()> {
    let tracker = context.tracker()?;
    for (n, batch) in items.chunks(BATCH).enumerate() {
        // What is in stays in: an import that has begun is not broken off.
        context.watch.tell(n * BATCH, items.len(), "items");
        let mut transaction = tracker.transaction(write)?;
        transaction.lock(HIERARCHY_LOCK)?;
        // Locks are taken in the order of ids, so that two imports never wait for each other.
        let mut order: Vec<&Mapped> = batch.iter().collect();
        order.sort_by(|a, b| a.item.id().cmp(b.item.id()));
        for mapped in order {
            match one(tracker, &mut transaction, mapped, write) {
                Ok(fate) => outcome.count(fate, mapped),
                Err(error) if is_about_one(&error) => outcome.skipped.push(Skip {
                    origin: mapped.origin.clone(),
                    reason: format!("{}: {}", error.code.as_str(), error.message),
                    declared: false,
                }),
                Err(error) => return Err(error),
            }
        }
        transaction.commit()?;
    }
    Ok(())
}

/// Whether an error is about this item and not about all.
fn is_about_one(error: &Error) -> bool {
    !matches!(
        error.code,
        Code::LockConflict
            | Code::TrackerReadOnly
            | Code::StorageFull
            | Code::WriteFailed
            | Code::MutationAuthorRequired
            | Code::Internal
    )
}

/// What became of one item.
#[derive(Debug)]
pub(crate) enum Fate {
    Created(Vec<String>),
    Updated { undecided: bool, warnings: Vec<String> },
    Unchanged,
    Deleted,
}

impl Outcome {
    pub(crate) fn count(&mut self, fate: Fate, mapped: &Mapped) {
        match fate {
            Fate::Created(warnings) => {
                self.created += 1;
                self.warnings.extend(warnings);
            }
            Fate::Updated { undecided, warnings } => {
                self.updated += 1;
                self.warnings.extend(warnings);
                if undecided {
                    self.undecided.push(mapped.item.id().to_owned());
                }
            }
            Fate::Unchanged => self.unchanged += 1,
            Fate::Deleted => self.skipped.push(Skip {
                origin: mapped.origin.clone(),
                reason: format!("`{}` was deleted here; --force brings it back", mapped.item.id()),
                declared: true,
            }),
        }
    }
}

pub(crate) fn one(
    tracker: &Tracker,
    transaction: &mut Transaction<'_>,
    mapped: &Mapped,
    write: &Write<'_>,
) -> Result<Fate> {
    let theirs = canonical::canonical_item(&mapped.item)
        .map_err(|error| Error::new(Code::ItemDocumentInvalid, error.to_string()).because(error))?;
    let id = theirs.id().to_owned();
    if tracker.records()?.find(&id).is_none() {
        if !write.force && !tracker.history(&id)?.is_empty() {
            return Ok(Fate::Deleted);
        }
        let item = Item { metadata: with_times(&theirs, tracker), body: theirs.body.clone() };
        let write = Write { context: told(&theirs, &item), ..write.clone() };
        let written = transaction.create(item, &write)?;
        return Ok(Fate::Created(written.warnings));
    }
    let current = tracker.item(&id)?.item;
    // Nothing to do needs no lock.
    if merged(tracker, &current, &theirs)?.0 == current {
        return Ok(Fate::Unchanged);
    }
    let Some(current) = transaction.item(&id)?.cloned() else { return Ok(Fate::Deleted) };
    let (after, undecided) = merged(tracker, &current, &theirs)?;
    let write = Write { context: told(&theirs, &after), ..write.clone() };
    let written = transaction.change(&id, &write, &mut |_, _| Ok(after.clone()))?;
    Ok(if written.unchanged {
        Fate::Unchanged
    } else {
        Fate::Updated { undecided, warnings: written.warnings }
    })
}

/// A new item needs times; those that the source does not know are of now.
fn with_times(item: &Item, tracker: &Tracker) -> Map<String, Value> {
    let mut metadata = item.metadata.clone();
    let now = crate::model::timestamp::format(tracker.clock().now());
    let created = item.text("created_at").unwrap_or(&now).to_owned();
    let latest = [item.text("closed_at"), item.text("updated_at")].into_iter().flatten().max();
    let updated = latest.filter(|at| **at >= *created).unwrap_or(&created).to_owned();
    metadata.insert("created_at".to_owned(), created.into());
    if item.text("updated_at").is_none() {
        metadata.insert("updated_at".to_owned(), updated.into());
    }
    metadata
}

/// What the item becomes: what changed in the source since the last import, onto what is here.
fn merged(tracker: &Tracker, current: &Item, theirs: &Item) -> Result<(Item, bool)> {
    if is_within(theirs, current) {
        return Ok((current.clone(), false));
    }
    let base = base(&tracker.history(current.id())?);
    let outcome = merge::items(&base, current, theirs, Prefer::Stable);
    let undecided = !outcome.conflicts.is_empty();
    let item = canonical::canonical_item(&outcome.item)
        .map_err(|error| Error::new(Code::ItemDocumentInvalid, error.to_string()).because(error))?;
    Ok((item, undecided))
}

/// Whether an item says everything that the source says, and nothing more but when it was made and changed.
fn is_within(theirs: &Item, current: &Item) -> bool {
    theirs.body == current.body
        && theirs.metadata.iter().all(|(key, value)| current.metadata.get(key) == Some(value))
        && current.metadata.keys().all(|key| {
            theirs.metadata.contains_key(key) || matches!(key.as_str(), "created_at" | "updated_at")
        })
}

/// What the source said at the last import: the item as that left it, but for the fields of which the entry tells
/// otherwise.
fn base(entries: &[Value]) -> Item {
    let is_import = |entry: &Value| entry.get("op").and_then(Value::as_str) == Some(OP);
    let Some(last) = entries.iter().rposition(is_import) else { return Item::default() };
    let Ok(mut item) = chain::item_after(entries, last + 1) else { return Item::default() };
    let other = entries[last].pointer("/context/source").and_then(Value::as_object);
    for (key, value) in other.into_iter().flatten() {
        if key == "body" {
            item.body = value.as_str().unwrap_or_default().to_owned();
        } else if value.is_null() {
            item.metadata.shift_remove(key);
        } else {
            item.metadata.insert(key.clone(), value.clone());
        }
    }
    item
}

/// What the source says where the item says something else: needed to know later what changed there.
fn told(theirs: &Item, item: &Item) -> Option<Value> {
    let mut other = Map::new();
    for (key, value) in &theirs.metadata {
        if item.metadata.get(key) != Some(value) {
            other.insert(key.clone(), value.clone());
        }
    }
    for key in item.metadata.keys().filter(|key| !theirs.metadata.contains_key(*key)) {
        other.insert(key.clone(), Value::Null);
    }
    if theirs.body != item.body {
        other.insert("body".to_owned(), theirs.body.as_str().into());
    }
    (!other.is_empty()).then(|| json!({"source": other}))
}
