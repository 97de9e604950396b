//! The bytes of an index file.
//!
//! ```text
//! head      magic, format, fingerprint, generation, generation of the base (0: this is one),
//!           length and checksum of each section, checksum of the head
//! folders   packed: path, stamp, flags, number of files
//! files     44 bytes each, by folder, in the order in which the folder lists them:
//!           stamp, end of its name, start of its row, flags
//! names     the file names, one after the other
//! order     u32 per readable file: its number, by folded id, then path
//! dead      u32 per file of the base that this delta replaces or drops
//! rows      the rows of `model::records` in the order of ids, so that reading all is reading on; then of each
//!           unreadable file code and problem
//! ```
//! Little-endian. A segment is used only when every length and checksum agrees, so that torn, truncated,
//! flipped and foreign bytes are told from ours; every access is bounds-checked all the same.

use crate::model::checksum::checksum;
use crate::model::records::Block;
use crate::store::source::Stamp;

const MAGIC: &[u8; 8] = b"pm-index";

/// Grows with every change of this layout, of the rows, or of how item files are read.
pub(super) const FORMAT: u32 = 5;

const SECTIONS: usize = 6;
const HEAD: usize = 64 + 16 * SECTIONS + 8;
const FILE: usize = 44;

/// The content of this file must be read again whatever its stamp says.
pub(super) const RETRY: u32 = 1;
/// The row holds code and problem.
pub(super) const UNREADABLE: u32 = 2;

/// Names what an index was made from and for: of another one it is of no use.
pub(super) type Fingerprint = [u8; 32];

/// A folder of item files, as last seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folder {
    pub(super) path: String,
    pub(super) stamp: Stamp,
    /// Number of its first file within the segment.
    pub(super) first: usize,
    pub(super) files: usize,
}

/// A file, as last seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct File {
    pub(super) stamp: Stamp,
    pub(super) flags: u32,
    /// Where its row starts, from the beginning of the segment.
    pub(super) row: u32,
}

/// What of a segment is checked when it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// All.
    All,
    /// All but the rows: whoever asks for one checks it.
    RowsLater,
}

/// An index file whose bytes are in order.
pub(super) struct Segment {
    data: Block,
    /// Ends of head and sections.
    ends: [usize; SECTIONS + 1],
    folders: Vec<Folder>,
    pub(super) generation: u64,
    pub(super) base: u64,
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |b| u32::from_le_bytes(*b))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |b| u64::from_le_bytes(*b))
}

impl Segment {
    /// Takes bytes for a segment of this fingerprint; `None` when they are none.
    pub(super) fn open(data: Block, fingerprint: &Fingerprint, check: Check) -> Option<Segment> {
        let bytes: &[u8] = (*data).as_ref();
        let head = bytes.get(..HEAD)?;
        let sound = head.starts_with(MAGIC)
            && u32_at(head, 8) == FORMAT
            && head.get(16..48)? == fingerprint
            && u64_at(head, HEAD - 8) == checksum(&head[..HEAD - 8]);
        if !sound {
            return None;
        }
        let (generation, base) = (u64_at(head, 48), u64_at(head, 56));
        let mut ends = [HEAD; SECTIONS + 1];
        for n in 0..SECTIONS {
            let length = usize::try_from(u64_at(head, 64 + 16 * n)).ok()?;
            ends[n + 1] = ends[n].checked_add(length)?;
            let section = bytes.get(ends[n]..ends[n + 1])?;
            let later = n == SECTIONS - 1 && check == Check::RowsLater;
            if !later && checksum(section) != u64_at(head, 72 + 16 * n) {
                return None;
            }
        }
        if ends[SECTIONS] != bytes.len() {
            return None;
        }
        let folders = read_folders(bytes.get(ends[0]..ends[1])?)?;
        let segment = Segment { data, ends, folders, generation, base };
        let last = segment.folders.last().map_or(0, |folder| folder.first + folder.files);
        (segment.section(1).len() == last.checked_mul(FILE)?).then_some(segment)
    }

    fn section(&self, n: usize) -> &[u8] {
        (*self.data).as_ref().get(self.ends[n]..self.ends[n + 1]).unwrap_or_default()
    }

    pub(super) fn folders(&self) -> &[Folder] {
        &self.folders
    }

