//! Every surface, every control, every sort of bad value: a refusal with a code that names the flag, the value and,
//! where there is one, the domain; or a right answer. Nothing is swallowed, nothing panics.

use pm::commands::CATALOG;
use serde_json::{Value, json};

use super::{SMALL, items, state};
use crate::sandbox::{Output, Sandbox};

/// One read of every surface of the catalog that can be asked on the tracker of forty items.
fn calls() -> Vec<Vec<&'static str>> {
    const NEEDS: &[(&[&str], &[&str])] = &[
        (&["get"], &["pm-003"]),
        (&["history"], &["pm-000"]),
        (&["deps"], &["pm-003"]),
        (&["comments"], &["pm-000"]),
        (&["notes"], &["pm-000"]),
        (&["learnings"], &["pm-000"]),
        (&["files"], &["pm-000"]),
        (&["files", "discover"], &["pm-000"]),
        (&["files", "lookup"], &["src/a.rs"]),
        (&["docs"], &["pm-000"]),
        (&["search"], &["something"]),
        (&["graph", "ancestors"], &["pm-003"]),
        (&["graph", "descendants"], &["pm-000"]),
        (&["graph", "predecessors"], &["pm-003"]),
        (&["graph", "successors"], &["pm-002"]),
        (&["graph", "paths"], &["pm-002", "pm-003"]),
        (&["graph", "impact"], &["pm-002"]),
        (&["graph", "dominators"], &["pm-000"]),
    ];
    // What they need is beside the point here, and `kb` and `catalog` have refusals of their own contracts.
    const ELSEWHERE: [&str; 4] = ["kb", "catalog", "eval", "assurance"];
    let call = |surface: &pm::surface::Surface| {
        let path = surface.contract.path;
        surface.contract.read_output.filter(|_| !ELSEWHERE.contains(&path[0]))?;
        let needs = NEEDS.iter().find(|(own, _)| *own == path).map_or(&[][..], |(_, words)| words);
        Some(path.iter().chain(needs).copied().collect())
    };
    CATALOG.iter().filter_map(call).collect()
}

/// What is not a value of a control, and the code that says so.
fn bad_values() -> Vec<(&'static str, String, &'static str)> {
    let mut all: Vec<(&str, String, &str)> = Vec::new();
    let mut add = |flag, code, values: &[&str]| {
        all.extend(values.iter().map(|value| (flag, (*value).to_owned(), code)));
    };
    let amounts = [
        "0",
        "-1",
        "-9",
        "abc",
        "1.5",
        "1e3",
        "",
        " ",
        "+3",
        "0x10",
        "99999999999999999999",
        "9007199254740992",
        "٣",
    ];
    add("--output-limit", "invalid_argument_value", &amounts);
    add("--output-budget", "invalid_argument_value", &amounts);
    add("--output-format", "invalid_argument_value", &["xml", "JSON", "csv", "", "-1", "toon,json"]);
    add("--output-include", "invalid_argument_value", &["", ",", " , ", ",,,"]);
    add("--output-cursor", "invalid_argument_value", &["", " "]);
    let long = "x".repeat(5_000);
    add(
        "--output-cursor",
        "read_output_cursor_invalid",
        &["abc", "!!!", "-5", &long, "eyJ2ZXJzaW9uIjoxfQ", "pQ"],
    );
    let session = |id: &str, budget: Value, spent: Value, seen: Value| {
        json!({"version": 1, "id": id, "token_budget": budget, "spent_tokens": spent, "seen_item_ids": seen})
            .to_string()
    };
    let many: Vec<String> = (0..10_001).map(|n| format!("pm-{n}")).collect();
    let sessions = [
        "".to_owned(),
        "{".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        "-1".to_owned(),
        "{}".to_owned(),
        r#"{"version": 2}"#.to_owned(),
        session("a b", json!(4000), json!(0), json!([])),
        session("", json!(4000), json!(0), json!([])),
        session("a", json!(255), json!(0), json!([])),
        session("a", json!(1e300), json!(0), json!([])),
        session("a", json!("4000"), json!(0), json!([])),
        session("a", json!(4000), json!(-1), json!([])),
        session("a", json!(4000), json!(4001), json!([])),
        session("a", json!(4000), json!(0), json!(["pm a"])),
        session("a", json!(4000), json!(0), json!([1])),
        session("a", json!(4000), json!(0), json!({})),
        session("a", json!(4000), json!(0), json!(many)),
        "[".repeat(2_000),
    ];
    let sessions: Vec<&str> = sessions.iter().map(String::as_str).collect();
    add("--output-session", "invalid_read_output_session", &sessions);
    all
}

