//! The stage that makes an answer fit: strings first, then lists, each by a measured prefix search, until the
//! envelope with all its receipts is within the ceiling (read-output.md §4).
//!
//! Lists are cut in tiers: nested lists that a cursor can continue, row collections, all other nested lists. Within
//! a tier the ceiling is shared evenly at first, then each list in turn takes the longest prefix that still fits with
//! the others held fixed. A search begins at the least and doubles, so it never makes many more rows than fit.
//!
//! So a row is whole or on another page, unless it is more than a page by itself. Then it stands alone with what fits
//! of the lists in it, and the receipt says with which budget the same page holds it whole.

use super::frame::{Frame, shorten};
use super::run::{Nested, Run};
use super::tree::{Ref, Tree};
use super::{cursor, fingerprint, page, project};
use crate::error::Result;

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is within its ceiling.
    Fits,
    /// Not even the least of it is; that would measure so many tokens.
    Omitted(u64),
}

/// Finds the largest count that fits a ceiling, in few measures.
///
/// Costs grow with the count, nearly in proportion, so the next count to try is where a straight line meets the
/// ceiling; every third try halves the range, which bounds their number. No try goes beyond eight times what is known
/// to fit: rows are made for each.
struct Search {
    ceiling: u64,
    /// The largest count known to fit, and its cost; the one before, as long as nothing is known above.
    good: (usize, u64),
    before: (usize, u64),
    /// The smallest count known not to fit, and its cost where it was measured.
    bad: (usize, Option<u64>),
    tries: u32,
}

impl Search {
    /// Between a count that fits and one more than the most.
    fn new(ceiling: u64, fits: (usize, u64), most: usize) -> Search {
        Search { ceiling, good: fits, before: (0, 0), bad: (most + 1, None), tries: 0 }
    }

    /// The next count to measure; none when the largest is known.
    fn next(&mut self) -> Option<usize> {
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
    fn measured(&mut self, count: usize, cost: u64) {
        if cost <= self.ceiling {
            self.before = std::mem::replace(&mut self.good, (count, cost));
        } else {
            self.bad = (count, Some(cost));
        }
    }
}

impl<'a> Run<'a, '_> {
    /// Makes the answer fit.
    pub(super) fn settle(&mut self) -> Result<Verdict> {
        self.nested_cursor_page()?;
        if self.fill()? && self.fits()? {
            return Ok(Verdict::Fits);
        }
        while self.frame.fallback.is_some() && self.falls_back() {
            if self.fall_back()? {
                return Ok(Verdict::Fits);
            }
        }
        self.compacting = true;
        // Whole rows go from the end; only one that is too large by itself is shortened.
        if self.surface.retrieval.is_some() && !self.frame.tables.is_empty() && self.cut()? == Verdict::Fits {
            return Ok(Verdict::Fits);
        }
        self.explode()?;
        if self.tables_complete() {
            self.whole = Some(self.measure_uncut()?);
        }
        let uncut = self.frame.doc.clone();
        self.shorten();
        if self.fill()? && self.fits()? {
            return Ok(Verdict::Fits);
        }
        self.uncut = Some(uncut);
        self.cut()
    }

    /// What the page costs as it stands, were that nothing to speak of.
    fn measure_uncut(&mut self) -> Result<u64> {
        let compacting = std::mem::replace(&mut self.compacting, false);
        let measure = self.measure();
        self.compacting = compacting;
        Ok(measure?.tokens)
    }

    /// Learns what the rows cost that do not fit, before the lists in them are cut: the tables are at their least.
    fn know_costs(&mut self) -> Result<()> {
        self.rows_cost = Some(self.measure()?.tokens);
        let rows: usize = self.frame.tables.iter().map(|table| table.page).sum();
        // Where there are so many rows they are not all on the page, whatever is cut in them.
        let few = u64::try_from(rows).is_ok_and(|rows| rows / 2 <= self.ceiling());
        let Some(uncut) = self.uncut.take().filter(|_| self.whole.is_none() && few) else { return Ok(()) };
        let doc = std::mem::replace(&mut self.frame.doc, uncut);
        let tables = &mut self.frame.tables;
        let made: Vec<_> = tables.iter_mut().map(|table| std::mem::take(&mut table.made)).collect();
        for (number, table) in tables.iter_mut().enumerate() {
            table.made.extend_from_slice(&made[number][..self.frame.doc.lists[number].items.len()]);
        }
        self.making.shorten = false;
        for table in 0..self.frame.tables.len() {
            self.show(table, self.frame.tables[table].page)?;
        }
        self.whole = Some(self.measure_uncut()?);
        self.making.shorten = true;
        self.frame.doc = doc;
        for (table, made) in self.frame.tables.iter_mut().zip(made) {
            table.made = made;
        }
        Ok(())
    }

