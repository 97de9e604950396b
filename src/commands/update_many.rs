//! `pm update-many`.

use serde_json::{Map, json};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Error, Result};
use crate::mutation::bulk::{Bulk, BulkArgs, Telling};
use crate::mutation::updating::{ChangeArgs, change, check};
use crate::surface::{Command, Context};

/// Changes fields of many items.
pub(super) struct UpdateMany;

/// Arguments of `pm update-many`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    bulk: BulkArgs,
    #[command(flatten)]
    change: ChangeArgs,
    /// Message of the history entries
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for UpdateMany {
    const CONTRACT: Contract = Contract {
        path: &["update-many"],
        about: "Change fields of many items, with a checkpoint to go back to",
        effect: Effect::Writes,
        expects: false,
        errors: &[
            Code::InvalidArgumentValue,
            Code::MissingRequiredOption,
            Code::CheckpointNotFound,
            Code::CheckpointInvalid,
        ],
        examples: &[
            Example {
                about: "See what would change",
                argv: &["update-many", "--filter-tag", "ui", "--priority", "1", "--dry-run"],
            },
            Example {
                about: "Change three items",
                argv: &["update-many", "--ids", "a1,b2,c3", "--sprint", "12"],
            },
        ],
        custom_flags: true,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let mut asked = args.change.echo();
        asked.extend(context.custom.iter().map(|(key, texts)| (key.clone(), texts.join(",").into())));
        let bulk = Bulk {
            command: "update-many",
            done: "updated",
            args: &args.bulk,
            asked: Map::from_iter([("planned_update_options".to_owned(), json!(asked))]),
        };
        if let Some(checkpoint) = &args.bulk.rollback {
            return bulk.roll_back(checkpoint, context);
        }
        if asked.is_empty() && !args.change.stdin_json {
            return Err(Error::new(Code::MissingRequiredOption, "say what to change: no field was given")
                .hint("pm update --help"));
        }
        check(&args.change, args.message.as_deref(), context)?;
        bulk.run(
            context,
            args.message.as_deref(),
            |chosen| {
                let receipt = change(&chosen.id, &args.change, &Telling::alone(None), context)?;
                Ok(json!({"id": chosen.id, "changes": receipt.changes()}))
            },
            |id, telling| change(id, &args.change, telling, context),
        )
    }
}
