//! `pm graph index`: the cache that questions to the graph are answered from.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::scope;
use crate::answer::Answer;
use crate::codec::hex;
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::error::Result;
use crate::model::timestamp;
use crate::surface::{Command, Context};

/// Tells of the cache.
pub(in crate::commands) struct Index;

/// Arguments of `pm graph index`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Make it anew
    #[arg(long, conflicts_with = "clear")]
    rebuild: bool,
    /// Remove it; the next read makes it anew
    #[arg(long)]
    clear: bool,
}

impl Command for Index {
    const CONTRACT: Contract = Contract {
        path: &["graph", "index"],
        about: "Show, rebuild or clear the cache of items and links",
        read_output: Some(surfaces::GRAPH),
        examples: &[
            Example { about: "Whether it was fresh", argv: &["graph", "index"] },
            Example { about: "Make it anew", argv: &["graph", "index", "--rebuild"] },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let found = tracker.index_files();
        if args.rebuild || args.clear {
            tracker.forget_index();
        }
        let answer = scope::answer(context, "index")?;
        let records = tracker.records()?;
        if args.clear {
            tracker.forget_index();
        }
        let kept = tracker.index_files();
        // Every read brings it up to date: what this one had to write was not.
        let state = match (found.is_empty(), found == kept) {
            _ if args.clear => "absent",
            _ if args.rebuild => "fresh",
            (true, _) => "absent",
            (false, true) => "fresh",
            (false, false) => "stale",
        };
        let action = match (args.rebuild, args.clear) {
            (true, _) => "rebuilt",
            (_, true) => "cleared",
            _ => "status",
        };
        let mut digest = Sha256::new();
        records.iter().for_each(|record| digest.update(record.digest().to_le_bytes()));
        let fingerprint = hex::encode(&digest.finalize()[..6]);
        let mut answer = answer
            .value("action", action)
            .value("state", state)
            .value("entry_count", kept.len())
            .value("item_count", records.len())
            .value("current_fingerprint", fingerprint)
            .echo("min_items_threshold", 0)
            .echo("persist_enabled", true);
        if let Some(saved) = kept.iter().map(|file| file.saved_ms).max() {
            let bytes: u64 = kept.iter().map(|file| file.bytes).sum();
            answer = answer.value("saved_at", timestamp::format(saved)).value("bytes", Value::from(bytes));
        }
        Ok(answer)
    }
}
