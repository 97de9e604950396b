//! Where the tracker is (storage.md §1.1).

use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

/// What the caller said about the place.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// Where the call was made.
    pub cwd: &'a Path,
    /// `--pm-path`, or its older name `--path`.
    pub option: Option<&'a str>,
    /// `PM_PATH`, trimmed; a blank one is none.
    pub variable: Option<&'a str>,
}

/// How a place was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discovery {
    /// Named by the option.
    Option,
    /// Named by the environment.
    Variable,
    /// In the working directory.
    Current,
    /// In a folder above it.
    Ancestor,
    /// Nowhere; this is where `init` would make it.
    Nowhere,
}

impl Discovery {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Discovery::Option => "explicit",
            Discovery::Variable => "environment",
            Discovery::Current => "current",
            Discovery::Ancestor => "ancestor",
            Discovery::Nowhere => "fallback",
        }
    }
}

/// Where a tracker is, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The tracker root: the folder with `settings.json`.
    pub root: PathBuf,
    /// The folder that the tracker speaks about.
    pub workspace: PathBuf,
    /// How it was found.
    pub discovery: Discovery,
}

/// Why a place is no tracker.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// Nothing was named, and no folder from here upwards holds a tracker.
    #[error("no tracker in `{0}` or above it")]
    Nowhere(PathBuf),
    /// As [`PlaceError::Nowhere`], inside a Git repository that has no work tree.
    #[error("`{0}` is a bare Git repository, and a tracker needs a work tree")]
    BareRepository(PathBuf),
    /// The folder named does not exist.
    #[error("`{0}` does not exist")]
    Missing(PathBuf),
    /// The folder named has nothing of a tracker in it.
    #[error("`{0}` holds no tracker")]
    NotATracker(PathBuf),
    /// The path named is a file.
    #[error("`{0}` is not a folder")]
    NotAFolder(PathBuf),
    /// The folder cannot be listed.
    #[error("`{0}` cannot be read")]
    Unreadable(PathBuf),
}

const BELOW: &str = ".agents/pm";

/// Finds the tracker. Whether the place found is usable is for [`Place::check`] to say.
pub fn locate(search: &Search<'_>) -> Place {
    let cwd = search.cwd;
    let named = search.option.map(|path| (path, Discovery::Option));
    let named = named.or_else(|| search.variable.map(|path| (path, Discovery::Variable)));
    if let Some((path, discovery)) = named {
        let path = clean(&cwd.join(path));
        let below = path.join(BELOW);
        let root = if !is_tracker(&path) && is_tracker(&below) { below } else { path };
        return place(root, discovery);
    }
    for (steps, folder) in cwd.ancestors().enumerate() {
        let discovery = if steps == 0 { Discovery::Current } else { Discovery::Ancestor };
        let below = folder.join(BELOW);
        if is_tracker(&below) {
            return place(below, discovery);
        }
        if says_that_it_is_one(folder) {
            return place(folder.to_owned(), discovery);
        }
    }
    place(cwd.join(BELOW), Discovery::Nowhere)
}

/// The folder that a tracker root speaks about: the one that holds `.agents/pm`, else the root itself.
pub fn workspace_of(root: &Path) -> PathBuf {
    let above = root.ends_with(BELOW).then(|| root.parent()?.parent()).flatten();
    above.unwrap_or(root).to_owned()
}

/// Where a path that was typed leads, without `.` and `..`.
pub fn typed(cwd: &Path, path: &str) -> PathBuf {
    clean(&cwd.join(path))
}

/// The place for a new tracker in this folder, found in this way.
pub fn place(root: PathBuf, discovery: Discovery) -> Place {
    Place { workspace: workspace_of(&root), root, discovery }
}

/// Whether a folder holds settings or, from a time before them, items or history.
pub fn is_tracker(folder: &Path) -> bool {
    const SIGNS: [&str; 6] = ["history", "tasks", "issues", "features", "epics", "chores"];
    folder.join("settings.json").exists()
        || folder.ends_with(BELOW) && SIGNS.iter().any(|sign| folder.join(sign).is_dir())
}

/// Whether a folder that is not named like a tracker is one: its `settings.json` must speak of ids or items.
fn says_that_it_is_one(folder: &Path) -> bool {
    let Ok(text) = fs::read_to_string(folder.join("settings.json")) else { return false };
    let Ok(Value::Object(settings)) = serde_json::from_str(&text) else { return false };
    settings.contains_key("id_prefix") || settings.contains_key("item_format")
}

/// Removes `.` and `..` without asking the file system: what the user wrote is what errors show.
pub(super) fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            // Above the root there is only the root.
            Component::ParentDir if out.has_root() => {}
            part => out.push(part),
        }
    }
    out
}

