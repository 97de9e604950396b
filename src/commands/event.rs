//! `pm event`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Result};
use crate::mutation::scheduling::{self, CommonArgs, SpanArgs};
use crate::surface::{Command, Context};

/// Creates an event.
pub(super) struct Event;

/// Arguments of `pm event`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Title
    title: String,
    #[command(flatten)]
    span: SpanArgs,
    #[command(flatten)]
    common: CommonArgs,
}

impl Command for Event {
    const CONTRACT: Contract = Contract {
        path: &["event"],
        about: "Create an event with its time in one step",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::InvalidArgumentValue, Code::ParentNotFound],
        examples: &[Example {
            about: "Two hours, tomorrow",
            argv: &["event", "Release 2.0", "--start", "+1d", "--duration", "2h"],
        }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let row = args.span.event(context.clock.now())?;
        scheduling::create(context, ("Event", &args.title), ("events", row), args.common)
    }
}
