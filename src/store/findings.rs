//! Facts that cost much to find out, kept in `runtime/` with the identity of what they were found out from.
//!
//! A cache: bytes that are not ours, or of another version, are ignored; deleting it changes no answer.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::WorkTree;

use crate::codec::hex;

/// The largest file of facts that is read, in bytes.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Facts of one kind, by the name of what they are about.
#[derive(Debug)]
pub(crate) struct Findings<T> {
    file: String,
    key: String,
    rows: HashMap<String, (String, T)>,
    changed: bool,
}

#[derive(Serialize, Deserialize)]
struct Content<R> {
    key: String,
    rows: R,
}

impl<T: Serialize + DeserializeOwned> Findings<T> {
    /// Opens the facts of a kind; `key` names everything they depend on besides the identity of each.
    pub(crate) fn open(tree: &WorkTree, kind: &str, key: &[&[u8]]) -> Findings<T> {
        let mut digest = Sha256::new();
        digest.update(concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")));
        for part in key {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        let key = hex::encode(digest.finalize());
        let file = format!("runtime/{kind}.json");
        let rows = read(tree, &file, &key).unwrap_or_default();
        Findings { file, key, rows, changed: false }
    }

    /// What is known about `name`, provided that its identity is still this one.
    pub(crate) fn get(&self, name: &str, identity: &str) -> Option<&T> {
        self.rows.get(name).filter(|(known, _)| known == identity).map(|(_, facts)| facts)
    }

    /// Learns something new.
    pub(crate) fn learn(&mut self, name: &str, identity: String, facts: T) {
        self.rows.insert(name.to_owned(), (identity, facts));
        self.changed = true;
    }

    /// Forgets what is about nothing any more.
    pub(crate) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        let before = self.rows.len();
        self.rows.retain(|name, _| keep(name));
        self.changed |= self.rows.len() != before;
    }

    /// Writes the facts for the next call, if there is news. That it cannot be done is no failure.
    pub(crate) fn keep(&self, tree: &WorkTree) {
        if !self.changed {
            return;
        }
        let content = Content { key: self.key.clone(), rows: &self.rows };
        if let Ok(bytes) = serde_json::to_vec(&content) {
            let _ = super::write_local(tree.root(), &self.file, &bytes);
        }
    }
}

fn read<T: DeserializeOwned>(tree: &WorkTree, file: &str, key: &str) -> Option<HashMap<String, (String, T)>> {
    use super::Source;
    let bytes = tree.read(file, MAX_BYTES).ok()?;
    let content: Content<HashMap<String, (String, T)>> = serde_json::from_slice(&bytes).ok()?;
    (content.key == key).then_some(content.rows)
}

/// Does many jobs on two threads; the results are in the order of the jobs.
pub(crate) fn in_parallel<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    const THREADS: usize = 2;
    if jobs.len() < 2 * THREADS {
        return jobs.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            match jobs.get(n) {
                Some(job) => done.push((n, work(job))),
                None => return done,
            }
        }
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..THREADS).map(|_| scope.spawn(run)).collect();
        let mut done = run();
        for other in others {
            match other.join() {
                Ok(results) => done.extend(results),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_hold_as_long_as_their_identity() {
        let dir = tempfile::tempdir().unwrap();
        let tree = WorkTree::open(dir.path()).unwrap();
        let mut facts: Findings<u32> = Findings::open(&tree, "numbers", &[b"a"]);
        facts.learn("x", "1".into(), 7);
        facts.learn("y", "1".into(), 8);
        facts.keep(&tree);
        let mut again: Findings<u32> = Findings::open(&tree, "numbers", &[b"a"]);
        assert_eq!((again.get("x", "1"), again.get("x", "2"), again.get("z", "1")), (Some(&7), None, None));
        again.retain(|name| name == "x");
        again.keep(&tree);
        let last: Findings<u32> = Findings::open(&tree, "numbers", &[b"a"]);
        assert_eq!((last.get("x", "1"), last.get("y", "1")), (Some(&7), None));
        let other: Findings<u32> = Findings::open(&tree, "numbers", &[b"b"]);
        assert_eq!(other.get("x", "1"), None);
        std::fs::write(dir.path().join("runtime/numbers.json"), "{").unwrap();
        assert_eq!(Findings::<u32>::open(&tree, "numbers", &[b"a"]).get("x", "1"), None);
    }

    #[test]
    fn parallel_results_keep_the_order_of_their_jobs() {
        let jobs: Vec<usize> = (0..100).collect();
        assert_eq!(in_parallel(&jobs, |n| n * n), jobs.iter().map(|n| n * n).collect::<Vec<_>>());
        assert_eq!(in_parallel(&[3], |n| n + 1), [4]);
    }
}
