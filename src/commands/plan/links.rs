//! `pm plan link`, `unlink`.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::links;
use crate::domain::plan::{self, StepEdit};
use crate::error::{Code, Error, Result};
use crate::model::id;
use crate::model::item::Item;
use crate::mutation::planning::{self, LinkArgs, Said};
use crate::mutation::receipt::Receipt;
use crate::mutation::seeds;
use crate::mutation::{HIERARCHY_LOCK, write};
use crate::surface::{Command, Context};

fn missing(hint: String) -> Error {
    Error::new(Code::MissingRequiredOption, "which item?")
        .at("--link")
        .fact("missing", vec!["--link"])
        .hint(hint)
}

/// Links a step of a plan with items.
pub(in crate::commands) struct Link;

/// Arguments of `pm plan link`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Id of the plan
    id: String,
    /// The step: its id, or its place in the order
    #[arg(value_name = "STEP")]
    place: String,
    #[command(flatten)]
    links: LinkArgs,
    /// Link the plan itself with these items too
    #[arg(long)]
    promote_to_item_dep: bool,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Link {
    const CONTRACT: Contract = Contract {
        path: &["plan", "link"],
        about: "Link a step of a plan with items",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::PlanStepNotFound,
            Code::DependencyTargetNotFound,
            Code::DependencyCycleCreated,
        ],
        examples: &[Example {
            about: "The step does what an item asks for",
            argv: &["plan", "link", "pm-a1b2", "1", "--link", "pm-c3d4", "--link-kind", "implements"],
        }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let typed = args.place.as_str();
        let rows = args.links.rows(context)?;
        if rows.is_empty() {
            return Err(missing("pm list --limit 10".to_owned()));
        }
        let message = args.message.unwrap_or_else(|| format!("plan link {typed}"));
        let write = write(context, "plan_link_step", Some(&message))?;
        let id = tracker.resolve(&args.id)?;
        let statuses = &tracker.schema().statuses;
        let edit = StepEdit { links: rows, ..StepEdit::default() };
        let mut transaction = tracker.transaction(&write)?;
        let records = match args.promote_to_item_dep {
            true => {
                transaction.lock(HIERARCHY_LOCK)?;
                Some(tracker.reload()?)
            }
            false => None,
        };
        let mut step = None;
        let written = transaction.change(&id, &write, &mut |item, at| {
            plan::admit(item, statuses)?;
            let mut steps = plan::steps(item);
            let index = plan::find(item, &steps, typed)?;
            step = steps[index].get("id").and_then(Value::as_str).map(str::to_owned);
            plan::change(item, &mut steps, index, &edit, at)?;
            let mut after = plan::with_steps(item, steps);
            if let Some(records) = &records {
                promote(&mut after, &edit.links, &write.actor.author, at);
                links::check_orders(records, Some(item), &after)?;
            }
            Ok(after)
        })?;
        transaction.commit()?;
        let said = Said { action: "link", step, places: false };
        Ok(planning::answer(context, &said, Receipt::of(written)))
    }
}

/// Links the plan as its step is linked.
fn promote(item: &mut Item, rows: &[Value], author: &str, at: &str) {
    let text = |row: &Value, key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let rows = rows.iter().map(|row| {
        let kind = text(row, "kind");
        let kind = links::canonical_kind(&kind).unwrap_or("related");
        json!({"id": text(row, "id"), "kind": kind, "created_at": at, "author": author})
    });
    links::add(item, rows.collect());
}

/// Takes links out of a step of a plan.
pub(in crate::commands) struct Unlink;

/// Arguments of `pm plan unlink`.
#[derive(clap::Args)]
pub(in crate::commands) struct UnlinkArgs {
    /// Id of the plan
    id: String,
    /// The step: its id, or its place in the order
    #[arg(value_name = "STEP")]
    place: String,
    #[command(flatten)]
    links: LinkArgs,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Unlink {
    const CONTRACT: Contract = Contract {
        path: &["plan", "unlink"],
        about: "Take links out of a step of a plan",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::PlanStepNotFound,
            Code::DependencyRemoveNoMatch,
        ],
        examples: &[Example {
            about: "All links to an item",
            argv: &["plan", "unlink", "pm-a1b2", "1", "--link", "pm-c3d4"],
        }],
        ..Contract::BASE
    };
    type Args = UnlinkArgs;

    fn run<'a>(args: UnlinkArgs, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let typed = args.place.as_str();
        let kind = args.links.kind()?;
        // An item that is gone is unlinked by what it was called.
        let words = args.links.link.iter().flat_map(|text| text.split(',')).map(str::trim);
        let mut ids = Vec::new();
        for word in words.filter(|word| !word.is_empty()) {
            ids.extend([id::normalise_typed(word), seeds::full_id(tracker, word)]);
            ids.extend(tracker.resolve(word).ok());
        }
        if ids.is_empty() {
            return Err(missing(format!("pm plan show {}", args.id)));
        }
        let message = args.message.unwrap_or_else(|| format!("plan unlink {typed}"));
        let write = write(context, "plan_unlink_step", Some(&message))?;
        let mut step = None;
        let receipt = planning::change_steps(context, &args.id, &write, &mut |item, steps, at| {
            let index = plan::find(item, steps, typed)?;
            step = steps[index].get("id").and_then(Value::as_str).map(str::to_owned);
            if plan::unlink(steps, index, &ids, kind, at) > 0 {
                return Ok(());
            }
            let (id, link) = (item.id(), args.links.link.join(","));
            Err(Error::new(Code::DependencyRemoveNoMatch, format!("the step has no such link to `{link}`"))
                .at("--link")
                .rejecting(link)
                .hint(format!("pm plan show {id} --depth standard")))
        })?;
        Ok(planning::answer(context, &Said { action: "unlink", step, places: false }, receipt))
    }
}
