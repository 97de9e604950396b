//! What to work on next: which items are ready, and a score that says in what order (surfaces.md §7, product.md §4).
//!
//! The score is a sum of contributions, each in tenths of a point, so that what `--why` prints adds up:
//!
//! | Contribution | Points |
//! | --- | --- |
//! | priority | 80, 40, 25, 10, 0 for priorities 0 to 4 |
//! | unblocks | 6 · log2(1 + n), at most 30; n: items that wait for it, directly or through others |
//! | critical path | 10 · steps of the longest chain through it / steps of the longest chain |
//! | deadline | 25 when overdue, else 22 · 7 / (7 + days left − days of estimated work), at most 22 |
//! | age | 5 · days since it was created / 180, at most 5 |
//! | claim | 15 when the caller is working on it, 8 when it is the caller's, 5 when it is in progress and nobody's |

use std::cmp::Reverse;

use jiff::tz::TimeZone;

use crate::clock::due::Due;
use crate::domain::blockers::Blockers;
use crate::domain::chains::{Chains, FanOut};
use crate::domain::children::{names_child, parents_of};
use crate::domain::lifecycle::{Claim, Claimant, claim_stands};
use crate::domain::merge::conflicts::is_conflicted;
use crate::domain::rows::Rows;
use crate::model::records::{Record, Records};
use crate::model::status::{Roles, Statuses};

/// Points by priority, in tenths.
const PRIORITY: [i32; 5] = [800, 400, 250, 100, 0];

/// Minutes of work in a day, for estimates.
const DAY_OF_WORK: f64 = 480.0;

const DAY_MS: f64 = 86_400_000.0;

/// Who asks, and how long a claim lasts.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// Author and principal.
    pub claimant: Claimant<'a>,
    /// How long a claim lasts after the last change, in milliseconds; for ever when there is none.
    pub lease: Option<i64>,
}

/// Whose an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nobody's.
    Free,
    /// The caller's.
    Mine,
    /// Somebody else's.
    Other,
}

impl Caller<'_> {
    /// Whose an item is, seen by the caller.
    pub fn holds(&self, record: Record<'_>, now: i64) -> Held {
        // A closed and reopened item keeps its last principal, but nobody is at work on it.
        let named = |name: Option<&'_ str>| name.is_some_and(|name| !name.trim().is_empty());
        if !named(record.assignee()) {
            return Held::Free;
        }
        let facts = (record.assignee(), record.claim_principal(), record.updated_ms());
        match claim_stands(facts, self.claimant, self.lease, now) {
            Claim::Own | Claim::Free => Held::Mine,
            Claim::Expired(_) => Held::Free,
            Claim::Held(_) => Held::Other,
        }
    }
}

/// What an item's place in the queue is made of, in tenths of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// How much its priority counts.
    pub priority: i32,
    /// How much it counts that others wait for it.
    pub unblocks: i32,
    /// How much it counts that it is on a long chain.
    pub critical_path: i32,
    /// How much its deadline counts.
    pub deadline: i32,
    /// How much its age counts.
    pub age: i32,
    /// How much it counts whose it is.
    pub claim: i32,
}

impl Score {
    /// The contributions by name, in the order in which they are printed.
    pub fn parts(&self) -> [(&'static str, i32); 6] {
        [
            ("priority", self.priority),
            ("unblocks", self.unblocks),
            ("critical_path", self.critical_path),
            ("deadline", self.deadline),
            ("age", self.age),
            ("claim", self.claim),
        ]
    }

    /// Their sum.
    pub fn total(&self) -> i32 {
        self.parts().iter().map(|(_, tenths)| tenths).sum()
    }
}

/// An item that can be worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Its row.
    pub row: u32,
    /// Its score.
    pub score: Score,
    /// How many items wait for it, directly or through others.
    pub fan_out: usize,
    /// Whose it is.
    pub held: Held,
    /// It has children and all of them are over: what is left is to close it.
    pub complete: bool,
}

/// The items that were asked for, by what can be done about them. An item stands in one list at most.
#[derive(Debug, Default)]
pub struct Queue {
    /// Ready, best first.
    pub ready: Vec<Ready>,
    /// Decisions to be made by somebody, those that hold up most first; items that a merge left undecided are among
    /// them.
    pub decisions: Vec<(u32, usize)>,
    /// Rows that wait, in structural order.
    pub blocked: Vec<u32>,
    /// Rows that are ready and somebody else's, in structural order.
    pub held: Vec<u32>,
    /// How many items passed the filters.
    pub candidates: usize,
    /// How many of them have children that are not over.
    pub containers: usize,
    /// How many of them are being worked on.
    pub in_progress: usize,
}

