//! A catalog that was built, held to the contract without its source: what a stranger can check.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::artifacts::{MANIFEST, STATUS};
use super::finding::Finding;
use super::folder::{Folder, without_base};
use super::identity;
use super::schema;
use super::validator::{self, Validator};
use super::words::{Level, Risk};

/// The most documents that are tried for a hash.
const MOST_TRIES: usize = 5_000;

/// Everything wrong with a catalog, by path.
pub fn findings(folder: &Folder) -> Vec<Finding> {
    let mut found = Vec::new();
    manifest(folder, &mut found);
    let records = records(folder, &mut found);
    for (stem, untrusted) in [("/v1/index", false), ("/v1/index.untrusted", true)] {
        let entries = paged(folder, stem, "index", &mut found);
        listed(&entries, &records, untrusted, &mut found);
    }
    in_one_list(folder, &records, &mut found);
    for (path, untrusted) in [("/v1/search-index.json", false), ("/v1/search-index.untrusted.json", true)] {
        search(folder, path, &records, untrusted, &mut found);
    }
    topics(folder, &records, &mut found);
    aliases(folder, &records, &mut found);
    one(folder, STATUS, "status", &mut found);
    found.sort_by(|a, b| (&a.path, &a.message).cmp(&(&b.path, &b.message)));
    found.dedup();
    found
}

fn fault(found: &mut Vec<Finding>, path: &str, code: &str, message: impl Into<String>) {
    found.push(Finding::error(path, code, message));
}

/// A document that must be there and fit its schema.
fn one(folder: &Folder, path: &str, name: &str, found: &mut Vec<Finding>) -> Option<Value> {
    let Some(value) = folder.json(path) else {
        fault(found, path, "missing", "it is not there, or no JSON");
        return None;
    };
    if let Some(schema) = schema::named(name) {
        let faults = Validator::new(schema).faults(&value);
        faults.iter().for_each(|one| fault(found, path, "schema", one.to_string()));
    }
    Some(value)
}

/// The manifest against the files: sizes, hashes, tags, and nothing beside it.
fn manifest(folder: &Folder, found: &mut Vec<Finding>) {
    let Some(manifest) = one(folder, MANIFEST, "manifest", found) else { return };
    let Some(files) = manifest["files"].as_object() else { return };
    for (path, facts) in files {
        let Some(bytes) = folder.bytes(path) else {
            fault(found, path, "missing", "the manifest names it, and it is not there");
            continue;
        };
        if facts["bytes"].as_u64() != Some(bytes.len() as u64) {
            fault(
                found,
                path,
                "manifest",
                format!("it has {} bytes, not {} as in the manifest", bytes.len(), facts["bytes"]),
            );
        }
        if facts["sha256"].as_str() != Some(&identity::sha256(&bytes)) {
            fault(found, path, "manifest", "its SHA-256 is not that of the manifest");
        }
        let record = path.starts_with("/v1/runbooks/").then(|| folder.json(path)).flatten();
        let tag = record.map_or_else(|| identity::file_etag(&bytes), |record| identity::record_etag(&record));
        if facts["etag"].as_str() != Some(&tag) {
            // A cache that goes by a wrong tag fetches too often or too seldom; what it gets is right all the same.
            found.push(Finding::warning(path, "manifest", "its entity tag is not that of its content"));
        }
    }
    let volatile = manifest["volatile"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let volatile: BTreeSet<&str> = volatile.collect();
    for path in folder.paths.iter().filter(|path| path.starts_with("/v1/")) {
        if path != MANIFEST && !volatile.contains(path.as_str()) && !files.contains_key(path) {
            fault(found, path, "manifest", "the manifest does not name it");
        }
        if path.ends_with(".json") {
            plain(folder, path, found);
        }
    }
}

/// What holds for every document: canonical bytes, a version, levels with their day, no positions.
fn plain(folder: &Folder, path: &str, found: &mut Vec<Finding>) {
    let Some(bytes) = folder.bytes(path) else { return };
    let Some(value) = folder.json(path) else {
        return fault(found, path, "canonical", "it is no JSON");
    };
    if identity::artifact(&value) != bytes {
        fault(found, path, "canonical", "it is not canonical JSON with one line feed");
    }
    if path.starts_with("/v1/schema/") {
        return;
    }
    if value["schema_version"].as_str().is_none_or(|version| !version.starts_with("1.")) {
        fault(found, path, "version", "`schema_version` is not 1.x");
    }
    walk(&value, "", &mut |at, map| {
        if map.contains_key(identity::LAYOUT) {
            fault(found, path, "layout", format!("`{at}` holds positions of an editor"));
        }
        let Some(level) = map.get("trust").and_then(Value::as_str).and_then(Level::named) else { return };
        if level.decays() != map.contains_key("trust_expires_on") {
            let message = format!(
                "`{at}` states {level} and {} `trust_expires_on`",
                if level.decays() { "no" } else { "a" }
            );
            fault(found, path, "expiry", message);
        }
    });
}

fn walk(value: &Value, at: &str, each: &mut impl FnMut(&str, &serde_json::Map<String, Value>)) {
    match value {
        Value::Object(map) => {
            each(at, map);
            map.iter().for_each(|(key, below)| walk(below, &format!("{at}/{key}"), each));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, below)| walk(below, &format!("{at}/{n}"), each));
        }
        _ => {}
    }
}

