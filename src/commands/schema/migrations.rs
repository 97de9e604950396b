//! `pm schema rename-type`, `rename-field`, `remap-status`: the schema and every item that follows it.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::declarations::{self, FIELDS, Section, TYPES};
use crate::domain::lifecycle::{self, Closing};
use crate::domain::values::refusal;
use crate::error::{Code, Error, Result};
use crate::model::canonical;
use crate::model::item::Item;
use crate::mutation::draft::shell_word;
use crate::mutation::{HIERARCHY_LOCK, closing, declaring, then, write};
use crate::nearest;
use crate::surface::{Command, Context};
use crate::tracker::{Document, Tracker};

/// Arguments of the migrations.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The name now
    name: String,
    /// The name afterwards
    #[arg(long, value_name = "NAME")]
    to: Option<String>,
    /// A name for the migration, kept in the history of the schema
    #[arg(long, value_name = "KEY")]
    migration_id: Option<String>,
    /// Message of the history entries
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

/// Arguments of `remap-status`.
#[derive(clap::Args)]
pub(in crate::commands) struct RemapArgs {
    #[command(flatten)]
    migration: Args,
    /// Why the items end, when the other status ends them
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Args {
    fn to(&self) -> Result<&str> {
        self.to.as_deref().map(str::trim).filter(|to| !to.is_empty()).ok_or_else(|| {
            Error::new(Code::SchemaMigrationInputRequired, "what is it to be called?")
                .at("--to")
                .fact("missing", vec!["--to"])
                .hint("pm schema list")
        })
    }

    fn op(&self, action: &str) -> String {
        match self.migration_id.as_deref().map(str::trim).filter(|id| !id.is_empty()) {
            Some(id) => format!("schema:{action}:{id}"),
            None => format!("schema:{action}"),
        }
    }
}

/// Which items a migration is about, and what it makes of each.
struct Migration<'m> {
    action: &'static str,
    from: String,
    to: String,
    /// The items.
    ids: Vec<String>,
    edit: &'m dyn Fn(&Item, &str) -> Item,
    /// The items end: those that waited for them are free.
    ends: bool,
    /// The last change of the schema, when the items have gone over.
    finish: Option<(&'static Section, &'m dyn Fn(Option<&Document>) -> Document)>,
}

/// Changes the items and the schema after them in one transaction. What is interrupted is as it was before; the same
/// call does it again.
fn migrate<'a>(
    context: &'a Context,
    tracker: &Tracker,
    migration: &Migration<'_>,
    args: &Args,
    mut warnings: Vec<String>,
) -> Result<Answer<'a>> {
    let Migration { action, from, to, ids, edit, ends, finish } = migration;
    let op = args.op(action);
    let message = args.message.clone().unwrap_or_else(|| format!("schema {action} {from} -> {to}"));
    let schema = write(context, &op, args.message.as_deref())?;
    let items = then(context, "schema_migration", Some(&message))?;
    let mut transaction = tracker.transaction(&schema)?;
    if *ends {
        transaction.lock(HIERARCHY_LOCK)?;
    }
    if let Some((section, edit)) = finish {
        let path = declaring::path(tracker, section);
        let written = transaction
            .change_document(&path, &schema, &mut |document| Ok(edit(document)))
            .map_err(|error| declaring::retry(error, context))?;
        warnings.extend(written.warnings);
    }
    let mut changed = 0;
    for id in ids {
        let written = transaction.change(id, &items, &mut |item, at| Ok(edit(item, at)))?;
        changed += usize::from(!written.unchanged);
        warnings.extend(written.warnings);
    }
    for id in ids.iter().filter(|_| *ends) {
        closing::free(context, &mut transaction, id, &mut warnings)?;
    }
    transaction.commit()?;
    if !schema.dry_run && finish.is_some_and(|(section, _)| section.list == TYPES.list) {
        warnings.extend(declaring::refresh_fence(tracker));
    }
    let mut answer = Answer::new().value("action", *action);
    if schema.dry_run {
        answer = answer.value("dry_run", true);
    }
    answer = answer.value("from", from.as_str()).value("to", to.as_str());
    if let Some(id) = &args.migration_id {
        answer = answer.value("migration_id", id.as_str());
    }
    answer = answer.value("item_count", changed).echo("items", json!(ids));
    warnings.dedup();
    Ok(warnings.into_iter().fold(answer, Answer::warn))
}

/// Gives a type another name.
pub(in crate::commands) struct RenameType;

