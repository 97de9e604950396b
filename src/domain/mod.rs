//! Pure functions over items and records.

pub mod chain;
pub mod hash;
pub mod patch;
