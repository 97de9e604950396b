//! `pm catalog new`.

use clap::builder::PossibleValuesParser;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::place;
use crate::answer::Answer;
use crate::catalog::cache::Cache;
use crate::catalog::compile::compile;
use crate::catalog::document::RECORD_FILES;

use crate::catalog::source::{Place, Source};
use crate::catalog::validator;
use crate::catalog::words::{Execution, Profile, Risk, RuntimeProfile, SchemaVersion, StepKind};
use crate::codec::toon;
use crate::contract::{Contract, Effect, Example};
use crate::domain::plan;
use crate::error::{Code, Error, Result};
use crate::store::publish;
use crate::surface::{Command, Context};

/// Begins a record.
pub(in crate::commands) struct New;

/// Arguments of `pm catalog new`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The slug: the name of the record and of its folder
    #[arg(value_name = "SLUG")]
    slug: String,
    /// A procedure to read (p0), or one that a runtime can walk (p1)
    #[arg(long, value_name = "PROFILE", default_value = "p0", value_parser = PossibleValuesParser::new(Profile::WORDS))]
    profile: String,
    /// Its title; without one, it is made of the slug
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Who stands by it; without one, the author of the call
    #[arg(long, value_name = "PRINCIPAL")]
    publisher: Option<String>,
    /// Begin a p0 record with the steps of this plan, each `destructive` until its author says less
    #[arg(long, value_name = "ID")]
    from_plan: Option<String>,
}

