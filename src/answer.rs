//! What a command returns: named parts in wire order, rows made only when they are asked for.
//!
//! A command says what it found; it never limits, pages, shortens, counts or prints. Those are the stages of
//! [`crate::read_output`], which also adds `count`, `total`, `has_more`, `next_cursor`, `completeness`, `warnings`
//! and the receipts. So an ordinary command ends like this:
//!
//! ```
//! use pm::answer::{Answer, Row, Rows};
//! use serde_json::json;
//!
//! # fn demo(ids: Vec<String>, limit: Option<usize>) -> Answer<'static> {
//! Answer::new()
//!     .rows(
//!         "items",
//!         Rows::lazy(ids.len(), move |n| Ok(Row::from_iter([("id".to_owned(), json!(ids[n]))])))
//!             .columns(["id"])
//!             .limited(limit),
//!     )
//!     .question(json!({"status": "open"}))
//!     .echo("filters", json!({"status": "open"}))
//!     .omits("full_item_fields", "--output-include full")
//! # }
//! # assert_eq!(demo(vec!["pm-a1".into()], None).parts.len(), 2);
//! ```

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::error::Result;

/// One row of a collection; its keys are dynamic because trackers declare fields of their own.
pub type Row = Map<String, Value>;

/// A row of these fields, in this order.
pub fn row<const N: usize>(fields: [(&str, Value); N]) -> Row {
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// What a session calls rows that name themselves otherwise than by `id`.
pub trait Identified {
    /// What it calls a row.
    fn identity(&self, row: usize) -> String;
    /// Whether the caller has the row already, at least as deep as it would be shown.
    fn has(&self, row: usize, seen: &BTreeSet<String>) -> bool;
    /// What stays of a row that the caller has; the reference is added.
    fn reference(&self, row: usize) -> Row;
}

type Name<'a> = Box<dyn Fn(usize) -> String + 'a>;
type Make<'a> = Box<dyn Fn(usize) -> Result<Value> + 'a>;

/// A collection of rows of a known length; a row is made when a stage or a renderer asks for it.
///
/// By default a cut keeps the first rows. Everything that says how the collection is to be cut stands here and is
/// done by the stages.
pub struct Rows<'a> {
    pub(crate) total: usize,
    pub(crate) make: Make<'a>,
    pub(crate) keys: Option<Name<'a>>,
    pub(crate) names: Option<Name<'a>>,
    pub(crate) cursors: Option<Name<'a>>,
    pub(crate) endless: bool,
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) optional: Vec<String>,
    pub(crate) limit: Option<usize>,
    pub(crate) offset: usize,
    pub(crate) newest_last: bool,
    pub(crate) digest: Option<Box<dyn Fn() -> String + 'a>>,
    pub(crate) steady: bool,
    pub(crate) bounded: bool,
    pub(crate) served: Option<Box<dyn Identified + 'a>>,
}

impl<'a> Rows<'a> {
    /// Rows that are computed one by one; `make` must give the same row for the same index.
    pub fn lazy(total: usize, make: impl Fn(usize) -> Result<Row> + 'a) -> Rows<'a> {
        Rows::of(total, Box::new(move |n| make(n).map(Value::Object)))
    }

    /// Rows that exist already.
    pub fn ready(rows: Vec<Row>) -> Rows<'static> {
        Rows::values(rows.into_iter().map(Value::Object).collect())
    }

