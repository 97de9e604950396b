//! `pm plan add-step`, `update-step`, `complete-step`, `block-step`.

use super::runbook;
use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::plan::{self, StepEdit};
use crate::error::{Code, Error, Result};
use crate::mutation::planning::{self, Said, StepArgs};
use crate::mutation::write;
use crate::surface::{Command, Context};

/// Adds a step to a plan.
pub(in crate::commands) struct AddStep;

/// Arguments of `pm plan add-step`.
#[derive(clap::Args)]
pub(in crate::commands) struct AddArgs {
    /// Id of the plan
    id: String,
    /// Title of the step
    title: Option<String>,
    #[command(flatten)]
    step: StepArgs,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for AddStep {
    const CONTRACT: Contract = Contract {
        path: &["plan", "add-step"],
        about: "Add a step at the end of a plan",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::MissingRequiredOption,
            Code::DependencyTargetNotFound,
            Code::PlanStepAlreadyActive,
        ],
        examples: &[Example {
            about: "One more thing to do",
            argv: &["plan", "add-step", "pm-a1b2", "Write the release notes"],
        }],
        ..Contract::BASE
    };
    type Args = AddArgs;

    fn run<'a>(mut args: AddArgs, context: &'a Context) -> Result<Answer<'a>> {
        if let (Some(_), Some(_)) = (&args.title, &args.step.step_title) {
            let problem = "--step-title says what a word before it says too";
            return Err(Error::new(Code::ConflictingArguments, problem).at("--step-title"));
        }
        args.step.step_title = args.title.or(args.step.step_title);
        let Some(title) = args.step.step_title.clone() else {
            return Err(Error::new(Code::MissingRequiredOption, "a step needs a title")
                .at("--step-title")
                .fact("missing", vec!["--step-title"])
                .hint(format!("pm plan add-step {} --step-title \"the title\"", args.id)));
        };
        let edit = args.step.edit(context)?;
        let message = args.message.unwrap_or_else(|| format!("plan add-step \"{title}\""));
        let write = write(context, "plan_add_step", Some(&message))?;
        let mut step = None;
        let receipt = planning::change_steps(context, &args.id, &write, &mut |item, steps, at| {
            step = Some(plan::add(item, steps, &edit, at)?);
            Ok(())
        })?;
        Ok(planning::answer(context, &Said { action: "add-step", step, places: false }, receipt))
    }
}

/// What a change of one step is called.
struct Names {
    action: &'static str,
    op: &'static str,
}

/// Changes the step that was named.
fn change<'a>(
    names: &Names,
    (id, typed): (&str, &str),
    edit: &StepEdit,
    message: Option<String>,
    context: &'a Context,
) -> Result<Answer<'a>> {
    let message = message.unwrap_or_else(|| format!("{} {typed}", names.op));
    let write = write(context, names.op, Some(&message))?;
    let mut step = None;
    let receipt = planning::change_steps(context, id, &write, &mut |item, steps, at| {
        let index = plan::find(item, steps, typed)?;
        step = steps[index].get("id").and_then(serde_json::Value::as_str).map(str::to_owned);
        plan::keeps_words(item, &steps[index], edit)?;
        plan::change(item, steps, index, edit, at)
    })?;
    Ok(planning::answer(context, &Said { action: names.action, step, places: false }, receipt))
}

/// Changes a step of a plan.
pub(in crate::commands) struct UpdateStep;

/// Arguments of `pm plan update-step`.
#[derive(clap::Args)]
pub(in crate::commands) struct UpdateArgs {
    /// Id of the plan
    id: String,
    /// The step: its id, or its place in the order
    #[arg(value_name = "STEP")]
    place: String,
    #[command(flatten)]
    step: StepArgs,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for UpdateStep {
    const CONTRACT: Contract = Contract {
        path: &["plan", "update-step"],
        about: "Change a step of a plan",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::PlanStepNotFound,
            Code::PlanStepAlreadyActive,
            Code::PlanStepOfRunbook,
            Code::InvalidArgumentValue,
        ],
        examples: &[Example {
            about: "Begin the second step",
            argv: &["plan", "update-step", "pm-a1b2", "2", "--step-status", "in_progress"],
        }],
        ..Contract::BASE
    };
    type Args = UpdateArgs;

