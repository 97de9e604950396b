//! GitHub: issues and pull requests, as its API, its command line or an archive of them has them.

use serde_json::{Map, Value};

use super::{Entry, Reading, Record, Source, take, text, texts};

pub(super) fn read(sources: &[Source], reading: &mut Reading) {
    for source in sources {
        let whole = serde_json::from_str::<Value>(&source.text);
        match whole {
            Ok(value) => document(&source.path, value, reading),
            // One issue a line.
            Err(_) if source.text.lines().nth(1).is_some() && source.text.starts_with('{') => {
                for (n, line) in source.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                    let origin = format!("{}:{}", source.path, n + 1);
                    match serde_json::from_str::<Value>(line) {
                        Ok(value) => issue(origin, value, &Around::default(), reading),
                        Err(error) => reading.skip(&origin, format!("it is no JSON: {error}")),
                    }
                }
            }
            Err(error) => reading.skip(&source.path, format!("it is no JSON: {error}")),
        }
    }
}

/// What an archive says about all of its issues.
#[derive(Default)]
struct Around {
    repository: String,
    is_pull: bool,
}

fn document(path: &str, value: Value, reading: &mut Reading) {
    match value {
        Value::Array(rows) => list(path, "", rows, &Around::default(), reading),
        Value::Object(mut archive) if archive.get("issues").is_some_and(Value::is_array) => {
            let repository = text(&take(&mut archive, "repo"));
            for (key, is_pull) in [("issues", false), ("pulls", true), ("pullRequests", true)] {
                if let Value::Array(rows) = take(&mut archive, key) {
                    let around = Around { repository: repository.clone(), is_pull };
                    list(path, key, rows, &around, reading);
                }
            }
            for (key, value) in archive {
                if !matches!(key.as_str(), "magic" | "timestamp") && !super::is_empty(&value) {
                    reading.lose(&format!("archive.{key}"), "about the archive as a whole: not taken over");
                }
            }
        }
        value => issue(path.to_owned(), value, &Around::default(), reading),
    }
}

fn list(path: &str, key: &str, rows: Vec<Value>, around: &Around, reading: &mut Reading) {
    for (n, row) in rows.into_iter().enumerate() {
        let place = if key.is_empty() { format!("{path}[{n}]") } else { format!("{path}:{key}[{n}]") };
        issue(place, row, around, reading);
    }
}

/// The names of one thing: the API writes `created_at`, others `createdAt`.
fn either(row: &mut Map<String, Value>, names: &[&str]) -> Value {
    names.iter().map(|name| take(row, name)).find(|value| !value.is_null()).unwrap_or(Value::Null)
}

fn issue(origin: String, value: Value, around: &Around, reading: &mut Reading) {
    let Value::Object(mut row) = value else { return reading.skip(&origin, "it is no JSON object") };
    let api = text(&take(&mut row, "url"));
    let page = text(&either(&mut row, &["html_url", "htmlUrl"]));
    let address = if page.is_empty() { api } else { page };
    let named = if around.repository.is_empty() { repository(&address) } else { around.repository.clone() };
    let number = match text(&take(&mut row, "number")) {
        number if number.is_empty() => {
            let last = address.rsplit('/').next().unwrap_or_default();
            if last.bytes().all(|b| b.is_ascii_digit()) { last.to_owned() } else { String::new() }
        }
        number => number,
    };
    if number.is_empty() {
        return reading.skip(&origin, "it has no number and no address that ends in one");
    }
    let is_pull = around.is_pull
        || address.contains("/pull/")
        || row.get("pull_request").is_some_and(|value| !value.is_null());
    let state = text(&take(&mut row, "state")).to_lowercase();
    let reason = text(&either(&mut row, &["state_reason", "stateReason"])).to_lowercase();
    let kind = match take(&mut row, "type") {
        Value::Object(kind) => kind.get("name").map(text).unwrap_or_default(),
        kind => text(&kind),
    };
    let mut record = Record {
        origin,
        id: format!("{named}#{number}"),
        token: format!(
            "{}-{number}",
            named.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("gh")
        ),
        title: text(&take(&mut row, "title")),
        text: text(&take(&mut row, "body")),
        kind,
        status: if reason == "not_planned" { reason.clone() } else { state.clone() },
        tags: labels(&mut row),
        ..Record::default()
    };
    if is_pull {
        record.tags.push("pull-request".to_owned());
    }
    record.set("external_ref", address);
    record.set("author", author(&mut row));
    for (key, names) in [
        ("created_at", ["created_at", "createdAt"]),
        ("updated_at", ["updated_at", "updatedAt"]),
        ("closed_at", ["closed_at", "closedAt"]),
    ] {
        record.set(key, text(&either(&mut row, &names)));
    }
    if matches!(state.as_str(), "closed" | "merged") {
        record.set("close_reason", if reason.is_empty() { state } else { reason });
    }
    assignees(&mut record, &mut row);
    if let Some(title) = row.get("milestone").and_then(|milestone| milestone.get("title")).map(text) {
        record.set("release", title);
        row.shift_remove("milestone");
    }
    comments(&mut record, &mut row);
    row.into_iter().for_each(|(key, value)| record.keep(&key, value));
    reading.records.push(record);
}

