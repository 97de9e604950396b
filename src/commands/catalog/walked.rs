//! What a plan tells of a run: how it ended, when its own history shows that its steps were walked.

use serde_json::Value;

use crate::catalog::compile::Item;
use crate::catalog::trust::{self, Weighed};
use crate::catalog::words::{Environment, Outcome, StatementKind};
use crate::domain::{chain, plan};
use crate::error::{Code, Error, Result};
use crate::model::item::Item as Stored;
use crate::model::timestamp;
use crate::surface::Context;
use crate::tracker::Tracker;

/// A day in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// A plan that was walked to an end.
#[derive(Debug)]
pub(super) struct Walked {
    /// Its full id.
    pub(super) plan: String,
    /// How it ended.
    pub(super) outcome: Outcome,
}

/// How a plan that was made of the record ended.
///
/// Errors: `catalog_plan_stale` when it was made of other content, `catalog_plan_unfinished` while steps are open,
/// `catalog_plan_unproven` when its history does not show it being walked, or that was too long ago to count.
pub(super) fn walked(context: &Context, typed: &str, record: &Item) -> Result<Walked> {
    let tracker = context.tracker()?;
    let plan = tracker.item(&tracker.resolve(typed)?)?.item;
    plan::is_plan(&plan)?;
    follows(&plan, typed, record)?;
    let outcome = outcome(&plan, typed)?;
    if outcome == Outcome::Success && plan.status() == tracker.schema().statuses.canceled() {
        let message = format!("`{}` was given up, so it tells of no success", plan.id());
        return Err(Error::new(Code::CatalogPlanUnfinished, message).at("--from-plan").rejecting(typed));
    }
    let unproven = |problem: String| {
        let message = format!("`{}` is no evidence of a run: {problem}", plan.id());
        Error::new(Code::CatalogPlanUnproven, message)
            .at("--from-plan")
            .rejecting(typed)
            .hint(format!("pm history {} --verify", plan.id()))
            .hint(format!("pm plan create --from-runbook {}", record.facts.slug))
    };
    let ended = proven(tracker, &plan).map_err(unproven)?;
    if (context.clock.now() - ended) / DAY >= trust::DAYS {
        return Err(unproven(format!(
            "it ended on {}, more than {} days ago",
            timestamp::format(ended),
            trust::DAYS
        )));
    }
    Ok(Walked { plan: plan.id().to_owned(), outcome })
}

/// Whether a plan follows the record as it is now.
fn follows(plan: &Stored, typed: &str, record: &Item) -> Result<()> {
    let made_of = plan.metadata.get("runbook").unwrap_or(&Value::Null);
    if made_of["id"].as_str() != Some(record.facts.id.as_str()) {
        let message = format!("`{}` was not made of the record `{}`", plan.id(), record.facts.slug);
        return Err(Error::new(Code::InvalidArgumentValue, message)
            .at("--from-plan")
            .rejecting(typed)
            .hint(format!("pm plan create --from-runbook {}", record.facts.slug)));
    }
    let stale =
        |message: String| Err(Error::new(Code::CatalogPlanStale, message).at("--from-plan").rejecting(typed));
    if made_of["content_hash"].as_str() != Some(record.facts.content_hash.as_str()) {
        return stale(format!("`{}` followed other content than `{}` has now", plan.id(), record.facts.slug));
    }
    let steps = plan::steps(plan);
    let has = |id: &str| steps.iter().any(|step| step.get("id").and_then(Value::as_str) == Some(id));
    let wanted = made_of["steps"].as_object().into_iter().flatten();
    match wanted.into_iter().find(|(id, _)| !has(id)) {
        Some((gone, _)) => stale(format!("`{}` lacks the step `{gone}` of its runbook", plan.id())),
        None => Ok(()),
    }
}

fn state(step: &plan::Step) -> &str {
    step.get("status").and_then(Value::as_str).unwrap_or_default()
}

