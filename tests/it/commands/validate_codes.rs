//! Every code of `pm validate`, each caused in a tracker of its own that did not have it before.

use std::collections::BTreeSet;

use serde_json::json;

use crate::cases::repository::{commit, git, git_ok};
use crate::sandbox::Sandbox;

const HISTORY: &str = ".agents/pm/history/pm-a.jsonl";
const ITEM: &str = ".agents/pm/tasks/pm-a.toon";

/// A code without its prefix, the flags of the call, and what causes it in the tracker of [`sound`].
type Case = (&'static str, &'static str, fn(&Sandbox));

/// A repository with a tracker, committed: the epics `pm-e` and `pm-f`, below the first the task `pm-a` with every field
/// that a profile may ask for, and `pm-z`, which is over.
fn sound() -> Sandbox {
    let sandbox = Sandbox::empty();
    git_ok(&sandbox, &["init", "-q", "-b", "main"]);
    sandbox.ok(&["init"]);
    let full =
        "--ac works --estimate 30 --reviewer bob --risk low --confidence high --sprint s1 --release r1";
    let full: Vec<&str> = full.split(' ').collect();
    for (id, kind, more) in
        [("e", "Epic", &[][..]), ("f", "Epic", &[]), ("a", "Task", &["--parent", "e"]), ("z", "Task", &[])]
    {
        let head = ["--id", id, "--type", kind, "--title", id];
        sandbox.create(&[&head[..], &full, more].concat());
    }
    sandbox.ok(&[
        "close",
        "z",
        "Done",
        "--resolution",
        "r",
        "--expected-result",
        "e",
        "--actual-result",
        "a",
    ]);
    commit(&sandbox);
    sandbox
}

/// Replaces text of a file; it must have been there.
fn edit(sandbox: &Sandbox, path: &str, from: &str, to: &str) {
    let text = sandbox.read(path);
    assert!(text.contains(from), "no {from:?} in {path}:\n{text}");
    sandbox.write(path, text.replace(from, to));
}

/// Lines of their own in the item `pm-a`.
fn lines(sandbox: &Sandbox, lines: &str) {
    let text = sandbox.read(ITEM);
    let body = text.rfind("body:").unwrap_or_else(|| panic!("no body in {text}"));
    sandbox.write(ITEM, format!("{}{lines}\n{}", &text[..body], &text[body..]));
}

fn link(sandbox: &Sandbox, id: &str, kind: &str) {
    let links = format!("dependencies[1]{{id,kind,created_at}}:\n  {id},{kind},\"2026-01-01T00:00:00.000Z\"");
    lines(sandbox, &links);
}

fn remove(sandbox: &Sandbox, path: &str) {
    std::fs::remove_file(sandbox.path().join(path)).expect("the file is there");
}

fn over(sandbox: &Sandbox) {
    edit(sandbox, ITEM, "status: open", "status: closed");
}

/// A copy of the settings as the stream of the workspace has them, and something in them that it does not.
fn settings(sandbox: &Sandbox, change: fn(&Sandbox)) {
    sandbox.ok(&["config", "set", "search.max_results", "7"]);
    change(sandbox);
}

fn receipt(sandbox: &Sandbox) {
    let receipt = json!({"item_id": "pm-a", "state": "pending", "decisions": [{"field": "title"}]});
    sandbox.write(".agents/pm/merge-receipts/pm-a.json", receipt.to_string());
}

