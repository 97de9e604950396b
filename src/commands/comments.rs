//! `pm comments`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example, Tier, surfaces};
use crate::error::{Code, Result};
use crate::mutation::annotation::{self, Annotation, CHANGES, EventArgs};
use crate::surface::{Command, Context};

/// Lists, adds, edits and deletes the comments of an item.
pub(super) struct Comments;

impl Command for Comments {
    const CONTRACT: Contract = Contract {
        path: &["comments"],
        aliases: &["comment"],
        about: "List, add, edit or delete the comments of an item",
        effect: Effect::Hybrid(CHANGES),
        read_output: Some(surfaces::COMMENTS),
        errors: &[Code::ItemNotFound, Code::InvalidArgumentValue, Code::AnnotationMessageWithoutText],
        examples: &[
            Example { about: "Add a comment", argv: &["comments", "pm-a1b2", "Works on all three systems"] },
            Example { about: "The newest three", argv: &["comments", "pm-a1b2", "--limit", "3"] },
            Example {
                about: "Mend the first",
                argv: &["comments", "pm-a1b2", "--edit", "1", "Works on two of three systems"],
            },
        ],
        tier: Tier::Core,
        ..Contract::BASE
    };
    type Args = annotation::Args;

    fn run<'a>(args: annotation::Args, context: &'a Context) -> Result<Answer<'a>> {
        annotation::run(
            Annotation { key: "comments", entry: "comment" },
            &args,
            &EventArgs::default(),
            context,
        )
    }
}
