//! Cursors: opaque to callers, of two kinds, and every flag that takes one takes both (product.md §3.4).
//!
//! A *rows* cursor continues any declared collection by position and proves by a fingerprint that the collection is
//! the one it came from. An *item* cursor continues a page of items after an id and survives changes elsewhere.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::controls::MAX_SAFE;
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

impl Cursor {
    /// The text of the cursor.
    pub fn encode(&self) -> String {
        let value = match self {
            Cursor::Rows { surface, path, offset, total, fingerprint } => {
                json!({"v": 1, "c": surface, "p": path, "o": offset, "n": total, "f": fingerprint})
            }
            Cursor::Item { fingerprint, after_id, after_index, snapshot } => {
                let mut value = json!({
                    "version": 1, "fingerprint": fingerprint, "after_id": after_id, "after_index": after_index,
                });
                if let (Some(snapshot), Some(object)) = (snapshot, value.as_object_mut()) {
                    object.insert("snapshot".into(), json!(snapshot));
                }
                value
            }
        };
        URL_SAFE_NO_PAD.encode(value.to_string())
    }

    /// Reads the text of a cursor of either kind; none when it is no cursor of ours.
    pub fn decode(text: &str) -> Option<Cursor> {
        if text.len() > MAX_CHARS {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let value: Value = serde_json::from_slice(&bytes).ok()?;
        let object = value.as_object()?;
        let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
        let count = |key: &str| {
            let n = object.get(key).and_then(Value::as_u64).filter(|n| *n <= MAX_SAFE)?;
            usize::try_from(n).ok()
        };
        if object.contains_key("c") {
            let only = object.keys().all(|key| ["v", "c", "p", "o", "n", "f"].contains(&key.as_str()));
            let fingerprint = text("f").filter(|f| f.len() == 16)?;
            let total = count("n").filter(|n| *n >= 1)?;
            return (count("v") == Some(1) && only).then_some(Cursor::Rows {
                surface: text("c")?,
                path: text("p")?,
                offset: count("o")?,
                total,
                fingerprint,
            });
        }
        (count("version") == Some(1)).then_some(Cursor::Item {
            fingerprint: text("fingerprint").filter(|f| f.len() == 24)?,
            after_id: text("after_id")?,
            after_index: count("after_index")?,
            snapshot: text("snapshot"),
        })
    }
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

/// An item cursor of another question.
pub(super) fn other_question(surface: &str, theirs: &str, ours: &str) -> Error {
    Error::new(
        Code::InvalidQueryCursor,
        format!("the cursor belongs to other filters or another order ({theirs}, now {ours})"),
    )
    .at("--after")
    .hint(format!("pm {surface}"))
}
