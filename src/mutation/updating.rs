//! Changing the fields of one item: what `update` and `update-many` share.

use serde_json::{Map, Value};

use super::bulk::Telling;
use super::closing::{self, Request, Validation};
use super::draft::{self, Draft, Options};
use super::flags::{Flags, OnUpdate};
use super::receipt::Receipt;
use super::{HIERARCHY_LOCK, write};
use crate::domain::changes::Changes;
use crate::domain::lifecycle::{self, Closing};
use crate::domain::{links, values};
use crate::error::Result;
use crate::model::item::Item;
use crate::model::records::Records;
use crate::surface::Context;
use crate::tracker::{Tracker, Transaction, Write, Written};

/// What to change.
#[derive(clap::Args, Clone)]
pub(crate) struct ChangeArgs {
    #[command(flatten)]
    flags: Flags<OnUpdate>,
    /// Add tags to those the item has
    #[arg(long, value_name = "TAGS")]
    add_tags: Vec<String>,
    /// Remove tags from those the item has
    #[arg(long, value_name = "TAGS")]
    remove_tags: Vec<String>,
    /// Add one acceptance criterion
    #[arg(long, value_name = "TEXT")]
    add_ac: Vec<String>,
    /// Remove the acceptance criterion with exactly this text
    #[arg(long, value_name = "TEXT")]
    remove_ac: Vec<String>,
    /// Remove the links to an item, or those that agree with id=<id>,kind=<kind>
    #[arg(long, value_name = "ENTRY")]
    dep_remove: Vec<String>,
    /// Clear a field
    #[arg(long, value_name = "FIELD")]
    unset: Vec<String>,
    /// Field of an installed package: <name>=<value>
    #[arg(long, value_name = "NAME=VALUE")]
    field: Vec<String>,
    /// Let the parent be an item that does not exist
    #[arg(long)]
    allow_missing_parent: bool,
    /// Let links lead to items that do not exist
    #[arg(long)]
    allow_unresolved_deps: bool,
    /// Read the changes as a JSON document from standard input; flags are stronger
    #[arg(long)]
    pub(crate) stdin_json: bool,
    /// Read the body from a file
    #[arg(long, value_name = "PATH")]
    body_file: Option<String>,
}

impl ChangeArgs {
    fn options(&self) -> Options {
        Options {
            add_tags: self.add_tags.clone(),
            remove_tags: self.remove_tags.clone(),
            add_criteria: self.add_ac.clone(),
            remove_criteria: self.remove_ac.clone(),
            unset: self.unset.clone(),
            dep_remove: self.dep_remove.clone(),
            extension_fields: self.field.clone(),
            body_file: self.body_file.clone(),
            stdin_json: self.stdin_json,
            allow_missing_parent: self.allow_missing_parent,
            allow_unresolved_deps: self.allow_unresolved_deps,
        }
    }

    /// What was asked, under the names of the flags: `planned_update_options` of a bulk call.
    pub(crate) fn echo(&self) -> Map<String, Value> {
        let mut echo = self.flags.echo();
        let lists = [
            ("add_tags", &self.add_tags),
            ("remove_tags", &self.remove_tags),
            ("add_ac", &self.add_ac),
            ("remove_ac", &self.remove_ac),
            ("dep_remove", &self.dep_remove),
            ("unset", &self.unset),
            ("field", &self.field),
        ];
        for (key, values) in lists.into_iter().filter(|(_, values)| !values.is_empty()) {
            echo.insert(key.to_owned(), values.join(",").into());
        }
        echo
    }
}

/// Changes an item; asked for nothing it changes nothing and says so.
///
/// Errors: those of the values, of links and of the store.
pub(crate) fn change(
    id: &str,
    args: &ChangeArgs,
    telling: &Telling<'_>,
    context: &Context,
) -> Result<Receipt> {
    let tracker = context.tracker()?;
    let stored = tracker.item(id)?;
    let draft = draft::resolve(context, args.flags.clone(), &args.options(), Some(&stored.item))?;
    if draft.changes.is_empty() {
        return Ok(nothing(id, stored.item, draft));
    }
    let end = tracker.schema().statuses.close();
    let closes = draft.changes.status.as_deref() == Some(end) && stored.item.status() != end;
    if closes { close(id, draft, telling, context) } else { update(id, draft, telling, context) }
}

/// A call that asks for nothing gets the item's state and a word about it.
fn nothing(id: &str, item: Item, draft: Draft) -> Receipt {
    let written = Written {
        id: id.to_owned(),
        before: Some(item.clone()),
        after: Some(item),
        changed: Vec::new(),
        unchanged: true,
        warnings: Vec::new(),
    };
    let mut receipt = Receipt::of(written);
    receipt.warnings = draft.warnings;
    receipt.warnings.push("noop_no_update_fields".to_owned());
    receipt
}

/// Refuses values that no item can get, whichever items a bulk call finds.
///
/// Errors: those of the values, `close_reason_required`.
pub(crate) fn check(args: &ChangeArgs, message: Option<&str>, context: &Context) -> Result<()> {
    let options = Options { dep_remove: Vec::new(), ..args.options() };
    let mut draft = draft::resolve(context, args.flags.clone(), &options, None)?;
    let tracker = context.tracker()?;
    if draft.changes.status.as_deref() != Some(tracker.schema().statuses.close()) {
        return Ok(());
    }
    let (said, closing) = closing_of(&mut draft.changes);
    closing::reason(tracker, "", said.as_deref(), &closing, message).map(drop)
}

