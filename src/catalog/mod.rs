//! `pm catalog`: procedures as static files with computed trust (seed 002).

pub mod signature;
