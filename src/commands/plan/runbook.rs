//! Plans and runbooks: a plan made of a record, the approval that a step of it needs, what changed since.

use serde_json::{Map, Value, json};

use crate::catalog::allowlist::Allowlist;
use crate::catalog::approval::{Approval, Case};
use crate::catalog::cache::Cache;
use crate::catalog::compile::compile;
use crate::catalog::signature::Keyring;
use crate::catalog::source::{At, Source};
use crate::catalog::words::{Level, StatementKind};
use crate::commands::catalog;
use crate::domain::checks::Verdict;
use crate::domain::plan::{Agreed, StepEdit};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::store::userfile;
use crate::surface::Context;

/// What a plan takes over from a record.
#[derive(Debug)]
pub(super) struct Made {
    /// The title of the record.
    pub(super) title: String,
    /// Its steps.
    pub(super) steps: Vec<StepEdit>,
    /// What the plan keeps of it.
    pub(super) runbook: Value,
}

/// What a plan of a record is, when the caller may do all that it asks for.
///
/// Errors: `CAPABILITY_NOT_ALLOWED`, `RECORD_REVOKED`, those of reading the catalog.
pub(super) fn made_of(context: &Context, name: &str, allow: &[String]) -> Result<Made> {
    let (compiled, _) = catalog::compiled(context, &catalog::Reading::head())?;
    let item = catalog::record(&compiled, name)?;
    let record: Value = serde_json::from_slice(item.rendered.artifact()).unwrap_or(Value::Null);
    let revoked = item.evidence.iter().find(|one| {
        one.statement.kind == StatementKind::Revoke && item.conclusion.level == Level::T0 && one.current
    });
    if let Some(statement) = revoked {
        let reason = statement.statement.reason.as_deref().unwrap_or("no reason was given");
        let message = format!("the record `{}` was revoked: {reason}", item.facts.slug);
        return Err(Error::new(Code::RecordRevoked, message).at("--from-runbook").rejecting(name));
    }
    allowed(context, &record, allow, &item.facts.slug)?;
    let texts = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let mut steps = Vec::new();
    let mut gates = Map::new();
    for step in record["steps"].as_array().into_iter().flatten() {
        let id = texts(step, "id");
        let mut gate = Map::new();
        gate.insert("risk".to_owned(), step["risk"].clone());
        for (key, value) in [
            ("requires_approval", &step["requires_approval"]),
            ("capability", &step["capability"]),
            ("untrusted", &step["body"]["untrusted"]),
        ] {
            if !value.is_null() {
                gate.insert(key.to_owned(), value.clone());
            }
        }
        gates.insert(id.clone(), Value::Object(gate));
        let quoted: Vec<String> = texts(&step["body"], "text")
            .lines()
            .map(|line| format!("> {line}").trim_end().to_owned())
            .collect();
        steps.push(StepEdit {
            id: Some(id),
            title: Some(texts(step, "title")),
            body: Some(quoted.join("\n")),
            ..StepEdit::default()
        });
    }
    let mut runbook = json!({
        "id": item.facts.id,
        "slug": item.facts.slug,
        "content_hash": item.facts.content_hash,
        "trust": item.conclusion.level,
    });
    if let Some(day) = item.conclusion.expires_on {
        runbook["trust_expires_on"] = json!(day.to_string());
    }
    runbook["steps"] = Value::Object(gates);
    Ok(Made { title: texts(&record, "title"), steps, runbook })
}

