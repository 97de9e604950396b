//! The floor, the tiers, their caps, and what is refused.

use serde_json::json;

use super::*;

#[test]
fn d_01_the_floor_of_a_catalog() {
    let answer = ok(&corpus(), &["catalog"]);
    assert_eq!((&answer["total"], &answer["limit"], &answer["offset"]), (&json!(8), &json!(25), &json!(0)));
    for row in answer["data"].as_array().unwrap() {
        assert_eq!(keys(row), ["uri", "title", "position"]);
    }
}

#[test]
fn d_02_nothing_but_the_floor_when_asked_for_none() {
    let pm = corpus();
    for (name, words) in FIVE {
        let answer = ok(&pm, &[words, &["--disclosure", "none"]].concat());
        assert_eq!(answer["disclosure_applied"], json!([]), "{name}");
        let native = MANY.iter().find(|(own, _)| *own == name).map_or(&[][..], |(_, native)| native);
        let row = answer["data"].get(0).unwrap_or(&answer["data"]);
        assert_eq!(keys(row), [&["uri", "title"], native].concat(), "{name}");
    }
}

#[test]
fn d_03_d_04_one_document_comes_with_its_body() {
    let pm = corpus();
    for verb in ["get", "resolve"] {
        let answer = ok(&pm, &[verb, "k://canon/gate"]);
        assert_eq!(answer["disclosure_applied"], json!(["body"]));
        assert_eq!(answer["data"]["body"], GATE.split_once("\n---\n").unwrap().1);
    }
}

#[test]
fn d_05_schemas_declare_what_holds_in_silence() {
    let pm = corpus();
    for action in &pm::kb::actions::ACTIONS {
        let schema = pm::kb::schema::input_schema(action);
        let answer = ok(&pm, &words(action.name));
        let default = |name: &str| schema["properties"][name]["default"].clone();
        assert_eq!(default("disclosure"), answer["disclosure_applied"], "{}", action.name);
        if action.many {
            assert_eq!(default("include"), answer["filters_applied"]["include"], "{}", action.name);
            assert_eq!(
                (default("limit"), default("offset")),
                (answer["limit"].clone(), answer["offset"].clone())
            );
        }
    }
}

#[test]
fn d_06_several_tiers_are_united_in_one_order() {
    let pm = corpus();
    for given in ["blockquote,metadata", "metadata,blockquote", "metadata,blockquote,metadata"] {
        let answer = ok(&pm, &["catalog", "--disclosure", given]);
        assert_eq!(answer["disclosure_applied"], json!(["blockquote", "metadata"]));
        for row in answer["data"].as_array().unwrap() {
            assert_eq!(keys(row), ["uri", "title", "position", "blockquote", "metadata"]);
        }
    }
}

#[test]
fn d_07_d_08_d_09_the_most_restrictive_cap_holds_on_the_request() {
    for pm in [corpus(), repository(&[("docs/one.md", "# One\n")])] {
        for (name, _) in MANY {
            for (flags, cap, limiting) in [
                ("none", 500, "none"),
                ("blockquote", 200, "blockquote"),
                ("metadata", 100, "metadata"),
                ("summary", 25, "summary"),
                ("blockquote,summary", 25, "summary"),
                ("blockquote,metadata", 100, "metadata"),
            ] {
                let (at, over) = (cap.to_string(), (cap + 1).to_string());
                let words = words(name);
                assert_eq!(
                    ok(&pm, &[&words, &["--disclosure", flags, "--limit", &at][..]].concat())["limit"],
                    cap
                );
                let call = [&words, &["--disclosure", flags, "--limit", &over][..]].concat();
                let answer = refused(&pm, &call, 2, "LIMIT_EXCEEDS_FLAG_CAP");
                assert_eq!(
                    (
                        &answer["max_limit_for_active_flags"],
                        &answer["limiting_flag"],
                        &answer["requested_limit"]
                    ),
                    (&json!(cap), &json!(limiting), &json!(cap + 1))
                );
            }
        }
    }
}

