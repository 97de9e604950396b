//! One call, from its words to the bytes it prints; nothing here touches the process.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crate::answer::{Answer, Follow};
use crate::clock::{Clock, Meter};
use crate::codec::{json, toon};
use crate::commands::CATALOG;
use crate::contract::Refusals;
use crate::environment::Env;
use crate::error::report::{self, Attempt};
use crate::error::{Error, Result};
use crate::grammar;
use crate::model::schema::Field;
use crate::model::timestamp;
use crate::read_output::{self, Controls, Environment, ServeReceipt};
use crate::surface::{Context, ReadInput, Surface, Watch};
use crate::tracker::Tracker;

use super::argv::{self, Destination, Route};
use super::flags::{Canonical, Flags};
use super::speech::{self, Speech};
use super::{contract, globals, help, mcp, output, refusal};

/// A call as it arrived.
#[derive(Debug, Default)]
pub(super) struct Call {
    /// Everything after `pm`.
    pub(super) argv: Vec<String>,
    /// The surroundings.
    pub(super) env: Env,
    /// Whether somebody looks at standard output.
    pub(super) terminal: bool,
    /// Nobody asked for an encoding, and what follows from that.
    pub(super) unformatted: Unformatted,
    /// Who waits for the answer.
    pub(super) watch: Watch,
    /// The bodies of documents that the server of the call handed out.
    pub(super) bodies: Option<Meter>,
}

/// A call that asks for no encoding keeps the smaller ceiling of its class (seed 001, Cost).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Unformatted {
    /// Somebody did, or the surroundings decide.
    #[default]
    No,
    /// The answer is a value, measured as JSON in one line.
    Value,
    /// The answer is a text, JSON as the command line writes it.
    Text,
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

/// Who reads standard output while a call goes on; each says whether there still is somebody.
pub(super) struct Reader<'r> {
    /// Hands bytes over.
    pub(super) send: &'r mut dyn FnMut(&[u8]) -> bool,
    /// Waits for so long, or until there is nobody.
    pub(super) wait: &'r mut dyn FnMut(Duration) -> bool,
    /// The lines of standard input as they come, for who converses.
    pub(super) lines: &'r mut dyn FnMut() -> Receiver<Vec<u8>>,
}