    fn tables_complete(&self) -> bool {
        self.frame.tables.iter().all(|table| table.made.len() == table.page)
    }

    /// Whether a smaller answer may be taken: who chose fields keeps them.
    fn falls_back(&self) -> bool {
        !self.controls.include_given && !self.controls.continued
    }

    /// Takes the smaller answer that the command offers, when it fits; keeps it also when it does not.
    fn fall_back(&mut self) -> Result<bool> {
        let Some(fallback) = self.frame.fallback.take() else { return Ok(false) };
        let smaller = (fallback.make)()?;
        self.replace(Frame::new(smaller, self.controls))?;
        self.applied_depth = Some(fallback.depth);
        self.restore = fallback.restore;
        Ok(self.fill()? && self.fits()?)
    }

    /// Goes on with another answer to the same question.
    fn replace(&mut self, mut frame: Frame<'a>) -> Result<()> {
        project::project(&mut frame, self.controls, self.surface)?;
        page::page(&mut frame, self.controls, self.surface)?;
        let mut run = Run::new(frame, self.controls, self.surface, self.environment);
        run.refer();
        *self = run;
        Ok(())
    }

    /// Turns every nested list into one that can be cut, and knows those that a cursor can continue.
    fn explode(&mut self) -> Result<()> {
        if self.making.explode {
            return Ok(());
        }
        self.making.explode = true;
        let resumable = !self.surface.continuation_row_keys.is_empty();
        for table in 0..self.frame.tables.len() {
            if resumable {
                let page = self.frame.tables[table].page;
                self.making.explode = false;
                self.show(table, page)?;
                self.making.explode = true;
            }
            let items = std::mem::take(&mut self.frame.doc.lists[table].items);
            let path = self.frame.doc.lists[table].path.clone();
            let exploded = items
                .into_iter()
                .enumerate()
                .map(|(n, tree)| self.explode_tree(&format!("{path}.{n}"), tree))
                .collect();
            self.frame.doc.lists[table].items = exploded;
        }
        for (key, tree) in std::mem::take(&mut self.frame.doc.root) {
            let tree = if self.frame.echoes.contains(&key) { tree } else { self.explode_tree(&key, tree) };
            self.frame.doc.root.push((key, tree));
        }
        self.know_nested();
        Ok(())
    }

    fn explode_tree(&mut self, path: &str, tree: Tree) -> Tree {
        match tree {
            Tree::Value(value) => self.frame.doc.explode(path, value),
            Tree::Object(entries) => Tree::Object(
                entries
                    .into_iter()
                    .map(|(key, tree)| {
                        let tree = self.explode_tree(&format!("{path}.{key}"), tree);
                        (key, tree)
                    })
                    .collect(),
            ),
            list @ Tree::List(_) => list,
        }
    }

    /// The nested lists that the contract declares resumable, outermost only.
    fn know_nested(&mut self) {
        let tables = self.frame.tables.len();
        let mut found: Vec<(usize, String)> = Vec::new();
        for (number, list) in self.frame.doc.lists.iter().enumerate().skip(tables) {
            let declared = self.surface.continuation_row_keys.iter().any(|key| covers(key, &list.path));
            let inside = found.iter().any(|(_, outer)| {
                list.path.strip_prefix(outer.as_str()).is_some_and(|rest| rest.starts_with('.'))
            });
            if declared && !inside {
                found.push((number, list.path.clone()));
            }
        }
        let lists = &self.frame.doc.lists;
        self.nested = found
            .into_iter()
            .map(|(number, path)| {
                let whole = Ref::Tree(&Tree::List(number), lists).to_value();
                let place = self.place_of(&path);
                let fingerprint = fingerprint::of_values(&place, &whole);
                Nested { list: number, path, place, total: lists[number].items.len(), start: 0, fingerprint }
            })
            .collect();
    }

    /// A nested path with the row counted from the beginning of its collection instead of that of the page.
    fn place_of(&self, path: &str) -> String {
        let place = self.frame.tables.iter().find_map(|table| {
            let (row, rest) = path.strip_prefix(&table.path)?.strip_prefix('.')?.split_once('.')?;
            let row: usize = row.parse().ok()?;
            Some(format!("{}.{}.{rest}", table.path, table.base + table.start + row))
        });
        place.unwrap_or_else(|| path.to_owned())
    }

