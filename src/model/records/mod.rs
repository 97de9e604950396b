//! What every list-like answer needs of every item, in one flat block of bytes.
//!
//! A record is a view into the block: nothing is decoded before it is asked for, nothing is copied. The block
//! comes from the index file (mapped into memory) or from items read just now; who reads it cannot tell.

mod fields;
mod row;
mod write;

use std::cmp::Ordering;
use std::fmt;
use std::sync::atomic::{self, AtomicBool};

use serde_json::Value;

pub use fields::{Count, Number, Presence, Text};
pub(crate) use row::pack;
use row::{Bytes, Packed, Row};
pub(crate) use write::write_row;

use super::checksum::checksum;
use super::front::Front;
use super::item::Item;

/// An item file that could not be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Path below the tracker root, with `/`.
    pub path: String,
    /// The error code: `item_document_invalid`, `merge_conflict_markers_detected`, ...
    pub code: String,
    /// What is wrong, in one sentence.
    pub problem: String,
}

/// Bytes that rows lie in, whoever owns them.
pub(crate) type Block = Box<dyn AsRef<[u8]> + Send + Sync>;

/// Where a row lies: in which block, and its first byte there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    block: u32,
    start: u32,
}

impl Place {
    /// A place beyond the limits of a block holds no row.
    pub(crate) fn new(block: usize, start: usize) -> Place {
        let narrow = |n| u32::try_from(n).unwrap_or(u32::MAX);
        Place { block: narrow(block), start: narrow(start) }
    }
}

/// Every readable item of a tracker at one moment, and the files that are not.
///
/// Rows are sorted by folded id, then path. Two files with one id are two rows.
#[derive(Default)]
pub struct Records {
    blocks: Vec<Block>,
    places: Vec<Place>,
    unreadable: Vec<Unreadable>,
    /// For blocks that were not checked as a whole: whether a row was asked for that is not as it was written.
    damage: Option<AtomicBool>,
}

/// Equal: the same rows in the same order, and the same files that cannot be served.
impl PartialEq for Records {
    fn eq(&self, other: &Records) -> bool {
        self.unreadable == other.unreadable
            && self.len() == other.len()
            && self.iter().zip(other.iter()).all(|(a, b)| a.row.0 == b.row.0)
    }
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Records({} rows, {} unreadable)", self.places.len(), self.unreadable.len())
    }
}

/// One item's row: a view into the block.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    row: Row<'a>,
    number: usize,
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Record({}: {})", self.number, self.id())
    }
}

/// A dependency of an item, as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link<'a> {
    /// The target's id.
    pub id: &'a str,
    /// The kind, as stored: `blocks`, `blocked_by`, `related`, ...
    pub kind: &'a str,
    /// What made it: `cli:create:dep`, ...; empty when the item does not say.
    pub source_kind: &'a str,
}

/// Folds an id for comparison: ids differ in more than case, or are the same.
pub fn fold(id: &str) -> String {
    id.to_lowercase()
}

/// Compares two ids by their folded forms, without building them.
pub fn compare_folded(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        let lower = |c: &u8| c.to_ascii_lowercase();
        return a.as_bytes().iter().map(lower).cmp(b.as_bytes().iter().map(lower));
    }
    // UTF-8 keeps code point order, so comparing characters agrees with the bytes compared above.
    a.chars().flat_map(char::to_lowercase).cmp(b.chars().flat_map(char::to_lowercase))
}

/// Orders rows by folded id, then path.
pub(crate) fn compare_rows(a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (Record { row: Row(a), number: 0 }, Record { row: Row(b), number: 0 });
    compare_folded(a.id(), b.id()).then_with(|| a.path().cmp(b.path()))
}

/// Whether the bytes of a row are those that were written.
pub(crate) fn is_sound(row: &[u8]) -> bool {
    Row(row).is_sound()
}

/// The row that starts here; its length is in front.
fn row_at(block: &[u8], start: usize) -> &[u8] {
    let bytes = block.get(start..).unwrap_or_default();
    let length = bytes.first_chunk().map_or(0, |length| u32::from_le_bytes(*length) as usize);
    bytes.get(..length).unwrap_or_default()
}

