//! What a document costs, list by list and item by item. Each item is rendered once; what any prefix of any list costs
//! is a sum after that, and so is the whole, with what the receipts say of lists that are cut.
//!
//! An item counts in each form that its list may take: on lines of its own, among others on one line, as a row of a
//! table (the last two in TOON). Which form a list takes follows from the items that are shown, so that it is known for
//! every prefix as well.

use std::collections::HashSet;
use std::ops::{AddAssign, Sub, SubAssign};

use serde_json::Value;

use super::frame::{Frame, is_shortened};
use super::render::{ItemCost, Site, Style, Survey, column_bytes, item_bytes};
use super::tree::{Doc, Ref, Tree};

/// What a part of the document comes to, as it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    /// Its bytes.
    pub(super) bytes: i64,
    /// The strings in it that were cut.
    pub(super) shortened: i64,
    /// The lists in it that are cut.
    pub(super) cut: i64,
    /// What the paths of these cost where all of them are named.
    pub(super) path_bytes: i64,
    /// Those of them that a cursor of their own continues.
    pub(super) continued: i64,
    /// What their continuations cost where all of them stand.
    pub(super) continued_bytes: i64,
}

impl AddAssign for Sum {
    fn add_assign(&mut self, other: Sum) {
        self.bytes += other.bytes;
        self.shortened += other.shortened;
        self.cut += other.cut;
        self.path_bytes += other.path_bytes;
        self.continued += other.continued;
        self.continued_bytes += other.continued_bytes;
    }
}

impl SubAssign for Sum {
    fn sub_assign(&mut self, other: Sum) {
        self.bytes -= other.bytes;
        self.shortened -= other.shortened;
        self.cut -= other.cut;
        self.path_bytes -= other.path_bytes;
        self.continued -= other.continued;
        self.continued_bytes -= other.continued_bytes;
    }
}

impl Sub for Sum {
    type Output = Sum;

    fn sub(mut self, other: Sum) -> Sum {
        self -= other;
        self
    }
}

/// Where a list stands.
#[derive(Clone, Copy, Debug, Default)]
enum Parent {
    /// In the document itself.
    #[default]
    Root,
    /// In an item of a list.
    Item(usize, usize),
}

/// An item of a list, or all that are shown.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// On lines of its own, with the lists in it as they are shown.
    form: Sum,
    /// Among others on one line.
    leaf: i64,
    /// As a row of a table: its cells, and how many.
    cells: i64,
    fields: i64,
    /// The columns of a table that ends with it, and the bytes of their names.
    columns: (i64, i64),
}

impl Line {
    fn add(&mut self, other: &Line) {
        self.form += other.form;
        self.leaf += other.leaf;
        self.cells += other.cells;
        self.fields += other.fields;
    }

    fn take(&mut self, other: &Line) {
        self.form -= other.form;
        self.leaf -= other.leaf;
        self.cells -= other.cells;
        self.fields -= other.fields;
    }
}

/// One list.
#[derive(Debug, Default)]
struct Account {
    /// None for a list that is nowhere in the document.
    site: Option<Site>,
    parent: Parent,
    /// An object on the wire.
    is_map: bool,
    /// Rows may lack columns.
    gaps: bool,
    lines: Vec<Line>,
    /// So many items from the first on are plain values, and so many make a table.
    leaves: usize,
    rows: usize,
    known: HashSet<String>,
    shown: usize,
    /// With so many it is not cut.
    whole: usize,
    path_bytes: i64,
    /// What the continuation of the list costs as it is shown, where a cursor continues it.
    continued_bytes: Option<i64>,
    /// The sum of the lines that are shown.
    sum: Line,
    total: Sum,
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// How many digits a number has.
pub(super) fn digits(n: i64) -> i64 {
    i64::from(n.max(1).ilog10()) + 1
}

impl Account {
    /// What the list costs when so many of its items are shown, which come to this sum.
    fn bytes(&self, style: Style, shown: usize, sum: &Line) -> i64 {
        let Some(site) = self.site else { return 0 };
        let count = i64::try_from(shown).unwrap_or(i64::MAX);
        let line = |depth| signed(style.line(depth));
        let form = sum.form.bytes;
        if style != Style::Toon {
            return if shown == 0 { 2 } else { 2 + form + count - 1 + line(site.depth) };
        }
        if self.is_map {
            return 1 + form;
        }
        if shown == 0 {
            return 4;
        }
        let head = 2 + digits(count);
        let (columns, names) = self.lines[shown - 1].columns;
        if shown <= self.leaves {
            head + 2 + sum.leaf + count - 1
        } else if site.keyed && shown <= self.rows && columns > 0 {
            let header = 1 + names + columns - 1 + 2;
            let cells = sum.cells + 4 * (columns * count - sum.fields) + count * (columns - 1);
            head + header + count * line(site.depth + 1) + cells
        } else {
            head + 1 + form
        }
    }

