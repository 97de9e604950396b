//! The envelopes: rows at the declared depth, totals, echoes (disclosure.md §8, §9).

use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::actions::{Disclosure, Flag, Verb};
use super::corpus::{Entry, stem};
use super::document::Document;
use super::legacy;
use super::library::Library;
use super::refusal;
use super::request::{Request, Sort};
use super::resolve::{self, Next};
use super::score;
use super::snippet;
use super::words::{self, Query};
use crate::answer::{Answer, Identified, Part, Row, Rows};
use crate::codec::hex;
use crate::error::Result;

/// A row before it is made: the document, its score, its role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) entry: usize,
    pub(crate) score: f64,
    pub(crate) role: &'static str,
}

/// The answer to a checked call.
///
/// Errors: those of look-ups.
pub(crate) fn answer<'a>(library: &Rc<Library>, request: Request) -> Result<Answer<'a>> {
    match request.action.verb {
        Verb::Get | Verb::Resolve => one(library, &request),
        Verb::Search | Verb::Catalog | Verb::Preflight => Ok(many(library, request)),
    }
}

/// The rows of an action of many, in its order.
pub(crate) struct Slice {
    pub(crate) library: Rc<Library>,
    pub(crate) request: Request,
    pub(crate) places: Vec<Place>,
    query: Query,
}

impl Slice {
    pub(crate) fn of(library: &Rc<Library>, request: Request) -> Slice {
        let query = Query::read(&request.subject);
        let places = match request.action.verb {
            Verb::Catalog => catalog(library, &request),
            Verb::Preflight => preflight(library, &request, &query),
            _ => search(library, &request, &query),
        };
        Slice { library: Rc::clone(library), request, places, query }
    }

    fn entry(&self, n: usize) -> &Entry {
        &self.library.corpus.entries[self.places[n].entry]
    }

    /// URI, title and the action's own fields.
    fn base(&self, n: usize) -> Row {
        let (entry, place) = (self.entry(n), &self.places[n]);
        let mut row = Row::new();
        row.insert("uri".to_owned(), json!(entry.uri));
        row.insert("title".to_owned(), json!(entry.title()));
        for native in self.request.action.native {
            let value = match *native {
                "position" => json!(n + 1),
                "role" => json!(place.role),
                "score" => number(place.score),
                _ => json!(self.snippet(n)),
            };
            row.insert((*native).to_owned(), value);
        }
        row
    }

    pub(crate) fn row(&self, n: usize) -> Row {
        let mut row = self.base(n);
        disclose(&mut row, self.entry(n), self.request.disclosure);
        row
    }

    /// Why the document was found: a part of its text, else the field that matched.
    fn snippet(&self, n: usize) -> String {
        let entry = self.entry(n);
        let words = &self.query.words;
        let document = self.library.document(self.places[n].entry).unwrap_or_default();
        let shown = snippet::of_text(&document.body, words).unwrap_or_else(|| {
            let tags = super::filter::tags(&document.metadata).join(", ");
            let title = entry.title();
            let texts = [title.as_ref(), tags.as_str(), entry.path.as_str()];
            let with = texts.into_iter().find(|text| snippet::of_text(text, words).is_some());
            snippet::line(with.unwrap_or(&title))
        });
        // It is never the document's own teaser.
        match document.blockquote.as_deref() == Some(shown.as_str()) {
            true => snippet::line(&format!("> {shown}")),
            false => shown,
        }
    }

    fn echo(&self) -> Value {
        json!([self.library.id, self.request.action.name, self.request.arguments])
    }
}

impl Identified for Slice {
    fn identity(&self, row: usize) -> String {
        identity(self.entry(row), self.request.disclosure)
    }

    fn has(&self, row: usize, seen: &BTreeSet<String>) -> bool {
        has(self.entry(row), self.request.disclosure, seen)
    }

    fn reference(&self, row: usize) -> Row {
        self.base(row)
    }
}

/// What a session calls a document at a depth: another for another content.
fn identity(entry: &Entry, disclosure: Disclosure) -> String {
    format!("{}:{}", content(entry), disclosure.bits())
}

fn content(entry: &Entry) -> String {
    let mut hash = Sha256::new();
    hash.update(entry.uri.as_bytes());
    hash.update([0]);
    hash.update(entry.blob.as_bytes());
    format!("kb:{}", hex::encode(&hash.finalize()[..6]))
}

