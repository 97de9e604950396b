//! The sections of a context: what is below, what happened, how far things are, what waits.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::focus::{self, Focus};
use super::{Plan, Scene};
use crate::answer::{Row, row};
use crate::clock::due::Due;
use crate::domain::agenda;
use crate::domain::filter::values;
use crate::error::Result;
use crate::model::item::Item;
use crate::model::records::{Count, Record};
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
        let mut seen = vec![false; scene.records.len()];
        seen[row as usize] = true;
        let mut waiting = scene.hierarchy.children(row as usize).to_vec();
        while let Some(child) = waiting.pop() {
            let at = child as usize;
            if std::mem::replace(&mut seen[at], true) {
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

    /// The rows; columns that cost much are filled when they are shown.
    pub(super) fn rows(
        self,
        scene: &Scene<'_>,
        plan: &Plan,
        focus: &Focus,
        columns: &[&str],
    ) -> Result<Vec<Row>> {
        let limit = plan.limit;
        Ok(match self {
            Hierarchy => hierarchy(scene, focus, limit, columns.contains(&"children")),
            Activity => activity(scene, plan)?,
            Progress => progress(scene, focus, limit),
            Blockers => blockers(scene, focus, limit),
            Files => files(scene, limit)?,
            Workload => workload(scene, limit),
            Staleness => staleness(scene, plan),
            RecentlyCreated => recently_created(scene, limit),
            Unparented => unparented(scene, limit),
            Tests => tests(scene)?,
        })
    }
}

/// Open items in scope, most relevant first.
fn open<'s, 'a>(scene: &'s Scene<'a>) -> impl Iterator<Item = (u32, Record<'a>)> + use<'s, 'a> {
    scene.ranked.iter().map(|relevant| (relevant.row, scene.record(relevant.row)))
}

fn hierarchy(scene: &Scene<'_>, focus: &Focus, limit: usize, with_children: bool) -> Vec<Row> {
    let counted =
        focus.shown().map(|at| (at, Children::of(scene, at))).filter(|(_, children)| children.total > 0);
    let line = |(at, children): (u32, Children)| {
        let record = scene.record(at);
        let below = scene
            .hierarchy
            .children(at as usize)
            .iter()
            .filter(|child| !scene.blockers.is_over(**child as usize));
        let child = |child: &u32| {
            let (record, below) = (scene.record(*child), Children::of(scene, *child));
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
            ("children", below.take(if with_children { limit } else { 0 }).map(child).collect()),
        ])
    };
    counted.take(limit).map(line).collect()
}

fn progress(scene: &Scene<'_>, focus: &Focus, limit: usize) -> Vec<Row> {
    let mut counted: Vec<(u32, Children)> = focus.shown().map(|at| (at, Children::of(scene, at))).collect();
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
    counted.iter().take(limit).map(line).collect()
}

fn blockers(scene: &Scene<'_>, focus: &Focus, limit: usize) -> Vec<Row> {
    let line = |at: u32| {
        let record = scene.record(at);
        let first = scene.blockers.open(at as usize).next();
        if first.is_none() && !scene.blockers.is_blocked(at as usize) {
            return None;
        }
        let by = first.and_then(|blocker| blocker.row).map(|row| scene.record(row));
        use crate::model::records::Text;
        Some(row([
            ("id", record.id().into()),
            ("title", record.title().into()),
            ("blocked_by", first.map(|blocker| blocker.id).into()),
            ("blocked_by_title", by.map(Record::title).into()),
            ("blocked_by_status", by.map(Record::status).into()),
            ("blocked_reason", record.text(Text::BlockedReason).into()),
            ("unblock_note", record.text(Text::UnblockNote).into()),
        ]))
    };
    focus.shown().filter_map(line).take(limit).collect()
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

fn workload(scene: &Scene<'_>, limit: usize) -> Vec<Row> {
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
            ("items", items.into_iter().take(limit).collect::<Vec<_>>().into()),
        ])
    };
    rows.into_iter().take(limit).map(line).collect()
}

