//! The sections of a context: what is below, what happened, how far things are, what waits.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::focus::{self, Focus};
use super::plan::Plan;
use super::scene::Scene;
use crate::answer::{Row, Rows, row};
use crate::clock::due::Due;
use crate::domain::agenda;
use crate::domain::filter::values;
use crate::error::Result;
use crate::model::item::Item;
use crate::model::records::{Count, Record, Text};
use crate::model::timestamp;

const DAY_MS: i64 = 86_400_000;

/// How many item files a section that needs them reads at most.
const MOST_READ: usize = 400;

/// A section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Hierarchy,
    Activity,
    Progress,
    Blockers,
    Files,
    Workload,
    Staleness,
    RecentlyCreated,
    Unparented,
    Tests,
}

use Section::{
    Activity, Blockers, Files, Hierarchy, Progress, RecentlyCreated, Staleness, Tests, Unparented, Workload,
};

/// What is below an item, however deep.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Children {
    pub(super) total: usize,
    pub(super) closed: usize,
    open: usize,
    in_progress: usize,
    blocked: usize,
}

impl Children {
    pub(super) fn of(scene: &Scene<'_>, row: u32) -> Children {
        let mut children = Children::default();
        let mut seen = HashSet::from([row]);
        let mut waiting = scene.hierarchy.children(row as usize).to_vec();
        while let Some(child) = waiting.pop() {
            let at = child as usize;
            if !seen.insert(child) {
                continue;
            }
            waiting.extend_from_slice(scene.hierarchy.children(at));
            children.total += 1;
            if scene.blockers.is_over(at) {
                children.closed += 1;
            } else if scene.blockers.is_blocked(at) {
                children.blocked += 1;
            } else if scene.record(child).status() == scene.statuses.in_progress() {
                children.in_progress += 1;
            } else {
                children.open += 1;
            }
        }
        children
    }

    /// How much of it is over, in whole percent; `None` when there is nothing.
    pub(super) fn percent(self) -> Option<usize> {
        (self.total > 0).then(|| (100 * self.closed + self.total / 2) / self.total)
    }
}

impl Section {
    /// All of them, in the order of the answer.
    pub(super) const ALL: &'static [Section] = &[
        Hierarchy,
        Activity,
        Progress,
        RecentlyCreated,
        Unparented,
        Workload,
        Blockers,
        Files,
        Staleness,
        Tests,
    ];

    /// The sections of a depth.
    pub(super) fn of_depth(depth: &str) -> &'static [Section] {
        match depth {
            "brief" => &[],
            "standard" => &Section::ALL[..6],
            _ => Section::ALL,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Hierarchy => "hierarchy",
            Activity => "activity",
            Progress => "progress",
            Blockers => "blockers",
            Files => "files",
            Workload => "workload",
            Staleness => "staleness",
            RecentlyCreated => "recently_created",
            Unparented => "unparented",
            Tests => "tests",
        }
    }

    pub(super) fn named(name: &str) -> Result<Section> {
        let names: Vec<&str> = Section::ALL.iter().map(|section| section.name()).collect();
        let wanted = name.trim().replace('-', "_").to_lowercase();
        let found = Section::ALL.iter().find(|section| section.name() == wanted);
        found.copied().ok_or_else(|| values::illegal("--section", name, &names))
    }

    /// The columns, and those that selectors name beyond them.
    pub(super) fn columns(self, selectors: &[String]) -> Vec<&'static str> {
        let (default, more): (&[&str], &[&str]) = match self {
            Hierarchy => (
                &[
                    "id",
                    "children_total",
                    "children_closed",
                    "children_open",
                    "children_in_progress",
                    "children_blocked",
                ],
                &["title", "type", "status", "children"],
            ),
            Activity => (&["id", "op", "ts", "author"], &["msg"]),
            Progress => (
                &["id", "total", "closed", "open", "in_progress", "blocked", "completion_pct"],
                &["title", "type"],
            ),
            Blockers => (
                &["id", "blocked_by", "blocked_by_title", "blocked_by_status"],
                &["title", "blocked_reason", "unblock_note"],
            ),
            Files => (&["path", "references"], &["items"]),
            Workload => (&["assignee", "active", "in_progress"], &["items"]),
            Staleness => (&["id", "title", "status", "updated_at", "stale_days"], &[]),
            RecentlyCreated => (
                &["id", "title", "type", "status", "priority", "created_at"],
                &["parent", "assignee", "updated_at"],
            ),
            Unparented => {
                (&["id", "title", "type", "status", "priority"], &["parent", "assignee", "updated_at"])
            }
            Tests => (
                &[
                    "items_with_tests",
                    "items_with_recent_runs",
                    "items_failing",
                    "passed",
                    "failed",
                    "skipped",
                ],
                &[],
            ),
        };
        let asked = |column: &&&str| selectors.iter().any(|s| s.rsplit('.').next() == Some(**column));
        default.iter().chain(more.iter().filter(asked)).copied().collect()
    }

    /// The rows, with these columns; those of items are made when they are shown.
    pub(super) fn listing<'a>(
        self,
        scene: &Rc<Scene<'a>>,
        plan: &Plan,
        focus: &Focus,
        columns: Vec<&'static str>,
    ) -> Result<Listing<'a>> {
        let listing = Listing::of(columns, plan.rows);
        Ok(match self {
            Hierarchy => hierarchy(listing, scene, focus),
            Activity => listing.most(plan.activity_rows()).ready(activity(scene, plan)?),
            Progress => listing.ready(progress(scene, focus)),
            Blockers => blockers(listing, scene, focus),
            Files => listing.ready(files(scene)?),
            Workload => listing.ready(workload(scene)),
            Staleness => staleness(listing, scene, plan),
            RecentlyCreated => recently_created(listing, scene),
            Unparented => unparented(listing, scene),
            Tests => listing.ready(tests(scene)?),
        })
    }
}

