//! What is forced on a record when it is written, whatever its source says (seed 002).

use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::identity;
use super::judge::Facts;
use super::trust::{Conclusion, Weighed};
use super::words::{Level, Risk};

/// A record as it is served: the authored document, what the catalog concluded, what it forces.
pub fn served(
    document: &Value,
    facts: &Facts,
    evidence: &[Weighed],
    conclusion: &Conclusion,
    as_of: Date,
) -> Value {
    let Value::Object(mut record) = identity::without_layout(document) else { return Value::Null };
    if let Some(Value::Array(capabilities)) = record.get_mut("capabilities") {
        capabilities.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
        capabilities.dedup();
    }
    for step in record.get_mut("steps").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::Object(step) = step {
            force(step, conclusion.level);
        }
    }
    let evidence: Vec<Value> = evidence.iter().map(|one| one.shown(as_of)).collect();
    let mut signature = json!({"verdict": conclusion.signature.verdict});
    if let Some(principal) = &conclusion.signature.principal {
        signature["principal"] = json!(principal);
    }
    record.insert("id".to_owned(), json!(facts.id));
    record.insert("content_hash".to_owned(), json!(facts.content_hash));
    record.insert("risk".to_owned(), json!(facts.risk));
    record.insert("trust".to_owned(), json!(conclusion.level));
    if let Some(day) = conclusion.expires_on {
        record.insert("trust_expires_on".to_owned(), json!(day.to_string()));
    }
    record.insert("trust_evidence".to_owned(), json!(evidence));
    record.insert("signature".to_owned(), signature);
    Value::Object(record)
}

/// A step that loses something needs an approval; the text of a record below T2 is marked as data.
fn force(step: &mut Map<String, Value>, level: Level) {
    let risk = step.get("risk").and_then(Value::as_str).and_then(Risk::named);
    let forced = risk.is_none_or(Risk::forces_approval);
    let asked = step.get("requires_approval") == Some(&Value::Bool(true));
    if forced || asked {
        step.insert("requires_approval".to_owned(), Value::Bool(true));
    } else {
        step.shift_remove("requires_approval");
    }
    if let Some(Value::Object(body)) = step.get_mut("body") {
        if level.is_untrusted() {
            body.insert("untrusted".to_owned(), Value::Bool(true));
        } else {
            body.shift_remove("untrusted");
        }
    }
}
