//! `pm history-redact`.

use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::merge::MARK;
use crate::domain::rewrite::{Pattern, Pen, redact};
use crate::domain::values;
use crate::error::{Code, Error, Result};
use crate::mutation::restoring::known;
use crate::mutation::{rewriting, then, write};
use crate::surface::{Command, Context};
use crate::tracker::{Rewriting, Scrubbed};

/// Takes secrets out of a history and its item.
pub(super) struct HistoryRedact;

/// Arguments of `pm history-redact`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the item; it may be deleted
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    id: Option<String>,
    /// Every item that holds it
    #[arg(long)]
    all: bool,
    /// Text to take out
    #[arg(long, value_name = "TEXT")]
    literal: Vec<String>,
    /// Regular expression to take out, plain or as `/expression/flags` with flags of i, m, s, x
    #[arg(long, value_name = "REGEX")]
    regex: Vec<String>,
    /// What stands there instead
    #[arg(long, value_name = "TEXT", default_value = "[redacted]")]
    replacement: String,
    /// Message of the entry that tells of it
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

/// The most paths that an answer names of one kind.
const NAMED: usize = 20;

impl Command for HistoryRedact {
    const CONTRACT: Contract = Contract {
        path: &["history-redact"],
        about: "Take a secret out of an item, every version of it, and all that the tracker keeps beside it",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::MissingRequiredArgument,
            Code::InvalidArgumentValue,
            Code::HistoryChainInvalid,
        ],
        examples: &[
            Example {
                about: "See what would be taken out",
                argv: &["history-redact", "pm-a1b2", "--literal", "hunter2", "--dry-run"],
            },
            Example {
                about: "Out of every item, deleted ones too",
                argv: &["history-redact", "--all", "--literal", "hunter2"],
            },
            Example {
                about: "Whatever looks like a key",
                argv: &["history-redact", "pm-a1b2", "--regex", "AKIA[0-9A-Z]{16}"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let patterns = patterns(&args)?;
        let pen = Pen::new(&patterns, &args.replacement);
        let tracker = context.tracker()?;
        let ids = match &args.id {
            Some(typed) => vec![known(tracker, typed)?],
            None => tracker.holding(pen),
        };
        let (answer, changed) = match ids.as_slice() {
            [id] if !args.all => {
                let (facts, entries) = one(context, id, pen, args.message.as_deref())?;
                let changed = facts.is_some();
                (rewriting::one(context, id, facts, entries), changed)
            }
            ids => {
                if context.globals.if_hash.is_some() || context.globals.if_updated_at.is_some() {
                    write(context, "history_redact", None)?
                        .without_expectation("several items may change")?;
                }
                let one = |id: &str| Ok(one(context, id, pen, args.message.as_deref())?.0);
                (rewriting::all(context, ids, "redacted", one), !ids.is_empty())
            }
        };
        let scrubbed = tracker.scrub(pen, &ids, &then(context, "history_redact", None)?)?;
        let changed = changed || !scrubbed.rewritten.is_empty();
        let answer = told_of(answer, &scrubbed);
        // What was committed before is still there, and nobody should believe otherwise.
        Ok(if changed { answer.warn("commits_keep_what_was_redacted") } else { answer })
    }
}

/// Redacts one history and its item: what was done, none when nothing was, and how many entries there were.
fn one(
    context: &Context,
    id: &str,
    pen: Pen<'_>,
    message: Option<&str>,
) -> Result<(Option<Map<String, Value>>, usize)> {
    let tracker = context.tracker()?;
    let write = write(context, "history_redact", message)?;
    let mut facts = Map::new();
    let mut entries = 0;
    let written = tracker.rewrite(id, &write, &mut |found| {
        let before = found.entries(tracker, id)?;
        entries = before.len();
        let item = found.item(tracker)?;
        let redacted = redact(&before, item.as_ref(), pen).map_err(|error| rewriting::refused(id, &error))?;
        let item_changes = redacted.item != item;
        if redacted.matches == 0 && !item_changes {
            return Ok(None);
        }
        facts.insert("matches".into(), redacted.matches.into());
        facts.insert("entries_changed".into(), redacted.touched.into());
        facts.insert("item_changed".into(), item_changes.into());
        Ok(Some(Rewriting {
            message: told(redacted.matches, redacted.touched),
            end: redacted.item.clone(),
            entries: redacted.entries,
            item: redacted.item,
            item_changes,
            files_anew: false,
            context: (pen.replacement() != MARK)
                .then(|| json!({"redaction": {"replacement": pen.replacement()}})),
        }))
    })?;
    let facts = written.map(|count| {
        facts.insert("entries".into(), count.into());
        facts
    });
    Ok((facts, entries))
}

/// The answer with what became of everything beside the item.
fn told_of<'a>(mut answer: Answer<'a>, scrubbed: &Scrubbed) -> Answer<'a> {
    let named = |paths: &[String]| paths.iter().take(NAMED).cloned().collect::<Vec<_>>();
    if !scrubbed.rewritten.is_empty() {
        answer = answer
            .value("also_redacted", named(&scrubbed.rewritten))
            .value("also_redacted_count", scrubbed.rewritten.len());
    }
    if !scrubbed.remains.is_empty() {
        let count = scrubbed.remains.len();
        answer = answer
            .value("remains_in", named(&scrubbed.remains))
            .value("remains_in_count", count)
            .warn(format!("redaction_incomplete:{count}"));
    }
    answer
}

