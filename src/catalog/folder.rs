//! A catalog that was built: a folder of files, read without its source.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::document;
use super::edition::{self, Edition};
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
    /// What lies there and is no file with a name in UTF-8: links, sockets, other names; as far as it can be told.
    pub odd: Vec<String>,
    majors: Vec<u32>,
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
        let listing = publish::listing(root, MOST).map_err(|error| refused(error.to_string()))?;
        let listed = |path: &String| {
            path.strip_suffix("/manifest.json")?.strip_prefix('/').and_then(edition::numbered)
        };
        let mut majors: Vec<u32> = listing.files.iter().filter_map(listed).collect();
        majors.sort_unstable();
        if majors.is_empty() {
            return Err(refused("it has no /v1/manifest.json, nor that of a later major".to_owned()));
        }
        Ok(Folder { root: root.to_owned(), paths: listing.files, odd: listing.odd, majors })
    }

    /// Where it lies.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The majors that are served, in their order.
    pub fn editions(&self) -> impl Iterator<Item = Edition<'_>> {
        self.majors.iter().map(|major| Edition::of(self, *major))
    }

    /// The oldest major that is served: its shapes are nearest to those that this program knows.
    pub fn oldest(&self) -> Edition<'_> {
        Edition::of(self, self.majors.first().copied().unwrap_or(1))
    }

    /// A major that is served.
    pub fn edition(&self, major: u32) -> Option<Edition<'_>> {
        self.editions().find(|edition| edition.major() == major)
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

    /// A file as JSON as it stands; none when there is no such file, or it is none.
    pub fn json(&self, path: &str) -> Option<Value> {
        document::json(std::str::from_utf8(&self.bytes(path)?).ok()?).ok()
    }
}
