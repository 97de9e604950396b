//! `pm claim`.

use std::collections::BTreeMap;

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example, Tier};
use crate::domain::filter::{self, Filter, FilterArgs};
use crate::domain::rank::{Held, Ready};
use crate::domain::status_set::StatusSet;
use crate::domain::values;
use crate::error::{Code, Error, Result};
use crate::mutation::claiming::{self, Claimed, Terms};
use crate::mutation::write;
use crate::surface::{Command, Context};
use crate::tracker::WorkWanted;

/// Claims an item, or the next one that is ready.
pub(super) struct Claim;

/// How many candidates `--next` tries unless told otherwise, and at most.
const ATTEMPTS: usize = 10;
const MAX_ATTEMPTS: i64 = 100;

/// Arguments of `pm claim`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item; none with --next
    id: Option<String>,
    /// Pass over an item that somebody else holds, without failing
    #[arg(long)]
    if_available: bool,
    /// Refuse an item that is claimed already, even by the caller
    #[arg(long)]
    exclusive: bool,
    /// Claim the best item that is ready, in one step
    #[arg(long)]
    next: bool,
    /// With --next: only this type
    #[arg(long = "type", value_name = "TYPE")]
    kind: Vec<String>,
    /// With --next: only this tag
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// With --next: only this priority
    #[arg(long, value_name = "N")]
    priority: Vec<String>,
    /// With --next: only assigned or unassigned items
    #[arg(long, value_name = "STATE")]
    assignee_filter: Option<String>,
    /// With --next: only this item and what is below it
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// With --next: only this sprint
    #[arg(long, value_name = "NAME")]
    sprint: Vec<String>,
    /// With --next: only this release
    #[arg(long, value_name = "NAME")]
    release: Vec<String>,
    /// With --next: how many candidates to try, at most 100
    #[arg(long, value_name = "N")]
    max_attempts: Option<String>,
    /// With --next: decisions count as work too
    #[arg(long)]
    include_decisions: bool,
    /// Accepted for compatibility: ranking costs no tokens here
    #[arg(long, value_name = "N", hide = true)]
    token_budget: Option<String>,
    /// With --next: show what the choice is made of
    #[arg(long)]
    explain_ranking: bool,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Claim {
    const CONTRACT: Contract = Contract {
        path: &["claim"],
        about: "Claim an item for work",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::AlreadyClaimedBy,
            Code::TerminalStateConflict,
            Code::NoAvailableNextItem,
            Code::NextItemsTaken,
        ],
        examples: &[
            Example { about: "One item", argv: &["claim", "pm-a1b2"] },
            Example { about: "The best one that is ready", argv: &["claim", "--next"] },
        ],
        tier: Tier::Core,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let terms = Terms { if_available: args.if_available, exclusive: args.exclusive };
        match (&args.id, args.next) {
            (Some(_), true) => {
                Err(Error::new(Code::ConflictingArguments, "an id and --next exclude each other")
                    .at("--next"))
            }
            (None, false) => {
                Err(Error::new(Code::MissingRequiredArgument, "`pm claim` needs an id or --next")
                    .at("<id>")
                    .hint("pm claim --next"))
            }
            (Some(typed), false) => {
                let id = context.tracker()?.resolve(typed)?;
                let claimed = claim(&args, &id, terms, context)?;
                let warnings = claimed.warnings();
                Ok(claiming::answer(context, claimed.envelope(), warnings))
            }
            (None, true) => next(&args, terms, context),
        }
    }
}

/// Claims one item.
fn claim(args: &Args, id: &str, terms: Terms, context: &Context) -> Result<Claimed> {
    let write = write(context, "claim", args.message.as_deref())?;
    let mut transaction = context.tracker()?.transaction(&write)?;
    let claimed = claiming::claim(context, &mut transaction, id, &write, terms)?;
    transaction.commit()?;
    Ok(claimed)
}

/// One candidate of `--next`.
struct Candidate {
    id: String,
    ranking: serde_json::Value,
}

/// Claims the first candidate that nobody else takes first.
fn next<'a>(args: &Args, terms: Terms, context: &'a Context) -> Result<Answer<'a>> {
    let attempts = match &args.max_attempts {
        None => ATTEMPTS,
        Some(text) => match values::whole("--max-attempts", text, 1)? {
            number if number <= MAX_ATTEMPTS => usize::try_from(number).unwrap_or(ATTEMPTS),
            _ => return Err(values::refusal("--max-attempts", text, "give 1 to 100", &[])),
        },
    };
    let candidates = candidates(args, context)?;
    let total = candidates.len();
    for candidate in candidates.into_iter().take(attempts) {
        match claim(args, &candidate.id, terms, context) {
            Ok(claimed) if !claimed.skipped => return Ok(found(args, claimed, candidate, context)),
            Ok(_) => {}
            // Somebody else was quicker, or the item has changed since it was ranked.
            Err(error)
                if matches!(
                    error.code,
                    Code::AlreadyClaimedBy
                        | Code::TerminalStateConflict
                        | Code::ItemNotFound
                        | Code::LockConflict
                ) => {}
            Err(error) => return Err(error),
        }
    }
    Err(match total {
        0 => Error::new(Code::NoAvailableNextItem, "no item is ready for this caller").at("--next"),
        _ => Error::new(
            Code::NextItemsTaken,
            format!("others were quicker with all of {} candidates", total.min(attempts)),
        )
        .at("--next")
        .hint("pm claim --next"),
    }
    .hint("pm next"))
}

fn found<'a>(args: &Args, claimed: Claimed, candidate: Candidate, context: &'a Context) -> Answer<'a> {
    let mut envelope = claimed.envelope();
    if args.explain_ranking {
        envelope.insert("ranking".to_owned(), candidate.ranking);
    }
    let warnings = claimed.warnings();
    claiming::answer(context, envelope, warnings)
}

/// What is ready and free, best first; what the caller holds already comes last.
fn candidates(args: &Args, context: &Context) -> Result<Vec<Candidate>> {
    let tracker = context.tracker()?;
    let (schema, records) = (tracker.schema(), tracker.records()?);
    let now = context.clock.now();
    let prefix = tracker.settings().id_prefix();
    let wanted = FilterArgs {
        kind: args.kind.clone(),
        tag: args.tag.clone(),
        priority: args.priority.clone(),
        assignee_filter: args.assignee_filter.clone(),
        sprint: args.sprint.clone(),
        release: args.release.clone(),
        status: vec!["all".to_owned()],
        ..FilterArgs::default()
    };
    let filter = Filter::new(
        &wanted,
        &BTreeMap::new(),
        StatusSet::All,
        &filter::Ground { now, schema, prefix: &prefix },
    )?;
    let selection = filter.over(records, schema);
    let work = tracker.work(&WorkWanted {
        actor: context.actor()?,
        admits: &|record| selection.admits(record),
        parent: args.parent.as_deref(),
        include_decisions: args.include_decisions,
        now,
    })?;
    let mut ready: Vec<_> = work.queue.ready.iter().collect();
    ready.sort_by_key(|ready| (ready.complete, ready.held == Held::Mine));
    let candidate = |ready: &&Ready| {
        let id = records.get(ready.row as usize)?.id().to_owned();
        let parts = ready
            .score
            .parts()
            .into_iter()
            .map(|(name, tenths)| (name.to_owned(), (f64::from(tenths) / 10.0).into()));
        Some(Candidate { id, ranking: serde_json::Value::Object(parts.collect()) })
    };
    Ok(ready.iter().filter(|ready| !ready.complete).filter_map(candidate).collect())
}