const ITEMS: &[Case] = &[
    ("metadata_missing_author", "", |s| edit(s, ITEM, "author: alice\n", "")),
    ("metadata_missing_acceptance_criteria", "", |s| edit(s, ITEM, "acceptance_criteria: works\n", "")),
    ("metadata_missing_estimate", "", |s| edit(s, ITEM, "estimated_minutes: 30\n", "")),
    ("metadata_missing_close_reason", "", over),
    ("metadata_missing_reviewer", "--metadata-profile strict", |s| edit(s, ITEM, "reviewer: bob\n", "")),
    ("metadata_missing_risk", "--metadata-profile strict", |s| edit(s, ITEM, "risk: low\n", "")),
    ("metadata_missing_confidence", "--metadata-profile strict", |s| edit(s, ITEM, "confidence: high\n", "")),
    ("metadata_missing_sprint", "--metadata-profile strict", |s| edit(s, ITEM, "sprint: s1\n", "")),
    ("metadata_missing_release", "--metadata-profile strict", |s| edit(s, ITEM, "release: r1\n", "")),
    ("metadata_duplicate_issue_codes", "", |s| {
        edit(s, ITEM, "title: a", "title: \"GH-7: one\"");
        edit(s, ".agents/pm/tasks/pm-z.toon", "title: z", "title: \"GH-7: two\"");
    }),
    ("metadata_custom_profile_missing_required_fields", "--metadata-profile custom", |_| ()),
    ("resolution_missing_fields", "", over),
    ("lifecycle_active_closure_like_metadata", "", |s| lines(s, "resolution: Work is closed")),
    ("lifecycle_active_terminal_parent", "", |s| edit(s, ITEM, "parent: pm-e", "parent: pm-z")),
    ("lifecycle_stale_blockers", "--check-stale-blockers", |s| lines(s, "blocked_reason: waits")),
    ("lifecycle_dependency_cycles", "", |s| lines(s, "blocked_by: pm-a")),
    ("lifecycle_dependency_cycles_error", "--dependency-cycle-severity error", |s| {
        lines(s, "blocked_by: pm-a");
    }),
    ("hierarchy_parent_cycle", "", |s| edit(s, ITEM, "parent: pm-e", "parent: pm-a")),
    ("hierarchy_parent_cycle_error", "--parent-cycle-severity error", |s| {
        edit(s, ITEM, "parent: pm-e", "parent: pm-a");
    }),
    ("hierarchy_cardinality_violation", "", |s| link(s, "pm-f", "parent")),
    ("hierarchy_cardinality_violation_error", "--parent-cycle-severity error", |s| link(s, "pm-f", "parent")),
    ("hierarchy_parent_divergence", "", |s| link(s, "pm-f", "parent")),
    ("hierarchy_parent_divergence_error", "--parent-cycle-severity error", |s| link(s, "pm-f", "parent")),
    ("legacy_hierarchy_parent_cycle", "", |s| {
        over(s);
        edit(s, ITEM, "parent: pm-e", "parent: pm-a");
    }),
    ("legacy_hierarchy_cardinality_violation", "", |s| {
        over(s);
        link(s, "pm-f", "parent");
    }),
    ("legacy_hierarchy_parent_divergence", "", |s| {
        over(s);
        link(s, "pm-f", "parent");
    }),
    ("dangling_dependency_references", "", |s| link(s, "pm-ghost", "related")),
    ("files_missing_linked_paths", "", |s| lines(s, "files[1]{path,scope}:\n  src/gone.rs,project")),
    ("files_orphaned_paths", "", |s| s.write("src/alone.rs", "")),
    ("files_tracked_all_strict_forces_pm_internals", "--scan-mode tracked-all-strict", |_| ()),
    ("command_references_stale_pm_ids", "", |s| {
        lines(s, "tests[1]{command,scope}:\n  pm get pm-ghost,project");
    }),
    ("format_version_ahead_items", "", |s| lines(s, "pm_format_version: 2")),
];

const FILES: &[Case] = &[
    ("history_drift_missing_streams", "", |s| remove(s, HISTORY)),
    ("history_drift_unreadable_streams", "", |s| s.write(HISTORY, "nothing\n")),
    ("history_drift_hash_mismatches", "", |s| edit(s, ITEM, "title: a", "title: b")),
    ("history_drift_chain_mismatches", "", |s| edit(s, HISTORY, "works", "fails")),
    ("history_drift_workspace_state_mismatches", "", |s| {
        settings(s, |s| edit(s, ".agents/pm/settings.json", "\"max_results\": 7", "\"max_results\": 8"));
    }),
    ("history_drift_workspace_state_missing", "", |s| {
        settings(s, |s| remove(s, ".agents/pm/settings.json"));
    }),
    ("history_drift_workspace_state_unreadable", "", |s| {
        s.ok(&["schema", "add-type", "Spike"]);
        s.write(".agents/pm/schema/types.json", "{");
    }),
    ("history_unknown_author_events", "", |s| {
        edit(
            s,
            HISTORY,
            "\"author\":\"alice\",\"author_source\":\"asserted\"",
            "\"author\":\"unknown\",\"author_source\":\"unknown\"",
        );
    }),
    ("storage_unreadable_items", "", |s| s.write(".agents/pm/tasks/pm-torn.toon", "id: pm-torn\n")),
    ("storage_duplicate_item_ids", "", |s| s.write(".agents/pm/issues/pm-a.toon", s.read(ITEM))),
    ("storage_unparseable_config", "", |s| s.write(".agents/pm/schema/fields.json", "{")),
    ("storage_history_conflict_markers", "", |s| {
        s.write(HISTORY, format!("{}<<<<<<< ours\n", s.read(HISTORY)));
    }),
    ("storage_unparseable_history", "", |s| s.write(HISTORY, "nothing\n")),
    ("storage_resurrected_items", "", |s| {
        let text = s.read(ITEM);
        s.ok(&["delete", "a"]);
        s.write(ITEM, text);
    }),
    ("storage_merge_undecided", "", |s| lines(s, "merge_conflicts:\n  title:\n    ours: a\n    theirs: b")),
    ("storage_redaction_returned", "", |s| {
        s.ok(&["comments", "a", "the word is swordfish"]);
        commit(s);
        let text = s.read(ITEM);
        s.ok(&["history-redact", "a", "--literal", "swordfish"]);
        commit(s);
        s.write(ITEM, text);
    }),
    ("storage_unjoined_files", "", |s| {
        git_ok(s, &["checkout", "-q", "-b", "other"]);
        s.ok(&["comments", "a", "theirs"]);
        commit(s);
        git_ok(s, &["checkout", "-q", "-"]);
        s.ok(&["comments", "a", "ours"]);
        commit(s);
        for driver in ["item-toon", "history"] {
            git_ok(s, &["config", &format!("merge.pm-{driver}.driver"), "exit 1"]);
        }
        assert_ne!(git(s, &["merge", "-q", "other"]).0, 0);
    }),
    ("storage_undeclared_type", "", |s| s.write(ITEM, s.read(ITEM).replace("type: Task", "type: Spike"))),
    ("storage_tracked_runtime_cache_files", "", |s| {
        s.ok(&["list"]);
        git_ok(s, &["add", "-f", ".agents/pm/runtime"]);
    }),
    ("merge_fence_drift", "", |s| remove(s, ".gitattributes")),
    ("merge_driver_configuration", "", |s| {
        git_ok(s, &["config", "--remove-section", "merge.pm-item-toon"]);
    }),
    ("merge_decisions_unreviewed", "", receipt),
];

