//! Every file of a tracker by what it is for, for whoever has to look at all of them.

use std::fs;
use std::path::Path;

use super::process::{self, Life};
use super::source::{is_item_file, is_safe_name, may_hold_items};
use super::{archive, file, garbage, git, journal};

/// The most of a file that is read, in bytes.
pub(crate) const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// An item, a history, settings or schema: what the tracker says.
    Source,
    /// What the next command makes again: indexes, caches, what dead processes left.
    Cache,
    /// Records beside the items: checkpoints, batches, templates, receipts, what is local to the working copy.
    Record,
    /// What belongs to other programs, or to a process that lives.
    Foreign,
}

/// Files and folders of records.
const RECORDS: [&str; 8] = [
    "checkpoints/",
    "transactions/sdk/",
    "templates/",
    "context-intents/",
    "merge-receipts/",
    "runtime/",
    "search/",
    "assurance.json",
];

/// What is known about streams and items, made again from them.
const FACTS: [&str; 2] = ["runtime/item-facts.json", "runtime/stream-facts.json"];

/// What a file below the root is for; none for a lock, and for what is no part of a tracker whose root is that of a
/// project.
pub(crate) fn part(path: &str, whole: bool) -> Option<Part> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let top = path.split('/').next().unwrap_or(path);
    if let Some(pid) = file::temporary_owner(name) {
        let dead = process::life(pid, None) == Life::Dead;
        return Some(if dead { Part::Cache } else { Part::Foreign });
    }
    let index = folder == "runtime" && (name.ends_with(".bin") || name.ends_with(".bin.tmp"));
    if top == "locks" || (folder == "runtime" && name.ends_with(".writing")) {
        return None;
    }
    if path.starts_with("history/") || path.starts_with("schema/") || path == "settings.json" {
        return Some(Part::Source);
    }
    // The states that callers were shown are digests only, and no cache.
    if index && name.starts_with("snapshots-") {
        return None;
    }
    let under =
        |known: &str| path.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if index || FACTS.contains(&path) || garbage::caches().any(under) {
        return Some(Part::Cache);
    }
    if RECORDS
        .iter()
        .any(|record| path.strip_prefix(record).is_some_and(|_| record.ends_with('/')) || path == *record)
    {
        return Some(Part::Record);
    }
    if is_item_file(name) && !folder.is_empty() && may_hold_items(top) && (whole || name.ends_with(".toon")) {
        return Some(Part::Source);
    }
    whole.then_some(Part::Foreign)
}

/// The files below the root with what they are for, sorted; the copies of [`archive`] and whatever lies behind a link
/// are left out.
pub(crate) fn files(root: &Path) -> Vec<(String, Part)> {
    let whole = root.ends_with(".agents/pm");
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(root.join(&folder)).into_iter().flatten().flatten();
        for entry in entries {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let known = whole || !folder.is_empty() || !name.starts_with('.');
            if kind.is_dir() && known && is_safe_name(&name) && path != format!("{}/objects", archive::FOLDER)
            {
                open.push(path);
            } else if kind.is_file() && is_safe_name(&name) {
                found.extend(part(&path, whole).map(|part| (path, part)));
            }
        }
    }
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    found
}

/// Removes a file below the root; that it is gone already is no failure.
pub(crate) fn remove(root: &Path, path: &str) -> std::io::Result<()> {
    journal::remove(&file::place(root, path)?)
}

/// The receipts of merges that lie beside the repository of this clone: each with its bytes.
pub(crate) fn receipts_of_clone(root: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let Some(folder) = git::common_folder(root).map(|git| git.join("pm-merge-receipts")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let fits = entry.metadata().is_ok_and(|about| about.is_file() && about.len() <= MAX_BYTES);
        if let Some(bytes) = fits.then(|| fs::read(entry.path()).ok()).flatten() {
            found.push((entry.path(), bytes));
        }
    }
    found
}

/// Replaces one of them.
pub(crate) fn replace_receipt(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    file::replace(path, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_where_they_lie() {
        for (path, wanted) in [
            ("tasks/pm-a.toon", Some(Part::Source)),
            ("history/pm-a.jsonl", Some(Part::Source)),
            ("settings.json", Some(Part::Source)),
            ("runtime/index-v1.bin", Some(Part::Cache)),
            ("runtime/snapshots-v1.bin", None),
            ("runtime/index-v1.writing", None),
            ("runtime/test-runs/a/out.json", Some(Part::Record)),
            ("runtime/item-facts.json", Some(Part::Cache)),
            ("search/lancedb/x/y", Some(Part::Cache)),
            ("search/eval-queries.json", Some(Part::Record)),
            ("checkpoints/update-many/c.json", Some(Part::Record)),
            ("transactions/pm/1-ab.json", Some(Part::Foreign)),
            ("extensions/x/index.js", Some(Part::Foreign)),
            ("locks/pm-a.lock", None),
        ] {
            assert_eq!(part(path, true), wanted, "{path}");
        }
        assert_eq!(part("src/main.rs", false), None, "a project around a tracker is nobody's business");
        let own = format!("tasks/.pm-a.toon.{}.1.00000000.tmp", std::process::id());
        assert_eq!(part(&own, true), Some(Part::Foreign));
    }
}
