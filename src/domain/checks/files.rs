//! Whether linked files exist, and which files nobody links.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Value, json};

use super::{Evidence, Verdict};

/// Which files are looked at for links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scan {
    /// Sources, tests and documents in their usual places.
    #[default]
    Default,
    /// What Git tracks, the tracker's own files left out.
    Tracked,
    /// What Git tracks, all of it.
    TrackedStrict,
}

impl Scan {
    /// The legal words.
    pub const NAMES: [&'static str; 3] = ["default", "tracked-all", "tracked-all-strict"];

    /// The scan of this name.
    pub fn named(name: &str) -> Option<Scan> {
        let all = [Scan::Default, Scan::Tracked, Scan::TrackedStrict];
        all.into_iter().zip(Scan::NAMES).find(|(_, known)| *known == name).map(|(scan, _)| scan)
    }

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        Scan::NAMES[self as usize]
    }
}

/// The files of a workspace, as far as the check asks.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceFiles {
    /// The folder.
    pub root: String,
    /// The scan asked for.
    pub requested: Scan,
    /// The scan made: without Git there is no list of tracked files.
    pub applied: Scan,
    /// Where the list comes from: `default-curated`, `git-ls-files`.
    pub source: &'static str,
    /// The tracker's own files were asked for.
    pub internals: bool,
    /// How the tracker's own paths begin.
    pub internal_prefix: String,
    /// Every candidate, by path.
    pub candidates: Vec<String>,
    /// How many candidates were left out because they are the tracker's own.
    pub internals_left_out: usize,
    /// Of the linked paths, those that exist.
    pub existing: HashSet<String>,
}

/// A linked path as it is compared: with `/`, without `./` in front and `/` behind.
pub fn normalise(path: &str) -> String {
    let path = path.trim().replace('\\', "/");
    path.trim_start_matches("./").trim_end_matches('/').to_owned()
}

pub(super) fn check(evidence: &Evidence<'_>) -> Verdict {
    let files = evidence.files;
    let mut owners: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut remote: BTreeSet<&str> = BTreeSet::new();
    for record in evidence.records.iter() {
        let facts = evidence.facts(record);
        for path in facts.files.iter().chain(&facts.docs) {
            owners.entry(normalise(path)).or_default().insert(record.id());
        }
        remote.extend(facts.remote.iter().map(String::as_str));
    }
    let missing: Vec<&String> = owners.keys().filter(|path| !files.existing.contains(*path)).collect();
    let orphaned: Vec<&String> = files.candidates.iter().filter(|path| !is_linked(path, &owners)).collect();
    let mut verdict = Verdict::new("files");
    describe(files, &mut verdict);
    verdict.set("linked_project_paths", owners.len());
    verdict.set("remote_linked_paths_count", remote.len());
    verdict.set("remote_linked_paths_total", remote.len());
    verdict.list("remote_linked_paths", remote.into_iter().collect());
    let candidates = files.candidates.len() + files.internals_left_out;
    verdict.set("candidate_total_raw", candidates);
    verdict.set("candidate_scanned_raw", candidates);
    for key in ["candidate_total", "candidate_scanned", "scanned_candidate_files"] {
        verdict.set(key, files.candidates.len());
    }
    tell_missing(&missing, &owners, files, &mut verdict);
    tell_orphaned(&orphaned, &owners, &mut verdict);
    verdict
}

fn describe(files: &WorkspaceFiles, verdict: &mut Verdict) {
    let strict = files.requested == Scan::TrackedStrict;
    let notice = strict.then_some("tracked-all-strict looks at the tracker's own files too");
    verdict.set("workspace_root", files.root.as_str());
    verdict.set("scan_mode_requested", files.requested.as_str());
    verdict.set("scan_mode_applied", files.applied.as_str());
    verdict.set("strict_tracked_all_mode", strict);
    verdict.set("strict_mode_forces_pm_internals", strict);
    verdict.set("strict_mode_forces_pm_internals_notice", notice);
    verdict.warn("files_tracked_all_strict_forces_pm_internals", usize::from(strict && !files.internals));
    verdict.set("file_list_detail_mode", "full");
    verdict.set("candidate_scan_source", files.source);
    verdict.set("include_pm_internals", files.internals || strict);
    verdict.set("include_pm_internals_requested", files.internals);
    verdict.set("pm_internal_candidate_prefixes", vec![files.internal_prefix.as_str()]);
    verdict.set("pm_internal_excluded_count", files.internals_left_out);
    verdict.set("excluded_total", files.internals_left_out);
    let reasons = if files.internals_left_out > 0 {
        json!({"pm_internals": files.internals_left_out})
    } else {
        json!({})
    };
    verdict.set("excluded_by_reason", reasons);
}