    fn tally(&mut self, style: Style) {
        let mut total = Sum { bytes: self.bytes(style, self.shown, &self.sum), ..self.sum.form };
        if self.shown < self.whole {
            total.cut += 1;
            total.path_bytes += self.path_bytes;
            if let Some(bytes) = self.continued_bytes {
                total.continued += 1;
                total.continued_bytes += bytes;
            }
        }
        self.total = total;
    }

    /// The sum of the lines when so many are shown.
    fn sum_of(&self, shown: usize) -> Line {
        let mut sum = self.sum;
        self.lines[self.shown.min(shown)..shown].iter().for_each(|line| sum.add(line));
        self.lines[shown..self.shown.max(shown)].iter().for_each(|line| sum.take(line));
        sum
    }

    /// Takes an item as the next of a table, or ends it.
    fn columns(&mut self, cells: Option<&[(u64, String)]>, before: (i64, i64)) -> (i64, i64) {
        let n = self.lines.len();
        let Some(cells) = cells.filter(|_| self.rows == n) else { return before };
        let (mut count, mut bytes) = before;
        for (_, name) in cells {
            if !self.known.contains(name) {
                self.known.insert(name.clone());
                count += 1;
                bytes += signed(column_bytes(name));
            }
        }
        let uniform = count == before.0 && i64::try_from(cells.len()) == Ok(before.0);
        if self.gaps || n == 0 || uniform {
            self.rows += 1;
        }
        (count, bytes)
    }
}

/// The accounts of a document.
#[derive(Debug)]
pub(super) struct Ledger {
    style: Style,
    lists: Vec<Account>,
    /// The columns that a table has before its first row.
    first_columns: Vec<(i64, i64)>,
    total: Sum,
}

impl Ledger {
    /// Renders every item of a frame's document once, but for parts that are written later.
    pub(super) fn of(frame: &Frame<'_>, style: Style, is_later: impl Fn(&str) -> bool) -> Ledger {
        let mut ledger =
            Ledger { style, lists: Vec::new(), first_columns: Vec::new(), total: Sum::default() };
        let doc = &frame.doc;
        ledger.grow(doc);
        for (number, table) in frame.tables.iter().enumerate() {
            ledger.lists[number].whole = table.page;
        }
        for (key, tree) in doc.root.iter().filter(|(key, _)| !is_later(key)) {
            let mut survey = Survey::default();
            super::render::entry_of(&mut survey, style, key, Ref::Tree(tree, &doc.lists));
            ledger.total.bytes += signed(survey.bytes);
            if !frame.echoes.contains(key) {
                ledger.total.shortened += shortened(tree);
            }
            for site in survey.sites {
                let sum = ledger.enter(doc, site, Parent::Root);
                ledger.total += sum;
            }
        }
        ledger
    }

    /// Makes room for lists that are new in the document.
    fn grow(&mut self, doc: &Doc) {
        for list in &doc.lists[self.lists.len()..] {
            // An optional column begins with the first row that says something in it.
            let columns = list.columns.as_deref().unwrap_or_default().iter();
            let columns: HashSet<String> =
                columns.filter(|name| !list.optional.contains(name)).cloned().collect();
            let bytes = columns.iter().map(|name| signed(column_bytes(name))).sum();
            self.first_columns.push((i64::try_from(columns.len()).unwrap_or(i64::MAX), bytes));
            self.lists.push(Account {
                is_map: list.keys.is_some(),
                gaps: list.columns.is_some(),
                known: columns,
                whole: list.items.len(),
                ..Account::default()
            });
        }
    }

    /// Takes a list and all that is in it into account; gives what it comes to.
    fn enter(&mut self, doc: &Doc, site: Site, parent: Parent) -> Sum {
        let (number, list) = (site.list, &doc.lists[site.list]);
        let path = Value::from(list.path.as_str());
        let account = &mut self.lists[number];
        (account.site, account.parent) = (Some(site), parent);
        account.path_bytes = signed(item_bytes(self.style, &path));
        self.append(doc, number);
        let account = &mut self.lists[number];
        account.sum = account.sum_of(list.shown);
        account.shown = list.shown;
        account.tally(self.style);
        account.total
    }

