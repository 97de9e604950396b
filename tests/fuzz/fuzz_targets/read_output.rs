//! Any text in any control: an answer within its budget or a refusal with a code, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pm::answer::{Answer, Row, Rows};
use pm::contract::{Contract, surfaces};
use pm::read_output::{Environment, OutputArgs, Typed, deliver, resolve};
use serde_json::json;

fuzz_target!(|controls: (u8, String, String, String, String, String)| {
    let (bits, include, number, session, cursor, after) = controls;
    let given = |bit: u8, text: String| (bits & (1 << bit) != 0).then_some(text);
    let args = OutputArgs {
        include: given(0, include),
        limit: given(1, number.clone()),
        budget: given(2, number),
        session: given(3, session),
        cursor: given(4, cursor),
        row_contract: bits & (1 << 5) != 0,
        json: bits & (1 << 6) != 0,
        typed: given(7, after)
            .map(|value| Typed { flag: "--after".into(), value: Some(value) })
            .into_iter()
            .collect(),
        ..OutputArgs::default()
    };
    let contract = Contract { read_output: Some(surfaces::LIST), ..Contract::BASE };
    let Ok(controls) = resolve(&contract, &args) else { return };
    let row = |n: usize| {
        Ok(Row::from_iter([
            ("id".to_owned(), json!(format!("pm-{n}"))),
            ("title".to_owned(), json!("x".repeat(n))),
        ]))
    };
    let answer = Answer::new().rows("items", Rows::lazy(300, row)).question(json!({}));
    let Ok(out) = deliver(answer, &controls, &Environment::default()) else { return };
    if let (Some(budget), false) = (controls.ceiling.tokens, out.omitted) {
        assert!((out.bytes.len() as u64).div_ceil(4) <= budget);
    }
});
