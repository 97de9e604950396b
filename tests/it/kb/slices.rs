//! Kinds, filters, pages.

use serde_json::json;

use super::*;

fn total(pm: &Sandbox, words: &[&str]) -> u64 {
    ok(pm, &[&["catalog", "--limit", "1"], words].concat())["total"].as_u64().unwrap()
}

#[test]
fn d_17_a_filter_moves_no_score() {
    let pm = corpus();
    let (all, some) = (ok(&pm, &["search", "gate"]), ok(&pm, &["search", "gate", "--tier", "1"]));
    assert!(all["total"].as_u64() > some["total"].as_u64());
    let row = &some["data"][0];
    assert!(all["data"].as_array().unwrap().contains(row), "{row}");
}

#[test]
fn d_18_d_19_pages_meet_and_repeat_nothing() {
    let pm = corpus();
    let all = uris(&ok(&pm, &["catalog", "--limit", "500"]));
    for size in ["1", "3", "7"] {
        let (mut seen, mut offset) = (Vec::new(), 0);
        loop {
            let at = offset.to_string();
            let page = ok(&pm, &["catalog", "--limit", size, "--offset", &at]);
            assert_eq!(page["data"][0]["position"], offset + 1);
            seen.extend(uris(&page));
            match page["next_offset"].as_u64() {
                Some(next) => offset = next,
                None => break,
            }
        }
        assert_eq!(seen, all, "{size}");
    }
    let beyond = ok(&pm, &["catalog", "--offset", "8"]);
    assert_eq!((&beyond["data"], &beyond["total"], &beyond["offset"]), (&json!([]), &json!(8), &json!(8)));
    assert!(beyond.get("next_offset").is_none());
}

