//! A command as every caller sees it, and the catalog of all of them.

use std::collections::BTreeMap;

use crate::answer::Answer;
use crate::clock::Clock;
use crate::contract::Contract;
use crate::error::Result;
use crate::tracker::{Actor, Tracker};

/// What of the answer is wanted, known before a command computes anything.
#[derive(Clone, Debug, Default)]
pub struct Want {
    /// The projection mode: `brief`, `compact`, `full`, ...; from `--output-include` or its older flag.
    pub mode: Option<String>,
    /// The selected fields or sections, in the order given.
    pub fields: Option<Vec<String>>,
    /// The intent of `--for`.
    pub intent: Option<String>,
}

/// The options that every command takes.
#[derive(Clone, Debug, Default)]
pub struct Globals {
    /// `--force`, where a command takes it.
    pub force: bool,
    /// `--dry-run` of a mutation.
    pub dry_run: bool,
    /// `--if-hash` of a mutation.
    pub if_hash: Option<String>,
    /// `--if-updated-at` of a mutation.
    pub if_updated_at: Option<String>,
}

/// What a command may use: the tracker, the clock, who asks and how much of the answer is wanted.
#[derive(Debug)]
pub struct Context {
    /// The only clock.
    pub clock: Clock,
    /// What of the answer is wanted.
    pub want: Want,
    /// The options that every command takes.
    pub globals: Globals,
    /// The values of flags that the tracker's own schema declares (`--effort 3`), by metadata key.
    pub custom: BTreeMap<String, Vec<String>>,
}

impl Context {
    /// The tracker, opened at the first call.
    ///
    /// Errors: `tracker_not_initialized` and the other faults of storage.md §1.1.
    pub fn tracker(&self) -> Result<&Tracker> {
        todo!()
    }

    /// Who asks.
    pub fn actor(&self) -> Result<&Actor> {
        todo!()
    }

    /// All of standard input as text, read at the first call.
    pub fn stdin(&self) -> Result<&str> {
        todo!()
    }
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
