//! The only `now()`: the system's clock, or a reproducible one.

use std::cell::Cell;
use std::time::{SystemTime, UNIX_EPOCH};

/// A source of instants, in milliseconds since the Unix epoch.
///
/// `PM_CLOCK` with `PM_SEED` makes it reproducible: the n-th reading is `start + n * tick` (product.md §4).
#[derive(Debug)]
pub enum Clock {
    /// The system's clock.
    System,
    /// Starts at a fixed instant and advances by a fixed step with each reading.
    Fixed {
        /// The first reading.
        start: i64,
        /// The step between readings.
        tick: i64,
        /// How often it was read.
        reads: Cell<i64>,
    },
}

impl Clock {
    /// The present instant.
    pub fn now(&self) -> i64 {
        match self {
            Clock::System => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX)),
            Clock::Fixed { start, tick, reads } => {
                let n = reads.get();
                reads.set(n + 1);
                start.saturating_add(n.saturating_mul(*tick))
            }
        }
    }
}
