//! What answers cost, against one fat answer with the front matter of everything: the workloads of disclosure.md §12
//! (seed 000, compliance point 11).

use serde_json::{Map, Value, json};

use super::actions::Verb;
use super::library::Library;

/// A workload: its name, its action and parameters.
pub type Workload = (&'static str, Verb, Value);

/// The eight workloads.
pub fn workloads() -> Vec<Workload> {
    vec![
        (
            "W1",
            Verb::Catalog,
            json!({"exposure": ["public"], "audience": ["public"], "disclosure": ["blockquote"], "limit": 100}),
        ),
        (
            "W2",
            Verb::Catalog,
            json!({"audience": ["canon"], "tier": [1, 2], "disclosure": ["metadata"], "limit": 100}),
        ),
        (
            "W3",
            Verb::Catalog,
            json!({"path_prefix": ["writings/"], "disclosure": ["blockquote"], "limit": 100}),
        ),
        ("W4", Verb::Catalog, json!({"limit": 500})),
        (
            "W5",
            Verb::Search,
            json!({"query": "how is this project governed", "disclosure": ["blockquote", "metadata"], "limit": 25}),
        ),
        ("W6", Verb::Catalog, json!({"limit": 25})),
        (
            "W7",
            Verb::Catalog,
            json!({"start_here": true, "exposure": ["public"], "disclosure": ["blockquote"], "limit": 12}),
        ),
        (
            "W8",
            Verb::Catalog,
            json!({"include": ["journals"], "path_prefix": ["odd/handoffs/"], "disclosure": ["blockquote"], "limit": 25}),
        ),
    ]
}

/// The call of a workload as one would type it.
pub fn command_line(verb: Verb, given: &Value) -> String {
    let mut line = format!("pm kb {}", verb.action().name);
    let empty = Map::new();
    let given = given.as_object().unwrap_or(&empty);
    let text = |value: &Value| match value {
        Value::Array(all) => {
            let all = all.iter().map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_owned));
            all.collect::<Vec<_>>().join(",")
        }
        Value::String(text) => format!("\"{text}\""),
        other => other.to_string(),
    };
    for (name, value) in given {
        let Some(parameter) = verb.action().parameter(name) else { continue };
        let subject = verb.action().subject.is_some_and(|subject| subject.name == name.as_str());
        match subject {
            true => line.push_str(&format!(" {}", text(value))),
            false => line.push_str(&format!(" --{} {}", parameter.flag, text(value))),
        }
    }
    line
}

/// The fat answer: URI, title and all front matter of every document, in one.
pub fn legacy(library: &Library) -> Value {
    let rows = library.corpus.entries.iter().map(|entry| {
        json!({"uri": entry.uri, "title": entry.title(), "path": entry.path, "metadata": entry.record().metadata()})
    });
    json!({"status": "OK", "action": "catalog", "data": rows.collect::<Vec<_>>(), "total": library.corpus.entries.len()})
}
