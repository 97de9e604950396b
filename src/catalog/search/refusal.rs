//! What a search refuses, with the parameter named: a value that fell through would answer another question.

use serde_json::{Value, json};

use crate::error::{Code, Error};

/// A parameter or a value that search cannot answer; `permitted` says what it takes, null where that is no list.
pub fn parameter_refused(name: &str, value: &Value, permitted: &Value, why: &str) -> Error {
    let message = format!("{name} {why}.");
    Error::refusal(
        Code::ParameterRefused,
        message,
        [("parameter", json!(name)), ("value", value.clone()), ("permitted", permitted.clone())],
    )
}

/// A value outside of a closed vocabulary.
pub(super) fn no_such_word(name: &str, value: &str, permitted: &[&str]) -> Error {
    let why = format!("'{value}' is not one of: {}", permitted.join(", "));
    parameter_refused(name, &json!(value), &json!(permitted), &why)
}

/// A cursor that does not continue this query.
pub fn cursor_refused(value: &str, why: &str) -> Error {
    Error::refusal(
        Code::CursorRefused,
        format!("cursor {why}."),
        [("parameter", json!("cursor")), ("value", json!(value))],
    )
}
