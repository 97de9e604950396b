//! What is kept of a document: everything that answers need but its body, and its words, in one run of bytes that is
//! the same for the same file. A cache holds records; an answer reads only those parts that it shows.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde_json::{Map, Value};

use super::document::{Document, LONGEST_URI};
use super::filter;
use super::kind::Kind;
use super::words::each_token;

/// A new number makes older records unknown.
pub(crate) const VERSION: u32 = 1;

/// The fields of a document that are searched, but for its path, which is no part of the file.
pub(crate) const FIELDS: usize = 6;

/// The texts of a record.
#[derive(Clone, Copy, Debug)]
enum Part {
    Title,
    Uri,
    Date,
    Metadata,
    Blockquote,
    Summary,
    Fault,
}

const PARTS: usize = 7;
const HEAD: usize = 4 + 4 * (PARTS + FIELDS + 1);

const HAS_BLOCKQUOTE: u32 = 1;
const HAS_SUMMARY: u32 = 2;
const LOSSY: u32 = 4;
const HAS_FRONT_MATTER: u32 = 8;
/// The kind that the front matter declares, from this bit on: 0 none, 1 to 5 a kind, 6 something else.
const KIND_SHIFT: u32 = 8;
const NO_KIND: u32 = 6;

/// What a document declares to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclaredKind {
    /// It says nothing.
    None,
    /// One of the five.
    Of(Kind),
    /// Something else.
    Invalid,
}

/// How often a word stands in each field: title, headings, tags, blockquote, summary, body.
pub(crate) type Counts = [u16; FIELDS];

/// The number that stands for a word; FNV-1a, so that it is the same everywhere.
pub(crate) fn word_hash(word: &str) -> u64 {
    let hash = word
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash ^ (hash >> 48)) & 0xffff_ffff_ffff
}

fn words_of(document: &Document) -> (HashMap<u64, Counts, FixedState>, [u32; FIELDS]) {
    let mut counts: HashMap<u64, Counts, FixedState> = HashMap::default();
    let mut lengths = [0u32; FIELDS];
    let mut take = |field: usize, text: &str| {
        lengths[field] += each_token(text, |form, _| {
            let count = &mut counts.entry(word_hash(form)).or_default()[field];
            *count = count.saturating_add(1);
        });
    };
    take(0, document.title.as_deref().unwrap_or_default());
    document.headings.iter().for_each(|heading| take(1, &heading.text));
    filter::tags(&document.metadata).into_iter().for_each(|tag| take(2, tag));
    take(3, document.blockquote.as_deref().unwrap_or_default());
    take(4, document.summary.as_deref().unwrap_or_default());
    take(5, &document.body);
    (counts, lengths)
}

