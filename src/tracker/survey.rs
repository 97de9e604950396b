//! Surveys of a whole tracker: what every item's text says, whether every history holds. What has been found out once is
//! remembered with the identity of its files.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Tracker;
use crate::clock::Clock;
use crate::codec::item::{self, Format, MAX_ITEM_BYTES, Rules};
use crate::codec::json;
use crate::domain::checks::{Scan, StorageFacts, WorkspaceFiles};
use crate::domain::health::Surroundings;
use crate::domain::survey::{self, ItemFacts, StreamFacts, StreamProblem, Streams};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::records::{Record, Records};
use crate::model::status::Statuses;
use crate::store::findings::{Findings, in_parallel};
use crate::store::settings::MAX_SETTINGS_BYTES;
use crate::store::{ReadError, Source, Stamp, WorkTree, history, lock, settings, workspace};

/// A stream to be read: its id, its identity, whether that can be trusted, the path of the item beside it.
struct Job<'a> {
    id: String,
    identity: String,
    stamp: Stamp,
    item: Beside<'a>,
}

/// What stands beside a stream.
#[derive(Clone, Copy)]
enum Beside<'a> {
    Item(Record<'a>),
    Nothing,
    /// An item file that cannot be read: nobody can say whether it agrees.
    Unreadable,
}

/// Reads items on any thread.
#[derive(Clone, Copy)]
struct Reader<'a> {
    tree: &'a WorkTree,
    statuses: &'a Statuses,
}

impl Reader<'_> {
    /// The item in a file; none when the file is none.
    fn item(self, path: &str) -> Option<Item> {
        let bytes = self.tree.read(path, MAX_ITEM_BYTES).ok()?;
        let status = |token: &str| {
            Some(self.statuses.resolve(token).map_or_else(|| token.to_owned(), |status| status.id.clone()))
        };
        let format = if path.ends_with(".md") { Format::JsonMarkdown } else { Format::Toon };
        item::decode(&bytes, format, &Rules::lenient(&status)).ok().map(|decoded| decoded.item)
    }

    fn stream(self, job: &Job<'_>) -> StreamFacts {
        let entries = match history::read(self.tree, &job.id) {
            Ok(entries) => entries,
            Err(error) => {
                let problem = match &error {
                    history::StreamError::ConflictMarkers { .. } => StreamProblem::ConflictMarkers,
                    history::StreamError::InvalidLine { .. } => StreamProblem::Unparseable,
                    history::StreamError::Read(_) => StreamProblem::Unreadable,
                };
                return StreamFacts::unreadable(problem, error.to_string());
            }
        };
        let unjudged = || StreamFacts { differs: false, ..StreamFacts::of(&job.id, &entries, None) };
        match job.item {
            Beside::Nothing => StreamFacts::of(&job.id, &entries, None),
            Beside::Unreadable => unjudged(),
            Beside::Item(record) => match self.item(record.path()) {
                Some(item) => StreamFacts::of(&job.id, &entries, Some(&item)),
                None => unjudged(),
            },
        }
    }
}

impl Tracker {
    /// What the text of each record's item says, in the order of the records. An item that was changed just now may
    /// be told as it is now.
    ///
    /// Errors: the root cannot be listed.
    pub fn item_facts(&self) -> Result<Vec<ItemFacts>> {
        let records = self.records()?;
        let prefix = self.settings().id_prefix();
        let mut known: Findings<ItemFacts> =
            Findings::open(&self.tree, "item-facts", &[&self.configuration.key, prefix.as_bytes(), b"2"]);
        let identity = |record: Record<'_>| format!("{:016x}", record.digest());
        let jobs: Vec<Record<'_>> =
            records.iter().filter(|record| known.get(record.path(), &identity(*record)).is_none()).collect();
        let reader = self.reader();
        let found = in_parallel(&jobs, |record| {
            let over = reader.statuses.is_terminal(record.status());
            reader.item(record.path()).map(|item| ItemFacts::of(&item, over, &prefix))
        });
        for (record, facts) in jobs.iter().zip(found) {
            if let Some(facts) = facts {
                known.learn(record.path(), identity(*record), facts);
            }
        }
        let paths: std::collections::HashSet<&str> = records.iter().map(Record::path).collect();
        known.retain(|path| paths.contains(path));
        known.keep(&self.tree);
        let facts =
            |record: Record<'_>| known.get(record.path(), &identity(record)).cloned().unwrap_or_default();
        Ok(records.iter().map(facts).collect())
    }

