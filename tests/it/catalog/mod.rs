//! `pm catalog` (seed 002).

mod building;
mod hostile;
mod kit;
mod page;
mod plans;
mod publishing;
mod search;
mod signatures;
mod table;
mod trusting;
