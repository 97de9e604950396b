//! `pm merge resolve`.

use serde_json::{Map, Value, json};

use super::documents;
use super::sides::{Side, Source, quoted};
use super::unmerged::{Dispute, Named, dispute, named, undecided};
use crate::answer::Answer;
use crate::codec::json::compact as json_text;
use crate::contract::{Contract, Effect, Example};
use crate::domain::merge::conflicts::{self, DELETED, Undecided};
use crate::domain::merge::{self, Before};
use crate::domain::rewrite::{repair, salvage};
use crate::domain::survey::WORKSPACE;
use crate::domain::values;
use crate::error::{Code, Error, Result};
use crate::model::canonical::canonical_item;
use crate::model::item::Item;
use crate::mutation::{rewriting, write};
use crate::store::history;
use crate::surface::{Command, Context};
use crate::tracker::{Found, Rewriting, Tracker};

/// Decides what a merge left open.
pub(in crate::commands) struct Resolve;

/// Arguments of `pm merge resolve`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Id of the item, or path of a settings or schema file
    #[arg(value_name = "ID|PATH")]
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
    /// Decide these fields only, with `--ours`, `--theirs` or `--keep`; may be repeated
    #[arg(long, value_name = "FIELD")]
    field: Vec<String>,
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
            Example {
                about: "Settings, one place of them",
                argv: &["merge", "resolve", "settings.json", "--theirs", "--field", "governance.preset"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let choice = Choice::read(&args)?;
        let told = ("merge_resolve", args.message.as_deref());
        match named(tracker, &args.id)? {
            Named::Item(id) => {
                let outcome = settle(context, tracker, &id, &choice, told)?;
                Ok(rewriting::one(context, &id, outcome, 0))
            }
            Named::Documents(path) => {
                let outcome = documents::settle(context, tracker, path.as_deref(), &choice, told)?;
                Ok(rewriting::one(context, path.as_deref().unwrap_or(WORKSPACE), outcome, 0))
            }
        }
    }
}

/// How undecided fields are decided.
pub(super) struct Choice {
    way: Option<Way>,
    /// The fields that this is about; all when none is named.
    fields: Vec<String>,
    set: Vec<(String, String)>,
    /// Fields that nothing decides stay as they are instead of being refused.
    pub(super) lenient: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Of(Side),
    Standing,
}

impl Choice {
    /// No decision: what merges by itself is merged, the rest stays open.
    pub(super) const NONE: Choice = Choice { way: None, fields: Vec::new(), set: Vec::new(), lenient: true };

    fn read(args: &Args) -> Result<Choice> {
        let way = match (args.ours, args.theirs, args.keep) {
            (true, ..) => Some(Way::Of(Side::Ours)),
            (_, true, _) => Some(Way::Of(Side::Theirs)),
            (.., true) => Some(Way::Standing),
            _ => None,
        };
        if way.is_none() && !args.field.is_empty() {
            let problem = "say which side's value the field gets";
            return Err(Error::new(Code::MissingRequiredArgument, problem)
                .at("--field")
                .fact("alternatives", vec!["--ours", "--theirs", "--keep"])
                .hint(format!("pm merge resolve {} --ours --field {}", args.id, quoted(&args.field[0]))));
        }
        let set = args.set.iter().map(|text| {
            let parts = text.split_once('=').filter(|(field, _)| !field.trim().is_empty());
            let (field, value) =
                parts.ok_or_else(|| values::refusal("--set", text, "give FIELD=VALUE", &[]))?;
            Ok((field.trim().to_owned(), value.to_owned()))
        });
        let fields = args.field.iter().map(|field| field.trim().to_owned()).collect();
        Ok(Choice { way, fields, set: set.collect::<Result<_>>()?, lenient: false })
    }

