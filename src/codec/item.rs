//! Item files of every age: flat TOON, nested TOON, Markdown with JSON front matter.

use memchr::memmem;
use serde_json::Value;

use crate::codec::{json, toon};
use crate::model::canonical::{self, NotCanonical};
use crate::model::item::Item;
use crate::model::required;

/// How an item file is written; the file's extension decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.toon`.
    Toon,
    /// `.md`: a JSON object, then the body.
    JsonMarkdown,
}

impl Format {
    /// The format that a text is in, whatever its file is called: a TOON item begins with a key.
    pub fn of_bytes(bytes: &[u8]) -> Format {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        let older = text.starts_with(b"{") || text.starts_with(b"---\n") || text.starts_with(b"---\r\n");
        if older { Format::JsonMarkdown } else { Format::Toon }
    }
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
    /// It has fields that the tracker does not declare, and the tracker refuses those.
    #[error("fields that nobody declared: {}", keys.join(", "))]
    UnknownFields {
        /// Their names.
        keys: Vec<String>,
    },
    /// It is larger than [`MAX_ITEM_BYTES`], no UTF-8, no document, or a required field is missing or wrong.
    #[error("{problem}")]
    Invalid {
        /// What is wrong.
        problem: String,
    },
}

/// What the reader must know of the tracker to judge an item.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// Maps a status or an alias to the status id; `None` when nobody knows it.
    pub status: &'a (dyn Fn(&str) -> Option<String> + Sync),
    /// Whether the tracker declares a field that is no built-in one; where it refuses all others.
    pub declared: Option<&'a (dyn Fn(&str) -> bool + Sync)>,
}

