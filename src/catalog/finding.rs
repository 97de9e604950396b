//! What is wrong with a source, in words that name the file and the place.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer::{Row, row};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The record cannot be served.
    Error,
    /// Something to look at.
    Warning,
}

/// Something wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The file, from the top of the work tree.
    pub path: String,
    /// What sort of fault: `schema`, `reference`, `capability`, `evidence`, ...
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
}

impl Finding {
    /// A fault that stops the record.
    pub fn error(path: &str, code: &str, message: impl Into<String>) -> Finding {
        Finding {
            path: path.to_owned(),
            code: code.to_owned(),
            severity: Severity::Error,
            message: message.into(),
        }
    }

    /// A fault that stops nothing.
    pub fn warning(path: &str, code: &str, message: impl Into<String>) -> Finding {
        Finding { severity: Severity::Warning, ..Finding::error(path, code, message) }
    }

    /// Whether it stops the record.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// As a row of an answer.
    pub fn row(&self) -> Row {
        row([
            ("path", json!(self.path)),
            ("code", json!(self.code)),
            ("severity", json!(self.severity)),
            ("message", json!(self.message)),
        ])
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}
