//! An answer between command and bytes: its document, the tables whose rows are still being made, what was found.

use std::collections::BTreeMap;

use serde_json::Value;

use super::controls::{Controls, Envelope};
use super::facts::{self, Telling, What};
use super::nested::Group;
use super::session::Session;
use super::tree::{Doc, List, Tree};
use crate::answer::{Answer, Completeness, Fallback, Identified, Nameable, Omission, Part, Rows};
use crate::error::Result;

/// What happens to a row when it is made.
#[derive(Debug, Default)]
pub(super) struct Making<'c> {
    /// Replaces rows that the caller has.
    pub(super) session: Option<&'c Session>,
    /// How the rows tell of items.
    pub(super) telling: Telling,
    /// Cuts long strings.
    pub(super) shorten: bool,
    /// Turns nested lists into lists of the document.
    pub(super) explode: bool,
    /// Drops nulls and empty containers.
    pub(super) strip: bool,
}

/// What a page has to do with a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Turn {
    /// It tells its rows.
    #[default]
    Here,
    /// It holds the nested lists that the page continues, and tells nothing else.
    Around,
    /// It tells nothing: its rows were served by earlier pages, or come after.
    Elsewhere,
}

/// A row that was made.
#[derive(Clone, Debug)]
pub(super) struct Made {
    /// What it tells of.
    pub(super) id: Option<String>,
    /// What it is to a session.
    pub(super) what: What,
}

/// A row collection of the answer.
#[derive(Debug)]
pub(super) struct Table<'a> {
    /// Its list in the document.
    pub(super) list: usize,
    pub(super) path: String,
    pub(super) rows: Rows<'a>,
    /// Declared by the contract: bounded by `--output-limit`, projected, counted as served.
    pub(super) primary: bool,
    /// The fields to keep.
    pub(super) projection: Option<Vec<String>>,
    /// The fields to keep of fields that are objects, by field.
    pub(super) inner: BTreeMap<String, Vec<String>>,
    /// The collection is `len` rows from here on; counted in serving order.
    pub(super) base: usize,
    pub(super) len: usize,
    /// So many of the collection have been served by earlier pages.
    pub(super) start: usize,
    /// So many may be shown on this page.
    pub(super) page: usize,
    /// Whether the page tells its rows.
    pub(super) turn: Turn,
    /// The nested lists that the page continues, each a row of it.
    pub(super) group: Option<Group>,
    /// A limit of either kind decides `page` or `len`.
    pub(super) limited: bool,
    /// What the rows made are to a session.
    pub(super) made: Vec<Made>,
    /// The least that compaction leaves.
    pub(super) least: usize,
}

impl Table<'_> {
    /// Whether `--output-limit` says how many rows a page has.
    pub(super) fn is_bounded(&self) -> bool {
        self.primary || self.rows.bounded
    }

    /// Leaves the table out of the page.
    pub(super) fn hold(&mut self) {
        self.turn = Turn::Elsewhere;
        (self.page, self.limited, self.least) = (0, false, 0);
    }

    /// How many of the answer's rows have been served when the page shows so many.
    pub(super) fn served(&self, shown: usize) -> usize {
        self.base + self.start + shown
    }

    /// The position in the answer's rows of the n-th row of the page.
    pub(super) fn position(&self, n: usize) -> usize {
        self.place(self.base + self.start + n)
    }

    /// Where the collection begins that lies behind this one, and its length; none when there is none.
    pub(super) fn behind(&self) -> Option<(usize, usize)> {
        let base = self.base + self.len;
        let rest = self.rows.total.checked_sub(base).filter(|rest| *rest > 0)?;
        let len = self.rows.limit.map_or(rest, |limit| limit.min(rest));
        (len > 0).then_some((base, len))
    }

    /// The position in the answer's rows of a place in serving order.
    pub(super) fn place(&self, serving: usize) -> usize {
        if self.rows.newest_last { self.rows.total - 1 - serving } else { serving }
    }

    /// The row at a place in serving order, as it is projected.
    pub(super) fn row_at(&self, serving: usize) -> Result<Value> {
        Ok(self.projected(self.rows.get(self.place(serving))?))
    }

    /// The row at a position as it is told, and what it is to a session.
    fn told(&self, position: usize, making: &Making<'_>) -> Result<(Made, Value)> {
        if let (Some(session), Some(served)) = (making.session, &self.rows.served) {
            let id = served.identity(position);
            if served.has(position, &session.seen) {
                let row = session.with_reference(served.reference(position), &id);
                return Ok((Made { id: Some(id), what: What::Reference }, row));
            }
            let made = Made { id: Some(id), what: What::Named };
            return Ok((made, self.projected(self.rows.get(position)?)));
        }
        let row = self.rows.get(position)?;
        let item = facts::item_id(&row).filter(|_| self.primary && making.telling != Telling::Otherwise);
        let (id, item) = (identity(&row).map(str::to_owned), item.map(str::to_owned));
        let row = self.projected(row);
        // What a row without its id says is of no item that the caller knows.
        let item = item.filter(|id| row["id"] == id.as_str());
        let what = if item.is_some() { What::Item } else { What::Other };
        let made = Made { id, what };
        match item.and_then(|id| Some((making.session?, id))) {
            Some((session, id)) if session.has_facts(&id, &row, making.telling) => {
                Ok((Made { what: What::Reference, ..made }, session.reference(&id)))
            }
            _ => Ok((made, row)),
        }
    }

    /// A row as the projection leaves it.
    pub(super) fn projected(&self, row: Value) -> Value {
        match (&self.projection, row) {
            (Some(keep), Value::Object(mut map)) => {
                map.retain(|key, _| keep.iter().any(|k| k == key));
                narrow(&mut map, &self.inner);
                Value::Object(map)
            }
            (_, row) => row,
        }
    }
}

