//! Plans: items with ordered steps, and logs of decisions, discoveries and validation.
//!
//! Source: storage.md §2.4 (`plan_*`), §6.3.

use serde_json::{Map, Value, json};

use crate::domain::values::refusal;
use crate::error::{Code, Error, Result};
use crate::model::canonical::STEP_STATUSES;
use crate::model::item::Item;
use crate::model::status::Statuses;

/// The states of a plan as a whole.
pub const MODES: &[&str] =
    &["draft", "research", "review", "approved", "executing", "paused", "completed", "superseded"];

/// The harnesses that a plan may name as its origin.
pub const HARNESSES: &[&str] = &["codex", "claude-code", "cursor", "generic"];

/// How a step may be linked to an item.
pub const LINK_KINDS: &[&str] = &[
    "related",
    "blocks",
    "blocked_by",
    "depends_on",
    "discovered_from",
    "implements",
    "recurs_from",
    "verifies",
    "supersedes",
];

/// The lists of steps that `--template` begins a plan with.
pub const TEMPLATES: &[(&str, &[&str])] = &[
    (
        "bug-investigation",
        &[
            "Reproduce the fault and write down how",
            "Narrow it down to its cause",
            "Write a test that fails because of it",
            "Fix the cause",
            "Check the fix and look for the same fault elsewhere",
        ],
    ),
    (
        "feature-implementation",
        &[
            "Settle scope and acceptance criteria",
            "Read the code that is concerned",
            "Design the change",
            "Implement it",
            "Test it",
            "Document it and hand it over",
        ],
    ),
    (
        "refactoring-sprint",
        &[
            "Name what is to become better and how that is measured",
            "Pin today's behaviour down with tests",
            "Refactor in small steps",
            "Run every test after each step",
            "Measure again and record the result",
        ],
    ),
];

/// A step: an ordered map of its fields.
pub type Step = Map<String, Value>;

/// A person's agreement to steps of a plan that was made of a runbook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreed {
    /// Who agreed.
    pub by: String,
    /// The steps.
    pub steps: Vec<String>,
}

/// What a call says about a step; none: stays as it is.
#[derive(Clone, Debug, Default)]
pub struct StepEdit {
    /// The id of a new step; none: the next number.
    pub id: Option<String>,
    /// Who agreed that steps are done.
    pub agreed: Option<Agreed>,
    /// Its title.
    pub title: Option<String>,
    /// Its body.
    pub body: Option<String>,
    /// Who does it.
    pub owner: Option<String>,
    /// Its state, as typed.
    pub status: Option<String>,
    /// What shows that it is done.
    pub evidence: Option<String>,
    /// Why it is blocked.
    pub blocked_reason: Option<String>,
    /// What takes its place.
    pub replacement: Option<String>,
    /// Links to items: `{id, kind, note?}`.
    pub links: Vec<Value>,
    /// Linked files: `{path, scope?, note?}`.
    pub files: Vec<Value>,
    /// Linked tests: `{command?, path?, note?}`.
    pub tests: Vec<Value>,
    /// Linked documents: `{path, scope?, note?}`.
    pub docs: Vec<Value>,
    /// Several steps may be in progress at once.
    pub allow_multiple_active: bool,
}

fn text<'s>(step: &'s Step, key: &str) -> &'s str {
    step.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn is(step: &Step, status: &str) -> bool {
    text(step, "status") == status
}

/// The steps of a plan, in order.
pub fn steps(item: &Item) -> Vec<Step> {
    item.list("plan_steps").iter().filter_map(Value::as_object).cloned().collect()
}

/// The plan with these steps; none of them: without the field.
pub fn with_steps(item: &Item, steps: Vec<Step>) -> Item {
    let mut item = item.clone();
    if steps.is_empty() {
        item.metadata.shift_remove("plan_steps");
    } else {
        let steps = steps.into_iter().map(Value::Object).collect();
        item.metadata.insert("plan_steps".to_owned(), Value::Array(steps));
    }
    item
}

