//! `pm merge driver`: what Git calls to merge one file of a tracker.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::codec::item::{self as item_file, Format, Rules};
use crate::codec::json;
use crate::contract::{Contract, Effect, Example, Tier};
use crate::domain::chain;
use crate::domain::merge::{self, Before, Documents, Prefer, TakenOut};
use crate::environment::Env;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::store::git::{self, Joined};
use crate::store::{history, userfile};
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
        let clean = conflicts.is_empty();
        let answer = Answer::new().value("path", path).value("conflicts", conflicts).exit(u8::from(!clean));
        // Git shows what a driver prints, once a file.
        Ok(if clean { answer.raw("") } else { answer })
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

    /// An empty base is that of two files that were both new, or that both branches moved: the first write of an older item
    /// gives it another form under another name, and Git has to be asked what it was.
    fn items(&self) -> Result<(String, Vec<Value>)> {
        let format = match self.args.item_path.as_deref() {
            Some(path) if path.ends_with(".md") => Format::JsonMarkdown,
            _ => Format::Toon,
        };
        let joined = self.args.item_path.as_deref().map(|path| (path, self.joined(path)));
        let base = if self.base.trim_ascii().is_empty() {
            let before = joined.as_ref().and_then(|(path, joined)| joined.item_before(path));
            before.and_then(|bytes| item("", &bytes).ok()).unwrap_or_default()
        } else {
            item(&self.args.base, self.base)?
        };
        let (ours, theirs) = (item(&self.args.ours, self.ours)?, item(&self.args.theirs, self.theirs)?);
        let taken = joined.map(|(path, joined)| taken_out(path, &joined)).unwrap_or_default();
        let merged = merge::items_beside(&base, &ours, &theirs, self.prefer(), &taken);
        let text = match format {
            Format::Toon => item_file::encode(&merged.item),
            Format::JsonMarkdown => item_file::encode_markdown(&merged.item),
        };
        let text = text.map_err(|error| invalid(&self.args.ours, &error.to_string()))?;
        Ok((text, merged.conflicts.iter().map(row).collect()))
    }

    /// The commits that are joined, asked of Git for one of their files.
    fn joined(&self, path: &str) -> Joined {
        Joined::of(&self.env.cwd, self.env.endings("GITHEAD_"), path, &self.args.theirs)
    }

    /// What the file of an item said for which both branches began a history.
    fn item_before(&self, ours: &[Value]) -> Option<Item> {
        let state = chain::item_after(ours, 1).ok()?;
        let path = Joined::path_ending(&self.env.cwd, &format!("/{}", history::path(state.id())))?;
        let folder = path.strip_suffix(&history::path(state.id()))?;
        let bytes = self.joined(&path).item_before(&format!("{folder}items/{}.md", state.id()))?;
        item("", &bytes).ok()
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
        let mut before = Before::default();
        if merge::conflicts::is_of_workspace(&ours) {
            before.documents = self.documents_before();
        } else if base.is_empty() && ours.first() != theirs.first() {
            before.item = self.item_before(&ours);
        }
        merge::streams_beside(&base, &ours, &theirs, &before)
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

/// What was taken out of an item, as its histories on both branches tell. An item does not.
fn taken_out(path: &str, joined: &Joined) -> TakenOut {
    let stream = || {
        let (folder, name) = path.rsplit_once('/')?;
        let (stem, _) = name.rsplit_once('.')?;
        let root = folder.rsplit_once('/').map_or(String::new(), |(root, _)| format!("{root}/"));
        Some(format!("{root}{}", history::path(stem)))
    };
    let Some(stream) = stream() else { return TakenOut::default() };
    let versions =
        joined.versions(&stream).map(|bytes| history::parse(&bytes.unwrap_or_default()).unwrap_or_default());
    TakenOut::of_streams([&versions[0], &versions[1], &versions[2]])
}

/// Reads an item in whichever form: one side may have it in an older one.
fn item(path: &str, bytes: &[u8]) -> Result<Item> {
    let format = Format::of_bytes(bytes);
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
