//! `pm profile apply`.

use serde_json::Value;

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Result};
use crate::mutation::profiling::{self, Part};
use crate::mutation::{declaring, write};
use crate::surface::{Command, Context};

/// Fits the tracker to a profile.
pub(in crate::commands) struct Apply;

/// Arguments of `pm profile apply`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// agile, ops or research
    name: String,
    /// Message of the history entries
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Apply {
    const CONTRACT: Contract = Contract {
        path: &["profile", "apply"],
        about: "Bring what a profile has and the tracker lacks, all of it or nothing",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::UnknownProfile, Code::WorkspaceHistoryStateConflict],
        examples: &[
            Example { about: "What would change?", argv: &["profile", "apply", "agile", "--dry-run"] },
            Example { about: "Stories, reviews, points", argv: &["profile", "apply", "agile"] },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let profile = profiling::find(&args.name)?;
        let op = format!("profile:apply:{}", profile.name);
        let write = write(context, &op, args.message.as_deref())?;
        let fitted = profiling::fit(context.tracker()?, profile, &write)
            .map_err(|error| declaring::retry(error, context))?;
        let mut warnings = fitted.warnings;
        if !write.dry_run {
            warnings.extend(declaring::refresh_fence(context.tracker()?));
        }
        let rows: Vec<Value> = fitted.parts.iter().map(Part::change).collect();
        let mut answer = Answer::new().value("action", "apply").value("profile", profile.name);
        if write.dry_run {
            answer = answer.value("dry_run", true);
        }
        answer = answer.rows("changes", Rows::values(rows)).value("changed", fitted.changed);
        Ok(warnings.into_iter().fold(answer, Answer::warn))
    }
}
