//! `pm history-author-acknowledge`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Effect, Example};
use crate::domain::survey::{Attribution, Streams};
use crate::domain::values::refusal;
use crate::error::report::command_line;
use crate::error::{Code, Error, Result};
use crate::mutation;
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Says who stands behind history entries whose author nobody knows.
pub(super) struct HistoryAuthorAcknowledge;

/// Arguments of `pm history-author-acknowledge`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// An entry without a known author: <id>:<line>; repeatable
    #[arg(long, value_name = "ID:LINE")]
    event: Vec<String>,
    /// Every such entry that nobody has looked into yet
    #[arg(long, conflicts_with = "event")]
    all_actionable: bool,
    /// The fingerprint of the plan that `--dry-run` gave
    #[arg(long, value_name = "SHA256")]
    plan_fingerprint: Option<String>,
    /// Most entries that the plan shows
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Who did it, as far as was found out
    #[arg(long, value_name = "NAME")]
    attributed_author: Option<String>,
    /// Who looked into it; the caller, when nobody is named
    #[arg(long, value_name = "NAME")]
    reviewer: Option<String>,
    /// What that rests on
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Command for HistoryAuthorAcknowledge {
    const CONTRACT: Contract = Contract {
        path: &["history-author-acknowledge"],
        about: "Record who stands behind history entries without a known author",
        effect: Effect::Writes,
        errors: &[Code::MissingRequiredOption, Code::InvalidArgumentValue, Code::HistoryAuthorPlanStale],
        examples: &[Example {
            about: "A plan with its fingerprint",
            argv: &[
                "history-author-acknowledge",
                "--all-actionable",
                "--attributed-author",
                "ann",
                "--reason",
                "log",
                "--dry-run",
            ],
        }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let said = |flag: &str, value: &Option<String>| {
            let value = value.as_deref().map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned);
            value.ok_or_else(|| missing(flag))
        };
        if args.event.is_empty() && !args.all_actionable {
            return Err(missing("--all-actionable"));
        }
        let attributed = said("--attributed-author", &args.attributed_author)?;
        let caller = Some(context.actor()?.author.clone()).filter(|author| author != "unknown");
        let reviewer = said("--reviewer", &args.reviewer.clone().or(caller))?;
        let reason = said("--reason", &args.reason)?;
        let mut write = mutation::write(context, "history:author-acknowledge", Some(&reason))?;
        write.without_expectation("it is about no item's state")?;
        let events = events(&args, &tracker.streams()?)?;
        let rows: Vec<Value> = events.iter().map(|(id, line)| json!({"item_id": id, "line": line})).collect();
        let fingerprint = fingerprint(tracker, &events, [&attributed, &reviewer, &reason])?;
        let answer = Answer::new()
            .value("events", rows.len())
            .value("attributed_author", attributed.as_str())
            .value("reviewer", reviewer.as_str());
        if context.globals.dry_run {
            let shown: Vec<Value> = rows.iter().take(args.limit).cloned().collect();
            let answer = answer.value("dry_run", true).value("plan_fingerprint", fingerprint);
            return Ok(answer.rows("plan", Rows::values(shown)).value("truncated", rows.len() > args.limit));
        }
        if rows.is_empty() {
            return Ok(answer.value("unchanged", true));
        }
        match args.plan_fingerprint.as_deref().map(str::trim) {
            None => {
                let problem = "`--plan-fingerprint` is needed: what `--dry-run` shows is what is recorded";
                let mut argv = context.argv.clone();
                argv.extend(["--plan-fingerprint".to_owned(), fingerprint.clone()]);
                return Err(Error::new(Code::MissingRequiredOption, problem)
                    .at("--plan-fingerprint")
                    .fact("missing", vec!["--plan-fingerprint"])
                    .fact("plan_fingerprint", fingerprint)
                    .hint(command_line(&argv)));
            }
            Some(given) if !given.eq_ignore_ascii_case(&fingerprint) => {
                let problem = "the plan is another one now: look at it again with `--dry-run`";
                return Err(Error::new(Code::HistoryAuthorPlanStale, problem)
                    .at("--plan-fingerprint")
                    .rejecting(given));
            }
            Some(_) => {}
        }
        write.context = Some(json!({"author_acknowledgment": {"events": rows,
            "attributed_author": attributed, "reviewer": reviewer, "plan_fingerprint": fingerprint}}));
        let mut transaction = tracker.transaction(&write)?;
        transaction.tell_workspace(&write)?;
        transaction.commit()?;
        Ok(answer.value("acknowledged", rows.len()))
    }
}

/// A call that shows the plan, for whoever lacks a part of it.
const PLAN: &str = "pm history-author-acknowledge --all-actionable --attributed-author NAME --reviewer NAME --reason WHY --dry-run";

fn missing(flag: &str) -> Error {
    Error::new(Code::MissingRequiredOption, format!("`{flag}` is needed"))
        .at(flag)
        .fact("missing", vec![flag.to_owned()])
        .hint(PLAN)
}

/// The entries that are meant, sorted, each once.
fn events(args: &Args, streams: &Streams) -> Result<BTreeSet<(String, usize)>> {
    let attribution = Attribution::of(streams);
    if args.all_actionable {
        return Ok(attribution.actionable.into_iter().collect());
    }
    let known: BTreeSet<(String, usize)> = streams
        .streams
        .iter()
        .flat_map(|(id, facts)| facts.unknown_authors.iter().map(|(line, _)| (id.clone(), *line)))
        .collect();
    let seen: BTreeSet<&(String, usize)> =
        streams.streams.values().flat_map(|facts| &facts.acknowledged).collect();
    let mut events = BTreeSet::new();
    for typed in &args.event {
        let event =
            typed.rsplit_once(':').and_then(|(id, line)| Some((id.trim().to_owned(), line.parse().ok()?)));
        let Some(event) = event else { return Err(refusal("--event", typed, "write <id>:<line>", &[])) };
        if !known.contains(&event) {
            return Err(refusal(
                "--event",
                typed,
                "there is no entry without a known author at this place",
                &[],
            ));
        }
        // What was looked into already needs no second word.
        if !seen.contains(&event) {
            events.insert(event);
        }
    }
    Ok(events)
}

/// Binds a plan to the words of the entries that it is about.
fn fingerprint(tracker: &Tracker, events: &BTreeSet<(String, usize)>, said: [&str; 3]) -> Result<String> {
    let mut entries = Vec::with_capacity(events.len());
    let mut stream: Option<(&str, Vec<Value>)> = None;
    for (id, line) in events {
        if stream.as_ref().is_none_or(|(known, _)| known != id) {
            stream = Some((id, tracker.history(id)?));
        }
        let entry = stream.as_ref().and_then(|(_, entries)| entries.get(line.checked_sub(1)?));
        entries.push(json!([id, line, entry]));
    }
    Ok(crate::codec::json::digest(&json!({"events": entries, "said": said})))
}
