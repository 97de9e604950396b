//! The postings of all items at one moment: which document of which segment is which row.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::document::Class;
use super::segment::Segment;
use crate::model::checksum::checksum;
use crate::model::records::{Record, Records};

/// The key of an item's document: another one as soon as the file has another path or other bytes.
pub(crate) fn key(record: Record<'_>) -> u64 {
    record.digest() ^ checksum(record.path().as_bytes()).rotate_left(23)
}

/// Where a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    segment: u32,
    document: u32,
}

/// How many documents that are of no row any more the walk steps over.
const AHEAD: u32 = 8;

/// No row: the document is of an item that has changed or gone.
const DEAD: u32 = u32::MAX;

/// Segments laid over records.
#[derive(Debug)]
pub(crate) struct Corpus<'a> {
    pub(super) records: &'a Records,
    pub(super) segments: Vec<Segment<'a>>,
    /// Per segment and document the row.
    rows: Vec<Vec<u32>>,
    spots: Vec<Option<Spot>>,
}

impl<'a> Corpus<'a> {
    /// Finds the documents of all rows; of a key in several segments the first counts.
    pub(crate) fn new(records: &'a Records, segments: Vec<Segment<'a>>) -> Corpus<'a> {
        let mut corpus = Corpus {
            records,
            rows: segments.iter().map(|segment| vec![DEAD; segment.documents() as usize]).collect(),
            segments,
            spots: vec![None; records.len()],
        };
        let keys: Vec<u64> = records.iter().map(key).collect();
        let missing = corpus.walk(&keys);
        if !missing.is_empty() {
            let mut by_key: HashMap<u64, Spot, FixedState> = HashMap::default();
            for (number, segment) in (0u32..).zip(&corpus.segments) {
                for document in 0..segment.documents() {
                    if corpus.rows[number as usize][document as usize] == DEAD {
                        by_key.entry(segment.key(document)).or_insert(Spot { segment: number, document });
                    }
                }
            }
            for row in missing {
                if let Some(spot) = by_key.get(&keys[row]) {
                    corpus.bind(row, *spot);
                }
            }
        }
        corpus
    }

    /// Documents are added in the order of rows, so a walk side by side finds nearly all; the rows that it does not.
    fn walk(&mut self, keys: &[u64]) -> Vec<usize> {
        let mut missing = Vec::new();
        let (mut number, mut next) = (0u32, 0u32);
        for (row, key) in keys.iter().enumerate() {
            let ahead = (number..).zip(self.segments.iter().skip(number as usize)).take(2).find_map(
                |(at, segment)| {
                    let first = if at == number { next } else { 0 };
                    let last = segment.documents().min(first.saturating_add(AHEAD));
                    let document = (first..last).find(|document| segment.key(*document) == *key)?;
                    Some(Spot { segment: at, document })
                },
            );
            match ahead {
                Some(spot) => {
                    self.bind(row, spot);
                    (number, next) = (spot.segment, spot.document + 1);
                }
                None => missing.push(row),
            }
        }
        missing
    }

    fn bind(&mut self, row: usize, spot: Spot) {
        self.rows[spot.segment as usize][spot.document as usize] = row as u32;
        self.spots[row] = Some(spot);
    }

    /// The rows that no segment has.
    pub(crate) fn missing(&self) -> Vec<u32> {
        (0u32..).zip(&self.spots).filter(|(_, spot)| spot.is_none()).map(|(row, _)| row).collect()
    }

    /// The segments.
    pub(crate) fn segments(&self) -> &[Segment<'a>] {
        &self.segments
    }

    /// How many documents these segments have, dead ones included.
    pub(crate) fn documents_of(&self, segments: std::ops::Range<usize>) -> usize {
        self.segments[segments].iter().map(|segment| segment.documents() as usize).sum()
    }

    /// How many documents of a segment are of no row.
    pub(crate) fn dead(&self, segment: usize) -> usize {
        self.rows[segment].iter().filter(|row| **row == DEAD).count()
    }

    /// The row of a document.
    pub(crate) fn row(&self, segment: usize, document: u32) -> Option<u32> {
        self.rows.get(segment)?.get(document as usize).copied().filter(|row| *row != DEAD)
    }

    /// How many rows have a document.
    pub(super) fn documents(&self) -> usize {
        self.spots.iter().flatten().count()
    }

    /// How many words each class of a row's fields has.
    pub(super) fn lengths(&self, row: u32) -> [u32; Class::COUNT] {
        match self.spots[row as usize] {
            Some(spot) => self.segments[spot.segment as usize].lengths(spot.document),
            None => [0; Class::COUNT],
        }
    }

    /// The mean of those lengths, of all rows that have a document.
    pub(super) fn mean_lengths(&self) -> [f64; Class::COUNT] {
        let mut sums = [0u64; Class::COUNT];
        for row in 0..self.spots.len() as u32 {
            for (sum, length) in sums.iter_mut().zip(self.lengths(row)) {
                *sum += u64::from(length);
            }
        }
        let documents = self.documents().max(1) as f64;
        sums.map(|sum| sum as f64 / documents)
    }
}
