//! `pm merge resolve`.

use serde_json::{Map, Value, json};

use super::unmerged::{Dispute, Sides, dispute, id_of};
use crate::answer::Answer;
use crate::codec::json::compact as json_text;
use crate::contract::{Contract, Effect, Example};
use crate::domain::merge::conflicts::{self, Undecided};
use crate::domain::merge::{self, Prefer};
use crate::domain::rewrite::{repair, salvage};
use crate::domain::values;
use crate::error::{Code, Error, Result};
use crate::model::canonical::canonical_item;
use crate::mutation::{rewriting, write};
use crate::store::history;
use crate::surface::{Command, Context};
use crate::tracker::{Found, Rewriting, Tracker};

/// Decides what a merge left open.
pub(in crate::commands) struct Resolve;

/// Arguments of `pm merge resolve`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Id of the item
    id: String,
    /// Take the values of the branch that was merged into
    #[arg(long, conflicts_with_all = ["theirs", "keep"])]
    ours: bool,
    /// Take the values of the branch that was merged
    #[arg(long, conflicts_with = "keep")]
    theirs: bool,
    /// Leave the values that stand
    #[arg(long)]
    keep: bool,
    /// Give one field a value, whatever the branches have: `priority=1`; may be repeated
    #[arg(long, value_name = "FIELD=VALUE")]
    set: Vec<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Resolve {
    const CONTRACT: Contract = Contract {
        path: &["merge", "resolve"],
        about: "Decide what a merge left open: values of two branches, or a file that Git could not merge",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::MergeUndecided,
            Code::MergeVersionsUnknown,
            Code::InvalidArgumentValue,
        ],
        examples: &[
            Example { about: "Ours", argv: &["merge", "resolve", "pm-a1b2", "--ours"] },
            Example {
                about: "One value, field by field",
                argv: &["merge", "resolve", "pm-a1b2", "--set", "priority=1"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = id_of(tracker, &args.id)?;
        let choice = Choice::read(&args)?;
        let outcome = settle(context, &id, &choice, "merge_resolve", args.message.as_deref())?;
        Ok(rewriting::one(context, &id, outcome, 0))
    }
}

/// How undecided fields are decided.
pub(super) struct Choice {
    side: Option<Side>,
    set: Vec<(String, String)>,
    /// Fields that nothing decides stay as they are instead of being refused.
    pub(super) lenient: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Ours,
    Theirs,
    Standing,
}

impl Choice {
    /// No decision: what merges by itself is merged, the rest stays open.
    pub(super) const NONE: Choice = Choice { side: None, set: Vec::new(), lenient: true };

    fn read(args: &Args) -> Result<Choice> {
        let side = match (args.ours, args.theirs, args.keep) {
            (true, ..) => Some(Side::Ours),
            (_, true, _) => Some(Side::Theirs),
            (.., true) => Some(Side::Standing),
            _ => None,
        };
        let set = args.set.iter().map(|text| {
            let parts = text.split_once('=').filter(|(field, _)| !field.trim().is_empty());
            let (field, value) =
                parts.ok_or_else(|| values::refusal("--set", text, "give FIELD=VALUE", &[]))?;
            Ok((field.trim().to_owned(), value.to_owned()))
        });
        Ok(Choice { side, set: set.collect::<Result<_>>()?, lenient: false })
    }

    fn value(&self, sides: &Sides<'_>, field: &Undecided) -> Result<Option<Value>> {
        if let Some((_, text)) = self.set.iter().find(|(name, _)| *name == field.field) {
            return Ok(Some(typed(text, field)));
        }
        Ok(match self.side {
            Some(Side::Standing) => Some(field.stands.clone()),
            Some(side) => Some(sides.value(&field.field, side == Side::Ours)?),
            None => None,
        })
    }
}

/// The text as one of the values that the branches have, else as JSON of the same sort, else as it is.
fn typed(text: &str, field: &Undecided) -> Value {
    let known = field.values.iter().chain([&field.base, &field.stands]);
    let read = |value: &Value| match value {
        Value::String(known) => known == text,
        Value::Null => text.is_empty(),
        other => json_text(other) == text,
    };
    if let Some(value) = known.clone().find(|value| read(value)) {
        return value.clone();
    }
    let is_text = known.clone().any(Value::is_string);
    match serde_json::from_str::<Value>(text) {
        Ok(value) if !is_text => value,
        _ => text.into(),
    }
}

/// Decides an item as far as the choice goes, and brings its history to it; `None` when nothing was open.
///
/// Errors: `merge_undecided` when fields stay open that the caller wanted decided.
pub(super) fn settle(
    context: &Context,
    id: &str,
    choice: &Choice,
    op: &str,
    message: Option<&str>,
) -> Result<Option<Map<String, Value>>> {
    let tracker = context.tracker()?;
    let write = write(context, op, message)?;
    let mut facts = Map::new();
    let mut path = None;
    let written = tracker.rewrite(id, &write, &mut |found| {
        let Some(dispute) = dispute(tracker, found, Prefer::Stable)? else { return Ok(None) };
        let marked = Tracker::has_markers(found);
        unknown_fields(choice, &dispute)?;
        if dispute.undecided.is_empty() && !dispute.marked && !marked {
            return Ok(None);
        }
        path = found.file.as_ref().map(|(path, _)| path.clone());
        let (item, decided, open) = decided(tracker, found, choice, &dispute)?;
        if !open.is_empty() && !choice.lenient && !dispute.marked && !marked && decided.is_empty() {
            return Err(undecided(id, &open));
        }
        facts.insert(
            "decided".into(),
            Value::from(decided.iter().map(|(row, _)| row.clone()).collect::<Vec<_>>()),
        );
        facts.insert(
            "undecided".into(),
            Value::from(open.iter().map(|field| field.field.clone()).collect::<Vec<_>>()),
        );
        let (entries, end) = history_of(tracker, id, found)?;
        Ok(Some(Rewriting {
            message: format!("{} of a merge", op.replace('_', " ")),
            entries,
            end,
            item: Some(item),
            item_changes: true,
            context: Some(
                json!({"merge": {"decisions": decided.into_iter().map(|(_, d)| d).collect::<Vec<_>>()}}),
            ),
        }))
    })?;
    Ok(written.map(|_| {
        let folder =
            tracker.root().strip_prefix(tracker.workspace()).unwrap_or(tracker.root()).display().to_string();
        let item = path.unwrap_or_default();
        facts.insert("next".into(), format!("git add {folder}/{item} {folder}/{}", history::path(id)).into());
        facts
    }))
}

/// The item as decided, the rows and the records of what was decided, and what is still open.
type Decided = (crate::model::item::Item, Vec<(Value, Value)>, Vec<Undecided>);

fn decided(tracker: &Tracker, found: &Found, choice: &Choice, dispute: &Dispute) -> Result<Decided> {
    let mut item = dispute.item.clone();
    let (mut decided, mut open) = (Vec::new(), Vec::new());
    let sides = Sides::new(tracker, found);
    for field in &dispute.undecided {
        match choice.value(&sides, field)? {
            Some(value) => {
                conflicts::decide(&mut item, &field.field, value.clone());
                decided.push((
                    json!({"field": field.field, "value": value}),
                    json!({"field": field.field, "base": field.base, "values": field.values, "retained": value}),
                ));
            }
            None => open.push(field.clone()),
        }
    }
    let item = canonical_item(&item)
        .map_err(|error| Error::new(Code::InvalidArgumentValue, error.to_string()).at("--set"))?;
    // What cannot be read back must not be written.
    let path = found.file.as_ref().map_or("", |(path, _)| path.as_str());
    tracker.check(path, &item).map_err(|error| {
        let message = error.message.replace(&format!("`{path}`: "), "");
        Error::new(Code::InvalidArgumentValue, message).at("--set")
    })?;
    Ok((item, decided, open))
}

fn unknown_fields(choice: &Choice, dispute: &Dispute) -> Result<()> {
    let legal: Vec<&str> = dispute.undecided.iter().map(|field| field.field.as_str()).collect();
    match choice.set.iter().find(|(name, _)| !legal.contains(&name.as_str())) {
        Some((name, _)) => {
            Err(values::refusal("--set", name, "it is no field that a merge left open", &legal))
        }
        None => Ok(()),
    }
}

fn undecided(id: &str, open: &[Undecided]) -> Error {
    let rows: Vec<Value> =
        open.iter().map(|field| json!({"field": field.field, "values": field.values})).collect();
    let fields: Vec<&str> = open.iter().map(|field| field.field.as_str()).collect();
    Error::new(
        Code::MergeUndecided,
        format!("two branches set {} of `{id}` to different values; say which stand", fields.join(", ")),
    )
    .at("--set")
    .fact("undecided", rows)
    .fact("alternatives", vec!["--ours", "--theirs", "--keep", "--set FIELD=VALUE"])
    .hint(format!("pm merge status {id}"))
    .hint(format!("pm merge resolve {id} --keep"))
}

/// The entries of the history, merged if Git left two of it, and the item that they end in.
fn history_of(
    tracker: &Tracker,
    id: &str,
    found: &Found,
) -> Result<(Vec<Value>, Option<crate::model::item::Item>)> {
    let (mut entries, damage) = salvage(found.stream.as_deref().unwrap_or_default());
    if damage.markers > 0
        && let Some((ours, theirs)) = tracker.stream_versions(id)
        && let Ok(merged) = merge::streams(&ours, &theirs)
    {
        entries = merged;
    }
    let repaired = repair(&entries).map_err(|error| rewriting::refused(id, &error))?;
    Ok((repaired.entries, repaired.end))
}
