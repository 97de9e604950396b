//! What Git knows of a merge: one that is under way, or one that was committed.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{read, run};

/// The versions of a file that two branches disagree about; a side that has no such file is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// Before the branches parted.
    pub base: Option<Vec<u8>>,
    /// Of the branch that was merged into.
    pub ours: Option<Vec<u8>>,
    /// Of the branch that was merged.
    pub theirs: Option<Vec<u8>>,
}

/// A file as Git names it, in three versions: the base, ours, theirs.
type Blobs = [Option<String>; 3];

/// A merge that is under way: one by `merge`, `rebase`, `cherry-pick`, `revert` or `stash`; or none. Asked of Git once.
#[derive(Debug)]
pub struct Merge {
    folder: PathBuf,
    /// What waits in the index, by path below the folder.
    stages: BTreeMap<String, Blobs>,
    /// The commits whose trees are merged, where Git says so.
    commits: OnceCell<Option<[String; 3]>>,
    trees: OnceCell<[BTreeMap<String, String>; 3]>,
}

impl Merge {
    /// Looks at the repository around a folder; `None` where there is none.
    pub fn of(folder: &Path) -> Option<Merge> {
        let text = run(folder, &["ls-files", "-u", "-z", "--", "."]).ok()?;
        let mut stages: BTreeMap<String, Blobs> = BTreeMap::new();
        for line in text.split('\0') {
            let Some((facts, path)) = line.split_once('\t') else { continue };
            let mut facts = facts.split(' ').skip(1);
            let (Some(blob), Some(stage)) = (facts.next(), facts.next()) else { continue };
            let place = stage.parse::<usize>().ok().and_then(|stage| stage.checked_sub(1));
            if let Some(slot) = place.and_then(|n| stages.entry(path.to_owned()).or_default().get_mut(n)) {
                *slot = Some(blob.to_owned());
            }
        }
        Some(Merge { folder: folder.to_owned(), stages, commits: OnceCell::new(), trees: OnceCell::new() })
    }

    fn commits(&self) -> Option<&[String; 3]> {
        self.commits.get_or_init(|| under_way(&self.folder, !self.stages.is_empty())).as_ref()
    }

    /// The files that wait in the index for somebody, below the folder.
    pub fn unmerged(&self) -> impl Iterator<Item = &str> {
        self.stages.keys().map(String::as_str)
    }

    /// Whether one side deleted a file that waits, and the other one has it.
    pub fn is_deletion(&self, path: &str) -> bool {
        self.stages
            .get(path)
            .is_some_and(|[base, ours, theirs]| base.is_some() && ours.is_some() != theirs.is_some())
    }

    /// Whether a file waits that one side alone has.
    pub fn is_new(&self, path: &str) -> bool {
        self.stages
            .get(path)
            .is_some_and(|[base, ours, theirs]| base.is_none() && ours.is_some() != theirs.is_some())
    }

    /// Whether a file waits that both sides have.
    pub fn is_of_both(&self, path: &str) -> bool {
        self.stages.get(path).is_some_and(|[_, ours, theirs]| ours.is_some() && theirs.is_some())
    }

    /// The versions of a file of the merge that is under way, else of the last one that was committed and changed the
    /// file; `None` when Git knows of neither.
    pub fn versions(&self, path: &str) -> Option<Versions> {
        self.versions_of(&|other| other == path, &[path.to_owned()])
    }

