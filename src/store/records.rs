//! What was once made of files, kept below the Git folder: records by the id of the bytes they were made of, and which
//! bytes a path had when it bore a stamp.
//!
//! One file, replaced as a whole, never needed: what is missing, old or damaged is made anew. Layout, numbers little
//! endian: magic, version, checksum of the rest; the counts of records and of paths; a table of records (key, offset,
//! length), sorted by key; a table of paths (offset and length of the path, stamp, number of the record), sorted by
//! path; the paths; the records.

use std::collections::HashSet;
use std::fmt;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;

use super::source::Stamp;
use super::{file, index};

const MAGIC: [u8; 8] = *b"pm-kb\0\0\x01";
const HEAD: usize = 8 + 4 + 4 + 8;
const COUNTS: usize = 8;
const RECORD_ROW: usize = KEY + 8 + 4;
const PATH_ROW: usize = 4 + 4 + 32 + 4;

/// How long a key is: a byte for the sort of record, then the id of a blob, zeros behind a short one.
const KEY: usize = 33;

/// Records that nobody used are kept up to so many times those in use: other revisions come and go.
const SPARE: usize = 4;

/// The key of a record.
pub type Key = [u8; KEY];

/// The key of what a sort of reader makes of a blob.
pub fn key(sort: u8, blob: &str) -> Key {
    let mut key = [0; KEY];
    key[0] = sort;
    for (n, place) in key[1..].iter_mut().enumerate() {
        *place = blob.get(2 * n..2 * n + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(0);
    }
    key
}

/// Bytes that may lie in the file.
#[derive(Clone)]
pub enum Bytes {
    /// Made by this call.
    Own(Arc<[u8]>),
    /// A part of the file.
    Mapped(Arc<Mmap>, Range<usize>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Own(bytes) => bytes,
            Bytes::Mapped(map, range) => map.get(range.clone()).unwrap_or_default(),
        }
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({})", self.len())
    }
}

/// A path as it is to be kept: which record it has, and the stamp that says so; none when the stamp is too young.
#[derive(Clone, Debug)]
pub struct Known {
    /// The path.
    pub path: String,
    /// Its stamp.
    pub stamp: Option<Stamp>,
    /// The key of its record.
    pub key: Key,
    /// Its record.
    pub record: Bytes,
}

/// The file as read.
#[derive(Debug, Default)]
pub struct Records {
    map: Option<Arc<Mmap>>,
    records: usize,
    paths: usize,
}

/// Where the records of a name lie for a work tree: below `pm/` of its Git folder.
pub fn place(top: &Path, name: &str) -> Option<PathBuf> {
    let git = top.join(".git");
    let folder = match std::fs::symlink_metadata(&git) {
        Ok(meta) if meta.is_dir() => git,
        // A linked work tree says where its own folder is.
        _ => {
            let text = std::fs::read_to_string(&git).ok()?;
            top.join(text.strip_prefix("gitdir:")?.trim())
        }
    };
    Some(folder.join("pm").join(name).join("records"))
}

impl Records {
    /// Reads the file; what is no file of this version is an empty one.
    pub fn open(place: &Path, version: u32) -> Records {
        Records::read(place, version).unwrap_or_default()
    }

    fn read(place: &Path, version: u32) -> Option<Records> {
        let file = std::fs::File::open(place).ok()?;
        if file.metadata().ok()?.len() < (HEAD + COUNTS) as u64 {
            return None;
        }
        let map = index::map(&file).ok()?;
        let told = (map.get(..8)? == MAGIC, number(&map, 8)?, long(&map, 16)?);
        if told != (true, version, checksum(map.get(HEAD..)?)) {
            return None;
        }
        let (records, paths) = (number(&map, HEAD)? as usize, number(&map, HEAD + 4)? as usize);
        Some(Records { map: Some(Arc::new(map)), records, paths })
    }

    fn bytes(&self) -> &[u8] {
        self.map.as_deref().map_or(&[], |map| map)
    }