/// Refuses a record that asks for more than the caller allows; a plan that cannot be finished is not begun.
fn allowed(context: &Context, record: &Value, allow: &[String], slug: &str) -> Result<()> {
    let mut list = Allowlist::default();
    for text in allow {
        let refused = |word: &str| {
            Error::new(Code::InvalidArgumentValue, format!("`{word}` is no capability such as shell:kubectl"))
                .at("--allow")
                .rejecting(word)
        };
        let file = text.strip_prefix('@');
        let read = match file {
            Some(path) => {
                userfile::read_text(&context.env.cwd, path).map_err(|error| refused(text).because(error))?
            }
            None => text.clone(),
        };
        list.join(Allowlist::read(&read).map_err(|word| refused(&word))?);
    }
    let capabilities: Vec<&str> =
        record["capabilities"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let missing = list.missing(capabilities.iter().copied());
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("`{slug}` needs what `--allow` does not name: {}", missing.join(", "));
    let all = capabilities.join(",");
    Err(Error::new(Code::CapabilityNotAllowed, message)
        .at("--allow")
        .fact("missing", missing)
        .hint(format!("pm plan create --from-runbook {slug} --allow {all}")))
}

/// A person's approval for steps of a plan.
///
/// Errors: `APPROVAL_INVALID`, `APPROVAL_NOT_HUMAN`, `APPROVAL_BY_SELF`, `APPROVAL_STALE`.
pub(super) fn approval(context: &Context, typed: &str, path: &str) -> Result<Agreed> {
    let tracker = context.tracker()?;
    let item = tracker.item(&tracker.resolve(typed)?)?.item;
    let runbook = item.metadata.get("runbook").cloned().unwrap_or(Value::Null);
    let (Some(id), Some(content_hash)) = (runbook["id"].as_str(), runbook["content_hash"].as_str()) else {
        let message =
            format!("`{}` was not made of a runbook, so none of its steps takes an approval", item.id());
        return Err(Error::new(Code::ConflictingArguments, message).at("--approval"));
    };
    let bytes = userfile::read_bytes(&context.env.cwd, path, 1 << 20).map_err(|error| {
        Error::new(Code::ApprovalInvalid, format!("`{path}` cannot be read: {error}"))
            .at("--approval")
            .because(error)
    })?;
    let signature = userfile::read_text(&context.env.cwd, &format!("{path}.sig")).ok();
    let source = Source::open(&catalog::place(context)?, At::Revision("HEAD"))?;
    let root = source.trust_root(None)?;
    let keyring = Keyring::read(&root.allowed_signers, &root.revoked_keys);
    let approval = Approval { name: path.to_owned(), bytes, signature };
    let agent = item.metadata.get("assignee").and_then(Value::as_str);
    let case = Case { id, content_hash, agent, now: context.clock.now() };
    match approval.weigh(case, &root, &keyring) {
        Ok(approved) => Ok(Agreed { by: approved.approver, steps: approved.steps }),
        Err(objection) => {
            Err(Error::new(objection.code, format!("the approval `{path}` {}", objection.problem))
                .at("--approval")
                .rejecting(path))
        }
    }
}

/// What became of the runbooks of open plans; none when no open plan has one.
///
/// Errors: those of reading the plans.
pub(in crate::commands) fn drift(context: &Context) -> Result<Option<Verdict>> {
    let tracker = context.tracker()?;
    let statuses = &tracker.schema().statuses;
    let records = tracker.records()?;
    let open =
        records.iter().filter(|record| record.kind() == "Plan" && !statuses.is_terminal(record.status()));
    let mut plans: Vec<(String, Value)> = Vec::new();
    for record in open {
        let item: Item = tracker.item(record.id())?.item;
        if let Some(runbook) = item.metadata.get("runbook").filter(|runbook| runbook.is_object()) {
            plans.push((record.id().to_owned(), runbook.clone()));
        }
    }
    if plans.is_empty() {
        return Ok(None);
    }
    let place = catalog::place(context)?;
    let source = Source::open(&place, At::Revision("HEAD"))?;
    let root = source.trust_root(None)?;
    let compiled = compile(&source, &root, catalog::as_of(context, None)?, &mut Cache::open(&place))?;
    let mut found: Vec<(String, &'static str, String)> = Vec::new();
    for (plan, runbook) in &plans {
        let id = runbook["id"].as_str().unwrap_or_default();
        let Some(now) = compiled.find(id) else {
            found.push((plan.clone(), "plan_runbook_missing", format!("the runbook {id} is gone")));
            continue;
        };
        let slug = &now.facts.slug;
        if runbook["content_hash"].as_str() != Some(&now.facts.content_hash) {
            found.push((plan.clone(), "plan_runbook_changed", format!("`{slug}` has changed since")));
        }
        let revoked =
            now.evidence.iter().any(|one| one.statement.kind == StatementKind::Revoke && one.current);
        let level = now.conclusion.level;
        if revoked && level == Level::T0 {
            found.push((plan.clone(), "plan_runbook_revoked", format!("`{slug}` was revoked")));
        } else if level.is_untrusted() {
            let message = format!("`{slug}` is {level}: nobody vouches for it");
            found.push((plan.clone(), "plan_runbook_untrusted", message));
        }
    }
    Ok(Some(Verdict::of_runbooks(plans.len(), &found)))
}

/// The step edits of a plan that completes a step with an approval.
pub(super) fn agreed(edit: StepEdit, agreed: Option<Agreed>) -> StepEdit {
    let evidence = agreed.as_ref().map(|agreed| format!("approved by {}", agreed.by));
    StepEdit { evidence: edit.evidence.clone().or(evidence), agreed, ..edit }
}
