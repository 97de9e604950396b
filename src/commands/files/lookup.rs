//! `pm files lookup`: the items that are linked to files, and on request why.

mod evidence;

use std::cmp::Reverse;

use serde_json::{Value, json};

use crate::answer::{Answer, Completeness, Row, Rows, row};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::checks::normalise;
use crate::domain::filter::values;
use crate::domain::survey::ItemFacts;
use crate::domain::values::refusal;
use crate::error::{Code, Error, Result};
use crate::model::records::Record;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

use evidence::{Evidence, Wish};

/// Finds the items of files.
pub(in crate::commands) struct Lookup;

const PAGE: usize = 50;
const SCOPES: &[&str] = &["project", "global"];

/// How many steps away from an item a decision may be that governs it.
const DEPTH: u64 = 8;
const MAX_DEPTH: u64 = 32;

/// Arguments of `pm files lookup`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Paths of files; one that ends in `/` stands for everything below it
    #[arg(value_name = "PATHS", required = true)]
    paths: Vec<String>,
    /// Look at links of this scope only: `project` or `global`
    #[arg(long, value_name = "SCOPE")]
    scope: Option<String>,
    /// Show at most so many items
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    limit: Option<String>,
    /// Pass over so many items
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// Show all items
    #[arg(long)]
    no_truncate: bool,
    /// Fail when some item file cannot be read
    #[arg(long)]
    strict_read: bool,
    /// Say why: commits that name the item, decisions that govern it, what it says itself; the likeliest item first
    #[arg(long)]
    explain: bool,
    /// Ask about these lines of one file: 10:24. Implies --explain
    #[arg(long, value_name = "FIRST:LAST")]
    lines: Option<String>,
    /// How many links away from an item a decision may be. Implies --explain
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_DEPTH))]
    decision_depth: Option<u64>,
}

