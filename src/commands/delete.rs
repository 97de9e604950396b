//! `pm delete`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::links;
use crate::error::{Code, Error, Result};
use crate::mutation::{HIERARCHY_LOCK, then, write};
use crate::surface::{Command, Context};
use crate::tracker::Transaction;

/// Deletes an item.
pub(super) struct Delete;

/// Arguments of `pm delete`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item
    id: String,
    /// Delete it though others point at it, and take their references out first
    #[arg(long, conflicts_with = "leave_references")]
    remove_references: bool,
    /// Delete it though others point at it, and leave their references as they are
    #[arg(long)]
    leave_references: bool,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Delete {
    const CONTRACT: Contract = Contract {
        path: &["delete"],
        about: "Delete an item; its history stays",
        effect: Effect::Writes,
        errors: &[Code::ItemNotFound, Code::ItemReferenced, Code::OwnershipConflict],
        examples: &[
            Example { about: "Look first", argv: &["delete", "pm-a1b2", "--dry-run"] },
            Example {
                about: "Take the references of others out too",
                argv: &["delete", "pm-a1b2", "--remove-references"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        let before = tracker.item(&id)?.item;
        let write = write(context, "delete", args.message.as_deref())?;
        let mut transaction = tracker.transaction(&write)?;
        transaction.lock(HIERARCHY_LOCK)?;
        let records = tracker.reload()?;
        let incoming = links::incoming(&records, &id);
        let mut warnings = Vec::new();
        if args.remove_references {
            warnings = remove_references(&mut transaction, &id, &incoming, context)?;
        } else if !incoming.is_empty() && !args.leave_references {
            return Err(referenced(&id, &incoming));
        }
        let written = transaction.delete(&id, &write)?;
        transaction.commit()?;
        let done = !write.dry_run;
        let mut answer = Answer::new()
            .value("id", id)
            .value("status", if done { "deleted" } else { "would_delete" })
            .value("deleted", done)
            .value("previous_status", before.status());
        if !context.globals.id_only {
            answer = answer.value("changed_field_count", 1);
            if let Some(reason) = before.text("close_reason") {
                answer = answer.value("close_reason", reason);
            }
        }
        Ok(written.warnings.into_iter().chain(warnings).fold(answer, Answer::warn))
    }
}

fn referenced(id: &str, incoming: &[(&str, String)]) -> Error {
    const SHOWN: usize = 5;
    let mut holders: Vec<&str> = incoming.iter().map(|(who, _)| *who).collect();
    holders.dedup();
    let more =
        if holders.len() > SHOWN { format!(" and {} more", holders.len() - SHOWN) } else { String::new() };
    let named = holders.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    let references: Vec<String> = incoming.iter().take(20).map(|(who, how)| format!("{who}:{how}")).collect();
    Error::new(Code::ItemReferenced, format!("{named}{more} point at `{id}`"))
        .rejecting(id)
        .fact("references", references)
        .hint(format!("pm delete {id} --remove-references"))
        .hint(format!("pm delete {id} --leave-references"))
        .hint(format!("pm deps {id}"))
}

/// Takes the references to an item out of every other item, each in an entry of its own.
fn remove_references(
    transaction: &mut Transaction<'_>,
    id: &str,
    incoming: &[(&str, String)],
    context: &Context,
) -> Result<Vec<String>> {
    let mut holders: Vec<&str> = incoming.iter().map(|(who, _)| *who).collect();
    holders.dedup();
    let mut locked: Vec<&str> = holders.iter().copied().chain([id]).collect();
    locked.sort_unstable();
    for id in locked {
        transaction.lock(id)?;
    }
    let message = format!("{id} is deleted");
    let mut warnings = Vec::new();
    for holder in holders {
        let write = then(context, "update", Some(&message))?;
        transaction.change(holder, &write, &mut |item, _| Ok(links::forget(item, id)))?;
        warnings.push(format!("reference_removed:{holder}"));
    }
    Ok(warnings)
}