#[test]
fn d_20_to_d_25_structural_filters() {
    let pm = corpus();
    let public = ok(&pm, &["catalog", "--exposure", "public"]);
    assert_eq!(public["total"], 2);
    assert_eq!(
        public["filters_applied"],
        json!({"include": ["canon", "docs", "essays"], "exposure": ["public"]})
    );
    assert_eq!(total(&pm, &["--tier", "1"]), 1);
    assert_eq!(total(&pm, &["--tier", "1,2", "--audience", "canon"]), 2);
    assert_eq!((total(&pm, &["--public", "true"]), total(&pm, &["--public", "false"])), (1, 0));
    assert_eq!(total(&pm, &["--start-here", "true"]), 1);
    assert_eq!(total(&pm, &["--path-prefix", "writings/"]), 1);
    for path in ["/writings", "../x"] {
        refused(&pm, &["catalog", "--path-prefix", path], 2, "INVALID_PARAMETER");
    }
    let wrong = refused(&pm, &["catalog", "--tier", "0"], 2, "FILTER_VALUE_NOT_PERMITTED");
    assert_eq!(
        (&wrong["parameter"], &wrong["value"], &wrong["permitted"]),
        (&json!("tier"), &json!(0), &json!([1, 2, 3, 4]))
    );
    pm.write(".agents/pm/settings.json", r#"{"kb": {"vocab": {"tier": [0]}}}"#);
    assert_eq!(total(&pm, &["--tier", "0"]), 0);
}

#[test]
fn d_26_to_d_31_kinds() {
    let pm = corpus();
    let default = ok(&pm, &["catalog"]);
    assert_eq!(default["filters_applied"], json!({"include": ["canon", "docs", "essays"]}));
    let (slice, journals) = (uris(&default), uris(&ok(&pm, &["catalog", "--include", "journals"])));
    assert_eq!(journals, ["kb://docs/declared", "kb://odd/ledger"]);
    assert!(
        slice.contains(&"kb://odd/handoffs/one".to_owned())
            && !slice.contains(&"kb://docs/declared".to_owned())
    );
    assert_eq!(total(&pm, &["--include", "journals", "--path-prefix", "odd/"]), 1);
    assert_eq!(uris(&ok(&pm, &["catalog", "--include", "canon,journals", "--exclude", "canon"])), journals);
    let without = ok(&pm, &["catalog", "--exclude", "docs"]);
    assert_eq!(uris(&without), uris(&ok(&pm, &["catalog", "--include", "canon,essays"])));
    assert_eq!(without["filters_applied"]["exclude"], json!(["docs"]));
    assert_eq!(uris(&ok(&pm, &["catalog", "--include", "apocrypha"])), ["kb://apocrypha/old"]);
}

#[test]
fn d_32_d_33_d_34_the_enumeration_is_closed_and_the_map_is_not() {
    let pm = corpus();
    pm.write("canon/invalid.md", "---\nkind: Canon\n---\n# Invalid\n");
    assert!(uris(&ok(&pm, &["catalog", "--include", "canon"])).contains(&"kb://canon/invalid".to_owned()));
    let lint = kb(&pm, &["lint"]).expect(1).json();
    assert!(lint["findings"].as_array().unwrap().iter().any(|finding| {
        (&finding["path"], &finding["line"], &finding["code"])
            == (&json!("canon/invalid.md"), &json!(2), &json!("invalid_kind"))
    }));
    let wrong = refused(&pm, &["catalog", "--include", "runbooks"], 2, "FILTER_VALUE_NOT_PERMITTED");
    assert_eq!(wrong["permitted"], json!(["canon", "docs", "journals", "essays", "apocrypha"]));
    pm.write(".agents/pm/settings.json", r#"{"kb": {"kind_map": {"notes/": "essays"}}}"#);
    assert_eq!(total(&pm, &["--include", "essays"]), 2);
    assert!(kb(&pm, &["kinds"]).expect(0).stdout.contains("notes/"));
    pm.write(".agents/pm/settings.json", r#"{"kb": {"kind_map": {"x/": "runbooks"}}}"#);
    for words in FIVE.iter().map(|(_, words)| *words).chain([&["kinds"][..], &["lint"], &["cost"]]) {
        refused(&pm, words, 2, "KB_CONFIG_INVALID_KIND");
    }
}

#[test]
fn d_35_to_d_38_what_is_no_filter_and_what_takes_none() {
    let pm = corpus();
    refused(&pm, &["catalog", "--tags", "law"], 2, "TAGS_NEED_STRUCTURAL_FILTER");
    assert_eq!(total(&pm, &["--tags", "law", "--audience", "canon"]), 1);
    assert_eq!(total(&pm, &["--tags", "law", "--include", "canon,docs"]), 2);
    for flag in ["--category", "--tag", "--kind"] {
        let answer = refused(&pm, &["search", "x", flag, "x"], 2, "UNKNOWN_PARAMETER");
        assert!(answer["error_message"].as_str().unwrap().contains("--include"), "{answer}");
    }
    for verb in ["get", "resolve"] {
        let answer = refused(&pm, &[verb, "k://canon/gate", "--audience", "canon"], 2, "FILTER_NOT_ACCEPTED");
        assert_eq!((&answer["parameter"], &answer["action"]), (&json!("audience"), &json!(verb)));
        assert_eq!(refused(&pm, &[verb, "a", "b"], 2, "MULTIPLE_URIS_NOT_PERMITTED")["count"], 2);
        let piped = pm.pm_with(&["kb", verb, "--json"], "k://canon/gate\n").expect(2).json();
        assert_eq!(piped["error_code"], "INVALID_PARAMETER");
    }
}

#[test]
fn d_58_preflight_ranks_and_never_forgets_what_done_means() {
    let pm = corpus();
    let answer = ok(&pm, &["preflight", "add a retrieval action"]);
    let rows = answer["data"].as_array().unwrap();
    assert_eq!(
        (&rows[0]["uri"], &rows[0]["role"]),
        (&json!("kb://canon/constraints/no-bodies"), &json!("constraint"))
    );
    let last = rows.last().unwrap();
    assert_eq!(
        (&last["uri"], &last["role"], &last["score"]),
        (&json!("kb://canon/definition-of-done"), &json!("definition_of_done"), &json!(0))
    );
    let nothing = ok(&pm, &["preflight", "zzqqxv"]);
    assert_eq!(
        (&nothing["total"], uris(&nothing)),
        (&json!(1), vec!["kb://canon/definition-of-done".to_owned()])
    );
}