/// Codes that need a catalog: tests/it/catalog/plans.rs causes them.
const OF_RUNBOOKS: [&str; 4] =
    ["plan_runbook_missing", "plan_runbook_changed", "plan_runbook_revoked", "plan_runbook_untrusted"];

fn causes(cases: &[Case]) {
    let mut faults = Vec::new();
    for (bare, flags, cause) in cases {
        let sandbox = sound();
        let code = format!("validate_{bare}");
        let flags = flags.split_whitespace();
        let argv: Vec<&str> = ["validate", "--json", "--fail-on", &code].into_iter().chain(flags).collect();
        let told = |when: &str| {
            let output = sandbox.pm(&argv);
            assert!(output.stdout.starts_with('{'), "{code} {when}: {output:?}");
            let warnings = output.json()["warnings"].clone();
            let warnings = warnings.as_array().unwrap_or_else(|| panic!("no warnings: {output:?}"));
            let own = |warning: &&serde_json::Value| {
                warning.as_str().is_some_and(|text| text.split(':').next() == Some(&code))
            };
            (warnings.iter().find(own).cloned(), output.code, warnings.clone())
        };
        let always = ["metadata_custom", "files_tracked_all_strict"].iter().any(|own| bare.starts_with(own));
        let (before, exit, all) = told("before");
        if !always && (before.is_some(), exit) != (false, 0) {
            faults.push(format!("{code} before: exit {exit}, {all:?}"));
        }
        cause(&sandbox);
        let (after, exit, all) = told("after");
        if after.is_none() || exit != 1 {
            faults.push(format!("{code} after: exit {exit}, {all:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_code_about_items_can_be_caused_and_fails_a_gate() {
    causes(ITEMS);
}

#[test]
fn every_code_about_files_can_be_caused_and_fails_a_gate() {
    causes(FILES);
}

/// Nothing is older than format 1, which an item need not name; anything below it is no version and is not kept.
const OF_LATER_FORMATS: [&str; 1] = ["format_version_outdated_items"];

#[test]
fn a_gate_takes_the_codes_that_there_are_and_no_other() {
    let sandbox = Sandbox::tracker();
    let error = sandbox.refused(
        &["validate", "--explain", "--fail-on", "validate_storage_duplicate_items"],
        2,
        "invalid_argument_value",
    );
    let legal = error["recovery"]["allowed_values"].as_array().unwrap_or_else(|| panic!("{error}"));
    let legal: BTreeSet<&str> = legal.iter().filter_map(|code| code.as_str()).collect();
    let cases = ITEMS.iter().chain(FILES).map(|(code, ..)| *code).chain(OF_RUNBOOKS).chain(OF_LATER_FORMATS);
    let caused: BTreeSet<String> = cases.map(|bare| format!("validate_{bare}")).collect();
    let mut told: BTreeSet<&str> = caused.iter().map(String::as_str).collect();
    told.extend(["warning", "error"]);
    assert_eq!(
        legal, told,
        "every code that a gate may name is caused by a case here, and every case is one"
    );
}
