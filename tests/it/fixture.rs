//! A small tracker made of plain files, so that reading is tested without writing.

use crate::sandbox::Sandbox;

/// One item file: folder, id, its lines between id and body, the body.
pub(crate) fn put(sandbox: &Sandbox, folder: &str, id: &str, lines: &[&str], body: &str) {
    let mut text = format!("id: {id}\n");
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text.push_str(&format!("body: \"{body}\"\n"));
    sandbox.write(&format!(".agents/pm/{folder}/{id}.toon"), text);
}

/// The items of [`small`]: folder, id, kind, status, priority, tags, created and updated in 2026, further lines.
type Line = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    u8,
    &'static str,
    [&'static str; 2],
    &'static [&'static str],
);

const SMALL: &[Line] = &[
    (
        "epics",
        "pm-epic",
        "Epic",
        "open",
        0,
        "tags[1]: core",
        ["01-01", "02-20"],
        &["author: ann", "acceptance_criteria: it works"],
    ),
    (
        "tasks",
        "pm-one",
        "Task",
        "open",
        1,
        "tags[2]: api,core",
        ["01-02", "02-28"],
        &[
            "assignee: ann",
            "parent: pm-epic",
            "comments[1]{created_at,author,text}:",
            "  \"2026-02-28T08:00:00.000Z\",ann,First",
            "files[1]{path,scope}:",
            "  src/one.rs,project",
        ],
    ),
    (
        "tasks",
        "pm-two",
        "Task",
        "in_progress",
        2,
        "tags: []",
        ["01-03", "03-01"],
        &[
            "deadline: \"2026-03-10T00:00:00.000Z\"",
            "dependencies[1]{id,kind,created_at}:",
            "  pm-one,blocked_by,\"2026-01-03T08:00:00.000Z\"",
            "parent: PM-EPIC",
            "risk: high",
        ],
    ),
    ("tasks", "pm-done", "Task", "closed", 1, "tags: []", ["01-04", "02-01"], &["parent: pm-epic"]),
    (
        "issues",
        "pm-bug",
        "Issue",
        "open",
        1,
        "tags[1]: api",
        ["02-01", "02-02"],
        &["deadline: \"2026-04-01T00:00:00.000Z\""],
    ),
    ("chores", "pm-idea", "Chore", "draft", 3, "tags: []", ["02-10", "02-11"], &[]),
    (
        "milestones",
        "pm-goal",
        "Milestone",
        "canceled",
        2,
        "tags: []",
        ["02-12", "02-13"],
        &["escape_class: late"],
    ),
];

/// Seven items: an epic with three children (one over, one that waits for another), a bug with tags, a draft, a
/// milestone in the future. The clock of the sandbox stands at 2026-03-01T12:00.
pub(crate) fn small() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write(".agents/pm/settings.json", "{\"version\": 1, \"id_prefix\": \"pm-\"}\n");
    for (folder, id, kind, status, priority, tags, [created, updated], more) in SMALL {
        let head = [
            format!("title: Title of {id}"),
            "description: \"\"".to_owned(),
            format!("type: {kind}"),
            format!("status: {status}"),
            format!("priority: {priority}"),
            (*tags).to_owned(),
            format!("created_at: \"2026-{created}T08:00:00.000Z\""),
            format!("updated_at: \"2026-{updated}T08:00:00.000Z\""),
        ];
        let lines: Vec<&str> = head.iter().map(String::as_str).chain(more.iter().copied()).collect();
        put(&sandbox, folder, id, &lines, "The body.");
    }
    sandbox
}

/// The ids of the rows of an answer, without prefix, joined by blanks.
pub(crate) fn ids(answer: &serde_json::Value, rows: &str) -> String {
    let rows = answer[rows].as_array().unwrap_or_else(|| panic!("no {rows} in {answer}"));
    let id = |row: &serde_json::Value| row["id"].as_str().unwrap_or("?").trim_start_matches("pm-").to_owned();
    rows.iter().map(id).collect::<Vec<_>>().join(" ")
}
