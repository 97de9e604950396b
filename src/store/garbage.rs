//! What may go from a tracker: caches, temporary files and locks of the dead, records that are past their time.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::file;
use super::lock::{self, Terms};
use super::process::{self, Life};
use super::recovery;
use crate::model::timestamp;

/// A part of the tracker that is looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Indexes.
    Index,
    /// What semantic search keeps.
    Embeddings,
    /// Caches and temporary files.
    Runtime,
    /// Locks that nobody holds any more.
    Locks,
    /// Checkpoints of bulk calls.
    Checkpoints,
    /// Records of batches.
    Transactions,
}

impl Scope {
    /// Every scope with its name, in order.
    pub const ALL: [(&'static str, Scope); 6] = [
        ("index", Scope::Index),
        ("embeddings", Scope::Embeddings),
        ("runtime", Scope::Runtime),
        ("locks", Scope::Locks),
        ("checkpoints", Scope::Checkpoints),
        ("transactions", Scope::Transactions),
    ];
}

/// How many files of a kind there were, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many were looked at.
    pub scanned: usize,
    /// How many went, or would.
    pub removed: usize,
}

/// What was done, or would be.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Paths below the tracker root that went, sorted.
    pub removed: Vec<String>,
    /// Paths that were looked at and stay.
    pub retained: Vec<String>,
    /// Locks.
    pub locks: Tally,
    /// Checkpoints.
    pub checkpoints: Tally,
    /// Records of batches.
    pub transactions: Tally,
    /// What could not be removed, as warnings.
    pub warnings: Vec<String>,
}

/// How it is done.
#[derive(Clone, Debug)]
pub(crate) struct Request<'a> {
    /// The parts.
    pub(crate) scopes: &'a [Scope],
    /// The program's own index goes too: the next call makes it anew.
    pub(crate) own_index: bool,
    /// Records from before this instant are past their time.
    pub(crate) oldest: i64,
    /// How locks are taken over.
    pub(crate) terms: Terms,
    /// Says what would go, removes nothing.
    pub(crate) dry_run: bool,
}

/// Caches that the reference leaves, and that nothing here reads.
const CACHES: &[(Scope, &str)] = &[
    (Scope::Index, "index/manifest.json"),
    (Scope::Embeddings, "search/embeddings.jsonl"),
    (Scope::Embeddings, "search/vectorization-status.json"),
    (Scope::Embeddings, "search/lancedb"),
    (Scope::Embeddings, "search/pending-refresh.json"),
    (Scope::Embeddings, "search/pending-refresh.gate.lock"),
    (Scope::Runtime, "runtime/test-runs"),
    (Scope::Runtime, "runtime/history-drift-cache.json"),
    (Scope::Runtime, "runtime/metadata-cache.json"),
    (Scope::Runtime, "runtime/metadata-cache-manifest.json"),
    (Scope::Runtime, "runtime/metadata-cache-delta.json"),
    (Scope::Runtime, "runtime/metadata-query-index.sqlite"),
];

/// The caches that the reference leaves, without the results of tests, which nothing makes again.
pub(crate) fn caches() -> impl Iterator<Item = &'static str> {
    CACHES.iter().map(|(_, path)| *path).filter(|path| *path != "runtime/test-runs")
}

/// The tracker root, and what is collected in it.
struct Collector<'a> {
    root: &'a Path,
    request: &'a Request<'a>,
    found: Collected,
}

/// Collects what may go.
pub(crate) fn collect(root: &Path, request: &Request<'_>) -> Collected {
    let mut collector = Collector { root, request, found: Collected::default() };
    let wants = |scope| request.scopes.contains(&scope);
    for (scope, path) in CACHES {
        if wants(*scope) && collector.exists(path) {
            collector.remove(path);
        }
    }
    if wants(Scope::Index) && request.own_index {
        collector.own_index();
    }
    if wants(Scope::Runtime) {
        collector.leftovers();
    }
    if wants(Scope::Locks) {
        collector.locks();
    }
    if wants(Scope::Checkpoints) {
        for folder in collector.names("checkpoints", |kind| kind.is_dir()) {
            let tally = collector.aged(&format!("checkpoints/{folder}"), "created_at", |_| true);
            collector.found.checkpoints.scanned += tally.scanned;
            collector.found.checkpoints.removed += tally.removed;
        }
    }
    if wants(Scope::Transactions) {
        let over = |record: &Value| matches!(record["status"].as_str(), Some("committed" | "compensated"));
        collector.found.transactions = collector.aged("transactions/sdk", "updatedAt", over);
    }
    collector.found.removed.sort_unstable();
    collector.found.retained.sort_unstable();
    collector.found
}

