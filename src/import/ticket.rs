//! `tk`: `.tickets/<id>.md`, front matter and a title.

use serde_json::{Map, Value};

use super::{Entry, Link, Reading, Record, Source, front_matter, priority, sections, take, text, texts};

pub(super) fn read(sources: &[Source], reading: &mut Reading) {
    for source in sources {
        match front_matter::split(&source.text) {
            None => reading.pass_over(&source.path, "it has no front matter, so it is no ticket"),
            Some(Err(problem)) => {
                reading.skip(&source.path, format!("its front matter is no YAML: {problem}"))
            }
            Some(Ok((front, body))) => ticket(source, front, body, reading),
        }
    }
}

fn ticket(source: &Source, mut front: Map<String, Value>, body: &str, reading: &mut Reading) {
    let mut of = |key: &str| take(&mut front, key);
    let mut record = Record {
        origin: source.path.clone(),
        id: text(&of("id")),
        kind: text(&of("type")),
        status: text(&of("status")),
        tags: texts(&of("tags")),
        parent: text(&of("parent")),
        ..Record::default()
    };
    if record.id.is_empty() {
        let name = source.path.rsplit('/').next().unwrap_or(&source.path);
        record.id = name.trim_end_matches(".md").to_owned();
    }
    for (list, kind) in [("deps", "blocks"), ("links", "related")] {
        let links = texts(&of(list)).into_iter();
        record.links.extend(links.map(|id| Link { id, kind: kind.to_owned(), ..Link::default() }));
    }
    priority(&mut record, of("priority"));
    for (key, name) in [
        ("assignee", "assignee"),
        ("external_ref", "external-ref"),
        ("created_at", "created"),
        ("updated_at", "updated"),
        ("closed_at", "closed"),
    ] {
        record.set(key, text(&of(name)));
    }
    front.into_iter().for_each(|(key, value)| record.keep(&key, value));
    let body = body.trim_start();
    let (title, body) = match body.strip_prefix("# ") {
        Some(rest) => rest.split_once('\n').unwrap_or((rest, "")),
        None => ("", body),
    };
    record.title = title.trim().to_owned();
    for section in sections::cut(body, |name| {
        matches!(name, "Notes" | "Acceptance Criteria" | "Design" | "Acceptance criteria")
    }) {
        match section.heading {
            "" => record.text = section.text.to_owned(),
            "Notes" => notes(&mut record, section.text),
            "Design" if !record.fields.contains_key("design") => record.set("design", section.text),
            "Design" => record.sections.push(("Design".to_owned(), section.text.to_owned())),
            heading => sections::place_criteria(&mut record, heading, section.text, false),
        }
    }
    reading.records.push(record);
}

/// Notes follow lines of a bold time.
fn notes(record: &mut Record, text: &str) {
    let author = record.fields.get("assignee").map(super::text).unwrap_or_default();
    let mut entry: Option<Entry> = None;
    let mut loose = String::new();
    for line in text.lines() {
        let time = line.trim().strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
        match time.filter(|time| crate::model::timestamp::parse(time).is_some()) {
            Some(time) => {
                record.notes.extend(entry.take());
                entry =
                    Some(Entry { author: author.clone(), created_at: time.to_owned(), ..Entry::default() });
            }
            None => {
                let target = entry.as_mut().map_or(&mut loose, |entry| &mut entry.text);
                target.push_str(line);
                target.push('\n');
            }
        }
    }
    record.notes.extend(entry);
    for note in &mut record.notes {
        note.text = note.text.trim().to_owned();
    }
    // A time under which nothing stands says nothing.
    record.notes.retain(|note| !note.text.is_empty());
    if !loose.trim().is_empty() {
        record.sections.push(("Notes".to_owned(), loose.trim().to_owned()));
    }
}
