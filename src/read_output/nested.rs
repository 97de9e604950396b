//! Nested lists that the contract declares resumable: the findings in the checks of `validate`.
//!
//! Their rows belong to a walk as the rows of tables do. After a page that cut some of them, the walk goes on with these
//! lists before it goes on with the table. Such a page has a row for each list that goes on: the name of its row and the
//! list, from where it stopped, and nothing else.

use serde_json::{Map, Value};

use super::cursor::{self, Cursor, Inside};
use super::frame::{Frame, Table, Turn};
use super::run::Run;
use super::tree::{Doc, Tree};
use super::{fingerprint, page};
use crate::contract::ReadOutput;
use crate::error::Result;

/// A nested list of a table, and how much of it earlier pages told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its row, counted from the first of the answer in serving order.
    pub(super) row: usize,
    /// Which of the resumable lists of the row it is.
    pub(super) list: usize,
    /// The fields that lead to it.
    keys: Vec<String>,
    pub(super) start: usize,
    pub(super) total: usize,
}

/// What a page that began at a nested list covers.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// All lists from that one on, those told already among them.
    pub(super) pieces: Vec<Piece>,
    /// Those of them that are a row of the page.
    rows: Vec<usize>,
    /// The field that names a row.
    identity: Option<&'static str>,
}

/// A nested list as a page has it.
#[derive(Debug)]
pub(super) struct Nested {
    pub(super) table: usize,
    /// The row of the page that it stands in, and its list; none when it was told already.
    pub(super) at: Option<(usize, usize)>,
    pub(super) piece: Piece,
}

/// The nested lists behind the one at which a page begins, as a cursor tells them: so many lists of which so many rows,
/// or all that they have, were told.
pub(super) type Runs = Vec<(usize, usize)>;

impl Group {
    /// How many rows the page has.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// A row of the page; `row` gives those of the table.
    pub(super) fn row(&self, n: usize, row: impl Fn(usize) -> Result<Value>) -> Result<Value> {
        let piece = &self.pieces[self.rows[n]];
        let mut whole = row(piece.row)?;
        let mut rest = Value::Null;
        if let Some(Value::Array(values)) =
            piece.keys.iter().try_fold(&mut whole, |place, key| place.get_mut(key))
        {
            rest = values.split_off(piece.start.min(values.len())).into();
        }
        for key in piece.keys.iter().skip(1).rev() {
            rest = Value::Object(Map::from_iter([(key.clone(), rest)]));
        }
        let mut told = Map::new();
        if let Some(name) = self.identity
            && let Some(value) = whole.get(name)
        {
            told.insert(name.to_owned(), value.clone());
        }
        if let Some(key) = piece.keys.first() {
            told.insert(key.clone(), rest);
        }
        Ok(Value::Object(told))
    }
}

/// Whether a declared path with `*` for one step covers a path; the last `*` stands for one step or more.
fn covers(declared: &str, path: &str) -> bool {
    let mut steps = path.split('.');
    declared.split('.').all(|step| steps.next().is_some_and(|own| step == "*" || step == own))
}

fn is_resumable(surface: &ReadOutput, path: &str) -> bool {
    surface.continuation_row_keys.iter().any(|declared| covers(declared, path))
}

/// The resumable lists of a row, outermost only, in order.
fn lists_of(surface: &ReadOutput, table: &str, row: usize, value: &Value) -> Vec<Piece> {
    fn search(
        path: &str,
        keys: &mut Vec<String>,
        value: &Value,
        found: &mut dyn FnMut(&str, &[String], usize),
    ) {
        match value {
            Value::Array(values) if !values.is_empty() => found(path, keys, values.len()),
            Value::Object(map) => {
                for (key, value) in map {
                    keys.push(key.clone());
                    search(&format!("{path}.{key}"), keys, value, found);
                    keys.pop();
                }
            }
            _ => {}
        }
    }
    let mut pieces: Vec<Piece> = Vec::new();
    search(&format!("{table}.{row}"), &mut Vec::new(), value, &mut |path, keys, total| {
        if is_resumable(surface, path) {
            pieces.push(Piece { row, list: pieces.len(), keys: keys.to_vec(), start: 0, total });
        }
    });
    pieces
}

/// The same of a row of the document, each with its list.
fn lists_in(surface: &ReadOutput, doc: &Doc, tree: &Tree) -> Vec<usize> {
    fn search(tree: &Tree, found: &mut dyn FnMut(usize)) {
        match tree {
            Tree::Value(_) => {}
            Tree::Object(entries) => entries.iter().for_each(|(_, tree)| search(tree, found)),
            Tree::List(list) => found(*list),
        }
    }
    let mut lists = Vec::new();
    search(tree, &mut |list| {
        if is_resumable(surface, &doc.lists[list].path) {
            lists.push(list);
        }
    });
    lists
}

/// Lays out a page that begins at a nested list, after proof that the table is the one it came from.
pub(super) fn begin(
    frame: &mut Frame<'_>,
    number: usize,
    cursor: &Cursor,
    surface: &ReadOutput,
) -> Result<()> {
    let Cursor::Rows { path, offset, total, fingerprint, later, inside: Some(inside), .. } = cursor else {
        return Ok(());
    };
    let stale = || cursor::stale(path);
    let whole = fingerprint::of_whole(&frame.tables[number], surface)?;
    let whole = page::fingerprint_with(frame, whole, later, surface)?;
    let table = &mut frame.tables[number];
    let pieces = pieces_of(table, inside, *offset, surface)?.ok_or_else(stale)?;
    if pieces[0].total != *total || whole.as_ref() != Some(fingerprint) {
        return Err(stale());
    }
    let rows: Vec<usize> = (0..pieces.len()).filter(|n| pieces[*n].start < pieces[*n].total).collect();
    table.turn = Turn::Around;
    (table.start, table.page, table.limited, table.least) = (0, rows.len(), false, 1);
    table.group = Some(Group { pieces, rows, identity: surface.identity });
    if frame.counted == Some(number) {
        // Its rows are lists, not those that a count is about.
        frame.counted = None;
    }
    Ok(())
}

