//! The stage that makes an answer fit: strings first, then lists, each by a measured prefix search, until the
//! envelope with all its receipts is within the ceiling (read-output.md §4).
//!
//! Lists are cut in tiers: nested lists that a cursor can continue, row collections, all other nested lists. Within
//! a tier the ceiling is shared evenly at first, then each list in turn takes the longest prefix that still fits with
//! the others held fixed. A search begins at the least and doubles, so it never makes many more rows than fit. A page
//! that continues nested lists has as many of them as fit, and of the next one the longest prefix.
//!
//! Nothing is rendered to be measured again: each item is, once, and what a prefix costs is a sum ([`super::ledger`]).
//!
//! So a row is whole or on another page, unless it is more than a page by itself. Then it stands alone with what fits
//! of the lists in it, and the receipt says with which budget the same page holds it whole.

use super::controls::BudgetSource;
use super::cursor::Cursor;
use super::frame::{Frame, shorten};
use super::run::Run;
use super::search::Search;
use super::tree::{Ref, Tree};
use super::{page, project};
use crate::error::Result;

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is within its ceiling.
    Fits,
    /// Not even the least of it is; that would measure so many tokens.
    Omitted(u64),
}

impl<'a> Run<'a, '_> {
    /// Makes the answer fit.
    pub(super) fn settle(&mut self) -> Result<Verdict> {
        if self.fits_whole()? {
            return Ok(Verdict::Fits);
        }
        while self.frame.fallback.is_some() && self.falls_back() {
            if self.fall_back()? {
                return Ok(Verdict::Fits);
            }
        }
        self.compacting = true;
        if self.names_fewer() && self.fits_but_for_names()? {
            return Ok(Verdict::Fits);
        }
        // Whole rows go from the end; only one that is too large by itself is shortened.
        if self.surface.retrieval.is_some() && !self.frame.tables.is_empty() {
            self.keep_account()?;
            if self.cut_lists()? == Verdict::Fits {
                return Ok(Verdict::Fits);
            }
            self.ledger = None;
        }
        self.explode()?;
        if self.whole.is_none() {
            self.uncut = Some(self.frame.doc.clone());
        }
        self.shorten();
        let made = self.fill()?;
        self.keep_account()?;
        if made && self.fits()? {
            return Ok(Verdict::Fits);
        }
        match self.frame.tables.iter().position(|table| table.group.is_some()) {
            Some(table) => self.cut_group(table),
            None => self.cut_lists(),
        }
    }

    /// Makes all rows, as far as they can fit, and says whether they do; knows what they cost when all were made.
    fn fits_whole(&mut self) -> Result<bool> {
        self.whole = None;
        let made = self.fill()?;
        let Some(most) = self.binding.tokens.filter(|_| made) else { return Ok(made) };
        let tokens = self.keep(self.stand()?);
        self.whole = Some(tokens);
        Ok(tokens <= most)
    }

    /// Whether all rows fit once fewer files and warnings are named beside them.
    fn fits_but_for_names(&mut self) -> Result<bool> {
        let whole = self.whole.take();
        let fits = self.fits_whole()?;
        self.whole = whole;
        Ok(fits)
    }

    /// Learns what the rows cost that do not fit, before the lists in them are cut: the tables are at their least.
    fn know_costs(&mut self) -> Result<()> {
        self.rows_cost = Some(self.measure()?.tokens);
        // The receipts tell of it.
        self.rebind(self.binding.tokens);
        let rows: usize = self.frame.tables.iter().map(|table| table.page).sum();
        // Where there are so many rows they are not all on the page, whatever is cut in them.
        let few = u64::try_from(rows).is_ok_and(|rows| rows / 2 <= self.ceiling());
        let Some(uncut) = self.uncut.take().filter(|_| self.whole.is_none() && few) else { return Ok(()) };
        let doc = std::mem::replace(&mut self.frame.doc, uncut);
        let ledger = self.ledger.take();
        let tables = &mut self.frame.tables;
        let made: Vec<_> = tables.iter_mut().map(|table| std::mem::take(&mut table.made)).collect();
        for (number, table) in tables.iter_mut().enumerate() {
            table.made.extend_from_slice(&made[number][..self.frame.doc.lists[number].items.len()]);
        }
        (self.making.shorten, self.compacting) = (false, false);
        for table in 0..self.frame.tables.len() {
            self.show(table, self.frame.tables[table].page)?;
        }
        self.whole = Some(self.measure()?.tokens);
        (self.making.shorten, self.compacting) = (true, true);
        self.frame.doc = doc;
        self.ledger = ledger;
        for (table, made) in self.frame.tables.iter_mut().zip(made) {
            table.made = made;
        }
        self.rebind(self.binding.tokens);
        Ok(())
    }

    /// Whether a smaller answer may be taken: who chose fields keeps them.
    fn falls_back(&self) -> bool {
        !self.controls.include_given && self.controls.given_cursor.is_none()
    }

    /// Takes the smaller answer that the command offers, when it fits. One that is not only for that is kept also when
    /// it does not; else its own smaller answer is the next to try.
    fn fall_back(&mut self) -> Result<bool> {
        let Some(fallback) = self.frame.fallback.take() else { return Ok(false) };
        let mut smaller = self.instead(Frame::new((fallback.make)()?, self.controls))?;
        smaller.applied_depth = Some(fallback.depth);
        smaller.restore = fallback.restore;
        let fits = smaller.fits_whole()?;
        if fits || !fallback.whole {
            *self = smaller;
        } else {
            self.frame.fallback = smaller.frame.fallback.take();
        }
        Ok(fits)
    }

    /// Another answer to the same question, as far on its way.
    fn instead(&self, mut frame: Frame<'a>) -> Result<Self> {
        project::project(&mut frame, self.controls, self.surface)?;
        page::page(&mut frame, self.controls, self.surface)?;
        let mut run = Run::new(frame, self.controls, self.surface, self.environment);
        run.refer();
        Ok(run)
    }

    /// Turns every nested list into one that can be cut, and knows those that a cursor can continue.
    fn explode(&mut self) -> Result<()> {
        if self.making.explode {
            return Ok(());
        }
        self.making.explode = true;
        self.ledger = None;
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
    fn cut_lists(&mut self) -> Result<Verdict> {
        for table in 0..self.frame.tables.len() {
            if self.frame.tables[table].made.len() < self.frame.tables[table].page {
                self.show(table, self.least(table))?;
            }
        }
        let mut touched: Vec<usize> = Vec::new();
        for tier in 0..=INNER {
            let lists = self.tier(tier);
            if lists.is_empty() {
                continue;
            }
            if tier == INNER {
                self.know_costs()?;
            }
            self.lower(&lists)?;
            touched.extend(lists.iter().rev());
            if !self.untouched_are_whole(&touched) || !self.fits()? {
                continue;
            }
            self.share(&lists)?;
            self.spend(&lists, &touched)?;
            return Ok(Verdict::Fits);
        }
        self.needed().map(Verdict::Omitted)
    }

    /// Cuts a page whose rows are the nested lists that it continues: as many as fit, and of the next one what fits.
    fn cut_group(&mut self, table: usize) -> Result<Verdict> {
        let lists: Vec<usize> = self.nested.iter().filter_map(|nested| Some(nested.at?.1)).collect();
        self.show(table, 1)?;
        if self.fits()? {
            self.extend(table)?;
            let whole = self.frame.doc.lists[table].shown;
            let Some(next) = lists.get(whole) else { return Ok(Verdict::Fits) };
            self.show(*next, 1)?;
            self.show(table, whole + 1)?;
            if self.fits()? {
                self.extend(*next)?;
            } else {
                self.show(table, whole)?;
            }
            return Ok(Verdict::Fits);
        }
        if let Some(first) = lists.first() {
            self.show(*first, 1)?;
            if self.fits()? {
                self.extend(*first)?;
                return Ok(Verdict::Fits);
            }
        }
        self.know_costs()?;
        let inner = self.tier(INNER);
        self.lower(&inner)?;
        if !self.fits()? {
            return self.needed().map(Verdict::Omitted);
        }
        self.share(&inner)?;
        self.spend(&inner, &inner)?;
        Ok(Verdict::Fits)
    }

    /// Shows the least of lists: where the rest of one costs no more than to say that it was cut, the whole.
    fn lower(&mut self, lists: &[usize]) -> Result<()> {
        for list in lists {
            self.show(*list, self.least(*list))?;
        }
        let tables = self.frame.tables.len();
        for list in lists.iter().filter(|list| **list >= tables) {
            let (least, full) = (self.least(*list), self.full(*list));
            let Some(ledger) = self.ledger.as_ref().filter(|_| least < full) else { continue };
            let (growth, saved) = ledger.growth(*list, full);
            if growth > saved {
                continue;
            }
            let before = self.measure()?.tokens;
            self.show(*list, full)?;
            if self.measure()?.tokens <= before {
                self.floors.insert(*list, full);
            } else {
                self.show(*list, least)?;
            }
        }
        Ok(())
    }

    /// With which budget the least would be there: it stands in the receipts too.
    fn needed(&mut self) -> Result<u64> {
        let binding = self.binding.tokens;
        let mut tokens = self.measure()?.tokens;
        for _ in 0..4 {
            self.rebind(Some(tokens));
            let with_it = self.measure()?.tokens;
            if with_it <= tokens {
                break;
            }
            tokens = with_it;
        }
        self.rebind(binding);
        // The receipts of a call that asks for a budget say so.
        Ok(if self.binding.source == BudgetSource::Canonical { tokens } else { tokens + ASKING })
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
        let mut cut = false;
        for number in 0..self.frame.tables.len() {
            self.frame.doc.each_list(&Tree::List(number), &mut |list| {
                cut |= list != number && self.is_short(list) && !self.goes_on(list);
            });
        }
        cut
    }

    /// Whether a cursor continues a nested list.
    fn goes_on(&self, list: usize) -> bool {
        self.nested.iter().any(|nested| nested.at.is_some_and(|(_, own)| own == list))
    }

    /// Whether every table that is not to be cut yet shows its whole page; one that was too heavy to make does not.
    fn untouched_are_whole(&self, touched: &[usize]) -> bool {
        let tables = self.frame.tables.iter().enumerate();
        tables
            .into_iter()
            .all(|(n, table)| touched.contains(&n) || self.frame.doc.lists[n].shown == table.page)
    }

    fn least(&self, list: usize) -> usize {
        let floor = self.floors.get(&list).copied().unwrap_or(1);
        let least = self.frame.tables.get(list).map_or(floor, |table| table.least);
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
        // A view is rendered for each try.
        let most = if self.ledger.is_some() { usize::MAX } else { MOST_IN_A_VIEW };
        let mut grown = false;
        for list in lists.take(most) {
            grown |= self.extend(*list)?;
        }
        Ok(grown)
    }

    fn extend(&mut self, list: usize) -> Result<bool> {
        let (shown, full) = (self.frame.doc.lists[list].shown, self.full(list));
        if shown >= full {
            return Ok(false);
        }
        let now = self.measure()?.tokens;
        // The whole may fit where a little less does not: it is not named as cut.
        let made = self.frame.doc.lists[list].items.len() >= full;
        if made && self.may_fit(list, full, now) {
            self.show(list, full)?;
            if self.measure()?.tokens <= self.ceiling() {
                return Ok(true);
            }
            self.show(list, shown)?;
        }
        let most = if made { full - 1 } else { full };
        let mut search = Search::new(self.ceiling(), (shown, now), most);
        // Mostly there is no room at all.
        let mut next = (shown < most && self.may_fit(list, shown + 1, now)).then_some(shown + 1);
        while let Some(count) = next {
            self.show(list, count)?;
            search.measured(count, self.measure()?.tokens);
            next = search.next();
        }
        if self.frame.doc.lists[list].shown != search.good.0 {
            self.show(list, search.good.0)?;
        }
        Ok(search.good.0 > shown)
    }

    /// Whether so many items of a nested list can fit where the envelope costs so much now: false is certain.
    fn may_fit(&self, list: usize, count: usize, now: u64) -> bool {
        let nested = list >= self.frame.tables.len();
        let Some(ledger) = self.ledger.as_ref().filter(|_| nested) else { return true };
        let (growth, saved) = ledger.growth(list, count);
        let bytes = i64::try_from(now.saturating_mul(4)).unwrap_or(i64::MAX).saturating_sub(3);
        let most = i64::try_from(self.ceiling().saturating_mul(4)).unwrap_or(i64::MAX);
        bytes.saturating_add(growth).saturating_sub(saved) <= most
    }

    /// The lists of a tier, the largest first.
    fn tier(&self, tier: usize) -> Vec<usize> {
        let tables = self.frame.tables.len();
        let continued = match &self.controls.rows_cursor {
            Some(Cursor::Rows { path, .. }) => self.frame.tables.iter().position(|table| table.path == *path),
            _ => None,
        };
        let mut lists: Vec<usize> = Vec::new();
        self.frame.each_shown(&mut |list| {
            let own = match (list < tables, continued) {
                (false, _) if self.goes_on(list) => NESTED,
                (false, _) => INNER,
                // What a cursor continues is what the caller asked for: it is cut after the others.
                (true, Some(continued)) if continued != list => OTHERS,
                (true, _) => TABLES,
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

/// The tiers: nested lists that a cursor continues; tables beside the one that a cursor continues; tables; lists that
/// no cursor continues.
const NESTED: usize = 0;
const OTHERS: usize = 1;
const TABLES: usize = 2;
const INNER: usize = 3;

/// The most lists that are extended one by one in a view.
const MOST_IN_A_VIEW: usize = 32;

/// The most tokens that an asked-for budget costs in the receipts.
const ASKING: u64 = 25;

fn shorten_tree(tree: &mut Tree) {
    match tree {
        Tree::Value(value) => shorten(value),
        Tree::Object(entries) => entries.iter_mut().for_each(|(_, tree)| shorten_tree(tree)),
        Tree::List(_) => {}
    }
}
