//! Which entries are hits, and in which order. Whole numbers only, so that every language counts the same.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use jiff::civil::Date;
use serde_json::{Value, json};

use super::query::Query;
use crate::answer::Row;
use crate::catalog::served::{SearchEntry, Terms};
use crate::catalog::trust::effective_trust;
use crate::catalog::words::Level;

/// What a word is worth that is the query's word, and one that begins with it.
const EXACT: u32 = 4;
const PREFIX: u32 = 2;

/// A query's word must have so many characters to be the beginning of another.
const LEAST_PREFIX: usize = 3;

/// What it is worth that every word of the query hits.
const ALL_HIT: u32 = 50;

/// What a hit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Variants of one procedure.
    Topic,
    /// A record without a topic.
    Runbook,
}

/// An entry that passed the filters.
#[derive(Clone, Debug)]
pub struct Variant<'e> {
    /// The entry.
    pub entry: &'e SearchEntry,
    /// Its score; 0 where there is no symptom.
    pub score: u32,
    /// Its level on the day.
    pub level: Level,
}

/// One hit.
#[derive(Clone, Debug)]
pub struct Hit<'e> {
    /// What it is.
    pub kind: Kind,
    /// The topic, or the slug.
    pub name: &'e str,
    /// Its place in the order, from small to large.
    pub(super) rank: u32,
    /// The best first; one for a record without topic.
    pub variants: Vec<Variant<'e>>,
    /// How many records the topic has that may be read here.
    pub variants_total: usize,
}

/// The hits of a query in their order, whatever the limit and the cursor.
pub fn ranked<'e>(
    entries: impl IntoIterator<Item = &'e SearchEntry>,
    query: &Query,
    as_of: Date,
) -> Vec<Hit<'e>> {
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    let mut groups: BTreeMap<(&str, Kind), Vec<Variant<'e>>> = BTreeMap::new();
    for entry in entries {
        let level = level(entry, as_of);
        if level < query.trust_min {
            continue;
        }
        if let Some(topic) = &entry.topic {
            *totals.entry(topic).or_default() += 1;
        }
        let score = query.symptom.as_deref().map(|words| score(&entry.terms, words));
        if score == Some(0) || !passes(entry, query) {
            continue;
        }
        let group = match &entry.topic {
            Some(topic) => (topic.as_str(), Kind::Topic),
            None => (entry.slug.as_str(), Kind::Runbook),
        };
        groups.entry(group).or_default().push(Variant { entry, score: score.unwrap_or(0), level });
    }
    let scored = query.symptom.is_some();
    let hit = |((name, kind), mut variants): ((&'e str, Kind), Vec<Variant<'e>>)| {
        variants.sort_by(|a, b| {
            rank(a, scored).cmp(&rank(b, scored)).then_with(|| a.entry.slug.cmp(&b.entry.slug))
        });
        let variants_total = if kind == Kind::Topic { totals[name] } else { 1 };
        Hit { kind, name, rank: rank(&variants[0], scored), variants, variants_total }
    };
    let mut hits: Vec<Hit<'e>> = groups.into_iter().map(hit).collect();
    hits.sort_by(|a, b| a.compare(b.rank, b.name, b.kind));
    hits
}

/// The level on a day.
fn level(entry: &SearchEntry, as_of: Date) -> Level {
    let expires = entry.trust_expires_on.as_deref().and_then(|day| day.parse().ok());
    effective_trust(entry.trust, expires, as_of)
}

/// Every filter but the level's.
fn passes(entry: &SearchEntry, query: &Query) -> bool {
    query.risk_max.is_none_or(|most| entry.risk <= most)
        && query.execution.is_none_or(|execution| entry.execution == execution)
        && query.profile.is_none_or(|profile| entry.profile == profile)
        && (query.targets.is_empty() || entry.targets.iter().any(|target| query.targets.contains(target)))
        && query.available.as_ref().is_none_or(|offered| {
            // All of them, never any: a part of a destructive procedure is a state nobody designed.
            entry.capabilities.iter().all(|needed| offered.binary_search(needed).is_ok())
        })
}