/// Leaves of fields that are objects only what is named.
pub(super) fn narrow(map: &mut serde_json::Map<String, Value>, inner: &BTreeMap<String, Vec<String>>) {
    for (field, keep) in inner {
        if let Some(Value::Object(own)) = map.get_mut(field) {
            own.retain(|key, _| keep.contains(key));
        }
    }
}

/// The id of a row: its own, that of the item it speaks of, or that of the item in it.
pub(super) fn identity(row: &Value) -> Option<&str> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::len);
    let object = row.as_object()?;
    for key in ["id", "item_id"] {
        if text(object.get(key)).is_some() {
            return object.get(key).and_then(Value::as_str);
        }
    }
    object.get("item")?.get("id")?.as_str()
}

/// An answer between command and bytes.
pub(super) struct Frame<'a> {
    pub(super) doc: Doc,
    pub(super) tables: Vec<Table<'a>>,
    /// The keys of descriptions, which compaction leaves alone.
    pub(super) echoes: Vec<String>,
    /// The paths of records: objects that speak of one item.
    pub(super) records: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) completeness: Option<Completeness>,
    pub(super) omissions: Vec<Omission>,
    pub(super) nameable: Nameable,
    pub(super) question: Option<Value>,
    pub(super) fallback: Option<Fallback<'a>>,
    /// The depth that the command lowered its rows to, and what undoes it.
    pub(super) lowered: Option<(&'static str, String)>,
    /// How a session knows the record.
    pub(super) served: Option<Box<dyn Identified + 'a>>,
    pub(super) exit_code: u8,
    /// The table that `count` and `total` count.
    pub(super) counted: Option<usize>,
    /// The collections whose turn comes when this page's is at its end, see [`super::cursor::Cursor`].
    pub(super) later: Vec<(usize, usize)>,
}