/// The row that lies at a place; empty where there is none.
pub(crate) fn row_in(blocks: &[Block], place: Place) -> &[u8] {
    let block: &[u8] = blocks.get(place.block as usize).map_or(&[], |block| (**block).as_ref());
    row_at(block, place.start as usize)
}

impl Records {
    /// Rows of items, each with its path below the tracker root: for tests and for trees that have no index.
    pub fn from_items<P: AsRef<str>>(items: &[(P, Item)]) -> Records {
        let mut block = Vec::new();
        let mut places = Vec::with_capacity(items.len());
        for (path, item) in items {
            places.push(Place::new(0, block.len()));
            let digest = checksum(format!("{:?}", (&item.metadata, &item.body)).as_bytes());
            write_row(path.as_ref(), &Front::from_item(item), digest, &mut block);
        }
        let row = |place: &Place| row_at(&block, place.start as usize);
        places.sort_by(|a, b| compare_rows(row(a), row(b)));
        Records::from_sorted(vec![Box::new(block)], places, Vec::new())
    }

    /// Rows that lie at these places, which are in order.
    pub(crate) fn from_sorted(
        blocks: Vec<Block>,
        places: Vec<Place>,
        mut unreadable: Vec<Unreadable>,
    ) -> Records {
        unreadable.sort_by(|a, b| a.path.cmp(&b.path));
        Records { blocks, places, unreadable, damage: None }
    }

    /// The same, but each row is checked when it is asked for; one that is damaged is empty.
    pub(crate) fn unchecked(mut self) -> Records {
        self.damage = Some(AtomicBool::new(false));
        self
    }

    /// Whether a damaged row was asked for.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damage.as_ref().is_some_and(|damage| damage.load(atomic::Ordering::Relaxed))
    }

    /// The same with rows of these items, each with its path below the tracker root.
    pub(crate) fn and<P: AsRef<str>>(mut self, items: &[(P, Item)]) -> Records {
        let number = self.blocks.len();
        let mut block = Vec::new();
        for (path, item) in items {
            self.places.push(Place::new(number, block.len()));
            let digest = checksum(format!("{:?}", (&item.metadata, &item.body)).as_bytes());
            write_row(path.as_ref(), &Front::from_item(item), digest, &mut block);
        }
        self.blocks.push(Box::new(block));
        let blocks = &self.blocks;
        self.places.sort_by(|a, b| compare_rows(row_in(blocks, *a), row_in(blocks, *b)));
        self
    }

    /// Adds files that could not be read: for tests and for trees that have no index.
    pub fn with_unreadable(mut self, unreadable: Vec<Unreadable>) -> Records {
        self.unreadable = unreadable;
        self
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn at(&self, place: Place, number: usize) -> Record<'_> {
        let row = Row(row_in(&self.blocks, place));
        match &self.damage {
            Some(damage) if !row.is_sound() => {
                damage.store(true, atomic::Ordering::Relaxed);
                Record { row: Row(&[]), number }
            }
            _ => Record { row, number },
        }
    }

    /// The row with this number, in the order of [`Records::iter`].
    pub fn get(&self, number: usize) -> Option<Record<'_>> {
        self.places.get(number).map(|place| self.at(*place, number))
    }

    /// Every row, by folded id.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Record<'_>> + ExactSizeIterator + Clone {
        self.places.iter().enumerate().map(|(number, place)| self.at(*place, number))
    }

    /// The row with this full id, in any case; of two files with one id the first by path.
    pub fn find(&self, id: &str) -> Option<Record<'_>> {
        let first = self.places.partition_point(|p| compare_folded(self.at(*p, 0).id(), id).is_lt());
        self.get(first).filter(|record| compare_folded(record.id(), id).is_eq())
    }

    /// The rows whose id begins with this, in any case, by folded id.
    pub fn with_prefix<'a>(&'a self, prefix: &str) -> impl Iterator<Item = Record<'a>> + use<'a> {
        let prefix = fold(prefix);
        let first = self.places.partition_point(|p| fold(self.at(*p, 0).id()).as_str() < prefix.as_str());
        (first..self.len())
            .map_while(|number| self.get(number))
            .take_while(move |record| fold(record.id()).starts_with(&prefix))
    }

    /// Path, error code and problem of everything that could not be served, by path.
    pub fn unserved(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.unreadable.iter().map(|file| (file.path.as_str(), file.code.as_str(), file.problem.as_str()))
    }

    /// The files that could not be served, by path.
    pub fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }
}

