//! Hooks after a command that changes something.

use serde_json::{Map, Value, json};

use super::{Context, Surface};
use crate::answer::{Answer, Part};
use crate::tracker::RUNNING_HOOK;

/// Runs the tracker's hooks when the command changed anything; what goes wrong with them joins the warnings.
pub(super) fn after<'a>(surface: &Surface, answer: Answer<'a>, context: &'a Context) -> Answer<'a> {
    let Ok(tracker) = context.tracker() else { return answer };
    let landed = tracker.landed();
    if landed.is_empty() || context.env.get(RUNNING_HOOK).is_some() {
        return answer;
    }
    let author = context.actor().map(|actor| actor.author.clone()).unwrap_or_default();
    let about = json!({"command": surface.name(), "author": author, "receipt": receipt(&answer)});
    tracker.run_hooks(&landed, &about).into_iter().fold(answer, Answer::warn)
}

/// The plain values of an answer: those of a change are few.
fn receipt(answer: &Answer<'_>) -> Value {
    let mut receipt = Map::new();
    for (key, part) in &answer.parts {
        if let Part::Value(value) | Part::Record(value) = part {
            receipt.insert(key.clone(), value.clone());
        }
    }
    if !answer.warnings.is_empty() {
        receipt.insert("warnings".to_owned(), answer.warnings.clone().into());
    }
    Value::Object(receipt)
}