#[test]
fn d_10_the_limit_error_word_for_word() {
    let pm = corpus();
    let answer =
        refused(&pm, &["catalog", "--disclosure", "summary", "--limit", "100"], 2, "LIMIT_EXCEEDS_FLAG_CAP");
    let expected = json!({
        "status": "ERROR", "error_code": "LIMIT_EXCEEDS_FLAG_CAP",
        "error_message": "limit 100 exceeds the maximum 25 for disclosure flag 'summary'. Paginate with offset, or remove the 'summary' flag.",
        "max_limit_for_active_flags": 25, "limiting_flag": "summary", "requested_limit": 100,
    });
    assert_eq!(answer.to_string(), expected.to_string());
    let floor = refused(&pm, &["catalog", "--limit", "600"], 2, "LIMIT_EXCEEDS_FLAG_CAP");
    assert_eq!(
        floor["error_message"],
        "limit 600 exceeds the maximum 500 for the base shape. Paginate with offset."
    );
}

#[test]
fn d_11_no_body_from_actions_of_many() {
    let pm = corpus();
    for (name, _) in MANY {
        let call = [&words(name), &["--disclosure", "body"][..]].concat();
        let answer = refused(&pm, &call, 2, "DISCLOSURE_FLAG_NOT_PERMITTED");
        let expected = json!({
            "status": "ERROR", "error_code": "DISCLOSURE_FLAG_NOT_PERMITTED",
            "error_message": format!("disclosure flag 'body' is not permitted on action '{name}'. Use pm kb get with a URI for full-body retrieval. Permitted flags on {name}: blockquote, metadata, summary."),
            "requested_flag": "body", "permitted_flags": ["blockquote", "metadata", "summary"], "action": name,
        });
        assert_eq!(answer.to_string(), expected.to_string());
    }
}

#[test]
fn d_12_a_word_that_is_no_tier() {
    let pm = corpus();
    for (name, words) in FIVE {
        let answer = refused(
            &pm,
            &[words, &["--disclosure", "abstract"]].concat(),
            2,
            "DISCLOSURE_FLAG_NOT_PERMITTED",
        );
        assert_eq!((&answer["requested_flag"], &answer["action"]), (&json!("abstract"), &json!(name)));
        let count = if ["get", "resolve"].contains(&name) { 4 } else { 3 };
        assert_eq!(answer["permitted_flags"].as_array().unwrap().len(), count);
    }
}

#[test]
fn d_13_the_order_of_errors() {
    let pm = corpus();
    refused(
        &pm,
        &["search", "x", "--disclosure", "body,summary", "--limit", "900"],
        2,
        "DISCLOSURE_FLAG_NOT_PERMITTED",
    );
    refused(&pm, &["catalog", "--kind", "canon", "--disclosure", "body"], 2, "UNKNOWN_PARAMETER");
    refused(&pm, &["catalog", "--limit", "0", "--disclosure", "body"], 2, "INVALID_PARAMETER");
    refused(&pm, &["catalog", "--limit", "501", "--tier", "9"], 2, "LIMIT_EXCEEDS_FLAG_CAP");
    refused(&pm, &["catalog", "--tier", "9", "--rev", "nosuch"], 2, "FILTER_VALUE_NOT_PERMITTED");
    refused(&pm, &["get", "k://no", "--rev", "nosuch"], 3, "REVISION_NOT_FOUND");
}

#[test]
fn d_14_d_40_no_body_and_a_closed_list_of_keys() {
    let pm = corpus();
    let long = "the gate of retrieval stands open at night and ".repeat(200);
    pm.write("docs/long.md", format!("# Long\n\n{long}\n"));
    let known = [
        "status",
        "action",
        "data",
        "total",
        "limit",
        "offset",
        "disclosure_applied",
        "filters_applied",
        "sort_applied",
        "next_offset",
        "corpus",
        "matched_by",
        "resolution",
        "warnings",
    ];
    for flags in ["none", "blockquote", "metadata", "summary", "blockquote,metadata,summary"] {
        for (name, words) in FIVE {
            let answer = ok(&pm, &[words, &["--disclosure", flags]].concat());
            assert!(keys(&answer).iter().all(|key| known.contains(key)), "{name}: {:?}", keys(&answer));
            assert!(!answer.to_string().contains(&long[..400]), "{name} {flags}");
        }
    }
    let answer = ok(&pm, &["catalog", "--limit", "1", "--tier", "1,2", "--sort", "title"]);
    let order = [
        "status",
        "action",
        "data",
        "total",
        "limit",
        "offset",
        "disclosure_applied",
        "filters_applied",
        "sort_applied",
        "next_offset",
        "corpus",
    ];
    assert_eq!(keys(&answer), order);
}

