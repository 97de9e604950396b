//! How often something happened of late: for a server that hands out only so much in a minute.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The window in which is counted, in milliseconds.
const WINDOW: i64 = 60_000;

/// The instants of what happened in the last minute; clones count together.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<VecDeque<i64>>>);

impl Meter {
    /// Counts one more at `now`, unless there were `most` in the minute before it.
    ///
    /// Errors: the seconds, at least one, after which there is room again.
    pub fn admit(&self, now: i64, most: u64) -> Result<(), i64> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while seen.front().is_some_and(|at| now.saturating_sub(*at) >= WINDOW) {
            seen.pop_front();
        }
        if (seen.len() as u64) < most {
            seen.push_back(now);
            return Ok(());
        }
        let oldest = seen.front().copied().unwrap_or(now);
        let left = WINDOW - now.saturating_sub(oldest).clamp(0, WINDOW);
        Err((left + 999).div_euclid(1000).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_holds_so_many_and_the_next_has_room_again() {
        let meter = Meter::default();
        assert_eq!((meter.admit(0, 2), meter.clone().admit(1_500, 2)), (Ok(()), Ok(())));
        assert_eq!(meter.admit(10_500, 2), Err(50));
        assert_eq!(meter.admit(60_000, 2), Ok(()));
        assert_eq!(meter.admit(60_001, 2), Err(2));
        assert_eq!(meter.admit(60_001, 0), Err(2));
        assert_eq!(Meter::default().admit(5, 0), Err(60));
    }
}