impl<'a> Frame<'a> {
    /// Takes an answer apart; makes no row.
    pub(super) fn new(answer: Answer<'a>, controls: &Controls) -> Frame<'a> {
        let mut frame = Frame {
            doc: Doc::default(),
            tables: Vec::new(),
            echoes: Vec::new(),
            records: Vec::new(),
            warnings: answer.warnings,
            completeness: answer.completeness,
            omissions: answer.omissions,
            nameable: answer.nameable,
            question: answer.question,
            fallback: answer.fallback,
            lowered: answer.lowered,
            served: answer.served,
            exit_code: answer.exit_code,
            counted: None,
            later: Vec::new(),
        };
        let mut root = Vec::new();
        for (key, part) in answer.parts {
            if matches!(part, Part::Echo(_)) {
                if controls.envelope == Envelope::Lean {
                    continue;
                }
                frame.echoes.push(key.clone());
            }
            if let Some(tree) = frame.take(&key, part, controls) {
                root.push((key, tree));
            }
        }
        frame.doc.root = root;
        let declared = controls.surface.map_or(&[][..], |s| s.row_keys);
        for table in &mut frame.tables {
            table.primary = declared.is_empty() || declared.contains(&table.path.as_str());
        }
        // Another form of the answer has other rows: several items of `get`, the tree of `deps`.
        if frame.records.is_empty() && !frame.tables.iter().any(|table| table.primary) {
            frame.tables.iter_mut().for_each(|table| table.primary = true);
        }
        // An answer of the retrieval contract counts itself.
        frame.counted = if controls.is_retrieval() { None } else { frame.count_candidate() };
        frame
    }

    /// The part of this path, in the document.
    fn take(&mut self, path: &str, part: Part<'a>, controls: &Controls) -> Option<Tree> {
        let lean = controls.envelope == Envelope::Lean;
        match part {
            Part::Value(value) if lean && value.is_null() && !controls.is_retrieval() => None,
            Part::Echo(_) if lean => None,
            Part::Value(mut value) | Part::Echo(mut value) => {
                if controls.stripped {
                    strip(&mut value);
                }
                Some(Tree::Value(value))
            }
            Part::Record(mut value) => {
                if value.is_null() && lean {
                    return None;
                }
                if controls.stripped {
                    strip(&mut value);
                }
                self.records.push(path.to_owned());
                Some(Tree::Value(value))
            }
            Part::Group(group) => {
                let entries = group.parts.into_iter().filter_map(|(key, part)| {
                    let tree = self.take(&format!("{path}.{key}"), part, controls)?;
                    Some((key, tree))
                });
                Some(Tree::Object(entries.collect()))
            }
            Part::Rows(rows) => Some(self.table(path, rows)),
        }
    }

    fn table(&mut self, path: &str, rows: Rows<'a>) -> Tree {
        let list = self.doc.lists.len();
        self.doc.lists.push(List {
            path: path.to_owned(),
            keys: rows.keys.is_some().then(Vec::new),
            columns: Some(rows.columns.clone().unwrap_or_default()),
            optional: rows.optional.clone(),
            reversed: rows.newest_last,
            ..List::default()
        });
        let base = rows.offset.min(rows.total);
        let len = rows.total - base;
        self.tables.push(Table {
            list,
            path: path.to_owned(),
            rows,
            primary: false,
            projection: None,
            inner: BTreeMap::new(),
            base,
            len,
            start: 0,
            page: len,
            turn: Turn::Here,
            group: None,
            limited: false,
            made: Vec::new(),
            least: 1,
        });
        Tree::List(list)
    }

    /// The only table of rows at the top that is no object on the wire.
    fn count_candidate(&self) -> Option<usize> {
        let mut tables = self.tables.iter().enumerate().filter(|(_, table)| table.primary);
        let (only, table) = tables.next()?;
        let plain = table.rows.keys.is_none() && !table.path.contains('.');
        (tables.next().is_none() && plain).then_some(only)
    }

    /// Makes rows of a table until `wanted` of its page are there.
    pub(super) fn make(&mut self, number: usize, wanted: usize, making: &Making<'_>) -> Result<()> {
        let Frame { doc, tables, .. } = self;
        let table = &mut tables[number];
        while table.made.len() < wanted.min(table.page) {
            let n = table.made.len();
            let position = table.position(n);
            let (made, row) = match &table.group {
                Some(group) => {
                    let row = group.row(n, |place| table.row_at(place))?;
                    (Made { id: None, what: What::Other }, row)
                }
                None => table.told(position, making)?,
            };
            let list = table.list;
            if let Some(key) = table.rows.keys.as_ref().map(|key| key(position))
                && let Some(keys) = &mut doc.lists[list].keys
            {
                keys.push(key);
            }
            // Only nested lists have a path of their own.
            let path = if making.explode { format!("{}.{n}", doc.lists[list].path) } else { String::new() };
            let tree = doc.prepare(&path, row, making);
            doc.lists[list].items.push(tree);
            table.made.push(made);
        }
        Ok(())
    }

    /// The record at a path of the root.
    pub(super) fn record(&self, path: &str) -> Option<&Tree> {
        let mut parts = path.split('.');
        let first = parts.next()?;
        let mut tree = self.doc.root.iter().find(|(key, _)| key == first).map(|(_, tree)| tree)?;
        for part in parts {
            let Tree::Object(entries) = tree else { return None };
            tree = entries.iter().find(|(key, _)| key == part).map(|(_, tree)| tree)?;
        }
        Some(tree)
    }

    /// Puts another value in the place of a record.
    pub(super) fn replace_record(&mut self, path: &str, value: Value) {
        if let Some(Tree::Value(record)) = self.record_mut(path) {
            *record = value;
        }
    }

    /// The record at a path of the root, to change.
    pub(super) fn record_mut(&mut self, path: &str) -> Option<&mut Tree> {
        let mut parts = path.split('.');
        let first = parts.next()?;
        let mut tree = self.doc.root.iter_mut().find(|(key, _)| key == first).map(|(_, tree)| tree)?;
        for part in parts {
            let Tree::Object(entries) = tree else { return None };
            tree = entries.iter_mut().find(|(key, _)| key == part).map(|(_, tree)| tree)?;
        }
        Some(tree)
    }
}

impl Doc {
    /// A value as it enters the document.
    pub(super) fn prepare(&mut self, path: &str, mut value: Value, making: &Making<'_>) -> Tree {
        if making.strip {
            strip(&mut value);
        }
        if making.shorten {
            shorten(&mut value);
        }
        if making.explode { self.explode(path, value) } else { Tree::Value(value) }
    }

