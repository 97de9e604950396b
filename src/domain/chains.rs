//! Chains of open work: how long they are, and how much hangs on one item.

use crate::domain::blockers::Blockers;

/// The longest chains of waiting items that are not over; only what waits or is waited for is on one.
#[derive(Debug)]
pub struct Chains {
    /// How many steps must be done before a row's item can be.
    before: Vec<u32>,
    /// How many steps follow it on the longest chain.
    after: Vec<u32>,
    longest: u32,
}

impl Chains {
    /// Measures all chains. Items on a cycle, and what waits for them, are on no chain: they have no order.
    pub fn new(blockers: &Blockers<'_>, rows: usize) -> Chains {
        let mut missing = vec![0u32; rows];
        let mut order: Vec<u32> = Vec::new();
        for row in 0..rows {
            for waiter in blockers.waiters(row) {
                missing[*waiter as usize] += 1;
            }
        }
        let is_start = |row: &u32| missing[*row as usize] == 0 && !blockers.waiters(*row as usize).is_empty();
        order.extend((0..rows as u32).filter(is_start));
        let (mut before, mut after) = (vec![0u32; rows], vec![0u32; rows]);
        let mut done = 0;
        while let Some(&row) = order.get(done) {
            done += 1;
            for waiter in blockers.waiters(row as usize) {
                let waiter = *waiter as usize;
                before[waiter] = before[waiter].max(before[row as usize] + 1);
                missing[waiter] -= 1;
                if missing[waiter] == 0 {
                    order.push(waiter as u32);
                }
            }
        }
        for &row in order.iter().rev() {
            let waiters = blockers.waiters(row as usize).iter();
            let longest =
                waiters.filter(|w| missing[**w as usize] == 0).map(|w| after[*w as usize] + 1).max();
            after[row as usize] = longest.unwrap_or(0);
        }
        for row in 0..rows {
            if missing[row] > 0 {
                before[row] = 0;
            }
        }
        let longest = order.iter().map(|row| before[*row as usize] + after[*row as usize]).max().unwrap_or(0);
        Chains { before, after, longest }
    }

    /// The steps of the longest chain of all; 0 when nothing waits for anything.
    pub fn longest(&self) -> u32 {
        self.longest
    }

    /// The steps of the longest chain through this row.
    pub fn through(&self, row: usize) -> u32 {
        self.before[row] + self.after[row]
    }

    /// How many steps the longest chain through this row is shorter than the longest of all.
    pub fn slack(&self, row: usize) -> u32 {
        self.longest - self.through(row)
    }
}

/// More than this many are not counted: a rank does not need them.
pub const FAN_OUT_MOST: usize = 1000;

/// Counts what hangs on items; keeps its memory between calls.
#[derive(Debug)]
pub struct FanOut {
    seen: Vec<u32>,
    turn: u32,
    queue: Vec<u32>,
}

impl FanOut {
    /// For so many rows.
    pub fn new(rows: usize) -> FanOut {
        FanOut { seen: vec![0; rows], turn: 0, queue: Vec::new() }
    }

    /// How many items that are not over wait for this one, directly or through others; at most [`FAN_OUT_MOST`].
    pub fn of(&mut self, row: u32, blockers: &Blockers<'_>) -> usize {
        if blockers.waiters(row as usize).is_empty() {
            return 0;
        }
        self.turn += 1;
        self.queue.clear();
        self.queue.push(row);
        self.seen[row as usize] = self.turn;
        let mut next = 0;
        while let Some(&row) = self.queue.get(next) {
            next += 1;
            for waiter in blockers.waiters(row as usize) {
                if self.seen[*waiter as usize] != self.turn && self.queue.len() <= FAN_OUT_MOST {
                    self.seen[*waiter as usize] = self.turn;
                    self.queue.push(*waiter);
                }
            }
        }
        self.queue.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::rows::Rows;
    use crate::model::item::Item;
    use crate::model::records::Records;
    use crate::model::status::Statuses;

    #[test]
    fn chains_and_what_hangs_on_items() {
        // a <- b <- c, a <- d; e and f wait for each other, g for both; h is alone.
        let waits =
            [("a", ""), ("b", "a"), ("c", "b"), ("d", "a"), ("e", "f"), ("f", "e"), ("g", "e"), ("h", "")];
        let items: Vec<(String, Item)> = waits
            .iter()
            .map(|(id, by)| {
                let metadata = json!({"id": id, "status": "open", "blocked_by": by});
                (
                    format!("tasks/{id}.toon"),
                    Item { metadata: metadata.as_object().unwrap().clone(), body: String::new() },
                )
            })
            .collect();
        let records = Records::from_items(&items);
        let rows = Rows::new(&records);
        let blockers = Blockers::new(&records, &rows, &Statuses::default());
        let chains = Chains::new(&blockers, records.len());
        assert_eq!(chains.longest(), 2);
        let through: Vec<u32> = (0..8).map(|row| chains.through(row)).collect();
        assert_eq!(through, [2, 2, 2, 1, 0, 0, 0, 0]);
        assert_eq!(chains.slack(3), 1);
        let mut fan_out = FanOut::new(records.len());
        let counts: Vec<usize> = (0..8).map(|row| fan_out.of(row, &blockers)).collect();
        assert_eq!(counts, [3, 1, 0, 0, 2, 2, 0, 0]);
    }
}
