//! One call, from its words to the bytes it prints; nothing here touches the process.

use crate::clock::Clock;
use crate::commands::CATALOG;
use crate::environment::Env;
use crate::error::report::{self, Attempt};
use crate::error::{Error, Result};
use crate::grammar;
use crate::surface::{Context, ReadInput};

use super::argv::{self, Destination, Flags, Route};
use super::speech::{self, Speech};
use super::{encode, globals, help, refusal};

/// A call as it arrived.
#[derive(Debug)]
pub(super) struct Call {
    /// Everything after `pm`.
    pub(super) argv: Vec<String>,
    /// The surroundings.
    pub(super) env: Env,
    /// Whether somebody looks at standard output.
    pub(super) terminal: bool,
}

/// What a call printed and how it ends.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    pub(super) code: u8,
}

impl Outcome {
    fn said(text: String) -> Outcome {
        Outcome { stdout: text.into_bytes(), ..Outcome::default() }
    }
}

impl Call {
    /// Runs it.
    pub(super) fn run(self, input: ReadInput) -> Outcome {
        match self.answer(input) {
            Ok(outcome) => outcome,
            Err(error) => self.failed(error),
        }
    }

    /// How it ends when it failed: nothing on stdout, the error on stderr in the encoding that was asked for.
    ///
    /// The encoding is read from the words alone: the parser may be what failed.
    pub(super) fn failed(&self, error: Error) -> Outcome {
        let code = error.exit_code();
        let command = argv::named(&self.argv, CATALOG);
        let error = refusal::with_way_out(error, &self.argv, command.as_deref());
        let attempt = Attempt { argv: &self.argv, explain: speech::says(&self.argv, "--explain") };
        let stderr = match speech::of_words(&self.argv, &self.env) {
            Some(Speech::Json) => report::json(&error, &attempt),
            _ => report::text(&error, &attempt),
        };
        Outcome { stdout: Vec::new(), stderr, code }
    }

    fn answer(&self, input: ReadInput) -> Result<Outcome> {
        let wish = help::Wish {
            json: speech::of_words(&self.argv, &self.env) == Some(Speech::Json),
            explain: speech::says(&self.argv, "--explain"),
        };
        match argv::route(&self.argv, CATALOG)? {
            Destination::Command(route) => self.command(route, input),
            Destination::Version => Ok(Outcome::said(format!("{}\n", env!("CARGO_PKG_VERSION")))),
            Destination::Help(words) => help::page(&words, CATALOG, wish).map(Outcome::said),
        }
    }

    fn command(&self, route: Route, input: ReadInput) -> Result<Outcome> {
        let Route { surface, args, deprecated } = route;
        let name = surface.name();
        let mut parser = grammar::parser(surface);
        let args = Flags::of(&parser).canonical(args, &|flag, longs| {
            refusal::unknown_flag(&name, flag, longs, grammar::declares(CATALOG, flag))
        })?;
        let parsed = parser.try_get_matches_from_mut(args);
        let mut matches = parsed.map_err(|error| refusal::parsed(&error, &name, &parser))?;
        let mut context = Context::new(CATALOG, self.env.clone(), Clock::System, input);
        context.clock = globals::clock(&context.env)?;
        context.argv = self.argv.clone();
        context.globals = globals::read(&matches);
        let mut outcome = Outcome::default();
        let answer = surface.run(&mut matches, &context)?;
        if !context.globals.quiet {
            outcome.stdout = encode::answer(&answer, &context.globals, self.terminal)?;
        }
        if let Some(old) = deprecated {
            outcome.stderr = format!("`pm {}` is deprecated; say `pm {}`\n", old.word, old.argv.join(" "));
        }
        Ok(outcome)
    }
}