impl Command for Lookup {
    const CONTRACT: Contract = Contract {
        path: &["files", "lookup"],
        about: "Find the items that are linked to files",
        read_output: Some(surfaces::FILES_LOOKUP),
        errors: &[Code::InvalidArgumentValue, Code::ListSourceIncomplete, Code::ConflictingArguments],
        examples: &[
            Example { about: "Who is concerned with a file", argv: &["files", "lookup", "src/main.rs"] },
            Example { about: "With a folder", argv: &["files", "lookup", "src/store/"] },
            Example {
                about: "Why some lines are as they are",
                argv: &["files", "lookup", "src/main.rs", "--lines", "10:24"],
            },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let wanted = Wanted::of(&args)?;
        let limit = limit(&args)?;
        let wish = wish(&args, &wanted)?;
        let tracker = context.tracker()?;
        let records = tracker.records()?;
        if args.strict_read
            && let Some(file) = records.unreadable().first()
        {
            let message = format!("`{}` cannot be read: {}", file.path, file.problem);
            return Err(Error::new(Code::ListSourceIncomplete, message)
                .at("--strict-read")
                .hint("pm validate --check-storage-integrity"));
        }
        let facts = tracker.item_facts()?;
        let mut found: Vec<Record<'a>> = records
            .iter()
            .filter(|record| facts.get(record.number()).is_some_and(|facts| wanted.any(facts)))
            .collect();
        found.sort_by_key(|record| (record.priority(), Reverse(record.updated_at()), record.number()));
        let paths = wanted.paths.clone();
        let mut answer = Answer::new();
        let evidence = match wish {
            Some(wish) => {
                let evidence = Evidence::gather(tracker, &paths, &wish)?;
                found.sort_by_key(|record| evidence.weight(record.id()));
                answer = evidence.warning.clone().into_iter().fold(answer, Answer::warn);
                Some(evidence)
            }
            None => None,
        };
        let told = evidence
            .as_ref()
            .map(|evidence| Ok::<_, Error>((evidence.summary(&found), evidence.unlinked(tracker, &found)?)));
        let columns: &[&str] =
            if told.is_some() { &["item", "files", "evidence"] } else { &["item", "files"] };
        let total = found.len();
        let rows = Rows::lazy(total, move |n| matching(found[n], &wanted, evidence.as_ref(), tracker))
            .columns(columns.iter().copied())
            .from_offset(args.offset)
            .limited(limit);
        answer = answer.rows("matches", rows);
        if let Some((summary, unlinked)) = told.transpose()? {
            answer = answer.value("explained", summary);
            if !unlinked.is_empty() {
                let columns = ["id", "title", "status", "commit_count"];
                answer = answer.rows("unlinked", Rows::ready(unlinked).columns(columns).limited(Some(PAGE)));
            }
        }
        answer = answer.completeness(Completeness::of(records.unserved())).echo("paths", paths);
        Ok(tracker.warnings().iter().fold(answer, |answer, warning| answer.warn(warning.clone())))
    }
}

/// What an explanation is to tell, when one is wanted.
fn wish(args: &Args, wanted: &Wanted) -> Result<Option<Wish>> {
    let lines = args.lines.as_deref().map(|text| evidence::lines(text, &wanted.paths)).transpose()?;
    let depth = args.decision_depth.unwrap_or(DEPTH).min(MAX_DEPTH) as usize;
    let explains = args.explain || lines.is_some() || args.decision_depth.is_some();
    Ok(explains.then_some(Wish { lines, depth }))
}

fn limit(args: &Args) -> Result<Option<usize>> {
    if args.no_truncate {
        return Ok(None);
    }
    match args.limit.as_deref().map(str::trim) {
        None => Ok(Some(PAGE)),
        Some(text) => match text.parse() {
            Ok(count) => Ok(Some(count)),
            Err(_) => Err(refusal("--limit", text, "it takes a whole number", &[])),
        },
    }
}

/// The links that are asked for.
struct Wanted {
    paths: Vec<String>,
    scope: Option<&'static str>,
}

impl Wanted {
    fn of(args: &Args) -> Result<Wanted> {
        let scope = match args.scope.as_deref().map(str::trim) {
            None => None,
            Some(text) => Some(
                *SCOPES
                    .iter()
                    .find(|scope| **scope == text)
                    .ok_or_else(|| values::illegal("--scope", text, SCOPES))?,
            ),
        };
        let spelled = |path: &String| {
            let folder = path.trim_end().ends_with(['/', '\\']);
            format!("{}{}", normalise(path), if folder { "/" } else { "" })
        };
        let mut paths: Vec<String> = args.paths.iter().map(spelled).collect();
        if let Some(blank) = paths.iter().position(|path| path.trim_matches('/').is_empty()) {
            return Err(refusal("<paths>", &args.paths[blank], "it names no file", &[]));
        }
        paths.sort_unstable();
        paths.dedup();
        Ok(Wanted { paths, scope })
    }

    fn path(&self, path: &str) -> bool {
        let path = normalise(path);
        self.paths.iter().any(|wanted| match wanted.ends_with('/') {
            true => path.starts_with(wanted.as_str()),
            false => path == *wanted,
        })
    }

    fn any(&self, facts: &ItemFacts) -> bool {
        let project = self.scope != Some("global") && facts.files.iter().any(|path| self.path(path));
        project || (self.scope != Some("project") && facts.global_files.iter().any(|path| self.path(path)))
    }

    fn link(&self, link: &Value) -> bool {
        let text = |key: &str| link.get(key).and_then(Value::as_str).unwrap_or_default();
        let scope = if text("scope") == "global" { "global" } else { "project" };
        self.scope.is_none_or(|wanted| wanted == scope) && self.path(text("path"))
    }
}

/// A row: who it is, which of its links were asked for, and what speaks for it.
fn matching(
    record: Record<'_>,
    wanted: &Wanted,
    evidence: Option<&Evidence<'_>>,
    tracker: &Tracker,
) -> Result<Row> {
    let item = tracker.read_item(record.path().to_owned())?.item;
    let links: Vec<Value> = item.list("files").iter().filter(|link| wanted.link(link)).cloned().collect();
    let who = json!({"id": record.id(), "title": record.title(), "type": record.kind(), "status": record.status(),
        "priority": record.priority(), "updated_at": record.updated_at()});
    let mut told = row([("item", who), ("files", links.into())]);
    if let Some(evidence) = evidence {
        told.insert("evidence".to_owned(), evidence.row(record, &item));
    }
    Ok(told)
}
