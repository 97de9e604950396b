//! `pm templates show`.

use crate::answer::Answer;
use crate::contract::{Contract, Example};
use crate::error::{Code, Result};
use crate::mutation::templates;
use crate::surface::{Command, Context};

/// Shows a template.
pub(in crate::commands) struct Show;

/// Arguments of `pm templates show`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Name of the template
    name: String,
}

impl Command for Show {
    const CONTRACT: Contract = Contract {
        path: &["templates", "show"],
        about: "Show what a template gives to new items",
        errors: &[Code::TemplateNotFound, Code::TemplateInvalid],
        examples: &[Example { about: "What is in it?", argv: &["templates", "show", "bug"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let (name, options) = templates::options(context.tracker()?, &args.name)?;
        Ok(Answer::new().value("action", "show").value("name", name).value("options", options))
    }
}
