//! Makes segments: of documents, or of other segments.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::document::{Class, Field};
use super::segment::{HEAD, MAGIC, Segment, WORD, put_number, short_checksum};
use super::words::each_word;
use crate::model::checksum::checksum;

/// Gathers documents; [`Builder::finish`] gives the segment.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    words: HashMap<Box<str>, u32, FixedState>,
    postings: Vec<Postings>,
    documents: Vec<u8>,
    document_count: u32,
    fields: Vec<u8>,
    field_count: u32,
    /// The words of the document at hand: place, and which entry has the next place of the same word.
    said: Vec<(u32, u32)>,
    /// Which words it says, each once.
    spoken: Vec<u32>,
}

#[derive(Debug, Default)]
struct Postings {
    bytes: Vec<u8>,
    /// One more than the last document, so that 0 means none.
    next: u32,
    /// How often the document at hand says the word, and the first and last of those entries.
    count: usize,
    first: u32,
    last: u32,
}

impl Postings {
    fn push(&mut self, document: u32, count: usize, places: impl Iterator<Item = u32>) {
        put_number(&mut self.bytes, document - self.next.saturating_sub(1));
        self.next = document + 1;
        put_number(&mut self.bytes, count as u32);
        let mut last = 0;
        for place in places {
            put_number(&mut self.bytes, place - last);
            last = place;
        }
    }
}

impl Builder {
    /// Adds a document: its key, and its texts grouped by field in ascending order.
    pub(crate) fn add(&mut self, key: u64, texts: &[(Field, &str)]) {
        let mut lengths = [0u32; Class::COUNT];
        let mut said = std::mem::take(&mut self.said);
        said.clear();
        self.begin(key);
        let (mut place, mut field) = (0u32, None);
        for (of, text) in texts {
            if field != Some(*of) {
                field = Some(*of);
                self.push_field(of.number(), place);
            }
            let taken = each_word(text, |word| {
                let next = self.words.len() as u32;
                let number = match self.words.get(word.form) {
                    Some(number) => *number,
                    None => {
                        self.words.insert(word.form.into(), next);
                        self.postings.push(Postings::default());
                        next
                    }
                };
                let (postings, entry) = (&mut self.postings[number as usize], said.len() as u32);
                if postings.count == 0 {
                    postings.first = entry;
                    self.spoken.push(number);
                } else {
                    said[postings.last as usize].1 = entry;
                }
                postings.count += 1;
                postings.last = entry;
                said.push((place + word.place, entry));
            });
            lengths[of.class() as usize] += taken;
            // The gap keeps phrases from running over the end of a text.
            place += taken + 1;
        }
        self.end(lengths);
        for number in self.spoken.drain(..) {
            let postings = &mut self.postings[number as usize];
            let count = std::mem::take(&mut postings.count);
            let mut entry = postings.first;
            let places = (0..count).map(|_| {
                let (place, next) = said[entry as usize];
                entry = next;
                place
            });
            postings.push(self.document_count - 1, count, places);
        }
        self.said = said;
    }

    fn begin(&mut self, key: u64) {
        self.documents.extend_from_slice(&key.to_le_bytes());
        self.documents.extend_from_slice(&self.field_count.to_le_bytes());
    }

    fn push_field(&mut self, number: u8, place: u32) {
        self.fields.extend_from_slice(&u32::from(number).to_le_bytes());
        self.fields.extend_from_slice(&place.to_le_bytes());
        self.field_count += 1;
    }

    fn end(&mut self, lengths: [u32; Class::COUNT]) {
        lengths.iter().for_each(|length| self.documents.extend_from_slice(&length.to_le_bytes()));
        self.document_count += 1;
    }

    /// The segment's bytes.
    pub(crate) fn finish(self) -> Vec<u8> {
        let mut order: Vec<(Box<str>, u32)> = self.words.into_iter().collect();
        order.sort_unstable();
        let (mut words, mut spellings, mut postings) = (Vec::new(), Vec::new(), Vec::new());
        for (spelling, number) in order {
            let bytes = &self.postings[number as usize].bytes;
            words.extend_from_slice(&(spellings.len() as u32).to_le_bytes());
            words.extend_from_slice(&(spelling.len() as u32).to_le_bytes());
            words.extend_from_slice(&(postings.len() as u64).to_le_bytes());
            words.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            words.extend_from_slice(&short_checksum(bytes).to_le_bytes());
            spellings.extend_from_slice(spelling.as_bytes());
            postings.extend_from_slice(bytes);
        }
        let fields_end = HEAD + self.documents.len() + self.fields.len();
        let spellings_end = fields_end + words.len() + spellings.len();
        let mut out = Vec::with_capacity(spellings_end + postings.len());
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&((spellings_end + postings.len()) as u64).to_le_bytes());
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(&self.document_count.to_le_bytes());
        out.extend_from_slice(&((words.len() / WORD) as u32).to_le_bytes());
        out.extend_from_slice(&(fields_end as u64).to_le_bytes());
        out.extend_from_slice(&(spellings_end as u64).to_le_bytes());
        for part in [&self.documents, &self.fields, &words, &spellings] {
            out.extend_from_slice(part);
        }
        let sum = checksum(&out[24..]);
        out[16..24].copy_from_slice(&sum.to_le_bytes());
        out.extend_from_slice(&postings);
        out
    }
}

