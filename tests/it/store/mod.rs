//! The store: crashes, many writers, the index.

mod crash;
mod index;
mod parallel;
