//! `pm restore`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Result};
use crate::mutation::restoring::{known, restore};
use crate::mutation::write;
use crate::surface::{Command, Context};

/// Brings an earlier version of an item back.
pub(super) struct Restore;

/// Arguments of `pm restore`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item; it may be deleted
    id: String,
    /// Version, counted from 1, or a time: the last version at or before it
    target: String,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Restore {
    const CONTRACT: Contract = Contract {
        path: &["restore"],
        about: "Bring an earlier version of an item back, also of a deleted one",
        effect: Effect::Writes,
        errors: &[Code::ItemNotFound, Code::HistoryTargetOutOfRange, Code::HistoryChainInvalid],
        examples: &[
            Example { about: "As it was created", argv: &["restore", "pm-a1b2", "1"] },
            Example { about: "As it was at a time", argv: &["restore", "pm-a1b2", "2026-04-01T00:00:00Z"] },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = known(tracker, &args.id)?;
        let write = write(context, "restore", args.message.as_deref())?;
        let receipt = restore(context, &id, &args.target, &write)?;
        Ok(receipt.answer(&context.globals))
    }
}