    /// Turns the lists inside a value into lists of the document.
    pub(super) fn explode(&mut self, path: &str, value: Value) -> Tree {
        match value {
            Value::Array(values) if !values.is_empty() => {
                let number = self.lists.len();
                self.lists.push(List { path: path.to_owned(), shown: values.len(), ..List::default() });
                let items: Vec<Tree> = values
                    .into_iter()
                    .enumerate()
                    .map(|(n, value)| self.explode(&format!("{path}.{n}"), value))
                    .collect();
                self.lists[number].items = items;
                Tree::List(number)
            }
            Value::Object(map) if map.values().any(holds_list) => Tree::Object(
                map.into_iter()
                    .map(|(key, value)| {
                        let tree = self.explode(&format!("{path}.{key}"), value);
                        (key, tree)
                    })
                    .collect(),
            ),
            value => Tree::Value(value),
        }
    }

    /// Calls `f` with the number of every list that is shown under a tree, outermost first.
    pub(super) fn each_list(&self, tree: &Tree, f: &mut dyn FnMut(usize)) {
        match tree {
            Tree::Value(_) => {}
            Tree::Object(entries) => entries.iter().for_each(|(_, tree)| self.each_list(tree, f)),
            Tree::List(number) => {
                f(*number);
                let list = &self.lists[*number];
                list.items[..list.shown].iter().for_each(|tree| self.each_list(tree, f));
            }
        }
    }
}

fn holds_list(value: &Value) -> bool {
    match value {
        Value::Array(values) => !values.is_empty(),
        Value::Object(map) => map.values().any(holds_list),
        _ => false,
    }
}

/// Drops nulls and empty containers, at every depth.
pub(super) fn strip(value: &mut Value) {
    let hollow = |value: &Value| match value {
        Value::Null => true,
        Value::Array(values) => values.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    match value {
        Value::Array(values) => values.iter_mut().for_each(strip),
        Value::Object(map) => {
            map.values_mut().for_each(strip);
            map.retain(|_, value| !hollow(value));
        }
        _ => {}
    }
}

/// The longest string that compaction leaves, in UTF-16 units.
pub(super) const LONGEST: usize = 240;

/// Cuts every string that is longer than [`LONGEST`].
pub(super) fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(cut) = shortened(text) {
                *text = cut;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(map) => map.values_mut().for_each(shorten),
        _ => {}
    }
}

/// The first [`LONGEST`] units and an ellipsis, when the text is longer.
fn shortened(text: &str) -> Option<String> {
    if text.len() <= LONGEST {
        return None;
    }
    let mut units = 0;
    let mut keep = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units <= LONGEST {
            keep = at + c.len_utf8();
        }
        if units > LONGEST {
            return Some(format!("{}…", &text[..keep]));
        }
    }
    None
}

/// Whether a string is one that [`shorten`] would produce: every longer one becomes exactly this.
pub(super) fn is_shortened(text: &str) -> bool {
    text.ends_with('…') && matches!(text.encode_utf16().count(), 240..=241)
}
