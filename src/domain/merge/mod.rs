//! Three-way merges: of items, of history streams, of JSON documents, of event lists (storage.md §8, product.md §5.11).
//!
//! Every merge gives the same result whichever side is called ours, and loses nothing that both sides can keep.

pub mod conflicts;
mod document;
mod item;
pub mod markers;
#[cfg(test)]
mod properties;
mod rows;
mod stream;

pub use document::documents;
pub use item::{Conflict, Merged, items};
pub use rows::relationships;
pub(super) use stream::identity;
pub use stream::streams;

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