/// `owner/name` of an address.
fn repository(address: &str) -> String {
    let parts: Vec<&str> = address.split('/').collect();
    let at = parts.iter().position(|part| matches!(*part, "issues" | "pull" | "pulls"));
    at.filter(|at| *at >= 2).map(|at| parts[at - 2..at].join("/")).unwrap_or_default()
}

fn labels(row: &mut Map<String, Value>) -> Vec<String> {
    let labels = take(row, "labels");
    let name = |label: &Value| label.get("name").map_or_else(|| text(label), text);
    labels.as_array().map_or_else(|| texts(&labels), |labels| labels.iter().map(name).collect())
}

/// A person: a login, or an object with one.
fn person(value: &Value) -> String {
    value.get("login").or_else(|| value.get("name")).map_or_else(|| text(value), text)
}

fn author(row: &mut Map<String, Value>) -> String {
    person(&either(row, &["author", "user"]))
}

fn assignees(record: &mut Record, row: &mut Map<String, Value>) {
    let mut people: Vec<String> =
        take(row, "assignees").as_array().into_iter().flatten().map(person).collect();
    let single = person(&take(row, "assignee"));
    if people.is_empty() && !single.is_empty() {
        people.push(single);
    }
    if people.len() > 1 {
        record.keep("assignees", people.clone().into());
    }
    people.truncate(1);
    record.set("assignee", people.pop().unwrap_or_default());
}

/// Comments, reviews, and what was said about lines in a review. A count is no comment.
fn comments(record: &mut Record, row: &mut Map<String, Value>) {
    if row.get("comments").is_some_and(Value::is_number) {
        row.shift_remove("comments");
    }
    let mut said = Vec::new();
    for key in ["comments", "reviews", "latestReviews"] {
        if let Value::Array(rows) = take(row, key) {
            said.extend(rows);
        }
    }
    for value in said {
        let Value::Object(mut row) = value else { continue };
        let below = take(&mut row, "comments");
        record.comments.extend(entry(row));
        let below = below.as_array().into_iter().flatten();
        record.comments.extend(below.filter_map(|row| entry(row.as_object()?.clone())));
    }
}

fn entry(mut row: Map<String, Value>) -> Option<Entry> {
    let author = author(&mut row);
    let created_at = text(&either(&mut row, &["created_at", "createdAt", "submittedAt", "submitted_at"]));
    let edited = text(&either(&mut row, &["updated_at", "updatedAt"]));
    let mut said = text(&take(&mut row, "body"));
    if said.is_empty() {
        said = text(row.get("state")?).to_lowercase();
    }
    row.shift_remove("id");
    let mut rest: Map<String, Value> = row.into_iter().filter(|(_, value)| !super::is_empty(value)).collect();
    if !edited.is_empty() && edited != created_at {
        rest.insert("edited_at".to_owned(), edited.into());
    }
    Some(Entry { author, created_at, text: said, rest })
}
