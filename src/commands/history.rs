//! `pm history`.

use std::cell::OnceCell;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::answer::{Answer, Part, Rows};
use crate::contract::{Contract, Example, Tier, surfaces};
use crate::domain::chain;
use crate::domain::hash::item_hash;
use crate::domain::history_rows::{self, ProvenanceArgs, ProvenanceCount};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Shows what happened to an item.
pub(super) struct History;

/// Arguments of `pm history`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The item, also one that was deleted; `_workspace` for settings and schema
    #[arg(value_name = "ID")]
    id: String,
    /// Show the latest so many entries
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Show when, what, who and which fields (the default)
    #[arg(long)]
    compact: bool,
    /// Show entries as they are stored, patches and hashes included
    #[arg(long)]
    full: bool,
    /// Show who made each entry, and how that is known
    #[arg(long)]
    provenance: bool,
    /// Count how many entries say who made them
    #[arg(long)]
    provenance_summary: bool,
    #[command(flatten)]
    recorded: ProvenanceArgs,
    /// Show what each field was and became
    #[arg(long)]
    diff: bool,
    /// Keep entries that changed this field, with what it was and became
    #[arg(long, value_name = "FIELD")]
    field: Option<String>,
    /// Check the chain of hashes and the item at its end
    #[arg(long)]
    verify: bool,
    /// With --verify: exit 1 when the check fails
    #[arg(long, alias = "fail-on-warn")]
    strict_exit: bool,
}

impl Command for History {
    const CONTRACT: Contract = Contract {
        path: &["history"],
        about: "Show what happened to an item",
        read_output: Some(surfaces::HISTORY),
        errors: &[
            Code::ItemNotFound,
            Code::ConflictingArguments,
            Code::HistoryConflictMarkers,
            Code::HistoryStreamUnreadable,
        ],
        examples: &[
            Example { about: "The last ten changes", argv: &["history", "pm-a1b2", "--limit", "10"] },
            Example { about: "When the status changed", argv: &["history", "pm-a1b2", "--field", "status"] },
            Example {
                about: "Whether the chain holds",
                argv: &["history", "pm-a1b2", "--verify", "--strict-exit"],
            },
        ],
        tier: Tier::Standard,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let mode = mode(&args, context)?;
        let asked = args.recorded.filter()?;
        let tracker = context.tracker()?;
        let id = tracker.resolve_stream(&args.id)?;
        let entries = tracker.history(&id)?;
        let field = args.field.as_deref().map(str::trim);
        let shown: Vec<usize> = (0..entries.len())
            .filter(|n| asked.admits(&entries[*n]))
            .filter(|n| {
                field.is_none_or(|field| chain::touched_fields(&entries[*n]).iter().any(|f| f == field))
            })
            .collect();
        let verification = if args.verify { Some(verification(&id, &entries, tracker)?) } else { None };
        let summary = args.provenance_summary.then(|| {
            let mut count = ProvenanceCount::default();
            shown.iter().for_each(|n| count.add(&entries[*n]));
            count.summary()
        });
        let (entries, shown) = (Rc::new(entries), Rc::new(shown));
        let differs = args.diff || field.is_some();
        let diff = differs.then(|| diff(id.clone(), Rc::clone(&entries), Rc::clone(&shown), &args));
        let failed = verification.as_ref().is_some_and(|v| v["ok"] == json!(false));
        let total = shown.len();
        let rows = Rows::lazy(total, move |n| {
            let at = shown[n];
            let entry = &entries[at];
            Ok(match mode {
                Mode::Compact => history_rows::compact(at + 1, entry),
                Mode::Provenance => history_rows::provenance(at + 1, entry),
                Mode::Full => entry.as_object().cloned().unwrap_or_default(),
            })
        });
        let mut answer = Answer::new()
            .value("id", id)
            .rows(mode.row_key(), rows.limited(args.limit).newest_last())
            .echo("compact", mode != Mode::Full)
            .echo("projection", json!({"mode": mode.as_str(), "row_key": mode.row_key()}))
            .echo("limit", args.limit);
        if mode != Mode::Full {
            answer = answer.omits(mode.withheld(), "--full");
        }
        answer = optional(answer, "provenance_summary", summary.map(Part::Value));
        answer = optional(answer, "diff", diff.map(Part::Rows));
        answer = optional(answer, "verification", verification.map(Part::Value));
        Ok(if failed && args.strict_exit { answer.exit(1) } else { answer })
    }
}