impl<'a> Record<'a> {
    /// Its number among the [`Records`].
    pub fn number(self) -> usize {
        self.number
    }

    /// A text field, `None` when the item has none.
    pub fn text(self, slot: Text) -> Option<&'a str> {
        self.row.text(slot)
    }

    fn required(self, slot: Text) -> &'a str {
        self.row.text(slot).unwrap_or_default()
    }

    /// The id, as stored.
    pub fn id(self) -> &'a str {
        self.required(Text::Id)
    }

    /// The title.
    pub fn title(self) -> &'a str {
        self.required(Text::Title)
    }

    /// The type's name: `Task`, `Epic`, ...
    pub fn kind(self) -> &'a str {
        self.required(Text::Kind)
    }

    /// The status id.
    pub fn status(self) -> &'a str {
        self.required(Text::Status)
    }

    /// The priority, 0 (critical) to 4 (minimal).
    pub fn priority(self) -> u8 {
        self.row.priority()
    }

    /// The tags, in canonical order.
    pub fn tags(self) -> impl Iterator<Item = &'a str> + Clone {
        Packed(self.row.bytes(Bytes::Tags))
    }

    /// The parent's id, as stored.
    pub fn parent(self) -> Option<&'a str> {
        self.text(Text::Parent)
    }

    /// Whom it is assigned to.
    pub fn assignee(self) -> Option<&'a str> {
        self.text(Text::Assignee)
    }

    /// Who holds the claim.
    pub fn claim_principal(self) -> Option<&'a str> {
        self.text(Text::ClaimPrincipal)
    }

    /// Who created it.
    pub fn author(self) -> Option<&'a str> {
        self.text(Text::Author)
    }

    /// The sprint.
    pub fn sprint(self) -> Option<&'a str> {
        self.text(Text::Sprint)
    }

    /// The release.
    pub fn release(self) -> Option<&'a str> {
        self.text(Text::Release)
    }

    /// The reviewer.
    pub fn reviewer(self) -> Option<&'a str> {
        self.text(Text::Reviewer)
    }

    /// The risk: `low`, `medium`, `high` or `critical`.
    pub fn risk(self) -> Option<&'a str> {
        self.text(Text::Risk)
    }

    /// The severity: `low`, `medium`, `high` or `critical`.
    pub fn severity(self) -> Option<&'a str> {
        self.text(Text::Severity)
    }

    /// The confidence: `low`, `medium`, `high`, or a number 0 to 100 as text.
    pub fn confidence(self) -> Option<&'a str> {
        self.text(Text::Confidence)
    }

    /// The deadline, as stored.
    pub fn deadline(self) -> Option<&'a str> {
        self.text(Text::Deadline)
    }

    /// When it was created, as stored.
    pub fn created_at(self) -> &'a str {
        self.required(Text::CreatedAt)
    }

    /// When it was last changed, as stored.
    pub fn updated_at(self) -> &'a str {
        self.required(Text::UpdatedAt)
    }

    /// When it was closed, as stored.
    pub fn closed_at(self) -> Option<&'a str> {
        self.text(Text::ClosedAt)
    }

    /// The scalar `blocked_by`, as stored.
    pub fn blocked_by(self) -> Option<&'a str> {
        self.text(Text::BlockedBy)
    }

    fn instant(self, slot: Number) -> Option<i64> {
        self.row.number(slot).map(i64::from_le_bytes)
    }

    /// When it was created, in milliseconds since the epoch; `None` when the text names no instant.
    pub fn created_ms(self) -> Option<i64> {
        self.instant(Number::Created)
    }

    /// When it was last changed, in milliseconds since the epoch.
    pub fn updated_ms(self) -> Option<i64> {
        self.instant(Number::Updated)
    }

    /// The deadline, in milliseconds since the epoch.
    pub fn deadline_ms(self) -> Option<i64> {
        self.instant(Number::Deadline)
    }

    /// When it was closed, in milliseconds since the epoch.
    pub fn closed_ms(self) -> Option<i64> {
        self.instant(Number::Closed)
    }

    /// The estimate in minutes.
    pub fn estimated_minutes(self) -> Option<f64> {
        self.row.number(Number::EstimatedMinutes).map(f64::from_le_bytes)
    }

    /// The place among siblings.
    pub fn order(self) -> Option<f64> {
        self.row.number(Number::Order).map(f64::from_le_bytes)
    }

    /// The version of the item format, when the item names one.
    pub fn format_version(self) -> Option<f64> {
        self.row.number(Number::FormatVersion).map(f64::from_le_bytes)
    }

    /// The dependencies, in canonical order.
    pub fn links(self) -> impl Iterator<Item = Link<'a>> + Clone {
        let mut packed = Packed(self.row.bytes(Bytes::Links));
        std::iter::from_fn(move || {
            Some(Link { id: packed.next()?, kind: packed.next()?, source_kind: packed.next()? })
        })
    }

    /// The ids to which the dependencies of certain kinds lead; of the others nothing but the kind is looked at.
    pub fn linked(self, is: impl Fn(&str) -> bool) -> impl Iterator<Item = &'a str> {
        let mut packed = Packed(self.row.bytes(Bytes::Links));
        std::iter::from_fn(move || {
            loop {
                let id = packed.next_bytes()?;
                let wanted = is(packed.next()?);
                packed.next_bytes()?;
                if wanted {
                    return std::str::from_utf8(id).ok();
                }
            }
        })
    }

    /// How many entries a collection has.
    pub fn count(self, of: Count) -> usize {
        self.row.count(of)
    }

    /// Which optional parts the item has.
    pub fn presence(self) -> Presence {
        self.row.presence()
    }

    /// Whether the item has all of these parts.
    pub fn has(self, parts: Presence) -> bool {
        self.presence().has(parts)
    }

    /// The fields that are not built in, each with its value as compact JSON.
    pub fn custom(self) -> impl Iterator<Item = (&'a str, &'a str)> + Clone {
        let mut packed = Packed(self.row.bytes(Bytes::Custom));
        std::iter::from_fn(move || Some((packed.next()?, packed.next()?)))
    }

    /// The value of a field that is not built in.
    pub fn custom_value(self, key: &str) -> Option<Value> {
        let (_, json) = self.custom().find(|(name, _)| *name == key)?;
        serde_json::from_str(json).ok()
    }

    /// A digest of the whole item file: what is derived from an item's text is good as long as this stays the same.
    pub fn digest(self) -> u64 {
        self.row.digest()
    }

    /// The item file's path below the tracker root, with `/`.
    pub fn path(self) -> &'a str {
        std::str::from_utf8(self.row.bytes(Bytes::Path)).unwrap_or_default()
    }
}

