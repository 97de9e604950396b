//! `pm update`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example, Tier};
use crate::error::{Code, Result};
use crate::mutation::bulk::Telling;
use crate::mutation::updating::{ChangeArgs, change};
use crate::surface::{Command, Context};

/// Changes fields of an item.
pub(super) struct Update;

/// Arguments of `pm update`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item
    id: String,
    #[command(flatten)]
    change: ChangeArgs,
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

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let id = context.tracker()?.resolve(&args.id)?;
        let receipt = change(&id, &args.change, &Telling::alone(args.message.as_deref()), context)?;
        Ok(receipt.answer(&context.globals))
    }
}
