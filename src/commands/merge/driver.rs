//! `pm merge driver`: what Git calls to merge one file of a tracker.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::codec::item::{self as item_file, Format, Rules};
use crate::codec::json;
use crate::contract::{Contract, Effect, Example, Tier};
use crate::domain::merge::{self, Documents, Prefer};
use crate::environment::Env;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::store::{git, history, userfile};
use crate::surface::{Command, Context};

/// Merges one file of a tracker.
pub(in crate::commands) struct Driver;

/// What kind of file is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FileKind {
    /// An item.
    Item,
    /// A history stream.
    History,
    /// A list of events.
    Relationship,
    /// Settings, a schema file.
    Json,
}

/// Arguments of `pm merge driver`, as Git passes them.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// item, history, relationship or json
    #[arg(value_name = "KIND", value_enum)]
    kind: FileKind,
    /// File with the common version (%O)
    #[arg(value_name = "BASE")]
    base: String,
    /// File with our version (%A); the result is written there
    #[arg(value_name = "OURS")]
    ours: String,
    /// File with their version (%B)
    #[arg(value_name = "THEIRS")]
    theirs: String,
    /// Path of the file in the repository (%P)
    #[arg(long, value_name = "PATH")]
    item_path: Option<String>,
    /// Write the result to this file instead
    #[arg(long, value_name = "PATH")]
    output: Option<String>,
    /// Let `ours` or `theirs` stand where both changed one value
    #[arg(long, value_name = "SIDE", value_parser = ["ours", "theirs"])]
    prefer: Option<String>,
}

/// The largest file that is merged, in bytes.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

impl Command for Driver {
    const CONTRACT: Contract = Contract {
        path: &["merge", "driver"],
        about: "Merge one file of a tracker; Git calls this",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::MergeInputInvalid, Code::MergeConflictMarkers, Code::WriteFailed],
        examples: &[Example {
            about: "What Git runs for an item",
            argv: &["merge", "driver", "item", "base.toon", "ours.toon", "theirs.toon"],
        }],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let read = |path: &str| {
            userfile::read_bytes(&context.env.cwd, path, MAX_BYTES)
                .map_err(|cause| invalid(path, "it cannot be read").because(cause))
        };
        let [base, ours, theirs] = [read(&args.base)?, read(&args.ours)?, read(&args.theirs)?];
        let sides = Sides { args: &args, env: &context.env, base: &base, ours: &ours, theirs: &theirs };
        let (text, conflicts) = match args.kind {
            FileKind::Item => sides.items()?,
            FileKind::History => (lines(&sides.streams()?), Vec::new()),
            FileKind::Relationship => (lines(&sides.relationships()?), Vec::new()),
            FileKind::Json => sides.documents()?,
        };
        let output = args.output.as_deref().unwrap_or(&args.ours);
        if !context.globals.dry_run {
            userfile::write(&context.env.cwd, output, text.as_bytes()).map_err(|cause| {
                Error::new(Code::WriteFailed, format!("`{output}` cannot be written"))
                    .at(output)
                    .because(cause)
            })?;
        }
        let path = args.item_path.as_deref().unwrap_or(output).to_owned();
        let exit = u8::from(!conflicts.is_empty());
        Ok(Answer::new().value("path", path).value("conflicts", conflicts).exit(exit))
    }
}

fn invalid(path: &str, problem: &str) -> Error {
    Error::new(Code::MergeInputInvalid, format!("`{path}` cannot be merged: {problem}")).at(path)
}

/// The three versions, and how to read them.
struct Sides<'a> {
    args: &'a Args,
    env: &'a Env,
    base: &'a [u8],
    ours: &'a [u8],
    theirs: &'a [u8],
}

