//! How large the history streams are: counted once per state of a file, kept as a row of bytes.

use std::cmp::Ordering;

/// How much of a row lies before the id.
const FIXED: usize = 4 + 4 * 8;

/// The size of one stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamSize {
    /// Bytes of the file.
    pub bytes: u64,
    /// Finished entries.
    pub entries: u64,
    /// When the first entry was made, in milliseconds since the epoch; 0 when unknown.
    pub first: i64,
    /// When the last one was.
    pub last: i64,
}

/// Counts a stream's entries. A last line that was never finished does not count.
pub fn count(bytes: &[u8]) -> StreamSize {
    let mut size = StreamSize { bytes: bytes.len() as u64, ..StreamSize::default() };
    let mut start = 0;
    let (mut first, mut last) = (None, None);
    for end in memchr::memchr_iter(b'\n', bytes) {
        let line = &bytes[start..end];
        start = end + 1;
        if !line.trim_ascii().is_empty() {
            size.entries += 1;
            first.get_or_insert(line);
            last = Some(line);
        }
    }
    size.first = first.map_or(0, time);
    size.last = last.map_or(0, time);
    size
}

/// When an entry was made.
fn time(line: &[u8]) -> i64 {
    const KEY: &[u8] = b"\"ts\":";
    let at = memchr::memmem::find(line, KEY).map(|at| &line[at + KEY.len()..]).unwrap_or_default();
    let mut parts = at.split(|byte| *byte == b'"');
    let text = parts.nth(1).and_then(|text| std::str::from_utf8(text).ok());
    text.and_then(crate::model::timestamp::parse).unwrap_or(0)
}

/// Appends the row of a stream to a block: its own length (u32), the four numbers (u64, little endian), the id.
pub(crate) fn write_row(id: &str, size: &StreamSize, block: &mut Vec<u8>) {
    let length = u32::try_from(FIXED + id.len()).unwrap_or(0);
    block.extend_from_slice(&length.to_le_bytes());
    for part in [size.bytes, size.entries, size.first.cast_unsigned(), size.last.cast_unsigned()] {
        block.extend_from_slice(&part.to_le_bytes());
    }
    block.extend_from_slice(id.as_bytes());
}

/// The id and the size that a row holds; bytes that are no row give empty ones.
pub(crate) fn of_row(row: &[u8]) -> (&str, StreamSize) {
    let part = |n: usize| {
        row.get(4 + 8 * n..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    let size = StreamSize {
        bytes: part(0),
        entries: part(1),
        first: part(2).cast_signed(),
        last: part(3).cast_signed(),
    };
    (std::str::from_utf8(row.get(FIXED..).unwrap_or_default()).unwrap_or_default(), size)
}

/// Orders rows by id.
pub(crate) fn compare_rows(a: &[u8], b: &[u8]) -> Ordering {
    of_row(a).0.cmp(of_row(b).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_counted_and_dated() {
        let stream = b"{\"ts\":\"2026-01-01T00:00:00.000Z\",\"op\":\"create\"}\n\n{\"op\":\"x\",\"ts\": \"2026-01-02T00:00:00.000Z\"}\n{\"ts\":\"2026-01-03";
        let size = count(stream);
        assert_eq!((size.bytes, size.entries), (stream.len() as u64, 2));
        assert_eq!(size.last - size.first, 86_400_000);
        assert_eq!(count(b""), StreamSize::default());
    }

    #[test]
    fn a_row_says_what_was_written_and_other_bytes_say_nothing() {
        let size = StreamSize { bytes: 9, entries: 1, first: -5, last: i64::MAX };
        let mut block = Vec::new();
        write_row("pm-ü", &size, &mut block);
        assert_eq!(of_row(&block), ("pm-ü", size));
        assert_eq!(block.first_chunk().map(|n| u32::from_le_bytes(*n) as usize), Some(block.len()));
        (0..block.len()).for_each(|cut| drop(of_row(&block[..cut]).0.to_owned()));
        assert_eq!(of_row(&[]), ("", StreamSize::default()));
        let mut other = Vec::new();
        write_row("pm-a", &size, &mut other);
        assert_eq!(
            (compare_rows(&other, &block), compare_rows(&other, &other)),
            (Ordering::Less, Ordering::Equal)
        );
    }
}
