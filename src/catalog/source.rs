//! The files of a catalog at a commit, or in the work tree: which there are, and their bytes when they are asked for.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::document::{self, MAX_BYTES, RECORD_FILES};
use super::finding::Finding;
use super::policy::{self, TrustRoot};
use super::settings::Settings;
use crate::error::{Code, Error, Result};
use crate::store::documents::{Files, Found, Oddity, TreeFile, blob_id};
use crate::store::userfile;

/// The folder of a record that holds its statements.
pub const EVIDENCE: &str = "evidence";

/// The folder of the topics below the source.
pub const TOPICS: &str = "_topics";

/// Where a catalog is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At<'a> {
    /// What a revision holds.
    Revision(&'a str),
    /// What lies in the work tree, committed or not.
    WorkTree,
}

/// A repository with a catalog.
#[derive(Clone, Debug)]
pub struct Place {
    files: Files,
    /// The tracker's folder below the top of the work tree.
    tracker: String,
}

/// The catalog of a repository at one moment.
#[derive(Debug)]
pub struct Source {
    /// The settings that hold there.
    pub settings: Settings,
    /// The commit that was read, or that the work tree stands on; empty before the first.
    pub commit: String,
    /// Whether it holds something that no commit does.
    pub dirty: bool,
    /// The files below the source, by path.
    pub files: Vec<TreeFile>,
    /// What lies below the source and is no file that can be read.
    odd: Vec<(String, Oddity)>,
    /// Those of the work tree.
    bytes: HashMap<String, Vec<u8>>,
    place: Place,
}

/// The files of one record.
#[derive(Clone, Debug)]
pub struct Folder<'s> {
    /// Its name: the slug.
    pub name: &'s str,
    /// Every file that could hold the record.
    pub records: Vec<&'s TreeFile>,
    /// The files of its evidence.
    pub evidence: Vec<&'s TreeFile>,
}

impl Place {
    /// The repository around a folder; `tracker` is the root of its tracker, where it has one.
    ///
    /// Errors: `repository_missing`.
    pub fn around(folder: &Path, tracker: Option<&Path>) -> Result<Place> {
        let Some(files) = Files::around(folder) else {
            let message = format!("no Git repository around `{}`", folder.display());
            return Err(Error::new(Code::RepositoryMissing, message).hint("git init"));
        };
        let inside = tracker.and_then(|root| root.strip_prefix(files.top()).ok()).map(|path| {
            path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
        });
        let tracker = inside.filter(|path| !path.is_empty()).unwrap_or_else(|| ".agents/pm".to_owned());
        Ok(Place { files, tracker })
    }

    /// The top of the work tree.
    pub fn top(&self) -> &Path {
        self.files.top()
    }

    fn settings_path(&self) -> String {
        format!("{}/settings.json", self.tracker)
    }

    /// The settings of the work tree.
    ///
    /// Errors: `catalog_settings_invalid`.
    pub fn settings(&self) -> Result<Settings> {
        let bytes = self.files.read(&self.settings_path(), MAX_BYTES).ok();
        Settings::read(&self.tracker, bytes.as_deref())
    }
}

impl Source {
    /// Lists the files of a catalog.
    ///
    /// Errors: `REVISION_NOT_FOUND`, `catalog_settings_invalid`, `git_unavailable`, `repository_unreadable`.
    pub fn open(place: &Place, at: At<'_>) -> Result<Source> {
        match at {
            At::Revision(rev) => Source::revision(place, rev)?.ok_or_else(|| not_found(place, rev)),
            At::WorkTree => Source::work_tree(place),
        }
    }

    fn revision(place: &Place, rev: &str) -> Result<Option<Source>> {
        let Some(commit) = place.files.commit(rev)? else { return Ok(None) };
        let settings = place.files.blob_at(&commit, &place.settings_path());
        let settings = Settings::read(&place.tracker, settings.as_deref())?;
        let found = place.files.tree_below(&commit, &settings.source)?;
        let own = |path: &str| below(path, &settings.source);
        let files = found.files.into_iter().map(|file| TreeFile { path: own(&file.path), ..file }).collect();
        let odd = found.odd.iter().map(|(path, what)| (own(path), *what)).collect();
        let (dirty, bytes, place) = (false, HashMap::new(), place.clone());
        Ok(Some(Source { settings, commit, dirty, files, odd, bytes, place }))
    }

