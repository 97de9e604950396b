//! Sentences of read-output.md §1 to §10 and of seed 001 that have no number in §11, named by their section.

use pm::read_output::{BudgetSource, resolve_read_output_dimensions};
use serde_json::{Map, Value, json};

use super::{BIG, SMALL, reads, state, tokens};

fn options(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// §1.1 on every surface: what is no value of a control is refused by it.
#[test]
fn r11_every_surface_refuses_what_is_no_value() {
    let wrong = [
        ("--output-limit", &["0", "-1", "1.5", "", "+3", "9007199254740992"][..], "invalid_argument_value"),
        ("--output-budget", &["0", "-1", "abc", "1e3", "٣"], "invalid_argument_value"),
        ("--output-format", &["xml", "JSON", ""], "invalid_argument_value"),
        ("--output-include", &["", ",", " , "], "invalid_argument_value"),
        ("--output-cursor", &["", "  "], "invalid_argument_value"),
        ("--output-cursor", &["zzz"], "read_output_cursor_invalid"),
        ("--output-session", &["{bad", "[]"], "invalid_read_output_session"),
    ];
    for argv in reads() {
        for (flag, values, code) in wrong {
            for value in values {
                let words: Vec<&str> = argv.iter().copied().chain([flag, *value]).collect();
                let error = SMALL.refused(&words, 2, code);
                assert_eq!(error["refusal"]["surface"], flag, "{words:?}: {error}");
                assert!(
                    error.to_string().len() <= 1_600,
                    "{words:?} costs {} bytes",
                    error.to_string().len()
                );
            }
        }
    }
}

/// §3.3: a purpose has a budget of at least 256 tokens.
#[test]
fn r33_the_budget_of_a_purpose_has_a_least() {
    for argv in [
        &["list", "--for", "triage"][..],
        &["context", "--for", "orient"],
        &["search", "something", "--for", "discover"],
        &["get", "pm-003", "--for", "inspect"],
        &["next", "--for", "execute"],
    ] {
        for value in ["255", "0", "1.5"] {
            let words: Vec<&str> = argv.iter().copied().chain(["--token-budget", value]).collect();
            let error = SMALL.refused(&words, 2, "invalid_argument_value");
            assert_eq!(error["refusal"]["surface"], "--token-budget", "{words:?}: {error}");
        }
        let words: Vec<&str> = argv.iter().copied().chain(["--token-budget", "1200", "--json"]).collect();
        let output = SMALL.pm(&words).expect(0);
        assert!(tokens(&output) <= 1_200, "{words:?}");
    }
}

/// §2.3 and the seed: complete results are spelled in the library as on the command line, and defeat the default
/// ceiling only.
#[test]
fn r23_the_library_knows_complete_spellings() {
    for (command, spelled, unbounded) in [
        ("list-all", json!({}), true),
        ("list", json!({"all": true}), true),
        ("list", json!({"noTruncate": true}), true),
        ("list", json!({"no_truncate": true}), true),
        ("activity", json!({"unbounded": true}), true),
        ("contracts", json!({"full": true}), true),
        ("contracts", json!({"outputInclude": "full"}), true),
        ("get", json!({"full": true}), true),
        ("list", json!({"full": true}), false),
        ("list", json!({"all": false}), false),
        ("list-open", json!({}), false),
    ] {
        let controls = resolve_read_output_dimensions(command, &options(spelled.clone())).unwrap();
        let expected = if unbounded { BudgetSource::Intent } else { BudgetSource::Default };
        assert_eq!(controls.ceiling.source, expected, "{command} {spelled}");
        assert_eq!(controls.ceiling.tokens.is_none(), unbounded, "{command} {spelled}");
        let mut bounded = options(spelled.clone());
        bounded.insert("outputBudget".into(), json!(900));
        let controls = resolve_read_output_dimensions(command, &bounded).unwrap();
        assert_eq!((controls.ceiling.tokens, controls.ceiling.source), (Some(900), BudgetSource::Canonical));
    }
}

/// §2.1 in the library: canonical before older option, before purpose, before default, with what was given.
#[test]
fn r21_the_library_resolves_in_order() {
    let resolve = |value: Value| resolve_read_output_dimensions("list", &options(value)).unwrap();
    let mixed =
        resolve(json!({"brief": true, "outputInclude": "compact,id", "limit": 5, "outputLimit": 2.0}));
    assert_eq!(mixed.want.mode.as_deref(), Some("compact"));
    assert_eq!(mixed.limit.and_then(pm::read_output::Amount::number), Some(2));
    assert_eq!(mixed.legacy_used, ["--brief", "--limit"]);
    assert_eq!(mixed.canonical_used, ["--output-include", "--output-limit"]);
    let legacy = resolve(json!({"for": "triage", "tokenBudget": 700}));
    assert_eq!((legacy.ceiling.tokens, legacy.ceiling.source), (Some(700), BudgetSource::Legacy));
    let purpose = resolve(json!({"for": "triage"}));
    assert_eq!((purpose.ceiling.tokens, purpose.ceiling.source), (Some(3_200), BudgetSource::Intent));
    for wrong in [
        json!({"outputLimit": 1.5}),
        json!({"outputBudget": true}),
        json!({"outputFormat": "table"}),
        json!({"outputRowContract": "yes"}),
        json!({"outputInclude": [1]}),
        json!({"brief": true, "full": true}),
    ] {
        assert!(resolve_read_output_dimensions("list", &options(wrong.clone())).is_err(), "{wrong}");
    }
}

/// §7 on every surface: a session is charged for what was written, refused or omitted where it cannot pay.
#[test]
fn r7_every_surface_charges_what_it_writes() {
    for argv in reads() {
        for budget in [257, 400, 700, 1_500, 100_000] {
            let carried = state(&[], budget, 0);
            let words: Vec<&str> =
                argv.iter().copied().chain(["--json", "--output-session", &carried]).collect();
            let output = BIG.pm(&words);
            if output.stdout.is_empty() {
                assert_eq!(output.code, 2, "{words:?}");
                assert!(output.stderr.contains("read_output_session_exhausted"), "{words:?}");
                continue;
            }
            let answer = output.json();
            let (receipt, cost) = (&answer["read_session"], tokens(&output));
            assert!(cost <= budget, "{words:?}");
            assert_eq!(receipt["spent_this_call_tokens"], cost, "{words:?}");
            assert_eq!(receipt["spent_total_tokens"], cost.min(budget), "{words:?}");
            assert_eq!(receipt["exhausted"], budget - cost < 256, "{words:?}");
            assert_eq!(answer["read_output"]["estimated_tokens"], cost, "{words:?}");
            if answer.get("output_budget_exceeded").is_some() {
                assert_eq!((output.code, &receipt["new_item_count"]), (2, &json!(0)), "{words:?}");
                assert!(answer["read_output"].get("omitted_result_estimated_tokens").is_none());
            }
        }
    }
}

/// §9: rows of the discovery name what a cursor continues.
#[test]
fn r9_discovery_names_what_a_cursor_continues() {
    let contracts = SMALL.json(&["contracts", "--full", "--output-include", "read_output_dimensions"]);
    let rows = contracts["read_output_dimensions"].as_array().unwrap();
    for row in rows {
        assert!(row["row_keys"].is_array() && row["projection_modes"].is_array(), "{row}");
        let continued = row["continuation_row_keys"].as_array().unwrap();
        assert_eq!(!continued.is_empty(), row["command"] == "validate", "{row}");
    }
    let modes: usize = rows.iter().map(|row| row["projection_modes"].as_array().unwrap().len()).sum();
    assert_eq!(modes, 22, "the replacements of the seed");
}
