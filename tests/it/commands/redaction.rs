//! `history-redact` beside the item: whatever the tracker keeps must not hold the secret any more.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cases::repository::git;
use crate::sandbox::Sandbox;

/// With a quote and a line feed each file format escapes it in its own way.
const SECRET: &str = "hun\"ter2-zq";

/// The same as JSON and TOON write it.
const ESCAPED: &str = "hun\\\"ter2-zq";

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Every file of the tracker, of Git's own folder and of the user's folders that holds the secret, as bytes in any form.
fn holding(sandbox: &Sandbox, word: &str) -> Vec<String> {
    let mut files = Vec::new();
    for folder in [".agents", "no-home", ".cache", ".git/pm-merge-receipts"] {
        walk(&sandbox.path().join(folder), &mut files);
    }
    let has = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        text.contains(&word.to_lowercase())
    };
    let shown = |path: &PathBuf| path.strip_prefix(sandbox.path()).unwrap().display().to_string();
    files.iter().filter(|path| has(path)).map(shown).collect()
}

/// A tracker that kept the secret of one item in every way that it can.
fn steeped() -> Sandbox {
    let sandbox = Sandbox::tracker();
    git(&sandbox, &["init", "-q", "-b", "main"]);
    sandbox.create(&["A", "--id", "a", "--tags", "t", "--body", &format!("the {SECRET} secret")]);
    sandbox.create(&["B", "--id", "b", "--blocked-by", "a"]);
    sandbox.create(&["C", "--id", "c", "--tags", "t"]);
    sandbox.ok(&["comments", "a", &format!("said {SECRET}")]);
    // Checkpoints say what was asked for; the copies of the tracker hold all of it.
    sandbox.ok(&["workspace", "snapshot", "create", "one", "--message", SECRET]);
    sandbox.ok(&["update-many", "--ids", "a", "--description", SECRET]);
    sandbox.ok(&["workspace", "snapshot", "create", "two"]);
    sandbox.ok(&["close-many", "--ids", "a", "--reason", &format!("was {SECRET}")]);
    let batch = json!({"transactionId": SECRET.replace('"', "").replace("ter2", ""), "mutations": [
        {"op": "update", "id": "pm-a", "options": {"title": format!("A {SECRET}")}}]});
    let _ = sandbox.pm_with(&["item", "mutate", "--stdin-json"], &batch.to_string()).expect(0);
    sandbox.ok(&["templates", "save", "t", "--description", SECRET]);
    // Indexes, facts and states come from reading.
    for call in [
        &["list", "--all"][..],
        &["search", "hun"],
        &["activity"],
        &["validate"],
        &["context"],
        &["graph", "audit", "--save-baseline"],
    ] {
        let _ = sandbox.pm(call);
    }
    let receipt = json!({"version": 1, "item_id": "pm-a", "state": "pending", "decisions": [
        {"field": "body", "ours": SECRET, "theirs": "x", "retained": "x", "discarded": SECRET}]});
    sandbox.write(".git/pm-merge-receipts/r.json", receipt.to_string());
    for (path, text) in [
        ("runtime/test-runs/one/output.log", format!("said {SECRET} aloud\n")),
        ("runtime/context-usage.jsonl", json!({"event": "serve", "surface": SECRET}).to_string()),
        ("runtime/metadata-cache.json", json!([SECRET]).to_string()),
        ("search/embeddings.jsonl", json!({"text": SECRET}).to_string()),
        ("search/eval-queries.json", json!([{"query": SECRET, "relevant": ["pm-a"]}]).to_string()),
        ("assurance.json", json!({"gates": [], "note": SECRET}).to_string()),
        ("tasks/.pm-a.toon.4194305.1.00000000.tmp", format!("title: {SECRET}\n")),
    ] {
        sandbox.write(&format!(".agents/pm/{path}"), text);
    }
    sandbox
}

fn verified(sandbox: &Sandbox) {
    let answer = sandbox.json(&["history", "a", "--verify"]);
    let verification = &answer["verification"];
    assert_eq!((&verification["ok"], &verification["current_matches_latest"]), (&json!(true), &json!(true)));
}

