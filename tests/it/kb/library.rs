//! Revisions, items, the cache, and the controls of the output.

use serde_json::json;

use super::*;

#[test]
fn d_48_a_revision_answers_as_it_was() {
    let pm = corpus();
    pm.write("canon/gate.md", GATE.replace("The gate", "A new title"));
    let (now, then) =
        (ok(&pm, &["get", "k://canon/gate"]), ok(&pm, &["get", "k://canon/gate", "--rev", "HEAD"]));
    assert_eq!((&now["data"]["title"], &then["data"]["title"]), (&json!("A new title"), &json!("The gate")));
    assert_eq!(then["corpus"]["source"], git_ok(&pm, &["rev-parse", "HEAD"]).trim());
    assert_eq!(then["corpus"]["id"], git_ok(&pm, &["rev-parse", "HEAD^{tree}"]).trim());
    assert_ne!(now["corpus"]["id"], then["corpus"]["id"]);
    assert_eq!(refused(&pm, &["catalog", "--rev", "nosuch"], 3, "REVISION_NOT_FOUND")["value"], "nosuch");
    refused(&pm, &["catalog", "--rev", "--all"], 3, "REVISION_NOT_FOUND");
    assert_eq!(git_ok(&pm, &["status", "--porcelain"]).lines().count(), 1);
}

#[test]
fn items_are_documents() {
    let pm = corpus();
    pm.ok(&["init"]);
    let id = pm.create(&[
        "Task",
        "Build the gate",
        "--description",
        "First paragraph.\n\nSecond.",
        "--body",
        "# X\n\n## Summary\n\nShort.",
    ]);
    let uri = format!("pm://item/{id}");
    let found = uris(&ok(&pm, &["catalog", "--include", "journals"]));
    assert!(found.contains(&uri), "{found:?}");
    let item = ok(&pm, &["get", &id, "--disclosure", "blockquote,metadata,summary,body"]);
    assert_eq!(item["matched_by"], "item");
    assert_eq!(
        (&item["data"]["title"], &item["data"]["blockquote"]),
        (&json!("Build the gate"), &json!("First paragraph."))
    );
    assert_eq!(
        (&item["data"]["summary"], &item["data"]["metadata"]["type"]),
        (&json!("Short."), &json!("Task"))
    );
    assert_eq!(ok(&pm, &["get", &uri])["data"]["body"], item["data"]["body"]);
}

#[test]
fn d_52_the_cache_changes_nothing() {
    let pm = corpus();
    let calls: Vec<Vec<&str>> =
        FIVE.iter().map(|(_, words)| words.to_vec()).chain([vec!["catalog", "--rev", "HEAD"]]).collect();
    let all = || calls.iter().map(|words| kb(&pm, words).expect(0).stdout).collect::<Vec<_>>();
    let cold = all();
    assert_eq!(all(), cold);
    let place = pm.path().join(".git/pm/kb/records");
    for junk in [&b""[..], b"\0garbage"] {
        std::fs::write(&place, junk).unwrap();
        assert_eq!(all(), cold);
    }
    assert_eq!(git_ok(&pm, &["status", "--porcelain"]), "");
    pm.write("docs/new.md", "# New\n");
    assert!(uris(&ok(&pm, &["catalog"])).contains(&"kb://docs/new".to_owned()));
    pm.write(".gitignore", "ignored.md\n");
    pm.write("ignored.md", "# Ignored\n");
    assert!(!uris(&ok(&pm, &["catalog"])).contains(&"kb://ignored".to_owned()));
}

