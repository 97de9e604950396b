//! `pm import` and `pm export`: small sources of every kind, and real ones where there are any.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const BEADS: &str = r#"{"id":"bd-1","title":"Parent","description":"Line one\n\nLine two","status":"open","priority":1,"issue_type":"epic","created_at":"2026-01-01T10:00:00.123456789Z","updated_at":"2026-01-02T10:00:00Z","created_by":"ann","content_hash":"abc","compaction_level":0}
{"id":"bd-1.1","title":"Child","description":"Short","notes":"A note","design":"The design","acceptance_criteria":"- one; or two\n- three","status":"closed","priority":0,"issue_type":"bug","estimated_minutes":30,"assignee":"bob","labels":["UI","a,b"],"external_ref":"gh-9","close_reason":"Fixed","created_at":"2026-01-01T02:00:00-08:00","updated_at":"2026-01-03T10:00:00Z","closed_at":"2026-01-03T10:00:00Z","dependencies":[{"issue_id":"bd-1.1","depends_on_id":"bd-1","type":"parent-child","created_at":"2026-01-01T10:00:00Z","created_by":"ann"},{"issue_id":"bd-1.1","depends_on_id":"bd-2","type":"blocks","created_at":"2026-01-01T11:00:00Z","created_by":"ann"},{"issue_id":"bd-1.1","depends_on_id":"bd-gone","type":"blocks"}],"comments":[{"id":7,"issue_id":"bd-1.1","author":"cy","text":"Said","created_at":"2026-01-02T00:00:00Z"}],"sender":"x"}
{"id":"bd-2","title":"Circle","status":"hooked","priority":2,"issue_type":"gate","created_at":"2026-01-01T10:00:00Z","updated_at":"2026-01-01T10:00:00Z","dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1.1","type":"blocks"}]}
{"id":"bd-3","title":"Gone","status":"tombstone","priority":2,"issue_type":"task","original_type":"bug","deleted_at":"2026-01-05T00:00:00Z","delete_reason":"test","created_at":"2026-01-01T10:00:00Z","updated_at":"2026-01-05T00:00:00Z"}
"#;

/// The item file of an id, whatever folder it lies in.
fn item_file(sandbox: &Sandbox, id: &str) -> String {
    let folders = std::fs::read_dir(sandbox.root()).unwrap();
    let path =
        folders.map(|folder| folder.unwrap().path().join(format!("{id}.toon"))).find(|path| path.is_file());
    std::fs::read_to_string(path.unwrap_or_else(|| panic!("{id} has no file"))).unwrap()
}

fn item(sandbox: &Sandbox, id: &str) -> Value {
    sandbox.json(&["get", id, "--full"])["item"].clone()
}

/// Every file of the tracker but what is local to it.
fn tracked(sandbox: &Sandbox) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("runtime") && !path.ends_with("index") {
                    walk(&path, files);
                }
            } else {
                files.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(&sandbox.root(), &mut files);
    let root = sandbox.root();
    files.into_iter().map(|(path, bytes)| (path.strip_prefix(&root).unwrap().to_owned(), bytes)).collect()
}

fn counts(answer: &Value) -> [u64; 4] {
    ["read", "written", "unchanged", "skipped"].map(|key| answer[key].as_u64().unwrap())
}

fn losses(answer: &Value) -> Vec<String> {
    let rows = answer["losses"].as_array().cloned().unwrap_or_default();
    rows.iter().map(|row| format!("{} {}", row["field"].as_str().unwrap(), row["count"])).collect()
}

/// Everything verifies, and a second call writes nothing.
fn settled(sandbox: &Sandbox, argv: &[&str]) {
    let before = tracked(sandbox);
    let again = sandbox.pm(&[argv, &["--json"]].concat()).json();
    assert_eq!(again["written"], 0, "{again}");
    assert_eq!(tracked(sandbox), before, "a second import writes nothing");
    assert_histories(sandbox);
}

