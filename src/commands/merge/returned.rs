//! Takes out again what a redaction took out and a merge brought back.

use serde_json::json;

use crate::domain::merge::{MARK, TakenOut};
use crate::domain::rewrite::{Pattern, Pen, redact};
use crate::error::Result;
use crate::mutation::{rewriting, then};
use crate::surface::Context;
use crate::tracker::{Rewriting, Tracker};

/// Takes it out of every item and history that tells it again; a warning for each. A dry run only looks.
///
/// Errors: those of writing, and a history that cannot be read.
pub(super) fn redact_again(context: &Context, tracker: &Tracker) -> Result<Vec<String>> {
    let returned = tracker.returned_secrets(&tracker.streams()?);
    returned.iter().try_for_each(|(id, taken)| one(context, tracker, id, taken))?;
    Ok(returned.into_iter().map(|(id, _)| format!("redacted_again:{id}")).collect())
}

fn one(context: &Context, tracker: &Tracker, id: &str, taken: &TakenOut) -> Result<()> {
    let write = then(context, "history_redact", Some("what was redacted came back in a merge"))?;
    tracker.rewrite(id, &write, &mut |found| {
        let (mut entries, mut item) = (found.entries(tracker, id)?, found.item(tracker)?);
        let (mut matches, mut marks) = (0, Vec::new());
        for (secret, instead) in taken.pairs() {
            let pattern = [Pattern::Literal(secret.clone())];
            let done = redact(&entries, item.as_ref(), Pen::new(&pattern, instead))
                .map_err(|error| rewriting::refused(id, &error))?;
            if done.matches > 0 || done.item != item {
                marks.push(instead.clone());
            }
            matches += done.matches;
            (entries, item) = (done.entries, done.item);
        }
        let chosen = marks.into_iter().find(|mark| mark != MARK);
        Ok(Some(Rewriting {
            message: format!("what was redacted came back: {matches} times"),
            entries,
            end: item.clone(),
            item,
            item_changes: true,
            files_anew: false,
            context: chosen.map(|mark| json!({"redaction": {"replacement": mark}})),
        }))
    })?;
    Ok(())
}
