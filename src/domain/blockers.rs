//! Who waits for whom (surfaces.md §3.6).
//!
//! A waits for B when A's `blocked_by` or a link of kind `blocked_by` names B, or a link of kind `blocks` at B names A.
//! B holds A up until B exists and is in a terminal status: a name that leads nowhere is no permission to start.

use crate::domain::rows::Rows;
use crate::model::records::{Record, Records, compare_folded};
use crate::model::status::{Roles, Statuses};

/// What stands in `blocked_by` when somebody wrote down that nothing blocks the item.
pub const NO_BLOCKER: &str = "no-active-blocker";

/// Something an item waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocker<'a> {
    /// Its id: as the blocker itself spells it, or as the reference does when it leads nowhere.
    pub id: &'a str,
    /// Its row, `None` when no item has this id.
    pub row: Option<u32>,
    /// Whether it still holds the item up.
    pub open: bool,
}

/// The blockers of every item that is not over, and the other way round.
#[derive(Debug)]
pub struct Blockers<'a> {
    roles: Vec<Roles>,
    first: Vec<u32>,
    blockers: Vec<Blocker<'a>>,
    first_waiter: Vec<u32>,
    waiters: Vec<u32>,
}

const OVER: Roles = Roles::TERMINAL.with(Roles::TERMINAL_DONE).with(Roles::TERMINAL_CANCELED);

/// Whether a `blocked_by` tells in words what an item waits for: words name no item, and none is missing.
pub fn is_in_words(text: &str) -> bool {
    text.trim().contains(char::is_whitespace)
}

/// The ids that a record itself names as its blockers.
fn named(record: Record<'_>) -> impl Iterator<Item = &str> {
    let scalar = record.blocked_by().filter(|id| !id.trim().eq_ignore_ascii_case(NO_BLOCKER));
    scalar.into_iter().chain(record.linked(waits_for))
}

/// Whether a link of this kind says that its holder waits for its target; `depends_on` is the older name.
fn waits_for(kind: &str) -> bool {
    let kind = kind.trim();
    kind.eq_ignore_ascii_case("blocked_by") || kind.eq_ignore_ascii_case("depends_on")
}

impl<'a> Blockers<'a> {
    /// Reads the references of all items that are not over.
    pub fn new(records: &'a Records, rows: &Rows, statuses: &Statuses) -> Blockers<'a> {
        let role = |id: &str| statuses.get(id).map_or(Roles::default(), |status| status.roles);
        let roles: Vec<Roles> = records.iter().map(|record| role(record.status())).collect();
        let mut pairs: Vec<(u32, Blocker<'a>)> = Vec::new();
        let over = |row: u32| roles[row as usize].any(OVER);
        for (row, record) in (0u32..).zip(records.iter()).filter(|(row, _)| !over(*row)) {
            for id in named(record) {
                let target = rows.find(id);
                let spelled = target.and_then(|t| records.get(t as usize)).map_or(id.trim(), Record::id);
                pairs
                    .push((row, Blocker { id: spelled, row: target, open: target.is_none_or(|t| !over(t)) }));
            }
            for target in record.linked(|kind| kind.trim().eq_ignore_ascii_case("blocks")) {
                if let Some(waiter) = rows.find(target).filter(|waiter| !over(*waiter)) {
                    pairs.push((waiter, Blocker { id: record.id(), row: Some(row), open: true }));
                }
            }
        }
        pairs.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| compare_folded(x.id, y.id)));
        pairs.dedup_by(|(a, x), (b, y)| a == b && compare_folded(x.id, y.id).is_eq());
        let mut back: Vec<(u32, u32)> =
            pairs.iter().filter(|(_, b)| b.open).filter_map(|(row, b)| Some((b.row?, *row))).collect();
        back.sort_unstable();
        Blockers {
            first: offsets(records.len(), pairs.iter().map(|(row, _)| *row)),
            blockers: pairs.into_iter().map(|(_, blocker)| blocker).collect(),
            first_waiter: offsets(records.len(), back.iter().map(|(row, _)| *row)),
            waiters: back.into_iter().map(|(_, waiter)| waiter).collect(),
            roles,
        }
    }