/// What the queue is made from.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    /// All items.
    pub records: &'a Records,
    /// Their rows by id.
    pub rows: &'a Rows,
    /// Who waits for whom.
    pub blockers: &'a Blockers<'a>,
    /// The tracker's statuses.
    pub statuses: &'a Statuses,
    /// Who asks.
    pub caller: Caller<'a>,
    /// Milliseconds since the epoch.
    pub now: i64,
    /// Where the caller lives: a day ends there.
    pub zone: &'a TimeZone,
}

impl Queue {
    /// Sorts the items that are not over and that `admits` lets through; `decisions` are work like any other when
    /// `include_decisions` is set.
    pub fn new(ground: &Ground<'_>, include_decisions: bool, admits: &dyn Fn(Record<'_>) -> bool) -> Queue {
        let Ground { records, blockers, .. } = *ground;
        let family = Family::new(records, ground.rows, blockers);
        let chains = Chains::new(blockers, records.len());
        let mut fan_out = FanOut::new(records.len());
        let mut queue = Queue::default();
        let open = records.iter().filter(|record| !blockers.is_over(record.number()));
        for record in open.filter(|record| admits(*record)) {
            let row = record.number();
            queue.candidates += 1;
            queue.in_progress += usize::from(record.status() == ground.statuses.in_progress());
            if family.has_open(row) {
                queue.containers += 1;
                continue;
            }
            let roles = blockers.roles(row);
            if !roles.any(Roles::ACTIVE.with(Roles::BLOCKED)) {
                continue;
            }
            let number = row as u32;
            let held = ground.caller.holds(record, ground.now);
            if blockers.is_blocked(row) {
                queue.blocked.push(number);
            } else if is_conflicted(record)
                || !include_decisions && record.kind().eq_ignore_ascii_case("Decision")
            {
                queue.decisions.push((number, fan_out.of(number, blockers)));
            } else if held == Held::Other {
                queue.held.push(number);
            } else {
                let fan_out = fan_out.of(number, blockers);
                let score = score(ground, record, held, fan_out, &chains);
                queue.ready.push(Ready { row: number, score, fan_out, held, complete: family.has_any(row) });
            }
        }
        let order = Order { ground };
        queue.ready.sort_by_cached_key(|ready| {
            (ready.complete, Reverse(ready.score.total()), order.place(ready.row))
        });
        queue.decisions.sort_by_cached_key(|(row, fan_out)| (Reverse(*fan_out), order.place(*row)));
        queue.blocked.sort_by_cached_key(|row| order.place(*row));
        queue.held.sort_by_cached_key(|row| order.place(*row));
        queue
    }
}

/// Points of one item.
fn score(ground: &Ground<'_>, record: Record<'_>, held: Held, fan_out: usize, chains: &Chains) -> Score {
    let tenths = |points: f64| (points * 10.0).round() as i32;
    let in_progress = record.status() == ground.statuses.in_progress();
    let age = record.created_ms().map_or(0.0, |at| (ground.now - at) as f64 / DAY_MS);
    Score {
        priority: PRIORITY.get(usize::from(record.priority())).copied().unwrap_or(0),
        unblocks: tenths(6.0 * (1.0 + fan_out as f64).log2()).min(300),
        critical_path: match chains.longest() {
            0 => 0,
            longest => tenths(10.0 * f64::from(chains.through(record.number())) / f64::from(longest)),
        },
        deadline: record.deadline_ms().map_or(0, |due| {
            tenths(urgency(Due::at(due).ends(ground.zone), ground.now, record.estimated_minutes()))
        }),
        age: tenths(5.0 * (age / 180.0).clamp(0.0, 1.0)),
        claim: match (held, in_progress) {
            (Held::Mine, true) => 150,
            (Held::Mine, false) => 80,
            (Held::Free, true) => 50,
            _ => 0,
        },
    }
}

/// Points of a deadline that has passed at `ends`.
fn urgency(ends: i64, now: i64, estimate: Option<f64>) -> f64 {
    if now >= ends {
        return 25.0;
    }
    let work =
        estimate.filter(|minutes| minutes.is_finite()).map_or(0.0, |minutes| minutes.max(0.0) / DAY_OF_WORK);
    let slack = ((ends - now) as f64 / DAY_MS - work).max(0.0);
    22.0 * 7.0 / (7.0 + slack)
}

