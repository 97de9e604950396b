//! The conformance client: whether a record may be run here, decided before the first step (seed 002, what a client must
//! do). It starts nothing; it shows how a runtime has to obey.
//!
//! The groups of checks come in a fixed order, and the first that fails refuses the whole record: a part of a
//! destructive procedure is a state nobody designed.

use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::allowlist::Allowlist;
use super::approval::{Approval, Approved, Case, Objection};
use super::policy::TrustRoot;
use super::sealed::Broken;
use super::signature::Keyring;
use super::trust::effective_trust;
use super::validator;
use super::words::{Level, Risk, Role, RuntimeProfile};
use crate::answer::Row;
use crate::error::{Code, Error, Result};

/// What a client enforces and allows.
#[derive(Debug)]
pub struct Client<'c> {
    /// What the runtime enforces.
    pub runtime: RuntimeProfile,
    /// What it may do.
    pub allow: &'c Allowlist,
    /// The lowest level that it runs.
    pub trust_min: Level,
    /// Who would run the record.
    pub agent: Option<&'c str>,
    /// The approvals that it was given.
    pub approvals: &'c [Approval],
    /// Whose signatures count, and who is a person.
    pub root: &'c TrustRoot,
    /// The day on which levels are judged.
    pub as_of: Date,
    /// The instant of the call.
    pub now: i64,
}

/// A record with what a reader knows beside its own words.
#[derive(Debug)]
pub struct Served {
    /// The record.
    pub record: Value,
    /// What is wrong with its file: it is not the one that the catalog published.
    pub tampered: Option<Broken>,
}

/// A record that may be run, step by step.
#[derive(Debug)]
pub struct Walk {
    /// What was decided about.
    pub facts: Row,
    /// The steps in the order in which a runtime meets them.
    pub steps: Vec<Row>,
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn refuse<const N: usize>(record: &Value, code: Code, why: String, facts: [(&str, Value); N]) -> Error {
    let mut fields = vec![("id", json!(text(record, "id"))), ("slug", json!(text(record, "slug")))];
    fields.extend(facts);
    fields.push(("steps_started", json!(0)));
    Error::refusal(code, why, fields)
}

/// Decides about a record.
///
/// Errors: the refusal of the first group that fails, with everything of that group named.
pub fn decide(served: &Served, client: &Client<'_>) -> Result<Walk> {
    let record = &served.record;
    valid(served)?;
    revoked(record, client)?;
    runtime(record, client)?;
    allowed(record, client)?;
    let level = trusted(record, client)?;
    let approved = approved(record, client)?;
    Ok(walk(record, level, &approved, client.as_of))
}

/// The record is what its schema says, and what the catalog published. Stripped marks are a breach of the schema.
fn valid(served: &Served) -> Result<()> {
    let record = &served.record;
    if let Some(fault) = validator::record(record).first() {
        let path = if fault.at.is_empty() { "the record" } else { &fault.at };
        let why = format!("{path} {}.", fault.problem);
        return Err(refuse(record, Code::RecordInvalid, why, [("path", json!(fault.at))]));
    }
    match &served.tampered {
        None => Ok(()),
        Some(broken) => {
            let why = format!("the record is not what its catalog published: {}.", broken.problem);
            Err(refuse(record, Code::RecordInvalid, why, [("path", json!(broken.path))]))
        }
    }
}

/// A maintainer revoked it. Who knows no policy takes anybody's word for that: it only refuses.
fn revoked(record: &Value, client: &Client<'_>) -> Result<()> {
    let policy = &client.root.policy;
    let is = |one: &&Value| {
        text(one, "kind") == "revoke"
            && text(one, "verdict") == "valid"
            && one.get("stale").is_none()
            && (policy.principals.is_empty() || policy.has(text(one, "principal"), Role::Maintainer))
    };
    let found = list(record, "trust_evidence").iter().find(is);
    match found.filter(|_| text(record, "trust") == Level::T0.as_str()) {
        None => Ok(()),
        Some(one) => {
            let (who, on) = (text(one, "principal"), text(one, "on"));
            let why = format!("the record was revoked by {who} on {on}.");
            let facts = [("principal", json!(who)), ("on", json!(on)), ("reason", json!(one.get("reason")))];
            Err(refuse(record, Code::RecordRevoked, why, facts))
        }
    }
}

fn runtime(record: &Value, client: &Client<'_>) -> Result<()> {
    let needed = RuntimeProfile::named(text(record, "min_runtime_profile"));
    match needed.filter(|needed| *needed <= client.runtime) {
        Some(_) => Ok(()),
        None => {
            let needed = text(record, "min_runtime_profile");
            let why = format!(
                "the record needs a runtime of profile {needed}, this one enforces {}.",
                client.runtime
            );
            let facts = [("min_runtime_profile", json!(needed)), ("runtime_profile", json!(client.runtime))];
            Err(refuse(record, Code::RuntimeProfileExceeded, why, facts))
        }
    }
}

/// Every capability of the record, those of its steps too.
fn allowed(record: &Value, client: &Client<'_>) -> Result<()> {
    let own = list(record, "capabilities").iter().filter_map(Value::as_str);
    let of_steps = list(record, "steps").iter().filter_map(|step| step.get("capability")?.as_str());
    let missing = client.allow.missing(own.chain(of_steps));
    if missing.is_empty() {
        return Ok(());
    }
    let why = format!("the allowlist lacks {}; nothing is run in part.", missing.join(", "));
    Err(refuse(record, Code::CapabilityNotAllowed, why, [("missing_capabilities", json!(missing))]))
}

/// The level on the day.
fn trusted(record: &Value, client: &Client<'_>) -> Result<Level> {
    let stated = Level::named(text(record, "trust")).unwrap_or(Level::T0);
    let expires = record.get("trust_expires_on").and_then(Value::as_str);
    let level = effective_trust(stated, expires.and_then(|day| day.parse().ok()), client.as_of);
    if level >= client.trust_min {
        return Ok(level);
    }
    let mut why = format!("the record is {level} on {}, and {} is asked for", client.as_of, client.trust_min);
    if level != stated {
        why.push_str(&format!("; its {stated} expired on {}", expires.unwrap_or("an unknown day")));
    }
    why.push('.');
    let facts = [
        ("trust", json!(stated)),
        ("effective_trust", json!(level)),
        ("trust_expires_on", json!(expires)),
        ("trust_min", json!(client.trust_min)),
    ];
    Err(refuse(record, Code::TrustBelowFloor, why, facts))
}

/// Whether a step waits for a person: its author says so, or its risk does.
fn is_gated(step: &Value) -> bool {
    step.get("requires_approval") == Some(&Value::Bool(true))
        || Risk::named(text(step, "risk")).is_none_or(Risk::forces_approval)
}

/// The approvals that count, when every gated step has one.
fn approved(record: &Value, client: &Client<'_>) -> Result<Vec<Approved>> {
    let gated: Vec<&str> =
        list(record, "steps").iter().filter(|step| is_gated(step)).map(|step| text(step, "id")).collect();
    if gated.is_empty() {
        return Ok(Vec::new());
    }
    let keyring = Keyring::read(&client.root.allowed_signers, &client.root.revoked_keys);
    let case = Case {
        id: text(record, "id"),
        content_hash: text(record, "content_hash"),
        agent: client.agent,
        now: client.now,
    };
    let mut good = Vec::new();
    let mut objections: Vec<(&Approval, Objection)> = Vec::new();
    for approval in client.approvals {
        match approval.weigh(case, client.root, &keyring) {
            Ok(approved) => good.push(approved),
            Err(objection) => objections.push((approval, objection)),
        }
    }
    let open: Vec<&str> =
        gated.into_iter().filter(|id| !good.iter().any(|one| one.steps.iter().any(|s| s == id))).collect();
    if open.is_empty() {
        return Ok(good);
    }
    Err(match objections.first() {
        None => {
            let why = format!("a person must approve of {}, and nobody did.", open.join(", "));
            refuse(record, Code::ApprovalRequired, why, [("steps", json!(open))])
        }
        Some((approval, objection)) => {
            let who = objection.approver.as_deref().map_or(String::new(), |who| format!(" of {who}"));
            let why = format!(
                "the approval{who} in {} {}; it is needed for {}.",
                approval.name,
                objection.problem,
                open.join(", ")
            );
            let facts = [("steps", json!(open)), ("approver", json!(objection.approver))];
            refuse(record, objection.code, why, facts)
        }
    })
}

fn walk(record: &Value, level: Level, approved: &[Approved], as_of: Date) -> Walk {
    let mut facts: Row = ["id", "slug", "content_hash", "trust", "trust_expires_on"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), record.get(key)?.clone())))
        .collect();
    facts.insert("effective_trust".to_owned(), json!(level));
    facts.insert("as_of".to_owned(), json!(as_of.to_string()));
    let all = list(record, "steps");
    let steps = order(all).into_iter().enumerate();
    let row = |(n, at): (usize, usize)| row(n + 1, &all[at], level, approved);
    Walk { facts, steps: steps.map(row).collect() }
}

