//! The canonical form of an item: what each field becomes on every read and write (storage.md §2.2, §2.4).

use serde_json::{Map, Value};

use super::item::Item;

/// The built-in fields in the order in which they are written; any other key follows, collated.
pub const FIELD_ORDER: &[&str] = &[];

/// Why metadata has no canonical form.
#[derive(Debug, thiserror::Error)]
#[error("field `{field}`: {problem}")]
pub struct NotCanonical {
    /// The field.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Normalises each field, drops empty ones, sorts collections, orders the keys.
pub fn canonicalise(_metadata: &Map<String, Value>) -> Result<Map<String, Value>, NotCanonical> {
    todo!()
}

/// Strips leading line feeds and trailing white space, as the body is stored.
pub fn normalise_body(_body: &str) -> String {
    todo!()
}

/// The canonical item: both of the above.
pub fn canonical_item(item: &Item) -> Result<Item, NotCanonical> {
    Ok(Item { metadata: canonicalise(&item.metadata)?, body: normalise_body(&item.body) })
}