/// Whether a session has the document with at least these tiers.
fn has(entry: &Entry, disclosure: Disclosure, seen: &BTreeSet<String>) -> bool {
    let content = content(entry);
    let bits = disclosure.bits();
    (0..16u8).any(|own| own & bits == bits && seen.contains(&format!("{content}:{own}")))
}

/// A score as it is shown: a whole one without fraction.
fn number(score: f64) -> Value {
    if score == 0.0 { json!(0) } else { json!(score) }
}

/// Adds the tiers to a row; one that the document lacks is null.
fn disclose(row: &mut Row, entry: &Entry, disclosure: Disclosure) {
    let record = entry.record();
    for flag in disclosure.flags() {
        let value = match flag {
            Flag::Blockquote => json!(record.blockquote()),
            Flag::Metadata => Value::Object(record.metadata()),
            Flag::Summary => json!(record.summary()),
            Flag::Body => continue,
        };
        row.insert(flag.as_str().to_owned(), value);
    }
}

/// The documents of the slice.
fn slice(library: &Library, request: &Request) -> Vec<usize> {
    let inside = request.filters.looks_inside();
    let nothing = Map::new();
    let takes = |entry: &Entry| {
        request.filters.takes_kind(entry.kind)
            && match inside {
                true => request.filters.takes(&entry.path, &entry.record().metadata()),
                false => request.filters.takes(&entry.path, &nothing),
            }
    };
    library.corpus.entries.iter().enumerate().filter(|(_, entry)| takes(entry)).map(|(n, _)| n).collect()
}

fn catalog(library: &Library, request: &Request) -> Vec<Place> {
    let entries = &library.corpus.entries;
    let mut places = slice(library, request);
    let turned = |order: std::cmp::Ordering| if request.descending { order.reverse() } else { order };
    places.sort_by(|&a, &b| {
        let (a, b) = (&entries[a], &entries[b]);
        let own = match request.sort {
            Sort::Path => turned(a.path.cmp(&b.path)),
            Sort::Title => turned(a.title().cmp(&b.title())),
            Sort::Uri => turned(a.uri.cmp(&b.uri)),
            Sort::Date => match (a.record().date(), b.record().date()) {
                (Some(a), Some(b)) => turned(a.cmp(b)),
                (a, b) => b.is_some().cmp(&a.is_some()),
            },
        };
        own.then_with(|| a.path.cmp(&b.path))
    });
    places.into_iter().map(|entry| Place { entry, score: 0.0, role: "" }).collect()
}

/// The documents of the slice that hold all phrases, with their scores.
fn scored(library: &Library, request: &Request, query: &Query) -> Vec<Place> {
    let slice = slice(library, request);
    let scores = score::scores(&library.corpus, query);
    if !query.phrases.is_empty() {
        library.read_ahead(slice.iter().copied().filter(|entry| scores[*entry] > 0.0));
    }
    let holds = |entry: usize| {
        query.phrases.is_empty()
            || library.document(entry).is_some_and(|document| {
                let title = library.corpus.entries[entry].title();
                let said = |phrase: &Vec<String>| {
                    words::has_phrase(&document.body, phrase) || words::has_phrase(&title, phrase)
                };
                query.phrases.iter().all(said)
            })
    };
    let place = |entry: usize| {
        let score = if scores[entry] > 0.0 && holds(entry) { scores[entry] } else { 0.0 };
        Place { entry, score, role: "relevant" }
    };
    slice.into_iter().map(place).collect()
}

fn by_score(library: &Library, places: &mut [Place]) {
    let entries = &library.corpus.entries;
    places.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| entries[a.entry].uri.cmp(&entries[b.entry].uri))
    });
}

fn search(library: &Library, request: &Request, query: &Query) -> Vec<Place> {
    let mut places = scored(library, request, query);
    places.retain(|place| place.score > 0.0);
    by_score(library, &mut places);
    places
}