/// The place in the order: the best score first; without a symptom the least risk, then the highest level.
fn rank(variant: &Variant<'_>, scored: bool) -> u32 {
    if scored {
        return u32::MAX - variant.score;
    }
    let (risk, level) = (variant.entry.risk as u32, variant.level as u32);
    risk * 16 + (15 - level)
}

/// What an entry is worth to a query of these words; 0 when none of them hits.
fn score(terms: &Terms, words: &[String]) -> u32 {
    let fields = [
        (6, &terms.symptoms),
        (5, &terms.title),
        (4, &terms.targets),
        (3, &terms.topic),
        (2, &terms.tags),
        (2, &terms.summary),
        (1, &terms.steps),
    ];
    let best = |word: &String| {
        let worth = |(weight, terms): &(u32, &Vec<String>)| {
            weight * terms.iter().map(|term| matched(term, word)).max().unwrap_or(0)
        };
        fields.iter().map(worth).max().unwrap_or(0)
    };
    let found: Vec<u32> = words.iter().map(best).collect();
    let sum: u32 = found.iter().sum();
    let count = u32::try_from(words.len()).unwrap_or(u32::MAX).max(1);
    match sum {
        0 => 0,
        _ if found.contains(&0) => sum * 100 / count,
        _ => sum * 100 / count + ALL_HIT,
    }
}

fn matched(term: &str, word: &str) -> u32 {
    if term == word {
        EXACT
    } else if term.starts_with(word) && word.chars().nth(LEAST_PREFIX - 1).is_some() {
        PREFIX
    } else {
        0
    }
}

impl Hit<'_> {
    /// The order of hits: by rank, then by name.
    pub(super) fn compare(&self, rank: u32, name: &str, kind: Kind) -> Ordering {
        self.rank.cmp(&rank).then_with(|| self.name.cmp(name)).then_with(|| self.kind.cmp(&kind))
    }

    /// Its score: that of its best variant.
    pub fn score(&self) -> u32 {
        self.variants.first().map_or(0, |best| best.score)
    }

    /// As an answer shows it; `only` narrows the fields of variants, a level and its expiry always stay.
    pub fn shown(&self, only: &[String]) -> Row {
        let Some(best) = self.variants.first().filter(|_| self.kind == Kind::Runbook) else {
            let title = self.variants.first().and_then(|best| best.entry.topic_title.as_deref());
            return crate::answer::row([
                ("type", json!("topic")),
                ("topic", json!(self.name)),
                ("title", json!(title.unwrap_or(self.name))),
                ("score", json!(self.score())),
                ("variants_matched", json!(self.variants.len())),
                ("variants_total", json!(self.variants_total)),
                (
                    "variants",
                    self.variants.iter().map(|variant| Value::Object(variant.shown(only))).collect(),
                ),
            ]);
        };
        let mut row = crate::answer::row([("type", json!("runbook"))]);
        row.extend(best.shown(&[]));
        row
    }
}

impl Variant<'_> {
    fn shown(&self, only: &[String]) -> Row {
        let entry = self.entry;
        let mut row = crate::answer::row([
            ("id", json!(entry.id)),
            ("slug", json!(entry.slug)),
            ("title", json!(entry.title)),
            ("score", json!(self.score)),
            ("risk", json!(entry.risk)),
            ("execution", json!(entry.execution)),
            ("profile", json!(entry.profile)),
            ("capabilities", json!(entry.capabilities)),
            ("min_runtime_profile", json!(entry.min_runtime_profile)),
            ("trust", json!(self.level)),
        ]);
        let expiry = json!(entry.trust_expires_on);
        if self.level.decays() {
            row.insert("trust_expires_on".to_owned(), expiry);
        } else if self.level < entry.trust {
            row.insert("expired_from".to_owned(), json!(entry.trust));
            row.insert("expired_on".to_owned(), expiry);
        }
        row.insert("content_hash".to_owned(), json!(entry.content_hash));
        row.insert("href".to_owned(), json!(entry.href));
        if !only.is_empty() {
            const PINNED: [&str; 3] = ["id", "trust", "trust_expires_on"];
            row.retain(|key, _| PINNED.contains(&key.as_str()) || only.contains(key));
        }
        row
    }
}