    fn record_row(&self, n: usize) -> Option<(&[u8], Range<usize>)> {
        let row = HEAD + COUNTS + n * RECORD_ROW;
        let bytes = self.bytes();
        let start = usize::try_from(long(bytes, row + KEY)?).ok()?;
        Some((bytes.get(row..row + KEY)?, start..start.checked_add(number(bytes, row + KEY + 8)? as usize)?))
    }

    fn path_row(&self, n: usize) -> Option<(&[u8], Stamp, usize)> {
        let row = HEAD + COUNTS + self.records * RECORD_ROW + n * PATH_ROW;
        let bytes = self.bytes();
        let start = number(bytes, row)? as usize;
        let path = bytes.get(start..start.checked_add(number(bytes, row + 4)? as usize)?)?;
        let signed = |at: usize| long(bytes, at).map(u64::cast_signed);
        let stamp = Stamp {
            size: long(bytes, row + 8)?,
            mtime_ns: signed(row + 16)?,
            ctime_ns: signed(row + 24)?,
            ino: long(bytes, row + 32)?,
        };
        Some((path, stamp, number(bytes, row + 40)? as usize))
    }

    fn at(&self, n: usize) -> Option<(Key, Bytes)> {
        let (key, range) = self.record_row(n)?;
        Some((key.try_into().ok()?, Bytes::Mapped(Arc::clone(self.map.as_ref()?), range)))
    }

    /// The record of a key.
    pub fn by_key(&self, key: &Key) -> Option<Bytes> {
        let n = search(self.records, |n| self.record_row(n).map(|(own, _)| own.cmp(key)))?;
        self.at(n).map(|(_, record)| record)
    }

    /// The key and record of a path that bears the stamp it was read with.
    pub fn by_stamp(&self, path: &str, stamp: &Stamp) -> Option<(Key, Bytes)> {
        let n = search(self.paths, |n| self.path_row(n).map(|(own, ..)| own.cmp(path.as_bytes())))?;
        let (_, known, record) = self.path_row(n)?;
        (known == *stamp).then(|| self.at(record)).flatten()
    }

    /// Replaces the file: everything that is known now, and older records up to a measure. A file that cannot be
    /// written is not missed.
    pub fn write(&self, place: &Path, version: u32, known: &[Known]) {
        let mut rows: Vec<(Key, Bytes)> =
            known.iter().map(|known| (known.key, known.record.clone())).collect();
        let used: HashSet<Key> = rows.iter().map(|(key, _)| *key).collect();
        let older = (0..self.records).filter_map(|n| self.at(n)).filter(|(key, _)| !used.contains(key));
        rows.extend(older.take(SPARE * used.len() + 1_000));
        rows.sort_by_key(|row| row.0);
        rows.dedup_by(|a, b| a.0 == b.0);
        // A revision leaves what is known of the work tree as it is.
        let mut paths: Vec<(Vec<u8>, Stamp, Key)> =
            known.iter().filter_map(|k| Some((k.path.clone().into_bytes(), k.stamp?, k.key))).collect();
        if known.iter().all(|known| known.stamp.is_none()) {
            let old = (0..self.paths).filter_map(|n| self.path_row(n));
            paths.extend(old.filter_map(|(path, stamp, n)| Some((path.to_vec(), stamp, self.at(n)?.0))));
        }
        paths.sort_by(|a, b| a.0.cmp(&b.0));
        let Some(bytes) = encoded(version, &rows, &paths) else { return };
        let Some(folder) = place.parent() else { return };
        let temporary = file::temporary(place);
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&temporary, bytes));
        if written.and_then(|()| std::fs::rename(&temporary, place)).is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
    }
}

