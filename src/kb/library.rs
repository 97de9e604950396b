//! A repository as a library: its documents at the work tree or at a revision, read once, and the actions on them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::actions::{Flag, Verb};
use super::config::Config;
use super::corpus::Corpus;
use super::document::{self, Document};
use super::record;
use super::refusal;
use super::reply;
use super::request::Request;
use crate::answer::Answer;
use crate::clock::{Clock, Meter};
use crate::codec::hex;
use crate::codec::item::Format;
use crate::contract::Want;
use crate::error::{Code, Error, Result};
use crate::store::Stamp;
use crate::store::documents::{self, Files, Found, blob_id};
use crate::store::git::GitError;
use crate::store::records::{self, Bytes, Known, Records};

/// Where the items of a tracker lie, unless the call says otherwise.
pub const TRACKER: &str = ".agents/pm";

/// Folders of a tracker that hold no items.
const NO_ITEMS: [&str; 10] = [
    "checkpoints",
    "extensions",
    "history",
    "locks",
    "runtime",
    "schema",
    "search",
    "templates",
    "transactions",
    "events",
];

/// The documents of a repository at one moment.
#[derive(Debug)]
pub struct Library {
    /// The settings that hold there.
    pub config: Config,
    /// The documents.
    pub corpus: Corpus,
    /// `worktree`, or the full id of a commit.
    pub source: String,
    /// What names the content: a digest of paths and blobs, or the id of the tree.
    pub id: String,
    /// The commit that names of older days are looked up in.
    pub(crate) commit: String,
    /// Files that were passed over: path and reason.
    pub skipped: Vec<(String, &'static str)>,
    files: Files,
    /// Documents of a revision that were asked for together.
    ahead: RefCell<HashMap<usize, Vec<u8>>>,
}

/// Where a library is read from.
#[derive(Clone, Debug)]
pub struct Place {
    files: Files,
    /// The tracker's folder below the top of the work tree.
    tracker: String,
    /// The commit and the tree of a revision.
    revision: Option<(String, String)>,
}

impl Place {
    /// The repository around a folder; `tracker` is the root of its tracker, where it has one.
    ///
    /// Errors: `repository_missing`.
    pub fn around(folder: &std::path::Path, tracker: Option<&std::path::Path>) -> Result<Place> {
        let Some(files) = Files::around(folder) else {
            return Err(Error::new(
                Code::RepositoryMissing,
                format!("no Git repository around `{}`", folder.display()),
            )
            .hint("git init"));
        };
        let inside = tracker.and_then(|root| root.strip_prefix(files.top()).ok()).map(|path| {
            path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
        });
        let tracker = inside.filter(|path| !path.is_empty()).unwrap_or_else(|| TRACKER.to_owned());
        Ok(Place { files, tracker, revision: None })
    }

    /// The same repository at a revision; none when Git knows no such commit.
    ///
    /// Errors: `git_unavailable`.
    pub fn at(&self, rev: &str) -> Result<Option<Place>> {
        let revision = self.files.revision(rev)?;
        Ok(revision.map(|revision| Place { revision: Some(revision), ..self.clone() }))
    }

    /// The settings that hold there.
    ///
    /// Errors: `KB_CONFIG_INVALID_KIND`.
    pub fn config(&self) -> Result<Config> {
        let path = format!("{}/settings.json", self.tracker);
        let bytes = match &self.revision {
            None => self.files.read(&path, 4 << 20).ok(),
            Some((commit, _)) => self.files.blob_at(commit, &path),
        };
        bytes.map_or_else(|| Ok(Config::default()), |bytes| Config::read(&String::from_utf8_lossy(&bytes)))
    }

