//! The store: crashes, many writers, the index.

mod crash;
mod events;
mod index;
mod parallel;
mod reliability;
