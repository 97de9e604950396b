//! `pm merge install`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Registers the merge drivers with Git.
pub(in crate::commands) struct Install;

/// Arguments of `pm merge install`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {}

impl Command for Install {
    const CONTRACT: Contract = Contract {
        path: &["merge", "install"],
        about: "Let Git merge the files of this tracker with pm; each clone needs it once",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::MergeRootNotFound, Code::MergeGitConfigUnwritable, Code::WriteFailed],
        examples: &[Example { about: "In a fresh clone", argv: &["merge", "install"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(_: Args, context: &'a Context) -> Result<Answer<'a>> {
        let done = context.tracker()?.install_merge_fence(context.globals.dry_run)?;
        let changed = done.iter().any(|word| word.starts_with("updated:"));
        let answer = Answer::new().value("changed", changed).value("dry_run", context.globals.dry_run);
        Ok(done.into_iter().fold(answer, Answer::warn))
    }
}
