//! Text to model and back: nothing is lost, nothing fails silently.

pub(crate) mod entry;
pub mod front;
pub mod hex;
pub mod item;
pub mod json;
pub(crate) mod packed;
pub mod strict;
pub mod toon;
pub(crate) mod yaml;