/// Whether a path, or a folder above it, is linked.
fn is_linked(path: &str, owners: &BTreeMap<String, BTreeSet<&str>>) -> bool {
    owners.contains_key(path) || folders(path).any(|folder| owners.contains_key(folder))
}

/// The folders above a path, nearest first.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(path.rsplit_once('/').map(|(folder, _)| folder), |folder| {
        folder.rsplit_once('/').map(|(above, _)| above)
    })
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Links to what is not there: moved when a file of the same name is somewhere else, else deleted.
fn tell_missing(
    missing: &[&String],
    owners: &BTreeMap<String, BTreeSet<&str>>,
    files: &WorkspaceFiles,
    verdict: &mut Verdict,
) {
    let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
    for candidate in &files.candidates {
        by_name.entry(name(candidate)).or_default().push(candidate);
    }
    let (mut rows, mut classes, mut moved) = (Vec::new(), Vec::new(), 0);
    for path in missing {
        let now = by_name.get(name(path));
        moved += usize::from(now.is_some());
        let class = if now.is_some() { "moved" } else { "deleted" };
        let items: Vec<&str> = owners[*path].iter().copied().collect();
        verdict.hints.extend(items.iter().map(|id| format!("pm files {id} --remove {path}")));
        rows.push(format!("{path}:{class}:{}", items.join(",")));
        classes.push(json!({"path": path, "classification": class, "items": items,
            "candidates": now.map(|paths| paths.iter().take(5).collect::<Vec<_>>()).unwrap_or_default()}));
    }
    verdict.set("missing_linked_paths_count", missing.len());
    verdict.set("missing_linked_paths_total", missing.len());
    verdict.warn("files_missing_linked_paths", missing.len());
    verdict.list("missing_linked_paths", missing.iter().map(|path| path.as_str()).collect());
    verdict.set("missing_linked_paths_moved_count", moved);
    verdict.set("missing_linked_paths_deleted_count", missing.len() - moved);
    verdict.list("missing_linked_path_classifications", classes);
    verdict.set("missing_linked_path_rows_count", rows.len());
    verdict.set("missing_linked_path_rows", rows);
}

/// Files that nobody links, each with the item whose links lie nearest.
fn tell_orphaned(orphaned: &[&String], owners: &BTreeMap<String, BTreeSet<&str>>, verdict: &mut Verdict) {
    let mut by_folder: HashMap<&str, &str> = HashMap::new();
    for (path, items) in owners {
        let Some(item) = items.first() else { continue };
        for folder in folders(path) {
            by_folder.entry(folder).or_insert(item);
        }
    }
    let (mut rows, mut classes) = (Vec::new(), Vec::new());
    for path in orphaned {
        let class = match path.split('/').next() {
            Some("docs") => "docs_unowned",
            Some("tests" | "test") => "tests_unowned",
            Some("src" | "lib" | "crates") => "source_unowned",
            _ => "unlinked_existing",
        };
        rows.push(format!("{path}:{class}"));
        let near = folders(path).enumerate().find_map(|(up, folder)| Some((up, by_folder.get(folder)?)));
        let owner = near.map_or(Value::Null, |(up, item)| {
            json!({"id": item, "reason": if up == 0 { "same_directory" } else { "shared_directory" }})
        });
        classes.push(json!({"path": path, "classification": class, "owner_candidate": owner}));
    }
    verdict.set("orphaned_paths_count", orphaned.len());
    verdict.set("orphaned_paths_total", orphaned.len());
    verdict.warn("files_orphaned_paths", orphaned.len());
    verdict.list("orphaned_paths", orphaned.iter().map(|path| path.as_str()).collect());
    verdict.list("orphaned_path_classifications", classes);
    verdict.set("orphaned_path_rows_count", rows.len());
    verdict.set("orphaned_path_rows", rows);
}