/// The texts of a packed list, as [`pack`] made it.
pub(crate) fn unpack(list: &[u8]) -> impl Iterator<Item = &str> + Clone {
    Packed(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(json: Value) -> Item {
        let Value::Object(mut metadata) = json else { panic!("an object") };
        let body = metadata.remove("body").and_then(|b| b.as_str().map(str::to_owned)).unwrap_or_default();
        Item { metadata, body }
    }

    fn sample() -> Records {
        let plain = |id: &str| {
            item(
                serde_json::json!({"id": id, "title": "t", "type": "Task", "status": "open", "priority": 2, "tags": []}),
            )
        };
        let full = item(serde_json::json!({
            "id": "pm-B", "title": "Ünï", "type": "Issue", "status": "open", "priority": 0, "tags": ["a", "", "long ".repeat(40)],
            "created_at": "2026-01-01T00:00:00.000Z", "updated_at": "nonsense", "deadline": "2026-01-02T00:00:00+01:00",
            "parent": "pm-a", "confidence": 80, "order": -3, "estimated_minutes": 1.5,
            "dependencies": [{"id": "pm-a", "kind": "blocks", "created_at": "x"}, {"id": "pm-c", "kind": "related", "source_kind": "s"}],
            "comments": [{}, {}], "tests": [{"path": "x"}, {"command": "make"}], "acceptance_criteria": "  ", "resolution": "r",
            "zz_field": {"b": [1], "a": "x"}, "aa_field": "text", "body": " \n",
        }));
        let items = [
            ("tasks/b.toon", full),
            ("tasks/c.toon", plain("pm-c")),
            ("issues/a.toon", plain("PM-A")),
            ("tasks/a.toon", plain("pm-a")),
        ];
        Records::from_items(&items)
    }

    #[test]
    fn rows_are_found_in_any_case_and_by_prefix() {
        let records = sample();
        let ids: Vec<&str> = records.iter().map(Record::id).collect();
        assert_eq!(ids, ["PM-A", "pm-a", "pm-B", "pm-c"]);
        assert_eq!(records.find("Pm-A").map(Record::path), Some("issues/a.toon"));
        assert_eq!(records.find("pm-b").map(Record::number), Some(2));
        assert!(records.find("pm-").is_none());
        let with = |prefix| records.with_prefix(prefix).map(Record::id).collect::<Vec<_>>();
        assert_eq!(with("PM-a"), ["PM-A", "pm-a"]);
        assert_eq!(with("").len(), 4);
        assert_eq!(with("pm-d"), [""; 0]);
    }

    #[test]
    fn a_record_says_what_the_item_says() {
        let records = sample();
        let record = records.find("pm-b").expect("it is there");
        assert_eq!(
            (record.title(), record.kind(), record.status(), record.priority()),
            ("Ünï", "Issue", "open", 0)
        );
        assert_eq!(record.tags().map(str::len).collect::<Vec<_>>(), [1, 0, 200]);
        assert_eq!((record.created_ms(), record.updated_ms()), (Some(1_767_225_600_000), None));
        assert_eq!((record.updated_at(), record.deadline_ms()), ("nonsense", Some(1_767_308_400_000)));
        assert_eq!(
            (record.parent(), record.assignee(), record.confidence()),
            (Some("pm-a"), None, Some("80"))
        );
        assert_eq!((record.order(), record.estimated_minutes()), (Some(-3.0), Some(1.5)));
        let links: Vec<_> = record.links().map(|link| (link.id, link.kind, link.source_kind)).collect();
        assert_eq!(links, [("pm-a", "blocks", ""), ("pm-c", "related", "s")]);
        assert_eq!(record.linked(|kind| kind == "related").collect::<Vec<_>>(), ["pm-c"]);
        let counts = [Count::Comments, Count::Notes, Count::Tests, Count::Dependencies];
        assert_eq!(counts.map(|count| record.count(count)), [2, 0, 2, 2]);
        assert!(record.has(Presence::LINKED_COMMAND) && record.has(Presence::RESOLUTION));
        assert!(!record.has(Presence::BODY) && !record.has(Presence::ACCEPTANCE_CRITERIA));
        assert_eq!(
            record.custom().collect::<Vec<_>>(),
            [("zz_field", r#"{"b":[1],"a":"x"}"#), ("aa_field", "\"text\"")]
        );
        assert_eq!(record.custom_value("aa_field"), Some("text".into()));
    }

    #[test]
    fn bytes_that_are_no_row_give_empty_values() {
        let mut block = Vec::new();
        let item = item(serde_json::json!({"id": "pm-1", "tags": ["a"], "order": 1}));
        write_row("p", &Front::from_item(&item), 7, &mut block);
        for cut in 0..block.len() {
            for byte in [0, 0xff] {
                let mut bad = block[..cut].to_vec();
                bad.resize(block.len(), byte);
                let record = Record { row: Row(&bad), number: 0 };
                let _ = (
                    record.id(),
                    record.tags().count(),
                    record.order(),
                    record.links().count(),
                    record.path(),
                );
                let _ = (record.count(Count::Events), record.custom().count(), row_at(&bad, 0));
            }
        }
    }
}
