//! `history-redact`, `history-compact`, `history-repair`.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const ITEM: &str = ".agents/pm/tasks/pm-a.toon";
const STREAM: &str = ".agents/pm/history/pm-a.jsonl";

/// An item with a secret in its body, a tag and every comment; nine entries.
fn leaky() -> Sandbox {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a", "--body", "the hunter2 secret", "--tags", "zz-hunter2,b"]);
    for n in 0..8 {
        sandbox.ok(&["comments", "a", &format!("c{n} hunter2")]);
    }
    sandbox
}

fn entries(sandbox: &Sandbox) -> Vec<Value> {
    sandbox.read(STREAM).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn ops(sandbox: &Sandbox) -> Vec<String> {
    entries(sandbox).iter().map(|entry| entry["op"].as_str().unwrap().to_owned()).collect()
}

fn verified(sandbox: &Sandbox) {
    let answer = sandbox.json(&["history", "a", "--verify"]);
    let verification = &answer["verification"];
    assert_eq!(
        (&verification["ok"], &verification["current_matches_latest"]),
        (&json!(true), &json!(true)),
        "{answer}"
    );
}

#[test]
fn a_redacted_secret_leaves_no_trace_and_the_chain_holds() {
    let sandbox = leaky();
    let before = (sandbox.read(ITEM), sandbox.read(STREAM));
    let plan = sandbox.json(&["history-redact", "a", "--literal", "hunter2", "--dry-run"]);
    assert_eq!((&plan["matches"], &plan["dry_run"]), (&json!(10), &json!(true)));
    assert_eq!((sandbox.read(ITEM), sandbox.read(STREAM)), before);
    let done = sandbox.json(&["history-redact", "a", "--literal", "hunter2"]);
    assert_eq!(
        (&done["matches"], &done["entries_changed"], &done["item_changed"]),
        (&json!(10), &json!(9), &json!(true))
    );
    for text in [sandbox.read(ITEM), sandbox.read(STREAM)] {
        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.contains("[redacted]"));
    }
    let last = entries(&sandbox).pop().unwrap();
    assert_eq!((&last["op"], &last["patch"]), (&json!("history_redact"), &json!([])));
    assert_eq!(last["message"], "history-redact replaced 10 matches across 9 entries.");
    verified(&sandbox);
    // The tags changed their order: what comes later must still fit.
    sandbox.ok(&["update", "a", "--add-tags", "c", "--body", "new"]);
    sandbox.ok(&["update", "a", "--remove-tags", "b"]);
    verified(&sandbox);
    let again = sandbox.json(&["history-redact", "a", "--literal", "hunter2"]);
    assert_eq!(again["unchanged"], true);
}

#[test]
fn values_that_become_the_same_do_not_break_what_follows() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a", "--tags", "k1,k2,k3,z"]);
    sandbox.ok(&["history-redact", "a", "--regex", "/K[0-9]/i", "--replacement", "k"]);
    verified(&sandbox);
    sandbox.ok(&["update", "a", "--add-tags", "l,a"]);
    sandbox.ok(&["update", "a", "--remove-tags", "k"]);
    verified(&sandbox);
    assert_eq!(sandbox.json(&["get", "a", "--fields", "tags"])["item"]["tags"], json!(["a", "l", "z"]));
}

#[test]
fn a_deleted_item_is_redacted_too() {
    let sandbox = leaky();
    sandbox.ok(&["delete", "a"]);
    sandbox.ok(&["history-redact", "a", "--literal", "hunter2"]);
    assert!(!sandbox.read(STREAM).contains("hunter2"));
    sandbox.ok(&["restore", "a", "3"]);
    verified(&sandbox);
    assert!(sandbox.read(ITEM).contains("c1 [redacted]"));
}