    /// Reads and verifies every history stream, each against the item beside it.
    ///
    /// Errors: the folder of the histories cannot be listed.
    pub fn streams(&self) -> Result<Streams> {
        let records = self.records()?;
        // Before the stamps are taken: what is changed later must not look old.
        let now_ns = Clock::System.now().saturating_mul(1_000_000);
        let listing = self.tree.list("history", ".jsonl").map_err(|error| {
            Error::new(Code::HistoryStreamUnreadable, "`history` cannot be listed")
                .at("history")
                .because(error)
        })?;
        let mut known: Findings<StreamFacts> =
            Findings::open(&self.tree, "stream-facts", &[&self.configuration.key, b"4"]);
        let mut all = BTreeMap::new();
        let mut jobs = Vec::new();
        for entry in listing.iter() {
            let id = entry.name.trim_end_matches(".jsonl").to_owned();
            let item = beside(&id, records);
            let identity = identity(&entry.stamp, item);
            match known.get(&id, &identity) {
                Some(facts) => drop(all.insert(id, facts.clone())),
                None => jobs.push(Job { id, identity, stamp: entry.stamp, item }),
            }
        }
        let reader = self.reader();
        let found = in_parallel(&jobs, |job| reader.stream(job));
        for (job, facts) in jobs.into_iter().zip(found) {
            let fleeting = matches!(facts.problem, Some((StreamProblem::Unreadable, _)));
            if !fleeting && !job.stamp.is_racy(now_ns) && !matches!(job.item, Beside::Unreadable) {
                known.learn(&job.id, job.identity, facts.clone());
            }
            all.insert(job.id, facts);
        }
        known.retain(|id| all.contains_key(id));
        known.keep(&self.tree);
        let mut streams = Streams { streams: all, ..Streams::default() };
        self.compare_documents(&mut streams);
        Ok(streams)
    }

    /// The files of the workspace that somebody should link, and which of the linked ones exist.
    pub fn workspace_files(
        &self,
        scan: Scan,
        internals: bool,
        linked: impl Iterator<Item = String>,
    ) -> WorkspaceFiles {
        workspace::files(self.workspace(), self.root(), scan, internals, linked)
    }

    /// The state of the tracker's files that are no items and no histories, and what Git knows of them and of texts that
    /// were taken out.
    pub fn storage_facts(&self, streams: &Streams) -> StorageFacts {
        let returned = self.returned_secrets(streams);
        let returned_secrets = returned.into_iter().map(|(id, _)| id).collect();
        let unjoined = self.unjoined();
        StorageFacts { returned_secrets, unjoined, ..workspace::storage(&self.tree, &self.schema().kinds) }
    }

    /// What lies around the items: folders, packages of the reference, locks.
    pub fn surroundings(&self) -> Surroundings {
        let registry = settings::read_object(&self.tree, "extensions/.managed-extensions.json");
        let entries =
            registry.ok().flatten().and_then(|registry| registry.get("entries")?.as_array().cloned());
        let name = |entry: &Value| entry.get("name").and_then(Value::as_str).map(str::to_owned);
        Surroundings {
            now: self.clock().now(),
            settings_warnings: self.warnings().to_vec(),
            folders: workspace::folders(self.root()),
            packages: entries.iter().flatten().filter_map(name).collect(),
            locks: lock::census(self.root(), self.settings().number("locks.ttl_seconds", 1800)),
            ..Surroundings::default()
        }
    }

    fn reader(&self) -> Reader<'_> {
        Reader { tree: &self.tree, statuses: &self.configuration.schema.statuses }
    }

    /// Compares the files that the workspace's stream records with those that are there.
    fn compare_documents(&self, streams: &mut Streams) {
        let Some(workspace) = streams.streams.get(survey::WORKSPACE) else { return };
        for (path, digest) in &workspace.documents {
            let list = match self.tree.read(path, MAX_SETTINGS_BYTES) {
                Err(ReadError::NotFound) => &mut streams.missing_documents,
                Err(_) => &mut streams.unreadable_documents,
                Ok(bytes) => match serde_json::from_slice::<Value>(&bytes) {
                    Err(_) => &mut streams.unreadable_documents,
                    Ok(value) if json::digest(&value) != *digest => &mut streams.changed_documents,
                    Ok(_) => continue,
                },
            };
            list.push(path.clone());
        }
    }
}

fn beside<'a>(id: &str, records: &'a Records) -> Beside<'a> {
    if let Some(record) = records.find(id) {
        return Beside::Item(record);
    }
    let stem = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
    };
    if records.unreadable().iter().any(|file| stem(&file.path) == id) {
        Beside::Unreadable
    } else {
        Beside::Nothing
    }
}

fn identity(stamp: &Stamp, item: Beside<'_>) -> String {
    let item = match item {
        Beside::Item(record) => format!("{:016x}", record.digest()),
        Beside::Nothing => "none".to_owned(),
        Beside::Unreadable => "unreadable".to_owned(),
    };
    format!("{}-{}-{}-{}-{item}", stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.ino)
}
