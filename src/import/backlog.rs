//! Backlog.md: a Markdown file for each task, in folders by what became of it.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{Entry, Link, Reading, Record, Source, front_matter, priority, sections, take, text, texts};

/// Where its files lie: the folder itself, or the usual names of it. Tasks come before those that were put away, so that
/// of two with one id the living one keeps it.
pub(super) const PLACES: &[&[&str]] = &[
    &[
        "tasks/*.md",
        "completed/*.md",
        "drafts/*.md",
        "archive/tasks/*.md",
        "archive/drafts/*.md",
        "decisions/*.md",
        "milestones/*.md",
        "archive/milestones/*.md",
        "docs/**/*.md",
    ],
    &[
        "backlog/tasks/*.md",
        "backlog/completed/*.md",
        "backlog/drafts/*.md",
        "backlog/archive/tasks/*.md",
        "backlog/archive/drafts/*.md",
        "backlog/decisions/*.md",
        "backlog/milestones/*.md",
        "backlog/archive/milestones/*.md",
        "backlog/docs/**/*.md",
    ],
    &[
        ".backlog/tasks/*.md",
        ".backlog/completed/*.md",
        ".backlog/drafts/*.md",
        ".backlog/archive/tasks/*.md",
        ".backlog/archive/drafts/*.md",
        ".backlog/decisions/*.md",
        ".backlog/milestones/*.md",
        ".backlog/archive/milestones/*.md",
        ".backlog/docs/**/*.md",
    ],
    &["*.md"],
];

/// The sections that tools write.
const SECTIONS: &[&str] = &[
    "Description",
    "Acceptance Criteria",
    "Definition of Done",
    "Implementation Plan",
    "Implementation Notes",
    "Final Summary",
    "Comments",
];

pub(super) fn read(sources: &[Source], reading: &mut Reading) {
    for source in sources {
        if source.path.split('/').any(|part| part == "docs") {
            reading.pass_over(&source.path, "a document, no work");
            continue;
        }
        match front_matter::split(&source.text) {
            None => reading.pass_over(&source.path, "it has no front matter, so it is no task"),
            Some(Err(problem)) => {
                reading.skip(&source.path, format!("its front matter is no YAML: {problem}"))
            }
            Some(Ok((front, body))) => task(source, front, body, reading),
        }
    }
    name_targets(reading);
}

fn task(source: &Source, mut front: Map<String, Value>, body: &str, reading: &mut Reading) {
    let within = |folder: &str| source.path.split('/').any(|part| part == folder);
    let mut of = |key: &str| take(&mut front, key);
    let mut record = Record {
        origin: source.path.clone(),
        id: text(&of("id")),
        title: text(&of("title")),
        kind: text(&of("type")),
        status: text(&of("status")),
        tags: texts(&of("labels")),
        parent: text(&of("parent_task_id")),
        ..Record::default()
    };
    if record.id.is_empty() {
        return reading.skip(&source.path, "it has no id");
    }
    for (folder, kind) in [("decisions", "decision"), ("milestones", "milestone")] {
        if within(folder) {
            record.kind = kind.to_owned();
        }
    }
    if within("drafts") && (record.status.is_empty() || record.status.eq_ignore_ascii_case("to do")) {
        record.status = "Draft".to_owned();
    }
    if within("archive") {
        record.tags.push("archived".to_owned());
    }
    priority(&mut record, of("priority"));
    record.links.extend(texts(&of("dependencies")).into_iter().map(|id| Link {
        id,
        kind: "blocks".to_owned(),
        ..Link::default()
    }));
    for (key, name) in
        [("created_at", "created_date"), ("updated_at", "updated_date"), ("closed_at", "completed_date")]
    {
        record.set(key, text(&of(name)));
    }
    if record.fields.get("created_at").is_none() {
        record.set("created_at", text(&of("date")));
    }
    record.set("reporter", text(&of("reporter")));
    record.set("release", text(&of("milestone")));
    let mut people = texts(&of("assignee"));
    if people.len() > 1 {
        record.keep("assignee", json!(people));
    }
    people.truncate(1);
    record.set("assignee", people.pop().unwrap_or_default());
    files(&mut record, of("modified_files"), of("references"), of("documentation"));
    front.into_iter().for_each(|(key, value)| record.keep(&key, value));
    parts(&mut record, body);
    reading.records.push(record);
}

/// Paths become links to files and documents; addresses are links to documents.
fn files(record: &mut Record, modified: Value, references: Value, documentation: Value) {
    let row = |path: String| {
        let scope = if path.contains("://") { "global" } else { "project" };
        json!({"path": path, "scope": scope})
    };
    let rows = |value: &Value| texts(value).into_iter().map(row).collect::<Vec<_>>();
    record.set("files", rows(&modified));
    let mut docs = rows(&references);
    docs.extend(rows(&documentation));
    record.set("docs", docs);
}

