//! One record of a catalog that was built, as a reader meets it: the file, and whether it is the one that was published.

use serde_json::{Value, json};

use super::conformance::Served;
use super::edition::without_base;
use super::folder::Folder;
use super::identity;
use super::render;
use super::sealed::{Broken, Sealed};
use super::verify;
use crate::error::{Code, Error, Result};
use crate::nearest;

const ALIASES: &str = "/v1/aliases.json";

/// The record of an id, a slug or a former slug.
///
/// Errors: `catalog_record_not_found`; `RECORD_INVALID` when the names of the catalog are not those that it published.
pub fn record(folder: &Folder, name: &str) -> Result<Served> {
    let sealed = Sealed::of(folder.oldest());
    if identity::is_id(name) && sealed.edition().has(&render::path(name)) {
        return Ok(served(&sealed, name));
    }
    // A name leads wherever the list of names says, so that list is what was published, or it leads nowhere.
    let names = sealed.document(ALIASES).map_err(|broken| unbelieved(name, &broken))?;
    let names = names["aliases"].as_object().cloned().unwrap_or_default();
    let Some(id) = names.get(name).and_then(Value::as_str) else {
        let slugs: Vec<&str> = names.keys().map(String::as_str).collect();
        let near: Vec<&str> = nearest::words(name, &slugs).into_iter().take(3).collect();
        let message = format!("the catalog in `{}` has no record `{name}`", folder.root().display());
        return Err(Error::new(Code::CatalogRecordNotFound, message).rejecting(name).fact("nearest", near));
    };
    let mut served = served(&sealed, id);
    let former = served.record["former_slugs"].as_array().into_iter().flatten();
    let mut slugs = former.chain(served.record.get("slug")).filter_map(Value::as_str);
    if !slugs.any(|slug| slug == name) && served.tampered.is_none() {
        let problem = format!("`{name}` leads to {id}, which has no such slug");
        served.tampered = Some(Broken { path: sealed.edition().path(ALIASES), problem });
    }
    Ok(served)
}

/// The names that a catalog published were changed: no record was even found.
fn unbelieved(name: &str, broken: &Broken) -> Error {
    let why = format!("`{name}` leads nowhere that can be believed: {}.", broken.problem);
    let facts = [("slug", json!(name)), ("path", json!(broken.path)), ("steps_started", json!(0))];
    Error::refusal(Code::RecordInvalid, why, facts)
}

fn served(sealed: &Sealed<'_>, id: &str) -> Served {
    match sealed.document(&render::path(id)) {
        Ok(record) => {
            let tampered = tampered(sealed, id, &record).err();
            Served { record, tampered }
        }
        Err(broken) => {
            let record = sealed.edition().json(&render::path(id)).unwrap_or(Value::Null);
            Served { record, tampered: Some(broken) }
        }
    }
}

/// What shows that a file is not the one that was published. Its content hash is of what its author wrote, so a reader
/// holds the bytes against the manifest, the hash against the index (product.md §9), and the whole to what can have
/// been concluded from such content at all: a manifest can be renewed by whoever can change a file.
fn tampered(sealed: &Sealed<'_>, id: &str, record: &Value) -> Result<(), Broken> {
    let own = sealed.edition().path(&render::path(id));
    let broken = |path: &str, problem: String| Err(Broken { path: path.to_owned(), problem });
    if record["id"].as_str() != Some(id) {
        return broken(&own, format!("{own} holds another record"));
    }
    let Some((page, entry)) = entry(sealed, id)? else {
        return broken(&own, format!("no index names {id}"));
    };
    if entry["content_hash"] != record["content_hash"] {
        return broken("content_hash", "its content_hash is not that of the index".to_owned());
    }
    if entry["trust"] != record["trust"] {
        return broken("trust", "its level is not that of the index".to_owned());
    }
    let mut findings = verify::record_findings(sealed.edition(), record, &page, &entry).into_iter();
    match findings.find(|one| one.is_error()) {
        Some(one) => broken(&one.path, one.message),
        None => Ok(()),
    }
}

/// The entry of a record with the path of its page, from pages that are those of the manifest.
fn entry(sealed: &Sealed<'_>, id: &str) -> Result<Option<(String, Value)>, Broken> {
    for first in ["/v1/index.json", "/v1/index.untrusted.json"] {
        let mut seen: Vec<String> = Vec::new();
        let mut next = Some(first.to_owned());
        while let Some(path) = next.filter(|path| !seen.contains(path)) {
            let mut page = sealed.document(&path)?;
            let entries = page["entries"].as_array_mut().map(std::mem::take).unwrap_or_default();
            if let Some(found) = entries.into_iter().find(|entry| entry["id"].as_str() == Some(id)) {
                return Ok(Some((path, found)));
            }
            next = page["next_cursor"].as_str().map(|cursor| without_base(cursor).to_owned());
            seen.push(path);
        }
    }
    Ok(None)
}
