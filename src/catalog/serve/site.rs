//! What each path of a served catalog holds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use serde_json::{Value, json};

use super::http::{Request, Response};
use crate::catalog::artifacts::{MANIFEST, STATUS};
use crate::catalog::edition;
use crate::catalog::folder::Folder;
use crate::catalog::identity;
use crate::catalog::page::{CONTENT_SECURITY_POLICY, media_type};
use crate::catalog::search::{self, Query, parameter_refused};
use crate::catalog::served::FileFacts;
use crate::catalog::statement;
use crate::catalog::words::Level;
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::store::userfile;

/// The largest file that is served.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Whether searches are answered too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// No: the index is the whole of search.
    None,
    /// At `/v1/search`, over records at T2 and above.
    Trusted,
    /// Also at `/v1/search.untrusted`, over all records.
    Untrusted,
}

/// The day on which a search judges levels.
#[derive(Clone, Debug)]
pub enum Day {
    /// Always this one.
    Fixed(Date),
    /// The day of each request.
    Clock(Clock),
}

impl Day {
    fn today(&self) -> Option<Date> {
        match self {
            Day::Fixed(day) => Some(*day),
            Day::Clock(clock) => statement::day(clock.now()),
        }
    }
}

/// A catalog to be served.
#[derive(Clone, Debug)]
pub struct Site {
    root: PathBuf,
    /// What stands in front of every path: empty, or `/docs`.
    base_path: String,
    endpoint: Endpoint,
    day: Day,
}

impl Site {
    /// Of a folder that a catalog was built into.
    ///
    /// Errors: `catalog_folder_invalid`.
    pub fn open(root: &Path, base_path: &str, endpoint: Endpoint, day: Day) -> Result<Site> {
        Folder::open(root)?;
        Ok(Site { root: root.to_owned(), base_path: base_path.to_owned(), endpoint, day })
    }

    /// The response to a request.
    pub(super) fn answer(&self, request: &Request) -> Response {
        if !is_local(request.header("host")) {
            // A name that leads here by chance or malice is not this catalog's.
            return Response::plain(403, "this catalog is served to this machine by its own name only\n");
        }
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Response::plain(405, "a catalog is read with GET and HEAD\n").with("Allow", "GET, HEAD");
        }
        let path = request.path.strip_prefix(self.base_path.as_str()).unwrap_or(&request.path);
        match (lowered(path).as_deref(), self.endpoint) {
            (Some("/v1/search"), Endpoint::Trusted | Endpoint::Untrusted) if self.serves(path) => {
                self.search(request, false)
            }
            (Some("/v1/search.untrusted"), Endpoint::Untrusted) if self.serves(path) => {
                self.search(request, true)
            }
            _ => self.file(path, request),
        }
    }

    /// Whether the major of a path is there.
    fn serves(&self, path: &str) -> bool {
        self.files(path).is_some()
    }

    /// A file of the catalog: one that a manifest names, a manifest, or the status. Any query is passed over, since
    /// files have no parameters.
    fn file(&self, path: &str, request: &Request) -> Response {
        let served = self.files(path);
        let first = served.as_ref().and_then(|_| lowered(path));
        let files = served.unwrap_or_default();
        let is = |wanted: &str| first.as_deref() == Some(wanted);
        let known = |path: &str| files.contains_key(path);
        let file = if path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() };
        if !known(&file) && !is(STATUS) && !is(MANIFEST) {
            let folder = if path == "/" { "/catalog/".to_owned() } else { format!("{path}/") };
            if known(&format!("{folder}index.html")) {
                let query = request.query.as_ref().map_or(String::new(), |query| format!("?{query}"));
                let place = format!("{}{folder}{query}", self.base_path);
                return Response::plain(308, "").with("Location", place);
            }
            return missing();
        }
        let Some(mut bytes) = self.bytes(&file) else { return missing() };
        if is(STATUS) && self.endpoint != Endpoint::None {
            let search = file.replacen("/status.json", "/search", 1);
            bytes = with_endpoint(&bytes, &search).unwrap_or(bytes);
        }
        // The tag of the manifest is that of the bytes it names; a file that changed since has one of its own.
        let listed = files.get(&file).filter(|facts| facts.sha256 == identity::sha256(&bytes));
        let tag = listed.map_or_else(|| identity::file_etag(&bytes), |facts| facts.etag.clone());
        let response = if request.header("if-none-match").is_some_and(|tags| names(tags, &tag)) {
            Response { status: 304, headers: Vec::new(), body: Vec::new() }
        } else {
            Response::of(200, media_type(&file), bytes)
        };
        response
            .with("ETag", tag)
            .with("Cache-Control", "no-cache")
            .with("Content-Security-Policy", CONTENT_SECURITY_POLICY)
    }

    /// The files of the manifest that a path belongs to: that of its own major, the oldest for what all majors share;
    /// none where that major is not there.
    fn files(&self, path: &str) -> Option<BTreeMap<String, FileFacts>> {
        match edition::major_of(path) {
            Some(major) => self.manifest(major),
            None => (1..=9).find_map(|major| self.manifest(major)),
        }
    }

    /// The files of a major that is served, as it stands now: a build may change it at any time.
    fn manifest(&self, major: u32) -> Option<BTreeMap<String, FileFacts>> {
        let bytes = self.bytes(&edition::path(MANIFEST, major))?;
        // A manifest of a later version has another version, and more fields.
        #[derive(serde::Deserialize)]
        struct Files {
            files: BTreeMap<String, FileFacts>,
        }
        serde_json::from_slice::<Files>(&bytes).ok().map(|manifest| manifest.files)
    }

    fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let below = path.strip_prefix('/')?;
        let plain = |part: &str| !part.is_empty() && !part.starts_with('.');
        // A manifest that names a way out of the folder is no manifest of ours.
        let inside = below.split('/').all(plain) && !below.contains(['\\', '\0', ':']);
        inside.then(|| userfile::read_bytes(&self.root, below, MAX_BYTES).ok()).flatten()
    }

    fn search(&self, request: &Request, untrusted: bool) -> Response {
        match self.found(request, untrusted) {
            Ok(answer) => told(200, &answer),
            Err(error) => match error.answer() {
                Some(answer) => told(400, &answer),
                None => Response::plain(500, &format!("{error}\n")),
            },
        }
    }

    fn found(&self, request: &Request, untrusted: bool) -> Result<Value> {
        let given = request.parameters().ok_or_else(|| {
            parameter_refused("query", &Value::Null, &Value::Null, "is no UTF-8 text with percent signs")
        })?;
        let query = Query::read(&given)?;
        if query.reads_untrusted() && !untrusted {
            return Err(below_floor(&query));
        }
        let folder = Folder::open(&self.root)?;
        let mut entries = search::index(&folder, "/v1/search-index.json")?;
        if query.reads_untrusted() {
            entries.extend(search::index(&folder, "/v1/search-index.untrusted.json")?);
        }
        let today = self.day.today().unwrap_or_default();
        search::answer(&entries, &query, today)
    }
}

