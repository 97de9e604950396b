//! Cursors: opaque to callers, of two kinds, and every flag that takes one takes both (product.md §3.4).
//!
//! A *rows* cursor continues any declared collection by position and proves by a fingerprint that the collection is
//! the one it came from. Where an answer has several, the cursor that a page names as the next one knows those whose
//! turn comes later, so that following it tells every row once. An *item* cursor continues a page of items after an id
//! and survives changes elsewhere.

use crate::codec::packed::{Packer, Unpacker};
use crate::error::{Code, Error, Result};

/// The longest cursor that is read.
pub(super) const MAX_CHARS: usize = 4_096;

/// A decoded cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// Continues a collection by position.
    Rows {
        /// The surface that it belongs to.
        surface: String,
        /// The collection.
        path: String,
        /// How many rows have been served.
        offset: usize,
        /// How many there are.
        total: usize,
        /// What they are.
        fingerprint: String,
        /// Where the collection begins in the answer's rows: it may itself be a page of a larger one.
        base: usize,
        /// The collection ends before the answer's rows do.
        window: bool,
        /// The list in one of its rows that is continued: `offset` and `total` are those of that list.
        inside: Option<Inside>,
        /// The collections whose turn comes when this one is at its end: the number of each in the answer, and how many
        /// of it have been served.
        later: Vec<(usize, usize)>,
        /// The call that it came from said how many rows it wants, see [`crate::contract::Want::asked`].
        asked: bool,
    },
    /// Continues a page of items after an id.
    Item {
        /// Of the question.
        fingerprint: String,
        /// The last item served.
        after_id: String,
        /// Its position.
        after_index: usize,
        /// The snapshot it was taken from, kept as it came.
        snapshot: Option<String>,
    },
}

/// A list in a row of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inside {
    /// The row, counted from the first of the answer.
    pub row: usize,
    /// Which of its lists.
    pub list: usize,
    /// Those behind it whose turn comes before that of any collection: so many lists, of each of which so many rows
    /// have been served, or all that it has.
    pub runs: Vec<(usize, usize)>,
}

/// The first byte of a cursor: its kind and the version of its form.
const ROWS: u8 = 0xb0;
const ITEM: u8 = 0xb8;
/// [`ROWS`] of a call that said how many rows it wants.
const ASKED_ROWS: u8 = 0x90;
/// A bit of [`ROWS`]: the collection ends before the answer's rows do.
const WINDOW: u8 = 1;
/// A bit of [`ROWS`]: the collection does not begin with the answer's rows.
const INNER: u8 = 2;
/// A bit of [`ROWS`]: other collections come later.
const LATER: u8 = 4;
/// A bit of [`ROWS`]: it continues a list in a row.
const INSIDE: u8 = 0x40;
/// All of them.
const BITS: u8 = WINDOW | INNER | LATER | INSIDE;

/// How many bytes a fingerprint has.
pub(super) const FINGERPRINT: usize = 6;

/// The names of surfaces and collections, each one byte in a cursor. It may only grow, at its end.
const WORDS: &[&str] = &[
    "list",
    "items",
    "context",
    "high_level",
    "low_level",
    "search",
    "get",
    "children",
    "next",
    "recommended",
    "ready",
    "decision_needed",
    "blocked",
    "held_by_others",
    "health",
    "checks",
    "deps",
    "graph.nodes",
    "graph.edges",
    "context.nodes",
    "context.edges",
    "graph",
    "ids",
    "paths",
    "affected",
    "findings",
    "communities",
    "redundant",
    "bottlenecks",
    "rows",
    "articulation_points",
    "bridges",
    "steps",
    "history",
    "compact_history",
    "provenance_history",
    "activity",
    "activity_digest",
    "compact_activity",
    "provenance_activity",
    "validate",
    "warnings",
    "events",
    "contracts",
    "command_summaries",
    "commands",
    "comments",
    "notes",
    "files",
    "docs",
    "stats",
    "by_type",
    "by_status",
    "aggregate",
    "groups",
    "duplicates",
    "clusters",
    "package-catalog",
    "package-manage",
    "comments-audit",
    "assurance",
    "assertions",
    "tree.items",
    "kb search",
    "kb catalog",
    "kb preflight",
    "data",
    "agenda.events",
    "hierarchy",
    "progress",
    "recently_created",
    "unparented",
    "workload",
    "blockers",
    "staleness",
    "tests",
    "ranking",
    "why",
    "finished",
    "removed",
];

impl Cursor {
    /// The text of the cursor, packed: an agent pays for it on every page.
    pub fn encode(&self) -> String {
        match self {
            Cursor::Rows {
                surface,
                path,
                offset,
                total,
                fingerprint,
                base,
                window,
                inside,
                later,
                asked,
            } => {
                let bit = |is: bool, bit: u8| if is { bit } else { 0 };
                let bits = bit(*base > 0, INNER)
                    | bit(*window, WINDOW)
                    | bit(!later.is_empty(), LATER)
                    | bit(inside.is_some(), INSIDE);
                let mut packer = Packer::of(bits | if *asked { ASKED_ROWS } else { ROWS })
                    .word(surface, WORDS)
                    .word(path, WORDS)
                    .number(*offset as u64)
                    .number(*total as u64);
                if *base > 0 {
                    packer = packer.number(*base as u64);
                }
                if let Some(inside) = inside {
                    packer = packer.number(inside.row as u64).number(inside.list as u64);
                    packer = pairs(packer, &inside.runs);
                }
                if !later.is_empty() {
                    packer = pairs(packer, later);
                }
                packer.base64(fingerprint).finish()
            }
            Cursor::Item { fingerprint, after_id, after_index, snapshot } => Packer::of(ITEM)
                .number(*after_index as u64)
                .text(after_id)
                .base64(fingerprint)
                .bytes(snapshot.as_deref().unwrap_or_default().as_bytes())
                .finish(),
        }
    }

