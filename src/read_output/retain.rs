//! What compaction keeps first: verdicts that block stand before those that pass, so that a cut answer still says
//! why (seed 001, verdict_priority).

use serde_json::Value;

use super::frame::Frame;
use super::tree::Tree;
use crate::answer::Rows;
use crate::contract::{Keep, ReadOutput};
use crate::error::Result;

/// Orders the rows of a surface that retains by verdict; the order within a class stays.
pub(super) fn order(frame: &mut Frame<'_>, surface: &ReadOutput) -> Result<()> {
    if surface.keep != Keep::VerdictPriority {
        return Ok(());
    }
    for table in frame.tables.iter_mut().filter(|table| table.primary) {
        let mut rows = (0..table.rows.total).map(|n| table.rows.get(n)).collect::<Result<Vec<Value>>>()?;
        rows.sort_by_key(class);
        table.least = rows.iter().filter(|row| class(row) < PASS).count().max(1);
        let columns = table.rows.columns.take();
        let ordered = Rows::values(rows).limited(table.rows.limit);
        table.rows = match columns {
            Some(columns) => ordered.columns(columns),
            None => ordered,
        };
    }
    if !frame.tables.is_empty() {
        let policy = Tree::Value(Value::from("verdict_priority"));
        frame.echoes.push("budget_retention_policy".to_owned());
        frame.doc.root.push(("budget_retention_policy".to_owned(), policy));
    }
    Ok(())
}

const PASS: u8 = 4;

/// Failing block, warn, observe; retired; passing.
fn class(row: &Value) -> u8 {
    let text = |keys: &[&str]| keys.iter().find_map(|key| row.get(key)?.as_str()).unwrap_or_default();
    match (text(&["verdict", "status"]), text(&["severity", "enforcement", "level", "mode"])) {
        ("pass" | "passed" | "ok", _) => PASS,
        ("retired", _) => 3,
        (_, "observe") => 2,
        (_, "warn") => 1,
        _ => 0,
    }
}