/// Which step a word names: its id, or its place in the order.
///
/// Errors: `plan_step_not_found`.
pub fn find(item: &Item, steps: &[Step], typed: &str) -> Result<usize> {
    let word = typed.trim();
    let place = word.parse::<u64>().ok();
    let named = |step: &Step| {
        text(step, "id").eq_ignore_ascii_case(word)
            || place.is_some() && step.get("order").and_then(Value::as_u64) == place
    };
    steps.iter().position(named).ok_or_else(|| {
        let known: Vec<&str> = steps.iter().map(|step| text(step, "id")).collect();
        let id = item.id();
        let mut error = Error::new(Code::PlanStepNotFound, format!("`{id}` has no step `{word}`"))
            .at("STEP")
            .rejecting(word)
            .hint(format!("pm plan show {id} --depth standard"));
        if !known.is_empty() {
            error = error.fact("allowed_values", crate::nearest::order(word, &known));
        }
        error
    })
}

/// A step status, in its stored spelling.
///
/// Errors: `invalid_argument_value`.
pub fn status(flag: &str, typed: &str) -> Result<&'static str> {
    word(flag, typed, &STEP_STATUSES)
}

/// A word out of a list, blanks and dashes as underscores or the other way round.
///
/// Errors: `invalid_argument_value` with the list, the nearest first.
pub fn word(flag: &str, typed: &str, legal: &[&'static str]) -> Result<&'static str> {
    let token = crate::domain::values::token(typed);
    let found = legal.iter().find(|known| crate::domain::values::token(known) == token);
    found.copied().ok_or_else(|| refusal(flag, typed, format!("give one of {}", legal.join(", ")), legal))
}

/// The id of the next step.
fn next_id(steps: &[Step]) -> String {
    let number = |step: &Step| text(step, "id").strip_prefix("plan-step-")?.parse::<u32>().ok();
    let last = steps.iter().filter_map(number).max().unwrap_or(0);
    format!("plan-step-{:03}", last.saturating_add(1))
}

/// Adds a step at the end and returns its id.
///
/// Errors: `invalid_argument_value`, `plan_step_already_active`.
pub fn add(item: &Item, steps: &mut Vec<Step>, edit: &StepEdit, at: &str) -> Result<String> {
    let title = edit.title.as_deref().unwrap_or_default();
    if title.trim().is_empty() {
        return Err(refusal("--step-title", title, "a step needs a title", &[]));
    }
    let id = edit.id.clone().unwrap_or_else(|| next_id(steps));
    let step = json!({"id": id, "order": steps.len() + 1, "title": title.trim(), "status": "pending",
        "created_at": at, "updated_at": at});
    steps.extend(step.as_object().cloned());
    let last = steps.len() - 1;
    change(item, steps, last, edit, at)?;
    Ok(id)
}

/// Changes a step; a change that changes nothing leaves its time alone.
///
/// Errors: `invalid_argument_value`, `plan_step_already_active`.
pub fn change(item: &Item, steps: &mut [Step], index: usize, edit: &StepEdit, at: &str) -> Result<()> {
    let mut step = steps[index].clone();
    for (flag, key, value) in [
        ("--step-title", "title", &edit.title),
        ("--step-body", "body", &edit.body),
        ("--step-owner", "owner", &edit.owner),
        ("--step-evidence", "evidence", &edit.evidence),
        ("--step-blocked-reason", "blocked_reason", &edit.blocked_reason),
        ("--step-replacement", "superseded_by", &edit.replacement),
    ] {
        let Some(value) = value else { continue };
        match value.trim() {
            "" if key == "title" => return Err(refusal(flag, value, "a step needs a title", &[])),
            "" => {
                step.shift_remove(key);
            }
            value => {
                step.insert(key.to_owned(), Value::from(value));
            }
        }
    }
    if let Some(typed) = &edit.status {
        set_status(item, steps, &mut step, edit, status("--step-status", typed)?, at)?;
    }
    for (key, rows) in [("files", &edit.files), ("tests", &edit.tests), ("docs", &edit.docs)] {
        merge_rows(&mut step, key, rows, &["path", "command"]);
    }
    merge_rows(&mut step, "linked_items", &edit.links, &["id", "kind"]);
    if step != steps[index] {
        step.insert("updated_at".to_owned(), Value::from(at));
        steps[index] = step;
    }
    Ok(())
}

/// What the runbook of a plan says about a step: its risk, whether a person must agree, whether its text is data.
pub fn gate_of<'i>(item: &'i Item, step: &str) -> Option<&'i Map<String, Value>> {
    item.metadata.get("runbook")?.get("steps")?.get(step)?.as_object()
}

