//! What a budget took from a page, as the receipts tell it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::frame::is_shortened;
use super::ledger::Sum;
use super::run::Run;

/// What a budget took from a page.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// Whether each table was cut, by its number.
    tables: Vec<bool>,
    /// The nested lists that were cut and that a cursor continues, by their numbers.
    nested: Vec<usize>,
    /// How many lists were cut.
    count: i64,
    paths: Paths,
    /// Long strings were cut.
    pub(super) strings: bool,
}

/// The lists that were cut, by name.
#[derive(Debug)]
enum Paths {
    All(BTreeSet<String>),
    /// One stands for all, and one continuation for all of nested lists: what the others cost is added to the measure.
    Counted,
}

impl Default for Paths {
    fn default() -> Paths {
        Paths::All(BTreeSet::new())
    }
}

/// The path that stands for all.
pub(super) const ONE: &str = "x";

impl Cut {
    /// Whether anything was cut.
    pub(super) fn any(&self) -> bool {
        self.count > 0
    }

    /// Whether a table was cut.
    pub(super) fn has_table(&self, number: usize) -> bool {
        self.tables.get(number).copied().unwrap_or_default()
    }

    /// The nested lists that were cut and go on, by their numbers.
    pub(super) fn nested(&self) -> impl Iterator<Item = usize> {
        self.nested.iter().copied()
    }

    /// Whether a list was cut that is neither a table nor goes on.
    pub(super) fn inside(&self) -> bool {
        let known = self.tables.iter().filter(|cut| **cut).count() + self.nested.len();
        usize::try_from(self.count).is_ok_and(|count| count > known)
    }

    /// Whether the lists are counted, not named.
    pub(super) fn is_counted(&self) -> bool {
        matches!(self.paths, Paths::Counted)
    }

    /// The paths of all that were cut.
    pub(super) fn paths(&self) -> Value {
        match &self.paths {
            Paths::All(paths) => json!(paths),
            Paths::Counted => json!([ONE]),
        }
    }
}

impl Run<'_, '_> {
    /// What the budget took from the page, every list by name.
    pub(super) fn cut_as_told(&self) -> Cut {
        let mut paths = BTreeSet::new();
        if self.compacting {
            self.frame.each_shown(&mut |list| {
                if self.is_short(list) {
                    paths.insert(self.frame.doc.lists[list].path.clone());
                }
            });
        }
        let count = i64::try_from(paths.len()).unwrap_or(i64::MAX);
        let strings = self.making.shorten && self.frame.any_string(&|text| is_shortened(text));
        self.cut(count, Paths::All(paths), strings)
    }

    /// The same, where the lists are counted already.
    pub(super) fn cut_as_counted(&self, sum: Sum) -> Cut {
        self.cut(sum.cut, Paths::Counted, self.making.shorten && sum.shortened > 0)
    }

    fn cut(&self, count: i64, paths: Paths, strings: bool) -> Cut {
        let is_cut = |list: usize| self.compacting && self.is_short(list);
        let nested =
            self.nested.iter().enumerate().filter(|(_, nested)| {
                self.is_shown(nested) && nested.at.is_some_and(|(_, list)| is_cut(list))
            });
        Cut {
            tables: (0..self.frame.tables.len()).map(is_cut).collect(),
            nested: nested.map(|(n, _)| n).collect(),
            count,
            paths,
            strings,
        }
    }
}
