//! The front of an item file, read without decoding what is not needed.
//!
//! The file is cut into the blocks of its top-level fields. Blocks that look exactly as the encoder writes them are
//! read in place; any other block is decoded by itself; anything unusual about the document as a whole ends the scan,
//! and the caller decodes the file. What a scan returns always equals the front of the decoded item.

mod block;
mod row;
#[cfg(test)]
mod tests;

use memchr::memchr;

use super::item::{MAX_ITEM_BYTES, Rules, conflict_marker};
use crate::model::canonical::{FIELD_ORDER, rank};
use crate::model::front::Front;
use crate::model::required::REQUIRED;
use block::Block;

/// Reads the front of a flat TOON item file; `None` when only the full decoder can tell.
pub fn scan<'a>(bytes: &'a [u8], rules: &Rules<'_>) -> Option<Front<'a>> {
    // No byte order mark, CR, tab or other control: the encoder writes none.
    let control = bytes.iter().fold(false, |seen, byte| seen | (*byte < b' ' && *byte != b'\n'));
    if bytes.len() as u64 > MAX_ITEM_BYTES || control {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
    if conflict_marker(bytes).is_some() {
        return None;
    }
    let mut front = Front::empty();
    let mut seen = Seen::default();
    let mut rest = text;
    while !rest.is_empty() {
        let (block, after) = cut(rest)?;
        rest = after;
        let (key, value) = split_key(block)?;
        if key == "front_matter" {
            return None;
        }
        let rank = rank(key);
        if rank == FIELD_ORDER.len() && !rules.takes(key) {
            return None;
        }
        seen.add(key, rank)?;
        Block { key, rank, text: block, value }.read(&mut front, rules)?;
    }
    seen.has_required().then(|| front.finished())
}

/// The first block of the text and what follows it: a line that begins a field, and the indented lines after it.
fn cut(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    if !(bytes[0].is_ascii_alphabetic() || bytes[0] == b'_') {
        return None;
    }
    let mut end = 0;
    loop {
        let Some(length) = memchr(b'\n', &bytes[end..]) else { return Some((text, "")) };
        end += length;
        match bytes.get(end + 1) {
            Some(b' ') => end += 1,
            Some(b'\n') | None => return None,
            Some(_) => return Some((&text[..end], &text[end + 1..])),
        }
    }
}

/// The bare key of a block, and what follows it: `: value` or `[N]...`.
fn split_key(block: &str) -> Option<(&str, &str)> {
    let length = block.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_' || b == b'.'))?;
    matches!(block.as_bytes()[length], b':' | b'[').then(|| block.split_at(length))
}

/// The keys that were met.
#[derive(Default)]
struct Seen<'a> {
    built_in: u128,
    custom: Vec<&'a str>,
}

const _: () = assert!(FIELD_ORDER.len() < 128);

impl<'a> Seen<'a> {
    /// Notes a key; `None` when it was met before.
    fn add(&mut self, key: &'a str, rank: usize) -> Option<()> {
        if rank == FIELD_ORDER.len() {
            let new = !self.custom.contains(&key) && self.custom.len() < 256;
            self.custom.push(key);
            return new.then_some(());
        }
        let new = self.built_in >> rank & 1 == 0;
        self.built_in |= 1 << rank;
        new.then_some(())
    }

    fn has_required(&self) -> bool {
        REQUIRED.iter().all(|key| self.built_in >> rank(key) & 1 == 1)
    }
}