/// Whether a person must agree before a step is done.
pub fn is_gated(item: &Item, step: &str) -> bool {
    gate_of(item, step).is_some_and(|gate| gate.get("requires_approval") == Some(&Value::Bool(true)))
}

/// Refuses a step that needs an agreement it does not have.
fn gate(item: &Item, step: &str, agreed: Option<&Agreed>) -> Result<()> {
    let (id, message) = match agreed {
        Some(agreed) if agreed.steps.iter().any(|one| one == step) => return Ok(()),
        Some(agreed) => (item.id(), format!("{} approved other steps than `{step}`", agreed.by)),
        None => (item.id(), format!("`{step}` of `{}` needs the approval of a person", item.id())),
    };
    Err(Error::new(Code::ApprovalRequired, message)
        .at("--approval")
        .rejecting(step)
        .hint(format!("pm plan complete-step {id} {step} --approval approval.json")))
}

fn set_status(
    item: &Item,
    steps: &[Step],
    step: &mut Step,
    edit: &StepEdit,
    status: &'static str,
    at: &str,
) -> Result<()> {
    let own = text(step, "id").to_owned();
    if status == "blocked" && text(step, "blocked_reason").is_empty() {
        let id = item.id();
        return Err(Error::new(Code::InvalidArgumentValue, "a blocked step needs a reason")
            .at("--step-blocked-reason")
            .fact("missing", vec!["--step-blocked-reason"])
            .hint(format!("pm plan block-step {id} {own} --step-blocked-reason \"the reason\"")));
    }
    let done = steps.iter().any(|known| text(known, "id") == own && is(known, "completed"));
    if status == "completed" && !done && is_gated(item, &own) {
        gate(item, &own, edit.agreed.as_ref())?;
    }
    let active = steps.iter().find(|other| is(other, "in_progress") && text(other, "id") != own);
    if let (Some(other), "in_progress", false) = (active, status, edit.allow_multiple_active) {
        let (id, other) = (item.id(), text(other, "id"));
        return Err(Error::new(
            Code::PlanStepAlreadyActive,
            format!("`{other}` of `{id}` is in progress, and a plan has one such step"),
        )
        .at("--step-status")
        .rejecting(status)
        .fact("active_step", other)
        .hint(format!("pm plan complete-step {id} {other}"))
        .hint(format!("pm plan update-step {id} {own} --step-status in_progress --allow-multiple-active")));
    }
    if status == "completed" {
        step.entry("completed_at").or_insert_with(|| Value::from(at));
    } else {
        step.shift_remove("completed_at");
    }
    step.insert("status".to_owned(), Value::from(status));
    Ok(())
}

/// Adds rows to a list of a step; a row with the same keys as one that is there takes its place.
fn merge_rows(step: &mut Step, key: &str, rows: &[Value], identity: &[&str]) {
    if rows.is_empty() {
        return;
    }
    let mut list = step.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    for row in rows {
        let same = |other: &Value| identity.iter().all(|key| other.get(key) == row.get(key));
        match list.iter_mut().find(|other| same(other)) {
            Some(known) => *known = row.clone(),
            None => list.push(row.clone()),
        }
    }
    step.insert(key.to_owned(), Value::Array(list));
}

/// Takes links out of a step: those to one of `ids`, of this kind when one is named. Returns how many went.
pub fn unlink(steps: &mut [Step], index: usize, ids: &[String], kind: Option<&str>, at: &str) -> usize {
    let step = &mut steps[index];
    let mut list = step.get("linked_items").and_then(Value::as_array).cloned().unwrap_or_default();
    let before = list.len();
    let of = |row: &Value, key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    list.retain(|row| !ids.contains(&of(row, "id")) || kind.is_some_and(|kind| of(row, "kind") != kind));
    let gone = before - list.len();
    if gone > 0 {
        if list.is_empty() {
            step.shift_remove("linked_items");
        } else {
            step.insert("linked_items".to_owned(), Value::Array(list));
        }
        step.insert("updated_at".to_owned(), Value::from(at));
    }
    gone
}