type Make<'a> = Rc<dyn Fn(usize) -> Row + 'a>;

/// All rows of a section, which several answers may tell.
pub(super) struct Listing<'a> {
    columns: Vec<&'static str>,
    /// How many there are, and how many are shown unless more are asked for.
    total: usize,
    most: usize,
    make: Make<'a>,
}

impl<'a> Listing<'a> {
    /// No rows yet.
    pub(super) fn of(columns: Vec<&'static str>, most: usize) -> Listing<'a> {
        Listing { columns, total: 0, most, make: Rc::new(|_| Row::new()) }
    }

    fn most(mut self, most: usize) -> Listing<'a> {
        self.most = most;
        self
    }

    /// Rows that are made when they are shown.
    pub(super) fn lazy(mut self, total: usize, make: impl Fn(usize) -> Row + 'a) -> Listing<'a> {
        (self.total, self.make) = (total, Rc::new(make));
        self
    }

    /// Rows that exist.
    pub(super) fn ready(self, rows: Vec<Row>) -> Listing<'a> {
        self.lazy(rows.len(), move |n| rows[n].clone())
    }

    /// Whether there is nothing to show.
    pub(super) fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Those of the answer.
    pub(super) fn shown(&self, plan: &Plan) -> impl Iterator<Item = Row> {
        (0..plan.among(self.total, self.most)).map(|n| (self.make)(n))
    }

    /// The rows of an answer.
    pub(super) fn rows(&self, plan: &Plan) -> Rows<'a> {
        let (make, columns) = (Rc::clone(&self.make), self.columns.clone());
        let rows = plan.listed(self.total, self.most, move |n| {
            let mut row = make(n);
            row.retain(|key, _| columns.is_empty() || columns.contains(&key.as_str()));
            Ok(row)
        });
        if self.columns.is_empty() { rows } else { rows.columns(self.columns.clone()) }
    }
}

/// Open items in scope, most relevant first.
fn open<'s, 'a>(scene: &'s Scene<'a>) -> impl Iterator<Item = (u32, Record<'a>)> + use<'s, 'a> {
    scene.ranked.iter().map(|relevant| (relevant.row, scene.record(relevant.row)))
}

