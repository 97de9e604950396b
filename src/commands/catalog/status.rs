//! `pm catalog status`.

use serde_json::{Value, json};

use super::{Reading, compiled};
use crate::answer::{Answer, Rows};
use crate::catalog::artifacts;
use crate::catalog::status;
use crate::contract::{Contract, Example, surfaces};
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Shows how old the judgements of a catalog are.
pub(in crate::commands) struct Status;

/// Arguments of `pm catalog status`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// List the levels that end within so many days
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16))]
    expiring_within: Option<u16>,
    #[command(flatten)]
    reading: Reading,
}

impl Command for Status {
    const CONTRACT: Contract = Contract {
        path: &["catalog", "status"],
        about: "Show how old the judgements are: levels, expiries, evidence, size of the search index",
        read_output: Some(surfaces::CATALOG_STATUS),
        errors: &[
            Code::CatalogSourceInvalid,
            Code::CatalogSettingsInvalid,
            Code::RevisionNotFound,
            Code::RepositoryMissing,
        ],
        examples: &[
            Example { about: "The same as status.json", argv: &["catalog", "status"] },
            Example {
                about: "What must be exercised again this quarter",
                argv: &["catalog", "status", "--expiring-within", "90"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let (compiled, mut cache) = compiled(context, &args.reading)?;
        let mut state = artifacts::status_of(&compiled, &mut cache);
        if let Some(days) = args.expiring_within {
            state.expiring = status::expiring(&compiled, i64::from(days));
        }
        let warnings = std::mem::take(&mut state.warnings);
        let Value::Object(fields) = json!(state) else { return Ok(Answer::new()) };
        let mut answer = Answer::new();
        for (key, value) in fields {
            answer = match (key.as_str(), value) {
                ("warnings", _) => answer,
                ("expiring", Value::Array(rows)) => {
                    answer.rows("expiring", Rows::values(rows).columns(["id", "level", "expires_on"]))
                }
                (_, value) => answer.value(&key, value),
            };
        }
        Ok(warnings.into_iter().fold(answer, Answer::warn))
    }
}
