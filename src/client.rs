//! The program as a library: a method for each command, [`PmClient::page`] for typed rows, [`PmClient::call`] and
//! [`PmClient::run`] for commands by their words.
//!
//! A client goes the same road as the command line (one parser, one pipeline) and so answers the same, errors included.
//! It prints nothing, ends no process, and reads no variable of the environment that it was not given.
//!
//! ```
//! use pm::client::PmClient;
//! use pm::read_output::ReadOutputOptions;
//! use pm::rows::ItemRow;
//! use serde_json::json;
//!
//! # fn main() -> pm::error::Result<()> {
//! # let folder = std::env::temp_dir().join(format!("pm-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).ok();
//! let pm = PmClient::new(&folder).author("alice");
//! pm.run(["init"])?;
//! let made = pm.create("Fix the login", [("priority", json!("high")), ("tags", json!(["web"]))])?;
//! let id = made["id"].as_str().unwrap_or_default().to_owned();
//! let page = pm.list([("tag", json!("web")), ("outputLimit", json!(10))])?;
//! assert_eq!(page["items"][0]["id"], id);
//! // The same with rows of a type, and the output controls of a builder.
//! let page = pm.page::<ItemRow>(([("tag", json!("web"))], ReadOutputOptions::new().limit(10).budget(800)))?;
//! assert_eq!((page.rows[0].id.as_str(), page.rows[0].title.as_deref()), (id.as_str(), Some("Fix the login")));
//! pm.close(&id, "Sessions no longer expire early")?;
//! let gone = pm.get("pm-none", []).unwrap_err();
//! assert_eq!((gone.code.as_str(), gone.exit_code()), ("item_not_found", 3));
//! # std::fs::remove_dir_all(&folder).ok();
//! # Ok(())
//! # }
//! ```

mod arguments;
mod methods;
mod page;

use std::path::PathBuf;

use serde_json::{Map, Value};

pub use arguments::Arguments;
pub use methods::METHODS;
pub use page::{Page, Pages};

use crate::cli;
use crate::environment::Env;
use crate::error::{Code, Error, Result};

/// The options of a call, by the names of its JSON Schema: `outputLimit`, `addTags`, ...
pub type Options = Map<String, Value>;

/// A client of the tracker of a folder.
#[derive(Clone, Debug)]
pub struct PmClient {
    env: Env,
}

/// What a call answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// The answer, as `--json` prints it.
    pub value: Value,
    /// The exit code of the command line: not 0 when a gate failed, or when a budget held no useful result.
    pub exit_code: u8,
}

impl PmClient {
    /// A client that works in a folder, as if `pm` were called there; without variables of the environment.
    pub fn new(folder: impl Into<PathBuf>) -> PmClient {
        PmClient::with(Env::new(folder, []))
    }

    /// A client with surroundings of its own: `PM_CLOCK`, `PM_SEED`, `PM_SESSION` and others hold as for the binary.
    pub fn with(env: Env) -> PmClient {
        PmClient { env }
    }

    /// Who makes the changes.
    pub fn author(mut self, author: impl Into<String>) -> PmClient {
        // Not as a flag: `--author` of some reads is a filter.
        self.env = self.env.and("PM_AUTHOR", author);
        self
    }

    /// Whose claims these are, when several sessions share one author.
    pub fn session(mut self, session: impl Into<String>) -> PmClient {
        self.env = self.env.and("PM_SESSION", session);
        self
    }

    /// Runs the words that follow `pm`; the answer is what `--json` prints.
    ///
    /// Errors: those of the command, with their codes. A gate that failed and a result that no budget of this size holds
    /// are answers: see [`PmClient::reply`] and [`crate::read_output::is_read_output_budget_exceeded`].
    pub fn run<S: Into<String>>(&self, words: impl IntoIterator<Item = S>) -> Result<Value> {
        self.reply(words).map(|reply| reply.value)
    }

    /// The same with the exit code.
    pub fn reply<S: Into<String>>(&self, words: impl IntoIterator<Item = S>) -> Result<Reply> {
        self.answered(words.into_iter().map(Into::into).collect(), None)
    }

    /// Runs a command by its name (`list`, `plan add-step`) with options by the names of its JSON Schema. `stdin` is
    /// the option for what a command reads from standard input.
    ///
    /// Errors: `unknown_command`; `unknown_option` for a name that is no option; those of the command.
    pub fn call(&self, command: &str, arguments: impl Into<Arguments>) -> Result<Value> {
        let mut options = arguments.into().into_map();
        let stdin = options.shift_remove("stdin").map(|text| match text {
            Value::String(text) => text,
            other => other.to_string(),
        });
        let words = cli::words(command, &options, &self.env)?;
        self.answered(words, stdin).map(|reply| reply.value)
    }

    fn answered(&self, words: Vec<String>, stdin: Option<String>) -> Result<Reply> {
        let (bytes, exit_code) = cli::answered(words, &self.env, stdin)?;
        let value = match serde_json::from_slice(&bytes) {
            Ok(value) => value,
            Err(_) => Value::String(String::from_utf8(bytes).map_err(|cause| {
                Error::new(Code::InvalidArgumentValue, "the answer is no text").because(cause)
            })?),
        };
        Ok(Reply { value, exit_code })
    }
}
