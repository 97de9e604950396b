//! What the store reads from: the work tree now, a Git tree at a revision later.
//!
//! Every path is relative to the tracker root and written with `/`. Nothing below the root is reached
//! through a symbolic link, and no path leaves the root (product.md §8).

use std::fmt;
use std::io;

pub use crate::model::kind::RESERVED_FOLDERS;

/// The longest path that is looked at, in bytes.
pub const MAX_PATH_BYTES: usize = 1024;

/// How deep item folders may be nested below the root.
pub const MAX_FOLDER_DEPTH: usize = 4;

/// What tells one version of a file from another without reading it.
///
/// In a work tree these are the fields of `stat`; a source of another kind fills them with what names the
/// content (a blob id), so that equal stamps mean equal bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// Last change of the content, nanoseconds since the Unix epoch.
    pub mtime_ns: i64,
    /// Last change of the inode, nanoseconds since the Unix epoch.
    pub ctime_ns: i64,
    /// The inode.
    pub ino: u64,
}

/// How long a file system may go on giving out the same time: a tick of the kernel, amply.
const TICK_NS: i64 = 20_000_000;

/// The same for file systems that keep whole seconds (FAT: two).
const COARSE_TICK_NS: i64 = 2_000_000_000;

impl Stamp {
    /// Whether a later change might leave a file with this stamp, so that it must not be trusted.
    pub(crate) fn is_racy(&self, now_ns: i64) -> bool {
        let whole_seconds = self.ctime_ns % 1_000_000_000 == 0 && self.mtime_ns % 1_000_000_000 == 0;
        let tick = if whole_seconds { COARSE_TICK_NS } else { TICK_NS };
        self.ctime_ns.saturating_add(tick) > now_ns
    }
}

/// What an entry of a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file: it can be read.
    File,
    /// A symbolic link: never followed, to be named as unreadable.
    Symlink,
    /// A device, a pipe, or an entry that vanished or refused its `stat`: to be named as unreadable.
    Other,
}

/// One file of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Its name, extension included.
    pub name: &'a str,
    /// What it is.
    pub kind: FileKind,
    /// Its stamp; zero when it could not be taken.
    pub stamp: Stamp,
}

/// The files of one folder, in the order in which the folder lists them (no order is promised).
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The folder, relative to the root, with `/`.
    pub folder: String,
    /// The folder's own stamp, taken before it was listed.
    pub stamp: Stamp,
    /// Names of entries that are links to, or stand where, a folder or file would be, and are not served:
    /// symbolic links without an item's extension, names that are no UTF-8 (written lossily).
    pub refused: Vec<String>,
    /// What it holds depends on more than the folder itself: the same stamp does not mean the same listing.
    pub fleeting: bool,
    names: String,
    slots: Vec<Slot>,
    remembered: bool,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    end: u32,
    kind: FileKind,
    stamp: Stamp,
}

impl Listing {
    /// An empty listing of a folder.
    pub fn new(folder: impl Into<String>, stamp: Stamp) -> Listing {
        Listing { folder: folder.into(), stamp, ..Listing::default() }
    }

    /// The same, known to hold exactly the files that the index remembers, in its order.
    pub(super) fn remembered(self) -> Listing {
        Listing { remembered: true, ..self }
    }

    /// Whether it holds exactly the files that the index remembers, in its order.
    pub(super) fn is_remembered(&self) -> bool {
        self.remembered
    }

    /// Adds a file.
    pub fn push(&mut self, name: &str, kind: FileKind, stamp: Stamp) {
        self.remembered = false;
        self.names.push_str(name);
        let end = u32::try_from(self.names.len()).expect("4 GiB of file names do not fit into memory limits");
        self.slots.push(Slot { end, kind, stamp });
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// File `n`, which must be below [`Listing::len`].
    pub fn get(&self, n: usize) -> Entry<'_> {
        let start = if n == 0 { 0 } else { self.slots[n - 1].end as usize };
        let slot = &self.slots[n];
        Entry { name: &self.names[start..slot.end as usize], kind: slot.kind, stamp: slot.stamp }
    }

    /// All files.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Entry<'_>> {
        (0..self.len()).map(|n| self.get(n))
    }

    /// The files in about so many parts of the same size, for as many threads to take their stamps.
    pub(super) fn parts(&mut self, parts: usize) -> impl Iterator<Item = Part<'_>> {
        let share = self.slots.len().div_ceil(parts.max(1)).max(1);
        let (names, mut start) = (self.names.as_str(), 0);
        self.slots.chunks_mut(share).map(move |slots| {
            let begin = start;
            start = slots.last().map_or(start, |slot| slot.end as usize);
            Part { names, start: begin, slots }
        })
    }
}

/// Some files of a listing that follow each other.
pub(super) struct Part<'a> {
    names: &'a str,
    start: usize,
    slots: &'a mut [Slot],
}

impl Part<'_> {
    /// Sets kind and stamp of each file to what is said of its name.
    pub(super) fn stamp(self, mut say: impl FnMut(&str) -> (FileKind, Stamp)) {
        let mut start = self.start;
        for slot in self.slots {
            let end = slot.end as usize;
            (slot.kind, slot.stamp) = say(&self.names[start..end]);
            start = end;
        }
    }
}

/// What is remembered of a folder, so that it need not be listed again.
#[derive(Clone, Debug)]
pub struct Remembered {
    /// Its files; kinds and stamps are taken anew.
    pub listing: Listing,
    /// The names of the folders in it.
    pub below: Vec<String>,
}

