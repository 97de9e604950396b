//! What histories tell of texts that were taken out.

use serde_json::Value;

use super::lineage::{BASELINE, by_name, op};
use super::taken_out::{MARK, TakenOut};
use crate::domain::chain;

/// The operation of an entry that tells of a redaction.
pub(super) const REDACT: &str = "history_redact";

impl TakenOut {
    /// What was taken out between any two of these versions of one stream, in whichever direction: in a merge a side took
    /// it out, in a revert the other side would bring it back. An empty stream stands for none.
    pub fn of_streams(versions: [&[Value]; 3]) -> TakenOut {
        let marks = marks(versions.into_iter().flatten());
        let redactions = versions.map(|entries| redactions(entries) + shortened(entries, &marks));
        let mut found = TakenOut::nothing(&marks);
        for (before, earlier) in versions.iter().zip(redactions) {
            for (after, later) in versions.iter().zip(redactions) {
                if later > earlier {
                    found = found.and(between(before, after, &marks));
                }
            }
        }
        found
    }
}

/// How many redactions a stream tells of.
fn redactions(entries: &[Value]) -> usize {
    entries.iter().filter(|entry| op(entry) == REDACT).count()
}

/// How often the beginning of a shortened stream says one of these: the redactions themselves are no entries any more.
fn shortened(entries: &[Value], marks: &[String]) -> usize {
    let baselines = entries.iter().filter(|entry| op(entry) == BASELINE).map(Value::to_string);
    baselines.map(|text| marks.iter().map(|mark| text.matches(mark.as_str()).count()).sum::<usize>()).sum()
}

/// The texts that stand in these streams in the place of secrets.
fn marks<'a>(entries: impl IntoIterator<Item = &'a Value>) -> Vec<String> {
    let chosen = entries
        .into_iter()
        .filter(|entry| op(entry) == REDACT)
        .filter_map(|entry| entry.pointer("/context/redaction/replacement")?.as_str())
        .filter(|mark| !mark.is_empty());
    let mut marks: Vec<String> = std::iter::once(MARK).chain(chosen).map(str::to_owned).collect();
    marks.sort();
    marks.dedup();
    marks
}

fn between(before: &[Value], after: &[Value], marks: &[String]) -> TakenOut {
    let lineage = by_name(before, after);
    let ground = usize::from(lineage.stands_for > 0);
    let pairs = lineage.from.iter().enumerate().skip(ground);
    let pairs = pairs.filter_map(|(place, from)| Some((&before[(*from)?], &after[place])));
    let entries = TakenOut::of_entries(pairs, after, marks);
    if lineage.stands_for == 0 {
        return entries;
    }
    // What a baseline says is beside what stood there before.
    let state = |entries, count| chain::item_after(entries, count).unwrap_or_default();
    let (earlier, later) = (state(before, lineage.stands_for), state(after, 1));
    entries.and(TakenOut::of_versions(&earlier, &later, after, marks))
}
