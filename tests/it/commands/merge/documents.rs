//! Settings and schema that two branches changed.

use serde_json::{Value, json};

use super::on_branch;
use crate::cases::repository::{commit, git, git_ok, repository};
use crate::sandbox::Sandbox;

const STREAM: &str = ".agents/pm/history/_workspace.jsonl";
const SETTINGS: &str = ".agents/pm/settings.json";

/// The stream of the workspace holds, and its documents are the files.
fn sound(sandbox: &Sandbox) {
    let streams =
        sandbox.pm(&["validate", "--check-history-drift", "--check-storage-integrity", "--json"]).json();
    let text = streams.to_string();
    assert!(!text.contains("_workspace"), "{text}");
    // The next change of a document replays the stream and compares it with the file.
    sandbox.ok(&["schema", "add-type", "Probe"]);
    sandbox.ok(&["config", "project", "set", "ids.token_length", "7"]);
}

fn document(sandbox: &Sandbox, path: &str) -> Value {
    serde_json::from_str(&sandbox.read(path)).expect("a document")
}

/// Branches of a repository in which the workspace has a history already, or has none.
fn branches(known: bool, ours: &[&[&str]], theirs: &[&[&str]]) -> Sandbox {
    let mut sandbox = repository();
    if known {
        sandbox.ok(&["schema", "add-type", "Known"]);
        sandbox.ok(&["config", "project", "set", "ids.token_length", "5"]);
        commit(&sandbox);
    }
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", ours);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", theirs);
    sandbox
}

#[test]
fn what_both_branches_declared_is_there_and_the_history_says_so() {
    let ours: &[&[&str]] = &[
        &["schema", "add-type", "Spike"],
        &["schema", "add-field", "effort", "--type", "number"],
        &["config", "project", "set", "search.max_results", "20"],
    ];
    let theirs: &[&[&str]] = &[
        &["schema", "add-type", "Story"],
        &["schema", "add-field", "team"],
        &["config", "project", "set", "locks.wait_ms", "500"],
        &["schema", "add-status", "review"],
    ];
    for known in [true, false] {
        let sandbox = branches(known, ours, theirs);
        let merged = |from: &str, into: &str| {
            git_ok(&sandbox, &["checkout", "-q", "-B", "trial", into]);
            git_ok(&sandbox, &["merge", "-q", "--no-edit", from]);
            let files =
                ["schema/types.json", "schema/fields.json", "settings.json", "history/_workspace.jsonl"];
            files.map(|path| sandbox.read(&format!(".agents/pm/{path}")))
        };
        assert_eq!(merged("a", "b"), merged("b", "a"));
        let types = document(&sandbox, ".agents/pm/schema/types.json").to_string();
        assert!(types.contains("Spike") && types.contains("Story"), "{types}");
        let settings = document(&sandbox, SETTINGS);
        assert_eq!(
            (&settings["search"]["max_results"], &settings["locks"]["wait_ms"]),
            (&20.into(), &500.into())
        );
        sound(&sandbox);
    }
}

fn conflicted(known: bool) -> Sandbox {
    let set = |value: &'static str| ["config", "project", "set", "search.max_results", value];
    let sandbox = branches(known, &[&set("20")], &[&set("30")]);
    let (code, text) = git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
    assert_ne!(code, 0, "{text}");
    sandbox
}

