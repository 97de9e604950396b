//! `pm gc`.

use serde_json::{Value, json};

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Effect, Example};
use crate::domain::values::refusal;
use crate::error::{Code, Kind, Result};
use crate::store::garbage::{Scope, Tally};
use crate::surface::{Command, Context};

/// Removes what a tracker does not need.
pub(super) struct Gc;

/// Arguments of `pm gc`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Only these parts: index, embeddings, runtime, locks, checkpoints, transactions; index by name takes the program's own index too
    #[arg(long, value_name = "SCOPES")]
    scope: Vec<String>,
}

impl Command for Gc {
    const CONTRACT: Contract = Contract {
        path: &["gc"],
        about: "Remove caches, leftovers of dead processes, and records past their time",
        effect: Effect::Writes,
        expects: false,
        errors: &[Code::InvalidArgumentValue],
        examples: &[
            Example { about: "What would go?", argv: &["gc", "--dry-run"] },
            Example { about: "Expired locks alone", argv: &["gc", "--scope", "locks"] },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let dry_run = context.globals.dry_run;
        let (scopes, named) = scopes(&args.scope)?;
        let own_index = named && scopes.contains(&Scope::Index);
        let found = tracker.collect_garbage(&scopes, own_index, dry_run);
        let days = tracker.settings().number("checkpoints.retention_days", 14);
        let names: Vec<&str> =
            Scope::ALL.iter().filter(|(_, scope)| scopes.contains(scope)).map(|(name, _)| *name).collect();
        let count = found.removed.len();
        let mut answer = Answer::new().value("ok", found.warnings.is_empty());
        if dry_run {
            answer = answer.value("dry_run", true);
        }
        answer = answer
            .echo("scope", json!(names))
            .rows("removed", Rows::values(found.removed.into_iter().map(Value::from).collect()))
            .value("count", count)
            .echo("retained", json!(found.retained));
        for (name, tally, aged) in [
            ("locks", found.locks, false),
            ("checkpoints", found.checkpoints, true),
            ("transactions", found.transactions, true),
        ] {
            if tally.scanned > 0 || context.globals.full_envelope {
                answer = answer.value(name, described(tally, aged.then_some(days)));
            }
        }
        // Some of it could not go: all of what was wanted, or a part.
        let answer = match (found.warnings.is_empty(), count) {
            (true, _) => answer,
            (false, 0) => answer.exit(Kind::Failure.exit_code()),
            (false, _) => answer.exit(Kind::PartialEffect.exit_code()),
        };
        Ok(found.warnings.into_iter().fold(answer, Answer::warn))
    }
}

fn described(tally: Tally, days: Option<u64>) -> Value {
    let mut out = json!({"scanned": tally.scanned, "removed": tally.removed, "retained": tally.scanned - tally.removed});
    if let Some(days) = days {
        out["retention_days"] = json!(days);
    }
    out
}

/// The scopes that are asked for, and whether any was named.
fn scopes(texts: &[String]) -> Result<(Vec<Scope>, bool)> {
    let words: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.split(','))
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() {
        return Ok((Scope::ALL.iter().map(|(_, scope)| *scope).collect(), false));
    }
    let mut scopes = Vec::new();
    for word in words {
        let lower = word.to_ascii_lowercase();
        match Scope::ALL.iter().find(|(name, _)| *name == lower) {
            Some((_, scope)) => scopes.push(*scope),
            None => {
                let known: Vec<&str> = Scope::ALL.iter().map(|(name, _)| *name).collect();
                return Err(refusal("--scope", word, format!("give {}", known.join(", ")), &known));
            }
        }
    }
    Ok((scopes, true))
}
