//! `pm schema add-status`, `remove-status`, `show-status`.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::declarations::{STATUSES, StatusWish};
use crate::domain::values::refusal;
use crate::error::{Code, Error, Result};
use crate::model::status::{Roles, Status, Statuses, normalise_status};
use crate::mutation::declaring::{self, About};
use crate::nearest;
use crate::surface::{Command, Context};

/// Declares a status.
pub(in crate::commands) struct AddStatus;

/// Arguments of `pm schema add-status`.
#[derive(clap::Args)]
pub(in crate::commands) struct AddArgs {
    /// Id of the status
    name: String,
    /// What it means
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Other spellings; repeat it or separate them with commas
    #[arg(long, value_name = "NAME")]
    alias: Vec<String>,
    /// Part it plays: draft, active, blocked, terminal, terminal_done, terminal_canceled, default_open, default_close, default_cancel
    #[arg(long, value_name = "ROLE")]
    role: Vec<String>,
    /// Its place among the others
    #[arg(long, value_name = "NUMBER")]
    order: Option<i64>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for AddStatus {
    const CONTRACT: Contract = Contract {
        path: &["schema", "add-status"],
        about: "Declare a status, or refine one",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::InvalidArgumentValue, Code::WorkspaceHistoryStateConflict],
        examples: &[Example {
            about: "Work that waits for a review",
            argv: &["schema", "add-status", "review", "--role", "active"],
        }],
        ..Contract::BASE
    };
    type Args = AddArgs;

    fn run<'a>(args: AddArgs, context: &'a Context) -> Result<Answer<'a>> {
        let statuses = &context.tracker()?.schema().statuses;
        let id = normalise_status(&args.name);
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if id.is_empty() || id.len() > 40 || !id.chars().all(plain) {
            let problem = "a status has an id of letters, digits and _, at most 40";
            return Err(refusal("NAME", &args.name, problem, &[]));
        }
        let wish = StatusWish {
            description: args.description,
            aliases: declaring::names(&args.alias),
            roles: declaring::names(&args.role),
            order: args.order,
        };
        for (flag, word) in
            [("NAME", &id)].into_iter().chain(wish.aliases.iter().map(|alias| ("--alias", alias)))
        {
            if let Some(other) = statuses.resolve(word).filter(|other| other.id != id) {
                return Err(refusal(flag, word, format!("it names the status {} already", other.id), &[]));
            }
        }
        let given = wish.declaration(&id).map_err(|role| {
            let legal = Roles::names();
            refusal("--role", &role, format!("give {}", legal.join(", ")), legal)
        })?;
        let about = About { action: "add-status", noun: "status", section: &STATUSES };
        declaring::add(context, about, &given, args.message.as_deref())
    }
}

/// Takes a status out of the schema.
pub(in crate::commands) struct RemoveStatus;

/// Arguments of `pm schema remove-status`.
#[derive(clap::Args)]
pub(in crate::commands) struct RemoveArgs {
    /// Id of the status
    name: String,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for RemoveStatus {
    const CONTRACT: Contract = Contract {
        path: &["schema", "remove-status"],
        about: "Take a status out of the schema that no item has",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::UnknownStatus, Code::SchemaDefinitionInUse, Code::WorkspaceHistoryStateConflict],
        examples: &[Example { about: "Nobody uses it", argv: &["schema", "remove-status", "review"] }],
        ..Contract::BASE
    };
    type Args = RemoveArgs;

    fn run<'a>(args: RemoveArgs, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let statuses = &tracker.schema().statuses;
        let Some(status) = statuses.resolve(&args.name) else { return Err(unknown(&args.name, statuses)) };
        let id = status.id.clone();
        if Statuses::default().get(&id).is_some() {
            return Err(refusal("NAME", &args.name, "every tracker has this status", &[]));
        }
        let named = [
            ("draft", statuses.draft()),
            ("open", statuses.open()),
            ("in_progress", statuses.in_progress()),
            ("blocked", statuses.blocked()),
            ("close", statuses.close()),
            ("canceled", statuses.canceled()),
        ];
        if let Some((part, _)) = named.iter().find(|(_, status)| **status == id) {
            return Err(Error::new(
                Code::SchemaDefinitionInUse,
                format!("`{id}` is the {part} status of the workflow"),
            )
            .at("NAME"));
        }
        // An item in a status that nobody declares cannot be read: no option overrides this.
        let ids: Vec<String> = tracker
            .records()?
            .iter()
            .filter(|record| record.status() == id)
            .map(|record| record.id().to_owned())
            .collect();
        if !ids.is_empty() {
            let hint = format!("pm schema remap-status {id} --to {}", statuses.open());
            return Err(declaring::in_use(&format!("the status {id}"), &ids, hint).at("NAME"));
        }
        let about = About { action: "remove-status", noun: "status", section: &STATUSES };
        declaring::remove(context, about, &id, args.message.as_deref(), &|_| unknown(&id, statuses))
    }
}

pub(super) fn unknown(typed: &str, statuses: &Statuses) -> Error {
    let known: Vec<&str> = statuses.iter().map(|status| status.id.as_str()).collect();
    Error::new(Code::UnknownStatus, format!("there is no status `{typed}`"))
        .at("NAME")
        .rejecting(typed)
        .fact("allowed_values", nearest::order(typed, &known))
        .hint("pm schema list")
}

/// Shows a status.
pub(in crate::commands) struct ShowStatus;

/// Arguments of `pm schema show-status`.
#[derive(clap::Args)]
pub(in crate::commands) struct ShowArgs {
    /// Id of the status, or another spelling of it
    name: String,
}

impl Command for ShowStatus {
    const CONTRACT: Contract = Contract {
        path: &["schema", "show-status"],
        about: "Show what a status is",
        errors: &[Code::UnknownStatus],
        examples: &[Example { about: "What is blocked here?", argv: &["schema", "show-status", "blocked"] }],
        ..Contract::BASE
    };
    type Args = ShowArgs;

    fn run<'a>(args: ShowArgs, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let statuses = &tracker.schema().statuses;
        let status = statuses.resolve(&args.name).ok_or_else(|| unknown(&args.name, statuses))?;
        let count = tracker.records()?.iter().filter(|record| record.status() == status.id).count();
        Ok(Answer::new()
            .value("action", "show-status")
            .value("status", described(status))
            .value("item_count", count))
    }
}

/// A status, without what it does not say.
pub(super) fn described(status: &Status) -> Value {
    let mut out = json!({"id": status.id, "roles": status.roles.iter().collect::<Vec<_>>()});
    if !status.aliases.is_empty() {
        out["aliases"] = json!(status.aliases);
    }
    out["order"] = json!(status.order);
    out["terminal"] = json!(status.is_terminal());
    if let Some(text) = &status.description {
        out["description"] = json!(text);
    }
    out
}