/// One segment with the documents of several that `keep` accepts; `None` when one of them is damaged.
pub(crate) fn merge(segments: &[Segment<'_>], mut keep: impl FnMut(usize, u32) -> bool) -> Option<Vec<u8>> {
    let mut builder = Builder::default();
    for (n, segment) in segments.iter().enumerate() {
        let mut renumbered: Vec<Option<u32>> = Vec::with_capacity(segment.documents() as usize);
        for document in 0..segment.documents() {
            renumbered.push(keep(n, document).then(|| {
                builder.begin(segment.key(document));
                segment.fields(document).for_each(|(field, place)| builder.push_field(field.number(), place));
                builder.end(segment.lengths(document));
                builder.document_count - 1
            }));
        }
        for entry in (0..segment.words()).map_while(|word| segment.word(word)) {
            let mut number = None;
            for posting in entry.postings()? {
                let Some(Some(document)) = renumbered.get(posting.document as usize) else { continue };
                let number = *number.get_or_insert_with(|| builder.number_of(entry.spelling));
                let places: Vec<u32> = posting.places().collect();
                builder.postings[number as usize].push(*document, places.len(), places.into_iter());
            }
        }
    }
    Some(builder.finish())
}

impl Builder {
    fn number_of(&mut self, spelling: &str) -> u32 {
        if let Some(number) = self.words.get(spelling) {
            return *number;
        }
        let number = self.words.len() as u32;
        self.words.insert(spelling.into(), number);
        self.postings.push(Postings::default());
        number
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::search::document;
    use crate::model::item::Item;

    fn item(value: &serde_json::Value, body: &str) -> Item {
        Item { metadata: value.as_object().unwrap().clone(), body: body.to_owned() }
    }

    fn built(items: &[(u64, Item)]) -> Vec<u8> {
        let mut builder = Builder::default();
        for (key, item) in items {
            builder.add(*key, &document::texts(item));
        }
        builder.finish()
    }

    /// Everything that a segment says, in a form that does not depend on numbering.
    fn said(bytes: &[u8]) -> Vec<(String, u64, Vec<u32>)> {
        let (segment, rest) = Segment::open(bytes).unwrap();
        assert!(rest.is_empty());
        let mut out = Vec::new();
        for entry in (0..segment.words()).map_while(|n| segment.word(n)) {
            for posting in entry.postings().unwrap() {
                let key = segment.key(posting.document);
                out.push((entry.spelling.to_owned(), key, posting.places().collect()));
            }
        }
        out.sort();
        out
    }

    fn some() -> Vec<(u64, Item)> {
        vec![
            (
                7,
                item(
                    &json!({"title": "Lock file", "tags": ["io"], "comments": [{"text": "lock it"}]}),
                    "Why lock?",
                ),
            ),
            (3, item(&json!({"title": "Étude", "tags": []}), "")),
            (9, item(&json!({"title": "Clock", "description": "A lock, a lock"}), "")),
        ]
    }

    #[test]
    fn a_segment_knows_every_place_of_every_word() {
        let bytes = built(&some());
        let said = said(&bytes);
        let lock: Vec<_> = said.iter().filter(|(word, ..)| word == "lock").collect();
        assert_eq!(lock, [&("lock".to_owned(), 7, vec![0, 6, 8]), &("lock".to_owned(), 9, vec![3, 5])]);
        let (segment, _) = Segment::open(&bytes).unwrap();
        let fields: Vec<_> = segment.fields(0).map(|(field, place)| (field.name(), place)).collect();
        assert_eq!(fields, [("title", 0), ("tags", 3), ("body", 5), ("comments", 8)]);
        assert_eq!(segment.lengths(0), [2, 1, 0, 4, 0]);
        assert_eq!(segment.with_prefix("lo").map(|w| w.spelling).collect::<Vec<_>>(), ["lock"]);
        assert_eq!(segment.with_prefix("zz").count(), 0);
    }

    #[test]
    fn merging_equals_building_anew() {
        let all = some();
        let (a, b) = (built(&all[..1]), built(&all[1..]));
        let segments = [Segment::open(&a).unwrap().0, Segment::open(&b).unwrap().0];
        assert_eq!(merge(&segments, |_, _| true).unwrap(), built(&all));
        let kept = merge(&segments, |n, document| !(n == 1 && document == 0)).unwrap();
        assert_eq!(said(&kept), said(&built(&[all[0].clone(), all[2].clone()])));
    }

    #[test]
    fn damaged_bytes_are_noticed_and_never_panic() {
        let good = built(&some());
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x15;
            let Some((segment, _)) = Segment::open(&bad) else { continue };
            let whole = (0..segment.words()).all(|n| {
                segment.word(n).is_some_and(|entry| entry.postings().is_some_and(|list| list.count() > 0))
            });
            assert!(!whole, "byte {at} was changed and nothing noticed");
        }
        for end in 0..good.len() {
            assert!(Segment::open(&good[..end]).is_none());
        }
    }
}
