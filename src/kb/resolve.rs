//! From what a caller says to a document: the ladder of look-ups, renames, supersession (disclosure.md §5).

use serde_json::{Value, json};

use super::corpus::{Corpus, without_scheme};
use super::library::Library;
use super::refusal;
use crate::error::Result;
use crate::nearest;

/// The most steps from one document to its successor, and from one name to the next.
const MOST_STEPS: usize = 16;

/// A document that was found, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Its place in the corpus.
    pub(crate) entry: usize,
    /// The step of the ladder.
    pub(crate) by: &'static str,
}

/// What `resolve` found.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// The document at the end.
    pub(crate) entry: usize,
    /// The step that found the first one.
    pub(crate) by: &'static str,
    /// The way: `{uri, via}` each.
    pub(crate) chain: Vec<Value>,
    /// What went wrong on the way without ending it.
    pub(crate) warnings: Vec<Value>,
}

/// Steps 1 to 4, which need nothing but names, and 5 with `aliases`.
fn by_name(corpus: &Corpus, name: &str, aliases: bool) -> Option<Hit> {
    let hit = |by: &'static str| move |entry| Hit { entry, by };
    let path = name.strip_prefix("./").unwrap_or(name);
    let in_path = |rest: &str| corpus.by_path(&format!("{rest}.md"));
    corpus
        .by_uri(name)
        .map(hit("uri"))
        .or_else(|| corpus.by_path(path).map(hit("path")))
        .or_else(|| in_path(path).map(hit("path")))
        .or_else(|| without_scheme(name).and_then(in_path).map(hit("uri_path")))
        .or_else(|| if aliases { corpus.by_alias(name).map(hit("alias")) } else { None })
}

fn by_item(corpus: &Corpus, id: &str) -> Option<Hit> {
    let entry = corpus.by_uri(&format!("pm://item/{id}"))?;
    Some(Hit { entry, by: "item" })
}

/// Step 7: the path went somewhere, says the history.
fn by_rename(library: &Library, name: &str) -> Option<(Hit, Vec<Value>)> {
    let path = name.strip_prefix("./").unwrap_or(name);
    let mut starts = vec![path.to_owned(), format!("{path}.md")];
    starts.extend(without_scheme(name).map(|rest| format!("{rest}.md")));
    for start in starts {
        let mut path = start;
        for _ in 0..MOST_STEPS {
            let Some(next) = library.successor(&path) else { break };
            if let Some(entry) = library.corpus.by_path(&next) {
                let chain = vec![json!({"uri": library.corpus.entries[entry].uri, "via": "rename"})];
                return Some((Hit { entry, by: "rename" }, chain));
            }
            path = next;
        }
    }
    None
}

/// The document that a name means, without going any further.
///
/// Errors: `URI_AMBIGUOUS`, `URI_NOT_FOUND` with the nearest names.
pub(crate) fn find(library: &Library, name: &str) -> Result<Hit> {
    let corpus = &library.corpus;
    if let Some(hit) = by_name(corpus, name, false).or_else(|| by_item(corpus, name)) {
        return Ok(hit);
    }
    Err(unknown(corpus, name))
}

fn unknown(corpus: &Corpus, name: &str) -> crate::error::Error {
    if let Some(holders) = corpus.contested.get(name) {
        let paths: Vec<&str> = holders.iter().map(|n| corpus.entries[*n].path.as_str()).collect();
        return refusal::uri_ambiguous(name, &paths);
    }
    refusal::uri_not_found(name, &nearest_uris(corpus, name))
}

/// The URIs whose spelling, or whose path, is nearest.
fn nearest_uris(corpus: &Corpus, name: &str) -> Vec<String> {
    let wanted = without_scheme(name).unwrap_or(name).trim_end_matches(".md");
    let wanted: String = wanted.chars().take(200).collect();
    let distance = |text: &str| strsim::osa_distance(&wanted, text);
    let last = |text: &str| text.rsplit('/').next().unwrap_or(text).to_owned();
    let mut ranked: Vec<(usize, &str)> = corpus
        .entries
        .iter()
        .map(|entry| {
            let uri = without_scheme(&entry.uri).unwrap_or(&entry.uri);
            let path = entry.path.strip_suffix(".md").unwrap_or(&entry.path);
            // The last part of a name counts most.
            let end = strsim::osa_distance(&last(&wanted), &last(path)).min(8);
            (distance(uri).min(distance(path)) + 2 * end, entry.uri.as_str())
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().take(3).map(|(_, uri)| uri.to_owned()).collect()
}

/// The document that a name leads to.
///
/// Errors: those of [`find`], `CIRCULAR_SUPERSESSION`, `SUPERSESSION_TOO_DEEP`.
pub(crate) fn follow(library: &Library, name: &str) -> Result<Resolved> {
    let corpus = &library.corpus;
    let mut chain = Vec::new();
    let hit = if let Some(hit) = by_name(corpus, name, true).or_else(|| by_item(corpus, name)) {
        hit
    } else if corpus.contested.contains_key(name) {
        return Err(unknown(corpus, name));
    } else if let Some((hit, steps)) = by_rename(library, name) {
        chain = steps;
        hit
    } else {
        return Err(unknown(corpus, name));
    };
    if hit.by == "alias" {
        chain.push(json!({"uri": corpus.entries[hit.entry].uri, "via": "alias"}));
    }
    let mut warnings = Vec::new();
    let mut entry = hit.entry;
    let mut passed = vec![entry];
    loop {
        match successor(corpus, entry) {
            Next::None => break,
            Next::Dangling(value) => {
                warnings.push(refusal::warning("DANGLING_SUCCESSOR", [("value", json!(value))]));
                break;
            }
            Next::Entry(next) => {
                chain.push(json!({"uri": corpus.entries[next].uri, "via": "superseded_by"}));
                if passed.contains(&next) {
                    return Err(refusal::circular(chain));
                }
                if passed.len() > MOST_STEPS {
                    return Err(refusal::too_deep(chain, MOST_STEPS));
                }
                passed.push(next);
                entry = next;
            }
        }
    }
    Ok(Resolved { entry, by: hit.by, chain, warnings })
}

/// What a document says about its successor.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nothing, and nobody claims to be it.
    None,
    /// It names one that is not there.
    Dangling(String),
    /// This document.
    Entry(usize),
}

/// The successor of a document: the one it names, else the one that names it.
pub(crate) fn successor(corpus: &Corpus, entry: usize) -> Next {
    if let Some(name) = corpus.entries[entry].record().names("superseded_by").into_iter().next() {
        return by_name(corpus, &name, true)
            .or_else(|| by_item(corpus, &name))
            .map_or(Next::Dangling(name), |hit| Next::Entry(hit.entry));
    }
    let claims = |(n, other): &(usize, &super::corpus::Entry)| {
        let means_it = |name: &String| by_name(corpus, name, true).is_some_and(|hit| hit.entry == entry);
        *n != entry && other.record().names("supersedes").iter().any(means_it)
    };
    corpus.entries.iter().enumerate().find(claims).map_or(Next::None, |(n, _)| Next::Entry(n))
}

/// Names of headings near a name, the nearest first.
pub(crate) fn headings_near<'h>(name: &str, headings: &[&'h str]) -> Vec<&'h str> {
    nearest::order(name, headings)
}