    /// The versions of an item, in whichever folder each branch has it.
    pub fn item_versions(&self, id: &str) -> Option<Versions> {
        let names = [format!("{id}.toon"), format!("{id}.md")];
        let is_item = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            names.iter().any(|own| own == name)
        };
        self.versions_of(&is_item, &names.clone().map(|name| format!("*/{name}")))
    }

    fn versions_of(&self, is_it: &dyn Fn(&str) -> bool, patterns: &[String]) -> Option<Versions> {
        let staged: Vec<&Blobs> =
            self.stages.iter().filter(|(path, _)| is_it(path)).map(|(_, blobs)| blobs).collect();
        let mut blobs = Blobs::default();
        for stages in &staged {
            for (slot, blob) in blobs.iter_mut().zip(stages.iter()) {
                *slot = slot.take().or_else(|| blob.clone());
            }
        }
        if !staged.is_empty() && blobs.iter().all(Option::is_some) {
            return Some(self.read(&blobs));
        }
        match self.commits() {
            Some(commits) => {
                let trees = self.trees.get_or_init(|| trees(&self.folder, commits));
                let found = find(trees, is_it);
                for (slot, blob) in blobs.iter_mut().zip(found) {
                    *slot = slot.take().or(blob);
                }
            }
            None if staged.is_empty() => blobs = committed(&self.folder, patterns, is_it)?,
            None => {}
        }
        blobs[1..].iter().any(Option::is_some).then(|| self.read(&blobs))
    }

    fn read(&self, blobs: &Blobs) -> Versions {
        let blob = |name: &Option<String>| {
            let name = name.as_deref()?;
            read(&self.folder, &["cat-file", "blob", name]).ok()
        };
        let [base, ours, theirs] = [&blobs[0], &blobs[1], &blobs[2]].map(blob);
        Versions { base, ours, theirs }
    }
}

/// The commits that a merge under way joins: the base, ours, theirs.
fn under_way(folder: &Path, unmerged: bool) -> Option<[String; 3]> {
    let text = run(folder, &["rev-parse", "--path-format=absolute", "--git-dir"]).ok()?;
    let git = PathBuf::from(text.trim_end_matches('\n'));
    let head = |name: &str| {
        let text = fs::read_to_string(git.join(name)).ok()?;
        text.lines().last().map(str::to_owned)
    };
    let parent = |commit: &str| resolve(folder, &format!("{commit}^"));
    let ours = resolve(folder, "HEAD")?;
    if let Some(theirs) = head("MERGE_HEAD") {
        return Some([base_of(folder, &ours, &theirs)?, ours, theirs]);
    }
    if let Some(picked) = head("CHERRY_PICK_HEAD").or_else(|| head("REBASE_HEAD")) {
        return Some([parent(&picked)?, ours, picked]);
    }
    if let Some(reverted) = head("REVERT_HEAD") {
        let theirs = parent(&reverted)?;
        return Some([reverted, ours, theirs]);
    }
    // A stash that did not apply is still there.
    let stashed = if unmerged { resolve(folder, "refs/stash") } else { None }?;
    Some([parent(&stashed)?, ours, stashed])
}

/// How many merges are looked at.
const MOST_MERGES: &str = "--max-count=32";

/// The file in the versions that the last merge joined of which both sides had changed it.
fn committed(folder: &Path, patterns: &[String], is_it: &dyn Fn(&str) -> bool) -> Option<Blobs> {
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    let question = ["rev-list", "--merges", "--full-history", MOST_MERGES, "HEAD", "--"];
    let merges = run(folder, &[&question[..], &patterns].concat()).ok()?;
    merges.lines().find_map(|merge| {
        let [ours, theirs] = ["^1", "^2"].map(|parent| resolve(folder, &format!("{merge}{parent}")));
        let (ours, theirs) = (ours?, theirs?);
        let base = base_of(folder, &ours, &theirs).unwrap_or_default();
        let blobs = find(&trees(folder, &[base, ours, theirs]), is_it);
        let [base, ours, theirs] = &blobs;
        (base != ours && base != theirs && ours != theirs).then_some(blobs)
    })
}

fn find(trees: &[BTreeMap<String, String>; 3], is_it: &dyn Fn(&str) -> bool) -> Blobs {
    [0, 1, 2].map(|n| trees[n].iter().find(|(path, _)| is_it(path)).map(|(_, blob)| blob.clone()))
}

