//! One record of a catalog that was built, as a reader meets it: the file, and whether it is the one that was published.

use serde_json::Value;

use super::artifacts::MANIFEST;
use super::conformance::Served;
use super::edition::Edition;
use super::folder::Folder;
use super::identity;
use super::render;
use crate::error::{Code, Error, Result};
use crate::nearest;

/// The record of an id, a slug or a former slug.
///
/// Errors: `catalog_record_not_found`.
pub fn record(folder: &Folder, name: &str) -> Result<Served> {
    let edition = folder.oldest();
    let aliases = edition.json("/v1/aliases.json").unwrap_or(Value::Null);
    let aliases = aliases["aliases"].as_object().cloned().unwrap_or_default();
    let id = if identity::is_id(name) { Some(name) } else { aliases.get(name).and_then(Value::as_str) };
    let there = id.filter(|id| edition.has(&render::path(id)));
    let Some(id) = there else {
        let slugs: Vec<&str> = aliases.keys().map(String::as_str).collect();
        let near: Vec<&str> = nearest::words(name, &slugs).into_iter().take(3).collect();
        let message = format!("the catalog in `{}` has no record `{name}`", folder.root().display());
        return Err(Error::new(Code::CatalogRecordNotFound, message).rejecting(name).fact("nearest", near));
    };
    let record = edition.json(&render::path(id)).unwrap_or(Value::Null);
    let tampered = tampered(edition, id, &record);
    Ok(Served { record, tampered })
}

/// What shows that a file is not the one that was published. Its content hash is of what its author wrote, so a reader
/// holds the bytes against the manifest and the hash against the index (product.md §9).
fn tampered(edition: Edition<'_>, id: &str, record: &Value) -> Option<String> {
    let (path, bytes) =
        (edition.path(&render::path(id)), edition.bytes(&render::path(id)).unwrap_or_default());
    let manifest = edition.folder().json(&edition.path(MANIFEST)).unwrap_or(Value::Null);
    if manifest["files"][&path]["sha256"].as_str() != Some(identity::sha256(&bytes).as_str()) {
        return Some(format!("the bytes of {path} are not those of the manifest"));
    }
    if record["id"].as_str() != Some(id) {
        return Some(format!("{path} holds another record"));
    }
    let lists = ["/v1/index.json", "/v1/index.untrusted.json"];
    let pages = lists.iter().flat_map(|first| edition.pages(first));
    let mut entries = pages.flat_map(|(_, page)| page["entries"].as_array().cloned().unwrap_or_default());
    match entries.find(|entry| entry["id"].as_str() == Some(id)) {
        None => Some(format!("no index names {id}")),
        Some(entry) if entry["content_hash"] != record["content_hash"] => {
            Some("its content_hash is not that of the index".to_owned())
        }
        Some(entry) if entry["trust"] != record["trust"] => {
            Some("its level is not that of the index".to_owned())
        }
        Some(_) => None,
    }
}
