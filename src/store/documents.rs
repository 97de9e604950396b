//! The files of a repository as documents: those of the work tree, those of any revision.
//!
//! Paths are relative to the top of the work tree and written with `/`. Nothing is ever written here.

use std::collections::HashMap;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::git::{self, GitError};
use super::source::Stamp;

use crate::codec::hex;

/// A file of a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// Its path.
    pub path: String,
    /// The id of its bytes, in hex.
    pub blob: String,
    /// Whether it is a symbolic link.
    pub link: bool,
    /// Its size in bytes.
    pub size: u64,
}

/// What a path of the work tree leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A file of this size, and its stamp; a file behind a link has none.
    File(u64, Option<Stamp>),
    /// A link that leads out of the repository, or nowhere.
    Foreign,
    /// Nothing that can be read.
    Nothing,
}

/// What lies below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Below<T> {
    /// The files and links.
    pub files: Vec<T>,
    /// What is none, as far as its path can be told.
    pub odd: Vec<(String, Oddity)>,
}

/// What lies where a file would and cannot be read as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oddity {
    /// Its name is no UTF-8.
    Name,
    /// A repository of its own.
    Repository,
    /// A pipe, a socket, a device.
    NoFile,
}

impl<T> Default for Below<T> {
    fn default() -> Self {
        Below { files: Vec::new(), odd: Vec::new() }
    }
}

/// The work tree of a repository, seen from its top.
#[derive(Clone, Debug)]
pub struct Files {
    top: PathBuf,
}

impl Files {
    /// Of the work tree that a folder lies in; none outside of any.
    pub fn around(folder: &Path) -> Option<Files> {
        git::work_tree(folder).map(|top| Files { top })
    }

    /// The top of the work tree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The paths that Git tracks, and those that it neither tracks nor ignores, sorted; files that are gone are there
    /// still.
    ///
    /// Errors: what Git says.
    pub fn list(&self) -> Result<Vec<String>, GitError> {
        let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
        let text = git::plumbing(&self.top, &arguments)?;
        let mut paths: Vec<String> = split(&text).map(str::to_owned).collect();
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }

    /// The files below a folder that holds items, two levels deep, hidden ones left out.
    pub fn below(&self, folder: &str) -> Vec<String> {
        let mut found = Vec::new();
        for below in self.entries(folder, true) {
            let path = format!("{folder}/{below}");
            found.extend(self.entries(&path, false).into_iter().map(|name| format!("{path}/{name}")));
        }
        found.sort_unstable();
        found
    }