impl Command for New {
    const CONTRACT: Contract = Contract {
        path: &["catalog", "new"],
        about: "Begin a record: a folder with a runbook to fill in",
        effect: Effect::Writes,
        expects: false,
        errors: &[
            Code::InvalidArgumentValue,
            Code::MissingRequiredOption,
            Code::CatalogRecordExists,
            Code::CatalogSettingsInvalid,
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::RepositoryMissing,
        ],
        examples: &[
            Example { about: "A procedure to read", argv: &["catalog", "new", "rotate-api-token"] },
            Example {
                about: "One that a runtime can walk",
                argv: &["catalog", "new", "restart-replica", "--profile", "p1"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let place = place(context)?;
        let source = place.settings()?.source;
        let slug = args.slug.as_str();
        let profile = Profile::named(&args.profile).unwrap_or(Profile::P0);
        if args.from_plan.is_some() && profile == Profile::P1 {
            let message = "the steps of a plan make a p0 record: they have no edges to walk along";
            return Err(Error::new(Code::ConflictingArguments, message).at("--profile").rejecting("p1"));
        }
        let publisher = match &args.publisher {
            Some(publisher) => publisher.clone(),
            None => author(context, slug)?,
        };
        let steps = match &args.from_plan {
            Some(id) => planned(context, id)?,
            None => vec![first(profile)],
        };
        let record = json!({
            "schema_version": SchemaVersion::V1,
            "profile": profile,
            "slug": slug,
            "title": args.title.unwrap_or_else(|| titled(slug)),
            "publisher": publisher,
            "execution": Execution::Assisted,
            "capabilities": [],
            "min_runtime_profile": RuntimeProfile::R1,
            "steps": steps,
        });
        if let Some(fault) = validator::authored(&record).first() {
            let flag = match fault.at.as_str() {
                "slug" => "SLUG",
                "title" => "--title",
                "publisher" => "--publisher",
                _ => "--from-plan",
            };
            return Err(Error::new(Code::InvalidArgumentValue, fault.to_string())
                .at(flag)
                .rejecting(slug)
                .hint("pm catalog new restart-replica"));
        }
        let folder = format!("{source}/{slug}");
        let taken = RECORD_FILES.iter().map(|name| format!("{folder}/{name}"));
        if let Some(path) = taken.into_iter().find(|path| place.top().join(path).exists()) {
            return Err(Error::new(Code::CatalogRecordExists, format!("`{path}` is there already"))
                .at("SLUG")
                .rejecting(slug)
                .hint(format!("pm catalog check {slug}")));
        }
        unclaimed(&place, slug)?;
        let path = format!("{folder}/runbook.toon");
        let mut text = toon::encode(&record)
            .map_err(|error| Error::new(Code::Internal, format!("the record cannot be written: {error}")))?;
        text.push('\n');
        let mut answer = Answer::new().value("path", path.as_str()).value("slug", slug);
        if context.globals.dry_run {
            answer = answer.value("dry_run", true);
        } else {
            publish::create(place.top(), &path, text.as_bytes()).map_err(|error| {
                Error::new(Code::WriteFailed, format!("`{path}` cannot be written: {error}")).at(&path)
            })?;
        }
        Ok(answer.value("next", format!("pm catalog check {slug}")))
    }
}

/// Refuses a slug that another record has had: its id would be that record's.
fn unclaimed(place: &Place, slug: &str) -> Result<()> {
    // A source that cannot be judged yet has no say.
    let Ok(source) = Source::draft(place, &[]) else { return Ok(()) };
    let root = source.trust_root(None).unwrap_or_default();
    let Ok(compiled) = compile(&source, &root, Date::MAX, &mut Cache::open(place)) else { return Ok(()) };
    match compiled.find(slug) {
        None => Ok(()),
        Some(other) => {
            let message = format!("`{slug}` leads to the record `{}`, which was called so", other.facts.slug);
            Err(Error::new(Code::CatalogRecordExists, message)
                .at("SLUG")
                .rejecting(slug)
                .hint(format!("pm catalog get {}", other.facts.slug)))
        }
    }
}

/// The author of the call, who then stands by the record.
///
/// Errors: `missing_required_option` when nobody says who that is: a record that nobody stands by stays at T0.
fn author(context: &Context, slug: &str) -> Result<String> {
    let actor = context.actor()?;
    if actor.source != "unknown" {
        return Ok(actor.author.clone());
    }
    let message = "nobody says who stands by the record: neither `--publisher` nor an author";
    Err(Error::new(Code::MissingRequiredOption, message)
        .at("--publisher")
        .fact("missing", vec!["--publisher"])
        .hint(format!("pm catalog new {slug} --publisher ops@example.org")))
}

/// A title made of a slug: `rotate-api-token` becomes `Rotate api token`.
fn titled(slug: &str) -> String {
    let text = slug.replace('-', " ");
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The step that a record begins with.
fn first(profile: Profile) -> Value {
    let mut step = json!({
        "id": "first",
        "title": "What to do first",
        "risk": Risk::Destructive,
        "body": {"text": "How to do it, and how to see that it worked."},
    });
    if profile == Profile::P1 {
        step["kind"] = json!(StepKind::Manual);
    }
    step
}

/// The steps of a plan as steps of a record: what they may cost is for their author to say.
fn planned(context: &Context, id: &str) -> Result<Vec<Value>> {
    let tracker = context.tracker()?;
    let item = tracker.item(&tracker.resolve(id)?)?.item;
    plan::is_plan(&item)?;
    let mut taken: Vec<String> = Vec::new();
    let step = |step: plan::Step| {
        let text = |key: &str| step.get(key).and_then(Value::as_str).unwrap_or_default().trim();
        let title = text("title").chars().take(120).collect::<String>();
        let id = name_of(text("runbook_step"), &title, &mut taken);
        let body = Some(text("body")).filter(|body| !body.is_empty()).unwrap_or(&title).to_owned();
        json!({"id": id, "title": title, "risk": Risk::Destructive, "body": {"text": body}})
    };
    Ok(plan::steps(&item).into_iter().map(step).collect())
}

/// An id for a step that no other has: the one it had in a record, or one made of its title.
fn name_of(known: &str, title: &str, taken: &mut Vec<String>) -> String {
    let source = if known.is_empty() { title } else { known };
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let text: String = source.chars().map(plain).collect();
    let parts: Vec<&str> = text.split('-').filter(|part| !part.is_empty()).collect();
    let mut stem: String = parts.join("-").chars().take(32).collect();
    stem = stem.trim_matches('-').to_owned();
    if !stem.starts_with(|c: char| c.is_ascii_lowercase()) {
        stem = format!("step-{stem}").trim_end_matches('-').to_owned();
    }
    let mut id = stem.clone();
    for n in 2.. {
        if !taken.contains(&id) {
            break;
        }
        id = format!("{stem}-{n}");
    }
    taken.push(id.clone());
    id
}
