//! `pm pause-task`.

use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Result};
use crate::mutation::{claiming, steps, then, write};
use crate::surface::{Command, Context};

/// Puts an item back and gives up its claim.
pub(super) struct PauseTask;

/// Arguments of `pm pause-task`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item
    id: String,
    /// Message of the history entries
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for PauseTask {
    const CONTRACT: Contract = Contract {
        path: &["pause-task"],
        about: "Set an item open and give up its claim",
        effect: Effect::Writes,
        errors: &[Code::ItemNotFound, Code::OwnershipConflict, Code::TerminalStateConflict],
        examples: &[Example { about: "Wait for somebody", argv: &["pause-task", "pm-a1b2"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        let message = args.message.as_deref();
        let update = write(context, "update", message)?;
        let mut transaction = tracker.transaction(&update)?;
        if let Some(item) = transaction.item(&id)? {
            claiming::refuse_terminal(context, item)?;
        }
        let status = tracker.schema().statuses.open();
        let updated = steps::set_status(tracker, &mut transaction, &id, status, &update)?;
        let release = then(context, "release", message)?;
        let released = claiming::release(context, &mut transaction, &id, &release)?;
        transaction.commit()?;
        let mut envelope = Map::new();
        envelope.insert("id".to_owned(), Value::from(id));
        envelope.insert("action".to_owned(), Value::from("pause_task"));
        envelope.insert("update".to_owned(), updated.envelope());
        envelope.insert("release".to_owned(), Value::Object(released.envelope()));
        Ok(claiming::answer(context, envelope, released.written.warnings.clone()))
    }
}
