//! What a command returns: named parts in wire order, rows made only when they are asked for.

use std::fmt;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::error::Result;

/// One row of a collection; its keys are dynamic because trackers declare fields of their own.
pub type Row = Map<String, Value>;

/// A collection of rows of a known length; a row is made when a stage or a renderer asks for it.
pub struct Rows<'a> {
    total: usize,
    make: Box<dyn Fn(usize) -> Result<Row> + 'a>,
}

impl<'a> Rows<'a> {
    /// Rows that are computed one by one; `make` must give the same row for the same index.
    pub fn lazy(total: usize, make: impl Fn(usize) -> Result<Row> + 'a) -> Rows<'a> {
        Rows { total, make: Box::new(make) }
    }

    /// Rows that exist already.
    pub fn ready(rows: Vec<Row>) -> Rows<'static> {
        let total = rows.len();
        Rows { total, make: Box::new(move |n| Ok(rows[n].clone())) }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.total
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Makes row `index`, which must be below [`Rows::len`].
    pub fn get(&self, index: usize) -> Result<Row> {
        (self.make)(index)
    }
}

impl fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows({})", self.total)
    }
}

/// One part of an answer.
#[derive(Debug)]
pub enum Part<'a> {
    /// A plain value; stages leave it alone, but for nested lists when nothing else is left to cut.
    Value(Value),
    /// A table: the stages project, limit, page and compact it.
    Rows(Rows<'a>),
    /// An object whose parts are parts again: `graph.nodes` is `Group{nodes: Rows}` under `graph`.
    Group(Answer<'a>),
    /// A description of the question: only in the full envelope (`filters`, `projection`, `now`, ...).
    Echo(Value),
}

/// What a command returns: parts by key, in wire order.
#[derive(Debug, Default)]
pub struct Answer<'a> {
    /// The parts.
    pub parts: IndexMap<String, Part<'a>>,
    /// Warnings, in the order in which they arose; shown when there are any.
    pub warnings: Vec<String>,
}

impl<'a> Answer<'a> {
    /// An answer without parts.
    pub fn new() -> Answer<'a> {
        Answer::default()
    }

    /// Adds a plain value.
    pub fn value(self, key: &str, value: impl Into<Value>) -> Answer<'a> {
        self.part(key, Part::Value(value.into()))
    }

    /// Adds a table.
    pub fn rows(self, key: &str, rows: Rows<'a>) -> Answer<'a> {
        self.part(key, Part::Rows(rows))
    }

    /// Adds an object of parts.
    pub fn group(self, key: &str, group: Answer<'a>) -> Answer<'a> {
        self.part(key, Part::Group(group))
    }

    /// Adds a description of the question, shown in the full envelope only.
    pub fn echo(self, key: &str, value: impl Into<Value>) -> Answer<'a> {
        self.part(key, Part::Echo(value.into()))
    }

    /// Adds a warning.
    pub fn warn(mut self, warning: impl Into<String>) -> Answer<'a> {
        self.warnings.push(warning.into());
        self
    }

    /// Adds a part.
    pub fn part(mut self, key: &str, part: Part<'a>) -> Answer<'a> {
        self.parts.insert(key.to_owned(), part);
        self
    }
}
