//! `pm hooks allow`.

use crate::answer::Answer;
use crate::contract::{Contract, Example};
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Let the hooks of the settings, as they are now, run in this clone.
pub(in crate::commands) struct Allow;

/// Arguments of `pm hooks allow`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {}

impl Command for Allow {
    const CONTRACT: Contract = Contract {
        path: &["hooks", "allow"],
        about: "Let the hooks of the settings, as they are now, run in this clone",
        errors: &[Code::WriteFailed],
        examples: &[Example { about: "After reading `pm hooks list`", argv: &["hooks", "allow"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(_: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        tracker.allow_hooks(true)?;
        Ok(Answer::new().value("hooks", tracker.hooks().len()).value("allowed", tracker.hooks_allowed()))
    }
}
