//! The files that a program writes as they stand: the page, the prose, what hosts are to send. This one knows its own to
//! the byte, so a catalog that says it was built by it has no others; what another version wrote is told, and no more.

use std::collections::BTreeMap;

use crate::catalog::artifacts::{self, MANIFEST, STATUS};
use crate::catalog::edition::{self, Edition};
use crate::catalog::finding::Finding;
use crate::catalog::folder::Folder;
use crate::catalog::status::TOOL;

/// Every file of these that is missing, other than it was written, or none of them.
pub(super) fn findings(folder: &Folder) -> Vec<Finding> {
    let majors: Vec<u32> = folder.editions().map(Edition::major).collect();
    let own = artifacts::fixed(&majors);
    let own: BTreeMap<&str, &[u8]> = own.iter().map(|file| (file.path.as_str(), &*file.bytes)).collect();
    let is_ours =
        folder.editions().all(|edition| edition.json(STATUS).is_some_and(|status| status["tool"] == TOOL));
    let told = |path: &str, problem: &str| match is_ours {
        true => Finding::error(path, "page", format!("{problem}, and {TOOL} built this catalog")),
        false => Finding::warning(
            path,
            "page",
            format!("{problem}: another version wrote it, or somebody changed it"),
        ),
    };
    let mut found = Vec::new();
    for (path, bytes) in &own {
        match folder.bytes(path) {
            None => found.push(told(path, &format!("{TOOL} writes it, and it is not there"))),
            Some(there) if there != *bytes => {
                found.push(told(path, &format!("it is not the file that {TOOL} writes")))
            }
            Some(_) => {}
        }
    }
    for path in named(folder).iter().filter(|path| is_fixed(path) && !own.contains_key(path.as_str())) {
        found.push(told(path, &format!("it is none of the files that {TOOL} writes")));
    }
    found
}

/// The files that the manifests name, once each. What no manifest names is a stranger already.
fn named(folder: &Folder) -> Vec<String> {
    let files = |edition: Edition<'_>| {
        let manifest = folder.json(&edition.path(MANIFEST)).unwrap_or_default();
        manifest["files"]
            .as_object()
            .map(|files| files.keys().cloned().collect::<Vec<_>>())
            .unwrap_or_default()
    };
    let mut all: Vec<String> = folder.editions().flat_map(files).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether a path is of no data: it lies outside of the folders of the majors.
fn is_fixed(path: &str) -> bool {
    let top = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    edition::numbered(top).is_none()
}
