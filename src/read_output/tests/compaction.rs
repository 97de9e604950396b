//! Statements about what is cut, in which order, and what is kept.

use std::cell::Cell;

use super::*;

#[test]
fn s49_an_overridden_limit_is_reported() {
    let json = value(&read(list(500), surfaces::LIST, &["--json", "--output-limit=unbounded"]).unwrap());
    let disclosure = &json["output_budget_truncation"];
    assert_eq!(disclosure["overridden_dimensions"], json!(["amount"]));
    assert_eq!(
        (&disclosure["budget_source"], &disclosure["budget_tokens"]),
        (&json!("default"), &json!(6000))
    );
    assert_eq!(disclosure["restore_with"], "recovery");
    assert_eq!(disclosure["recovery"]["cursor"], json["next_cursor"]);
    assert!(json["read_output"].get("canonical_options_used").is_some());
    let json = value(&read(list(500), surfaces::LIST, &["--json"]).unwrap());
    assert!(json["read_output"].get("canonical_options_used").is_none());
}

fn diagnostics() -> Answer<'static> {
    let findings: Vec<Value> = (0..200).map(|n| json!(format!("pm-{n:04}:resolution"))).collect();
    let check = json!({"name": "resolution", "status": "warn", "details": {"count": 200, "rows": findings, "hints": ["a", "b"]}});
    let rows = vec![check.as_object().unwrap().clone()];
    Answer::new()
        .value("ok", true)
        .rows("checks", Rows::ready(rows))
        .rows("warnings", Rows::values(vec![json!("w:1")]))
}

#[test]
fn s57_nested_findings_are_cut_before_checks_and_go_on() {
    let mut found: Vec<Value> = Vec::new();
    let mut cursor = String::new();
    for _ in 0..100 {
        let mut words = vec!["--json", "--output-budget=800"];
        if !cursor.is_empty() {
            words.push(&cursor);
        }
        let out = read(diagnostics(), surfaces::VALIDATE, &words).unwrap();
        assert!(tokens(&out) <= 800);
        let json = value(&out);
        found.extend(json["checks"][0]["details"]["rows"].as_array().unwrap().clone());
        let entries =
            json["output_budget_truncation"]["continuations"].as_array().cloned().unwrap_or_default();
        match entries.iter().find(|entry| entry["path"] == "checks.0.details.rows") {
            Some(entry) => cursor = format!("--output-cursor={}", entry["cursor"].as_str().unwrap()),
            None => break,
        }
    }
    let all: Vec<Value> = (0..200).map(|n| json!(format!("pm-{n:04}:resolution"))).collect();
    assert_eq!(found, all);
}

#[test]
fn s58_s59_get_falls_back_to_brief() {
    let item = |body: bool| {
        let mut item =
            json!({"id": "pm-a1", "title": "One", "dependencies": [{"id": "pm-b2", "kind": "blocks"}]});
        if body {
            item["body"] = json!("word ".repeat(2_000));
        }
        item
    };
    let answer = || {
        Answer::new().record("item", item(true)).value("linked", json!({"files": vec!["a"; 50]})).fallback(
            "brief",
            move || {
                Ok(Answer::new()
                    .record("item", item(false))
                    .omits("body", "--output-include body")
                    .omits("linked", "--output-include linked"))
            },
        )
    };
    let out = read(answer(), surfaces::GET, &["--json", "--output-budget=600"]).unwrap();
    let json = value(&out);
    assert_eq!((out.exit_code, json["item"].clone()), (0, item(false)));
    assert_eq!(
        (&json["read_output"]["applied_depth"], &json["read_output"]["rows_compacted"]),
        (&json!("brief"), &json!(false))
    );
    assert_eq!(json["read_output"]["degradation_reason"], "output_budget_reached");
    assert_eq!(json["omission_receipt"]["omitted_field_groups"][0]["name"], "body");
    assert!(json.get("output_budget_truncation").is_none());
    let selected =
        read(answer(), surfaces::GET, &["--json", "--output-budget=600", "--output-include=id,body"])
            .unwrap();
    assert!(!text(&selected).contains("applied_depth"));
    assert!(!text(&read(answer(), surfaces::GET, &["--json"]).unwrap()).contains("applied_depth"));
}

#[test]
fn s63_a_finite_recovery_cuts_no_more() {
    let answer = || {
        let tags: Vec<Value> = (0..400).map(|n| json!(format!("tag-{n}"))).collect();
        Answer::new().value("totals", json!({"items": 3})).value("tags", tags)
    };
    let json = value(&read(answer(), surfaces::STATS, &["--json", "--output-budget=900"]).unwrap());
    let budget = json["output_budget_truncation"]["recovery"]["sdk"]["outputBudget"].as_u64().unwrap();
    assert!(budget > 900 && budget.is_multiple_of(100));
    let flag = format!("--output-budget={budget}");
    let whole = value(&read(answer(), surfaces::STATS, &["--json", &flag]).unwrap());
    assert_eq!(whole["tags"].as_array().unwrap().len(), 400);
    assert_eq!(resolve_read_output_recovery_budget(600, 500), Some(800));
    assert_eq!(resolve_read_output_recovery_budget(600, 6_000), Some(7_500));
    assert_eq!(resolve_read_output_recovery_budget(u64::MAX, 1), None);
    assert_eq!(resolve_read_output_recovery_budget(9_007_199_254_740_991, 1), None);
}

