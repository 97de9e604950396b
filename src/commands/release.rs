//! `pm release`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example, Tier};
use crate::error::{Code, Result};
use crate::mutation::{claiming, write};
use crate::surface::{Command, Context};

/// Gives a claimed item back.
pub(super) struct Release;

/// Arguments of `pm release`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item
    id: String,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Release {
    const CONTRACT: Contract = Contract {
        path: &["release"],
        about: "Give a claimed item back",
        effect: Effect::Writes,
        errors: &[Code::ItemNotFound, Code::OwnershipConflict],
        examples: &[Example { about: "Somebody else may take it", argv: &["release", "pm-a1b2"] }],
        tier: Tier::Core,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        let write = write(context, "release", args.message.as_deref())?;
        let mut transaction = tracker.transaction(&write)?;
        let released = claiming::release(context, &mut transaction, &id, &write)?;
        transaction.commit()?;
        let warnings = released.written.warnings.clone();
        Ok(claiming::answer(context, released.envelope(), warnings))
    }
}
