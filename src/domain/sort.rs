//! The order of a listing (surfaces.md §4.5; product.md §4: dates newest first, missing values last either way).

use std::cmp::{Ordering, Reverse};

use crate::domain::filter::values;
use crate::error::{Code, Error, Result};
use crate::model::collation;
use crate::model::records::{Record, compare_folded};
use crate::model::status::Statuses;

/// What a listing is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Open before over, priority, last change newest first, id.
    Default,
    /// Priority, 0 first.
    Priority,
    /// Deadline.
    Deadline,
    /// Last change.
    Updated,
    /// Creation.
    Created,
    /// Title, by the root collation.
    Title,
    /// The parent's id.
    Parent,
}

/// The keys by name, then other names for them.
const NAMES: &[(&str, Key)] = &[
    ("priority", Key::Priority),
    ("deadline", Key::Deadline),
    ("updated_at", Key::Updated),
    ("created_at", Key::Created),
    ("title", Key::Title),
    ("parent", Key::Parent),
    ("updated", Key::Updated),
    ("update", Key::Updated),
    ("modified", Key::Updated),
    ("created", Key::Created),
    ("create", Key::Created),
];

/// How many of [`NAMES`] are first names.
const FIRST_NAMES: usize = 6;

impl Key {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        NAMES.iter().find(|(_, key)| *key == self).map_or("default", |(name, _)| name)
    }

    fn is_date(self) -> bool {
        matches!(self, Key::Deadline | Key::Updated | Key::Created)
    }
}

/// A key and a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sorting {
    /// The key.
    pub key: Key,
    /// From large to small, from new to old.
    pub descending: bool,
}

impl Sorting {
    /// The order when nobody asks for one.
    pub const DEFAULT: Sorting = Sorting { key: Key::Default, descending: false };

    /// Reads `--sort` and `--order`. Without an order dates run from new to old, all else from small to large.
    ///
    /// Errors: `invalid_argument_value`; `missing_required_option` for an order of nothing.
    pub fn parse(sort: Option<&str>, order: Option<&str>) -> Result<Sorting> {
        let descending = match order.map(|order| order.trim().to_lowercase()).as_deref() {
            None => None,
            Some("asc") => Some(false),
            Some("desc") => Some(true),
            Some(other) => return Err(values::illegal("--order", other, &["asc", "desc"])),
        };
        let Some(sort) = sort else {
            return match descending {
                None => Ok(Sorting::DEFAULT),
                Some(_) => Err(Error::new(
                    Code::MissingRequiredOption,
                    "`--order` needs `--sort`: say what to order by",
                )
                .at("--order")
                .fact("missing", vec!["--sort"])),
            };
        };
        let typed = sort.trim().to_lowercase().replace('-', "_");
        let key = NAMES.iter().find(|(name, _)| *name == typed).map(|(_, key)| *key).ok_or_else(|| {
            let legal: Vec<&str> = NAMES[..FIRST_NAMES].iter().map(|(name, _)| *name).collect();
            values::illegal("--sort", sort, &legal)
        })?;
        Ok(Sorting { key, descending: descending.unwrap_or(key.is_date()) })
    }