/// The list that a cursor continues, and those behind it; none when they are not there.
fn pieces_of(
    table: &Table<'_>,
    inside: &Inside,
    offset: usize,
    surface: &ReadOutput,
) -> Result<Option<Vec<Piece>>> {
    if inside.row >= table.rows.total {
        return Ok(None);
    }
    let mut lists = lists_of(surface, &table.path, inside.row, &table.row_at(inside.row)?).into_iter();
    let Some(mut first) = lists.nth(inside.list).filter(|piece| offset < piece.total) else {
        return Ok(None);
    };
    first.start = offset;
    let mut pieces = vec![first];
    let mut row = inside.row;
    for (count, served) in &inside.runs {
        for _ in 0..*count {
            let mut next = lists.next();
            while next.is_none() && row + 1 < table.rows.total {
                row += 1;
                lists = lists_of(surface, &table.path, row, &table.row_at(row)?).into_iter();
                next = lists.next();
            }
            let Some(mut piece) = next else { return Ok(None) };
            piece.start = piece.total.min(*served);
            pieces.push(piece);
        }
    }
    Ok(Some(pieces))
}

impl Run<'_, '_> {
    /// Learns which lists of the document are resumable: all rows of the page have been made.
    pub(super) fn know_nested(&mut self) {
        self.nested.clear();
        if self.surface.continuation_row_keys.is_empty() {
            return;
        }
        let doc = &self.frame.doc;
        for (number, table) in self.frame.tables.iter().enumerate() {
            let items = &doc.lists[number].items;
            if let Some(group) = &table.group {
                let lists = group.pieces.iter().enumerate().map(|(n, piece)| {
                    let item = group.rows.binary_search(&n).ok();
                    let list =
                        item.and_then(|item| lists_in(self.surface, doc, items.get(item)?).first().copied());
                    Nested { table: number, at: item.zip(list), piece: piece.clone() }
                });
                self.nested.extend(lists);
                continue;
            }
            for (item, tree) in items.iter().enumerate() {
                let row = table.base + table.start + item;
                for (n, list) in lists_in(self.surface, doc, tree).into_iter().enumerate() {
                    let total = doc.lists[list].items.len();
                    let piece = Piece { row, list: n, keys: Vec::new(), start: 0, total };
                    self.nested.push(Nested { table: number, at: Some((item, list)), piece });
                }
            }
        }
    }

    /// Whether a nested list is on the page.
    pub(super) fn is_shown(&self, nested: &Nested) -> bool {
        nested.at.is_some_and(|(item, _)| item < self.frame.doc.lists[nested.table].shown)
    }

    /// How much of a nested list has been told after this page.
    pub(super) fn told_of(&self, nested: &Nested) -> usize {
        match nested.at.filter(|_| self.is_shown(nested)) {
            Some((_, list)) => nested.piece.start + self.frame.doc.lists[list].shown,
            None => nested.piece.start,
        }
    }

    /// The nested lists that are left after this page, and whose turn comes before that of any table: the first of
    /// them, and the numbers of those that may follow.
    pub(super) fn unfinished(&self) -> Option<(usize, std::ops::Range<usize>)> {
        let left = |n: &usize| {
            let nested = &self.nested[*n];
            let here = self.is_shown(nested) || self.frame.tables[nested.table].group.is_some();
            here && self.told_of(nested) < nested.piece.total
        };
        let first = (0..self.nested.len()).find(left)?;
        let table = self.nested[first].table;
        let last = (first..self.nested.len()).rev().filter(|n| self.nested[*n].table == table).find(left)?;
        Some((first, first + 1..last + 1))
    }

    /// What a cursor says of these nested lists.
    pub(super) fn runs(&self, lists: std::ops::Range<usize>) -> Runs {
        let mut runs: Runs = Vec::new();
        // Of the last run: whether a list in it is cut, which fixes what was told of each.
        let mut fixed = false;
        for nested in &self.nested[lists] {
            let (told, total) = (self.told_of(nested), nested.piece.total);
            let joins = match runs.last_mut() {
                // One that is whole may stand among others of which more was told.
                Some((_, served)) if told == total && (total <= *served || !fixed) => {
                    *served = total.max(*served);
                    true
                }
                Some((_, served)) if told < total && (told == *served || !fixed && *served <= told) => {
                    (*served, fixed) = (told, true);
                    true
                }
                _ => false,
            };
            match runs.last_mut().filter(|_| joins) {
                Some((count, _)) => *count += 1,
                None => {
                    runs.push((1, told));
                    fixed = told < total;
                }
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::surfaces;

    #[test]
    fn the_last_star_stands_for_one_step_or_more() {
        for (path, is) in [
            ("checks.0.details.rows", true),
            ("checks.12.details.fence.patterns", true),
            ("checks.0.details", false),
            ("checks.0.other.rows", false),
            ("warnings.0.details.rows", false),
        ] {
            assert_eq!(covers("checks.*.details.*", path), is, "{path}");
        }
    }

    /// A cursor has room for the lists of one table.
    #[test]
    fn nested_lists_are_those_of_one_table() {
        for surface in surfaces::ALL {
            let tables: Vec<_> =
                surface.continuation_row_keys.iter().map(|key| key.split(".*").next()).collect();
            assert!(tables.windows(2).all(|pair| pair[0] == pair[1]), "{}", surface.surface);
        }
    }
}
