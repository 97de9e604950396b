//! `pm plan create`.

use clap::{ArgAction, ArgMatches, FromArgMatches};
use serde_json::Value;

use super::runbook;
use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::plan::{self, Step, StepEdit};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::mutation::claiming;
use crate::mutation::creating::{self, Request, Terms};
use crate::mutation::draft::{self, Options};
use crate::mutation::flags::{Flags, OnCreate};
use crate::mutation::planning::{self, Said};
use crate::mutation::{then, write};
use crate::nearest;
use crate::surface::{Command, Context};

/// Creates a plan.
pub(in crate::commands) struct Create;

/// The flags of `create`, as far as they concern plans.
#[derive(Debug)]
struct PlanFlags(Flags<OnCreate>);

impl clap::Args for PlanFlags {
    fn augment_args(command: clap::Command) -> clap::Command {
        Flags::<OnCreate>::augment_args(command).mut_arg("type", |arg| arg.hide(true)).mut_arg(
            "blocked-by",
            |arg| {
                arg.action(ArgAction::Append)
                    .value_name("ID")
                    .help("Items that the plan waits for; repeatable")
            },
        )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PlanFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<PlanFlags, clap::Error> {
        Flags::from_arg_matches(matches).map(PlanFlags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// Arguments of `pm plan create`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Title of the plan
    #[arg(value_name = "TITLE")]
    name: Option<String>,
    /// What the plan covers, in short
    #[arg(long, value_name = "TEXT")]
    scope: Option<String>,
    /// Title of a step; repeat it for more, in order
    #[arg(long, value_name = "TEXT")]
    step: Vec<String>,
    /// Title of the first step
    #[arg(long, value_name = "TEXT")]
    step_title: Option<String>,
    /// Body of the first step
    #[arg(long, value_name = "TEXT")]
    step_body: Option<String>,
    /// Begin with these steps: bug-investigation, feature-implementation, refactoring-sprint
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// Make it of this runbook of the catalog: its steps, what they may cost, what needs an approval
    #[arg(long, value_name = "ID")]
    from_runbook: Option<String>,
    /// With --from-runbook: the capabilities that may be used, separated by commas; @FILE holds a list
    #[arg(long, value_name = "CAPABILITIES", requires = "from_runbook")]
    allow: Vec<String>,
    /// Items that are related; repeat it or separate ids with commas
    #[arg(long, value_name = "ID")]
    related: Vec<String>,
    /// Items that wait for the plan; repeat it or separate ids with commas
    #[arg(long, value_name = "ID")]
    blocks: Vec<String>,
    /// Where the plan comes from: codex, claude-code, cursor, generic
    #[arg(long, value_name = "NAME")]
    harness: Option<String>,
    /// State of the plan: draft, research, review, approved, executing, paused, completed, superseded
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// What somebody who takes over must know
    #[arg(long, value_name = "TEXT")]
    resume_context: Option<String>,
    /// The search that led to the plan, for the history
    #[arg(long, value_name = "QUERY")]
    from_search: Option<String>,
    /// Claim the plan
    #[arg(long)]
    claim: bool,
    /// Which fields must be given: strict or progressive
    #[arg(long, value_name = "MODE")]
    create_mode: Option<String>,
    #[command(flatten)]
    flags: PlanFlags,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Create {
    const CONTRACT: Contract = Contract {
        path: &["plan", "create"],
        about: "Create a plan",
        effect: Effect::Writes,
        expects: false,
        errors: &[
            Code::MissingRequiredOption,
            Code::InvalidArgumentValue,
            Code::UnknownPlanTemplate,
            Code::DependencyTargetNotFound,
            Code::ParentNotFound,
            Code::CatalogRecordNotFound,
            Code::CapabilityNotAllowed,
            Code::RecordRevoked,
        ],
        examples: &[
            Example {
                about: "With its first steps",
                argv: &[
                    "plan", "create", "Ship it", "--step", "Build", "--step", "Test", "--step", "Release",
                ],
            },
            Example {
                about: "From a list of steps",
                argv: &["plan", "create", "Login fails", "--template", "bug-investigation"],
            },
            Example {
                about: "Of a runbook of the catalog",
                argv: &["plan", "create", "--from-runbook", "restart-replica", "--allow", "shell:kubectl"],
            },
        ],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(mut args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let made = args.from_runbook.as_deref().map(|name| runbook::made_of(context, name, &args.allow));
        let mut seed = Seed::read(&args)?;
        if let Some(made) = made.transpose()? {
            seed.steps.splice(0..0, made.steps);
            seed.runbook = Some(made.runbook);
            if args.name.is_none() && !args.flags.0.fields.contains_key("title") {
                args.name = Some(made.title);
            }
        }
        let flags = item_flags(&mut args, context)?;
        let given: Vec<&str> = flags.given().map(|(field, _)| field.flag).collect();
        let draft = draft::resolve(context, flags, &Options::default(), None)?;
        let terms = Terms { given, create_mode: args.create_mode.as_deref(), ..Terms::default() };
        let found = args.from_search.as_deref().map(|query| format!("plan create (search: {query})"));
        let message = args.message.as_deref().or(found.as_deref()).unwrap_or("plan create");
        let create = write(context, "create", Some(message))?;
        let metadata = then(context, "plan_create_metadata", Some("seed plan metadata"))?;
        let mut transaction = tracker.transaction(&create)?;
        let mut receipt =
            creating::create(context, &mut transaction, Request { draft, terms }, &create)?.receipt;
        let id = receipt.written.id.clone();
        let seeded = transaction.change(&id, &metadata, &mut |item, at| seed.plant(item, at))?;
        receipt.written.changed.extend(seeded.changed);
        receipt.written.after = seeded.after;
        if args.claim {
            let claim = then(context, "claim", None)?;
            let terms = claiming::Terms::default();
            let claimed = claiming::claim(context, &mut transaction, &id, &claim, terms)?;
            receipt.warnings.extend(claimed.warnings());
            receipt.written.changed.extend(claimed.written.changed);
            receipt.written.after = claimed.written.after;
        }
        transaction.commit()?;
        let first = receipt.written.after.as_ref().map(plan::steps).unwrap_or_default();
        let step = first.first().and_then(|step| step.get("id")).and_then(Value::as_str).map(str::to_owned);
        Ok(planning::answer(context, &Said { action: "create", step, places: false }, receipt))
    }
}

/// The flags of the item: a plan is of type Plan, its author's unless it is given to somebody, and described by its
/// scope unless it is described.
fn item_flags(args: &mut Args, context: &Context) -> Result<Flags<OnCreate>> {
    let mut flags = std::mem::take(&mut args.flags.0);
    let fields = &mut flags.fields;
    if let Some(title) = args.name.take()
        && fields.insert("title", vec![title]).is_some()
    {
        let problem = "--title says what a word before it says too";
        return Err(Error::new(Code::ConflictingArguments, problem).at("--title"));
    }
    if let Some(kind) = fields.get("type").and_then(|typed| typed.last())
        && !kind.trim().eq_ignore_ascii_case("plan")
    {
        return Err(crate::domain::values::refusal("--type", kind, "a plan is of type Plan", &["Plan"]));
    }
    fields.insert("type", vec!["Plan".to_owned()]);
    if let Some(scope) = &args.scope {
        fields.entry("description").or_insert_with(|| vec![scope.clone()]);
    }
    let actor = context.actor()?;
    if actor.source != "unknown" {
        fields.entry("assignee").or_insert_with(|| vec![actor.author.clone()]);
    }
    let blockers = fields.remove("blocked_by").unwrap_or_default();
    let links = flags.lists.entry("dependencies").or_default();
    for (kind, ids) in [("related", &args.related), ("blocks", &args.blocks), ("blocked_by", &blockers)] {
        links.extend(ids.iter().map(|ids| format!("id={ids},kind={kind}")));
    }
    if links.is_empty() {
        flags.lists.remove("dependencies");
    }
    Ok(flags)
}

/// What makes an item a plan.
#[derive(Debug)]
struct Seed {
    texts: Vec<(&'static str, String)>,
    steps: Vec<StepEdit>,
    /// What the plan keeps of the record that it was made of.
    runbook: Option<Value>,
}

impl Seed {
    fn read(args: &Args) -> Result<Seed> {
        let mode = args.mode.as_deref().map(|mode| plan::word("--mode", mode, plan::MODES)).transpose()?;
        let harness =
            args.harness.as_deref().map(|name| plan::word("--harness", name, plan::HARNESSES)).transpose()?;
        let texts = [
            ("plan_mode", Some(mode.unwrap_or("draft"))),
            ("plan_scope", args.scope.as_deref()),
            ("plan_harness", harness),
            ("plan_resume_context", args.resume_context.as_deref()),
        ];
        let titled = |title: &str| StepEdit { title: Some(title.to_owned()), ..StepEdit::default() };
        let mut steps: Vec<StepEdit> = Vec::new();
        if let Some(title) = &args.step_title {
            steps.push(StepEdit { body: args.step_body.clone(), ..titled(title) });
        }
        if let Some(name) = &args.template {
            steps.extend(template(name)?.iter().map(|title| titled(title)));
        }
        steps.extend(args.step.iter().map(|title| titled(title)));
        let texts = texts.into_iter().filter_map(|(key, text)| Some((key, text?.to_owned())));
        Ok(Seed { texts: texts.collect(), steps, runbook: None })
    }

    fn plant(&self, item: &Item, at: &str) -> Result<Item> {
        let mut item = item.clone();
        for (key, text) in &self.texts {
            item.metadata.insert((*key).to_owned(), Value::from(text.as_str()));
        }
        if let Some(runbook) = &self.runbook {
            item.metadata.insert("runbook".to_owned(), runbook.clone());
        }
        let mut steps: Vec<Step> = Vec::new();
        for edit in &self.steps {
            plan::add(&item, &mut steps, edit, at).map_err(|error| error.at("--step"))?;
        }
        Ok(plan::with_steps(&item, steps))
    }
}

fn template(name: &str) -> Result<&'static [&'static str]> {
    let word = name.trim().to_ascii_lowercase();
    let found = plan::TEMPLATES.iter().find(|(known, _)| *known == word);
    found.map(|(_, steps)| *steps).ok_or_else(|| {
        let known: Vec<&str> = plan::TEMPLATES.iter().map(|(known, _)| *known).collect();
        Error::new(Code::UnknownPlanTemplate, format!("there is no list of steps `{name}`"))
            .at("--template")
            .rejecting(name)
            .fact("allowed_values", nearest::order(&word, &known))
    })
}
