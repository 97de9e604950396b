//! `pm catalog run`.

use serde_json::{Value, json};

use super::{Reading, as_of, compiled, folder, place, record};
use crate::answer::{Answer, Rows};
use crate::catalog::allowlist::Allowlist;
use crate::catalog::approval::Approval;
use crate::catalog::conformance::{self, Client, Served};
use crate::catalog::folder::Folder;
use crate::catalog::policy::TrustRoot;
use crate::catalog::published;
use crate::catalog::source::{At, Source};
use crate::catalog::words::{Level, RuntimeProfile};
use crate::contract::{Contract, Example, surfaces};
use crate::error::{Code, Error, Result};
use crate::store::userfile;
use crate::surface::{Command, Context};

/// Decides whether a record may be run here.
pub(in crate::commands) struct Run;

/// Arguments of `pm catalog run`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The record: its id, its slug, or a former slug
    #[arg(value_name = "ID")]
    id: String,
    /// Decide and start nothing; there is no other way
    #[arg(long)]
    dry_run: bool,
    /// What this runtime may do: capabilities with commas, mcp:pg.* for all that begin so, or a file of them
    #[arg(long, value_name = "CSV|FILE")]
    allow: Vec<String>,
    /// What this runtime enforces
    #[arg(long, value_name = "PROFILE", default_value = "R1", value_parser = RuntimeProfile::WORDS.to_vec())]
    runtime_profile: String,
    /// The lowest level that is run here
    #[arg(long, value_name = "LEVEL", default_value = "T2", value_parser = Level::WORDS.to_vec())]
    trust_min: String,
    /// Who would run it: nobody approves of himself
    #[arg(long, value_name = "PRINCIPAL")]
    agent: Option<String>,
    /// A person's approval of steps, its signature beside it in FILE.sig
    #[arg(long, value_name = "FILE")]
    approval: Vec<String>,
    /// Take the record from a catalog that was built, instead of the repository's own
    #[arg(long, value_name = "DIR")]
    from: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

impl Command for Run {
    const CONTRACT: Contract = Contract {
        path: &["catalog", "run"],
        about: "Decide whether a record may be run here, and show the walk; nothing is started",
        read_output: Some(surfaces::CATALOG_RUN),
        errors: &[
            Code::RecordInvalid,
            Code::RecordRevoked,
            Code::RuntimeProfileExceeded,
            Code::CapabilityNotAllowed,
            Code::TrustBelowFloor,
            Code::ApprovalRequired,
            Code::ApprovalNotHuman,
            Code::ApprovalBySelf,
            Code::ApprovalStale,
            Code::ApprovalInvalid,
            Code::CatalogRecordNotFound,
            Code::CatalogFolderInvalid,
            Code::CatalogSourceInvalid,
            Code::CatalogTrustRootInvalid,
            Code::MissingRequiredOption,
            Code::RevisionNotFound,
            Code::RepositoryMissing,
        ],
        examples: &[
            Example {
                about: "What does it need? It is refused, and says (exit 2)",
                argv: &["catalog", "run", "restart-postgres-replica", "--dry-run"],
            },
            Example {
                about: "With capabilities and a person's approval",
                argv: &[
                    "catalog",
                    "run",
                    "restart-replica",
                    "--dry-run",
                    "--allow",
                    "mcp:pg.*,shell:kubectl",
                    "--approval",
                    "ok.json",
                ],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        if !args.dry_run {
            let message = "`pm` starts no procedure; `--dry-run` shows whether one may be";
            let retry = format!("pm catalog run {} --dry-run", args.id);
            return Err(Error::new(Code::MissingRequiredOption, message).at("--dry-run").hint(retry));
        }
        let allow = allowlist(&args.allow, context)?;
        let approvals =
            args.approval.iter().map(|path| approval(path, context)).collect::<Result<Vec<_>>>()?;
        let as_of = as_of(context, args.reading.clock.as_deref())?;
        let (served, root) = match &args.from {
            Some(typed) => from_folder(&args, typed, context)?,
            None => from_source(&args, context)?,
        };
        let client = Client {
            runtime: RuntimeProfile::named(&args.runtime_profile).unwrap_or(RuntimeProfile::R0),
            allow: &allow,
            trust_min: Level::named(&args.trust_min).unwrap_or(Level::FLOOR),
            agent: args.agent.as_deref(),
            approvals: &approvals,
            root: &root,
            as_of,
            now: context.clock.now(),
        };
        let walk = conformance::decide(&served, &client)?;
        let mut answer = Answer::new().value("decision", "may_run");
        for (key, value) in walk.facts {
            answer = answer.value(&key, value);
        }
        Ok(answer.value("steps_started", json!(0)).rows("walk", Rows::ready(walk.steps)))
    }
}

/// The allowlist of a call: what has a colon is a list, anything else names a file of one.
pub(in crate::commands) fn allowlist(typed: &[String], context: &Context) -> Result<Allowlist> {
    let mut all = Allowlist::default();
    for text in typed {
        let refused = |problem: String| {
            Error::new(Code::InvalidArgumentValue, problem)
                .at("--allow")
                .rejecting(text.as_str())
                .hint("pm catalog run <id> --dry-run --allow mcp:pg.query,shell:kubectl")
        };
        let path =
            text.strip_prefix('@').or((!text.contains(':') && !text.trim().is_empty()).then_some(text));
        let list = match path {
            None => text.clone(),
            Some(path) => userfile::read_text(&context.env.cwd, path)
                .map_err(|error| refused(format!("`--allow {text}`: the file cannot be read: {error}")))?,
        };
        let list = Allowlist::read(&list).map_err(|word| {
            refused(format!(
                "`--allow` does not take `{word}`: capabilities are scheme:name, or scheme:prefix.* for all that begin so"
            ))
        })?;
        all.join(list);
    }
    Ok(all)
}

/// An approval and its signature.
pub(in crate::commands) fn approval(path: &str, context: &Context) -> Result<Approval> {
    let cwd = &context.env.cwd;
    let bytes = userfile::read_bytes(cwd, path, 1 << 20).map_err(|cause| {
        Error::new(Code::InvalidArgumentValue, format!("`--approval {path}` cannot be read: {cause}"))
            .at("--approval")
            .rejecting(path)
            .because(cause)
    })?;
    let signature = userfile::read_text(cwd, &format!("{path}.sig")).ok();
    Ok(Approval { name: path.to_owned(), bytes, signature })
}

fn from_source(args: &Args, context: &Context) -> Result<(Served, TrustRoot)> {
    let (compiled, _) = compiled(context, &args.reading)?;
    let item = record(&compiled, &args.id)?;
    let served = serde_json::from_slice(item.rendered.artifact()).unwrap_or(Value::Null);
    Ok((Served { record: served, tampered: None }, trust_root(args, context)?))
}

/// A record of a folder, and the trust root around the call: a catalog that was built has no keys.
fn from_folder(args: &Args, typed: &str, context: &Context) -> Result<(Served, TrustRoot)> {
    let folder = Folder::open(&folder(context, typed))?;
    let served = published::record(&folder, &args.id)?;
    let root = match (&args.reading.trust_root, place(context)) {
        (None, Err(_)) => TrustRoot::default(),
        _ => trust_root(args, context)?,
    };
    Ok((served, root))
}

fn trust_root(args: &Args, context: &Context) -> Result<TrustRoot> {
    let source = Source::open(&place(context)?, At::Revision(&args.reading.rev))?;
    let outside = args.reading.trust_root.as_ref().map(|folder| context.env.cwd.join(folder));
    source.trust_root(outside.as_deref())
}
