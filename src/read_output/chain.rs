//! How a page goes on: the cursor of each collection that was cut, and the chain of all that are left.
//!
//! Every collection can be continued by itself, whatever becomes of the others. The cursor that a page names as the
//! next one does more: it continues the first of them and knows the rest, so that whoever only follows it is told
//! every row once, one collection after the other. The nested lists that a page cut come first, then the tables: what
//! a walk has yet to tell of a page never grows by more than that page.

use serde_json::{Value, json};

use super::cursor::{Cursor, Inside};
use super::cut::Cut;
use super::frame::Turn;
use super::run::Run;
use super::{fingerprint, page};
use crate::error::Result;

/// A collection that goes on after this page.
pub(super) struct Continuation {
    pub(super) path: String,
    pub(super) cursor: String,
    retained: usize,
    remaining: usize,
    total: usize,
}

impl Continuation {
    /// As it stands in a receipt.
    pub(super) fn value(&self) -> Value {
        json!({
            "path": self.path, "cursor": self.cursor, "retained_rows": self.retained,
            "remaining_rows": self.remaining, "total_rows": self.total,
        })
    }
}

/// A table by its number, and how many of its rows have been served.
type Step = (usize, usize);

/// What comes after a page.
struct Chain {
    /// The nested list at which the next page begins, where it is one.
    nested: Option<usize>,
    tables: Vec<Step>,
}

/// Where a cursor goes on: a collection, and a place in it.
struct Place {
    path: String,
    base: usize,
    total: usize,
    offset: usize,
    window: bool,
    fingerprint: String,
    inside: Option<Inside>,
}

impl Run<'_, '_> {
    /// What is left after this page, in the order in which it is told: nested lists that the budget cut, tables that it
    /// cut, other tables, those that an earlier page left.
    fn chain(&self, cut: &Cut) -> Chain {
        let more = self.more();
        let (is_cut, is_other) = (|n: &&usize| cut.has_table(**n), |n: &&usize| !cut.has_table(**n));
        let own = more.iter().filter(is_cut).chain(more.iter().filter(is_other));
        let served = |table: &usize| self.frame.tables[*table].served(self.frame.doc.lists[*table].shown);
        let tables = own.map(|table| (*table, served(table))).chain(self.frame.later.iter().copied());
        Chain { nested: self.unfinished().map(|(first, _)| first), tables: tables.collect() }
    }

    /// The cursor that goes on with all that is left; none when nothing is.
    pub(super) fn chain_cursor(&self, cut: &Cut) -> Result<Option<String>> {
        let chain = self.chain(cut);
        match (chain.nested, chain.tables.split_first()) {
            (Some(nested), _) => self.cursor_at(self.place_in(nested, true)?, &chain.tables).map(Some),
            (None, Some((step, later))) => self.table_cursor(*step, later),
            (None, None) => Ok(None),
        }
    }

    /// How a table goes on, when it does.
    pub(super) fn continuation(&self, number: usize, cut: &Cut) -> Result<Option<Continuation>> {
        let table = &self.frame.tables[number];
        let shown = self.frame.doc.lists[number].shown;
        let served = table.served(shown);
        if table.group.is_some() || served >= table.rows.total {
            return Ok(None);
        }
        let chain = self.chain(cut);
        // Of the first that is left it is that of the page.
        let is_next = chain.nested.is_none() && chain.tables.first() == Some(&(number, served));
        let cursor =
            if is_next { self.chain_cursor(cut)? } else { self.table_cursor((number, served), &[])? };
        let Some(cursor) = cursor else { return Ok(None) };
        let after = table.start + shown;
        let (remaining, total) = if after < table.len {
            (table.len - after, table.len)
        } else {
            (table.rows.total - table.base - after, table.rows.total)
        };
        Ok(Some(Continuation { path: table.path.clone(), cursor, retained: shown, remaining, total }))
    }

    /// How the nested lists go on that the budget cut.
    pub(super) fn nested_continuations(&self, cut: &Cut) -> Result<Vec<Continuation>> {
        let first = self.unfinished().map(|(first, _)| first);
        let mut found = Vec::new();
        for n in cut.nested() {
            let mut own = self.nested_continuation(n)?;
            if let (true, Some(cursor)) = (Some(n) == first, self.chain_cursor(cut)?) {
                own.cursor = cursor;
            }
            found.push(own);
            if cut.is_counted() {
                // The others are counted by themselves.
                break;
            }
        }
        Ok(found)
    }

    /// How a nested list goes on by itself.
    pub(super) fn nested_continuation(&self, n: usize) -> Result<Continuation> {
        let nested = &self.nested[n];
        let told = self.told_of(nested);
        let list = nested.at.map(|(_, list)| &self.frame.doc.lists[list]);
        Ok(Continuation {
            path: list.map(|list| list.path.clone()).unwrap_or_default(),
            cursor: self.cursor_at(self.place_in(n, false)?, &[])?,
            retained: told - nested.piece.start,
            remaining: nested.piece.total - told,
            total: nested.piece.total,
        })
    }

