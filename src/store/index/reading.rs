//! From item files to rows: the files that changed, on several threads when there are many.

use std::ops::Range;

use crate::codec::front;
use crate::codec::item::{self, Format, ItemError, MAX_ITEM_BYTES, Rules};
use crate::error::Code;
use crate::model::checksum::checksum;
use crate::model::front::Front;
use crate::model::records::write_row;
use crate::store::source::{FileKind, ReadError, Source};

/// From how many files on they are read on several threads.
const PARALLEL_FROM: usize = 64;

/// A file to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job<'a> {
    pub(super) folder: &'a str,
    pub(super) name: &'a str,
    pub(super) kind: FileKind,
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
pub(super) fn read(source: &dyn Source, rules: &Rules<'_>, jobs: &[Job<'_>]) -> (Vec<Outcome>, Vec<Vec<u8>>) {
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
                (share.len(), scope.spawn(move || read_share(source, rules, share, number)))
            })
            .collect();
        let (mut outcomes, mut blocks) = (Vec::with_capacity(jobs.len()), Vec::new());
        if let Some((number, share)) = mine {
            let (done, block) = read_share(source, rules, share, number);
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
    rules: &Rules<'_>,
    jobs: &[Job<'_>],
    number: usize,
) -> (Vec<Outcome>, Vec<u8>) {
    let mut block = Vec::new();
    let mut path = String::new();
    let outcomes = jobs
        .iter()
        .map(|job| {
            path.clear();
            path.extend([job.folder, "/", job.name]);
            let start = block.len();
            match read_one(source, rules, &path, job.kind, &mut block) {
                Ok(()) => Outcome::Row(number, start..block.len()),
                Err(outcome) => outcome,
            }
        })
        .collect();
    (outcomes, block)
}

fn read_one(
    source: &dyn Source,
    rules: &Rules<'_>,
    path: &str,
    kind: FileKind,
    block: &mut Vec<u8>,
) -> Result<(), Outcome> {
    let refuse = |code, problem: String, retry| Err(Outcome::Unreadable { code, problem, retry });
    if kind == FileKind::Symlink {
        return refuse(Code::ItemFileUnreadable, ReadError::Symlink.to_string(), true);
    }
    let bytes = match source.read(path, MAX_ITEM_BYTES) {
        Ok(bytes) => bytes,
        Err(ReadError::NotFound) => return Err(Outcome::Gone),
        Err(error @ ReadError::TooLarge { .. }) => {
            return refuse(Code::ItemDocumentInvalid, error.to_string(), false);
        }
        Err(error) => return refuse(Code::ItemFileUnreadable, error.to_string(), true),
    };
    let format = if path.ends_with(".md") { Format::JsonMarkdown } else { Format::Toon };
    if format == Format::Toon
        && let Some(front) = front::scan(&bytes, rules)
    {
        write_row(path, &front, checksum(&bytes), block);
        return Ok(());
    }
    match item::decode(&bytes, format, rules) {
        Ok(decoded) => {
            write_row(path, &Front::from_item(&decoded.item), checksum(&bytes), block);
            Ok(())
        }
        Err(error) => {
            let code = match error {
                ItemError::ConflictMarkers { .. } => Code::MergeConflictMarkers,
                ItemError::Invalid { .. } => Code::ItemDocumentInvalid,
            };
            refuse(code, error.to_string(), false)
        }
    }
}