fn assert_histories(sandbox: &Sandbox) {
    let verdict = sandbox.pm(&["validate", "--check-history-drift", "--json"]).json();
    let drift =
        verdict["checks"].as_array().unwrap().iter().find(|check| check["name"] == "history_drift").unwrap();
    assert_eq!(drift["status"], "ok", "{drift}");
}

#[test]
fn beads_come_with_everything_they_have() {
    let sandbox = Sandbox::tracker();
    sandbox.write("src/.beads/issues.jsonl", BEADS);
    let plan = sandbox.json(&["import", "beads", "src", "--dry-run"]);
    assert_eq!((counts(&plan), &plan["dry_run"]), ([4, 4, 0, 0], &json!(true)));
    assert_eq!(sandbox.json(&["list", "--all"])["total"], 0, "a dry run writes nothing");
    let done = sandbox.json(&["import", "beads", "src"]);
    assert_eq!((counts(&done), &done["created"]), ([4, 4, 0, 0], &json!(4)));
    assert_eq!(sandbox.read("src/.beads/issues.jsonl"), BEADS, "the source stays as it is");
    let child = item(&sandbox, "bd-1.1");
    for (field, value) in [
        ("type", json!("Issue")),
        ("status", json!("closed")),
        ("priority", json!(0)),
        ("tags", json!(["a b", "ui"])),
        ("parent", json!("bd-1")),
        ("description", json!("Short")),
        ("design", json!("The design")),
        ("acceptance_criteria", json!("one, or two; three")),
        ("estimated_minutes", json!(30)),
        ("assignee", json!("bob")),
        ("external_ref", json!("gh-9")),
        ("close_reason", json!("Fixed")),
        ("created_at", json!("2026-01-01T10:00:00.000Z")),
        ("updated_at", json!("2026-01-03T10:00:00.000Z")),
        ("closed_at", json!("2026-01-03T10:00:00.000Z")),
    ] {
        assert_eq!(child[field], value, "{field}");
    }
    assert_eq!(
        (&child["comments"][0]["author"], &child["comments"][0]["text"]),
        (&json!("cy"), &json!("Said"))
    );
    assert_eq!(child["notes"][0]["text"], "A note");
    assert_eq!(
        (&child["dependencies"][0]["id"], &child["dependencies"][0]["kind"]),
        (&json!("bd-2"), &json!("blocked_by"))
    );
    assert_eq!(
        child["imported"]["fields"],
        json!({"dependencies": [{"id": "bd-gone", "kind": "blocks"}], "sender": "x"})
    );
    let parent = item(&sandbox, "BD-1");
    assert_eq!(
        (&parent["type"], &parent["body"], &parent["author"]),
        (&json!("Epic"), &json!("Line one\n\nLine two"), &json!("ann"))
    );
    let circle = item(&sandbox, "bd-2");
    assert_eq!(
        (&circle["dependencies"][0]["kind"], &circle["type"], &circle["status"]),
        (&json!("related"), &json!("Task"), &json!("open"))
    );
    let gone = item(&sandbox, "bd-3");
    assert_eq!(
        (&gone["status"], &gone["close_reason"], &gone["type"]),
        (&json!("canceled"), &json!("test"), &json!("Issue"))
    );
    let told = losses(&done);
    for loss in
        ["created_at 1", "content_hash 1", "criteria 1", "sender 1", "status 2", "type 1", "dependencies 1"]
    {
        assert!(told.iter().any(|known| known == loss), "{loss} is missing in {told:?}");
    }
    settled(&sandbox, &["import", "beads", "src"]);
}