impl Command for RenameType {
    const CONTRACT: Contract = Contract {
        path: &["schema", "rename-type"],
        about: "Give a type another name, its items too; or move its items to another type",
        effect: Effect::Writes,
        expects: false,
        errors: &[
            Code::UnknownItemType,
            Code::InvalidArgumentValue,
            Code::SchemaMigrationInputRequired,
            Code::WorkspaceHistoryStateConflict,
        ],
        examples: &[Example {
            about: "It is called otherwise",
            argv: &["schema", "rename-type", "Spike", "--to", "Investigation"],
        }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let kinds = &tracker.schema().kinds;
        let same = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b.trim());
        let own = kinds.iter().find(|kind| same(&kind.name, &args.name));
        let records = tracker.records()?;
        let typed = args.name.trim();
        let from = own.map_or(typed, |kind| &kind.name).to_owned();
        let ids: Vec<String> =
            records.iter().filter(|r| r.kind() == from).map(|r| r.id().to_owned()).collect();
        if own.is_none() && ids.is_empty() {
            let known: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
            return Err(Error::new(Code::UnknownItemType, format!("there is no type `{typed}`"))
                .at("NAME")
                .rejecting(typed)
                .fact("allowed_values", nearest::order(typed, &known))
                .hint("pm schema list"));
        }
        if own.is_some_and(|kind| kind.built_in) {
            return Err(refusal("NAME", typed, "every tracker has this type", &[]));
        }
        let to = super::types::legal_name("--to", args.to()?)?;
        if same(&to, &from) && to == from {
            return Err(refusal("--to", &to, "it is called so already", &[]));
        }
        let target = kinds.iter().find(|kind| same(&kind.name, &to) && !same(&kind.name, &from));
        let to = target.map_or(to, |kind| kind.name.clone());
        let mut warnings = Vec::new();
        let opened;
        let tracker = match target {
            Some(_) => tracker,
            // First the new name joins the old one, in the same folder when that has a name of its own: items can
            // only be written where their type is known.
            None if !context.globals.dry_run => {
                let op = args.op("rename-type");
                let write = write(context, &op, args.message.as_deref())?;
                let mut edit = |document: Option<&Document>| Ok(joined(document, &from, &to));
                let path = declaring::path(tracker, &TYPES);
                let written = tracker
                    .change_document(&path, &write, &mut edit)
                    .map_err(|error| declaring::retry(error, context))?;
                warnings.extend(written.warnings);
                opened = declaring::reopened(context)?;
                &opened
            }
            None => tracker,
        };
        let drop = |document: Option<&Document>| {
            declarations::remove(&TYPES, document, &from)
                .map_or_else(|| document.cloned().unwrap_or_default(), |(document, _)| document)
        };
        let edit = |item: &Item, _: &str| {
            let mut item = item.clone();
            item.metadata.insert("type".to_owned(), Value::from(to.as_str()));
            item
        };
        let migration = Migration {
            action: "rename-type",
            from: from.clone(),
            to: to.clone(),
            ids,
            edit: &edit,
            ends: false,
            finish: Some((&TYPES, &drop)),
        };
        migrate(context, tracker, &migration, &args, warnings)
    }
}

/// A types file in which a type has a second name.
fn joined(document: Option<&Document>, from: &str, to: &str) -> Document {
    let mut given =
        declarations::find(&TYPES, document, from).and_then(Value::as_object).cloned().unwrap_or_default();
    given.insert("name".to_owned(), Value::from(to));
    given.shift_remove("aliases");
    declarations::put(&TYPES, document, &given).document
}

/// Gives a field another key.
pub(in crate::commands) struct RenameField;

