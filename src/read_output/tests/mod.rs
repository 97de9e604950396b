//! Numbered statements of read-output.md §11, and sentences of seed 001, on answers made by hand: no tracker is needed.

mod compaction;
mod continuations;
mod controls;
mod disclosure;
mod nested;
mod properties;
mod selection;
mod sessions;
mod specs;
mod views;

use serde_json::{Value, json};

use super::*;
use crate::answer::{Answer, Row, Rows};
use crate::contract::{Budget, Contract, Effect, surfaces};

pub(super) fn contract(read_output: Option<ReadOutput>) -> Contract {
    Contract {
        path: &["list"],
        about: "List items",
        effect: if read_output.is_some() { Effect::Hybrid(&["--add"]) } else { Effect::Writes },
        read_output,
        ..Contract::BASE
    }
}

pub(super) fn row(n: usize) -> Row {
    let Value::Object(row) = json!({
        "id": format!("pm-{n:04}"), "status": "open", "type": "Task",
        "title": format!("Title number {n} of a row, with a comma: and a colon"),
    }) else {
        unreachable!()
    };
    row
}

pub(super) fn list(total: usize) -> Answer<'static> {
    Answer::new()
        .rows("items", Rows::lazy(total, |n| Ok(row(n))).columns(["id", "status", "type", "title"]))
        .question(json!({}))
        .echo("filters", json!({}))
}

pub(super) fn args(words: &[&str]) -> OutputArgs {
    let mut args = OutputArgs::default();
    for word in words {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (*word, None),
        };
        match flag {
            "--output-include" => args.include = value,
            "--output-limit" => args.limit = value,
            "--output-budget" => args.budget = value,
            "--output-format" => args.format = value,
            "--output-session" => args.session = value,
            "--output-cursor" => args.cursor = value,
            "--output-row-contract" => args.row_contract = true,
            "--json" => args.json = true,
            "--lean" => args.lean = true,
            "--full-envelope" => args.full_envelope = true,
            _ => args.typed.push(Typed { flag: flag.to_owned(), value }),
        }
    }
    args
}

pub(super) fn read(answer: Answer<'_>, surface: ReadOutput, words: &[&str]) -> Result<Delivered> {
    let controls = resolve(&contract(Some(surface)), &args(words))?;
    deliver(answer, &controls, &Environment::default())
}

pub(super) fn refused(surface: ReadOutput, words: &[&str]) -> Error {
    read(list(40), surface, words).map(|out| text(&out).to_owned()).expect_err("it should be refused")
}

pub(super) fn code(surface: ReadOutput, words: &[&str]) -> Code {
    refused(surface, words).code
}

pub(super) fn limited(total: usize, limit: usize) -> Answer<'static> {
    let rows = Rows::lazy(total, |n| Ok(row(n))).columns(["id", "status", "type", "title"]);
    Answer::new().rows("items", rows.limited(Some(limit))).question(json!({}))
}

pub(super) fn text(delivered: &Delivered) -> &str {
    std::str::from_utf8(&delivered.bytes).unwrap()
}

pub(super) fn value(delivered: &Delivered) -> Value {
    serde_json::from_slice(&delivered.bytes).unwrap()
}

pub(super) fn tokens(delivered: &Delivered) -> u64 {
    (delivered.bytes.len() as u64).div_ceil(4)
}

#[test]
fn a_plain_list_is_a_table_and_two_counts() {
    let out = read(list(2), surfaces::LIST, &[]).unwrap();
    assert_eq!(
        text(&out),
        "items[2]{id,status,type,title}:\n  pm-0000,open,Task,\"Title number 0 of a row, with a comma: and a colon\"\n  \
         pm-0001,open,Task,\"Title number 1 of a row, with a comma: and a colon\"\ncount: 2\ntotal: 2\n"
    );
    let out = read(list(1), surfaces::LIST, &["--json"]).unwrap();
    assert_eq!(
        text(&out),
        "{\n  \"items\": [\n    {\n      \"id\": \"pm-0000\",\n      \"status\": \"open\",\n      \"type\": \"Task\",\n      \
         \"title\": \"Title number 0 of a row, with a comma: and a colon\"\n    }\n  ],\n  \"count\": 1,\n  \"total\": 1\n}\n"
    );
    assert_eq!(out.served_ids, ["pm-0000"]);
}

