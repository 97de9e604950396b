//! `pm plan materialize`.

use serde_json::{Value, json};

use crate::answer::{Answer, Rows};
use crate::contract::{Contract, Effect, Example};
use crate::domain::plan::{self, Step, StepEdit};
use crate::domain::{custom, values};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::mutation::creating::{self, Request, Terms};
use crate::mutation::draft::{self, Draft, Options};
use crate::mutation::flags::{Flags, OnCreate};
use crate::mutation::{HIERARCHY_LOCK, then, write};
use crate::surface::{Command, Context};
use crate::tracker::Tracker;

/// Makes items of the steps of a plan.
pub(in crate::commands) struct Materialize;

/// Arguments of `pm plan materialize`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// Id of the plan
    id: String,
    /// The steps: ids or places, separated by commas, or all that are left to do
    #[arg(long, value_name = "STEPS")]
    steps: Option<String>,
    /// Type of the new items
    #[arg(long, value_name = "TYPE")]
    materialize_type: Option<String>,
    /// Parent of the new items, instead of the plan
    #[arg(long, value_name = "ID")]
    materialize_parent: Option<String>,
    /// Tags of the new items
    #[arg(long, value_name = "TAGS")]
    materialize_tags: Option<String>,
    /// A field that this tracker declares, for each new item: <name>=<value>
    #[arg(long, value_name = "NAME=VALUE")]
    field: Vec<String>,
    /// Which fields must be given: strict or progressive
    #[arg(long, value_name = "MODE")]
    create_mode: Option<String>,
    /// Message of the history entries
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl Command for Materialize {
    const CONTRACT: Contract = Contract {
        path: &["plan", "materialize"],
        about: "Make items of the steps of a plan, below it and linked with them",
        effect: Effect::Writes,
        errors: &[
            Code::ItemNotFound,
            Code::WrongItemType,
            Code::TerminalPlanMutation,
            Code::PlanStepNotFound,
            Code::InvalidArgumentValue,
            Code::ExtensionItemFieldUnknown,
        ],
        examples: &[Example {
            about: "A task for each step that is left",
            argv: &["plan", "materialize", "pm-a1b2", "--steps", "all"],
        }],
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let tracker = context.tracker()?;
        let Some(wanted) = args.steps.as_deref().map(str::trim).filter(|steps| !steps.is_empty()) else {
            return Err(Error::new(Code::InvalidArgumentValue, "which steps are to become items?")
                .at("--steps")
                .fact("missing", vec!["--steps"])
                .hint(format!("pm plan materialize {} --steps all", args.id)));
        };
        let id = tracker.resolve(&args.id)?;
        let message = args.message.clone().unwrap_or_else(|| format!("plan materialize {id}"));
        let create = then(context, "create", Some(&message))?;
        let link = write(context, "plan_materialize", Some(&message))?;
        let mut transaction = tracker.transaction(&link)?;
        transaction.lock(HIERARCHY_LOCK)?;
        let item = match transaction.item(&id)? {
            Some(item) => item.clone(),
            None => tracker.item(&id)?.item,
        };
        plan::admit(&item, &tracker.schema().statuses)?;
        let mut warnings = Vec::new();
        let parent = args.materialize_parent.as_deref().and_then(|typed| tracker.resolve(typed).ok());
        let parent = parent.unwrap_or_else(|| id.clone());
        let chosen = choose((&item, &parent), wanted, tracker, &mut warnings)?;
        let mut made: Vec<(String, String)> = Vec::new();
        let mut rows = Vec::new();
        for step in &chosen {
            let draft = draft_of(&args, &id, step, context)?;
            let terms =
                Terms { create_mode: args.create_mode.as_deref(), allow_duplicate: true, ..Terms::default() };
            let created = creating::create(context, &mut transaction, Request { draft, terms }, &create)?;
            let written = created.receipt.written;
            warnings.extend(written.warnings);
            warnings.extend(created.receipt.warnings);
            let kind = written.after.as_ref().map_or("", |item| item.kind());
            rows.push(json!({"step_id": step["id"], "id": written.id, "type": kind, "title": step["title"]}));
            made.push((step["id"].as_str().unwrap_or_default().to_owned(), written.id));
        }
        let written = transaction.change(&id, &link, &mut |item, at| {
            let mut steps = plan::steps(item);
            for (step, child) in &made {
                let index = plan::find(item, &steps, step)?;
                let links = vec![json!({"id": child, "kind": "implements"})];
                plan::change(item, &mut steps, index, &StepEdit { links, ..StepEdit::default() }, at)?;
            }
            Ok(if made.is_empty() { item.clone() } else { plan::with_steps(item, steps) })
        })?;
        transaction.commit()?;
        warnings.extend(written.warnings.iter().cloned());
        let mut answer = Answer::new().value("action", "materialize").value("id", id.as_str());
        if context.globals.dry_run {
            answer = answer.value("dry_run", true);
        }
        let count = rows.len();
        answer = answer.rows("materialized", Rows::values(rows)).value("count", count);
        Ok(warnings.into_iter().fold(answer, Answer::warn))
    }
}

