//! The pipeline for callers of the library, under the names that seed 001 publishes.

use serde_json::{Map, Number, Value};

use super::args::{Defaults, OutputArgs, Typed, camel};
use super::controls::{self, Controls};
use super::environment::Environment;
use crate::answer::{Answer, Part, Rows};
use crate::contract::{Contract, Effect, ReadOutput, surfaces};
use crate::error::{Code, Error, Result};

/// Every read surface: rows, modes, older flags, ceilings (in tokens, for TOON and for JSON).
///
/// ```
/// use pm::read_output::PM_READ_OUTPUT_SURFACE_CONTRACTS;
///
/// let list = PM_READ_OUTPUT_SURFACE_CONTRACTS.iter().find(|surface| surface.surface == "list").unwrap();
/// assert_eq!(list.row_keys, ["items"]);
/// assert_eq!(list.modes, ["brief", "compact", "full"]);
/// assert_eq!((list.budget.toon(), list.budget.json()), (4_000, 6_000));
/// ```
pub const PM_READ_OUTPUT_SURFACE_CONTRACTS: &[ReadOutput] = surfaces::ALL;

/// A structured answer after the pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The envelope, receipts included.
    pub value: Value,
    /// The exit code that the command line would end with.
    pub exit_code: u8,
    /// The ids of the items that the envelope really tells of, in its order; none when the result was omitted.
    pub served_ids: Vec<String>,
    /// For usage feedback, see [`ServeReceipt`].
    pub serve: Option<ServeReceipt>,
}

/// A result that no ceiling of this size can hold: what stands in its place (seed 001).
///
/// ```
/// use pm::read_output::{PmReadOutputBudgetExceeded, apply_read_output_dimensions, resolve_read_output_dimensions};
/// use serde_json::json;
///
/// let options = json!({"outputBudget": 1}).as_object().cloned().unwrap();
/// let controls = resolve_read_output_dimensions("list", &options)?;
/// let envelope = json!({"items": [{"id": "pm-a1", "title": "One"}]});
/// let applied = apply_read_output_dimensions(envelope, &controls)?;
/// let omission = PmReadOutputBudgetExceeded::of(&applied.value).unwrap();
/// assert_eq!(omission.reason, "requested_budget_infeasible");
/// assert_eq!(omission.recovery, json!({"outputBudget": "unbounded"}));
/// assert_eq!(applied.exit_code, 2);
/// # Ok::<(), pm::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PmReadOutputBudgetExceeded {
    /// `requested_budget_infeasible`.
    pub reason: String,
    /// The measure of this envelope, in tokens.
    pub estimated_tokens: u64,
    /// The last measure of the useful result, in tokens; absent within a session.
    pub omitted_result_estimated_tokens: Option<u64>,
    /// `{"outputBudget": "unbounded"}`.
    pub recovery: Value,
}

impl PmReadOutputBudgetExceeded {
    /// Reads the omission out of an envelope; none when the envelope is a result.
    pub fn of(envelope: &Value) -> Option<PmReadOutputBudgetExceeded> {
        let omission = envelope.get("output_budget_exceeded")?;
        let receipt = envelope.get("read_output")?;
        let reason = omission.get("reason").and_then(Value::as_str)?;
        let omitted = omission.get("omitted_result") == Some(&Value::Bool(true));
        (omitted && reason == "requested_budget_infeasible").then(|| PmReadOutputBudgetExceeded {
            reason: reason.to_owned(),
            estimated_tokens: receipt["estimated_tokens"].as_u64().unwrap_or_default(),
            omitted_result_estimated_tokens: receipt["omitted_result_estimated_tokens"].as_u64(),
            recovery: omission["recovery"].clone(),
        })
    }
}

/// What a ranking read (`context`, `next`) really told of, for usage feedback; it is no part of the output.
///
/// ```
/// use pm::read_output::{apply_read_output_dimensions, resolve_read_output_dimensions};
/// use serde_json::json;
///
/// let envelope = json!({"recommended": {"id": "pm-a1", "title": "One"}, "ready": [{"id": "pm-b2"}]});
/// let ask = |options: serde_json::Value| {
///     let controls = resolve_read_output_dimensions("next", options.as_object().unwrap())?;
///     apply_read_output_dimensions(envelope.clone(), &controls)
/// };
/// let served = ask(json!({}))?.serve.unwrap();
/// assert_eq!((served.surface, served.delivered), ("next", vec!["pm-a1".to_owned(), "pm-b2".to_owned()]));
/// // A result that was omitted served nothing.
/// let omitted = ask(json!({"outputBudget": 1}))?.serve.unwrap();
/// assert!(omitted.omitted && omitted.delivered.is_empty());
/// # Ok::<(), pm::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServeReceipt {
    /// The read.
    pub surface: &'static str,
    /// The ids on the page, in its order; none when the result was omitted, none that were references.
    pub delivered: Vec<String>,
    /// The ceiling left no useful result.
    pub omitted: bool,
}

