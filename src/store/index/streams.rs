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
const EXTENSION: &str = ".jsonl";

/// The streams of a tracker.
pub(super) struct Streams;

impl Indexed for Streams {
    fn files(&self) -> [&'static str; 2] {
        ["events-v1.bin", "events-v1.delta"]
    }

    fn key(&self) -> &[u8] {
        b"events"
    }

    fn scan(&self, source: &dyn Source, _recall: &Recall<'_>) -> io::Result<Vec<Listing>> {
        source.list(history::FOLDER, EXTENSION).map(|listing| vec![listing])
    }

    fn read(&self, source: &dyn Source, job: &Job<'_>, block: &mut Vec<u8>) -> Result<(), Outcome> {
        let refuse = |code, problem: String, retry| Err(Outcome::Unreadable { code, problem, retry });
        if job.kind == FileKind::Symlink {
            return refuse(self.refusal(), ReadError::Symlink.to_string(), true);
        }
        let bytes = match source.read(&job.path(), history::MAX_STREAM_BYTES) {
            Ok(bytes) => bytes,
            Err(ReadError::NotFound) => return Err(Outcome::Gone),
            Err(error @ ReadError::TooLarge { .. }) => {
                return refuse(self.refusal(), error.to_string(), false);
            }
            Err(error) => return refuse(self.refusal(), error.to_string(), true),
        };
        let id = job.name.strip_suffix(EXTENSION).unwrap_or(job.name);
        match grown(&bytes, job.known).map_or_else(|| history::facts(&bytes, 0), Ok) {
            Ok(events) => {
                let finished = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
                write_row(id, &events, &bytes[..finished], block);
                Ok(())
            }
            Err(error) => {
                let code = match error {
                    StreamError::ConflictMarkers { .. } => Code::HistoryConflictMarkers,
                    _ => self.refusal(),
                };
                refuse(code, error.to_string(), false)
            }
        }
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        compare_rows(a, b)
    }

    fn refusal(&self) -> Code {
        Code::HistoryStreamUnreadable
    }
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
