//! The views: what people and spreadsheets get.

use serde_json::json;

use super::*;

fn view(answer: Answer<'_>, surface: ReadOutput, words: &[&str], environment: Environment) -> Delivered {
    let controls = resolve(&contract(Some(surface)), &args(words)).unwrap();
    deliver(answer, &controls, &environment).unwrap()
}

const NARROW: Environment = Environment { now: 1_767_225_600_000, width: Some(60), color: false };

fn mixed() -> Answer<'static> {
    let rows = json!([
        {"id": "pm-a1", "status": "open", "title": "A long title that is wider than what is left of the line\u{1b}[31m", "updated_at": "2025-12-31T22:00:00.000Z"},
        {"id": "pm-b2", "status": "in_progress", "title": "Short, \"quoted\"", "tags": ["x", "y"]},
    ]);
    let rows = rows.as_array().unwrap().iter().map(|row| row.as_object().unwrap().clone()).collect();
    Answer::new().rows("items", Rows::ready(rows).limited(Some(2)).columns(["id", "status", "title"]))
}

#[test]
fn a_terminal_gets_a_table_as_wide_as_it_is() {
    let out = view(mixed(), surfaces::LIST, &["--format=table"], NARROW);
    assert_eq!(
        text(&out),
        "ID     STATUS       TITLE                 UPDATED_AT  TAGS\n\
         pm-a1  open         A long title that i…  2h ago\n\
         pm-b2  in_progress  Short, \"quoted\"                   x, y\n\
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
        "pm-a1  Fix login\nTask · open · p1\n\nIt fails.\nOften.\n\ndeadline  in 3d\ntags      a, b\n\n\
         Dependencies\nID     KIND\npm-b2  blocks\n\nFirst.\n\n- second\n\nClaim state\nclaimed  false\n"
    );
    let out = view(
        Answer::new().value("id", "pm-a1").value("status", "closed").value("changed_field_count", 3),
        surfaces::GET,
        &["--format=table"],
        NARROW,
    );
    assert_eq!(text(&out), "pm-a1  closed\nchanged_field_count  3\n");
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