    fn entries(&self, folder: &str, folders: bool) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.top.join(folder)) else { return Vec::new() };
        let wanted = |entry: std::fs::DirEntry| {
            let kind = entry.file_type().ok()?;
            let name = entry.file_name().into_string().ok()?;
            let fits = if folders { kind.is_dir() } else { kind.is_file() };
            (fits && !name.starts_with('.')).then_some(name)
        };
        entries.flatten().filter_map(wanted).collect()
    }

    /// Every file and link below a folder, hidden ones left out, sorted; at most eight folders deep. No link is
    /// followed, the folder itself included.
    pub fn all_below(&self, folder: &str) -> Below<String> {
        let mut found = Below::default();
        if self.is_link(folder) {
            found.files.push(folder.to_owned());
            return found;
        }
        if !matches!(folder, "" | ".") && self.is_repository(folder) {
            found.odd.push((folder.to_owned(), Oddity::Repository));
            return found;
        }
        let mut open = vec![(folder.to_owned(), 0)];
        while let Some((folder, depth)) = open.pop() {
            let Ok(entries) = std::fs::read_dir(self.top.join(&folder)) else { continue };
            for entry in entries.flatten() {
                let name = match entry.file_name().into_string() {
                    Ok(name) => name,
                    Err(name) => {
                        found.odd.push((format!("{folder}/{}", name.to_string_lossy()), Oddity::Name));
                        continue;
                    }
                };
                let Ok(kind) = entry.file_type() else { continue };
                let path = format!("{folder}/{name}");
                match () {
                    () if name.starts_with('.') => {}
                    () if kind.is_file() || kind.is_symlink() => found.files.push(path),
                    () if !kind.is_dir() => found.odd.push((path, Oddity::NoFile)),
                    () if self.is_repository(&path) => found.odd.push((path, Oddity::Repository)),
                    () if depth < 8 => open.push((path, depth + 1)),
                    () => {}
                }
            }
        }
        found.files.sort_unstable();
        found.odd.sort_unstable();
        found
    }

    /// Whether a folder is the top of a work tree of its own, whose files are not those of this repository.
    fn is_repository(&self, path: &str) -> bool {
        let git = self.top.join(path).join(".git");
        git.is_file() || git.join("HEAD").is_file()
    }

    /// Whether a path is a link itself.
    pub fn is_link(&self, path: &str) -> bool {
        std::fs::symlink_metadata(self.top.join(path)).is_ok_and(|meta| meta.is_symlink())
    }

    /// What a path leads to, a link inside the repository followed.
    pub fn look(&self, path: &str) -> Found {
        let place = self.top.join(path);
        let Ok(meta) = std::fs::symlink_metadata(&place) else { return Found::Nothing };
        if meta.is_file() {
            return Found::File(meta.len(), stamp(&meta));
        }
        if !meta.file_type().is_symlink() {
            return Found::Nothing;
        }
        let inside = self.top.canonicalize().ok().zip(place.canonicalize().ok());
        match inside.filter(|(top, target)| target.starts_with(top) && !target.starts_with(top.join(".git")))
        {
            Some((_, target)) => match std::fs::metadata(target) {
                Ok(meta) if meta.is_file() => Found::File(meta.len(), None),
                _ => Found::Nothing,
            },
            None => Found::Foreign,
        }
    }

    /// The bytes of a file, at most so many. Nobody waits for what a pipe may bring.
    ///
    /// Errors: what the system says; `FileTooLarge`; `InvalidInput` for what is no file.
    pub fn read(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        if !std::fs::metadata(self.top.join(path))?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
        }
        let mut bytes = Vec::new();
        std::fs::File::open(self.top.join(path))?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    }

    /// A revision's commit and tree, in hex; none when Git knows no such commit.
    ///
    /// Errors: when there is no Git to ask.
    pub fn revision(&self, rev: &str) -> Result<Option<(String, String)>, GitError> {
        let of = |end: &str| {
            let name = format!("{rev}{end}");
            let asked =
                git::plumbing(&self.top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &name]);
            match asked {
                Ok(text) => Ok(Some(String::from_utf8_lossy(&text).trim().to_owned())),
                Err(GitError::Refused(_)) => Ok(None),
                Err(other) => Err(other),
            }
        };
        let Some(commit) = of("^{commit}")? else { return Ok(None) };
        Ok(of("^{tree}")?.map(|tree| (commit, tree)))
    }

    /// A revision's commit, in hex; none when Git knows no such commit.
    ///
    /// Errors: when there is no Git to ask.
    pub fn commit(&self, rev: &str) -> Result<Option<String>, GitError> {
        let name = format!("{rev}^{{commit}}");
        match git::plumbing(&self.top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &name]) {
            Ok(text) => Ok(Some(String::from_utf8_lossy(&text).trim().to_owned())),
            Err(GitError::Refused(_)) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Names of branches and tags, for those who misspelled one.
    pub fn names(&self) -> Vec<String> {
        let arguments =
            ["for-each-ref", "--format=%(refname:short)", "--count=200", "refs/heads", "refs/tags"];
        let text = git::plumbing(&self.top, &arguments).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
    }

    /// All files of a tree, in the order of their paths.
    ///
    /// Errors: what Git says.
    pub fn tree(&self, tree: &str) -> Result<Vec<TreeFile>, GitError> {
        let all = self.tree_files(&["ls-tree", "-r", "-z", "--long", "--full-tree", tree])?;
        Ok(all.files)
    }

    /// The files of a tree or commit below a folder, in the order of their paths; the folder itself, when it is a link.
    ///
    /// Errors: what Git says.
    pub fn tree_below(&self, tree: &str, folder: &str) -> Result<Below<TreeFile>, GitError> {
        self.tree_files(&["ls-tree", "-r", "-z", "--long", "--full-tree", tree, "--", folder])
    }

    fn tree_files(&self, arguments: &[&str]) -> Result<Below<TreeFile>, GitError> {
        let text = git::plumbing(&self.top, arguments)?;
        let mut found = Below::default();
        for line in text.split(|b| *b == 0).filter(|line| !line.is_empty()) {
            let Ok(line) = std::str::from_utf8(line) else {
                let line = String::from_utf8_lossy(line);
                found.odd.extend(line.split_once('\t').map(|(_, path)| (path.to_owned(), Oddity::Name)));
                continue;
            };
            let Some((facts, path)) = line.split_once('\t') else { continue };
            let facts: Vec<&str> = facts.split_ascii_whitespace().collect();
            match facts.as_slice() {
                [mode, "blob", blob, size] => found.files.push(TreeFile {
                    path: path.to_owned(),
                    blob: (*blob).to_owned(),
                    link: *mode == "120000",
                    size: size.parse().unwrap_or(u64::MAX),
                }),
                _ => found.odd.push((path.to_owned(), Oddity::Repository)),
            }
        }
        Ok(found)
    }

    /// The bytes of many blobs, in the order asked for, handed out one by one; missing ones are left out.
    ///
    /// Errors: what Git says.
    pub fn blobs(&self, ids: &[String], mut each: impl FnMut(usize, Vec<u8>)) -> Result<(), GitError> {
        if ids.is_empty() {
            return Ok(());
        }
        let mut child = git::batch(&self.top).map_err(GitError::Unavailable)?;
        let told = feed(&mut child, ids, &mut each);
        let ended = child.wait().map_err(GitError::Unavailable)?;
        match told {
            Ok(()) if ended.success() => Ok(()),
            Ok(()) => Err(GitError::Refused("cat-file ended badly".to_owned())),
            Err(error) => Err(GitError::Refused(error.to_string())),
        }
    }

    /// The bytes of one blob.
    pub fn blob(&self, id: &str) -> Option<Vec<u8>> {
        git::plumbing(&self.top, &["cat-file", "blob", id]).ok()
    }

    /// The bytes of a path at a commit.
    pub fn blob_at(&self, commit: &str, path: &str) -> Option<Vec<u8>> {
        self.blob(&format!("{commit}:{path}"))
    }

    /// Where Git's rename detection says that a path went, by the last commit before `commit` that took it away; with
    /// `now`, also by what is not committed yet. None when the path was never there, or simply deleted.
    pub fn successor(&self, path: &str, commit: &str, now: bool) -> Option<String> {
        if now {
            let arguments =
                ["diff", "--no-ext-diff", "-M", "-z", "--name-status", "--diff-filter=R", commit, "--"];
            if let Some(to) = git::plumbing(&self.top, &arguments).ok().and_then(|text| renamed(&text, path))
            {
                return Some(to);
            }
        }
        let arguments = [
            "--literal-pathspecs",
            "log",
            "-1",
            "--format=%H",
            "--full-history",
            "--no-renames",
            "--diff-filter=D",
            commit,
            "--",
            path,
        ];
        let last = git::plumbing(&self.top, &arguments).ok()?;
        let last = String::from_utf8_lossy(&last).trim().to_owned();
        if last.is_empty() {
            return None;
        }
        let arguments = [
            "diff-tree",
            "-r",
            "-M",
            "-m",
            "--root",
            "--no-commit-id",
            "-z",
            "--name-status",
            "--diff-filter=R",
            &last,
        ];
        renamed(&git::plumbing(&self.top, &arguments).ok()?, path)
    }
}