    /// Rows that need not be objects: ids, sentences.
    pub fn values(rows: Vec<Value>) -> Rows<'static> {
        Rows::of(rows.len(), Box::new(move |n| Ok(rows[n].clone())))
    }

    /// The entries of an object, in order; on the wire it stays an object (`stats.by_status`, `graph.nodes`).
    pub fn entries(entries: Vec<(String, Value)>) -> Rows<'static> {
        let (keys, rows): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        let mut all = Rows::values(rows);
        all.keys = Some(Box::new(move |n| keys[n].clone()));
        all
    }

    fn of(total: usize, make: Make<'a>) -> Rows<'a> {
        Rows {
            total,
            make,
            keys: None,
            names: None,
            cursors: None,
            endless: false,
            columns: None,
            optional: Vec::new(),
            limit: None,
            offset: 0,
            newest_last: false,
            digest: None,
            steady: false,
            bounded: false,
            served: None,
        }
    }

    /// The fields of the projection, in order: the columns of the table in TOON, where a field that a row lacks is
    /// a null cell. Without it the columns are those of the rows shown.
    pub fn columns<S: Into<String>>(mut self, fields: impl IntoIterator<Item = S>) -> Rows<'a> {
        self.columns = Some(fields.into_iter().map(Into::into).collect());
        self
    }

    /// Rows of an overview, made one by one: the first `most`, or, where the call says how many it wants (`asked`), all of
    /// them, on pages of so many.
    pub fn first(
        total: usize,
        most: usize,
        asked: bool,
        make: impl Fn(usize) -> Result<Row> + 'a,
    ) -> Rows<'a> {
        let page = Some(most).filter(|most| asked && *most < usize::MAX);
        Rows::lazy(if asked { total } else { total.min(most) }, make).limited(page)
    }

    /// Columns that a page leaves out when no row of it says anything there: to lack such a field and to have it without
    /// a value are the same.
    pub fn optional<S: Into<String>>(mut self, fields: impl IntoIterator<Item = S>) -> Rows<'a> {
        self.optional = fields.into_iter().map(Into::into).collect();
        self
    }

    /// The command's own `--limit`; `--output-limit` is stronger.
    pub fn limited(mut self, limit: Option<usize>) -> Rows<'a> {
        self.limit = limit;
        self
    }

    /// The command's own `--offset`: so many rows are passed over, `total` still counts them.
    pub fn from_offset(mut self, offset: usize) -> Rows<'a> {
        self.offset = offset;
        self
    }

    /// The rows run from old to new and a cut must keep the newest: limits, pages and compaction work from the end,
    /// the rows of a page stay in the order given here (history, activity, comments).
    pub fn newest_last(mut self) -> Rows<'a> {
        self.newest_last = true;
        self
    }

    /// What a cursor calls a row, where several rows may tell of one item: the same name for the same row always.
    pub fn named(mut self, name: impl Fn(usize) -> String + 'a) -> Rows<'a> {
        self.names = Some(Box::new(name));
        self
    }

    /// The cursor with which the command goes on after a row. Such rows are never paged by position: the command gives
    /// those after the cursor that it was given.
    pub fn continued_by(mut self, cursor: impl Fn(usize) -> String + 'a) -> Rows<'a> {
        self.cursors = Some(Box::new(cursor));
        self.endless = true;
        self
    }

    /// The same for rows that end: after the last one there is no cursor.
    pub fn continued_to_the_end_by(mut self, cursor: impl Fn(usize) -> String + 'a) -> Rows<'a> {
        self.cursors = Some(Box::new(cursor));
        self
    }

    /// A digest of the content of all rows that is cheaper than making them; it must change whenever any row would.
    /// Cursors carry it to notice that the collection has changed.
    pub fn digest(mut self, digest: impl Fn() -> String + 'a) -> Rows<'a> {
        self.digest = Some(Box::new(digest));
        self
    }

    /// The same for rows whose fields give way to a budget: a cursor goes on whichever of them a page shows.
    pub fn steady_digest(mut self, digest: impl Fn() -> String + 'a) -> Rows<'a> {
        self.steady = true;
        self.digest(digest)
    }

    /// `--output-limit` bounds these rows as it does those that the contract declares.
    pub fn bounded(mut self) -> Rows<'a> {
        self.bounded = true;
        self
    }

    /// How a session knows the rows, where they have no `id`.
    pub fn served(mut self, served: Box<dyn Identified + 'a>) -> Rows<'a> {
        self.served = Some(served);
        self
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
    pub fn get(&self, index: usize) -> Result<Value> {
        (self.make)(index)
    }
}

impl fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows({})", self.total)
    }
}

/// One part of an answer.
#[expect(clippy::large_enum_variant, reason = "an answer has few parts, most of them small values")]
#[derive(Debug)]
pub enum Part<'a> {
    /// A plain value; stages leave it alone, but for nested lists when nothing else is left to cut.
    Value(Value),
    /// One item or another object with an `id`: never loses a field, is recorded by sessions and replaced by a
    /// reference when the session has it already (`get.item`, `next.recommended`).
    Record(Value),
    /// A table: the stages project, limit, page and compact it.
    Rows(Rows<'a>),
    /// An object whose parts are parts again: `graph.nodes` is `Group{nodes: Rows}` under `graph`.
    Group(Answer<'a>),
    /// A description of the question: only in the full envelope (`filters`, `projection`, `now`, ...).
    Echo(Value),
}

/// A group of fields that the projection leaves out, and the control that brings it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omission {
    /// `body`, `full_item_fields`, ...
    pub name: String,
    /// Something to add to the call: `--output-include full`.
    pub restore_with: String,
}

/// How much of the tracker the answer is based on.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Completeness {
    /// Files and folders that could not be served: path below the tracker root, error code, what is wrong.
    pub unreadable: Vec<(String, String, String)>,
    /// How many of these are folders.
    pub unreadable_directories: usize,
}

impl Completeness {
    /// The command that names all of them, page by page.
    pub(crate) const ALL: &'static str = "pm validate --check-storage-integrity";

    /// What could not be served, by path, error code and problem; what has no extension of an item file is a folder.
    pub fn of<'a>(unreadable: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> Completeness {
        let own = |(path, code, problem): (&str, &str, &str)| {
            (path.to_owned(), code.to_owned(), problem.lines().next().unwrap_or_default().to_owned())
        };
        let unreadable: Vec<(String, String, String)> = unreadable.map(own).collect();
        let is_file = |path: &str| path.ends_with(".toon") || path.ends_with(".md");
        let unreadable_directories = unreadable.iter().filter(|(path, ..)| !is_file(path)).count();
        Completeness { unreadable, unreadable_directories }
    }
}

/// A smaller answer to the same question, made only when the first does not fit (`get` at brief depth).
pub struct Fallback<'a> {
    pub(crate) depth: &'static str,
    pub(crate) restore: String,
    /// It is taken only where all of it fits; else the first answer is cut.
    pub(crate) whole: bool,
    pub(crate) make: Box<dyn FnOnce() -> Result<Answer<'a>> + 'a>,
}