    fn run<'a>(args: UpdateArgs, context: &'a Context) -> Result<Answer<'a>> {
        let names = Names { action: "update-step", op: "plan_update_step" };
        change(&names, (&args.id, &args.place), &args.step.edit(context)?, args.message, context)
    }
}

/// Completes a step of a plan.
pub(in crate::commands) struct CompleteStep;

/// Arguments of `pm plan complete-step`.
#[derive(clap::Args)]
pub(in crate::commands) struct CompleteArgs {
    /// Id of the plan
    id: String,
    /// The step: its id, or its place in the order
    #[arg(value_name = "STEP")]
    place: String,
    /// What shows that the step is done
    #[arg(long, value_name = "TEXT")]
    step_evidence: Option<String>,
    /// The approval of a person, signed in FILE.sig, for a step of a runbook that needs one
    #[arg(long, value_name = "FILE")]
    approval: Option<String>,
    /// Linked file: path=<path>, scope=project|global, note=<text>
    #[arg(long, value_name = "ENTRY")]
    file: Vec<String>,
    /// Linked test: command=<command>, path=<path>, note=<text>
    #[arg(long, value_name = "ENTRY")]
    test: Vec<String>,
    /// Linked document: path=<path>, scope=project|global, note=<text>
    #[arg(long, value_name = "ENTRY")]
    doc: Vec<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for CompleteStep {
    const CONTRACT: Contract = Contract {
        path: &["plan", "complete-step"],
        about: "Complete a step of a plan, with what shows it",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::PlanStepNotFound,
            Code::ApprovalRequired,
            Code::ApprovalInvalid,
            Code::ApprovalNotHuman,
            Code::ApprovalBySelf,
            Code::ApprovalStale,
        ],
        examples: &[Example {
            about: "Done, and how one can tell",
            argv: &["plan", "complete-step", "pm-a1b2", "1", "--step-evidence", "All tests pass"],
        }],
        ..Contract::BASE
    };
    type Args = CompleteArgs;

    fn run<'a>(args: CompleteArgs, context: &'a Context) -> Result<Answer<'a>> {
        let step = StepArgs {
            step_status: Some("completed".to_owned()),
            step_evidence: args.step_evidence,
            file: args.file,
            test: args.test,
            doc: args.doc,
            ..StepArgs::default()
        };
        let agreed = args.approval.as_deref().map(|path| runbook::approval(context, &args.id, path));
        let edit = runbook::agreed(step.edit(context)?, agreed.transpose()?);
        let names = Names { action: "complete-step", op: "plan_complete_step" };
        change(&names, (&args.id, &args.place), &edit, args.message, context)
    }
}

/// Blocks a step of a plan.
pub(in crate::commands) struct BlockStep;

/// Arguments of `pm plan block-step`.
#[derive(clap::Args)]
pub(in crate::commands) struct BlockArgs {
    /// Id of the plan
    id: String,
    /// The step: its id, or its place in the order
    #[arg(value_name = "STEP")]
    place: String,
    /// Why the step is blocked
    #[arg(long, value_name = "TEXT")]
    step_blocked_reason: Option<String>,
    /// Items that the step waits for; repeat it or separate ids with commas
    #[arg(long, value_name = "ID")]
    depends_on: Vec<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for BlockStep {
    const CONTRACT: Contract = Contract {
        path: &["plan", "block-step"],
        about: "Mark a step of a plan as blocked, with the reason",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::PlanStepNotFound,
            Code::InvalidArgumentValue,
        ],
        examples: &[Example {
            about: "It cannot go on",
            argv: &["plan", "block-step", "pm-a1b2", "2", "--step-blocked-reason", "No access yet"],
        }],
        ..Contract::BASE
    };
    type Args = BlockArgs;

    fn run<'a>(args: BlockArgs, context: &'a Context) -> Result<Answer<'a>> {
        let step = StepArgs {
            step_status: Some("blocked".to_owned()),
            step_blocked_reason: args.step_blocked_reason,
            depends_on: args.depends_on,
            ..StepArgs::default()
        };
        let names = Names { action: "block-step", op: "plan_block_step" };
        change(&names, (&args.id, &args.place), &step.edit(context)?, args.message, context)
    }
}
