//! A source on a day: its records judged, concluded about and rendered, in the order of their slugs; what is wrong
//! with the rest.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use serde_json::{Value, json};

use super::cache::{Cache, Sort};
use super::document;
use super::finding::Finding;
use super::identity;
use super::judge::{self, Bench, Facts, Judged};
use super::policy::TrustRoot;
use super::render::{self, Rendered};
use super::settings::Settings;
use super::signature::Keyring;
use super::source::{Folder, Source};
use super::status::TrustRootFacts;
use super::trust::{self, Conclusion, Weighed};
use crate::error::Result;
use crate::store::documents::TreeFile;

/// A record of a compiled source.
#[derive(Clone, Debug)]
pub struct Item {
    /// What is known of it.
    pub facts: Facts,
    /// Its statements, oldest first.
    pub evidence: Vec<Weighed>,
    /// What follows on the day.
    pub conclusion: Conclusion,
    /// What is served of it.
    pub rendered: Rendered,
}

/// What somebody wrote about a topic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopicText {
    /// Its title.
    pub title: Option<String>,
    /// What it is about.
    pub summary: String,
    /// Its place among the topics.
    pub order: Option<i64>,
}

/// A source on a day.
#[derive(Debug)]
pub struct Compiled {
    /// The day.
    pub as_of: Date,
    /// The records, by slug.
    pub items: Vec<Item>,
    /// The topics that have a file, by name.
    pub topics: BTreeMap<String, TopicText>,
    /// What stops a record: it is left out.
    pub errors: Vec<Finding>,
    /// What stops the whole catalog, whoever keeps going.
    pub collisions: Vec<Finding>,
    /// What should be looked at.
    pub warnings: Vec<String>,
    /// The settings.
    pub settings: Settings,
    /// The commit.
    pub commit: String,
    /// Whether it holds what no commit does.
    pub dirty: bool,
    /// Whom it trusts.
    pub trust_root: TrustRootFacts,
}

impl Compiled {
    /// The record of an id, a slug or a former slug.
    pub fn find(&self, name: &str) -> Option<&Item> {
        let is = |item: &&Item| item.facts.id == name || item.facts.slug == name;
        let was = |item: &&Item| item.facts.former_slugs.iter().any(|slug| slug == name);
        self.items.iter().find(is).or_else(|| self.items.iter().find(was))
    }

    /// The records of one of the two lists: at T2 and above, or below.
    pub fn listed(&self, untrusted: bool) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.conclusion.level.is_untrusted() == untrusted)
    }
}

/// Compiles a source.
///
/// Errors: what Git says. What is wrong with records is a part of the result.
pub fn compile(source: &Source, root: &TrustRoot, as_of: Date, cache: &mut Cache) -> Result<Compiled> {
    let keyring = Keyring::read(&root.allowed_signers, &root.revoked_keys);
    let bench = Bench { settings: &source.settings, policy: &root.policy, keyring: &keyring };
    let mut errors = source.strays();
    let topics = topics(source, &mut errors)?;
    let judged = judged(source, root, bench, cache)?;
    let mut warnings = source.settings.warnings();
    warnings.extend(keyring.faults().iter().map(|fault| {
        format!("{}: line {}: {}", source.path(&format!("_trust/{}", fault.file)), fault.line, fault.problem)
    }));
    let mut items = Vec::new();
    for (key, judged) in judged {
        let (facts, document) = match judged {
            Known::Record(facts, document) => (*facts, document),
            Known::Refused(findings) => {
                errors.extend(findings);
                continue;
            }
        };
        let evidence = facts.weighed();
        let conclusion = trust::conclude(&facts.publisher, !source.dirty, &evidence, &root.policy, as_of);
        for one in evidence.iter().filter(|one| one.is_future(as_of)) {
            let (slug, kind, on) = (&facts.slug, one.statement.kind, one.on);
            warnings.push(format!("{slug}: a {kind} statement is dated {on}, after the day of the build"));
        }
        let title = facts.topic.as_ref().and_then(|topic| topics.get(topic)?.title.as_deref());
        let wanted = render::Wanted {
            key: &key,
            facts: &facts,
            evidence: &evidence,
            conclusion: &conclusion,
            topic_title: title,
            base_path: &source.settings.base_path,
            as_of,
        };
        match render::rendered(&wanted, &document, cache) {
            Ok(rendered) => items.push(Item { facts, evidence, conclusion, rendered }),
            Err(problem) => errors.push(Finding::error(&source.path(&facts.slug), "record", problem)),
        }
    }
    items.sort_by(|a, b| a.facts.slug.cmp(&b.facts.slug));
    let collisions = collisions(&items, source);
    cache.save();
    Ok(Compiled {
        as_of,
        items,
        topics,
        errors,
        collisions,
        warnings,
        settings: source.settings.clone(),
        commit: source.commit.clone(),
        dirty: source.dirty,
        trust_root: TrustRootFacts { source: root.source.to_owned(), digest: root.digest.clone() },
    })
}

/// A document that is read when somebody needs it.
pub(super) enum Document {
    /// Read already.
    Value(Value),
    /// As the cache has it.
    Text(crate::store::records::Bytes),
}

impl Document {
    /// The document.
    pub(super) fn value(&self) -> Value {
        match self {
            Document::Value(value) => value.clone(),
            Document::Text(bytes) => serde_json::from_slice(bytes).unwrap_or(Value::Null),
        }
    }
}

enum Known {
    Record(Box<Facts>, Document),
    Refused(Vec<Finding>),
}