/// Moves a step to a place in the order, counted from 1; those whose place changes get the time of the change.
///
/// Errors: `invalid_argument_value`.
pub fn reorder(steps: &mut Vec<Step>, index: usize, typed: &str, at: &str) -> Result<()> {
    let place = typed.trim().parse::<usize>().ok().filter(|place| (1..=steps.len()).contains(place));
    let Some(place) = place else {
        return Err(refusal("NEW_ORDER", typed, format!("give a place from 1 to {}", steps.len()), &[]));
    };
    let step = steps.remove(index);
    steps.insert(place - 1, step);
    for (index, step) in steps.iter_mut().enumerate() {
        if step.get("order").and_then(Value::as_u64) != Some(index as u64 + 1) {
            step.insert("order".to_owned(), Value::from(index + 1));
            step.insert("updated_at".to_owned(), Value::from(at));
        }
    }
    Ok(())
}

/// Takes a step out and closes the gap in the order; the others keep their times.
///
/// Errors: `plan_step_of_runbook`.
pub fn remove(item: &Item, steps: &mut Vec<Step>, index: usize) -> Result<()> {
    let step = text(&steps[index], "id").to_owned();
    if gate_of(item, &step).is_some() {
        let id = item.id();
        let message =
            format!("`{step}` of `{id}` belongs to its runbook: it can be skipped, and the record says so");
        return Err(Error::new(Code::PlanStepOfRunbook, message)
            .at("STEP")
            .rejecting(step.as_str())
            .hint(format!("pm plan update-step {id} {step} --step-status skipped")));
    }
    steps.remove(index);
    for (index, step) in steps.iter_mut().enumerate() {
        step.insert("order".to_owned(), Value::from(index + 1));
    }
    Ok(())
}

/// Refuses other words for a step that a person must agree to: what is agreed to is what the runbook says.
///
/// Errors: `plan_step_of_runbook`.
pub fn keeps_words(item: &Item, step: &Step, edit: &StepEdit) -> Result<()> {
    let id = text(step, "id");
    for (flag, key, value) in [("--step-title", "title", &edit.title), ("--step-body", "body", &edit.body)] {
        if let Some(value) = value.as_deref().filter(|value| value.trim() != text(step, key))
            && is_gated(item, id)
        {
            let message = format!(
                "`{id}` of `{}` needs the approval of a person for the words of its runbook",
                item.id()
            );
            return Err(Error::new(Code::PlanStepOfRunbook, message).at(flag).rejecting(value));
        }
    }
    Ok(())
}

/// Adds a row to one of a plan's logs.
pub fn append(item: &Item, key: &str, row: Map<String, Value>) -> Item {
    let mut item = item.clone();
    let mut list = item.list(key).to_vec();
    list.push(Value::Object(row));
    item.metadata.insert(key.to_owned(), Value::Array(list));
    item
}

/// Lets changes of a plan pass.
///
/// Errors: `wrong_item_type`; `terminal_plan_mutation` for a plan that is over.
pub fn admit(item: &Item, statuses: &Statuses) -> Result<()> {
    let (id, status) = (item.id(), item.status());
    is_plan(item)?;
    if statuses.is_terminal(status) {
        return Err(Error::new(
            Code::TerminalPlanMutation,
            format!("`{id}` is {status}: its plan stays as it is"),
        )
        .fact("status", status)
        .hint(format!("pm plan show {id} --depth standard"))
        .hint(format!("pm item reopen {id} \"the reason\"")));
    }
    Ok(())
}

