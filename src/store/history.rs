//! History streams: one JSON object a line, only ever appended to (storage.md §4).

use serde_json::Value;

use super::source::{ReadError, Source};
use crate::codec::entry;
use crate::codec::item::conflict_marker;
use crate::model::events::Facts;

/// The largest stream that is read, in bytes.
pub const MAX_STREAM_BYTES: u64 = 512 * 1024 * 1024;

/// Where the last line of a stream is looked for first, in bytes from its end.
const TAIL_BYTES: u64 = 64 * 1024;

/// The folder of the streams.
pub(crate) const FOLDER: &str = "history";

/// The path of a stream.
pub fn path(id: &str) -> String {
    format!("{FOLDER}/{id}.jsonl")
}

/// Why a stream cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// It cannot be read.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// A line holds a conflict marker.
    #[error("conflict markers on line {line}")]
    ConflictMarkers {
        /// 1-based.
        line: usize,
    },
    /// A line is no JSON object.
    #[error("invalid JSON at line {line}: {problem}")]
    InvalidLine {
        /// 1-based.
        line: usize,
        /// What the parser says.
        problem: String,
    },
}

/// Reads every entry of a stream, oldest first; none when there is no stream. A last line that was never finished
/// does not count.
pub fn read(source: &dyn Source, id: &str) -> Result<Vec<Value>, StreamError> {
    match source.read(&path(id), MAX_STREAM_BYTES) {
        Ok(bytes) => parse(&bytes),
        Err(ReadError::NotFound) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Parses the lines of a stream; blank ones are skipped.
pub fn parse(bytes: &[u8]) -> Result<Vec<Value>, StreamError> {
    let mut entries = Vec::new();
    each(bytes, |line| match serde_json::from_slice::<Value>(line) {
        Ok(entry) if entry.is_object() => {
            entries.push(entry);
            Ok(())
        }
        Ok(_) => Err(NO_OBJECT.to_owned()),
        Err(error) => Err(error.to_string()),
    })?;
    Ok(entries)
}

/// Why JSON is no entry.
const NO_OBJECT: &str = "no object";

/// Reads every line that is not blank; a last line that cannot be read and was never finished does not count.
fn each<'b>(
    bytes: &'b [u8],
    mut read: impl FnMut(&'b [u8]) -> Result<(), String>,
) -> Result<(), StreamError> {
    for (number, line) in lines(bytes) {
        let Err(problem) = read(line) else { continue };
        if conflict_marker(line).is_some() {
            return Err(StreamError::ConflictMarkers { line: number });
        }
        let torn = !bytes.ends_with(b"\n") && bytes.ends_with(line);
        return if torn { Ok(()) } else { Err(StreamError::InvalidLine { line: number, problem }) };
    }
    Ok(())
}

/// What events tell of each entry of a stream, or of the part of one that begins at `start` with a new line. The same
/// entries as [`parse`], without their patches.
pub(crate) fn facts(bytes: &[u8], start: usize) -> Result<Vec<Facts<'_>>, StreamError> {
    let mut all = Vec::new();
    let part = bytes.get(start..).unwrap_or_default();
    each(part, |line| {
        let mut facts = entry::facts(line).map_err(|error| error.to_string())?;
        // A part of the same bytes, so the distance of their beginnings is where it stands.
        facts.offset = (line.as_ptr() as usize - bytes.as_ptr() as usize) as u64;
        facts.length = u32::try_from(line.len()).unwrap_or(u32::MAX);
        all.push(facts);
        Ok(())
    })?;
    Ok(all)
}

/// The lines that are not blank, each with its number.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    bytes
        .split(|byte| *byte == b'\n')
        .enumerate()
        .map(|(n, line)| (n + 1, line.strip_suffix(b"\r").unwrap_or(line)))
        .filter(|(_, line)| !line.trim_ascii().is_empty())
}

