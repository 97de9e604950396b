//! Collecting what may go.

use super::Tracker;
use crate::store::garbage::{self, Collected, Request, Scope};

/// A day in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

impl Tracker {
    /// Removes caches, what dead processes left, and records older than `checkpoints.retention_days`; a dry run removes
    /// nothing. `own_index`: the index of this program goes too.
    pub fn collect_garbage(&self, scopes: &[Scope], own_index: bool, dry_run: bool) -> Collected {
        let days = i64::try_from(self.settings().number("checkpoints.retention_days", 14)).unwrap_or(14);
        let oldest = self.clock().now().saturating_sub(days.saturating_mul(DAY));
        let terms = self.lock_terms("gc", false);
        garbage::collect(self.root(), &Request { scopes, own_index, oldest, terms, dry_run })
    }
}