/// Whether an item is a plan.
///
/// Errors: `wrong_item_type`.
pub fn is_plan(item: &Item) -> Result<()> {
    let (id, kind) = (item.id(), item.kind());
    if kind == "Plan" {
        return Ok(());
    }
    Err(Error::new(Code::WrongItemType, format!("`{id}` is a {kind}, no Plan"))
        .at("ID")
        .rejecting(id)
        .hint(format!("pm get {id}"))
        .hint("pm list --type Plan"))
}

/// How many steps are in which state, and how much is done in percent.
pub fn summary(steps: &[Step]) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("total".to_owned(), Value::from(steps.len()));
    for status in ["pending", "in_progress", "blocked", "completed", "skipped", "superseded"] {
        let count = steps.iter().filter(|step| is(step, status)).count();
        out.insert(status.to_owned(), Value::from(count));
    }
    let done = steps.iter().filter(|step| is(step, "completed")).count();
    let percent = (done * 200 + steps.len()).checked_div(steps.len() * 2).unwrap_or(0);
    out.insert("completion_pct".to_owned(), Value::from(percent));
    out
}

/// The step to work on: the one in progress, else the first that waits to begin.
pub fn current(steps: &[Step]) -> Option<&Step> {
    steps
        .iter()
        .find(|step| is(step, "in_progress"))
        .or_else(|| steps.iter().find(|step| is(step, "pending")))
}

/// Some fields of a step, in this order.
pub fn pick(step: &Step, keys: &[&str]) -> Map<String, Value> {
    keys.iter().filter_map(|key| Some(((*key).to_owned(), step.get(*key)?.clone()))).collect()
}