/// The error of a refusal, after what holds for all of them was held.
fn refusal(output: &Output, flag: &str, code: &str) -> Value {
    assert!(output.code == 2 && output.stdout.is_empty(), "{output:?}");
    let error: Value = serde_json::from_str(&output.stderr).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(error["code"], code, "{output:?}");
    assert_eq!(error["refusal"]["surface"], flag, "{output:?}");
    assert!(error["refusal"]["rejected_value"].is_string(), "{output:?}");
    assert!(output.stderr.len() <= 1_600, "{output:?}");
    error
}

#[test]
fn every_bad_value_of_every_control_is_refused_by_name() {
    let bad = bad_values();
    for (n, argv) in calls().iter().enumerate() {
        // Values that are parsed alike everywhere are dealt out over the surfaces, each to several of them.
        for (flag, value, code) in bad.iter().skip(n % 4).step_by(4) {
            let joined = format!("{flag}={value}");
            // An argument of a process has its limit.
            let spellings: &[&[&str]] =
                if value.len() > 60_000 { &[] } else { &[&[flag, value], &[&joined]] };
            for spelling in spellings {
                let words: Vec<&str> = argv.iter().chain(*spelling).copied().chain(["--json"]).collect();
                let error = refusal(&SMALL.pm(&words), flag, code);
                let domain: &[&str] = match *flag {
                    "--output-limit" | "--output-budget" => &["unbounded"],
                    "--output-format" => &["toon", "json"],
                    _ => &[],
                };
                let told = error["detail"].as_str().unwrap();
                assert!(domain.iter().all(|word| told.contains(word)), "{error}");
            }
        }
    }
    // The whole of them once, in front of the command as well.
    for (flag, value, code) in bad.iter().filter(|(_, value, _)| value.len() < 60_000) {
        refusal(&SMALL.pm(&[flag, value, "list", "--json"]), flag, code);
    }
}

#[test]
fn selectors_that_name_nothing_are_refused_with_the_domain() {
    for argv in calls() {
        for selector in ["nosuch", "nosuch.id", "items.nosuch", "..", ".", "é", "*", "id..x", "-1"] {
            let words: Vec<&str> =
                argv.iter().copied().chain(["--output-include", selector, "--json"]).collect();
            let output = SMALL.pm(&words);
            // Where there is no row there is nothing to refuse on.
            if output.code != 2 {
                let answer = output.json();
                assert!(answer.get("read_output").is_some(), "{output:?}");
                continue;
            }
            let error = refusal(&output, "--output-include", "unknown_output_include_selector");
            let legal = error["recovery"]["allowed_values"].as_array().unwrap();
            assert!(!legal.is_empty() && error["detail"].as_str().unwrap().contains(selector), "{error}");
            // Every name of the domain is one.
            let first = legal[0].as_str().unwrap();
            let words: Vec<&str> =
                argv.iter().copied().chain(["--output-include", first, "--json"]).collect();
            assert_ne!(SMALL.pm(&words).code, 2, "{words:?}");
        }
    }
}

/// The first page again, as a command that works, whatever is wrong with a cursor.
fn first_page_is_offered(sandbox: &Sandbox, error: &Value) {
    let hint = error["next_steps"][0].as_str().unwrap_or_else(|| panic!("no way out: {error}"));
    let words: Vec<&str> = hint.split(' ').skip(1).collect();
    let again = sandbox.pm(&words);
    assert!(matches!(again.code, 0 | 1), "{hint}: {again:?}");
    assert!(!hint.contains("--output-cursor") && !hint.contains("--after"), "{hint}");
}

