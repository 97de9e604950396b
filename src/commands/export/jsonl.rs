//! `pm export jsonl`: whole items, a line each.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Completeness, Rows};
use crate::codec::json;
use crate::contract::{Contract, Effect, Example};
use crate::error::{Code, Error, Kind, Result};
use crate::store::userfile;
use crate::surface::{Command, Context};

/// Gives out all items.
pub(in crate::commands) struct Jsonl;

/// Arguments of `pm export jsonl`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Each item with its whole history
    #[arg(long)]
    history: bool,
    /// The file to write, instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
}

impl Command for Jsonl {
    const CONTRACT: Contract = Contract {
        path: &["export", "jsonl"],
        about: "Give out every item whole, a line of JSON each, for pm import jsonl",
        effect: Effect::Reads,
        errors: &[Code::WriteFailed],
        examples: &[
            Example { about: "All items", argv: &["export", "jsonl"] },
            Example {
                about: "With their histories, into a file",
                argv: &["export", "jsonl", "--history", "--output", "items.jsonl"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let records = tracker.records()?;
        let mut lines = Vec::with_capacity(records.len());
        for record in records.iter() {
            let stored = tracker.item(record.id())?;
            let mut line = Map::new();
            line.insert("item".to_owned(), Value::Object(stored.item.metadata));
            line.insert("body".to_owned(), stored.item.body.into());
            if args.history {
                line.insert("history".to_owned(), tracker.history(record.id())?.into());
            }
            lines.push(Value::Object(line));
        }
        let text: String = lines.iter().map(|line| format!("{}\n", json::compact(line))).collect();
        let mut answer = Answer::new();
        if let Some(path) = &args.output {
            userfile::write(&context.env.cwd, path, text.as_bytes()).map_err(|cause| {
                Error::new(Code::WriteFailed, format!("`{path}` cannot be written: {cause}"))
                    .at("--output")
                    .rejecting(path.as_str())
                    .because(cause)
            })?;
            answer = answer
                .value("exported", lines.len())
                .value("bytes", text.len())
                .value("output", path.as_str());
        } else {
            let count = lines.len();
            let row = |line: Value| json!(line);
            answer = answer
                .rows("lines", Rows::values(lines.into_iter().map(row).collect()))
                .value("count", count)
                .raw(text);
        }
        let completeness = Completeness::of(records.unserved());
        if completeness.unreadable.is_empty() {
            return Ok(answer);
        }
        // What is missing must not look like everything.
        Ok(answer.completeness(completeness).exit(Kind::PartialEffect.exit_code()))
    }
}