/// The steps as a runtime meets them: along `next` from the first, then those that only a failure or an undoing leads
/// to. The steps of a profile-0 record have no edges and stay in their order.
fn order(steps: &[Value]) -> Vec<usize> {
    let place = |id: &str| steps.iter().position(|step| text(step, "id") == id);
    let mut found: Vec<usize> = Vec::new();
    for root in 0..steps.len() {
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            if found.contains(&at) {
                continue;
            }
            found.push(at);
            let next = list(&steps[at], "next").iter().filter_map(Value::as_str).filter_map(place);
            open.extend(next.collect::<Vec<_>>().into_iter().rev());
        }
    }
    found
}

/// A step of the walk. Its body is a value of its own and is never made a part of a sentence; whoever reads it knows
/// whether anybody vouches for it, mark or no mark.
fn row(number: usize, step: &Value, level: Level, approved: &[Approved]) -> Row {
    let id = text(step, "id");
    let mut row = crate::answer::row([("order", json!(number)), ("id", json!(id))]);
    for key in ["title", "kind", "risk", "capability"] {
        row.extend(step.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    row.insert("requires_approval".to_owned(), json!(is_gated(step)));
    if is_gated(step) {
        let by = approved.iter().find(|one| one.steps.iter().any(|step| step == id));
        row.insert("approved_by".to_owned(), json!(by.map(|one| &one.approver)));
    }
    for key in ["next", "on_fail", "undo", "timeout_s", "expect"] {
        row.extend(step.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    let mut body = Map::new();
    for key in ["text", "format"] {
        body.extend(
            step.get("body").and_then(|body| body.get(key)).map(|value| (key.to_owned(), value.clone())),
        );
    }
    if level.is_untrusted() {
        body.insert("untrusted".to_owned(), json!(true));
    }
    row.insert("body".to_owned(), Value::Object(body));
    row
}
