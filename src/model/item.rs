//! An item: an ordered map of metadata and a body.

use serde_json::{Map, Value};

/// One tracked thing, as its file holds it: unknown keys included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Every field but the body; the order is that of the file or, after canonicalising, the canonical one.
    pub metadata: Map<String, Value>,
    /// The Markdown body; may be empty.
    pub body: String,
}

impl Item {
    /// A string field, `None` when absent or of another kind.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).and_then(Value::as_str)
    }

    /// A list field, empty when absent or of another kind.
    pub fn list(&self, key: &str) -> &[Value] {
        self.metadata.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The stored id.
    pub fn id(&self) -> &str {
        self.text("id").unwrap_or_default()
    }

    /// The title.
    pub fn title(&self) -> &str {
        self.text("title").unwrap_or_default()
    }

    /// The type's name: `Task`, `Epic`, ...
    pub fn kind(&self) -> &str {
        self.text("type").unwrap_or_default()
    }

    /// The status id.
    pub fn status(&self) -> &str {
        self.text("status").unwrap_or_default()
    }

    /// The priority, 0 (critical) to 4 (minimal).
    pub fn priority(&self) -> u8 {
        self.metadata.get("priority").and_then(Value::as_u64).and_then(|p| u8::try_from(p).ok()).unwrap_or(2)
    }
}
