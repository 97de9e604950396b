//! `pm import beads`, `backlog`, `ticket`, `todotxt`, `github`: one way for all of them.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Error, Result};
use crate::import::{self, Format, Ground, Source};
use crate::mutation;
use crate::mutation::importing::{self, OP, Outcome};
use crate::store::userfile::{self, Shape};
use crate::surface::{Command, Context};

/// Arguments of each of them.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The tracker's file, its folder, or the folder of its project
    source: String,
    /// Message of the history entries
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

/// The largest file that is read.
const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;

macro_rules! imports {
    ($($(#[$doc:meta])* $name:ident $format:literal $about:literal $path:literal;)+) => { $(
        $(#[$doc])*
        pub(in crate::commands) struct $name;

        impl Command for $name {
            const CONTRACT: Contract = Contract {
                path: &["import", $format],
                about: $about,
                effect: Effect::Writes,
                expects: false,
                errors: &[Code::ImportSourceUnreadable, Code::ImportSourceEmpty],
                examples: &[
                    Example { about: "What would come, and what would not", argv: &["import", $format, $path, "--dry-run"] },
                ],
                ..Contract::BASE
            };
            type Args = Args;

            fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
                run(Format::$name, &args, context)
            }
        }
    )+ };
}

imports! {
    /// Imports from Beads.
    Beads "beads" "Take over the issues of Beads, with what they have and what they lose" ".";
    /// Imports from Backlog.md.
    Backlog "backlog" "Take over the tasks of Backlog.md, with what they have and what they lose" ".";
    /// Imports from `tk`.
    Ticket "ticket" "Take over the tickets of tk, with what they have and what they lose" ".";
    /// Imports from todo.txt.
    TodoTxt "todotxt" "Take over the lines of todo.txt, with what they have and what they lose" "todo.txt";
    /// Imports from GitHub.
    Github "github" "Take over issues and pull requests of GitHub from JSON, with what they have and what they lose" "issues.json";
}

fn run<'a>(format: Format, args: &Args, context: &'a Context) -> Result<Answer<'a>> {
    let tracker = context.tracker()?;
    let mut unreadable = Vec::new();
    let sources = sources(format, args, context, &mut unreadable)?;
    let mut reading = format.read(&sources);
    reading.skipped.extend(unreadable);
    reading.passed_over.extend(beside(format, args, context, &sources));
    let prefix = tracker.settings().id_prefix();
    let passed_over = std::mem::take(&mut reading.passed_over);
    let read = reading.records.len() + reading.skipped.len();
    let ground = Ground {
        format,
        prefix: &prefix,
        kinds: &tracker.schema().kinds,
        statuses: &tracker.schema().statuses,
        records: tracker.records()?,
    };
    let mapping = import::items(reading, &ground);
    let mut outcome =
        Outcome { read, passed_over, skipped: mapping.skipped, losses: mapping.losses, ..Outcome::default() };
    let message = args.message.clone().unwrap_or_else(|| format!("import {}", format.name()));
    let write = mutation::write(context, OP, Some(&message))?;
    write.without_expectation("an import is about many items")?;
    importing::land(context, &mapping.items, &write, &mut outcome)?;
    Ok(outcome.answer(context))
}

/// The files that lie in the folder of what was read, and that were not.
fn beside(format: Format, args: &Args, context: &Context, sources: &[Source]) -> Vec<import::Skip> {
    let (Some(pattern), Some(first)) = (format.beside(), sources.first()) else { return Vec::new() };
    let cwd = &context.env.cwd;
    if matches!(userfile::shape(cwd, &args.source), Shape::File) {
        return Vec::new();
    }
    let folder = first.path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let found = userfile::matching(&cwd.join(&args.source), &format!("{folder}{pattern}"));
    let unread = found.into_iter().filter(|path| sources.iter().all(|source| source.path != *path));
    let reason = |path: &str| format!("`{path}` was not read: {} keeps its records elsewhere", format.name());
    unread.map(|origin| import::Skip { reason: reason(&origin), origin, declared: true }).collect()
}

/// The files of the source. One that is no text is named as skipped.
fn sources(
    format: Format,
    args: &Args,
    context: &Context,
    unreadable: &mut Vec<import::Skip>,
) -> Result<Vec<Source>> {
    let cwd = &context.env.cwd;
    let missing =
        |code, problem: String| Error::new(code, problem).at("<source>").rejecting(args.source.as_str());
    let folder = cwd.join(&args.source);
    let files: Vec<(String, String)> = match userfile::shape(cwd, &args.source) {
        Shape::File => {
            vec![(args.source.clone(), args.source.rsplit('/').next().unwrap_or_default().to_owned())]
        }
        Shape::Folder => {
            let found = format.places().iter().map(|patterns| {
                let mut found: Vec<String> = Vec::new();
                for pattern in *patterns {
                    for path in userfile::matching(&folder, pattern) {
                        if !found.contains(&path) {
                            found.push(path);
                        }
                    }
                }
                found
            });
            let found = found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
            found
                .into_iter()
                .map(|path| (format!("{}/{path}", args.source.trim_end_matches('/')), path))
                .collect()
        }
        Shape::Missing | Shape::Other => {
            let problem = format!("`{}` is no file and no folder", args.source);
            return Err(missing(Code::ImportSourceUnreadable, problem));
        }
    };
    if files.len() >= userfile::MAX_MATCHES {
        let problem =
            format!("`{}` holds {} files or more: name a part of it", args.source, userfile::MAX_MATCHES);
        return Err(missing(Code::ImportSourceUnreadable, problem));
    }
    if files.is_empty() {
        let looked: Vec<&str> =
            format.places().iter().flat_map(|patterns| patterns.iter().copied()).collect();
        let problem = format!("`{}` holds nothing that {} would have written", args.source, format.name());
        return Err(missing(Code::ImportSourceEmpty, problem).fact("looked_for", looked));
    }
    let mut sources = Vec::with_capacity(files.len());
    for (place, path) in files {
        let bytes = userfile::read_bytes(cwd, &place, MAX_FILE_BYTES).map_err(|cause| {
            missing(Code::ImportSourceUnreadable, format!("`{place}` cannot be read: {cause}")).because(cause)
        })?;
        match String::from_utf8(bytes) {
            Ok(text) => sources.push(Source { path, text }),
            Err(_) => unreadable.push(import::Skip {
                origin: path,
                reason: "it is no UTF-8 text".to_owned(),
                declared: false,
            }),
        }
    }
    Ok(sources)
}
