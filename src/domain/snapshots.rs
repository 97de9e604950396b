//! What changed since somebody last looked: the states of a tracker that were shown, newest whole, older as differences.
//!
//! A state is named by when its newest item changed and by a digest of all item files, so that equal trackers have
//! equal names. The name alone tells roughly what changed; the kept states tell exactly, also what came in by a merge
//! with an older date.

use std::collections::BTreeMap;

use crate::model::checksum::checksum;
use crate::model::records::{Records, pack, unpack};

/// How many states are kept.
const MOST: usize = 64;

const MAGIC: &[u8; 8] = b"pmsnap01";

/// The items of a state: a digest of each file, by id.
pub(crate) type State = BTreeMap<String, u64>;

/// The present state.
pub(crate) fn state(records: &Records) -> State {
    records.iter().map(|record| (record.id().to_owned(), record.digest())).collect()
}

/// The name of the present state.
pub(crate) fn name(records: &Records) -> String {
    let mut newest = 0i64;
    let mut sum = records.len() as u64;
    for record in records.iter() {
        newest = newest.max(record.updated_ms().unwrap_or(0));
        let id = checksum(record.id().as_bytes());
        sum = sum.wrapping_add((id ^ record.digest().rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }
    format!("{newest:x}-{:08x}", (sum ^ sum >> 32) as u32)
}

/// When the newest item of a named state changed, in milliseconds since the epoch; `None` for what is no name.
pub(crate) fn newest_change(name: &str) -> Option<i64> {
    let (newest, digest) = name.split_once('-')?;
    let digits =
        |text: &str, least: usize| text.len() >= least && text.bytes().all(|b| b.is_ascii_hexdigit());
    (digits(newest, 1) && digest.len() == 8 && digits(digest, 8))
        .then(|| i64::from_str_radix(newest, 16).ok())?
}

/// The states that are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Snapshots {
    /// The newest one's name.
    pub(crate) newest: String,
    items: State,
    /// Older ones, newest first: the name, and what was different before the next one; 0 for an item that was not there.
    older: Vec<(String, Vec<(String, u64)>)>,
}

impl Snapshots {
    /// Keeps a state as the newest.
    pub(crate) fn advance(&mut self, name: String, now: State) {
        if self.newest == name {
            return;
        }
        if !self.newest.is_empty() {
            let gone = self.items.iter().filter(|(id, digest)| now.get(*id) != Some(digest));
            let new = now.keys().filter(|id| !self.items.contains_key(*id)).map(|id| (id.clone(), 0));
            let before = gone.map(|(id, digest)| (id.clone(), *digest)).chain(new).collect();
            self.older.insert(0, (std::mem::take(&mut self.newest), before));
            self.older.truncate(MOST - 1);
        }
        (self.newest, self.items) = (name, now);
    }

    /// The state of this name.
    pub(crate) fn find(&self, name: &str) -> Option<State> {
        let mut items = self.items.clone();
        if self.newest == name {
            return Some(items);
        }
        for (older, before) in &self.older {
            for (id, digest) in before {
                match digest {
                    0 => items.remove(id),
                    digest => items.insert(id.clone(), *digest),
                };
            }
            if older == name {
                return Some(items);
            }
        }
        None
    }

    /// The bytes that keep them.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        let list = |body: &mut Vec<u8>, name: &str, items: &mut dyn Iterator<Item = (&String, u64)>| {
            pack(body, name);
            let items: Vec<_> = items.collect();
            pack(body, &items.len().to_string());
            for (id, digest) in items {
                pack(body, id);
                pack(body, &format!("{digest:x}"));
            }
        };
        list(&mut body, &self.newest, &mut self.items.iter().map(|(id, digest)| (id, *digest)));
        for (name, before) in &self.older {
            list(&mut body, name, &mut before.iter().map(|(id, digest)| (id, *digest)));
        }
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&checksum(&body).to_le_bytes());
        out.extend_from_slice(&body);
        out
    }

    /// What these bytes keep; nothing when they are damaged.
    pub(crate) fn decode(bytes: &[u8]) -> Snapshots {
        Snapshots::decoded(bytes).unwrap_or_default()
    }

    /// The name of the newest one, without reading the rest.
    pub(crate) fn newest_in(bytes: &[u8]) -> Option<&str> {
        unpack(Snapshots::body(bytes)?).next()
    }

    fn body(bytes: &[u8]) -> Option<&[u8]> {
        let (head, body) = bytes.split_at_checked(16)?;
        (head[..8] == *MAGIC && head[8..] == checksum(body).to_le_bytes()).then_some(body)
    }

    fn decoded(bytes: &[u8]) -> Option<Snapshots> {
        let mut texts = unpack(Snapshots::body(bytes)?);
        let mut list = || {
            let name = texts.next()?.to_owned();
            let count: usize = texts.next()?.parse().ok()?;
            let item = |_| Some((texts.next()?.to_owned(), u64::from_str_radix(texts.next()?, 16).ok()?));
            Some((name, (0..count).map(item).collect::<Option<Vec<_>>>()?))
        };
        let (newest, items) = list()?;
        let older = std::iter::from_fn(&mut list).take(MOST).collect();
        Some(Snapshots { newest, items: items.into_iter().collect(), older })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(items: &[(&str, u64)]) -> State {
        items.iter().map(|(id, digest)| ((*id).to_owned(), *digest)).collect()
    }

    #[test]
    fn every_kept_state_comes_back_whole() {
        let states = [
            ("1-00000001", state(&[("a", 1), ("b", 2)])),
            ("2-00000002", state(&[("a", 5), ("b", 2), ("c", 3)])),
            ("3-00000003", state(&[("b", 2), ("c", 4)])),
            ("4-00000004", state(&[("a", 1), ("b", 2)])),
        ];
        let mut snapshots = Snapshots::default();
        for (name, now) in &states {
            snapshots.advance((*name).to_owned(), now.clone());
            snapshots.advance((*name).to_owned(), now.clone());
        }
        let kept = Snapshots::decode(&snapshots.encode());
        assert_eq!(kept, snapshots);
        assert_eq!(Snapshots::newest_in(&snapshots.encode()), Some("4-00000004"));
        for (name, then) in &states {
            assert_eq!(kept.find(name).as_ref(), Some(then), "{name}");
        }
        assert_eq!(kept.find("9-00000009"), None);
        let mut damaged = snapshots.encode();
        *damaged.last_mut().unwrap() ^= 1;
        assert_eq!(Snapshots::decode(&damaged), Snapshots::default());
        assert_eq!(Snapshots::decode(b"x"), Snapshots::default());
    }

    #[test]
    fn only_so_many_are_kept() {
        let mut snapshots = Snapshots::default();
        for n in 0..100u64 {
            snapshots.advance(format!("{n:x}-0000000{}", n % 10), state(&[("a", n + 1)]));
        }
        assert!(snapshots.find("25-00000007").is_some() && snapshots.find("23-00000005").is_none());
    }

    #[test]
    fn names_tell_when() {
        assert_eq!(newest_change("19c0-0a1b2c3d"), Some(0x19c0));
        for wrong in ["", "19c0", "19c0-", "x-0a1b2c3d", "19c0-0a1b2c3", "-0a1b2c3d", "19c0-0a1b2c3g"] {
            assert_eq!(newest_change(wrong), None, "{wrong}");
        }
    }
}