impl fmt::Debug for Fallback<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fallback({})", self.depth)
    }
}

/// What comes after an answer that has no end (`events --follow`).
pub struct Follow<'a> {
    /// How long to wait when nothing is new.
    pub interval: Duration,
    /// After how long without news to end; never, when nobody says.
    pub idle: Option<Duration>,
    /// Makes the next answer; none while nothing is new.
    pub next: Next<'a>,
}

/// Makes the next answer of a [`Follow`].
pub type Next<'a> = Box<dyn FnMut() -> Result<Option<Answer<'a>>> + 'a>;

impl fmt::Debug for Follow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Follow(every {:?})", self.interval)
    }
}

/// Names that select something in answers of a kind, also where the answer at hand lacks it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nameable {
    /// Fields of its rows and records.
    pub fields: Vec<String>,
    /// Parts.
    pub sections: Vec<&'static str>,
}

/// What a command returns: parts by key, in wire order.
#[derive(Default)]
pub struct Answer<'a> {
    /// The parts.
    pub parts: IndexMap<String, Part<'a>>,
    /// Warnings, in the order in which they arose; shown when there are any.
    pub warnings: Vec<String>,
    /// What could not be read; shown when it is partial.
    pub completeness: Option<Completeness>,
    /// What the projection leaves out.
    pub omissions: Vec<Omission>,
    /// What may be asked for by name though this answer has nothing of it.
    pub nameable: Nameable,
    /// The normalised question, presentation left out: two calls with equal questions list the same rows in the same
    /// order. An answer that has it is paged by item (`next_cursor` names the last id), else by content.
    pub question: Option<Value>,
    /// A smaller answer for when this one does not fit.
    pub fallback: Option<Fallback<'a>>,
    /// At which depth the rows are told because of a bound that the command kept by itself, and what to add to the call
    /// so that they are told in full.
    pub lowered: Option<(&'static str, String)>,
    /// How a session knows the record, where it has no `id`.
    pub served: Option<Box<dyn Identified + 'a>>,
    /// The exit code of the process when nothing else goes wrong.
    pub exit_code: u8,
    /// What comes after this answer.
    pub follow: Option<Follow<'a>>,
    /// What is printed as it stands instead of the parts, unless JSON is asked for.
    pub raw: Option<String>,
    /// What comes after this answer is a conversation over the standard streams; says which tools it offers.
    pub converse: Option<String>,
}

