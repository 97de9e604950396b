//! `pm hooks deny`.

use crate::answer::Answer;
use crate::contract::{Contract, Example};
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Let no hook run in this clone.
pub(in crate::commands) struct Deny;

/// Arguments of `pm hooks deny`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {}

impl Command for Deny {
    const CONTRACT: Contract = Contract {
        path: &["hooks", "deny"],
        about: "Let no hook run in this clone",
        errors: &[Code::WriteFailed],
        examples: &[Example { about: "After reading `pm hooks list`", argv: &["hooks", "deny"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(_: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        tracker.allow_hooks(false)?;
        Ok(Answer::new().value("hooks", tracker.hooks().len()).value("allowed", tracker.hooks_allowed()))
    }
}
