//! Errors of a command whose refusals are answers: what the parser and the output controls refuse, in the words of its
//! contract.

use serde_json::{Value, json};

use crate::contract::Refusals;
use crate::error::{Code, Error};
use crate::read_output::{self, OutputArgs};
use crate::surface::Surface;

use super::speech;

/// The error as the command's contract spells it; faults of the output controls themselves, and failures, stay what
/// they are.
pub(super) fn refusal(error: Error, surface: &Surface, argv: &[String]) -> Error {
    if error.contract.is_some() {
        return error;
    }
    match surface.contract.refusals {
        Refusals::Program => error,
        Refusals::Retrieval => of_retrieval(error, surface, argv),
        Refusals::Catalog => of_catalog(error, surface, argv),
    }
}

fn is_of_cursors(code: Code) -> bool {
    matches!(
        code,
        Code::ReadOutputCursorInvalid
            | Code::ReadOutputCursorStale
            | Code::ReadOutputCursorCommandMismatch
            | Code::InvalidQueryCursor
    )
}

/// Seed 002: a query that cannot be answered is refused with the parameter named.
fn of_catalog(error: Error, surface: &Surface, argv: &[String]) -> Error {
    let flag = error.surface.clone().unwrap_or_default();
    let name = flag.trim_start_matches('-').replace('-', "_");
    match error.code {
        code if is_of_cursors(code) => {
            Error::refusal(Code::CursorRefused, error.message.clone(), [("parameter", json!("cursor"))])
        }
        Code::UnknownOption | Code::FlagTypo => no_such(surface, &name, speech::value(argv, &flag)),
        Code::InvalidArgumentValue
        | Code::MissingRequiredArgument
        | Code::MissingRequiredOption
        | Code::ConflictingArguments => {
            let name = match name.strip_prefix("output_") {
                Some("limit") => "limit".to_owned(),
                Some(_) => return error,
                None if matches!(flag.as_str(), "--format" | "--stream") || flag.starts_with("PM_") => {
                    return error;
                }
                // A word too many is no parameter of any name.
                None if !flag.starts_with('-') && error.rejected.is_some() => {
                    return no_such(surface, error.rejected.as_deref().unwrap_or_default(), None);
                }
                None => name,
            };
            let permitted = match name.as_str() {
                "limit" => json!({"minimum": 1, "maximum": 100}),
                _ => error.recovery.get("allowed_values").cloned().unwrap_or(Value::Null),
            };
            let fields =
                [("parameter", json!(name)), ("value", json!(error.rejected)), ("permitted", permitted)];
            Error::refusal(Code::ParameterRefused, format!("{name}: {}.", error.message), fields)
        }
        _ => error,
    }
}

/// The refusal of a parameter that there is not, or of a word that stands alone where every parameter has a name.
fn no_such(surface: &Surface, name: &str, value: Option<&str>) -> Error {
    let names = parameters(surface);
    let message = format!("there is no parameter '{name}'; the parameters are: {}.", names.join(", "));
    let fields = [
        ("parameter", json!(name)),
        ("value", json!(value)),
        ("permitted", json!(names)),
        ("reason", json!(Code::UnknownParameter.as_str())),
    ];
    Error::refusal(Code::ParameterRefused, message, fields)
}

/// Seed 000, disclosure.md §10.
fn of_retrieval(error: Error, surface: &Surface, argv: &[String]) -> Error {
    match error.code {
        code if is_of_cursors(code) => {
            let reason = match error.code {
                Code::ReadOutputCursorStale => "stale",
                Code::ReadOutputCursorCommandMismatch => "other_action",
                _ => "no_cursor",
            };
            Error::refusal(Code::CursorRefused, error.message.clone(), [("reason", json!(reason))])
        }
        // The syntax of the output controls is checked before anything else.
        Code::UnknownOption | Code::FlagTypo => match controls(surface, argv) {
            Err(first) => first,
            Ok(()) => unknown_parameter(&error, surface, argv),
        },
        Code::InvalidArgumentValue
        | Code::MissingRequiredArgument
        | Code::MissingRequiredOption
        | Code::ConflictingArguments => {
            let at = error.surface.as_deref().unwrap_or_default();
            let of_controls =
                at.starts_with("--output-") || at.starts_with("PM_") || matches!(at, "--format" | "--stream");
            match controls(surface, argv) {
                _ if of_controls => error,
                Err(first) => first,
                Ok(()) => invalid_parameter(&error, surface),
            }
        }
        _ => error,
    }
}

/// The last word of the command.
fn action(surface: &Surface) -> &'static str {
    surface.contract.path.last().copied().unwrap_or_default()
}

fn unknown_parameter(error: &Error, surface: &Surface, argv: &[String]) -> Error {
    let flag = error.surface.clone().unwrap_or_default();
    let name = flag.trim_start_matches('-').replace('-', "_");
    let way = match name.as_str() {
        "tag" | "category" | "categories" | "kind" | "kinds" => {
            " Kinds are chosen with --include and --exclude, tags within a slice with --tags."
        }
        _ => "",
    };
    let action = action(surface);
    let fields = [
        ("parameter", json!(name)),
        ("value", speech::value(argv, &flag).map_or(Value::Null, |value| json!(value))),
        ("permitted", json!(parameters(surface))),
        ("action", json!(action)),
    ];
    Error::refusal(
        Code::UnknownParameter,
        format!("action '{action}' has no parameter '{name}'.{way}"),
        fields,
    )
}

fn invalid_parameter(error: &Error, surface: &Surface) -> Error {
    let at = error.surface.as_deref().unwrap_or_default();
    let fields = [
        ("parameter", json!(at.trim_start_matches('-').replace('-', "_"))),
        ("value", json!(error.rejected)),
        ("permitted", error.recovery.get("allowed_values").cloned().unwrap_or(Value::Null)),
        ("action", json!(action(surface))),
    ];
    Error::refusal(Code::InvalidParameter, error.message.clone(), fields)
}

/// The output controls as the words have them, whatever else is wrong with the call.
fn controls(surface: &Surface, argv: &[String]) -> Result<(), Error> {
    let text = |flag: &str| speech::value(argv, flag).map(str::to_owned);
    let args = OutputArgs {
        limit: text("--output-limit"),
        budget: text("--output-budget"),
        format: text("--output-format"),
        session: text("--output-session"),
        ..OutputArgs::default()
    };
    read_output::resolve(surface.contract, &args).map(|_| ())
}

/// The names of the command's own parameters.
fn parameters(surface: &Surface) -> Vec<String> {
    let parser = surface.augment(clap::Command::new("parameters"));
    let own = parser.get_arguments().filter(|arg| !arg.is_hide_set());
    own.map(|arg| arg.get_id().to_string()).collect()
}