impl ServeReceipt {
    /// The receipt of a surface that has one.
    pub(super) fn of(surface: &ReadOutput, delivered: &[String], omitted: bool) -> Option<ServeReceipt> {
        let surface = ["context", "next"].into_iter().find(|name| *name == surface.surface)?;
        Some(ServeReceipt { surface, delivered: delivered.to_vec(), omitted })
    }
}

/// Whether an envelope stands in place of a result that did not fit; ask before using fields of the result.
///
/// ```
/// use pm::read_output::is_read_output_budget_exceeded;
/// use serde_json::json;
///
/// assert!(!is_read_output_budget_exceeded(&json!({"items": []})));
/// assert!(is_read_output_budget_exceeded(&json!({
///     "output_budget_exceeded": {"omitted_result": true, "reason": "requested_budget_infeasible"},
///     "read_output": {"result_omitted": true},
/// })));
/// ```
pub fn is_read_output_budget_exceeded(envelope: &Value) -> bool {
    PmReadOutputBudgetExceeded::of(envelope).is_some()
}

/// The read surface of a command's words: `list-open` is `list`, `ctx` is `context` (read-output.md §1.6).
pub fn read_output_surface(command: &str) -> Option<&'static ReadOutput> {
    let command = command.to_lowercase();
    let mut words = command.split_whitespace();
    let root = words.next()?;
    let name = match (root, words.next()) {
        ("package" | "packages" | "extension", Some("catalog")) => "package-catalog",
        ("package" | "packages" | "extension", Some("manage")) => "package-manage",
        (list, _) if list.starts_with("list-") => "list",
        ("ctx", _) => "context",
        ("comment", _) => "comments",
        ("fetch" | "read" | "show" | "view", _) => "get",
        (root, _) => root,
    };
    surfaces::ALL.iter().find(|surface| surface.surface == name)
}

/// The projection modes that replace older flags on a command's surface; empty for other commands.
///
/// ```
/// use pm::read_output::read_output_include_mode_options;
///
/// assert_eq!(read_output_include_mode_options("health"), ["brief", "full", "summary"]);
/// assert_eq!(read_output_include_mode_options("list-open"), ["brief", "compact", "full"]);
/// assert!(read_output_include_mode_options("stats").is_empty());
/// ```
pub fn read_output_include_mode_options(command: &str) -> &'static [&'static str] {
    read_output_surface(command).map_or(&[], |surface| surface.modes)
}

/// Resolves the controls of a library call: `outputInclude`, `outputLimit`, `outputBudget`, `outputFormat`,
/// `outputSession`, `outputCursor`, `outputRowContract`, in camel or snake case. The older options of the surface are
/// known by their keys too (`full`, `limit`, `noTruncate`), as is `for`; others are not looked at. A complete result is
/// spelled as on the command line: by `list-all`, `all`, `noTruncate`, `unbounded`, or `full` where it is one.
///
/// Without `outputFormat` the measure is compact JSON and the ceiling that of TOON.
///
/// ```
/// use pm::read_output::{Amount, BudgetSource, resolve_read_output_dimensions};
/// use serde_json::json;
///
/// let options = json!({"outputInclude": ["brief", "id"], "outputLimit": 10});
/// let controls = resolve_read_output_dimensions("list", options.as_object().unwrap())?;
/// assert_eq!(controls.want.mode.as_deref(), Some("brief"));
/// assert_eq!(controls.want.selectors, ["id"]);
/// assert_eq!(controls.limit, Some(Amount::Some(10)));
/// assert_eq!((controls.ceiling.tokens, controls.ceiling.source), (Some(4_000), BudgetSource::Default));
///
/// let wrong = json!({"outputLimit": 0});
/// assert!(resolve_read_output_dimensions("list", wrong.as_object().unwrap()).is_err());
/// # Ok::<(), pm::error::Error>(())
/// ```
///
/// Errors: as [`super::resolve`].
pub fn resolve_read_output_dimensions(command: &str, options: &Map<String, Value>) -> Result<Controls> {
    let mut args = arguments(options)?;
    args.typed = typed(command, options);
    let contract = Contract {
        effect: Effect::Reads,
        read_output: read_output_surface(command).copied(),
        ..Contract::BASE
    };
    controls::resolve(&contract, &args)
}

/// What an option bag says beside the controls, as if it had been typed.
fn typed(command: &str, options: &Map<String, Value>) -> Vec<Typed> {
    let Some(surface) = read_output_surface(command) else { return Vec::new() };
    let older = surface.aliases.iter().map(|alias| alias.flag);
    let mut flags: Vec<&str> = older.chain(["--for", "--all", "--unbounded"]).collect();
    flags.dedup();
    let mut typed = Vec::new();
    if command.trim().eq_ignore_ascii_case("list-all") {
        typed.push(Typed { flag: "--all".to_owned(), value: None });
    }
    for flag in flags {
        let snake = flag.trim_start_matches('-').replace('-', "_");
        let value = match options.get(&camel(flag)).or_else(|| options.get(&snake)) {
            Some(Value::Bool(true)) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(whole(number)),
            Some(Value::Array(values)) if values.iter().all(Value::is_string) => {
                Some(values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","))
            }
            _ => continue,
        };
        if !typed.iter().any(|known| known.flag == flag) {
            typed.push(Typed { flag: flag.to_owned(), value });
        }
    }
    typed
}

