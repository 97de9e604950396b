//! The second and third stage: a cursor says where the page begins, an amount how long it may be.

use super::controls::{Amount, Controls};
use super::cursor::{self, Cursor};
use super::fingerprint;
use super::frame::{Frame, Table, identity};
use super::nested;
use super::tree::Tree;
use crate::contract::ReadOutput;
use crate::error::Result;

/// Lays out the page of every table.
///
/// A command's own limit says what the collection is, as a page of items does; what lies behind it is the next
/// collection. `--output-limit` only bounds what is shown of the collection.
///
/// Errors: the refusals of cursors.
pub(super) fn page(frame: &mut Frame<'_>, controls: &Controls, surface: &ReadOutput) -> Result<()> {
    if controls.item_cursor.is_some() && frame.counted.is_none() {
        return Err(cursor::no_pages(surface.surface));
    }
    let question = question(frame, controls, surface);
    for number in 0..frame.tables.len() {
        let counted = frame.counted == Some(number);
        let table = &mut frame.tables[number];
        if counted && let Some(item) = &controls.item_cursor {
            table.base = resume(table, item, &question)?;
        }
        if let Some(Cursor::Rows { path, base, .. }) = &controls.rows_cursor
            && *path == table.path
        {
            table.base = (*base).min(table.rows.total);
        }
        let rest = table.rows.total - table.base;
        let canonical = controls.limit.filter(|_| table.is_bounded());
        let amount = match canonical {
            Some(Amount::Some(n)) => Some(usize::try_from(n).unwrap_or(usize::MAX)),
            Some(Amount::Unbounded) => None,
            None => table.rows.limit,
        };
        let bound = amount.map_or(rest, |n| n.min(rest));
        table.limited = bound < rest;
        (table.len, table.page) = if canonical.is_none() { (bound, bound) } else { (rest, bound) };
    }
    match (&controls.rows_cursor, &controls.item_cursor) {
        (Some(cursor), _) => {
            slice(frame, cursor, surface)?;
            // Other contracts say themselves what stands around their rows.
            if surface.retrieval.is_none() && surface.catalog.is_none() {
                tell_rows_only(frame);
            }
        }
        (None, Some(_)) => {
            let counted = frame.counted;
            let others = frame.tables.iter_mut().enumerate().filter(|(n, _)| Some(*n) != counted);
            others.for_each(|(_, table)| table.hold());
        }
        (None, None) => return Ok(()),
    }
    // Records were told by the first page, and so was a declared collection that is none here.
    let records = std::mem::take(&mut frame.records);
    frame.doc.root.retain(|(key, tree)| {
        let declared = surface.row_keys.contains(&key.as_str()) && matches!(tree, Tree::Value(_));
        !declared && !records.contains(key)
    });
    Ok(())
}

/// Leaves out what the first page told of the answer as a whole: facts beside the rows, and warnings.
fn tell_rows_only(frame: &mut Frame<'_>) {
    fn is_rows(tree: &mut Tree) -> bool {
        match tree {
            Tree::Value(_) => false,
            Tree::List(_) => true,
            Tree::Object(parts) => {
                parts.retain_mut(|(_, tree)| is_rows(tree));
                !parts.is_empty()
            }
        }
    }
    let Frame { doc, echoes, warnings, .. } = frame;
    doc.root.retain_mut(|(key, tree)| echoes.contains(key) || is_rows(tree));
    warnings.clear();
}

/// The fingerprint of the question.
pub(super) fn question(frame: &Frame<'_>, controls: &Controls, surface: &ReadOutput) -> String {
    let question = frame.question.as_ref().unwrap_or(&controls.question);
    fingerprint::of_question(surface.surface, question)
}

/// What an item cursor calls the row at this position: what the command calls it, its id, or a digest of it.
pub(super) fn name_of(table: &Table<'_>, position: usize) -> Result<String> {
    if let Some(name) = &table.rows.names {
        return Ok(name(position));
    }
    let row = table.rows.get(position)?;
    Ok(identity(&row).map_or_else(|| fingerprint::of_row(&row), str::to_owned))
}

/// The rows that were served, by name: what an item cursor says of them so that none is told twice or never.
#[derive(Debug, Default)]
pub(super) struct ServedRows {
    names: Vec<String>,
    /// After each row, what stands for it and all before it.
    marks: Vec<String>,
}

