//! `pm profile list`.

use serde_json::{Value, json};

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Example};
use crate::domain::profiles::PROFILES;
use crate::error::Result;
use crate::model::timestamp;
use crate::surface::{Command, Context};

/// Lists the profiles.
pub(in crate::commands) struct List;

/// Arguments of `pm profile list`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {}

impl Command for List {
    const CONTRACT: Contract = Contract {
        path: &["profile", "list"],
        about: "List the profiles, and how much each brings",
        examples: &[Example { about: "What is there to choose from?", argv: &["profile", "list"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(_: Args, context: &'a Context) -> Result<Answer<'a>> {
        let rows: Vec<Value> = PROFILES
            .iter()
            .map(|profile| {
                json!({
                    "name": profile.name, "title": profile.title, "summary": profile.summary,
                    "source": "builtin", "composition": profile.composition(),
                })
            })
            .collect();
        Ok(Answer::new()
            .value("action", "list")
            .rows("profiles", Rows::values(rows))
            .echo("generated_at", timestamp::format(context.clock.now())))
    }
}
