//! What the parser refused, as our own errors.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::{Code, Error};
use crate::nearest;

/// Turns the parser's refusal of a call of `command` into an error with a code.
pub(super) fn parsed(error: &clap::Error, command: &str, parser: &clap::Command) -> Error {
    let argument = texts(error, ContextKind::InvalidArg);
    let value = texts(error, ContextKind::InvalidValue).into_iter().next();
    let flag = argument.first().map(|shown| bare(shown)).unwrap_or_default();
    let help = format!("pm {command} --help");
    match error.kind() {
        ErrorKind::MissingRequiredArgument => missing(&argument, parser).hint(help),
        ErrorKind::InvalidValue if value.as_deref().unwrap_or_default().is_empty() => {
            Error::new(Code::MissingRequiredArgument, format!("`{flag}` needs a value")).at(flag).hint(help)
        }
        ErrorKind::InvalidValue => {
            let value = value.unwrap_or_default();
            let legal = texts(error, ContextKind::ValidValue);
            let legal: Vec<&str> = legal.iter().map(String::as_str).collect();
            invalid_value(&flag, &value, &legal).hint(help)
        }
        ErrorKind::ArgumentConflict => {
            let prior = texts(error, ContextKind::PriorArg);
            let others: Vec<String> = prior.iter().map(|shown| format!("`{}`", bare(shown))).collect();
            let message = if others.is_empty() {
                format!("`{flag}` cannot be given more than once")
            } else {
                format!("`{flag}` cannot be used with {}", others.join(", "))
            };
            Error::new(Code::ConflictingArguments, message).at(flag).hint(help)
        }
        ErrorKind::UnknownArgument | ErrorKind::TooManyValues => {
            let extra = value.unwrap_or_else(|| flag.clone());
            Error::new(Code::InvalidArgumentValue, format!("`pm {command}` has no use for `{extra}`"))
                .at(extra.clone())
                .rejecting(extra)
                .hint(help)
        }
        _ => {
            let reason = std::error::Error::source(error).map(|source| source.to_string());
            let reason = reason.unwrap_or_else(|| "it is not understood".to_owned());
            let value = value.unwrap_or_default();
            Error::new(Code::InvalidArgumentValue, format!("`{flag}` does not take `{value}`: {reason}"))
                .at(flag)
                .rejecting(value)
                .hint(help)
        }
    }
}

/// A value outside a closed set: names all legal ones, the nearest first.
pub(super) fn invalid_value(flag: &str, value: &str, legal: &[&str]) -> Error {
    let ordered = nearest::order(value, legal);
    Error::new(
        Code::InvalidArgumentValue,
        format!("`{flag}` does not take `{value}`; it takes {}", ordered.join(", ")),
    )
    .at(flag)
    .rejecting(value)
    .fact("allowed_values", ordered.clone())
}

/// A flag that the command does not have; `longs` are those it has.
pub(super) fn unknown_flag(command: &str, flag: &str, longs: &[&str], anywhere: bool) -> Error {
    let typed = flag.trim_start_matches('-').replace('_', "-");
    let near = nearest::words(&typed, longs);
    let code = match near.as_slice() {
        [only] if typo(&typed, only) => Code::FlagTypo,
        _ => Code::UnknownOption,
    };
    let mut error = Error::new(code, format!("`pm {command}` has no option `{flag}`")).at(flag);
    if !near.is_empty() {
        let near: Vec<String> = near.iter().map(|word| format!("--{word}")).collect();
        error = error.fact("nearest", near);
    }
    if code == Code::UnknownOption {
        error = error.fact("option_scope", if anywhere { "declared_elsewhere" } else { "declared_nowhere" });
    }
    error.hint(format!("pm {command} --help"))
}

/// Whether `typed` is a slip of the fingers for `meant`: one edit, or two in a long word.
fn typo(typed: &str, meant: &str) -> bool {
    let allowed = if typed.chars().count() >= 8 { 2 } else { 1 };
    strsim::damerau_levenshtein(typed, meant) <= allowed
}

fn missing(arguments: &[String], parser: &clap::Command) -> Error {
    let names: Vec<String> = arguments.iter().map(|shown| format!("`{shown}`")).collect();
    let first = arguments.first().cloned().unwrap_or_default();
    let code =
        if first.starts_with('-') { Code::MissingRequiredOption } else { Code::MissingRequiredArgument };
    let bare_names: Vec<String> = arguments.iter().map(|shown| bare(shown)).collect();
    let mut error = Error::new(code, format!("{} must be given", names.join(", "))).at(bare(&first));
    let legal =
        parser.get_arguments().find(|arg| arg.to_string() == first).map(|arg| arg.get_possible_values());
    let legal: Vec<String> =
        legal.unwrap_or_default().iter().map(|value| value.get_name().to_owned()).collect();
    if !legal.is_empty() {
        error = error.fact("allowed_values", legal);
    }
    error.fact("missing", bare_names)
}

/// `--status <STATUS>` without its value name.
fn bare(shown: &str) -> String {
    shown.split([' ', '=']).next().unwrap_or(shown).trim_matches(['[', ']']).to_owned()
}

fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}
