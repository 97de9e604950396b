//! `pm notes`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example, Tier, surfaces};
use crate::error::{Code, Result};
use crate::mutation::annotation::{self, Annotation, CHANGES, EventArgs};
use crate::surface::{Command, Context};

/// Lists, adds, edits and deletes the notes of an item.
pub(super) struct Notes;

/// Arguments of `pm notes`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    shared: annotation::Args,
    #[command(flatten)]
    events: EventArgs,
}

impl Command for Notes {
    const CONTRACT: Contract = Contract {
        path: &["notes"],
        aliases: &["note"],
        about: "List, add, edit or delete the notes of an item",
        effect: Effect::Hybrid(CHANGES),
        read_output: Some(surfaces::NOTES),
        errors: &[
            Code::ItemNotFound,
            Code::InvalidArgumentValue,
            Code::AnnotationMessageWithoutText,
            Code::StructuredEventImmutable,
            Code::StructuredEventInputConflict,
            Code::StructuredEventJsonInvalid,
        ],
        examples: &[
            Example { about: "Add a note", argv: &["notes", "pm-a1b2", "Works on all three systems"] },
            Example { about: "The newest three", argv: &["notes", "pm-a1b2", "--limit", "3"] },
            Example {
                about: "Mend the first",
                argv: &["notes", "pm-a1b2", "--edit", "1", "Works on two of three systems"],
            },
        ],
        tier: Tier::Core,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        annotation::run(Annotation { key: "notes", entry: "note" }, &args.shared, &args.events, context)
    }
}
