//! Cursors: opaque to callers, of two kinds, and every flag that takes one takes both (product.md §3.4).
//!
//! A *rows* cursor continues any declared collection by position and proves by a fingerprint that the collection is
//! the one it came from. An *item* cursor continues a page of items after an id and survives changes elsewhere.

use super::controls::MAX_SAFE;
use crate::error::{Code, Error, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

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

/// The first byte of a cursor: its kind and version.
const ROWS: u8 = 0xa1;
const ITEM: u8 = 0xa2;
const WINDOW: u8 = 0xa3;

impl Cursor {
    /// The text of the cursor: base64url of a kind, numbers, fingerprint and names. Packed, since an agent pays for it
    /// on every page.
    pub fn encode(&self) -> String {
        let mut bytes = Vec::new();
        match self {
            Cursor::Rows { surface, path, offset, total, fingerprint, base, window } => {
                bytes.push(if *window { WINDOW } else { ROWS });
                [offset, total, base].into_iter().for_each(|n| put_number(&mut bytes, *n));
                put_text(&mut bytes, surface);
                put_text(&mut bytes, path);
                bytes.extend(URL_SAFE_NO_PAD.decode(fingerprint).unwrap_or_default());
            }
            Cursor::Item { fingerprint, after_id, after_index, snapshot } => {
                bytes.push(ITEM);
                put_number(&mut bytes, *after_index);
                put_text(&mut bytes, after_id);
                put_text(&mut bytes, snapshot.as_deref().unwrap_or_default());
                bytes.extend(URL_SAFE_NO_PAD.decode(fingerprint).unwrap_or_default());
            }
        }
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads the text of a cursor of either kind; none when it is no cursor of ours.
    pub fn decode(text: &str) -> Option<Cursor> {
        if text.len() > MAX_CHARS {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (kind, mut rest) = bytes.split_first()?;
        let cursor = match *kind {
            ROWS | WINDOW => {
                let (offset, total, base) =
                    (take_number(&mut rest)?, take_number(&mut rest)?, take_number(&mut rest)?);
                let (surface, path) = (take_text(&mut rest)?, take_text(&mut rest)?);
                let fingerprint = take_fingerprint(&mut rest)?;
                let window = *kind == WINDOW;
                Cursor::Rows { surface, path, offset, total, fingerprint, base, window }
            }
            ITEM => {
                let after_index = take_number(&mut rest)?;
                let (after_id, snapshot) = (take_text(&mut rest)?, take_text(&mut rest)?);
                let fingerprint = take_fingerprint(&mut rest)?;
                let snapshot = (!snapshot.is_empty()).then_some(snapshot);
                Cursor::Item { fingerprint, after_id, after_index, snapshot }
            }
            _ => return None,
        };
        rest.is_empty().then_some(cursor)
    }
}

/// Seven bits a byte, the lowest first.
fn put_number(bytes: &mut Vec<u8>, mut n: usize) {
    while n > 0x7f {
        bytes.push(u8::try_from(n & 0x7f).unwrap_or_default() | 0x80);
        n >>= 7;
    }
    bytes.push(u8::try_from(n).unwrap_or_default());
}

fn take_number(bytes: &mut &[u8]) -> Option<usize> {
    let mut n: u64 = 0;
    for shift in (0..56).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        n |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return usize::try_from(n).ok().filter(|_| n <= MAX_SAFE);
        }
    }
    None
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_number(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

fn take_text(bytes: &mut &[u8]) -> Option<String> {
    let length = take_number(bytes)?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

/// Twelve bytes, sixteen characters.
fn take_fingerprint(bytes: &mut &[u8]) -> Option<String> {
    let (fingerprint, rest) = bytes.split_at_checked(12)?;
    *bytes = rest;
    Some(URL_SAFE_NO_PAD.encode(fingerprint))
}

/// Reads the cursor that a flag was given.
///
/// Errors: `invalid_argument_value` when it is blank, else `read_output_cursor_invalid`, or `invalid_query_cursor`
/// for `--after`.
pub(super) fn parse(text: &str, flag: &'static str) -> Result<Cursor> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::new(
            Code::InvalidArgumentValue,
            format!("{flag} needs the cursor of an earlier answer"),
        )
        .at(flag)
        .rejecting(""));
    }
    Cursor::decode(text).ok_or_else(|| {
        let code = if flag == "--after" { Code::InvalidQueryCursor } else { Code::ReadOutputCursorInvalid };
        let shown: String = text.chars().take(64).collect();
        Error::new(code, format!("{flag} got no cursor of ours; repeat the query without it for a fresh one"))
            .at(flag)
            .rejecting(shown)
    })
}

/// A cursor that belongs to another surface.
pub(super) fn mismatch(theirs: &str, ours: &str) -> Error {
    Error::new(
        Code::ReadOutputCursorCommandMismatch,
        format!("the cursor belongs to `pm {theirs}`, not to `pm {ours}`"),
    )
    .at("--output-cursor")
    .hint(format!("pm {ours}"))
}

/// A cursor whose collection is no longer the one it came from.
pub(super) fn stale(surface: &str, path: &str) -> Error {
    Error::new(
        Code::ReadOutputCursorStale,
        format!("`{path}` is no longer the collection that the cursor came from; start again without it"),
    )
    .at("--output-cursor")
    .hint(format!("pm {surface}"))
}

/// An item cursor whose row is not in the collection any more.
pub(super) fn gone(surface: &str, id: &str) -> Error {
    let shown: String = id.chars().take(64).collect();
    Error::new(
        Code::InvalidQueryCursor,
        format!("`{shown}`, after which the page began, is no longer among the rows; start again without the cursor"),
    )
    .at("--after")
    .hint(format!("pm {surface}"))
}

/// An item cursor of another question.
pub(super) fn other_question(surface: &str, theirs: &str, ours: &str) -> Error {
    Error::new(
        Code::InvalidQueryCursor,
        format!("the cursor belongs to other filters or another order ({theirs}, now {ours})"),
    )
    .at("--after")
    .hint(format!("pm {surface}"))
}
