//! Events of all histories: which are asked for, and what they come to per item (surfaces.md §13, §14).

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::domain::dates;
use crate::error::{Code, Error, Result};
use crate::model::checksum::checksum;
use crate::model::events::{Event, EventPlace, Events};

/// Which events are asked for; of several values of one kind any will do, an empty list asks for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The full ids of items.
    pub ids: Vec<String>,
    /// Operations.
    pub ops: Vec<String>,
    /// Authors.
    pub authors: Vec<String>,
    /// From this instant on, in milliseconds since the epoch.
    pub from: Option<i64>,
    /// Before this instant.
    pub to: Option<i64>,
}

impl Wanted {
    /// Whether an event is asked for.
    pub fn admits(&self, event: Event<'_>) -> bool {
        let at = event.at();
        self.from.is_none_or(|from| at >= from) && self.to.is_none_or(|to| at < to) && self.matches(event)
    }

    /// Whether an event is asked for, whenever it happened.
    pub fn matches(&self, event: Event<'_>) -> bool {
        any(&self.ids, event, Event::id)
            && any(&self.ops, event, Event::op)
            && any(&self.authors, event, Event::author)
    }
}

/// Whether a text of an event is one of those wanted. It is looked up only where somebody asks for it: there are many
/// events.
fn any<'e>(wanted: &[String], event: Event<'e>, text: fn(Event<'e>) -> &'e str) -> bool {
    wanted.is_empty() || wanted.iter().any(|word| *word == text(event))
}

/// The values of a flag that may be repeated or hold several, separated by commas; each once.
///
/// Errors: `invalid_argument_value` for an empty one.
pub fn values(flag: &str, given: &[String]) -> Result<Vec<String>> {
    let mut all: Vec<String> = Vec::new();
    for value in given.iter().flat_map(|text| text.split(',')).map(str::trim) {
        if value.is_empty() {
            let message = format!("`{flag}` needs at least one value, and no empty one");
            return Err(Error::new(Code::InvalidArgumentValue, message).at(flag).rejecting(""));
        }
        if !all.iter().any(|known| known == value) {
            all.push(value.to_owned());
        }
    }
    Ok(all)
}

/// The instant of a time in the past: a distance without a sign goes back.
///
/// Errors: `invalid_argument_value` at this flag.
pub fn past(flag: &str, text: &str, now: i64) -> Result<i64> {
    let text = text.trim();
    let distance = text.len() > 1
        && text.ends_with(|last: char| last.is_ascii_alphabetic())
        && text[..text.len() - 1].bytes().all(|byte| byte.is_ascii_digit());
    let signed = if distance { format!("-{text}") } else { text.to_owned() };
    dates::parse(&signed, now).map_err(|error| {
        Error::new(Code::InvalidArgumentValue, format!("`{flag}` does not take `{text}`: {error}"))
            .at(flag)
            .rejecting(text)
    })
}

/// What happened to one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemDigest {
    /// How many events.
    pub events: usize,
    /// The first of them.
    pub first: EventPlace,
    /// The last of them.
    pub last: EventPlace,
    /// How often each operation, the most frequent first.
    pub operations: Vec<(String, usize)>,
}

/// Events of a window as they are told in few lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// By item, the one that changed last first.
    pub items: Vec<ItemDigest>,
    /// How many authors there were.
    pub authors: usize,
    /// How often each operation, the most frequent first.
    pub operations: Vec<(String, usize)>,
}

/// Counts events by item and operation. `chosen` is in any order.
pub fn digest(events: &Events, chosen: &[EventPlace]) -> Digest {
    struct Tally<'e> {
        events: usize,
        first: EventPlace,
        last: EventPlace,
        operations: BTreeMap<&'e str, usize>,
    }
    let mut items: HashMap<&str, Tally<'_>> = HashMap::new();
    let mut authors: HashSet<&str> = HashSet::new();
    let mut operations: BTreeMap<&str, usize> = BTreeMap::new();
    for place in chosen {
        let event = events.get(*place);
        authors.insert(event.author());
        *operations.entry(event.op()).or_default() += 1;
        let item = items.entry(event.id()).or_insert_with(|| Tally {
            events: 0,
            first: *place,
            last: *place,
            operations: BTreeMap::new(),
        });
        item.events += 1;
        item.first = item.first.min(*place);
        item.last = item.last.max(*place);
        *item.operations.entry(event.op()).or_default() += 1;
    }
    let mut items: Vec<ItemDigest> = items
        .into_values()
        .map(|item| ItemDigest {
            events: item.events,
            first: item.first,
            last: item.last,
            operations: frequent(item.operations),
        })
        .collect();
    items.sort_by(|a, b| a.last.newest_first(&b.last));
    Digest { items, authors: authors.len(), operations: frequent(operations) }
}

/// The most frequent first, those that are as frequent by name.
fn frequent(counts: BTreeMap<&str, usize>) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> =
        counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// The first so many counts, then how many kinds are left and how often they are, if any are: `+2`.
pub fn most_frequent(counts: &[(String, usize)], shown: usize) -> Vec<(String, usize)> {
    let (first, rest) = counts.split_at(shown.min(counts.len()));
    let mut told = first.to_vec();
    if !rest.is_empty() {
        told.push((format!("+{}", rest.len()), rest.iter().map(|(_, count)| count).sum()));
    }
    told
}

/// A digest of which events these are, and in which order.
pub fn digest_of(events: &Events, chosen: &[EventPlace]) -> String {
    let mut bytes = Vec::new();
    for place in chosen {
        let event = events.get(*place);
        bytes.extend_from_slice(event.id().as_bytes());
        bytes.extend_from_slice(&[0]);
        bytes.extend_from_slice(&event.version().to_le_bytes());
        bytes.extend_from_slice(&event.at().to_le_bytes());
    }
    format!("{:016x}", checksum(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_once_and_none_is_empty() {
        let given = ["a, b".to_owned(), "b".to_owned()];
        assert_eq!(values("--op", &given).unwrap(), ["a", "b"]);
        assert_eq!(values("--op", &["a,,b".to_owned()]).unwrap_err().surface.as_deref(), Some("--op"));
        assert!(values("--op", &[]).unwrap().is_empty());
    }

    #[test]
    fn distances_without_a_sign_go_back() {
        let day = 86_400_000;
        for (text, at) in [("7d", -7 * day), ("-7d", -7 * day), ("+1d", day), ("now", 0), ("1970-01-02", day)]
        {
            assert_eq!(past("--from", text, 0).unwrap(), at, "{text}");
        }
        assert_eq!(past("--from", "soon", 0).unwrap_err().surface.as_deref(), Some("--from"));
        assert!(past("--from", "é", 0).is_err() && past("--from", "", 0).is_err());
    }

    #[test]
    fn the_rest_is_counted_together() {
        let counts = frequent(BTreeMap::from([("a", 1), ("b", 3), ("c", 1), ("d", 2)]));
        let told: Vec<String> =
            most_frequent(&counts, 2).iter().map(|(name, n)| format!("{name}:{n}")).collect();
        assert_eq!(told, ["b:3", "d:2", "+2:2"]);
        assert_eq!(most_frequent(&counts, 4).len(), 4);
    }
}