    /// Takes items into account that the list has beyond those known; none of them is shown yet.
    fn append(&mut self, doc: &Doc, number: usize) {
        let Some(site) = self.lists[number].site else { return };
        for n in self.lists[number].lines.len()..doc.lists[number].items.len() {
            let cost = ItemCost::of(self.style, site, &doc.lists, n);
            let mut form = Sum {
                bytes: signed(cost.form.bytes),
                shortened: shortened(&doc.lists[number].items[n]),
                ..Sum::default()
            };
            for inner in cost.form.sites {
                form += self.enter(doc, inner, Parent::Item(number, n));
            }
            let account = &mut self.lists[number];
            let before = account.lines.last().map_or(self.first_columns[number], |line| line.columns);
            let columns = account.columns(cost.cells.as_deref(), before);
            if account.leaves == n && cost.leaf.is_some() {
                account.leaves += 1;
            }
            let cells = cost.cells.unwrap_or_default();
            account.lines.push(Line {
                form,
                leaf: signed(cost.leaf.unwrap_or_default()),
                cells: cells.iter().map(|(bytes, _)| signed(*bytes)).sum(),
                fields: i64::try_from(cells.len()).unwrap_or(i64::MAX),
                columns,
            });
        }
    }

    /// Takes rows into account that were made since.
    pub(super) fn made(&mut self, doc: &Doc, list: usize) {
        self.grow(doc);
        self.append(doc, list);
    }

    /// Shows the first items of a list, so many.
    pub(super) fn show(&mut self, list: usize, shown: usize) {
        self.change(list, |account| {
            account.sum = account.sum_of(shown);
            account.shown = shown;
        });
    }

    /// Says what the continuation of a list costs as it is shown.
    pub(super) fn continued(&mut self, list: usize, continuation: &Value) {
        let bytes = signed(item_bytes(self.style, continuation));
        self.change(list, |account| account.continued_bytes = Some(bytes));
    }

    /// What the continuation of a list costs.
    pub(super) fn continued_bytes(&self, list: usize) -> i64 {
        self.lists[list].continued_bytes.unwrap_or_default()
    }

    fn change(&mut self, list: usize, change: impl FnOnce(&mut Account)) {
        let style = self.style;
        let account = &mut self.lists[list];
        let before = account.total;
        change(account);
        account.tally(style);
        let (mut parent, mut delta) = (account.parent, account.total - before);
        if account.site.is_none() {
            return;
        }
        while let Parent::Item(outer, item) = parent {
            let account = &mut self.lists[outer];
            account.lines[item].form += delta;
            if item >= account.shown {
                return;
            }
            account.sum.form += delta;
            let before = account.total;
            account.tally(style);
            (parent, delta) = (account.parent, account.total - before);
        }
        self.total += delta;
    }

    /// How many bytes more the list itself needs when so many of its items are shown, and the most that the receipts
    /// may save by that.
    pub(super) fn growth(&self, list: usize, shown: usize) -> (i64, i64) {
        let account = &self.lists[list];
        let sum = account.sum_of(shown);
        let growth =
            account.bytes(self.style, shown, &sum) - account.bytes(self.style, account.shown, &account.sum);
        // Shorter numbers and cursors; the names of a list that is whole; all of the disclosure when none is cut.
        let saved = match shown == account.whole {
            false => 64,
            true if self.total.cut <= 2 => 4_096,
            true => 64 + 2 * account.path_bytes + account.continued_bytes.unwrap_or_default(),
        };
        (growth, saved)
    }

    /// What the whole document comes to.
    pub(super) fn total(&self) -> Sum {
        self.total
    }

    /// The encoding.
    pub(super) fn style(&self) -> Style {
        self.style
    }
}

/// How many strings of a tree were cut, those in lists left out.
fn shortened(tree: &Tree) -> i64 {
    match tree {
        Tree::Value(value) => shortened_in(value),
        Tree::Object(entries) => entries.iter().map(|(_, tree)| shortened(tree)).sum(),
        Tree::List(_) => 0,
    }
}

fn shortened_in(value: &Value) -> i64 {
    match value {
        Value::String(text) => i64::from(is_shortened(text)),
        Value::Array(values) => values.iter().map(shortened_in).sum(),
        Value::Object(map) => map.values().map(shortened_in).sum(),
        _ => 0,
    }
}