impl<'a> Rules<'a> {
    /// Rules of a tracker that takes fields which nobody declared.
    pub fn lenient(status: &'a (dyn Fn(&str) -> Option<String> + Sync)) -> Rules<'a> {
        Rules { status, declared: None }
    }

    /// Whether a field may stand in an item.
    pub(super) fn takes(&self, key: &str) -> bool {
        self.declared.is_none_or(|declared| canonical::is_built_in(key) || declared(key))
    }
}

/// An item as read, and what the reader wants to say about it.
#[derive(Debug)]
pub struct Decoded {
    /// The canonical item.
    pub item: Item,
    /// Warnings: `json_markdown_leading_yaml_frontmatter_ignored`, ...
    pub warnings: Vec<String>,
}

/// Reads an item file and brings it into its canonical form.
///
/// A byte order mark, CRLF line ends, the nested form (`front_matter:` beside `body`) and, in a `.md`, a YAML document
/// before the JSON one are accepted. Errors: see [`ItemError`].
pub fn decode(bytes: &[u8], format: Format, rules: &Rules<'_>) -> Result<Decoded, ItemError> {
    if bytes.len() as u64 > MAX_ITEM_BYTES {
        return invalid(format!("the file has {} bytes, more than {MAX_ITEM_BYTES}", bytes.len()));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(bytes, error))?;
    if let Some(line) = conflict_marker(bytes) {
        return Err(ItemError::ConflictMarkers { line });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut warnings = Vec::new();
    let raw = match format {
        Format::Toon => read_toon(text)?,
        Format::JsonMarkdown => read_markdown(text, &mut warnings)?,
    };
    Ok(Decoded { item: judge(raw, rules)?, warnings })
}

/// What is wrong with an item in a file of another name: it would answer to one id and be found under another. The file's
/// name is the id, in any case; names beyond ASCII are not judged, for file systems spell them in their own way.
pub fn misnamed(path: &str, id: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let other = stem.is_ascii() && id.is_ascii() && !stem.eq_ignore_ascii_case(id);
    other.then(|| {
        format!("the file is named `{stem}`, the item in it `{id}`: rename the file or correct the id")
    })
}

fn invalid<T>(problem: String) -> Result<T, ItemError> {
    Err(ItemError::Invalid { problem })
}

fn not_utf8(bytes: &[u8], error: std::str::Utf8Error) -> ItemError {
    let line = bytes[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
    ItemError::Invalid { problem: format!("line {line}: not UTF-8") }
}

/// The 1-based number of the first line that is a conflict marker: seven of `<`, `=` or `>` and then white space or
/// the line's end, white space allowed before. More than seven of `<` or `>` are one too, since Git makes markers longer
/// within others; more of `=` may be the line below a title.
pub fn conflict_marker(bytes: &[u8]) -> Option<usize> {
    let found = ["<<<<<<<", "=======", ">>>>>>>"].iter().filter_map(|marker| {
        memmem::find_iter(bytes, marker).find(|at| {
            let before = bytes[..*at].iter().rev().find(|b| **b == b'\n' || !b.is_ascii_whitespace());
            let sign = bytes[*at];
            let follows = || {
                let rest = &bytes[at + marker.len()..];
                let more = rest.iter().take_while(|byte| sign != b'=' && **byte == sign).count();
                rest.get(more).is_none_or(u8::is_ascii_whitespace)
            };
            before.is_none_or(|b| *b == b'\n') && follows()
        })
    });
    found.min().map(|at| bytes[..at].iter().filter(|b| **b == b'\n').count() + 1)
}

fn read_toon(text: &str) -> Result<Item, ItemError> {
    let document = toon::decode(text).map_err(|error| ItemError::Invalid { problem: error.to_string() })?;
    let Value::Object(mut metadata) = document else {
        return invalid("the document is no object".to_owned());
    };
    let body = metadata.shift_remove("body");
    if metadata.get("front_matter").is_some_and(Value::is_object)
        && let Some(Value::Object(nested)) = metadata.shift_remove("front_matter")
    {
        metadata = nested;
    }
    let body = body_text(body)?;
    Ok(Item { metadata, body })
}

/// The body as text. One that was written by hand without quotes is what stands there.
pub(super) fn body_text(body: Option<Value>) -> Result<String, ItemError> {
    match body {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(body)) => Ok(body),
        Some(Value::Array(_) | Value::Object(_)) => invalid("field `body`: is no text".to_owned()),
        Some(scalar) => Ok(json::compact(&scalar)),
    }
}

/// A JSON object, blank lines, and the body as it stands.
fn read_markdown(text: &str, warnings: &mut Vec<String>) -> Result<Item, ItemError> {
    let json = match after_yaml(text) {
        Some(rest) => {
            warnings.push("json_markdown_leading_yaml_frontmatter_ignored".to_owned());
            rest
        }
        None => text,
    };
    let mut documents = serde_json::Deserializer::from_str(json).into_iter::<Value>();
    let metadata = match documents.next() {
        Some(Ok(Value::Object(metadata))) => metadata,
        Some(Err(error)) => {
            let before = text[..text.len() - json.len()].matches('\n').count();
            return invalid(format!("line {}: no JSON front matter: {error}", before + error.line()));
        }
        _ => return invalid("the file does not begin with a JSON object".to_owned()),
    };
    let body = json[documents.byte_offset()..].trim_start_matches(['\r', '\n']);
    Ok(Item { metadata, body: body.to_owned() })
}

/// What follows a leading YAML document, when there is one with a JSON object after it.
fn after_yaml(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let mut offset = 0;
    for line in rest.split_inclusive('\n') {
        offset += line.len();
        if line.trim_end() == "---" {
            return Some(rest[offset..].trim_start()).filter(|json| json.starts_with('{'));
        }
    }
    None
}

fn judge(raw: Item, rules: &Rules<'_>) -> Result<Item, ItemError> {
    let Item { mut metadata, body } = raw;
    if !required::REQUIRED.iter().any(|key| metadata.contains_key(*key)) {
        return invalid("none of the fields of an item is there".to_owned());
    }
    let unknown: Vec<String> = metadata.keys().filter(|key| !rules.takes(key)).cloned().collect();
    if !unknown.is_empty() {
        return Err(ItemError::UnknownFields { keys: unknown });
    }
    let refused = |error: NotCanonical| ItemError::Invalid { problem: error.to_string() };
    required::check(&metadata).map_err(refused)?;
    if let Some(Value::String(status)) = metadata.get_mut("status") {
        match (rules.status)(status) {
            Some(id) if id == *status => {}
            Some(id) => *status = id,
            None => return invalid(format!("field `status`: `{status}` is no status of this tracker")),
        }
    }
    let metadata = canonical::into_canonical(metadata).map_err(refused)?;
    Ok(Item { metadata, body: canonical::normalise_body(&body) })
}

/// Writes an item in the older form: canonical metadata as a JSON object, a blank line, the body.
///
/// Errors: as [`encode`].
pub fn encode_markdown(item: &Item) -> Result<String, ItemError> {
    let item = crate::model::canonical::canonical_item(item)
        .map_err(|error| ItemError::Invalid { problem: error.to_string() })?;
    let mut text = crate::codec::json::pretty(&Value::Object(item.metadata));
    text.push('\n');
    if !item.body.is_empty() {
        text.push('\n');
        text.push_str(&item.body);
        text.push('\n');
    }
    Ok(text)
}

/// Writes an item file: canonical form, canonical key order, TOON, one line feed at the end.
///
/// What was written is read back first; an item that would change by that is refused. Errors: [`ItemError::Invalid`].
pub fn encode(item: &Item) -> Result<String, ItemError> {
    let refused = |problem: String| ItemError::Invalid { problem };
    let mut document = canonical::canonicalise(&item.metadata).map_err(|error| refused(error.to_string()))?;
    if document.contains_key("body") {
        return Err(refused("field `body`: stands among the metadata".to_owned()));
    }
    document.insert("body".to_owned(), Value::String(canonical::normalise_body(&item.body)));
    let document = Value::Object(document);
    let mut text = toon::encode(&document).map_err(|error| refused(error.to_string()))?;
    text.push('\n');
    match toon::decode(&text) {
        Ok(read) if json::same(&read, &document) => Ok(text),
        _ => Err(refused("the item would not be read back as it was written".to_owned())),
    }
}

#[cfg(test)]
mod tests;