#[test]
fn only_the_file_of_issues_holds_issues() {
    let interaction = r#"{"id":"int-6","kind":"llm_call","created_at":"2026-01-17T07:11:41Z","actor":"ann"}"#;
    let sandbox = Sandbox::tracker();
    sandbox.write("src/.beads/issues.jsonl", BEADS);
    sandbox.write("src/.beads/interactions.jsonl", format!("{interaction}\n"));
    sandbox.write("src/elsewhere.jsonl", "{}\n");
    for source in ["src", "src/.beads"] {
        let done = sandbox.json(&["import", "beads", source, "--dry-run"]);
        assert_eq!((&done["read"], done["passed_over"].as_array().unwrap().len()), (&json!(4), 1), "{done}");
        assert!(done["passed_over"].to_string().contains("interactions.jsonl"), "{done}");
    }
    // Whoever names the other file, or has no file of issues, gets no item of it.
    std::fs::remove_file(sandbox.path().join("src/.beads/issues.jsonl")).unwrap();
    for source in ["src", "src/.beads", "src/.beads/interactions.jsonl"] {
        let done = sandbox.json(&["import", "beads", source]);
        assert_eq!((&done["read"], &done["written"]), (&json!(0), &json!(0)), "{source}: {done}");
        assert_eq!(done["passed_over"][0]["count"], 1, "{source}: {done}");
    }
    assert_eq!(sandbox.json(&["list", "--all"])["total"], 0);
}