    /// How a page goes on that ends between two nested lists: its rows are the lists.
    pub(super) fn group_continuation(&self, number: usize, cut: &Cut) -> Result<Option<Continuation>> {
        let table = &self.frame.tables[number];
        let Some(group) = table.group.as_ref().filter(|_| cut.nested().next().is_none()) else {
            return Ok(None);
        };
        let retained = self.frame.doc.lists[number].shown;
        let (remaining, total) = (group.len() - retained, group.len());
        let cursor = self.chain_cursor(cut)?;
        Ok(cursor.map(|cursor| Continuation { path: table.path.clone(), cursor, retained, remaining, total }))
    }

    fn table_cursor(&self, step: Step, later: &[Step]) -> Result<Option<String>> {
        let table = &self.frame.tables[step.0];
        if let Some(cursor) = table.rows.cursors.as_ref().filter(|_| step.1 < table.rows.total) {
            // The command goes on by itself.
            return Ok(step.1.checked_sub(1).map(|last| cursor(table.place(last))));
        }
        let place = self.place(step)?;
        place.map(|place| self.cursor_at(place, later)).transpose()
    }

    fn cursor_at(&self, place: Place, later: &[Step]) -> Result<String> {
        let mut parts = vec![place.fingerprint];
        for step in later {
            parts.push(self.whole_fingerprint(step.0)?.to_owned());
        }
        let cursor = Cursor::Rows {
            surface: self.surface.surface.to_owned(),
            path: place.path,
            offset: place.offset,
            total: place.total,
            fingerprint: fingerprint::of_all(&parts),
            base: place.base,
            window: place.window,
            inside: place.inside,
            later: later.to_vec(),
            asked: self.controls.want.asked,
        };
        Ok(cursor.encode())
    }

    /// Where a nested list goes on, alone or with those behind it.
    fn place_in(&self, n: usize, with_others: bool) -> Result<Place> {
        let nested = &self.nested[n];
        let others = self.unfinished().map(|(_, others)| others).filter(|_| with_others);
        let runs = others.map(|others| self.runs(others)).unwrap_or_default();
        Ok(Place {
            path: self.frame.tables[nested.table].path.clone(),
            base: 0,
            total: nested.piece.total,
            offset: self.told_of(nested),
            window: false,
            fingerprint: self.whole_fingerprint(nested.table)?.to_owned(),
            inside: Some(Inside { row: nested.piece.row, list: nested.piece.list, runs }),
        })
    }

    /// Where a collection goes on: within itself, else in the one behind it.
    fn place(&self, (number, served): Step) -> Result<Option<Place>> {
        let table = &self.frame.tables[number];
        let after = served.saturating_sub(table.base);
        let (base, total, offset, fingerprint) = if after < table.len {
            (table.base, table.len, after, self.fingerprint(number)?)
        } else if let Some((base, len)) = table.behind() {
            (base, len, 0, self.fingerprint_behind(number, base, len)?)
        } else {
            return Ok(None);
        };
        Ok(Some(Place {
            path: table.path.clone(),
            base,
            total,
            offset,
            window: base + total < table.rows.total,
            fingerprint: fingerprint.to_owned(),
            inside: None,
        }))
    }

    /// The cursor after the last item of a page of items. It knows of no other collection, so that there must be none
    /// that goes on.
    pub(super) fn item_cursor(&self, more: &[usize]) -> Result<Option<String>> {
        let Some(number) = self.frame.counted.filter(|counted| more.iter().all(|n| n == counted)) else {
            return Ok(None);
        };
        let table = &self.frame.tables[number];
        let shown = self.frame.doc.lists[number].shown;
        if let Some(cursor) = &table.rows.cursors {
            let goes_on = table.rows.endless || table.served(shown) < table.rows.total;
            let shown = if goes_on { shown } else { 0 };
            return Ok(shown.checked_sub(1).map(|last| cursor(table.position(last))));
        }
        if !self.frame.later.is_empty() {
            return Ok(None);
        }
        // What `--output-limit` cut is continued like what a budget cut: only while it is the same collection.
        if self.controls.limit.is_some() && table.is_bounded() {
            return Ok(None);
        }
        let paged = table.limited || self.controls.item_cursor.is_some();
        let index = table.served(shown);
        if !paged || index >= table.rows.total || table.start > 0 && !table.limited {
            return Ok(None);
        }
        // A page without a row goes on where it stands: after the row before it, or at the beginning.
        if shown == 0 && (table.page > 0 || table.start > 0) {
            return Ok(None);
        }
        let (last, served) = self.served_so_far.borrow_mut().of(table, index)?;
        let snapshot = match &self.controls.item_cursor {
            Some(Cursor::Item { snapshot, .. }) => snapshot.clone(),
            _ => None,
        };
        let cursor = Cursor::Item {
            fingerprint: page::of_page(&self.question, &served),
            after_id: last,
            after_index: index.saturating_sub(1),
            snapshot,
        };
        Ok(Some(cursor.encode()))
    }

    /// The tables of which there is more after this page.
    pub(super) fn more(&self) -> Vec<usize> {
        let tables = self.frame.tables.iter().enumerate();
        let goes_on = tables.filter(|(n, table)| {
            // A table that was asked for no rows at all is not asked for the next ones, unless it is what is paged.
            let asked = table.page > 0 || self.frame.counted == Some(*n) && table.rows.cursors.is_none();
            asked
                && table.turn == Turn::Here
                && table.served(self.frame.doc.lists[*n].shown) < table.rows.total
        });
        goes_on.map(|(n, _)| n).collect()
    }
}
