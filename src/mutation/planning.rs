//! Changes of plans: the step flags, the change under the lock, the answer.

use serde_json::{Map, Value, json};

use super::receipt::Receipt;
use super::seeds;
use crate::answer::{Answer, Rows};
use crate::domain::annotations;
use crate::domain::plan::{self, Step, StepEdit};
use crate::error::Result;
use crate::model::item::Item;
use crate::surface::Context;
use crate::tracker::Write;

/// What a step is linked to.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct LinkArgs {
    /// Items that the step is linked to; repeat it or separate ids with commas
    #[arg(long, value_name = "ID")]
    pub(crate) link: Vec<String>,
    /// What the link means: related, blocks, blocked_by, depends_on, discovered_from, implements, recurs_from, verifies, supersedes
    #[arg(long, value_name = "KIND")]
    pub(crate) link_kind: Option<String>,
    /// A note on the link
    #[arg(long, value_name = "TEXT")]
    pub(crate) link_note: Option<String>,
}

impl LinkArgs {
    /// The kind that was named.
    pub(crate) fn kind(&self) -> Result<Option<&'static str>> {
        self.link_kind.as_deref().map(|kind| plan::word("--link-kind", kind, plan::LINK_KINDS)).transpose()
    }

    /// The links as steps hold them.
    pub(crate) fn rows(&self, context: &Context) -> Result<Vec<Value>> {
        let kind = self.kind()?.unwrap_or("related");
        let ids = seeds::targets(context.tracker()?, "--link", &self.link)?;
        let note = self.link_note.as_deref().map(str::trim).filter(|note| !note.is_empty());
        Ok(ids
            .into_iter()
            .map(|id| match note {
                Some(note) => json!({"id": id, "kind": kind, "note": note}),
                None => json!({"id": id, "kind": kind}),
            })
            .collect())
    }
}

/// What a call says about a step.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct StepArgs {
    /// Title of the step
    #[arg(long, visible_alias = "step", value_name = "TEXT")]
    pub(crate) step_title: Option<String>,
    /// Body of the step; - is standard input
    #[arg(long, value_name = "TEXT")]
    pub(crate) step_body: Option<String>,
    /// Who does the step
    #[arg(long, value_name = "NAME")]
    pub(crate) step_owner: Option<String>,
    /// State of the step: pending, in_progress, completed, blocked, skipped, superseded
    #[arg(long, value_name = "STATUS")]
    pub(crate) step_status: Option<String>,
    /// What shows that the step is done
    #[arg(long, value_name = "TEXT")]
    pub(crate) step_evidence: Option<String>,
    /// Why the step is blocked
    #[arg(long, value_name = "TEXT")]
    pub(crate) step_blocked_reason: Option<String>,
    /// What takes the place of the step
    #[arg(long, value_name = "TEXT")]
    pub(crate) step_replacement: Option<String>,
    /// Items that the step waits for; repeat it or separate ids with commas
    #[arg(long, value_name = "ID")]
    pub(crate) depends_on: Vec<String>,
    #[command(flatten)]
    pub(crate) links: LinkArgs,
    /// Linked file: path=<path>, scope=project|global, note=<text>
    #[arg(long, value_name = "ENTRY")]
    pub(crate) file: Vec<String>,
    /// Linked test: command=<command>, path=<path>, note=<text>
    #[arg(long, value_name = "ENTRY")]
    pub(crate) test: Vec<String>,
    /// Linked document: path=<path>, scope=project|global, note=<text>
    #[arg(long, value_name = "ENTRY")]
    pub(crate) doc: Vec<String>,
    /// Let several steps be in progress at once
    #[arg(long)]
    pub(crate) allow_multiple_active: bool,
}

