//! The files around a tracker: what is linked, what could be, what Git knows of it. Names only; nothing is read but Git's
//! attributes and the tracker's own receipts.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::fence::Fence;
use super::source::is_safe_path;
use super::{Source, WorkTree, git, settings};
use crate::domain::checks::{self, ConfigFile, Scan, StorageFacts, WorkspaceFiles};
use crate::model::kind::Kinds;

/// The folders that are looked through for files that somebody should link.
const FOLDERS: [&str; 3] = ["src", "tests", "docs"];

/// The documents at the top that somebody should link.
const DOCUMENTS: [&str; 8] = [
    "AGENTS.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CLAUDE.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
];

/// Folders that hold what programs make.
const MADE: [&str; 4] = ["node_modules", "dist", "coverage", "target"];

/// The most files that are looked at.
const MAX_FILES: usize = 200_000;

/// The folders of a tracker that Git should not track (storage.md §1.3), and the one file of them that it should.
const CACHES: [&str; 5] = ["runtime", "search", "locks", "transactions", "checkpoints"];
const CURATED: &str = "search/eval-queries.json";

/// Every file of a workspace that somebody should link, and which of the linked paths exist.
pub fn files(
    workspace: &Path,
    root: &Path,
    scan: Scan,
    internals: bool,
    linked: impl Iterator<Item = String>,
) -> WorkspaceFiles {
    let relative = relative(root, workspace);
    let tracked = if scan == Scan::Default { None } else { git::tracked(workspace, &[]).ok() };
    let (applied, source) =
        if tracked.is_some() { (scan, "git-ls-files") } else { (Scan::Default, "default-curated") };
    let mut candidates = tracked.unwrap_or_else(|| curated(workspace));
    let before = candidates.len();
    if !internals && scan != Scan::TrackedStrict {
        let inside = format!("{relative}/");
        candidates.retain(|path| !path.starts_with(&inside));
    }
    let internals_left_out = before - candidates.len();
    candidates.sort_unstable();
    let exists = |path: &String| is_safe_path(path) && fs::symlink_metadata(workspace.join(path)).is_ok();
    let existing: HashSet<String> = linked.filter(exists).collect();
    WorkspaceFiles {
        root: workspace.to_string_lossy().into_owned(),
        requested: scan,
        applied,
        source,
        internals,
        internal_prefix: relative,
        candidates,
        internals_left_out,
        existing,
    }
}

/// Sources, tests and documents in their usual places; links are not followed.
fn curated(workspace: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<(PathBuf, String)> =
        FOLDERS.iter().map(|folder| (workspace.join(folder), (*folder).to_owned())).collect();
    while let Some((folder, name)) = open.pop() {
        let is_folder = fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir());
        let Some(entries) = is_folder.then(|| fs::read_dir(&folder).ok()).flatten() else { continue };
        for entry in entries.flatten() {
            let own = entry.file_name().to_string_lossy().into_owned();
            let Ok(kind) = entry.file_type() else { continue };
            if own.starts_with('.') || (kind.is_dir() && MADE.contains(&own.as_str())) {
                continue;
            }
            if kind.is_dir() {
                open.push((entry.path(), format!("{name}/{own}")));
            } else if kind.is_file() && found.len() < MAX_FILES {
                found.push(format!("{name}/{own}"));
            }
        }
    }
    let documents = DOCUMENTS.iter().filter(|name| workspace.join(name).is_file());
    found.extend(documents.map(|name| (*name).to_owned()));
    found
}

/// The folders directly below a tracker root.
pub fn folders(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut names: Vec<String> =
        folders.map(|folder| folder.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

/// A path below a folder, with `/`; empty for the folder itself.
fn relative(root: &Path, folder: &Path) -> String {
    let below = root.strip_prefix(folder).unwrap_or(Path::new(""));
    let parts: Vec<_> =
        below.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    parts.join("/")
}

/// The state of everything in a tracker that is no item and no history.
pub fn storage(tree: &WorkTree, kinds: &Kinds) -> StorageFacts {
    let root = tree.root();
    let mut facts = StorageFacts { config: config(tree), ..StorageFacts::default() };
    receipts(tree, &mut facts);
    let Some(work_tree) = git::work_tree(root) else {
        facts.fence = checks::Fence { status: "not_a_repository", ..checks::Fence::default() };
        return facts;
    };
    facts.relative_root = relative(root, &work_tree);
    let attributes = work_tree.join(".gitattributes");
    let fence = Fence::attributes(root, &work_tree, kinds.iter().map(|kind| kind.folder.as_str()));
    let (missing, stale) = fence.compare(&fs::read_to_string(&attributes).unwrap_or_default());
    facts.fence = checks::Fence {
        status: if missing.is_empty() && stale.is_empty() { "ok" } else { "drift" },
        path: attributes.to_string_lossy().into_owned(),
        missing,
        stale,
    };
    if let Ok(state) = git::driver_state(&work_tree) {
        (facts.missing_drivers, facts.drifted_drivers) = (state.missing, state.drifted);
        facts.gone_drivers = state.gone;
    }
    let inside = |name: &str| {
        if facts.relative_root.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", facts.relative_root)
        }
    };
    let tracked = git::tracked(&work_tree, &CACHES.map(inside)).unwrap_or_default();
    let curated = inside(CURATED);
    facts.tracked_caches = tracked.into_iter().filter(|path| *path != curated).collect();
    facts
}

fn config(tree: &WorkTree) -> Vec<ConfigFile> {
    let names = [
        "settings.json",
        "schema/types.json",
        "schema/statuses.json",
        "schema/fields.json",
        "schema/workflows.json",
    ];
    let file = |path: &str| match settings::read_object(tree, path) {
        Ok(None) => None,
        Ok(Some(_)) => Some(ConfigFile { path: path.to_owned(), problem: None }),
        Err(problem) => Some(ConfigFile { path: path.to_owned(), problem: Some(problem) }),
    };
    names.into_iter().filter_map(file).collect()
}

/// Sorts the receipts of merges: those with decisions to look at, those that lost nothing.
fn receipts(tree: &WorkTree, facts: &mut StorageFacts) {
    let Ok(listing) = tree.list("merge-receipts", ".json") else { return };
    for entry in listing.iter() {
        let path = format!("merge-receipts/{}", entry.name);
        let Ok(Some(receipt)) = settings::read_object(tree, &path) else { continue };
        let id = receipt.get("item_id").and_then(Value::as_str).unwrap_or(entry.name).to_owned();
        let pending = receipt.get("state").and_then(Value::as_str) == Some("pending");
        let decisions = receipt.get("decisions").and_then(Value::as_array).map_or(0, Vec::len);
        match (pending, decisions) {
            (true, 1..) => facts.pending_decisions.push(id),
            (_, 0) => facts.lossless_receipts.push(id),
            _ => {}
        }
    }
    facts.pending_decisions.sort_unstable();
    facts.lossless_receipts.sort_unstable();
}
