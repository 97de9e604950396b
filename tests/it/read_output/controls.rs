//! 1 to 22: the grammar of the controls, and where they are refused.

use serde_json::json;

use super::{SMALL, items, keys, listed, reads, state, useful};

#[test]
fn s1_s2_limits_outside_the_grammar() {
    for value in ["0", "-1", "abc", "1.5", "1e3", ""] {
        let error = SMALL.refused(&["list", &format!("--output-limit={value}")], 2, "invalid_argument_value");
        assert_eq!(error["refusal"]["surface"], "--output-limit");
        assert_eq!(error["refusal"]["rejected_value"], value);
        assert_eq!(error["exit_code"], 2);
    }
}

#[test]
fn s3_s5_s6_s7_other_values_outside_the_grammar() {
    let error = SMALL.refused(&["list", "--output-budget", "1.5"], 2, "invalid_argument_value");
    assert!(error.to_string().contains("--output-budget must be a positive integer or unbounded"));
    for argv in [
        ["list", "--output-format", "xml"],
        ["list", "--output-include", ","],
        ["list", "--output-include", ""],
        ["list", "--output-cursor", ""],
    ] {
        SMALL.refused(&argv, 2, "invalid_argument_value");
    }
}

#[test]
fn s4_unbounded_is_everything() {
    let answer = SMALL.json(&["list", "--output-limit", "unbounded", "--output-budget", "unbounded"]);
    assert_eq!(listed(&answer).len(), 40);
}

#[test]
fn s8_s9_s10_where_and_how_a_control_is_written() {
    let after = SMALL.ok(&["list", "--output-limit", "1", "--json"]);
    assert_eq!(SMALL.ok(&["--output-limit", "1", "list", "--json"]), after);
    assert_eq!(SMALL.ok(&["list", "--output-limit=1", "--json"]), after);
    assert_eq!(listed(&SMALL.json(&["list", "--output-limit", "1", "--output-limit", "2"])).len(), 2);
}

#[test]
fn s11_s12_the_canonical_encoding_is_the_strongest() {
    for argv in [["list", "--json", "--output-format", "toon"], ["list", "--output-format", "toon", "--json"]]
    {
        assert!(SMALL.ok(&argv).starts_with("items["));
    }
    let text = SMALL.ok(&["list", "--output-format", "json"]);
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    assert!(SMALL.ok(&["list", "--format", "json", "--output-format", "toon"]).starts_with("items["));
}