    /// The records of the work tree that have these names, all without names, and what they are judged by; nobody asks
    /// Git what is committed.
    ///
    /// Errors: `catalog_settings_invalid`.
    pub fn draft(place: &Place, slugs: &[String]) -> Result<Source> {
        let settings = place.settings()?;
        let roots: Vec<String> = match slugs {
            [] => vec![settings.source.clone()],
            _ if place.files.is_link(&settings.source) => vec![settings.source.clone()],
            slugs => {
                let names = slugs.iter().map(String::as_str).chain([TOPICS, policy::FOLDER]);
                names.map(|name| format!("{}/{name}", settings.source)).collect()
            }
        };
        let (mut files, mut odd, mut bytes) = (Vec::new(), Vec::new(), HashMap::new());
        for found in roots.iter().map(|root| place.files.all_below(root)) {
            odd.extend(found.odd.iter().map(|(path, what)| (below(path, &settings.source), *what)));
            for path in found.files {
                let file = drafted(place, &path, &settings.source, &mut bytes);
                files.extend(file);
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Source { settings, commit: String::new(), dirty: true, files, odd, bytes, place: place.clone() })
    }

    fn work_tree(place: &Place) -> Result<Source> {
        let draft = Source::draft(place, &[])?;
        let committed = Source::revision(place, "HEAD").ok().flatten();
        let same = committed.as_ref().is_some_and(|old| {
            // What a link holds is no content of a record.
            let blob = |file: &TreeFile| if file.link { String::new() } else { file.blob.clone() };
            let facts = |file: &TreeFile| (file.path.clone(), blob(file), file.link);
            let known = |file: &&TreeFile| !file.path.split('/').any(|part| part.starts_with('.'));
            let before = old.files.iter().filter(known).map(facts);
            old.settings == draft.settings && before.eq(draft.files.iter().map(facts))
        });
        let commit = committed.map(|old| old.commit).unwrap_or_default();
        Ok(Source { commit, dirty: !same, ..draft })
    }

    /// The repository.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// A path below the source, from the top of the work tree.
    pub fn path(&self, below: &str) -> String {
        format!("{}/{below}", self.settings.source)
    }

    /// What lies where a record would, and cannot be read as one: folders that are links, names that are no UTF-8,
    /// repositories inside, pipes. Nothing of it is served, and nothing of it may vanish without a word.
    pub fn strays(&self) -> Vec<Finding> {
        const LINK: &str = "it is a link; what is served lies in the repository itself, as files in a folder";
        let link = |file: &TreeFile| {
            let part = file.path.rsplit('/').next().unwrap_or_default();
            // A link in the place of a file is told where the file is read.
            let is_folder = !file.path.contains('/') || part == EVIDENCE || file.path == self.settings.source;
            (file.link && is_folder && !part.starts_with('.'))
                .then(|| Finding::error(&self.place_of(&file.path), "unreadable", LINK))
        };
        let mut found: Vec<Finding> = self.files.iter().filter_map(link).collect();
        let hidden = |path: &str| path.split('/').any(|part| part.starts_with('.'));
        found.extend(self.odd.iter().filter(|(path, _)| !hidden(path)).map(|(path, what)| {
            let problem = match what {
                Oddity::Name => "its name is no UTF-8 text",
                Oddity::Repository => {
                    "it is a repository of its own, and its files are not those of this one"
                }
                Oddity::NoFile => "it is no file, and nothing that a commit can hold",
            };
            Finding::error(&self.place_of(path), "unreadable", problem)
        }));
        found
    }

    /// Files that lie where records, statements and topics would, and that nothing reads: a misspelt name, a folder too
    /// deep.
    pub fn unread(&self) -> Vec<Finding> {
        let problem = |path: &str| match path.split_once('/') {
            Some((TOPICS, name)) => {
                (!is_topic(name)).then_some("no topic is called like that: a topic is `<topic>.toon`")
            }
            Some((folder, _)) if folder.starts_with(['_', '.']) => None,
            Some((_, rest)) if rest == EVIDENCE => {
                Some("it is a file, and statements lie in a folder of this name")
            }
            Some((_, rest)) => {
                let name = rest.strip_prefix(EVIDENCE)?.strip_prefix('/')?;
                let is_read = !name.contains('/') && is_evidence(name);
                (!is_read).then_some(
                    "it is no statement, and nothing reads it: statements are `evidence/<name>.json`",
                )
            }
            None if document::is_record(path) => {
                Some("a record lies in a folder of its own, called by its slug")
            }
            None => None,
        };
        let files = self.files.iter().filter(|file| !file.link);
        let told = files.filter_map(|file| Some((file, problem(&file.path)?)));
        told.map(|(file, problem)| Finding::warning(&self.path(&file.path), "unread", problem)).collect()
    }

    fn place_of(&self, below: &str) -> String {
        if below == self.settings.source { below.to_owned() } else { self.path(below) }
    }

    /// The folders of records, by name.
    pub fn folders(&self) -> Vec<Folder<'_>> {
        let mut folders: BTreeMap<&str, Folder<'_>> = BTreeMap::new();
        for file in &self.files {
            let Some((name, rest)) = file.path.split_once('/') else { continue };
            if name.starts_with(['_', '.']) {
                continue;
            }
            let empty = Folder { name, records: Vec::new(), evidence: Vec::new() };
            let folder = folders.entry(name).or_insert(empty);
            match rest.split_once('/') {
                None if RECORD_FILES.contains(&rest) => folder.records.push(file),
                Some((EVIDENCE, name)) if !name.contains('/') && is_evidence(name) => {
                    folder.evidence.push(file)
                }
                _ => {}
            }
        }
        folders.into_values().collect()
    }

