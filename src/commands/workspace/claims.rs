//! `pm workspace claims`.

use serde_json::{Value, json};

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Example};
use crate::domain::lifecycle;
use crate::error::Result;
use crate::model::records::Record;
use crate::model::timestamp;
use crate::surface::{Command, Context};

/// Lists who holds what.
pub(in crate::commands) struct Claims;

/// Arguments of `pm workspace claims`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {}

impl Command for Claims {
    const CONTRACT: Contract = Contract {
        path: &["workspace", "claims"],
        about: "List the open items that somebody holds, who, and until when",
        examples: &[Example { about: "Who works on what?", argv: &["workspace", "claims"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(_: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let actor = context.actor()?;
        let (statuses, lease, now) = (&tracker.schema().statuses, tracker.claim_lease(), context.clock.now());
        let row = |record: Record<'_>| -> Option<Value> {
            let assignee = record.assignee().filter(|name| !name.trim().is_empty())?;
            let holder = lifecycle::standing(assignee, record.claim_principal()).unwrap_or(assignee);
            let until = record.updated_ms().zip(lease).map(|(at, lease)| at.saturating_add(lease));
            Some(json!({
                "id": record.id(), "title": record.title(), "status": record.status(), "assignee": assignee,
                "holder": holder, "mine": holder == actor.principal || holder == actor.author,
                "expires_at": until.map(timestamp::format), "expired": until.is_some_and(|until| until < now),
            }))
        };
        let open = tracker.records()?.iter().filter(|record| !statuses.is_terminal(record.status()));
        let rows: Vec<Value> = open.filter_map(row).collect();
        let count = rows.len();
        Ok(Answer::new().rows("claims", Rows::values(rows)).value("count", count))
    }
}
