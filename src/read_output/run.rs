//! One read on its way: the frame, what is asked of it, and what has been taken away so far.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::controls::{Ceiling, Controls, Envelope};
use super::cut::ONE;
use super::environment::Environment;
use super::facts::{Served, Telling, What};
use super::fingerprint;
use super::frame::{Frame, Making};
use super::ledger::{Ledger, Sum, digits};
use super::nested::Nested;
use super::page::ServedRows;
use super::render::{self, Count, Format, Style};
use super::tree::{Doc, Ref, Tree};
use super::view;
use crate::contract::ReadOutput;
use crate::error::Result;

/// One read on its way.
pub(super) struct Run<'a, 'c> {
    pub(super) frame: Frame<'a>,
    pub(super) controls: &'c Controls,
    pub(super) surface: &'c ReadOutput,
    pub(super) environment: &'c Environment<'c>,
    pub(super) making: Making<'c>,
    pub(super) binding: Ceiling,
    pub(super) question: String,
    /// The rows before the end of the page, as an item cursor knows them.
    pub(super) served_so_far: RefCell<ServedRows>,
    /// The nested lists that a cursor can continue, once rows were taken apart.
    pub(super) nested: Vec<Nested>,
    /// Records that were replaced by references, and those delivered: path, id, and what each is to a session.
    pub(super) suppressed_records: usize,
    pub(super) delivered_records: Vec<(String, String, What)>,
    /// The depth of the smaller answer that was taken instead.
    pub(super) applied_depth: Option<&'static str>,
    /// What brings the larger one back.
    pub(super) restore: String,
    /// What the whole would have cost, where it is known.
    pub(super) whole: Option<u64>,
    /// What the first row of each table costs when nothing in it is cut, where that is more than there is room for.
    pub(super) rows_cost: Option<u64>,
    /// A table was cut, or a string, or a nested list.
    pub(super) compacting: bool,
    /// The document before its strings were cut, where it is not known what that costs.
    pub(super) uncut: Option<Doc>,
    /// The least of lists of which less would cost more.
    pub(super) floors: HashMap<usize, usize>,
    fingerprints: Vec<OnceCell<String>>,
    behind: Vec<OnceCell<String>>,
    /// The last measure, as long as nothing was changed after it.
    latest: RefCell<Option<Standing>>,
    whole_tables: Vec<OnceCell<String>>,
    /// What the document costs, while lists are cut in an encoding of the contract.
    pub(super) ledger: Option<Ledger>,
    /// What stood around the parts when it was measured last, as long as it may be the same.
    shapes: RefCell<Vec<(Shaped, Shape)>>,
}

/// Everything that decides how many bytes stand around the parts, beside tables and continued lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shaped {
    any: bool,
    inside: bool,
    strings: bool,
    /// The estimate, or where it only counts by its length, that.
    estimate: (u64, bool),
}

/// How many bytes stand around the parts when one path stands for all that were cut, and one continuation for all of
/// nested lists.
#[derive(Clone, Copy, Debug)]
struct Shape {
    bytes: i64,
    /// How often the paths are named.
    named: i64,
    /// How many continuations there are, and what those of nested lists cost among them.
    continued: i64,
    continued_bytes: i64,
    /// How many of them are of nested lists.
    nested: i64,
}

/// What a cell holds; made when it holds nothing yet.
fn once(cell: &OnceCell<String>, make: impl FnOnce() -> Result<String>) -> Result<&str> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}