#[test]
fn no_file_that_the_tracker_keeps_holds_a_redacted_secret() {
    let sandbox = steeped();
    let before = holding(&sandbox, ESCAPED);
    for part in
        ["checkpoints/update-many", "checkpoints/close-many", "workspace-snapshots", "templates", "receipts"]
    {
        assert!(before.iter().any(|path| path.contains(part)), "{part} never held it: {before:?}");
    }
    let plan = sandbox.json(&["history-redact", "a", "--literal", SECRET, "--dry-run"]);
    assert_eq!(holding(&sandbox, ESCAPED), before);
    let done = sandbox.json(&["history-redact", "a", "--literal", SECRET]);
    assert_eq!(done["remains_in"], Value::Null, "{done}");
    assert_eq!(plan["also_redacted_count"], done["also_redacted_count"]);
    assert_eq!(holding(&sandbox, ESCAPED), [""; 0]);
    assert_eq!(holding(&sandbox, SECRET), [""; 0]);
    // What a search index makes of it, too: words.
    assert_eq!(holding(&sandbox, "ter2"), [""; 0]);
    verified(&sandbox);
    // The copies are whole, and can be brought back.
    for name in ["one", "two"] {
        let copy = sandbox.json(&["workspace", "snapshot", "inspect", name]);
        assert_ne!(copy["intact"], false, "{copy}");
        sandbox.ok(&["workspace", "snapshot", "restore", name, "--force"]);
        verified(&sandbox);
    }
    assert_eq!(holding(&sandbox, "ter2"), [""; 0]);
    assert!(sandbox.read(".agents/pm/tasks/pm-a.toon").contains("[redacted]"));
}

#[test]
fn checkpoints_still_lead_back_after_a_redaction() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "hunter2", "--body", "x hunter2"]);
    sandbox.create(&["B", "--id", "b", "--body", "y"]);
    let done = sandbox.json(&["update-many", "--ids", "hunter2,b", "--description", "hunter2 again"]);
    let checkpoint = done["checkpoint"]["id"].as_str().unwrap();
    // The ids stay: files are named after them.
    sandbox.ok(&["history-redact", "b", "--literal", "hunter2"]);
    let back = sandbox.json(&["update-many", "--rollback", checkpoint]);
    assert_eq!(back["restored_count"], 2, "{back}");
    assert_eq!(sandbox.json(&["get", "b"])["item"]["description"], "");
}

#[test]
fn what_other_items_hold_is_named_and_goes_when_all_are_asked_for() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a", "--body", "hunter2"]);
    sandbox.create(&["B", "--id", "b", "--body", "hunter2 too"]);
    sandbox.create(&["C", "--id", "c", "--body", "nothing"]);
    sandbox.ok(&["delete", "b"]);
    sandbox.write(".agents/pm/extensions/x/index.js", "const secret = 'hunter2';\n");
    let done = sandbox.json(&["history-redact", "a", "--literal", "hunter2"]);
    assert_eq!(done["remains_in"], json!(["extensions/x/index.js", "history/pm-b.jsonl"]));
    assert!(done["warnings"].as_array().unwrap().contains(&json!("redaction_incomplete:2")), "{done}");
    let all = sandbox.json(&["history-redact", "--all", "--literal", "hunter2"]);
    assert_eq!((&all["checked"], &all["redacted"]), (&json!(1), &json!(1)));
    assert_eq!(all["remains_in"], json!(["extensions/x/index.js"]));
    assert_eq!(sandbox.json(&["history-redact", "--all", "--literal", "hunter2"])["checked"], 0);
    sandbox.refused(&["history-redact", "a", "--all", "--literal", "x"], 2, "conflicting_arguments");
    sandbox.refused(
        &["history-redact", "a", "--literal", "x", "--message", "no x"],
        2,
        "invalid_argument_value",
    );
}

#[test]
fn a_redaction_that_was_killed_is_finished_by_the_same_call() {
    for fault in ["journal_written", "applied"] {
        let mut sandbox = steeped();
        sandbox.set("PM_FAULT", fault);
        let killed = sandbox.pm(&["history-redact", "a", "--literal", SECRET]);
        assert_ne!(killed.code, 0, "{fault}");
        sandbox.unset("PM_FAULT");
        sandbox.ok(&["history-redact", "a", "--literal", SECRET]);
        assert_eq!(holding(&sandbox, "ter2"), [""; 0], "{fault}");
        verified(&sandbox);
    }
}