    /// The files of topics: name and file.
    pub fn topics(&self) -> Vec<(&str, &TreeFile)> {
        let topic = |file| {
            let file: &TreeFile = file;
            let name = file.path.strip_prefix(TOPICS)?.strip_prefix('/')?.strip_suffix(".toon")?;
            (!name.contains('/')).then_some((name, file))
        };
        self.files.iter().filter_map(topic).collect()
    }

    /// The bytes of files, in the order asked for; a link, a file too large and one that is gone have none.
    ///
    /// Errors: what Git says.
    pub fn read(&self, files: &[&TreeFile]) -> Result<Vec<Option<Vec<u8>>>> {
        let mut all: Vec<Option<Vec<u8>>> = vec![None; files.len()];
        let mut asked = Vec::new();
        for (n, file) in files.iter().enumerate().filter(|(_, file)| !file.link && file.size <= MAX_BYTES) {
            match self.bytes.get(&file.blob) {
                Some(bytes) => all[n] = Some(bytes.clone()),
                None => asked.push(n),
            }
        }
        let ids: Vec<String> = asked.iter().map(|n| files[*n].blob.clone()).collect();
        self.place.files.blobs(&ids, |n, bytes| all[asked[n]] = Some(bytes))?;
        Ok(all)
    }

    /// Whom this catalog trusts: the folder `_trust` of the source, or one outside.
    ///
    /// Errors: `catalog_trust_root_invalid`.
    pub fn trust_root(&self, outside: Option<&Path>) -> Result<TrustRoot> {
        let invalid = |problem: String, path: String| {
            let message = format!("`{path}` cannot be read as a policy: {problem}");
            Error::new(Code::CatalogTrustRootInvalid, message).at(path)
        };
        if let Some(folder) = outside {
            if userfile::shape(folder, ".") != userfile::Shape::Folder {
                let message = format!("`{}` is no folder", folder.display());
                return Err(Error::new(Code::CatalogTrustRootInvalid, message).at("--trust-root"));
            }
            let mut files = [None, None, None];
            for (file, name) in files.iter_mut().zip(policy::FILES) {
                // A missing file is an empty one; one that cannot be read may be the list of what must not count.
                *file = match userfile::shape(folder, name) {
                    userfile::Shape::Missing => None,
                    userfile::Shape::File => {
                        let read = userfile::read_bytes(folder, name, MAX_BYTES);
                        let path = folder.join(name).display().to_string();
                        Some(read.map_err(|error| invalid(error.to_string(), path))?)
                    }
                    _ => {
                        return Err(invalid(
                            "it is no file".to_owned(),
                            folder.join(name).display().to_string(),
                        ));
                    }
                };
            }
            let path = folder.join("policy.toon").display().to_string();
            return TrustRoot::read("folder", files).map_err(|problem| invalid(problem, path));
        }
        let named = policy::FILES.map(|name| {
            let path = format!("{}/{name}", policy::FOLDER);
            self.files.iter().find(|file| file.path == path)
        });
        let there: Vec<&TreeFile> = named.iter().flatten().copied().collect();
        let folder = self.files.iter().find(|file| file.link && file.path == policy::FOLDER);
        let unread = there.iter().copied().find(|file| file.link || file.size > MAX_BYTES);
        if let Some(file) = folder.or(unread) {
            return Err(invalid("it is a link, or too large".to_owned(), self.path(&file.path)));
        }
        let own = |path: &str| path.split('/').next() == Some(policy::FOLDER);
        if let Some((path, _)) = self.odd.iter().find(|(path, _)| own(path)) {
            return Err(invalid("it is no file".to_owned(), self.path(path)));
        }
        let mut read = self.read(&there)?.into_iter();
        let files = named.map(|file| file.and_then(|_| read.next().flatten()));
        let path = self.path(&format!("{}/policy.toon", policy::FOLDER));
        TrustRoot::read("repository", files).map_err(|problem| invalid(problem, path))
    }
}

