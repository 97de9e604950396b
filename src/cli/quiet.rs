//! Calls without a process: of tools, and of callers of the library. One parser, one pipeline, the same bytes.

use serde_json::{Map, Value};

use crate::clock::Clock;
#[cfg(feature = "mcp")]
use crate::clock::Meter;
use crate::commands::CATALOG;
use crate::environment::Env;
#[cfg(feature = "mcp")]
use crate::error::Error;
use crate::error::Result;
#[cfg(feature = "mcp")]
use crate::surface::Watch;
use crate::surface::{Context, ReadInput};

use super::call::{self, Call, Outcome, Reader, Unformatted};
use super::{argv, speech, words};

/// A call of words.
pub(super) struct Quiet {
    call: Call,
    stdin: Option<String>,
}

impl Quiet {
    /// Of these words; the answer is JSON unless they ask for another encoding.
    pub(super) fn of(mut argv: Vec<String>, env: Env, stdin: Option<String>) -> Quiet {
        let end = argv.iter().position(|word| word == "--").unwrap_or(argv.len());
        let asked = speech::value(&argv, "--output-format").and_then(speech::Speech::named);
        let unformatted = asked.is_none() && !speech::says(&argv, "--json");
        if unformatted {
            // Errors, and what no pipeline writes, are JSON too.
            argv.insert(end, "--json".to_owned());
        }
        let unformatted = if unformatted { Unformatted::Value } else { Unformatted::No };
        Quiet { call: Call { argv, env, unformatted, ..Call::default() }, stdin }
    }

    /// The same for somebody who listens, at a server that counts bodies.
    #[cfg(feature = "mcp")]
    pub(super) fn heard(mut self, watch: Watch, bodies: Meter) -> Quiet {
        if self.call.unformatted == Unformatted::Value {
            self.call.unformatted = Unformatted::Text;
        }
        self.call.watch = watch;
        self.call.bodies = Some(bodies);
        self
    }

    /// What it prints and how it ends.
    ///
    /// Errors: those of the command.
    pub(super) fn answer(&self) -> Result<Outcome> {
        let mut early: Vec<u8> = Vec::new();
        let mut send = |bytes: &[u8]| {
            early.extend_from_slice(bytes);
            true
        };
        // What goes on without an end ends at once, what converses has nobody to converse with.
        let mut reader =
            Reader { send: &mut send, wait: &mut |_| false, lines: &mut || std::sync::mpsc::channel().1 };
        let mut outcome = self.call.answer(given(self.stdin.clone()), &mut reader)?;
        outcome.stdout.splice(0..0, early);
        Ok(outcome)
    }

    /// How it ends after an error.
    #[cfg(feature = "mcp")]
    pub(super) fn failed(&self, error: Error) -> Outcome {
        self.call.failed(error)
    }
}

/// The context of a call before its words are known.
pub(super) fn around(arguments: &Map<String, Value>, env: &Env) -> Context {
    let path = arguments.get("pmPath").or_else(|| arguments.get("pm_path")).and_then(Value::as_str);
    let mut context = Context::new(CATALOG, env.clone(), Clock::System, silent());
    context.globals.pm_path = path.map(str::to_owned);
    context
}

/// The words of a command by its name and its arguments.
///
/// Errors: `unknown_command`, and those of [`words::of`].
pub(super) fn spelled(command: &str, arguments: &Map<String, Value>, env: &Env) -> Result<Vec<String>> {
    let path: Vec<&str> = command.split_whitespace().collect();
    let surface = argv::resolve(&path, CATALOG).ok_or_else(|| argv::unknown(&path, &[], CATALOG))?;
    let context = around(arguments, env);
    words::of(surface, arguments, &|| call::fields(&context))
}

fn given(stdin: Option<String>) -> ReadInput {
    match stdin {
        Some(text) => Box::new(move || Ok(text.clone())),
        None => silent(),
    }
}

pub(super) fn silent() -> ReadInput {
    Box::new(|| Err(std::io::Error::other("a call of a tool has no standard input; give it as `stdin`")))
}