#[test]
fn no_rows_are_still_shown() {
    assert_eq!(text(&read(list(0), surfaces::LIST, &[]).unwrap()), "items: []\ncount: 0\ntotal: 0\n");
    let out = read(list(0), surfaces::LIST, &["--json"]).unwrap();
    assert_eq!(value(&out), json!({"items": [], "count": 0, "total": 0}));
}

#[test]
fn a_budget_is_kept_and_spent() {
    for format in ["--output-format=json", "--output-format=toon"] {
        for budget in [500u64, 600, 700, 900, 1200, 2000, 4000] {
            let flag = format!("--output-budget={budget}");
            let out = read(list(305), surfaces::LIST, &[&flag, format]).unwrap();
            assert_eq!(out.exit_code, 0, "{budget}");
            assert!(tokens(&out) <= budget, "{budget}: {}", tokens(&out));
            let said = if format.ends_with("json") {
                let json = value(&out);
                assert_eq!(json["read_output"]["within_budget"], true);
                assert_eq!(json["count"], json["items"].as_array().unwrap().len());
                json["read_output"]["estimated_tokens"].as_u64().unwrap()
            } else {
                let at = text(&out).split("estimated_tokens: ").nth(1).unwrap();
                at.lines().next().unwrap().parse().unwrap()
            };
            assert_eq!(said, tokens(&out));
            // A row is 22 tokens in TOON, 47 in JSON: no more than that is left over.
            assert!(budget - tokens(&out) <= 48, "{budget}: {} of {budget}", tokens(&out));
        }
    }
}

#[test]
fn cursors_walk_through_everything_once() {
    let mut ids = Vec::new();
    let mut cursor: Option<String> = None;
    for page in 0.. {
        assert!(page < 100);
        let flag =
            cursor.as_ref().map_or("--output-limit=unbounded".into(), |c| format!("--output-cursor={c}"));
        let out = read(list(305), surfaces::LIST, &["--output-budget=900", "--json", &flag]).unwrap();
        let json = value(&out);
        ids.extend(json["items"].as_array().unwrap().iter().map(|row| row["id"].clone()));
        match json["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    let all: Vec<Value> = (0..305).map(|n| json!(format!("pm-{n:04}"))).collect();
    assert_eq!(ids, all);
}

#[test]
fn a_result_that_cannot_fit_is_omitted_with_exit_2() {
    let out = read(list(30), surfaces::LIST, &["--output-budget=1", "--json"]).unwrap();
    let json = value(&out);
    assert_eq!((out.exit_code, out.omitted, out.served_ids.len()), (2, true, 0));
    assert_eq!(json["output_budget_exceeded"]["recovery"], json!({"outputBudget": "unbounded"}));
    assert_eq!(json["read_output"]["within_budget"], false);
    assert_eq!(json["read_output"]["estimated_tokens"], tokens(&out));
}

#[test]
fn a_hundred_thousand_rows_are_not_made_for_a_few() {
    let made = std::cell::Cell::new(0);
    let answer = Answer::new().rows(
        "items",
        Rows::lazy(100_000, |n| {
            made.set(made.get() + 1);
            Ok(row(n))
        })
        .digest(|| "v1".into())
        .columns(["id", "status", "type", "title"]),
    );
    let out = read(answer, surfaces::LIST, &["--output-budget=4000"]).unwrap();
    assert!(tokens(&out) <= 4000 && made.get() < 2_000, "{}", made.get());
}

#[test]
fn ceilings_are_those_of_the_class() {
    assert_eq!((Budget::Read.toon(), Budget::Read.json()), (4_000, 6_000));
    assert_eq!((Budget::Discovery.toon(), Budget::Discovery.json()), (3_000, 4_500));
    let modes: usize = surfaces::ALL.iter().map(|surface| surface.modes.len()).sum();
    assert_eq!((surfaces::ALL.len(), modes), (24, 22));
}

#[test]
fn most_of_a_small_budget_is_rows() {
    let out = read(list(305), surfaces::LIST, &["--output-budget=600"]).unwrap();
    let rows = text(&out).find("\ncount").unwrap();
    assert!(rows * 100 / out.bytes.len() >= 60, "{rows} of {}\n{}", out.bytes.len(), text(&out));
}