    /// Begins a nested list where the cursor says. The rows up to its own stand around it, with no other nested list
    /// that can be continued: those are told by their own pages.
    fn nested_cursor_page(&mut self) -> Result<()> {
        let Some(cursor::Cursor::Rows { path, offset, total, fingerprint, later, .. }) =
            &self.controls.rows_cursor
        else {
            return Ok(());
        };
        if self.frame.tables.iter().any(|table| table.path == *path) {
            return Ok(());
        }
        self.explode()?;
        let stale = || cursor::stale(path);
        let own = self.nested.iter().position(|nested| nested.place == *path).ok_or_else(stale)?;
        let mut parts = vec![self.nested[own].fingerprint.clone()];
        let tables = self.frame.tables.len();
        for (number, served) in later {
            let known = number.checked_sub(tables).and_then(|n| self.nested.get(n));
            let known = known.filter(|nested| *served < nested.total).ok_or_else(stale)?;
            parts.push(known.fingerprint.clone());
        }
        if self.nested[own].total != *total || *offset > *total || fingerprint::of_all(&parts) != *fingerprint
        {
            return Err(stale());
        }
        for (n, nested) in self.nested.iter_mut().enumerate() {
            let list = &mut self.frame.doc.lists[nested.list];
            nested.start = if n == own { *offset } else { list.items.len() };
            list.items.drain(..nested.start);
            list.shown = list.items.len();
        }
        self.end_page_with_row_of(path);
        Ok(())
    }

    /// Ends the page with the row in which a nested list stands.
    fn end_page_with_row_of(&mut self, path: &str) {
        for (number, table) in self.frame.tables.iter_mut().enumerate() {
            let row = path.strip_prefix(&table.path).and_then(|rest| rest.strip_prefix('.'));
            let row = row.and_then(|rest| rest.split('.').next()?.parse::<usize>().ok());
            if let Some(row) = row.filter(|row| *row < table.page) {
                (table.page, table.least) = (row + 1, row + 1);
                table.made.truncate(row + 1);
                let list = &mut self.frame.doc.lists[number];
                list.items.truncate(row + 1);
                list.shown = list.items.len();
            }
        }
    }

    /// Cuts long strings, also those of rows still to be made.
    fn shorten(&mut self) {
        self.making.shorten = true;
        let Frame { doc, echoes, .. } = &mut self.frame;
        for (key, tree) in &mut doc.root {
            if !echoes.contains(key) {
                shorten_tree(tree);
            }
        }
        for list in &mut doc.lists {
            list.items.iter_mut().for_each(shorten_tree);
        }
    }

    /// Cuts lists, tier by tier.
    fn cut(&mut self) -> Result<Verdict> {
        for table in 0..self.frame.tables.len() {
            if self.frame.tables[table].made.len() < self.frame.tables[table].page {
                self.show(table, self.least(table))?;
            }
        }
        let mut touched: Vec<usize> = Vec::new();
        for tier in 0..TIERS {
            let lists = self.tier(tier);
            if lists.is_empty() {
                continue;
            }
            if tier == INNER {
                self.know_costs()?;
            }
            for list in &lists {
                self.show(*list, self.least(*list))?;
            }
            touched.extend(lists.iter().rev());
            if !self.untouched_are_whole(&touched) || !self.fits()? {
                continue;
            }
            self.share(&lists)?;
            self.spend(&lists, &touched)?;
            return Ok(Verdict::Fits);
        }
        Ok(Verdict::Omitted(self.measure()?.tokens))
    }

    /// Spends what is left. A list that becomes whole is no longer named in the receipts, which may make room for
    /// another, hence again until nothing grows.
    fn spend(&mut self, lists: &[usize], touched: &[usize]) -> Result<()> {
        loop {
            let mut grown = self.extend_all(lists.iter())?;
            // A page that cannot hold its first row whole holds no other: more room would drop it again.
            if !self.cuts_inside_rows() {
                grown |= self.extend_all(touched.iter().rev().filter(|list| !lists.contains(list)))?;
            }
            if !grown {
                return Ok(());
            }
        }
    }

    /// Whether a list inside a row is cut that no cursor continues.
    pub(super) fn cuts_inside_rows(&self) -> bool {
        let nested = |list: usize| self.nested.iter().any(|nested| nested.list == list);
        let mut cut = false;
        for number in 0..self.frame.tables.len() {
            self.frame.doc.each_list(&Tree::List(number), &mut |list| {
                cut |= list != number && !nested(list) && self.frame.doc.lists[list].shown < self.full(list);
            });
        }
        cut
    }

