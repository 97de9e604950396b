//! `pm profile lint`.

use serde_json::Value;

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Example};
use crate::error::{Code, Result};
use crate::mutation::profiling::{self, Part};
use crate::mutation::write;
use crate::surface::{Command, Context};
use crate::tracker::Write;

/// Compares the tracker with a profile.
pub(in crate::commands) struct Lint;

/// Arguments of `pm profile lint`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// agile, ops or research
    name: String,
}

impl Command for Lint {
    const CONTRACT: Contract = Contract {
        path: &["profile", "lint"],
        about: "Tell what of a profile the tracker lacks, or has otherwise",
        errors: &[Code::UnknownProfile],
        examples: &[Example { about: "Is it still as applied?", argv: &["profile", "lint", "agile"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let profile = profiling::find(&args.name)?;
        // Only looks, so that it matters to nobody what was edited by hand.
        let write = Write { dry_run: true, force: true, ..write(context, "profile:lint", None)? };
        let fitted = profiling::fit(context.tracker()?, profile, &write)?;
        let findings: Vec<Value> = fitted.parts.iter().filter_map(Part::finding).collect();
        let count = findings.len();
        Ok(Answer::new()
            .value("action", "lint")
            .value("profile", profile.name)
            .value("ok", count == 0)
            .rows("findings", Rows::values(findings))
            .value("count", count))
    }
}
