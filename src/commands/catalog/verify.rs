//! `pm catalog verify`.

use super::folder;
use crate::answer::{Answer, Rows};
use crate::catalog::finding::Finding;
use crate::catalog::folder::Folder;
use crate::catalog::{stability, verify};
use crate::contract::{Contract, Example, surfaces};
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Holds a built catalog to the contract.
pub(in crate::commands) struct Verify;

/// Arguments of `pm catalog verify`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The folder that a catalog was built into; `file://` in front means the same
    #[arg(value_name = "DIR")]
    folder: String,
    /// An older build: what breaks its readers is told too
    #[arg(long, value_name = "OLD_DIR")]
    against: Option<String>,
}

impl Command for Verify {
    const CONTRACT: Contract = Contract {
        path: &["catalog", "verify"],
        about: "Check a built catalog without its source: schemas, hashes, what is forced, paging, stability",
        read_output: Some(surfaces::CATALOG_VERIFY),
        errors: &[Code::CatalogFolderInvalid],
        examples: &[
            Example { about: "As a stranger would", argv: &["catalog", "verify", "dist/catalog"] },
            Example {
                about: "Does it break those who read the last release?",
                argv: &["catalog", "verify", "dist/catalog", "--against", "dist/released"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let place = |typed: &str| folder(context, typed.strip_prefix("file://").unwrap_or(typed));
        let new = Folder::open(&place(&args.folder))?;
        let mut findings = verify::findings(&new);
        if let Some(old) = &args.against {
            findings.extend(stability::findings(&Folder::open(&place(old))?, &new));
        }
        let code = u8::from(findings.iter().any(Finding::is_error));
        let rows = Rows::ready(findings.iter().map(Finding::row).collect());
        let rows = rows.columns(["path", "code", "severity", "message"]);
        Ok(Answer::new().rows("findings", rows).value("files", new.paths.len()).exit(code))
    }
}
