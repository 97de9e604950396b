//! How much an item matters to somebody who wants to know where things stand (surfaces.md §9).
//!
//! Ten signals of 0 to 1 with fixed weights. Every signal counts for every item, so that what is not known of one
//! item is worth 0 there and nothing is divided by a sum of its own; no signal depends on what was read before.

use crate::clock::due::Due;
use crate::domain::rank::{Ground, Held, Order};
use crate::model::records::{Count, Record};

const DAY_MS: f64 = 86_400_000.0;

/// The signals by name, with their weights.
pub const SIGNALS: [(&str, f64); 10] = [
    ("structural", 0.40),
    ("recency", 0.35),
    ("activity_density", 0.25),
    ("graph_proximity", 0.15),
    ("claim_focus", 0.60),
    ("priority_pressure", 0.35),
    ("risk_pressure", 0.20),
    ("deadline_pressure", 0.45),
    ("knowledge_density", 0.25),
    ("author_affinity", 0.20),
];

/// An item with what its place is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Relevant {
    /// Its row.
    pub row: u32,
    /// 0 to 1.
    pub score: f64,
    /// Value times weight over the sum of all weights, by signal; they add up to the score.
    pub contributions: [f64; SIGNALS.len()],
}

impl Relevant {
    /// Whether the item is in the caller's hands, or somebody works on it.
    pub fn is_claimed(&self) -> bool {
        self.contributions[4] > 0.0
    }
}

/// The items of these rows, most relevant first; equal ones in structural order.
pub fn rank(ground: &Ground<'_>, mut rows: Vec<u32>) -> Vec<Relevant> {
    let order = Order { ground };
    rows.sort_by_cached_key(|row| order.place(*row));
    let mut by_change: Vec<usize> = (0..rows.len()).collect();
    let changed = |n: &usize| record(ground, rows[*n]).and_then(Record::updated_ms);
    by_change.sort_by_cached_key(|n| std::cmp::Reverse(changed(n)));
    let mut recency = vec![0.0; rows.len()];
    let last = rows.len().saturating_sub(1).max(1) as f64;
    for (place, n) in by_change.into_iter().enumerate() {
        recency[n] = 1.0 - place as f64 / last;
    }
    let records: Vec<Option<Record<'_>>> = rows.iter().map(|row| record(ground, *row)).collect();
    let talk = |record: &Option<Record<'_>>| {
        let of = |counts: &[Count]| record.map_or(0, |r| counts.iter().map(|c| r.count(*c)).sum::<usize>());
        (
            of(&[Count::Comments, Count::Notes, Count::Learnings, Count::TestRuns]),
            of(&[Count::Comments, Count::Notes, Count::Learnings]),
        )
    };
    let talks: Vec<(usize, usize)> = records.iter().map(talk).collect();
    let most_talk = talks.iter().map(|talk| talk.0).max().unwrap_or(0).max(1) as f64;
    let degrees = degrees(ground, &rows);
    let most_degrees = degrees.iter().copied().max().unwrap_or(0).max(1) as f64;
    let total: f64 = SIGNALS.iter().map(|(_, weight)| weight).sum();
    let mut ranked: Vec<Relevant> = Vec::with_capacity(rows.len());
    for (n, row) in rows.iter().enumerate() {
        let Some(record) = records[n] else { continue };
        let held = ground.caller.holds(record, ground.now);
        let values = [
            1.0 - n as f64 / last,
            recency[n],
            talks[n].0 as f64 / most_talk,
            f64::from(degrees[n]) / most_degrees,
            claim_focus(ground, record, held),
            1.0 - f64::from(record.priority().min(4)) / 4.0,
            risk_pressure(record),
            deadline_pressure(ground, record),
            (talks[n].1 as f64 / 5.0).min(1.0),
            if held == Held::Mine { 1.0 } else { 0.0 },
        ];
        let mut contributions = values;
        contributions.iter_mut().zip(SIGNALS).for_each(|(value, (_, weight))| *value *= weight / total);
        ranked.push(Relevant { row: *row, score: contributions.iter().sum(), contributions });
    }
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    ranked
}

fn record<'a>(ground: &Ground<'a>, row: u32) -> Option<Record<'a>> {
    ground.records.get(row as usize)
}

fn claim_focus(ground: &Ground<'_>, record: Record<'_>, held: Held) -> f64 {
    if record.status() == ground.statuses.in_progress() {
        1.0
    } else if held == Held::Mine {
        0.75
    } else {
        0.0
    }
}

fn risk_pressure(record: Record<'_>) -> f64 {
    match record.risk() {
        Some("high" | "critical") => 1.0,
        Some("medium") => 0.5,
        Some("low") => 0.1,
        _ => 0.0,
    }
}

fn deadline_pressure(ground: &Ground<'_>, record: Record<'_>) -> f64 {
    let Some(due) = record.deadline_ms() else { return 0.0 };
    let left = Due::at(due).ends(ground.zone) - ground.now;
    if left <= 0 { 1.0 } else { 1.0 / (1.0 + left as f64 / DAY_MS / 30.0) }
}

/// How many relations each row has with the others, its parent included.
fn degrees(ground: &Ground<'_>, rows: &[u32]) -> Vec<u32> {
    let mut degree = vec![0u32; ground.records.len()];
    let mut among = vec![false; ground.records.len()];
    rows.iter().for_each(|row| among[*row as usize] = true);
    for row in rows {
        let Some(record) = record(ground, *row) else { continue };
        let targets = record.linked(|_| true).chain(record.parent());
        for target in targets.filter_map(|id| ground.rows.find(id)) {
            degree[*row as usize] += 1;
            if among[target as usize] {
                degree[target as usize] += 1;
            }
        }
    }
    rows.iter().map(|row| degree[*row as usize]).collect()
}