/// Says what is remembered of a folder from when it bore this stamp; nothing when it never did.
pub type Recall<'a> = dyn Fn(&str, &Stamp) -> Option<Remembered> + 'a;

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("no such file")]
    NotFound,
    /// The path, or a folder on its way, is a symbolic link; links are not followed.
    #[error("a symbolic link; links are not followed")]
    Symlink,
    /// It is a folder, a device or a pipe.
    #[error("not a regular file")]
    NotAFile,
    /// It is larger than the limit given.
    #[error("{size} bytes; at most {limit} are read")]
    TooLarge {
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The path would leave the tracker root, or is no path at all.
    #[error("not a path inside the tracker")]
    UnsafePath,
    /// The system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Where a tracker's files are read from.
pub trait Source: fmt::Debug + Send + Sync {
    /// Names this source among all of its kind: device and inode of the root, or the like. A cache that was
    /// made from another identity is of no use.
    fn identity(&self) -> [u64; 2];

    /// Every folder that may hold items, each with its item files (`.toon`, `.md`; names with a leading dot
    /// are nobody's): all folders below the root but the reserved ones and hidden ones, nested ones too.
    /// A symbolic link in place of a folder is in the [`Listing::refused`] of its parent (`""` is the root).
    ///
    /// Stamps are taken now, never remembered. A folder that still bears a stamp that `recall` knows is not listed:
    /// its names are as remembered. The first listing is that of the root itself, without files.
    fn scan(&self, recall: &Recall<'_>) -> io::Result<Vec<Listing>>;

    /// The folders directly below the root that may hold items, without looking into them.
    fn item_folders(&self) -> io::Result<Vec<String>>;

    /// The files of one folder whose names end in `extension` (`.jsonl`); empty when there is no such folder.
    fn list(&self, folder: &str, extension: &str) -> io::Result<Listing> {
        self.list_again(folder, extension, &|_, _| None)
    }

    /// As [`Source::list`]; as with [`Source::scan`], names may be remembered, stamps are not.
    fn list_again(&self, folder: &str, extension: &str, recall: &Recall<'_>) -> io::Result<Listing>;

    /// The stamp of a folder below the root (`""`: of the root itself); `None` when there is none.
    fn folder_stamp(&self, folder: &str) -> Option<Stamp>;

    /// The stamp of one regular file; `None` when there is none (links, folders and pipes are none).
    fn stamp(&self, path: &str) -> io::Result<Option<Stamp>>;

    /// Reads a whole file of at most `limit` bytes.
    fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, ReadError>;

    /// Reads the last `bytes` bytes of a file (all of a shorter one) and its whole size.
    fn read_tail(&self, path: &str, bytes: u64) -> Result<(Vec<u8>, u64), ReadError>;

    /// Reads at most `length` bytes of a file from `offset` on.
    fn read_part(&self, path: &str, offset: u64, length: u64) -> Result<Vec<u8>, ReadError>;
}

/// Whether `path` is a plain relative path with `/` that stays below the root on every system.
pub fn is_safe_path(path: &str) -> bool {
    !path.is_empty() && path.len() <= MAX_PATH_BYTES && path.split('/').all(is_safe_name)
}

/// Whether `name` can be one component of a safe path.
pub fn is_safe_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..")
        && name.len() <= 255
        && !name.bytes().any(|b| matches!(b, b'/' | b'\\' | b':' | 0))
}

/// Whether a top-level folder of this name may hold items.
pub fn may_hold_items(name: &str) -> bool {
    !name.starts_with('.') && RESERVED_FOLDERS.binary_search(&name).is_err()
}

/// Whether a file of this name may be an item.
pub fn is_item_file(name: &str) -> bool {
    !name.starts_with('.') && (name.ends_with(".toon") || name.ends_with(".md"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_root_are_unsafe() {
        for path in
            ["", "/etc/passwd", "..", "a/../b", "a//b", "a/.", "a\\b", "c:x", "a\0b", &"x".repeat(300)]
        {
            assert!(!is_safe_path(path), "{path:?}");
        }
        for path in ["tasks/pm-1.toon", "history/_workspace.jsonl", "a/b/c.toon", "..a/b"] {
            assert!(is_safe_path(path), "{path:?}");
        }
    }

    #[test]
    fn parts_hold_each_file_once_and_in_order() {
        for (files, parts) in [(0, 2), (1, 2), (2, 2), (7, 3), (5, 1), (3, 9)] {
            let mut listing = Listing::new("tasks", Stamp::default());
            (0..files).for_each(|n| listing.push(&"x".repeat(n + 1), FileKind::Other, Stamp::default()));
            let mut seen = 0u64;
            for part in listing.parts(parts) {
                part.stamp(|name| {
                    seen += 1;
                    assert_eq!(name.len() as u64, seen);
                    (FileKind::File, Stamp { size: seen, ..Stamp::default() })
                });
            }
            let sizes: Vec<u64> = listing.iter().map(|entry| entry.stamp.size).collect();
            assert_eq!(sizes, (1..=files as u64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_listing_gives_back_what_was_pushed() {
        let mut listing = Listing::new("tasks", Stamp::default());
        let stamp = Stamp { size: 3, ..Stamp::default() };
        listing.push("a.toon", FileKind::File, stamp);
        listing.push("bb.md", FileKind::Symlink, Stamp::default());
        let names: Vec<_> = listing.iter().map(|e| e.name).collect();
        assert_eq!(names, ["a.toon", "bb.md"]);
        assert_eq!(listing.get(0), Entry { name: "a.toon", kind: FileKind::File, stamp });
    }
}
