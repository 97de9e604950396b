//! One row of the block: a fixed head, slots for what is present, then the bytes of texts and lists.
//!
//! ```text
//!  0  u32  length of the row in bytes
//!  4  u64  which byte slots are present: texts in the order of `Text`, then tags, links, custom, path
//! 12  u32  which counts are present (not zero)
//! 16  u16  which numbers are present
//! 18  u8   priority
//! 19  u8   zero
//! 20  u32  `Presence`
//! 24  u64  digest of what the row was made of
//! 32  u64  checksum of the row without these bytes
//! 40  f64 or i64 per number, u32 end per byte slot (from the start of the heap), u32 per count, then the heap
//! ```
//! Little-endian throughout. Reading is bounds-checked: bytes that are no row give empty values, never a panic.

use crate::model::checksum::checksum;

use super::fields::{Count, Number, Presence, Text};

/// The byte slots after the texts.
#[derive(Clone, Copy)]
pub(super) enum Bytes {
    Tags,
    Links,
    Custom,
    Path,
}

const TEXTS: u32 = Text::ALL.len() as u32;
const HEAD: usize = 40;
const SUM: std::ops::Range<usize> = 32..40;

/// Gathers the facts of one item; [`RowWriter::finish`] appends the row to a block.
#[derive(Debug, Default)]
pub(super) struct RowWriter {
    slots: u64,
    ends: Vec<u32>,
    heap: Vec<u8>,
    counts: Vec<u32>,
    count_mask: u32,
    numbers: Vec<[u8; 8]>,
    number_mask: u16,
}

impl RowWriter {
    /// Must be called in slot order.
    pub(super) fn text(&mut self, slot: Text, value: &str) {
        self.slot(slot as u32, value.as_bytes());
    }

    /// Must be called in slot order, after every text.
    pub(super) fn bytes(&mut self, slot: Bytes, value: &[u8]) {
        self.slot(TEXTS + slot as u32, value);
    }

    fn slot(&mut self, bit: u32, value: &[u8]) {
        debug_assert!(self.slots >> bit == 0, "slots are written in order");
        self.slots |= 1 << bit;
        self.heap.extend_from_slice(value);
        self.ends.push(narrow(self.heap.len()));
    }

    /// Must be called in slot order.
    pub(super) fn count(&mut self, slot: Count, value: usize) {
        if value > 0 {
            self.count_mask |= 1 << slot as u32;
            self.counts.push(narrow(value));
        }
    }

    /// Must be called in slot order.
    pub(super) fn number(&mut self, slot: Number, value: [u8; 8]) {
        self.number_mask |= 1 << slot as u32;
        self.numbers.push(value);
    }

    pub(super) fn finish(&self, priority: u8, presence: Presence, digest: u64, block: &mut Vec<u8>) {
        let length =
            HEAD + 8 * self.numbers.len() + 4 * (self.ends.len() + self.counts.len()) + self.heap.len();
        let start = block.len();
        block.extend_from_slice(&narrow(length).to_le_bytes());
        block.extend_from_slice(&self.slots.to_le_bytes());
        block.extend_from_slice(&self.count_mask.to_le_bytes());
        block.extend_from_slice(&self.number_mask.to_le_bytes());
        block.extend_from_slice(&[priority, 0]);
        block.extend_from_slice(&presence.0.to_le_bytes());
        block.extend_from_slice(&digest.to_le_bytes());
        block.extend_from_slice(&[0; 8]);
        self.numbers.iter().for_each(|n| block.extend_from_slice(n));
        self.ends.iter().chain(&self.counts).for_each(|n| block.extend_from_slice(&n.to_le_bytes()));
        block.extend_from_slice(&self.heap);
        let sum = Row(&block[start..]).sum();
        block[start..][SUM].copy_from_slice(&sum.to_le_bytes());
    }
}

/// An item file is at most 16 MiB, so every offset inside a row fits.
fn narrow(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// A view of one row.
#[derive(Clone, Copy)]
pub(super) struct Row<'a>(pub(super) &'a [u8]);

impl<'a> Row<'a> {
    fn array<const N: usize>(self, at: usize) -> [u8; N] {
        let bytes = at.checked_add(N).and_then(|end| self.0.get(at..end));
        bytes.and_then(|b| b.try_into().ok()).unwrap_or([0; N])
    }

    fn u32(self, at: usize) -> u32 {
        u32::from_le_bytes(self.array(at))
    }

