//! Settings on the command line.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn stream(here: &Sandbox) -> Vec<Value> {
    let text = std::fs::read_to_string(here.root().join("history/_workspace.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn settings_are_listed_and_told() {
    let here = Sandbox::tracker();
    let all = here.json(&["config", "list"]);
    assert_eq!(all["count"].as_u64().unwrap() as usize, all["keys"].as_array().unwrap().len());
    assert_eq!(here.json(&["config"]), all);
    assert_eq!(here.json(&["config", "project", "list"]), all);
    for (key, part, value) in [
        ("governance-preset", "policy", json!("minimal")),
        ("definition-of-done", "criteria", json!([])),
        ("item_format", "format", json!("toon")),
        (
            "id_prefix",
            "nested_setting",
            json!({"key": "id_prefix", "path": "id_prefix", "kind": "string", "value": "pm-"}),
        ),
    ] {
        assert_eq!(here.json(&["config", "get", key])[part], value, "{key}");
    }
    let exported = here.json(&["config", "export"]);
    assert_eq!(exported["settings"]["locks"]["wait_ms"], 3000);
}

#[test]
fn a_setting_is_changed_once_and_recorded() {
    let here = Sandbox::tracker();
    let before = here.read(".agents/pm/settings.json");
    let same = here.json(&["config", "set", "ids.token_length", "4"]);
    assert_eq!(same["changed"], false);
    let dry = here.json(&["config", "set", "ids.token_length", "6", "--dry-run"]);
    assert_eq!((&dry["changed"], &dry["dry_run"]), (&true.into(), &true.into()));
    assert_eq!((before.as_str(), stream(&here).len()), (here.read(".agents/pm/settings.json").as_str(), 0));
    let changed = here.json(&["config", "project", "set", "ids-token-length", "6"]);
    assert_eq!((&changed["changed"], &changed["nested_setting"]["value"]), (&true.into(), &6.into()));
    assert_eq!(
        here.read(".agents/pm/settings.json"),
        before.replace("\"token_length\": 4", "\"token_length\": 6")
    );
    let entries = stream(&here);
    assert_eq!((entries.len(), &entries[0]["op"]), (1, &"config:set:ids.token_length".into()));
}

#[test]
fn policies_lists_and_context_have_flags_of_their_own() {
    let here = Sandbox::tracker();
    here.ok(&["config", "project", "set", "governance-ownership-enforcement", "--policy", "strict"]);
    assert_eq!(here.json(&["config", "get", "governance-preset"])["policy"], "custom");
    here.ok(&[
        "config",
        "set",
        "definition-of-done",
        "--criterion",
        "tests pass",
        "--criterion",
        "docs say so",
    ]);
    assert_eq!(
        here.json(&["config", "get", "definition-of-done"])["criteria"],
        json!(["tests pass", "docs say so"])
    );
    here.ok(&["config", "set", "definition-of-done", "--clear-criteria"]);
    assert_eq!(here.json(&["config", "get", "definition-of-done"])["criteria"], json!([]));
    here.ok(&["config", "set", "item-format", "--format", "toon"]);
    let context =
        here.json(&["config", "set", "context", "--activity-limit", "3", "--section-tests", "false"]);
    assert_eq!(
        (&context["context"]["activity_limit"], &context["context"]["sections"]["tests"]),
        (&3.into(), &false.into())
    );
    here.ok(&["config", "set", "output.envelope", "full"]);
    assert!(here.json(&["config", "get", "id_prefix"])["settings_path"].is_string());
}

#[test]
fn what_is_no_setting_or_no_value_is_refused() {
    let here = Sandbox::tracker();
    for argv in [
        &["config", "project", "set", "nope", "x"][..],
        &["config", "set", "ids.token_length", "99"],
        &["config", "set", "governance-preset", "wild"],
        &["config", "frobnicate"],
        &["config", "set", "context", "--activity-limit", "none"],
    ] {
        here.refused(argv, 2, "invalid_argument_value");
    }
    here.refused(&["config", "get"], 2, "missing_required_argument");
    here.refused(&["config", "set", "id_prefix"], 2, "missing_required_argument");
    here.refused(&["config", "set", "id_prefix", "a", "--value", "b"], 2, "conflicting_arguments");
    let error = here.refused(&["config", "get", "id-prefx"], 2, "invalid_argument_value");
    assert_eq!(error["recovery"]["allowed_values"][0], "id_prefix");
    assert!(stream(&here).is_empty());
}

#[test]
fn settings_edited_by_hand_are_accepted_with_force() {
    let here = Sandbox::tracker();
    here.ok(&["config", "set", "locks_wait_ms", "5"]);
    let hand = here.read(".agents/pm/settings.json").replace("\"wait_ms\": 5", "\"wait_ms\": 7");
    here.write(".agents/pm/settings.json", &hand);
    here.refused(&["config", "set", "locks_wait_ms", "9"], 4, "workspace_history_state_conflict");
    here.ok(&["config", "set", "locks_wait_ms", "9", "--force"]);
    let ops: Vec<Value> = stream(&here).iter().map(|entry| entry["op"].clone()).collect();
    assert_eq!(ops, ["config:set:locks.wait_ms", "external_edit", "config:set:locks.wait_ms"]);
}

#[test]
fn global_settings_lie_in_their_own_folder() {
    let mut here = Sandbox::empty();
    let folder = here.path().join("profile");
    here.set("PM_GLOBAL_PATH", folder.to_str().unwrap());
    assert_eq!(here.json(&["config", "global", "get", "author_default"])["nested_setting"]["value"], "");
    here.ok(&["config", "global", "set", "author_default", "ann"]);
    assert_eq!(here.json(&["config", "global", "get", "author_default"])["nested_setting"]["value"], "ann");
    assert_eq!(here.read("profile/settings.json"), "{\n  \"author_default\": \"ann\"\n}\n");
    here.refused(&["config", "get", "author_default"], 3, "tracker_not_initialized");
}

#[test]
fn secrets_are_not_shown_among_others() {
    let here = Sandbox::tracker();
    here.ok(&["config", "set", "openai_api_key", "sk-secret"]);
    for argv in [&["config", "list"][..], &["config", "export"]] {
        assert!(!here.ok(argv).contains("sk-secret"));
    }
    assert_eq!(here.json(&["config", "get", "openai_api_key"])["nested_setting"]["value"], "sk-secret");
}

#[test]
fn numbers_outside_their_domain_are_told_it() {
    let sandbox = Sandbox::tracker();
    for value in ["-5", "0", "many", "-0.5"] {
        let error =
            sandbox.refused(&["config", "set", "locks_ttl_seconds", value], 2, "invalid_argument_value");
        assert!(error["detail"].as_str().unwrap().contains("whole number from 1 on"), "{value}: {error}");
        assert_eq!(error["refusal"]["rejected_value"], value, "{error}");
        assert!(error.to_string().contains("pm config set locks_ttl_seconds 1800"), "{error}");
    }
    sandbox.ok(&["config", "set", "locks_ttl_seconds", "1800"]);
}
