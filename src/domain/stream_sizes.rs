//! How large the history streams are: counted once per state of a file, kept as bytes.

use std::collections::HashMap;

use crate::model::checksum::checksum;

const MAGIC: &[u8; 8] = b"pmstrm01";
const FIXED: usize = 56;

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

/// What tells one state of a file from another: modification, change, inode.
pub(crate) type Identity = [u64; 3];

/// Sizes by stream id, each with the state of the file that was counted.
pub(crate) type Sizes<'a> = HashMap<&'a str, (Identity, StreamSize), foldhash::fast::FixedState>;

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

/// The bytes that keep sizes.
pub(crate) fn encode(sizes: &Sizes<'_>) -> Vec<u8> {
    let mut body = Vec::with_capacity(sizes.len() * (FIXED + 16));
    for (id, (identity, size)) in sizes {
        identity.iter().for_each(|part| body.extend_from_slice(&part.to_le_bytes()));
        for part in [size.bytes, size.entries, size.first as u64, size.last as u64] {
            body.extend_from_slice(&part.to_le_bytes());
        }
        crate::model::records::pack(&mut body, id);
    }
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&checksum(&body).to_le_bytes());
    out.extend_from_slice(&body);
    out
}

/// The sizes that these bytes keep; nothing when they are damaged.
pub(crate) fn decode(bytes: &[u8]) -> Sizes<'_> {
    let mut sizes = Sizes::default();
    let Some((head, mut body)) = bytes.split_at_checked(16) else { return sizes };
    if head[..8] != *MAGIC || head[8..] != checksum(body).to_le_bytes() {
        return sizes;
    }
    while let Some((fixed, rest)) = body.split_at_checked(FIXED) {
        let part = |n: usize| fixed[8 * n..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let mut texts = crate::model::records::unpack(rest);
        let Some(id) = texts.next() else { break };
        let size =
            StreamSize { bytes: part(3), entries: part(4), first: part(5) as i64, last: part(6) as i64 };
        sizes.insert(id, ([part(0), part(1), part(2)], size));
        let prefix = if id.len() < 0x80 { 1 } else { 2 };
        body = rest.get(prefix + id.len()..).unwrap_or_default();
    }
    sizes
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
    fn sizes_come_back_unless_damaged() {
        let ids: Vec<String> = (0..40).map(|n| format!("pm-{}", "x".repeat(n * 5))).collect();
        let mut sizes = Sizes::default();
        for (n, id) in (0..40u64).zip(&ids) {
            sizes.insert(id, ([n, n + 1, n + 2], StreamSize { bytes: n, entries: 1, first: -5, last: 7 }));
        }
        let bytes = encode(&sizes);
        assert_eq!(decode(&bytes), sizes);
        let mut damaged = bytes.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(decode(&damaged).is_empty() && decode(b"").is_empty());
    }
}
