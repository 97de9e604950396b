//! `pm plan show`.

use crate::answer::Answer;
use crate::contract::{Contract, Example};
use crate::domain::plan;
use crate::error::{Code, Error, Result};
use crate::mutation::planning::{self, Depth};
use crate::nearest;
use crate::surface::{Command, Context};

/// Shows a plan.
pub(in crate::commands) struct Show;

/// Arguments of `pm plan show`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Id of the plan
    id: String,
    /// How much of it: brief, standard (with the steps), deep (with the logs)
    #[arg(long, value_name = "DEPTH")]
    depth: Option<String>,
    /// Only these parts of the plan, separated by commas
    #[arg(long, value_name = "FIELDS")]
    fields: Option<String>,
}

impl Command for Show {
    const CONTRACT: Contract = Contract {
        path: &["plan", "show"],
        about: "Show how a plan stands",
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::InvalidArgumentValue,
            Code::UnknownFieldProjection,
        ],
        examples: &[
            Example { about: "How it stands, and what comes next", argv: &["plan", "show", "pm-a1b2"] },
            Example {
                about: "With steps, decisions and discoveries",
                argv: &["plan", "show", "pm-a1b2", "--depth", "deep"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let stored = tracker.item(&tracker.resolve(&args.id)?)?;
        let item = &stored.item;
        plan::is_plan(item)?;
        let legal = ["brief", "standard", "deep"];
        let depth = args.depth.as_deref().map(|typed| plan::word("--depth", typed, &legal)).transpose()?;
        let depth = match depth {
            Some("standard") => Depth::Standard,
            Some("deep") => Depth::Deep,
            _ => Depth::Brief,
        };
        let view = match &args.fields {
            None => planning::view(item, depth),
            Some(fields) => only(planning::view(item, Depth::Deep), fields)?,
        };
        Ok(Answer::new()
            .value("action", "show")
            .group("plan", view)
            .value("next_actions", plan::next_actions(item, &plan::steps(item))))
    }
}

/// The parts that were asked for, in that order; the id stands first in any case.
fn only<'a>(mut view: Answer<'a>, fields: &str) -> Result<Answer<'a>> {
    let mut kept = Answer::new();
    for word in ["id"].into_iter().chain(fields.split(',').map(str::trim)).filter(|word| !word.is_empty()) {
        let name = word.strip_prefix("plan_").unwrap_or(word);
        if let Some(part) = view.parts.shift_remove(name) {
            kept = kept.part(name, part);
            continue;
        }
        let known = planning::part_names();
        if !known.contains(&name) {
            return Err(Error::new(Code::UnknownFieldProjection, format!("a plan has no part `{word}`"))
                .at("--fields")
                .rejecting(word)
                .fact("allowed_values", nearest::order(name, &known)));
        }
    }
    Ok(kept)
}
