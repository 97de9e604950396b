//! `pm schema list`.

use serde_json::{Value, json};

use super::{fields, types};
use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Example};
use crate::error::Result;
use crate::surface::{Command, Context};

/// Lists types, statuses and fields.
pub(in crate::commands) struct List;

/// Arguments of `pm schema list`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {}

impl Command for List {
    const CONTRACT: Contract = Contract {
        path: &["schema", "list"],
        about: "List the types, statuses and fields of this tracker",
        examples: &[Example { about: "What is there to choose from?", argv: &["schema", "list"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(_: Args, context: &'a Context) -> Result<Answer<'a>> {
        let schema = context.tracker()?.schema();
        let kinds = schema.kinds.iter().map(|kind| {
            json!({"name": kind.name, "source": types::source(kind), "folder": kind.folder, "aliases": kind.aliases.join(",")})
        });
        let statuses = schema.statuses.iter().map(|status| {
            let roles: Vec<&str> = status.roles.iter().collect();
            json!({"id": status.id, "roles": roles.join(","), "aliases": status.aliases.join(",")})
        });
        let fields: Vec<Value> = schema.fields.iter().map(fields::row).collect();
        Ok(Answer::new()
            .value("action", "list")
            .rows("types", Rows::values(kinds.collect()))
            .rows("statuses", Rows::values(statuses.collect()))
            .rows("fields", Rows::values(fields)))
    }
}
