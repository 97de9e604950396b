//! A command as every caller sees it, and the catalog of all of them.

mod actor;
mod hooks;
mod watch;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt;

use clap::{ArgMatches, FromArgMatches as _};

use crate::answer::Answer;
use crate::clock::{Clock, Meter};
use crate::contract::Contract;
use crate::environment::Env;
use crate::error::{Code, Error, Result};
use crate::tracker::{Actor, Opening, Tracker};

pub use crate::contract::Want;
pub use watch::{Caller, Watch};

/// The options that every command takes (surfaces.md §1, storage.md §6.1).
#[derive(Clone, Debug, Default)]
pub struct Globals {
    /// `--json`.
    pub json: bool,
    /// `--lean`: no nulls, no empty containers in JSON.
    pub lean: bool,
    /// `--quiet`: nothing on stdout.
    pub quiet: bool,
    /// `--explain`: reasons at length, in help and errors.
    pub explain: bool,
    /// `--full-envelope`: the descriptive keys too.
    pub full_envelope: bool,
    /// `--id-only` of a mutation: `id` and `status`.
    pub id_only: bool,
    /// `--full-changed-fields` of a mutation: the whole item and the list of changed fields.
    pub full_changed_fields: bool,
    /// `--no-changed-fields` of a mutation.
    pub no_changed_fields: bool,
    /// `--author`.
    pub author: Option<String>,
    /// `--session`.
    pub session: Option<String>,
    /// `--pm-path`, or its older name `--path`.
    pub pm_path: Option<String>,
    /// `--force`, where a command takes it.
    pub force: bool,
    /// `--dry-run` of a mutation.
    pub dry_run: bool,
    /// `--if-hash` of a mutation.
    pub if_hash: Option<String>,
    /// `--if-updated-at` of a mutation.
    pub if_updated_at: Option<String>,
}

/// Reads all of standard input; the edge provides it, since nothing below touches the process.
pub type ReadInput = Box<dyn Fn() -> std::io::Result<String>>;

/// What a command may use: the tracker, the clock, who asks and how much of the answer is wanted.
pub struct Context {
    /// The only clock.
    pub clock: Clock,
    /// What of the answer is wanted.
    pub want: Want,
    /// The options that every command takes.
    pub globals: Globals,
    /// The values of flags that the tracker's own schema declares (`--effort 3`), by metadata key.
    pub custom: BTreeMap<String, Vec<String>>,
    /// The surroundings of the call.
    pub env: Env,
    /// All commands, for those that speak about them.
    pub catalog: Catalog,
    /// The words of the call after `pm`, as given; errors quote them.
    pub argv: Vec<String>,
    /// Who waits for the answer.
    pub watch: Watch,
    /// The bodies of documents that the same server handed out before; none counts them for a process.
    pub bodies: Option<Meter>,
    input: ReadInput,
    tracker: OnceCell<Tracker>,
    actor: OnceCell<Actor>,
    stdin: OnceCell<String>,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("argv", &self.argv)
            .field("globals", &self.globals)
            .finish_non_exhaustive()
    }
}

impl Context {
    /// A context in which nothing has been opened or read yet.
    pub fn new(catalog: Catalog, env: Env, clock: Clock, input: ReadInput) -> Context {
        Context {
            clock,
            want: Want::default(),
            globals: Globals::default(),
            custom: BTreeMap::new(),
            env,
            catalog,
            argv: Vec::new(),
            watch: Watch::default(),
            bodies: None,
            input,
            tracker: OnceCell::new(),
            actor: OnceCell::new(),
            stdin: OnceCell::new(),
        }
    }

    /// The tracker, opened at the first call.
    ///
    /// Errors: `tracker_not_initialized` and the other faults of storage.md §1.1.
    pub fn tracker(&self) -> Result<&Tracker> {
        once(&self.tracker, || {
            let pm_path = self.globals.pm_path.as_deref();
            Tracker::open(&Opening { pm_path, env: &self.env, clock: &self.clock })
        })
    }

    /// The tracker if the call has opened it already.
    pub fn opened(&self) -> Option<&Tracker> {
        self.tracker.get()
    }

