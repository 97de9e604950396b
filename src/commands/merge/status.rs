//! `pm merge status`.

use serde_json::{Value, json};

use super::documents;
use super::sides::Source;
use super::unmerged::{Named, all, dispute, named};
use crate::answer::Answer;
use crate::contract::{Contract, Example};
use crate::domain::merge::conflicts::Undecided;
use crate::domain::survey::WORKSPACE;
use crate::error::{Code, Result};
use crate::model::item::Item;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Says what merges left to somebody.
pub(in crate::commands) struct Status;

/// Arguments of `pm merge status`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Id of an item, or path of a settings or schema file: what each branch made of it
    #[arg(value_name = "ID|PATH")]
    id: Option<String>,
}

impl Command for Status {
    const CONTRACT: Contract = Contract {
        path: &["merge", "status"],
        about: "Show what merges left undecided, and the values of each branch",
        errors: &[Code::ItemNotFound, Code::MergeVersionsUnknown],
        examples: &[
            Example { about: "Everything that waits for a decision", argv: &["merge", "status"] },
            Example { about: "Both values of each field", argv: &["merge", "status", "pm-a1b2"] },
            Example {
                about: "What branches made of the settings",
                argv: &["merge", "status", "settings.json"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let Some(typed) = &args.id else {
            let rows: Vec<Value> = all(tracker)?.iter().map(super::unmerged::Unmerged::row).collect();
            let count = rows.len();
            let answer = Answer::new().value("conflicts", rows).value("count", count);
            let gone = tracker.gone_drivers().into_iter();
            return Ok(gone.fold(answer, |answer, program| {
                answer.warn(format!("merge_driver_gone:{program}; pm merge install"))
            }));
        };
        match named(tracker, typed)? {
            Named::Item(id) => item(tracker, id),
            Named::Documents(path) => document(tracker, path.as_deref()),
        }
    }
}

fn row(field: &Undecided) -> Value {
    json!({"field": field.field, "base": field.base, "values": field.values, "stands": field.stands})
}

/// What waits, and the commands that decide it.
fn answer<'a>(answer: Answer<'a>, id: &str, open: &[Undecided], rows: Vec<Value>, files: bool) -> Answer<'a> {
    let commands = match (open.is_empty(), files) {
        (true, false) => Vec::new(),
        (true, true) => vec![format!("pm merge resolve {id}")],
        (false, _) => Source::commands(id, open),
    };
    let count = rows.len();
    answer.value("fields", rows).value("count", count).value("resolve_with", commands)
}

fn item<'a>(tracker: &Tracker, id: String) -> Result<Answer<'a>> {
    let found = tracker.found(&id)?;
    let Some(dispute) = dispute(tracker, &id, &found)? else {
        return Ok(Answer::new().value("id", id).value("deleted", true).value("fields", json!([])));
    };
    let rows = dispute.undecided.iter().map(row).collect();
    let files = dispute.is_of_files() || Tracker::has_markers(&found);
    let mut head = Answer::new().value("id", id.as_str()).value("markers", files);
    if let Some(versions) = &dispute.versions {
        head = head
            .value("ours", whole(versions.ours.as_ref()))
            .value("theirs", whole(versions.theirs.as_ref()));
    }
    if !found.others.is_empty() {
        let paths = found.file.iter().chain(&found.others).map(|(path, _)| path.clone());
        head = head.value("files", paths.collect::<Vec<_>>());
    }
    Ok(answer(head, &id, &dispute.undecided, rows, files))
}

fn document<'a>(tracker: &Tracker, only: Option<&str>) -> Result<Answer<'a>> {
    let state = documents::state(tracker, &tracker.found(WORKSPACE)?)?;
    let open = state.undecided(only);
    let with_path = |(path, field): &(String, Undecided)| {
        let mut whole = json!({"document": path});
        if let (Value::Object(whole), Value::Object(rest)) = (&mut whole, row(field)) {
            whole.extend(rest);
        }
        whole
    };
    let rows = open.iter().map(with_path).collect();
    let id = only.unwrap_or(WORKSPACE);
    let files = state.marked.iter().any(|path| only.is_none_or(|only| only == path));
    let fields: Vec<Undecided> = open.iter().map(|(_, field)| field.clone()).collect();
    Ok(answer(Answer::new().value("id", id).value("markers", files), id, &fields, rows, files))
}

/// The whole item; null where a branch has none.
fn whole(item: Option<&Item>) -> Value {
    let Some(item) = item else { return Value::Null };
    let mut document = item.metadata.clone();
    document.insert("body".to_owned(), item.body.as_str().into());
    Value::Object(document)
}
