//! Index, search index, topics and aliases: each states what its records state, in its own half, page by page.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Look, Records, list, text};
use crate::catalog::identity;
use crate::catalog::render;
use crate::catalog::words::Level;

/// Holds all lists to the records.
pub(super) fn check(look: &mut Look<'_>, records: &Records) {
    let mut times: BTreeMap<&str, usize> = records.keys().map(|id| (id.as_str(), 0)).collect();
    for half in [Half::Trusted, Half::Untrusted] {
        let entries = paged(look, &format!("/v1/index{}", half.suffix()), "index", half);
        for id in entries.iter().filter_map(|(_, entry)| entry["id"].as_str()) {
            if let Some(count) = times.get_mut(id) {
                *count += 1;
            }
        }
        listed(look, &entries, records, half);
    }
    for (id, count) in times.into_iter().filter(|(_, count)| *count != 1) {
        look.fault(&render::path(id), "reference", format!("the indexes name it {count} times"));
    }
    let mut titles = BTreeMap::new();
    for half in [Half::Trusted, Half::Untrusted] {
        topics(look, records, half, &mut titles);
    }
    for half in [Half::Trusted, Half::Untrusted] {
        search(look, records, half, &titles);
    }
    aliases(look, records);
}

/// An entry of an index against its record.
pub(super) fn check_entry(look: &mut Look<'_>, path: &str, entry: &Value, record: &Value) {
    let records = Records::from([(text(record, "id").to_owned(), record.clone())]);
    let half = if path.contains(Half::Untrusted.suffix()) { Half::Untrusted } else { Half::Trusted };
    listed(look, &[(path.to_owned(), entry.clone())], &records, half);
}

/// One of the two halves of every list.
#[derive(Clone, Copy, PartialEq)]
enum Half {
    Trusted,
    Untrusted,
}

impl Half {
    fn suffix(self) -> &'static str {
        if self == Half::Trusted { "" } else { ".untrusted" }
    }

    fn holds(self, record: &Value) -> bool {
        let level = Level::named(text(record, "trust"));
        level.is_some_and(|level| level.is_untrusted() == (self == Half::Untrusted))
    }

    /// What a list of this half says of its levels.
    fn bounds(self) -> (Value, Value) {
        match self {
            Half::Trusted => (json!(Level::FLOOR), Value::Null),
            Half::Untrusted => (Value::Null, json!(Level::T1)),
        }
    }
}

fn bounded(look: &mut Look<'_>, path: &str, document: &Value, half: Half) {
    let (floor, ceiling) = half.bounds();
    for (key, wanted) in [("floor", floor), ("ceiling", ceiling)] {
        if document[key] != wanted {
            look.fault(
                path,
                "floor",
                format!("`{key}` is {}, and that of this list is {wanted}", document[key]),
            );
        }
    }
}

/// The entries of a paged list, each with the path of its page, and what is wrong with its pages.
fn paged(look: &mut Look<'_>, stem: &str, schema: &str, half: Half) -> Vec<(String, Value)> {
    let first = format!("{stem}.json");
    let pages = look.edition.pages(&first);
    if pages.is_empty() {
        look.fault(&first, "missing", "it is not there, or no JSON");
    }
    let mut entries = Vec::new();
    for (n, (path, page)) in pages.iter().enumerate() {
        look.fits(path, page, schema);
        bounded(look, path, page, half);
        if page["page"].as_u64() != Some(n as u64 + 1) {
            look.fault(path, "paging", format!("`page` is {}, and it is page {}", page["page"], n + 1));
        }
        if let Some(next) = page["next_cursor"].as_str() {
            let place = look.named(path, next);
            let wanted = format!("{stem}.{}.json", n + 2);
            if place.is_some_and(|place| place != wanted) || pages.get(n + 1).is_none() {
                look.fault(path, "paging", format!("`next_cursor` names {next}, which is no further page"));
            }
        }
        entries.extend(list(page, "entries").iter().map(|entry| (path.clone(), entry.clone())));
    }
    for (path, page) in &pages {
        if page["total"].as_u64() != Some(entries.len() as u64) {
            let message = format!("`total` is {}, and there are {} entries", page["total"], entries.len());
            look.fault(path, "paging", message);
        }
    }
    let known: BTreeSet<&str> = pages.iter().map(|(path, _)| path.as_str()).collect();
    for path in look.edition.below(&format!("{stem}.")) {
        let number = path.strip_prefix(&format!("{stem}.")).and_then(|rest| rest.strip_suffix(".json"));
        let is_page = number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
        if is_page && !known.contains(path.as_str()) {
            look.fault(&path, "paging", "no page before it names it");
        }
    }
    entries
}