fn told(matches: usize, entries: usize) -> String {
    let es = if matches == 1 { "" } else { "es" };
    let ies = if entries == 1 { "y" } else { "ies" };
    format!("history-redact replaced {matches} match{es} across {entries} entr{ies}.")
}

fn patterns(args: &Args) -> Result<Vec<Pattern>> {
    let mut patterns = Vec::new();
    for literal in &args.literal {
        if literal.is_empty() {
            return Err(values::refusal("--literal", literal, "it is empty", &[]));
        }
        patterns.push(Pattern::Literal(literal.clone()));
    }
    for text in &args.regex {
        patterns.push(Pattern::Regex(regex(text)?));
    }
    if patterns.is_empty() {
        return Err(Error::new(Code::MissingRequiredArgument, "say what is to be taken out")
            .at("--literal")
            .fact("alternatives", vec!["--literal <TEXT>", "--regex <REGEX>"])
            .hint("pm history-redact --help"));
    }
    let still = |pattern: &Pattern| match pattern {
        Pattern::Literal(literal) => args.replacement.contains(literal.as_str()),
        Pattern::Regex(regex) => regex.find(&args.replacement).is_some_and(|found| !found.is_empty()),
    };
    if patterns.iter().any(still) {
        let problem = "it holds what is to be taken out";
        return Err(values::refusal("--replacement", &args.replacement, problem, &[]));
    }
    if let Some(message) = args.message.as_deref().filter(|text| patterns.iter().any(|p| p.finds(text))) {
        return Err(values::refusal("--message", message, "it holds what is to be taken out", &[]));
    }
    Ok(patterns)
}

/// An expression, plain or between slashes with flags.
fn regex(text: &str) -> Result<Regex> {
    let refused = |problem: String| values::refusal("--regex", text, problem, &[]);
    let (expression, flags) = match text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/')) {
        Some((expression, flags)) if flags.chars().all(|flag| flag.is_ascii_alphabetic()) => {
            (expression, flags)
        }
        _ => (text, ""),
    };
    if expression.is_empty() {
        return Err(refused("it is empty".to_owned()));
    }
    let mut builder = RegexBuilder::new(expression);
    for flag in flags.chars() {
        match flag {
            'i' => builder.case_insensitive(true),
            'm' => builder.multi_line(true),
            's' => builder.dot_matches_new_line(true),
            'x' => builder.ignore_whitespace(true),
            // All matches are replaced and text is Unicode anyway.
            'g' | 'u' => &mut builder,
            other => return Err(refused(format!("`{other}` is no flag: use i, m, s, x"))),
        };
    }
    builder.build().map_err(|error| {
        let problem = error.to_string();
        refused(problem.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned())
    })
}