#[test]
fn what_changed_there_comes_and_what_changed_here_stays() {
    let sandbox = Sandbox::tracker();
    sandbox.write("issues.jsonl", BEADS);
    sandbox.ok(&["import", "beads", "issues.jsonl"]);
    sandbox.ok(&["update", "bd-1", "--title", "Mine", "--add-tags", "here"]);
    sandbox.ok(&["comments", "bd-1.1", "here"]);
    let elsewhere = item_file(&sandbox, "bd-2");
    settled(&sandbox, &["import", "beads", "issues.jsonl"]);
    let changed = BEADS
        .replace(r#""title":"Parent","#, r#""title":"Parent","labels":["there"],"#)
        .replace(r#""text":"Said","#, r#""text":"Said again","#)
        .replace(r#""priority":0"#, r#""priority":3"#);
    sandbox.write("issues.jsonl", changed);
    let done = sandbox.json(&["import", "beads", "issues.jsonl"]);
    assert_eq!(counts(&done), [4, 2, 2, 0]);
    let parent = item(&sandbox, "bd-1");
    assert_eq!((&parent["title"], &parent["tags"]), (&json!("Mine"), &json!(["here", "there"])));
    let child = item(&sandbox, "bd-1.1");
    let texts: Vec<&str> =
        child["comments"].as_array().unwrap().iter().map(|row| row["text"].as_str().unwrap()).collect();
    assert_eq!((texts, &child["priority"]), (vec!["Said again", "here"], &json!(3)));
    assert_eq!(item_file(&sandbox, "bd-2"), elsewhere);
    settled(&sandbox, &["import", "beads", "issues.jsonl"]);
    // Once more, so that the second import is the base of a third.
    sandbox.write("issues.jsonl", BEADS.replace(r#""title":"Parent","#, r#""title":"Theirs","#));
    let done = sandbox.json(&["import", "beads", "issues.jsonl"]);
    assert_eq!(done["written"], 2);
    assert!(done["warnings"][0].as_str().unwrap().starts_with("changed_on_both_sides:bd-1:"), "{done}");
    let parent = item(&sandbox, "bd-1");
    assert_eq!(parent["tags"], json!(["here"]), "what was taken away there goes");
    assert_eq!(parent["merge_conflicts"]["title"]["values"], json!(["Mine", "Theirs"]));
    settled(&sandbox, &["import", "beads", "issues.jsonl"]);
}

#[test]
fn what_was_deleted_here_stays_deleted() {
    let sandbox = Sandbox::tracker();
    sandbox.write("issues.jsonl", BEADS);
    sandbox.ok(&["import", "beads", "issues.jsonl"]);
    sandbox.ok(&["delete", "bd-3"]);
    let again = sandbox.json(&["import", "beads", "issues.jsonl"]);
    assert_eq!(counts(&again), [4, 0, 3, 1]);
    assert_eq!(again["skips"][0]["declared"], true);
    let forced = sandbox.json(&["import", "beads", "issues.jsonl", "--force"]);
    assert_eq!(counts(&forced), [4, 1, 3, 0]);
    assert_histories(&sandbox);
}

#[test]
fn damaged_lines_are_named_and_the_exit_code_tells() {
    let sandbox = Sandbox::tracker();
    sandbox.write(
        "issues.jsonl",
        format!("{BEADS}{{\"id\": \n{{\"title\":\"no id\"}}\n{}\n", BEADS.lines().next().unwrap()),
    );
    let output = sandbox.pm(&["import", "beads", "issues.jsonl", "--json"]).expect(7);
    let answer = output.json();
    assert_eq!(counts(&answer), [7, 4, 0, 3]);
    let skips = answer["skips"].as_array().unwrap();
    assert_eq!(skips.iter().filter(|skip| skip["declared"] == true).count(), 1, "the line that stands twice");
    assert!(skips[0]["origin"].as_str().unwrap().starts_with("issues.jsonl:"));
    sandbox.refused(&["import", "beads", "nowhere"], 3, "import_source_unreadable");
    sandbox.write("empty/x.md", "");
    sandbox.refused(&["import", "beads", "empty"], 3, "import_source_empty");
}

#[test]
fn backlog_files_become_items_with_parts_in_their_places() {
    let sandbox = Sandbox::tracker();
    let task = "---\nid: BACK-4.2\ntitle: 'CLI: edit'\nstatus: In Progress\nassignee:\n  - '@ann'\n  - '@bob'\nreporter: @ann\ncreated_date: '2026-01-02 10:30'\nupdated_date: 2026-01-03\nlabels:\n  - CLI\ndependencies: [task-1]\nparent_task_id: task-4\nreferences:\n  - src/a.rs\n  - https://example.org/1\nmodified_files: [src/b.rs]\npriority: high\nordinal: 1000\nmilestone: m-1\n---\n\n## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nOne line.\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 It works\n- [ ] #2 It is told\n<!-- AC:END -->\n\n## Implementation Plan\n\n1. Do it\n\n## Implementation Notes\n\nDone so.\n\n## Final Summary\n\nWas done.\n\n## Comments\n\n<!-- COMMENTS:BEGIN -->\nauthor: cy\ncreated: 2026-01-04 08:00\n---\nLooks good.\n---\n<!-- COMMENTS:END -->\n";
    sandbox.write("b/backlog/tasks/back-4.2 - CLI-edit.md", task);
    for (path, id, status) in [
        ("tasks/back-1 - A.md", "BACK-1", "To Do"),
        ("completed/back-4 - B.md", "BACK-4", "Done"),
        ("archive/tasks/back-1 - Old.md", "BACK-1", "Won't Do"),
        ("drafts/draft-1 - D.md", "draft-1", "To Do"),
    ] {
        sandbox.write(&format!("b/backlog/{path}"), format!("---\nid: {id}\ntitle: Title {id}\nstatus: {status}\ncreated_date: 2026-01-01\nlabels: []\n---\n\nText\n"));
    }
    sandbox.write(
        "b/backlog/decisions/decision-1 - X.md",
        "---\nid: decision-1\ntitle: Decide\ndate: 2026-01-01\nstatus: proposed\n---\n## Context\n\nWhy.\n",
    );
    sandbox.write("b/backlog/docs/doc-1.md", "---\nid: doc-1\n---\nText\n");
    sandbox.write("b/backlog/tasks/readme.md", "# Tasks\n");
    let done = sandbox.json(&["import", "backlog", "b"]);
    assert_eq!(counts(&done), [6, 6, 0, 0]);
    assert_eq!(done["passed_over"].as_array().unwrap().len(), 2);
    let item = |id| item(&sandbox, id);
    let task = item("back-4.2");
    for (field, value) in [
        ("title", json!("CLI: edit")),
        ("status", json!("in_progress")),
        ("priority", json!(1)),
        ("tags", json!(["cli"])),
        ("parent", json!("back-4")),
        ("description", json!("One line.")),
        ("body", json!("## Implementation Plan\n\n1. Do it")),
        ("acceptance_criteria", json!("It works; It is told")),
        ("resolution", json!("Was done.")),
        ("assignee", json!("@ann")),
        ("reporter", json!("@ann")),
        ("release", json!("m-1")),
        ("created_at", json!("2026-01-02T10:30:00.000Z")),
    ] {
        assert_eq!(task[field], value, "{field}");
    }
    assert_eq!(task["dependencies"][0]["id"], "back-1");
    assert_eq!(
        (&task["comments"][0]["text"], &task["notes"][0]["text"]),
        (&json!("Looks good."), &json!("Done so."))
    );
    assert_eq!((&task["files"][0]["path"], task["docs"].as_array().unwrap().len()), (&json!("src/b.rs"), 2));
    assert_eq!(
        task["imported"],
        json!({"from": "backlog", "id": "BACK-4.2", "fields": {"assignee": ["@ann", "@bob"], "criteria_met": [1], "ordinal": 1000}})
    );
    assert_eq!(
        (&item("draft-1")["status"], &item("decision-1")["type"]),
        (&json!("draft"), &json!("Decision"))
    );
    let twin = sandbox.json(&["list", "--all", "--tag", "backlog:back-1"]);
    assert_eq!(
        (&twin["total"], &twin["items"][0]["status"]),
        (&json!(1), &json!("canceled")),
        "the second of one id"
    );
    settled(&sandbox, &["import", "backlog", "b/backlog"]);
}

#[test]
fn tickets_come_with_notes_and_links() {
    let sandbox = Sandbox::tracker();
    sandbox.write("t/.tickets/tk-a1.md", "---\nid: tk-a1\nstatus: closed\ndeps: [tk-b2]\nlinks: [tk-b2]\ncreated: 2026-01-01T10:00:00Z\ntype: bug\npriority: 1\nassignee: Ann B\nparent: tk-b2\ntags: [one, two]\nexternal-ref: gh-1\nodd: 1\n---\n# The title\n\nThe text.\n\n```\n## Notes\n```\n\n## Design\n\nSo.\n\n## Acceptance Criteria\n\nAll of it; and more.\n\n## Notes\n\n**2026-01-02T00:00:00Z**\n\nFirst.\n\n**2026-01-03T00:00:00Z**\n\nSecond.\n");
    sandbox.write("t/.tickets/tk-b2.md", "---\nid: tk-b2\nstatus: open\ndeps: []\nlinks: []\nlinks: [tk-a1]\ncreated: 2026-01-01T10:00:00Z\ntype: nonsense here\npriority: P0\n---\n# Other\n");
    sandbox.write("t/.tickets/README.md", "# Read me\n");
    let done = sandbox.json(&["import", "ticket", "t"]);
    assert_eq!(counts(&done), [2, 2, 0, 0]);
    let ticket = item(&sandbox, "tk-a1");
    for (field, value) in [
        ("title", json!("The title")),
        ("type", json!("Issue")),
        ("status", json!("closed")),
        ("priority", json!(1)),
        ("tags", json!(["one", "two"])),
        ("parent", json!("tk-b2")),
        ("design", json!("So.")),
        ("body", json!("The text.\n\n```\n## Notes\n```")),
        ("acceptance_criteria", json!("All of it, and more.")),
        ("external_ref", json!("gh-1")),
        ("assignee", json!("Ann B")),
    ] {
        assert_eq!(ticket[field], value, "{field}");
    }
    let notes: Vec<(&str, &str)> = ticket["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| (note["created_at"].as_str().unwrap(), note["text"].as_str().unwrap()))
        .collect();
    assert_eq!(notes, [("2026-01-02T00:00:00.000Z", "First."), ("2026-01-03T00:00:00.000Z", "Second.")]);
    let mut kinds: Vec<&str> =
        ticket["dependencies"].as_array().unwrap().iter().map(|row| row["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["blocked_by", "related"]);
    let other = item(&sandbox, "tk-b2");
    assert_eq!(
        (
            &other["priority"],
            &other["imported"]["fields"]["type"],
            &other["imported"]["fields"]["again-links"]
        ),
        (&json!(0), &json!("nonsense here"), &json!(["tk-a1"]))
    );
    settled(&sandbox, &["import", "ticket", "t/.tickets"]);
}

#[test]
fn lines_of_todo_txt_keep_their_names_when_they_are_done() {
    let sandbox = Sandbox::tracker();
    sandbox.write("todo.txt", "(A) 2026-01-01 Call Mom @phone +Family due:2026-02-01\nBuy milk\nBuy milk\n# a comment\n\nx 2026-01-05 2026-01-02 Pay rent\n");
    let done = sandbox.json(&["import", "todotxt", "todo.txt"]);
    assert_eq!(counts(&done), [4, 4, 0, 0]);
    let listed = sandbox.json(&["list", "--all", "--tag", "family"]);
    let id = listed["items"][0]["id"].as_str().unwrap().to_owned();
    let call = item(&sandbox, &id);
    assert_eq!(
        (&call["title"], &call["priority"], &call["tags"]),
        (&json!("Call Mom @phone +Family"), &json!(0), &json!(["@phone", "family"]))
    );
    assert_eq!(
        (&call["deadline"], &call["created_at"]),
        (&json!("2026-02-01T00:00:00.000Z"), &json!("2026-01-01T00:00:00.000Z"))
    );
    settled(&sandbox, &["import", "todotxt", "todo.txt"]);
    sandbox.write("todo.txt", "Buy milk\nBuy milk\n");
    sandbox.write(
        "done.txt",
        "x 2026-01-06 2026-01-01 Call Mom @phone +Family due:2026-02-01\nx 2026-01-05 2026-01-02 Pay rent\n",
    );
    let moved = sandbox.json(&["import", "todotxt", "."]);
    assert_eq!(counts(&moved), [4, 1, 3, 0]);
    let call = item(&sandbox, &id);
    assert_eq!((&call["status"], &call["closed_at"]), (&json!("closed"), &json!("2026-01-06T00:00:00.000Z")));
}

#[test]
fn issues_of_github_come_from_every_form_of_json() {
    let sandbox = Sandbox::tracker();
    let archive = json!({"repo": "o/r", "labels": [], "issues": [
        {"number": 1, "id": "I_1", "title": "One", "url": "https://github.com/o/r/issues/1", "state": "CLOSED", "author": "ann", "labels": ["bug"], "assignees": ["bob", "cy"], "body": "Text", "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-02T00:00:00Z", "closedAt": "2026-01-02T00:00:00Z", "comments": [{"author": "cy", "body": "Yes", "createdAt": "2026-01-01T01:00:00Z", "updatedAt": "2026-01-01T02:00:00Z", "authorAssociation": "MEMBER"}]}],
        "pulls": [{"number": 2, "title": "Two", "url": "https://github.com/o/r/pull/2", "state": "MERGED", "author": "ann", "labels": [], "body": "", "createdAt": "2026-01-01T00:00:00Z", "comments": [], "reviews": [{"author": "bob", "state": "APPROVED", "body": "", "createdAt": "2026-01-01T03:00:00Z", "comments": [{"author": "bob", "body": "Here", "createdAt": "2026-01-01T03:01:00Z"}]}]}]});
    sandbox.write("a.json", archive.to_string());
    let api = json!([{"number": 3, "node_id": "x", "html_url": "https://github.com/o/r/issues/3", "url": "https://api.github.com/repos/o/r/issues/3", "title": "Three", "state": "closed", "state_reason": "not_planned", "user": {"login": "ann"}, "labels": [{"name": "help wanted"}], "assignee": {"login": "bob"}, "assignees": [{"login": "bob"}], "milestone": {"title": "v1"}, "comments": 4, "body": null, "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z", "closed_at": null}]);
    sandbox.write("b.json", api.to_string());
    assert_eq!(counts(&sandbox.json(&["import", "github", "a.json"])), [2, 2, 0, 0]);
    assert_eq!(counts(&sandbox.json(&["import", "github", "b.json"])), [1, 1, 0, 0]);
    let one = item(&sandbox, "pm-r-1");
    assert_eq!(
        (&one["status"], &one["assignee"], &one["author"], &one["description"]),
        (&json!("closed"), &json!("bob"), &json!("ann"), &json!("Text"))
    );
    assert_eq!(
        one["comments"][0],
        json!({"created_at": "2026-01-01T01:00:00.000Z", "author": "cy", "text": "Yes", "authorAssociation": "MEMBER", "edited_at": "2026-01-01T02:00:00Z"})
    );
    assert_eq!(one["tags"], json!(["bug", "github:o/r#1"]));
    assert_eq!(one["external_ref"], "https://github.com/o/r/issues/1");
    let two = item(&sandbox, "pm-r-2");
    let said: Vec<&str> =
        two["comments"].as_array().unwrap().iter().map(|row| row["text"].as_str().unwrap()).collect();
    assert_eq!((said, &two["status"]), (vec!["approved", "Here"], &json!("closed")));
    let three = item(&sandbox, "pm-r-3");
    assert_eq!(
        (&three["status"], &three["release"], &three["assignee"]),
        (&json!("canceled"), &json!("v1"), &json!("bob"))
    );
    settled(&sandbox, &["import", "github", "a.json"]);
    settled(&sandbox, &["import", "github", "b.json"]);
}

#[test]
fn what_is_given_out_comes_back_as_it_was() {
    let mut sandbox = Sandbox::tracker();
    sandbox.create(&["Task", "One", "--id", "a", "--body", "Text\n\n- x", "--tags", "p,q", "--ac", "c"]);
    sandbox.set("PM_CLOCK", "2026-03-02T00:00:00.000Z");
    sandbox.create(&["Epic", "Two", "--id", "b"]);
    sandbox.ok(&["comments", "a", "said"]);
    sandbox.ok(&["update", "a", "--dep", "id=b,kind=blocked_by"]);
    sandbox.ok(&["close", "b", "Done"]);
    let plain = sandbox.ok(&["export", "jsonl"]);
    assert_eq!(plain.lines().count(), 2);
    let receipt = sandbox.json(&["export", "jsonl", "--history", "--output", "all.jsonl"]);
    assert_eq!(receipt["exported"], 2);
    let whole = sandbox.read("all.jsonl");

    let other = Sandbox::tracker();
    other.write("all.jsonl", &whole);
    assert_eq!(counts(&other.json(&["import", "jsonl", "all.jsonl"])), [2, 2, 0, 0]);
    let items = |files: BTreeMap<PathBuf, Vec<u8>>| -> BTreeMap<PathBuf, Vec<u8>> {
        files.into_iter().filter(|(path, _)| path.to_string_lossy().contains("pm-")).collect()
    };
    assert_eq!(items(tracked(&other)), items(tracked(&sandbox)), "items and histories, byte for byte");
    settled(&other, &["import", "jsonl", "all.jsonl"]);

    let bare = Sandbox::tracker();
    let done = bare.pm_with(&["import", "jsonl", "-", "--json"], &plain).expect(0).json();
    assert_eq!(counts(&done), [2, 2, 0, 0]);
    for id in ["pm-a", "pm-b"] {
        assert_eq!(item_file(&bare, id), item_file(&sandbox, id));
    }
    assert_histories(&bare);

    // What went on there goes on here; what went on on both sides is merged.
    sandbox.ok(&["update", "a", "--sprint", "7"]);
    sandbox.ok(&["export", "jsonl", "--history", "--output", "all.jsonl"]);
    other.write("all.jsonl", sandbox.read("all.jsonl"));
    assert_eq!(counts(&other.json(&["import", "jsonl", "all.jsonl"])), [2, 1, 1, 0]);
    assert_eq!(items(tracked(&other)), items(tracked(&sandbox)));
    other.ok(&["notes", "a", "here"]);
    assert_eq!(counts(&other.json(&["import", "jsonl", "all.jsonl"])), [2, 0, 2, 0], "it knows more already");
    assert_eq!(item(&other, "a")["notes"][0]["text"], "here");
    assert_histories(&other);
}

#[test]
fn a_history_that_does_not_hold_is_left_out_with_a_word() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["Task", "One", "--id", "a"]);
    let line = sandbox
        .pm(&["export", "jsonl", "--history"])
        .expect(0)
        .stdout
        .replace("\"after_hash\":\"", "\"after_hash\":\"0");
    let other = Sandbox::tracker();
    let done = other.pm_with(&["import", "jsonl", "-", "--json"], &line).expect(0).json();
    assert!(done["warnings"][0].as_str().unwrap().starts_with("history_left_out:pm-a:"), "{done}");
    assert_histories(&other);
    let broken = other
        .pm_with(&["import", "jsonl", "-", "--json"], "{}\nnonsense\n{\"id\":\"../x\",\"title\":\"t\"}\n")
        .expect(7)
        .json();
    assert_eq!(counts(&broken), [3, 0, 0, 3]);
}

/// A call that dies half-way has landed whole batches; the next one brings the rest (O03, O04).
#[test]
fn an_import_that_is_killed_can_be_made_again() {
    let sandbox = Sandbox::tracker();
    let lines: String = (0..450)
        .map(|n| format!("{}\n", json!({"id": format!("bd-{n}"), "title": format!("Item {n}"), "status": "open", "priority": 2, "issue_type": "task", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"})))
        .collect();
    sandbox.write("issues.jsonl", &lines);
    let mut call = sandbox.process(&["import", "beads", "issues.jsonl"]);
    call.env("PM_FAULT", "journal_written");
    let status = call.output().unwrap().status;
    let listed = sandbox.json(&["list", "--all", "--limit", "1"])["total"].as_u64().unwrap();
    let done = sandbox.json(&["import", "beads", "issues.jsonl"]);
    assert_eq!(counts(&done), [450, 450 - listed, listed, 0], "{status}");
    assert_eq!(sandbox.json(&["list", "--all", "--limit", "1"])["total"], 450);
    assert_eq!(sandbox.read("issues.jsonl"), lines);
    settled(&sandbox, &["import", "beads", "issues.jsonl"]);
}

/// The real sources; without `../shared` the test says so and passes.
#[test]
fn every_real_source_comes_whole() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("shared/data/import");
    if !shared.is_dir() {
        crate::corpus::skipped("../shared/data/import");
        return;
    }
    let formats = [
        ("beads", "beads"),
        ("backlog", "backlog-md"),
        ("ticket", "ticket"),
        ("todotxt", "todo-txt"),
        ("github", "github-issues"),
    ];
    for (format, folder) in formats {
        for project in std::fs::read_dir(shared.join(folder)).unwrap() {
            let mut sources = vec![project.unwrap().path()];
            if format == "todotxt" {
                let files = std::fs::read_dir(sources[0].join("testdata")).unwrap();
                sources = files.map(|file| file.unwrap().path()).collect();
            }
            for source in sources {
                let sandbox = Sandbox::tracker();
                let source = source.to_str().unwrap();
                let done = sandbox.json(&["import", format, source]);
                let [read, written, unchanged, skipped] = counts(&done);
                assert_eq!(read, written + unchanged + skipped, "{source}: {done}");
                assert_eq!(sandbox.json(&["list", "--all", "--limit", "1"])["total"], written, "{source}");
                settled(&sandbox, &["import", format, source]);
            }
        }
    }
}
