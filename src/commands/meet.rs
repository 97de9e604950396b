//! `pm meet`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Result};
use crate::mutation::scheduling::{self, CommonArgs, SpanArgs};
use crate::surface::{Command, Context};

/// Creates a meeting.
pub(super) struct Meet;

/// Arguments of `pm meet`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Title
    title: String,
    #[command(flatten)]
    span: SpanArgs,
    #[command(flatten)]
    common: CommonArgs,
}

impl Command for Meet {
    const CONTRACT: Contract = Contract {
        path: &["meet"],
        about: "Create a meeting with its time in one step",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::InvalidArgumentValue, Code::ParentNotFound],
        examples: &[Example {
            about: "Two hours, tomorrow",
            argv: &["meet", "Sprint planning", "--start", "+1d", "--duration", "2h"],
        }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let row = args.span.event(context.clock.now())?;
        scheduling::create(context, ("Meeting", &args.title), ("events", row), args.common)
    }
}
