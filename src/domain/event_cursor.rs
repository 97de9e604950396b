//! Cursors of events: after which event to go on, and with which filters (surfaces.md §14). They last: those of the
//! reference, which are JSON in base64, are read too.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::codec::hex;
use crate::codec::packed::{Packer, Unpacker};
use crate::model::events::Event;
use crate::model::records::compare_folded;
use crate::model::timestamp;

/// The longest cursor that is read.
const MAX_CHARS: usize = 4_096;

/// How many characters of a hash name the filters.
const FINGERPRINT: usize = 24;

/// How the packed form begins, and how many bytes of the name of the filters it carries.
const PACKED: u8 = 0xa5;
const VERSION: u8 = 1;
const PACKED_FINGERPRINT: usize = 6;

/// The end of the year 9999, in milliseconds.
const LAST_TIME: i64 = 253_402_300_799_999;

/// After which event to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventCursor {
    /// Of the filters.
    pub fingerprint: String,
    /// When the event happened, as stored.
    pub ts: String,
    /// The id of its stream.
    pub stream_id: String,
    /// Which entry of its stream it is, from 0.
    pub stream_offset: u64,
}

impl EventCursor {
    /// The cursor after an event.
    pub fn after(event: Event<'_>, fingerprint: &str) -> EventCursor {
        EventCursor {
            fingerprint: fingerprint.to_owned(),
            ts: event.ts().into_owned(),
            stream_id: event.id().to_owned(),
            stream_offset: event.version() as u64 - 1,
        }
    }

    /// The text of the cursor, packed; as JSON where its time is no time.
    pub fn encode(&self) -> String {
        let at = timestamp::parse(&self.ts).filter(|at| timestamp::format(*at) == self.ts);
        let fingerprint = (0..PACKED_FINGERPRINT)
            .map_while(|n| u8::from_str_radix(self.fingerprint.get(2 * n..2 * n + 2)?, 16).ok())
            .collect::<Vec<u8>>();
        match at.and_then(|at| u64::try_from(at).ok()) {
            Some(at) if fingerprint.len() == PACKED_FINGERPRINT => Packer::of(PACKED)
                .bytes(&[VERSION])
                .bytes(&fingerprint)
                .number(at)
                .number(self.stream_offset)
                .bytes(self.stream_id.as_bytes())
                .finish(),
            _ => self.as_json(),
        }
    }

    fn as_json(&self) -> String {
        let value = json!({
            "version": 1, "fingerprint": self.fingerprint, "ts": self.ts, "stream_id": self.stream_id,
            "stream_offset": self.stream_offset,
        });
        URL_SAFE_NO_PAD.encode(value.to_string())
    }

    /// Reads the text of a cursor; none when it is no cursor.
    pub fn decode(text: &str) -> Option<EventCursor> {
        let text = text.trim_end_matches('=');
        match Unpacker::of(text, MAX_CHARS)? {
            (PACKED, mut read) => {
                (read.bytes(1)? == [VERSION]).then_some(())?;
                let hex = hex::encode(read.bytes(PACKED_FINGERPRINT)?);
                let at = i64::try_from(read.number()?).ok().filter(|at| *at <= LAST_TIME)?;
                let stream_offset = read.number()?;
                let stream_id = read.rest().filter(|id| !id.is_empty())?;
                Some(EventCursor { fingerprint: hex, ts: timestamp::format(at), stream_id, stream_offset })
            }
            _ => EventCursor::of_json(text),
        }
    }

    fn of_json(text: &str) -> Option<EventCursor> {
        let value: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        (value.get("version")? == 1).then_some(())?;
        Some(EventCursor {
            fingerprint: text("fingerprint").filter(|name| name.len() == FINGERPRINT)?,
            ts: text("ts").filter(|ts| timestamp::parse(ts).is_some())?,
            stream_id: text("stream_id")?,
            stream_offset: value.get("stream_offset")?.as_u64()?,
        })
    }

    /// Whether it came with the filters of this name; a packed cursor carries the beginning of it.
    pub fn belongs_to(&self, fingerprint: &str) -> bool {
        fingerprint.starts_with(&self.fingerprint)
    }

    /// Says of an event whether it comes after that of this cursor, in the order of time, then id, then entry.
    pub fn followers(&self) -> impl Fn(Event<'_>) -> bool + '_ {
        let at = timestamp::parse(&self.ts).unwrap_or(i64::MIN);
        let id = self.stream_id.as_str();
        move |event| {
            let by_id = || compare_folded(id, event.id()).then_with(|| id.cmp(event.id()));
            let by_entry = || self.stream_offset.cmp(&(event.version() as u64 - 1));
            at.cmp(&event.at()).then_with(by_id).then_with(by_entry).is_lt()
        }
    }
}

/// Whether a text looks like a cursor, be it a broken one.
pub fn resembles(text: &str) -> bool {
    // What an object begins with in base64, and what the packed form begins with.
    text.starts_with("eyJ") || text.starts_with("pQ")
}

/// The name of filters: of each its key and its values, in any order; those without values do not count.
pub fn fingerprint(filters: &[(&str, &[String])]) -> String {
    let mut filters: Vec<_> = filters.iter().filter(|(_, values)| !values.is_empty()).collect();
    filters.sort_by_key(|(key, _)| *key);
    let sorted = |values: &[String]| {
        let mut values = values.to_vec();
        values.sort_unstable();
        Value::from(values)
    };
    let filters: Map<String, Value> =
        filters.into_iter().map(|(key, values)| ((*key).to_owned(), sorted(values))).collect();
    let hash = Sha256::digest(Value::Object(filters).to_string());
    let hex = hex::encode(hash);
    hex[..FINGERPRINT].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_and_nothing_else_is_one() {
        let cursor = EventCursor {
            fingerprint: fingerprint(&[]),
            ts: "2026-01-01T00:00:00.000Z".to_owned(),
            stream_id: "pm-a".to_owned(),
            stream_offset: 3,
        };
        let json = cursor.as_json();
        assert_eq!(EventCursor::decode(&json), Some(cursor.clone()));
        let text = cursor.encode();
        assert!(resembles(&text) && resembles(&json) && text.len() < 32, "{text}");
        let read = EventCursor::decode(&text).expect("it was encoded here");
        assert_eq!((&read.ts, &read.stream_id, read.stream_offset), (&cursor.ts, &cursor.stream_id, 3));
        assert!(
            read.belongs_to(&cursor.fingerprint) && !read.belongs_to(&fingerprint(&[("a", &["b".into()])]))
        );
        let wrong = EventCursor { ts: "no time".to_owned(), ..cursor };
        assert_eq!(EventCursor::decode(&wrong.encode()), None);
        for bad in ["", "eyJ2", "2026-01-01", "pQ", "pQE", &text[..8], &"e".repeat(5_000), "e30"] {
            assert_eq!(EventCursor::decode(bad), None, "{bad}");
        }
    }

    #[test]
    fn filters_have_one_name_in_any_order() {
        let of = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>();
        let (a, b) = (of(&["close"]), of(&["x", "y"]));
        assert_eq!(fingerprint(&[("type", &[]), ("author", &[])]), "44136fa355b3678a1146ad16");
        assert_eq!(
            fingerprint(&[("type", &a), ("item", &b)]),
            fingerprint(&[("item", &of(&["y", "x"])), ("type", &a)])
        );
        assert_ne!(fingerprint(&[("type", &a)]), fingerprint(&[("author", &a)]));
    }
}