/// A path of a major as the first one has it.
fn lowered(path: &str) -> Option<String> {
    edition::major_of(path).map(|major| edition::lowered(path, major))
}

/// The opt-in to what nobody vouches for is another path, never a parameter.
fn below_floor(query: &Query) -> Error {
    let permitted: Vec<Level> = Level::ALL.iter().copied().filter(|level| *level >= Level::FLOOR).collect();
    let why = format!("'{}' is below T2, and this path answers with T2 and above only", query.trust_min);
    parameter_refused("trust_min", &json!(query.trust_min), &json!(permitted), &why)
}

fn told(status: u16, answer: &Value) -> Response {
    Response::of(status, "application/json", identity::artifact(answer)).with("Cache-Control", "no-store")
}

fn missing() -> Response {
    Response::plain(404, "there is no such file in this catalog\n")
}

/// The status with the path of the endpoint that is served here.
fn with_endpoint(bytes: &[u8], search: &str) -> Option<Vec<u8>> {
    let mut status: Value = serde_json::from_slice(bytes).ok()?;
    *status.get_mut("search")?.get_mut("endpoint")? = json!(search);
    Some(identity::artifact(&status))
}

/// Whether a list of entity tags names this one.
fn names(tags: &str, tag: &str) -> bool {
    tags.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

/// Whether the host that a client asked for is this machine; a client that names none is older than names.
fn is_local(host: Option<&str>) -> bool {
    let Some(host) = host else { return true };
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    matches!(name.map_or(host, |(name, _)| name), "127.0.0.1" | "localhost" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_hosts_are_compared_as_clients_write_them() {
        assert!(names("\"a\", W/\"b\"", "\"b\"") && names("*", "\"b\"") && !names("\"a\"", "\"b\""));
        for host in ["127.0.0.1:80", "localhost", "[::1]:9", "localhost:8080"] {
            assert!(is_local(Some(host)), "{host}");
        }
        assert!(
            is_local(None) && !is_local(Some("example.org")) && !is_local(Some("127.0.0.1.example.org:80"))
        );
    }
}