/// The record of a document.
pub(crate) fn encode(document: &Document) -> Vec<u8> {
    let mut flags = 0;
    let mut set = |bit: u32, holds: bool| flags |= if holds { bit } else { 0 };
    set(HAS_BLOCKQUOTE, document.blockquote.is_some());
    set(HAS_SUMMARY, document.summary.is_some());
    set(LOSSY, document.lossy);
    set(HAS_FRONT_MATTER, document.first_line > 0);
    let kind = match document.metadata.get("kind") {
        None | Some(Value::Null) => 0,
        Some(value) => value.as_str().and_then(Kind::named).map_or(NO_KIND, |kind| kind as u32 + 1),
    };
    let metadata = match document.metadata.is_empty() {
        true => String::new(),
        false => serde_json::to_string(&document.metadata).unwrap_or_default(),
    };
    let uri =
        document.uri().filter(|uri| uri.chars().count() <= LONGEST_URI && !uri.contains(char::is_control));
    let texts: [&str; PARTS] = [
        document.title.as_deref().unwrap_or_default(),
        uri.unwrap_or_default(),
        document.text("date").unwrap_or_default(),
        &metadata,
        document.blockquote.as_deref().unwrap_or_default(),
        document.summary.as_deref().unwrap_or_default(),
        document.metadata_error.as_deref().unwrap_or_default(),
    ];
    let (counts, lengths) = words_of(document);
    let mut out =
        Vec::with_capacity(HEAD + texts.iter().map(|text| text.len()).sum::<usize>() + counts.len() * 10);
    let number = |out: &mut Vec<u8>, n: usize| out.extend(u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes());
    number(&mut out, (flags | kind << KIND_SHIFT) as usize);
    let mut end = HEAD;
    for text in texts {
        end += text.len();
        number(&mut out, end);
    }
    lengths.iter().for_each(|length| number(&mut out, *length as usize));
    number(&mut out, counts.len());
    texts.iter().for_each(|text| out.extend(text.as_bytes()));
    let mut words: Vec<(u64, Counts)> = counts.into_iter().collect();
    words.sort_unstable_by_key(|(hash, _)| *hash);
    words.iter().for_each(|(hash, _)| out.extend(&hash.to_le_bytes()[..6]));
    let mut extras: Vec<Counts> = Vec::new();
    for (_, counts) in &words {
        let beside = counts[..FIELDS - 1].iter().any(|count| *count > 0);
        if beside {
            extras.push(*counts);
        }
        let place = if beside { u16::try_from(extras.len()).unwrap_or(0) } else { 0 };
        out.extend(counts[FIELDS - 1].to_le_bytes());
        out.extend(place.to_le_bytes());
    }
    for counts in extras.iter().take(usize::from(u16::MAX)) {
        out.extend(counts[..FIELDS - 1].iter().map(|count| u8::try_from(*count).unwrap_or(u8::MAX)));
    }
    out
}

/// A record as kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a>(&'a [u8]);

