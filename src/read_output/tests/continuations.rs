//! Statements about cursors.

use super::*;

#[test]
fn s67_to_s69_cursors_that_are_refused() {
    let first = value(&read(list(60), surfaces::LIST, &["--json", "--output-budget=600"]).unwrap());
    let cursor = first["next_cursor"].as_str().unwrap();
    let flag = format!("--output-cursor={cursor}");
    assert_eq!(code(surfaces::SEARCH, &[&flag]), Code::ReadOutputCursorCommandMismatch);
    assert_eq!(code(surfaces::LIST, &[&flag]), Code::ReadOutputCursorStale, "another total");
    let changed = Answer::new().rows(
        "items",
        Rows::lazy(60, |n| {
            let mut row = row(n);
            if n == 50 {
                row.insert("title".into(), json!("Changed"));
            }
            Ok(row)
        }),
    );
    assert_eq!(read(changed, surfaces::LIST, &[&flag]).unwrap_err().code, Code::ReadOutputCursorStale);
    for wrong in
        ["bm90IGEgY3Vyc29y".to_owned(), cursor[..cursor.len() - 7].to_owned(), "A".repeat(5_000), "!".into()]
    {
        assert_eq!(
            code(surfaces::LIST, &[&format!("--output-cursor={wrong}")]),
            Code::ReadOutputCursorInvalid
        );
        assert_eq!(code(surfaces::LIST, &[&format!("--after={wrong}")]), Code::InvalidQueryCursor);
    }
    let page = value(&read(limited(40, 2), surfaces::LIST, &["--json"]).unwrap());
    let other = list(40).question(json!({"status": "closed"}));
    let flag = format!("--after={}", page["next_cursor"].as_str().unwrap());
    assert_eq!(read(other, surfaces::LIST, &[&flag]).unwrap_err().code, Code::InvalidQueryCursor);
}

#[test]
fn s71_a_cut_page_of_items_goes_on_after_its_last_row() {
    let json = value(&read(limited(200, 50), surfaces::SEARCH, &["--json", "--output-budget=700"]).unwrap());
    assert_eq!(json["continuation_kind"], "producer_cursor");
    assert_eq!(json["output_budget_truncation"]["continuation_cursor_rebased"], true);
    assert_eq!(json["output_budget_truncation"]["continuations"][0]["total_rows"], 50);
    let kept = json["items"].as_array().unwrap().len();
    let flag = format!("--after={}", json["next_cursor"].as_str().unwrap());
    let next = value(&read(limited(200, 50), surfaces::SEARCH, &["--json", &flag]).unwrap());
    assert_eq!(next["items"][0]["id"], format!("pm-{kept:04}"));
}

#[test]
fn an_item_cursor_goes_on_only_behind_the_rows_that_were_told() {
    let rows = |ids: &[usize]| {
        let ids = ids.to_vec();
        let rows = Rows::lazy(ids.len(), move |n| Ok(row(ids[n]))).limited(Some(3));
        Answer::new().rows("items", rows).question(json!({}))
    };
    let page = value(&read(rows(&[0, 1, 2, 3, 4, 5]), surfaces::LIST, &["--json"]).unwrap());
    let flag = format!("--after={}", page["next_cursor"].as_str().unwrap());
    let follow = |ids: &[usize]| read(rows(ids), surfaces::LIST, &["--json", &flag]);
    // Rows that came since, before or behind, and others behind that went, change nothing of what was told.
    for ids in [&[0, 1, 2, 3, 4, 5][..], &[9, 8, 0, 1, 2, 3, 4, 5], &[0, 1, 2, 3, 7, 5]] {
        assert_eq!(value(&follow(ids).unwrap())["items"][0]["id"], "pm-0003", "{ids:?}");
    }
    // One that was told has gone, or stands behind; one that was not stands before: nobody can say what was told.
    for ids in [&[0, 1, 3, 4, 5][..], &[1, 2, 3, 4, 5], &[0, 2, 1, 3, 4], &[2, 0, 1, 3, 4], &[0, 5, 1, 2, 3]]
    {
        assert_eq!(follow(ids).unwrap_err().code, Code::InvalidQueryCursor, "{ids:?}");
    }
}

#[test]
fn the_newest_survive() {
    let log = || Answer::new().rows("history", Rows::lazy(300, |n| Ok(row(n))).newest_last());
    let json = value(&read(log(), surfaces::HISTORY, &["--json", "--output-budget=700"]).unwrap());
    let rows = json["history"].as_array().unwrap();
    assert_eq!(rows.last().unwrap()["id"], "pm-0299");
    let flag = format!("--output-cursor={}", json["next_cursor"].as_str().unwrap());
    let older = value(&read(log(), surfaces::HISTORY, &["--json", "--output-budget=700", &flag]).unwrap());
    let last = older["history"].as_array().unwrap().last().unwrap()["id"].clone();
    assert_eq!(last, format!("pm-{:04}", 299 - rows.len()));
}

#[test]
fn s73_health_forgets_what_changes_by_itself() {
    let checks = |queue: u64, items: u64, endpoint: &str| {
        let rows = json!([
            {"name": "settings", "status": "ok", "details": {"queue_entries": items}},
            {"name": "telemetry", "status": "ok", "details": {"queue_entries": queue, "endpoint": endpoint, "endpoint_probe": {"queue_entries": 1}}},
            {"name": "storage", "status": "ok", "details": {"a": "x".repeat(230), "b": "x".repeat(230), "c": "x".repeat(230), "d": "x".repeat(230)}},
            {"name": "locks", "status": "ok", "details": {"text": "y".repeat(230), "more": "z".repeat(230)}},
            {"name": "index", "status": "ok", "details": {"text": "y".repeat(230), "more": "z".repeat(230)}},
            {"name": "integrity", "status": "ok", "details": {"text": "y".repeat(230), "more": "z".repeat(230)}},
        ]);
        let rows = rows.as_array().unwrap().iter().map(|row| row.as_object().unwrap().clone()).collect();
        Answer::new().rows("checks", Rows::ready(rows))
    };
    let words = ["--json", "--output-budget=600"];
    let json = value(&read(checks(1, 1, "e"), surfaces::HEALTH, &words).unwrap());
    let flag = format!("--output-cursor={}", json["next_cursor"].as_str().unwrap());
    let again =
        |answer| read(answer, surfaces::HEALTH, &["--json", &flag]).map(|_| ()).map_err(|error| error.code);
    assert_eq!(again(checks(7, 1, "e")), Ok(()));
    assert_eq!(
        again(checks(1, 2, "e")),
        Err(Code::ReadOutputCursorStale),
        "another row's field of the same name"
    );
    assert_eq!(again(checks(1, 1, "f")), Err(Code::ReadOutputCursorStale), "a field that counts");
}