    /// The name of the direction on the wire.
    pub fn direction(self) -> &'static str {
        if self.descending { "desc" } else { "asc" }
    }

    /// Sorts; ties keep the default order, whatever the direction.
    pub fn sort(self, records: &mut [Record<'_>], statuses: &Statuses) {
        records.sort_by_cached_key(|record| Rank::of(*record, statuses));
        match self.key {
            Key::Default => {
                if self.descending {
                    records.reverse();
                }
            }
            Key::Priority => self.by(records, |record| Some(record.priority()), u8::cmp),
            Key::Deadline => self.by(records, Record::deadline_ms, i64::cmp),
            Key::Updated => self.by(records, Record::updated_ms, i64::cmp),
            Key::Created => self.by(records, Record::created_ms, i64::cmp),
            Key::Title => self.by(records, |record| Some(record.title()), |a, b| collation::compare(a, b)),
            Key::Parent => self.by(records, Record::parent, |a, b| collation::compare(a, b)),
        }
    }

    /// Stable, so that ties keep their order; values that are missing come last.
    fn by<'a, T>(
        self,
        records: &mut [Record<'a>],
        value: impl Fn(Record<'a>) -> Option<T>,
        compare: impl Fn(&T, &T) -> Ordering,
    ) {
        records.sort_by(|a, b| match (value(*a), value(*b)) {
            (Some(a), Some(b)) if self.descending => compare(&b, &a),
            (Some(a), Some(b)) => compare(&a, &b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        });
    }
}

/// The default order as one comparable value; a time that cannot be read counts as the oldest.
#[derive(PartialEq, Eq)]
struct Rank<'a> {
    facts: (bool, u8, Reverse<i64>),
    id: &'a str,
}

impl<'a> Rank<'a> {
    fn of(record: Record<'a>, statuses: &Statuses) -> Rank<'a> {
        let updated = record.updated_ms().unwrap_or(i64::MIN);
        Rank {
            facts: (statuses.is_terminal(record.status()), record.priority(), Reverse(updated)),
            id: record.id(),
        }
    }
}

impl Ord for Rank<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.facts.cmp(&other.facts).then_with(|| compare_folded(self.id, other.id))
    }
}

impl PartialOrd for Rank<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::item::Item;
    use crate::model::records::Records;

    fn order(sort: Option<&str>, direction: Option<&str>) -> String {
        let item = |v: &Value| {
            (
                format!("tasks/{}.toon", v["id"]),
                Item { metadata: v.as_object().unwrap().clone(), body: String::new() },
            )
        };
        let records = Records::from_items(&[
            item(
                &json!({"id": "a", "title": "zeta", "status": "closed", "priority": 0, "updated_at": "2026-01-05T00:00:00Z", "deadline": "2026-02-01T00:00:00Z"}),
            ),
            item(
                &json!({"id": "b", "title": "Alpha", "status": "open", "priority": 1, "updated_at": "2026-01-01T00:00:00Z"}),
            ),
            item(
                &json!({"id": "c", "title": "beta", "status": "open", "priority": 1, "updated_at": "2026-01-02T00:00:00Z", "deadline": "2026-03-01T00:00:00Z", "parent": "x"}),
            ),
            item(
                &json!({"id": "d", "title": "beta", "status": "open", "priority": 3, "updated_at": "2026-01-02T00:00:00Z", "parent": "w"}),
            ),
        ]);
        let mut rows: Vec<Record<'_>> = records.iter().collect();
        Sorting::parse(sort, direction).unwrap().sort(&mut rows, &Statuses::default());
        rows.iter().map(|record| record.id()).collect()
    }

    #[test]
    fn each_key_has_its_order_and_missing_values_come_last() {
        assert_eq!(order(None, None), "cbda");
        assert_eq!(order(Some("priority"), None), "acbd");
        assert_eq!(order(Some("priority"), Some("desc")), "dcba");
        assert_eq!(order(Some("deadline"), None), "cabd");
        assert_eq!(order(Some("deadline"), Some("asc")), "acbd");
        assert_eq!(order(Some("Updated"), None), "acdb");
        assert_eq!(order(Some("title"), None), "bcda");
        assert_eq!(order(Some("parent"), Some("desc")), "cdba");
    }

    #[test]
    fn what_cannot_be_sorted_by_is_refused() {
        let error = Sorting::parse(Some("priorty"), None).unwrap_err();
        assert_eq!(error.recovery["allowed_values"][0], "priority");
        assert_eq!(Sorting::parse(None, Some("asc")).unwrap_err().code, Code::MissingRequiredOption);
        assert_eq!(
            Sorting::parse(Some("title"), Some("up")).unwrap_err().surface.as_deref(),
            Some("--order")
        );
    }
}