    /// How many files it knows.
    pub(super) fn len(&self) -> usize {
        self.section(1).len() / FILE
    }

    /// File `n`.
    pub(super) fn file(&self, n: usize) -> File {
        let bytes = self.section(1).get(n * FILE..).unwrap_or_default();
        File {
            stamp: read_stamp(bytes),
            // Our segments are smaller than 4 GiB; of other bytes no row is found there.
            row: u32::try_from(self.ends[5]).unwrap_or(u32::MAX).saturating_add(u32_at(bytes, 36)),
            flags: u32_at(bytes, 40),
        }
    }

    /// The name of file `n`, in bytes: to be compared, not to be shown.
    pub(super) fn name(&self, n: usize) -> &[u8] {
        let end = |n: usize| u32_at(self.section(1), n * FILE + 32) as usize;
        let start = if n == 0 { 0 } else { end(n - 1) };
        self.section(2).get(start..end(n)).unwrap_or_default()
    }

    /// The readable files by folded id, then path.
    pub(super) fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.section(3).as_chunks().0.iter().map(|n| u32::from_le_bytes(*n))
    }

    /// The files of the base that are not to be used.
    pub(super) fn dead(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.section(4).as_chunks().0.iter().map(|n| u32::from_le_bytes(*n))
    }

    /// The row that starts here, its length in front.
    pub(super) fn row(&self, start: usize) -> &[u8] {
        let bytes = (*self.data).as_ref().get(start..).unwrap_or_default();
        bytes.get(..u32_at(bytes, 0) as usize).unwrap_or_default()
    }

    /// Its size in bytes.
    pub(super) fn size(&self) -> usize {
        self.ends[SECTIONS]
    }

    pub(super) fn into_block(self) -> Block {
        self.data
    }
}

fn read_stamp(bytes: &[u8]) -> Stamp {
    Stamp {
        size: u64_at(bytes, 0),
        mtime_ns: u64_at(bytes, 8) as i64,
        ctime_ns: u64_at(bytes, 16) as i64,
        ino: u64_at(bytes, 24),
    }
}

fn write_stamp(stamp: &Stamp, out: &mut Vec<u8>) {
    out.extend_from_slice(&stamp.size.to_le_bytes());
    out.extend_from_slice(&stamp.mtime_ns.to_le_bytes());
    out.extend_from_slice(&stamp.ctime_ns.to_le_bytes());
    out.extend_from_slice(&stamp.ino.to_le_bytes());
}

fn read_folders(mut bytes: &[u8]) -> Option<Vec<Folder>> {
    let mut folders = Vec::new();
    let mut first = 0;
    while !bytes.is_empty() {
        let length = u32_at(bytes, 36) as usize;
        let files = u32_at(bytes, 32) as usize;
        let path = std::str::from_utf8(bytes.get(40..40usize.checked_add(length)?)?).ok()?;
        folders.push(Folder { path: path.to_owned(), stamp: read_stamp(bytes), first, files });
        first += files;
        bytes = &bytes[40 + length..];
    }
    Some(folders)
}

/// Gathers a segment, section by section.
#[derive(Default)]
pub(super) struct SegmentWriter {
    folders: Vec<u8>,
    files: Vec<u8>,
    names: Vec<u8>,
    order: Vec<u8>,
    dead: Vec<u8>,
    rows: Vec<u8>,
    overflow: bool,
}

impl SegmentWriter {
    /// Begins a folder; its files follow.
    pub(super) fn folder(&mut self, path: &str, stamp: &Stamp, files: usize) {
        write_stamp(stamp, &mut self.folders);
        let files = self.narrow(files);
        let length = self.narrow(path.len());
        self.folders.extend_from_slice(&files.to_le_bytes());
        self.folders.extend_from_slice(&length.to_le_bytes());
        self.folders.extend_from_slice(path.as_bytes());
    }

    /// Adds a row, its length in front, and gives back where it starts.
    pub(super) fn row(&mut self, row: &[u8]) -> u32 {
        let start = self.narrow(self.rows.len());
        self.rows.extend_from_slice(row);
        start
    }

    /// Adds a file of the folder begun last.
    pub(super) fn file(&mut self, name: &str, stamp: &Stamp, flags: u32, row: u32) {
        self.names.extend_from_slice(name.as_bytes());
        let name_end = self.narrow(self.names.len());
        write_stamp(stamp, &mut self.files);
        for n in [name_end, row, flags] {
            self.files.extend_from_slice(&n.to_le_bytes());
        }
    }

