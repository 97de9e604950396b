//! Three-way merges: of items, of history streams, of JSON documents, of event lists (storage.md §8, product.md §5.11).
//!
//! Every merge gives the same result whichever side is called ours, and loses nothing that both sides can keep.

pub mod conflicts;
mod document;
mod item;
mod lineage;
pub mod markers;
pub mod place;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod rewritten;
mod rooted;
mod rows;
mod secrets;
mod stream;
mod taken_out;

use std::cmp::Ordering;

use serde_json::Value;

use crate::codec::json::stable;
use crate::model::collation;

pub use document::documents;
pub use item::{Conflict, Merged, items, items_beside};
pub use rows::relationships;
pub(super) use stream::identity;
pub use stream::{Before, Documents, has_undecided_deletion, streams, streams_beside};
pub use taken_out::{MARK, TakenOut, is_redacted};

/// Which value stands where both sides changed the same thing to different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefer {
    /// The one that comes first in a fixed order of values: the same whichever side is ours.
    Stable,
    /// That of our side.
    Ours,
    /// That of their side.
    Theirs,
}

/// The order of values in which the first one stands where nobody decided.
fn by_value(a: &Value, b: &Value) -> Ordering {
    let (a, b) = (stable(a), stable(b));
    collation::compare(&a, &b).then_with(|| a.cmp(&b))
}
