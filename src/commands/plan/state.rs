//! `pm plan approve`, `resume`.

use serde_json::Value;

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::plan;
use crate::error::{Code, Error, Result};
use crate::mutation::planning::{self, Said};
use crate::mutation::{text_or_stdin, write};
use crate::surface::{Command, Context};

/// What a plan's own state becomes.
fn set<'a>(
    (action, op): (&'static str, &str),
    id: &str,
    message: &str,
    values: &[(&str, &str)],
    context: &'a Context,
) -> Result<Answer<'a>> {
    let write = write(context, op, Some(message))?;
    let receipt = planning::change(context, id, &write, &mut |item, _| {
        let mut after = item.clone();
        for (key, value) in values {
            after.metadata.insert((*key).to_owned(), Value::from(*value));
        }
        Ok(after)
    })?;
    Ok(planning::answer(context, &Said { action, step: None, places: false }, receipt))
}

/// Approves a plan.
pub(in crate::commands) struct Approve;

/// Arguments of `pm plan approve`.
#[derive(clap::Args)]
pub(in crate::commands) struct ApproveArgs {
    /// Id of the plan
    id: String,
    /// Another state than approved: draft, research, review, executing, paused, completed, superseded
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Approve {
    const CONTRACT: Contract = Contract {
        path: &["plan", "approve"],
        about: "Approve a plan, or set its state",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::InvalidArgumentValue,
        ],
        examples: &[Example { about: "Ready to be done", argv: &["plan", "approve", "pm-a1b2"] }],
        ..Contract::BASE
    };
    type Args = ApproveArgs;

    fn run<'a>(args: ApproveArgs, context: &'a Context) -> Result<Answer<'a>> {
        let mode = plan::word("--mode", args.mode.as_deref().unwrap_or("approved"), plan::MODES)?;
        let message = args.message.unwrap_or_else(|| format!("plan approve mode={mode}"));
        set(("approve", "plan_approve"), &args.id, &message, &[("plan_mode", mode)], context)
    }
}

/// Records what somebody who takes a plan over must know.
pub(in crate::commands) struct Resume;

/// Arguments of `pm plan resume`.
#[derive(clap::Args)]
pub(in crate::commands) struct ResumeArgs {
    /// Id of the plan
    id: String,
    /// What somebody who takes over must know; - is standard input
    #[arg(long, value_name = "TEXT")]
    resume_context: Option<String>,
    /// State of the plan: draft, research, review, approved, executing, paused, completed, superseded
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Resume {
    const CONTRACT: Contract = Contract {
        path: &["plan", "resume"],
        about: "Record in a plan what somebody who takes it over must know",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::MissingRequiredOption,
            Code::InvalidArgumentValue,
        ],
        examples: &[Example {
            about: "Where it stands",
            argv: &["plan", "resume", "pm-a1b2", "--resume-context", "Step 2 waits for the review"],
        }],
        ..Contract::BASE
    };
    type Args = ResumeArgs;

    fn run<'a>(args: ResumeArgs, context: &'a Context) -> Result<Answer<'a>> {
        let text = args.resume_context.as_deref().map(|text| text_or_stdin(context, text)).transpose()?;
        let text = text.map(str::trim).filter(|text| !text.is_empty());
        let mode = args.mode.as_deref().map(|mode| plan::word("--mode", mode, plan::MODES)).transpose()?;
        let values: Vec<(&str, &str)> = text
            .map(|text| ("plan_resume_context", text))
            .into_iter()
            .chain(mode.map(|mode| ("plan_mode", mode)))
            .collect();
        if values.is_empty() {
            let id = &args.id;
            return Err(Error::new(Code::MissingRequiredOption, "what must be known to go on?")
                .at("--resume-context")
                .fact("missing", vec!["--resume-context"])
                .hint(format!("pm plan resume {id} --resume-context \"where it stands\""))
                .hint(format!("pm plan show {id} --depth deep")));
        }
        let message = args.message.unwrap_or_else(|| "plan resume context update".to_owned());
        set(("resume", "plan_resume"), &args.id, &message, &values, context)
    }
}