/// What tells one version of a file from another.
#[cfg(unix)]
fn stamp(meta: &std::fs::Metadata) -> Option<Stamp> {
    use std::os::unix::fs::MetadataExt as _;
    let ns = |seconds: i64, ns: i64| seconds.saturating_mul(1_000_000_000).saturating_add(ns);
    Some(Stamp {
        size: meta.len(),
        mtime_ns: ns(meta.mtime(), meta.mtime_nsec()),
        ctime_ns: ns(meta.ctime(), meta.ctime_nsec()),
        ino: meta.ino(),
    })
}

/// What tells one version of a file from another: too little here, so files are read.
#[cfg(not(unix))]
fn stamp(_: &std::fs::Metadata) -> Option<Stamp> {
    None
}

/// The present instant by the system's clock, whatever clock a call has: stamps are made by it.
pub fn now_ns() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

/// The new name of a path in a list of renames.
fn renamed(text: &[u8], path: &str) -> Option<String> {
    let mut fields = split(text);
    while let Some(status) = fields.next() {
        if !status.starts_with('R') {
            fields.next();
            continue;
        }
        let (from, to) = (fields.next()?, fields.next()?);
        if from == path {
            return Some(to.to_owned());
        }
    }
    None
}

/// Texts that end with a zero byte; those that are no UTF-8 are no paths of documents.
fn split(text: &[u8]) -> impl Iterator<Item = &str> {
    text.split(|b| *b == 0).filter_map(|part| std::str::from_utf8(part).ok()).filter(|part| !part.is_empty())
}