    /// Reads the text of a cursor of either kind; none when it is no cursor of ours.
    pub fn decode(text: &str) -> Option<Cursor> {
        let (kind, mut read) = Unpacker::of(text, MAX_CHARS)?;
        if kind == ITEM {
            let (after_index, after_id) = (read.position()?, read.text()?);
            let fingerprint = read.base64(FINGERPRINT)?;
            let snapshot = Some(read.rest()?).filter(|snapshot| !snapshot.is_empty());
            return Some(Cursor::Item { fingerprint, after_id, after_index, snapshot });
        }
        let asked = kind & !BITS == ASKED_ROWS;
        if !asked && kind & !BITS != ROWS {
            return None;
        }
        let (surface, path) = (read.word(WORDS)?, read.word(WORDS)?);
        let (offset, total) = (read.position()?, read.position()?);
        let base = if kind & INNER != 0 { read.position().filter(|base| *base > 0)? } else { 0 };
        let inside = match kind & INSIDE {
            0 => None,
            _ => Some(Inside { row: read.position()?, list: read.position()?, runs: read_pairs(&mut read)? }),
        };
        let later = match kind & LATER {
            0 => Vec::new(),
            _ => read_pairs(&mut read).filter(|later| !later.is_empty())?,
        };
        let fingerprint = read.base64(FINGERPRINT)?;
        let window = kind & WINDOW != 0;
        let cursor =
            Cursor::Rows { surface, path, offset, total, fingerprint, base, window, inside, later, asked };
        read.ended().then_some(cursor)
    }
}

fn pairs(packer: Packer, pairs: &[(usize, usize)]) -> Packer {
    let pair = |packer: Packer, (a, b): &(usize, usize)| packer.number(*a as u64).number(*b as u64);
    pairs.iter().fold(packer.number(pairs.len() as u64), pair)
}

fn read_pairs(read: &mut Unpacker) -> Option<Vec<(usize, usize)>> {
    let count = read.position()?;
    let mut pairs = Vec::new();
    for _ in 0..count {
        pairs.push((read.position()?, read.position()?));
    }
    Some(pairs)
}

/// A cursor as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// The flag.
    pub(super) flag: &'static str,
    /// Its value.
    pub(super) text: String,
}

impl Given {
    /// The error, about this cursor.
    pub(super) fn blame(&self, error: Error) -> Error {
        let shown: String = self.text.chars().take(64).collect();
        error.at(self.flag).rejecting(shown)
    }
}

/// Whether an error speaks of the cursor that was given.
pub(super) fn is_refusal(code: Code) -> bool {
    matches!(
        code,
        Code::ReadOutputCursorInvalid
            | Code::ReadOutputCursorCommandMismatch
            | Code::ReadOutputCursorStale
            | Code::InvalidQueryCursor
    )
}

/// Reads the cursor that a flag was given.
///
/// Errors: `invalid_argument_value` when it is blank, else `read_output_cursor_invalid`, or `invalid_query_cursor`
/// for `--after`.
pub(super) fn parse(given: &Given) -> Result<Cursor> {
    let (flag, text) = (given.flag, given.text.trim());
    if text.is_empty() {
        let message = format!("{flag} needs the cursor of an earlier answer");
        return Err(given.blame(Error::new(Code::InvalidArgumentValue, message)));
    }
    Cursor::decode(text).ok_or_else(|| {
        let code = if flag == "--after" { Code::InvalidQueryCursor } else { Code::ReadOutputCursorInvalid };
        let message = format!("{flag} got no cursor of ours; repeat the query without it for a fresh one");
        given.blame(Error::new(code, message))
    })
}

/// A cursor that belongs to another surface.
pub(super) fn mismatch(theirs: &str, ours: &str) -> Error {
    let message = format!("the cursor belongs to `pm {theirs}`, not to `pm {ours}`");
    Error::new(Code::ReadOutputCursorCommandMismatch, message)
}

/// A cursor whose collection is no longer the one it came from.
pub(super) fn stale(path: &str) -> Error {
    let message =
        format!("`{path}` is no longer the collection that the cursor came from; start again without it");
    Error::new(Code::ReadOutputCursorStale, message)
}

/// An item cursor whose row is not in the collection any more.
pub(super) fn gone(id: &str) -> Error {
    let shown: String = id.chars().take(64).collect();
    let message = format!(
        "`{shown}`, after which the page began, is no longer among the rows; start again without the cursor"
    );
    Error::new(Code::InvalidQueryCursor, message)
}

/// An item cursor before whose row others stand than did.
pub(super) fn moved(id: &str) -> Error {
    let shown: String = id.chars().take(64).collect();
    let message = format!(
        "the rows before the page, up to `{shown}`, are no longer those that were told; start again without the cursor"
    );
    Error::new(Code::InvalidQueryCursor, message)
}

/// An item cursor of another question.
pub(super) fn other_question(theirs: &str, ours: &str) -> Error {
    let message = format!("the cursor belongs to other filters or another order ({theirs}, now {ours})");
    Error::new(Code::InvalidQueryCursor, message)
}

/// An item cursor where no rows are counted as pages.
pub(super) fn no_pages(surface: &str) -> Error {
    let message = format!("this answer of `pm {surface}` has no page that the cursor could continue");
    Error::new(Code::InvalidQueryCursor, message)
}
