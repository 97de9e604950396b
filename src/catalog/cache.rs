//! What was made of files before, below the Git folder: never needed, never trusted beyond its checksum.

use std::path::PathBuf;

use super::schema;
use super::source::Place;
use crate::store::records::{self, Bytes, Known, Records};

/// Changes with every change of what is kept, beside the version of the program and the schemas.
const FORMAT: &str = "catalog 1";

/// What a record of the cache is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// What is known of a record.
    Facts = 1,
    /// Its document.
    Document = 2,
    /// Its artifact and its entries.
    Rendered = 3,
    /// The size of something compressed.
    Size = 4,
}

/// The cache of a repository.
#[derive(Debug)]
pub struct Cache {
    place: Option<PathBuf>,
    version: u32,
    records: Records,
    used: Vec<Known>,
    fresh: bool,
}

impl Cache {
    /// That of a repository.
    pub fn open(place: &Place) -> Cache {
        let at = records::place(place.top(), "catalog");
        let version = version();
        let records = at.as_deref().map(|at| Records::open(at, version)).unwrap_or_default();
        Cache { place: at, version, records, used: Vec::new(), fresh: false }
    }

    /// One that knows nothing and keeps what it is told.
    pub fn empty(place: &Place) -> Cache {
        Cache { records: Records::default(), ..Cache::open(place) }
    }

    /// What is kept under a key: the hex of a SHA-256.
    pub fn get(&mut self, sort: Sort, key: &str) -> Option<Bytes> {
        let key = records::key(sort as u8, key);
        let record = self.records.by_key(&key)?;
        self.used.push(Known { path: String::new(), stamp: None, key, record: record.clone() });
        Some(record)
    }

    /// Keeps bytes under a key.
    pub fn put(&mut self, sort: Sort, key: &str, bytes: Vec<u8>) -> Bytes {
        let record = Bytes::Own(bytes.into());
        let key = records::key(sort as u8, key);
        self.used.push(Known { path: String::new(), stamp: None, key, record: record.clone() });
        self.fresh = true;
        record
    }

    /// Writes what is new, if anything is.
    pub fn save(&mut self) {
        if let Some(place) = self.place.as_deref().filter(|_| self.fresh) {
            self.records.write(place, self.version, &self.used);
            self.fresh = false;
        }
    }
}

/// Names everything that a record of the cache depends on and its key does not say.
fn version() -> u32 {
    let mut text = format!("{FORMAT} {}", env!("CARGO_PKG_VERSION"));
    for (name, schema) in schema::all() {
        text.push_str(name);
        text.push_str(&schema.to_string());
    }
    let digest = super::identity::sha256(text.as_bytes());
    u32::from_str_radix(&digest[..8], 16).unwrap_or_default()
}