/// Reads one entry of a stream at a known place of its file.
pub(crate) fn entry_at(
    source: &dyn Source,
    id: &str,
    offset: u64,
    length: u32,
) -> Result<Value, StreamError> {
    let line = source.read_part(&path(id), offset, u64::from(length))?;
    let problem = match serde_json::from_slice::<Value>(&line) {
        Ok(entry) if entry.is_object() => return Ok(entry),
        Ok(_) => NO_OBJECT.to_owned(),
        Err(error) => error.to_string(),
    };
    Err(StreamError::InvalidLine { line: 0, problem })
}

/// The last entry of each of these operations, read from the end of the stream; only as much is parsed as needed.
/// A line that is no entry is passed over.
pub fn last_of(source: &dyn Source, id: &str, ops: &[&str]) -> Result<Vec<Option<Value>>, StreamError> {
    let mut window = TAIL_BYTES;
    loop {
        let (bytes, size) = match source.read_tail(&path(id), window) {
            Ok(found) => found,
            Err(ReadError::NotFound) => return Ok(vec![None; ops.len()]),
            Err(error) => return Err(error.into()),
        };
        refuse_huge(size)?;
        let whole = bytes.len() as u64 == size;
        let found = last_in(&bytes, whole, ops);
        if whole || found.iter().all(Option::is_some) {
            return Ok(found);
        }
        window = window.saturating_mul(8);
    }
}

