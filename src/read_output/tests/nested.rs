//! Walks through nested lists that the contract declares resumable: every row of every list once, whatever the budget.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::properties::{cases, decoded, without_nulls};
use super::*;
use crate::read_output::frame::shorten;

/// Checks with lists of findings, and warnings beside them, as `validate` has them.
#[derive(Clone, Debug)]
struct Report {
    checks: Vec<Value>,
    warnings: Vec<Value>,
}

impl Report {
    fn answer(&self) -> Answer<'static> {
        let rows = self.checks.iter().map(|check| check.as_object().unwrap().clone()).collect();
        Answer::new()
            .value("ok", false)
            .rows("checks", Rows::ready(rows))
            .rows("warnings", Rows::values(self.warnings.clone()))
            .value("coverage", json!({"files": [1, 2, 3]}))
    }
}

/// A finding: a word, a sentence longer than a budget leaves it, an object, one with a list in it.
fn finding() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => "[a-z]{1,12}:[a-z ,]{0,30}".prop_map(Value::from),
        1 => "[a-zé]{230,300}".prop_map(Value::from),
        2 => ("[a-z]{1,9}", 0..1_000u32).prop_map(|(code, count)| json!({"code": code, "count": count})),
        1 => ("[a-z]{1,9}", vec("[a-z]{1,20}", 0..30)).prop_map(|(code, ids)| json!({"code": code, "ids": ids})),
    ]
}

fn check() -> impl Strategy<Value = Value> {
    let lists = vec(("[a-d]", vec(finding(), 0..25), any::<bool>()), 0..4);
    (lists, "[a-z ]{0,60}").prop_map(|(lists, text)| {
        let mut check = json!({"name": "", "status": "warn", "details": {"text": text}});
        for (key, findings, deeper) in lists {
            if deeper {
                check["details"]["inner"][key] = findings.into();
            } else {
                check["details"][key] = findings.into();
            }
        }
        check
    })
}

fn report() -> impl Strategy<Value = Report> {
    (vec(check(), 1..7), vec("[a-z]{5,40}", 0..30)).prop_map(|(mut checks, warnings)| {
        for (n, check) in checks.iter_mut().enumerate() {
            check["name"] = json!(format!("check-{n}"));
        }
        Report { checks, warnings: warnings.into_iter().map(Value::from).collect() }
    })
}

/// What a walk was told, strings as a budget cuts them.
#[derive(Debug, Default, PartialEq)]
struct Told {
    names: Vec<Value>,
    warnings: Vec<Value>,
    lists: BTreeMap<String, Vec<Value>>,
}

impl Told {
    fn take(&mut self, answer: &Value) {
        for row in answer["checks"].as_array().into_iter().flatten() {
            if row.get("status").is_some() {
                self.names.push(row["name"].clone());
            }
            self.take_lists(row["name"].as_str().unwrap(), &row["details"]);
        }
        self.warnings.extend(answer["warnings"].as_array().into_iter().flatten().cloned());
    }

    fn take_lists(&mut self, path: &str, value: &Value) {
        match value {
            Value::Array(values) if !values.is_empty() => {
                let known = self.lists.entry(path.to_owned()).or_default();
                known.extend(values.iter().map(|value| {
                    let mut value = without_nulls(value);
                    shorten(&mut value);
                    value
                }));
            }
            Value::Object(map) => {
                map.iter().for_each(|(key, value)| self.take_lists(&format!("{path}.{key}"), value));
            }
            _ => {}
        }
    }

    fn rows(&self) -> usize {
        self.names.len() + self.warnings.len() + self.lists.values().map(Vec::len).sum::<usize>()
    }
}

/// Reads a report with a budget, in an encoding.
struct Reader<'r> {
    report: &'r Report,
    json: bool,
}

impl Reader<'_> {
    fn ask(&self, budget: &str, cursor: Option<&str>) -> Value {
        let mut words = vec![
            format!("--output-format={}", if self.json { "json" } else { "toon" }),
            format!("--output-budget={budget}"),
        ];
        words.extend(cursor.map(|cursor| format!("--output-cursor={cursor}")));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let out = read(self.report.answer(), surfaces::VALIDATE, &words).unwrap();
        let answer = decoded(&out, self.json);
        let receipt = &answer["read_output"];
        assert!(
            out.omitted || budget.parse().is_ok_and(|most| tokens(&out) <= most),
            "{} {answer}",
            tokens(&out)
        );
        if !receipt.is_null() {
            assert_eq!(receipt["estimated_tokens"].as_f64(), Some(tokens(&out) as f64));
            assert_eq!(receipt["within_budget"].as_bool(), Some(!out.omitted));
        }
        answer
    }

    /// A page, with as much room as the answer itself says that it needs.
    fn page(&self, budget: u64, cursor: Option<&str>) -> Value {
        let mut answer = self.ask(&budget.to_string(), cursor);
        if let Some(needed) = answer["read_output"]["omitted_result_estimated_tokens"].as_f64() {
            assert!(needed > budget as f64);
            answer = self.ask(&needed.to_string(), cursor);
            assert!(
                answer.get("output_budget_exceeded").is_none(),
                "{needed} instead of {budget} is too little"
            );
        }
        if let Some(more) = recovery(&answer) {
            assert!(more > budget && more.is_multiple_of(100), "{more} after {budget}");
            answer = self.ask(&more.to_string(), cursor);
            assert_eq!(recovery(&answer), None, "{more} instead of {budget}: {answer}");
        }
        answer
    }
}

/// The budget with which the same page holds what was cut inside its rows.
fn recovery(answer: &Value) -> Option<u64> {
    let disclosure = &answer["output_budget_truncation"];
    disclosure["compacted_row_paths"].as_array()?;
    let place = match disclosure["continuations"].as_array() {
        Some(_) => &disclosure["nested_recovery"],
        None => &disclosure["recovery"],
    };
    place["sdk"]["outputBudget"].as_f64().map(|budget| budget as u64)
}

