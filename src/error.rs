//! The one error type of the library's boundary: a stable code, what happened, and how to go on.
//!
//! Lower layers (`codec`, `store`, `domain`) have small enums with the facts; [`from`] turns each into
//! an [`Error`] and so decides whose fault it is.

mod code;
mod from;
pub mod report;

use std::fmt;

use serde_json::{Map, Value};

pub use code::{Code, Kind};

/// A failed call: code, sentence, ways out, and the facts a program needs.
///
/// Boxed, so that a result that succeeds stays small; its [`Details`] are read as if they were its own fields.
#[derive(Debug)]
pub struct Error(Box<Details>);

/// What an [`Error`] says.
#[derive(Debug)]
pub struct Details {
    /// The stable code.
    pub code: Code,
    /// One sentence: lower case, no full stop, names the thing.
    pub message: String,
    /// Commands that can be run as they stand, best first.
    pub hints: Vec<String>,
    /// The offending flag, argument or path.
    pub surface: Option<String>,
    /// The refused value, as given.
    pub rejected: Option<String>,
    /// Facts under `recovery` of the JSON envelope: allowed values, nearest ones, missing flags.
    pub recovery: Map<String, Value>,
    /// The fields that a contract prescribes for this refusal: it is an answer then, see [`Error::answer`].
    pub contract: Option<Map<String, Value>>,
    /// What lies below.
    pub cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The result of a call of the library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl std::ops::Deref for Error {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl std::ops::DerefMut for Error {
    fn deref_mut(&mut self) -> &mut Details {
        &mut self.0
    }
}

impl Error {
    /// An error of this code.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error(Box::new(Details {
            code,
            message: message.into(),
            hints: Vec::new(),
            surface: None,
            rejected: None,
            recovery: Map::new(),
            contract: None,
            cause: None,
        }))
    }

    /// A refusal by a contract: an answer whose fields are prescribed, beside status, code and message.
    pub fn refusal<'f>(
        code: Code,
        message: impl Into<String>,
        fields: impl IntoIterator<Item = (&'f str, Value)>,
    ) -> Error {
        let mut error = Error::new(code, message);
        error.contract = Some(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect());
        error
    }

    /// The envelope of a refusal by a contract: `status`, `error_code`, `error_message`, then its fields. None for
    /// any other error.
    pub fn answer(&self) -> Option<Value> {
        let fields = self.contract.as_ref()?;
        let mut envelope = Map::new();
        envelope.insert("status".to_owned(), "ERROR".into());
        envelope.insert("error_code".to_owned(), self.code.as_str().into());
        envelope.insert("error_message".to_owned(), self.message.as_str().into());
        envelope.extend(fields.clone());
        Some(Value::Object(envelope))
    }

    /// Adds a command that gets the caller out.
    pub fn hint(mut self, command: impl Into<String>) -> Error {
        self.hints.push(command.into());
        self
    }

    /// As [`Error::hint`], before those that there are: the most likely one.
    pub(crate) fn hint_first(mut self, command: impl Into<String>) -> Error {
        self.hints.insert(0, command.into());
        self
    }

    /// Names the offending flag, argument or path.
    pub fn at(mut self, surface: impl Into<String>) -> Error {
        self.surface = Some(surface.into());
        self
    }

    /// Quotes the refused value.
    pub fn rejecting(mut self, value: impl Into<String>) -> Error {
        self.rejected = Some(value.into());
        self
    }

    /// Adds a fact for programs.
    pub fn fact(mut self, key: &str, value: impl Into<Value>) -> Error {
        self.recovery.insert(key.to_owned(), value.into());
        self
    }

    /// Keeps what lies below.
    pub fn because(mut self, cause: impl std::error::Error + Send + Sync + 'static) -> Error {
        self.cause = Some(Box::new(cause));
        self
    }

    /// The exit code of the process that ends with this error.
    pub fn exit_code(&self) -> u8 {
        self.code.kind().exit_code()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_ref().map(|c| c.as_ref() as _)
    }
}
