//! `pm copy`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::{lifecycle, values};
use crate::error::{Code, Result};
use crate::model::timestamp;
use crate::mutation::receipt::Receipt;
use crate::mutation::write;
use crate::surface::{Command, Context};

/// Copies an item.
pub(super) struct Copy;

/// Arguments of `pm copy`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item to copy
    id: String,
    /// Title of the copy
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Accepted for compatibility: a copy is meant to look like its source
    #[arg(long, hide = true)]
    allow_duplicate: bool,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Copy {
    const CONTRACT: Contract = Contract {
        path: &["copy"],
        about: "Copy an item into a new one, open and unclaimed",
        effect: Effect::Writes,
        errors: &[Code::ItemNotFound, Code::InvalidArgumentValue],
        examples: &[Example {
            about: "The same again",
            argv: &["copy", "pm-a1b2", "--title", "And for macOS"],
        }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        if let Some(title) = args.title.as_deref().filter(|title| title.trim().is_empty()) {
            return Err(values::refusal("--title", title, "it must not be empty", &[]));
        }
        let source = tracker.item(&id)?.item;
        let at = timestamp::format(context.clock.now());
        let author = &context.actor()?.author;
        let copy = lifecycle::copy(&source, args.title.as_deref(), &tracker.schema().statuses, author, &at);
        let write = write(context, "create", args.message.as_deref())?;
        let mut receipt = Receipt::of(tracker.create(copy, &write)?);
        receipt.counts_time = true;
        Ok(receipt.answer(&context.globals))
    }
}
