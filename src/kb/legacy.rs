//! The envelope of the older server, for those who still read it; it lasts until the day that the settings name
//! (disclosure.md §10).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::actions::Verb;
use super::config::Config;
use super::corpus::Entry;
use super::document::Document;
use super::filter;
use super::refusal;
use super::reply::Slice;
use super::request::Request;
use crate::clock::Clock;
use crate::error::Result;
use crate::model::timestamp;

/// Refuses the older envelope when its day has passed.
///
/// Errors: `INVALID_PARAMETER`.
pub(crate) fn refuse_after_sunset(request: &Request, config: &Config, clock: &Clock) -> Result<()> {
    let Some(sunset) = config.legacy_sunset.as_deref().filter(|_| request.legacy) else { return Ok(()) };
    let today = timestamp::format(clock.now());
    if today.get(..10).is_some_and(|today| today > sunset) {
        let why = format!("is no longer served: its last day was {sunset}");
        let name = "include_legacy_envelope";
        return Err(refusal::invalid_parameter(request.action, name, &json!(true), json!([false]), &why));
    }
    Ok(())
}

/// The warning of every use.
pub(crate) fn warning(config: &Config) -> Value {
    refusal::warning("LEGACY_ENVELOPE", [("sunset", json!(config.legacy_sunset))])
}

/// The older answer of an action of many rows; bodies were never a part of it.
pub(crate) fn rows(slice: &Slice) -> Value {
    let request = &slice.request;
    let entries = &slice.library.corpus.entries;
    let page = slice.places.iter().enumerate().skip(request.offset).take(request.limit);
    let shown: Vec<Value> = page
        .map(|(n, place)| {
            let entry = &entries[place.entry];
            let metadata = entry.record().metadata();
            let mut row =
                json!({"path": entry.path, "title": entry.title(), "tags": filter::tags(&metadata)});
            if request.action.verb == Verb::Search {
                let own = slice.row(n);
                row["score"] = own["score"].clone();
                row["snippet"] = own["snippet"].clone();
                row["source"] = json!("local");
            }
            row
        })
        .collect();
    let result = match request.action.verb {
        Verb::Search => json!({"status": "FOUND", "docs_considered": entries.len(), "hits": shown}),
        Verb::Preflight => json!({"status": "READY", "documents": shown}),
        _ => {
            let mut categories: BTreeMap<String, usize> = BTreeMap::new();
            let mut start_here = Vec::new();
            for place in &slice.places {
                let entry = &entries[place.entry];
                let metadata = entry.record().metadata();
                for tag in filter::tags(&metadata) {
                    *categories.entry(tag.to_owned()).or_default() += 1;
                }
                if metadata.get("start_here") == Some(&Value::Bool(true)) {
                    start_here.push(json!(entry.path));
                }
            }
            // Those that most documents have; the whole list grows without end.
            let mut categories: Vec<(String, usize)> = categories.into_iter().collect();
            categories.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            let categories: Vec<Value> = categories
                .into_iter()
                .take(50)
                .map(|(name, count)| json!({"name": name, "count": count}))
                .collect();
            start_here.truncate(50);
            json!({
                "status": "FOUND", "total": slice.places.len(), "categories": categories, "start_here": start_here,
                "docs": shown,
            })
        }
    };
    envelope(request, result, format!("{} documents.", slice.places.len()), entries.len())
}

/// The older answer of an action of one document.
pub(crate) fn document(request: &Request, entry: &Entry, document: &Document) -> Value {
    let mut result = json!({"status": "FOUND", "path": entry.path, "title": entry.title(), "uri": entry.uri});
    if request.disclosure.has(super::actions::Flag::Body) {
        result["content"] = json!(document.body);
    }
    envelope(request, result, format!("{}.", entry.title()), 1)
}

fn envelope(request: &Request, result: Value, text: String, documents: usize) -> Value {
    json!({
        "action": request.action.name, "result": result, "assistant_text": text,
        "debug": {"documents": documents},
    })
}
