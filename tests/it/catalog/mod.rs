//! `pm catalog` (seed 002).

mod signatures;
