//! The command line: arguments in, bytes and an exit code out.

mod argv;
mod encode;
mod globals;
mod help;
mod refusal;

use std::io::{IsTerminal, Read, Write};
use std::process::ExitCode;

use crate::clock::Clock;
use crate::commands::CATALOG;
use crate::environment::Env;
use crate::error::report::{self, Attempt};
use crate::error::{Code, Error, Result};
use crate::grammar;
use crate::surface::{Context, ReadInput};
use argv::{Destination, Flags, Route};

/// What a call produced.
#[derive(Debug, Default)]
struct Outcome {
    stdout: Vec<u8>,
    stderr: String,
    code: u8,
}

/// Runs the process.
pub fn main() -> ExitCode {
    let mut argv = Vec::new();
    let mut outcome = Outcome::default();
    for argument in std::env::args_os().skip(1) {
        match argument.into_string() {
            Ok(text) => argv.push(text),
            Err(bytes) => {
                let shown = bytes.to_string_lossy().into_owned();
                let error = Error::new(Code::InvalidArgumentValue, format!("`{shown}` is not UTF-8"));
                argv.push(shown);
                outcome = failed(&error, &argv);
            }
        }
    }
    if outcome.code == 0 {
        let terminal = std::io::stdout().is_terminal();
        let input: ReadInput = Box::new(|| {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map(|_| text)
        });
        outcome = call(&argv, surroundings(), input, terminal);
    }
    write(outcome)
}

/// The environment, read here and nowhere else. A variable that is not UTF-8 is one that we do not know.
fn surroundings() -> Env {
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Env::new(std::env::current_dir().unwrap_or_default(), variables)
}

/// Writes in one go; a reader that left early is no error.
fn write(outcome: Outcome) -> ExitCode {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(&outcome.stdout).and_then(|()| stdout.flush());
    if let Err(error) = written {
        let quiet = error.kind() == std::io::ErrorKind::BrokenPipe;
        return ExitCode::from(if quiet { 0 } else { 1 });
    }
    if std::io::stderr().lock().write_all(outcome.stderr.as_bytes()).is_err() {
        return ExitCode::from(1);
    }
    ExitCode::from(outcome.code)
}

/// Runs one call.
fn call(argv: &[String], env: Env, input: ReadInput, terminal: bool) -> Outcome {
    match answer(argv, env, input, terminal) {
        Ok(outcome) => outcome,
        Err(error) => failed(&error, argv),
    }
}

/// A failed call. JSON is asked for by the words of the call alone: the parser may be what failed.
fn failed(error: &Error, argv: &[String]) -> Outcome {
    let stderr = if wants_json(argv) { report::json(error, &Attempt { argv }) } else { report::text(error) };
    Outcome { stdout: Vec::new(), stderr, code: error.exit_code() }
}

fn wants_json(argv: &[String]) -> bool {
    let flags: Vec<&str> = argv.iter().map(String::as_str).take_while(|word| *word != "--").collect();
    flags.contains(&"--json")
        || flags.contains(&"--output-format=json")
        || flags.windows(2).any(|pair| pair == ["--output-format", "json"])
}

fn answer(argv: &[String], env: Env, input: ReadInput, terminal: bool) -> Result<Outcome> {
    let route = match argv::route(argv, CATALOG)? {
        Destination::Command(route) => route,
        Destination::Version => return Ok(said(format!("{}\n", env!("CARGO_PKG_VERSION")))),
        Destination::Help(words) => return help::page(&words, CATALOG, wants_json(argv)).map(said),
        Destination::Bare => return help::page(&[], CATALOG, wants_json(argv)).map(said),
    };
    run(route, argv, env, input, terminal)
}

fn said(text: String) -> Outcome {
    Outcome { stdout: text.into_bytes(), ..Outcome::default() }
}

fn run(route: Route, argv: &[String], env: Env, input: ReadInput, terminal: bool) -> Result<Outcome> {
    let Route { surface, args, deprecated } = route;
    let name = surface.name();
    let parser = grammar::parser(surface);
    let args = Flags::of(&parser).canonical(args, &|flag, longs| {
        refusal::unknown_flag(&name, flag, longs, grammar::declares(CATALOG, flag))
    })?;
    let mut matches =
        parser.clone().try_get_matches_from(args).map_err(|error| refusal::parsed(&error, &name, &parser))?;
    let mut context = Context::new(CATALOG, env, Clock::System, input);
    context.clock = globals::clock(&context.env)?;
    context.argv = argv.to_vec();
    context.globals = globals::read(&matches);
    let mut outcome = Outcome::default();
    let answer = surface.run(&mut matches, &context)?;
    if !context.globals.quiet {
        outcome.stdout = encode::answer(&answer, &context.globals, terminal)?;
    }
    if let Some(old) = deprecated {
        outcome.stderr = format!("`pm {}` is deprecated; say `pm {}`\n", old.word, old.argv.join(" "));
    }
    Ok(outcome)
}
