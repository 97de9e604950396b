//! `pm focus`.

use serde_json::Value;

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Error, Result};
use crate::surface::{Command, Context};

/// Says under which item new ones go.
pub(super) struct Focus;

/// Arguments of `pm focus`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item to focus; none shows the focused one
    id: Option<String>,
    /// Focus nothing
    #[arg(long)]
    clear: bool,
}

impl Command for Focus {
    const CONTRACT: Contract = Contract {
        path: &["focus"],
        about: "Set, show or clear the item that new items go under",
        effect: Effect::Hybrid(&["<id>", "--clear"]),
        expects: false,
        errors: &[Code::ItemNotFound, Code::ConflictingArguments],
        examples: &[
            Example { about: "New items go under this one", argv: &["focus", "pm-a1b2"] },
            Example { about: "And no longer", argv: &["focus", "--clear"] },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let dry = context.globals.dry_run;
        let (action, focused) = match (&args.id, args.clear) {
            (Some(_), true) => {
                let problem = "an id and --clear exclude each other";
                return Err(Error::new(Code::ConflictingArguments, problem).at("--clear"));
            }
            (Some(typed), false) => ("set", Some(tracker.resolve(typed)?)),
            (None, true) => ("clear", None),
            (None, false) => ("show", tracker.focused()?),
        };
        if action != "show" && !dry {
            tracker.focus(focused.as_deref())?;
        }
        let title =
            focused.as_deref().and_then(|id| tracker.item(id).ok()).map(|s| s.item.title().to_owned());
        let message = match (&focused, action) {
            (Some(id), _) => format!("New items go under {id} unless they name another parent."),
            (None, "clear") => "New items have no parent unless they name one.".to_owned(),
            (None, _) => "No item is focused.".to_owned(),
        };
        let answer = Answer::new()
            .value("action", action)
            .value("focused_item", Value::from(focused))
            .value("title", Value::from(title))
            .value("message", message);
        Ok(if dry { answer.value("dry_run", true) } else { answer })
    }
}