/// What stands around the parts of the answer.
#[derive(Debug, Default)]
pub(super) struct Around {
    /// Right after the counted table, else after all parts.
    pub(super) middle: Vec<(&'static str, Value)>,
    /// At the end.
    pub(super) tail: Vec<(&'static str, Value)>,
    /// Where the page stands, in the places that an answer of the retrieval contract has for it; null: nowhere.
    pub(super) paging: Vec<(&'static str, Value)>,
    /// How often the paths of all cut lists stand in it.
    pub(super) named: i64,
    /// How many continuations its disclosure has.
    pub(super) continued: usize,
}

/// An envelope as it stands: what it costs, and what it serves a session.
#[derive(Debug, Default)]
pub(super) struct Standing {
    pub(super) measure: Measure,
    pub(super) served: Served,
}

/// A measure of the whole envelope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Measure {
    /// `ceil(bytes / 4)`.
    pub(super) tokens: u64,
    /// Line feeds to add at the end, so that an estimate that is part of what it measures comes out exact.
    pub(super) padding: u64,
}

impl<'a, 'c> Run<'a, 'c> {
    pub(super) fn new(
        frame: Frame<'a>,
        controls: &'c Controls,
        surface: &'c ReadOutput,
        environment: &'c Environment<'c>,
    ) -> Run<'a, 'c> {
        let question = super::page::question(&frame, controls, surface);
        let making = Making {
            session: controls.session.as_ref(),
            telling: Telling::of(controls, surface),
            strip: controls.stripped,
            ..Making::default()
        };
        let unknown = || frame.tables.iter().map(|_| OnceCell::new()).collect();
        let (fingerprints, behind, whole_tables) = (unknown(), unknown(), unknown());
        let (applied_depth, restore) = match frame.lowered.clone() {
            Some((depth, restore)) => (Some(depth), restore),
            None => (None, String::new()),
        };
        Run {
            frame,
            controls,
            surface,
            environment,
            making,
            binding: controls.binding(),
            question,
            served_so_far: RefCell::default(),
            nested: Vec::new(),
            suppressed_records: 0,
            delivered_records: Vec::new(),
            applied_depth,
            restore,
            whole: None,
            rows_cost: None,
            compacting: false,
            uncut: None,
            floors: HashMap::new(),
            fingerprints,
            behind,
            latest: RefCell::default(),
            whole_tables,
            ledger: None,
            shapes: RefCell::default(),
        }
    }

    /// The fingerprint of a table's collection, computed at most once.
    pub(super) fn fingerprint(&self, table: usize) -> Result<&str> {
        once(&self.fingerprints[table], || fingerprint::of_table(&self.frame.tables[table], self.surface))
    }

    /// The fingerprint of the collection behind a table's, which begins and is as long as given.
    pub(super) fn fingerprint_behind(&self, table: usize, base: usize, len: usize) -> Result<&str> {
        let made = || fingerprint::of_rows(&self.frame.tables[table], self.surface, base, len);
        once(&self.behind[table], made)
    }

    /// The fingerprint of all rows of a table, by its number.
    pub(super) fn whole_fingerprint(&self, number: usize) -> Result<&str> {
        let table = &self.frame.tables[number];
        once(&self.whole_tables[number], || fingerprint::of_whole(table, self.surface))
    }

    /// How many rows a list has on this page when nothing is cut.
    pub(super) fn full(&self, list: usize) -> usize {
        match self.frame.tables.get(list) {
            Some(table) => table.page,
            None => self.frame.doc.lists[list].items.len(),
        }
    }

    /// Whether the page shows less of a list than it has of it.
    pub(super) fn is_short(&self, list: usize) -> bool {
        self.frame.doc.lists[list].shown < self.full(list)
    }

    /// Shows the first `count` items of a list; rows that are not made yet are made.
    pub(super) fn show(&mut self, list: usize, count: usize) -> Result<()> {
        self.latest.take();
        let is_table = list < self.frame.tables.len();
        if is_table {
            self.frame.make(list, count, &self.making)?;
        }
        self.frame.doc.lists[list].shown = count;
        let Some(ledger) = &mut self.ledger else { return Ok(()) };
        if is_table {
            ledger.made(&self.frame.doc, list);
        }
        ledger.show(list, count);
        let nested = self.nested.iter().position(|nested| nested.at.is_some_and(|(_, own)| own == list));
        if is_table || nested.is_some() {
            self.shapes.borrow_mut().clear();
        }
        if let Some(n) = nested {
            self.tell_continuation(n, list)?;
        }
        Ok(())
    }

    /// Enters into the ledger what the continuation of a nested list costs as it is shown.
    fn tell_continuation(&mut self, n: usize, list: usize) -> Result<()> {
        let continuation = self.nested_continuation(n)?.value();
        if let Some(ledger) = &mut self.ledger {
            ledger.continued(list, &continuation);
        }
        Ok(())
    }

    /// From now on nothing is rendered twice to be measured: every item is, once.
    pub(super) fn keep_account(&mut self) -> Result<()> {
        self.shapes.borrow_mut().clear();
        let style = Style::of(self.controls.format, self.controls.stripped);
        self.ledger = style.map(|style| Ledger::of(&self.frame, style, |key| self.is_later(key)));
        let nested = self.nested.iter().enumerate();
        let lists: Vec<_> = nested.filter_map(|(n, nested)| Some((n, nested.at?.1))).collect();
        lists.into_iter().try_for_each(|(n, list)| self.tell_continuation(n, list))
    }

    /// Makes the rows of the page; stops where they cannot fit any more. True when all are made.
    pub(super) fn fill(&mut self) -> Result<bool> {
        self.latest.take();
        let most = self.binding.tokens.map(|tokens| tokens.saturating_mul(4));
        let mut weight = 0u64;
        let mut complete = true;
        for table in 0..self.frame.tables.len() {
            let page = self.frame.tables[table].page;
            let mut made = 0;
            while made < page && most.is_none_or(|most| weight <= most) {
                let step = if most.is_some() { 1 } else { page };
                self.frame.make(table, made + step, &self.making)?;
                let lists = &self.frame.doc.lists;
                if most.is_some() {
                    weight += Ref::Tree(&lists[table].items[made], lists).weight();
                }
                made += step;
            }
            complete &= made == page;
            self.frame.doc.lists[table].shown = page.min(self.frame.doc.lists[table].items.len());
        }
        Ok(complete)
    }

    /// Everything of the envelope, in order.
    pub(super) fn entries<'s>(&'s self, around: &'s Around) -> Vec<(&'s str, Ref<'s>)> {
        let root = &self.frame.doc.root;
        let lists = &self.frame.doc.lists;
        let after = self.frame.counted.and_then(|table| {
            root.iter().position(|(_, tree)| matches!(tree, Tree::List(list) if *list == table))
        });
        let split = after.map_or(root.len(), |at| at + 1);
        let part = |(key, tree): &'s (String, Tree)| match around.paging.iter().find(|(name, _)| name == key)
        {
            Some((_, Value::Null)) => None,
            Some((_, value)) => Some((key.as_str(), Ref::Value(value))),
            None => Some((key.as_str(), Ref::Tree(tree, lists))),
        };
        let own = |(key, value): &'s (&'static str, Value)| (*key, Ref::Value(value));
        root[..split]
            .iter()
            .filter_map(part)
            .chain(around.middle.iter().map(own))
            .chain(root[split..].iter().filter_map(part))
            .chain(around.tail.iter().map(own))
            .collect()
    }