/// A file of the work tree; what is no file, a link to a folder or out of the repository, is told as a link without
/// bytes.
fn drafted(
    place: &Place,
    path: &str,
    source: &str,
    bytes: &mut HashMap<String, Vec<u8>>,
) -> Option<TreeFile> {
    let own = below(path, source);
    let link = TreeFile { path: own.clone(), blob: String::new(), link: true, size: 0 };
    if place.files.is_link(path) {
        return Some(link);
    }
    let Found::File(size, _) = place.files.look(path) else { return None };
    let read = match place.files.read(path, MAX_BYTES) {
        Ok(read) => read,
        Err(_) if size > MAX_BYTES => Vec::new(),
        // It is there and nobody may read it: as little a file of this catalog as what lies elsewhere.
        Err(_) => return Some(link),
    };
    let file = TreeFile { path: own, blob: blob_id(&read), link: false, size };
    bytes.insert(file.blob.clone(), read);
    Some(file)
}

/// Whether a file of the topics is one: called by a name that a record can have as its topic.
fn is_topic(name: &str) -> bool {
    let plain = |stem: &str| {
        (2..=63).contains(&stem.len())
            && !stem.starts_with('-')
            && stem.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    name.strip_suffix(".toon").is_some_and(plain)
}

fn is_evidence(name: &str) -> bool {
    name.ends_with(".json") || name.ends_with(".json.sig")
}

fn below(path: &str, folder: &str) -> String {
    path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path).to_owned()
}

fn not_found(place: &Place, rev: &str) -> Error {
    let names = place.files.names();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let near: Vec<&str> = crate::nearest::words(rev, &names).into_iter().take(3).collect();
    let message = match rev {
        "HEAD" => "this repository has no commit yet".to_owned(),
        rev => format!("no revision `{rev}` in this repository"),
    };
    Error::new(Code::RevisionNotFound, message).at("--rev").rejecting(rev).fact("nearest", near)
}