/// The controls of an option bag, as if they had been typed.
pub fn arguments(options: &Map<String, Value>) -> Result<OutputArgs> {
    let get = |camel: &str, snake: &str| options.get(camel).or_else(|| options.get(snake));
    let text = |camel: &str, snake: &str, flag: &str| -> Result<Option<String>> {
        match get(camel, snake) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Number(number)) => Ok(Some(whole(number))),
            Some(Value::Array(tokens)) if camel == "outputInclude" && tokens.iter().all(Value::is_string) => {
                Ok(Some(tokens.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")))
            }
            Some(Value::Object(state)) if camel == "outputSession" => {
                Ok(Some(Value::Object(state.clone()).to_string()))
            }
            Some(other) => Err(Error::new(
                Code::InvalidArgumentValue,
                format!("`{camel}` has a value of the wrong type"),
            )
            .at(flag)
            .rejecting(other.to_string())),
        }
    };
    Ok(OutputArgs {
        include: text("outputInclude", "output_include", "--output-include")?,
        limit: text("outputLimit", "output_limit", "--output-limit")?,
        budget: text("outputBudget", "output_budget", "--output-budget")?,
        format: text("outputFormat", "output_format", "--output-format")?,
        session: text("outputSession", "output_session", "--output-session")?,
        cursor: text("outputCursor", "output_cursor", "--output-cursor")?,
        row_contract: flag(get("outputRowContract", "output_row_contract"))?,
        defaults: Defaults { library: true, ..Defaults::default() },
        ..OutputArgs::default()
    })
}

/// A number as it would be typed: one that is whole has no fraction, whichever way it came.
fn whole(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => format!("{float:.0}"),
        _ => number.to_string(),
    }
}

/// A key that is true or not there.
fn flag(value: Option<&Value>) -> Result<bool> {
    match value {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(set)) => Ok(*set),
        Some(other) => Err(Error::new(Code::InvalidArgumentValue, "`outputRowContract` is true or false")
            .at("--output-row-contract")
            .rejecting(other.to_string())),
    }
}

/// Applies resolved controls to an answer: the envelope as a value, measured as `controls.format` would write it.
///
/// Errors: as [`super::deliver`].
pub fn apply(answer: Answer<'_>, controls: &Controls) -> Result<Applied> {
    super::structured(answer, controls, &Environment::default())
}

/// Applies resolved controls to an envelope that some other producer made: the row collections of the surface are
/// found in it, everything else is kept as it is.
///
/// ```
/// use pm::read_output::{apply_read_output_dimensions, resolve_read_output_dimensions};
/// use serde_json::json;
///
/// let options = json!({"outputInclude": "id", "outputLimit": 1}).as_object().cloned().unwrap();
/// let controls = resolve_read_output_dimensions("list", &options)?;
/// let envelope = json!({"items": [{"id": "pm-a1", "title": "One"}, {"id": "pm-b2", "title": "Two"}]});
/// let applied = apply_read_output_dimensions(envelope, &controls)?;
/// assert_eq!(applied.value["items"], json!([{"id": "pm-a1"}]));
/// assert_eq!((&applied.value["count"], &applied.value["total"]), (&json!(1), &json!(2)));
/// assert!(applied.value["next_cursor"].is_string());
/// assert_eq!(applied.served_ids, ["pm-a1"]);
/// # Ok::<(), pm::error::Error>(())
/// ```
///
/// Errors: as [`super::deliver`].
pub fn apply_read_output_dimensions(envelope: Value, controls: &Controls) -> Result<Applied> {
    let rows = controls.surface.map_or(&[][..], |surface| surface.row_keys);
    let answer = match envelope {
        Value::Object(map) => answer_of(map, "", rows),
        other => Answer::new().value("result", other),
    };
    apply(answer, controls)
}

fn answer_of(map: Map<String, Value>, prefix: &str, rows: &[&str]) -> Answer<'static> {
    let counts = ["count", "total", "has_more", "truncated", "next_cursor"];
    let mut answer = Answer::new();
    for (key, value) in map {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        let declared = rows.contains(&path.as_str());
        let inner = format!("{path}.");
        let part = match value {
            // The pipeline counts anew.
            _ if prefix.is_empty() && counts.contains(&key.as_str()) => continue,
            Value::Array(values) if declared || rows.is_empty() => Part::Rows(Rows::values(values)),
            Value::Object(entries) if declared && entries.values().all(Value::is_object) => {
                Part::Rows(Rows::entries(entries.into_iter().collect()))
            }
            Value::Object(entries) if declared && entries.contains_key("id") => {
                Part::Record(Value::Object(entries))
            }
            Value::Object(entries) if declared && entries.values().all(Value::is_number) => {
                Part::Rows(Rows::entries(entries.into_iter().collect()))
            }
            Value::Object(entries) if rows.iter().any(|row| row.starts_with(&inner)) => {
                Part::Group(answer_of(entries, &path, rows))
            }
            value => Part::Value(value),
        };
        answer = answer.part(&key, part);
    }
    answer
}
