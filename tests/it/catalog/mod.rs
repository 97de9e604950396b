//! `pm catalog` (seed 002).

mod building;
mod choosing;
mod conformance;
mod hostile;
mod kit;
mod page;
mod plans;
mod publishing;
mod recipe;
mod search;
mod serve;
pub(crate) mod shelf;
mod signatures;
mod table;
mod trusting;
mod verifying;