fn parts(record: &mut Record, body: &str) {
    let mut loose = Vec::new();
    for section in sections::cut(body, |name| SECTIONS.contains(&name)) {
        let content = unmarked(section.text);
        if content.is_empty() {
            continue;
        }
        match section.heading {
            "" => loose.push(content),
            "Description" if record.text.is_empty() => record.text = content,
            "Acceptance Criteria" => sections::place_criteria(record, "Acceptance Criteria", &content, false),
            "Implementation Notes" => {
                let first = |keys: [&str; 2]| {
                    keys.into_iter().find_map(|key| record.fields.get(key)).map(text).unwrap_or_default()
                };
                let note = Entry {
                    author: first(["assignee", "reporter"]),
                    created_at: first(["updated_at", "created_at"]),
                    text: content,
                    rest: Map::new(),
                };
                record.notes.push(note);
            }
            "Final Summary" if !record.fields.contains_key("resolution") => record.set("resolution", content),
            "Comments" => comments(record, &content),
            heading => record.sections.push((heading.to_owned(), content)),
        }
    }
    if !loose.is_empty() {
        let loose = loose.join("\n\n");
        record.text = if record.text.is_empty() { loose } else { format!("{loose}\n\n{}", record.text) };
    }
}

/// Without the marks that fence a section.
fn unmarked(text: &str) -> String {
    let is_mark = |line: &str| {
        let bare = line.trim();
        bare.starts_with("<!--") && (bare.ends_with(":BEGIN -->") || bare.ends_with(":END -->"))
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_mark(line)).collect();
    lines.join("\n").trim_matches('\n').trim_end().to_owned()
}

/// `author:` and `created:`, a line of dashes, the text, a line of dashes.
fn comments(record: &mut Record, text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let head = |at: usize| -> Option<Entry> {
        let author = lines.get(at)?.strip_prefix("author:")?.trim();
        let created = lines.get(at + 1)?.strip_prefix("created:")?.trim();
        (lines.get(at + 2)?.trim() == "---").then(|| Entry {
            author: author.to_owned(),
            created_at: created.to_owned(),
            ..Entry::default()
        })
    };
    let (mut at, mut loose) = (0, Vec::new());
    while at < lines.len() {
        let Some(mut entry) = head(at) else {
            loose.push(lines[at]);
            at += 1;
            continue;
        };
        at += 3;
        let begin = at;
        // A comment may hold lines of dashes itself: it ends where another begins, or everything does.
        while at < lines.len() && head(at).is_none() {
            at += 1;
        }
        let text = lines[begin..at].join("\n");
        let text = text.trim();
        entry.text = text.strip_suffix("---").unwrap_or(text).trim().to_owned();
        record.comments.push(entry);
    }
    let loose = loose.join("\n");
    if !loose.trim().is_empty() {
        record.sections.push(("Comments".to_owned(), loose.trim().to_owned()));
    }
}

/// Ids changed their prefix and padding over time: `task-4.2` means `BACK-4.2` where nothing else has that number.
fn name_targets(reading: &mut Reading) {
    let mut by_number: HashMap<String, Option<String>> = HashMap::new();
    let exact: HashMap<String, String> =
        reading.records.iter().map(|record| (record.id.to_lowercase(), record.id.clone())).collect();
    for id in exact.values() {
        let known = by_number.entry(number(id)).or_insert_with(|| Some(id.clone()));
        if known.as_ref() != Some(id) {
            *known = None;
        }
    }
    let meant = |id: &str| {
        let named = exact.get(&id.to_lowercase()).cloned();
        named.or_else(|| by_number.get(&number(id)).cloned().flatten()).unwrap_or_else(|| id.to_owned())
    };
    for record in &mut reading.records {
        if !record.parent.is_empty() {
            record.parent = meant(&record.parent);
        }
        record.links.iter_mut().for_each(|link| link.id = meant(&link.id));
    }
}

/// The numbers of an id, without padding: `STATBUS-034.1` is `34.1`. Decisions and milestones count for themselves.
fn number(id: &str) -> String {
    let (prefix, rest) = id.rsplit_once('-').unwrap_or(("", id));
    let numbers: Vec<&str> = rest.split('.').map(|part| part.trim_start_matches('0')).collect();
    let family = match prefix.to_lowercase().as_str() {
        own @ ("decision" | "m" | "draft" | "doc") => own.to_owned(),
        _ => String::new(),
    };
    format!("{family}{}", numbers.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_may_hold_lines_of_dashes() {
        let mut record = Record::default();
        comments(
            &mut record,
            "author: ann\ncreated: 2026-01-01 10:00\n---\none\n---\ntwo\n---\n\nauthor: bob\ncreated: 2026-01-02\n---\nthree\n---",
        );
        let told: Vec<(&str, &str)> =
            record.comments.iter().map(|entry| (entry.author.as_str(), entry.text.as_str())).collect();
        assert_eq!(told, [("ann", "one\n---\ntwo"), ("bob", "three")]);
    }

    #[test]
    fn numbers_name_tasks_whatever_the_prefix_was() {
        assert_eq!(
            (number("BACK-4.2"), number("task-04.02"), number("m-3")),
            ("4.2".into(), "4.2".into(), "m3".into())
        );
    }
}
