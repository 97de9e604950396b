//! Counting items by what they share: one shape for every breakdown (product.md §4).

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::model::records::Record;
use crate::model::status::{Roles, Statuses};

/// How many items of a group are in which station of their life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All.
    pub total: usize,
    /// By station, in the order of [`STATIONS`].
    pub stations: [usize; STATIONS.len()],
}

/// The stations by name; `other` is for a tracker's own statuses that play no known part.
pub const STATIONS: [&str; 7] = ["open", "in_progress", "blocked", "draft", "closed", "canceled", "other"];

impl Tally {
    /// Counts one item.
    pub fn add(&mut self, station: usize) {
        self.total += 1;
        self.stations[station] += 1;
    }

    /// Finished work in percent of all, two decimals; `None` of nothing.
    pub fn completion(&self) -> Option<f64> {
        let over = self.stations[4] + self.stations[5];
        (self.total > 0).then(|| percent(over, self.total, 2))
    }
}

/// The station of a status: by its name where the workflow names it, else by the part it plays.
pub fn station(statuses: &Statuses, status: &str) -> usize {
    let named = [
        statuses.open(),
        statuses.in_progress(),
        statuses.blocked(),
        statuses.draft(),
        statuses.close(),
        statuses.canceled(),
    ];
    if let Some(station) = named.iter().position(|name| *name == status) {
        return station;
    }
    let parts = [
        Roles::default(),
        Roles::default(),
        Roles::BLOCKED,
        Roles::DRAFT,
        Roles::TERMINAL_DONE,
        Roles::TERMINAL_CANCELED,
    ];
    parts.iter().position(|part| statuses.plays(status, *part)).unwrap_or(6)
}

/// Tallies by label, the largest first, then by label.
pub fn by_label<'a>(
    records: impl Iterator<Item = Record<'a>>,
    statuses: &Statuses,
    mut labels: impl FnMut(Record<'a>, &mut dyn FnMut(&str)),
) -> Vec<(String, Tally)> {
    let mut tallies: HashMap<String, Tally, RandomState> = HashMap::default();
    let mut stations: HashMap<&str, usize, RandomState> = HashMap::default();
    for record in records {
        let status = record.status();
        let station = *stations.entry(status).or_insert_with(|| station(statuses, status));
        labels(record, &mut |label| match tallies.get_mut(label) {
            Some(tally) => tally.add(station),
            None => tallies.entry(label.to_owned()).or_default().add(station),
        });
    }
    let mut sorted: Vec<_> = tallies.into_iter().collect();
    sorted.sort_by(|a, b| b.1.total.cmp(&a.1.total).then_with(|| a.0.cmp(&b.0)));
    sorted
}

/// A share in percent with so many decimals; of nothing everything.
pub fn percent(part: usize, whole: usize, decimals: i32) -> f64 {
    if whole == 0 {
        return 100.0;
    }
    let scale = 10f64.powi(decimals);
    (part as f64 * 100.0 / whole as f64 * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::item::Item;
    use crate::model::records::Records;

    #[test]
    fn items_are_counted_under_each_label() {
        let items: Vec<(String, Item)> =
            [("a", "open", "x"), ("b", "closed", "x"), ("c", "review", "y"), ("d", "canceled", "z")]
                .into_iter()
                .map(|(id, status, tag)| {
                    let value = json!({"id": id, "status": status, "tags": [tag, "all"]});
                    (
                        format!("t/{id}.toon"),
                        Item { metadata: value.as_object().unwrap().clone(), body: String::new() },
                    )
                })
                .collect();
        let records = Records::from_items(&items);
        let tallies =
            by_label(records.iter(), &Statuses::default(), |record, count| record.tags().for_each(count));
        let found: Vec<_> = tallies.iter().map(|(label, tally)| (label.as_str(), tally.total)).collect();
        assert_eq!(found, [("all", 4), ("x", 2), ("y", 1), ("z", 1)]);
        assert_eq!(tallies[0].1.stations, [1, 0, 0, 0, 1, 1, 1]);
        assert_eq!(tallies[0].1.completion(), Some(50.0));
        assert_eq!((percent(1, 3, 1), percent(0, 0, 1)), (33.3, 100.0));
    }
}