impl StepArgs {
    /// The change that they ask for.
    pub(crate) fn edit(&self, context: &Context) -> Result<StepEdit> {
        let mut links: Vec<Value> = seeds::targets(context.tracker()?, "--depends-on", &self.depends_on)?
            .into_iter()
            .map(|id| json!({"id": id, "kind": "depends_on"}))
            .collect();
        links.extend(self.links.rows(context)?);
        let paths = |flag: &str, texts: &[String]| -> Result<Vec<Value>> {
            texts.iter().map(|text| annotations::path_row(flag, text, None)).collect()
        };
        let tests: Result<Vec<Value>> = self
            .test
            .iter()
            .map(|text| {
                // A step remembers less of a test than an item does.
                let row = annotations::test_row("--test", text)?;
                let kept = ["command", "path", "note"];
                Ok(Value::Object(row.as_object().map(|row| plan::pick(row, &kept)).unwrap_or_default()))
            })
            .collect();
        let body = self.step_body.as_deref().map(|text| super::text_or_stdin(context, text)).transpose()?;
        Ok(StepEdit {
            id: None,
            agreed: None,
            title: self.step_title.clone(),
            body: body.map(str::to_owned),
            owner: self.step_owner.clone(),
            status: self.step_status.clone(),
            evidence: self.step_evidence.clone(),
            blocked_reason: self.step_blocked_reason.clone(),
            replacement: self.step_replacement.clone(),
            links,
            files: paths("--file", &self.file)?,
            tests: tests?,
            docs: paths("--doc", &self.doc)?,
            allow_multiple_active: self.allow_multiple_active,
        })
    }
}

/// Changes a plan under its lock.
///
/// Errors: `item_not_found`, `wrong_item_type`, `terminal_plan_mutation`, and whatever `edit` returns.
pub(crate) fn change(
    context: &Context,
    typed: &str,
    write: &Write<'_>,
    edit: &mut dyn FnMut(&Item, &str) -> Result<Item>,
) -> Result<Receipt> {
    let tracker = context.tracker()?;
    let id = tracker.resolve(typed)?;
    let statuses = &tracker.schema().statuses;
    let written = tracker.change(&id, write, &mut |item, at| {
        plan::admit(item, statuses)?;
        edit(item, at)
    })?;
    Ok(Receipt::of(written))
}

/// As [`change`], for the steps alone.
pub(crate) fn change_steps(
    context: &Context,
    typed: &str,
    write: &Write<'_>,
    edit: &mut dyn FnMut(&Item, &mut Vec<Step>, &str) -> Result<()>,
) -> Result<Receipt> {
    change(context, typed, write, &mut |item, at| {
        let mut steps = plan::steps(item);
        let before = steps.clone();
        edit(item, &mut steps, at)?;
        if steps == before {
            return Ok(item.clone());
        }
        Ok(plan::with_steps(item, steps))
    })
}

/// How much of a plan is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// How it stands.
    Brief,
    /// The steps too.
    Standard,
    /// The logs too.
    Deep,
}

/// A step with what the plan's runbook says about it.
fn told(item: &Item, step: &Value) -> Value {
    let mut step = step.clone();
    if let Value::Object(step) = &mut step {
        let gate = step.get("id").and_then(Value::as_str).and_then(|id| plan::gate_of(item, id)).cloned();
        step.extend(gate.into_iter().flatten());
    }
    step
}

/// What a plan keeps of the runbook that it was made of, without its steps.
fn runbook(item: &Item) -> Option<Value> {
    let mut runbook = item.metadata.get("runbook")?.clone();
    runbook.as_object_mut()?.shift_remove("steps");
    Some(runbook)
}

/// The parts of a plan that are told, in order.
const HEAD: &[(&str, &str)] = &[
    ("id", "id"),
    ("title", "title"),
    ("status", "status"),
    ("mode", "plan_mode"),
    ("scope", "plan_scope"),
    ("harness", "plan_harness"),
    ("resume_context", "plan_resume_context"),
];

/// The logs of a plan, under the names that answers give them.
const LOGS: &[(&str, &str)] = &[
    ("decisions", "plan_decisions"),
    ("discoveries", "plan_discoveries"),
    ("validation", "plan_validation"),
];

/// Every name that a plan's parts have.
pub(crate) fn part_names() -> Vec<&'static str> {
    let head = HEAD.iter().map(|(name, _)| *name);
    let middle = ["runbook", "steps_summary", "current_step", "blocked_steps", "linked_items", "steps"];
    head.chain(middle).chain(LOGS.iter().map(|(name, _)| *name)).collect()
}