/// Entries against the records they are of: order, half, every field.
fn listed(look: &mut Look<'_>, entries: &[(String, Value)], records: &Records, half: Half) {
    let slugs = entries.iter().map(|(_, entry)| text(entry, "slug"));
    if !slugs.is_sorted()
        && let Some((path, _)) = entries.first()
    {
        look.fault(path, "paging", "its entries are not in the order of their slugs");
    }
    for (path, entry) in entries {
        let Some(record) = of_half(look, path, entry, records, half) else { continue };
        let base = look.base.clone().unwrap_or_default();
        alike(look, path, entry, render::index_entry(record, &base).as_ref());
    }
}

/// The record of an entry, which stands in the right half.
fn of_half<'r>(
    look: &mut Look<'_>,
    path: &str,
    entry: &Value,
    records: &'r Records,
    half: Half,
) -> Option<&'r Value> {
    let id = text(entry, "id");
    if let Some(href) = entry["href"].as_str() {
        look.named(path, href);
    }
    let Some(record) = records.get(id) else {
        look.fault(path, "reference", format!("the entry {id} has no record"));
        return None;
    };
    if !half.holds(entry) {
        let message = format!("the entry {id} of level {} stands in the wrong list", entry["trust"]);
        look.fault(path, "floor", message);
    }
    Some(record)
}

/// Whether an entry says what follows from its record. What a later version adds is passed over.
fn alike(look: &mut Look<'_>, path: &str, entry: &Value, wanted: Option<&Value>) {
    let id = text(entry, "id");
    let Some(wanted) = wanted.and_then(Value::as_object) else {
        // The record is no record, which is told where it stands.
        return;
    };
    let odd = wanted.iter().find(|(key, value)| entry.get(key.as_str()) != Some(value));
    if let Some((key, _)) = odd {
        return look.fault(path, "reference", format!("the entry {id} differs from its record in `{key}`"));
    }
    // What may be left out is left out where the record has none.
    let more = ["topic", "topic_title", "trust_expires_on", "summary", "targets"]
        .into_iter()
        .find(|key| entry.get(*key).is_some() && !wanted.contains_key(*key));
    if let Some(key) = more {
        look.fault(path, "reference", format!("the entry {id} differs from its record in `{key}`"));
    }
}

fn search(look: &mut Look<'_>, records: &Records, half: Half, titles: &BTreeMap<String, String>) {
    let path = format!("/v1/search-index{}.json", half.suffix());
    let Some(index) = look.document(&path, "search-index") else { return };
    bounded(look, &path, &index, half);
    let entries = list(&index, "entries");
    if !entries.iter().map(|entry| text(entry, "slug")).is_sorted() {
        look.fault(&path, "paging", "its entries are not in the order of their slugs");
    }
    let mut seen = BTreeSet::new();
    for entry in entries {
        let Some(record) = of_half(look, &path, entry, records, half) else { continue };
        if !seen.insert(text(entry, "id")) {
            look.fault(&path, "reference", format!("the entry {} stands there twice", text(entry, "id")));
        }
        // A topic without a file of its own is called by its name, and then its entries have no title of it.
        let title = record["topic"].as_str().and_then(|topic| Some(titles.get(topic)?.as_str()));
        let title = title
            .filter(|title| entry.get("topic_title").is_some() || record["topic"].as_str() != Some(title));
        let base = look.base.clone().unwrap_or_default();
        alike(look, &path, entry, render::search_entry(record, title, &base).as_ref());
    }
    // A major has one digit, so the entries of each are as long as those of the first.
    let measured = identity::canonical(&index["entries"]).len() as u64;
    let size = &index["size"];
    if size["entries_bytes"].as_u64() != Some(measured) {
        let message = format!("`size.entries_bytes` is {}, and it is {measured}", size["entries_bytes"]);
        look.fault(&path, "size", message);
    }
    let fits = size["budget_bytes"].as_u64().is_some_and(|budget| measured <= budget);
    if size["within_budget"] != fits {
        look.fault(
            &path,
            "size",
            format!("`size.within_budget` is {}, and it is {fits}", size["within_budget"]),
        );
    }
    let wanted = records.values().filter(|record| half.holds(record)).count();
    if entries.len() != wanted {
        look.fault(&path, "reference", format!("it has {} entries for {wanted} records", entries.len()));
    }
}

