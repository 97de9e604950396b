//! `pm start-task`.

use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Result};
use crate::mutation::claiming::{self, Terms};
use crate::mutation::{steps, then, write};
use crate::surface::{Command, Context};

/// Claims an item and begins to work on it.
pub(super) struct StartTask;

/// Arguments of `pm start-task`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item
    id: String,
    /// Message of the history entries
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for StartTask {
    const CONTRACT: Contract = Contract {
        path: &["start-task"],
        about: "Claim an item and set it in progress",
        effect: Effect::Writes,
        errors: &[Code::ItemNotFound, Code::AlreadyClaimedBy, Code::TerminalStateConflict],
        examples: &[Example { about: "Begin", argv: &["start-task", "pm-a1b2"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        let message = args.message.as_deref();
        let claim = write(context, "claim", message)?;
        let mut transaction = tracker.transaction(&claim)?;
        let claimed = claiming::claim(context, &mut transaction, &id, &claim, Terms::default())?;
        let status = tracker.schema().statuses.in_progress();
        let update = then(context, "update", message)?;
        let updated = steps::set_status(tracker, &mut transaction, &id, status, &update)?;
        transaction.commit()?;
        let mut envelope = Map::new();
        envelope.insert("id".to_owned(), Value::from(id));
        envelope.insert("action".to_owned(), Value::from("start_task"));
        envelope.insert("claim".to_owned(), Value::Object(claimed.envelope()));
        envelope.insert("update".to_owned(), updated.envelope());
        Ok(claiming::answer(context, envelope, claimed.warnings()))
    }
}
