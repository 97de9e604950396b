//! `pm close-many`.

use serde_json::{Map, json};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::changes::Changes;
use crate::domain::lifecycle::Closing;
use crate::domain::values;
use crate::error::{Code, Result};
use crate::mutation::bulk::{Bulk, BulkArgs};
use crate::mutation::closing::{self, Request, Validation};
use crate::mutation::write;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Closes many items.
pub(super) struct CloseMany;

/// Arguments of `pm close-many`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    bulk: BulkArgs,
    /// Why they are closed
    #[arg(short, long, value_name = "TEXT")]
    reason: Option<String>,
    /// The item that all of them repeat
    #[arg(long, value_name = "ID")]
    duplicate_of: Option<String>,
    /// When the work was really done
    #[arg(long, value_name = "TIME")]
    completed_at: Option<String>,
    /// How they were resolved
    #[arg(long, value_name = "TEXT")]
    resolution: Option<String>,
    /// What should have happened
    #[arg(long, value_name = "TEXT", visible_alias = "expected")]
    expected_result: Option<String>,
    /// What happened instead
    #[arg(long, value_name = "TEXT", visible_alias = "actual")]
    actual_result: Option<String>,
    /// How strictly each item is looked at: off, warn, strict; strict when no value is given
    #[arg(long, value_name = "MODE", num_args = 0..=1, default_missing_value = "strict")]
    validate_close: Option<String>,
    /// Message of the history entries
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for CloseMany {
    const CONTRACT: Contract = Contract {
        path: &["close-many"],
        about: "Close many items for one reason, with a checkpoint to go back to",
        effect: Effect::Writes,
        expects: false,
        errors: &[
            Code::InvalidArgumentValue,
            Code::CloseReasonRequired,
            Code::DuplicateTargetMissing,
            Code::DuplicateTargetIsDuplicate,
            Code::CheckpointNotFound,
            Code::CheckpointInvalid,
        ],
        examples: &[
            Example {
                about: "See what would be closed",
                argv: &["close-many", "--filter-sprint", "12", "--reason", "Sprint done", "--dry-run"],
            },
            Example {
                about: "They repeat another item",
                argv: &["close-many", "--ids", "b2,c3", "--duplicate-of", "a1"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let now = context.clock.now();
        let completed_at =
            args.completed_at.as_deref().map(|at| values::instant("--completed-at", at, now)).transpose()?;
        let mut closing = Closing {
            completed_at,
            resolution: args.resolution.clone(),
            expected_result: args.expected_result.clone(),
            actual_result: args.actual_result.clone(),
            ..Closing::default()
        };
        let mut bulk = Bulk { command: "close-many", done: "closed", args: &args.bulk, asked: Map::new() };
        if let Some(checkpoint) = &args.bulk.rollback {
            return bulk.roll_back(checkpoint, context);
        }
        closing.duplicate_of =
            args.duplicate_of.as_deref().map(|typed| duplicate_of(tracker, typed)).transpose()?;
        closing.reason =
            closing::reason(tracker, "", args.reason.as_deref(), &closing, args.message.as_deref())
                .map_err(|error| error.at("--reason"))?;
        let validation = Validation::read(tracker, args.validate_close.as_deref())?;
        bulk.asked.insert("reason".into(), json!(closing.reason));
        if let Some(canonical) = &closing.duplicate_of {
            bulk.asked.insert("duplicate_of".into(), canonical.as_str().into());
        }
        bulk.run(
            context,
            args.message.as_deref(),
            |chosen| {
                let statuses = &tracker.schema().statuses;
                let over = statuses.is_terminal(&chosen.status) && !context.globals.force;
                let action = if over { "skip" } else { "close" };
                Ok(json!({"id": chosen.id, "title": chosen.title, "status": chosen.status, "action": action}))
            },
            |id, telling| {
                if let Some(canonical) = &closing.duplicate_of {
                    closing::canonical(tracker, id, canonical)?;
                }
                let request = Request {
                    id,
                    closing: closing.clone(),
                    changes: Changes::default(),
                    message: telling.message,
                    context: telling.context,
                    validation,
                    releases: false,
                };
                let mut transaction = tracker.transaction(&write(context, "close", telling.message)?)?;
                let receipt = closing::close(context, &mut transaction, &request)?;
                telling.secure(&receipt)?;
                transaction.commit()?;
                Ok(receipt)
            },
        )
    }
}

/// The item that the others repeat; it must be one that repeats none itself.
fn duplicate_of(tracker: &Tracker, typed: &str) -> Result<String> {
    // No item has an empty id.
    closing::canonical(tracker, "", typed).map_err(|mut error| {
        error.hints = vec!["pm duplicates".to_owned()];
        if error.code == Code::DuplicateTargetMissing {
            error.message = format!("nothing can repeat `{typed}`: there is no such item");
        }
        error
    })
}
