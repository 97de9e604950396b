//! The documents of a catalog that was built, each held against the manifest before a word of it is believed.

use serde_json::{Map, Value};

use super::artifacts::MANIFEST;
use super::edition::Edition;
use super::identity;

/// A major whose manifest was read.
#[derive(Debug)]
pub struct Sealed<'f> {
    edition: Edition<'f>,
    files: Map<String, Value>,
}

/// Why a document is not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The path of the document.
    pub path: String,
    /// What is wrong with it.
    pub problem: String,
}

impl<'f> Sealed<'f> {
    /// Of a major; without a manifest that can be read it names no file.
    pub fn of(edition: Edition<'f>) -> Sealed<'f> {
        let mut manifest = edition.folder().json(&edition.path(MANIFEST)).unwrap_or_default();
        let files = manifest.get_mut("files").map(Value::take);
        let files = files.and_then(|files| if let Value::Object(map) = files { Some(map) } else { None });
        Sealed { edition, files: files.unwrap_or_default() }
    }

    /// The major.
    pub fn edition(&self) -> Edition<'f> {
        self.edition
    }

    /// A document as the first major has it, when its bytes are those of the manifest.
    ///
    /// Errors: what is wrong with it.
    pub fn document(&self, path: &str) -> Result<Value, Broken> {
        let own = self.edition.path(path);
        let broken = |problem: String| Broken { path: own.clone(), problem };
        // Read once: what is judged is what is returned.
        let bytes = self.edition.bytes(path).ok_or_else(|| broken(format!("{own} is not there")))?;
        let listed = self.files.get(&own).and_then(|facts| facts.get("sha256")?.as_str());
        if listed != Some(identity::sha256(&bytes).as_str()) {
            return Err(broken(format!("the bytes of {own} are not those of the manifest")));
        }
        self.edition.document(path, &bytes).ok_or_else(|| broken(format!("{own} is no JSON")))
    }
}
