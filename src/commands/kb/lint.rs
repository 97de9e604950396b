//! `pm kb lint`.

use super::place;
use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Example, surfaces};
use crate::error::{Code, Error, Result};
use crate::kb::{Library, config, lint};
use crate::surface::{Command, Context};

/// Names what is wrong with documents.
pub(in crate::commands) struct Lint;

/// Arguments of `pm kb lint`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Only files whose path fits one of these patterns
    #[arg(value_name = "GLOB", num_args = 0..)]
    globs: Vec<String>,
}

impl Command for Lint {
    const CONTRACT: Contract = Contract {
        path: &["kb", "lint"],
        about: "Check documents: front matter, kinds, URIs, supersession, missing tiers",
        read_output: Some(surfaces::KB_LINT),
        errors: &[Code::KbConfigInvalidKind, Code::RepositoryMissing],
        examples: &[Example { about: "Only the documentation", argv: &["kb", "lint", "docs/**"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let pattern = |glob: &String| {
            config::glob_pattern(glob).ok_or_else(|| {
                Error::new(Code::InvalidArgumentValue, format!("`{glob}` is no pattern of paths"))
                    .at("glob")
                    .rejecting(glob.as_str())
            })
        };
        let only = args.globs.iter().map(pattern).collect::<Result<Vec<_>>>()?;
        let place = place(context)?;
        let library = Library::open(&place, place.config()?)?;
        let findings = lint::findings(&library, &only);
        let code = u8::from(!findings.is_empty());
        let rows = Rows::ready(lint::rows(&findings)).columns(["path", "line", "code", "message"]);
        Ok(Answer::new().rows("findings", rows).exit(code))
    }
}