/// Asks for blobs and reads the answers.
fn feed(child: &mut Child, ids: &[String], each: &mut impl FnMut(usize, Vec<u8>)) -> io::Result<()> {
    let broken = || io::Error::other("cat-file broke off");
    let mut input = child.stdin.take().ok_or_else(broken)?;
    let mut output = io::BufReader::with_capacity(1 << 16, child.stdout.take().ok_or_else(broken)?);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let list: String = ids.iter().map(|id| format!("{id}\n")).collect();
            // A reader that left early says so itself.
            let _ = input.write_all(list.as_bytes());
        });
        let mut head = String::new();
        for n in 0..ids.len() {
            head.clear();
            if io::BufRead::read_line(&mut output, &mut head)? == 0 {
                return Err(broken());
            }
            let mut facts = head.split_ascii_whitespace();
            let Some(size) = facts.nth(2).and_then(|size| size.parse::<u64>().ok()) else { continue };
            let mut bytes = Vec::new();
            (&mut output).take(size + 1).read_to_end(&mut bytes)?;
            bytes.pop();
            each(n, bytes);
        }
        Ok(())
    })
}

/// The id that Git gives to bytes, in hex. A repository of another object format has others: the id names the bytes
/// all the same.
pub fn blob_id(bytes: &[u8]) -> String {
    use sha1::{Digest as _, Sha1};
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()));
    hash.update(bytes);
    hex::encode(hash.finalize())
}

/// Ids by path, for those who look up one file of many.
pub fn ids_by_path(files: &[TreeFile]) -> HashMap<&str, &str> {
    files.iter().map(|file| (file.path.as_str(), file.blob.as_str())).collect()
}

/// A quiet `git cat-file --batch`.
pub(super) fn cat_file(command: &mut Command) -> io::Result<Child> {
    command.args(["cat-file", "--batch"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_git() {
        assert_eq!(blob_id(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(blob_id(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
    }

    #[test]
    fn renames_are_read() {
        let text = b"R100\0a.md\0b.md\0M\0x.md\0R090\0c.md\0d.md\0";
        assert_eq!(renamed(text, "c.md").as_deref(), Some("d.md"));
        assert_eq!(renamed(text, "x.md"), None);
    }
}
