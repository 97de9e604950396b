//! Pure functions over items and records.

pub mod chain;
pub mod dates;
pub mod hash;
pub mod patch;