    /// The revision that a call names, or the work tree, with the settings there and the call's filters checked by
    /// them.
    ///
    /// Errors: those of [`Request::check_filters`], `KB_CONFIG_INVALID_KIND`, `REVISION_NOT_FOUND`.
    fn of(&self, request: &Request) -> Result<(Place, Config)> {
        let Some(rev) = &request.rev else {
            let config = self.config()?;
            return request.check_filters(&config).map(|()| (self.clone(), config));
        };
        let Some(place) = self.at(rev)? else {
            request.check_filters(&self.config().unwrap_or_default())?;
            let names = self.files.names();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let near: Vec<String> =
                crate::nearest::words(rev, &names).into_iter().take(3).map(str::to_owned).collect();
            return Err(refusal::revision_not_found(rev, &near));
        };
        let config = place.config()?;
        request.check_filters(&config).map(|()| (place, config))
    }
}

impl Library {
    /// Reads the documents of a place.
    ///
    /// Errors: `git_unavailable`, `repository_unreadable`.
    pub fn open(place: &Place, config: Config) -> Result<Library> {
        let at = records::place(place.files.top(), "kb");
        let open = || at.as_deref().map(|at| Records::open(at, record::VERSION)).unwrap_or_default();
        let (cache, paths) = match &place.revision {
            Some(_) => (open(), Ok(Vec::new())),
            None => std::thread::scope(|scope| {
                let paths = scope.spawn(|| place.files.list());
                let cache = open();
                let paths =
                    paths.join().unwrap_or_else(|_| Err(GitError::Refused("it broke off".to_owned())));
                (cache, paths)
            }),
        };
        let paths = paths?;
        let (files, known, skipped) = (Vec::new(), Vec::new(), Vec::new());
        let mut reader = Reader { place, config: &config, cache, files, known, skipped, fresh: false };
        match &place.revision {
            None => reader.work_tree(paths),
            Some((_, tree)) => reader.revision(tree)?,
        }
        if let Some(at) = at.as_deref().filter(|_| reader.fresh) {
            reader.cache.write(at, record::VERSION, &reader.known);
        }
        let Reader { mut files, skipped, .. } = reader;
        files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let (source, id, commit) = match &place.revision {
            Some((commit, tree)) => (commit.clone(), tree.clone(), commit.clone()),
            None => ("worktree".to_owned(), identity(&files, &config), "HEAD".to_owned()),
        };
        let corpus = Corpus::new(files, &config);
        let (files, ahead) = (place.files.clone(), RefCell::default());
        Ok(Library { config, corpus, source, id, commit, skipped, files, ahead })
    }

    /// Answers a call: its parameters by name, in the types of the declaration. `bodies` counts those that a server
    /// hands out; a call that fails, or shows none, is not counted.
    ///
    /// Errors: every refusal of the contract, in its order; `BODY_RATE_LIMITED` last.
    pub fn call<'a>(
        place: &Place,
        verb: Verb,
        given: &Map<String, Value>,
        want: &Want,
        clock: &Clock,
        bodies: Option<&Meter>,
    ) -> Result<Answer<'a>> {
        let request = Request::check(verb, given, want)?;
        let (place, config) = place.of(&request)?;
        super::legacy::refuse_after_sunset(&request, &config, clock)?;
        let library = Rc::new(Library::open(&place, config)?);
        let counted = bodies.filter(|_| request.disclosure.has(Flag::Body));
        let most = library.config.max_body_reads_per_minute;
        let answer = reply::answer(&library, request)?;
        if let (Some(bodies), Some(most)) = (counted, most) {
            bodies.admit(clock.now(), most).map_err(|seconds| refusal::too_many_bodies(most, seconds))?;
        }
        Ok(answer)
    }

    /// The bytes of a document, read again.
    fn bytes(&self, n: usize) -> Option<Vec<u8>> {
        let entry = self.corpus.entries.get(n)?;
        match self.source == "worktree" {
            true => self.files.read(&entry.path, self.config.max_file_bytes).ok(),
            false => match self.ahead.borrow().get(&n) {
                Some(bytes) => Some(bytes.clone()),
                None => self.files.blob(&entry.blob),
            },
        }
    }

    /// Has documents of a revision read by one process of Git instead of one each; in the work tree there is nothing
    /// to gain. What cannot be read is tried again when it is wanted.
    pub(crate) fn read_ahead(&self, wanted: impl Iterator<Item = usize>) {
        if self.source == "worktree" {
            return;
        }
        let mut ahead = self.ahead.borrow_mut();
        let wanted: Vec<usize> = wanted.filter(|n| !ahead.contains_key(n)).collect();
        let ids: Vec<String> = wanted.iter().map(|n| self.corpus.entries[*n].blob.clone()).collect();
        self.files
            .blobs(&ids, |n, bytes| {
                ahead.insert(wanted[n], bytes);
            })
            .ok();
    }

    /// The document itself.
    pub(crate) fn document(&self, n: usize) -> Option<Document> {
        parse(&self.corpus.entries.get(n)?.path, &self.bytes(n)?)
    }

    /// The text of its file.
    pub(crate) fn text(&self, n: usize) -> Option<String> {
        self.bytes(n).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Where a path went by Git's rename detection.
    pub(crate) fn successor(&self, path: &str) -> Option<String> {
        self.files.successor(path, &self.commit, self.source == "worktree")
    }

    /// What names the corpus in an answer.
    pub(crate) fn echo(&self) -> Value {
        json!({"source": self.source, "id": self.id})
    }
}

