//! Records of another tracker to items: one mapping for all of them.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::order::Order;
use super::{Entry, Format, Losses, Reading, Record, Skip};
use crate::codec::hex;
use crate::model::id;
use crate::model::item::Item;
use crate::model::kind::Kinds;
use crate::model::records::Records;
use crate::model::status::Statuses;
use crate::model::timestamp;

/// The key under which an item says where it comes from: `{from, id, fields}`.
pub(super) const FIELD: &str = "imported";

/// A text of one line up to this length is a description; anything else is a body.
const MAX_DESCRIPTION: usize = 500;

/// What the mapping needs to know of the tracker.
#[derive(Debug)]
pub struct Ground<'a> {
    /// Where the records come from.
    pub format: Format,
    /// How new ids begin.
    pub prefix: &'a str,
    /// Its types.
    pub kinds: &'a Kinds,
    /// Its statuses.
    pub statuses: &'a Statuses,
    /// Its items.
    pub records: &'a Records,
}

/// An item that a record became.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapped {
    /// The item; not canonical yet. What the source does not say is not in it.
    pub item: Item,
    /// Where the record stands.
    pub origin: String,
}

/// What became of a source.
#[derive(Debug, Default)]
pub struct Mapping {
    /// The items, in the order of the source.
    pub items: Vec<Mapped>,
    /// What became none.
    pub skipped: Vec<Skip>,
    /// What changed on the way.
    pub losses: Losses,
}

/// Maps everything that was read. Ids stay where they can be ids here; otherwise they are derived from the old ones, so
/// that the same record gets the same id whenever it is read.
pub fn items(mut reading: Reading, ground: &Ground<'_>) -> Mapping {
    let mut mapping = Mapping {
        skipped: std::mem::take(&mut reading.skipped),
        losses: std::mem::take(&mut reading.losses),
        ..Mapping::default()
    };
    let records = distinct(reading.records, &mut mapping);
    let names = names(&records, ground);
    let mut mapper = Mapper {
        ground,
        first: HashMap::new(),
        waiting: Order::waiting(ground.records),
        hierarchy: Order::hierarchy(ground.records),
        losses: std::mem::take(&mut mapping.losses),
    };
    for (record, name) in records.iter().zip(&names) {
        mapper.first.entry(record.id.to_lowercase()).or_insert_with(|| name.id.clone());
    }
    for (record, name) in records.into_iter().zip(&names) {
        let origin = record.origin.clone();
        mapping.items.push(Mapped { item: mapper.item(record, name), origin });
    }
    mapping.losses = mapper.losses;
    mapping
}

/// Takes out what stands twice, word for word.
fn distinct(records: Vec<Record>, mapping: &mut Mapping) -> Vec<Record> {
    let mut kept: Vec<Record> = Vec::new();
    let mut seen: HashMap<String, Vec<usize>> = HashMap::new();
    for record in records {
        let same = |other: &Record| Record { origin: record.origin.clone(), ..other.clone() } == record;
        let alike = seen.entry(record.id.to_lowercase()).or_default();
        match alike.iter().find(|at| same(&kept[**at])) {
            Some(at) => mapping.skipped.push(Skip {
                origin: record.origin.clone(),
                reason: format!("the same as {}", kept[*at].origin),
                declared: true,
            }),
            None => {
                alike.push(kept.len());
                kept.push(record);
            }
        }
    }
    kept
}

/// What a record is called.
struct Name {
    /// By the source: its id, with a number where another record has that id too.
    there: String,
    /// Here.
    id: String,
    /// Another record came first with this id.
    repeated: bool,
}

fn names(records: &[Record], ground: &Ground<'_>) -> Vec<Name> {
    let known: HashMap<String, &str> = ground
        .records
        .iter()
        .filter_map(|record| {
            let imported = record.custom_value(FIELD)?;
            (imported.get("from")?.as_str()? == ground.format.name())
                .then(|| Some((imported.get("id")?.as_str()?.to_owned(), record.id())))?
        })
        .collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut names = Vec::with_capacity(records.len());
    for record in records {
        let times = seen.entry(record.id.to_lowercase()).or_default();
        *times += 1;
        let repeated = *times > 1;
        let there = if repeated { format!("{}@{times}", record.id) } else { record.id.clone() };
        let id = match known.get(&there) {
            Some(id) => (*id).to_owned(),
            None => new_id(record, &there, ground, &taken),
        };
        taken.insert(id.clone());
        names.push(Name { there, id, repeated });
    }
    names
}

