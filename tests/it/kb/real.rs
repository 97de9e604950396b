//! The statements that count real documents, on the corpora beside the repository; without them these tests say so
//! and pass.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::*;
use crate::corpus::{copy, skipped};

/// A committed copy of the real documents, with the synthetic ones or without.
fn real(synthetic: bool) -> Option<Sandbox> {
    let data: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/kb");
    if !data.join("klappy").is_dir() {
        skipped("../shared/data/kb");
        return None;
    }
    let sandbox = Sandbox::empty();
    git_ok(&sandbox, &["init", "-q", "-b", "main"]);
    copy(&data.join("klappy"), sandbox.path());
    if synthetic {
        copy(&data.join("synthetic"), sandbox.path());
    }
    commit(&sandbox);
    Some(sandbox)
}

fn total(pm: &Sandbox, words: &[&str]) -> u64 {
    ok(pm, &[&["catalog", "--limit", "1"], words].concat())["total"].as_u64().unwrap()
}

#[test]
fn d_01_d_18_d_19_the_default_slice_of_the_real_corpus() {
    let Some(pm) = real(false) else { return };
    let first = ok(&pm, &["catalog"]);
    assert_eq!((&first["total"], &first["limit"], &first["offset"]), (&json!(50), &json!(25), &json!(0)));
    let rows = first["data"].as_array().unwrap();
    assert_eq!(rows.len(), 25);
    assert!(rows.iter().all(|row| keys(row) == ["uri", "title", "position"]), "{}", rows[0]);
    let last = ok(&pm, &["catalog", "--limit", "10", "--offset", "40"]);
    let positions: Vec<u64> =
        last["data"].as_array().unwrap().iter().map(|row| row["position"].as_u64().unwrap()).collect();
    assert_eq!(positions, (41..=50).collect::<Vec<u64>>());
    assert!(last.get("next_offset").is_none());
    let beyond = ok(&pm, &["catalog", "--limit", "10", "--offset", "50"]);
    assert_eq!((&beyond["data"], &beyond["total"]), (&json!([]), &json!(50)));
    let (mut seen, mut offset) = (Vec::new(), Some(0));
    while let Some(at) = offset {
        let page = ok(&pm, &["catalog", "--limit", "7", "--offset", &at.to_string()]);
        seen.extend(uris(&page));
        offset = page["next_offset"].as_u64();
    }
    assert_eq!(seen, uris(&ok(&pm, &["catalog", "--limit", "500"])));
}

#[test]
fn d_20_to_d_25_filters_count_the_real_corpus() {
    let Some(pm) = real(false) else { return };
    for (words, expected) in [
        (&["--exposure", "public"][..], 7),
        (&["--tier", "1"], 15),
        (&["--tier", "1,2", "--audience", "canon"], 17),
        (&["--public", "true"], 6),
        (&["--public", "false"], 0),
        (&["--start-here", "true"], 8),
        (&["--start-here", "true", "--include", "canon,docs,essays,journals"], 10),
        (&["--path-prefix", "writings/"], 7),
    ] {
        assert_eq!(total(&pm, words), expected, "{words:?}");
    }
    pm.write(".agents/pm/settings.json", r#"{"kb": {"vocab": {"tier": [0]}}}"#);
    assert_eq!(total(&pm, &["--tier", "0"]), 2);
}

#[test]
fn d_26_to_d_31_d_34_d_35_kinds_count_the_real_corpus() {
    let Some(pm) = real(true) else { return };
    let slice = uris(&ok(&pm, &["catalog", "--limit", "500"]));
    let journals = uris(&ok(&pm, &["catalog", "--limit", "500", "--include", "journals"]));
    assert!(journals.contains(&"kb://syn/kind-conflict".to_owned()));
    let essays = uris(&ok(&pm, &["catalog", "--limit", "500", "--include", "essays"]));
    assert!(!essays.contains(&"kb://syn/kind-conflict".to_owned()));
    assert!(slice.iter().any(|uri| uri.ends_with("kind-docs")));
    assert!(!slice.iter().any(|uri| uri.ends_with("kind-apocrypha")));

    let Some(pm) = real(false) else { return };
    assert_eq!(total(&pm, &["--include", "journals"]), 13);
    assert_eq!(total(&pm, &["--include", "journals", "--path-prefix", "odd/handoffs/"]), 5);
    assert_eq!(total(&pm, &["--tags", "oddkit", "--audience", "canon"]), 2);
    let essays = total(&pm, &["--include", "essays"]);
    pm.write(".agents/pm/settings.json", r#"{"kb": {"kind_map": {"draft-zeros/": "essays"}}}"#);
    assert_eq!(total(&pm, &["--include", "essays"]), essays + 3);
}

#[test]
fn d_43_d_44_d_47_names_of_the_real_corpus() {
    let Some(pm) = real(false) else { return };
    let old = "klappy://odd/handoffs/2026-04-20-fresh-session-continuation";
    let answer = ok(&pm, &["resolve", old]);
    assert_eq!(answer["resolution"]["chain"].as_array().unwrap().len(), 4, "{}", answer["resolution"]);
    assert!(
        answer["data"]["uri"].as_str().unwrap().contains("gate-canary-landed"),
        "{}",
        answer["data"]["uri"]
    );
    let got = ok(&pm, &["get", old]);
    assert_eq!(got["data"]["uri"], old);
    assert_eq!(got["warnings"][0]["code"], "SUPERSEDED");
    let twice = ok(&pm, &["get", "klappy://writings/how-you-lead-is-what-you-build", "--disclosure", "none"]);
    assert_eq!(twice["data"]["uri"], "klappy://writings/how-you-lead-is-what-you-build");
    let lint = kb(&pm, &["lint"]).expect(1).json();
    assert!(lint["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == "duplicate_uri"));
}

#[test]
fn d_15_d_51_d_58_texts_of_the_real_corpus() {
    let Some(pm) = real(false) else { return };
    let hits = ok(&pm, &["search", "frontmatter schema"]);
    for row in hits["data"].as_array().unwrap() {
        let snippet = row["snippet"].as_str().unwrap();
        assert!(row["score"].is_number() && !snippet.is_empty() && snippet.chars().count() <= 240, "{row}");
    }
    let preflight = ok(&pm, &["preflight", "add a retrieval action", "--limit", "100"]);
    assert!(uris(&preflight).iter().any(|uri| uri.contains("definition-of-done")));
    let proof = ok(&pm, &["get", "canon/constraints/visual-proof.md", "--disclosure", "blockquote"]);
    let file = std::fs::read_to_string(pm.path().join("canon/constraints/visual-proof.md")).unwrap();
    let quoted = |line: &str| line.strip_prefix("> ").map(str::to_owned);
    let first = file.lines().find_map(quoted).unwrap();
    assert!(proof["data"]["blockquote"].as_str().unwrap().starts_with(&first));
}
