//! The work as `pm next` shows it.

use std::fmt::Write as _;
use std::rc::Rc;

use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

use super::{Args, Page, ROWS};
use crate::answer::{Answer, Completeness, Row, Rows};
use crate::clock::due::Due;
use crate::domain::merge::conflicts;
use crate::domain::packing;
use crate::domain::rank::{Held, Ready};
use crate::model::records::Record;
use crate::model::timestamp;
use crate::tracker::Work;

/// How many decisions an answer shows that was not asked for a number of rows.
const DECISIONS: usize = 2;

/// How many ids a row names.
const NAMED: usize = 3;

const RECOMMENDED: &[&str] = &[
    "id", "title", "type", "status", "priority", "deadline", "assignee", "parent", "unblocks", "rank",
    "score",
];
const SHORT_RECOMMENDED: &[&str] =
    &["id", "title", "type", "status", "priority", "deadline", "assignee", "parent"];
const QUEUE: &[&str] =
    &["id", "title", "type", "status", "priority", "deadline", "assignee", "unblocks_total", "rank", "note"];
const SHORT_QUEUE: &[&str] = &["id", "title", "priority", "rank", "note"];
const SHORT_DECISION: &[&str] = &["id", "unblocks_total"];
const DECISION: &[&str] = &["id", "title", "priority", "unblocks_total", "rank"];
const BLOCKED: &[&str] = &["id", "title", "priority", "waits_for"];
const HELD: &[&str] = &["id", "assignee"];

/// Columns of the queue that are left out when no row has anything to tell there: an open item, nothing that waits.
const IF_TELLING: &[&str] = &["status", "unblocks_total"];

/// Columns that rows have only when they tell something there.
const IF_SAID: &[&str] = &["deadline", "assignee", "note"];

/// How many rows of the queue after the first are shown, and of decisions; and with which fields.
struct Lists {
    ready: usize,
    ready_columns: &'static [&'static str],
    decisions: usize,
    decision_columns: &'static [&'static str],
}

/// What `has_more` and `next_cursor` cost, in bytes.
const GOES_ON: usize = 48;

/// The work as it is shown.
pub(super) struct View<'a> {
    pub(super) work: Work<'a>,
    pub(super) now: i64,
    pub(super) zone: TimeZone,
    pub(super) wanted: Vec<&'static str>,
    /// Whether the caller selects the items of others.
    pub(super) shows_held: bool,
    /// The status of an open item.
    pub(super) open: String,
}

