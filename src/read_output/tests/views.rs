//! The views: what people and spreadsheets get.

use serde_json::json;

use super::*;

fn view(answer: Answer<'_>, surface: ReadOutput, words: &[&str], environment: Environment<'_>) -> Delivered {
    let controls = resolve(&contract(Some(surface)), &args(words)).unwrap();
    deliver(answer, &controls, &environment).unwrap()
}

const NARROW: Environment<'static> = Environment {
    now: 1_767_225_600_000,
    zone: || jiff::tz::TimeZone::UTC,
    width: Some(60),
    color: false,
    titles: None,
};

fn rows(rows: Value) -> Rows<'static> {
    Rows::ready(rows.as_array().unwrap().iter().map(|row| row.as_object().unwrap().clone()).collect())
}

fn human(answer: Answer<'_>, width: u16) -> String {
    let titles = |id: &str| (id == "pm-b2").then(|| "Told by the tracker".to_owned());
    let environment = Environment { width: Some(width), titles: Some(&titles), ..NARROW };
    let out = view(answer, surfaces::LIST, &["--format=table"], environment);
    assert!(text(&out).lines().all(|line| line.chars().count() <= usize::from(width)), "{}", text(&out));
    text(&out).to_owned()
}

fn mixed() -> Answer<'static> {
    let items = json!([
        {"id": "pm-a1", "status": "open", "title": "A long title that is wider than what is left of the line\u{1b}[31m", "updated_at": "2025-12-31T22:00:00.000Z"},
        {"id": "pm-b2", "status": "in_progress", "title": "Short, \"quoted\"", "tags": ["x", "y"]},
    ]);
    Answer::new().rows("items", rows(items).limited(Some(2)).columns(["id", "status", "title"]))
}

#[test]
fn a_terminal_gets_a_table_as_wide_as_it_is() {
    let out = view(mixed(), surfaces::LIST, &["--format=table"], NARROW);
    assert_eq!(
        text(&out),
        "ID     STATUS       TITLE                  UPDATED AT  TAGS\n\
         pm-a1  open         A long title that is…  2h ago\n\
         pm-b2  in_progress  Short, \"quoted\"                    x, y\n\
         2 in all\n"
    );
    assert!(text(&out).lines().all(|line| line.chars().count() <= 60), "{}", text(&out));
    assert!(!text(&out).contains('\u{1b}'));
}

#[test]
fn an_item_is_a_page() {
    let item = json!({
        "id": "pm-a1", "title": "Fix login", "type": "Task", "status": "open", "priority": 1,
        "description": "It fails.\nOften.", "deadline": "2026-01-04T00:00:00.000Z", "tags": ["a", "b"],
        "dependencies": [{"id": "pm-b2", "kind": "blocks"}], "body": "First.\n\n- second",
    });
    let answer = Answer::new().record("item", item).value("claim_state", json!({"claimed": false}));
    let out = view(answer, surfaces::GET, &["--format=table"], NARROW);
    assert_eq!(
        text(&out),
        "pm-a1  Fix login\nTask · open · p1\n\nIt fails.\nOften.\n\ndeadline  2026-01-04 (in 3 days)\ntags      a, b\n\n\
         Dependencies\nID     KIND\npm-b2  blocks\n\nFirst.\n\n- second\n"
    );
    let out = view(
        Answer::new().value("id", "pm-a1").value("status", "closed").value("changed_field_count", 3),
        surfaces::GET,
        &["--format=table"],
        NARROW,
    );
    assert_eq!(text(&out), "pm-a1  closed\nchanged field count  3\n");
}

#[test]
fn rows_that_say_too_much_are_told_one_by_one() {
    let mut item = json!({"id": "pm-a1", "title": "Fix login", "type": "Task", "status": "open"});
    for n in 0..12 {
        item[format!("field_{n}")] = json!("some words of a field that is long");
    }
    let out = human(Answer::new().rows("items", rows(json!([item, {"id": "pm-b2", "title": "Other"}]))), 60);
    assert!(
        out.starts_with("pm-a1  Fix login\nTask · open\n\nfield 0   some words of a field that is long\n"),
        "{out}"
    );
    assert!(out.contains("\n\npm-b2  Other\n"), "{out}");
}

#[test]
fn an_id_is_never_cut() {
    let items =
        json!([{"id": "pm-abcdef", "status": "open", "type": "Milestone", "title": "A title of some words"}]);
    let out = |width| human(Answer::new().rows("items", rows(items.clone())), width);
    assert_eq!(
        out(40),
        "ID         STATUS  TITLE\npm-abcdef  open    A title of some words\nno room for: type\n1 in all\n"
    );
    assert_eq!(out(26), "pm-abcdef\n  A title of some words\nMilestone · open\n1 in all\n");
}