fn ready<'a>(rows: &[Value]) -> Rows<'a> {
    Rows::values(rows.to_vec())
}

/// A plan as answers tell it.
pub(crate) fn view<'a>(item: &Item, depth: Depth) -> Answer<'a> {
    let steps = plan::steps(item);
    let mut answer = Answer::new();
    for (name, key) in HEAD {
        if let Some(value) = item.metadata.get(*key) {
            answer = answer.value(name, value.clone());
        }
    }
    if let Some(runbook) = runbook(item) {
        answer = answer.value("runbook", runbook);
    }
    answer = answer.value("steps_summary", plan::summary(&steps));
    if let Some(step) = plan::current(&steps) {
        answer = answer.value("current_step", plan::pick(step, &["id", "order", "title", "status"]));
    }
    let blocked: Vec<Value> = steps
        .iter()
        .filter(|step| step.get("status").is_some_and(|status| status == "blocked"))
        .map(|step| Value::Object(plan::pick(step, &["id", "order", "title", "blocked_reason"])))
        .collect();
    let linked: Vec<Value> = item
        .list("dependencies")
        .iter()
        .filter_map(Value::as_object)
        .map(|row| Value::Object(plan::pick(row, &["id", "kind"])))
        .collect();
    answer = answer.value("blocked_steps", blocked).value("linked_items", linked);
    if depth != Depth::Brief {
        let steps: Vec<Value> = item.list("plan_steps").iter().map(|step| told(item, step)).collect();
        answer = answer.rows("steps", Rows::values(steps));
    }
    if depth == Depth::Deep {
        for (name, key) in LOGS {
            answer = answer.rows(name, ready(item.list(key)));
        }
    }
    answer
}

/// What a change of a plan is answered with beside the plan itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    /// The subcommand.
    pub(crate) action: &'static str,
    /// The id of the step that it was about.
    pub(crate) step: Option<String>,
    /// Whether the order of all steps is told, since the change may have moved any.
    pub(crate) places: bool,
}

/// The answer to a change of a plan: the plan in short, the step, what to do next. Of the other steps nothing changed,
/// so that only the full envelope repeats them.
pub(crate) fn answer<'a>(context: &Context, said: &Said, mut receipt: Receipt) -> Answer<'a> {
    let globals = &context.globals;
    if globals.dry_run || globals.id_only || globals.full_changed_fields || globals.no_changed_fields {
        return receipt.answer(globals);
    }
    let mut warnings = std::mem::take(&mut receipt.written.warnings);
    warnings.append(&mut receipt.warnings);
    let written = receipt.written;
    let Some(item) = written.after.as_ref().or(written.before.as_ref()) else { return Answer::new() };
    let steps = plan::steps(item);
    let mut view = view(item, Depth::Brief);
    if said.places {
        let row = |step: &Step| Value::Object(plan::pick(step, &["id", "order", "title", "status"]));
        view = view.rows("steps", Rows::values(steps.iter().map(row).collect()));
    } else if globals.full_envelope {
        view = view.rows("steps", ready(item.list("plan_steps")));
    }
    let mut answer = Answer::new().value("action", said.action);
    if written.unchanged {
        answer = answer.value("changed", false);
    }
    answer = answer.group("plan", view);
    let named = |step: &&Step| step.get("id").and_then(Value::as_str) == said.step.as_deref();
    if let Some(step) = steps.iter().find(named).filter(|_| said.step.is_some()) {
        answer = answer.value("step", step.clone());
    }
    answer = answer.value("next_actions", plan::next_actions(item, &steps));
    warnings.into_iter().fold(answer, Answer::warn)
}

/// A row of a log: time and author first, then what was said, in this order; what was not said is left out.
pub(crate) fn log_row(at: &str, author: &str, said: &[(&str, Option<&str>)]) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("ts".to_owned(), Value::from(at));
    row.insert("author".to_owned(), Value::from(author));
    for (key, value) in said {
        if let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) {
            row.insert((*key).to_owned(), Value::from(value));
        }
    }
    row
}