#[test]
fn d_53_the_canonical_limit_is_the_limit() {
    let pm = corpus();
    let answer = refused(
        &pm,
        &["catalog", "--output-limit", "100", "--disclosure", "summary"],
        2,
        "LIMIT_EXCEEDS_FLAG_CAP",
    );
    assert_eq!(answer["requested_limit"], 100);
    let both = ok(&pm, &["catalog", "--limit", "2", "--output-limit", "3"]);
    assert_eq!((both["data"].as_array().unwrap().len(), &both["limit"]), (3, &json!(3)));
    assert_eq!(both["read_output"]["canonical_options_used"], json!(["--output-limit", "--output-format"]));
    assert_eq!(both["read_output"]["legacy_aliases_used"], json!(["--limit"]));
    let all = refused(&pm, &["catalog", "--output-limit", "unbounded"], 2, "LIMIT_EXCEEDS_FLAG_CAP");
    assert_eq!(all["requested_limit"], "unbounded");
}

#[test]
fn d_54_selectors_narrow_tiers_only() {
    let pm = corpus();
    let narrow =
        ok(&pm, &["catalog", "--disclosure", "metadata,blockquote", "--output-include", "metadata.epoch"]);
    let gate = narrow["data"].as_array().unwrap().iter().find(|row| row["uri"] == "k://canon/gate").unwrap();
    assert_eq!(
        (keys(gate), &gate["metadata"]),
        (vec!["uri", "title", "position", "metadata"], &json!({"epoch": 7}))
    );
    let hidden = pm.pm(&["kb", "catalog", "--output-include", "blockquote"]).expect(2);
    assert!(hidden.stderr.contains("--disclosure blockquote"), "{hidden:?}");
    assert_eq!(
        ok(&pm, &["get", "k://canon/gate", "--output-include", "brief"])["disclosure_applied"],
        json!([])
    );
}