/// Reads a file by its name; none when it is no document.
fn parse(path: &str, bytes: &[u8]) -> Option<Document> {
    if is_runbook_file(path) {
        return document::read_runbook(path, bytes);
    }
    if path.ends_with(".toon") {
        return document::read_item(bytes, Format::Toon);
    }
    Some(document::read(bytes))
}

/// Whether bytes are no text.
fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(8_000)]).is_some()
}

/// The digest of paths, blobs and settings.
fn identity(files: &[(String, String, Bytes)], config: &Config) -> String {
    let mut hash = Sha256::new();
    for (path, blob, _) in files {
        hash.update(path.as_bytes());
        hash.update([0]);
        hash.update(blob.as_bytes());
        hash.update([0]);
    }
    if !config.document.is_null() {
        hash.update(crate::codec::json::stable(&config.document));
    }
    hex::encode(&hash.finalize()[..6])
}

/// A file that is a document, or why it is none.
enum Read {
    Document(Known, String),
    Skipped(String, &'static str),
}

struct Reader<'p> {
    place: &'p Place,
    config: &'p Config,
    cache: Records,
    files: Vec<(String, String, Bytes)>,
    known: Vec<Known>,
    skipped: Vec<(String, &'static str)>,
    /// Something was read that the cache does not have.
    fresh: bool,
}

impl Reader<'_> {
    /// Whether a path is an item of the tracker.
    fn is_item(&self, path: &str) -> bool {
        let below = path.strip_prefix(self.place.tracker.as_str()).and_then(|rest| rest.strip_prefix('/'));
        let Some(below) = below else { return false };
        let mut parts = below.split('/');
        let (folder, file) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        parts.next().is_none()
            && file.ends_with(".toon")
            && !folder.starts_with('.')
            && !NO_ITEMS.contains(&folder)
    }

    /// Whether a path is a runbook of the catalog.
    fn is_runbook(&self, path: &str) -> bool {
        let own = format!("{}/runbooks", self.place.tracker);
        let folder = self.config.runbook_folder.as_deref().unwrap_or(&own);
        let below = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        below
            .and_then(|rest| rest.split_once('/'))
            .is_some_and(|(slug, file)| document::RUNBOOKS.contains(&file) && !slug.starts_with(['_', '.']))
    }

    fn takes(&self, path: &str) -> bool {
        if self.config.runbooks && self.is_runbook(path) {
            return true;
        }
        let rest = path.strip_prefix(self.place.tracker.as_str());
        let of_tracker = rest.is_some_and(|rest| rest.starts_with('/'));
        self.config.takes(path) && !of_tracker || self.config.items && self.is_item(path)
    }

    /// Makes documents of bytes, on all cores; what the cache knows by its blob is not made again.
    fn make<T: Sync>(
        &mut self,
        all: &[T],
        read: impl Fn(&T) -> Option<(String, Vec<u8>, Option<Stamp>)> + Sync,
    ) {
        if all.is_empty() {
            return;
        }
        self.fresh = true;
        let cache = &self.cache;
        let one = |item: &T| {
            let (path, bytes, stamp) = read(item)?;
            let blob = blob_id(&bytes);
            let key = records::key(sort_of(&path), &blob);
            if let Some(record) = cache.by_key(&key) {
                return Some(Read::Document(Known { path, stamp, key, record }, blob));
            }
            Some(match (is_binary(&bytes), parse(&path, &bytes)) {
                (true, _) => Read::Skipped(path, "binary"),
                (false, None) => Read::Skipped(path, "no_item"),
                (false, Some(document)) => {
                    let record = Bytes::Own(record::encode(&document).into());
                    Read::Document(Known { path, stamp, key, record }, blob)
                }
            })
        };
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(8);
        let share = all.len().div_ceil(threads).max(16);
        let made: Vec<Read> = std::thread::scope(|scope| {
            let work = all
                .chunks(share)
                .map(|part| scope.spawn(move || part.iter().filter_map(&one).collect::<Vec<_>>()));
            let work: Vec<_> = work.collect();
            work.into_iter().flat_map(|one| one.join().unwrap_or_default()).collect()
        });
        for read in made {
            match read {
                Read::Skipped(path, reason) => self.skipped.push((path, reason)),
                Read::Document(known, blob) => self.keep(known, blob),
            }
        }
    }

