//! The nouns of a tracker: no input or output happens here.

pub mod canonical;
pub mod collation;
pub mod field;
pub mod item;
pub mod records;
pub mod timestamp;