/// The structural order: what breaks ties between scores, and orders lists that have none.
#[derive(Clone, Copy, Debug)]
pub struct Order<'g, 'a> {
    /// What the order is taken from.
    pub ground: &'g Ground<'a>,
}

/// An item's place in the structural order; smaller comes first.
pub(crate) type StructuralPlace = (u8, u8, i64, i64, Reverse<Option<i64>>, u32);

impl Order<'_, '_> {
    /// In progress before open before waiting; then priority, `order`, deadline, last change, id.
    pub(crate) fn place(&self, row: u32) -> StructuralPlace {
        let Some(record) = self.ground.records.get(row as usize) else {
            return (u8::MAX, u8::MAX, i64::MAX, i64::MAX, Reverse(None), row);
        };
        (
            self.station(record),
            record.priority(),
            ascending(record.order().filter(|order| order.is_finite()).unwrap_or(f64::INFINITY)),
            record.deadline_ms().unwrap_or(i64::MAX),
            Reverse(record.updated_ms()),
            // Rows are sorted by id.
            row,
        )
    }

    fn station(&self, record: Record<'_>) -> u8 {
        let Ground { statuses, blockers, .. } = self.ground;
        let roles = blockers.roles(record.number());
        match record.status() {
            status if status == statuses.in_progress() => 0,
            status if status == statuses.open() => 1,
            status if status == statuses.blocked() => 2,
            status if status == statuses.draft() => 3,
            _ if roles.any(Roles::ACTIVE) => 4,
            _ if roles.any(Roles::BLOCKED) => 5,
            _ if blockers.is_over(record.number()) => 7,
            _ => 6,
        }
    }
}

/// A number that is ordered among others of its kind as the float is among floats.
fn ascending(float: f64) -> i64 {
    let bits = float.to_bits().cast_signed();
    bits ^ (bits >> 63).cast_unsigned().wrapping_shr(1).cast_signed()
}

/// Which items have children, and which have some that are not over, however deep.
#[derive(Debug)]
struct Family {
    any: Vec<bool>,
    open: Vec<bool>,
}

impl Family {
    fn new(records: &Records, rows: &Rows, blockers: &Blockers<'_>) -> Family {
        let mut family = Family { any: vec![false; records.len()], open: vec![false; records.len()] };
        let mut by_link: Vec<(u32, u32)> = Vec::new();
        for (row, record) in (0u32..).zip(records.iter()) {
            by_link.extend(record.linked(names_child).filter_map(|child| Some((rows.find(child)?, row))));
        }
        by_link.sort_unstable();
        let parents = |row: u32| {
            let from = by_link.partition_point(|(child, _)| *child < row);
            let linked =
                by_link[from..].iter().take_while(move |(child, _)| *child == row).map(|(_, parent)| *parent);
            let named =
                records.get(row as usize).into_iter().flat_map(parents_of).filter_map(|id| rows.find(id));
            named.chain(linked).filter(move |parent| *parent != row)
        };
        let mut climbing: Vec<u32> = Vec::new();
        for row in 0..records.len() as u32 {
            let over = blockers.is_over(row as usize);
            for parent in parents(row) {
                family.any[parent as usize] = true;
                if !over && !family.open[parent as usize] {
                    climbing.push(parent);
                }
            }
            while let Some(at) = climbing.pop() {
                if !std::mem::replace(&mut family.open[at as usize], true) {
                    climbing.extend(parents(at).filter(|parent| !family.open[*parent as usize]));
                }
            }
        }
        family
    }

    fn has_any(&self, row: usize) -> bool {
        self.any[row]
    }