/// What the states of its steps say of a plan.
fn outcome(plan: &Stored, typed: &str) -> Result<Outcome> {
    let steps = plan::steps(plan);
    if steps.iter().any(|step| ["blocked", "skipped", "superseded"].contains(&state(step))) {
        return Ok(Outcome::Failure);
    }
    let open = steps.iter().filter(|step| state(step) != "completed").count();
    if open == 0 && !steps.is_empty() {
        return Ok(Outcome::Success);
    }
    let message = format!("`{}` has {open} open steps, so it tells of no outcome yet", plan.id());
    Err(Error::new(Code::CatalogPlanUnfinished, message)
        .at("--from-plan")
        .rejecting(typed)
        .hint(format!("pm plan show {}", plan.id())))
}

/// When the last step of a plan came to its end, by a history that holds and shows each step being done: a copy begins
/// with steps that are done, and a file that was edited is not what its history says.
///
/// Errors: what the history does not show.
fn proven(tracker: &Tracker, plan: &Stored) -> std::result::Result<i64, String> {
    let entries = tracker.history(plan.id()).map_err(|error| error.to_string())?;
    if let Some(problem) = chain::verify(&entries).disagreement(Some(plan)) {
        return Err(format!("its history does not hold ({problem})"));
    }
    let states = chain::states(&entries, 0).map_err(|(n, _)| format!("entry {n} does not apply"))?;
    let mut before: Vec<plan::Step> = Vec::new();
    let mut last = None;
    for (entry, after) in entries.iter().zip(&states) {
        let steps = plan::steps(after);
        let moved: Vec<&plan::Step> = steps.iter().filter(|step| was(&before, step) != state(step)).collect();
        let by = entry.get("op").and_then(Value::as_str).unwrap_or_default();
        let done: Vec<&&plan::Step> = moved.iter().filter(|step| state(step) == "completed").collect();
        for step in &done {
            let id = step.get("id").and_then(Value::as_str).unwrap_or_default();
            if before.is_empty() {
                return Err(format!("`{id}` was completed from its first entry on"));
            }
            // The command that asks for an approval completes one step; what comes beside it came by another way.
            if plan::is_gated(plan, id) && (by != "plan_complete_step" || done.len() > 1) {
                return Err(format!(
                    "`{id}` was completed by an entry `{by}` that asked for no approval of it"
                ));
            }
        }
        if !moved.is_empty() {
            last = entry.get("ts").and_then(Value::as_str);
        }
        before = steps;
    }
    last.and_then(timestamp::parse).ok_or_else(|| "no entry says when".to_owned())
}

/// The state of a step before.
fn was<'s>(before: &'s [plan::Step], step: &plan::Step) -> &'s str {
    before.iter().find(|one| one.get("id") == step.get("id")).map_or("pending", state)
}

impl Walked {
    /// When this run was told of before, in these words: a plan is one run, in one place, and one statement tells of
    /// how it ended. None: nobody told of it yet.
    ///
    /// Errors: `conflicting_arguments` when a statement tells of it from elsewhere or by another principal.
    pub(super) fn told(
        &self,
        record: &Item,
        principal: &str,
        place: Option<Environment>,
    ) -> Result<Option<i64>> {
        let of_it = |one: &&Weighed| {
            one.statement.kind == StatementKind::Run && one.statement.plan.as_deref() == Some(&self.plan)
        };
        for one in record.evidence.iter().filter(of_it) {
            let (who, said) = (&one.statement.principal, &one.statement);
            let conflict = |flag: &str, message: String| {
                let again = format!("pm plan create --from-runbook {}", record.facts.slug);
                Err(Error::new(Code::ConflictingArguments, message).at(flag).hint(again))
            };
            if let Some(other) = said.environment.filter(|other| Some(*other) != place) {
                let plan = &self.plan;
                return conflict(
                    "--environment",
                    format!("`{plan}` is one run, and {who} says that it was in {other}"),
                );
            }
            if said.outcome == Some(self.outcome) {
                if who != principal {
                    let (plan, outcome, on) = (&self.plan, self.outcome, one.on);
                    return conflict(
                        "--from-plan",
                        format!("{who} told of the {outcome} of `{plan}` on {on}"),
                    );
                }
                return Ok(Some(one.instant));
            }
        }
        Ok(None)
    }
}
