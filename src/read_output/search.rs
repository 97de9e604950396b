//! The search for the longest prefix that fits.

/// Finds the largest count that fits a ceiling, in few measures.
///
/// Costs grow with the count, nearly in proportion, so the next count to try is where a straight line meets the
/// ceiling; every third try halves the range, which bounds their number. No try goes beyond eight times what is known
/// to fit: rows are made for each.
pub(super) struct Search {
    ceiling: u64,
    /// The largest count known to fit, and its cost; the one before, as long as nothing is known above.
    pub(super) good: (usize, u64),
    before: (usize, u64),
    /// The smallest count known not to fit, and its cost where it was measured.
    bad: (usize, Option<u64>),
    tries: u32,
}

impl Search {
    /// Between a count that fits and one more than the most.
    pub(super) fn new(ceiling: u64, fits: (usize, u64), most: usize) -> Search {
        Search { ceiling, good: fits, before: (0, 0), bad: (most + 1, None), tries: 0 }
    }

    /// The next count to measure; none when the largest is known.
    pub(super) fn next(&mut self) -> Option<usize> {
        let (good, cost) = self.good;
        let (bad, _) = self.bad;
        if bad - good <= 1 {
            return None;
        }
        self.tries += 1;
        let halved = good + (bad - good) / 2;
        let guess = match self.bad.1 {
            Some(_) if self.tries.is_multiple_of(3) => halved,
            // Where nothing is known above, half of the range may be far beyond what fits.
            None if self.tries.is_multiple_of(3) => good.saturating_mul(2).saturating_add(8),
            Some(too_much) if too_much > cost => {
                let room = u128::from(self.ceiling - cost) * (bad - good) as u128;
                good + usize::try_from(room / u128::from(too_much - cost)).unwrap_or(0)
            }
            Some(_) => halved,
            None => {
                let more = (good - self.before.0).max(1) as u64;
                let each = cost.saturating_sub(self.before.1).max(1).div_ceil(more);
                good.saturating_add(usize::try_from((self.ceiling - cost) / each).unwrap_or(usize::MAX))
            }
        };
        Some(guess.clamp(good + 1, (bad - 1).min(good.saturating_mul(8).saturating_add(8))))
    }

    /// Takes the cost of a count.
    pub(super) fn measured(&mut self, count: usize, cost: u64) {
        if cost <= self.ceiling {
            self.before = std::mem::replace(&mut self.good, (count, cost));
        } else {
            self.bad = (count, Some(cost));
        }
    }
}