fn new_id(record: &Record, there: &str, ground: &Ground<'_>, taken: &HashSet<String>) -> String {
    let free = |id: &String| !taken.contains(id) && ground.records.find(id).is_none();
    let own = id::normalise_typed(&record.id);
    let legal = record.token.is_empty() && is_legal(&own);
    let token = slug(if record.token.is_empty() { &record.id } else { &record.token });
    let derived = if token.is_empty() { String::new() } else { format!("{}{token}", ground.prefix) };
    let wanted = if legal { own } else { derived };
    if !wanted.is_empty() && free(&wanted) {
        return wanted;
    }
    let digest = hex::encode(Sha256::digest(format!("{}:{there}", ground.format.name())));
    let stem = if wanted.is_empty() { ground.prefix.trim_end_matches('-').to_owned() } else { wanted };
    let lengths = [4, 8, 16, 64].into_iter();
    lengths.map(|length| format!("{stem}-{}", &digest[..length])).find(|id| free(id)).unwrap_or(stem)
}

/// Whether an id of another tracker can be an id here as it is.
fn is_legal(own: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.');
    let edge = |c: char| c.is_ascii_alphanumeric();
    own.bytes().all(inner)
        && own.starts_with(edge)
        && own.ends_with(edge)
        && own.bytes().any(|b| b == b'-')
        && id::is_file_name(own)
        && !id::PLACEHOLDERS.contains(&own)
}

fn slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.truncate(80);
    out.trim_end_matches('-').to_owned()
}

struct Mapper<'a> {
    ground: &'a Ground<'a>,
    /// The item of the first record with this id, in lower case.
    first: HashMap<String, String>,
    waiting: Order,
    hierarchy: Order,
    losses: Losses,
}

