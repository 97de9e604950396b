//! The index of the sizes of history streams: one row a stream, much smaller than what its events take.

use std::cmp::Ordering;
use std::io;

use super::Indexed;
use super::reading::{Job, Outcome};
use super::streams::{EXTENSION, REFUSAL, bytes_of, id_of};
use crate::domain::stream_sizes::{compare_rows, count, write_row};
use crate::error::Code;
use crate::store::history;
use crate::store::source::{Listing, Recall, Source};

/// The streams of a tracker, to be measured.
pub(super) struct Sizes;

impl Indexed for Sizes {
    fn files(&self) -> [&'static str; 2] {
        ["streams-v1.bin", "streams-v1.delta"]
    }

    fn key(&self) -> &[u8] {
        b"stream sizes"
    }

    fn scan(&self, source: &dyn Source, recall: &Recall<'_>) -> io::Result<Vec<Listing>> {
        source.list_again(history::FOLDER, EXTENSION, recall).map(|listing| vec![listing])
    }

    fn read(&self, source: &dyn Source, job: &Job<'_>, block: &mut Vec<u8>) -> Result<(), Outcome> {
        write_row(id_of(job), &count(&bytes_of(source, job)?), block);
        Ok(())
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        compare_rows(a, b)
    }

    fn refusal(&self) -> Code {
        REFUSAL
    }
}