/// Definitions of done and constraints weigh more, and so does what binds more; the best definition of done is always
/// there.
fn preflight(library: &Library, request: &Request, query: &Query) -> Vec<Place> {
    let config = &library.config;
    let mut places = scored(library, request, query);
    for place in &mut places {
        let entry = &library.corpus.entries[place.entry];
        let metadata = entry.record().metadata();
        let constraint =
            config.constraint_prefixes.iter().any(|prefix| entry.path.starts_with(prefix.as_str()))
                || metadata.get("execution_posture").and_then(Value::as_str) == Some("governing");
        let weight = match () {
            () if stem(&entry.path).contains(config.definition_of_done.as_str()) => {
                place.role = "definition_of_done";
                1.6
            }
            () if constraint => {
                place.role = "constraint";
                1.4
            }
            () => 1.0,
        };
        let tier = match metadata.get("tier") {
            Some(Value::String(text)) => text.trim().parse().unwrap_or(0),
            tier => tier.and_then(Value::as_i64).unwrap_or(0),
        };
        let tier = match tier {
            1 => 1.2,
            2 => 1.1,
            4 => 0.9,
            _ => 1.0,
        };
        place.score = score::rounded(place.score * weight * tier);
    }
    by_score(library, &mut places);
    let done = places.iter().find(|place| place.role == "definition_of_done").copied();
    places.retain(|place| place.score > 0.0);
    places.extend(done.filter(|done| done.score == 0.0));
    places
}

fn many<'a>(library: &Rc<Library>, request: Request) -> Answer<'a> {
    let action = request.action;
    let slice = Rc::new(Slice::of(library, request));
    let request = &slice.request;
    if action.native.contains(&"snippet") {
        let page = slice.places.iter().skip(request.offset).take(request.limit);
        library.read_ahead(page.map(|place| place.entry));
    }
    let mut columns = vec!["uri", "title"];
    columns.extend(action.native);
    columns.extend(request.disclosure.names());
    let (made, digest, served) = (Rc::clone(&slice), Rc::clone(&slice), Rc::clone(&slice));
    let rows = Rows::lazy(slice.places.len(), move |n| Ok(made.row(n)))
        .columns(columns)
        .limited(Some(request.limit))
        .from_offset(request.offset)
        .named({
            let slice = Rc::clone(&slice);
            move |n| slice.entry(n).uri.clone()
        })
        .digest(move || digest.echo().to_string())
        .served(Box::new(Shared(served)));
    let mut answer = Answer::new()
        .value("status", "OK")
        .value("action", action.name)
        .rows("data", rows)
        .value("total", slice.places.len())
        .value("limit", request.limit)
        .part("offset", Part::Value(Value::Null))
        .value("disclosure_applied", json!(request.disclosure.names()))
        .value("filters_applied", request.filters.echo());
    if action.verb == Verb::Catalog {
        let order = if request.descending { "desc" } else { "asc" };
        answer = answer.value("sort_applied", json!({"by": request.sort.as_str(), "order": order}));
    }
    answer = answer.part("next_offset", Part::Value(Value::Null)).value("corpus", library.echo());
    let mut warnings = faults(library);
    if request.legacy {
        answer = answer.value("legacy_envelope", legacy::rows(&slice));
        warnings.push(legacy::warning(&library.config));
    }
    finish(answer, request, warnings)
}

/// An identity that several owners share.
struct Shared(Rc<Slice>);

impl Identified for Shared {
    fn identity(&self, row: usize) -> String {
        self.0.identity(row)
    }

    fn has(&self, row: usize, seen: &BTreeSet<String>) -> bool {
        self.0.has(row, seen)
    }

    fn reference(&self, row: usize) -> Row {
        self.0.reference(row)
    }
}

/// Settings that could not be used, as warnings.
fn faults(library: &Library) -> Vec<Value> {
    let faults = library.config.faults.iter();
    faults.map(|key| refusal::warning("SETTING_NOT_USABLE", [("parameter", json!(key))])).collect()
}

/// Adds the warnings, where there are any, and says how tiers that are not shown can be.
fn finish<'a>(mut answer: Answer<'a>, request: &Request, warnings: Vec<Value>) -> Answer<'a> {
    if !warnings.is_empty() {
        answer = answer.value("warnings", Value::from(warnings));
    }
    for flag in request.action.permitted.iter().filter(|flag| !request.disclosure.has(**flag)) {
        let mut names = request.disclosure.names();
        names.push(flag.as_str());
        answer = answer.omits(flag.as_str(), &format!("--disclosure {}", names.join(",")));
    }
    answer
}

/// One document, served once.
struct Single {
    library: Rc<Library>,
    entry: usize,
    disclosure: Disclosure,
}

impl Identified for Single {
    fn identity(&self, _row: usize) -> String {
        identity(&self.library.corpus.entries[self.entry], self.disclosure)
    }

