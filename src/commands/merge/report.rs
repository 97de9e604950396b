//! `pm merge report`.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::contract::{Contract, Example};
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Lists what merges decided.
pub(in crate::commands) struct Report;

/// Arguments of `pm merge report`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Also what history knows of already
    #[arg(long)]
    include_reconciled: bool,
}

/// The operations under which history tells of merges.
const OPS: &[&str] = &["merge_resolve", "merge_reconcile"];

impl Command for Report {
    const CONTRACT: Contract = Contract {
        path: &["merge", "report"],
        about: "List what merges decided: receipts that nobody looked at, and with `--include-reconciled` the rest",
        errors: &[Code::HistoryStreamUnreadable],
        examples: &[Example { about: "What nobody looked at yet", argv: &["merge", "report"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let receipts: Vec<Value> = tracker
            .merge_receipts()
            .iter()
            .filter(|receipt| args.include_reconciled || receipt.is_pending())
            .map(|receipt| {
                let part = |key: &str| receipt.document.get(key).cloned().unwrap_or(Value::Null);
                json!({
                    "id": receipt.id(), "item_id": receipt.item_id(), "state": part("state"),
                    "created_at": part("created_at"), "fields_from_theirs": part("fields_from_theirs"),
                    "union_fields": part("union_fields"), "decisions": part("decisions"),
                    "value_availability": part("value_availability"),
                })
            })
            .collect();
        let mut answer = Answer::new().value("receipts", receipts.clone());
        if args.include_reconciled {
            let mut decided = Vec::new();
            for (id, facts) in &tracker.streams()?.streams {
                if facts.reconciled == 0 {
                    continue;
                }
                for entry in tracker.last_events(id, OPS)?.into_iter().flatten() {
                    let part = |key: &str| entry.get(key).cloned().unwrap_or(Value::Null);
                    decided.push(json!({
                        "id": id, "ts": part("ts"), "op": part("op"), "author": part("author"),
                        "decisions": entry.pointer("/context/merge/decisions").cloned().unwrap_or(Value::Null),
                    }));
                }
            }
            answer = answer.value("decided", decided);
        }
        let undecided: Vec<Value> =
            super::unmerged::all(tracker)?.iter().map(super::unmerged::Unmerged::row).collect();
        let count = receipts.len();
        Ok(answer.value("undecided", undecided).value("count", count))
    }
}
