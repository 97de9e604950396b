//! Item files of every age: flat TOON, nested TOON, Markdown with JSON front matter.

use crate::model::item::Item;

/// How an item file is written; the file's extension decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.toon`.
    Toon,
    /// `.md`: a JSON object, then the body.
    JsonMarkdown,
}

/// The largest item file that is read, in bytes.
pub const MAX_ITEM_BYTES: u64 = 16 * 1024 * 1024;

/// Why a file is no item.
#[derive(Debug, thiserror::Error)]
pub enum ItemError {
    /// It holds conflict markers.
    #[error("conflict markers on line {line}")]
    ConflictMarkers {
        /// 1-based.
        line: usize,
    },
    /// It is larger than [`MAX_ITEM_BYTES`], no UTF-8, no document, or a required field is missing or wrong.
    #[error("{problem}")]
    Invalid {
        /// What is wrong.
        problem: String,
    },
}

/// What the reader must know of the tracker to judge an item.
pub struct Rules<'a> {
    /// Maps a status or an alias to the status id; `None` when nobody knows it.
    pub status: &'a (dyn Fn(&str) -> Option<String> + Sync),
}

/// An item as read, and what the reader wants to say about it.
#[derive(Debug)]
pub struct Decoded {
    /// The canonical item.
    pub item: Item,
    /// Warnings: `json_markdown_leading_yaml_frontmatter_ignored`, ...
    pub warnings: Vec<String>,
}

/// Reads an item file.
pub fn decode(_bytes: &[u8], _format: Format, _rules: &Rules<'_>) -> Result<Decoded, ItemError> {
    todo!()
}

/// Writes an item file: canonical form, canonical key order, TOON, one line feed at the end.
pub fn encode(_item: &Item) -> Result<String, ItemError> {
    todo!()
}
