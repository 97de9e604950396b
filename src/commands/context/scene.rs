//! The tracker as a context looks at it.

use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::{Args, Call};
use crate::clock::due::Due;
use crate::domain::blockers::Blockers;
use crate::domain::children::Hierarchy;
use crate::domain::filter::{Filter, Ground};
use crate::domain::rank;
use crate::domain::relevance::{self, Relevant};
use crate::domain::rows::Rows as RowIndex;
use crate::domain::snapshots::{self, State};
use crate::domain::status_set::StatusSet;
use crate::error::{Code, Error, Result};
use crate::model::records::{Record, Records};
use crate::model::status::{Roles, Statuses};
use crate::tracker::Tracker;

/// The tracker as it is looked at.
pub(super) struct Scene<'a> {
    pub(super) tracker: &'a Tracker,
    pub(super) records: &'a Records,
    pub(super) statuses: &'a Statuses,
    pub(super) rows: RowIndex,
    pub(super) blockers: Blockers<'a>,
    pub(super) hierarchy: Hierarchy,
    pub(super) now: i64,
    pub(super) zone: TimeZone,
    /// Per row whether filters and parent let it in.
    pub(super) scope: Vec<bool>,
    /// Whether anything narrows the scope.
    pub(super) narrowed: bool,
    /// The open items in scope, most relevant first.
    pub(super) ranked: Vec<Relevant>,
    /// The state that was asked for, and what of it is still the same is left out.
    pub(super) since: Option<Since>,
}

/// An earlier state.
pub(super) struct Since {
    pub(super) name: String,
    /// Its items; none when it is not kept any more.
    pub(super) then: Option<State>,
    /// When its newest item had changed.
    pub(super) newest: i64,
}

impl Since {
    pub(super) fn read(name: &str, tracker: &Tracker) -> Result<Since> {
        let name = name.trim();
        let Some(newest) = snapshots::newest_change(name) else {
            let message = format!("`--since` takes the `snapshot` of an earlier answer, not `{name}`");
            return Err(Error::new(Code::InvalidArgumentValue, message)
                .at("--since")
                .rejecting(name)
                .hint("pm context"));
        };
        Ok(Since { name: name.to_owned(), then: tracker.kept_snapshot(name), newest })
    }

    pub(super) fn is_changed(&self, record: Record<'_>) -> bool {
        match &self.then {
            Some(then) => then.get(record.id()) != Some(&record.digest()),
            None => record.updated_ms().is_none_or(|updated| updated > self.newest),
        }
    }
}

impl<'a> Scene<'a> {
    pub(super) fn set(args: &Args, call: &'a Call) -> Result<Scene<'a>> {
        let tracker = call.tracker()?;
        let (schema, records, now) = (tracker.schema(), tracker.records()?, call.clock.now());
        let since = args.since.as_deref().map(|name| Since::read(name, tracker)).transpose()?;
        let mut filters = args.filters.clone();
        // Here a parent means everything below it.
        let parent = filters.parent.take();
        let prefix = tracker.settings().id_prefix();
        let ground = Ground { now, schema, prefix: &prefix };
        let filter = Filter::new(&filters, &call.custom, StatusSet::All, &ground)?;
        let within = parent.as_deref().map(|parent| tracker.subtree(parent)).transpose()?;
        let selection = filter.over(records, schema);
        let narrowed = within.is_some() || !filters.is_empty() || !call.custom.is_empty();
        let in_scope = |record: Record<'_>| {
            within.as_ref().is_none_or(|within| within[record.number()])
                && (!narrowed || selection.admits(record))
        };
        let scope: Vec<bool> = records.iter().map(in_scope).collect();
        let rows = RowIndex::new(records);
        let blockers = Blockers::new(records, &rows, &schema.statuses);
        let zone = TimeZone::system();
        let at_work = Roles::ACTIVE.with(Roles::BLOCKED);
        let shown = |row: &u32| {
            let record = records.get(*row as usize);
            let changed =
                since.as_ref().is_none_or(|since| record.is_some_and(|record| since.is_changed(record)));
            changed && scope[*row as usize] && blockers.roles(*row as usize).any(at_work)
        };
        let open = (0..records.len() as u32).filter(shown).collect();
        let ground = rank::Ground {
            records,
            rows: &rows,
            blockers: &blockers,
            statuses: &schema.statuses,
            caller: tracker.caller(call.actor()?),
            now,
            zone: &zone,
        };
        let ranked = relevance::rank(&ground, open);
        let hierarchy = Hierarchy::new(records, &rows);
        Ok(Scene {
            tracker,
            records,
            statuses: &schema.statuses,
            rows,
            blockers,
            hierarchy,
            now,
            zone,
            scope,
            narrowed,
            ranked,
            since,
        })
    }

    pub(super) fn record(&self, row: u32) -> Record<'a> {
        self.records.get(row as usize).expect("rows are numbers of records")
    }

    /// Whether an open item has missed its deadline.
    fn is_overdue(&self, row: usize) -> bool {
        let due = self.record(row as u32).deadline_ms().map(Due::at);
        !self.blockers.is_over(row) && due.is_some_and(|due| due.ends(&self.zone) <= self.now)
    }

    /// How many items there are, whatever is shown of them.
    pub(super) fn summary(&self) -> Map<String, Value> {
        let mut counts = [0usize; 6];
        for row in 0..self.records.len() {
            let status = self.record(row as u32).status();
            let over = self.blockers.is_over(row);
            for (count, counted) in counts.iter_mut().zip([
                !over,
                status == self.statuses.open(),
                status == self.statuses.in_progress(),
                self.blockers.is_blocked(row),
                over && !self.blockers.roles(row).any(Roles::TERMINAL_CANCELED),
                over && self.blockers.roles(row).any(Roles::TERMINAL_CANCELED),
            ]) {
                *count += usize::from(counted);
            }
        }
        let mut summary = Map::new();
        summary.insert("total_items".to_owned(), self.records.len().into());
        let names = ["active_items", "open", "in_progress", "blocked", "closed", "canceled"];
        let told = names.into_iter().zip(counts).filter(|(name, count)| *count > 0 || *name != "canceled");
        summary.extend(told.map(|(name, count)| (name.to_owned(), count.into())));
        let overdue = (0..self.records.len()).filter(|row| self.is_overdue(*row)).count();
        if overdue > 0 {
            summary.insert("overdue".to_owned(), overdue.into());
        }
        if self.narrowed {
            summary.insert(
                "in_scope".to_owned(),
                self.scope.iter().filter(|in_scope| **in_scope).count().into(),
            );
        }
        summary
    }
}
