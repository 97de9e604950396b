//! `pm catalog build`.

use std::path::Path;

use serde_json::json;

use super::{as_of, folder, invalid, place};
use crate::answer::Answer;
use crate::catalog::artifacts::{self, Artifact};
use crate::catalog::cache::Cache;
use crate::catalog::compile::{Compiled, compile};
use crate::catalog::finding::Finding;
use crate::catalog::source::{At, Place, Source};
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Error, Result};
use crate::store::fault::Fault;
use crate::store::publish::{self, Publication, PublishError, Published};
use crate::store::records;
use crate::surface::{Command, Context};

/// Writes all artifacts of a catalog.
pub(in crate::commands) struct Build;

/// Arguments of `pm catalog build`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The folder to write to, instead of the setting `catalog.out`
    #[arg(long, value_name = "DIR")]
    out: Option<String>,
    /// The commit to build
    #[arg(long, value_name = "REV", default_value = "HEAD", conflicts_with = "worktree")]
    rev: String,
    /// Build the work tree; with changes that no commit has, every record is T0
    #[arg(long)]
    worktree: bool,
    /// The day on which levels are judged; SOURCE_DATE_EPOCH says the same, else it is today in UTC
    #[arg(long, value_name = "DATE")]
    clock: Option<String>,
    /// Make everything anew, whatever the cache has
    #[arg(long)]
    full: bool,
    /// Build a second time from nothing, and fail when a byte differs
    #[arg(long)]
    verify: bool,
    /// Leave out records that are wrong, and list them in the status
    #[arg(long)]
    keep_going: bool,
    /// Whom to trust, when it is not the folder `_trust` of the source
    #[arg(long, value_name = "DIR")]
    trust_root: Option<String>,
}

/// What shows in the folder of a major that a catalog was built.
const MARK: &str = "manifest.json";

