//! `pm templates delete`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Result};
use crate::mutation::{templates, write};
use crate::surface::{Command, Context};
use crate::tracker::Write;

/// Deletes a template.
pub(in crate::commands) struct Delete;

/// Arguments of `pm templates delete`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Name of the template
    name: String,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Delete {
    const CONTRACT: Contract = Contract {
        path: &["templates", "delete"],
        about: "Delete a template; the workspace history keeps it",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::TemplateNotFound],
        examples: &[Example { about: "Nobody uses it", argv: &["templates", "delete", "bug"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let name = templates::legal_name(&args.name)?;
        let write = Write { force: true, ..write(context, "templates:delete", args.message.as_deref())? };
        let mut transaction = tracker.transaction(&write)?;
        let removed = transaction.remove_document(&templates::path(&name)?, &write)?;
        let Some((document, warnings)) = removed else { return Err(templates::missing(tracker, &name)) };
        transaction.commit()?;
        let mut answer = Answer::new().value("action", "delete").value("name", name);
        if write.dry_run {
            answer = answer.value("dry_run", true);
        }
        answer = answer.value("removed", !write.dry_run);
        if let Some(options) = document.get("options") {
            answer = answer.value("options", options.clone());
        }
        Ok(warnings.into_iter().fold(answer, Answer::warn))
    }
}