    fn keep(&mut self, known: Known, blob: String) {
        self.files.push((known.path.clone(), blob, known.record.clone()));
        self.known.push(known);
    }

    fn work_tree(&mut self, mut paths: Vec<String>) {
        let files = &self.place.files;
        if self.config.items {
            paths.extend(files.below(&self.place.tracker));
            paths.sort_unstable();
            paths.dedup();
        }
        let now = documents::now_ns();
        let most = self.config.max_file_bytes;
        let mut unknown = Vec::new();
        for path in paths {
            if !self.takes(&path) {
                continue;
            }
            match files.look(&path) {
                Found::File(size, _) if size > most => self.skipped.push((path, "too_large")),
                Found::File(_, stamp) => match stamp.and_then(|stamp| self.cache.by_stamp(&path, &stamp)) {
                    Some((key, record)) => {
                        let blob = hex::encode(&key[1..21]);
                        self.keep(Known { path, stamp, key, record }, blob);
                    }
                    None => unknown.push((path, stamp.filter(|stamp| !stamp.is_racy(now)))),
                },
                Found::Foreign => self.skipped.push((path, "foreign_link")),
                Found::Nothing => {}
            }
        }
        self.make(&unknown, |(path, stamp)| Some((path.clone(), files.read(path, most).ok()?, *stamp)));
    }

    fn revision(&mut self, tree: &str) -> Result<()> {
        let all = self.place.files.tree(tree)?;
        let mut wanted = Vec::new();
        for file in all.iter().filter(|file| !file.link) {
            if !self.takes(&file.path) {
                continue;
            }
            match file.size > self.config.max_file_bytes {
                true => self.skipped.push((file.path.clone(), "too_large")),
                false => wanted.push((file.path.clone(), file.blob.clone())),
            }
        }
        let links: Vec<_> = all.iter().filter(|file| file.link && self.takes(&file.path)).collect();
        let by_path: HashMap<&str, &str> = documents::ids_by_path(&all);
        for link in links {
            let target = self.place.files.blob(&link.blob).and_then(|bytes| String::from_utf8(bytes).ok());
            let target = target.and_then(|target| target_of(&link.path, &target));
            match target.as_deref().and_then(|target| by_path.get(target)) {
                Some(blob) => wanted.push((link.path.clone(), (*blob).to_owned())),
                None => self.skipped.push((link.path.clone(), "foreign_link")),
            }
        }
        let mut unknown = Vec::new();
        for (path, blob) in wanted {
            let key = records::key(sort_of(&path), &blob);
            match self.cache.by_key(&key) {
                Some(record) => self.keep(Known { path, stamp: None, key, record }, blob),
                None => unknown.push((path, blob)),
            }
        }
        let ids: Vec<String> = unknown.iter().map(|(_, blob)| blob.clone()).collect();
        let mut found = Vec::new();
        self.place.files.blobs(&ids, |n, bytes| found.push((unknown[n].0.clone(), bytes)))?;
        self.make(&found, |(path, bytes)| Some((path.clone(), bytes.clone(), None)));
        Ok(())
    }
}

/// Which reader a path has.
fn sort_of(path: &str) -> u8 {
    if is_runbook_file(path) { 2 } else { u8::from(path.ends_with(".toon")) }
}

fn is_runbook_file(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(_, file)| document::RUNBOOKS.contains(&file))
}

/// The path that a link of the repository leads to; none when it leads out of it.
fn target_of(link: &str, target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = link.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_inside_or_nowhere() {
        assert_eq!(target_of("a/b.md", "../c.md").as_deref(), Some("c.md"));
        assert_eq!(target_of("a/b.md", "c.md").as_deref(), Some("a/c.md"));
        assert_eq!(target_of("b.md", "../c.md"), None);
        assert_eq!(target_of("b.md", "/etc/passwd"), None);
    }
}
