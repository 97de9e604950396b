//! Walking cursors on every surface: every row of every declared collection, nested ones too, exactly once; and what
//! holds for any cursor, any budget.

use serde_json::Value;

use super::{BIG, at, exists, items, reads, row_keys, tokens};
use crate::corpus;
use crate::sandbox::{Output, Sandbox};

/// Reads with more than one page, beside one of each surface.
fn walks(root: &'static str) -> Vec<Vec<&'static str>> {
    let mut all = vec![
        vec!["list", "--full"],
        vec!["list", "--all", "--compact"],
        vec!["list", "--tree"],
        vec!["search", "the", "--limit", "40"],
        vec!["context", "--limit", "10"],
        vec!["next", "--limit", "30", "--blocked-limit", "20"],
        vec!["deps", root],
        vec!["deps", root, "--format", "graph", "--node-limit", "30"],
        vec!["deps", root, "--format", "context"],
        vec!["graph", "descendants", root],
        vec!["graph", "communities", "--include-closed"],
        vec!["graph", "centrality"],
        vec!["graph", "slack"],
        vec!["graph", "audit", "--include-closed"],
        vec!["graph", "plan"],
        vec!["history", root, "--full"],
        vec!["history", root],
        vec!["activity", "--raw", "--limit", "60"],
        vec!["validate"],
        vec!["health", "--full"],
        vec!["aggregate", "--group-by", "tags", "--status", "all"],
        vec!["stats", "--by-tag"],
        vec!["get", root, "--tree"],
        vec!["duplicates"],
    ];
    all.retain(|argv| exists(argv[0]));
    all
}

/// What tells a row from others and survives a cut of strings and nested lists.
fn key(row: &Value) -> String {
    let short = |text: &str| text.chars().take(120).collect::<String>();
    match row {
        Value::String(text) => short(text),
        Value::Object(fields) => {
            let plain = fields.iter().filter(|(_, value)| !value.is_array() && !value.is_object());
            plain.map(|(key, value)| format!("{key}={} ", short(&value.to_string()))).collect()
        }
        other => other.to_string(),
    }
}

fn rows(answer: &Value, path: &str) -> Vec<String> {
    match at(answer, path) {
        Value::Array(rows) => rows.iter().map(key).collect(),
        Value::Object(entries) => entries.iter().map(|(name, row)| format!("{name}: {}", key(row))).collect(),
        _ => Vec::new(),
    }
}

fn ask(sandbox: &Sandbox, argv: &[&str], budget: &str, cursor: Option<&str>) -> Output {
    let mut words = argv.to_vec();
    words.extend(["--output-budget", budget, "--json"]);
    words.extend(cursor.into_iter().flat_map(|cursor| ["--output-cursor", cursor]));
    sandbox.pm(&words)
}

/// Follows every continuation of a read and compares with the whole; gives how many collections had several pages.
fn walk_all(sandbox: &Sandbox, argv: &[&str]) -> usize {
    let whole = ask(sandbox, argv, "unbounded", None);
    let (size, whole) = (tokens(&whole), whole.json());
    // The smallest budget of a few that shows something.
    let budgets = [600, 900, 1_400, 2_500, size * 3 / 4].map(|budget| budget.max(size / 6));
    let budgets = budgets.into_iter().filter(|budget| *budget < size);
    let first = budgets.map(|budget| (budget, ask(sandbox, argv, &budget.to_string(), None)));
    let Some((budget, first)) = first.into_iter().find(|(_, output)| output.code != 2) else { return 0 };
    let (first, budget_text) = (first.json(), budget.to_string());
    let continuations = |answer: &Value| {
        answer["output_budget_truncation"]["continuations"].as_array().cloned().unwrap_or_default()
    };
    let mut walked = 0;
    for entry in continuations(&first) {
        let path = entry["path"].as_str().unwrap();
        let mut got = rows(&first, path);
        // A page of a nested list has the row of that list only.
        let own = match path.split_once(".details.") {
            Some((_, list)) => format!("checks.0.details.{list}"),
            None => path.to_owned(),
        };
        let mut next = Some(entry["cursor"].as_str().unwrap().to_owned());
        for page in 0.. {
            assert!(page < 400, "{argv:?}: {path} has no end");
            let Some(cursor) = next.take() else { break };
            let mut output = ask(sandbox, argv, &budget_text, Some(&cursor));
            if output.code == 2 {
                // One row alone may need more than the others: the same cursor goes on with more.
                assert!(output.stdout.contains("omitted_result_estimated_tokens"), "{argv:?}: {output:?}");
                output = ask(sandbox, argv, &(2 * budget).to_string(), Some(&cursor));
                assert!(output.code != 2 && tokens(&output) <= 2 * budget, "{argv:?} {path}: {output:?}");
            } else {
                assert!(tokens(&output) <= budget, "{argv:?} {path}: {output:?}");
            }
            let answer = output.json();
            let more = rows(&answer, &own);
            assert!(!more.is_empty(), "{argv:?}: an empty page of {path}");
            got.extend(more);
            let goes_on = continuations(&answer).into_iter().find(|entry| entry["path"] == own.as_str());
            next = goes_on.map(|entry| entry["cursor"].as_str().unwrap().to_owned());
        }
        let mut want = rows(&whole, path);
        // Logs keep their newest rows first: pages run from new to old, the rows of a page from old to new.
        if ["history", "activity", "comments", "notes", "events"].contains(&argv[0]) {
            got.sort();
            want.sort();
        }
        assert_eq!(got, want, "{argv:?}: {path}");
        walked += 1;
    }
    walked
}

#[test]
fn s64_every_surface_and_every_declared_path() {
    let walked: usize = reads().iter().chain(&walks("pm-000")).map(|argv| walk_all(&BIG, argv)).sum();
    assert!(walked > 15, "only {walked} collections had several pages");
}

#[test]
fn s64_real_trackers() {
    let tracker = "unbraind+pm-github";
    let Some(sandbox) = corpus::copy_of(tracker) else { return };
    let ids = sandbox.json(&["list", "--all", "--output-include", "id"]);
    let id: &'static str = String::leak(ids["items"][3]["id"].as_str().unwrap().to_owned());
    let walked: usize = walks(id).iter().map(|argv| walk_all(&sandbox, argv)).sum();
    assert!(walked > 5, "{tracker}: only {walked} collections had several pages");
}

/// Within the regime of cut answers, more budget never shows fewer rows of the one collection there is.
#[test]
fn more_budget_never_loses_rows() {
    for argv in
        [&["list"][..], &["search", "something", "--limit", "300"], &["aggregate", "--group-by", "tags"]]
    {
        for format in ["json", "toon"] {
            let mut least = 0;
            for budget in (500..3_600).step_by(300) {
                let budget = budget.to_string();
                let words: Vec<&str> = argv
                    .iter()
                    .copied()
                    .chain(["--output-budget", &budget, "--output-format", format])
                    .collect();
                let output = BIG.pm(&words);
                if output.code == 2 || !output.stdout.contains("output_budget_truncation") {
                    continue;
                }
                let kept = match serde_json::from_str::<Value>(&output.stdout) {
                    Ok(answer) => row_keys(argv[0]).iter().map(|path| rows(&answer, path).len()).sum(),
                    Err(_) => output.stdout.lines().filter(|line| line.starts_with("  ")).count(),
                };
                assert!(
                    kept >= least || format == "toon" && kept + 2 >= least,
                    "{argv:?} {format} at {budget}: {kept} after {least}"
                );
                least = kept.max(least);
            }
        }
    }
}

/// The refusals there are for what a caller may get wrong.
const REFUSALS: &[&str] = &[
    "invalid_argument_value",
    "invalid_read_output_session",
    "invalid_query_cursor",
    "read_output_cursor_invalid",
    "read_output_cursor_command_mismatch",
    "read_output_cursor_stale",
    "read_output_session_exhausted",
    "unknown_output_include_selector",
    "projection_options_mutually_exclusive",
];

/// Anything for a control gives a right answer or a refusal with a code, and no panic.
#[test]
fn any_control_is_answered_or_refused() {
    let sandbox = items(5);
    let page = sandbox.json(&["list", "--output-budget", "700", "--full"]);
    let good = page["next_cursor"].as_str().unwrap().to_owned();
    let session = super::state(&["pm-001"], 4_000, 10);
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below as u64).unwrap_or_default()
    };
    for n in 0..160 {
        let (flag, base) = [
            ("--output-cursor", good.as_str()),
            ("--output-session", session.as_str()),
            ("--output-include", "brief,id,items.title"),
            ("--output-limit", "12"),
            ("--output-budget", "700"),
        ][n % 5];
        let mut text: Vec<char> = base.chars().collect();
        for _ in 0..1 + random(3) {
            let at = random(text.len() + 1);
            let with = ['A', '9', '-', '"', '{', ',', '.', 'é', '\u{7f}', ' ', 'e'][random(11)];
            match random(3) {
                0 if at < text.len() => drop(text.remove(at)),
                1 if at < text.len() => text[at] = with,
                _ => text.insert(at, with),
            }
        }
        let value: String = text.into_iter().collect();
        let surface = ["list", "next", "health", "search"][random(4)];
        let mut argv = vec![surface];
        argv.extend((surface == "search").then_some("something"));
        let control = format!("{flag}={value}");
        argv.extend([control.as_str(), "--json"]);
        let output = sandbox.pm(&argv);
        assert!(matches!(output.code, 0..=2), "{output:?}");
        if output.code == 2 && output.stdout.is_empty() {
            let error: Value = serde_json::from_str(&output.stderr).unwrap_or_else(|_| panic!("{output:?}"));
            assert!(REFUSALS.contains(&error["code"].as_str().unwrap()), "{error}");
        } else {
            assert!(output.json().is_object() && output.stderr.is_empty(), "{output:?}");
        }
    }
}
