//! `pm completion`.

use clap::builder::PossibleValuesParser;

use crate::answer::Answer;
use crate::contract::{Contract, Example, Tier};
use crate::error::Result;
use crate::generate::completions;
use crate::surface::{Command, Context};

/// Prints what a shell must read to complete `pm`.
pub(in crate::commands) struct Script;

/// Arguments of `pm completion`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(completions::SHELLS))]
    shell: String,
}

impl Command for Script {
    const CONTRACT: Contract = Contract {
        path: &["completion"],
        about: "Print the completion script of a shell",
        examples: &[
            Example { about: "What `pm completion install` would write", argv: &["completion", "bash"] },
            Example { about: "The same for fish", argv: &["completion", "fish"] },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, _: &'a Context) -> Result<Answer<'a>> {
        let script = completions::script(&args.shell).unwrap_or_default();
        Ok(Answer::new().value("shell", args.shell).value("script", script.clone()).raw(script))
    }
}
