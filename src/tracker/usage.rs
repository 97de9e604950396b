//! Which items a working copy was shown, kept for the ranking when the setting `context.usage_feedback` asks for it.

use serde_json::json;

use super::Tracker;
use crate::error::{Code, Error, Result};
use crate::store;

/// Where it is kept, below the tracker root; the reference keeps it there too.
const PATH: &str = "runtime/context-usage.jsonl";

/// The largest file that is kept, in bytes; then the older half goes.
const MAX_BYTES: u64 = 256 * 1024;

impl Tracker {
    /// Whether what ranking reads show is to be kept: the setting `context.usage_feedback`.
    pub fn wants_usage_feedback(&self) -> bool {
        self.settings().flag("context.usage_feedback")
    }

    /// Notes the items that a call of `surface` really showed to `author`, in the order of the page.
    ///
    /// Errors: `write_failed`.
    pub fn note_served(&self, at: &str, surface: &str, author: &str, ids: &[String]) -> Result<()> {
        let rows = ids.iter().enumerate().map(|(n, id)| json!({"id": id, "rank": n + 1, "included": true}));
        let rows: Vec<_> = rows.collect();
        let event = json!({"event": "serve", "ts": at, "surface": surface, "author": author, "rows": rows});
        let failed = |cause| {
            Error::new(Code::WriteFailed, format!("`{PATH}` cannot be written")).at(PATH).because(cause)
        };
        let size = store::append_local(self.root(), PATH, &format!("{event}\n")).map_err(failed)?;
        if size > MAX_BYTES {
            let text = self.read_local(PATH, 2 * size).unwrap_or_default();
            let half = text.len() / 2;
            let end =
                text[half..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| half + at + 1);
            self.write_local(PATH, &text[end..])?;
        }
        Ok(())
    }
}