fn hierarchy<'a>(listing: Listing<'a>, scene: &Rc<Scene<'a>>, focus: &Focus) -> Listing<'a> {
    let parents: Vec<u32> =
        focus.members().filter(|at| !scene.hierarchy.children(*at as usize).is_empty()).collect();
    let with_children = listing.columns.contains(&"children");
    let scene = Rc::clone(scene);
    listing.lazy(parents.len(), move |n| {
        let (at, record) = (parents[n] as usize, scene.record(parents[n]));
        let children = Children::of(&scene, parents[n]);
        let below = scene.hierarchy.children(at).iter().filter(|child| !scene.blockers.is_over(**child as usize));
        let child = |child: &u32| {
            let (record, below) = (scene.record(*child), Children::of(&scene, *child));
            json!({"id": record.id(), "title": record.title(), "type": record.kind(), "status": record.status(),
                "children_total": below.total, "children_closed": below.closed})
        };
        row([
            ("id", record.id().into()),
            ("title", record.title().into()),
            ("type", record.kind().into()),
            ("status", record.status().into()),
            ("children_total", children.total.into()),
            ("children_closed", children.closed.into()),
            ("children_open", children.open.into()),
            ("children_in_progress", children.in_progress.into()),
            ("children_blocked", children.blocked.into()),
            ("children", below.filter(|_| with_children).map(child).collect()),
        ])
    })
}

fn progress(scene: &Scene<'_>, focus: &Focus) -> Vec<Row> {
    let mut counted: Vec<(u32, Children)> = focus.members().map(|at| (at, Children::of(scene, at))).collect();
    counted.retain(|(_, children)| children.total > 0);
    counted.sort_by_key(|(_, children)| children.percent());
    let line = |(at, children): &(u32, Children)| {
        let record = scene.record(*at);
        row([
            ("id", record.id().into()),
            ("title", record.title().into()),
            ("type", record.kind().into()),
            ("total", children.total.into()),
            ("closed", children.closed.into()),
            ("open", children.open.into()),
            ("in_progress", children.in_progress.into()),
            ("blocked", children.blocked.into()),
            ("completion_pct", children.percent().into()),
        ])
    };
    counted.iter().map(line).collect()
}

fn blockers<'a>(listing: Listing<'a>, scene: &Rc<Scene<'a>>, focus: &Focus) -> Listing<'a> {
    let waits = |at: &u32| {
        let at = *at as usize;
        scene.blockers.open(at).next().is_some() || scene.blockers.is_blocked(at)
    };
    let waiting: Vec<u32> = focus.members().filter(waits).collect();
    let scene = Rc::clone(scene);
    listing.lazy(waiting.len(), move |n| {
        let (at, record) = (waiting[n] as usize, scene.record(waiting[n]));
        let first = scene.blockers.open(at).next();
        let by = first.and_then(|blocker| blocker.row).map(|row| scene.record(row));
        row([
            ("id", record.id().into()),
            ("title", record.title().into()),
            ("blocked_by", first.map(|blocker| blocker.id).into()),
            ("blocked_by_title", by.map(Record::title).into()),
            ("blocked_by_status", by.map(Record::status).into()),
            ("blocked_reason", record.text(Text::BlockedReason).into()),
            ("unblock_note", record.text(Text::UnblockNote).into()),
        ])
    })
}

/// The newest changes. The newest `n` are among the changes of the `n` items that changed last.
fn activity(scene: &Scene<'_>, plan: &Plan) -> Result<Vec<Row>> {
    let mut last: Vec<Record<'_>> =
        scene.records.iter().filter(|record| scene.scope[record.number()]).collect();
    last.sort_by_key(|record| std::cmp::Reverse(record.updated_ms()));
    let mut events: Vec<(String, String, Row)> = Vec::new();
    for record in last.iter().take(plan.activity_limit) {
        let history = scene.tracker.history(record.id()).unwrap_or_default();
        for event in history.iter().rev().take(plan.activity_limit) {
            let text = |key: &str| event.get(key).and_then(Value::as_str).unwrap_or_default();
            let line = row([
                ("id", record.id().into()),
                ("op", text("op").into()),
                ("ts", text("ts").into()),
                ("author", text("author").into()),
                ("msg", event.get("message").cloned().unwrap_or_default()),
            ]);
            events.push((text("ts").to_owned(), record.id().to_owned(), line));
        }
    }
    events.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Ok(events.into_iter().take(plan.activity_limit).map(|(_, _, line)| line).collect())
}