impl<'a> Record<'a> {
    /// Reads a record; none when the bytes are none.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Record<'a>> {
        let record = Record(bytes);
        if bytes.len() < HEAD {
            return None;
        }
        let mut last = HEAD;
        for part in 0..PARTS {
            let end = record.end(part);
            if end < last || end > bytes.len() {
                return None;
            }
            last = end;
        }
        (last + record.words() * 10 <= bytes.len()).then_some(record)
    }

    fn number(self, at: usize) -> u32 {
        let bytes = self.0.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; 4]);
        u32::from_le_bytes(bytes)
    }

    fn end(self, part: usize) -> usize {
        self.number(4 + 4 * part) as usize
    }

    fn text(self, part: Part) -> &'a str {
        let part = part as usize;
        let start = if part == 0 { HEAD } else { self.end(part - 1) };
        self.0
            .get(start..self.end(part))
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }

    fn flag(self, bit: u32) -> bool {
        self.number(0) & bit != 0
    }

    fn words(self) -> usize {
        self.number(4 + 4 * (PARTS + FIELDS)) as usize
    }

    /// The title that the document has of its own.
    pub(crate) fn title(self) -> Option<&'a str> {
        Some(self.text(Part::Title)).filter(|text| !text.is_empty())
    }

    /// The URI that it declares.
    pub(crate) fn uri(self) -> Option<&'a str> {
        Some(self.text(Part::Uri)).filter(|text| !text.is_empty())
    }

    /// The field `date`, when it is text.
    pub(crate) fn date(self) -> Option<&'a str> {
        Some(self.text(Part::Date)).filter(|text| !text.is_empty())
    }

    /// All fields of its front matter.
    pub(crate) fn metadata(self) -> Map<String, Value> {
        serde_json::from_str(self.text(Part::Metadata)).unwrap_or_default()
    }

    /// Whether the front matter may have this field.
    pub(crate) fn mentions(self, field: &str) -> bool {
        memchr::memmem::find(self.text(Part::Metadata).as_bytes(), field.as_bytes()).is_some()
    }

    /// The texts of a field of the front matter that is a text or a list of texts.
    pub(crate) fn names(self, field: &str) -> Vec<String> {
        // Most records have no such field; finding that out need not parse them.
        if !self.mentions(&format!("\"{field}\"")) {
            return Vec::new();
        }
        match self.metadata().get(field) {
            Some(Value::String(text)) if !text.trim().is_empty() => vec![text.trim().to_owned()],
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }

    /// The quote under the title.
    pub(crate) fn blockquote(self) -> Option<&'a str> {
        self.flag(HAS_BLOCKQUOTE).then(|| self.text(Part::Blockquote))
    }

    /// The section Summary.
    pub(crate) fn summary(self) -> Option<&'a str> {
        self.flag(HAS_SUMMARY).then(|| self.text(Part::Summary))
    }

    /// What is wrong with the front matter.
    pub(crate) fn fault(self) -> Option<&'a str> {
        Some(self.text(Part::Fault)).filter(|text| !text.is_empty())
    }

    /// Whether some bytes were no UTF-8.
    pub(crate) fn is_lossy(self) -> bool {
        self.flag(LOSSY)
    }

    /// Whether the file has front matter, broken or not.
    pub(crate) fn has_front_matter(self) -> bool {
        self.flag(HAS_FRONT_MATTER)
    }

    /// The kind that the front matter declares.
    pub(crate) fn kind(self) -> DeclaredKind {
        match (self.number(0) >> KIND_SHIFT) & 0xf {
            0 => DeclaredKind::None,
            n => Kind::ALL.get(n as usize - 1).map_or(DeclaredKind::Invalid, |kind| DeclaredKind::Of(*kind)),
        }
    }

    /// How many words each field has.
    pub(crate) fn lengths(self) -> [u32; FIELDS] {
        std::array::from_fn(|field| self.number(4 + 4 * (PARTS + field)))
    }

    /// How often a word stands in each field; none when it does not stand in the document.
    pub(crate) fn counts(self, word: u64) -> Option<Counts> {
        let count = self.words();
        let start = self.end(PARTS - 1);
        let hashes = self.0.get(start..start + 6 * count)?;
        let at = |n: usize| {
            let mut bytes = [0u8; 8];
            bytes[..6].copy_from_slice(&hashes[6 * n..6 * n + 6]);
            u64::from_le_bytes(bytes)
        };
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            if at(middle) < word { low = middle + 1 } else { high = middle }
        }
        if low == count || at(low) != word {
            return None;
        }
        let tail = self.0.get(start + 6 * count..)?;
        let pair = tail.get(4 * low..4 * low + 4)?;
        let mut counts = [0; FIELDS];
        counts[FIELDS - 1] = u16::from_le_bytes([pair[0], pair[1]]);
        let place = usize::from(u16::from_le_bytes([pair[2], pair[3]]));
        if place > 0 {
            let from = 4 * count + (place - 1) * (FIELDS - 1);
            let beside = tail.get(from..from + FIELDS - 1)?;
            counts.iter_mut().zip(beside).for_each(|(count, byte)| *count = u16::from(*byte));
        }
        Some(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::super::document;
    use super::*;

    #[test]
    fn a_record_tells_what_the_document_says() {
        let text = "---\nuri: k://a\nkind: canon\ntags: [gate]\ndate: 2026-01-02\n---\n# The gate\n\n> Quoted.\n\n## Summary\n\nShort.\n\ngate gate body\n";
        let bytes = encode(&document::read(text.as_bytes()));
        let record = Record::read(&bytes).unwrap();
        assert_eq!(
            (record.title(), record.uri(), record.date()),
            (Some("The gate"), Some("k://a"), Some("2026-01-02"))
        );
        assert_eq!(record.kind(), DeclaredKind::Of(Kind::Canon));
        assert_eq!(
            (record.blockquote(), record.summary()),
            (Some("Quoted."), Some("Short.\n\ngate gate body"))
        );
        assert_eq!(record.metadata()["tags"], serde_json::json!(["gate"]));
        assert_eq!(record.counts(word_hash("gat")), Some([1, 1, 1, 0, 2, 3]));
        assert_eq!(record.counts(word_hash("nothing")), None);
        assert!(record.mentions("tags") && record.has_front_matter() && !record.is_lossy());
        for cut in 0..bytes.len() {
            if let Some(record) = Record::read(&bytes[..cut]) {
                let _ = (record.metadata(), record.counts(word_hash("gat")), record.summary());
            }
        }
    }
}
