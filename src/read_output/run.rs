//! One read on its way: the frame, what is asked of it, and what has been taken away so far.

use std::cell::{Cell, OnceCell};
use std::collections::HashSet;

use serde_json::Value;

use super::controls::{Ceiling, Controls, Envelope};
use super::environment::Environment;
use super::facts::{Served, Telling, What};
use super::fingerprint;
use super::frame::{Frame, Making};
use super::render::{self, Count, Format};
use super::tree::{Doc, Ref, Tree};
use super::view;
use crate::contract::ReadOutput;
use crate::error::Result;

/// A nested list that a cursor can continue.
#[derive(Debug)]
pub(super) struct Nested {
    pub(super) list: usize,
    /// Where it stands on this page.
    pub(super) path: String,
    /// Where it stands in the whole, which is what a cursor says.
    pub(super) place: String,
    pub(super) total: usize,
    /// So many have been served by earlier pages.
    pub(super) start: usize,
    pub(super) fingerprint: String,
}

/// One read on its way.
pub(super) struct Run<'a, 'c> {
    pub(super) frame: Frame<'a>,
    pub(super) controls: &'c Controls,
    pub(super) surface: &'c ReadOutput,
    pub(super) environment: &'c Environment<'c>,
    pub(super) making: Making<'c>,
    pub(super) binding: Ceiling,
    pub(super) question: String,
    pub(super) nested: Vec<Nested>,
    /// Records that were replaced by references, and those delivered: path, id, and what each is to a session.
    pub(super) suppressed_records: usize,
    pub(super) delivered_records: Vec<(String, String, What)>,
    /// The depth of the smaller answer that was taken instead.
    pub(super) applied_depth: Option<&'static str>,
    /// What brings the larger one back.
    pub(super) restore: &'static str,
    /// What the whole would have cost, where it is known.
    pub(super) whole: Option<u64>,
    /// What the first row of each table costs when nothing in it is cut, where that is more than there is room for.
    pub(super) rows_cost: Option<u64>,
    /// A table was cut, or a string, or a nested list.
    pub(super) compacting: bool,
    /// The document before its strings were cut.
    pub(super) uncut: Option<Doc>,
    fingerprints: Vec<OnceCell<String>>,
    behind: Vec<OnceCell<String>>,
    /// The last measure, as long as nothing was changed after it.
    latest: Cell<Option<Measure>>,
    whole_tables: Vec<OnceCell<String>>,
    /// How often it was measured.
    #[cfg(test)]
    pub(super) renderings: Cell<u32>,
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
        Run {
            frame,
            controls,
            surface,
            environment,
            making,
            binding: controls.binding(),
            question,
            nested: Vec::new(),
            suppressed_records: 0,
            delivered_records: Vec::new(),
            applied_depth: None,
            restore: "",
            whole: None,
            rows_cost: None,
            compacting: false,
            uncut: None,
            fingerprints,
            behind,
            latest: Cell::new(None),
            whole_tables,
            #[cfg(test)]
            renderings: Cell::default(),
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

    /// The fingerprint of all rows of a collection, by its number; nested ones come after the tables.
    pub(super) fn whole_fingerprint(&self, number: usize) -> Result<&str> {
        let Some(table) = self.frame.tables.get(number) else {
            let nested = self.nested.get(number - self.frame.tables.len());
            return Ok(nested.map_or("", |nested| nested.fingerprint.as_str()));
        };
        once(&self.whole_tables[number], || fingerprint::of_whole(table, self.surface))
    }

    /// How many rows a list has on this page when nothing is cut.
    pub(super) fn full(&self, list: usize) -> usize {
        match self.frame.tables.get(list) {
            Some(table) => table.page,
            None => self.frame.doc.lists[list].items.len(),
        }
    }

    /// Shows the first `count` items of a list; rows that are not made yet are made.
    pub(super) fn show(&mut self, list: usize, count: usize) -> Result<()> {
        self.latest.set(None);
        if list < self.frame.tables.len() {
            self.frame.make(list, count, &self.making)?;
        }
        self.frame.doc.lists[list].shown = count;
        Ok(())
    }

    /// Makes the rows of the page; stops where they cannot fit any more. True when all are made.
    pub(super) fn fill(&mut self) -> Result<bool> {
        self.latest.set(None);
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
        #[cfg(test)]
        self.renderings.set(self.renderings.get() + 1);
        let body = match self.controls.format {
            Format::Toon | Format::Json | Format::Compact => {
                let lists = &self.frame.doc.lists;
                let mut bytes = Count::default();
                for (key, tree) in self.frame.doc.root.iter().filter(|(key, _)| !self.is_later(key)) {
                    self.entry(&mut bytes, key, Ref::Tree(tree, lists));
                }
                Some(bytes.0)
            }
            _ => None,
        };
        let served = self.served_to_session();
        self.fixed_point(|run, estimate| {
            let around = run.around_with(estimate, &served)?;
            let Some(body) = body else { return Ok(run.text(&around, Measure::default()).len() as u64) };
            let mut bytes = Count(body);
            let paging = around.paging.iter().filter(|(key, value)| run.has(key) && !value.is_null());
            for (key, value) in around.middle.iter().chain(&around.tail).chain(paging) {
                run.entry(&mut bytes, key, Ref::Value(value));
            }
            let any = !run.frame.doc.root.is_empty() || bytes.0 > body;
            let frame = render::frame_bytes(run.controls.format, run.controls.stripped, any);
            Ok(bytes.0.saturating_add_signed(frame))
        })
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
        let measure = self.measure()?;
        self.latest.set(Some(measure).filter(|measure| measure.tokens <= most));
        Ok(measure.tokens <= most)
    }

    /// The measure of the envelope as it stands, where it was the last thing that was done; else it is measured.
    pub(super) fn measured(&self) -> Result<Measure> {
        self.latest.take().map_or_else(|| self.measure(), Ok)
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