#[test]
fn d_55_a_ceiling_drops_whole_rows_and_says_so() {
    let words = "reality constraint evidence ledger canon epoch handoff claim ".repeat(20);
    let files: Vec<(String, String)> = (0..300)
        .map(|n| {
            (format!("canon/r{n:03}.md"), format!("---\ngoverns: {words}\n---\n# R{n}\n\n> {words}{n}\n"))
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let pm = repository(&files);
    let call = ["catalog", "--disclosure", "blockquote,metadata", "--limit", "100"];
    for (budget, ceiling) in [(None, 24_000), (Some("unbounded"), 30_000), (Some("90000"), 30_000)] {
        let extra: Vec<&str> = budget.into_iter().flat_map(|budget| ["--output-budget", budget]).collect();
        let output = kb(&pm, &[&call[..], &extra].concat()).expect(0);
        let (tokens, answer) = (output.stdout.len().div_ceil(4), output.json());
        let rows = answer["data"].as_array().unwrap();
        assert!(tokens <= ceiling && tokens > ceiling * 9 / 10, "{tokens}");
        assert_eq!(
            (&answer["total"], &answer["limit"], &answer["next_offset"]),
            (&json!(300), &json!(100), &json!(rows.len()))
        );
        assert!(rows[0]["blockquote"].as_str().unwrap().len() > 1_000, "no text is cut");
        let cut = &answer["output_budget_truncation"];
        assert_eq!(cut["budget_source"] == "kb_response_ceiling", budget.is_some(), "{cut}");
    }
    let (mut seen, mut offset) = (Vec::new(), Some(0));
    while let Some(at) = offset {
        let page = ok(&pm, &[&call[..], &["--offset", &at.to_string()]].concat());
        seen.extend(uris(&page));
        offset = page["next_offset"].as_u64();
    }
    assert_eq!(seen.len(), 300);
    seen.dedup();
    assert_eq!(seen.len(), 300);
    let first = ok(&pm, &call);
    let cursor = first["next_cursor"].as_str().unwrap();
    let next = ok(&pm, &[&call[..], &["--output-cursor", cursor]].concat());
    assert_eq!(next["offset"], first["next_offset"]);
    assert_eq!(uris(&next)[0], seen[uris(&first).len()]);
    refused(
        &pm,
        &[&call[..], &["--output-cursor", cursor, "--offset", "1"]].concat(),
        2,
        "INVALID_PARAMETER",
    );
    refused(&pm, &["catalog", "--output-cursor", cursor], 2, "CURSOR_REFUSED");
    refused(&pm, &["catalog", "--output-cursor", "junk"], 2, "CURSOR_REFUSED");
    refused(
        &pm,
        &["catalog", "--output-cursor", "junk", "--disclosure", "body"],
        2,
        "DISCLOSURE_FLAG_NOT_PERMITTED",
    );
}

#[test]
fn d_55_one_document_gives_up_its_body_first() {
    let pm = corpus();
    pm.write("docs/long.md", format!("# Long\n\n> Teaser.\n\n{}\n", "a sentence of the body. ".repeat(400)));
    let call = ["get", "docs/long.md", "--disclosure", "blockquote,body"];
    for (budget, depth, fields) in [("500", "summary", &["uri", "title", "blockquote"][..]), ("9", "", &[])] {
        let output = kb(&pm, &[&call[..], &["--output-budget", budget]].concat());
        let answer = output.json();
        if depth.is_empty() {
            assert_eq!((output.code, &answer["output_budget_exceeded"]["omitted_result"]), (2, &json!(true)));
            continue;
        }
        assert_eq!(keys(&answer["data"]), fields);
        assert_eq!(answer["read_output"]["applied_depth"], depth);
        assert!(answer["read_output"]["restore_with"].as_str().unwrap().contains("--section"));
        assert_eq!(answer["disclosure_applied"], json!(["blockquote"]));
    }
}

#[test]
fn d_56_a_session_tells_nothing_twice_but_what_has_changed() {
    let pm = corpus();
    let state =
        json!({"version": 1, "id": "s", "token_budget": 90_000, "spent_tokens": 0, "seen_item_ids": []});
    let call = |state: &Value| {
        ok(&pm, &["catalog", "--disclosure", "blockquote", "--output-session", &state.to_string()])
    };
    let first = call(&state);
    let seen = &first["read_session"]["next_state"]["seen_item_ids"];
    assert!(
        seen.as_array()
            .unwrap()
            .iter()
            .all(|id| id.as_str().unwrap().starts_with("kb:") && id.as_str().unwrap().ends_with(":1"))
    );
    let second = call(&first["read_session"]["next_state"]);
    for row in second["data"].as_array().unwrap() {
        assert_eq!(keys(row), ["uri", "title", "position", "context_ref"]);
    }
    pm.write("writings/essay.md", "# Essay\n\n> Another teaser.\n");
    let third = call(&second["read_session"]["next_state"]);
    let edited = third["data"].as_array().unwrap().iter().find(|row| row["title"] == "Essay").unwrap();
    assert_eq!(edited["blockquote"], "Another teaser.");
    let single = ok(
        &pm,
        &[
            "get",
            "k://canon/gate",
            "--disclosure",
            "blockquote",
            "--output-session",
            &first["read_session"]["next_state"].to_string(),
        ],
    );
    assert_eq!(keys(&single["data"]), ["uri", "title", "context_ref"]);
}

#[test]
fn d_57_the_session_is_looked_at_before_everything_else() {
    let pm = corpus();
    for words in [["catalog", "--disclosure", "body"], ["catalog", "--kind", "x"]] {
        let output = kb(&pm, &[&words[..], &["--output-session", "{bad"]].concat()).expect(2);
        assert!(
            output.stderr.contains("invalid_read_output_session") && output.stdout.is_empty(),
            "{output:?}"
        );
    }
}

#[test]
fn d_41_d_62_who_asks_and_how_it_is_written_changes_nothing() {
    let mut pm = corpus();
    let calls: [&[&str]; 6] = [
        &["search", "gate"],
        &["catalog", "--disclosure", "metadata"],
        &["get", "k://canon/gate"],
        &["resolve", "nothing"],
        &["catalog", "--disclosure", "body"],
        &["catalog", "--limit", "501"],
    ];
    for words in calls {
        let json = kb(&pm, words);
        let toon = pm.pm(&[&["kb"], words, &["--output-format", "toon"]].concat());
        assert_eq!(pm::codec::toon::decode(toon.stdout.trim_end()).unwrap(), json.json(), "{words:?}");
        assert_eq!(toon.code, json.code);
        for (name, value) in [
            ("TERM", "dumb"),
            ("CI", "true"),
            ("NO_COLOR", "1"),
            ("PM_AUTHOR", "x"),
            ("HTTP_USER_AGENT", "bot"),
        ] {
            pm.set(name, value);
        }
        assert_eq!(kb(&pm, words).stdout, json.stdout);
    }
}

#[test]
fn d_42_the_older_envelope_lasts_until_its_day() {
    let mut pm = corpus();
    let (plain, legacy) = (ok(&pm, &["catalog"]), ok(&pm, &["catalog", "--include-legacy-envelope"]));
    for key in keys(&plain) {
        assert_eq!(plain[key], legacy[key], "{key}");
    }
    assert!(legacy["legacy_envelope"]["result"]["categories"].is_array());
    assert_eq!(legacy["warnings"][0]["code"], "LEGACY_ENVELOPE");
    pm.write(".agents/pm/settings.json", r#"{"kb": {"legacy_sunset": "2026-03-01"}}"#);
    assert_eq!(ok(&pm, &["catalog", "--include-legacy-envelope"])["warnings"][0]["sunset"], "2026-03-01");
    pm.set("PM_CLOCK", "2026-03-02T00:00:00.000Z");
    refused(&pm, &["catalog", "--include-legacy-envelope"], 2, "INVALID_PARAMETER");
}

#[test]
fn d_59_the_cost_is_a_tenth() {
    let files: Vec<(String, String)> = (0..520)
        .map(|n| {
            (
                format!("docs/{n:03}.md"),
                format!("---\ntitle: Document {n}\ngoverns: {}\n---\n# D\n", "what it says ".repeat(12)),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let cost = kb(&repository(&files), &["cost"]).expect(0).json();
    assert!(cost["ratio"].as_f64().unwrap() >= 10.0, "{cost}");
    let rows = cost["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    assert!(rows.iter().all(|row| row["estimated_tokens"].as_u64().unwrap() < 30_000));
}

#[test]
fn d_61_help_names_tiers_caps_and_filters() {
    let pm = Sandbox::empty();
    for (name, _) in MANY {
        let help = pm.ok(&["kb", name, "--help"]);
        for word in [
            "--disclosure",
            "blockquote",
            "500",
            "200",
            "100",
            "25",
            "--include",
            "--tier",
            "--path-prefix",
            "--rev",
        ] {
            assert!(help.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn outside_of_a_repository_there_is_nothing_to_ask() {
    Sandbox::empty().refused(&["kb", "catalog"], 3, "repository_missing");
}

/// The real corpus, where it is at hand: tiers as its manifest has them.
#[test]
fn the_real_corpus_has_the_tiers_of_its_manifest() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/kb");
    let Ok(manifest) = std::fs::read_to_string(data.join("klappy.manifest.json")) else {
        let said =
            std::io::Write::write_all(&mut std::io::stderr(), b"skipped, ../shared/data/kb is not there\n");
        return said.expect("standard error takes a line");
    };
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    for file in manifest["files"].as_array().unwrap() {
        let path = file["path"].as_str().unwrap();
        let document = pm::kb::document::read(&std::fs::read(data.join("klappy").join(path)).unwrap());
        assert_eq!(document.blockquote.is_some(), file["blockquote_under_h1"] == true, "{path}: quote");
        // The manifest counts a heading that stands in a fence.
        let fenced = path.ends_with("agent-skill/history/index.md");
        assert_eq!(document.summary.is_some(), file["summary"] == true && !fenced, "{path}: summary");
    }
}
