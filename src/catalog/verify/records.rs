//! The records: each fits the schema, what is forced on it is there, and its identity is that of its content.

use serde_json::Value;

use super::origin::hash_fits;
use super::{Look, Records, evidence, list, text};
use crate::catalog::identity;
use crate::catalog::render;
use crate::catalog::validator::{self, Validator};
use crate::catalog::words::Risk;

/// The records by id.
pub(super) fn read(look: &mut Look<'_>) -> Records {
    let published = look.edition.json("/v1/schema/record.json");
    let published = published.as_ref().map(Validator::new);
    let mut all = Records::new();
    for path in look.edition.below("/v1/runbooks/") {
        let Some(record) = look.edition.json(&path) else { continue };
        check(look, &path, &record, published.as_ref());
        all.insert(text(&record, "id").to_owned(), record);
    }
    all
}

/// A record by itself, held to the schema of this program and to the one that was published with it.
pub(super) fn check(look: &mut Look<'_>, path: &str, record: &Value, published: Option<&Validator<'_>>) {
    let mut faults = validator::record(record);
    if faults.is_empty() {
        faults.extend(published.map(|schema| schema.faults(record)).unwrap_or_default());
    }
    faults.iter().for_each(|one| look.fault(path, "record", one.to_string()));
    let id = text(record, "id");
    if path != render::path(id) {
        look.fault(path, "record", format!("it is called otherwise than its `id`, {id}"));
    }
    if faults.is_empty() {
        forced(look, path, record);
        evidence::check(look, path, record);
    }
}

fn forced(look: &mut Look<'_>, path: &str, record: &Value) {
    let risks = list(record, "steps").iter().filter_map(|step| Risk::named(text(step, "risk")));
    if risks.max().map(Risk::as_str) != record["risk"].as_str() {
        look.fault(path, "record", "`risk` is not the highest of its steps");
    }
    let capabilities: Vec<&str> = list(record, "capabilities").iter().filter_map(Value::as_str).collect();
    if !capabilities.is_sorted() {
        look.fault(path, "record", "`capabilities` are not sorted");
    }
    let oldest = record["former_slugs"].get(0).or_else(|| record.get("slug")).and_then(Value::as_str);
    if oldest.map(identity::id).as_deref() != record["id"].as_str() {
        look.fault(path, "record", "`id` is not that of its oldest slug");
    }
    if hash_fits(record) == Some(false) {
        let message =
            "`content_hash` is of no document that its author can have written: its content was changed";
        look.fault(path, "hash", message);
    }
}
