//! The only input and output: paths, locks, atomic writes, history streams, the index.

pub mod archive;
pub mod commits;
pub(crate) mod contents;
pub mod documents;
pub mod fault;
pub mod fence;
pub(crate) mod file;
pub(crate) mod findings;
pub mod garbage;
pub mod git;
pub mod history;
pub mod index;
pub(crate) mod journal;
pub(crate) mod lock;
pub mod paths;
mod process;
pub(crate) mod programs;
pub mod publish;
pub(crate) mod receipts;
pub mod records;
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

/// Appends a line to a file below the tracker root that is local to this working copy, in one write: lines of several
/// processes do not mix. Gives the size of the file.
pub(crate) fn append_local(root: &std::path::Path, path: &str, line: &str) -> std::io::Result<u64> {
    use std::io::Write as _;
    let place = file::place(root, path)?;
    if std::fs::symlink_metadata(&place).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(std::io::Error::other(format!("`{}` is no regular file", place.display())));
    }
    let mut stream = std::fs::OpenOptions::new().append(true).create(true).open(place)?;
    stream.write_all(line.as_bytes())?;
    Ok(stream.metadata()?.len())
}

/// Writes a file below the tracker root that is local to this working copy, in one step.
pub(crate) fn write_local(root: &std::path::Path, path: &str, bytes: &[u8]) -> std::io::Result<()> {
    file::replace(&file::place(root, path)?, bytes)
}