impl<'a> View<'a> {
    fn record(&self, row: u32) -> Option<Record<'a>> {
        self.work.records.get(row as usize)
    }

    pub(super) fn id(&self, row: u32) -> &'a str {
        self.record(row).map_or("", Record::id)
    }

    /// Warnings for the items that a merge left undecided: nobody can work on them before that.
    pub(super) fn undecided(&self) -> impl Iterator<Item = String> {
        let rows = self.work.queue.decisions.iter().filter_map(|(row, _)| self.record(*row));
        rows.filter(|record| conflicts::is_conflicted(*record))
            .map(|record| format!("conflicted:{}:{}", record.id(), conflicts::fields_of(record).join(",")))
    }

    pub(super) fn answer(self: Rc<Self>, args: &Args, page: &Page) -> Answer<'a> {
        let queue = &self.work.queue;
        let mut answer = Answer::new().completeness(Completeness::of(self.work.records.unserved()));
        answer = match queue.ready.first() {
            Some(first) => answer.record("recommended", Value::Object(self.recommended(first, page))),
            None => answer.value("recommended", Value::Null),
        };
        let shows_held = !queue.held.is_empty() && (queue.ready.is_empty() || self.shows_held);
        // Where it is the only list, the answer counts its rows and goes on with them.
        let alone = self.decisions().next().is_none() && page.blocked.is_none() && !shows_held;
        let lists = self.lists(page, alone);
        answer = answer.rows("ready", self.clone().ready(page, &lists, alone));
        if lists.decisions > 0 {
            answer = answer.rows("decision_needed", self.clone().decision_rows(page, &lists));
        }
        if let Some(limit) = page.blocked {
            let view = Rc::clone(&self);
            let rows = page.listed(queue.blocked.len(), limit, move |n| {
                view.row(BLOCKED, view.work.queue.blocked[n], n + 1, 0, None)
            });
            answer = answer.rows("blocked", rows.columns(self.columns(BLOCKED)));
        }
        if shows_held {
            let view = Rc::clone(&self);
            let rows = page.listed(queue.held.len(), page.ready.unwrap_or(ROWS), move |n| {
                view.row(HELD, view.work.queue.held[n], 0, 0, None)
            });
            answer = answer.rows("held_by_others", rows.columns(self.columns(HELD)));
        }
        if args.why {
            let rows = self.why(lists.ready.saturating_add(1), page.asked);
            let limit = page.why.or(page.asked.then(|| lists.ready.saturating_add(1)));
            answer = answer.rows("why", rows.limited(limit));
        }
        answer = answer.value("summary", self.summary());
        if queue.ready.is_empty() {
            answer = answer.value("suggestions", self.suggestions());
        }
        answer.echo("filters", self.filters(args, page)).echo("now", timestamp::format(self.now))
    }

    /// The queue after its first item.
    fn ready(self: Rc<Self>, page: &Page, lists: &Lists, alone: bool) -> Rows<'a> {
        let total = self.work.queue.ready.len().saturating_sub(1);
        let page = Page { asked: page.asked || alone, ..*page };
        let rest = &self.work.queue.ready;
        let shown = if page.asked { total } else { total.min(lists.ready) };
        let columns = self.telling(lists.ready_columns, &rest[rest.len() - total..][..shown]);
        let (view, columns_of_row) = (Rc::clone(&self), columns.clone());
        let rows = page.listed(total, lists.ready, move |n| {
            let ready = &view.work.queue.ready[n + 1];
            let mut row = view.row(&columns_of_row, ready.row, n + 2, ready.fan_out, Some(ready));
            row.retain(|field, value| !view.is_optional(field) || !value.is_null());
            row
        });
        let optional: Vec<&str> = IF_SAID.iter().copied().filter(|field| self.is_optional(field)).collect();
        let rows = rows.columns(self.columns(&columns)).optional(optional);
        if !self.wanted.is_empty() {
            return rows;
        }
        // Its file and its place say all of such a row.
        rows.steady_digest(move || {
            let mut text = String::new();
            for ready in self.work.queue.ready.iter().skip(1).take(shown) {
                let file = self.record(ready.row).map_or(0, Record::digest);
                let _ = write!(text, "{file:x}.{:x}.{} ", ready.fan_out, u8::from(ready.complete));
            }
            text
        })
    }

    /// The decisions that hold something up.
    fn decisions(&self) -> impl Iterator<Item = (u32, usize)> {
        self.work.queue.decisions.iter().copied().filter(|(_, fan_out)| *fan_out > 0)
    }

    fn decision_rows(self: Rc<Self>, page: &Page, lists: &Lists) -> Rows<'a> {
        let all: Vec<(u32, usize)> = self.decisions().collect();
        let columns = lists.decision_columns;
        let names = self.columns(columns);
        page.listed(all.len(), lists.decisions, move |n| self.row(columns, all[n].0, n + 1, all[n].1, None))
            .columns(names)
    }

    /// How many rows of the queue and of the decisions: as many as were asked for, or as much of them as fits.
    fn lists(&self, page: &Page, alone: bool) -> Lists {
        let queue = &self.work.queue;
        let decisions = |columns: &'static [&'static str], most: usize| {
            let wanted = (1..).zip(self.decisions().take(most));
            wanted.map(|(rank, (row, n))| self.row(columns, row, rank, n, None)).collect::<Vec<Row>>()
        };
        if let Some(rows) = page.ready {
            return Lists {
                ready: rows,
                ready_columns: QUEUE,
                decisions: self.decisions().count().min(rows),
                decision_columns: DECISION,
            };
        }
        let mut spent =
            queue.ready.first().map_or(20, |first| 14 + packing::record(&self.recommended(first, page)));
        spent += packing::head("ready", &SHORT_QUEUE[..SHORT_QUEUE.len() - 1]);
        spent += self.summary().as_object().map_or(0, |summary| 10 + packing::record(summary));
        let table = |key: &str, columns: &[&str], rows: &[Row]| match rows {
            [] => 0,
            rows => {
                packing::head(key, columns) + rows.iter().map(|row| packing::row(row.values())).sum::<usize>()
            }
        };
        // Fewer fields before fewer rows; one decision is always shown.
        let mut choices = [(DECISION, DECISIONS), (SHORT_DECISION, DECISIONS), (SHORT_DECISION, 1)]
            .into_iter()
            .map(|(columns, most)| (decisions(columns, most), columns));
        let fits = |(rows, columns): &(Vec<Row>, &'static [&'static str])| {
            spent + table("decision_needed", columns, rows) <= page.bytes
        };
        let (decisions, decision_columns) =
            choices.find(fits).unwrap_or_else(|| (decisions(SHORT_DECISION, 1), SHORT_DECISION));
        spent += table("decision_needed", decision_columns, &decisions);
        let ready = self.fitting(page.bytes.saturating_sub(spent), alone);
        Lists {
            ready: if page.continued { ready.max(ROWS) } else { ready },
            ready_columns: SHORT_QUEUE,
            decisions: decisions.len(),
            decision_columns,
        }
    }

    /// How many rows of the queue fit into so many bytes; with what says that there are more, where that is said.
    fn fitting(&self, bytes: usize, alone: bool) -> usize {
        let costs: Vec<usize> = (2..)
            .zip(self.work.queue.ready.iter().skip(1))
            .map(|(rank, ready)| {
                let mut row = self.row(SHORT_QUEUE, ready.row, rank, ready.fan_out, Some(ready));
                row.retain(|field, value| !IF_SAID.contains(&field.as_str()) || !value.is_null());
                packing::row(row.values())
            })
            .take(bytes / 2 + 1)
            .collect();
        let count = |mut left: usize| {
            let fits = |cost: &&usize| left.checked_sub(**cost).inspect(|rest| left = *rest).is_some();
            costs.iter().take_while(fits).count()
        };
        let all = count(bytes);
        if !alone || all + 1 >= self.work.queue.ready.len() {
            all
        } else {
            count(bytes.saturating_sub(GOES_ON))
        }
    }

    /// Whether a field of the queue is left out where it says nothing.
    fn is_optional(&self, field: &str) -> bool {
        IF_SAID.contains(&field) && !self.wanted.contains(&field)
    }

    /// The columns without those in which these rows tell nothing.
    fn telling(&self, columns: &[&'static str], rows: &[Ready]) -> Vec<&'static str> {
        let idle = |ready: &Ready, column: &str| match column {
            "status" => self.record(ready.row).is_none_or(|record| record.status() == self.open),
            _ => ready.fan_out == 0,
        };
        let kept = |column: &&&'static str| {
            !IF_TELLING.contains(column)
                || self.wanted.contains(column)
                || rows.iter().any(|ready| !idle(ready, column))
        };
        columns.iter().filter(kept).copied().collect()
    }

    fn columns(&self, columns: &[&'static str]) -> Vec<&'static str> {
        let mut all = columns.to_vec();
        all.extend(self.wanted.iter().filter(|field| !columns.contains(field)));
        all
    }

    fn row(
        &self,
        columns: &[&'static str],
        row: u32,
        rank: usize,
        fan_out: usize,
        ready: Option<&Ready>,
    ) -> Row {
        let value =
            |field: &&'static str| ((*field).to_owned(), self.field(field, row, rank, fan_out, ready));
        self.columns(columns).iter().map(value).collect()
    }

    pub(super) fn recommended(&self, ready: &Ready, page: &Page) -> Map<String, Value> {
        let columns = if page.ready.is_some() { RECOMMENDED } else { SHORT_RECOMMENDED };
        let mut record = self.row(columns, ready.row, 1, ready.fan_out, Some(ready));
        record.insert("reasons".to_owned(), json!(self.reasons(ready)));
        record.retain(|_, value| !value.is_null() && *value != json!([]));
        record
    }

    fn field(&self, field: &str, row: u32, rank: usize, fan_out: usize, ready: Option<&Ready>) -> Value {
        let Some(record) = self.record(row) else { return Value::Null };
        let blockers = &self.work.blockers;
        let open = || blockers.open(row as usize);
        match field {
            "id" => record.id().into(),
            "title" => record.title().into(),
            "type" => record.kind().into(),
            "status" => record.status().into(),
            "priority" => record.priority().into(),
            "deadline" => record.deadline().into(),
            "assignee" => record.assignee().into(),
            "parent" => record.parent().into(),
            "updated_at" => record.updated_at().into(),
            "created_at" => record.created_at().into(),
            "estimated_minutes" => record.estimated_minutes().map_or(Value::Null, whole),
            "order" => record.order().map_or(Value::Null, whole),
            "tags" => record.tags().collect::<Vec<_>>().into(),
            "rank" => rank.into(),
            "unblocks_total" => fan_out.into(),
            "unblocks" => self.waiters(row).collect::<Vec<_>>().into(),
            "open_blocker_count" => open().count().into(),
            "waits_for" => first_names(open().map(|blocker| blocker.id)).map_or(Value::Null, Value::from),
            "blockers" => {
                let found = |blocker: &crate::domain::blockers::Blocker<'_>| {
                    let target = blocker.row.and_then(|row| self.record(row));
                    let (title, status) = (target.map(Record::title), target.map(Record::status));
                    json!({"id": blocker.id, "title": title, "status": status})
                };
                open().map(found).collect()
            }
            "note" => ready.filter(|ready| ready.complete).map_or(Value::Null, |_| "ready to close".into()),
            "score" => ready.map_or(Value::Null, |ready| points(ready.score.total())),
            "reasons" => ready.map_or(Value::Null, |ready| json!(self.reasons(ready))),
            _ => Value::Null,
        }
    }

    fn waiters(&self, row: u32) -> impl Iterator<Item = &'a str> {
        self.work.blockers.waiters(row as usize).iter().map(|waiter| self.id(*waiter))
    }

    /// Why this item, in a few words each.
    fn reasons(&self, ready: &Ready) -> Vec<String> {
        let Some(record) = self.record(ready.row) else { return Vec::new() };
        let mut reasons = Vec::new();
        let had_blockers = !self.work.blockers.of(ready.row as usize).is_empty();
        reasons.push(match (ready.complete, ready.score.claim) {
            (true, _) => "all its children are over: close it".to_owned(),
            (_, 150) => "in progress, yours".to_owned(),
            (_, 50) => "in progress, nobody's".to_owned(),
            _ if had_blockers => "ready, its blockers are over".to_owned(),
            _ => "ready, nothing blocks it".to_owned(),
        });
        if ready.held == Held::Mine && ready.score.claim != 150 {
            reasons.push("assigned to you".to_owned());
        }
        if record.priority() == 0 {
            reasons.push("highest priority".to_owned());
        }
        if let Some(due) = record.deadline_ms() {
            reasons.push(Due::at(due).phrase(self.now, &self.zone));
        }
        if ready.fan_out > 0 {
            let direct = first_names(self.waiters(ready.row)).unwrap_or_default();
            reasons.push(format!("unblocks {}: {direct}", ready.fan_out));
        }
        reasons
    }

    /// What the scores of the first rows of the queue are made of, or of all of them.
    pub(super) fn why(self: &Rc<Self>, rows: usize, all: bool) -> Rows<'a> {
        let queued = self.work.queue.ready.len();
        let view = Rc::clone(self);
        Rows::lazy(if all { queued } else { queued.min(rows) }, move |n| {
            let ready = &view.work.queue.ready[n];
            let mut row = Row::new();
            row.insert("id".to_owned(), view.id(ready.row).into());
            row.insert("score".to_owned(), points(ready.score.total()));
            row.extend(ready.score.parts().map(|(name, tenths)| (name.to_owned(), points(tenths))));
            Ok(row)
        })
    }

    fn summary(&self) -> Value {
        let queue = &self.work.queue;
        json!({
            "ready": queue.ready.len(),
            "blocked": queue.blocked.len(),
            "in_progress": queue.in_progress,
            "candidates": queue.candidates,
            "containers": queue.containers,
            "decision_needed": queue.decisions.len(),
            "held_by_others": queue.held.len(),
        })
    }

    /// Ways on when nothing is ready; each can be run.
    fn suggestions(&self) -> Value {
        let queue = &self.work.queue;
        if queue.candidates == 0 {
            return json!(["pm create --title \"...\" --type Task", "pm list --all", "pm context"]);
        }
        json!(["pm list --status blocked", "pm next --limit 5 --include-decisions", "pm context"])
    }

    fn filters(&self, args: &Args, page: &Page) -> Value {
        let mut echo = args.filters.echo();
        let bound = |rows: Option<usize>| rows.filter(|rows| *rows < usize::MAX);
        echo.insert("limit".to_owned(), bound(page.ready).into());
        echo.insert("blocked_limit".to_owned(), bound(page.blocked).into());
        echo.insert("ready_only".to_owned(), args.ready_only.into());
        echo.insert("include_decisions".to_owned(), args.include_decisions.into());
        echo.insert("token_budget".to_owned(), args.token_budget.into());
        Value::Object(echo)
    }
}

/// Tenths of a point as a number.
fn points(tenths: i32) -> Value {
    json!(f64::from(tenths) / 10.0)
}

/// A number without a fraction where it has none.
fn whole(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 { json!(number as i64) } else { json!(number) }
}

/// The first few ids and how many more there are; `None` of nothing.
fn first_names<'i>(ids: impl Iterator<Item = &'i str>) -> Option<String> {
    let ids: Vec<&str> = ids.collect();
    let more = ids.len().saturating_sub(NAMED);
    let names = ids.iter().take(NAMED).copied().collect::<Vec<_>>().join(" ");
    match (ids.len(), more) {
        (0, _) => None,
        (_, 0) => Some(names),
        _ => Some(format!("{names} +{more}")),
    }
}
