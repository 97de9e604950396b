//! What the parser refused, as our own errors, and the commands that get a caller out.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::report::command_line;
use crate::error::{Code, Error};
use crate::nearest;

/// Turns the parser's refusal of a call of `command` into an error with a code.
pub(super) fn parsed(error: &clap::Error, command: &str, parser: &clap::Command) -> Error {
    let arguments = texts(error, ContextKind::InvalidArg);
    let flag = arguments.first().map(|shown| name(shown, parser)).unwrap_or_default();
    let value = texts(error, ContextKind::InvalidValue).into_iter().next().unwrap_or_default();
    match error.kind() {
        ErrorKind::MissingRequiredArgument => missing(&arguments, parser),
        ErrorKind::InvalidValue => {
            let legal = texts(error, ContextKind::ValidValue);
            invalid_value(&flag, &value, &legal.iter().map(String::as_str).collect::<Vec<_>>())
        }
        ErrorKind::ArgumentConflict => {
            let others = texts(error, ContextKind::PriorArg);
            let others: Vec<String> =
                others.iter().map(|shown| format!("`{}`", name(shown, parser))).collect();
            let message = if others.is_empty() {
                format!("`{flag}` is taken once only")
            } else {
                format!("`{flag}` excludes {}", others.join(", "))
            };
            Error::new(Code::ConflictingArguments, message).at(flag)
        }
        ErrorKind::TooManyValues if flag.starts_with("--") => Error::new(
            Code::InvalidArgumentValue,
            format!("`{flag}` is a switch and takes no value, not `{value}`"),
        )
        .at(flag)
        .rejecting(value),
        ErrorKind::UnknownArgument | ErrorKind::TooManyValues => {
            let extra = if value.is_empty() { flag } else { value };
            Error::new(Code::InvalidArgumentValue, format!("`pm {command}` has no use for `{extra}`"))
                .at(command)
                .rejecting(extra)
        }
        _ => {
            let message = format!("`{flag}` does not take `{value}`: {}", reason(error));
            Error::new(Code::InvalidArgumentValue, message).at(flag).rejecting(value)
        }
    }
}

/// Why a typed value could not be made, in words for people.
fn reason(error: &clap::Error) -> String {
    let Some(source) = std::error::Error::source(error) else { return "it is not understood".to_owned() };
    if source.is::<std::num::ParseIntError>() {
        return "it must be a non-negative integer".to_owned();
    }
    if source.is::<std::num::ParseFloatError>() {
        return "it must be a number".to_owned();
    }
    source.to_string()
}

/// A value outside a closed set: all legal ones, the nearest first.
fn invalid_value(flag: &str, value: &str, legal: &[&str]) -> Error {
    let ordered = nearest::order(value, legal);
    let message = format!("`{flag}` does not take `{value}`; it takes {}", ordered.join(", "));
    Error::new(Code::InvalidArgumentValue, message).at(flag).rejecting(value).fact("allowed_values", ordered)
}

/// A flag that is not declared; `longs` are those that are.
pub(super) fn unknown_flag(command: &str, flag: &str, longs: &[&str], elsewhere: bool) -> Error {
    let typed = flag.trim_start_matches('-').replace('_', "-");
    let typo = nearest::typo(&typed, longs);
    let near = nearest::words(&typed, longs);
    let near: Vec<String> = typo
        .iter()
        .chain(near.iter().filter(|&word| Some(*word) != typo))
        .map(|word| format!("--{word}"))
        .collect();
    let code = if typo.is_some() { Code::FlagTypo } else { Code::UnknownOption };
    let mut message = format!("`pm {command}` has no option `{flag}`");
    if command.is_empty() {
        message = format!("no global option `{flag}`");
    }
    if !near.is_empty() {
        message.push_str(&format!("; near it: {}", near.join(", ")));
    }
    let mut error = Error::new(code, message).at(flag);
    if code == Code::UnknownOption {
        error = error.fact("option_scope", if elsewhere { "declared_elsewhere" } else { "declared_nowhere" });
    }
    if near.is_empty() { error } else { error.fact("suggestions", near) }
}

/// A flag whose value is missing, or is a flag itself.
pub(super) fn missing_value(arg: &clap::Arg, flag: &str, next: Option<&str>) -> Error {
    let what = arg.get_value_names().and_then(|names| names.first()).map_or("value", |name| name.as_str());
    let message = format!("`{flag}` needs {} after it", a(&what.to_lowercase()));
    let mut error = Error::new(Code::InvalidArgumentValue, message).at(flag);
    if let Some(next) = next {
        error = error.rejecting(next);
    }
    let legal = legal_values(arg);
    if legal.is_empty() { error } else { error.fact("allowed_values", legal) }
}

/// With its article.
fn a(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

fn legal_values(arg: &clap::Arg) -> Vec<String> {
    arg.get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|v| v.get_name().to_owned())
        .collect()
}

fn missing(arguments: &[String], parser: &clap::Command) -> Error {
    let names: Vec<String> = arguments.iter().map(|shown| name(shown, parser)).collect();
    let first = names.first().cloned().unwrap_or_default();
    let code =
        if first.starts_with('-') { Code::MissingRequiredOption } else { Code::MissingRequiredArgument };
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let mut error = Error::new(code, format!("{} must be given", quoted.join(" and "))).at(first);
    let arg = parser.get_arguments().find(|arg| Some(&arg.to_string()) == arguments.first());
    let legal = arg.map(legal_values).unwrap_or_default();
    if !legal.is_empty() {
        error = error.fact("allowed_values", legal);
    }
    error.fact("missing", names)
}

