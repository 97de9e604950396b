//! `pm docs`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example, Tier, surfaces};
use crate::error::{Code, Result};
use crate::mutation::linked::{self, CHANGES};
use crate::surface::{Command, Context};

/// Lists, adds and removes the docs that an item is linked to.
pub(super) struct Docs;

impl Command for Docs {
    const CONTRACT: Contract = Contract {
        path: &["docs"],
        about: "List, add or remove the docs linked to an item",
        effect: Effect::Hybrid(CHANGES),
        read_output: Some(surfaces::DOCS),
        errors: &[Code::ItemNotFound, Code::InvalidArgumentValue, Code::LinkedArtifactMutationConflict],
        examples: &[
            Example {
                about: "Link a file",
                argv: &["docs", "pm-a1b2", "--add", "path=README.md,note=the promise"],
            },
            Example { about: "What is linked", argv: &["docs", "pm-a1b2"] },
        ],
        tier: Tier::Standard,
        ..Contract::BASE
    };
    type Args = linked::Args;

    fn run<'a>(args: linked::Args, context: &'a Context) -> Result<Answer<'a>> {
        linked::run("docs", &args, false, context)
    }
}