    /// Everything that an item waits for or waited for, by folded id; nothing for one that is over.
    pub fn of(&self, row: usize) -> &[Blocker<'a>] {
        slice(&self.first, &self.blockers, row)
    }

    /// What still holds an item up.
    pub fn open(&self, row: usize) -> impl Iterator<Item = &Blocker<'a>> {
        self.of(row).iter().filter(|blocker| blocker.open)
    }

    /// The rows of the items that an open item holds up, ascending.
    pub fn waiters(&self, row: usize) -> &[u32] {
        slice(&self.first_waiter, &self.waiters, row)
    }

    /// The roles of a row's status.
    pub fn roles(&self, row: usize) -> Roles {
        self.roles.get(row).copied().unwrap_or_default()
    }

    /// Whether an item is over.
    pub fn is_over(&self, row: usize) -> bool {
        self.roles(row).any(OVER)
    }

    /// Whether an item is in the blocked set: its status says so, or it is active and something holds it up.
    pub fn is_blocked(&self, row: usize) -> bool {
        let roles = self.roles(row);
        roles.any(Roles::BLOCKED) || (roles.any(Roles::ACTIVE) && self.open(row).next().is_some())
    }
}

/// Where each row's part begins in a list that is sorted by row.
fn offsets(rows: usize, sorted: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut first = vec![0u32; rows + 1];
    for row in sorted {
        first[row as usize + 1] += 1;
    }
    for row in 0..rows {
        first[row + 1] += first[row];
    }
    first
}

fn slice<'l, T>(first: &[u32], list: &'l [T], row: usize) -> &'l [T] {
    match (first.get(row), first.get(row + 1)) {
        (Some(from), Some(to)) => &list[*from as usize..*to as usize],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::item::Item;

    fn tracker(items: &[serde_json::Value]) -> Records {
        let items: Vec<(String, Item)> = items
            .iter()
            .map(|value| {
                let metadata = value.as_object().unwrap().clone();
                (format!("tasks/{}.toon", value["id"]), Item { metadata, body: String::new() })
            })
            .collect();
        Records::from_items(&items)
    }

    #[test]
    fn both_spellings_and_the_scalar_say_the_same() {
        let records = tracker(&[
            json!({"id": "pm-a", "status": "open", "blocked_by": "PM-B"}),
            json!({"id": "pm-b", "status": "open", "dependencies": [{"id": "pm-c", "kind": "blocks"}]}),
            json!({"id": "pm-c", "status": "open", "dependencies": [{"id": "pm-b", "kind": "blocked_by"}, {"id": "pm-d", "kind": "blocked_by"}]}),
            json!({"id": "pm-d", "status": "closed"}),
            json!({"id": "pm-e", "status": "open", "blocked_by": "pm-nope"}),
            json!({"id": "pm-f", "status": "open", "blocked_by": "no-active-blocker"}),
            json!({"id": "pm-g", "status": "blocked"}),
            json!({"id": "pm-h", "status": "draft", "blocked_by": "pm-a"}),
        ]);
        let rows = Rows::new(&records);
        let blockers = Blockers::new(&records, &rows, &Statuses::default());
        let of = |row| blockers.of(row).iter().map(|b| (b.id, b.open)).collect::<Vec<_>>();
        assert_eq!(of(0), [("pm-b", true)]);
        assert_eq!(of(2), [("pm-b", true), ("pm-d", false)]);
        assert_eq!(of(4), [("pm-nope", true)]);
        assert_eq!(blockers.waiters(1), [0, 2]);
        let blocked: Vec<usize> = (0..records.len()).filter(|row| blockers.is_blocked(*row)).collect();
        assert_eq!(blocked, [0, 2, 4, 6]);
    }
}