impl Place {
    /// Whether a tracker can be opened here.
    pub fn check(&self) -> Result<(), PlaceError> {
        if self.discovery == Discovery::Nowhere {
            return Err(match bare_repository(&self.workspace) {
                Some(repository) => PlaceError::BareRepository(repository),
                None => PlaceError::Nowhere(self.workspace.clone()),
            });
        }
        let root = || self.root.clone();
        let metadata = fs::metadata(&self.root).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => PlaceError::Missing(root()),
            std::io::ErrorKind::NotADirectory => PlaceError::NotAFolder(root()),
            _ => PlaceError::Unreadable(root()),
        })?;
        if !metadata.is_dir() {
            return Err(PlaceError::NotAFolder(root()));
        }
        fs::read_dir(&self.root).map_err(|_| PlaceError::Unreadable(root()))?;
        let lists_items = || {
            const SIGNS: [&str; 2] = ["history", "tasks"];
            SIGNS.iter().any(|sign| self.root.join(sign).is_dir())
        };
        if is_tracker(&self.root) || lists_items() { Ok(()) } else { Err(PlaceError::NotATracker(root())) }
    }
}

/// The bare Git repository that a folder is or lies in.
pub fn bare_repository(folder: &Path) -> Option<PathBuf> {
    for folder in folder.ancestors() {
        if folder.join(".git").exists() {
            return None;
        }
        if folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir() {
            // The `.git` folder of an ordinary repository looks the same, and has no work tree either.
            return Some(folder.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let (path, text) = file.split_once('=').unwrap_or((file, "{}"));
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    fn find(dir: &tempfile::TempDir, cwd: &str, option: Option<&str>) -> (String, &'static str) {
        let cwd = dir.path().join(cwd);
        fs::create_dir_all(&cwd).unwrap();
        let found = locate(&Search { cwd: &cwd, option, variable: None });
        let root = found.root.strip_prefix(dir.path()).unwrap().to_str().unwrap().replace('\\', "/");
        (root, found.discovery.as_str())
    }

    #[test]
    fn the_walk_goes_upwards() {
        let dir = tree(&[
            ".agents/pm/settings.json",
            "plain/settings.json={\"a\":1}",
            "own/settings.json={\"id_prefix\":\"x-\"}",
        ]);
        for (cwd, root, how) in [
            (".", ".agents/pm", "current"),
            ("a/b", ".agents/pm", "ancestor"),
            (".agents/pm/tasks", ".agents/pm", "ancestor"),
            ("plain", ".agents/pm", "ancestor"),
            ("own", "own", "current"),
            ("own/deep", "own", "ancestor"),
        ] {
            assert_eq!(find(&dir, cwd, None), (root.to_owned(), how), "{cwd}");
        }
    }

    #[test]
    fn a_tracker_without_settings_is_one() {
        let dir = tree(&["old/.agents/pm/history/pm-1.jsonl", "other/tasks/x.toon"]);
        assert_eq!(find(&dir, "old/src", None).0, "old/.agents/pm");
        assert_eq!(find(&dir, "other", None), ("other/.agents/pm".to_owned(), "fallback"));
        let named = locate(&Search { cwd: dir.path(), option: Some("other"), variable: None });
        assert_eq!(named.check(), Ok(()));
    }

    #[test]
    fn a_named_place_is_taken_or_the_tracker_below_it() {
        let dir = tree(&["sub/.agents/pm/settings.json", "trk/settings.json"]);
        assert_eq!(find(&dir, ".", Some("./sub")), ("sub/.agents/pm".to_owned(), "explicit"));
        assert_eq!(find(&dir, "sub", Some("../trk/.")), ("trk".to_owned(), "explicit"));
        assert_eq!(find(&dir, ".", Some("new")), ("new".to_owned(), "explicit"));
    }

    #[test]
    fn faults_are_told_apart() {
        let dir = tree(&["file", "empty/x", "bare/HEAD", "bare/objects/x", "bare/refs/x"]);
        let fault = |cwd: &str, option: Option<&str>| {
            let cwd = dir.path().join(cwd);
            locate(&Search { cwd: &cwd, option, variable: None }).check().unwrap_err()
        };
        assert!(matches!(fault(".", None), PlaceError::Nowhere(_)));
        assert!(matches!(fault("bare", None), PlaceError::BareRepository(_)));
        assert!(matches!(fault(".", Some("none")), PlaceError::Missing(_)));
        assert!(matches!(fault(".", Some("file")), PlaceError::NotAFolder(_)));
        assert!(matches!(fault(".", Some("file/x")), PlaceError::NotAFolder(_)));
        assert!(matches!(fault(".", Some("empty")), PlaceError::NotATracker(_)));
    }
}
