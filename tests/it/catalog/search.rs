//! Search: one function, the same answers everywhere (B-33 to B-46).

use pm::catalog::search::{Kind, Query, ranked};
use pm::catalog::served::SearchEntry;
use serde_json::{Value, json};

/// Entries, queries with their hits, queries that are refused; worked out by neither of the implementations.
fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/catalog/search-vectors.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn given(case: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    case["query"].as_array().unwrap().iter().map(|pair| (text(&pair[0]), text(&pair[1]))).collect()
}

#[test]
fn b46_rust_answers_the_shared_vectors() {
    let vectors = vectors();
    let entries: Vec<SearchEntry> = serde_json::from_value(vectors["entries"].clone()).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    assert!(cases.len() >= 90);
    for case in cases {
        let query = Query::read(&given(case)).unwrap();
        let hits = ranked(&entries, &query, case["today"].as_str().unwrap().parse().unwrap());
        let shown: Value = hits
            .iter()
            .map(|hit| {
                let kind = if hit.kind == Kind::Topic { "topic" } else { "runbook" };
                let variants: Value =
                    hit.variants.iter().map(|one| json!([one.entry.id, one.score, one.level])).collect();
                json!([kind, hit.name, hit.score(), variants, hit.variants_total])
            })
            .collect();
        assert_eq!(shown, case["hits"], "{}", case["query"]);
    }
    for case in vectors["refused"].as_array().unwrap() {
        let error = Query::read(&given(case)).unwrap_err().answer().unwrap();
        assert_eq!(error["error_code"], "PARAMETER_REFUSED");
        assert_eq!(error["parameter"], case["parameter"], "{error}");
    }
}
