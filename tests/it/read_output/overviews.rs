//! `context` and `next` under controls: whole where they fit, told and continued where they do not.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{BIG, tokens, useful};
use crate::sandbox::Sandbox;

const CALLS: &[&[&str]] = &[
    &["context"],
    &["context", "--for", "orient"],
    &["context", "--depth", "deep"],
    &["next", "--limit", "6"],
];

/// The lists of rows of an answer, by key.
fn lists(answer: &Value) -> BTreeMap<String, Vec<Value>> {
    let all = answer.as_object().into_iter().flatten();
    let lists = all.filter(|(key, _)| *key != "continuations").filter_map(|(key, value)| {
        let rows = value.as_array().filter(|rows| rows.iter().all(Value::is_object))?;
        Some((key.clone(), rows.clone()))
    });
    lists.collect()
}

fn ask(sandbox: &Sandbox, call: &[&str], more: &[&str]) -> (u64, Option<Value>) {
    let words: Vec<&str> = call.iter().chain(more).copied().chain(["--json"]).collect();
    let output = sandbox.pm(&words);
    assert!(matches!(output.code, 0 | 2), "{words:?}: {output:?}");
    (tokens(&output), (output.code == 0).then(|| output.json()))
}

/// What a row is about, whichever of its fields are shown.
fn name(row: &Value) -> String {
    ["id", "path", "assignee"].iter().map(|key| row[*key].to_string()).collect()
}

#[test]
fn seed_whole_where_it_fits_else_the_first_rows_of_each_list_and_never_fewer_for_more() {
    for call in CALLS {
        let (size, whole) = ask(&BIG, call, &["--output-budget", "unbounded"]);
        let whole = whole.expect("nothing bounds it");
        let mut before = 0;
        for budget in [300, 500, 800, 1_200, 1_800, 2_600, size, size + 100] {
            let (cost, answer) = ask(&BIG, call, &["--output-budget", &budget.to_string()]);
            let Some(answer) = answer else {
                assert!(before == 0 && budget < size, "{call:?} with {budget}");
                continue;
            };
            assert!(cost <= budget, "{call:?} with {budget} costs {cost}");
            if budget >= size {
                assert_eq!(useful(answer), useful(whole.clone()), "{call:?} with {budget}");
                continue;
            }
            let told = answer["output_budget_truncation"]["continuations"].as_array().cloned();
            for (key, rows) in lists(&whole) {
                let kept: Vec<String> = lists(&answer)[&key].iter().map(name).collect();
                let all: Vec<String> = rows.iter().map(name).collect();
                assert_eq!(kept, all[..kept.len()], "{call:?} with {budget}: {key}");
                let entry = told.iter().flatten().find(|entry| entry["path"] == key.as_str());
                assert_eq!(entry.is_some(), kept.len() < all.len(), "{call:?} with {budget}: {key}");
            }
            let rows: usize = lists(&answer).values().map(Vec::len).sum();
            assert!(rows >= before, "{call:?} with {budget}: {rows} rows, {before} with less");
            before = rows;
            // Fields give way only where no row does, and that is told.
            if told.is_none() {
                assert!(
                    answer["read_output"]["applied_depth"].is_string(),
                    "{call:?} with {budget}: {answer}"
                );
            }
        }
    }
}

#[test]
fn s64_pages_of_sections_tell_each_row_once_whatever_cut_them() {
    for call in CALLS {
        let (size, whole) = ask(&BIG, call, &["--output-budget", "unbounded"]);
        let whole = lists(&whole.expect("nothing bounds it"));
        let mut got: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        let (budget, mut cursor) = ((size * 3 / 5).max(900).to_string(), String::new());
        for page in 0.. {
            assert!(page < 100, "{call:?} has no end");
            let words = ["--output-budget", &budget, "--output-cursor", &cursor];
            let (_, answer) = ask(&BIG, call, if page == 0 { &words[..2] } else { &words });
            let answer = answer.expect("the first page fits");
            if answer["read_output"]["applied_depth"].is_string() {
                got = whole.clone();
                break;
            }
            for (key, rows) in lists(&answer) {
                got.entry(key).or_default().extend(rows);
            }
            let Some(next) = answer["next_cursor"].as_str() else { break };
            next.clone_into(&mut cursor);
        }
        // Rows beyond a number that was asked for follow too.
        for (key, rows) in whole {
            assert_eq!(got[&key][..rows.len()], rows[..], "{call:?}: {key}");
        }
    }
}

#[test]
fn s39_a_limit_of_sections_is_told_and_goes_on() {
    let call = ["context", "--section", "recently_created", "--output-budget", "unbounded"];
    let first = BIG.json(&[&call[..], &["--output-limit", "3"]].concat());
    assert_eq!(first["recently_created"].as_array().map(Vec::len), Some(3));
    assert_eq!((&first["has_more"], &first["applied_bound"]["value"]), (&json!(true), &json!(3)));
    let entries = first["continuations"].as_array().unwrap();
    let entry = entries.iter().find(|entry| entry["path"] == "recently_created").unwrap();
    assert_eq!((&entry["retained_rows"], &entry["total_rows"]), (&json!(3), &json!(500)));
    // The cursor knows that all rows were asked for, the call need not say so again.
    let second = BIG.json(&[&call[..], &["--output-cursor", entry["cursor"].as_str().unwrap()]].concat());
    let rows = second["recently_created"].as_array().unwrap();
    assert!(!rows.is_empty() && second["has_more"] == true, "{second}");
    assert!(!first["recently_created"].as_array().unwrap().contains(&rows[0]));
}

#[test]
fn s42_a_limit_of_next_changes_the_amount_alone() {
    let sandbox = Sandbox::with_items(&[("pm-a", ""), ("pm-b", ""), ("pm-c", "blocked_by: pm-a")]);
    let plain = sandbox.json(&["next"]);
    for limit in ["50", "unbounded"] {
        assert_eq!(sandbox.json(&["next", "--output-limit", limit]), plain, "{limit}");
    }
    let some = BIG.json(&["next"]);
    let more = BIG.json(&["next", "--output-limit", "20"]);
    assert_eq!(more["recommended"], some["recommended"]);
    let fields =
        |answer: &Value| answer["ready"][0].as_object().map(|row| row.keys().cloned().collect::<Vec<_>>());
    assert!(some["ready"][0].is_null() || fields(&more) == fields(&some), "{more}");
    let why = BIG.json(&["next", "--why"]);
    if let Some(total) = why["total"].as_u64() {
        assert_eq!(total, why["summary"]["ready"].as_u64().unwrap() - 1);
        assert!(why["next_cursor"].is_string(), "{why}");
    }
}

#[test]
fn the_agenda_names_its_items_whatever_stands_beside_it() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["Due soon", "--id", "due", "--deadline", "2026-03-02T00:00:00Z"]);
    for argv in [
        &["context"][..],
        &["context", "--output-include", "agenda"],
        &["context", "--fields", "id"],
        &["context", "--output-budget", "600"],
    ] {
        assert_eq!(sandbox.json(argv)["agenda"]["events"][0]["title"], "Due soon", "{argv:?}");
    }
}
