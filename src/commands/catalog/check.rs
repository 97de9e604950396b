//! `pm catalog check`.

use super::{as_of, place};
use crate::answer::{Answer, Rows};
use crate::catalog::artifacts;
use crate::catalog::cache::Cache;
use crate::catalog::compile::compile;
use crate::catalog::finding::Finding;
use crate::catalog::source::{At, Place, Source};
use crate::contract::{Contract, Example, surfaces};
use crate::error::{Code, Error, Result};
use crate::surface::{Command, Context};

/// Says what is wrong with records.
pub(in crate::commands) struct Check;

/// Arguments of `pm catalog check`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Only these records
    #[arg(value_name = "SLUG", num_args = 0..)]
    slugs: Vec<String>,
    /// Fail on warnings too, and when the search index is over its budget
    #[arg(long)]
    strict: bool,
    /// Check what this commit holds, instead of the work tree
    #[arg(long, value_name = "REV")]
    rev: Option<String>,
}

impl Command for Check {
    const CONTRACT: Contract = Contract {
        path: &["catalog", "check"],
        about: "Check records of the work tree: schema, references, capabilities, evidence",
        read_output: Some(surfaces::CATALOG_CHECK),
        errors: &[
            Code::CatalogRecordNotFound,
            Code::CatalogSettingsInvalid,
            Code::CatalogTrustRootInvalid,
            Code::RepositoryMissing,
        ],
        examples: &[
            Example {
                about: "One record, before it is committed",
                argv: &["catalog", "check", "rotate-api-token"],
            },
            Example { about: "Everything, for CI", argv: &["catalog", "check", "--strict"] },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let place = place(context)?;
        let day = as_of(context, None)?;
        let mut source = match &args.rev {
            Some(rev) => Source::open(&place, At::Revision(rev))?,
            // All of them: what two records claim is seen beside the other one only.
            None => Source::draft(&place, &[])?,
        };
        // Judged as if it were committed: that is what it is checked for.
        source.dirty = false;
        for slug in &args.slugs {
            known(&source, &place, slug)?;
        }
        let root = source.trust_root(None)?;
        let mut cache = Cache::open(&place);
        let compiled = compile(&source, &root, day, &mut cache)?;
        let wanted =
            |path: &str| args.slugs.iter().any(|slug| path.starts_with(&format!("{}/", source.path(slug))));
        let folders = source.folders();
        let checked = folders
            .iter()
            .filter(|folder| args.slugs.is_empty() || args.slugs.iter().any(|slug| slug == folder.name))
            .count();
        let mut findings: Vec<Finding> =
            compiled.errors.iter().chain(&compiled.collisions).cloned().collect();
        findings.extend(compiled.items.iter().flat_map(|item| item.facts.notes.clone()));
        findings.extend(source.unread());
        let general = |message: &String| Finding::warning(&compiled.settings.source, "catalog", message);
        findings.extend(compiled.warnings.iter().map(general));
        let size = artifacts::search_index(&compiled, false).1;
        if args.slugs.is_empty() && !size.within_budget {
            let message = format!(
                "the search index has {} bytes, more than `catalog.search_budget_bytes`, {}",
                size.entries_bytes, size.budget_bytes
            );
            findings.push(Finding::warning(&compiled.settings.source, "budget", message));
        }
        let general = |finding: &Finding| finding.path == compiled.settings.source && finding.is_error();
        // What two records claim is said of one of them, and is the other one's fault as well.
        let claimed = |finding: &Finding| {
            finding.code == "collision"
                && args.slugs.iter().any(|slug| finding.message.contains(&format!("`{slug}`")))
        };
        findings.retain(|finding| {
            let own = wanted(&format!("{}/", finding.path)) || claimed(finding);
            args.slugs.is_empty() || general(finding) || own
        });
        findings.sort_by(|a, b| (a.severity, &a.path).cmp(&(b.severity, &b.path)));
        let fails = findings.iter().any(|finding| args.strict || finding.is_error());
        let rows = Rows::ready(findings.iter().map(Finding::row).collect());
        let rows = rows.columns(["path", "code", "severity", "message"]);
        Ok(Answer::new().rows("findings", rows).value("records", checked).exit(u8::from(fails)))
    }
}

/// Refuses a name that no folder has.
fn known(source: &Source, place: &Place, slug: &str) -> Result<()> {
    let own = source.path(slug);
    let is_stray = |finding: &Finding| own.starts_with(&finding.path);
    if source.folders().iter().any(|folder| folder.name == slug) || source.strays().iter().any(is_stray) {
        return Ok(());
    }
    let all = Source::draft(place, &[])?;
    let names: Vec<&str> = all.folders().iter().map(|folder| folder.name).collect();
    let near: Vec<&str> = crate::nearest::words(slug, &names).into_iter().take(3).collect();
    let hint = near.first().map_or("pm catalog check".to_owned(), |slug| format!("pm catalog check {slug}"));
    Err(Error::new(Code::CatalogRecordNotFound, format!("there is no folder `{}`", source.path(slug)))
        .at("SLUG")
        .rejecting(slug)
        .fact("nearest", near)
        .hint(hint))
}
