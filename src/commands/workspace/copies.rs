//! `pm workspace snapshot create`, `delete`.

use serde_json::json;

use super::{find, free_name};
use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Error, Result};
use crate::mutation::templates::legal_name;
use crate::mutation::write;
use crate::surface::{Command, Context};

/// Makes a copy.
pub(in crate::commands) struct Create;

/// Arguments of `pm workspace snapshot create`.
#[derive(clap::Args)]
pub(in crate::commands) struct CreateArgs {
    /// Name of the copy, instead of one made of the time
    name: Option<String>,
    /// What it is kept for
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Create {
    const CONTRACT: Contract = Contract {
        path: &["workspace", "snapshot", "create"],
        about: "Copy the whole tracker, items and histories and settings, under a name",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::InvalidArgumentValue, Code::WorkspaceSnapshotExists, Code::StorageFull],
        examples: &[Example {
            about: "Before something bold",
            argv: &["workspace", "snapshot", "create", "before-import"],
        }],
        ..Contract::BASE
    };
    type Args = CreateArgs;

    fn run<'a>(args: CreateArgs, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let write = write(context, "workspace_snapshot_create", args.message.as_deref())?;
        let name = match &args.name {
            Some(typed) => legal_name(typed)?,
            None => free_name(tracker, "snapshot")?,
        };
        let (object, files, refused) = tracker.workspace_state()?;
        let known = tracker.workspace_snapshots()?.0.into_iter().find(|one| one.name == name);
        let changed = known.as_ref().is_none_or(|one| one.object != object);
        if let Some(one) = known
            && changed
            && !write.force
        {
            return Err(Error::new(
                Code::WorkspaceSnapshotExists,
                format!("`{name}` is a copy of another state, from {}", one.created_at),
            )
            .at("NAME")
            .rejecting(&name)
            .hint("pm workspace snapshot create")
            .hint(format!("pm workspace snapshot create {name} --force")));
        }
        let (object, files) = match changed && !write.dry_run {
            true => {
                let (object, files, _) = tracker.keep_workspace(&name, &write)?;
                (object, files)
            }
            false => (object, files),
        };
        let bytes: u64 = files.values().map(|kept| kept.size).sum();
        let mut answer =
            Answer::new().value("action", "create").value("name", name).value("snapshot", object);
        if write.dry_run {
            answer = answer.value("dry_run", true);
        }
        answer = answer.value("changed", changed).value("files", files.len()).value("bytes", json!(bytes));
        Ok(refused.into_iter().fold(answer, |answer, path| answer.warn(format!("not_kept:{path}"))))
    }
}

/// Removes a copy.
pub(in crate::commands) struct Delete;

/// Arguments of `pm workspace snapshot delete`.
#[derive(clap::Args)]
pub(in crate::commands) struct DeleteArgs {
    /// Name of the copy, or the first digits of its content's name
    target: String,
}

impl Command for Delete {
    const CONTRACT: Contract = Contract {
        path: &["workspace", "snapshot", "delete"],
        about: "Forget a copy of the tracker, and remove its files when no other name stands for them",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::WorkspaceSnapshotNotFound],
        examples: &[Example {
            about: "It was not needed",
            argv: &["workspace", "snapshot", "delete", "before-import"],
        }],
        ..Contract::BASE
    };
    type Args = DeleteArgs;

    fn run<'a>(args: DeleteArgs, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let write = write(context, "workspace_snapshot_delete", None)?;
        let target = find(tracker, &args.target)?;
        let gone = tracker.forget_workspace(&target.names, &write)?;
        let mut answer = Answer::new()
            .value("action", "delete")
            .value("names", target.names)
            .value("snapshot", target.object);
        if write.dry_run {
            answer = answer.value("dry_run", true);
        }
        Ok(answer.value("removed_objects", gone.len()))
    }
}
