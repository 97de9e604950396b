//! What the process was given by its surroundings, read once at the edge; nothing below reads it again.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The environment variables and the working directory of a call.
#[derive(Clone, Debug, Default)]
pub struct Env {
    variables: BTreeMap<String, String>,
    /// Where the call was made; the search for a tracker starts here.
    pub cwd: PathBuf,
    /// This program, as others are to call it.
    pub program: PathBuf,
}

impl Env {
    /// An environment of these variables; tests and servers make their own.
    pub fn new(cwd: impl Into<PathBuf>, variables: impl IntoIterator<Item = (String, String)>) -> Env {
        Env { variables: variables.into_iter().collect(), cwd: cwd.into(), program: PathBuf::from("pm") }
    }

    /// The same with one more variable, or another value of one.
    pub fn and(mut self, name: &str, value: impl Into<String>) -> Env {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// A variable as it stands, blank or not.
    pub fn raw(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// What follows this beginning in the names of variables.
    pub fn endings<'e>(&'e self, beginning: &'e str) -> impl Iterator<Item = &'e str> {
        self.variables.keys().filter_map(move |name| name.strip_prefix(beginning))
    }

    /// A variable, trimmed; a blank one counts as unset.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.raw(name).map(str::trim).filter(|value| !value.is_empty())
    }
}