#[test]
fn a_tree_is_drawn_at_any_width() {
    let items = json!([
        {"id": "pm-a1", "title": "Root"},
        {"id": "pm-b2", "title": "  A child with a long title that has to be cut"},
        {"id": "pm-c3", "title": "    Grandchild"},
        {"id": "pm-d4", "title": "  Last"},
    ]);
    assert_eq!(
        human(Answer::new().rows("items", rows(items)), 34),
        "ID     TITLE\npm-a1  Root\npm-b2  ├─ A child with a long tit…\npm-c3  │  └─ Grandchild\n\
         pm-d4  └─ Last\n4 in all\n"
    );
    let found = json!([
        {"depth": 1, "id": "pm-x", "via": "pm-r", "title": "First"},
        {"depth": 1, "id": "pm-y", "via": "pm-r", "title": "Second"},
        {"depth": 2, "id": "pm-z", "via": "pm-x", "title": "Below the first"},
    ]);
    assert_eq!(
        human(Answer::new().value("id", "pm-b2").rows("tree", rows(found)), 60),
        "pm-b2  Told by the tracker\n\nTree\nID    TITLE\npm-x  ├─ First\npm-z  │  └─ Below the first\n\
         pm-y  └─ Second\n3 in all\n"
    );
}

#[test]
fn what_people_wrote_keeps_its_lines() {
    let entries = json!([
        {"created_at": "2025-12-31T22:00:00.000Z", "author": "ann", "text": "First line.\n\n- a point that is longer than the line"},
        {"created_at": "2025-12-31T23:59:58.000Z", "author": "bob", "text": "\u{1b}[31mred"},
    ]);
    assert_eq!(
        human(Answer::new().value("id", "pm-b2").rows("comments", rows(entries)), 30),
        "pm-b2  Told by the tracker\n\nComments\nann · 2h ago\n  First line.\n\n  - a point that is longer\n    than the line\n\n\
         bob · now\n  \u{fffd}[31mred\n2 in all\n"
    );
}

#[test]
fn a_change_is_a_receipt() {
    let item = |status: &str| json!({"id": "pm-a1", "title": "Fix login", "type": "Task", "status": status, "body": "long"});
    let answer = Answer::new()
        .value("id", "pm-a1")
        .value("action", "start_task")
        .value("claim", json!({"item": item("open"), "claimed_by": "ann", "forced": false}))
        .value("update", json!({"item": item("in_progress"), "changed_fields": ["status"], "warnings": []}));
    assert_eq!(
        human(answer, 60),
        "pm-a1  Fix login\nTask · in_progress\naction          start_task\nclaimed by      ann\nchanged fields  status\n"
    );
    let answer = Answer::new().value("id", "pm-b2").value("status", "open").value("changed_field_count", 1);
    assert_eq!(human(answer, 60), "pm-b2  open  Told by the tracker\nchanged field count  1\n");
}

#[test]
fn an_empty_listing_says_what_to_do() {
    let out = human(Answer::new().rows("items", rows(json!([]))), 60);
    assert!(out.starts_with("No items. `pm create \"Title\"` makes one.\n"), "{out}");
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    let colored = Environment { color: true, ..NARROW };
    let out = view(mixed(), surfaces::LIST, &["--format=table"], colored);
    assert!(
        text(&out).contains("\u{1b}[36mpm-b2\u{1b}[0m  \u{1b}[33min_progress\u{1b}[0m"),
        "{:?}",
        text(&out)
    );
}

#[test]
fn csv_quotes_what_must_be_quoted() {
    let out = view(mixed(), surfaces::LIST, &["--format=csv"], NARROW);
    assert_eq!(
        text(&out),
        "id,status,title,updated_at,tags\n\
         pm-a1,open,A long title that is wider than what is left of the line\u{fffd}[31m,2025-12-31T22:00:00.000Z,\n\
         pm-b2,in_progress,\"Short, \"\"quoted\"\"\",,\"[\"\"x\"\",\"\"y\"\"]\"\n"
    );
    assert_eq!(text(&view(list(0), surfaces::LIST, &["--format=csv"], NARROW)), "");
    let out = view(list(3), surfaces::LIST, &["--format=csv", "--output-limit=1"], NARROW);
    assert!(out.note.unwrap().starts_with("1 of 3 · next: --output-cursor "));
}

#[test]
fn ndjson_is_a_row_a_line() {
    let out = view(list(2), surfaces::LIST, &["--format=ndjson"], NARROW);
    let lines: Vec<Value> = text(&out).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, [Value::Object(row(0)), Value::Object(row(1))]);
}

#[test]
fn markdown_has_headings_and_tables() {
    let out = view(mixed(), surfaces::LIST, &["--format=markdown"], NARROW);
    assert!(text(&out).starts_with("# pm list\n\n## Items\n\n| id | status | title |"));
}

#[test]
fn a_session_in_a_terminal_is_not_a_view() {
    let state =
        json!({"version": 1, "id": "s", "token_budget": 4000, "spent_tokens": 0, "seen_item_ids": []});
    let defaults = Defaults { terminal: true, ..Defaults::default() };
    let args = OutputArgs { session: Some(state.to_string()), defaults, ..OutputArgs::default() };
    assert_eq!(resolve(&contract(Some(surfaces::LIST)), &args).unwrap().format, Format::Toon);
}
