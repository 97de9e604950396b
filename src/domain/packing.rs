//! What shown things cost, before they are shown.
//!
//! The pipeline measures what is emitted; a command that must choose beforehand estimates here, never too low by much.

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

impl Level {
    /// All of them, least first.
    pub const ALL: [Level; 3] = [Level::Identity, Level::Summary, Level::Full];

    /// The name of the level.
    pub fn name(self) -> &'static str {
        match self {
            Level::Identity => "identity",
            Level::Summary => "summary",
            Level::Full => "full",
        }
    }

    /// Whether a field is shown at this level, when it is asked for.
    pub fn has(self, field: &str) -> bool {
        match self {
            Level::Identity => ["id", "title"].contains(&field),
            Level::Summary => ["id", "title", "type", "status", "priority"].contains(&field),
            Level::Full => true,
        }
    }
}

/// The level, and how many of the first rows, that a budget of bytes holds: the highest level at which all of them
/// fit, else the lowest and as many as fit. `costs` are the bytes of each row by level, least first.
///
/// The level is one for all: rows stand in a table, where a cell that is left out costs what a short word does.
pub fn pack(costs: &[[usize; 3]], budget: usize) -> (Level, usize) {
    for level in Level::ALL.into_iter().rev() {
        let cost = costs.iter().fold(0usize, |sum, cost| sum.saturating_add(cost[level as usize]));
        if cost <= budget {
            return (level, costs.len());
        }
    }
    let mut left = budget;
    let fits = |cost: &&[usize; 3]| {
        let rest = left.checked_sub(cost[Level::Identity as usize]);
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    (Level::Identity, costs.iter().take_while(fits).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_falls_before_rows_do() {
        let costs = [[10, 20, 40]; 4];
        for (budget, level, rows) in [
            (160, Level::Full, 4),
            (159, Level::Summary, 4),
            (79, Level::Identity, 4),
            (39, Level::Identity, 3),
            (5, Level::Identity, 0),
        ] {
            assert_eq!(pack(&costs, budget), (level, rows), "{budget}");
        }
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