impl ServedRows {
    /// The name of the last of so many rows of a table, and what stands for all of them; of none both are empty.
    pub(super) fn of(&mut self, table: &Table<'_>, count: usize) -> Result<(String, String)> {
        while self.names.len() < count {
            let name = name_of(table, table.place(self.names.len()))?;
            self.marks.push(fingerprint::of_all(&[self.mark(self.names.len()), name.clone()]));
            self.names.push(name);
        }
        let last = count.checked_sub(1).map(|last| self.names[last].clone());
        Ok((last.unwrap_or_default(), self.mark(count)))
    }

    fn mark(&self, count: usize) -> String {
        count.checked_sub(1).map(|last| self.marks[last].clone()).unwrap_or_default()
    }

    /// What stands for the rows from one place to another.
    fn mark_of(&self, from: usize, to: usize) -> String {
        self.names[from..to]
            .iter()
            .fold(String::new(), |mark, name| fingerprint::of_all(&[mark, name.clone()]))
    }
}

/// The half of a fingerprint that is of the question; the other is of the rows that were served.
const HALF: usize = 4;

/// The fingerprint of a page of items: half of it is of the question, half of the rows that were served.
pub(super) fn of_page(question: &str, served: &str) -> String {
    let half = |of: &str| of.get(..HALF).unwrap_or("AAAA").to_owned();
    half(question) + &half(served)
}

/// Where the page after an item cursor begins: behind the rows that were served, as long as these stand together as
/// they did. New rows may have come before or after them; nobody can say of other changes which rows were told.
fn resume(table: &Table<'_>, cursor: &Cursor, question: &str) -> Result<usize> {
    let Cursor::Item { fingerprint, after_id, after_index, .. } = cursor else { return Ok(table.base) };
    if fingerprint.get(..HALF) != question.get(..HALF) {
        return Err(cursor::other_question(fingerprint, question));
    }
    // The cursor of a page that had no row yet.
    if after_id.is_empty() {
        return Ok(table.base);
    }
    let total = table.rows.total;
    let mut rows = ServedRows::default();
    let mut is_there = false;
    for end in 1..=total {
        let (name, mark) = rows.of(table, end)?;
        if name != *after_id {
            continue;
        }
        is_there = true;
        if let Some(from) = end.checked_sub(after_index + 1) {
            let mark = if from == 0 { mark } else { rows.mark_of(from, end) };
            if of_page(question, &mark) == *fingerprint {
                return Ok(end);
            }
        }
    }
    Err(if is_there { cursor::moved(after_id) } else { cursor::gone(after_id) })
}

/// Begins a table where a rows cursor says, after proof that it is the table it came from, and leaves the others out:
/// what a walk tells, it tells once.
fn slice(frame: &mut Frame<'_>, cursor: &Cursor, surface: &ReadOutput) -> Result<()> {
    let Cursor::Rows { surface: theirs, path, offset, total, fingerprint, window, inside, later, .. } =
        cursor
    else {
        return Ok(());
    };
    if theirs != surface.surface {
        return Err(cursor::mismatch(theirs, surface.surface));
    }
    let stale = || cursor::stale(path);
    let number = frame.tables.iter().position(|table| table.path == *path).ok_or_else(stale)?;
    frame.later.clone_from(later);
    let others = frame.tables.iter_mut().enumerate().filter(|(n, _)| *n != number);
    others.for_each(|(_, table)| table.hold());
    if inside.is_some() {
        return nested::begin(frame, number, cursor, surface);
    }
    let table = &mut frame.tables[number];
    let rest = table.rows.total - table.base;
    let there = if *window { *total <= rest } else { *total == rest };
    if !there || *offset > *total {
        return Err(stale());
    }
    // The amounts of this call may be others than those of the call that the cursor came from.
    (table.len, table.start) = (*total, *offset);
    table.page = table.page.min(table.len - table.start);
    table.limited = table.start + table.page < rest;
    let first = fingerprint::of_table(table, surface)?;
    if fingerprint_with(frame, first, later, surface)?.as_ref() == Some(fingerprint) {
        Ok(())
    } else {
        Err(stale())
    }
}

/// The fingerprint of a collection together with those whose turn comes later; none when one of these is not there.
pub(super) fn fingerprint_with(
    frame: &Frame<'_>,
    first: String,
    later: &[(usize, usize)],
    surface: &ReadOutput,
) -> Result<Option<String>> {
    let mut parts = vec![first];
    for (number, served) in later {
        let Some(table) = frame.tables.get(*number).filter(|table| *served < table.rows.total) else {
            return Ok(None);
        };
        parts.push(fingerprint::of_whole(table, surface)?);
    }
    Ok(Some(fingerprint::of_all(&parts)))
}
