//! `pm item complete`.

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::changes::Changes;
use crate::domain::lifecycle::Closing;
use crate::domain::values;
use crate::error::{Code, Result};
use crate::model::item::Item;
use crate::mutation::closing::{self, Request, Validation};
use crate::mutation::draft::{self, Options};
use crate::mutation::flags::{Flags, OnUpdate};
use crate::surface::{Command, Context};

/// Closes an item with its evidence and gives up the claim.
pub(crate) struct Complete;

/// Arguments of `pm item complete`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the item
    id: String,
    /// Why it is closed
    text: Option<String>,
    /// Why it is closed
    #[arg(short, long, value_name = "TEXT", conflicts_with = "text")]
    reason: Option<String>,
    /// When the work was really done
    #[arg(long, value_name = "TIME")]
    completed_at: Option<String>,
    #[command(flatten)]
    evidence: Evidence,
    /// How it was resolved
    #[arg(long, value_name = "TEXT")]
    resolution: Option<String>,
    /// What should have happened
    #[arg(long, value_name = "TEXT", visible_alias = "expected")]
    expected_result: Option<String>,
    /// What happened instead
    #[arg(long, value_name = "TEXT", visible_alias = "actual")]
    actual_result: Option<String>,
    /// How strictly the item is looked at: off, warn, strict
    #[arg(long, value_name = "MODE")]
    validate_close: Option<String>,
    /// Message of the history entries
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// Accepted for compatibility: everything lands in one step, so that there is nothing to resume
    #[arg(long, hide = true, value_name = "ID")]
    transaction_id: Option<String>,
    /// Accepted for compatibility
    #[arg(long, hide = true, value_name = "COUNT")]
    lock_ttl_seconds: Option<u64>,
    /// Accepted for compatibility
    #[arg(long, hide = true, value_name = "COUNT")]
    lock_wait_ms: Option<u64>,
}

/// What is added to the item as it ends.
#[derive(clap::Args)]
#[command(next_help_heading = "Evidence")]
struct Evidence {
    /// Say something
    #[arg(long, value_name = "ENTRY")]
    comment: Vec<String>,
    /// Note something
    #[arg(long, value_name = "ENTRY")]
    note: Vec<String>,
    /// Keep what was learnt
    #[arg(long, value_name = "ENTRY")]
    learning: Vec<String>,
    /// Link a file
    #[arg(long, value_name = "ENTRY")]
    file: Vec<String>,
    /// Link a document
    #[arg(long, value_name = "ENTRY")]
    doc: Vec<String>,
    /// Link a test
    #[arg(long, value_name = "ENTRY")]
    test: Vec<String>,
}

impl Evidence {
    fn changes(self, item: &Item, context: &Context) -> Result<Changes> {
        let lists = [
            ("comments", self.comment),
            ("notes", self.note),
            ("learnings", self.learning),
            ("files", self.file),
            ("docs", self.doc),
            ("tests", self.test),
        ];
        let mut flags = Flags::<OnUpdate>::default();
        flags.lists.extend(lists.into_iter().filter(|(_, entries)| !entries.is_empty()));
        Ok(draft::resolve(context, flags, &Options::default(), Some(item))?.changes)
    }
}

impl Command for Complete {
    const CONTRACT: Contract = Contract {
        path: &["item", "complete"],
        about: "Close an item with its evidence and give up the claim",
        effect: Effect::Writes,
        errors: &[Code::ItemNotFound, Code::CloseReasonRequired, Code::TerminalStateConflict],
        examples: &[
            Example {
                about: "Done, and how",
                argv: &["item", "complete", "pm-a1b2", "--resolution", "fixed", "--actual", "All tests pass"],
            },
            Example {
                about: "With what shows it",
                argv: &[
                    "item",
                    "complete",
                    "pm-a1b2",
                    "Done",
                    "--file",
                    "src/main.rs",
                    "--note",
                    "As planned",
                ],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let id = tracker.resolve(&args.id)?;
        let message = args.message.as_deref();
        let now = context.clock.now();
        let completed_at =
            args.completed_at.as_deref().map(|at| values::instant("--completed-at", at, now)).transpose()?;
        let changes = args.evidence.changes(&tracker.item(&id)?.item, context)?;
        let said = args.text.as_deref().or(args.reason.as_deref());
        let mut closing = Closing {
            completed_at,
            resolution: args.resolution,
            expected_result: args.expected_result,
            actual_result: args.actual_result,
            ..Closing::default()
        };
        closing.reason = closing::reason(tracker, &id, said, &closing, message)?;
        let validation = Validation::read(tracker, args.validate_close.as_deref())?;
        let request =
            Request { id: &id, closing, changes, message, context: None, validation, releases: true };
        closing::close_and_release(context, &request, "complete")
    }
}
