//! `pm learnings`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example, Tier, surfaces};
use crate::error::{Code, Result};
use crate::mutation::annotation::{self, Annotation, CHANGES, EventArgs};
use crate::surface::{Command, Context};

/// Lists, adds, edits and deletes the learnings of an item.
pub(super) struct Learnings;

impl Command for Learnings {
    const CONTRACT: Contract = Contract {
        path: &["learnings"],
        aliases: &["learning"],
        about: "List, add, edit or delete the learnings of an item",
        effect: Effect::Hybrid(CHANGES),
        read_output: Some(surfaces::LEARNINGS),
        errors: &[Code::ItemNotFound, Code::InvalidArgumentValue, Code::AnnotationMessageWithoutText],
        examples: &[
            Example {
                about: "Add a learning",
                argv: &["learnings", "pm-a1b2", "Works on all three systems"],
            },
            Example { about: "The newest three", argv: &["learnings", "pm-a1b2", "--limit", "3"] },
            Example {
                about: "Mend the first",
                argv: &["learnings", "pm-a1b2", "--edit", "1", "Works on two of three systems"],
            },
        ],
        tier: Tier::Standard,
        ..Contract::BASE
    };
    type Args = annotation::Args;

    fn run<'a>(args: annotation::Args, context: &'a Context) -> Result<Answer<'a>> {
        annotation::run(
            Annotation { key: "learnings", entry: "learning" },
            &args,
            &EventArgs::default(),
            context,
        )
    }
}