fn continuations(answer: &Value) -> Vec<(String, String)> {
    let entries = answer["output_budget_truncation"]["continuations"].as_array();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    entries.into_iter().flatten().map(|entry| (text(&entry["path"]), text(&entry["cursor"]))).collect()
}

/// A list without holes, and the end of what was told of it.
fn is_end_of(whole: &[Value], told: usize, rest: &[Value]) -> bool {
    whole.len() == told + rest.len() && whole[told..] == *rest
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases() / 2, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whoever only follows `next_cursor` is told every check, every finding and every warning once, in order.
    #[test]
    fn the_next_cursor_leads_through_nested_lists(report in report(), budget in 150u64..3_000, json: bool) {
        let reader = Reader { report: &report, json };
        let (mut told, mut cursor): (Told, Option<String>) = Default::default();
        for page in 0.. {
            prop_assert!(page < 3_000, "no end");
            let answer = reader.page(budget, cursor.as_deref());
            let before = told.rows();
            told.take(&answer);
            prop_assert!(told.rows() > before, "an empty page: {answer}");
            prop_assert_eq!(answer["next_cursor"].is_string(), answer["has_more"] == json!(true));
            prop_assert_eq!(answer.get("ok").is_some(), page == 0, "what is no row is told once");
            match answer["next_cursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => break,
            }
        }
        let mut whole = Told::default();
        whole.take(&json!({"checks": report.checks, "warnings": report.warnings}));
        prop_assert_eq!(told, whole);
    }

    /// Each nested list that was cut is told to its end by its own cursors.
    #[test]
    fn every_nested_list_goes_on_by_itself(report in report(), budget in 300u64..3_000, json: bool) {
        let reader = Reader { report: &report, json };
        let first = reader.page(budget, None);
        let (mut told, mut whole) = (Told::default(), Told::default());
        told.take(&first);
        whole.take(&json!({"checks": report.checks, "warnings": report.warnings}));
        for (path, cursor) in continuations(&first).into_iter().filter(|(path, _)| path.contains(".details.")) {
            let (mut rest, mut cursor, mut own) = (Vec::new(), Some(cursor), path.clone());
            let row: usize = path.split('.').nth(1).unwrap().parse().unwrap();
            for page in 0.. {
                prop_assert!(page < 500, "no end");
                let Some(from) = cursor.take() else { break };
                let answer = reader.page(budget, Some(&from));
                // It is the first row of its page.
                own = format!("checks.0.{}", path.splitn(3, '.').nth(2).unwrap());
                let mut page = Told::default();
                page.take(&json!({"checks": [answer["checks"][0]]}));
                prop_assert_eq!(page.lists.len(), 1, "{}", answer);
                prop_assert_eq!(&answer["checks"][0]["name"], &report.checks[row]["name"]);
                rest.extend(page.lists.into_values().next().unwrap());
                cursor = continuations(&answer).into_iter().find(|(path, _)| *path == own).map(|(_, next)| next);
            }
            let name = format!("check-{row}.{}", path.splitn(4, '.').nth(3).unwrap());
            prop_assert!(is_end_of(&whole.lists[&name], told.lists[&name].len(), &rest), "{path}: {own}");
        }
    }

    /// While an answer is cut, more room never shows fewer checks.
    #[test]
    fn more_room_loses_no_check(report in report(), budget in 150u64..3_000, more in 1u64..600, json: bool) {
        let reader = Reader { report: &report, json };
        let shown = |budget: u64| {
            let answer = reader.ask(&budget.to_string(), None);
            let cut = answer.get("output_budget_truncation").is_some();
            cut.then(|| answer["checks"].as_array().map_or(0, Vec::len))
        };
        if let (Some(less), Some(more)) = (shown(budget), shown(budget + more)) {
            prop_assert!(less <= more, "{less} then {more}");
        }
    }
}

/// A page of nested lists says nothing but their rows' names, and what comes next.
#[test]
fn a_page_of_a_nested_list_is_the_list_and_the_name_of_its_row() {
    let findings = |key: &str| (0..90).map(|n| json!(format!("{key}-{n}"))).collect::<Vec<_>>();
    let check = |n: usize| {
        json!({"name": format!("check-{n}"), "status": "warn", "text": "x".repeat(200),
            "details": {"rows": findings("row"), "hints": findings("hint")}})
    };
    let report = Report { checks: (0..4).map(check).collect(), warnings: vec![json!("w")] };
    let reader = Reader { report: &report, json: true };
    let first = reader.ask("1500", None);
    let entries = continuations(&first);
    assert_eq!(entries.len(), 8);
    assert_eq!(first["next_cursor"], json!(entries[0].1));
    let page = reader.ask("1500", Some(&entries[5].1));
    let keys: Vec<&String> = page.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["checks", "warnings", "read_output"]);
    let told = first["checks"][2]["details"]["hints"].as_array().unwrap().len();
    let rest = findings("hint")[told..].to_vec();
    assert_eq!(page["checks"], json!([{"name": "check-2", "details": {"hints": rest}}]));
    // The next one goes on with the others as well.
    let page = reader.ask("4000", Some(&entries[0].1));
    let rows = page["checks"].as_array().unwrap();
    let list = |n: usize| rows[n]["details"].as_object().unwrap().keys().next().unwrap().clone();
    assert_eq!(
        (rows.len() > 3, list(0), list(1), list(2)),
        (true, "rows".into(), "hints".into(), "rows".into())
    );
    assert!(first["next_cursor"].as_str().unwrap().len() < 60, "{}", first["next_cursor"]);
}