/// `--status` of `--status <STATUS>`, `id` of `<ID>`.
fn name(shown: &str, parser: &clap::Command) -> String {
    match parser.get_arguments().find(|arg| arg.to_string() == shown) {
        Some(arg) if arg.is_positional() => arg.get_id().as_str().replace('_', "-"),
        Some(arg) => arg.get_long().map_or_else(|| shown.to_owned(), |long| format!("--{long}")),
        None => {
            shown.split([' ', '=']).next().unwrap_or(shown).trim_matches(['[', ']', '<', '>', '.']).to_owned()
        }
    }
}

fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

/// Adds the commands that get the caller out, the best first: the call with the near word in place of the refused
/// one, then help. A command that already gave hints knows better. `runs` tells whether a call is well-formed.
pub(super) fn with_way_out(
    mut error: Error,
    argv: &[String],
    command: Option<&str>,
    runs: &dyn Fn(&[String]) -> bool,
) -> Error {
    // An option of the command that stands before its name is nearer than any other word.
    let mut retries = reordered(&error, argv).chain(retry(&error, argv)).chain(without_cursor(&error, argv));
    if let Some(retry) = retries.find(|retry| runs(retry)) {
        let line = command_line(&retry);
        error.recovery.insert("suggested_retry".into(), line.clone().into());
        if !error.hints.contains(&line) {
            error.hints.insert(0, line);
        }
    }
    if error.code == Code::UnknownCommand && error.hints.is_empty() {
        let helps = suggestions(&error, "suggestions").into_iter().map(|name| format!("pm {name} --help"));
        error.hints = helps.collect();
    }
    if error.hints.is_empty() && error.exit_code() == 2 {
        error.hints.push(match command {
            Some(command) => format!("pm {command} --help"),
            None => "pm --help".to_owned(),
        });
    }
    error
}

/// The call with its first words behind the others: an option of a command stood before its name.
fn reordered<'a>(error: &Error, argv: &'a [String]) -> impl Iterator<Item = Vec<String>> + use<'a> {
    let misplaced =
        error.code == Code::UnknownOption && argv.first().is_some_and(|word| word.starts_with('-'));
    let starts = if misplaced { 1..argv.len() } else { 0..0 };
    starts.map(|start| [&argv[start..], &argv[..start]].concat())
}

/// The call without the cursor that was refused: the first page again.
fn without_cursor(error: &Error, argv: &[String]) -> Option<Vec<String>> {
    let of_cursors = matches!(
        error.code,
        Code::ReadOutputCursorInvalid
            | Code::ReadOutputCursorCommandMismatch
            | Code::ReadOutputCursorStale
            | Code::InvalidQueryCursor
    );
    let flag = error.surface.as_deref().filter(|flag| of_cursors && flag.starts_with("--"))?;
    let joined = format!("{flag}=");
    let mut left = Vec::new();
    let mut words = argv.iter();
    while let Some(word) = words.next() {
        if word == flag {
            words.next();
        } else if !word.starts_with(&joined) {
            left.push(word.clone());
        }
    }
    (left.len() < argv.len()).then_some(left)
}

/// A list among the facts of an error.
fn suggestions(error: &Error, key: &str) -> Vec<String> {
    let list = error.recovery.get(key).and_then(|fact| fact.as_array()).map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

/// The call with the nearest legal word in place of the refused one, when one is near.
fn retry(error: &Error, argv: &[String]) -> Option<Vec<String>> {
    let (wrong, right) = match error.code {
        Code::UnknownOption | Code::FlagTypo | Code::UnknownCommand => {
            (error.surface.as_deref()?, suggestions(error, "suggestions").into_iter().next()?)
        }
        _ => {
            let legal = suggestions(error, "allowed_values");
            let legal: Vec<&str> = legal.iter().map(String::as_str).collect();
            let wrong = error.rejected.as_deref()?;
            (wrong, (*nearest::words(wrong, &legal).first()?).to_owned())
        }
    };
    if error.code == Code::UnknownCommand {
        let at = argv.iter().position(|word| word == wrong)?;
        let mut retry = argv.to_vec();
        retry.splice(at..=at, right.split(' ').map(str::to_owned));
        return Some(retry);
    }
    let right = right.as_str();
    let flag = error.surface.as_deref().filter(|surface| surface.starts_with("--"));
    let mut retry = argv.to_vec();
    for word in &mut retry {
        let corrected = match word.split_once('=') {
            Some((name, value)) if name == wrong => Some(format!("{right}={value}")),
            Some((name, value)) if Some(name) == flag => {
                instead(value, wrong, right).map(|value| format!("{name}={value}"))
            }
            _ => instead(word, wrong, right),
        };
        if let Some(corrected) = corrected {
            *word = corrected;
            return Some(retry);
        }
    }
    None
}

/// A value, or one of the values of a comma-separated list, with the right word in place of the wrong one.
fn instead(value: &str, wrong: &str, right: &str) -> Option<String> {
    let mut found = false;
    let parts: Vec<&str> = value
        .split(',')
        .map(|part| {
            let is_it = part.trim() == wrong;
            found |= is_it;
            if is_it { right } else { part }
        })
        .collect();
    match value == wrong {
        true => Some(right.to_owned()),
        false => found.then(|| parts.join(",")),
    }
}
