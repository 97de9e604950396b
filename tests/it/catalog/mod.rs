//! `pm catalog` (seed 002).

mod page;
mod search;
mod signatures;
