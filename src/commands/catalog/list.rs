//! `pm catalog list`.

use serde_json::{Map, Value};

use super::{Reading, compiled, left_out};
use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Example, surfaces};
use crate::error::{Code, Result};
use crate::surface::{Command, Context};

/// Lists records.
pub(in crate::commands) struct List;

/// Arguments of `pm catalog list`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The records below T2 instead of those at T2 and above: nobody vouches for them
    #[arg(long)]
    untrusted: bool,
    #[command(flatten)]
    reading: Reading,
}

impl Command for List {
    const CONTRACT: Contract = Contract {
        path: &["catalog", "list"],
        about: "List the records at T2 and above, with their level and its expiry",
        read_output: Some(surfaces::CATALOG_LIST),
        errors: &[
            Code::CatalogSourceInvalid,
            Code::CatalogSettingsInvalid,
            Code::RevisionNotFound,
            Code::RepositoryMissing,
        ],
        examples: &[
            Example { about: "What may be used", argv: &["catalog", "list"] },
            Example { about: "What waits for a review", argv: &["catalog", "list", "--untrusted"] },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let (compiled, _) = compiled(context, &args.reading)?;
        let row = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default();
        let rows: Vec<_> = compiled
            .listed(args.untrusted)
            .map(|item| in_order(row(item.rendered.index_entry()), context.want.mode.as_deref()))
            .collect();
        let rows = Rows::ready(rows);
        let answer = Answer::new().rows("records", rows).value("as_of", compiled.as_of.to_string());
        Ok(left_out(&compiled.errors).into_iter().fold(answer, Answer::warn))
    }
}

/// The fields of an entry in the order in which people read them; all of them only when asked for.
fn in_order(mut entry: Map<String, Value>, mode: Option<&str>) -> Map<String, Value> {
    const BRIEF: [&str; 9] =
        ["id", "slug", "trust", "trust_expires_on", "risk", "execution", "profile", "topic", "title"];
    const REST: [&str; 4] = ["capabilities", "min_runtime_profile", "content_hash", "href"];
    let rest = if mode == Some("full") { &REST[..] } else { &REST[..2] };
    let keys = BRIEF.iter().chain(rest);
    keys.filter_map(|key| entry.shift_remove_entry(*key)).collect()
}