/// The topics of one half: every record that has one is a variant of it, once.
fn topics(look: &mut Look<'_>, records: &Records, half: Half, titles: &mut BTreeMap<String, String>) {
    let mut wanted: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (id, record) in records.iter().filter(|(_, record)| half.holds(record)) {
        wanted.extend(record["topic"].as_str().map(|topic| (topic, id.as_str())));
    }
    let stem = format!("/v1/topics{}", half.suffix());
    let entries = paged(look, &stem, "topics", half);
    let mut files: BTreeSet<String> = look.edition.below("/v1/topics/").into_iter().collect();
    for (path, topic) in &entries {
        let name = text(topic, "topic");
        titles.insert(name.to_owned(), text(topic, "title").to_owned());
        if !list(topic, "variants").iter().map(|one| text(one, "slug")).is_sorted() {
            look.fault(path, "paging", format!("the variants of {name} are not in the order of their slugs"));
        }
        for entry in list(topic, "variants") {
            let Some(record) = of_half(look, path, entry, records, half) else { continue };
            let base = look.base.clone().unwrap_or_default();
            alike(look, path, entry, render::index_entry(record, &base).as_ref());
            if !wanted.remove(&(name, text(entry, "id"))) {
                look.fault(
                    path,
                    "reference",
                    format!("{} is no variant of {name}, or stands there twice", text(entry, "id")),
                );
            }
        }
        if half == Half::Trusted {
            let own = format!("/v1/topics/{name}.json");
            files.remove(&own);
            own_file(look, path, topic, &own);
        }
    }
    for (topic, id) in wanted {
        look.fault(
            &format!("{stem}.json"),
            "reference",
            format!("{id} is a variant of {topic}, and not listed"),
        );
    }
    for path in files.into_iter().filter(|_| half == Half::Trusted) {
        look.fault(&path, "reference", "it is of a topic that /v1/topics.json does not list");
    }
}

/// The file of a topic says what its entry says.
fn own_file(look: &mut Look<'_>, path: &str, topic: &Value, own: &str) {
    if topic["href"].as_str().and_then(|href| look.named(path, href)).as_deref() != Some(own) {
        look.fault(path, "reference", format!("the topic {} leads to {}", topic["topic"], topic["href"]));
    }
    let mut wanted = topic.clone();
    wanted["schema_version"] = json!("1.0");
    if look.document(own, "topic").is_some_and(|document| document != wanted) {
        look.fault(own, "reference", format!("it differs from its entry in {path}"));
    }
}

/// Every slug, former ones too, leads to its record, and no other name does.
fn aliases(look: &mut Look<'_>, records: &Records) {
    const PATH: &str = "/v1/aliases.json";
    let Some(document) = look.document(PATH, "aliases") else { return };
    let mut wanted: BTreeMap<&str, &str> = BTreeMap::new();
    for (id, record) in records {
        let former = list(record, "former_slugs").iter().filter_map(Value::as_str);
        wanted.extend(former.chain([text(record, "slug")]).map(|slug| (slug, id.as_str())));
    }
    for (slug, id) in document["aliases"].as_object().into_iter().flatten() {
        if wanted.get(slug.as_str()).copied() != id.as_str() {
            look.fault(PATH, "reference", format!("`{slug}` leads to {id}, which has no such slug"));
        }
        wanted.remove(slug.as_str());
    }
    for (slug, id) in wanted {
        look.fault(PATH, "reference", format!("`{slug}` does not lead to {id}"));
    }
}
