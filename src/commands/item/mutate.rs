//! `pm item mutate`.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Rows};
use crate::codec::{json, strict};
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Error, Result};
use crate::model::timestamp;
use crate::mutation::batch::{self, Done};
use crate::mutation::write;
use crate::surface::{Command, Context};

/// Lands several changes together.
pub(crate) struct Mutate;

/// Arguments of `pm item mutate`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Name of the batch: under one name changes are landed once
    #[arg(long, value_name = "ID")]
    transaction_id: Option<String>,
    /// Read the batch from standard input; it is always read from there
    #[arg(long)]
    stdin_json: bool,
    /// Accepted for compatibility: nothing is on disk before every row holds, so that nothing is ever taken back
    #[arg(long, hide = true, value_name = "MODE", value_parser = ["close", "delete"])]
    create_compensation: Option<String>,
    /// Accepted for compatibility
    #[arg(long, hide = true, value_name = "COUNT")]
    lock_ttl_seconds: Option<u64>,
    /// Accepted for compatibility
    #[arg(long, hide = true, value_name = "COUNT")]
    lock_wait_ms: Option<u64>,
}

impl Command for Mutate {
    const CONTRACT: Contract = Contract {
        path: &["item", "mutate"],
        about: "Land several changes, given as JSON on standard input, all or none",
        effect: Effect::Writes,
        errors: &[
            Code::StdinJsonInvalid,
            Code::StdinJsonUnknownKey,
            Code::TransactionIdReused,
            Code::TransactionUnfinished,
            Code::ItemNotFound,
            Code::ItemAlreadyExists,
            Code::InvalidArgumentValue,
        ],
        examples: &[Example {
            about: "{\"mutations\": [{\"op\": \"create\", \"ref\": \"e\", \"options\": {\"title\": \"E\"}}, ...]} on standard input",
            argv: &["item", "mutate", "--transaction-id", "import-1", "--stdin-json"],
        }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let globals = &context.globals;
        if let Some(flag) = globals
            .if_hash
            .as_ref()
            .map(|_| "--if-hash")
            .or(globals.if_updated_at.as_ref().map(|_| "--if-updated-at"))
        {
            let problem = "a batch has several items: give ifHash or ifUpdatedAt in its rows";
            return Err(Error::new(Code::ConflictingArguments, problem).at(flag));
        }
        let (name, mutations) = input(&args, context)?;
        let rows = batch::rows(&mutations)?;
        let write = write(context, "update", None)?;
        let mut transaction = tracker.transaction(&write)?;
        let fingerprint = json::digest(&mutations);
        if let Some(record) = recorded(transaction.batch(&name)?, &name, &fingerprint)? {
            return Ok(again(&name, &record));
        }
        let done = batch::apply(context, &mut transaction, &name, &rows)?;
        let results: Vec<Value> =
            done.iter().enumerate().map(|(number, done)| result(number, done)).collect();
        let at = timestamp::format(context.clock.now());
        let author = &context.actor()?.author;
        transaction.record_batch(&name, record(&name, author, &at, &fingerprint, &results));
        transaction.commit()?;
        Ok(answer(&name, &done, results, context))
    }
}

/// The name of the batch, and its rows.
fn input(args: &Args, context: &Context) -> Result<(String, Value)> {
    let invalid = |problem: String| Error::new(Code::StdinJsonInvalid, problem).at("--stdin-json");
    let text = context.stdin()?;
    let document = strict::parse(text)
        .map_err(|error| invalid(format!("standard input is no JSON document: {error}")))?;
    let (own, mutations) = match document {
        Value::Array(_) => (None, document),
        Value::Object(mut document) => {
            let mutations = document.shift_remove("mutations").unwrap_or(Value::Null);
            let own =
                document.shift_remove("transactionId").or_else(|| document.shift_remove("transaction_id"));
            if document.shift_remove("dryRun") == Some(Value::Bool(true)) && !context.globals.dry_run {
                return Err(invalid("dryRun is asked for with the option --dry-run".to_owned()));
            }
            document.shift_remove("createCompensation");
            if let Some(key) = document.keys().next() {
                return Err(Error::new(Code::StdinJsonUnknownKey, format!("a batch has no key `{key}`"))
                    .at("--stdin-json")
                    .rejecting(key.as_str())
                    .fact("allowed_values", vec!["transactionId", "mutations"]));
            }
            let own = match own {
                None | Some(Value::Null) => None,
                Some(Value::String(own)) => Some(own),
                Some(_) => return Err(invalid("transactionId is no text".to_owned())),
            };
            (own, mutations)
        }
        _ => return Err(invalid("standard input is no JSON object and no list".to_owned())),
    };
    let name = args
        .transaction_id
        .clone()
        .or(own)
        .unwrap_or_else(|| format!("tx-{}", &json::digest(&mutations)[..16]));
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 120 || name.starts_with('.') || !name.chars().all(plain) {
        let problem = "a batch has a name of letters, digits, -, _ and ., at most 120";
        return Err(crate::domain::values::refusal("--transaction-id", &name, problem, &[]));
    }
    Ok((name, mutations))
}

/// The record of a batch that was landed already.
///
/// Errors: `transaction_id_reused`, `transaction_unfinished`.
fn recorded(
    found: std::result::Result<Option<Map<String, Value>>, String>,
    name: &str,
    fingerprint: &str,
) -> Result<Option<Map<String, Value>>> {
    let refuse =
        |code: Code, problem: String| Error::new(code, problem).at("--transaction-id").rejecting(name);
    let record = match found {
        Ok(None) => return Ok(None),
        Ok(Some(record)) => record,
        Err(problem) => {
            let problem = format!("the record of the batch `{name}` cannot be read: {problem}");
            return Err(refuse(Code::TransactionUnfinished, problem));
        }
    };
    let text = |key: &str| record.get(key).and_then(Value::as_str);
    match text("status") {
        Some("committed") if text("fingerprint").is_none_or(|own| own == fingerprint) => Ok(Some(record)),
        Some("committed") => {
            let problem = format!("other changes were landed as `{name}`");
            Err(refuse(Code::TransactionIdReused, problem))
        }
        // Taken back by the program that began it: as if it had never been.
        Some("compensated") => Ok(None),
        status => {
            let status = status.unwrap_or("unknown");
            let problem = format!("the batch `{name}` was left behind as {status} by another program");
            Err(refuse(Code::TransactionUnfinished, problem))
        }
    }
}

fn step(number: usize) -> String {
    format!("step-{}", number + 1)
}

fn result(number: usize, done: &Done) -> Value {
    let written = &done.receipt.written;
    let mut out = Map::new();
    out.insert("step".to_owned(), Value::from(step(number)));
    out.insert("op".to_owned(), Value::from(done.op));
    out.insert("id".to_owned(), Value::from(written.id.as_str()));
    if let Some(reference) = &done.reference {
        out.insert("ref".to_owned(), Value::from(reference.as_str()));
    }
    let status = written.after.as_ref().map_or("", |item| item.status());
    out.insert("status".to_owned(), Value::from(status));
    out.insert("changed_field_count".to_owned(), Value::from(done.receipt.changed().len()));
    Value::Object(out)
}

fn record(name: &str, author: &str, at: &str, fingerprint: &str, results: &[Value]) -> Map<String, Value> {
    let steps: Vec<String> = (0..results.len()).map(step).collect();
    let by_step: Map<String, Value> = steps.iter().cloned().zip(results.iter().cloned()).collect();
    let record = json!({
        "schemaVersion": 1, "transactionId": name, "author": author, "status": "committed", "attempt": 1,
        "createdAt": at, "updatedAt": at, "stepIds": steps, "startedStepIds": steps, "completedStepIds": steps,
        "results": by_step, "compensationData": {}, "fingerprint": fingerprint,
    });
    record.as_object().cloned().unwrap_or_default()
}

/// The answer to a batch that was landed before.
fn again<'a>(name: &str, record: &Map<String, Value>) -> Answer<'a> {
    let results: Vec<Value> = match record.get("results") {
        Some(Value::Object(results)) => results.values().cloned().collect(),
        Some(Value::Array(results)) => results.clone(),
        _ => Vec::new(),
    };
    let count = results.len();
    Answer::new()
        .value("status", "committed")
        .value("transaction_id", name)
        .value("recovered", true)
        .value("changed", false)
        .rows("results", Rows::values(results))
        .value("mutation_count", count)
}

fn answer<'a>(name: &str, done: &[Done], mut results: Vec<Value>, context: &Context) -> Answer<'a> {
    let dry_run = context.globals.dry_run;
    let mut answer = Answer::new().value("status", if dry_run { "planned" } else { "committed" });
    answer = answer.value("transaction_id", name);
    if dry_run {
        answer = answer.value("dry_run", true);
        for (result, done) in results.iter_mut().zip(done) {
            result["changes"] = Value::Array(done.receipt.changes());
        }
    } else {
        answer = answer.value("recovered", false);
    }
    let count = results.len();
    answer = answer.rows("results", Rows::values(results)).value("mutation_count", count);
    let warnings =
        done.iter().flat_map(|done| done.receipt.written.warnings.iter().chain(&done.receipt.warnings));
    warnings.cloned().fold(answer, Answer::warn)
}