/// The last entry of each operation in the end of a stream; its first line may be a part of one.
fn last_in(bytes: &[u8], whole: bool, ops: &[&str]) -> Vec<Option<Value>> {
    let mut found = vec![None; ops.len()];
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    if !whole {
        lines.remove(0);
    }
    let marks: Vec<String> = ops.iter().map(|op| format!("\"op\":\"{op}\"")).collect();
    for line in lines.into_iter().rev() {
        for (n, op) in ops.iter().enumerate() {
            if found[n].is_some() || memchr::memmem::find(line, marks[n].as_bytes()).is_none() {
                continue;
            }
            let entry = serde_json::from_slice::<Value>(line).ok();
            found[n] = entry.filter(|entry| entry.get("op").and_then(Value::as_str) == Some(op));
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    found
}

/// What the end of a stream says.
#[derive(Clone, Debug, PartialEq)]
pub struct Tail {
    /// The size of the file; entries go on at this offset once it is repaired.
    pub size: u64,
    /// The bytes that are kept: less than the size when the last line was never finished.
    pub keep: u64,
    /// The last finished entry; none in an empty stream.
    pub last: Option<Value>,
    /// The last line is whole, but nothing ends it: a line feed goes first.
    pub unterminated: bool,
}

/// Reads the end of a stream; `None` when there is none. Only as much is read as the last line needs.
///
/// Errors: as [`read`], for the last line only.
pub fn tail(source: &dyn Source, id: &str) -> Result<Option<Tail>, StreamError> {
    let mut window = TAIL_BYTES;
    loop {
        let (bytes, size) = match source.read_tail(&path(id), window) {
            Ok(found) => found,
            Err(ReadError::NotFound) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        refuse_huge(size)?;
        if conflict_marker(&bytes).is_some() {
            return Err(StreamError::ConflictMarkers { line: 0 });
        }
        let whole = bytes.len() as u64 == size;
        if let Some(tail) = tail_of(&bytes, size, whole)? {
            return Ok(Some(tail));
        }
        window = window.saturating_mul(8);
    }
}

fn refuse_huge(size: u64) -> Result<(), StreamError> {
    let limit = MAX_STREAM_BYTES;
    if size > limit { Err(ReadError::TooLarge { size, limit }.into()) } else { Ok(()) }
}

/// Looks at the last bytes of a stream; `None` when the last line begins before them.
fn tail_of(bytes: &[u8], size: u64, whole: bool) -> Result<Option<Tail>, StreamError> {
    let mut end = bytes.len();
    loop {
        let keep = size - (bytes.len() - end) as u64;
        let Some(line_end) = bytes[..end].iter().rposition(|byte| !byte.is_ascii_whitespace()).map(|n| n + 1)
        else {
            // Nothing but blanks: an empty stream, if this is all of it.
            return Ok(whole.then_some(Tail { size, keep, last: None, unterminated: false }));
        };
        let start = match bytes[..line_end].iter().rposition(|byte| *byte == b'\n') {
            Some(feed) => feed + 1,
            None if whole => 0,
            None => return Ok(None),
        };
        let line = &bytes[start..line_end];
        let unterminated = !bytes[line_end..end].contains(&b'\n');
        match serde_json::from_slice::<Value>(line) {
            Ok(last) if last.is_object() => {
                return Ok(Some(Tail { size, keep, last: Some(last), unterminated }));
            }
            _ if conflict_marker(line).is_some() => return Err(StreamError::ConflictMarkers { line: 0 }),
            // Never finished: what comes before it is the end.
            _ if unterminated => end = start,
            outcome => {
                let problem = outcome.err().map_or_else(|| "no object".to_owned(), |error| error.to_string());
                return Err(StreamError::InvalidLine { line: 0, problem });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn end(bytes: &str) -> Tail {
        tail_of(bytes.as_bytes(), bytes.len() as u64, true).unwrap().unwrap()
    }

    #[test]
    fn blank_lines_and_a_torn_end_do_not_count() {
        let entries = parse(b"{\"n\":1}\r\n\n  \n{\"n\":2}\n{\"n\":").unwrap();
        assert_eq!(entries, [json!({"n": 1}), json!({"n": 2})]);
        assert_eq!(parse(b"{\"n\":1}\n{\"n\":2}").unwrap().len(), 2);
        assert!(parse(b"").unwrap().is_empty());
    }

    #[test]
    fn bad_lines_are_named() {
        let error = parse(b"{\"n\":1}\n{x\n{\"n\":2}\n").unwrap_err();
        assert!(error.to_string().starts_with("invalid JSON at line 2"), "{error}");
        assert!(matches!(parse(b"1\n"), Err(StreamError::InvalidLine { line: 1, .. })));
        assert!(matches!(parse(b"{}\n<<<<<<< HEAD\n"), Err(StreamError::ConflictMarkers { line: 2 })));
    }

    #[test]
    fn the_tail_tells_where_to_go_on() {
        let whole = end("{\"n\":1}\n{\"n\":2}\n");
        assert_eq!((whole.keep, whole.unterminated, whole.last), (16, false, Some(json!({"n": 2}))));
        let torn = end("{\"n\":1}\n{\"n\":");
        assert_eq!((torn.keep, torn.size, torn.last), (8, 13, Some(json!({"n": 1}))));
        assert!(!torn.unterminated);
        let open = end("{\"n\":1}\n{\"n\":2}");
        assert_eq!((open.keep, open.unterminated), (15, true));
        let only = end("{\"n\":");
        assert_eq!((only.keep, only.last), (0, None));
        let blank = end("\n\n");
        assert_eq!((blank.keep, blank.last), (2, None));
        let after_blank = end("{\"n\":1}\n\n");
        assert_eq!((after_blank.keep, after_blank.unterminated), (9, false));
    }

    #[test]
    fn a_bad_last_line_is_an_error() {
        let bytes = b"{\"n\":1}\n{x\n";
        assert!(matches!(tail_of(bytes, 11, true), Err(StreamError::InvalidLine { .. })));
        let bytes = b">>>>>>> theirs\n";
        assert!(matches!(tail_of(bytes, 15, true), Err(StreamError::ConflictMarkers { .. })));
    }

    #[test]
    fn a_long_last_line_needs_a_larger_window() {
        assert_eq!(tail_of(b"3456}\n", 100, false).unwrap(), None);
        assert_eq!(tail_of(b"\n\n\n", 100, false).unwrap(), None);
    }
}