    fn has_open(&self, row: usize) -> bool {
        self.open[row]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::item::Item;
    use crate::model::timestamp;

    const NOW: &str = "2026-06-15T12:00:00.000Z";

    fn with_queue(items: &[Value], check: impl FnOnce(&Queue, &dyn Fn(u32) -> String)) {
        let items: Vec<(String, Item)> = items
            .iter()
            .map(|value| {
                let mut metadata = json!({"type": "Task", "status": "open", "priority": 2, "created_at": NOW, "updated_at": NOW});
                let fields = metadata.as_object_mut().unwrap();
                fields.extend(value.as_object().unwrap().clone());
                (format!("tasks/{}.toon", value["id"]), Item { metadata: fields.clone(), body: String::new() })
            })
            .collect();
        let records = Records::from_items(&items);
        let rows = Rows::new(&records);
        let statuses = Statuses::default();
        let ground = Ground {
            records: &records,
            rows: &rows,
            blockers: &Blockers::new(&records, &rows, &statuses),
            statuses: &statuses,
            caller: Caller {
                claimant: Claimant { author: "ana", principal: "ana#1" },
                lease: Some(3_600_000),
            },
            now: timestamp::parse(NOW).unwrap(),
            zone: &TimeZone::UTC,
        };
        let queue = Queue::new(&ground, false, &|_| true);
        check(&queue, &|row| records.get(row as usize).unwrap().id().to_owned());
    }

    fn ids(rows: impl IntoIterator<Item = u32>, id: &dyn Fn(u32) -> String) -> String {
        rows.into_iter().map(id).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_item_is_offered_blocked_held_or_decided() {
        let items = [
            json!({"id": "root"}),
            json!({"id": "mid", "blocked_by": "root"}),
            json!({"id": "lost", "blocked_by": "nowhere"}),
            json!({"id": "draft", "status": "draft"}),
            json!({"id": "done", "status": "closed"}),
            json!({"id": "epic", "type": "Epic"}),
            json!({"id": "child", "parent": "epic"}),
            json!({"id": "whole", "type": "Epic", "priority": 0}),
            json!({"id": "past", "parent": "whole", "status": "closed"}),
            json!({"id": "choice", "type": "Decision"}),
            json!({"id": "later", "blocked_by": "choice"}),
            json!({"id": "bos", "assignee": "bo", "claim_principal": "bo"}),
            json!({"id": "left", "assignee": "bo", "claim_principal": "bo", "updated_at": "2026-06-15T10:00:00.000Z"}),
        ];
        with_queue(&items, |queue, id| {
            assert_eq!(ids(queue.ready.iter().map(|r| r.row), id), "root child left whole");
            assert!(queue.ready[3].complete);
            assert_eq!(ids(queue.blocked.iter().copied(), id), "later lost mid");
            assert_eq!(ids(queue.held.iter().copied(), id), "bos");
            assert_eq!(ids(queue.decisions.iter().map(|d| d.0), id), "choice");
            assert_eq!((queue.candidates, queue.containers), (11, 1));
        });
    }

    #[test]
    fn each_contribution_moves_an_item_up() {
        let hold = |id: &str, by: &str| json!({"id": id, "blocked_by": by, "status": "draft"});
        let pairs = [
            (json!({"id": "a", "priority": 1}), json!({"id": "b"})),
            (
                json!({"id": "a", "deadline": "2026-06-20T00:00:00.000Z"}),
                json!({"id": "b", "deadline": "2026-07-20T00:00:00.000Z"}),
            ),
            (
                json!({"id": "a", "deadline": "2026-06-20T00:00:00.000Z", "estimated_minutes": 1920}),
                json!({"id": "b", "deadline": "2026-06-20T00:00:00.000Z"}),
            ),
            (
                json!({"id": "a", "deadline": "2026-06-14T00:00:00.000Z"}),
                json!({"id": "b", "deadline": "2026-06-15T00:00:00.000Z"}),
            ),
            (json!({"id": "a", "created_at": "2026-01-01T00:00:00.000Z"}), json!({"id": "b"})),
            (json!({"id": "a", "assignee": "ana", "claim_principal": "ana#1"}), json!({"id": "b"})),
            (json!({"id": "a", "status": "in_progress"}), json!({"id": "b"})),
        ];
        for (better, worse) in pairs {
            with_queue(&[worse.clone(), better.clone()], |queue, id| {
                assert_eq!(ids(queue.ready.iter().map(|r| r.row), id), "a b", "{better} against {worse}");
                assert!(
                    queue.ready[0].score.total() > queue.ready[1].score.total(),
                    "{better} against {worse}"
                );
            });
        }
        let items = [json!({"id": "b"}), json!({"id": "a"}), hold("c", "a"), hold("d", "c"), hold("e", "b")];
        with_queue(&items, |queue, id| {
            assert_eq!(ids(queue.ready.iter().map(|r| r.row), id), "a b");
            let (a, b) = (queue.ready[0], queue.ready[1]);
            assert_eq!((a.fan_out, b.fan_out), (2, 1));
            assert_eq!((a.score.critical_path, b.score.critical_path), (100, 50));
        });
    }

    /// An item as the generator makes it: status, kind, priority, parent, blocker, assignee.
    type Drawn = (usize, usize, u8, Option<usize>, Option<usize>, Option<usize>);

    const KINDS: [&str; 3] = ["Task", "Epic", "Decision"];
    const STATUSES: [&str; 5] = ["open", "in_progress", "blocked", "closed", "draft"];

    fn drawn(items: &[Drawn]) -> Vec<Value> {
        let name = |n: usize| format!("n{n:02}");
        let item = |(n, (status, kind, priority, parent, blocker, assignee)): (usize, &Drawn)| {
            let mut item = json!({"id": name(n), "status": STATUSES[*status], "priority": priority,
                "type": KINDS[*kind]});
            // Parents come first, so that there is no cycle; a blocker may be anything, also nothing that exists.
            if let Some(parent) = parent.filter(|parent| *parent < n) {
                item["parent"] = name(parent).into();
            }
            if let Some(blocker) = blocker.filter(|blocker| *blocker != n) {
                item["blocked_by"] = name(blocker).into();
            }
            if let Some(assignee) = assignee {
                item["assignee"] = ["ana", "bo"][*assignee].into();
                item["claim_principal"] = ["ana#1", "bo"][*assignee].into();
            }
            item
        };
        items.iter().enumerate().map(item).collect()
    }

    fn by_id<'i>(items: &'i [Value], id: &Value) -> Option<&'i Value> {
        items.iter().find(|item| item["id"] == *id)
    }

