//! The nouns of a tracker: no input or output happens here.

pub mod canonical;
pub(crate) mod checksum;
pub mod collation;
pub mod events;
pub mod field;
pub mod front;
pub mod hook;
pub mod id;
pub mod item;
pub mod kind;
pub mod records;
pub(crate) mod required;
pub mod schema;
pub mod setting_key;
pub mod settings;
pub(crate) mod spelling;
pub mod status;
pub(crate) mod text;
pub mod timestamp;
