//! `pm update`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example, Tier};
use crate::domain::changes::Changes;
use crate::domain::lifecycle::{self, Closing};
use crate::domain::{links, values};
use crate::error::{Code, Result};
use crate::model::item::Item;
use crate::model::records::Records;
use crate::mutation::closing::{self, Request, Validation};
use crate::mutation::draft::{self, Draft, Options};
use crate::mutation::flags::{Flags, OnUpdate};
use crate::mutation::receipt::Receipt;
use crate::mutation::{HIERARCHY_LOCK, write};
use crate::surface::{Command, Context};
use crate::tracker::{Stored, Tracker, Transaction, Written};

/// Changes fields of an item.
pub(super) struct Update;

/// Arguments of `pm update`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item
    id: String,
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
    stdin_json: bool,
    /// Read the body from a file
    #[arg(long, value_name = "PATH")]
    body_file: Option<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Update {
    const CONTRACT: Contract = Contract {
        path: &["update"],
        about: "Change fields of an item",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::InvalidArgumentValue,
            Code::ConflictingArguments,
            Code::CloseReasonRequired,
            Code::ParentNotFound,
            Code::DependencyTargetNotFound,
            Code::DependencyRemoveNoMatch,
            Code::DependencyCycleCreated,
            Code::HierarchyCycleCreated,
            Code::WorkflowTransitionNotAllowed,
            Code::AcceptanceCriteriaRemoveUnmatched,
        ],
        examples: &[
            Example { about: "One field", argv: &["update", "pm-a1b2", "--priority", "high"] },
            Example {
                about: "Wait for another item",
                argv: &["update", "pm-a1b2", "--dep", "id=pm-c3d4,kind=blocked_by"],
            },
            Example { about: "Clear a field", argv: &["update", "pm-a1b2", "--unset", "deadline"] },
        ],
        tier: Tier::Core,
        custom_flags: true,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(mut args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        let stored = tracker.item(&id)?;
        let options = Options {
            add_tags: std::mem::take(&mut args.add_tags),
            remove_tags: std::mem::take(&mut args.remove_tags),
            add_criteria: std::mem::take(&mut args.add_ac),
            remove_criteria: std::mem::take(&mut args.remove_ac),
            unset: std::mem::take(&mut args.unset),
            dep_remove: std::mem::take(&mut args.dep_remove),
            extension_fields: std::mem::take(&mut args.field),
            body_file: args.body_file.take(),
            stdin_json: args.stdin_json,
            allow_missing_parent: args.allow_missing_parent,
            allow_unresolved_deps: args.allow_unresolved_deps,
        };
        let draft = draft::resolve(context, std::mem::take(&mut args.flags), &options, Some(&stored.item))?;
        if draft.changes.is_empty() {
            return Ok(nothing(id, stored, draft, context));
        }
        let closes = draft.changes.status.as_deref() == Some(tracker.schema().statuses.close())
            && !tracker.schema().statuses.is_terminal(stored.item.status());
        let receipt =
            if closes { close(&id, draft, &args, context)? } else { update(&id, draft, &args, context)? };
        Ok(receipt.answer(&context.globals))
    }
}

/// A call that asks for nothing gets the item's state and a word about it.
fn nothing<'a>(id: String, stored: Stored, draft: Draft, context: &'a Context) -> Answer<'a> {
    let item = stored.item;
    let written = Written {
        id,
        before: Some(item.clone()),
        after: Some(item),
        changed: Vec::new(),
        unchanged: true,
        warnings: Vec::new(),
    };
    let mut receipt = Receipt::of(written);
    receipt.warnings = draft.warnings;
    receipt.warnings.push("noop_no_update_fields".to_owned());
    receipt.answer(&context.globals)
}

fn update(id: &str, draft: Draft, args: &Args, context: &Context) -> Result<Receipt> {
    let tracker = context.tracker()?;
    let write = write(context, "update", args.message.as_deref())?;
    let now = context.clock.now();
    let mut transaction = tracker.transaction(&write)?;
    let records = linking(&draft.changes, tracker, &mut transaction)?;
    let mut warnings = Vec::new();
    let written = transaction.change(id, &write, &mut |item, at| {
        warnings.clear();
        let after = apply(tracker, &draft.changes, item, at, &mut warnings)?;
        if let Some(records) = &records {
            links::check_orders(records, Some(item), &after)?;
            links::check_age(records, &after, &new_links(item, &after), now)?;
        }
        Ok(after)
    })?;
    transaction.commit()?;
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

fn new_links(before: &Item, after: &Item) -> Vec<serde_json::Value> {
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
fn close(id: &str, draft: Draft, args: &Args, context: &Context) -> Result<Receipt> {
    let tracker = context.tracker()?;
    let Draft { mut changes, warnings, .. } = draft;
    changes.status = None;
    let mut take = |key: &str| {
        let value = changes.set.shift_remove(key)?;
        value.as_str().map(str::to_owned)
    };
    let said = take("close_reason");
    let mut closing = Closing {
        completed_at: take("completed_at"),
        resolution: take("resolution"),
        expected_result: take("expected_result"),
        actual_result: take("actual_result"),
        ..Closing::default()
    };
    closing.reason = closing::reason(tracker, id, said.as_deref(), &closing, args.message.as_deref())
        .map_err(|error| error.at("--close-reason"))?;
    let validation = Validation::read(tracker, None)?;
    let message = args.message.as_deref();
    let mut transaction = tracker.transaction(&write(context, "close", message)?)?;
    let records = linking(&changes, tracker, &mut transaction)?;
    let request = Request { id, closing, changes, message, validation, releases: false };
    let mut receipt = closing::close(context, &mut transaction, &request)?;
    if let (Some(records), Some(after)) = (&records, &receipt.written.after) {
        links::check_orders(records, receipt.written.before.as_ref(), after)?;
    }
    transaction.commit()?;
    receipt.warnings.splice(0..0, warnings);
    receipt.warnings.push("auto_routed_from_update_to_close".to_owned());
    Ok(receipt)
}
