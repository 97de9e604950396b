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

use std::cmp::Ordering;

use crate::domain::blockers::Blockers;
use crate::domain::chains::{Chains, FanOut};
use crate::domain::children::{names_child, parents_of};
use crate::domain::rows::Rows;
use crate::model::records::{Record, Records, compare_folded};
use crate::model::status::{Roles, Statuses};

/// Points by priority, in tenths.
const PRIORITY: [i32; 5] = [800, 400, 250, 100, 0];

/// Minutes of work in a day, for estimates.
const DAY_OF_WORK: f64 = 480.0;

const DAY_MS: f64 = 86_400_000.0;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller<'a> {
    /// The author.
    pub author: &'a str,
    /// Whose claims are the caller's: the session, or the author.
    pub principal: &'a str,
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
    pub fn holds(&self, record: Record<'_>) -> Held {
        match (named(record.assignee()), named(record.claim_principal())) {
            (None, _) => Held::Free,
            (Some(_), Some(principal)) if principal == self.principal => Held::Mine,
            (Some(assignee), None) if assignee == self.author || assignee == self.principal => Held::Mine,
            _ => Held::Other,
        }
    }
}

/// A name that says something.
fn named(name: Option<&str>) -> Option<&str> {
    name.map(str::trim).filter(|name| !name.is_empty())
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
    /// Decisions to be made by somebody, those that hold up most first.
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
    pub rows: &'a Rows<'a>,
    /// Who waits for whom.
    pub blockers: &'a Blockers<'a>,
    /// The tracker's statuses.
    pub statuses: &'a Statuses,
    /// Who asks.
    pub caller: Caller<'a>,
    /// Milliseconds since the epoch.
    pub now: i64,
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
            let held = ground.caller.holds(record);
            let waits = || blockers.is_blocked(row);
            if !include_decisions && record.kind().eq_ignore_ascii_case("Decision") {
                queue.decisions.push((number, fan_out.of(number, blockers)));
            } else if waits() {
                queue.blocked.push(number);
            } else if held == Held::Other {
                queue.held.push(number);
            } else {
                let fan_out = fan_out.of(number, blockers);
                let score = score(ground, record, held, fan_out, &chains);
                queue.ready.push(Ready { row: number, score, fan_out, held, complete: family.has_any(row) });
            }
        }
        let order = Order { ground };
        queue.ready.sort_by(|a, b| {
            let by_score = b.score.total().cmp(&a.score.total());
            a.complete.cmp(&b.complete).then(by_score).then_with(|| order.compare(a.row, b.row))
        });
        queue.decisions.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| order.compare(a.0, b.0)));
        queue.blocked.sort_by(|a, b| order.compare(*a, *b));
        queue.held.sort_by(|a, b| order.compare(*a, *b));
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
        deadline: record
            .deadline_ms()
            .map_or(0, |due| tenths(urgency(due, ground.now, record.estimated_minutes()))),
        age: tenths(5.0 * (age / 180.0).clamp(0.0, 1.0)),
        claim: match (held, in_progress) {
            (Held::Mine, true) => 150,
            (Held::Mine, false) => 80,
            (Held::Free, true) => 50,
            _ => 0,
        },
    }
}

/// Points of a deadline: a day counts until it ends.
fn urgency(due: i64, now: i64, estimate: Option<f64>) -> f64 {
    let ends = if due % 86_400_000 == 0 { due + 86_400_000 } else { due };
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

impl Order<'_, '_> {
    /// In progress before open before waiting; then priority, `order`, deadline, last change, id.
    pub fn compare(&self, a: u32, b: u32) -> Ordering {
        let records = self.ground.records;
        let (Some(a), Some(b)) = (records.get(a as usize), records.get(b as usize)) else {
            return a.cmp(&b);
        };
        let last = |value: Option<f64>| value.filter(|v| v.is_finite()).unwrap_or(f64::INFINITY);
        self.station(a)
            .cmp(&self.station(b))
            .then_with(|| a.priority().cmp(&b.priority()))
            .then_with(|| last(a.order()).total_cmp(&last(b.order())))
            .then_with(|| a.deadline_ms().unwrap_or(i64::MAX).cmp(&b.deadline_ms().unwrap_or(i64::MAX)))
            .then_with(|| b.updated_ms().cmp(&a.updated_ms()))
            .then_with(|| compare_folded(a.id(), b.id()))
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

/// Which items have children, and which have some that are not over, however deep.
#[derive(Debug)]
struct Family {
    any: Vec<bool>,
    open: Vec<bool>,
}

impl Family {
    fn new(records: &Records, rows: &Rows<'_>, blockers: &Blockers<'_>) -> Family {
        let mut family = Family { any: vec![false; records.len()], open: vec![false; records.len()] };
        let mut by_link: Vec<(u32, u32)> = Vec::new();
        for (row, record) in (0u32..).zip(records.iter()) {
            for link in record.links().filter(|link| names_child(link.kind)) {
                by_link.extend(rows.find(link.id).map(|child| (child, row)));
            }
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
