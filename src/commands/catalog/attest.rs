//! `pm catalog attest`.

use clap::builder::PossibleValuesParser;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::{place, record};
use crate::answer::Answer;
use crate::catalog::cache::Cache;
use crate::catalog::compile::{Item, compile};
use crate::catalog::signature::{self, Keyring, Signed};
use crate::catalog::source::{EVIDENCE, Source};
use crate::catalog::statement::{self, Statement, Subject};
use crate::catalog::words::{Environment, Outcome, ReviewVerdict, SchemaVersion, StatementKind, Verdict};
use crate::contract::{Contract, Effect, Example};
use crate::domain::plan;
use crate::error::{Code, Error, Result};
use crate::model::timestamp;
use crate::store::{publish, userfile};
use crate::surface::{Command, Context};

/// Makes and signs one statement about a record.
pub(in crate::commands) struct Attest;

const KINDS: [&str; 4] = ["publish", "review", "run", "revoke"];

/// Arguments of `pm catalog attest`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The record: its slug, its id, or a former slug
    #[arg(value_name = "SLUG")]
    name: String,
    /// What is said
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(KINDS))]
    kind: String,
    /// Who says it
    #[arg(long, value_name = "PRINCIPAL")]
    principal: String,
    /// The private key of the principal, in the format of OpenSSH
    #[arg(long, value_name = "FILE")]
    key: String,
    /// The word of a review
    #[arg(long, value_name = "WORD", value_parser = PossibleValuesParser::new(ReviewVerdict::WORDS))]
    verdict: Option<String>,
    /// How a run ended; a plan says it itself
    #[arg(long, value_name = "WORD", value_parser = PossibleValuesParser::new(Outcome::WORDS))]
    outcome: Option<String>,
    /// Where a run happened
    #[arg(long, value_name = "WORD", value_parser = PossibleValuesParser::new(Environment::WORDS))]
    environment: Option<String>,
    /// Why a record is revoked
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// The plan that a run followed: success when every step is completed, failure when one is blocked or skipped
    #[arg(long, value_name = "ID")]
    from_plan: Option<String>,
}

