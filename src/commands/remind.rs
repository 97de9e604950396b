//! `pm remind`.

use serde_json::json;

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::values;
use crate::error::{Code, Result};
use crate::mutation::scheduling::{self, CommonArgs};
use crate::surface::{Command, Context};

/// Creates a reminder.
pub(super) struct Remind;

/// Arguments of `pm remind`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Title
    title: String,
    /// When: an ISO time, now, or a distance such as +2d; a day from now when not given
    #[arg(long, value_name = "WHEN")]
    at: Option<String>,
    /// Words of the reminder, instead of the title
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    #[command(flatten)]
    common: CommonArgs,
}

impl Command for Remind {
    const CONTRACT: Contract = Contract {
        path: &["remind"],
        about: "Create a reminder with its time in one step",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::InvalidArgumentValue, Code::ParentNotFound],
        examples: &[Example { about: "In two days", argv: &["remind", "Ask for the review", "--at", "+2d"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let at = values::instant("--at", args.at.as_deref().unwrap_or("+1d"), context.clock.now())?;
        let text = args.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let row = json!({"at": at, "text": text.unwrap_or(args.title.trim())});
        scheduling::create(context, ("Reminder", &args.title), ("reminders", row), args.common)
    }
}
