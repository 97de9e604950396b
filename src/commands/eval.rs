//! `pm eval`: how good the search is, judged by the tracker's own questions.

use serde_json::{Value, json};

use super::search;
use crate::answer::{Answer, Row, Rows, row};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::evaluation::{Judged, Marks};
use crate::domain::filter::values;
use crate::domain::values::refusal;
use crate::error::{Code, Error, Result};
use crate::store::userfile;
use crate::surface::{Command, Context};

/// Judges the search.
pub(super) struct Eval;

/// Where a tracker keeps its questions.
const QUERIES: &str = "search/eval-queries.json";
/// Ranks that are looked at when nobody says how many.
const CUTOFF: usize = 10;
const MODES: &[&str] = &["keyword", "semantic", "hybrid"];

/// Arguments of `pm eval`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// How questions are answered that do not say it: `keyword`; `semantic` and `hybrid` need a provider
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// Look at so many ranks
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    k: Option<String>,
    /// Exit 1 when the mean nDCG is below this, 0 to 1
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    fail_under: Option<String>,
    /// Take the questions from this file, not from the tracker
    #[arg(long, value_name = "FILE")]
    queries: Option<String>,
}

impl Command for Eval {
    const CONTRACT: Contract = Contract {
        path: &["eval"],
        about: "Judge the search by questions whose answers are known",
        read_output: Some(surfaces::EVAL),
        errors: &[Code::InvalidArgumentValue, Code::EvalQueriesMissing, Code::EvalQueriesInvalid],
        examples: &[
            Example { about: "The tracker's own questions", argv: &["eval"] },
            Example { about: "A gate for CI", argv: &["eval", "--fail-under", "0.8"] },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let k = cutoff(args.k.as_deref())?;
        let least = least(args.fail_under.as_deref())?;
        let judged = questions(&args, context)?;
        let mut fallback = None;
        let (mut rows, mut marks) = (Vec::new(), Vec::new());
        for (n, question) in judged.iter().enumerate() {
            context.step(n, judged.len(), &question.query)?;
            let asked = question.mode.as_deref().or(args.mode.as_deref()).unwrap_or("keyword");
            let known = MODES.iter().find(|mode| **mode == asked.trim());
            let mode = *known.ok_or_else(|| values::illegal("--mode", asked, MODES))?;
            fallback = fallback.or((mode != "keyword").then_some(mode));
            let ranked = search::ranked(&question.query, context)?;
            let found = question.marks(&ranked, k);
            rows.push(line(question, &ranked, k, found));
            marks.push(found);
        }
        let mean = Marks::mean(&marks);
        let passed = least.is_none_or(|least| mean.ndcg >= least);
        let columns = ["query", "relevant", "retrieved", "missed", "ndcg", "mrr", "precision", "recall"];
        let mut answer = Answer::new()
            .value("k", k)
            .value("aggregate", Value::Object(scores(mean)))
            .rows("queries", Rows::ready(rows).columns(columns));
        if let Some(least) = least {
            answer = answer.value("fail_under", least).value("passed", passed);
        }
        answer = answer.echo("mode", args.mode.as_deref().unwrap_or("keyword"));
        if let Some(mode) = fallback {
            answer = answer.warn(format!("search_{mode}_fallback:no_embedding_provider:using_keyword_mode"));
        }
        let warnings = context.tracker()?.warnings().iter();
        Ok(warnings.fold(answer, |answer, warning| answer.warn(warning.clone())).exit(u8::from(!passed)))
    }
}

fn cutoff(text: Option<&str>) -> Result<usize> {
    let Some(text) = text.map(str::trim) else { return Ok(CUTOFF) };
    match text.parse::<usize>() {
        Ok(k @ 1..) => Ok(k),
        _ => Err(refusal("--k", text, "it takes a whole number from 1 on", &[])),
    }
}

fn least(text: Option<&str>) -> Result<Option<f64>> {
    let Some(text) = text.map(str::trim) else { return Ok(None) };
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(Some(share)),
        _ => Err(values::illegal("--fail-under", text, &["0.5", "0.8", "0.9", "1"])),
    }
}

fn questions(args: &Args, context: &Context) -> Result<Vec<Judged>> {
    let tracker = context.tracker()?;
    let (folder, path) = match args.queries.as_deref() {
        Some(path) => (context.env.cwd.as_path(), path),
        None => (tracker.root(), QUERIES),
    };
    let text = userfile::read_text(folder, path).map_err(|cause| {
        let missing = cause.kind() == std::io::ErrorKind::NotFound;
        let code = if missing { Code::EvalQueriesMissing } else { Code::EvalQueriesInvalid };
        let problem = if missing { "is not there" } else { "cannot be read as text" };
        Error::new(code, format!("the file of questions `{path}` {problem}"))
            .at("--queries")
            .rejecting(path)
            .fact("example", json!([{"query": "lock contention", "relevant_ids": ["pm-a1b2"]}]))
            .hint("pm eval --queries my-queries.json")
            .because(cause)
    })?;
    let mut judged = Judged::read(&text).map_err(|problem| {
        Error::new(Code::EvalQueriesInvalid, format!("`{path}` is no file of questions: {problem}"))
            .at("--queries")
            .rejecting(path)
            .fact("example", json!([{"query": "lock contention", "relevant_ids": ["pm-a1b2"]}]))
    })?;
    // The file may spell ids as people do; an id that no item has stays as it is, and is missed.
    let records = tracker.records()?;
    for question in &mut judged {
        let grades = std::mem::take(&mut question.grades);
        let stored = |id: String| records.find(&id).map(|record| record.id().to_owned()).unwrap_or(id);
        question.grades = grades.into_iter().map(|(id, grade)| (stored(id), grade)).collect();
    }
    Ok(judged)
}

fn line(question: &Judged, ranked: &[String], k: usize, marks: Marks) -> Row {
    let seen = &ranked[..ranked.len().min(k)];
    let missed: Vec<&str> =
        question.grades.keys().filter(|id| !seen.contains(*id)).map(String::as_str).collect();
    let mut row = row([
        ("query", question.query.as_str().into()),
        ("relevant", question.grades.len().into()),
        ("retrieved", ranked.len().into()),
        ("missed", missed.join(" ").into()),
    ]);
    row.extend(scores(marks));
    row
}

fn scores(marks: Marks) -> Row {
    let rounded = |mark: f64| json!((mark * 10_000.0).round() / 10_000.0);
    row([
        ("ndcg", rounded(marks.ndcg)),
        ("mrr", rounded(marks.mrr)),
        ("precision", rounded(marks.precision)),
        ("recall", rounded(marks.recall)),
    ])
}
