//! `pm item complete`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::changes::Changes;
use crate::domain::lifecycle::Closing;
use crate::error::{Code, Result};
use crate::mutation::closing::{self, Request, Validation};
use crate::surface::{Command, Context};

/// Closes an item with its evidence and gives up the claim.
pub(crate) struct Complete;

/// Arguments of `pm item complete`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the item
    id: String,
    /// Why it is closed
    reason: Option<String>,
    /// How it was resolved
    #[arg(long, value_name = "TEXT")]
    resolution: Option<String>,
    /// What should have happened
    #[arg(long, value_name = "TEXT", visible_alias = "expected")]
    expected_result: Option<String>,
    /// What happened instead
    #[arg(long, value_name = "TEXT", visible_alias = "actual")]
    actual_result: Option<String>,
    /// How strictly the item is looked at: off, warn, strict
    #[arg(long, value_name = "MODE")]
    validate_close: Option<String>,
    /// Message of the history entries
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Complete {
    const CONTRACT: Contract = Contract {
        path: &["item", "complete"],
        about: "Close an item with its evidence and give up the claim",
        effect: Effect::Writes,
        errors: &[Code::ItemNotFound, Code::CloseReasonRequired, Code::TerminalStateConflict],
        examples: &[Example {
            about: "Done, and how",
            argv: &["item", "complete", "pm-a1b2", "--resolution", "fixed", "--actual", "All tests pass"],
        }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        let message = args.message.as_deref();
        let mut closing = Closing {
            resolution: args.resolution,
            expected_result: args.expected_result,
            actual_result: args.actual_result,
            ..Closing::default()
        };
        closing.reason = closing::reason(tracker, &id, args.reason.as_deref(), &closing, message)?;
        let validation = Validation::read(tracker, args.validate_close.as_deref())?;
        let changes = Changes::default();
        let request =
            Request { id: &id, closing, changes, message, context: None, validation, releases: true };
        closing::close_and_release(context, &request, "complete")
    }
}
