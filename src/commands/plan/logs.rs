//! `pm plan decision`, `discovery`, `validation`.

use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::contract::{Contract, Effect, Example};
use crate::domain::plan;
use crate::error::{Code, Error, Result};
use crate::mutation::planning::{self, Said};
use crate::mutation::{text_or_stdin, write};
use crate::surface::{Command, Context};

/// One of a plan's logs.
struct Log {
    action: &'static str,
    key: &'static str,
    op: &'static str,
    flag: &'static str,
}

/// Refuses an entry without words.
fn words<'a>(log: &Log, id: &str, text: Option<&'a str>, context: &'a Context) -> Result<&'a str> {
    let text = text.map(|text| text_or_stdin(context, text)).transpose()?;
    text.map(str::trim).filter(|text| !text.is_empty()).ok_or_else(|| {
        let Log { action, flag, .. } = log;
        Error::new(Code::MissingRequiredOption, format!("a {action} needs words"))
            .at(*flag)
            .fact("missing", vec![*flag])
            .hint(format!("pm plan {action} {id} {flag} \"the words\""))
    })
}

/// Appends what `row` makes; `place` names a step, which must exist.
fn append<'a>(
    log: &Log,
    (id, place): (&str, Option<&str>),
    message: Option<String>,
    context: &'a Context,
    row: &dyn Fn(&str, Option<&str>) -> Map<String, Value>,
) -> Result<Answer<'a>> {
    let message = message.unwrap_or_else(|| format!("plan {} append", log.action));
    let write = write(context, log.op, Some(&message))?;
    let receipt = planning::change(context, id, &write, &mut |item, at| {
        let steps = plan::steps(item);
        let index = place.map(|place| plan::find(item, &steps, place)).transpose()?;
        let step = index.and_then(|index| steps[index].get("id")).and_then(Value::as_str);
        Ok(plan::append(item, log.key, row(at, step)))
    })?;
    let item = receipt.written.after.clone().unwrap_or_default();
    let entry = item.list(log.key).last().cloned().unwrap_or_default();
    let short = context.globals.dry_run || context.globals.id_only;
    let answer = planning::answer(context, &Said { action: log.action, step: None, places: false }, receipt);
    Ok(if short { answer } else { answer.value("entry", entry) })
}

/// Logs a decision.
pub(in crate::commands) struct Decision;

/// Arguments of `pm plan decision`.
#[derive(clap::Args)]
pub(in crate::commands) struct DecisionArgs {
    /// Id of the plan
    id: String,
    /// The step that it is about: its id, or its place in the order
    #[arg(value_name = "STEP")]
    place: Option<String>,
    /// What was decided; - is standard input
    #[arg(long, visible_alias = "decision", value_name = "TEXT")]
    decision_text: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    decision_rationale: Option<String>,
    /// What it rests on
    #[arg(long, value_name = "TEXT")]
    decision_evidence: Option<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Decision {
    const CONTRACT: Contract = Contract {
        path: &["plan", "decision"],
        about: "Log a decision in a plan",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::PlanStepNotFound,
            Code::MissingRequiredOption,
        ],
        examples: &[Example {
            about: "What, and why",
            argv: &[
                "plan",
                "decision",
                "pm-a1b2",
                "--decision",
                "Use TOON",
                "--decision-rationale",
                "Fewer tokens",
            ],
        }],
        ..Contract::BASE
    };
    type Args = DecisionArgs;

    fn run<'a>(args: DecisionArgs, context: &'a Context) -> Result<Answer<'a>> {
        let log = Log {
            action: "decision",
            key: "plan_decisions",
            op: "plan_append_decision",
            flag: "--decision-text",
        };
        let text = words(&log, &args.id, args.decision_text.as_deref(), context)?.to_owned();
        let author = context.actor()?.author.as_str();
        let at = (args.id.as_str(), args.place.as_deref());
        append(&log, at, args.message, context, &|at, step| {
            let said = [
                ("decision", Some(text.as_str())),
                ("rationale", args.decision_rationale.as_deref()),
                ("evidence", args.decision_evidence.as_deref()),
                ("step_id", step),
            ];
            planning::log_row(at, author, &said)
        })
    }
}

/// Logs a discovery.
pub(in crate::commands) struct Discovery;

/// Arguments of `pm plan discovery`.
#[derive(clap::Args)]
pub(in crate::commands) struct DiscoveryArgs {
    /// Id of the plan
    id: String,
    /// The step that it is about: its id, or its place in the order
    #[arg(value_name = "STEP")]
    place: Option<String>,
    /// What was found; - is standard input
    #[arg(long, visible_alias = "discovery", value_name = "TEXT")]
    discovery_text: Option<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Discovery {
    const CONTRACT: Contract = Contract {
        path: &["plan", "discovery"],
        about: "Log a discovery in a plan",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::PlanStepNotFound,
            Code::MissingRequiredOption,
        ],
        examples: &[Example {
            about: "What was found on the way",
            argv: &["plan", "discovery", "pm-a1b2", "--discovery", "The cache is never emptied"],
        }],
        ..Contract::BASE
    };
    type Args = DiscoveryArgs;

    fn run<'a>(args: DiscoveryArgs, context: &'a Context) -> Result<Answer<'a>> {
        let log = Log {
            action: "discovery",
            key: "plan_discoveries",
            op: "plan_append_discovery",
            flag: "--discovery-text",
        };
        let text = words(&log, &args.id, args.discovery_text.as_deref(), context)?.to_owned();
        let author = context.actor()?.author.as_str();
        let at = (args.id.as_str(), args.place.as_deref());
        append(&log, at, args.message, context, &|at, step| {
            planning::log_row(at, author, &[("text", Some(text.as_str())), ("step_id", step)])
        })
    }
}

/// Logs how a plan is validated.
pub(in crate::commands) struct Validation;

/// Arguments of `pm plan validation`.
#[derive(clap::Args)]
pub(in crate::commands) struct ValidationArgs {
    /// Id of the plan
    id: String,
    /// What must hold; - is standard input
    #[arg(long, visible_alias = "validation", value_name = "TEXT")]
    validation_text: Option<String>,
    /// The command that shows it; it is recorded, not run
    #[arg(long, value_name = "COMMAND")]
    validation_command: Option<String>,
    /// What the command should give
    #[arg(long, value_name = "TEXT")]
    validation_expected: Option<String>,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Validation {
    const CONTRACT: Contract = Contract {
        path: &["plan", "validation"],
        about: "Log in a plan what must hold, and the command that shows it",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::MissingRequiredOption,
        ],
        examples: &[Example {
            about: "A claim and its proof",
            argv: &[
                "plan",
                "validation",
                "pm-a1b2",
                "--validation",
                "Tests pass",
                "--validation-command",
                "make test",
            ],
        }],
        ..Contract::BASE
    };
    type Args = ValidationArgs;

    fn run<'a>(args: ValidationArgs, context: &'a Context) -> Result<Answer<'a>> {
        let log = Log {
            action: "validation",
            key: "plan_validation",
            op: "plan_append_validation",
            flag: "--validation-text",
        };
        let text = words(&log, &args.id, args.validation_text.as_deref(), context)?.to_owned();
        append(&log, (&args.id, None), args.message, context, &|_, _| {
            let said = [
                ("text", Some(text.as_str())),
                ("command", args.validation_command.as_deref()),
                ("expected", args.validation_expected.as_deref()),
            ];
            let mut row = planning::log_row("", "", &said);
            // This log has neither time nor author.
            row.shift_remove("ts");
            row.shift_remove("author");
            row
        })
    }
}