#[test]
fn cursors_of_other_reads_are_refused_under_either_flag() {
    let rows = SMALL.json(&["list", "--output-budget", "500"])["next_cursor"].as_str().unwrap().to_owned();
    let item = SMALL.json(&["list", "--limit", "2"])["next_cursor"].as_str().unwrap().to_owned();
    for argv in calls().iter().filter(|argv| argv[0] != "list") {
        for cursor in [&rows, &item] {
            let words: Vec<&str> =
                argv.iter().copied().chain(["--output-cursor", cursor, "--json"]).collect();
            let code =
                if *cursor == rows { "read_output_cursor_command_mismatch" } else { "invalid_query_cursor" };
            let error = refusal(&SMALL.pm(&words), "--output-cursor", code);
            first_page_is_offered(&SMALL, &error);
        }
    }
    for argv in [&["search", "something"][..], &["context"]] {
        for cursor in [&rows, &item, &"rubbish".to_owned()] {
            let words: Vec<&str> = argv.iter().copied().chain(["--after", cursor, "--json"]).collect();
            let code =
                if *cursor == rows { "read_output_cursor_command_mismatch" } else { "invalid_query_cursor" };
            first_page_is_offered(&SMALL, &refusal(&SMALL.pm(&words), "--after", code));
        }
    }
    let words = ["list", "--status", "closed", "--after", item.as_str(), "--json"];
    first_page_is_offered(&SMALL, &refusal(&SMALL.pm(&words), "--after", "invalid_query_cursor"));
    let words = ["list", "--status", "closed", "--output-cursor", rows.as_str(), "--json"];
    first_page_is_offered(&SMALL, &refusal(&SMALL.pm(&words), "--output-cursor", "read_output_cursor_stale"));
}

#[test]
fn two_places_to_begin_are_refused() {
    let cursor = SMALL.json(&["list", "--limit", "2"])["next_cursor"].as_str().unwrap().to_owned();
    for words in [
        ["--output-cursor", &cursor, "--after", &cursor],
        ["--output-cursor", &cursor, "--offset", "3"],
        ["--after", &cursor, "--offset", "3"],
    ] {
        let words: Vec<&str> = ["list", "--limit", "2"].into_iter().chain(words).chain(["--json"]).collect();
        refusal(&SMALL.pm(&words), words[5], "conflicting_arguments");
    }
}

#[test]
fn negative_amounts_of_older_flags_are_blamed_on_the_flag() {
    for surface in CATALOG.iter().filter(|surface| surface.contract.read_output.is_some()) {
        let Some(argv) = calls().into_iter().find(|argv| argv.starts_with(surface.contract.path)) else {
            continue;
        };
        let aliases = surface.contract.read_output.map_or(&[][..], |own| own.aliases);
        for flag in ["--limit", "--offset", "--depth", "--max-depth", "--node-limit", "--edge-limit"] {
            if !aliases.iter().any(|alias| alias.flag == flag) {
                continue;
            }
            let joined = format!("{flag}=-1");
            for spelling in [&[flag, "-1"][..], &[joined.as_str()]] {
                let words: Vec<&str> = argv.iter().chain(spelling).copied().chain(["--json"]).collect();
                let output = SMALL.pm(&words);
                let error: Value =
                    serde_json::from_str(&output.stderr).unwrap_or_else(|_| panic!("{output:?}"));
                // Commands of one surface share its contract, and not all of them have all amounts.
                if error["code"] == "unknown_option" && ["files", "graph"].contains(&argv[0]) {
                    continue;
                }
                assert_eq!((output.code, &error["refusal"]["surface"]), (2, &json!(flag)), "{output:?}");
                assert_eq!(error["refusal"]["rejected_value"], "-1", "{output:?}");
            }
        }
    }
}

#[test]
fn cursors_of_events_that_are_none() {
    let sandbox = items(2);
    sandbox.create(&["One", "--id", "one"]);
    let json = |ts: &str| {
        let text = json!({"version": 1, "fingerprint": "44136fa355b3678a1146ad16", "ts": ts, "stream_id": "pm-one",
            "stream_offset": 0});
        base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, text.to_string())
    };
    for cursor in [
        json("no time"),
        json(""),
        json("2026-99-99T00:00:00.000Z"),
        "pQEA".into(),
        "pQH_____________".into(),
    ] {
        for (flag, code) in
            [("--since", "invalid_event_cursor"), ("--output-cursor", "read_output_cursor_invalid")]
        {
            refusal(&sandbox.pm(&["events", flag, &cursor, "--json"]), flag, code);
        }
    }
    // That of the reference is read.
    assert_eq!(sandbox.json(&["events", "--since", &json("2026-01-01T00:00:00.000Z")])["total"], 1);
    let next = sandbox.json(&["events", "--limit", "1"]);
    assert!(next["next_cursor"].as_str().is_none_or(|cursor| cursor.len() < 48), "{next}");
}

#[test]
fn a_session_with_any_state_is_right_or_refused() {
    let good = state(&["pm-001", "pm-002"], 4_000, 10);
    for (from, to) in [("4000", "4000.0"), ("10", "1e1"), ("\"version\":1", "\"version\":1.0")] {
        let words = ["list", "--output-session", &good.replace(from, to)];
        assert_eq!(SMALL.json(&words)["read_session"]["spent_before_tokens"], 10, "{words:?}");
    }
}