#[test]
fn redactions_that_cannot_be_are_refused() {
    let sandbox = leaky();
    let before = (sandbox.read(ITEM), sandbox.read(STREAM));
    for (argv, code) in [
        (&["history-redact", "a"][..], "missing_required_argument"),
        (&["history-redact", "a", "--literal", ""], "invalid_argument_value"),
        (&["history-redact", "a", "--literal", "pm-a"], "invalid_argument_value"),
        (&["history-redact", "a", "--literal", "open"], "invalid_argument_value"),
        (&["history-redact", "a", "--regex", "("], "invalid_argument_value"),
        (&["history-redact", "a", "--regex", "/x/q"], "invalid_argument_value"),
        (&["history-redact", "a", "--literal", "x", "--replacement", "xx"], "invalid_argument_value"),
    ] {
        sandbox.refused(argv, 2, code);
    }
    sandbox.refused(&["history-redact", "nope", "--literal", "x"], 3, "item_not_found");
    let broken = sandbox.read(STREAM).replacen("c1 hunter2", "c1 changed", 1);
    sandbox.write(STREAM, &broken);
    sandbox.refused(&["history-redact", "a", "--literal", "hunter2"], 1, "history_chain_invalid");
    sandbox.write(STREAM, &before.1);
    assert_eq!((sandbox.read(ITEM), sandbox.read(STREAM)), before);
}

#[test]
fn a_compacted_history_keeps_its_end_and_its_versions() {
    let sandbox = leaky();
    let item = sandbox.read(ITEM);
    let version_five = sandbox.json(&["get", "a", "--at", "5", "--fields", "comments"])["item"].clone();
    let done = sandbox.json(&["history-compact", "a", "--before", "4"]);
    assert_eq!((&done["compacted"], &done["kept"], &done["entries"]), (&json!(3), &json!(6), &json!(8)));
    let ops = ops(&sandbox);
    assert_eq!((ops[0].as_str(), ops[7].as_str()), ("history_compact_baseline", "history_compact"));
    verified(&sandbox);
    assert_eq!(sandbox.read(ITEM), item);
    assert_eq!(sandbox.json(&["get", "a", "--at", "3", "--fields", "comments"])["item"], version_five);
    sandbox.refused(&["history-compact", "a", "--before", "99"], 2, "invalid_argument_value");
    sandbox.refused(&["history-compact"], 2, "missing_required_argument");
    let stream = sandbox.read(STREAM);
    assert_eq!(sandbox.json(&["history-compact", "a", "--before", "2"])["unchanged"], true);
    assert_eq!(sandbox.read(STREAM), stream);
}

#[test]
fn many_histories_are_compacted_in_one_call() {
    let sandbox = leaky();
    sandbox.create(&["B", "--id", "b"]);
    sandbox.create(&["C", "--id", "c"]);
    for _ in 0..2 {
        for text in ["x", "y"] {
            sandbox.ok(&["comments", "c", text]);
        }
    }
    sandbox.ok(&["close", "c", "Done"]);
    let plan = sandbox.json(&["history-compact", "--all-streams", "--dry-run"]);
    assert_eq!((&plan["checked"], &plan["compacted"]), (&json!(2), &json!(2)));
    let closed = sandbox.json(&["history-compact", "--closed"]);
    assert_eq!(closed["rows"][0]["id"], "pm-c");
    assert_eq!(closed["compacted"], 1);
    let over = sandbox.json(&["history-compact", "--all-over", "8"]);
    assert_eq!((&over["compacted"], &over["rows"][0]["id"]), (&json!(1), &json!("pm-a")));
    let ids = sandbox.json(&["history-compact", "--ids", "a,b,c", "--min-entries", "1"]);
    assert_eq!(ids["checked"], 2);
    verified(&sandbox);
}

#[test]
fn a_drifted_and_a_broken_history_are_repaired() {
    let sandbox = leaky();
    sandbox.write(ITEM, sandbox.read(ITEM).replace("title: A\n", "title: drifted\n"));
    let done = sandbox.json(&["history-repair", "a"]);
    assert_eq!((&done["reconciled"], &done["rehashed"]), (&json!(true), &json!(0)));
    verified(&sandbox);
    assert_eq!(sandbox.json(&["get", "a", "--fields", "title"])["item"]["title"], "drifted");
    let mut lines: Vec<String> = sandbox.read(STREAM).lines().map(str::to_owned).collect();
    lines[3] = lines[3].replace("hunter2", "changed");
    lines.remove(5);
    sandbox.write(STREAM, lines.join("\n") + "\n");
    let all = sandbox.json(&["history-repair", "--all", "--dry-run"]);
    assert_eq!((&all["repaired"], &all["dry_run"]), (&json!(1), &json!(true)));
    sandbox.ok(&["history-repair", "--all"]);
    assert_eq!(ops(&sandbox).last().unwrap(), "history_repair");
    verified(&sandbox);
    assert_eq!(sandbox.json(&["history-repair", "--all"])["checked"], 0);
    assert_eq!(sandbox.json(&["history-repair", "a"])["unchanged"], true);
    sandbox.refused(&["history-repair"], 2, "missing_required_argument");
}