    fn has(&self, _row: usize, seen: &BTreeSet<String>) -> bool {
        has(&self.library.corpus.entries[self.entry], self.disclosure, seen)
    }

    fn reference(&self, _row: usize) -> Row {
        floor(&self.library.corpus.entries[self.entry])
    }
}

fn floor(entry: &Entry) -> Row {
    crate::answer::row([("uri", json!(entry.uri)), ("title", json!(entry.title()))])
}

/// What `get` and `resolve` found, before it is shown.
struct Find {
    entry: usize,
    by: &'static str,
    resolution: Option<Value>,
    warnings: Vec<Value>,
}

fn find(library: &Library, request: &Request) -> Result<Find> {
    let entries = &library.corpus.entries;
    let name = request.subject.trim();
    if request.action.verb == Verb::Get {
        let hit = resolve::find(library, name)?;
        let warnings = match resolve::successor(&library.corpus, hit.entry) {
            Next::Entry(next) => {
                vec![refusal::warning("SUPERSEDED", [("successor", json!(entries[next].uri))])]
            }
            Next::Dangling(value) => {
                vec![refusal::warning("SUPERSEDED", [("successor", json!(value))])]
            }
            Next::None => Vec::new(),
        };
        return Ok(Find { entry: hit.entry, by: hit.by, resolution: None, warnings });
    }
    let found = resolve::follow(library, name)?;
    let resolution = json!({
        "input": name, "matched_by": found.by, "chain": found.chain, "canonical_uri": entries[found.entry].uri,
    });
    Ok(Find { entry: found.entry, by: found.by, resolution: Some(resolution), warnings: found.warnings })
}

fn one<'a>(library: &Rc<Library>, request: &Request) -> Result<Answer<'a>> {
    let found = find(library, request)?;
    let document = if request.disclosure.has(Flag::Body) || request.legacy {
        library.document(found.entry)
    } else {
        None
    };
    let document = document.unwrap_or_default();
    let body = body(&document, request)?;
    Ok(shown(library, request, Rc::new((found, document, body))))
}

/// The body, or the section of it that was asked for.
fn body(document: &Document, request: &Request) -> Result<String> {
    let Some(section) = &request.section else { return Ok(document.body.clone()) };
    document.section(section).ok_or_else(|| {
        let available: Vec<&str> = document.headings.iter().map(|heading| heading.text.as_str()).collect();
        refusal::section_not_found(section, &resolve::headings_near(section, &available))
    })
}

type Whole = Rc<(Find, Document, String)>;

/// The answer with a document, and a smaller one for when it does not fit: first the body goes, then the rest.
fn shown<'a>(library: &Rc<Library>, request: &Request, whole: Whole) -> Answer<'a> {
    let (found, document, body) = &*whole;
    let entry = &library.corpus.entries[found.entry];
    let mut data = floor(entry);
    disclose(&mut data, entry, request.disclosure);
    if request.disclosure.has(Flag::Body) {
        data.insert("body".to_owned(), json!(body));
    }
    let disclosure = request.disclosure;
    let mut answer = Answer::new()
        .value("status", "OK")
        .value("action", request.action.name)
        .record("data", Value::Object(data))
        .value("disclosure_applied", json!(disclosure.names()))
        .value("matched_by", found.by);
    if let Some(resolution) = &found.resolution {
        answer = answer.value("resolution", resolution.clone());
    }
    answer = answer.value("corpus", library.echo());
    let mut warnings = found.warnings.clone();
    warnings.extend(faults(library));
    if request.legacy {
        answer = answer.value("legacy_envelope", legacy::document(request, entry, document));
        warnings.push(legacy::warning(&library.config));
    }
    answer = finish(answer, request, warnings);
    answer.served = Some(Box::new(Single { library: Rc::clone(library), entry: found.entry, disclosure }));
    let smaller = match disclosure.has(Flag::Body) {
        true => Some((disclosure.without(Flag::Body), "summary")),
        false if !disclosure.is_empty() => Some((Disclosure::default(), "floor")),
        false => None,
    };
    if let Some((smaller, depth)) = smaller {
        let (library, request, whole) = (Rc::clone(library), request.showing(smaller), Rc::clone(&whole));
        let restore = "--output-budget unbounded, or --section <heading>";
        answer = answer.fallback(depth, move || Ok(shown(&library, &request, whole))).restoring(restore);
    }
    answer
}