#[test]
fn s90_failing_verdicts_come_first() {
    let row = |n: usize, verdict: &str| json!({"id": format!("a{n}"), "severity": "block", "verdict": verdict, "why": "because ".repeat(20)});
    let mut rows: Vec<Value> = (0..40).map(|n| row(n, "pass")).collect();
    rows.push(row(40, "fail"));
    let answer = Answer::new().rows("assertions", Rows::values(rows)).value("assertions_total", 41);
    let json = value(&read(answer, surfaces::ASSURANCE, &["--json", "--output-budget=600"]).unwrap());
    assert_eq!((&json["assertions"][0]["id"], &json["assertions_total"]), (&json!("a40"), &json!(41)));
    assert_eq!(json["budget_retention_policy"], "verdict_priority");
}

#[test]
fn long_strings_are_cut_and_say_so() {
    let long =
        json!({"id": "pm-a1", "body": format!("{}😀{}", "x".repeat(239), "y".repeat(4_000)), "tags": ["t"]});
    let answer = Answer::new().record("item", long);
    let json = value(&read(answer, surfaces::GET, &["--json", "--output-budget=500"]).unwrap());
    assert_eq!(json["read_output"]["strings_compacted"], true);
    assert_eq!(json["item"]["body"], format!("{}…", "x".repeat(239)));
    assert_eq!(json["item"]["tags"], json!(["t"]));
}

#[test]
fn rows_are_made_as_they_are_needed() {
    let made = Cell::new(0usize);
    let answer = Answer::new()
        .rows(
            "items",
            Rows::lazy(100_000, |n| {
                made.set(made.get() + 1);
                Ok(row(n))
            })
            .limited(Some(10)),
        )
        .question(json!({}));
    read(answer, surfaces::LIST, &[]).unwrap();
    assert!(made.get() < 40, "{}", made.get());
}

/// What settling renders, in bytes.
fn rendered(run: &mut Run<'_, '_>) -> u64 {
    render::take_rendered();
    assert_eq!(run.settle().unwrap(), Verdict::Fits);
    render::take_rendered()
}

/// What is rendered does not grow with the rows, and rows that cannot fit are not made.
#[test]
fn a_hundred_thousand_rows_are_not_rendered() {
    let mut renders = Vec::new();
    for total in [1_000, 10_000, 100_000] {
        let made = Cell::new(0);
        let make = |n| {
            made.set(made.get() + 1);
            Ok(row(n))
        };
        let rows = Rows::lazy(total, make).digest(|| "v1".into()).columns(["id", "status", "type", "title"]);
        let controls =
            resolve(&contract(Some(surfaces::LIST)), &args(&["--output-budget=4000", "--json"])).unwrap();
        let environment = Environment::default();
        let mut run = begin(Answer::new().rows("items", rows), &controls, &environment).unwrap();
        renders.push(rendered(&mut run));
        assert!(run.frame.doc.lists[0].shown > 40);
        drop(run);
        assert!(made.get() < 1_000, "{} of {total} rows made", made.get());
    }
    // The ceiling is 16,000 bytes; the rest are receipts.
    assert!(renders.iter().all(|bytes| *bytes <= 5 * 16_000), "{renders:?} bytes");
    assert!(renders[2] <= renders[0] + renders[0] / 4, "{renders:?} bytes");
}

/// Many collections beside each other cost a few receipts each.
#[test]
fn collections_beside_each_other_are_rendered_once() {
    let graph = |key: &str| Rows::ready((0..5_000).map(|n| row(n + key.len())).collect());
    let answer = Answer::new()
        .group("graph", Answer::new().rows("nodes", graph("nodes")).rows("edges", graph("edges")))
        .group("context", Answer::new().rows("nodes", graph("a")).rows("edges", graph("b")));
    let controls = resolve(&contract(Some(surfaces::DEPS)), &args(&["--output-budget=4000"])).unwrap();
    let environment = Environment::default();
    let mut run = begin(answer, &controls, &environment).unwrap();
    let bytes = rendered(&mut run);
    assert!(bytes <= 12 * 16_000, "{bytes} bytes");
}

/// An answer of thousands of nested lists is rendered a few times, whatever the number of lists and the room for them.
#[test]
fn nested_lists_are_rendered_once() {
    let commands = |total: usize| {
        let flag = |n: usize| json!({"flag": format!("--flag-{n}"), "values": ["a", "b", "c"], "about": "What it is"});
        let flags = |n: usize| (0..n % 9).map(flag).collect::<Vec<_>>();
        let command =
            |n: usize| json!({"name": format!("command-{n}"), "flags": flags(n), "examples": ["one", "two"]});
        Value::from((0..total).map(command).collect::<Vec<_>>())
    };
    for format in ["--output-format=json", "--output-format=toon"] {
        for total in [200, 2_000] {
            let answer = || {
                Answer::new().value("schemas", commands(total)).rows("commands", Rows::ready(vec![row(1)]))
            };
            let whole = read(answer(), surfaces::CONTRACTS, &[format, "--output-budget=unbounded"]).unwrap();
            let size = whole.bytes.len() as u64;
            for part in [2, 3, 10] {
                let budget = format!("--output-budget={}", size / 4 / part);
                let controls =
                    resolve(&contract(Some(surfaces::CONTRACTS)), &args(&[format, &budget])).unwrap();
                let environment = Environment::default();
                let mut run = begin(answer(), &controls, &environment).unwrap();
                let bytes = rendered(&mut run);
                assert!(bytes <= 3 * size + 200_000, "{bytes} bytes for {size}, a part of {part}, {format}");
            }
        }
    }
}
