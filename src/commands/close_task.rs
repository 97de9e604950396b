//! `pm close-task`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::changes::Changes;
use crate::domain::lifecycle::Closing;
use crate::error::{Code, Result};
use crate::mutation::closing::{self, Request, Validation};
use crate::surface::{Command, Context};

/// Closes an item and gives up its claim.
pub(super) struct CloseTask;

/// Arguments of `pm close-task`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item
    id: String,
    /// Why it is closed
    reason: Option<String>,
    /// How strictly the item is looked at: off, warn, strict
    #[arg(long, value_name = "MODE")]
    validate_close: Option<String>,
    /// Message of the history entries
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for CloseTask {
    const CONTRACT: Contract = Contract {
        path: &["close-task"],
        about: "Close an item and give up its claim",
        effect: Effect::Writes,
        errors: &[Code::ItemNotFound, Code::CloseReasonRequired, Code::TerminalStateConflict],
        examples: &[Example { about: "Done", argv: &["close-task", "pm-a1b2", "All criteria met"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        let message = args.message.as_deref();
        let mut closing = Closing::default();
        closing.reason = closing::reason(tracker, &id, args.reason.as_deref(), &closing, message)?;
        let validation = Validation::read(tracker, args.validate_close.as_deref())?;
        let changes = Changes::default();
        let request =
            Request { id: &id, closing, changes, message, context: None, validation, releases: true };
        closing::close_and_release(context, &request, "close_task")
    }
}