fn workload(scene: &Scene<'_>) -> Vec<Row> {
    let mut by_name: BTreeMap<Option<&str>, (usize, usize, Vec<&str>)> = BTreeMap::new();
    for (_, record) in open(scene) {
        let name = record.assignee().filter(|name| !name.trim().is_empty());
        let (active, in_progress, items) = by_name.entry(name).or_default();
        *active += 1;
        *in_progress += usize::from(record.status() == scene.statuses.in_progress());
        items.push(record.id());
    }
    let mut rows: Vec<_> = by_name.into_iter().collect();
    rows.sort_by_key(|(_, (active, ..))| std::cmp::Reverse(*active));
    let line = |(name, (active, in_progress, items)): (Option<&str>, (usize, usize, Vec<&str>))| {
        row([
            ("assignee", name.into()),
            ("active", active.into()),
            ("in_progress", in_progress.into()),
            ("items", items.into()),
        ])
    };
    rows.into_iter().map(line).collect()
}

fn staleness<'a>(listing: Listing<'a>, scene: &Rc<Scene<'a>>, plan: &Plan) -> Listing<'a> {
    let age = |record: Record<'_>| record.updated_ms().map_or(0, |at| (scene.now - at) / DAY_MS);
    let mut stale: Vec<(i64, Record<'a>)> = open(scene).map(|(_, record)| (age(record), record)).collect();
    stale.retain(|(days, _)| *days >= plan.stale_days);
    stale.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.id().cmp(b.1.id())));
    listing.lazy(stale.len(), move |n| {
        let (days, record) = stale[n];
        row([
            ("id", record.id().into()),
            ("title", record.title().into()),
            ("status", record.status().into()),
            ("updated_at", record.updated_at().into()),
            ("stale_days", days.into()),
        ])
    })
}

const BRIEF: [&str; 9] =
    ["id", "title", "type", "status", "priority", "created_at", "parent", "assignee", "updated_at"];

/// These items, in short.
fn in_short<'a>(listing: Listing<'a>, scene: &Rc<Scene<'a>>, items: Vec<u32>) -> Listing<'a> {
    let scene = Rc::clone(scene);
    listing.lazy(items.len(), move |n| row(BRIEF.map(|field| (field, focus::value(&scene, items[n], field)))))
}

