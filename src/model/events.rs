//! What happened, over all histories: every entry of every stream, in one flat block of bytes a stream.
//!
//! Like [`super::records`], an event is a view into the block, which comes from the index or from a stream read just
//! now; who reads it cannot tell. What takes room in an entry (its patch) stays in the stream.
//!
//! A stream's row, little-endian; reading is bounds-checked, bytes that are no row give empty values:
//!
//! ```text
//!  0  u32  length of the row in bytes
//!  4  u32  number of events
//!  8  u64  bytes of the stream that lie in finished lines
//! 16  u64  checksum of those bytes
//! 24  40 bytes per event, as they stand in the stream:
//!      0  i64  when, in milliseconds since the epoch; the least number when its text names no instant
//!      8  u64  where its line begins
//!     16  u32  how long it is
//!     20  u32  how many operations its patch has
//!     24  u32  operation, author, message and time, each as a place in the texts;
//!              of what is absent, and of a time that is written as we write it, the greatest number
//! then the texts, packed, each once; the first is the id of the stream
//! ```

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;

use super::checksum::checksum;
use super::records::{Block, Place, Unreadable, compare_folded, pack, row_in, unpack};
use super::timestamp;

const HEAD: usize = 24;
const EVENT: usize = 40;
const NONE: u32 = u32::MAX;

/// What an event's row keeps of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts<'a> {
    /// When, as stored.
    pub(crate) ts: Cow<'a, str>,
    /// The operation.
    pub(crate) op: Cow<'a, str>,
    /// Who.
    pub(crate) author: Cow<'a, str>,
    /// The message; an empty one is one too.
    pub(crate) message: Option<Cow<'a, str>>,
    /// How many operations the patch has.
    pub(crate) patch_count: u32,
    /// Where its line begins in the stream.
    pub(crate) offset: u64,
    /// How many bytes the line has.
    pub(crate) length: u32,
}

/// Appends the row of a stream to a block. `finished` are the bytes of its finished lines.
pub(crate) fn write_row(id: &str, events: &[Facts<'_>], finished: &[u8], block: &mut Vec<u8>) {
    let start = block.len();
    let narrow = |n: usize| u32::try_from(n).unwrap_or(NONE);
    let mut texts = Texts::default();
    texts.place(id);
    block.extend_from_slice(&[0; 4]);
    block.extend_from_slice(&narrow(events.len()).to_le_bytes());
    block.extend_from_slice(&(finished.len() as u64).to_le_bytes());
    block.extend_from_slice(&checksum(finished).to_le_bytes());
    for event in events {
        let ms = timestamp::parse(&event.ts).unwrap_or(i64::MIN);
        let plain = ms != i64::MIN && timestamp::format(ms) == event.ts;
        block.extend_from_slice(&ms.to_le_bytes());
        block.extend_from_slice(&event.offset.to_le_bytes());
        let places = [
            event.length,
            event.patch_count,
            texts.place(&event.op),
            texts.place(&event.author),
            event.message.as_deref().map_or(NONE, |text| texts.place(text)),
            if plain { NONE } else { texts.place(&event.ts) },
        ];
        places.iter().for_each(|n| block.extend_from_slice(&n.to_le_bytes()));
    }
    block.extend_from_slice(&texts.packed);
    let length = narrow(block.len() - start);
    block[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// The texts of a row, each once.
#[derive(Default)]
struct Texts {
    packed: Vec<u8>,
    known: HashMap<String, u32, foldhash::fast::FixedState>,
}

impl Texts {
    fn place(&mut self, text: &str) -> u32 {
        if let Some(place) = self.known.get(text) {
            return *place;
        }
        let place = u32::try_from(self.packed.len()).unwrap_or(NONE);
        pack(&mut self.packed, text);
        self.known.insert(text.to_owned(), place);
        place
    }
}

/// Orders the rows of streams by folded id, then id.
pub(crate) fn compare_rows(a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (Stream { row: a, number: 0 }.id(), Stream { row: b, number: 0 }.id());
    compare_folded(a, b).then_with(|| a.cmp(b))
}

/// The row of one stream.
#[derive(Clone, Copy)]
pub struct Stream<'a> {
    row: &'a [u8],
    number: u32,
}

impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({}: {})", self.id(), self.len())
    }
}