    /// Whether every table that is not to be cut yet shows its whole page; one that was too heavy to make does not.
    fn untouched_are_whole(&self, touched: &[usize]) -> bool {
        let tables = self.frame.tables.iter().enumerate();
        tables
            .into_iter()
            .all(|(n, table)| touched.contains(&n) || self.frame.doc.lists[n].shown == table.page)
    }

    fn least(&self, list: usize) -> usize {
        let least = self.frame.tables.get(list).map_or(1, |table| table.least);
        least.min(self.full(list))
    }

    /// Gives every list the same number of rows, as many as fit; they show the least and fit.
    fn share(&mut self, lists: &[usize]) -> Result<()> {
        let most = lists.iter().map(|list| self.full(*list)).max().unwrap_or_default();
        let mut search = Search::new(self.ceiling(), (1, self.measure()?.tokens), most);
        while let Some(count) = search.next() {
            self.show_evenly(lists, count)?;
            search.measured(count, self.measure()?.tokens);
        }
        self.show_evenly(lists, search.good.0)
    }

    fn ceiling(&self) -> u64 {
        self.binding.tokens.unwrap_or(u64::MAX)
    }

    fn show_evenly(&mut self, lists: &[usize], count: usize) -> Result<()> {
        for list in lists {
            let count = count.max(self.least(*list)).min(self.full(*list));
            self.show(*list, count)?;
        }
        Ok(())
    }

    /// Gives each list in turn all the room that is left; true when one has grown.
    fn extend_all<'l>(&mut self, lists: impl Iterator<Item = &'l usize>) -> Result<bool> {
        let mut grown = false;
        for list in lists {
            grown |= self.extend(*list)?;
        }
        Ok(grown)
    }

    fn extend(&mut self, list: usize) -> Result<bool> {
        let shown = self.frame.doc.lists[list].shown;
        let mut search = Search::new(self.ceiling(), (shown, self.measure()?.tokens), self.full(list));
        // Mostly there is no room at all.
        let mut next = (shown < self.full(list)).then_some(shown + 1);
        while let Some(count) = next {
            self.show(list, count)?;
            search.measured(count, self.measure()?.tokens);
            next = search.next();
        }
        self.show(list, search.good.0)?;
        Ok(search.good.0 > shown)
    }

    /// The lists of a tier, the largest first.
    fn tier(&self, tier: usize) -> Vec<usize> {
        let continued = match &self.controls.rows_cursor {
            Some(cursor::Cursor::Rows { path, .. }) => self.frame.list_at(path),
            _ => None,
        };
        let tables = self.frame.tables.len();
        let nested: Vec<usize> = self.nested.iter().map(|nested| nested.list).collect();
        let mut lists: Vec<usize> = Vec::new();
        self.frame.each_shown(&mut |list| {
            let is_table = list < tables;
            // What a cursor continues is what the caller asked for: it is cut after the others.
            let wanted = Some(list) == continued;
            let own = match (is_table, nested.contains(&list)) {
                (false, true) => usize::from(wanted),
                (true, _) if continued.is_some_and(|list| list < tables) => 2 + usize::from(wanted),
                (true, _) => 3,
                (false, false) => INNER,
            };
            if own == tier && self.full(list) > self.least(list) {
                lists.push(list);
            }
        });
        let weight = |list: usize| Ref::Tree(&Tree::List(list), &self.frame.doc.lists).weight();
        let mut weighed: Vec<(u64, usize)> = lists.into_iter().map(|list| (weight(list), list)).collect();
        weighed.sort_by(|a, b| {
            let path = |list: usize| &self.frame.doc.lists[list].path;
            b.0.cmp(&a.0).then_with(|| path(a.1).cmp(path(b.1)))
        });
        weighed.into_iter().map(|(_, list)| list).collect()
    }
}

const TIERS: usize = 5;

/// The tier of the lists that no cursor continues.
const INNER: usize = 4;

/// Whether a declared path with `*` for one step covers a path; the last `*` stands for one step or more.
fn covers(declared: &str, path: &str) -> bool {
    let mut steps = path.split('.');
    declared.split('.').all(|step| steps.next().is_some_and(|own| step == "*" || step == own))
}

fn shorten_tree(tree: &mut Tree) {
    match tree {
        Tree::Value(value) => shorten(value),
        Tree::Object(entries) => entries.iter_mut().for_each(|(_, tree)| shorten_tree(tree)),
        Tree::List(_) => {}
    }
}
