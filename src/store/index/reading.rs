//! From files to rows: the files that changed, on several threads when there are many.

use std::ops::Range;

use super::Indexed;
use crate::error::Code;
use crate::store::source::{FileKind, Source};

/// From how many files on they are read on several threads.
const PARALLEL_FROM: usize = 64;

/// A file to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job<'a> {
    pub(super) folder: &'a str,
    pub(super) name: &'a str,
    pub(super) kind: FileKind,
    /// The row of an earlier state of the file.
    pub(super) known: Option<&'a [u8]>,
}

impl Job<'_> {
    /// The path below the root.
    pub(super) fn path(&self) -> String {
        format!("{}/{}", self.folder, self.name)
    }
}

/// What came of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Its row, in the block with this number.
    Row(usize, Range<usize>),
    /// It cannot be served.
    Unreadable {
        code: Code,
        problem: String,
        /// The system refused: it may be different for the next reader, though the file stays the same.
        retry: bool,
    },
    /// It was deleted after its folder was listed.
    Gone,
}

/// Reads files; the outcomes come in the order of the jobs, the rows lie in the blocks.
pub(super) fn read(
    source: &dyn Source,
    indexed: &dyn Indexed,
    jobs: &[Job<'_>],
) -> (Vec<Outcome>, Vec<Vec<u8>>) {
    let threads = match jobs.len() {
        0..PARALLEL_FROM => 1,
        _ => std::thread::available_parallelism().map_or(1, |n| n.get().min(8)),
    };
    let share = jobs.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let mut shares = jobs.chunks(share).enumerate();
        let mine = shares.next();
        let others: Vec<_> = shares
            .map(|(number, share)| {
                (share.len(), scope.spawn(move || read_share(source, indexed, share, number)))
            })
            .collect();
        let (mut outcomes, mut blocks) = (Vec::with_capacity(jobs.len()), Vec::new());
        if let Some((number, share)) = mine {
            let (done, block) = read_share(source, indexed, share, number);
            outcomes.extend(done);
            blocks.push(block);
        }
        for (files, other) in others {
            let (done, block) = other.join().unwrap_or_else(|_| (vec![died(); files], Vec::new()));
            outcomes.extend(done);
            blocks.push(block);
        }
        (outcomes, blocks)
    })
}

fn died() -> Outcome {
    Outcome::Unreadable { code: Code::Internal, problem: "reading it failed".to_owned(), retry: true }
}

fn read_share(
    source: &dyn Source,
    indexed: &dyn Indexed,
    jobs: &[Job<'_>],
    number: usize,
) -> (Vec<Outcome>, Vec<u8>) {
    let mut block = Vec::new();
    let outcomes = jobs
        .iter()
        .map(|job| {
            let start = block.len();
            match indexed.read(source, job, &mut block) {
                Ok(()) => Outcome::Row(number, start..block.len()),
                Err(outcome) => outcome,
            }
        })
        .collect();
    (outcomes, block)
}
