//! `pm eval`.

use serde_json::json;

use crate::sandbox::Sandbox;

fn tracker() -> Sandbox {
    let pm = Sandbox::with_items(&[
        ("pm-a", "title: Lock contention on start"),
        ("pm-b", "title: Colours of the footer"),
        ("pm-c", "title: Footer links\ndescription: colours differ"),
    ]);
    pm.write(
        ".agents/pm/search/eval-queries.json",
        r#"[{"query": "lock contention", "relevant_ids": ["PM-A"]}, {"query": "footer", "relevance": {"pm-b": 1, "pm-x": 1}}]"#,
    );
    pm
}

#[test]
fn marks_are_given_for_each_question_and_for_all() {
    let pm = tracker();
    let answer = pm.json(&["eval"]);
    assert_eq!(
        answer["queries"][0],
        json!({"query": "lock contention", "relevant": 1, "retrieved": 1, "missed": "",
        "ndcg": 1, "mrr": 1, "precision": 0.1, "recall": 1})
    );
    assert_eq!(
        (&answer["queries"][1]["missed"], &answer["queries"][1]["recall"]),
        (&json!("pm-x"), &json!(0.5))
    );
    assert_eq!((&answer["k"], &answer["aggregate"]["recall"]), (&json!(10), &json!(0.75)));
    let failed = pm.pm(&["eval", "--fail-under", "0.99", "--json"]).expect(1).json();
    assert_eq!((&failed["passed"], &failed["fail_under"]), (&json!(false), &json!(0.99)));
    let _ = pm.pm(&["eval", "--fail-under", "0.1"]).expect(0);
    let semantic = pm.json(&["eval", "--mode", "semantic", "--k", "1"]);
    assert!(semantic["warnings"][0].as_str().unwrap().starts_with("search_semantic_fallback:"));
}

#[test]
fn without_questions_it_says_what_they_look_like() {
    let pm = tracker();
    let error = pm.refused(&["eval", "--queries", "none.json"], 3, "eval_queries_missing");
    assert!(error["recovery"]["example"][0]["query"].is_string(), "{error}");
    pm.write("bad.json", "[{\"query\": \"\"}]");
    pm.refused(&["eval", "--queries", "bad.json"], 2, "eval_queries_invalid");
    for argv in [&["eval", "--k", "0"][..], &["eval", "--fail-under", "1.5"], &["eval", "--mode", "magic"]] {
        pm.refused(argv, 2, "invalid_argument_value");
    }
}