#[test]
fn d_15_d_16_a_hit_says_why_and_that_is_not_the_teaser() {
    let pm = corpus();
    let bare = ok(&pm, &["search", "gate", "--disclosure", "none"]);
    let with = ok(&pm, &["search", "gate", "--disclosure", "blockquote"]);
    for (a, b) in bare["data"].as_array().unwrap().iter().zip(with["data"].as_array().unwrap()) {
        let snippet = a["snippet"].as_str().unwrap();
        assert!(a["score"].as_f64().unwrap() > 0.0);
        assert!(
            !snippet.is_empty() && snippet.chars().count() <= 240 && !snippet.contains('\n'),
            "{snippet}"
        );
        assert_eq!((&a["snippet"], &a["score"]), (&b["snippet"], &b["score"]));
        assert_ne!(b["snippet"], b["blockquote"]);
    }
}

#[test]
fn d_49_d_50_d_51_what_the_parser_takes_for_a_tier() {
    let pm = corpus();
    let row =
        ok(&pm, &["get", "k://canon/gate", "--disclosure", "blockquote,metadata,summary"])["data"].clone();
    assert_eq!(row["title"], "The gate");
    assert_eq!(row["blockquote"], "First line second line.");
    assert_eq!(row["summary"], "Short gate.\n\n### Deeper\n\n```\n## Not a heading\n```");
    assert_eq!((&row["metadata"]["date"], &row["metadata"]["epoch"]), (&json!("2026-02-09"), &json!(7)));
    pm.write("docs/bad.md", "---\ntitle: [\n---\n# Bad keeps its heading\n");
    pm.write("docs/crlf.md", "\u{feff}---\r\ntitle: C\r\n---\r\n# C\r\n\r\n> Q\r\n");
    let mut bomb = String::from("---\na0: &a0 [x, x, x, x, x, x, x, x]\n");
    for n in 1..40 {
        bomb += &format!("a{n}: &a{n} [*a{p}, *a{p}, *a{p}, *a{p}, *a{p}]\n", p = n - 1);
    }
    pm.write("docs/bomb.md", bomb + "---\n# Bomb\n");
    let get = |path: &str| {
        ok(&pm, &["get", path, "--disclosure", "blockquote,metadata,summary,body"])["data"].clone()
    };
    let bad = get("docs/bad.md");
    assert_eq!((&bad["title"], &bad["metadata"]), (&json!("Bad keeps its heading"), &json!({})));
    assert_eq!(
        (&get("docs/bomb.md")["title"], &get("docs/bomb.md")["metadata"]),
        (&json!("Bomb"), &json!({}))
    );
    let crlf = get("docs/crlf.md");
    assert_eq!(
        (&crlf["blockquote"], &crlf["summary"], &crlf["body"]),
        (&json!("Q"), &json!(null), &json!("# C\n\n> Q\n"))
    );
    assert_eq!(uris(&ok(&pm, &["search", "日本語"])), ["kb://writings/essay"]);
    let section = ok(&pm, &["get", "k://canon/gate", "--section", "next section"]);
    assert_eq!(section["data"]["body"], "## Next section\n\nThe gate stands open at night.\n");
    let none = refused(&pm, &["get", "k://canon/gate", "--section", "No such"], 3, "SECTION_NOT_FOUND");
    assert!(!none["available_sections"].to_string().contains("Not a heading"));
}
