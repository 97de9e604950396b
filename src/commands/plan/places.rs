//! `pm plan reorder-step`, `remove-step`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::plan;
use crate::error::{Code, Result};
use crate::mutation::planning::{self, Said};
use crate::mutation::write;
use crate::surface::{Command, Context};

/// Moves a step of a plan.
pub(in crate::commands) struct ReorderStep;

/// Arguments of `pm plan reorder-step`.
#[derive(clap::Args)]
pub(in crate::commands) struct ReorderArgs {
    /// Id of the plan
    id: String,
    /// The step: its id, or its place in the order
    #[arg(value_name = "STEP")]
    place: String,
    /// Its new place, counted from 1
    new_order: String,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for ReorderStep {
    const CONTRACT: Contract = Contract {
        path: &["plan", "reorder-step"],
        about: "Move a step of a plan to another place",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::PlanStepNotFound,
            Code::InvalidArgumentValue,
        ],
        examples: &[Example {
            about: "The third step first",
            argv: &["plan", "reorder-step", "pm-a1b2", "3", "1"],
        }],
        ..Contract::BASE
    };
    type Args = ReorderArgs;

    fn run<'a>(args: ReorderArgs, context: &'a Context) -> Result<Answer<'a>> {
        let (typed, target) = (args.place.as_str(), args.new_order.as_str());
        let message = args.message.unwrap_or_else(|| format!("plan reorder-step {typed} -> {target}"));
        let write = write(context, "plan_reorder_step", Some(&message))?;
        let receipt = planning::change_steps(context, &args.id, &write, &mut |item, steps, at| {
            let index = plan::find(item, steps, typed)?;
            plan::reorder(steps, index, target, at)
        })?;
        Ok(planning::answer(context, &Said { action: "reorder-step", step: None, places: true }, receipt))
    }
}

/// Takes a step out of a plan.
pub(in crate::commands) struct RemoveStep;

/// Arguments of `pm plan remove-step`.
#[derive(clap::Args)]
pub(in crate::commands) struct RemoveArgs {
    /// Id of the plan
    id: String,
    /// The step: its id, or its place in the order
    #[arg(value_name = "STEP")]
    place: String,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for RemoveStep {
    const CONTRACT: Contract = Contract {
        path: &["plan", "remove-step"],
        about: "Take a step out of a plan",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::PlanStepNotFound,
            Code::PlanStepOfRunbook,
        ],
        examples: &[Example { about: "It is not needed", argv: &["plan", "remove-step", "pm-a1b2", "4"] }],
        ..Contract::BASE
    };
    type Args = RemoveArgs;

    fn run<'a>(args: RemoveArgs, context: &'a Context) -> Result<Answer<'a>> {
        let typed = args.place.as_str();
        let message = args.message.unwrap_or_else(|| format!("plan remove-step {typed}"));
        let write = write(context, "plan_remove_step", Some(&message))?;
        let receipt = planning::change_steps(context, &args.id, &write, &mut |item, steps, _| {
            let index = plan::find(item, steps, typed)?;
            plan::remove(item, steps, index)
        })?;
        Ok(planning::answer(context, &Said { action: "remove-step", step: None, places: true }, receipt))
    }
}