    /// Refuses a choice that speaks of other fields than these.
    ///
    /// Errors: `invalid_argument_value`.
    pub(super) fn only_of<'f>(&self, open: impl Iterator<Item = &'f Undecided>) -> Result<()> {
        let legal: Vec<&str> = open.map(|field| field.field.as_str()).collect();
        let set = self.set.iter().map(|(name, _)| ("--set", name));
        let named = set.chain(self.fields.iter().map(|name| ("--field", name)));
        match named.into_iter().find(|(_, name)| !legal.contains(&name.as_str())) {
            Some((flag, name)) => {
                Err(values::refusal(flag, name, "it is no field that a merge left open", &legal))
            }
            None => Ok(()),
        }
    }

    /// The value that a field gets; none when nothing decides it.
    ///
    /// Errors: `merge_versions_unknown`.
    pub(super) fn value(&self, source: &Source<'_>, field: &Undecided) -> Result<Option<Value>> {
        if let Some((_, text)) = self.set.iter().find(|(name, _)| *name == field.field) {
            return Ok(Some(typed(text, field)));
        }
        if !self.fields.is_empty() && !self.fields.contains(&field.field) {
            return Ok(None);
        }
        Ok(match self.way {
            Some(Way::Standing) => Some(field.stands.clone()),
            Some(Way::Of(side)) => Some(source.value(field, side)?),
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
    tracker: &Tracker,
    id: &str,
    choice: &Choice,
    (op, message): (&str, Option<&str>),
) -> Result<Option<Map<String, Value>>> {
    let write = write(context, op, message)?;
    let mut facts = Map::new();
    let mut touched = Vec::new();
    let written = tracker.rewrite(id, &write, &mut |found| {
        let Some(dispute) = dispute(tracker, id, found)? else { return Ok(None) };
        let misplaced = found.file.as_ref().is_some_and(|(path, _)| tracker.is_misplaced(path));
        let of_files = dispute.is_of_files() || Tracker::has_markers(found) || misplaced;
        choice.only_of(dispute.undecided.iter())?;
        if dispute.undecided.is_empty() && !of_files {
            return Ok(None);
        }
        let Decided { item, rows, open } = decide(tracker, id, found, choice, &dispute)?;
        if !open.is_empty() && !choice.lenient && !of_files && rows.is_empty() {
            return Err(undecided(id, &open));
        }
        if rows.is_empty() && !of_files {
            return Ok(None);
        }
        touched.extend(found.file.iter().chain(&found.others).map(|(path, _)| path.clone()));
        touched.extend(item.as_ref().and_then(|item| tracker.new_place(found, item)));
        let told = |row: &Value| json!({"field": row["field"], "value": row["retained"]});
        facts.insert("decided".into(), rows.iter().map(told).collect::<Vec<_>>().into());
        facts.insert(
            "undecided".into(),
            open.iter().map(|field| field.field.clone()).collect::<Vec<_>>().into(),
        );
        let (entries, end) = history_of(tracker, id, found)?;
        Ok(Some(Rewriting {
            message: format!("{} of a merge", op.replace('_', " ")),
            entries,
            end,
            item,
            item_changes: true,
            files_anew: true,
            context: Some(json!({"merge": {"decisions": rows}})),
        }))
    })?;
    Ok(written.map(|_| {
        touched.push(history::path(id));
        facts.insert("next".into(), staging(tracker, &touched).into());
        facts
    }))
}

/// The command that tells Git what became of files, which may be gone.
pub(super) fn staging(tracker: &Tracker, paths: &[String]) -> String {
    let folder =
        tracker.root().strip_prefix(tracker.workspace()).unwrap_or(tracker.root()).display().to_string();
    let mut seen = std::collections::BTreeSet::new();
    let paths = paths.iter().filter(|path| seen.insert(path.as_str()));
    let paths: Vec<String> = paths.map(|path| quoted(&format!("{folder}/{path}"))).collect();
    format!("git add -A -- {}", paths.join(" "))
}

struct Decided {
    /// The item; none when it is to be deleted.
    item: Option<Item>,
    /// What was decided, as history tells it.
    rows: Vec<Value>,
    /// What is still open.
    open: Vec<Undecided>,
}

fn decide(tracker: &Tracker, id: &str, found: &Found, choice: &Choice, dispute: &Dispute) -> Result<Decided> {
    let mut item = dispute.item.clone();
    let (mut rows, mut open, mut deleted) = (Vec::new(), Vec::new(), false);
    let source = Source::item(tracker, id, found, dispute.versions.as_ref());
    for field in &dispute.undecided {
        let Some(value) = choice.value(&source, field)? else {
            open.push(field.clone());
            continue;
        };
        if field.field == DELETED {
            deleted = value.as_bool().ok_or_else(|| {
                values::refusal("--set", &json_text(&value), "it is deleted or not", &["true", "false"])
            })?;
        } else {
            conflicts::decide(&mut item, &field.field, value.clone());
        }
        rows.push(
            json!({"field": field.field, "base": field.base, "values": field.values, "retained": value}),
        );
    }
    if deleted {
        return Ok(Decided { item: None, rows, open: Vec::new() });
    }
    let item = canonical_item(&item)
        .map_err(|error| Error::new(Code::InvalidArgumentValue, error.to_string()).at("--set"))?;
    // What cannot be read back must not be written.
    let path = found.file.as_ref().map_or("", |(path, _)| path.as_str());
    tracker.check(path, &item).map_err(|error| {
        let message = error.message.replace(&format!("`{path}`: "), "");
        Error::new(Code::InvalidArgumentValue, message).at("--set")
    })?;
    Ok(Decided { item: Some(item), rows, open })
}

/// The entries of the history, merged if Git left two of it, and the item that they end in.
pub(super) fn history_of(tracker: &Tracker, id: &str, found: &Found) -> Result<(Vec<Value>, Option<Item>)> {
    let (mut entries, damage) = salvage(found.stream.as_deref().unwrap_or_default());
    if damage.markers > 0
        && let Some([base, ours, theirs]) = tracker.stream_versions(id)
        && let Ok(merged) = merge::streams_beside(&base, &ours, &theirs, &before(tracker, id, found))
    {
        entries = merged;
    }
    if let Some([base, theirs]) = tracker.unjoined_stream(id, &entries)
        && let Ok(merged) = merge::streams_beside(&base, &entries, &theirs, &before(tracker, id, found))
    {
        entries = merged;
    }
    let repaired = repair(&entries).map_err(|error| rewriting::refused(id, &error))?;
    Ok((repaired.entries, repaired.end))
}

/// What is known of the time before the branches parted.
fn before(tracker: &Tracker, id: &str, found: &Found) -> Before {
    let known = tracker.item_versions(id, found).ok().map(|versions| versions.base);
    let item = known.filter(|item| id != WORKSPACE && !item.metadata.is_empty());
    Before { documents: documents::before(tracker, id), item }
}
