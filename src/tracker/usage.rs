//! Which items a working copy was shown, kept for the ranking when the setting `context.usage_feedback` asks for it.

use serde_json::json;

use super::Tracker;
use crate::error::Result;

/// Where it is kept, below the tracker root; the reference keeps it there too.
const PATH: &str = "runtime/context-usage.jsonl";

/// The largest file that is kept, in bytes; the oldest lines go first.
const MAX_BYTES: usize = 256 * 1024;

impl Tracker {
    /// Notes the items that a call of `surface` really showed to `author`, in the order of the page.
    ///
    /// Does nothing unless the setting `context.usage_feedback` is on. Errors: `write_failed`.
    pub fn note_served(&self, at: &str, surface: &str, author: &str, ids: &[String]) -> Result<()> {
        if !self.settings().flag("context.usage_feedback") {
            return Ok(());
        }
        let rows = ids.iter().enumerate().map(|(n, id)| json!({"id": id, "rank": n + 1, "included": true}));
        let rows: Vec<_> = rows.collect();
        let event = json!({"event": "serve", "ts": at, "surface": surface, "author": author, "rows": rows});
        let mut text = self.read_local(PATH, 4 * MAX_BYTES as u64).unwrap_or_default();
        if !text.is_empty() && !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        text.extend(format!("{event}\n").into_bytes());
        let surplus = text.len().saturating_sub(MAX_BYTES);
        if surplus > 0 {
            let end = text[surplus..].iter().position(|byte| *byte == b'\n').map_or(0, |at| surplus + at + 1);
            text.drain(..end);
        }
        self.write_local(PATH, &text)
    }
}