    /// What the whole envelope costs, receipts included, as it stands.
    pub(super) fn measure(&self) -> Result<Measure> {
        self.measure_with(&self.served_to_session())
    }

    /// The same, with what the receipts were made of.
    pub(super) fn stand(&self) -> Result<Standing> {
        let served = self.served_to_session();
        Ok(Standing { measure: self.measure_with(&served)?, served })
    }

    fn measure_with(&self, served: &Served) -> Result<Measure> {
        if let Some(ledger) = &self.ledger {
            return self.fixed_point(|run, estimate| run.sum(ledger, estimate, served));
        }
        let body = match Style::of(self.controls.format, self.controls.stripped) {
            Some(_) => {
                let lists = &self.frame.doc.lists;
                let mut bytes = Count::default();
                for (key, tree) in self.frame.doc.root.iter().filter(|(key, _)| !self.is_later(key)) {
                    self.entry(&mut bytes, key, Ref::Tree(tree, lists));
                }
                Some(bytes.0)
            }
            None => None,
        };
        let cut = self.cut_as_told();
        self.fixed_point(|run, estimate| {
            let around = run.around(estimate, served, &cut)?;
            let Some(body) = body else { return Ok(run.text(&around, Measure::default()).len() as u64) };
            let bytes = run.around_bytes(&around);
            let any = !run.frame.doc.root.is_empty() || bytes > 0;
            let frame = render::frame_bytes(run.controls.format, run.controls.stripped, any);
            Ok((body + bytes).saturating_add_signed(frame))
        })
    }

