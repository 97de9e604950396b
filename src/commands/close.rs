//! `pm close`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example, Tier};
use crate::domain::changes::Changes;
use crate::domain::lifecycle::Closing;
use crate::domain::values;
use crate::error::{Code, Result};
use crate::mutation::closing::{self, Request, Validation};
use crate::mutation::write;
use crate::surface::{Command, Context};

/// Closes an item.
pub(super) struct Close;

/// Arguments of `pm close`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item
    id: String,
    /// Why it is closed
    text: Option<String>,
    /// Why it is closed
    #[arg(short, long, value_name = "TEXT", visible_alias = "close-reason")]
    reason: Option<String>,
    /// When the work was really done
    #[arg(long, value_name = "TIME")]
    completed_at: Option<String>,
    /// The item that this one repeats
    #[arg(short, long, value_name = "ID")]
    duplicate_of: Option<String>,
    /// How strictly the item is looked at: off, warn, strict; strict when no value is given
    #[arg(long, value_name = "MODE", num_args = 0..=1, default_missing_value = "strict")]
    validate_close: Option<String>,
    /// How it was resolved
    #[arg(long, value_name = "TEXT")]
    resolution: Option<String>,
    /// What should have happened
    #[arg(long, value_name = "TEXT", visible_alias = "expected")]
    expected_result: Option<String>,
    /// What happened instead
    #[arg(long, value_name = "TEXT", visible_alias = "actual")]
    actual_result: Option<String>,
    /// Message of the history entry
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Close {
    const CONTRACT: Contract = Contract {
        path: &["close"],
        about: "Close an item, with the reason",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::CloseReasonRequired,
            Code::TerminalStateConflict,
            Code::CloseValidationMissingFields,
            Code::DuplicateTargetMissing,
            Code::DuplicateTargetSelf,
            Code::DuplicateTargetIsDuplicate,
            Code::DuplicateTargetCircular,
            Code::OwnershipConflict,
        ],
        examples: &[
            Example { about: "Done", argv: &["close", "pm-a1b2", "All criteria met"] },
            Example {
                about: "It repeats another item",
                argv: &["close", "pm-a1b2", "--duplicate-of", "pm-c3d4"],
            },
        ],
        tier: Tier::Core,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        let canonical =
            args.duplicate_of.as_deref().map(|typed| closing::canonical(tracker, &id, typed)).transpose()?;
        let now = context.clock.now();
        let completed =
            args.completed_at.as_deref().map(|at| values::instant("--completed-at", at, now)).transpose()?;
        let mut closing = Closing {
            reason: None,
            completed_at: completed,
            duplicate_of: canonical,
            resolution: args.resolution,
            expected_result: args.expected_result,
            actual_result: args.actual_result,
        };
        let said = args.text.as_deref().or(args.reason.as_deref());
        let message = args.message.as_deref();
        closing.reason = closing::reason(tracker, &id, said, &closing, message)?;
        let validation = Validation::read(tracker, args.validate_close.as_deref())?;
        let changes = Changes::default();
        let request =
            Request { id: &id, closing, changes, message, context: None, validation, releases: false };
        let mut transaction = tracker.transaction(&write(context, "close", message)?)?;
        let receipt = closing::close(context, &mut transaction, &request)?;
        transaction.commit()?;
        Ok(receipt.answer(&context.globals))
    }
}
