//! `pm assurance show`: one declaration, as it is written.

use super::registry;
use crate::answer::Answer;
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Shows a declaration.
pub(in crate::commands) struct Show;

/// Arguments of `pm assurance show`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// What it is: measurement, assertion or gate
    kind: String,
    /// Its id
    id: String,
}

impl Command for Show {
    const CONTRACT: Contract = Contract {
        path: &["assurance", "show"],
        about: "Show one measurement, assertion or gate",
        read_output: Some(surfaces::ASSURANCE_LIST),
        errors: &[
            Code::InvalidArgumentValue,
            Code::AssuranceRegistryInvalid,
            Code::AssuranceDeclarationNotFound,
        ],
        examples: &[Example { about: "A gate", argv: &["assurance", "show", "gate", "release"] }],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let sort = registry::sort(&args.kind)?;
        let registry = registry::read(context)?;
        let declaration = registry::find(&registry, sort, &args.id)?.clone();
        Ok(Answer::new().value("kind", sort.name()).record(sort.name(), declaration))
    }
}
