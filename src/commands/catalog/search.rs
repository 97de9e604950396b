//! `pm catalog search`.

use serde_json::json;

use super::{Reading, as_of, compiled, folder};
use crate::answer::{Answer, Row, Rows};
use crate::catalog::folder::Folder;
use crate::catalog::search::{self, Given, Query, cursor_after, cursor_refused, parameter_refused};
use crate::catalog::served::SearchEntry;
use crate::contract::{Contract, Example, Refusals, surfaces};
use crate::error::{Code, Error, Result};
use crate::store::userfile;
use crate::surface::{Command, Context};

/// Finds procedures.
pub(in crate::commands) struct Search;

/// Arguments of `pm catalog search`. Those of the search itself are taken as they come: the search refuses what it cannot
/// answer in its own words.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// What is seen: the best match comes first
    #[arg(long, value_name = "TEXT")]
    symptom: Vec<String>,
    /// Procedures about one of these
    #[arg(long, value_name = "CSV")]
    target: Vec<String>,
    /// At most this risk: read_only, reversible, destructive, irreversible
    #[arg(long, value_name = "RISK")]
    risk_max: Vec<String>,
    /// Who does the steps: manual, assisted, automated
    #[arg(long, value_name = "WORD")]
    execution: Vec<String>,
    /// At least this level on the day, T2 when nobody says: T0 to T4. Below T2 nobody vouches for what is found
    #[arg(long, value_name = "LEVEL")]
    trust_min: Vec<String>,
    /// p0, to read, or p1, to walk
    #[arg(long, value_name = "PROFILE")]
    profile: Vec<String>,
    /// Procedures that run to their end with these capabilities, or with those of @FILE; empty for none
    #[arg(long, value_name = "CSV|@FILE")]
    available: Vec<String>,
    /// The most hits: 1 to 100, 25 when nobody says
    #[arg(long, value_name = "COUNT")]
    limit: Vec<String>,
    /// Goes on where the page before ended
    #[arg(long, value_name = "CURSOR")]
    cursor: Vec<String>,
    /// Search a catalog that was built, instead of the repository's own
    #[arg(long, value_name = "DIR")]
    from: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

impl Command for Search {
    const CONTRACT: Contract = Contract {
        path: &["catalog", "search"],
        about: "Find procedures by symptom, by target, or by what can be run to its end",
        read_output: Some(surfaces::CATALOG_SEARCH),
        errors: &[
            Code::ParameterRefused,
            Code::CursorRefused,
            Code::CatalogFolderInvalid,
            Code::CatalogSourceInvalid,
            Code::CatalogSettingsInvalid,
            Code::RevisionNotFound,
            Code::RepositoryMissing,
        ],
        examples: &[
            Example {
                about: "What do I do about this?",
                argv: &["catalog", "search", "--symptom", "replica lag"],
            },
            Example {
                about: "What can I run with these, without stopping halfway?",
                argv: &["catalog", "search", "--available", "mcp:pg.query,shell:kubectl"],
            },
            Example {
                about: "Only what changes nothing",
                argv: &["catalog", "search", "--target", "postgres", "--risk-max", "read_only"],
            },
        ],
        refusals: Refusals::Catalog,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let query = Query::read(&given(&args, context)?)?;
        let as_of = as_of(context, args.reading.clock.as_deref())?;
        let entries = entries(&args, context, query.reads_untrusted())?;
        let found = search::search(&entries, &query, as_of)?;
        let only: Vec<String> = context.want.selectors.iter().map(|selector| last(selector)).collect();
        // One more than the page shows that there is more.
        let page = &found.hits[..found.hits.len().min(query.limit + 1)];
        let rows: Vec<Row> = page.iter().map(|hit| hit.shown(&only)).collect();
        let cursors: Vec<String> = page.iter().map(|hit| cursor_after(hit, &query)).collect();
        let rows = Rows::ready(rows)
            .limited(Some(query.limit))
            .continued_to_the_end_by(move |n| cursors.get(n).cloned().unwrap_or_default());
        Ok(Answer::new()
            .rows("hits", rows)
            .value("total", json!(found.total))
            .value("applied", query.applied(as_of)))
    }
}

/// The field that a selector names: `title` of `hits.title`.
fn last(selector: &str) -> String {
    selector.rsplit('.').next().unwrap_or(selector).to_owned()
}

/// The parameters of the call by their names on the wire; the canonical controls stand for their own spellings.
fn given(args: &Args, context: &Context) -> Result<Given> {
    let want = &context.want;
    if want.unbounded {
        let range = json!({"minimum": 1, "maximum": 100});
        let why = "'unbounded' is no whole number from 1 to 100";
        return Err(parameter_refused("limit", &json!("unbounded"), &range, why));
    }
    let limit = want.limit.map(|limit| vec![limit.to_string()]);
    if let (Some(canonical), Some(own)) = (want.limit, args.limit.first()) {
        let why = format!("is given more than once: as --limit {own} and as --output-limit {canonical}");
        return Err(parameter_refused("limit", &json!(own), &json!(null), &why));
    }
    if let Some(after) = want.after.as_ref().filter(|_| !args.cursor.is_empty()) {
        return Err(cursor_refused(after, "is given more than once"));
    }
    let cursor = want.after.clone().map(|cursor| vec![cursor]);
    let available =
        args.available.iter().map(|value| listed(value, context)).collect::<Result<Vec<String>>>()?;
    let all = [
        ("symptom", &args.symptom),
        ("target", &args.target),
        ("risk_max", &args.risk_max),
        ("execution", &args.execution),
        ("trust_min", &args.trust_min),
        ("profile", &args.profile),
        ("available", &available),
        ("limit", limit.as_ref().unwrap_or(&args.limit)),
        ("cursor", cursor.as_ref().unwrap_or(&args.cursor)),
    ];
    let pairs = all
        .into_iter()
        .flat_map(|(name, values)| values.iter().map(move |value| (name.to_owned(), value.clone())));
    Ok(pairs.collect())
}

/// A list as it stands, or that of a file: `@capabilities.txt`.
fn listed(value: &str, context: &Context) -> Result<String> {
    let Some(path) = value.strip_prefix('@') else { return Ok(value.to_owned()) };
    userfile::read_text(&context.env.cwd, path).map_err(|error| {
        parameter_refused("available", &json!(value), &json!(null), &format!("cannot be read: {error}"))
    })
}

/// The entries that may be searched: those below T2 only when the call asks for a lower floor.
fn entries(args: &Args, context: &Context, untrusted: bool) -> Result<Vec<SearchEntry>> {
    if let Some(typed) = &args.from {
        let folder = Folder::open(&folder(context, typed))?;
        let mut entries = search::index(&folder, "/v1/search-index.json")?;
        if untrusted {
            entries.extend(search::index(&folder, "/v1/search-index.untrusted.json")?);
        }
        return Ok(entries);
    }
    let (compiled, _) = compiled(context, &args.reading)?;
    let listed = compiled.listed(false).chain(compiled.listed(true).filter(|_| untrusted));
    let entry = |text: &str| {
        serde_json::from_str(text).map_err(|cause| {
            Error::new(Code::Internal, "an entry of the search index cannot be read back").because(cause)
        })
    };
    listed.map(|item| entry(item.rendered.search_entry())).collect()
}