fn recently_created<'a>(listing: Listing<'a>, scene: &Rc<Scene<'a>>) -> Listing<'a> {
    let mut new: Vec<(u32, Record<'_>)> = open(scene).collect();
    new.sort_by_key(|(_, record)| std::cmp::Reverse(record.created_ms()));
    in_short(listing, scene, new.into_iter().map(|(at, _)| at).collect())
}

fn unparented<'a>(listing: Listing<'a>, scene: &Rc<Scene<'a>>) -> Listing<'a> {
    let alone = open(scene).filter(|(at, record)| {
        let has_children = ["Epic", "Feature"].iter().any(|kind| record.kind().eq_ignore_ascii_case(kind));
        !has_children && record.parent().is_none() && scene.hierarchy.parents(*at as usize).is_empty()
    });
    in_short(listing, scene, alone.map(|(at, _)| at).collect())
}

/// The items of open records that have something, read from their files, the most relevant first.
fn items(scene: &Scene<'_>, of: Count) -> Result<Vec<Item>> {
    let having = open(scene).filter(|(_, record)| record.count(of) > 0).take(MOST_READ);
    having.map(|(_, record)| Ok(scene.tracker.read_item(record.path().to_owned())?.item)).collect()
}

fn files(scene: &Scene<'_>) -> Result<Vec<Row>> {
    let mut by_path: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for item in items(scene, Count::Files)? {
        for path in item.list("files").iter().filter_map(|file| file.get("path")?.as_str()) {
            by_path.entry(path.to_owned()).or_default().push(item.id().to_owned());
        }
    }
    let mut rows: Vec<_> = by_path.into_iter().collect();
    rows.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
    let line = |(path, items): (String, Vec<String>)| {
        row([("path", path.into()), ("references", items.len().into()), ("items", items.into())])
    };
    Ok(rows.into_iter().map(line).collect())
}

fn tests(scene: &Scene<'_>) -> Result<Vec<Row>> {
    let with_tests = open(scene).filter(|(_, record)| record.count(Count::Tests) > 0).count();
    let (mut recent, mut failing, mut sums) = (0usize, 0usize, [0u64; 3]);
    for item in items(scene, Count::TestRuns)? {
        let Some(run) = item.list("test_runs").last() else { continue };
        recent += 1;
        let number = |key: &str| run.get(key).and_then(Value::as_u64).unwrap_or(0);
        for (sum, key) in sums.iter_mut().zip(["passed", "failed", "skipped"]) {
            *sum += number(key);
        }
        let failed = run.get("status").and_then(Value::as_str) == Some("failed") || number("failed") > 0;
        failing += usize::from(failed);
    }
    Ok(vec![row([
        ("items_with_tests", with_tests.into()),
        ("items_with_recent_runs", recent.into()),
        ("items_failing", failing.into()),
        ("passed", sums[0].into()),
        ("failed", sums[1].into()),
        ("skipped", sums[2].into()),
    ])])
}

/// How often a recurring event is followed where all of the agenda is asked for.
const MOST_OCCURRENCES: usize = 1_000;

/// What lies ahead: deadlines that are not over, reminders and events of open items.
pub(super) fn agenda<'a>(scene: &Rc<Scene<'a>>, plan: &Plan) -> Result<Listing<'a>> {
    let mut entries: Vec<(i64, &'static str, Record<'a>, Option<String>)> = Vec::new();
    let most = if plan.asked { MOST_OCCURRENCES } else { plan.agenda.min(MOST_OCCURRENCES) };
    let open = scene
        .records
        .iter()
        .filter(|record| scene.scope[record.number()] && !scene.blockers.is_over(record.number()));
    for record in open {
        if let Some(due) = record.deadline_ms() {
            let ahead = plan.window.from.is_none_or(|from| Due::at(due).ends(&scene.zone) > from);
            if ahead && plan.window.to.is_none_or(|to| due <= to) {
                entries.push((due, "deadline", record, None));
            }
        }
        if record.count(Count::Reminders) + record.count(Count::Events) == 0 {
            continue;
        }
        let item = scene.tracker.read_item(record.path().to_owned())?.item;
        for reminder in agenda::reminders(item.list("reminders"), plan.window) {
            entries.push((reminder.at, "reminder", record, reminder.text));
        }
        for event in agenda::events(item.list("events"), plan.window, most) {
            entries.push((event.at, "event", record, event.text));
        }
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.2.id().cmp(b.2.id())));
    Ok(Listing::of(Vec::new(), plan.agenda).lazy(entries.len(), move |n| {
        let (at, kind, record, text) = &entries[n];
        // Also of what is in focus: a selection or a cut may leave that row out.
        let title = || record.title().to_owned();
        row([
            ("at", timestamp::format(*at).into()),
            ("kind", (*kind).into()),
            ("item_id", record.id().into()),
            ("title", text.clone().unwrap_or_else(title).into()),
        ])
    }))
}

/// How many entries of each kind there are.
pub(super) fn agenda_summary(rows: impl Iterator<Item = Row>) -> Map<String, Value> {
    let kinds: Vec<Value> = rows.map(|row| row["kind"].clone()).collect();
    let mut summary = Map::new();
    summary.insert("events".to_owned(), kinds.len().into());
    for (key, kind) in [("deadlines", "deadline"), ("reminders", "reminder"), ("scheduled", "event")] {
        summary.insert(key.to_owned(), kinds.iter().filter(|own| **own == kind).count().into());
    }
    summary
}
