//! What the commands that write histories anew share: several streams in one call, and what is said about each.

use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::domain::rewrite::RewriteError;
use crate::error::{Code, Error, Result};
use crate::surface::Context;

/// What became of one stream.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) id: String,
    /// The facts of it, in wire order; none when the stream was left as it is.
    pub(crate) facts: Result<Option<Map<String, Value>>>,
}

/// Writes several streams anew, each on its own, and answers with a row for each that changed or failed; exit code 7
/// when some failed, 1 when all did.
pub(crate) fn all<'a>(
    context: &Context,
    ids: &[String],
    done: &str,
    one: impl Fn(&str) -> Result<Option<Map<String, Value>>>,
) -> Answer<'a> {
    let outcomes: Vec<Outcome> = ids.iter().map(|id| Outcome { id: id.clone(), facts: one(id) }).collect();
    let (mut rows, mut changed, mut failed) = (Vec::new(), 0usize, 0usize);
    for outcome in outcomes {
        match outcome.facts {
            Ok(None) => {}
            Ok(Some(facts)) => {
                changed += 1;
                let mut row = Map::new();
                row.insert("id".into(), outcome.id.into());
                row.insert("outcome".into(), done.into());
                row.extend(facts);
                rows.push(Value::Object(row));
            }
            Err(error) => {
                failed += 1;
                rows.push(json!({
                    "id": outcome.id, "outcome": "failed", "code": error.code.as_str(), "problem": error.to_string(),
                }));
            }
        }
    }
    let mut answer = Answer::new();
    if context.globals.dry_run {
        answer = answer.value("dry_run", true);
    }
    let exit = match (changed, failed) {
        (_, 0) => 0,
        (0, _) => 1,
        _ => 7,
    };
    answer
        .value("checked", ids.len())
        .value(done, changed)
        .value("unchanged", ids.len() - changed - failed)
        .value("failed", failed)
        .value("rows", rows)
        .exit(exit)
}

/// One stream, as an answer.
pub(crate) fn one<'a>(
    context: &Context,
    id: &str,
    facts: Option<Map<String, Value>>,
    entries: usize,
) -> Answer<'a> {
    let mut answer = Answer::new().value("id", id);
    if context.globals.dry_run {
        answer = answer.value("dry_run", true);
    }
    match facts {
        Some(facts) => facts.into_iter().fold(answer, |answer, (key, value)| answer.value(&key, value)),
        None => answer.value("unchanged", true).value("entries", entries),
    }
}

/// The error for a stream that cannot be written anew.
pub(crate) fn refused(id: &str, error: &RewriteError) -> Error {
    let problem = format!("the history of `{id}` was left as it is: {error}");
    match error {
        RewriteError::Fixed(field) => {
            Error::new(Code::InvalidArgumentValue, problem).fact("field", *field).at("--literal")
        }
        RewriteError::NewerHash { .. } => Error::new(Code::HistoryChainInvalid, problem),
        RewriteError::Patch { .. } | RewriteError::Chain(_) => Error::new(Code::HistoryChainInvalid, problem)
            .hint(format!("pm history {id} --verify"))
            .hint(format!("pm history-repair {id} --dry-run")),
    }
}
