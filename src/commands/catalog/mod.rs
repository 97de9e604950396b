//! `pm catalog`: a thin skin over [`crate::catalog`].

pub(super) mod attest;
pub(super) mod build;
pub(super) mod check;
pub(super) mod get;
pub(super) mod list;
pub(super) mod new;
pub(super) mod run;
pub(super) mod search;
pub(super) mod serve;
pub(super) mod status;
pub(super) mod verify;
mod walked;

use std::path::Path;

use jiff::civil::Date;

use crate::catalog::cache::Cache;
use crate::catalog::compile::{Compiled, Item, compile};
use crate::catalog::finding::Finding;
use crate::catalog::source::{At, Place, Source};
use crate::catalog::statement;
use crate::error::{Code, Error, Result};
use crate::model::timestamp;
use crate::nearest;
use crate::surface::Context;

/// Which catalog is read, and on which day.
#[derive(Clone, Debug, Default, clap::Args)]
pub(in crate::commands) struct Reading {
    /// The catalog of this commit
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    rev: String,
    /// The day on which levels are judged; SOURCE_DATE_EPOCH says the same, else it is today in UTC
    #[arg(long, value_name = "DATE")]
    clock: Option<String>,
    /// Whom to trust, when it is not the folder `_trust` of the source
    #[arg(long, value_name = "DIR")]
    trust_root: Option<String>,
}

impl Reading {
    /// The catalog of the last commit, today.
    pub(in crate::commands) fn head() -> Reading {
        Reading { rev: "HEAD".to_owned(), clock: None, trust_root: None }
    }
}

/// The repository that a call is about.
///
/// Errors: `repository_missing`.
pub(in crate::commands) fn place(context: &Context) -> Result<Place> {
    let tracker = context.tracker().ok().map(|tracker| tracker.root().to_owned());
    Place::around(&context.env.cwd, tracker.as_deref())
}

/// The day of a call: its `--clock`, SOURCE_DATE_EPOCH, or today in UTC.
///
/// Errors: `invalid_argument_value`.
pub(in crate::commands) fn as_of(context: &Context, clock: Option<&str>) -> Result<Date> {
    let refused = |flag: &str, typed: &str, wanted: &str| {
        let message = format!("`{flag}` is `{typed}`, and it takes {wanted}");
        Error::new(Code::InvalidArgumentValue, message)
            .at(flag)
            .rejecting(typed)
            .hint("pm catalog list --clock 2026-11-27")
    };
    if let Some(typed) = clock {
        let day = if typed.len() == 10 {
            typed.parse().ok()
        } else {
            timestamp::parse(typed).and_then(statement::day)
        };
        return day.ok_or_else(|| refused("--clock", typed, "a day such as 2026-11-27"));
    }
    if let Some(typed) = context.env.get("SOURCE_DATE_EPOCH") {
        let instant = typed.parse::<i64>().ok().and_then(|seconds| seconds.checked_mul(1_000));
        return instant
            .and_then(statement::day)
            .ok_or_else(|| refused("SOURCE_DATE_EPOCH", typed, "a count of seconds"));
    }
    statement::day(context.clock.now())
        .ok_or_else(|| Error::new(Code::Internal, "the clock is beyond the calendar"))
}

/// The compiled catalog that a reading call is about, and its cache. What is wrong with single records is a part of
/// it: the rest can be read.
///
/// Errors: those of the source, `catalog_source_invalid` for records that claim one id.
pub(in crate::commands) fn compiled(context: &Context, reading: &Reading) -> Result<(Compiled, Cache)> {
    let place = place(context)?;
    let day = as_of(context, reading.clock.as_deref())?;
    let source = Source::open(&place, At::Revision(&reading.rev))?;
    let outside = reading.trust_root.as_ref().map(|folder| context.env.cwd.join(folder));
    let root = source.trust_root(outside.as_deref())?;
    let mut cache = Cache::open(&place);
    let compiled = compile(&source, &root, day, &mut cache)?;
    if !compiled.collisions.is_empty() {
        return Err(invalid(&compiled.collisions));
    }
    Ok((compiled, cache))
}

/// The record that a call names.
///
/// Errors: `catalog_record_not_found` with the nearest slugs.
pub(in crate::commands) fn record<'c>(compiled: &'c Compiled, name: &str) -> Result<&'c Item> {
    if let Some(item) = compiled.find(name) {
        return Ok(item);
    }
    let path = compiled.errors.iter().find(|finding| finding.path.contains(&format!("/{name}/")));
    let message = match path {
        Some(finding) => format!("the record `{name}` cannot be served: {finding}"),
        None => format!("the catalog has no record `{name}`"),
    };
    let slugs: Vec<&str> = compiled.items.iter().map(|item| item.facts.slug.as_str()).collect();
    let near: Vec<&str> = nearest::words(name, &slugs).into_iter().take(3).collect();
    let hint = near.first().map_or("pm catalog list".to_owned(), |slug| format!("pm catalog get {slug}"));
    Err(Error::new(Code::CatalogRecordNotFound, message).rejecting(name).fact("nearest", near).hint(hint))
}

/// What is wrong with records, as the error of a call that needs all of them.
pub(super) fn invalid(findings: &[Finding]) -> Error {
    const SHOWN: usize = 3;
    let errors: Vec<String> =
        findings.iter().filter(|finding| finding.is_error()).map(ToString::to_string).collect();
    let more = errors.len().saturating_sub(SHOWN);
    let mut message = errors.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("; ");
    if more > 0 {
        message.push_str(&format!("; and {more} more"));
    }
    Error::new(Code::CatalogSourceInvalid, message)
        .fact("problems", errors.len())
        .hint("pm catalog check")
        .hint("pm catalog build --keep-going")
}

/// What is left out and why, in a few sentences however much is wrong: one for each file, with its first fault.
fn left_out(findings: &[Finding]) -> Vec<String> {
    const SHOWN: usize = 10;
    let mut files: Vec<(&Finding, usize)> = Vec::new();
    for finding in findings {
        match files.iter_mut().find(|(first, _)| first.path == finding.path) {
            Some((_, more)) => *more += 1,
            None => files.push((finding, 0)),
        }
    }
    let told = |(first, more): &(&Finding, usize)| match more {
        0 => format!("left out: {first}"),
        more => format!("left out: {first}, and {more} more"),
    };
    let mut all: Vec<String> = files.iter().take(SHOWN).map(told).collect();
    if files.len() > SHOWN {
        all.push(format!("{} more files are left out: `pm catalog check` names them", files.len() - SHOWN));
    }
    all
}

/// A folder that a call names, from where it was made.
pub(super) fn folder(context: &Context, typed: &str) -> std::path::PathBuf {
    context.env.cwd.join(Path::new(typed))
}