/// The commit from which two others went apart.
fn base_of(folder: &Path, ours: &str, theirs: &str) -> Option<String> {
    let base = run(folder, &["merge-base", ours, theirs]).ok()?.trim().to_owned();
    (!base.is_empty()).then_some(base)
}

pub(super) fn resolve(folder: &Path, name: &str) -> Option<String> {
    let text = run(folder, &["rev-parse", "-q", "--verify", name]).ok()?;
    Some(text.trim().to_owned())
}

fn trees(folder: &Path, commits: &[String; 3]) -> [BTreeMap<String, String>; 3] {
    [0, 1, 2].map(|n| {
        let text = run(folder, &["ls-tree", "-r", "-z", &commits[n], "--", "."]).unwrap_or_default();
        let file = |line: &str| {
            let (facts, path) = line.split_once('\t')?;
            Some((path.to_owned(), facts.rsplit(' ').next()?.to_owned()))
        };
        text.split('\0').filter_map(file).collect()
    })
}

/// The commit that a rebase lays anew, if one is under way.
fn laid_anew(folder: &Path) -> Option<String> {
    let git = run(folder, &["rev-parse", "--path-format=absolute", "--git-dir"]).ok()?;
    let git = Path::new(git.trim_end_matches('\n'));
    // What it does, or the mail that it applies.
    if let Ok(commit) = fs::read_to_string(git.join("rebase-apply/original-commit")) {
        return Some(commit.trim().to_owned());
    }
    let text = fs::read_to_string(git.join("rebase-merge/done")).ok()?;
    let words = text.lines().last()?.split(' ').skip(1);
    words
        .filter(|word| word.len() >= SHORTEST_NAME && word.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .map(str::to_owned)
        .next()
}

/// The shortest name of a commit that Git writes.
const SHORTEST_NAME: usize = 4;

/// The commits whose versions of a file a driver is asked to merge, as far as they can be found out.
#[derive(Debug)]
pub struct Joined {
    folder: PathBuf,
    /// Before, ours, theirs.
    commits: [Option<String>; 3],
    /// All commits before, where branches were merged crosswise: Git joins those first.
    bases: Vec<String>,
}

impl Joined {
    /// Finds them out, for a file by its path from the repository's root; `theirs` is the file in which Git handed over
    /// their version, `heads` are the commits that Git names to the driver. In a merge it names the other branch, in a
    /// rebase its own notes do; for a pick or a stash they are where that version came into being.
    pub fn of<'h>(
        folder: &Path,
        mut heads: impl Iterator<Item = &'h str>,
        path: &str,
        theirs: &str,
    ) -> Joined {
        let head = resolve(folder, "HEAD");
        let joined = |bases: Vec<String>, theirs: Option<String>| Joined {
            folder: folder.to_owned(),
            commits: [bases.first().cloned(), head.clone(), theirs],
            bases,
        };
        if let Some(other) = heads.next() {
            let bases = run(folder, &["merge-base", "--all", "HEAD", other]).unwrap_or_default();
            return joined(bases.lines().map(str::to_owned).collect(), Some(other.to_owned()));
        }
        let Some(blob) = run(folder, &["hash-object", "--no-filters", "--", theirs]).ok() else {
            return joined(Vec::new(), None);
        };
        let blob = blob.trim();
        let holds = |commit: &String| resolve(folder, &format!("{commit}:{path}")).as_deref() == Some(blob);
        let commit = laid_anew(folder).filter(holds).or_else(|| made(folder, path, blob));
        let before = commit.as_deref().and_then(|commit| resolve(folder, &format!("{commit}^")));
        joined(Vec::from_iter(before), commit)
    }

    /// A file in the three versions, by its path from the repository's root.
    pub fn versions(&self, path: &str) -> [Option<Vec<u8>>; 3] {
        [0, 1, 2].map(|n| blob_of(&self.folder, self.commits[n].as_deref()?, path))
    }

    /// An item as it was before, in whichever folder and form, by the path that it has now.
    pub fn item_before(&self, path: &str) -> Option<Vec<u8>> {
        let mut base = self.commits[0].clone()?;
        if let [one, two, ..] = &self.bases[..]
            && blob_of(&self.folder, &base, path).is_some()
        {
            // It is these that Git joins: else it would have said what was before.
            base = base_of(&self.folder, one, two)?;
        }
        let base = base.as_str();
        let (folder, name) = path.rsplit_once('/')?;
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let names = ["md", "toon"].map(|extension| format!("{stem}.{extension}"));
        let beside = names.iter().find_map(|name| blob_of(&self.folder, base, &format!("{folder}/{name}")));
        beside.or_else(|| {
            let root = folder.rsplit_once('/').map_or(".", |(root, _)| root);
            let list = ["ls-tree", "-r", "-z", "--full-tree", "--name-only", base, "--", root];
            let files = run(&self.folder, &list).ok()?;
            let is_it = |path: &&str| {
                path.rsplit_once('/').is_some_and(|(_, name)| names.iter().any(|known| known == name))
            };
            blob_of(&self.folder, base, files.split('\0').find(is_it)?)
        })
    }

    /// The path of a file of the branch that is checked out, from the repository's root, by how it ends.
    pub fn path_ending(folder: &Path, end: &str) -> Option<String> {
        let list = ["ls-tree", "-r", "-z", "--full-tree", "--name-only", "HEAD"];
        let files = run(folder, &list).ok()?;
        files.split('\0').find(|path| path.ends_with(end)).map(str::to_owned)
    }
}