    /// Who asks; where there is no tracker yet, as far as call and environment tell.
    pub fn actor(&self) -> Result<&Actor> {
        once(&self.actor, || {
            let settings = self.tracker().ok().map(Tracker::settings);
            Ok(actor::resolve(&self.globals, &self.env, settings))
        })
    }

    /// All of standard input as text, read at the first call.
    pub fn stdin(&self) -> Result<&str> {
        once(&self.stdin, || {
            (self.input)().map_err(|cause| {
                Error::new(
                    Code::StdinUnreadable,
                    format!("standard input cannot be read as UTF-8 text: {cause}"),
                )
                .because(cause)
            })
        })
        .map(String::as_str)
    }
}

/// The value of a cell, made at the first call; a failure is not kept.
fn once<T>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = make()?;
    Ok(cell.get_or_init(|| value))
}

/// A command: a contract, typed arguments, one function.
pub trait Command {
    /// What it promises.
    const CONTRACT: Contract;
    /// Its own arguments; the doc comments of the fields are its help.
    type Args: clap::Args;
    /// Computes the answer; prints nothing.
    fn run<'a>(args: Self::Args, context: &'a Context) -> Result<Answer<'a>>;
}

/// A command with its types erased.
#[derive(Clone, Copy)]
pub struct Surface {
    /// What it promises.
    pub contract: &'static Contract,
    augment: fn(clap::Command) -> clap::Command,
    run: for<'a> fn(&mut ArgMatches, &'a Context) -> Result<Answer<'a>>,
}

impl fmt::Debug for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Surface({})", self.name())
    }
}

impl Surface {
    /// Erases the types of a command.
    pub const fn of<C: Command>() -> Surface {
        Surface {
            contract: const { &C::CONTRACT },
            augment: <C::Args as clap::Args>::augment_args,
            run: |matches, context| C::run(C::Args::from_arg_matches_mut(matches).map_err(refused)?, context),
        }
    }

    /// Its words, joined by blanks: `config get`.
    pub fn name(&self) -> String {
        self.contract.path.join(" ")
    }

    /// Adds the command's own arguments to a parser.
    pub fn augment(&self, parser: clap::Command) -> clap::Command {
        (self.augment)(parser)
    }

    /// Refuses what the caller expects of an item where there is none to compare with.
    fn nothing_expected(&self, globals: &Globals) -> Result<()> {
        let flags = [("--if-hash", &globals.if_hash), ("--if-updated-at", &globals.if_updated_at)];
        match flags.into_iter().find_map(|(flag, value)| Some((flag, value.as_deref()?))) {
            None => Ok(()),
            Some((flag, value)) => {
                let message =
                    format!("{flag} has no meaning here: `pm {}` changes no single item", self.name());
                Err(Error::new(Code::InvalidArgumentValue, message).at(flag).rejecting(value))
            }
        }
    }

    /// Runs the command on parsed arguments.
    pub fn run<'a>(&self, matches: &mut ArgMatches, context: &'a Context) -> Result<Answer<'a>> {
        if !self.contract.expects {
            self.nothing_expected(&context.globals)?;
        }
        let answer = (self.run)(matches, context)?;
        Ok(hooks::after(self, answer, context))
    }
}

/// Typed arguments could not be made of parsed ones: the declaration disagrees with itself.
fn refused(error: clap::Error) -> Error {
    Error::new(Code::InvalidArgumentValue, error.to_string())
}

/// Every command, in the order of help.
#[derive(Clone, Copy, Debug)]
pub struct Catalog(pub &'static [Surface]);

impl Catalog {
    /// The command with exactly this path.
    pub fn find(&self, path: &[&str]) -> Option<&'static Surface> {
        self.0.iter().find(|surface| surface.contract.path == path)
    }

    /// Whether a line such as `pm merge install --dry-run` begins with a command that there is.
    pub fn declares(&self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().skip_while(|word| *word == "pm").collect();
        self.iter().any(|surface| words.starts_with(surface.contract.path))
    }

    /// All commands.
    pub fn iter(&self) -> impl Iterator<Item = &'static Surface> + use<> {
        self.0.iter()
    }
}