/// The records by id, each held to the schema, to what is forced, and to its hash.
fn records(folder: &Folder, found: &mut Vec<Finding>) -> BTreeMap<String, Value> {
    let published = folder.json("/v1/schema/record.json");
    let published = published.as_ref().map(Validator::new);
    let mut all = BTreeMap::new();
    for path in folder.paths.iter().filter(|path| path.starts_with("/v1/runbooks/")) {
        let Some(record) = folder.json(path) else { continue };
        let mut faults = validator::record(&record);
        if faults.is_empty() {
            faults.extend(published.as_ref().map(|schema| schema.faults(&record)).unwrap_or_default());
        }
        faults.iter().for_each(|one| fault(found, path, "record", one.to_string()));
        let id = record["id"].as_str().unwrap_or_default().to_owned();
        if *path != super::render::path(&id) {
            fault(found, path, "record", format!("it is called otherwise than its `id`, {id}"));
        }
        if faults.is_empty() {
            forced(path, &record, found);
        }
        all.insert(id, record);
    }
    all
}

fn forced(path: &str, record: &Value, found: &mut Vec<Finding>) {
    let steps = record["steps"].as_array().map_or(&[][..], Vec::as_slice);
    let risks = steps.iter().filter_map(|step| step["risk"].as_str().and_then(Risk::named));
    if risks.max().map(Risk::as_str) != record["risk"].as_str() {
        fault(found, path, "record", "`risk` is not the highest of its steps");
    }
    let capabilities: Vec<&str> =
        record["capabilities"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !capabilities.is_sorted() {
        fault(found, path, "record", "`capabilities` are not sorted");
    }
    let oldest = record["former_slugs"].get(0).or_else(|| record.get("slug")).and_then(Value::as_str);
    if oldest.map(identity::id).as_deref() != record["id"].as_str() {
        fault(found, path, "record", "`id` is not that of its oldest slug");
    }
    if hash_fits(record) == Some(false) {
        let message =
            "`content_hash` is of no document that its author can have written: its content was changed";
        fault(found, path, "hash", message);
    }
}

/// Whether an author can have written what is served: what is forced hides what stood there, so all that can have
/// stood there is tried. None when that is too much.
///
/// Unknown fields of a later version were assigned, not written, so a record that has some is not judged.
pub fn hash_fits(record: &Value) -> Option<bool> {
    const ASSIGNED: [&str; 7] =
        ["id", "content_hash", "risk", "trust", "trust_expires_on", "trust_evidence", "signature"];
    let mut document = record.as_object()?.clone();
    ASSIGNED.iter().for_each(|key| drop(document.shift_remove(*key)));
    let steps = document.get_mut("steps")?.as_array_mut()?;
    let mut choices: Vec<Vec<Option<bool>>> = Vec::new();
    for step in steps.iter_mut() {
        step.get_mut("body")?.as_object_mut()?.shift_remove("untrusted");
        let risk = step["risk"].as_str().and_then(Risk::named)?;
        choices.push(match step.get("requires_approval") {
            Some(_) if risk.forces_approval() => vec![None, Some(false), Some(true)],
            Some(_) => vec![Some(true)],
            None => vec![None, Some(false)],
        });
    }
    let mut document = Value::Object(document);
    if !validator::authored(&document).is_empty() {
        return None;
    }
    let orders = orders(document["capabilities"].as_array()?)?;
    let tries = choices.iter().try_fold(orders.len(), |all, one| all.checked_mul(one.len()))?;
    if tries > MOST_TRIES {
        return None;
    }
    for order in orders {
        document["capabilities"] = Value::Array(order);
        let mut at = vec![0; choices.len()];
        loop {
            for (n, choice) in at.iter().enumerate() {
                let step = document["steps"][n].as_object_mut()?;
                step.shift_remove("requires_approval");
                step.extend(choices[n][*choice].map(|asked| ("requires_approval".to_owned(), json!(asked))));
            }
            if Some(identity::content_hash(&document).as_str()) == record["content_hash"].as_str() {
                return Some(true);
            }
            let Some(n) = (0..at.len()).find(|n| at[*n] + 1 < choices[*n].len()) else { break };
            at[..n].fill(0);
            at[n] += 1;
        }
    }
    Some(false)
}

/// All orders of a few values.
fn orders(values: &[Value]) -> Option<Vec<Vec<Value>>> {
    if values.len() > 6 {
        return None;
    }
    let mut all = vec![Vec::new()];
    for value in values {
        let longer = |order: Vec<Value>| {
            (0..=order.len()).rev().map(move |n| {
                let mut order = order.clone();
                order.insert(n, value.clone());
                order
            })
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    Some(all)
}

/// The entries of a paged list, and what is wrong with its pages.
fn paged(folder: &Folder, stem: &str, name: &str, found: &mut Vec<Finding>) -> Vec<(String, Value)> {
    let pages = folder.pages(&format!("{stem}.json"));
    if pages.is_empty() {
        fault(found, &format!("{stem}.json"), "missing", "it is not there, or no JSON");
    }
    let schema = schema::named(name).cloned().or_else(|| schema::internal(name));
    let validator = schema.as_ref().map(Validator::new);
    let mut entries = Vec::new();
    for (n, (path, page)) in pages.iter().enumerate() {
        let faults = validator.as_ref().map(|schema| schema.faults(page)).unwrap_or_default();
        faults.iter().for_each(|one| fault(found, path, "schema", one.to_string()));
        if page["page"].as_u64() != Some(n as u64 + 1) {
            fault(found, path, "paging", format!("`page` is {}, and it is page {}", page["page"], n + 1));
        }
        if let Some(next) = page["next_cursor"].as_str()
            && pages.get(n + 1).is_none_or(|(path, _)| path != without_base(next))
        {
            fault(found, path, "paging", format!("`next_cursor` names {next}, which is no further page"));
        }
        let own = page["entries"].as_array().into_iter().flatten();
        entries.extend(own.map(|entry| (path.clone(), entry.clone())));
    }
    for (path, page) in &pages {
        if page["total"].as_u64() != Some(entries.len() as u64) {
            fault(
                found,
                path,
                "paging",
                format!("`total` is {}, and there are {} entries", page["total"], entries.len()),
            );
        }
    }
    entries
}

/// Entries against the records they are of: order, level, every field.
fn listed(
    entries: &[(String, Value)],
    records: &BTreeMap<String, Value>,
    untrusted: bool,
    found: &mut Vec<Finding>,
) {
    let slugs = entries.iter().map(|(_, entry)| entry["slug"].as_str().unwrap_or_default());
    if !slugs.is_sorted()
        && let Some((path, _)) = entries.first()
    {
        fault(found, path, "paging", "its entries are not in the order of their slugs");
    }
    for (path, entry) in entries {
        like_its_record(path, entry, records, untrusted, found);
    }
}

fn like_its_record(
    path: &str,
    entry: &Value,
    records: &BTreeMap<String, Value>,
    untrusted: bool,
    found: &mut Vec<Finding>,
) {
    const COPIED: [&str; 12] = [
        "slug",
        "title",
        "profile",
        "risk",
        "execution",
        "capabilities",
        "min_runtime_profile",
        "trust",
        "trust_expires_on",
        "topic",
        "content_hash",
        "summary",
    ];
    let id = entry["id"].as_str().unwrap_or_default();
    let Some(record) = records.get(id) else {
        return fault(found, path, "reference", format!("the entry {id} has no record"));
    };
    let odd = COPIED.iter().find(|key| {
        entry.get(**key) != record.get(**key) && !(**key == "summary" && entry.get("summary").is_none())
    });
    if let Some(key) = odd {
        fault(found, path, "reference", format!("the entry {id} differs from its record in `{key}`"));
    }
    let level = entry["trust"].as_str().and_then(Level::named);
    if level.is_some_and(|level| level.is_untrusted() != untrusted) {
        fault(
            found,
            path,
            "floor",
            format!("the entry {id} of level {} stands in the wrong list", entry["trust"]),
        );
    }
    let href = entry["href"].as_str().map(without_base);
    if href != Some(super::render::path(id).as_str()) {
        fault(found, path, "reference", format!("the entry {id} leads to {}", entry["href"]));
    }
}

/// Every record stands in exactly one of the two indexes, once.
fn in_one_list(folder: &Folder, records: &BTreeMap<String, Value>, found: &mut Vec<Finding>) {
    let mut times: BTreeMap<&str, usize> = records.keys().map(|id| (id.as_str(), 0)).collect();
    let pages: Vec<(String, Value)> =
        ["/v1/index.json", "/v1/index.untrusted.json"].iter().flat_map(|first| folder.pages(first)).collect();
    for entry in pages.iter().flat_map(|(_, page)| page["entries"].as_array().into_iter().flatten()) {
        if let Some(count) = entry["id"].as_str().and_then(|id| times.get_mut(id)) {
            *count += 1;
        }
    }
    for (id, count) in times.into_iter().filter(|(_, count)| *count != 1) {
        fault(found, &super::render::path(id), "reference", format!("the indexes name it {count} times"));
    }
}

fn search(
    folder: &Folder,
    path: &str,
    records: &BTreeMap<String, Value>,
    untrusted: bool,
    found: &mut Vec<Finding>,
) {
    let Some(index) = one(folder, path, "search-index", found) else { return };
    let entries: Vec<(String, Value)> = index["entries"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|entry| (path.to_owned(), entry.clone()))
        .collect();
    listed(&entries, records, untrusted, found);
    let measured = identity::canonical(&index["entries"]).len() as u64;
    if index["size"]["entries_bytes"].as_u64() != Some(measured) {
        fault(
            found,
            path,
            "size",
            format!("`size.entries_bytes` is {}, and it is {measured}", index["size"]["entries_bytes"]),
        );
    }
    let wanted = records.values().filter(|record| {
        record["trust"].as_str().and_then(Level::named).is_some_and(|level| level.is_untrusted() == untrusted)
    });
    let wanted = wanted.count();
    if entries.len() != wanted {
        fault(found, path, "reference", format!("it has {} entries for {wanted} records", entries.len()));
    }
}

fn topics(folder: &Folder, records: &BTreeMap<String, Value>, found: &mut Vec<Finding>) {
    for (stem, untrusted) in [("/v1/topics", false), ("/v1/topics.untrusted", true)] {
        for (path, topic) in paged(folder, stem, "topics", found) {
            let variants = topic["variants"].as_array().into_iter().flatten();
            variants.for_each(|entry| like_its_record(&path, entry, records, untrusted, found));
            if untrusted {
                continue;
            }
            let own = format!("/v1/topics/{}.json", topic["topic"].as_str().unwrap_or_default());
            let mut wanted = topic;
            wanted["schema_version"] = json!("1.0");
            if one(folder, &own, "topic", found).is_some_and(|document| document != wanted) {
                fault(found, &own, "reference", format!("it differs from its entry in {path}"));
            }
        }
    }
}

fn aliases(folder: &Folder, records: &BTreeMap<String, Value>, found: &mut Vec<Finding>) {
    const PATH: &str = "/v1/aliases.json";
    let Some(document) = folder.json(PATH) else {
        return fault(found, PATH, "missing", "it is not there, or no JSON");
    };
    let aliases = document["aliases"].as_object();
    for (slug, id) in aliases.into_iter().flatten() {
        if id.as_str().is_none_or(|id| !records.contains_key(id)) {
            fault(found, PATH, "reference", format!("`{slug}` leads to {id}, which is no record"));
        }
    }
    for (id, record) in records {
        let slug = record["slug"].as_str().unwrap_or_default();
        if aliases.and_then(|aliases| aliases.get(slug)).and_then(Value::as_str) != Some(id) {
            fault(found, PATH, "reference", format!("`{slug}` does not lead to {id}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(steps: Value, capabilities: Value) -> (Value, Value) {
        let authored = json!({"schema_version": "1.0", "profile": "p0", "slug": "a-b", "title": "T", "publisher": "p",
            "execution": "manual", "capabilities": capabilities, "min_runtime_profile": "R0", "steps": steps});
        let mut served = authored.clone();
        served["content_hash"] = json!(identity::content_hash(&authored));
        served["id"] = json!(identity::id("a-b"));
        served["trust"] = json!("T1");
        (authored, served)
    }

    #[test]
    fn what_is_forced_hides_nothing_from_the_hash() {
        let step = |id: &str, risk: &str| json!({"id": id, "title": id, "risk": risk, "body": {"text": "x"}});
        let mut quiet = step("c", "reversible");
        quiet["requires_approval"] = json!(false);
        let steps = json!([step("a", "read_only"), step("b", "destructive"), quiet]);
        let (_, mut served) = record(steps, json!(["x:b", "x:a", "x:c"]));
        served["capabilities"] = json!(["x:a", "x:b", "x:c"]);
        served["steps"][1]["requires_approval"] = json!(true);
        served["steps"][2].as_object_mut().unwrap().remove("requires_approval");
        for n in 0..3 {
            served["steps"][n]["body"]["untrusted"] = json!(true);
        }
        assert_eq!(hash_fits(&served), Some(true));
        served["steps"][2]["body"]["text"] = json!("y");
        assert_eq!(hash_fits(&served), Some(false));
        served["later"] = json!(1);
        assert_eq!(hash_fits(&served), None);
    }
}