#[test]
fn lines_that_are_no_entries_and_both_sides_of_a_conflict_survive_a_repair() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    let base = sandbox.read(STREAM);
    sandbox.ok(&["comments", "a", "ours"]);
    let ours = sandbox.read(STREAM).replacen(&base, "", 1);
    let theirs = ours.replace("\"ours\"", "\"theirs\"");
    let conflict = format!("{base}<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> side\nno entry at all\n");
    sandbox.write(STREAM, conflict);
    let done = sandbox.json(&["history-repair", "a"]);
    assert_eq!((&done["conflict_markers"], &done["unreadable_lines"]), (&json!(3), &json!(1)));
    let last = entries(&sandbox).pop().unwrap();
    assert_eq!(last["context"]["unreadable_lines"][0]["text"], "no entry at all");
    assert!(sandbox.read(STREAM).contains("\"theirs\""));
    verified(&sandbox);
    std::fs::remove_file(sandbox.path().join(STREAM)).unwrap();
    sandbox.ok(&["history-repair", "a"]);
    verified(&sandbox);
}

#[test]
fn unknown_authors_are_acknowledged_by_a_plan() {
    let mut sandbox = Sandbox::tracker();
    sandbox.create(&["Task", "One", "--id", "x"]);
    sandbox.unset("PM_AUTHOR");
    sandbox.set("PM_AUTHOR", "unknown");
    sandbox.ok(&["update", "x", "--priority", "1"]);
    sandbox.set("PM_AUTHOR", "alice");
    let before = sandbox.read(".agents/pm/history/pm-x.jsonl");
    let said =
        ["history-author-acknowledge", "--attributed-author", "ann", "--reviewer", "bob", "--reason", "seen"];
    let call = |more: &[&'static str]| -> Vec<&'static str> { said.iter().chain(more).copied().collect() };
    sandbox.refused(&said, 2, "missing_required_option");
    sandbox.refused(&["history-author-acknowledge", "--all-actionable"], 2, "missing_required_option");
    sandbox.refused(&call(&["--event", "pm-x:1"]), 2, "invalid_argument_value");
    sandbox.refused(&call(&["--event", "pm-x"]), 2, "invalid_argument_value");
    sandbox.refused(&call(&["--event", "pm-x:2"]), 2, "missing_required_option");
    let plan = sandbox.json(&call(&["--all-actionable", "--dry-run"]));
    assert_eq!(
        (&plan["events"], &plan["plan"][0]),
        (&serde_json::json!(1), &serde_json::json!({"item_id": "pm-x", "line": 2}))
    );
    let fingerprint = plan["plan_fingerprint"].as_str().unwrap().to_owned();
    sandbox.refused(&call(&["--all-actionable", "--plan-fingerprint", "0"]), 4, "history_author_plan_stale");
    let mut words = call(&["--event", "pm-x:2", "--plan-fingerprint"]);
    words.push(&fingerprint);
    assert_eq!(sandbox.json(&words)["acknowledged"], 1);
    assert_eq!(sandbox.json(&call(&["--all-actionable"]))["unchanged"], true);
    assert_eq!(sandbox.read(".agents/pm/history/pm-x.jsonl"), before, "no history is written anew");
    let told = sandbox.read(".agents/pm/history/_workspace.jsonl");
    assert!(told.lines().last().unwrap().contains("\"op\":\"history:author-acknowledge\""), "{told}");
    sandbox.ok(&["config", "set", "governance.duplicate_detection_mode", "advisory"]);
}