    /// The bytes of what stands around the parts.
    fn around_bytes(&self, around: &Around) -> u64 {
        let mut bytes = Count::default();
        let paging = around.paging.iter().filter(|(key, value)| self.has(key) && !value.is_null());
        for (key, value) in around.middle.iter().chain(&around.tail).chain(paging) {
            self.entry(&mut bytes, key, Ref::Value(value));
        }
        bytes.0
    }

    /// The bytes of the envelope by the ledger; only what stands around the parts is rendered, where that is new.
    fn sum(&self, ledger: &Ledger, estimate: u64, served: &Served) -> Result<u64> {
        let sum = ledger.total();
        let shape = self.shape(ledger, sum, estimate, served)?;
        let mut bytes = sum.bytes + shape.bytes;
        let toon = ledger.style() == Style::Toon;
        let more = |from: i64, to: i64| if toon { digits(to) - digits(from) } else { 0 };
        let one = i64::try_from(render::item_bytes(ledger.style(), &Value::from(ONE))).unwrap_or_default();
        bytes += shape.named * (sum.path_bytes - one + more(1, sum.cut));
        if shape.continued > 0 {
            bytes += sum.continued_bytes - shape.continued_bytes;
            bytes += more(shape.continued, shape.continued + sum.continued - shape.nested);
        }
        let any = !self.frame.doc.root.is_empty() || shape.bytes > 0;
        let frame = render::frame_bytes(self.controls.format, self.controls.stripped, any);
        Ok(u64::try_from(bytes + frame).unwrap_or_default())
    }

    fn shape(&self, ledger: &Ledger, sum: Sum, estimate: u64, served: &Served) -> Result<Shape> {
        let cut = self.cut_as_counted(sum);
        // Where more depends on the estimate than how it is written, nothing is kept.
        let exact = self.controls.session.is_some() || self.is_full() && self.controls.want.intent.is_some();
        let within = self.binding.tokens.is_none_or(|most| estimate <= most);
        let length = u64::from(estimate.max(1).ilog10());
        let key = Shaped {
            any: cut.any(),
            inside: cut.inside(),
            strings: cut.strings,
            estimate: if exact { (estimate, within) } else { (length, within) },
        };
        if let Some((_, shape)) = self.shapes.borrow().iter().find(|(known, _)| *known == key) {
            return Ok(*shape);
        }
        let around = self.around(estimate, served, &cut)?;
        let first = cut.nested().next().and_then(|n| self.nested[n].at);
        let shape = Shape {
            bytes: i64::try_from(self.around_bytes(&around)).unwrap_or(i64::MAX),
            named: around.named,
            continued: i64::try_from(around.continued).unwrap_or(i64::MAX),
            continued_bytes: first.map_or(0, |(_, list)| ledger.continued_bytes(list)),
            nested: i64::from(first.is_some()),
        };
        if !exact {
            self.shapes.borrow_mut().push((key, shape));
        }
        Ok(shape)
    }

