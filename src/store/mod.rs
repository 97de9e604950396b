//! The only input and output: paths, locks, atomic writes, history streams, the index.

pub mod fault;
mod file;
pub mod index;
mod lock;
pub mod paths;
mod process;
pub mod source;
mod worktree;

pub use source::{Entry, FileKind, Listing, ReadError, Source, Stamp};
pub use worktree::WorkTree;
