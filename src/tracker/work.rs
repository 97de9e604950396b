//! The work of a tracker: what is ready, what waits, and for whom.

use jiff::tz::TimeZone;

use super::{Actor, Tracker};
use crate::domain::blockers::Blockers;
use crate::domain::children::Hierarchy;
use crate::domain::lifecycle::Claimant;
use crate::domain::rank::{Caller, Ground, Queue};
use crate::domain::rows::Rows;
use crate::error::Result;
use crate::model::records::{Record, Records};

/// Which work is asked for.
pub struct WorkWanted<'w> {
    /// Who asks.
    pub actor: &'w Actor,
    /// Which items; all of them must also lie within `parent`.
    pub admits: &'w dyn Fn(Record<'_>) -> bool,
    /// The item at the top of the subtree that is looked at.
    pub parent: Option<&'w str>,
    /// Whether decisions are work like any other.
    pub include_decisions: bool,
    /// Milliseconds since the epoch.
    pub now: i64,
}

/// The work that was found.
#[derive(Debug)]
pub struct Work<'a> {
    /// All items.
    pub records: &'a Records,
    /// Who waits for whom.
    pub blockers: Blockers<'a>,
    /// The items asked for, by what can be done about them.
    pub queue: Queue,
}

impl Tracker {
    /// Sorts the items asked for by what can be done about them, the ready ones by their score.
    ///
    /// Errors: those of [`Tracker::records`], and of [`Tracker::resolve`] for the parent.
    pub fn work(&self, wanted: &WorkWanted<'_>) -> Result<Work<'_>> {
        let records = self.records()?;
        let within = wanted.parent.map(|parent| self.subtree(parent)).transpose()?;
        let rows = Rows::new(records);
        let blockers = Blockers::new(records, &rows, &self.schema().statuses);
        let ground = Ground {
            records,
            rows: &rows,
            blockers: &blockers,
            statuses: &self.schema().statuses,
            caller: self.caller(wanted.actor),
            now: wanted.now,
            zone: &TimeZone::system(),
        };
        let within = |record: Record<'_>| within.as_ref().is_none_or(|within| within[record.number()]);
        let admits = |record: Record<'_>| within(record) && (wanted.admits)(record);
        let queue = Queue::new(&ground, wanted.include_decisions, &admits);
        Ok(Work { records, blockers, queue })
    }

    /// Who asks, and how long claims last here.
    pub fn caller<'w>(&self, actor: &'w Actor) -> Caller<'w> {
        let claimant = Claimant { author: &actor.author, principal: &actor.principal };
        Caller { claimant, lease: self.claim_lease() }
    }

    /// How long a claim lasts after the last change of its item, in milliseconds; for ever when there is none.
    pub fn claim_lease(&self) -> Option<i64> {
        let hours = self.settings().number("mutation_guard.stale_in_progress_hours", 72);
        i64::try_from(hours).ok().filter(|hours| *hours > 0).and_then(|hours| hours.checked_mul(3_600_000))
    }

    /// Per row whether it is the item that was typed or lies below it.
    ///
    /// Errors: those of [`Tracker::resolve`].
    pub fn subtree(&self, typed: &str) -> Result<Vec<bool>> {
        let root = self.resolve(typed)?;
        let records = self.records()?;
        let rows = Rows::new(records);
        let hierarchy = Hierarchy::new(records, &rows);
        let mut within = vec![false; records.len()];
        let mut waiting: Vec<u32> = rows.find(&root).into_iter().collect();
        while let Some(row) = waiting.pop() {
            if !std::mem::replace(&mut within[row as usize], true) {
                waiting.extend_from_slice(hierarchy.children(row as usize));
            }
        }
        Ok(within)
    }
}