impl Command for Build {
    const CONTRACT: Contract = Contract {
        path: &["catalog", "build"],
        about: "Write the catalog of a commit as static files",
        effect: Effect::Writes,
        expects: false,
        errors: &[
            Code::CatalogSourceInvalid,
            Code::CatalogSettingsInvalid,
            Code::CatalogTrustRootInvalid,
            Code::CatalogOutOccupied,
            Code::CatalogBuildDiffers,
            Code::RepositoryMissing,
            Code::RevisionNotFound,
        ],
        examples: &[
            Example {
                about: "The catalog of the last commit, into dist/catalog",
                argv: &["catalog", "build"],
            },
            Example {
                about: "The same bytes on every machine and day",
                argv: &["catalog", "build", "--rev", "HEAD", "--clock", "2026-11-27", "--verify"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let place = place(context)?;
        let day = as_of(context, args.clock.as_deref())?;
        let at = if args.worktree { At::WorkTree } else { At::Revision(&args.rev) };
        let source = Source::open(&place, at)?;
        let outside = args.trust_root.as_deref().map(|typed| folder(context, typed));
        let root = source.trust_root(outside.as_deref())?;
        let mut cache = if args.full { Cache::empty(&place) } else { Cache::open(&place) };
        let compiled = compile(&source, &root, day, &mut cache)?;
        refuse(&compiled, args.keep_going)?;
        let (files, status) = artifacts::all(&compiled, &mut cache);
        cache.save();
        if args.verify {
            let mut nothing = Cache::empty(&place);
            let again = compile(&source, &root, day, &mut nothing)?;
            differ(&files, &artifacts::all(&again, &mut nothing).0)?;
        }
        let out = args
            .out
            .as_deref()
            .map_or_else(|| place.top().join(&compiled.settings.out), |typed| folder(context, typed));
        apart(&out, &place, &compiled.settings.source)?;
        if args.out.is_none() {
            inside(&out, &place)?;
        }
        let told = match context.globals.dry_run {
            true => Published::default(),
            false => write(&files, &out, &place, Fault::at(context.env.get("PM_FAULT")))?,
        };
        let shown = args.out.unwrap_or_else(|| compiled.settings.out.clone());
        let mut answer = Answer::new().value("out", shown).value("as_of", day.to_string());
        if context.globals.dry_run {
            answer = answer.value("dry_run", true);
        }
        answer = answer
            .value("commit", status.commit)
            .value("records", json!(status.records.by_trust))
            .value("files", files.len())
            .value("written", told.written)
            .value("removed", told.removed);
        if args.verify {
            answer = answer.value("verified", true);
        }
        if !status.refused_sources.is_empty() {
            answer = answer.value("refused_sources", json!(status.refused_sources));
        }
        Ok(status.warnings.into_iter().fold(answer, Answer::warn))
    }
}

/// Refuses a source that cannot be built.
fn refuse(compiled: &Compiled, keep_going: bool) -> Result<()> {
    let stops: Vec<Finding> = match keep_going {
        true => compiled.collisions.clone(),
        false => compiled.collisions.iter().chain(&compiled.errors).cloned().collect(),
    };
    if stops.iter().any(Finding::is_error) { Err(invalid(&stops)) } else { Ok(()) }
}

/// Compares a build with one that was made from nothing.
fn differ(files: &[Artifact<'_>], again: &[Artifact<'_>]) -> Result<()> {
    let same =
        |pair: &(&Artifact<'_>, &Artifact<'_>)| pair.0.path == pair.1.path && pair.0.bytes == pair.1.bytes;
    let odd = files.iter().zip(again).find(|pair| !same(pair)).map(|(one, _)| one.path.clone());
    match odd {
        None if files.len() == again.len() => Ok(()),
        odd => {
            let path = odd.unwrap_or_else(|| "the list of files".to_owned());
            let message = format!("`{path}` differs from a build from nothing");
            Err(Error::new(Code::CatalogBuildDiffers, message).hint("pm catalog build --full"))
        }
    }
}

/// Refuses an out folder that is a part of what Git keeps, or of what is built from.
fn apart(out: &Path, place: &Place, source: &str) -> Result<()> {
    let real = publish::real_place(out);
    let source = publish::real_place(&place.top().join(source));
    let problem = match () {
        () if real.components().any(|part| part.as_os_str() == ".git") => "lies in a folder of Git",
        () if real.starts_with(&source) => "lies in the folder of the records",
        () if source.starts_with(&real) => "holds the folder of the records",
        () => return Ok(()),
    };
    let message = format!("the out folder `{}` {problem}", out.display());
    Err(Error::new(Code::CatalogOutOccupied, message).at("--out").hint("pm catalog build --out dist/catalog"))
}

/// Refuses a place that nobody typed and a link of the work tree leads to: who wrote the link would choose where the
/// builds of others write.
fn inside(out: &Path, place: &Place) -> Result<()> {
    if publish::real_place(out).starts_with(publish::real_place(place.top())) {
        return Ok(());
    }
    let message = format!("the out folder `{}` leads out of the repository through a link", out.display());
    Err(Error::new(Code::CatalogOutOccupied, message)
        .at("catalog.out")
        .hint("pm catalog build --out dist/catalog"))
}

/// Puts the files in their places: the lists of files last, so that they never name what is not there.
fn write(files: &[Artifact<'_>], out: &Path, place: &Place, fault: Fault) -> Result<Published> {
    let last = |path: &str| path.ends_with("/manifest.json");
    let (lists, others): (Vec<_>, Vec<_>) = files.iter().partition(|file| last(&file.path));
    let pairs = others.into_iter().chain(lists);
    let files = pairs.map(|file| (file.path.trim_start_matches('/'), &*file.bytes)).collect();
    let lock = records::place(place.top(), "catalog").map(|path| path.with_file_name("lock"));
    let publication = Publication { files, owns: artifacts::owns, mark: MARK, fault };
    publication.put(out, lock.as_deref()).map_err(|error| {
        let code = match &error {
            PublishError::Occupied(_) => Code::CatalogOutOccupied,
            PublishError::Io(..) => Code::WriteFailed,
        };
        let hint = "pm catalog build --out dist/catalog-new";
        Error::new(code, error.to_string()).at("--out").hint(hint).because(error)
    })
}
