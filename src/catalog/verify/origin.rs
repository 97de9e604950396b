//! Whether the content hash of a served record is of a document that its author can have written.

use serde_json::{Value, json};

use crate::catalog::identity;
use crate::catalog::validator;
use crate::catalog::words::Risk;

/// The most documents that are tried for a hash.
const MOST_TRIES: usize = 5_000;

/// Whether an author can have written what is served: what is forced hides what stood there, so all that can have
/// stood there is tried. None when that is too much.
///
/// Unknown fields of a later version were assigned, not written, so a record that has some is not judged.
pub(super) fn hash_fits(record: &Value) -> Option<bool> {
    const ASSIGNED: [&str; 7] =
        ["id", "content_hash", "risk", "trust", "trust_expires_on", "trust_evidence", "signature"];
    let mut document = record.as_object()?.clone();
    ASSIGNED.iter().for_each(|key| drop(document.shift_remove(*key)));
    let steps = document.get_mut("steps")?.as_array_mut()?;
    let mut choices: Vec<Vec<Option<bool>>> = Vec::new();
    for step in steps.iter_mut() {
        step.get_mut("body")?.as_object_mut()?.shift_remove("untrusted");
        let risk = step["risk"].as_str().and_then(Risk::named)?;
        choices.push(match step.get("requires_approval") {
            Some(_) if risk.forces_approval() => vec![None, Some(false), Some(true)],
            Some(_) => vec![Some(true)],
            None => vec![None, Some(false)],
        });
    }
    let mut document = Value::Object(document);
    if !validator::authored(&document).is_empty() {
        return None;
    }
    let orders = orders(document["capabilities"].as_array()?)?;
    let tries = choices.iter().try_fold(orders.len(), |all, one| all.checked_mul(one.len()))?;
    if tries > MOST_TRIES {
        return None;
    }
    for order in orders {
        document["capabilities"] = Value::Array(order);
        let mut at = vec![0; choices.len()];
        loop {
            for (n, choice) in at.iter().enumerate() {
                let step = document["steps"][n].as_object_mut()?;
                step.shift_remove("requires_approval");
                step.extend(choices[n][*choice].map(|asked| ("requires_approval".to_owned(), json!(asked))));
            }
            if Some(identity::content_hash(&document).as_str()) == record["content_hash"].as_str() {
                return Some(true);
            }
            let Some(n) = (0..at.len()).find(|n| at[*n] + 1 < choices[*n].len()) else { break };
            at[..n].fill(0);
            at[n] += 1;
        }
    }
    Some(false)
}

/// All orders of a few values.
fn orders(values: &[Value]) -> Option<Vec<Vec<Value>>> {
    if values.len() > 6 {
        return None;
    }
    let mut all = vec![Vec::new()];
    for value in values {
        let longer = |order: Vec<Value>| {
            (0..=order.len()).rev().map(move |n| {
                let mut order = order.clone();
                order.insert(n, value.clone());
                order
            })
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(steps: Value, capabilities: Value) -> (Value, Value) {
        let authored = json!({"schema_version": "1.0", "profile": "p0", "slug": "a-b", "title": "T", "publisher": "p",
            "execution": "manual", "capabilities": capabilities, "min_runtime_profile": "R0", "steps": steps});
        let mut served = authored.clone();
        served["content_hash"] = json!(identity::content_hash(&authored));
        served["id"] = json!(identity::id("a-b"));
        served["trust"] = json!("T1");
        (authored, served)
    }

    #[test]
    fn what_is_forced_hides_nothing_from_the_hash() {
        let step = |id: &str, risk: &str| json!({"id": id, "title": id, "risk": risk, "body": {"text": "x"}});
        let mut quiet = step("c", "reversible");
        quiet["requires_approval"] = json!(false);
        let steps = json!([step("a", "read_only"), step("b", "destructive"), quiet]);
        let (_, mut served) = record(steps, json!(["x:b", "x:a", "x:c"]));
        served["capabilities"] = json!(["x:a", "x:b", "x:c"]);
        served["steps"][1]["requires_approval"] = json!(true);
        served["steps"][2].as_object_mut().unwrap().remove("requires_approval");
        for n in 0..3 {
            served["steps"][n]["body"]["untrusted"] = json!(true);
        }
        assert_eq!(hash_fits(&served), Some(true));
        served["steps"][2]["body"]["text"] = json!("y");
        assert_eq!(hash_fits(&served), Some(false));
        served["later"] = json!(1);
        assert_eq!(hash_fits(&served), None);
    }
}
