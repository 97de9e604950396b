//! The manifest against the files, and what every document has in common.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Look, holds_path, is_of};
use crate::catalog::artifacts::{self, MANIFEST, STATUS};
use crate::catalog::edition;
use crate::catalog::finding::Finding;
use crate::catalog::folder::Folder;
use crate::catalog::identity;
use crate::catalog::schema;
use crate::catalog::words::Level;

/// What every major has, beside its schemas.
const ALWAYS: [&str; 12] = [
    "/v1/index.json",
    "/v1/index.untrusted.json",
    "/v1/topics.json",
    "/v1/topics.untrusted.json",
    "/v1/search-index.json",
    "/v1/search-index.untrusted.json",
    "/v1/aliases.json",
    "/spec/v1/contract.md",
    "/spec/v1/trust.md",
    "/catalog/index.html",
    "/catalog/untrusted/index.html",
    "/status/index.html",
];

/// The manifest: it names every file with its size, its hash and its tag, and nothing else.
pub(super) fn check(look: &mut Look<'_>) {
    let edition = look.edition;
    if let Some(manifest) = look.document(MANIFEST, "manifest") {
        let empty = Map::new();
        let files = manifest["files"].as_object().unwrap_or(&empty);
        for (path, facts) in files {
            named(look, path, facts);
        }
        let schemas = schema::NAMES.map(|name| format!("/v1/schema/{name}.json"));
        for path in ALWAYS.iter().map(|path| (*path).to_owned()).chain(schemas) {
            if !files.contains_key(&edition.path(&path)) {
                look.fault(&path, "missing", "every catalog has it, and the manifest does not name it");
            }
        }
        if manifest["volatile"] != serde_json::json!([edition.path(STATUS)]) {
            look.fault(MANIFEST, "manifest", "`volatile` is not the status alone");
        }
    }
    for path in edition.below("/v1/").into_iter().filter(|path| path.ends_with(".json")) {
        plain(look, &path);
    }
}

/// A file that a manifest names; its path stands as it is.
fn named(look: &mut Look<'_>, path: &str, facts: &Value) {
    let (edition, folder) = (look.edition, look.edition.folder());
    let mut fault = |message: String| look.found.push(Finding::error(path, "manifest", message));
    if edition::major_of(path).is_some_and(|major| major != edition.major()) {
        fault(format!("it is of another major than the manifest {}", edition.path(MANIFEST)));
    }
    if [MANIFEST, STATUS].iter().any(|own| edition.path(own) == path) {
        fault("the manifest names itself, or what changes every day".to_owned());
    }
    let Some(bytes) = folder.bytes(path) else {
        look.found.push(Finding::error(path, "missing", "the manifest names it, and it is not there"));
        return;
    };
    if facts["bytes"].as_u64() != Some(bytes.len() as u64) {
        fault(format!("it has {} bytes, not {} as in the manifest", bytes.len(), facts["bytes"]));
    }
    if facts["sha256"].as_str() != Some(&identity::sha256(&bytes)) {
        fault("its SHA-256 is not that of the manifest".to_owned());
    }
    let is_record = edition.lowered(path).starts_with("/v1/runbooks/");
    let record = is_record.then(|| folder.json(path)).flatten();
    let tag = record.map_or_else(|| identity::file_etag(&bytes), |record| identity::record_etag(&record));
    if facts["etag"].as_str() != Some(&tag) {
        // A cache that goes by a tag of other content keeps a level, or a page, that is no longer served. A schema that it
        // keeps is only an older one, which readers may go by within a major.
        let is_schema = edition.lowered(path).starts_with("/v1/schema/");
        let problem = "its entity tag is not that of its content";
        look.found.push(match is_schema {
            true => Finding::warning(path, "manifest", problem),
            false => Finding::error(path, "manifest", problem),
        });
    }
}

/// What holds for every document: canonical bytes, a version, levels with their day, paths of its own major, no positions.
fn plain(look: &mut Look<'_>, path: &str) {
    let (edition, own) = (look.edition, look.edition.path(path));
    let Some(bytes) = edition.bytes(path) else { return };
    let Some(value) = edition.folder().json(&own) else {
        return look.fault(path, "canonical", "it is no JSON");
    };
    if identity::artifact(&value) != bytes {
        look.fault(path, "canonical", "it is not canonical JSON with one line feed");
    }
    let major = edition.major();
    walk(&value, "", &mut |at, map| {
        for (key, named) in map.iter().filter(|(key, _)| holds_path(key)) {
            if named.as_str().is_some_and(|named| !is_of(named, major)) {
                look.fault(path, "place", format!("`{at}/{key}` names {named}, which is not of this major"));
            }
        }
    });
    if path.starts_with("/v1/schema/") {
        return;
    }
    if value["schema_version"].as_str().is_none_or(|version| !edition::is_version(version, major)) {
        look.fault(path, "version", format!("`schema_version` is not {major}.x"));
    }
    walk(&value, "", &mut |at, map| {
        if map.contains_key(identity::LAYOUT) {
            look.fault(path, "layout", format!("`{at}` holds positions of an editor"));
        }
        let Some(level) = map.get("trust").and_then(Value::as_str).and_then(Level::named) else { return };
        let day = map.get("trust_expires_on");
        let problem = match (level.decays(), day) {
            (true, None) => "no `trust_expires_on`",
            (false, Some(_)) => "a `trust_expires_on`",
            (true, Some(day)) if super::day(day).is_none() => "a `trust_expires_on` that is no day",
            _ => return,
        };
        look.fault(path, "expiry", format!("`{at}` states {level} and {problem}"));
    });
}

fn walk(value: &Value, at: &str, each: &mut impl FnMut(&str, &Map<String, Value>)) {
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

/// What lies in the folder and no manifest names. A host of files may need files of its own at the top; what lies in a
/// folder of the catalog is taken for a part of it.
pub(super) fn strangers(folder: &Folder) -> Vec<Finding> {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for edition in folder.editions() {
        known.extend([MANIFEST, STATUS].map(|path| edition.path(path)));
        let manifest = folder.json(&edition.path(MANIFEST)).unwrap_or(Value::Null);
        known.extend(manifest["files"].as_object().into_iter().flatten().map(|(path, _)| path.clone()));
    }
    let is_ours = |path: &str| {
        let top = path.trim_start_matches('/').split_once('/').map(|(top, _)| top);
        top.is_some_and(artifacts::owns)
    };
    let mut found = Vec::new();
    for (path, what) in folder.paths.iter().map(|path| (path, "no manifest names it")).chain(
        folder
            .odd
            .iter()
            .map(|path| (path, "it is a link, or its name is no UTF-8, and no file of a catalog")),
    ) {
        match () {
            () if known.contains(path) && !folder.odd.contains(path) => {}
            () if is_ours(path) => found.push(Finding::error(path, "manifest", what)),
            () => found.push(Finding::warning(
                path,
                "manifest",
                format!("{what}: it is no part of the catalog"),
            )),
        }
    }
    found
}
