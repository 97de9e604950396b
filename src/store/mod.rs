//! The only input and output: paths, locks, atomic writes, history streams, the index.

pub mod fault;
pub mod fence;
pub(crate) mod file;
pub(crate) mod findings;
pub mod git;
pub mod history;
pub mod index;
pub(crate) mod journal;
pub(crate) mod lock;
pub mod paths;
mod process;
pub(crate) mod receipts;
pub(crate) mod recovery;
pub mod settings;
pub mod setup;
pub mod shell;
pub mod source;
pub mod userfile;
pub mod workspace;
mod worktree;

pub(crate) use lock::LockError;
pub use source::{Entry, FileKind, Listing, ReadError, Source, Stamp};
pub use worktree::WorkTree;

/// Writes a file below the tracker root that is local to this working copy, in one step.
pub(crate) fn write_local(root: &std::path::Path, path: &str, bytes: &[u8]) -> std::io::Result<()> {
    file::replace(&file::place(root, path)?, bytes)
}