    fn is_over(item: &Value) -> bool {
        item["status"] == "closed"
    }

    fn lies_below(items: &[Value], item: &Value, top: &Value) -> bool {
        let mut at = item;
        while let Some(parent) = by_id(items, &at["parent"]) {
            if parent["id"] == top["id"] {
                return true;
            }
            at = parent;
        }
        false
    }

    proptest::proptest! {
        #[test]
        fn nothing_is_offered_that_cannot_be_done(
            items in proptest::collection::vec(
                (0..5usize, 0..3usize, 0..5u8, proptest::option::of(0..12usize), proptest::option::of(0..14usize),
                 proptest::option::of(0..2usize)),
                1..12,
            ),
        ) {
            let items = drawn(&items);
            with_queue(&items, |queue, id| {
                for ready in &queue.ready {
                    let item = by_id(&items, &id(ready.row).into()).expect("it was drawn");
                    let blocker = &item["blocked_by"];
                    assert!(blocker.is_null() || by_id(&items, blocker).is_some_and(is_over), "{item} waits");
                    assert!(item["status"] == "open" || item["status"] == "in_progress", "{item}");
                    assert!(item["assignee"] != "bo", "{item} is held");
                    assert!(item["type"] != "Decision", "{item}");
                    let open_child = items.iter().find(|child| !is_over(child) && lies_below(&items, child, item));
                    assert!(open_child.is_none(), "{item} holds {open_child:?}");
                    let sum: i32 = ready.score.parts().iter().map(|(_, tenths)| tenths).sum();
                    assert_eq!(sum, ready.score.total());
                }
                let key = |ready: &Ready| (ready.complete, Reverse(ready.score.total()));
                assert!(queue.ready.is_sorted_by_key(key));
                let lists = queue.ready.iter().map(|r| r.row).chain(queue.decisions.iter().map(|d| d.0));
                let mut rows: Vec<u32> = lists.chain(queue.blocked.iter().copied()).chain(queue.held.iter().copied()).collect();
                rows.sort_unstable();
                assert!(rows.is_sorted_by(|a, b| a < b), "an item stands in two lists");
            });
        }

        #[test]
        fn what_unblocks_more_never_falls(
            items in proptest::collection::vec(
                (0..5usize, 0..2usize, 0..5u8, proptest::option::of(0..12usize), proptest::option::of(0..14usize),
                 proptest::option::of(0..2usize)),
                1..12,
            ),
            chosen in 0..12usize,
        ) {
            let items = drawn(&items);
            let place = |items: &[Value], wanted: &str| {
                let mut found = None;
                with_queue(items, |queue, id| {
                    let at = queue.ready.iter().position(|ready| id(ready.row) == wanted);
                    found = at.map(|at| (at, queue.ready[at].score.total()));
                });
                found
            };
            let wanted = format!("n{chosen:02}");
            if let Some((before, score)) = place(&items, &wanted) {
                let mut more = items.clone();
                more.push(json!({"id": "waiter", "status": "draft", "blocked_by": wanted}));
                let (after, raised) = place(&more, &wanted).expect("it is still ready");
                assert!(after <= before && raised > score, "{before} to {after}, {score} to {raised}");
            }
        }
    }
}