impl<'a> Stream<'a> {
    /// The row that these bytes hold.
    pub(crate) fn of_row(row: &'a [u8]) -> Stream<'a> {
        Stream { row, number: 0 }
    }

    fn array<const N: usize>(self, at: usize) -> [u8; N] {
        let bytes = at.checked_add(N).and_then(|end| self.row.get(at..end));
        bytes.and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; N])
    }

    fn texts(self) -> &'a [u8] {
        self.row.get(HEAD + EVENT * self.len()..).unwrap_or_default()
    }

    fn text(self, place: u32) -> &'a str {
        self.texts().get(place as usize..).and_then(|rest| unpack(rest).next()).unwrap_or_default()
    }

    /// The id of the item whose history it is; `_workspace` for settings and schema.
    pub fn id(self) -> &'a str {
        self.text(0)
    }

    /// How many events it has.
    pub fn len(self) -> usize {
        let said = u32::from_le_bytes(self.array(4)) as usize;
        said.min(self.row.len().saturating_sub(HEAD) / EVENT)
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether the bytes of a stream begin with those that this row was made of; how many those are.
    pub(crate) fn prefix_of(self, bytes: &[u8]) -> Option<usize> {
        let length = usize::try_from(u64::from_le_bytes(self.array(8))).ok()?;
        let sum = u64::from_le_bytes(self.array(16));
        bytes.get(..length).filter(|prefix| checksum(prefix) == sum).map(|_| length)
    }

    /// Event `n`, which must be below [`Stream::len`].
    pub fn event(self, n: usize) -> Event<'a> {
        Event { stream: self, n: u32::try_from(n).unwrap_or(NONE) }
    }

    /// All events, oldest line first.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Event<'a>> {
        (0..self.len()).map(move |n| self.event(n))
    }
}

/// One change in the history of an item: a view into the row of its stream.
#[derive(Clone, Copy)]
pub struct Event<'a> {
    stream: Stream<'a>,
    n: u32,
}

impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({} {} {} {})", self.id(), self.version(), self.ts(), self.op())
    }
}

impl<'a> Event<'a> {
    fn number(self, at: usize) -> u32 {
        u32::from_le_bytes(self.stream.array(HEAD + EVENT * self.n as usize + at))
    }

    fn long(self, at: usize) -> u64 {
        u64::from_le_bytes(self.stream.array(HEAD + EVENT * self.n as usize + at))
    }

    /// The id of the item; `_workspace` for settings and schema.
    pub fn id(self) -> &'a str {
        self.stream.id()
    }

    /// Which entry of its stream it is, from 1.
    pub fn version(self) -> usize {
        self.n as usize + 1
    }

    /// When, in milliseconds since the epoch; [`i64::MIN`] when its text names no instant.
    pub fn at(self) -> i64 {
        i64::from_le_bytes(self.stream.array(HEAD + EVENT * self.n as usize))
    }

    /// When, as stored.
    pub fn ts(self) -> Cow<'a, str> {
        match self.number(36) {
            NONE => timestamp::format(self.at()).into(),
            place => self.stream.text(place).into(),
        }
    }

    /// The operation.
    pub fn op(self) -> &'a str {
        self.stream.text(self.number(24))
    }

    /// Who did it; empty when the entry does not say.
    pub fn author(self) -> &'a str {
        self.stream.text(self.number(28))
    }

    /// The message; an empty one is one too.
    pub fn message(self) -> Option<&'a str> {
        let place = self.number(32);
        (place != NONE).then(|| self.stream.text(place))
    }

    /// How many operations its patch has.
    pub fn patch_count(self) -> u32 {
        self.number(20)
    }

    /// Where its line begins in the stream, and how many bytes it has.
    pub fn line(self) -> (u64, u32) {
        (self.long(8), self.number(16))
    }

    /// Where it stands among all events.
    pub fn place(self) -> EventPlace {
        EventPlace { at: self.at(), stream: self.stream.number, n: self.n }
    }

    pub(crate) fn facts(self) -> Facts<'a> {
        let (offset, length) = self.line();
        Facts {
            ts: self.ts(),
            op: self.op().into(),
            author: self.author().into(),
            message: self.message().map(Cow::from),
            patch_count: self.patch_count(),
            offset,
            length,
        }
    }
}

/// Where an event stands among all events: in the order of time, then id, then line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventPlace {
    at: i64,
    stream: u32,
    n: u32,
}

impl EventPlace {
    /// The order as one number.
    fn key(&self) -> u128 {
        let at = self.at.cast_unsigned() ^ (1 << 63);
        u128::from(at) << 64 | u128::from(self.stream) << 32 | u128::from(self.n)
    }

    /// The order from new to old: by time, of one time by id, of one id the later line first.
    pub fn newest_first(&self, other: &EventPlace) -> Ordering {
        let then = self.stream.cmp(&other.stream).then_with(|| other.n.cmp(&self.n));
        other.at.cmp(&self.at).then(then)
    }
}

/// Every event of a tracker at one moment, and the streams that could not be read.
#[derive(Default)]
pub struct Events {
    blocks: Vec<Block>,
    places: Vec<Place>,
    unreadable: Vec<Unreadable>,
}

/// Equal: the same rows in the same order, and the same streams that cannot be served.
impl PartialEq for Events {
    fn eq(&self, other: &Events) -> bool {
        self.unreadable == other.unreadable
            && self.places.len() == other.places.len()
            && self.streams().zip(other.streams()).all(|(a, b)| a.row == b.row)
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Events({} streams, {} unreadable)", self.places.len(), self.unreadable.len())
    }
}