fn staleness(scene: &Scene<'_>, plan: &Plan) -> Vec<Row> {
    let age = |record: Record<'_>| record.updated_ms().map_or(0, |at| (scene.now - at) / DAY_MS);
    let mut stale: Vec<(i64, Record<'_>)> = open(scene).map(|(_, record)| (age(record), record)).collect();
    stale.retain(|(days, _)| *days >= plan.stale_days);
    stale.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.id().cmp(b.1.id())));
    let line = |(days, record): (i64, Record<'_>)| {
        row([
            ("id", record.id().into()),
            ("title", record.title().into()),
            ("status", record.status().into()),
            ("updated_at", record.updated_at().into()),
            ("stale_days", days.into()),
        ])
    };
    stale.into_iter().take(plan.limit).map(line).collect()
}

const BRIEF: [&str; 9] =
    ["id", "title", "type", "status", "priority", "created_at", "parent", "assignee", "updated_at"];

fn recently_created(scene: &Scene<'_>, limit: usize) -> Vec<Row> {
    let mut new: Vec<(u32, Record<'_>)> = open(scene).collect();
    new.sort_by_key(|(_, record)| std::cmp::Reverse(record.created_ms()));
    let line = |(at, _): (u32, Record<'_>)| row(BRIEF.map(|field| (field, focus::value(scene, at, field))));
    new.into_iter().take(limit).map(line).collect()
}

fn unparented(scene: &Scene<'_>, limit: usize) -> Vec<Row> {
    let alone = open(scene).filter(|(at, record)| {
        let has_children = ["Epic", "Feature"].iter().any(|kind| record.kind().eq_ignore_ascii_case(kind));
        !has_children && record.parent().is_none() && scene.hierarchy.parents(*at as usize).is_empty()
    });
    let line = |(at, _): (u32, Record<'_>)| row(BRIEF.map(|field| (field, focus::value(scene, at, field))));
    alone.take(limit).map(line).collect()
}

/// The items of open records that have something, read from their files, the most relevant first.
fn items(scene: &Scene<'_>, of: Count) -> Result<Vec<Item>> {
    let having = open(scene).filter(|(_, record)| record.count(of) > 0).take(MOST_READ);
    having.map(|(_, record)| Ok(scene.tracker.read_item(record.path().to_owned())?.item)).collect()
}

fn files(scene: &Scene<'_>, limit: usize) -> Result<Vec<Row>> {
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
    Ok(rows.into_iter().take(limit).map(line).collect())
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

/// What lies ahead: deadlines that are not over, reminders and events of open items.
pub(super) fn agenda(scene: &Scene<'_>, plan: &Plan, focus: &Focus) -> Result<Vec<Row>> {
    let mut entries: Vec<(i64, &str, Record<'_>, Option<String>)> = Vec::new();
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
        for event in agenda::events(item.list("events"), plan.window, plan.limit) {
            entries.push((event.at, "event", record, event.text));
        }
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.2.id().cmp(b.2.id())));
    // The title of what is in focus stands there.
    let title =
        |record: Record<'_>| (!focus.shows(record.number() as u32)).then(|| record.title().to_owned());
    let line = |(at, kind, record, text): (i64, &str, Record<'_>, Option<String>)| {
        row([
            ("at", timestamp::format(at).into()),
            ("kind", kind.into()),
            ("item_id", record.id().into()),
            ("title", text.or_else(|| title(record)).into()),
        ])
    };
    Ok(entries.into_iter().take(plan.agenda).map(line).collect())
}

/// How many entries of each kind are shown.
pub(super) fn agenda_summary(rows: &[Row]) -> Map<String, Value> {
    let count = |kind: &str| rows.iter().filter(|row| row["kind"] == kind).count();
    let mut summary = Map::new();
    summary.insert("events".to_owned(), rows.len().into());
    for (key, kind) in [("deadlines", "deadline"), ("reminders", "reminder"), ("scheduled", "event")] {
        summary.insert(key.to_owned(), count(kind).into());
    }
    summary
}
