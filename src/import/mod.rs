//! Other trackers: their files to records that favour none of them, and these records to items.
//!
//! A reader is pure: it gets the texts of files and gives records, in the order of the source. What it cannot place it
//! names, so that nothing is lost without a word.

mod backlog;
mod beads;
mod front_matter;
mod github;
mod mapping;
mod order;
mod sections;
mod ticket;
mod todotxt;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

pub use mapping::{Ground, Mapped, items};

/// A tracker whose files can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines of JSON, one an issue.
    Beads,
    /// Backlog.md: a Markdown file for each task.
    Backlog,
    /// `tk`: a Markdown file for each ticket.
    Ticket,
    /// todo.txt: a line for each task.
    TodoTxt,
    /// Issues and pull requests as GitHub's API, its command line or an archive has them.
    Github,
}

impl Format {
    /// Its name: that of the command, and of what its items are marked with.
    pub fn name(self) -> &'static str {
        match self {
            Format::Beads => "beads",
            Format::Backlog => "backlog",
            Format::Ticket => "ticket",
            Format::TodoTxt => "todotxt",
            Format::Github => "github",
        }
    }

    /// Where its files lie below a folder: the first of these sets of patterns that finds any.
    pub fn places(self) -> &'static [&'static [&'static str]] {
        match self {
            Format::Beads => &[
                &[".beads/issues.jsonl"],
                &["issues.jsonl"],
                &[".beads/beads.jsonl"],
                &["beads.jsonl"],
                &[".beads/*.jsonl"],
                &["*.jsonl"],
            ],
            Format::Backlog => backlog::PLACES,
            Format::Ticket => &[&[".tickets/*.md"], &["*.md"]],
            Format::TodoTxt => &[&["todo.txt", "done.txt"], &["*.txt"]],
            Format::Github => &[&["*.json"], &["*.jsonl"]],
        }
    }

    /// Files that lie beside those with records and hold none: named, so that nobody takes them for read.
    pub fn beside(self) -> Option<&'static str> {
        match self {
            Format::Beads => Some("*.jsonl"),
            Format::Backlog | Format::Ticket | Format::TodoTxt | Format::Github => None,
        }
    }

    /// Reads its files.
    pub fn read(self, sources: &[Source]) -> Reading {
        let mut reading = Reading::default();
        match self {
            Format::Beads => beads::read(sources, &mut reading),
            Format::Backlog => backlog::read(sources, &mut reading),
            Format::Ticket => ticket::read(sources, &mut reading),
            Format::TodoTxt => todotxt::read(sources, &mut reading),
            Format::Github => github::read(sources, &mut reading),
        }
        reading
    }
}

/// A file of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Its path as the caller named it, or below the folder that the caller named.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// One thing of another tracker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Where it stands: a path, with the line where there are several.
    pub origin: String,
    /// Its id there, as written.
    pub id: String,
    /// The token of a new id, where its own cannot be one.
    pub token: String,
    /// Title.
    pub title: String,
    /// What it is about, in Markdown.
    pub text: String,
    /// What follows that text under headings of its own.
    pub sections: Vec<(String, String)>,
    /// The word for its type; empty: none.
    pub kind: String,
    /// The word for its status; empty: none.
    pub status: String,
    /// 0 (critical) to 4 (minimal).
    pub priority: Option<u8>,
    /// Labels.
    pub tags: Vec<String>,
    /// The id of its parent there.
    pub parent: String,
    /// Links to others.
    pub links: Vec<Link>,
    /// Comments, in the order of the source.
    pub comments: Vec<Entry>,
    /// Notes, in the order of the source.
    pub notes: Vec<Entry>,
    /// Acceptance criteria.
    pub criteria: Vec<String>,
    /// Values of fields that items have too, by their key here; times as written there.
    pub fields: Map<String, Value>,
    /// What has no place, by its name there.
    pub rest: Map<String, Value>,
}

impl Record {
    /// Sets a field of the item, where there is something to set.
    fn set(&mut self, key: &str, value: impl Into<Value>) {
        let value = value.into();
        if !is_empty(&value) {
            self.fields.insert(key.to_owned(), value);
        }
    }

    /// Keeps what has no place; what says nothing needs none.
    fn keep(&mut self, key: &str, value: Value) {
        if !is_empty(&value) {
            self.rest.insert(key.to_owned(), value);
        }
    }
}

/// A link of a record to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The id of the other there.
    pub id: String,
    /// The kind, as the source calls it.
    pub kind: String,
    /// Who made it; empty: nobody says.
    pub author: String,
    /// When, as written there; empty: nobody says.
    pub created_at: String,
}

/// A comment or a note.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Who wrote it; empty: nobody says.
    pub author: String,
    /// When, as written there; empty: nobody says.
    pub created_at: String,
    /// What.
    pub text: String,
    /// What else it says, by its name there.
    pub rest: Map<String, Value>,
}

/// Something of the source that became no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// Where it stands.
    pub origin: String,
    /// Why.
    pub reason: String,
    /// It stands elsewhere too, or was meant to be left out: nothing is missing without it.
    pub declared: bool,
}

/// How often something was not taken over as it was, by field and by what happened to it.
pub type Losses = BTreeMap<(String, String), usize>;

/// What a source holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The records.
    pub records: Vec<Record>,
    /// What could not be read as one.
    pub skipped: Vec<Skip>,
    /// Files and lines that are no records at all: instructions, comments.
    pub passed_over: Vec<Skip>,
    /// What changed on the way.
    pub losses: Losses,
}

impl Reading {
    fn skip(&mut self, origin: &str, reason: impl Into<String>) {
        self.skipped.push(Skip { origin: origin.to_owned(), reason: reason.into(), declared: false });
    }

    fn pass_over(&mut self, origin: &str, reason: &str) {
        self.passed_over.push(Skip { origin: origin.to_owned(), reason: reason.to_owned(), declared: true });
    }

    fn lose(&mut self, field: &str, reason: &str) {
        *self.losses.entry((field.to_owned(), reason.to_owned())).or_default() += 1;
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(rows) => rows.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// A value as a text: lists of texts joined, nothing for null.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.trim().to_owned(),
        Value::Array(rows) => rows.iter().map(text).filter(|t| !t.is_empty()).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// A value as a list of texts: a list, or one text.
fn texts(value: &Value) -> Vec<String> {
    let rows = match value {
        Value::Array(rows) => rows.iter().map(text).collect(),
        other => vec![text(other)],
    };
    rows.into_iter().filter(|text| !text.is_empty()).collect()
}

/// Takes a member out of a map; null where there is none.
fn take(map: &mut Map<String, Value>, key: &str) -> Value {
    map.shift_remove(key).unwrap_or(Value::Null)
}

/// A priority written as 0 to 4, `P2`, `high`; what has another form is kept.
fn priority(record: &mut Record, value: Value) {
    let word = text(&value).to_lowercase();
    let number = word.strip_prefix('p').unwrap_or(&word).parse::<u8>().ok().filter(|n| *n <= 4);
    record.priority = number.or(match word.as_str() {
        "critical" | "urgent" | "highest" => Some(0),
        "high" => Some(1),
        "medium" | "normal" => Some(2),
        "low" => Some(3),
        "minimal" | "lowest" | "trivial" => Some(4),
        _ => None,
    });
    if record.priority.is_none() {
        record.keep("priority", value);
    }
}