    /// Adds the next readable file by id.
    pub(super) fn ordered(&mut self, file: u32) {
        self.order.extend_from_slice(&file.to_le_bytes());
    }

    /// Adds a file of the base that is not to be used.
    pub(super) fn dead(&mut self, file: u32) {
        self.dead.extend_from_slice(&file.to_le_bytes());
    }

    fn narrow(&mut self, n: usize) -> u32 {
        u32::try_from(n).unwrap_or_else(|_| {
            self.overflow = true;
            0
        })
    }

    /// The file's pieces, in order; `None` when something is too large for this layout.
    pub(super) fn finish(
        self,
        fingerprint: &Fingerprint,
        generation: u64,
        base: u64,
    ) -> Option<[Vec<u8>; SECTIONS + 1]> {
        let sections = [self.folders, self.files, self.names, self.order, self.dead, self.rows];
        let total: usize = HEAD + sections.iter().map(Vec::len).sum::<usize>();
        if self.overflow || u32::try_from(total).is_err() {
            return None;
        }
        let mut head = Vec::with_capacity(HEAD);
        head.extend_from_slice(MAGIC);
        head.extend_from_slice(&FORMAT.to_le_bytes());
        head.extend_from_slice(&[0; 4]);
        head.extend_from_slice(fingerprint);
        head.extend_from_slice(&generation.to_le_bytes());
        head.extend_from_slice(&base.to_le_bytes());
        for section in &sections {
            head.extend_from_slice(&(section.len() as u64).to_le_bytes());
            head.extend_from_slice(&checksum(section).to_le_bytes());
        }
        let sum = checksum(&head);
        head.extend_from_slice(&sum.to_le_bytes());
        let [folders, files, names, order, dead, rows] = sections;
        Some([head, folders, files, names, order, dead, rows])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let stamp = Stamp { size: 1, mtime_ns: -2, ctime_ns: 3, ino: 4 };
        let mut writer = SegmentWriter::default();
        writer.folder("tasks", &stamp, 2);
        let rows = [writer.row(&[6, 0, 0, 0, 1, 2]), writer.row(&[5, 0, 0, 0, 9])];
        writer.file("b.toon", &stamp, 0, rows[0]);
        writer.file("a.md", &Stamp::default(), UNREADABLE, rows[1]);
        writer.folder("none", &Stamp::default(), 0);
        writer.ordered(0);
        writer.dead(7);
        writer.finish(&[5; 32], 11, 12).unwrap().concat()
    }

    #[test]
    fn what_was_written_is_read() {
        let segment = Segment::open(Box::new(sample()), &[5; 32], Check::All).unwrap();
        assert_eq!((segment.generation, segment.base, segment.len()), (11, 12, 2));
        assert_eq!(segment.folders()[1].path, "none");
        let (first, second) = (segment.file(0), segment.file(1));
        assert_eq!((segment.name(0), first.flags, first.stamp.mtime_ns), (&b"b.toon"[..], 0, -2));
        assert_eq!(segment.row(first.row as usize), [6, 0, 0, 0, 1, 2]);
        assert_eq!((segment.name(1), second.flags), (&b"a.md"[..], UNREADABLE));
        assert_eq!(segment.row(second.row as usize), [5, 0, 0, 0, 9]);
        assert_eq!(segment.order().collect::<Vec<_>>(), [0]);
        assert_eq!(segment.dead().collect::<Vec<_>>(), [7]);
    }

    #[test]
    fn any_flipped_bit_cut_or_foreign_fingerprint_is_refused() {
        let good = sample();
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            // Bytes 12 to 15 are spare, but the head's checksum covers them.
            assert!(Segment::open(Box::new(bad), &[5; 32], Check::All).is_none(), "bit {bit}");
        }
        for end in 0..good.len() {
            assert!(
                Segment::open(Box::new(good[..end].to_vec()), &[5; 32], Check::All).is_none(),
                "cut at {end}"
            );
        }
        assert!(Segment::open(Box::new([&good[..], &[0]].concat()), &[5; 32], Check::All).is_none());
        assert!(Segment::open(Box::new(good), &[6; 32], Check::All).is_none());
    }
}
