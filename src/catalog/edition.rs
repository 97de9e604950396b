//! The majors of a catalog that was built. As long as a later one has no shapes of its own, it differs from the first by
//! version and paths only: [`lift`] makes it of the first, and an [`Edition`] reads it as if it were the first.
//!
//! Minor versions only add, so a reader takes any of them for the one that it knows.

use serde_json::Value;

use super::folder::Folder;

/// The keys of documents that name a path of the catalog.
pub const PATHS: [&str; 4] = ["$id", "endpoint", "href", "next_cursor"];

/// The schemas that authors and principals write by: they go on writing the first version, and a
/// field that is newly required breaks them.
pub(super) const AUTHORED: [&str; 3] = ["p0", "p1", "statement"];

/// A path of the first major in another one; what belongs to no major stays.
pub fn path(path: &str, major: u32) -> String {
    moved(path, 1, major)
}

fn moved(path: &str, from: u32, to: u32) -> String {
    for folder in ["/", "/spec/"] {
        if let Some(rest) = path.strip_prefix(&format!("{folder}v{from}/")) {
            return format!("{folder}v{to}/{rest}");
        }
    }
    path.to_owned()
}

/// A path of another major as the first one has it; what belongs to no major stays.
pub fn lowered(path: &str, major: u32) -> String {
    moved(path, major, 1)
}

/// The major of a path: 2 of `/v2/index.json` and of `/spec/v2/trust.md`; none for what all majors share.
pub fn major_of(path: &str) -> Option<u32> {
    let rest = path.strip_prefix("/spec/").or_else(|| path.strip_prefix('/'))?;
    numbered(rest.split_once('/')?.0)
}

/// The number of a major by the name of its folder, `v2`.
pub fn numbered(folder: &str) -> Option<u32> {
    let digits = folder.strip_prefix('v')?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    plain.then(|| digits.parse().ok()).flatten()
}

/// Makes a document of the first major, which has this path, one of another.
pub fn lift(document: &mut Value, path: &str, major: u32) {
    rewrite(document, 1, major, !is_authored(path));
}

fn is_authored(path: &str) -> bool {
    AUTHORED.iter().any(|name| path.ends_with(&format!("/schema/{name}.json")))
}

/// Changes versions and paths from one major to another.
fn rewrite(value: &mut Value, from: u32, to: u32, versions: bool) {
    match value {
        Value::Object(map) => {
            for (key, below) in map.iter_mut() {
                let versioned = versions && matches!(key.as_str(), "schema_version" | "const");
                match below {
                    Value::String(text) if versioned && is_version(text, from) => *text = format!("{to}.0"),
                    Value::String(text) if PATHS.contains(&key.as_str()) => {
                        *text = text.replacen(&format!("/v{from}/"), &format!("/v{to}/"), 1);
                    }
                    // What a schema says in words names paths too.
                    Value::String(text) if key == "description" => {
                        *text = text.replace(&format!("/v{from}/"), &format!("/v{to}/"));
                    }
                    below => rewrite(below, from, to, versions),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|below| rewrite(below, from, to, versions)),
        _ => {}
    }
}

/// Whether a text is a version of a major: `1.0`, `1.7`.
pub fn is_version(text: &str, major: u32) -> bool {
    let minor = text.strip_prefix(&format!("{major}."));
    minor.is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit()))
}

/// One major of a catalog that was built; paths and documents are told as those of the first.
#[derive(Clone, Copy, Debug)]
pub struct Edition<'f> {
    folder: &'f Folder,
    major: u32,
}

impl<'f> Edition<'f> {
    pub(super) fn of(folder: &'f Folder, major: u32) -> Edition<'f> {
        Edition { folder, major }
    }

    /// Its number.
    pub fn major(self) -> u32 {
        self.major
    }

    /// The folder that it is in.
    pub fn folder(self) -> &'f Folder {
        self.folder
    }

    /// Where a path of the first major is in this one.
    pub fn path(self, path: &str) -> String {
        self::path(path, self.major)
    }

    /// A path of this major as the first one has it.
    pub fn lowered(self, path: &str) -> String {
        lowered(path, self.major)
    }

    /// Whether it has a file.
    pub fn has(self, path: &str) -> bool {
        self.folder.has(&self.path(path))
    }

    /// The bytes of a file as they stand.
    pub fn bytes(self, path: &str) -> Option<Vec<u8>> {
        self.folder.bytes(&self.path(path))
    }

    /// A document as the first major has it; none when there is no such file, or it is no JSON.
    pub fn json(self, path: &str) -> Option<Value> {
        self.document(path, &self.bytes(path)?)
    }

    /// The bytes of a document as the first major has it; none when they are no JSON.
    pub fn document(self, path: &str, bytes: &[u8]) -> Option<Value> {
        let mut document = super::document::json(std::str::from_utf8(bytes).ok()?).ok()?;
        rewrite(&mut document, self.major, 1, !is_authored(path));
        Some(document)
    }

    /// Its files below a folder, by their paths in the first major.
    pub fn below(self, prefix: &str) -> Vec<String> {
        let own = self.path(prefix);
        let paths = self.folder.paths.iter().filter(|path| path.starts_with(&own));
        paths.map(|path| self.lowered(path)).collect()
    }

    /// The pages of a list, first to last, each with its path; a page that names a missing one is the last.
    pub fn pages(self, first: &str) -> Vec<(String, Value)> {
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

/// A path of the first major without what stands in front of the catalog where it is served.
pub fn without_base(path: &str) -> &str {
    path.find("/v1/").map_or(path, |at| &path[at..])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_lifted_comes_down_again() {
        let first = json!({"schema_version": "1.0", "entries": [{"href": "/docs/v1/runbooks/a.json"}], "next_cursor": "/docs/v1/index.2.json"});
        let mut second = first.clone();
        lift(&mut second, "/v1/index.json", 2);
        assert_eq!(
            second,
            json!({"schema_version": "2.0", "entries": [{"href": "/docs/v2/runbooks/a.json"}], "next_cursor": "/docs/v2/index.2.json"})
        );
        second["schema_version"] = json!("2.7");
        rewrite(&mut second, 2, 1, true);
        assert_eq!(second, first);
    }

    #[test]
    fn paths_know_their_major() {
        assert_eq!(
            (path("/v1/index.json", 2), path("/spec/v1/a.md", 3)),
            ("/v2/index.json".into(), "/spec/v3/a.md".into())
        );
        assert_eq!(path("/assets/v1/x.js", 2), "/assets/v1/x.js");
        for (path, major) in [
            ("/v2/x.json", Some(2)),
            ("/spec/v1/a.md", Some(1)),
            ("/assets/a.js", None),
            ("/v0/x", None),
            ("/vx/y", None),
            ("/v12", None),
        ] {
            assert_eq!(major_of(path), major, "{path}");
        }
        assert!(
            is_version("1.12", 1) && !is_version("1.", 1) && !is_version("2.0", 1) && !is_version("1.x", 1)
        );
    }
}
