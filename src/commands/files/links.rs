//! `pm files`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example, Tier, surfaces};
use crate::error::{Code, Result};
use crate::mutation::linked::{self, CHANGES};
use crate::surface::{Command, Context};

/// Lists, adds and removes the files that an item is linked to.
pub(in crate::commands) struct Files;

/// Arguments of `pm files`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    #[command(flatten)]
    shared: linked::Args,
    /// Keep the order of the links and add new ones at the end
    #[arg(long)]
    append_stable: bool,
}

impl Command for Files {
    const CONTRACT: Contract = Contract {
        path: &["files"],
        about: "List, add or remove the files linked to an item",
        effect: Effect::Hybrid(CHANGES),
        read_output: Some(surfaces::FILES),
        errors: &[Code::ItemNotFound, Code::InvalidArgumentValue, Code::LinkedArtifactMutationConflict],
        examples: &[
            Example {
                about: "Link a file",
                argv: &["files", "pm-a1b2", "--add", "path=README.md,note=the promise"],
            },
            Example { about: "What is linked", argv: &["files", "pm-a1b2"] },
        ],
        tier: Tier::Standard,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        linked::run("files", &args.shared, args.append_stable, context)
    }
}
