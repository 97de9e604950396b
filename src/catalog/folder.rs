//! A catalog that was built: a folder of files, read without its source.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::artifacts::MANIFEST;
use super::document;
use crate::error::{Code, Error, Result};
use crate::store::{publish, userfile};

/// The most files that a catalog has.
const MOST: usize = 200_000;

/// The largest file of a catalog that is read.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// A folder that a catalog was built into.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
    /// The paths of its files, from the root of the catalog, sorted.
    pub paths: Vec<String>,
}

impl Folder {
    /// Of a folder.
    ///
    /// Errors: `catalog_folder_invalid` when no catalog was built there.
    pub fn open(root: &Path) -> Result<Folder> {
        let refused = |problem: String| {
            let message = format!("`{}` is no catalog that was built: {problem}", root.display());
            Error::new(Code::CatalogFolderInvalid, message).hint("pm catalog build --out dist/catalog")
        };
        let paths = publish::files_below(root, MOST).map_err(|error| refused(error.to_string()))?;
        let folder = Folder { root: root.to_owned(), paths };
        if !folder.has(MANIFEST) {
            return Err(refused(format!("it has no {MANIFEST}")));
        }
        Ok(folder)
    }

    /// Where it lies.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether it has a file.
    pub fn has(&self, path: &str) -> bool {
        self.paths.binary_search_by(|own| own.as_str().cmp(path)).is_ok()
    }

    /// The bytes of a file; none when there is no such file.
    pub fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let below = path.strip_prefix('/')?;
        self.has(path).then(|| userfile::read_bytes(&self.root, below, MAX_BYTES).ok()).flatten()
    }

    /// A file as JSON; none when there is no such file, or it is none.
    pub fn json(&self, path: &str) -> Option<Value> {
        document::json(std::str::from_utf8(&self.bytes(path)?).ok()?).ok()
    }

    /// The pages of a list, first to last, each with its path; a page that names a missing one is the last.
    pub fn pages(&self, first: &str) -> Vec<(String, Value)> {
        let mut pages: Vec<(String, Value)> = Vec::new();
        let mut next = Some(first.to_owned());
        while let Some(path) = next.filter(|path| !pages.iter().any(|(own, _)| own == path)) {
            let Some(page) = self.json(&path) else { break };
            next = page["next_cursor"].as_str().map(|cursor| without_base(cursor).to_owned());
            pages.push((path, page));
        }
        pages
    }
}

/// A path without what stands in front of the catalog where it is served.
pub fn without_base(path: &str) -> &str {
    path.find("/v1/").map_or(path, |at| &path[at..])
}
