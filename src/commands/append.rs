//! `pm append`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Error, Result};
use crate::model::canonical::normalise_body;
use crate::mutation::receipt::Receipt;
use crate::mutation::{text_or_stdin, write};
use crate::surface::{Command, Context};

/// Adds text at the end of a body.
pub(super) struct Append;

/// Arguments of `pm append`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item
    id: String,
    /// Text to add; `-` reads standard input
    text: Option<String>,
    /// Text to add; `-` reads standard input
    #[arg(long, value_name = "TEXT", visible_alias = "text")]
    body: Option<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Append {
    const CONTRACT: Contract = Contract {
        path: &["append"],
        about: "Add text at the end of an item's body",
        effect: Effect::Writes,
        errors: &[Code::ItemNotFound, Code::AppendEmptyBody, Code::ConflictingArguments],
        examples: &[Example {
            about: "A paragraph",
            argv: &["append", "pm-a1b2", "Retries are bounded now."],
        }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        if args.text.is_some() && args.body.is_some() {
            return Err(Error::new(Code::ConflictingArguments, "the text is given twice").at("--body"));
        }
        let given = args.text.as_deref().or(args.body.as_deref()).unwrap_or_default();
        let added = normalise_body(text_or_stdin(context, given)?);
        if added.trim().is_empty() {
            return Err(Error::new(Code::AppendEmptyBody, "there is no text to append")
                .at("<text>")
                .hint(format!("pm append {id} \"text\"")));
        }
        let write = write(context, "append", args.message.as_deref())?;
        let written = tracker.change(&id, &write, &mut |item, _| {
            let mut after = item.clone();
            let body = normalise_body(&item.body);
            after.body = if body.is_empty() { added.clone() } else { format!("{body}\n\n{added}") };
            Ok(after)
        })?;
        Ok(Receipt::of(written).answer(&context.globals))
    }
}
