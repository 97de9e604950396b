//! `pm merge status`.

use serde_json::{Value, json};

use super::unmerged::{all, dispute, id_of};
use crate::answer::Answer;
use crate::contract::{Contract, Example};
use crate::domain::merge::Prefer;
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Says what merges left to somebody.
pub(in crate::commands) struct Status;

/// Arguments of `pm merge status`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Id of an item: what each branch made of it
    id: Option<String>,
}

impl Command for Status {
    const CONTRACT: Contract = Contract {
        path: &["merge", "status"],
        about: "Show what merges left undecided, and the values of each branch",
        errors: &[Code::ItemNotFound, Code::MergeVersionsUnknown],
        examples: &[
            Example { about: "Everything that waits for a decision", argv: &["merge", "status"] },
            Example { about: "Both values of each field", argv: &["merge", "status", "pm-a1b2"] },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let Some(typed) = &args.id else {
            let rows: Vec<Value> = all(tracker)?.iter().map(super::unmerged::Unmerged::row).collect();
            let count = rows.len();
            return Ok(Answer::new().value("conflicts", rows).value("count", count));
        };
        let id = id_of(tracker, typed)?;
        let found = tracker.found(&id)?;
        let Some(dispute) = dispute(tracker, &found, Prefer::Stable)? else {
            return Ok(Answer::new().value("id", id).value("deleted", true).value("fields", json!([])));
        };
        let rows: Vec<Value> = dispute
            .undecided
            .iter()
            .map(|field| {
                json!({
                    "field": field.field, "base": field.base, "values": field.values, "stands": field.stands,
                })
            })
            .collect();
        let mut answer = Answer::new().value("id", id.as_str()).value("markers", dispute.marked);
        if dispute.marked
            && let Some((path, bytes)) = &found.file
        {
            let versions = tracker.item_versions(path, bytes)?;
            answer =
                answer.value("ours", document(&versions.ours)).value("theirs", document(&versions.theirs));
        }
        let count = rows.len();
        Ok(answer
            .value("fields", rows)
            .value("count", count)
            .value("resolve_with", format!("pm merge resolve {id} --ours|--theirs|--keep|--set FIELD=VALUE")))
    }
}

fn document(item: &crate::model::item::Item) -> Value {
    let mut document = item.metadata.clone();
    document.insert("body".to_owned(), item.body.as_str().into());
    Value::Object(document)
}