#[test]
fn two_values_for_one_setting_are_shown_and_decided() {
    for (argv, value) in [
        (&["--ours"][..], 30),
        (&["--theirs"], 20),
        (&["--keep"], 20),
        (&["--set", "search.max_results=25"], 25),
        (&["--ours", "--field", "search.max_results"], 30),
    ] {
        for (known, committed) in [(true, false), (true, true), (false, false)] {
            let sandbox = conflicted(known);
            if committed {
                commit(&sandbox);
            }
            assert!(serde_json::from_str::<Value>(&sandbox.read(SETTINGS)).is_ok());
            let all = sandbox.json(&["merge", "status"]);
            let row = &all["conflicts"][0];
            assert_eq!(
                (&row["id"], &row["fields"]),
                (&json!("settings.json"), &json!(["search.max_results"])),
                "{all}"
            );
            let status = sandbox.json(&["merge", "status", "settings.json"]);
            assert_eq!(status["fields"][0]["values"], json!([20, 30]), "{status}");
            assert_eq!(sandbox.pm(&["validate", "--json"]).json()["ok"], false);
            sandbox.refused(&["merge", "resolve", "settings.json"], 4, "merge_undecided");
            let done = sandbox.json(&[&["merge", "resolve", "settings.json"], argv].concat());
            assert_eq!(done["decided"][0]["value"], value, "{argv:?} {done}");
            assert_eq!(document(&sandbox, SETTINGS)["search"]["max_results"], value);
            commit(&sandbox);
            assert_eq!(sandbox.json(&["merge", "status"])["count"], 0);
            sound(&sandbox);
        }
    }
}

#[test]
fn settings_and_schema_that_git_merged_without_the_drivers_are_mended() {
    let ours: &[&[&str]] =
        &[&["schema", "add-type", "Spike"], &["config", "project", "set", "search.max_results", "20"]];
    let theirs: &[&[&str]] =
        &[&["schema", "add-type", "Story"], &["config", "project", "set", "search.max_results", "30"]];
    for committed in [false, true] {
        let sandbox = branches(true, ours, theirs);
        for driver in ["pm-item-toon", "pm-history", "pm-json"] {
            git(&sandbox, &["config", "--remove-section", &format!("merge.{driver}")]);
        }
        let (code, _) = git(&sandbox, &["merge", "-q", "--no-edit", "a"]);
        assert_ne!(code, 0);
        assert!(sandbox.read(SETTINGS).contains("<<<<<<<") && sandbox.read(STREAM).contains("<<<<<<<"));
        if committed {
            commit(&sandbox);
        }
        let status = sandbox.json(&["merge", "status", "settings.json"]);
        assert_eq!(status["fields"][0]["values"], json!([20, 30]), "{status}");
        let output = sandbox.pm(&["merge", "reconcile", "--json"]);
        let done = output.expect(1).json();
        assert_eq!(done["left"], json!(["settings.json"]), "{done}");
        let types = document(&sandbox, ".agents/pm/schema/types.json").to_string();
        assert!(types.contains("Spike") && types.contains("Story"), "{types}");
        sandbox.ok(&["merge", "resolve", "settings.json", "--set", "search.max_results=30"]);
        assert_eq!(document(&sandbox, SETTINGS)["search"]["max_results"], 30);
        sound(&sandbox);
    }
}

#[test]
fn the_history_of_the_workspace_is_mended_shortened_and_redacted_like_others() {
    let sandbox = repository();
    sandbox.ok(&["schema", "add-type", "Spike", "--description", "asks hunter2"]);
    sandbox.ok(&["schema", "add-type", "Story"]);
    sandbox.ok(&["schema", "add-type", "Saga"]);
    sandbox.ok(&["history-redact", "_workspace", "--literal", "hunter2"]);
    for path in [STREAM, ".agents/pm/schema/types.json"] {
        assert!(!sandbox.read(path).contains("hunter2"), "{path}");
    }
    sandbox.ok(&["schema", "add-type", "Next"]);
    sandbox.ok(&["history-compact", "_workspace"]);
    sandbox.ok(&["schema", "add-type", "After"]);
    let broken = sandbox.read(STREAM).replacen("\"after_hash\":\"", "\"after_hash\":\"0", 1);
    sandbox.write(STREAM, broken);
    sandbox.refused(&["schema", "add-type", "Never"], 4, "workspace_history_chain_invalid");
    let done = sandbox.json(&["history-repair", "--all"]);
    assert_eq!(done["rows"][0]["id"], "_workspace", "{done}");
    sound(&sandbox);
}