impl fmt::Debug for Answer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("parts", &self.parts)
            .field("warnings", &self.warnings)
            .finish_non_exhaustive()
    }
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

    /// Adds one item or another object with an `id`.
    pub fn record(self, key: &str, record: impl Into<Value>) -> Answer<'a> {
        self.part(key, Part::Record(record.into()))
    }

    /// Adds a table.
    pub fn rows(self, key: &str, rows: Rows<'a>) -> Answer<'a> {
        self.part(key, Part::Rows(rows))
    }

    /// Adds an object of parts.
    pub fn group(self, key: &str, group: Answer<'a>) -> Answer<'a> {
        self.part(key, Part::Group(group))
    }

    /// Adds a description of the question, shown in the full envelope only. Parts keep the order in which they are
    /// added; the counts stand right after the table they count.
    pub fn echo(self, key: &str, value: impl Into<Value>) -> Answer<'a> {
        self.part(key, Part::Echo(value.into()))
    }

    /// Adds a warning.
    pub fn warn(mut self, warning: impl Into<String>) -> Answer<'a> {
        self.warnings.push(warning.into());
        self
    }

    /// Says how much of the tracker could be read.
    pub fn completeness(mut self, completeness: Completeness) -> Answer<'a> {
        self.completeness = Some(completeness);
        self
    }

    /// Names a group of fields that the projection leaves out.
    pub fn omits(mut self, name: &str, restore_with: &str) -> Answer<'a> {
        self.omissions.push(Omission { name: name.to_owned(), restore_with: restore_with.to_owned() });
        self
    }

    /// Says what may be asked for by name though this answer has nothing of it.
    pub fn nameable(mut self, fields: Vec<String>, sections: &[&'static str]) -> Answer<'a> {
        self.nameable = Nameable { fields, sections: sections.to_vec() };
        self
    }

    /// States the normalised question, see [`Answer::question`].
    pub fn question(mut self, question: impl Into<Value>) -> Answer<'a> {
        self.question = Some(question.into());
        self
    }

    /// Offers a smaller answer for when this one does not fit.
    pub fn fallback(
        mut self,
        depth: &'static str,
        make: impl FnOnce() -> Result<Answer<'a>> + 'a,
    ) -> Answer<'a> {
        self.fallback = Some(Fallback { depth, restore: String::new(), whole: false, make: Box::new(make) });
        self
    }

    /// Offers the same rows with fewer fields, for when they fit like that and not as they are: fields give way before
    /// rows do. A page that cannot hold all of them holds whole rows.
    pub fn with_fewer_fields(
        self,
        depth: &'static str,
        make: impl FnOnce() -> Result<Answer<'a>> + 'a,
    ) -> Answer<'a> {
        let mut answer = self.fallback(depth, make);
        if let Some(fallback) = &mut answer.fallback {
            fallback.whole = true;
        }
        answer
    }

    /// Says what to add to the call so that the smaller answer is not taken.
    pub fn restoring(mut self, with: impl Into<String>) -> Answer<'a> {
        if let Some(fallback) = &mut self.fallback {
            fallback.restore = with.into();
        }
        self
    }

    /// Says that the command lowered its rows to a depth, and what to add to the call so that it does not.
    pub fn lowered(mut self, depth: &'static str, restore: impl Into<String>) -> Answer<'a> {
        self.lowered = Some((depth, restore.into()));
        self
    }

    /// Sets the exit code (`health --strict-exit`).
    pub fn exit(mut self, code: u8) -> Answer<'a> {
        self.exit_code = code;
        self
    }

    /// Goes on after this answer.
    pub fn follow(mut self, follow: Follow<'a>) -> Answer<'a> {
        self.follow = Some(follow);
        self
    }

    /// Prints a text as it stands, unless JSON is asked for.
    pub fn raw(mut self, text: impl Into<String>) -> Answer<'a> {
        self.raw = Some(text.into());
        self
    }

    /// Goes on as a server that speaks the Model Context Protocol over the standard streams.
    pub fn converse(mut self, tools: impl Into<String>) -> Answer<'a> {
        self.converse = Some(tools.into());
        self
    }

    /// Adds a part.
    pub fn part(mut self, key: &str, part: Part<'a>) -> Answer<'a> {
        self.parts.insert(key.to_owned(), part);
        self
    }
}