    fn slots(self) -> u64 {
        u64::from_le_bytes(self.array(4))
    }

    fn count_mask(self) -> u32 {
        self.u32(12)
    }

    fn number_mask(self) -> u16 {
        u16::from_le_bytes(self.array(16))
    }

    pub(super) fn priority(self) -> u8 {
        self.array::<1>(18)[0]
    }

    pub(super) fn presence(self) -> Presence {
        Presence(self.u32(20))
    }

    pub(super) fn digest(self) -> u64 {
        u64::from_le_bytes(self.array(24))
    }

    fn sum(self) -> u64 {
        let part = |range: std::ops::RangeFrom<usize>| self.0.get(range).unwrap_or_default();
        checksum(self.0.get(..SUM.start).unwrap_or_default()).rotate_left(1) ^ checksum(part(SUM.end..))
    }

    /// Whether the bytes are those that were written.
    pub(super) fn is_sound(self) -> bool {
        u64::from_le_bytes(self.array(SUM.start)) == self.sum()
    }

    pub(super) fn number(self, slot: Number) -> Option<[u8; 8]> {
        let (mask, bit) = (self.number_mask(), 1 << slot as u32);
        (mask & bit != 0).then(|| self.array(HEAD + 8 * (mask & (bit - 1)).count_ones() as usize))
    }

    fn ends(self) -> usize {
        HEAD + 8 * self.number_mask().count_ones() as usize
    }

    fn counts(self) -> usize {
        self.ends() + 4 * self.slots().count_ones() as usize
    }

    pub(super) fn count(self, slot: Count) -> usize {
        let (mask, bit) = (self.count_mask(), 1 << slot as u32);
        if mask & bit == 0 {
            return 0;
        }
        self.u32(self.counts() + 4 * (mask & (bit - 1)).count_ones() as usize) as usize
    }

    fn slot(self, bit: u32) -> Option<&'a [u8]> {
        // Asked for more than anything else: the head is looked at once.
        let (head, rest) = self.0.split_first_chunk::<HEAD>()?;
        let mask = u64::from_le_bytes(*head[4..].first_chunk()?);
        if mask >> bit & 1 == 0 {
            return None;
        }
        let counts = u32::from_le_bytes(*head[12..].first_chunk()?).count_ones() as usize;
        let numbers = u16::from_le_bytes(*head[16..].first_chunk()?).count_ones() as usize;
        let (ends, rest) = rest.get(8 * numbers..)?.split_at_checked(4 * mask.count_ones() as usize)?;
        let (ends, _) = ends.as_chunks::<4>();
        let rank = (mask & ((1 << bit) - 1)).count_ones() as usize;
        let end = |rank: usize| ends.get(rank).map(|end| u32::from_le_bytes(*end) as usize);
        let start = if rank == 0 { 0 } else { end(rank - 1)? };
        rest.get(4 * counts..)?.get(start..end(rank)?)
    }

    pub(super) fn text(self, slot: Text) -> Option<&'a str> {
        self.slot(slot as u32).map(|bytes| std::str::from_utf8(bytes).unwrap_or_default())
    }

    pub(super) fn bytes(self, slot: Bytes) -> &'a [u8] {
        self.slot(TEXTS + slot as u32).unwrap_or_default()
    }
}

/// Appends a text to a packed list: its length in LEB128, then its bytes.
pub(crate) fn pack(list: &mut Vec<u8>, text: &str) {
    let mut n = text.len();
    while n > 0x7f {
        list.push(n as u8 | 0x80);
        n >>= 7;
    }
    list.push(n as u8);
    list.extend_from_slice(text.as_bytes());
}

/// The texts of a packed list; stops at bytes that are none.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed<'a>(pub(super) &'a [u8]);

impl<'a> Packed<'a> {
    /// The bytes of the next text, which may turn out to be none.
    pub(super) fn next_bytes(&mut self) -> Option<&'a [u8]> {
        let (mut length, mut shift) = (0usize, 0);
        loop {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            length |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
            shift += 7;
            if shift > 28 {
                self.0 = &[];
                return None;
            }
        }
        let Some((text, rest)) = self.0.split_at_checked(length) else {
            self.0 = &[];
            return None;
        };
        self.0 = rest;
        Some(text)
    }
}

impl<'a> Iterator for Packed<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.next_bytes()?).ok()
    }
}
