//! `pm templates save`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Error, Result};
use crate::mutation::draft::{self, Options};
use crate::mutation::flags::{Flags, OnCreate};
use crate::mutation::{templates, write};
use crate::surface::{Command, Context};
use crate::tracker::{Document, Write};

/// Saves a template.
pub(in crate::commands) struct Save;

/// Arguments of `pm templates save`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Name of the template
    name: String,
    #[command(flatten)]
    flags: Flags<OnCreate>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Save {
    const CONTRACT: Contract = Contract {
        path: &["templates", "save"],
        about: "Keep options of create under a name, in place of those that it has",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::InvalidArgumentValue, Code::MissingRequiredOption],
        examples: &[Example {
            about: "How bugs begin",
            argv: &["templates", "save", "bug", "--type", "Issue", "--tags", "bug", "--priority", "1"],
        }],
        custom_flags: true,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let name = templates::legal_name(&args.name)?;
        let options = templates::given(&args.flags, context);
        if options.is_empty() {
            return Err(Error::new(Code::MissingRequiredOption, "a template without options says nothing")
                .at("--type")
                .hint(format!("pm templates save {name} --type Task --tags example")));
        }
        // What `create` would refuse is refused here.
        let resolved = draft::resolve(context, args.flags, &Options::default(), None)?;
        let mut replaced = false;
        let mut edit = |document: Option<&Document>| {
            replaced = document.is_some();
            Ok(match document {
                Some(found) if found.get("options").and_then(|o| o.as_object()) == Some(&options) => {
                    found.clone()
                }
                found => templates::document(&name, options.clone(), found, tracker),
            })
        };
        // Templates may be edited by hand: what was there is recorded first.
        let write = Write { force: true, ..write(context, "templates:save", args.message.as_deref())? };
        let written = tracker.change_document(&templates::path(&name)?, &write, &mut edit)?;
        let mut answer = Answer::new().value("action", "save").value("name", name.as_str());
        if write.dry_run {
            answer = answer.value("dry_run", true);
        }
        answer =
            answer.value("replaced", replaced).value("changed", !written.unchanged).value("options", options);
        Ok(resolved.warnings.into_iter().chain(written.warnings).fold(answer, Answer::warn))
    }
}
