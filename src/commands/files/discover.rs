//! `pm files discover`: paths in an item's texts that it could be linked to.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::answer::{Answer, Row, Rows, row};
use crate::contract::{Contract, Effect, Example, Tier, surfaces};
use crate::domain::annotations;
use crate::domain::mentions::{self, Mention};
use crate::error::{Code, Result};
use crate::model::item::Item;
use crate::mutation::write;
use crate::store::userfile::{Shape, shape};
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Finds files that an item mentions.
pub(in crate::commands) struct Discover;

/// Arguments of `pm files discover`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Id of the item
    id: String,
    /// Link what was found
    #[arg(long)]
    apply: bool,
    /// Note for every link that is added
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Discover {
    const CONTRACT: Contract = Contract {
        path: &["files", "discover"],
        about: "Find existing files that an item mentions, and link them on request",
        effect: Effect::Hybrid(&["--apply"]),
        read_output: Some(surfaces::FILES_DISCOVER),
        errors: &[Code::ItemNotFound],
        examples: &[
            Example { about: "What could be linked", argv: &["files", "discover", "pm-a1b2"] },
            Example { about: "Link it", argv: &["files", "discover", "pm-a1b2", "--apply"] },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        let item = tracker.item(&id)?.item;
        let found = existing(tracker, &item);
        let linked = |path: &str| is_linked(&item, path);
        let addable: Vec<&String> = found.keys().filter(|path| !linked(path)).collect();
        let mut added = Vec::new();
        let mut warnings = Vec::new();
        if args.apply && !addable.is_empty() {
            let new: Vec<Value> = addable.iter().map(|path| link(path, args.note.as_deref())).collect();
            let write = write(context, "files_add", args.message.as_deref())?;
            let written = tracker.change(&id, &write, &mut |item, _| {
                let mut list = item.list("files").to_vec();
                annotations::add_paths(&mut list, new.clone());
                annotations::sort_paths(&mut list);
                let mut after = item.clone();
                annotations::store(&mut after, "files", list);
                Ok(after)
            })?;
            warnings = written.warnings;
            if !context.globals.dry_run {
                added = addable.clone();
            }
        }
        let detailed = context.want.selectors.iter().any(|selector| {
            ["source_fields", "original_paths"].iter().any(|field| selector.ends_with(field))
        });
        let mut rows: Vec<Row> =
            found.iter().map(|(path, mention)| candidate(path, mention, linked(path), detailed)).collect();
        rows.sort_by(|a, b| a["status"].as_str().cmp(&b["status"].as_str()));
        let answer = Answer::new()
            .value("id", id)
            .value("changed", !added.is_empty())
            .value("apply", args.apply)
            .value("candidate_count", rows.len())
            .value("addable_count", addable.len())
            .value("added_count", added.len())
            .value("skipped_existing_count", rows.len() - addable.len())
            .rows("candidates", Rows::ready(rows));
        Ok(warnings.into_iter().fold(answer, Answer::warn))
    }
}

/// The mentioned paths that are files of the workspace and not of the tracker itself.
fn existing(tracker: &Tracker, item: &Item) -> BTreeMap<String, Mention> {
    let mut found = mentions::paths(item);
    let root = tracker.root().strip_prefix(tracker.workspace()).ok();
    let own = root.map(|root| root.to_string_lossy().replace('\\', "/"));
    let is_own = |path: &str| own.as_deref().is_some_and(|own| path.starts_with(own));
    found.retain(|path, _| !is_own(path) && shape(tracker.workspace(), path) == Shape::File);
    found
}

fn is_linked(item: &Item, path: &str) -> bool {
    let links = item.list("files").iter().chain(item.list("docs"));
    links.filter_map(|link| link.get("path")?.as_str()).any(|known| known.trim_start_matches("./") == path)
}

fn link(path: &str, note: Option<&str>) -> Value {
    let mut link = json!({"path": path, "scope": "project"});
    if let Some(note) = note {
        link["note"] = note.into();
    }
    link
}

fn candidate(path: &str, mention: &Mention, linked: bool, detailed: bool) -> Row {
    let mut row = row([
        ("path", path.into()),
        ("scope", "project".into()),
        ("status", if linked { "already_linked" } else { "addable" }.into()),
        ("source_count", mention.fields.len().into()),
        ("source", mention.fields.first().map_or("", String::as_str).into()),
    ]);
    if detailed {
        row.insert("source_fields".to_owned(), mention.fields.clone().into());
        row.insert("original_paths".to_owned(), mention.spellings.clone().into());
    }
    row
}
