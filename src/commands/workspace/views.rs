//! `pm workspace snapshot list`, `inspect`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::find;
use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Example};
use crate::error::{Code, Result};
use crate::surface::{Command, Context};
use crate::tracker::StateDifference;

/// How many paths are named; the counts are of all.
const SHOWN: usize = 50;

/// The paths that differ, as rows, as many as are shown.
pub(super) fn rows(difference: &StateDifference) -> Rows<'static> {
    let kinds =
        [("added", &difference.added), ("changed", &difference.changed), ("removed", &difference.removed)];
    let all = kinds
        .iter()
        .flat_map(|(change, paths)| paths.iter().map(move |path| json!({"path": path, "change": change})));
    Rows::values(all.take(SHOWN).collect())
}

/// How many paths differ in which way.
pub(super) fn counts(difference: &StateDifference) -> Value {
    json!({
        "added": difference.added.len(), "changed": difference.changed.len(), "removed": difference.removed.len(),
    })
}

/// Lists the copies.
pub(in crate::commands) struct List;

/// Arguments of `pm workspace snapshot list`.
#[derive(clap::Args)]
pub(in crate::commands) struct ListArgs {}

impl Command for List {
    const CONTRACT: Contract = Contract {
        path: &["workspace", "snapshot", "list"],
        about: "List the copies of the tracker, oldest first",
        examples: &[Example { about: "Which are there?", argv: &["workspace", "snapshot", "list"] }],
        ..Contract::BASE
    };
    type Args = ListArgs;

    fn run<'a>(_: ListArgs, context: &'a Context) -> Result<Answer<'a>> {
        let (all, broken) = context.tracker()?.workspace_snapshots()?;
        let row = |one: &crate::tracker::WorkspaceSnapshot| {
            let short = one.object.get(..12).unwrap_or(&one.object);
            json!({"name": one.name, "snapshot": short, "created_at": one.created_at, "author": one.author, "message": one.message})
        };
        let rows: Vec<Value> = all.iter().map(row).collect();
        let answer = Answer::new()
            .value("action", "list")
            .rows("snapshots", Rows::values(rows))
            .value("count", all.len());
        Ok(broken
            .into_iter()
            .fold(answer, |answer, name| answer.warn(format!("workspace_snapshot_unreadable:{name}"))))
    }
}

/// Looks into a copy.
pub(in crate::commands) struct Inspect;

/// Arguments of `pm workspace snapshot inspect`.
#[derive(clap::Args)]
pub(in crate::commands) struct InspectArgs {
    /// Name of the copy, or the first digits of its content's name
    target: String,
}

impl Command for Inspect {
    const CONTRACT: Contract = Contract {
        path: &["workspace", "snapshot", "inspect"],
        about: "Check a copy of the tracker and tell what differs from now",
        errors: &[Code::WorkspaceSnapshotNotFound, Code::WorkspaceSnapshotDamaged],
        examples: &[Example {
            about: "What would come back?",
            argv: &["workspace", "snapshot", "inspect", "before-import"],
        }],
        ..Contract::BASE
    };
    type Args = InspectArgs;

    fn run<'a>(args: InspectArgs, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let target = find(tracker, &args.target)?;
        let files = tracker.workspace_snapshot_files(&target.object)?;
        let fault = tracker.workspace_snapshot_fault(&target.object)?;
        let difference = tracker.workspace_difference(&target.object)?;
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        for path in files.keys() {
            *folders.entry(path.split_once('/').map_or(".", |(folder, _)| folder)).or_default() += 1;
        }
        let bytes: u64 = files.values().map(|kept| kept.size).sum();
        let answer = Answer::new()
            .value("action", "inspect")
            .value("names", target.names)
            .value("snapshot", target.object)
            .value("ok", fault.is_none())
            .value("files", files.len())
            .value("bytes", bytes)
            .value("folders", json!(folders))
            .value("difference", counts(&difference))
            .rows("changes", rows(&difference));
        Ok(fault
            .into_iter()
            .fold(answer, |answer, fault| answer.warn(format!("workspace_snapshot_damaged:{fault}"))))
    }
}
