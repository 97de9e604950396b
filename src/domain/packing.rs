//! What shown things cost, before they are shown.
//!
//! The pipeline measures what is emitted; a command that must choose beforehand estimates here, never too low by much.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// Bytes of a token.
pub const BYTES_PER_TOKEN: usize = 4;

/// Bytes of a value as a cell of a table.
pub fn cell(value: &Value) -> usize {
    match value {
        Value::Null => 5,
        Value::Bool(_) => 6,
        Value::Number(number) => number.to_string().len() + 1,
        Value::String(text) => {
            let quoted = text.is_empty()
                || text.contains([',', ':', '"', '\\', '[', ']', '{', '}', '\n'])
                || text.starts_with(['-', '#', ' '])
                || text.ends_with(' ');
            text.len() + 1 + if quoted { 2 + text.matches(['"', '\\', '\n']).count() } else { 0 }
        }
        Value::Array(list) => 4 + list.iter().map(cell).sum::<usize>(),
        Value::Object(fields) => record(fields),
    }
}

/// Bytes of an object that stands by itself, one line for each field.
pub fn record(fields: &Map<String, Value>) -> usize {
    fields.iter().map(|(key, value)| key.len() + 4 + cell(value)).sum()
}

/// Bytes of a table's head.
pub fn head(key: &str, columns: &[&str]) -> usize {
    key.len() + 8 + columns.iter().map(|column| column.len() + 1).sum::<usize>()
}

/// Bytes of a row of a table.
pub fn row<'v>(cells: impl Iterator<Item = &'v Value>) -> usize {
    2 + cells.map(cell).sum::<usize>()
}

/// How much of an item is shown, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What names it.
    Identity,
    /// What one needs to choose.
    Summary,
    /// Everything that was asked for.
    Full,
}

/// An item that may be shown.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What showing it is worth.
    pub value: f64,
    /// What it costs by level, in bytes; each at least as much as the one before.
    pub costs: [usize; 3],
    /// Items of one cluster say much the same: the second is worth less.
    pub cluster: u64,
    /// It is shown before everything else.
    pub required: bool,
}

/// What remains of an item's worth when its cluster is shown already.
const REPEATED: f64 = 0.55;

/// Chooses a level and items within a budget of bytes: the highest level at which all fit. When they do not even fit
/// at the lowest, required items come first, then what is worth most for its cost; the others are left out.
///
/// The level is one for all: rows stand in a table, where a cell that is left out costs what a short word does.
pub fn pack(candidates: &[Candidate], budget: usize) -> (Level, Vec<bool>) {
    for level in [Level::Full, Level::Summary, Level::Identity] {
        let cost = candidates.iter().fold(0usize, |sum, c| sum.saturating_add(c.costs[level as usize]));
        if cost <= budget {
            return (level, vec![true; candidates.len()]);
        }
    }
    let cost = |n: usize| candidates[n].costs[Level::Identity as usize];
    let (mut shown, mut left, mut clusters) = (vec![false; candidates.len()], budget, HashSet::new());
    loop {
        let density = |n: &usize| {
            let candidate = &candidates[*n];
            let factor = if clusters.contains(&candidate.cluster) { REPEATED } else { 1.0 };
            candidate.value.max(0.0) * factor / cost(*n).max(1) as f64
        };
        let affordable = (0..candidates.len()).filter(|n| !shown[*n] && cost(*n) <= left);
        // Of equals the first, which is the higher in rank.
        let better = |a: &usize, b: &usize| {
            let required = candidates[*a].required.cmp(&candidates[*b].required);
            required.then(density(a).total_cmp(&density(b))).then(b.cmp(a))
        };
        let Some(best) = affordable.max_by(better) else { break };
        shown[best] = true;
        left -= cost(best);
        clusters.insert(candidates[best].cluster);
    }
    (Level::Identity, shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(value: f64, cluster: u64) -> Candidate {
        Candidate { value, costs: [10, 20, 40], cluster, required: false }
    }

    #[test]
    fn the_level_falls_before_items_do() {
        let candidates: Vec<Candidate> =
            (0..4u32).map(|n| candidate(1.0 - f64::from(n) / 10.0, n.into())).collect();
        for (budget, level, rows) in [
            (160, Level::Full, 4),
            (159, Level::Summary, 4),
            (79, Level::Identity, 4),
            (39, Level::Identity, 3),
            (5, Level::Identity, 0),
        ] {
            let (at, shown) = pack(&candidates, budget);
            assert_eq!((at, shown.iter().filter(|shown| **shown).count()), (level, rows), "{budget}");
            assert!(shown.is_sorted_by(|a, b| a >= b), "{budget}");
        }
    }

    #[test]
    fn what_is_required_comes_first_and_clusters_do_not_crowd_out_others() {
        let mut candidates = vec![candidate(1.0, 1), candidate(0.9, 1), candidate(0.6, 2), candidate(0.1, 3)];
        assert_eq!(pack(&candidates, 20).1, [true, false, true, false]);
        candidates[3].required = true;
        assert_eq!(pack(&candidates, 20).1, [true, false, false, true]);
    }

    #[test]
    fn costs_are_not_estimated_too_low() {
        let fields =
            serde_json::json!({"id": "pm-a1", "title": "a: b, c", "n": 12, "none": null, "list": ["x", "y"]});
        let Value::Object(fields) = fields else { return };
        let toon = "id: pm-a1\ntitle: \"a: b, c\"\nn: 12\nnone: null\nlist[2]: x,y\n";
        assert!(record(&fields) >= toon.len() && record(&fields) <= 2 * toon.len());
        let table = "rows[1]{id,title,n,none}:\n  pm-a1,\"a: b, c\",12,null\n";
        let cells = ["id", "title", "n", "none"].map(|key| &fields[key]);
        let estimate = head("rows", &["id", "title", "n", "none"]) + row(cells.into_iter());
        assert!(estimate >= table.len() && estimate <= 2 * table.len());
    }
}
