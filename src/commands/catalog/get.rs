//! `pm catalog get`.

use serde_json::Value;

use super::{Reading, compiled, record};
use crate::answer::Answer;
use crate::contract::{Contract, Example, surfaces};
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Shows one record as it is served.
pub(in crate::commands) struct Get;

/// Arguments of `pm catalog get`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The record: its id, its slug, or a former slug
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    reading: Reading,
}

impl Command for Get {
    const CONTRACT: Contract = Contract {
        path: &["catalog", "get"],
        about: "Show a record as it is served: steps, level, evidence",
        read_output: Some(surfaces::CATALOG_GET),
        errors: &[
            Code::CatalogRecordNotFound,
            Code::CatalogSourceInvalid,
            Code::CatalogSettingsInvalid,
            Code::RevisionNotFound,
            Code::RepositoryMissing,
        ],
        examples: &[Example { about: "By its slug", argv: &["catalog", "get", "rotate-api-token"] }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let (compiled, _) = compiled(context, &args.reading)?;
        let item = record(&compiled, &args.id)?;
        let served: Value = serde_json::from_slice(item.rendered.artifact()).unwrap_or(Value::Null);
        Ok(Answer::new().record("record", served).value("as_of", compiled.as_of.to_string()))
    }
}