/// The commit that gave a file this content.
fn made(folder: &Path, path: &str, blob: &str) -> Option<String> {
    let find = format!("--find-object={blob}");
    let (place, top) = (format!(":(top){path}"), "--format=commit %H");
    let question = ["log", "--all", "--reflog", "-m", "--raw", "--no-abbrev", "--no-renames", top, &find];
    let text = run(folder, &[&question[..], &["--", &place]].concat()).ok()?;
    let mut commit = None;
    for line in text.lines() {
        match line.strip_prefix("commit ") {
            Some(name) => commit = Some(name),
            None if line.starts_with(':') && line.split(' ').nth(3) == Some(blob) => {
                return commit.map(str::to_owned);
            }
            None => {}
        }
    }
    None
}

fn blob_of(folder: &Path, commit: &str, path: &str) -> Option<Vec<u8>> {
    read(folder, &["cat-file", "blob", &format!("{commit}:{path}")]).ok()
}

/// The settings and schema files of the tracker in a repository, by their path below the tracker, as they were before
/// the branches parted that Git merges now; `heads` are those that it names to a driver. None where nobody knows.
pub fn documents_before<'h>(folder: &Path, heads: impl Iterator<Item = &'h str>) -> Vec<(String, Vec<u8>)> {
    let mut merged = heads.filter_map(|head| base_of(folder, "HEAD", head));
    let base = merged.next().or_else(|| resolve(folder, &format!("{}^", laid_anew(folder)?)));
    let Some(base) = base else { return Vec::new() };
    const STREAM: &str = "history/_workspace.jsonl";
    let stream = Joined::path_ending(folder, STREAM);
    let Some(root) = stream.as_deref().and_then(|path| path.strip_suffix(STREAM)) else { return Vec::new() };
    let files = run(folder, &["ls-tree", "-r", "-z", "--full-tree", "--name-only", &base, "--", root]);
    let files = files.unwrap_or_default();
    let below = files.split('\0').filter_map(|path| path.strip_prefix(root));
    let documents = below.filter(|path| path.ends_with(".json"));
    documents
        .filter_map(|path| Some((path.to_owned(), blob_of(folder, &base, &format!("{root}{path}"))?)))
        .collect()
}