/// The bytes of the file; none when it would be too large for its numbers.
fn encoded(version: u32, rows: &[(Key, Bytes)], paths: &[(Vec<u8>, Stamp, Key)]) -> Option<Vec<u8>> {
    let small = |n: usize| u32::try_from(n).ok().map(u32::to_le_bytes);
    let mut at = HEAD + COUNTS + rows.len() * RECORD_ROW + paths.len() * PATH_ROW;
    let size = at
        + paths.iter().map(|(path, ..)| path.len()).sum::<usize>()
        + rows.iter().map(|(_, record)| record.len()).sum::<usize>();
    let mut out = Vec::with_capacity(size);
    out.extend(MAGIC);
    out.extend(version.to_le_bytes());
    out.extend([0; 12]);
    out.extend(small(rows.len())?);
    out.extend(small(paths.len())?);
    let mut record_at = at + paths.iter().map(|(path, ..)| path.len()).sum::<usize>();
    for (key, record) in rows {
        out.extend(key);
        out.extend((record_at as u64).to_le_bytes());
        out.extend(small(record.len())?);
        record_at += record.len();
    }
    for (path, stamp, key) in paths {
        out.extend(small(at)?);
        out.extend(small(path.len())?);
        out.extend(stamp.size.to_le_bytes());
        out.extend(stamp.mtime_ns.to_le_bytes());
        out.extend(stamp.ctime_ns.to_le_bytes());
        out.extend(stamp.ino.to_le_bytes());
        out.extend(small(rows.binary_search_by(|(own, _)| own.cmp(key)).ok()?)?);
        at += path.len();
    }
    paths.iter().for_each(|(path, ..)| out.extend(path));
    rows.iter().for_each(|(_, record)| out.extend(record.iter()));
    let sum = checksum(&out[HEAD..]);
    out[16..24].copy_from_slice(&sum.to_le_bytes());
    Some(out)
}

/// Finds the row that compares equal.
fn search(rows: usize, compare: impl Fn(usize) -> Option<std::cmp::Ordering>) -> Option<usize> {
    let (mut low, mut high) = (0, rows);
    while low < high {
        let middle = low + (high - low) / 2;
        match compare(middle)? {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Some(middle),
        }
    }
    None
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// Notices damage; four lanes, so that it costs next to nothing.
fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut lanes = [1u64, 2, 3, 4];
    let mut chunks = bytes.chunks_exact(32);
    for chunk in &mut chunks {
        for (n, lane) in lanes.iter_mut().enumerate() {
            let word = long(chunk, 8 * n).unwrap_or_default();
            *lane = (*lane ^ word).wrapping_mul(PRIME).rotate_left(29);
        }
    }
    let rest = chunks
        .remainder()
        .iter()
        .fold(bytes.len() as u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(PRIME).rotate_left(29));
    lanes.iter().fold(rest, |sum, lane| (sum ^ lane).wrapping_mul(PRIME).rotate_left(31))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(path: &str, blob: &str, record: &[u8], size: u64) -> Known {
        let stamp = Some(Stamp { size, ..Stamp::default() });
        Known { path: path.to_owned(), stamp, key: key(0, blob), record: Bytes::Own(record.into()) }
    }

    #[test]
    fn what_was_written_is_read_and_what_is_damaged_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("pm/kb/records");
        let all = [known("b.md", "02ab", b"two", 2), known("a.md", "01", b"one", 1)];
        Records::default().write(&place, 7, &all);
        let records = Records::open(&place, 7);
        let (found, record) = records.by_stamp("a.md", &Stamp { size: 1, ..Stamp::default() }).unwrap();
        assert_eq!((found, &*record), (key(0, "01"), &b"one"[..]));
        assert!(records.by_stamp("a.md", &Stamp { size: 9, ..Stamp::default() }).is_none());
        assert_eq!(&*records.by_key(&key(0, "02ab")).unwrap(), b"two");
        assert!(records.by_key(&key(1, "02ab")).is_none());
        assert_eq!(Records::open(&place, 8).records, 0);
        // A revision adds records and keeps what is known of the work tree.
        let mut other = known("c.md", "03", b"three", 3);
        other.stamp = None;
        records.write(&place, 7, &[other]);
        let both = Records::open(&place, 7);
        assert_eq!((both.records, both.paths), (3, 2));
        let whole = std::fs::read(&place).unwrap();
        for cut in [0, 7, 30, whole.len() - 1] {
            std::fs::write(&place, &whole[..cut]).unwrap();
            assert_eq!(Records::open(&place, 7).records, 0);
        }
        let mut flipped = whole.clone();
        *flipped.last_mut().unwrap() ^= 1;
        std::fs::write(&place, &flipped).unwrap();
        assert_eq!(Records::open(&place, 7).records, 0);
    }
}
