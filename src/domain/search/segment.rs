//! Postings of a set of documents as bytes: one table of documents, one of words, then who says what where.
//!
//! ```text
//!   0  magic, 8 bytes
//!   8  u64  length of everything
//!  16  u64  checksum of everything before the postings, from 24 on
//!  24  u32  documents   u32 words   u64 end of the field table   u64 end of the spellings
//!  48  per document: u64 key, u32 first field, u32 length of each class of fields
//!      per field of a document: u32 field number, u32 place of its first word
//!      per word: u32 start of the spelling, u32 length of it, u64 start of the postings, u32 length, u32 checksum
//!      spellings, sorted by bytes
//!      postings per word: per document LEB128 of its distance, of the count of places, of the distances of the places
//! ```
//! Little-endian. Reading is bounds-checked; a word's postings are believed when their checksum agrees.

use super::document::{Class, Field};
use crate::model::checksum::checksum;

pub(super) const MAGIC: &[u8; 8] = b"pmsrch01";
pub(super) const HEAD: usize = 48;
pub(super) const DOCUMENT: usize = 12 + 4 * Class::COUNT;
pub(super) const FIELD: usize = 8;
pub(super) const WORD: usize = 24;

/// A view of the bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<'a> {
    bytes: &'a [u8],
    documents: &'a [u8],
    fields: &'a [u8],
    words: &'a [u8],
    spellings: &'a [u8],
    postings: &'a [u8],
}

/// A word of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    /// The folded form.
    pub(crate) spelling: &'a str,
    /// The documents that have it, encoded; empty when the bytes are damaged.
    postings: &'a [u8],
    checksum: u32,
}

/// The places of a word in one document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posting<'a> {
    /// The document's number in its segment.
    pub(crate) document: u32,
    count: u32,
    places: &'a [u8],
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    at.checked_add(4).and_then(|end| bytes.get(at..end)?.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    at.checked_add(8).and_then(|end| bytes.get(at..end)?.try_into().ok()).map_or(0, u64::from_le_bytes)
}

fn size(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64_at(bytes, at)).ok()
}

/// The part of a checksum that a word keeps.
pub(super) fn short_checksum(bytes: &[u8]) -> u32 {
    checksum(bytes) as u32
}

/// Reads a LEB128 number and moves on.
fn number(bytes: &mut &[u8]) -> Option<u32> {
    let (mut value, mut shift) = (0u32, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        shift += 7;
    }
}

/// Appends a number in LEB128.
pub(super) fn put_number(out: &mut Vec<u8>, mut value: u32) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

impl<'a> Segment<'a> {
    /// The segment at the beginning of these bytes and what follows it; `None` when they hold none, or a damaged one.
    pub(crate) fn open(bytes: &'a [u8]) -> Option<(Segment<'a>, &'a [u8])> {
        if bytes.get(..8)? != MAGIC {
            return None;
        }
        let (bytes, rest) = bytes.split_at_checked(size(bytes, 8)?)?;
        let (documents, words) = (u32_at(bytes, 24) as usize, u32_at(bytes, 28) as usize);
        let documents_end = HEAD.checked_add(documents.checked_mul(DOCUMENT)?)?;
        let fields_end = size(bytes, 32)?;
        let words_end = fields_end.checked_add(words.checked_mul(WORD)?)?;
        let spellings_end = size(bytes, 40)?;
        if checksum(bytes.get(24..spellings_end)?) != u64_at(bytes, 16) {
            return None;
        }
        let segment = Segment {
            bytes,
            documents: bytes.get(HEAD..documents_end)?,
            fields: bytes.get(documents_end..fields_end)?,
            words: bytes.get(fields_end..words_end)?,
            spellings: bytes.get(words_end..spellings_end)?,
            postings: bytes.get(spellings_end..)?,
        };
        Some((segment, rest))
    }

    /// All of its bytes.
    pub(crate) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// How many documents there are, dead ones included.
    pub(crate) fn documents(self) -> u32 {
        (self.documents.len() / DOCUMENT) as u32
    }

    /// The key under which a document was added.
    pub(crate) fn key(self, document: u32) -> u64 {
        u64_at(self.documents, document as usize * DOCUMENT)
    }

    /// How many words each class of its fields has.
    pub(crate) fn lengths(self, document: u32) -> [u32; Class::COUNT] {
        let at = document as usize * DOCUMENT + 12;
        std::array::from_fn(|class| u32_at(self.documents, at + 4 * class))
    }

    /// The fields of a document with the place of each one's first word, ascending.
    pub(crate) fn fields(self, document: u32) -> impl Iterator<Item = (Field, u32)> + Clone {
        let first = |document: u32| {
            let at = document as usize * DOCUMENT + 8;
            if at + 4 <= self.documents.len() {
                u32_at(self.documents, at) as usize
            } else {
                self.fields.len() / FIELD
            }
        };
        (first(document)..first(document + 1)).filter_map(move |n| {
            let number = u8::try_from(u32_at(self.fields, n * FIELD)).ok()?;
            Some((Field::numbered(number)?, u32_at(self.fields, n * FIELD + 4)))
        })
    }

    /// How many words there are.
    pub(crate) fn words(self) -> usize {
        self.words.len() / WORD
    }

    /// Word `n` in the order of bytes.
    pub(crate) fn word(self, n: usize) -> Option<Entry<'a>> {
        let entry = self.words.get(n.checked_mul(WORD)?..)?.get(..WORD)?;
        let spelling = self.spellings.get(u32_at(entry, 0) as usize..)?.get(..u32_at(entry, 4) as usize)?;
        Some(Entry {
            spelling: std::str::from_utf8(spelling).ok()?,
            postings: self.postings.get(size(entry, 8)?..)?.get(..u32_at(entry, 16) as usize)?,
            checksum: u32_at(entry, 20),
        })
    }

    /// The words that begin with `prefix`, in the order of bytes.
    pub(crate) fn with_prefix(self, prefix: &str) -> impl Iterator<Item = Entry<'a>> {
        let (mut low, mut high) = (0, self.words());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.word(middle) {
                Some(word) if word.spelling < prefix => low = middle + 1,
                _ => high = middle,
            }
        }
        let prefix = prefix.to_owned();
        (low..self.words())
            .map_while(move |n| self.word(n))
            .take_while(move |word| word.spelling.starts_with(&prefix))
    }
}

impl<'a> Entry<'a> {
    /// The documents that have the word, ascending; `None` when the bytes are damaged.
    pub(crate) fn postings(self) -> Option<impl Iterator<Item = Posting<'a>>> {
        if short_checksum(self.postings) != self.checksum {
            return None;
        }
        let (mut rest, mut document) = (self.postings, 0u32);
        Some(std::iter::from_fn(move || {
            document = document.checked_add(number(&mut rest)?)?;
            let count = number(&mut rest)?;
            let places = rest;
            for _ in 0..count {
                number(&mut rest)?;
            }
            Some(Posting { document, count, places })
        }))
    }
}

impl Posting<'_> {
    /// Where it says it, ascending.
    pub(crate) fn places(&self) -> impl Iterator<Item = u32> {
        let (mut rest, mut place) = (self.places, 0u32);
        (0..self.count).map_while(move |_| {
            place = place.checked_add(number(&mut rest)?)?;
            Some(place)
        })
    }
}