/// The key under which everything about a folder is kept: all that its facts depend on.
fn key(folder: &Folder<'_>, source: &Source, root: &TrustRoot) -> String {
    let file = |file: &&TreeFile| json!([file.path, file.blob, file.link, file.size]);
    let records: Value = folder.records.iter().map(file).collect();
    let evidence: Value = folder.evidence.iter().map(file).collect();
    let settings = json!([source.settings.source, source.settings.capability_vocab]);
    let all = json!([folder.name, records, evidence, root.digest, settings]);
    identity::sha256(all.to_string().as_bytes())
}

/// Every folder judged, with its key, in the order of their names; what the cache knows is not judged again.
fn judged(
    source: &Source,
    root: &TrustRoot,
    bench: Bench<'_>,
    cache: &mut Cache,
) -> Result<Vec<(String, Known)>> {
    let folders = source.folders();
    let mut all: Vec<(String, Option<Known>)> = Vec::with_capacity(folders.len());
    let mut unknown = Vec::new();
    for (n, folder) in folders.iter().enumerate() {
        let key = key(folder, source, root);
        let facts = cache.get(Sort::Facts, &key).and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let document = facts.is_some().then(|| cache.get(Sort::Document, &key)).flatten();
        let known =
            facts.zip(document).map(|(facts, text)| Known::Record(Box::new(facts), Document::Text(text)));
        if known.is_none() {
            unknown.push(n);
        }
        all.push((key, known));
    }
    let files: Vec<&TreeFile> = unknown
        .iter()
        .flat_map(|n| folders[*n].records.iter().chain(&folders[*n].evidence))
        .copied()
        .collect();
    let read = source.read(&files)?;
    let bytes: HashMap<&str, &[u8]> = files
        .iter()
        .zip(&read)
        .filter_map(|(file, bytes)| Some((file.path.as_str(), bytes.as_deref()?)))
        .collect();
    let work: Vec<&Folder<'_>> = unknown.iter().map(|n| &folders[*n]).collect();
    for (n, judged) in unknown.iter().zip(in_parallel(&work, |folder| judge::judge(folder, &bytes, bench))) {
        let (key, known) = &mut all[*n];
        *known = Some(match judged {
            Judged::Refused(findings) => Known::Refused(findings),
            Judged::Record(facts, document) => {
                cache.put(Sort::Facts, key, serde_json::to_vec(&facts).unwrap_or_default());
                cache.put(Sort::Document, key, identity::canonical(&document).into_bytes());
                Known::Record(facts, Document::Value(document))
            }
        });
    }
    Ok(all.into_iter().filter_map(|(key, known)| Some((key, known?))).collect())
}

/// The results for all, in their order, worked out on all cores.
fn in_parallel<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(8);
    if all.len() < 8 || threads < 2 {
        return all.iter().map(&work).collect();
    }
    let share = all.len().div_ceil(threads);
    std::thread::scope(|scope| {
        let work = &work;
        let parts: Vec<_> = all
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()))
            .collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// The files of topics.
fn topics(source: &Source, errors: &mut Vec<Finding>) -> Result<BTreeMap<String, TopicText>> {
    let named = source.topics();
    let files: Vec<&TreeFile> = named.iter().map(|(_, file)| *file).collect();
    let mut all = BTreeMap::new();
    for ((name, file), bytes) in named.iter().zip(source.read(&files)?) {
        let read = bytes.ok_or_else(|| "it cannot be read: a link, or too large".to_owned());
        let text = read.and_then(|bytes| document::read(&file.path, &bytes)).and_then(|value| topic(&value));
        match text {
            Ok(text) => drop(all.insert((*name).to_owned(), text)),
            Err(problem) => errors.push(Finding::error(&source.path(&file.path), "topic", problem)),
        }
    }
    Ok(all)
}

fn topic(value: &Value) -> Result<TopicText, String> {
    const KEYS: [&str; 3] = ["title", "summary", "order"];
    let map = value.as_object().ok_or("it is no object of title, summary, order")?;
    if let Some(odd) = map.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("`{odd}` is none of: {}", KEYS.join(", ")));
    }
    let text = |key: &str, most: usize| match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.chars().count() <= most => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{key}` is no text of at most {most} characters")),
    };
    let order = match map.get("order") {
        None | Some(Value::Null) => None,
        Some(order) => Some(order.as_i64().ok_or("`order` is no whole number")?),
    };
    let title = text("title", 120)?.filter(|title| !title.is_empty());
    Ok(TopicText { title, summary: text("summary", 600)?.unwrap_or_default(), order })
}

/// Ids and slugs that two records claim.
fn collisions(items: &[Item], source: &Source) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut ids: BTreeMap<&str, &str> = BTreeMap::new();
    let mut slugs: BTreeMap<&str, &str> = BTreeMap::new();
    for item in items {
        let facts = &item.facts;
        let path = source.path(&facts.slug);
        if let Some(other) = ids.insert(&facts.id, &facts.slug) {
            let message = format!("`{other}` and `{}` have one id, {}", facts.slug, facts.id);
            found.push(Finding::error(&path, "collision", message));
            continue;
        }
        for slug in std::iter::once(&facts.slug).chain(&facts.former_slugs) {
            if let Some(other) = slugs.insert(slug, &facts.slug).filter(|other| *other != facts.slug) {
                let message = format!("`{other}` and `{}` both claim the slug `{slug}`", facts.slug);
                found.push(Finding::error(&path, "collision", message));
            }
        }
    }
    found
}
