//! A record as bytes: its artifact, its entity tag, its entries of index and search index.

use jiff::civil::Date;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::cache::{Cache, Sort};
use super::compile::Document;
use super::identity;
use super::judge::Facts;
use super::output;
use super::search::words::distinct;
use super::served::{IndexEntry, SearchEntry, Terms};
use super::trust::{Conclusion, Weighed};
use super::validator;
use crate::store::records::Bytes;

/// What is served of a record.
#[derive(Clone, Debug)]
pub struct Rendered {
    bytes: Bytes,
    /// Where the parts end.
    ends: [usize; 5],
}

impl Rendered {
    fn part(&self, n: usize) -> &[u8] {
        let start = if n == 0 { HEAD } else { self.ends[n - 1] };
        self.bytes.get(start..self.ends[n]).unwrap_or_default()
    }

    fn text(&self, n: usize) -> &str {
        std::str::from_utf8(self.part(n)).unwrap_or_default()
    }

    /// The bytes of its artifact.
    pub fn artifact(&self) -> &[u8] {
        self.part(0)
    }

    /// Its entity tag.
    pub fn etag(&self) -> &str {
        self.text(1)
    }

    /// The SHA-256 of its artifact, in hex.
    pub fn sha256(&self) -> &str {
        self.text(2)
    }

    /// Its entry of an index, as canonical JSON.
    pub fn index_entry(&self) -> &str {
        self.text(3)
    }

    /// Its entry of a search index, as canonical JSON.
    pub fn search_entry(&self) -> &str {
        self.text(4)
    }

    fn read(bytes: Bytes) -> Option<Rendered> {
        let mut ends = [0; 5];
        for (n, end) in ends.iter_mut().enumerate() {
            let number = bytes.get(4 * n..4 * n + 4)?.try_into().ok()?;
            *end = u32::from_le_bytes(number) as usize;
        }
        (ends[4] == bytes.len()).then_some(Rendered { bytes, ends })
    }

    fn encode(parts: [&[u8]; 5]) -> Vec<u8> {
        let mut out = vec![0; HEAD];
        for (n, part) in parts.iter().enumerate() {
            out.extend_from_slice(part);
            let end = u32::try_from(out.len()).unwrap_or(u32::MAX);
            out[4 * n..4 * n + 4].copy_from_slice(&end.to_le_bytes());
        }
        out
    }
}

/// The bytes of the ends.
const HEAD: usize = 20;

/// What a rendering depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'w> {
    /// Names the files of the record.
    pub(super) key: &'w str,
    pub(super) facts: &'w Facts,
    pub(super) evidence: &'w [Weighed],
    pub(super) conclusion: &'w Conclusion,
    pub(super) topic_title: Option<&'w str>,
    pub(super) base_path: &'w str,
    pub(super) as_of: Date,
}

/// Where a record is served, without the base path.
pub fn path(id: &str) -> String {
    format!("/v1/runbooks/{id}.json")
}

/// The rendering of a record, made anew only when the cache has none.
///
/// Errors: what is wrong with the record by `record.json`; then it is not served.
pub(super) fn rendered(
    wanted: &Wanted<'_>,
    document: &Document,
    cache: &mut Cache,
) -> Result<Rendered, String> {
    let key = key(wanted);
    if let Some(known) = cache.get(Sort::Rendered, &key).and_then(Rendered::read) {
        return Ok(known);
    }
    let record =
        output::served(&document.value(), wanted.facts, wanted.evidence, wanted.conclusion, wanted.as_of);
    if let Some(fault) = validator::record(&record).first() {
        return Err(format!("what would be served is no record: {fault}"));
    }
    let artifact = identity::artifact(&record);
    let (index, search) =
        entries(&record, wanted).ok_or_else(|| "what would be served has no entry".to_owned())?;
    let (etag, sha256) = (identity::record_etag(&record), identity::sha256(&artifact));
    let parts = [&artifact[..], etag.as_bytes(), sha256.as_bytes(), index.as_bytes(), search.as_bytes()];
    let bytes = cache.put(Sort::Rendered, &key, Rendered::encode(parts));
    Rendered::read(bytes).ok_or_else(|| "it is too large".to_owned())
}

fn key(wanted: &Wanted<'_>) -> String {
    let conclusion = wanted.conclusion;
    let future: Vec<bool> = wanted.evidence.iter().map(|one| one.is_future(wanted.as_of)).collect();
    let all = json!([
        wanted.key,
        conclusion.level,
        conclusion.expires_on.map(|day| day.to_string()),
        conclusion.signature.verdict,
        conclusion.signature.principal,
        future,
        wanted.topic_title,
        wanted.base_path,
    ]);
    identity::sha256(all.to_string().as_bytes())
}

/// The two entries of a served record, as canonical JSON.
fn entries(record: &Value, wanted: &Wanted<'_>) -> Option<(String, String)> {
    let index = index_entry(record, wanted.base_path)?;
    let search = search_entry(record, wanted.topic_title, wanted.base_path)?;
    Some((identity::canonical(&index), identity::canonical(&search)))
}

/// The entry of a served record in an index.
pub(super) fn index_entry(record: &Value, base_path: &str) -> Option<Value> {
    entry::<IndexEntry>(record, base_path, Map::new())
}

/// The entry of a served record in a search index.
pub(super) fn search_entry(record: &Value, topic_title: Option<&str>, base_path: &str) -> Option<Value> {
    let mut more = Map::new();
    more.insert("topic_title".to_owned(), json!(topic_title));
    more.insert("terms".to_owned(), json!(terms(record, topic_title)));
    entry::<SearchEntry>(record, base_path, more)
}

/// What an entry has in common with its record, by the declaration of the entry, and more.
fn entry<E: DeserializeOwned + Serialize>(
    record: &Value,
    base_path: &str,
    more: Map<String, Value>,
) -> Option<Value> {
    let facts =
        record.as_object()?.iter().filter(|(key, _)| !matches!(key.as_str(), "steps" | "trust_evidence"));
    let mut all: Map<String, Value> = facts.map(|(key, value)| (key.clone(), value.clone())).collect();
    let href = format!("{base_path}{}", path(record["id"].as_str()?));
    all.insert("href".to_owned(), json!(href));
    all.extend(more);
    let entry: E = serde_json::from_value(Value::Object(all)).ok()?;
    serde_json::to_value(entry).ok()
}

fn terms(record: &Value, topic_title: Option<&str>) -> Terms {
    let list = |key: &str| distinct(record[key].as_array().into_iter().flatten().filter_map(Value::as_str));
    let text = |key: &str| distinct(record[key].as_str());
    let steps = record["steps"].as_array().into_iter().flatten();
    Terms {
        symptoms: list("symptoms"),
        title: text("title"),
        targets: list("targets"),
        topic: distinct(topic_title),
        tags: list("tags"),
        summary: text("summary"),
        steps: distinct(steps.filter_map(|step| step["title"].as_str())),
    }
}
