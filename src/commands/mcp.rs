//! `pm mcp`.

use clap::builder::PossibleValuesParser;

use crate::answer::Answer;
use crate::contract::{Contract, Example, Tier};
use crate::error::Result;
use crate::generate::tools::PROFILES;
use crate::surface::{Command, Context};

/// Serves the commands as tools to the program that started it.
pub(super) struct Mcp;

/// Arguments of `pm mcp`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// How many tools are shown; all can be called. PM_MCP_PROFILE says the same
    #[arg(long, value_name = "PROFILE", value_parser = PossibleValuesParser::new(PROFILES))]
    tools: Option<String>,
}

impl Command for Mcp {
    const CONTRACT: Contract = Contract {
        path: &["mcp"],
        about: "Serve the commands as tools over the Model Context Protocol, on standard input and output",
        examples: &[
            Example { about: "The daily tools, for an agent's configuration", argv: &["mcp"] },
            Example { about: "Every command as a tool", argv: &["mcp", "--tools", "full"] },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let said = || context.env.get("PM_MCP_PROFILE").filter(|name| PROFILES.contains(name));
        let tools = args.tools.or_else(|| said().map(str::to_owned)).unwrap_or_else(|| "core".to_owned());
        Ok(Answer::new().converse(tools))
    }
}