impl Command for RenameField {
    const CONTRACT: Contract = Contract {
        path: &["schema", "rename-field"],
        about: "Give a declared field another key, in every item too",
        effect: Effect::Writes,
        expects: false,
        errors: &[
            Code::UnknownField,
            Code::InvalidArgumentValue,
            Code::SchemaMigrationInputRequired,
            Code::WorkspaceHistoryStateConflict,
        ],
        examples: &[Example {
            about: "It is called otherwise",
            argv: &["schema", "rename-field", "effort", "--to", "points"],
        }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let field = super::fields::find(tracker, &args.name)?;
        let to = super::fields::legal_key("--to", args.to()?)?;
        let (from, old) = (field.key.clone(), field.metadata_key.clone());
        if let Some(other) = tracker.schema().fields.iter().find(|f| f.key == to || f.metadata_key == to) {
            return Err(refusal("--to", &to, format!("it is the key of the field {}", other.key), &[]));
        }
        super::fields::free_flag(&to.replace('_', "-"), &from, &field.commands, context)?;
        let records = tracker.records()?;
        let with = records.iter().filter(|record| record.custom_value(&old).is_some());
        let ids: Vec<String> = with.map(|record| record.id().to_owned()).collect();
        let edit = |item: &Item, _: &str| {
            let mut item = item.clone();
            if let Some(value) = item.metadata.shift_remove(&old) {
                item.metadata.entry(to.as_str()).or_insert(value);
            }
            item
        };
        let rename = |document: Option<&Document>| renamed(document, &from, &to);
        let migration = Migration {
            action: "rename-field",
            from: from.clone(),
            to: to.clone(),
            ids,
            edit: &edit,
            ends: false,
            finish: Some((&FIELDS, &rename)),
        };
        debug_assert!(!canonical::is_built_in(&to));
        migrate(context, tracker, &migration, &args, Vec::new())
    }
}

/// A fields file in which a field has another key, and the flag and place that follow from it.
fn renamed(document: Option<&Document>, from: &str, to: &str) -> Document {
    let mut document = document.cloned().unwrap_or_default();
    if let Some(Value::Array(fields)) = document.get_mut(FIELDS.list) {
        for field in fields.iter_mut().filter_map(Value::as_object_mut) {
            if field.get("key").and_then(Value::as_str) == Some(from) {
                field.insert("key".to_owned(), Value::from(to));
                field.shift_remove("metadata_key");
                field.shift_remove("cli_flag");
            }
        }
    }
    document
}

/// Moves items from one status to another.
pub(in crate::commands) struct RemapStatus;

impl Command for RemapStatus {
    const CONTRACT: Contract = Contract {
        path: &["schema", "remap-status"],
        about: "Move all items of a status to another one",
        effect: Effect::Writes,
        expects: false,
        errors: &[
            Code::UnknownStatus,
            Code::InvalidArgumentValue,
            Code::SchemaMigrationInputRequired,
            Code::CloseReasonRequired,
        ],
        examples: &[
            Example {
                about: "Before a status goes",
                argv: &["schema", "remap-status", "review", "--to", "in_progress"],
            },
            Example {
                about: "All that waits for a review is given up",
                argv: &["schema", "remap-status", "review", "--to", "canceled", "--reason", "Not wanted"],
            },
        ],
        ..Contract::BASE
    };
    type Args = RemapArgs;

    fn run<'a>(args: RemapArgs, context: &'a Context) -> Result<Answer<'a>> {
        let RemapArgs { migration: args, reason } = args;
        let tracker = context.tracker()?;
        let statuses = &tracker.schema().statuses;
        let find = |typed: &str| statuses.resolve(typed).map(|status| status.id.clone());
        let Some(from) = find(&args.name) else { return Err(super::statuses::unknown(&args.name, statuses)) };
        let typed = args.to()?;
        let Some(to) = find(typed) else { return Err(super::statuses::unknown(typed, statuses).at("--to")) };
        if from == to {
            return Err(refusal("--to", typed, "it is the same status", &[]));
        }
        let ends = statuses.is_terminal(&to) && !statuses.is_terminal(&from);
        let mut end = Closing::default();
        if ends {
            end.reason = closing::reason(tracker, "", reason.as_deref(), &end, args.message.as_deref())
                .map_err(|error| {
                    let name = shell_word(&args.name);
                    error.at("--reason").hint(format!(
                        "pm schema remap-status {name} --to {to} --reason \"No longer needed\""
                    ))
                })?;
        } else if let Some(reason) = &reason {
            return Err(refusal("--reason", reason, format!("nothing ends with {to}"), &[]));
        }
        let records = tracker.records()?;
        let ids: Vec<String> =
            records.iter().filter(|r| r.status() == from).map(|r| r.id().to_owned()).collect();
        let edit = |item: &Item, at: &str| {
            if ends {
                return lifecycle::close(item, &end, &to, at);
            }
            let mut item = item.clone();
            lifecycle::set_status(&mut item, &to, statuses);
            item
        };
        let migration =
            Migration { action: "remap-status", from, to: to.clone(), ids, edit: &edit, ends, finish: None };
        migrate(context, tracker, &migration, &args, Vec::new())
    }
}
