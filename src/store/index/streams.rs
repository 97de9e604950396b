//! The index of history streams: one row a stream, with what every entry tells but its patch.

use std::cmp::Ordering;
use std::io;

use super::Indexed;
use super::reading::{Job, Outcome};
use crate::error::Code;
use crate::model::events::{Event, Facts, Stream, compare_rows, write_row};
use crate::store::history::{self, StreamError};
use crate::store::source::{FileKind, Listing, ReadError, Recall, Source};

/// What the names of streams end in.
pub(super) const EXTENSION: &str = ".jsonl";

/// The code of a stream that cannot be read.
pub(super) const REFUSAL: Code = Code::HistoryStreamUnreadable;

/// The streams of a tracker.
pub(super) struct Streams;

impl Indexed for Streams {
    fn files(&self) -> [&'static str; 2] {
        ["events-v1.bin", "events-v1.delta"]
    }

    fn key(&self) -> &[u8] {
        b"events"
    }

    fn scan(&self, source: &dyn Source, recall: &Recall<'_>) -> io::Result<Vec<Listing>> {
        source.list_again(history::FOLDER, EXTENSION, recall).map(|listing| vec![listing])
    }

    fn read(&self, source: &dyn Source, job: &Job<'_>, block: &mut Vec<u8>) -> Result<(), Outcome> {
        let bytes = bytes_of(source, job)?;
        let id = id_of(job);
        match grown(&bytes, job.known).map_or_else(|| history::facts(&bytes, 0), Ok) {
            Ok(events) => {
                let finished = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
                write_row(id, &events, &bytes[..finished], block);
                Ok(())
            }
            Err(error) => {
                let code = match error {
                    StreamError::ConflictMarkers { .. } => Code::HistoryConflictMarkers,
                    _ => REFUSAL,
                };
                Err(Outcome::Unreadable { code, problem: error.to_string(), retry: false })
            }
        }
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        compare_rows(a, b)
    }

    fn refusal(&self) -> Code {
        REFUSAL
    }
}

/// The id whose stream a file is.
pub(super) fn id_of<'a>(job: &Job<'a>) -> &'a str {
    job.name.strip_suffix(EXTENSION).unwrap_or(job.name)
}

/// The bytes of a stream, or why it cannot be served.
pub(super) fn bytes_of(source: &dyn Source, job: &Job<'_>) -> Result<Vec<u8>, Outcome> {
    let refuse = |problem: String, retry| Outcome::Unreadable { code: REFUSAL, problem, retry };
    if job.kind == FileKind::Symlink {
        return Err(refuse(ReadError::Symlink.to_string(), true));
    }
    source.read(&job.path(), history::MAX_STREAM_BYTES).map_err(|error| match error {
        ReadError::NotFound => Outcome::Gone,
        ReadError::TooLarge { .. } => refuse(error.to_string(), false),
        error => refuse(error.to_string(), true),
    })
}

/// The events of a stream that begins with what is known of it: only what came after is parsed. `None` when it does not
/// begin so, or the rest cannot be read: then the whole is parsed, which knows the number of every line.
fn grown<'b>(bytes: &'b [u8], known: Option<&'b [u8]>) -> Option<Vec<Facts<'b>>> {
    let known = Stream::of_row(known?);
    let finished = known.prefix_of(bytes)?;
    // A last line that nothing ended is parsed again: it may have gone on.
    let mut events: Vec<Facts<'b>> = known
        .iter()
        .map(Event::facts)
        .filter(|facts| usize::try_from(facts.offset).is_ok_and(|offset| offset < finished))
        .collect();
    events.extend(history::facts(bytes, finished).ok()?);
    Some(events)
}
