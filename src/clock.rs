//! The only `now()`: the system's clock, or a reproducible one.

pub mod due;
mod meter;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

pub use meter::Meter;

/// A source of instants, in milliseconds since the Unix epoch.
///
/// `PM_CLOCK` with `PM_SEED` makes it reproducible: the n-th reading is `start + n * tick` (product.md §4).
///
/// A clone goes on where the original stands: they share the count of readings.
#[derive(Clone, Debug)]
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
        reads: Arc<AtomicI64>,
    },
}

impl Clock {
    /// A reproducible clock.
    pub fn fixed(start: i64, tick: i64) -> Clock {
        Clock::Fixed { start, tick, reads: Arc::default() }
    }

    /// The present instant.
    pub fn now(&self) -> i64 {
        match self {
            Clock::System => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX)),
            Clock::Fixed { start, tick, reads } => {
                let n = reads.fetch_add(1, Ordering::Relaxed);
                start.saturating_add(n.saturating_mul(*tick))
            }
        }
    }
}