impl Mapper<'_> {
    fn lose(&mut self, field: &str, reason: &str) {
        *self.losses.entry((field.to_owned(), reason.to_owned())).or_default() += 1;
    }

    fn item(&mut self, mut record: Record, name: &Name) -> Item {
        let mut metadata = Map::new();
        let mut put = |key: &str, value: Value| metadata.insert(key.to_owned(), value);
        put("id", json!(name.id));
        put("title", json!(self.title(&record)));
        let (description, body) = texts(&record);
        put("description", json!(description));
        put("type", json!(self.kind(&mut record)));
        let status = self.status(&mut record);
        put("priority", json!(record.priority.unwrap_or(2)));
        put("tags", json!(self.tags(&record, name)));
        if !record.criteria.is_empty() {
            if record.criteria.iter().any(|criterion| criterion.contains(';')) {
                self.lose("criteria", "a semicolon parts criteria here: within one it became a comma");
            }
            let whole: Vec<String> =
                record.criteria.iter().map(|criterion| criterion.replace(';', ",")).collect();
            put("acceptance_criteria", json!(whole.join("; ")));
        }
        for (key, value) in std::mem::take(&mut record.fields) {
            let value = if key.ends_with("_at") || key == "deadline" {
                match self.time(&key, &value) {
                    Some(time) => json!(time),
                    None => {
                        record.keep(&key, value);
                        continue;
                    }
                }
            } else {
                value
            };
            put(&key, value);
        }
        put("status", json!(status));
        let rows = [
            ("dependencies", self.links(&mut record, &name.id, &metadata)),
            ("comments", self.log(&record.comments, &metadata)),
            ("notes", self.log(&record.notes, &metadata)),
        ];
        for (key, rows) in rows {
            if !rows.is_empty() {
                metadata.insert(key.to_owned(), rows.into());
            }
        }
        if let Some(parent) = self.parent(&mut record, &name.id) {
            metadata.insert("parent".to_owned(), json!(parent));
        }
        if name.repeated {
            self.lose("id", "another record came first with this id; this one got an id of its own");
        }
        for key in record.rest.keys() {
            self.lose(key, "no place of its own; kept under `imported`");
        }
        let mut imported = json!({"from": self.ground.format.name(), "id": name.there});
        if !record.rest.is_empty() {
            record.rest.sort_keys();
            imported["fields"] = Value::Object(record.rest);
        }
        metadata.insert(FIELD.to_owned(), imported);
        Item { metadata, body }
    }

    fn title(&mut self, record: &Record) -> String {
        let title = record.title.split_whitespace().collect::<Vec<_>>().join(" ");
        if !title.is_empty() {
            return title;
        }
        self.lose("title", "it has none; the id stands for it");
        record.id.clone()
    }

    fn kind(&mut self, record: &mut Record) -> String {
        if let Some(kind) = self.ground.kinds.resolve(&record.kind) {
            return kind.name.clone();
        }
        if !record.kind.is_empty() {
            record.keep("type", json!(record.kind));
        }
        "Task".to_owned()
    }

    fn status(&mut self, record: &mut Record) -> String {
        let statuses = self.ground.statuses;
        let word = record.status.trim().to_lowercase().replace(['’', '\''], "");
        if word.is_empty() {
            return statuses.open().to_owned();
        }
        if let Some(status) = statuses.resolve(&word) {
            return status.id.clone();
        }
        let (status, exact) = match word.replace([' ', '-'], "_").as_str() {
            "todo" | "to_do" | "new" | "backlog" | "ready" | "pending" => (statuses.open(), true),
            "doing" | "started" | "active" | "wip" => (statuses.in_progress(), true),
            "review" | "in_review" | "testing" => (statuses.in_progress(), false),
            "done" | "completed" | "complete" | "resolved" | "fixed" | "finished" => (statuses.close(), true),
            "merged" | "accepted" => (statuses.close(), false),
            "wont_do" | "wontdo" | "wontfix" | "wont_fix" | "not_planned" | "abandoned" => {
                (statuses.canceled(), true)
            }
            "tombstone" | "deleted" | "rejected" | "superseded" => (statuses.canceled(), false),
            "proposed" | "idea" => (statuses.draft(), true),
            "deferred" | "on_hold" | "hooked" | "pinned" => (statuses.open(), false),
            "waiting" => (statuses.blocked(), true),
            _ => (statuses.open(), false),
        };
        if !exact {
            record.keep("status", json!(record.status));
        }
        status.to_owned()
    }

    /// Labels, and the old id where it is another than the new one: `backlog:BACK-1` is found as a tag.
    fn tags(&mut self, record: &Record, name: &Name) -> Vec<String> {
        let mut tags: Vec<String> = record.tags.iter().map(|tag| tag.trim().to_lowercase()).collect();
        if tags.iter().any(|tag| tag.contains(',')) {
            self.lose("tags", "a comma parts tags here: it became a blank");
        }
        tags.iter_mut().for_each(|tag| *tag = tag.replace(',', " ").trim().to_owned());
        if record.tags.iter().any(|tag| tag.trim() != tag.trim().to_lowercase()) {
            self.lose("tags", "tags are in lower case here");
        }
        if id::normalise_typed(&record.id) != name.id {
            tags.push(format!(
                "{}:{}",
                self.ground.format.name(),
                record.id.to_lowercase().replace(',', " ")
            ));
        }
        tags.retain(|tag| !tag.is_empty());
        tags.sort();
        tags.dedup();
        tags
    }

    fn time(&mut self, key: &str, value: &Value) -> Option<String> {
        let text = value.as_str()?;
        let at = timestamp::parse(text.trim())?;
        let digits =
            text.split_once('.').map_or(0, |(_, rest)| rest.bytes().take_while(u8::is_ascii_digit).count());
        if digits > 3 {
            self.lose(key, "times have milliseconds here: what is finer is cut off");
        }
        Some(timestamp::format(at))
    }

    /// The item that an id of the source means.
    fn target(&self, there: &str) -> Option<String> {
        let known = self.first.get(&there.to_lowercase()).cloned();
        known.or_else(|| {
            let own = id::normalise_typed(there);
            self.ground.records.find(&own).map(|record| record.id().to_owned())
        })
    }

    fn parent(&mut self, record: &mut Record, own: &str) -> Option<String> {
        if record.parent.is_empty() {
            return None;
        }
        match self.target(&record.parent) {
            Some(parent) if parent != own && self.hierarchy.add(own, &parent) => Some(parent),
            Some(_) => {
                self.lose("parent", "it would lie below itself");
                record.keep("parent", json!(record.parent));
                None
            }
            None => {
                self.lose("parent", "the source does not hold it");
                record.keep("parent", json!(record.parent));
                None
            }
        }
    }

    fn links(&mut self, record: &mut Record, own: &str, metadata: &Map<String, Value>) -> Vec<Value> {
        let created = metadata.get("created_at").and_then(Value::as_str).and_then(timestamp::parse);
        let mut rows: Vec<Value> = Vec::new();
        let mut lost = Vec::new();
        for link in std::mem::take(&mut record.links) {
            let word = link.kind.to_lowercase().replace('-', "_");
            let Some(target) = self.target(&link.id).filter(|target| target != own) else {
                let reason = if self.target(&link.id).is_some() {
                    "an item cannot be linked to itself"
                } else {
                    "the source does not hold the other side"
                };
                self.lose("dependencies", reason);
                lost.push(json!({"id": link.id, "kind": link.kind}));
                continue;
            };
            let mut kind = match word.as_str() {
                // The one that depends says so.
                "blocks" | "blocked_by" | "depends_on" => "blocked_by",
                "discovered_from" => "discovered_from",
                _ => "related",
            };
            if kind == "blocked_by" && !self.waiting.add(own, &target) {
                self.lose("dependencies", "the two would wait for each other: kept as related");
                kind = "related";
            }
            let same =
                word == kind || matches!(word.as_str(), "blocks" | "depends_on" if kind == "blocked_by");
            let at = timestamp::parse(&link.created_at).or(created).map(timestamp::format);
            let mut row = Map::new();
            row.insert("id".to_owned(), json!(target));
            row.insert("kind".to_owned(), json!(kind));
            row.extend(at.map(|at| ("created_at".to_owned(), json!(at))));
            if !link.author.is_empty() {
                row.insert("author".to_owned(), json!(link.author));
            }
            if !same && !matches!(word.as_str(), "relates_to" | "") {
                row.insert("source_kind".to_owned(), json!(link.kind));
            }
            let row = Value::Object(row);
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        if !lost.is_empty() {
            record.keep("dependencies", lost.into());
        }
        rows
    }

    /// Comments and notes as rows. Who and when must be told: what the source leaves open is that of the item.
    fn log(&self, entries: &[Entry], metadata: &Map<String, Value>) -> Vec<Value> {
        let of_item = |keys: &[&str]| keys.iter().find_map(|key| metadata.get(*key)).cloned();
        let mut rows = Vec::with_capacity(entries.len());
        for entry in entries {
            let at = match timestamp::parse(&entry.created_at) {
                Some(at) => Some(json!(timestamp::format(at))),
                None => of_item(&["created_at"]),
            };
            let author = match entry.author.as_str() {
                "" => of_item(&["author", "reporter", "assignee"])
                    .unwrap_or_else(|| json!(self.ground.format.name())),
                author => json!(author),
            };
            let mut row = Map::new();
            row.insert("created_at".to_owned(), at.unwrap_or_else(|| json!("1970-01-01T00:00:00.000Z")));
            row.insert("author".to_owned(), author);
            row.insert("text".to_owned(), json!(entry.text));
            for (key, value) in &entry.rest {
                row.insert(key.clone(), value.clone());
            }
            rows.push(Value::Object(row));
        }
        rows
    }
}

/// The description and the body: one line is the former, anything longer or with headings the latter.
fn texts(record: &Record) -> (String, String) {
    let text = record.text.trim();
    let is_line = !text.contains('\n') && text.len() <= MAX_DESCRIPTION;
    let (description, lead) = if is_line { (text, "") } else { ("", text) };
    let mut parts: Vec<String> = Vec::new();
    if !lead.is_empty() {
        parts.push(lead.to_owned());
    }
    parts.extend(record.sections.iter().map(|(heading, text)| format!("## {heading}\n\n{text}")));
    (description.to_owned(), parts.join("\n\n"))
}
