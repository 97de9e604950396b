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
