//! `pm hooks allow`, `pm hooks deny`.

use crate::answer::Answer;
use crate::contract::{Contract, Example};
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Lets the hooks of the settings run in this clone.
pub(in crate::commands) struct Allow;

/// Lets no hook run in this clone.
pub(in crate::commands) struct Deny;

/// Neither takes arguments.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {}

const BASE: Contract = Contract { errors: &[Code::WriteFailed], ..Contract::BASE };

impl Command for Allow {
    const CONTRACT: Contract = Contract {
        path: &["hooks", "allow"],
        about: "Let the hooks of the settings, with the files that they run as they are now, run in this clone",
        examples: &[Example { about: "After reading `pm hooks list`", argv: &["hooks", "allow"] }],
        ..BASE
    };
    type Args = Args;

    fn run<'a>(_: Args, context: &'a Context) -> Result<Answer<'a>> {
        let answer = decide(context, true)?;
        let tracker = context.tracker()?;
        let mut files: Vec<String> =
            tracker.hooks().iter().flatten().flat_map(|hook| tracker.hook_files(hook)).collect();
        files.sort_unstable();
        files.dedup();
        Ok(answer.value("files", files))
    }
}

impl Command for Deny {
    const CONTRACT: Contract = Contract {
        path: &["hooks", "deny"],
        about: "Let no hook run in this clone",
        examples: &[Example { about: "Whatever was allowed", argv: &["hooks", "deny"] }],
        ..BASE
    };
    type Args = Args;

    fn run<'a>(_: Args, context: &'a Context) -> Result<Answer<'a>> {
        decide(context, false)
    }
}

fn decide(context: &Context, allow: bool) -> Result<Answer<'_>> {
    let tracker = context.tracker()?;
    tracker.allow_hooks(allow)?;
    Ok(Answer::new().value("hooks", tracker.hooks().len()).value("allowed", allow))
}
