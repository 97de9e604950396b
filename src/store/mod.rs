//! The only input and output: paths, locks, atomic writes, history streams, the index.

pub mod fault;
mod file;
pub mod history;
pub mod index;
pub(crate) mod journal;
pub(crate) mod lock;
pub mod paths;
mod process;
pub mod settings;
pub mod source;
mod worktree;

pub(crate) use lock::LockError;
pub use source::{Entry, FileKind, Listing, ReadError, Source, Stamp};
pub use worktree::WorkTree;
