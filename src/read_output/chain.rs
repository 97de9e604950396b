//! How a page goes on: the cursor of each collection that was cut, and the chain of all that are left.
//!
//! Every collection can be continued by itself, whatever becomes of the others. The cursor that a page names as the
//! next one does more: it continues the first of them and knows the rest, so that whoever only follows it is told
//! every row once, one collection after the other.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::cursor::Cursor;
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

/// A collection by its number, nested ones after the tables, and how many of its rows have been served.
type Step = (usize, usize);

/// Where a cursor goes on: a collection, and a place in it.
struct Place {
    path: String,
    base: usize,
    total: usize,
    offset: usize,
    window: bool,
    fingerprint: String,
}

impl Run<'_, '_> {
    /// What is left after this page, in the order in which it is told: tables that the budget cut, other tables, those
    /// that an earlier page left; nested lists where no table goes on.
    fn chain(&self, cut: &BTreeSet<String>) -> Vec<Step> {
        let is_cut = |table: &usize| cut.contains(&self.frame.tables[*table].path);
        let more = self.more();
        let own = more.iter().filter(|table| is_cut(table)).chain(more.iter().filter(|table| !is_cut(table)));
        let served = |table: &usize| self.frame.tables[*table].served(self.frame.doc.lists[*table].shown);
        let mut chain: Vec<Step> = own.map(|table| (*table, served(table))).collect();
        let tables = self.frame.tables.len();
        if !chain.is_empty() || self.frame.later.iter().any(|(number, _)| *number < tables) {
            chain.extend(&self.frame.later);
            return chain;
        }
        let nested = self.nested.iter().enumerate().filter(|(_, nested)| cut.contains(&nested.path));
        chain.extend(nested.map(|(n, nested)| {
            let shown = self.frame.doc.lists[nested.list].shown;
            (tables + n, nested.start + shown)
        }));
        chain.extend(&self.frame.later);
        if !self.is_numbered() {
            // The numbers of nested lists are those of a page that begins at the first row.
            chain.truncate(1);
        }
        chain
    }

    /// Whether every row with nested lists is on this page, or was when they were counted.
    fn is_numbered(&self) -> bool {
        self.frame.tables.iter().all(|table| table.turn != Turn::Here || table.base + table.start == 0)
    }

    /// The cursor that goes on with all that is left; none when nothing is.
    pub(super) fn chain_cursor(&self, cut: &BTreeSet<String>) -> Result<Option<String>> {
        match self.chain(cut).split_first() {
            None => Ok(None),
            Some((step, later)) => self.cursor_at(*step, later),
        }
    }

    /// How a table goes on, when it does.
    pub(super) fn continuation(&self, number: usize, cut: &BTreeSet<String>) -> Result<Option<Continuation>> {
        let table = &self.frame.tables[number];
        let shown = self.frame.doc.lists[number].shown;
        if table.served(shown) >= table.rows.total {
            return Ok(None);
        }
        let Some(cursor) = self.own_cursor((number, table.served(shown)), cut)? else { return Ok(None) };
        let after = table.start + shown;
        let (remaining, total) = if after < table.len {
            (table.len - after, table.len)
        } else {
            (table.rows.total - table.base - after, table.rows.total)
        };
        Ok(Some(Continuation { path: table.path.clone(), cursor, retained: shown, remaining, total }))
    }

    /// How the nested lists go on that the budget cut and a cursor can continue.
    pub(super) fn nested_continuations(&self, cut: &BTreeSet<String>) -> Result<Vec<Continuation>> {
        let tables = self.frame.tables.len();
        let mut found = Vec::new();
        for (n, nested) in self.nested.iter().enumerate().filter(|(_, nested)| cut.contains(&nested.path)) {
            let shown = self.frame.doc.lists[nested.list].shown;
            let offset = nested.start + shown;
            let Some(cursor) = self.own_cursor((tables + n, offset), cut)? else { continue };
            found.push(Continuation {
                path: nested.path.clone(),
                cursor,
                retained: shown,
                remaining: nested.total - offset,
                total: nested.total,
            });
        }
        Ok(found)
    }

    /// The cursor of one collection. Of the first that is left it is that of the page.
    fn own_cursor(&self, step: Step, cut: &BTreeSet<String>) -> Result<Option<String>> {
        let chain = self.chain(cut);
        match chain.split_first() {
            Some((first, later)) if first.0 == step.0 => self.cursor_at(*first, later),
            _ => self.cursor_at(step, &[]),
        }
    }

    fn cursor_at(&self, step: Step, later: &[Step]) -> Result<Option<String>> {
        if let Some(table) = self.frame.tables.get(step.0)
            && let Some(cursor) = table.rows.cursors.as_ref().filter(|_| step.1 < table.rows.total)
        {
            // The command goes on by itself.
            return Ok(step.1.checked_sub(1).map(|last| cursor(table.place(last))));
        }
        let Some(place) = self.place(step)? else { return Ok(None) };
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
            later: later.to_vec(),
        };
        Ok(Some(cursor.encode()))
    }

    /// Where a collection goes on: within itself, else in the one behind it.
    fn place(&self, (number, served): Step) -> Result<Option<Place>> {
        let Some(table) = self.frame.tables.get(number) else {
            let Some(nested) = self.nested.get(number - self.frame.tables.len()) else { return Ok(None) };
            return Ok(Some(Place {
                path: nested.place.clone(),
                base: 0,
                total: nested.total,
                offset: served,
                window: false,
                fingerprint: nested.fingerprint.clone(),
            }));
        };
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
        let paged = table.limited || self.controls.item_cursor.is_some();
        let index = table.served(shown);
        if !paged || index >= table.rows.total || table.start > 0 && !table.limited {
            return Ok(None);
        }
        // A page without a row goes on where it stands: after the row before it, or at the beginning.
        if shown == 0 && (table.page > 0 || table.start > 0) {
            return Ok(None);
        }
        let last = match (shown, index) {
            (0, 0) => String::new(),
            (0, _) => page::name_of(table, table.place(index - 1))?,
            _ => page::name_of(table, table.position(shown - 1))?,
        };
        let snapshot = match &self.controls.item_cursor {
            Some(Cursor::Item { snapshot, .. }) => snapshot.clone(),
            _ => None,
        };
        let cursor = Cursor::Item {
            fingerprint: self.question.clone(),
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