impl Command for Attest {
    const CONTRACT: Contract = Contract {
        path: &["catalog", "attest"],
        about: "Say something about a record and sign it: publish, review, run, revoke",
        effect: Effect::Writes,
        expects: false,
        errors: &[
            Code::CatalogKeyUnusable,
            Code::CatalogPlanStale,
            Code::CatalogPlanUnfinished,
            Code::CatalogRecordNotFound,
            Code::CatalogSettingsInvalid,
            Code::CatalogTrustRootInvalid,
            Code::MissingRequiredOption,
            Code::ConflictingArguments,
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::RepositoryMissing,
        ],
        examples: &[
            Example {
                about: "A review",
                argv: &[
                    "catalog",
                    "attest",
                    "rotate-token",
                    "--kind",
                    "review",
                    "--verdict",
                    "approve",
                    "--principal",
                    "dana",
                    "--key",
                    "dana.key",
                ],
            },
            Example {
                about: "The publisher stands by it",
                argv: &[
                    "catalog",
                    "attest",
                    "rotate-token",
                    "--kind",
                    "publish",
                    "--principal",
                    "ops",
                    "--key",
                    "ops.key",
                ],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let kind = StatementKind::named(&args.kind).unwrap_or(StatementKind::Publish);
        fits(&args, kind)?;
        let place = place(context)?;
        let now = context.clock.now();
        let day = statement::day(now).unwrap_or(Date::MAX);
        // The record as it lies in the work tree: what is said is said about that.
        let source = Source::draft(&place, &[])?;
        let root = source.trust_root(None)?;
        let mut cache = Cache::open(&place);
        let compiled = compile(&source, &root, day, &mut cache)?;
        let item = record(&compiled, &args.name)?;
        let outcome = match &args.from_plan {
            Some(id) => Some(planned(context, id, item, args.outcome.as_deref())?),
            None => args.outcome.as_deref().and_then(Outcome::named),
        };
        let said = Statement {
            schema_version: SchemaVersion::V1,
            kind,
            subject: Subject { id: item.facts.id.clone(), content_hash: item.facts.content_hash.clone() },
            principal: args.principal.clone(),
            at: timestamp::format(now),
            verdict: args.verdict.as_deref().and_then(ReviewVerdict::named),
            outcome,
            environment: args.environment.as_deref().and_then(Environment::named),
            plan: args.from_plan.as_ref().map(|id| plan_id(context, id)).transpose()?,
            reason: args.reason.clone(),
            steps: None,
        };
        let bytes = said.bytes();
        let signature = signed(&args.key, kind, &bytes, context)?;
        let keyring = Keyring::read(&root.allowed_signers, &root.revoked_keys);
        let verdict = keyring.verdict(&Signed {
            message: &bytes,
            signature: Some(&signature),
            namespace: kind.namespace(),
            principal: &args.principal,
            at: now,
        });
        let name = statement::file_name(kind, day, &bytes);
        let path = source.path(&format!("{}/{EVIDENCE}/{name}", item.facts.slug));
        let mut answer = Answer::new()
            .value("id", item.facts.id.as_str())
            .value("slug", item.facts.slug.as_str())
            .value("kind", json!(kind))
            .value("principal", args.principal.as_str())
            .value("content_hash", item.facts.content_hash.as_str())
            .value("path", path.as_str())
            .value("signature", json!(verdict));
        for (key, word) in [
            ("verdict", said.verdict.map(ReviewVerdict::as_str)),
            ("outcome", said.outcome.map(Outcome::as_str)),
            ("environment", said.environment.map(Environment::as_str)),
            ("plan", said.plan.as_deref()),
        ] {
            if let Some(word) = word {
                answer = answer.value(key, word);
            }
        }
        let there = userfile::read_bytes(place.top(), &path, 1 << 20).is_ok_and(|own| own == bytes);
        if context.globals.dry_run {
            answer = answer.value("dry_run", true);
        } else if there {
            answer = answer.value("already_said", true);
        } else {
            // The signature first: a statement without one would stand there as unsigned.
            for (path, bytes) in [(format!("{path}.sig"), signature.as_bytes()), (path, &bytes[..])] {
                publish::create(place.top(), &path, bytes).map_err(|error| {
                    Error::new(Code::WriteFailed, format!("`{path}` cannot be written: {error}")).at(&path)
                })?;
            }
        }
        Ok(match verdict {
            Verdict::Valid => answer,
            other => answer.warn(format!(
                "the signature counts for nothing yet: {other}; `_trust/allowed_signers` must list the key for `{}`",
                args.principal
            )),
        })
    }
}

/// Whether a statement of this kind has what it needs, and nothing that it cannot say.
fn fits(args: &Args, kind: StatementKind) -> Result<()> {
    let planned = args.from_plan.is_some();
    let run = kind == StatementKind::Run;
    let parts = [
        ("--verdict", args.verdict.is_some(), kind == StatementKind::Review, true),
        ("--environment", args.environment.is_some(), run, true),
        ("--outcome", args.outcome.is_some(), run, !planned),
        ("--reason", args.reason.is_some(), kind == StatementKind::Revoke, true),
        ("--from-plan", planned, run, false),
    ];
    for (flag, given, belongs, needed) in parts {
        if given && !belongs {
            let message = format!("`{flag}` says nothing in a statement of kind {kind}");
            return Err(Error::new(Code::ConflictingArguments, message).at(flag));
        }
        if !given && belongs && needed {
            let message = format!("a statement of kind {kind} needs `{flag}`");
            return Err(Error::new(Code::MissingRequiredOption, message)
                .at(flag)
                .fact("missing", vec![flag]));
        }
    }
    Ok(())
}

fn signed(path: &str, kind: StatementKind, bytes: &[u8], context: &Context) -> Result<String> {
    let refused = |problem: String| {
        Error::new(Code::CatalogKeyUnusable, format!("the key `{path}` cannot be used: {problem}"))
            .at("--key")
            .rejecting(path)
    };
    let key = userfile::read_text(&context.env.cwd, path).map_err(|error| refused(error.to_string()))?;
    signature::sign(&key, kind.namespace(), bytes).map_err(|error| refused(error.to_string()))
}

/// The full id of a plan.
fn plan_id(context: &Context, typed: &str) -> Result<String> {
    context.tracker()?.resolve(typed)
}

/// How a plan that was made of the record ended.
///
/// Errors: `catalog_plan_stale` when it was made of other content, `catalog_plan_unfinished` while steps are open.
fn planned(context: &Context, id: &str, item: &Item, said: Option<&str>) -> Result<Outcome> {
    let tracker = context.tracker()?;
    let stored = tracker.item(&tracker.resolve(id)?)?.item;
    plan::is_plan(&stored)?;
    let made_of = stored.metadata.get("runbook").cloned().unwrap_or(Value::Null);
    if made_of["id"].as_str() != Some(item.facts.id.as_str()) {
        let message = format!("`{}` was not made of the record `{}`", stored.id(), item.facts.slug);
        return Err(Error::new(Code::InvalidArgumentValue, message)
            .at("--from-plan")
            .rejecting(id)
            .hint(format!("pm plan create --from-runbook {}", item.facts.slug)));
    }
    if made_of["content_hash"].as_str() != Some(item.facts.content_hash.as_str()) {
        let message = format!("`{}` followed other content than `{}` has now", stored.id(), item.facts.slug);
        return Err(Error::new(Code::CatalogPlanStale, message).at("--from-plan").rejecting(id));
    }
    let steps = plan::steps(&stored);
    let has = |id: &str| steps.iter().any(|step| step.get("id").and_then(Value::as_str) == Some(id));
    let wanted = made_of["steps"].as_object().into_iter().flatten();
    if let Some((gone, _)) = wanted.into_iter().find(|(id, _)| !has(id)) {
        let message = format!("`{}` lacks the step `{gone}` of its runbook", stored.id());
        return Err(Error::new(Code::CatalogPlanStale, message).at("--from-plan").rejecting(id));
    }
    let is = |step: &plan::Step, words: &[&str]| {
        step.get("status").and_then(Value::as_str).is_some_and(|status| words.contains(&status))
    };
    let outcome = if steps.iter().any(|step| is(step, &["blocked", "skipped", "superseded"])) {
        Outcome::Failure
    } else if !steps.is_empty() && steps.iter().all(|step| is(step, &["completed"])) {
        Outcome::Success
    } else {
        let open = steps.iter().filter(|step| !is(step, &["completed"])).count();
        let message = format!("`{}` has {open} open steps, so it tells of no outcome yet", stored.id());
        return Err(Error::new(Code::CatalogPlanUnfinished, message)
            .at("--from-plan")
            .rejecting(id)
            .hint(format!("pm plan show {}", stored.id())));
    };
    match said.and_then(Outcome::named).filter(|said| *said != outcome) {
        None => Ok(outcome),
        Some(said) => {
            let message = format!("`--outcome {said}`, and the plan `{}` tells of {outcome}", stored.id());
            Err(Error::new(Code::ConflictingArguments, message).at("--outcome").rejecting(said.as_str()))
        }
    }
}