fn optional<'a>(answer: Answer<'a>, key: &str, part: Option<Part<'a>>) -> Answer<'a> {
    match part {
        Some(part) => answer.part(key, part),
        None => answer,
    }
}

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Compact,
    Provenance,
    Full,
}

impl Mode {
    fn as_str(self) -> &'static str {
        match self {
            Mode::Compact => "compact",
            Mode::Provenance => "provenance",
            Mode::Full => "full",
        }
    }

    fn row_key(self) -> &'static str {
        match self {
            Mode::Compact => "compact_history",
            Mode::Provenance => "provenance_history",
            Mode::Full => "history",
        }
    }

    fn withheld(self) -> &'static str {
        if self == Mode::Provenance { "patch_and_hashes" } else { "raw_history" }
    }
}

fn mode(args: &Args, context: &Context) -> Result<Mode> {
    let full = context.want.mode.as_deref() == Some("full");
    if args.provenance && (full || args.compact) {
        let other = if full { "--full" } else { "--compact" };
        let message = format!("`--provenance` and `{other}` are two projections; give one");
        return Err(Error::new(Code::ConflictingArguments, message).at("--provenance"));
    }
    if args.strict_exit && !args.verify {
        return Err(Error::new(
            Code::MissingRequiredOption,
            "`--strict-exit` has a meaning only with `--verify`",
        )
        .at("--strict-exit")
        .fact("missing", vec!["--verify"]));
    }
    Ok(match (args.provenance, full) {
        (true, _) => Mode::Provenance,
        (_, true) => Mode::Full,
        _ => Mode::Compact,
    })
}

/// Rows with what each field was and became, for the same entries as the rows beside them; limited and continued as
/// those are.
fn diff<'a>(id: String, entries: Rc<Vec<Value>>, shown: Rc<Vec<usize>>, args: &Args) -> Rows<'a> {
    let field = args.field.as_deref().map(|field| field.trim().to_owned());
    let (changes, total) = (OnceCell::new(), shown.len());
    let row = move |n: usize| {
        let at = shown[n];
        let all = changes.get_or_init(|| chain::changes(&entries, 0));
        let all = all.as_ref().map_err(|(n, problem)| {
            let message = format!("entry {n} of the history of `{id}` does not apply: {problem}");
            Error::new(Code::HistoryChainInvalid, message).hint(format!("pm history {id} --verify"))
        })?;
        let wanted =
            all[at].iter().filter(|change| field.as_ref().is_none_or(|field| change.field == *field));
        let wanted: Vec<chain::Change> = wanted.cloned().collect();
        Ok(history_rows::diff(at + 1, &entries[at], &wanted))
    };
    Rows::lazy(total, row).limited(args.limit).newest_last().bounded()
}

/// Whether the chain holds and ends at the item as it is; a deleted item is one without fields.
fn verification(id: &str, entries: &[Value], tracker: &Tracker) -> Result<Value> {
    let replay = chain::verify(entries);
    let mut errors: Vec<String> = replay.fault.iter().map(|fault| format!("verify_failed:{fault}")).collect();
    let workspace = id == "_workspace";
    // A deleted item is one without fields.
    let item = match tracker.item(id) {
        _ if workspace => None,
        Ok(stored) => Some(stored.item),
        Err(error) if error.code == Code::ItemNotFound => Some(Item::default()),
        Err(error) => {
            errors.push(format!("current_item_unreadable:{}", error.code.as_str()));
            None
        }
    };
    let current = item.as_ref().map(|item| item_hash(item, replay.epoch));
    let matches = match &item {
        None => workspace,
        Some(_) if replay.fault.is_some() => current == replay.latest_after_hash,
        Some(item) => replay.disagreement(Some(item)).is_none(),
    };
    if !matches && current.is_some() {
        errors.push("verify_failed:current_item_hash_mismatch".to_owned());
    }
    Ok(json!({
        "ok": errors.is_empty(),
        "entries": replay.entries,
        "errors": errors,
        "latest_after_hash": replay.latest_after_hash,
        "current_item_hash": current,
        "current_matches_latest": matches,
    }))
}