impl Events {
    /// Rows that lie at these places, which are in order.
    pub(crate) fn from_sorted(
        blocks: Vec<Block>,
        places: Vec<Place>,
        mut unreadable: Vec<Unreadable>,
    ) -> Events {
        unreadable.sort_by(|a, b| a.path.cmp(&b.path));
        Events { blocks, places, unreadable }
    }

    /// Every stream, by folded id.
    pub fn streams(&self) -> impl Iterator<Item = Stream<'_>> {
        (0u32..).zip(&self.places).map(|(number, place)| Stream { row: row_in(&self.blocks, *place), number })
    }

    /// The events that a test admits, in the order of time, then id, then line.
    pub fn select(&self, mut admits: impl FnMut(Event<'_>) -> bool) -> Vec<EventPlace> {
        let mut places = Vec::new();
        for stream in self.streams() {
            places.extend(stream.iter().filter(|event| admits(*event)).map(Event::place));
        }
        places.sort_unstable_by_key(EventPlace::key);
        places
    }

    /// The last of the events that a test admits, in the order of [`Events::select`].
    pub fn last(&self, mut admits: impl FnMut(Event<'_>) -> bool) -> Option<EventPlace> {
        let last = |stream: Stream<'_>| stream.iter().filter(|event| admits(*event)).map(Event::place).max();
        self.streams().filter_map(last).max()
    }

    /// The event at a place that this value gave out.
    pub fn get(&self, place: EventPlace) -> Event<'_> {
        let row = self.places.get(place.stream as usize).map_or(&[][..], |at| row_in(&self.blocks, *at));
        Event { stream: Stream { row, number: place.stream }, n: place.n }
    }

    /// The streams that could not be served, by path.
    pub fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(ts: &'static str, op: &'static str, message: Option<&'static str>) -> Facts<'static> {
        Facts {
            ts: ts.into(),
            op: op.into(),
            author: "ann".into(),
            message: message.map(Cow::from),
            patch_count: 3,
            offset: 7,
            length: 5,
        }
    }

    fn sample() -> Events {
        let mut block = Vec::new();
        let mut places = Vec::new();
        for (id, events) in [
            (
                "pm-a",
                vec![
                    facts("2026-01-01T00:00:00.000Z", "create", Some("")),
                    facts("2026-01-03T01:00:00+01:00", "update", None),
                ],
            ),
            (
                "pm-b",
                vec![facts("2026-01-03T00:00:00.000Z", "create", Some("why")), facts("soon", "odd", None)],
            ),
        ] {
            places.push(Place::new(0, block.len()));
            write_row(id, &events, b"line\n", &mut block);
        }
        Events::from_sorted(vec![Box::new(block)], places, Vec::new())
    }

    #[test]
    fn events_say_what_entries_say_in_the_order_of_time() {
        let events = sample();
        let order = events.select(|_| true);
        let told: Vec<String> = order
            .iter()
            .map(|place| {
                let event = events.get(*place);
                format!(
                    "{} {} {} {} {:?}",
                    event.id(),
                    event.version(),
                    event.ts(),
                    event.op(),
                    event.message()
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                "pm-b 2 soon odd None",
                "pm-a 1 2026-01-01T00:00:00.000Z create Some(\"\")",
                "pm-a 2 2026-01-03T01:00:00+01:00 update None",
                "pm-b 1 2026-01-03T00:00:00.000Z create Some(\"why\")",
            ]
        );
        let first = events.get(order[1]);
        assert_eq!((first.author(), first.patch_count(), first.line()), ("ann", 3, (7, 5)));
        assert_eq!(events.select(|event| event.op() == "create").len(), 2);
        for op in ["create", "update", "odd", "none"] {
            let chosen = events.select(|event| event.op() == op);
            assert_eq!(events.last(|event| event.op() == op).as_ref(), chosen.last(), "{op}");
        }
        assert_eq!(first.facts(), facts("2026-01-01T00:00:00.000Z", "create", Some("")));
    }

    #[test]
    fn a_row_knows_the_bytes_it_was_made_of() {
        let mut block = Vec::new();
        write_row("pm-a", &[], b"one\n", &mut block);
        let stream = Stream::of_row(&block);
        assert_eq!((stream.id(), stream.len()), ("pm-a", 0));
        assert_eq!(stream.prefix_of(b"one\ntwo\n"), Some(4));
        assert_eq!((stream.prefix_of(b"One\ntwo\n"), stream.prefix_of(b"one")), (None, None));
    }

    #[test]
    fn bytes_that_are_no_row_give_empty_values() {
        let mut block = Vec::new();
        write_row("pm-a", &[facts("2026-01-01T00:00:00.000Z", "x", None)], b"", &mut block);
        for cut in 0..block.len() {
            for byte in [0, 0xff] {
                let mut bad = block[..cut].to_vec();
                bad.resize(block.len(), byte);
                let stream = Stream::of_row(&bad);
                for event in stream.iter() {
                    let _ =
                        (event.id(), event.ts(), event.op(), event.author(), event.message(), event.line());
                }
            }
        }
    }
}