    /// Finds the smallest estimate that is true when it is written into what it estimates. It must be the smallest: an
    /// estimate above the ceiling says `false` where one below says `true`, a letter less.
    pub(super) fn fixed_point(&self, bytes: impl Fn(&Self, u64) -> Result<u64>) -> Result<Measure> {
        let mut estimate = 0;
        let mut largest = 0;
        for _ in 0..8 {
            let tokens = bytes(self, estimate)?.div_ceil(4);
            if tokens == estimate {
                return Ok(Measure { tokens, padding: 0 });
            }
            largest = largest.max(tokens);
            estimate = tokens;
        }
        // It runs in a circle: the larger value is made true.
        let size = bytes(self, largest)?;
        let floor = (largest - 1) * 4 + 1;
        let padding = floor.saturating_sub(size);
        Ok(Measure { tokens: (size + padding).div_ceil(4), padding })
    }

    /// Whether a part is written by the stages.
    fn is_later(&self, key: &str) -> bool {
        self.surface.retrieval.is_some() && matches!(key, "offset" | "next_offset")
    }

    fn entry(&self, out: &mut Count, key: &str, place: Ref<'_>) {
        render::entry(out, self.controls.format, self.controls.stripped, key, place);
    }

    /// Whether the envelope fits as it stands.
    pub(super) fn fits(&self) -> Result<bool> {
        let Some(most) = self.binding.tokens else { return Ok(true) };
        Ok(self.keep(self.stand()?) <= most)
    }

    /// Keeps a measure of the envelope as it stands. Gives its tokens.
    pub(super) fn keep(&self, standing: Standing) -> u64 {
        self.latest.borrow_mut().insert(standing).measure.tokens
    }

    /// Sets another ceiling.
    pub(super) fn rebind(&mut self, tokens: Option<u64>) {
        self.binding.tokens = tokens;
        self.latest.take();
        self.shapes.borrow_mut().clear();
    }

    /// The measure of the envelope as it stands, where it was the last thing that was done; else it is measured.
    pub(super) fn measured(&self) -> Result<Standing> {
        self.latest.take().map_or_else(|| self.stand(), Ok)
    }

    /// The text of the envelope.
    pub(super) fn text(&self, around: &Around, measure: Measure) -> String {
        self.write(&self.entries(around), measure)
    }

    /// The text of what stands around an answer that is not there.
    pub(super) fn alone(&self, around: &Around) -> String {
        let entries: Vec<_> = around.tail.iter().map(|(key, value)| (*key, Ref::Value(value))).collect();
        self.write(&entries, Measure::default())
    }

    fn write(&self, entries: &[(&str, Ref<'_>)], measure: Measure) -> String {
        let mut out = String::with_capacity(usize::try_from(measure.tokens * 4).unwrap_or_default());
        let Controls { format, stripped, .. } = self.controls;
        match format {
            Format::Toon | Format::Json | Format::Compact => {
                render::write(&mut out, *format, *stripped, entries)
            }
            _ => view::write(&mut out, *format, entries, self.environment, self.surface.surface),
        }
        out
    }

    /// Whether all descriptive keys are wanted.
    pub(super) fn is_full(&self) -> bool {
        self.controls.envelope == Envelope::Full
    }

    /// What the receipt of a session is made of; nothing where there is no session.
    pub(super) fn served_to_session(&self) -> Served {
        if self.controls.session.is_some() { self.served() } else { Served::default() }
    }

    /// The ids that the page really tells of, in its order.
    pub(super) fn served_in_order(&self) -> Vec<String> {
        let (mut ids, mut known) = (Vec::new(), HashSet::new());
        let mut add = |id: &String| {
            if known.insert(id.clone()) {
                ids.push(id.clone());
            }
        };
        self.delivered_records.iter().for_each(|(_, id, _)| add(id));
        for table in self.frame.tables.iter().filter(|table| table.primary) {
            let shown = &table.made[..self.frame.doc.lists[table.list].shown];
            let told = shown.iter().filter(|made| made.what != What::Reference);
            told.filter_map(|made| made.id.as_ref()).for_each(&mut add);
        }
        ids
    }
}