/// Commands that go on with a plan, best first.
pub fn next_actions(item: &Item, steps: &[Step]) -> Vec<String> {
    let id = item.id();
    let mut next = Vec::new();
    match current(steps) {
        Some(step) if is(step, "pending") => {
            next.push(format!("pm plan update-step {id} {} --step-status in_progress", text(step, "id")));
        }
        Some(step) => {
            next.push(format!("pm plan complete-step {id} {} --step-evidence \"...\"", text(step, "id")));
        }
        None if steps.is_empty() => next.push(format!("pm plan add-step {id} --step-title \"...\"")),
        None if steps.iter().any(|step| is(step, "blocked")) => {
            next.push(format!("pm plan show {id} --depth standard"));
        }
        None => next.push(format!("pm close {id} \"every step is done\"")),
    }
    if matches!(item.text("plan_mode"), None | Some("draft" | "research" | "review")) {
        next.push(format!("pm plan approve {id}"));
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: &str = "2026-03-02T00:00:00.000Z";

    fn plan(steps: &[&str]) -> (Item, Vec<Step>) {
        let metadata = json!({"id": "pm-p", "type": "Plan", "status": "open"});
        let item = Item { metadata: metadata.as_object().cloned().expect("an object"), body: String::new() };
        let mut all = Vec::new();
        for title in steps {
            let edit = StepEdit { title: Some((*title).to_owned()), ..StepEdit::default() };
            add(&item, &mut all, &edit, "2026-03-01T00:00:00.000Z").expect("a step");
        }
        (item, all)
    }

    fn order(steps: &[Step]) -> Vec<(&str, u64, bool)> {
        let place = |step: &Step| step["order"].as_u64().expect("a number");
        steps.iter().map(|step| (text(step, "title"), place(step), text(step, "updated_at") == AT)).collect()
    }

    #[test]
    fn moving_renumbers_and_touches_only_what_moves() {
        let (_, mut steps) = plan(&["a", "b", "c", "d"]);
        reorder(&mut steps, 2, "1", AT).expect("a place");
        assert_eq!(order(&steps), [("c", 1, true), ("a", 2, true), ("b", 3, true), ("d", 4, false)]);
        for typed in ["0", "5", "x", ""] {
            assert_eq!(reorder(&mut steps, 0, typed, AT).expect_err(typed).code, Code::InvalidArgumentValue);
        }
        remove(&Item::default(), &mut steps, 1).unwrap();
        assert_eq!(order(&steps), [("c", 1, true), ("b", 2, true), ("d", 3, false)]);
        assert_eq!(next_id(&steps), "plan-step-005");
    }

    #[test]
    fn steps_are_found_by_id_and_place() {
        let (item, steps) = plan(&["a", "b"]);
        for (typed, want) in [("1", 0), ("plan-step-002", 1), (" PLAN-STEP-001 ", 0)] {
            assert_eq!(find(&item, &steps, typed).expect(typed), want);
        }
        for typed in ["0", "3", "plan-step-003", ""] {
            assert_eq!(find(&item, &steps, typed).expect_err(typed).code, Code::PlanStepNotFound);
        }
    }

    #[test]
    fn states_follow_their_rules() {
        let (item, mut steps) = plan(&["a", "b"]);
        let to = |status: &str| StepEdit { status: Some(status.to_owned()), ..StepEdit::default() };
        change(&item, &mut steps, 0, &to("in-progress"), AT).expect("free");
        let second = change(&item, &mut steps, 1, &to("in_progress"), AT).expect_err("one at a time");
        assert_eq!(second.code, Code::PlanStepAlreadyActive);
        let both = StepEdit { allow_multiple_active: true, ..to("in_progress") };
        change(&item, &mut steps, 1, &both, AT).expect("asked for");
        assert_eq!(
            change(&item, &mut steps, 1, &to("blocked"), AT).expect_err("no reason").code,
            Code::InvalidArgumentValue
        );
        let blocked = StepEdit { blocked_reason: Some("waits".to_owned()), ..to("blocked") };
        change(&item, &mut steps, 1, &blocked, AT).expect("with a reason");
        change(&item, &mut steps, 0, &to("completed"), AT).expect("legal");
        assert_eq!(steps[0]["completed_at"], AT);
        let done = steps.clone();
        change(&item, &mut steps, 0, &to("completed"), "2026-03-03T00:00:00.000Z").expect("again");
        assert_eq!(steps, done, "saying it twice changes nothing");
        assert_eq!(current(&steps), None);
        assert_eq!(summary(&steps)["completion_pct"], 50);
        change(&item, &mut steps, 0, &to("pending"), AT).expect("legal");
        assert!(!steps[0].contains_key("completed_at"));
        assert_eq!(
            change(&item, &mut steps, 0, &to("done"), AT).expect_err("none").code,
            Code::InvalidArgumentValue
        );
    }

    #[test]
    fn links_come_and_go() {
        let (item, mut steps) = plan(&["a"]);
        let link = |kind: &str, note: &str| json!({"id": "pm-x", "kind": kind, "note": note});
        let edit = |rows: Vec<Value>| StepEdit { links: rows, ..StepEdit::default() };
        change(&item, &mut steps, 0, &edit(vec![link("blocks", "n"), link("related", "n")]), AT)
            .expect("legal");
        change(&item, &mut steps, 0, &edit(vec![link("blocks", "m")]), AT).expect("legal");
        assert_eq!(steps[0]["linked_items"], json!([link("blocks", "m"), link("related", "n")]));
        let ids = ["pm-x".to_owned()];
        assert_eq!(unlink(&mut steps, 0, &ids, Some("verifies"), AT), 0);
        assert_eq!(unlink(&mut steps, 0, &ids, Some("blocks"), AT), 1);
        assert_eq!(unlink(&mut steps, 0, &ids, None, AT), 1);
        assert!(!steps[0].contains_key("linked_items"));
    }

    #[test]
    fn what_comes_next() {
        let (mut item, mut steps) = plan(&["a"]);
        let to = |status: &str| StepEdit { status: Some(status.to_owned()), ..StepEdit::default() };
        assert_eq!(
            next_actions(&item, &steps),
            ["pm plan update-step pm-p plan-step-001 --step-status in_progress", "pm plan approve pm-p"]
        );
        item.metadata.insert("plan_mode".to_owned(), json!("approved"));
        change(&item, &mut steps, 0, &to("in_progress"), AT).expect("legal");
        assert_eq!(
            next_actions(&item, &steps),
            ["pm plan complete-step pm-p plan-step-001 --step-evidence \"...\""]
        );
        change(&item, &mut steps, 0, &to("completed"), AT).expect("legal");
        assert_eq!(next_actions(&item, &steps), ["pm close pm-p \"every step is done\""]);
    }
}
