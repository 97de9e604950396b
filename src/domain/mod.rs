//! Pure functions over items and records.

pub mod annotations;
pub mod blockers;
pub mod calendar;
pub mod chain;
pub mod chains;
pub mod changes;
pub mod children;
pub mod custom;
pub mod dates;
pub mod detail;
pub mod entries;
pub mod filter;
pub mod graph;
pub mod hash;
pub mod lifecycle;
pub mod links;
pub mod patch;
pub mod projection;
pub mod rank;
pub mod rows;
pub(crate) mod search;
pub mod sort;
pub mod status_set;
pub mod tree;
pub mod values;
pub mod version;