impl Sides<'_> {
    fn prefer(&self) -> Prefer {
        match self.args.prefer.as_deref() {
            Some("ours") => Prefer::Ours,
            Some("theirs") => Prefer::Theirs,
            _ => Prefer::Stable,
        }
    }

    /// An empty base is that of two files that were both new.
    fn items(&self) -> Result<(String, Vec<Value>)> {
        let format = match self.args.item_path.as_deref() {
            Some(path) if path.ends_with(".md") => Format::JsonMarkdown,
            _ => Format::Toon,
        };
        let read = |path: &str, bytes: &[u8]| item(path, bytes, format);
        let base = if self.base.trim_ascii().is_empty() {
            Item::default()
        } else {
            read(&self.args.base, self.base)?
        };
        let (ours, theirs) = (read(&self.args.ours, self.ours)?, read(&self.args.theirs, self.theirs)?);
        let merged = merge::items_marked(&base, &ours, &theirs, self.prefer(), &|| self.marks());
        let text = match format {
            Format::Toon => item_file::encode(&merged.item),
            Format::JsonMarkdown => item_file::encode_markdown(&merged.item),
        };
        let text = text.map_err(|error| invalid(&self.args.ours, &error.to_string()))?;
        Ok((text, merged.conflicts.iter().map(row).collect()))
    }

    /// The texts that stand in the place of secrets, as the item's histories on both branches say. An item does not tell.
    fn marks(&self) -> Vec<String> {
        let stream = |path: &str| {
            let (folder, name) = path.rsplit_once('/')?;
            let (stem, _) = name.rsplit_once('.')?;
            let root = folder.rsplit_once('/').map_or(String::new(), |(root, _)| format!("{root}/"));
            Some(format!("{root}{}", history::path(stem)))
        };
        let Some(path) = self.args.item_path.as_deref().and_then(stream) else { return Vec::new() };
        let versions = git::versions_in_merge(&self.env.cwd, self.env.endings("GITHEAD_"), &path);
        let entries = versions.iter().filter_map(|bytes| history::parse(bytes).ok());
        merge::marks(entries.collect::<Vec<_>>().iter().flatten())
    }

    /// The tracker's own documents before the branches parted, as far as Git tells that to a driver.
    fn documents_before(&self) -> Documents {
        let documents = git::documents_before(&self.env.cwd, self.env.endings("GITHEAD_"));
        let read = |(path, bytes): (String, Vec<u8>)| Some((path, serde_json::from_slice(&bytes).ok()?));
        documents.into_iter().filter_map(read).collect()
    }

    fn entries(path: &str, bytes: &[u8]) -> Result<Vec<Value>> {
        history::parse(bytes).map_err(|error| invalid(path, &error.to_string()))
    }

    fn streams(&self) -> Result<Vec<Value>> {
        let base = Self::entries(&self.args.base, self.base)?;
        let ours = Self::entries(&self.args.ours, self.ours)?;
        let theirs = Self::entries(&self.args.theirs, self.theirs)?;
        let documents =
            if merge::conflicts::is_of_workspace(&ours) { self.documents_before() } else { Documents::new() };
        merge::streams_beside(&base, &ours, &theirs, &documents)
            .map_err(|error| invalid(&self.args.ours, &error.to_string()))
    }

    fn relationships(&self) -> Result<Vec<Value>> {
        let ours = Self::entries(&self.args.ours, self.ours)?;
        let theirs = Self::entries(&self.args.theirs, self.theirs)?;
        Ok(merge::relationships(&ours, &theirs))
    }

    fn documents(&self) -> Result<(String, Vec<Value>)> {
        let read = |path: &str, bytes: &[u8]| -> Result<Value> {
            serde_json::from_slice(bytes).map_err(|error| invalid(path, &error.to_string()))
        };
        let base =
            if self.base.trim_ascii().is_empty() { Value::Null } else { read(&self.args.base, self.base)? };
        let (ours, theirs) = (read(&self.args.ours, self.ours)?, read(&self.args.theirs, self.theirs)?);
        let (merged, conflicts) = merge::documents(&base, &ours, &theirs, self.prefer());
        Ok((format!("{}\n", json::pretty(&merged)), conflicts.iter().map(row).collect()))
    }
}

fn row(found: &merge::Conflict) -> Value {
    json!({"field": found.field, "base": found.base, "ours": found.ours, "theirs": found.theirs,
        "retained": found.retained})
}

fn item(path: &str, bytes: &[u8], format: Format) -> Result<Item> {
    // Whatever the tracker's statuses are, a merge keeps the words.
    let keep = |status: &str| Some(status.to_owned());
    let decoded = item_file::decode(bytes, format, &Rules::lenient(&keep));
    decoded.map(|decoded| decoded.item).map_err(|error| {
        let mut refusal = Error::from(error);
        if refusal.code == Code::ItemDocumentInvalid {
            refusal.code = Code::MergeInputInvalid;
        }
        refusal.at(path)
    })
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{}\n", json::compact(row))).collect()
}
