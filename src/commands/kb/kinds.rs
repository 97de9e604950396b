//! `pm kb kinds`.

use serde_json::json;

use super::place;
use crate::answer::{Answer, Rows, row};
use crate::contract::{Contract, Example, surfaces};
use crate::error::{Code, Result};
use crate::kb::Library;
use crate::kb::kind::Kind;
use crate::surface::{Command, Context};

/// Shows the kinds, their prefixes, and how many documents each has.
pub(in crate::commands) struct Kinds;

/// Arguments of `pm kb kinds`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {}

impl Command for Kinds {
    const CONTRACT: Contract = Contract {
        path: &["kb", "kinds"],
        about: "Show the kinds of documents, the paths that stand for them, and how many there are",
        read_output: Some(surfaces::KB_KINDS),
        errors: &[Code::KbConfigInvalidKind, Code::RepositoryMissing],
        examples: &[Example { about: "What is there", argv: &["kb", "kinds"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(_: Args, context: &'a Context) -> Result<Answer<'a>> {
        let place = place(context)?;
        let library = Library::open(&place, place.config()?)?;
        let of = |kind: Kind| library.corpus.entries.iter().filter(|entry| entry.kind == kind).count();
        let rows = Kind::ALL.into_iter().map(|kind| {
            row([
                ("kind", json!(kind.as_str())),
                ("prefixes", json!(library.config.kind_map.prefixes(kind))),
                ("documents", json!(of(kind))),
            ])
        });
        Ok(Answer::new().rows("kinds", Rows::ready(rows.collect())))
    }
}
