//! `pm man`.

use crate::answer::Answer;
use crate::contract::{Contract, Example, Tier};
use crate::error::{Code, Error, Result};
use crate::generate::man;
use crate::nearest;
use crate::surface::{Command, Context, Surface};

/// Prints a manual page.
pub(super) struct Man;

/// Arguments of `pm man`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The command; the program itself when it is left out
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

impl Command for Man {
    const CONTRACT: Contract = Contract {
        path: &["man"],
        about: "Print a manual page in roff",
        errors: &[Code::UnknownCommand],
        examples: &[
            Example { about: "The page of the program, for a folder of pages", argv: &["man"] },
            Example { about: "The page of a command", argv: &["man", "list"] },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let name = args.command.join(" ");
        if name.is_empty() {
            let page = man::program(context.catalog);
            return Ok(Answer::new().value("command", "pm").value("page", page.clone()).raw(page));
        }
        let words: Vec<&str> = name.split(' ').collect();
        let Some(surface) = context.catalog.find(&words) else {
            let names: Vec<String> = context.catalog.iter().map(Surface::name).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let near: Vec<&str> = nearest::order(&name, &names).into_iter().take(3).collect();
            let message = format!("there is no command `{name}`; near it: {}", near.join(", "));
            let error = Error::new(Code::UnknownCommand, message).at("command").rejecting(&name);
            return Err(near
                .first()
                .map(|near| format!("pm man {near}"))
                .into_iter()
                .fold(error, Error::hint));
        };
        let page = man::command(surface, context.catalog);
        Ok(Answer::new().value("command", name).value("page", page.clone()).raw(page))
    }
}
