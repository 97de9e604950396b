//! Documents tied together: which URI belongs to which, which kind each is (disclosure.md §5, §6).

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::config::Config;
use super::kind::Kind;
use super::record::{DeclaredKind, Record};
use crate::store::records::Bytes;

/// A document of a corpus.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its path in the repository, with `/`.
    pub path: String,
    /// The id of its bytes, as Git has it, in hex.
    pub blob: String,
    /// Its URI: the one it declares, where it has the better right to it, else one made of its path.
    pub uri: String,
    /// Its kind.
    pub kind: Kind,
    /// Its record.
    pub(crate) record: Bytes,
}

impl Entry {
    /// What is known of it without reading it.
    pub(crate) fn record(&self) -> Record<'_> {
        Record::read(&self.record).expect("a record was checked when it was taken")
    }

    /// Its title: its own, else the name of its file in words.
    pub fn title(&self) -> Cow<'_, str> {
        match self.record().title() {
            Some(title) => Cow::Borrowed(title),
            None => Cow::Owned(stem(&self.path).replace('-', " ")),
        }
    }

    /// The id of the item that it is.
    pub fn item_id(&self) -> Option<&str> {
        self.uri.strip_prefix("pm://item/")
    }
}

/// The name of a file without folder and extension.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// A path without `.md`.
fn bare(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}

/// A URI without its scheme.
pub(crate) fn without_scheme(uri: &str) -> Option<&str> {
    uri.split_once("://").map(|(_, rest)| rest)
}

/// All documents of a source, in the order of their paths.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The documents.
    pub entries: Vec<Entry>,
    by_uri: HashMap<String, usize>,
    by_path: HashMap<String, usize>,
    /// Further names of documents, made when a look-up first gets that far.
    by_alias: OnceLock<HashMap<String, usize>>,
    /// URIs that several documents declare and none keeps, and documents that had to give theirs up.
    pub(crate) contested: HashMap<String, Vec<usize>>,
    /// Documents that do not have the URI they declare.
    pub(crate) displaced: Vec<usize>,
}

impl Corpus {
    /// Ties documents together; `files` are path, blob and record.
    pub(crate) fn new(files: Vec<(String, String, Bytes)>, config: &Config) -> Corpus {
        let mut corpus = Corpus::default();
        for (path, blob, record) in files {
            let Some(read) = Record::read(&record) else { continue };
            let kind = match read.kind() {
                DeclaredKind::Of(kind) => kind,
                DeclaredKind::None | DeclaredKind::Invalid => config.kind_map.of(&path),
            };
            let uri = read.uri().map_or_else(|| derived(&path, config), str::to_owned);
            corpus.entries.push(Entry { path, blob, uri, kind, record });
        }
        corpus.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        corpus.settle(config);
        corpus.by_path =
            corpus.entries.iter().enumerate().map(|(n, entry)| (entry.path.clone(), n)).collect();
        corpus
    }

    /// Decides who keeps a URI that several claim: the one whose path spells it, if exactly one does; all others go
    /// back to the URI of their path. That may be claimed too, so again until nobody moves.
    fn settle(&mut self, config: &Config) {
        loop {
            let mut claims: HashMap<&str, Vec<usize>> = HashMap::with_capacity(self.entries.len());
            for (n, entry) in self.entries.iter().enumerate() {
                claims.entry(&entry.uri).or_default().push(n);
            }
            let mut moved: Vec<usize> = Vec::new();
            let mut lost: Vec<(String, Vec<usize>)> = Vec::new();
            for (uri, holders) in claims.iter().filter(|(_, holders)| holders.len() > 1) {
                let spells = |n: &&usize| without_scheme(uri) == Some(bare(&self.entries[**n].path));
                let mut rightful = holders.iter().filter(spells);
                let keeper = rightful.next().filter(|_| rightful.next().is_none());
                let others = holders.iter().copied().filter(|n| Some(n) != keeper);
                moved.extend(
                    others.filter(|n| self.entries[*n].uri != derived(&self.entries[*n].path, config)),
                );
                if keeper.is_none() {
                    lost.push(((*uri).to_owned(), holders.clone()));
                }
            }
            if moved.is_empty() {
                self.by_uri = claims.iter().map(|(uri, holders)| ((*uri).to_owned(), holders[0])).collect();
                break;
            }
            for n in &moved {
                self.entries[*n].uri = derived(&self.entries[*n].path, config);
            }
            self.contested.extend(lost);
            self.displaced.extend(moved);
        }
        self.displaced.sort_unstable();
        self.displaced.dedup();
        self.contested.retain(|uri, _| !self.by_uri.contains_key(uri));
        self.contested.values_mut().for_each(|holders| holders.sort_unstable());
    }

    /// The document with exactly this URI.
    pub fn by_uri(&self, uri: &str) -> Option<usize> {
        self.by_uri.get(uri).copied()
    }

    /// The first document, in the order of paths, that calls itself so.
    pub(crate) fn by_alias(&self, name: &str) -> Option<usize> {
        let all = self.by_alias.get_or_init(|| {
            let mut all = HashMap::new();
            for (n, entry) in self.entries.iter().enumerate() {
                for alias in entry.record().names("aliases") {
                    all.entry(alias).or_insert(n);
                }
            }
            all
        });
        all.get(name).copied()
    }

    /// The document at exactly this path.
    pub fn by_path(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }
}

/// The URI that a path gives.
fn derived(path: &str, config: &Config) -> String {
    format!("{}://{}", config.uri_scheme, bare(path))
}

#[cfg(test)]
mod tests {
    use super::super::{document, record};
    use super::*;

    fn corpus(files: &[(&str, &str)]) -> Corpus {
        let files = files.iter().map(|(path, text)| {
            let record = Bytes::Own(record::encode(&document::read(text.as_bytes())).into());
            ((*path).to_owned(), String::new(), record)
        });
        Corpus::new(files.collect(), &Config::default())
    }

    fn uris(corpus: &Corpus) -> Vec<&str> {
        corpus.entries.iter().map(|entry| entry.uri.as_str()).collect()
    }

    #[test]
    fn the_one_whose_path_spells_it_keeps_a_uri() {
        let both = corpus(&[("a/x.md", "---\nuri: k://b/x\n---\n"), ("b/x.md", "---\nuri: k://b/x\n---\n")]);
        assert_eq!(uris(&both), ["kb://a/x", "k://b/x"]);
        assert_eq!(both.displaced, [0]);
        assert!(both.contested.is_empty());
    }

    #[test]
    fn without_a_better_right_nobody_keeps_it() {
        let both = corpus(&[("a.md", "---\nuri: k://z\n---\n"), ("b.md", "---\nuri: k://z\n---\n")]);
        assert_eq!(uris(&both), ["kb://a", "kb://b"]);
        assert_eq!(both.contested["k://z"], [0, 1]);
        assert_eq!(both.by_uri("k://z"), None);
    }

    #[test]
    fn the_uri_of_a_path_belongs_to_the_path() {
        let both = corpus(&[("a.md", ""), ("b.md", "---\nuri: kb://a\n---\n")]);
        assert_eq!(uris(&both), ["kb://a", "kb://b"]);
    }

    #[test]
    fn kinds_are_declared_or_follow_from_the_path() {
        let all = corpus(&[
            ("canon/a.md", "---\nkind: Canon\n---\n"),
            ("docs/b.md", "---\nkind: journals\n---\n"),
            ("notes/my-file.md", ""),
        ]);
        let kinds: Vec<Kind> = all.entries.iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, [Kind::Canon, Kind::Journals, Kind::Docs]);
        assert_eq!(all.entries[2].title(), "my file");
    }
}