/// What a change says about how an item ended, taken out of it.
fn closing_of(changes: &mut Changes) -> (Option<String>, Closing) {
    let mut take = |key: &str| {
        let value = changes.set.shift_remove(key)?;
        value.as_str().map(str::to_owned)
    };
    let said = take("close_reason");
    let closing = Closing {
        completed_at: take("completed_at"),
        resolution: take("resolution"),
        expected_result: take("expected_result"),
        actual_result: take("actual_result"),
        ..Closing::default()
    };
    (said, closing)
}

fn update(id: &str, draft: Draft, telling: &Telling<'_>, context: &Context) -> Result<Receipt> {
    let write = Write { context: telling.context.cloned(), ..write(context, "update", telling.message)? };
    let mut transaction = context.tracker()?.transaction(&write)?;
    let receipt = update_in(context, &mut transaction, id, draft, &write)?;
    telling.secure(&receipt)?;
    transaction.commit()?;
    Ok(receipt)
}

/// Changes an item within a transaction.
///
/// Errors: those of links and of the store.
pub(crate) fn update_in(
    context: &Context,
    transaction: &mut Transaction<'_>,
    id: &str,
    draft: Draft,
    write: &Write<'_>,
) -> Result<Receipt> {
    let tracker = context.tracker()?;
    let now = context.clock.now();
    let records = linking(&draft.changes, tracker, transaction)?;
    let mut warnings = Vec::new();
    let written = transaction.change(id, write, &mut |item, at| {
        warnings.clear();
        let after = apply(tracker, &draft.changes, item, at, &mut warnings)?;
        if let Some(records) = &records {
            links::check_orders(records, Some(item), &after)?;
            links::check_age(records, &after, &new_links(item, &after), now)?;
        }
        Ok(after)
    })?;
    let mut receipt = Receipt::of(written);
    receipt.warnings = draft.warnings;
    if let (Some(before), true) =
        (&receipt.written.before, draft.changes.set.contains_key("acceptance_criteria"))
    {
        receipt.warnings.extend(replaced_criteria(before, &receipt.written));
    }
    receipt.warnings.append(&mut warnings);
    Ok(receipt)
}

/// All items as they are under the lock for links, when the changes may add any.
fn linking(
    changes: &Changes,
    tracker: &Tracker,
    transaction: &mut Transaction<'_>,
) -> Result<Option<Records>> {
    if !changes.may_link() {
        return Ok(None);
    }
    transaction.lock(HIERARCHY_LOCK)?;
    tracker.reload().map(Some)
}

fn new_links(before: &Item, after: &Item) -> Vec<Value> {
    let old = before.list("dependencies");
    after.list("dependencies").iter().filter(|row| !old.contains(row)).cloned().collect()
}

/// The item after the changes, with every check that looks at more than the values.
fn apply(
    tracker: &Tracker,
    changes: &Changes,
    item: &Item,
    at: &str,
    warnings: &mut Vec<String>,
) -> Result<Item> {
    let schema = tracker.schema();
    if let Some(status) = &changes.status {
        let enforcement = tracker.settings().governance_word("workflow_enforcement");
        warnings.extend(lifecycle::check_transition(schema, &enforcement, item, status)?);
    }
    let after = changes.apply(item, &schema.statuses, at)?;
    if changes.set.contains_key("completed_at") && !schema.statuses.is_terminal(after.status()) {
        let shown = after.text("completed_at").unwrap_or_default();
        return Err(values::refusal("--completed-at", shown, format!("`{}` is not over", item.id()), &[]));
    }
    Ok(after)
}

/// Replacing a list of criteria as a whole loses the old ones: say how many.
fn replaced_criteria(before: &Item, written: &Written) -> Option<String> {
    let count = |item: &Item| values::criteria(item.text("acceptance_criteria").unwrap_or_default()).len();
    let changed = written.changed.iter().any(|field| field == "acceptance_criteria");
    changed.then(|| {
        format!("acceptance_criteria_replaced:{}:{}", count(before), written.after.as_ref().map_or(0, count))
    })
}

/// `--status closed` is a close, with the other changes in the same entry.
fn close(id: &str, draft: Draft, telling: &Telling<'_>, context: &Context) -> Result<Receipt> {
    let tracker = context.tracker()?;
    let message = telling.message;
    let Draft { mut changes, warnings, .. } = draft;
    changes.status = None;
    let (said, mut closing) = closing_of(&mut changes);
    closing.reason = closing::reason(tracker, id, said.as_deref(), &closing, message)
        .map_err(|error| error.at("--close-reason"))?;
    let validation = Validation::read(tracker, None)?;
    let mut transaction = tracker.transaction(&write(context, "close", message)?)?;
    let records = linking(&changes, tracker, &mut transaction)?;
    let context_of = telling.context;
    let request = Request { id, closing, changes, message, context: context_of, validation, releases: false };
    let mut receipt = closing::close(context, &mut transaction, &request)?;
    if let (Some(records), Some(after)) = (&records, &receipt.written.after) {
        links::check_orders(records, receipt.written.before.as_ref(), after)?;
    }
    telling.secure(&receipt)?;
    transaction.commit()?;
    receipt.warnings.splice(0..0, warnings);
    receipt.warnings.push("auto_routed_from_update_to_close".to_owned());
    Ok(receipt)
}
