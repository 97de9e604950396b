//! What is tried with any text in any control: a right answer, or a refusal with a code; never a panic.
//!
//! The libFuzzer target and a test of the ordinary suite share it, so that it is run wherever the tests are.

use pm::answer::{Answer, Row, Rows};
use pm::codec::toon;
use pm::contract::{Contract, ReadOutput, surfaces};
use pm::read_output::{Controls, Delivered, Environment, OutputArgs, Session, Typed, deliver, resolve};
use serde_json::{Value, json};

/// Which controls are given, which surface is read, and the texts: include, number, session, cursor, `--after`.
pub(crate) type Input = (u8, u8, String, String, String, String, String);

/// Reads a surface with these controls and checks what comes back.
pub(crate) fn try_controls(input: Input) {
    let (bits, which, include, number, session, cursor, after) = input;
    let given = |bit: u8, text: String| (bits & (1 << bit) != 0).then_some(text);
    let (surface, _) = asked(which);
    let pages = surface.aliases.iter().any(|alias| alias.flag == "--after");
    let args = OutputArgs {
        include: given(0, include),
        limit: given(1, number.clone()),
        budget: given(2, number),
        session: given(3, session),
        cursor: given(4, cursor),
        row_contract: bits & (1 << 5) != 0,
        json: bits & (1 << 6) != 0,
        typed: given(7, after)
            .filter(|_| pages)
            .map(|value| Typed { flag: "--after".into(), value: Some(value) })
            .into_iter()
            .collect(),
        ..OutputArgs::default()
    };
    let Some((controls, out)) = read(which, &args) else { return };
    let answer = check(&controls, &out, args.json);
    // Where an answer goes on, the same call goes on.
    if let Some(next) = answer["next_cursor"].as_str() {
        let again = OutputArgs { cursor: Some(next.to_owned()), typed: Vec::new(), ..args.clone() };
        let (controls, out) = read(which, &again).expect("a cursor that was handed out is taken");
        check(&controls, &out, args.json);
    }
}

fn read(which: u8, args: &OutputArgs) -> Option<(Controls, Delivered)> {
    let (surface, answer) = asked(which);
    let contract = Contract { read_output: Some(surface), ..Contract::BASE };
    let controls = resolve(&contract, args).ok()?;
    let out = deliver(answer, &controls, &Environment::default()).ok()?;
    Some((controls, out))
}

/// What an answer says of itself is true; gives the answer.
fn check(controls: &Controls, out: &Delivered, is_json: bool) -> Value {
    let text = std::str::from_utf8(&out.bytes).expect("an answer is text");
    let answer: Value = match is_json {
        true => serde_json::from_str(text).expect("it is JSON"),
        false => toon::decode(text).expect("it is TOON"),
    };
    let cost = (out.bytes.len() as u64).div_ceil(4);
    if !answer["read_output"].is_null() {
        assert_eq!(answer["read_output"]["estimated_tokens"].as_f64(), Some(cost as f64));
        assert_eq!(answer["read_output"]["within_budget"].as_bool(), Some(!out.omitted));
    }
    let asked = controls.ceiling.tokens.filter(|_| !controls.canonical_used.is_empty());
    if let (Some(budget), false) = (asked, out.omitted) {
        let carried = answer["read_session"]["carried_state_tokens"].as_f64().unwrap_or_default() as u64;
        assert!(cost <= budget + carried, "{cost} of {budget}");
    }
    if is_json && let Some(state) = answer["read_session"].get("next_state") {
        Session::parse(&state.to_string()).expect("what a session hands on is taken");
    }
    answer
}

/// A surface and an answer of it: one table; several; rows that hold lists, with and without cursors of their own; a
/// record; a log.
fn asked(which: u8) -> (ReadOutput, Answer<'static>) {
    let item = |n: usize| {
        let row = [
            ("id", json!(format!("pm-{n}"))),
            ("title", json!("x".repeat(n))),
            ("status", json!("open")),
            ("type", json!("Task")),
        ];
        Row::from_iter(row.map(|(key, value)| (key.to_owned(), value)))
    };
    let holds = move |n: usize| {
        let mut row = item(n % 40);
        row.insert("name".to_owned(), json!(format!("check-{n}")));
        row.insert("details".to_owned(), json!({"rows": (0..n % 90).collect::<Vec<_>>(), "count": n}));
        row
    };
    let rows = move |total: usize| Rows::lazy(total, move |n| Ok(item(n)));
    match which % 6 {
        0 => (surfaces::LIST, Answer::new().rows("items", rows(300)).question(json!({}))),
        1 => (surfaces::SEARCH, Answer::new().rows("items", rows(90).limited(Some(20))).question(json!({}))),
        2 => {
            let answer = Answer::new().record("recommended", Value::Object(item(7)));
            (
                surfaces::NEXT,
                answer
                    .rows("ready", rows(40).limited(Some(9)))
                    .rows("blocked", rows(25))
                    .value("summary", json!({"ready": 41})),
            )
        }
        3 => (
            surfaces::VALIDATE,
            Answer::new().rows("checks", Rows::lazy(60, move |n| Ok(holds(n)))).rows("warnings", rows(9)),
        ),
        4 => (
            surfaces::GRAPH,
            Answer::new()
                .rows("communities", Rows::lazy(60, move |n| Ok(holds(n))))
                .value("notes", vec!["note"; 70]),
        ),
        _ => (surfaces::HISTORY, Answer::new().rows("history", rows(120).newest_last())),
    }
}

/// The cursors of an answer that a budget or a limit cut.
#[allow(dead_code, reason = "libFuzzer has a corpus of its own")]
pub(crate) fn cursors(which: u8, number: &str, limit: bool) -> Vec<String> {
    let number = Some(number.to_owned());
    let (limit, budget) = if limit { (number, None) } else { (None, number) };
    let args = OutputArgs { limit, budget, json: true, ..OutputArgs::default() };
    let Some((controls, out)) = read(which, &args) else { return Vec::new() };
    let answer = check(&controls, &out, true);
    let lists = [&answer["output_budget_truncation"]["continuations"], &answer["continuations"]];
    let entries = lists.into_iter().flat_map(|list| list.as_array().into_iter().flatten());
    let cursors = entries.map(|entry| &entry["cursor"]).chain([&answer["next_cursor"]]);
    cursors.filter_map(|cursor| cursor.as_str().map(str::to_owned)).collect()
}
