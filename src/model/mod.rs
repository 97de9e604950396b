//! The nouns of a tracker: no input or output happens here.

pub mod canonical;
pub(crate) mod checksum;
pub mod collation;
pub mod field;
pub mod id;
pub mod item;
pub mod kind;
pub mod records;
pub mod schema;
pub mod settings;
pub mod status;
pub mod timestamp;