impl Call {
    /// Runs it.
    pub(super) fn run(self, input: ReadInput, reader: &mut Reader<'_>) -> Outcome {
        match self.answer(input, reader) {
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
        if let Some(answer) = error.answer() {
            return self.refused(&error, &answer);
        }
        let error = refusal::with_way_out(error, &self.argv, command.as_deref(), &|argv| self.parses(argv));
        let attempt = Attempt { argv: &self.argv, explain: speech::says(&self.argv, "--explain") };
        let speech = speech::of_words(&self.argv, &self.env).or_else(|| self.speech_of_settings());
        let stderr = match speech {
            Some(Speech::Json) => report::json(&error, &attempt),
            _ => report::text(&error, &attempt),
        };
        Outcome { stdout: Vec::new(), stderr, code }
    }

    /// A refusal by a contract is an answer: on standard output in the encoding that was asked for, with one line on
    /// standard error (product.md §9).
    fn refused(&self, error: &Error, answer: &serde_json::Value) -> Outcome {
        let speech = speech::of_words(&self.argv, &self.env).or_else(|| self.speech_of_settings());
        let mut text = match speech {
            Some(Speech::Json) => json::pretty(answer),
            _ => toon::encode(answer).unwrap_or_default(),
        };
        text.push('\n');
        let attempt = Attempt { argv: &self.argv, explain: false };
        let quiet = speech::says(&self.argv, "--quiet");
        Outcome {
            stdout: if quiet { Vec::new() } else { text.into_bytes() },
            stderr: report::text(error, &attempt),
            code: error.exit_code(),
        }
    }

    /// Whether a call is well-formed; nothing of it is run.
    fn parses(&self, argv: &[String]) -> bool {
        let Ok(Destination::Command(route)) = argv::route(argv, CATALOG) else { return false };
        let context = self.context(Clock::System, Box::new(|| Ok(String::new())));
        let parsed = self.parser(route.surface, &route.args, &context);
        parsed.is_ok_and(|(parser, canonical)| parser.try_get_matches_from(canonical.args).is_ok())
    }

    /// The encoding that the tracker asks for, where there is one.
    fn speech_of_settings(&self) -> Option<Speech> {
        let context = self.context(Clock::System, Box::new(|| Ok(String::new())));
        let settings = context.tracker().ok()?.settings();
        Speech::named(settings.text("output.default_format"))
    }

    /// What it answers; an error is a value yet.
    pub(super) fn answer(&self, input: ReadInput, reader: &mut Reader<'_>) -> Result<Outcome> {
        let wish = help::Wish {
            json: speech::of_words(&self.argv, &self.env) == Some(Speech::Json),
            explain: speech::says(&self.argv, "--explain"),
        };
        match argv::route(&self.argv, CATALOG)? {
            Destination::Command(route) if route.surface.contract.refusals != Refusals::Program => {
                let surface = route.surface;
                let ran = self.command(route, input, reader);
                ran.map_err(|error| contract::refusal(error, surface, &self.argv))
            }
            Destination::Command(route) => self.command(route, input, reader),
            Destination::Version => Ok(Outcome::said(format!("{}\n", env!("CARGO_PKG_VERSION")))),
            Destination::Help(words) => {
                let context = self.context(Clock::System, input);
                help::page(&words, CATALOG, wish, &|| fields(&context)).map(Outcome::said)
            }
        }
    }

    fn command(&self, route: Route, input: ReadInput, reader: &mut Reader<'_>) -> Result<Outcome> {
        let began = Instant::now();
        let Route { surface, args, deprecated } = route;
        let mut context = self.context(globals::clock(&self.env)?, input);
        let name = surface.name();
        let (mut parser, canonical) = self.parser(surface, &args, &context)?;
        let parsed = parser.try_get_matches_from_mut(&canonical.args);
        let mut matches = parsed.map_err(|error| refusal::parsed(&error, &name, &parser))?;
        context.globals = globals::read(&matches);
        context.custom = grammar::field_values(&matches);
        let settings = context.tracker().ok().map(Tracker::settings);
        let defaults = output::defaults(self.terminal, &self.env, settings);
        let mut given = output::args(&matches, canonical.typed, defaults);
        match self.unformatted {
            Unformatted::No => {}
            Unformatted::Value => (given.json, given.defaults.library) = (false, true),
            Unformatted::Text => given.defaults.tool = true,
        }
        let controls = read_output::resolve(surface.contract, &given)?;
        context.want = controls.want.clone();
        let parsed = began.elapsed();
        let mut answer = with_warnings(surface.run(&mut matches, &context)?, &context);
        if let Some(tools) = &answer.converse {
            return mcp::serve(&self.env, tools, (reader.lines)(), reader.send).map(|()| Outcome::default());
        }
        let follow = answer.follow.take().filter(|_| !context.globals.quiet);
        let ran = began.elapsed();
        let titles = |id: &str| context.opened()?.title(id);
        let width = super::terminal_width;
        let environment = output::environment(context.clock.now(), self.terminal, &self.env, width, &titles);
        let mut delivered = read_output::deliver(answer, &controls, &environment)?;
        if globals::is_set(&matches, "token-accounting") {
            delivered = read_output::account(delivered, &controls);
        }
        if let Some(receipt) = delivered.serve.as_ref().filter(|_| !context.globals.quiet) {
            note_served(receipt, &context);
        }
        let mut outcome = Outcome { code: delivered.exit_code, ..Outcome::default() };
        if !context.globals.quiet {
            outcome.stdout = delivered.bytes;
            outcome.stderr.extend(delivered.note.map(|note| format!("{note}\n")));
        }
        if let Some(follow) = follow
            && (reader.send)(&std::mem::take(&mut outcome.stdout))
        {
            go_on(follow, &controls, &environment, reader)?;
        }
        if let Some(old) = deprecated
            && hints_welcome(&context)
        {
            let (old, new) = (old.word, old.argv.join(" "));
            outcome.stderr.push_str(&format!("`pm {old}` is deprecated; use `pm {new}`\n"));
        }
        // A command may have an option of this name that takes a value.
        let own = |arg: &clap::Arg| arg.get_long() == Some("profile") && arg.get_action().takes_values();
        if speech::says(&self.argv, "--profile") && !parser.get_arguments().any(own) {
            let (parse, run, render) = (parsed, ran - parsed, began.elapsed() - ran);
            outcome.stderr.push_str(&format!(
                "profile:command={name} took_ms={} parse_us={} run_us={} render_us={}\n",
                began.elapsed().as_millis(),
                parse.as_micros(),
                run.as_micros(),
                render.as_micros()
            ));
        }
        Ok(outcome)
    }

    /// The context before the arguments are parsed. Flags that the tracker declares are known only when it is open,
    /// and where it is may be said by a flag too.
    fn context(&self, clock: Clock, input: ReadInput) -> Context {
        let mut context = Context::new(CATALOG, self.env.clone(), clock, input);
        context.argv = self.argv.clone();
        let path = speech::value(&self.argv, "--pm-path").or_else(|| speech::value(&self.argv, "--path"));
        context.globals.pm_path = path.map(str::to_owned);
        context.watch = self.watch.clone();
        context.bodies = self.bodies.clone();
        context
    }

    /// The parser of a command, and the arguments in its spelling. The tracker's own flags join only when a flag is
    /// met that nobody declared: no other call reads the schema for it.
    fn parser(
        &self,
        surface: &Surface,
        args: &[String],
        context: &Context,
    ) -> Result<(clap::Command, Canonical)> {
        let name = surface.name();
        let refuse = |flag: &str, longs: &[&str]| {
            refusal::unknown_flag(&name, flag, longs, grammar::declares(CATALOG, flag))
        };
        let parser = grammar::parser(surface);
        if !surface.contract.custom_flags {
            let args = Flags::of(&parser).canonical(args, &refuse)?;
            return Ok((parser, args));
        }
        if let Ok(args) = Flags::of(&parser).canonical(args, &refuse) {
            return Ok((parser, args));
        }
        let parser = grammar::with_fields(parser, surface.contract.path[0], fields(context));
        let args = Flags::of(&parser).canonical(args, &refuse)?;
        Ok((parser, args))
    }
}

/// Notes what a ranking read showed, where the tracker wants that. A feedback that cannot be kept is no reason to
/// withhold the answer.
fn note_served(receipt: &ServeReceipt, context: &Context) {
    let Ok(tracker) = context.tracker() else { return };
    if !tracker.wants_usage_feedback()
        || matches!(context.env.get("PM_CONTEXT_USAGE_DISABLED"), Some("1" | "true"))
    {
        return;
    }
    let Ok(actor) = context.actor() else { return };
    let at = timestamp::format(context.clock.now());
    let _ = tracker.note_served(&at, receipt.surface, &actor.author, &receipt.delivered);
}

/// Hands over what comes after an answer, until nobody reads it any more or nothing has come for long enough.
fn go_on(
    mut follow: Follow<'_>,
    controls: &Controls,
    environment: &Environment,
    reader: &mut Reader<'_>,
) -> Result<()> {
    let mut latest = Instant::now();
    loop {
        let there = match (follow.next)()? {
            Some(answer) => {
                latest = Instant::now();
                (reader.send)(&read_output::deliver(answer, controls, environment)?.bytes)
            }
            None if follow.idle.is_some_and(|idle| latest.elapsed() >= idle) => return Ok(()),
            None => (reader.wait)(follow.interval),
        };
        if !there {
            return Ok(());
        }
    }
}

/// The fields that the tracker declares; none where there is no tracker.
pub(super) fn fields(context: &Context) -> &[Field] {
    context.tracker().map(|tracker| tracker.schema().fields.as_slice()).unwrap_or_default()
}

/// An answer with what of settings and schema could not be used: every command goes on with defaults, and says so.
fn with_warnings<'a>(mut answer: Answer<'a>, context: &'a Context) -> Answer<'a> {
    // An answer of the retrieval contract has its warnings as that contract wants them.
    if answer.parts.contains_key("corpus") {
        return answer;
    }
    for warning in context.opened().into_iter().flat_map(Tracker::warnings) {
        if !answer.warnings.contains(warning) {
            answer.warnings.push(warning.clone());
        }
    }
    answer
}

/// Whether the tracker wants to hear of older spellings: the setting `ux.deprecation_hints`.
fn hints_welcome(context: &Context) -> bool {
    context.opened().is_none_or(|tracker| tracker.settings().flag("ux.deprecation_hints"))
}