/// The steps that were asked for. A step that has its item already is passed over with a word about it; of `all` those
/// that are over are passed over too.
fn choose(
    (item, parent): (&Item, &str),
    wanted: &str,
    tracker: &Tracker,
    warnings: &mut Vec<String>,
) -> Result<Vec<Step>> {
    let steps = plan::steps(item);
    let status = |step: &Step| step.get("status").and_then(Value::as_str).unwrap_or_default().to_owned();
    let over = |step: &Step| matches!(status(step).as_str(), "completed" | "skipped" | "superseded");
    let mut chosen: Vec<Step> = Vec::new();
    if wanted.eq_ignore_ascii_case("all") {
        chosen.extend(steps.iter().filter(|step| !over(step)).cloned());
    } else {
        for word in wanted.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let step = &steps[plan::find(item, &steps, word).map_err(|error| error.at("--steps"))?];
            if !chosen.contains(step) {
                chosen.push(step.clone());
            }
        }
    }
    chosen.retain(|step| match child_of(step, parent, tracker) {
        None => true,
        Some(child) => {
            let step = step.get("id").and_then(Value::as_str).unwrap_or_default();
            warnings.push(format!("plan_step_already_materialized:{step}:{child}"));
            false
        }
    });
    Ok(chosen)
}

/// The item below the parent of new items that a step has been made into.
fn child_of(step: &Step, wanted: &str, tracker: &Tracker) -> Option<String> {
    let links = step.get("linked_items").and_then(Value::as_array)?;
    let implements = links.iter().filter(|link| link["kind"] == "implements");
    implements.filter_map(|link| link["id"].as_str()).map(str::to_owned).find(|id| {
        tracker.item(id).is_ok_and(|child| {
            child.item.text("parent").is_some_and(|parent| parent.eq_ignore_ascii_case(wanted))
        })
    })
}

/// The item that a step becomes.
fn draft_of(args: &Args, plan: &str, step: &Step, context: &Context) -> Result<Draft> {
    let text = |key: &str| step.get(key).and_then(Value::as_str).map(str::to_owned);
    let fields = [
        ("title", text("title")),
        ("type", args.materialize_type.clone().or_else(|| Some("Task".to_owned()))),
        ("parent", args.materialize_parent.clone().or_else(|| Some(plan.to_owned()))),
        ("tags", args.materialize_tags.clone()),
        ("body", text("body")),
    ];
    let mut flags = Flags::<OnCreate>::default();
    for (key, value) in fields {
        flags.fields.extend(value.map(|value| (key, vec![value])));
    }
    let mut draft = draft::resolve(context, flags, &Options::default(), None).map_err(|error| match error
        .surface
        .as_deref()
    {
        Some("--type") => error.at("--materialize-type"),
        Some("--parent") => error.at("--materialize-parent"),
        _ => error,
    })?;
    for pair in &args.field {
        let (key, value) = declared(pair, context.tracker()?)?;
        draft.changes.set.insert(key, value);
    }
    Ok(draft)
}

/// A value of a field that the tracker declares.
fn declared(pair: &str, tracker: &Tracker) -> Result<(String, Value)> {
    let Some((name, value)) = pair.split_once('=').map(|(name, value)| (name.trim(), value)) else {
        return Err(values::refusal("--field", pair, "write <name>=<value>", &[]));
    };
    let fields = &tracker.schema().fields;
    let field =
        fields.iter().find(|field| field.key == name || field.metadata_key == name || field.flag == name);
    let Some(field) = field else {
        let known: Vec<&str> = fields.iter().map(|field| field.key.as_str()).collect();
        return Err(Error::new(
            Code::ExtensionItemFieldUnknown,
            format!("this tracker declares no field `{name}`"),
        )
        .at("--field")
        .rejecting(pair)
        .fact("allowed_values", crate::nearest::order(name, &known)));
    };
    Ok((field.metadata_key.clone(), custom::value(field, &[value.to_owned()])?))
}
