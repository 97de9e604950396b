//! `pm workspace snapshot restore`.

use super::{find, free_name, views};
use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Error, Result};
use crate::mutation::{declaring, write};
use crate::surface::{Command, Context};

/// Brings a copy back.
pub(in crate::commands) struct Restore;

/// Arguments of `pm workspace snapshot restore`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Name of the copy, or the first digits of its content's name
    target: String,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Restore {
    const CONTRACT: Contract = Contract {
        path: &["workspace", "snapshot", "restore"],
        about: "Make the tracker what it was when a copy was made; what is there now is copied first",
        effect: Effect::Writes,
        expects: false,
        errors: &[
            Code::WorkspaceSnapshotNotFound,
            Code::WorkspaceSnapshotDamaged,
            Code::WorkspaceRestoreRequiresForce,
        ],
        examples: &[
            Example {
                about: "What would change?",
                argv: &["workspace", "snapshot", "restore", "before-import", "--dry-run"],
            },
            Example {
                about: "Back to it",
                argv: &["workspace", "snapshot", "restore", "before-import", "--force"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let write = write(context, "workspace_snapshot_restore", args.message.as_deref())?;
        let target = find(tracker, &args.target)?;
        if !write.force && !write.dry_run {
            let name = target.names.first().unwrap_or(&target.object);
            return Err(Error::new(
                Code::WorkspaceRestoreRequiresForce,
                "bringing a copy back replaces what is there: say so with --force",
            )
            .at("--force")
            .hint(format!("pm workspace snapshot inspect {name}"))
            .hint(format!("pm workspace snapshot restore {name} --force")));
        }
        let recovery = free_name(tracker, "recovery")?;
        let restored = tracker.restore_workspace(&target.object, &recovery, &write)?;
        let mut warnings = restored.warnings;
        if restored.recovery.is_some() {
            warnings.extend(declaring::refresh_fence(tracker));
        }
        let mut answer = Answer::new().value("action", "restore").value("snapshot", target.object);
        if write.dry_run {
            answer = answer.value("dry_run", true);
        }
        answer = answer
            .value("changed", !restored.difference.is_empty())
            .value("difference", views::counts(&restored.difference));
        if let Some(recovery) = restored.recovery {
            answer = answer.value("recovery", recovery);
        }
        answer = answer.rows("changes", views::rows(&restored.difference));
        Ok(warnings.into_iter().fold(answer, Answer::warn))
    }
}
