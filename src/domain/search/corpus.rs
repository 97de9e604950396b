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
        // Documents are added in the order of rows, so a walk side by side finds nearly all of them.
        let mut missing = Vec::new();
        let (first, mut next) = (corpus.segments.first().copied(), 0u32);
        for (row, key) in keys.iter().enumerate() {
            let ahead = first.and_then(|base| {
                (next..base.documents().min(next.saturating_add(16)))
                    .find(|document| base.key(*document) == *key)
            });
            match ahead {
                Some(document) => {
                    corpus.bind(row, Spot { segment: 0, document });
                    next = document + 1;
                }
                None => missing.push(row),
            }
        }
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

    fn bind(&mut self, row: usize, spot: Spot) {
        self.rows[spot.segment as usize][spot.document as usize] = row as u32;
        self.spots[row] = Some(spot);
    }

    /// The rows that no segment has.
    pub(crate) fn missing(&self) -> Vec<u32> {
        (0u32..).zip(&self.spots).filter(|(_, spot)| spot.is_none()).map(|(row, _)| row).collect()
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
