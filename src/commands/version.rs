//! `pm version`.

use crate::answer::Answer;
use crate::contract::{Contract, Example, Tier};
use crate::error::Result;
use crate::surface::{Command, Context};

/// Shows the version of this program.
pub(super) struct Version;

/// Arguments of `pm version`.
#[derive(clap::Args)]
pub(super) struct Args {}

impl Command for Version {
    const CONTRACT: Contract = Contract {
        path: &["version"],
        about: "Show the version of this program",
        examples: &[Example { about: "Which version answers", argv: &["version"] }],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(_: Args, _: &'a Context) -> Result<Answer<'a>> {
        Ok(Answer::new().value("name", "pm").value("version", env!("CARGO_PKG_VERSION")))
    }
}
