//! `pm catalog attest`.

use clap::builder::PossibleValuesParser;
use jiff::civil::Date;
use serde_json::json;

use super::walked::{self, Walked};
use super::{place, record};
use crate::answer::Answer;
use crate::catalog::cache::Cache;
use crate::catalog::compile::compile;
use crate::catalog::signature::{self, Keyring, Signed};
use crate::catalog::source::{EVIDENCE, Source};
use crate::catalog::statement::{self, Statement, Subject};
use crate::catalog::words::{Environment, Outcome, ReviewVerdict, SchemaVersion, StatementKind, Verdict};
use crate::contract::{Contract, Effect, Example};
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
            Code::CatalogPlanUnproven,
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
        let today = statement::day(now).unwrap_or(Date::MAX);
        // The record as it lies in the work tree: what is said is said about that.
        let source = Source::draft(&place, &[])?;
        let root = source.trust_root(None)?;
        let mut cache = Cache::open(&place);
        let compiled = compile(&source, &root, today, &mut cache)?;
        let item = record(&compiled, &args.name)?;
        let walked = args.from_plan.as_ref().map(|id| walked::walked(context, id, item)).transpose()?;
        let outcome = outcome(args.outcome.as_deref(), walked.as_ref())?;
        let environment = args.environment.as_deref().and_then(Environment::named);
        let told = match &walked {
            Some(walked) => walked.told(item, &args.principal, environment)?,
            None => None,
        };
        // A plan is one run: told again, it is the statement that there is, and bears a level no longer than that.
        let at = told.unwrap_or(now);
        let day = statement::day(at).unwrap_or(Date::MAX);
        let said = Statement {
            schema_version: SchemaVersion::V1,
            kind,
            subject: Subject { id: item.facts.id.clone(), content_hash: item.facts.content_hash.clone() },
            principal: args.principal.clone(),
            at: timestamp::format(at),
            verdict: args.verdict.as_deref().and_then(ReviewVerdict::named),
            outcome,
            environment,
            plan: walked.map(|walked| walked.plan),
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
            at,
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
            write(place.top(), &path, &bytes, &signature)?;
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

/// Writes a statement and its signature, that first: a statement without one would stand there as unsigned.
fn write(top: &std::path::Path, path: &str, bytes: &[u8], signature: &str) -> Result<()> {
    for (path, bytes) in [(format!("{path}.sig"), signature.as_bytes()), (path.to_owned(), bytes)] {
        publish::create(top, &path, bytes).map_err(|error| {
            Error::new(Code::WriteFailed, format!("`{path}` cannot be written: {error}")).at(&path)
        })?;
    }
    Ok(())
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

/// How a run ended: as its plan tells, which the call may only repeat.
fn outcome(said: Option<&str>, walked: Option<&Walked>) -> Result<Option<Outcome>> {
    let said = said.and_then(Outcome::named);
    let Some(walked) = walked else { return Ok(said) };
    match said.filter(|said| *said != walked.outcome) {
        None => Ok(Some(walked.outcome)),
        Some(said) => {
            let message =
                format!("`--outcome {said}`, and the plan `{}` tells of {}", walked.plan, walked.outcome);
            Err(Error::new(Code::ConflictingArguments, message).at("--outcome").rejecting(said.as_str()))
        }
    }
}
