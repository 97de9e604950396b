//! The store: crashes, many writers, the index.

pub(crate) mod crash;
mod events;
mod index;
mod parallel;
pub(crate) mod reliability;