impl Collector<'_> {
    /// Whether a path is there and every folder above it is a folder, no link that leads elsewhere.
    fn exists(&self, path: &str) -> bool {
        let mut at = self.root.to_path_buf();
        let parts: Vec<&str> = path.split('/').collect();
        for (n, part) in parts.iter().enumerate() {
            at.push(part);
            let Ok(found) = fs::symlink_metadata(&at) else { return false };
            if n + 1 < parts.len() && !found.is_dir() {
                return false;
            }
        }
        true
    }

    /// The entries of a folder below the root, of one kind, sorted.
    fn names(&self, folder: &str, of: impl Fn(&fs::FileType) -> bool) -> Vec<String> {
        if !self.exists(&format!("{folder}/.")) {
            return Vec::new();
        }
        let entries = fs::read_dir(self.root.join(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| of(&kind)))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort_unstable();
        names
    }

    fn remove(&mut self, path: &str) {
        if !self.request.dry_run {
            let full = self.root.join(path);
            let is_folder = fs::symlink_metadata(&full).is_ok_and(|found| found.is_dir());
            let gone = if is_folder { fs::remove_dir_all(&full) } else { fs::remove_file(&full) };
            if let Err(error) = gone
                && error.kind() != std::io::ErrorKind::NotFound
            {
                self.found.warnings.push(format!("gc_not_removed:{path}: {error}"));
                self.found.retained.push(path.to_owned());
                return;
            }
        }
        self.found.removed.push(path.to_owned());
    }

    fn own_index(&mut self) {
        for name in self.names("runtime", fs::FileType::is_file) {
            // Snapshots are no cache: callers ask what changed since one.
            if name.ends_with(".bin") && !name.starts_with("snapshots-") {
                self.remove(&format!("runtime/{name}"));
            }
        }
    }

    /// Temporary files and folders of processes that are gone.
    fn leftovers(&mut self) {
        let dead = |pid: u32| process::life(pid, None) == Life::Dead;
        for folder in self.names(".", fs::FileType::is_dir) {
            for name in self.names(&folder, fs::FileType::is_file) {
                if file::temporary_owner(&name).is_some_and(dead) {
                    self.remove(&format!("{folder}/{name}"));
                }
            }
        }
        for name in self.names("runtime", fs::FileType::is_dir) {
            let owner = name.strip_prefix("test-").and_then(|rest| rest.split('-').next()?.parse().ok());
            if owner.is_some_and(dead) {
                self.remove(&format!("runtime/{name}"));
            }
        }
    }

    fn locks(&mut self) {
        let locks = lock::census(self.root, self.request.terms.ttl_seconds);
        let kept = [&locks.active, &locks.unreadable, &locks.unparseable];
        let kept: Vec<String> = kept.into_iter().flatten().map(|id| format!("locks/{id}.lock")).collect();
        self.found.locks.scanned = kept.len() + locks.stale.len();
        self.found.retained.extend(kept);
        let terms = Terms { wait: Duration::ZERO, force: true, ..self.request.terms.clone() };
        for id in &locks.stale {
            let path = format!("locks/{id}.lock");
            // Taken over and given back: whatever its owner left half done is finished first.
            if !self.request.dry_run
                && let Err(error) = recovery::take_lock(self.root, id, &terms, &mut Vec::new()).map(drop)
            {
                self.found.warnings.push(format!("gc_not_removed:{path}: {error}"));
                self.found.retained.push(path);
                continue;
            }
            self.found.locks.removed += 1;
            self.found.removed.push(path);
        }
    }

    /// Records that are past their time; what is no record stays.
    fn aged(&mut self, folder: &str, time: &str, over: impl Fn(&Value) -> bool) -> Tally {
        const MOST: u64 = 16 * 1024 * 1024;
        let mut tally = Tally::default();
        for name in self.names(folder, fs::FileType::is_file) {
            if !name.ends_with(".json") {
                continue;
            }
            tally.scanned += 1;
            let path = format!("{folder}/{name}");
            let full = self.root.join(&path);
            let small = fs::metadata(&full).is_ok_and(|found| found.len() <= MOST);
            let record = small.then(|| fs::read(&full).ok()).flatten();
            let record: Option<Value> = record.and_then(|bytes| serde_json::from_slice(&bytes).ok());
            let old = record.as_ref().is_some_and(|record| {
                let at = record.get(time).and_then(Value::as_str).and_then(timestamp::parse);
                over(record) && at.is_some_and(|at| at < self.request.oldest)
            });
            if old {
                self.remove(&path);
                tally.removed += 1;
            } else {
                self.found.retained.push(path);
            }
        }
        tally
    }
}
