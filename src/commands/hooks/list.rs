//! `pm hooks list`.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::contract::{Contract, Example};
use crate::error::Result;
use crate::surface::{Command, Context};

/// Lists the hooks of the settings.
pub(in crate::commands) struct List;

/// Arguments of `pm hooks list`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {}

impl Command for List {
    const CONTRACT: Contract = Contract {
        path: &["hooks", "list"],
        about: "List the programs that run after changes, and whether they may here",
        examples: &[Example { about: "What runs after a change", argv: &["hooks", "list"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(_: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let hooks = tracker.hooks();
        let rows: Vec<Value> = hooks
            .iter()
            .map(|hook| match hook {
                Ok(hook) => json!({
                    "event": "after_mutation", "command": hook.command.join(" "), "ops": hook.ops.join(","),
                    "timeout_ms": hook.timeout_ms, "files": tracker.hook_files(hook).join(","), "problem": null,
                }),
                Err(problem) => json!({
                    "event": "after_mutation", "command": null, "ops": null, "timeout_ms": null, "files": null,
                    "problem": problem,
                }),
            })
            .collect();
        let count = rows.len();
        let state = tracker.hooks_allowed();
        let answer = Answer::new()
            .value("hooks", rows)
            .value("count", count)
            .value("allowed", count > 0 && state.allowed);
        Ok(if state.changed.is_empty() { answer } else { answer.value("changed", state.changed) })
    }
}