#[test]
fn s13_every_surface_takes_every_control() {
    let page = SMALL.json(&["list", "--output-budget", "600"]);
    let foreign = page["next_cursor"].as_str().unwrap().to_owned();
    for argv in reads() {
        let mut argv: Vec<&str> = argv;
        let plain = SMALL.json(&argv);
        let section = keys(&plain).remove(0);
        let session = state(&[], 100_000, 0);
        let words =
            |extra: &[&'static str]| argv.iter().copied().chain(extra.iter().copied()).collect::<Vec<_>>();
        let limited =
            words(&["--output-limit", "1", "--output-budget", "unbounded", "--output-format", "json"]);
        assert!(SMALL.ok(&limited).starts_with('{'), "{argv:?}");
        argv.extend(["--output-include", &section]);
        let narrowed = SMALL.json(&argv);
        assert!(narrowed.get(&section).is_some() && narrowed.get("read_output").is_some(), "{argv:?}");
        argv.truncate(argv.len() - 2);
        argv.extend(["--output-session", &session]);
        assert_eq!(SMALL.json(&argv)["read_session"]["id"], "orientation", "{argv:?}");
        argv.truncate(argv.len() - 2);
        argv.push("--output-row-contract");
        assert_eq!(SMALL.json(&argv)["row_contract"]["command"], argv[0], "{argv:?}");
        argv.pop();
        argv.extend(["--output-cursor", &foreign]);
        if argv[0] != "list" {
            SMALL.refused(&argv, 2, "read_output_cursor_command_mismatch");
        }
    }
}

#[test]
fn s14_aliases_share_the_surface() {
    let answer = SMALL.json(&["list-open", "--output-include", "id"]);
    assert_eq!(answer["read_output"]["command"], "list");
    let answer = SMALL.json(&["ctx", "--output-limit", "1", "--output-row-contract"]);
    assert_eq!(answer["read_output"]["command"], "context");
}

#[test]
fn s15_to_s22_a_control_on_a_change_is_refused_before_anything_happens() {
    let sandbox = items(2);
    let state =
        json!({"version": 1, "id": "o", "token_budget": 4000, "spent_tokens": 0, "seen_item_ids": []})
            .to_string();
    let controls = [
        ["--output-budget", "100"],
        ["--output-include", "id"],
        ["--output-limit", "1"],
        ["--output-session", &state],
        ["--output-cursor", "abc"],
    ];
    let changes: &[&[&str]] = &[
        &["create", "--title", "x", "--type", "Task"],
        &["update", "pm-001", "--title", "y"],
        &["comments", "pm-001", "--add", "hi"],
        &["notes", "pm-001", "--add", "hi"],
        &["files", "pm-001", "--add", "path=README.md"],
        &["docs", "pm-001", "--add", "path=README.md"],
    ];
    let before = useful(sandbox.json(&["list", "--all"]));
    for change in changes {
        for control in controls {
            let argv: Vec<&str> = change.iter().copied().chain(control).collect();
            let error = sandbox.refused(&argv, 2, "output_control_not_applicable");
            assert_eq!(error["refusal"]["surface"], control[0], "{argv:?}");
        }
        let argv: Vec<&str> = change.iter().copied().chain(["--output-row-contract"]).collect();
        sandbox.refused(&argv, 2, "output_control_not_applicable");
    }
    assert_eq!(useful(sandbox.json(&["list", "--all"])), before);
    assert_eq!(sandbox.json(&["comments", "pm-001"])["comments"], json!([]));
    assert!(!sandbox.root().join("history/pm-001.jsonl").exists());
}

#[test]
fn s17_s18_s19_the_encoding_of_a_change() {
    let sandbox = items(2);
    let created = sandbox.ok(&["create", "--title", "x", "--type", "Task", "--output-format", "json"]);
    assert!(created.starts_with("{\n"), "{created}");
    let toon = sandbox.ok(&["create", "--title", "y", "--type", "Task", "--output-format", "toon", "--json"]);
    assert!(toon.contains("id: "), "{toon}");
    let comment = sandbox.ok(&["comments", "pm-001", "--add", "hello", "--output-format", "json"]);
    assert!(comment.starts_with("{\n"));
    let read = sandbox.json(&["comments", "pm-001", "--output-limit", "1"]);
    assert_eq!(read["comments"][0]["text"], "hello");
}

#[test]
fn p32_the_lean_envelope_is_rows_and_two_counts() {
    assert_eq!(keys(&SMALL.json(&["list"])), ["items", "count", "total"]);
    let page = SMALL.json(&["list", "--limit", "2"]);
    assert_eq!(keys(&page), ["items", "count", "total", "has_more", "next_cursor"]);
    let text = SMALL.ok(&["list"]);
    assert!(text.starts_with("items[40]{id,status,type,title}:\n"), "{text}");
    let around: usize =
        text.lines().filter(|line| !line.starts_with("  ")).skip(1).map(|line| line.len() + 1).sum();
    assert!(around.div_ceil(4) <= 25, "{around} bytes around the rows");
    assert_eq!(SMALL.ok(&["list", "--status", "canceled"]), "items: []\ncount: 0\ntotal: 0\n");
}

#[test]
fn p32_the_full_envelope_is_that_of_the_reference() {
    assert_eq!(
        keys(&SMALL.json(&["list", "--limit", "2", "--full-envelope"])),
        [
            "items",
            "count",
            "total",
            "applied_limit",
            "has_more",
            "truncated",
            "next_cursor",
            "completeness",
            "filters",
            "projection",
            "sorting",
            "now",
            "omission_receipt"
        ]
    );
}

#[test]
fn p33_rows_with_gaps_stay_a_table() {
    let text = SMALL.ok(&["list", "--fields", "id,deadline,parent"]);
    assert!(text.starts_with("items[40]{id,deadline,parent}:\n"), "{text}");
    assert!(text.contains("\n  pm-000,null,null\n") && text.contains("\n  pm-001,null,pm-000\n"), "{text}");
}

#[test]
fn p32_the_full_envelope_tells_purpose_and_continuation() {
    for (argv, budget) in [
        (&["list", "--for", "triage"][..], 3_200),
        (&["context", "--for", "orient"], 3_000),
        (&["search", "something", "--for", "discover"], 1_800),
        (&["get", "pm-003", "--for", "inspect"], 3_200),
        (&["next", "--for", "execute"], 1_200),
    ] {
        let full: Vec<&str> = argv.iter().copied().chain(["--full-envelope", "--json"]).collect();
        let output = SMALL.pm(&full).expect(0);
        let told = output.json()["context_intent"].clone();
        assert_eq!(
            (&told["command"], &told["intent"]),
            (&json!(argv[0]), &json!(argv[argv.len() - 1])),
            "{told}"
        );
        assert_eq!((&told["declared_token_budget"], &told["within_budget"]), (&json!(budget), &json!(true)));
        assert_eq!(told["estimated_tokens"], super::tokens(&output), "{argv:?}");
        assert!(SMALL.json(argv).get("context_intent").is_none(), "{argv:?}");
    }
    let next = SMALL.json(&["list", "--limit", "2"])["next_cursor"].as_str().unwrap().to_owned();
    let page = SMALL.json(&["list", "--limit", "2", "--after", &next, "--full-envelope"]);
    assert_eq!(page["continuation_contract"]["restore_with"], "omit --after", "{page}");
    assert_eq!(page["continuation_contract"]["metadata"], "reference");
}

#[test]
fn row_contracts_name_what_can_be_continued_beside_the_rows() {
    let own = |argv: &[&str]| SMALL.json(argv)["row_contract"].clone();
    let health = own(&["health", "--output-row-contract"]);
    assert_eq!(health["row_keys"], json!(["checks"]));
    assert!(health["continuation_row_keys"].as_array().unwrap().contains(&json!("warnings")), "{health}");
    let tree = own(&["deps", "pm-003", "--output-row-contract"]);
    assert_eq!((&tree["row_kind"], &tree["row_keys"]), (&json!("none"), &json!([])), "{tree}");
    assert!(tree["continuation_row_keys"].as_array().is_some_and(|keys| !keys.is_empty()), "{tree}");
}
