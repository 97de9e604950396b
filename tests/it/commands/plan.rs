//! `pm plan` and its subcommands.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A tracker with a plan of these steps; the plan's id.
fn plan(steps: &[&str]) -> (Sandbox, String) {
    let sandbox = Sandbox::tracker();
    let mut argv = vec!["plan", "create", "Ship it"];
    for step in steps {
        argv.extend(["--step", step]);
    }
    let answer = sandbox.json(&argv);
    let id = answer["plan"]["id"].as_str().expect("an id").to_owned();
    (sandbox, id)
}

/// The stored steps: id, order, title, status.
fn steps(sandbox: &Sandbox, id: &str) -> Vec<(String, u64, String, String)> {
    let text = |step: &Value, key: &str| step[key].as_str().unwrap_or_default().to_owned();
    let shown = sandbox.json(&["plan", "show", id, "--depth", "standard"]);
    let steps = shown["plan"]["steps"].as_array().expect("steps").clone();
    let row = |s: &Value| {
        (text(s, "id"), s["order"].as_u64().expect("a place"), text(s, "title"), text(s, "status"))
    };
    steps.iter().map(row).collect()
}

fn ops(sandbox: &Sandbox, id: &str) -> Vec<String> {
    let stream = sandbox.read(&format!(".agents/pm/history/{id}.jsonl"));
    let op =
        |line: &str| serde_json::from_str::<Value>(line).expect("an entry")["op"].as_str().map(str::to_owned);
    stream.lines().filter_map(op).collect()
}

fn file(sandbox: &Sandbox, id: &str) -> String {
    sandbox.read(&format!(".agents/pm/plans/{id}.toon"))
}

#[test]
fn create_makes_a_plan_with_its_steps_in_two_entries() {
    let sandbox = Sandbox::tracker();
    let other = sandbox.create(&["Other"]);
    let answer = sandbox.json(&[
        "plan",
        "create",
        "Ship it",
        "--scope",
        "all of it",
        "--step",
        "Build",
        "--step",
        "Test",
        "--harness",
        "codex",
        "--related",
        &other,
        "--tags",
        "x",
        "--from-search",
        "ship",
    ]);
    assert_eq!(answer["action"], "create");
    assert_eq!(answer["plan"]["mode"], "draft");
    assert_eq!(answer["plan"]["steps_summary"]["total"], 2);
    assert_eq!(answer["plan"]["linked_items"], json!([{"id": other, "kind": "related"}]));
    assert_eq!(answer["step"]["id"], "plan-step-001");
    let id = answer["plan"]["id"].as_str().expect("an id");
    let text = file(&sandbox, id);
    for line in [
        "description: all of it\n",
        "type: Plan\n",
        "assignee: alice\n",
        "plan_scope: all of it\nplan_harness: codex\n",
        "  plan-step-002,2,Test,pending,",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert_eq!(ops(&sandbox, id), ["create", "plan_create_metadata"]);
    let history = sandbox.read(&format!(".agents/pm/history/{id}.jsonl"));
    assert!(history.contains("\"message\":\"plan create (search: ship)\""), "{history}");
    let claimed = sandbox.json(&["plan", "create", "Mine", "--claim", "--template", "bug-investigation"]);
    let id = claimed["plan"]["id"].as_str().expect("an id");
    assert_eq!(ops(&sandbox, id), ["create", "plan_create_metadata", "claim"]);
    assert!(file(&sandbox, id).contains("claim_principal: alice\n"));
}

#[test]
fn create_says_what_is_wrong_with_it() {
    let sandbox = Sandbox::tracker();
    sandbox.refused(&["plan", "create"], 2, "missing_required_option");
    sandbox.refused(&["plan", "create", "x", "--mode", "done"], 2, "invalid_argument_value");
    sandbox.refused(&["plan", "create", "x", "--harness", "emacs"], 2, "invalid_argument_value");
    sandbox.refused(&["plan", "create", "x", "--type", "Task"], 2, "invalid_argument_value");
    sandbox.refused(&["plan", "create", "x", "--step", " "], 2, "invalid_argument_value");
    sandbox.refused(&["plan", "create", "x", "--blocks", "pm-none"], 3, "dependency_target_not_found");
    let error = sandbox.refused(&["plan", "create", "x", "--template", "bug"], 2, "unknown_plan_template");
    assert_eq!(error["recovery"]["allowed_values"][0], "bug-investigation");
    let error = sandbox.refused(&["plan", "creat", "x"], 2, "unknown_subcommand");
    assert_eq!(error["recovery"]["allowed_values"][0], "create");
    sandbox.refused(&["plan"], 2, "missing_required_argument");
    assert!(!sandbox.root().join("plans").read_dir().is_ok_and(|mut dir| dir.next().is_some()));
}

#[test]
fn steps_are_added_changed_moved_and_removed() {
    let (sandbox, id) = plan(&["a", "b"]);
    let added = sandbox.json(&["plan", "add-step", &id, "c", "--step-body", "how", "--step-owner", "bo"]);
    assert_eq!(added["step"]["id"], "plan-step-003");
    assert_eq!(added["plan"].get("steps"), None, "the other steps did not change");
    sandbox.json(&["plan", "add-step", &id, "--step", "d"]);
    sandbox.json(&["plan", "update-step", &id, "3", "--step-title", "C", "--step-status", "in_progress"]);
    let moved = sandbox.json(&["plan", "reorder-step", &id, "plan-step-003", "1"]);
    assert_eq!(moved["plan"]["steps"][0]["title"], "C");
    sandbox.json(&["plan", "remove-step", &id, "2"]);
    let want = [
        ("plan-step-003", 1, "C", "in_progress"),
        ("plan-step-002", 2, "b", "pending"),
        ("plan-step-004", 3, "d", "pending"),
    ];
    let want: Vec<_> =
        want.iter().map(|(a, b, c, d)| ((*a).to_owned(), *b, (*c).to_owned(), (*d).to_owned())).collect();
    assert_eq!(steps(&sandbox, &id), want);
    assert_eq!(
        ops(&sandbox, &id)[2..],
        ["plan_add_step", "plan_add_step", "plan_update_step", "plan_reorder_step", "plan_remove_step"]
    );
    let full = sandbox.json(&["plan", "update-step", &id, "2", "--step-title", "B", "--full-envelope"]);
    assert_eq!(full["plan"]["steps"].as_array().map(Vec::len), Some(3));
}

#[test]
fn steps_are_completed_and_blocked() {
    let (sandbox, id) = plan(&["a", "b"]);
    let done =
        sandbox.json(&["plan", "complete-step", &id, "1", "--step-evidence", "log", "--file", "src/a.rs"]);
    assert_eq!(done["step"]["status"], "completed");
    assert_eq!(done["step"]["evidence"], "log");
    assert_eq!(done["step"]["completed_at"], "2026-03-01T12:00:00.000Z");
    assert_eq!(done["step"]["files"][0]["path"], "src/a.rs");
    assert_eq!(done["plan"]["current_step"]["id"], "plan-step-002");
    let error = sandbox.refused(&["plan", "block-step", &id, "2"], 2, "invalid_argument_value");
    assert_eq!(error["refusal"]["surface"], "--step-blocked-reason");
    let blocked = sandbox.json(&["plan", "block-step", &id, "2", "--step-blocked-reason", "waits"]);
    assert_eq!(blocked["plan"]["blocked_steps"][0]["blocked_reason"], "waits");
    let before = file(&sandbox, &id);
    let again = sandbox.json(&["plan", "block-step", &id, "2"]);
    assert_eq!(again["changed"], false);
    assert_eq!(file(&sandbox, &id), before, "nothing changed, so nothing was written");
}

#[test]
fn one_step_is_in_progress() {
    let (sandbox, id) = plan(&["a", "b"]);
    sandbox.json(&["plan", "update-step", &id, "1", "--step-status", "in-progress"]);
    let argv = ["plan", "update-step", &id, "2", "--step-status", "in_progress"];
    let error = sandbox.refused(&argv, 4, "plan_step_already_active");
    assert_eq!(error["recovery"]["active_step"], "plan-step-001");
    sandbox.json(&[&argv[..], &["--allow-multiple-active"]].concat());
    sandbox.refused(
        &["plan", "add-step", &id, "c", "--step-status", "in_progress"],
        4,
        "plan_step_already_active",
    );
    assert_eq!(steps(&sandbox, &id).len(), 2);
}

#[test]
fn steps_are_linked_with_items() {
    let (sandbox, id) = plan(&["a"]);
    let other = sandbox.create(&["Other"]);
    let short = other.trim_start_matches("pm-");
    let argv = ["plan", "link", &id, "1", "--link", short, "--link-kind", "depends-on", "--link-note", "n"];
    let linked = sandbox.json(&[&argv[..], &["--promote-to-item-dep"]].concat());
    assert_eq!(linked["step"]["linked_items"], json!([{"id": other, "kind": "depends_on", "note": "n"}]));
    assert_eq!(linked["plan"]["linked_items"], json!([{"id": other, "kind": "blocked_by"}]));
    let back =
        ["plan", "link", &id, "1", "--link", &id, "--link-kind", "blocked_by", "--promote-to-item-dep"];
    sandbox.refused(&back, 4, "dependency_cycle_created");
    sandbox.refused(&["plan", "link", &id, "1", "--link", "pm-none"], 3, "dependency_target_not_found");
    sandbox.refused(&["plan", "link", &id, "1"], 2, "missing_required_option");
    sandbox.refused(
        &["plan", "link", &id, "1", "--link", &other, "--link-kind", "likes"],
        2,
        "invalid_argument_value",
    );
    sandbox.refused(
        &["plan", "unlink", &id, "1", "--link", &other, "--link-kind", "blocks"],
        3,
        "dependency_remove_no_match",
    );
    let free = sandbox.json(&["plan", "unlink", &id, "1", "--link", &other]);
    assert_eq!(free["step"].get("linked_items"), None);
}

#[test]
fn logs_grow() {
    let (sandbox, id) = plan(&["a"]);
    let decision = ["plan", "decision", &id, "1", "--decision", "Use X", "--decision-rationale", "fast"];
    let answer = sandbox.json(&decision);
    assert_eq!(
        answer["entry"],
        json!({"ts": "2026-03-01T12:00:00.000Z", "author": "alice", "decision": "Use X", "rationale": "fast", "step_id": "plan-step-001"})
    );
    let found = sandbox
        .pm_with(&["plan", "discovery", &id, "--discovery-text", "-", "--json"], "found y\n")
        .expect(0);
    assert_eq!(found.json()["entry"]["text"], "found y");
    let valid = ["plan", "validation", &id, "--validation", "works", "--validation-command", "true"];
    assert_eq!(sandbox.json(&valid)["entry"], json!({"text": "works", "command": "true"}));
    let deep = sandbox.json(&["plan", "show", &id, "--depth", "deep"]);
    assert_eq!(deep["plan"]["decisions"].as_array().map(Vec::len), Some(1));
    assert_eq!(deep["plan"]["validation"][0]["text"], "works");
    sandbox.refused(&["plan", "decision", &id], 2, "missing_required_option");
    sandbox.refused(&["plan", "decision", &id, "9", "--decision", "x"], 3, "plan_step_not_found");
}

#[test]
fn plans_are_approved_and_taken_over() {
    let (sandbox, id) = plan(&["a"]);
    assert_eq!(sandbox.json(&["plan", "approve", &id])["plan"]["mode"], "approved");
    assert_eq!(sandbox.json(&["plan", "approve", &id])["changed"], false);
    let resumed = sandbox.json(&["plan", "resume", &id, "--resume-context", "ctx", "--mode", "executing"]);
    assert_eq!(resumed["plan"]["resume_context"], "ctx");
    assert_eq!(resumed["plan"]["mode"], "executing");
    sandbox.refused(&["plan", "resume", &id], 2, "missing_required_option");
    assert_eq!(ops(&sandbox, &id)[2..], ["plan_approve", "plan_resume"]);
}

#[test]
fn steps_become_items_below_the_plan() {
    let (sandbox, id) = plan(&["a", "b", "c"]);
    sandbox.ok(&["plan", "complete-step", &id, "1"]);
    let argv = [
        "plan",
        "materialize",
        &id,
        "--steps",
        "all",
        "--materialize-type",
        "Chore",
        "--materialize-tags",
        "x",
    ];
    let dry = sandbox.json(&[&argv[..], &["--dry-run"]].concat());
    assert_eq!((&dry["dry_run"], &dry["count"]), (&json!(true), &json!(2)));
    assert!(!sandbox.root().join("chores").read_dir().is_ok_and(|mut dir| dir.next().is_some()));
    let made = sandbox.json(&argv);
    assert_eq!(made["materialized"][0]["step_id"], "plan-step-002");
    let child = made["materialized"][0]["id"].as_str().expect("an id");
    let item = &sandbox.json(&["get", child])["item"];
    assert_eq!((&item["title"], &item["type"], &item["parent"]), (&json!("b"), &json!("Chore"), &json!(id)));
    assert_eq!(ops(&sandbox, &id).last().map(String::as_str), Some("plan_materialize"));
    let again = sandbox.json(&argv);
    assert_eq!(again["count"], 0);
    assert!(
        again["warnings"][0].as_str().is_some_and(|w| w.starts_with("plan_step_already_materialized:")),
        "{again}"
    );
    sandbox.refused(&["plan", "materialize", &id], 2, "invalid_argument_value");
    sandbox.refused(&["plan", "materialize", &id, "--steps", "9"], 3, "plan_step_not_found");
    let nope = ["plan", "materialize", &id, "--steps", "1", "--field", "team=x"];
    sandbox.refused(&nope, 2, "extension_item_field_unknown");
    let kind = sandbox.refused(
        &["plan", "materialize", &id, "--steps", "1", "--materialize-type", "Nope"],
        2,
        "invalid_argument_value",
    );
    assert_eq!(kind["refusal"]["surface"], "--materialize-type");
}

#[test]
fn show_tells_as_much_as_is_wanted() {
    let (sandbox, id) = plan(&["a"]);
    let brief = sandbox.json(&["plan", "show", &id]);
    assert_eq!(brief["plan"].get("steps"), None);
    assert_eq!(brief["next_actions"][1], format!("pm plan approve {id}"));
    let only = sandbox.json(&["plan", "show", &id, "--fields", "plan_mode,steps"]);
    let keys: Vec<&String> = only["plan"].as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["id", "mode", "steps"]);
    sandbox.refused(&["plan", "show", &id, "--fields", "stepz"], 2, "unknown_field_projection");
    sandbox.refused(&["plan", "show", &id, "--depth", "bottom"], 2, "invalid_argument_value");
    sandbox.refused(&["plan", "show", "nope"], 3, "item_not_found");
    let task = sandbox.create(&["A task"]);
    sandbox.refused(&["plan", "show", &task], 2, "wrong_item_type");
    sandbox.refused(&["plan", "add-step", &task, "x"], 2, "wrong_item_type");
}

#[test]
fn a_plan_that_is_over_stays_as_it_is() {
    let (sandbox, id) = plan(&["a"]);
    sandbox.ok(&["close", &id, "done"]);
    let before = file(&sandbox, &id);
    for argv in [
        &["plan", "add-step", &id, "z"][..],
        &["plan", "approve", &id],
        &["plan", "decision", &id, "--decision", "x"],
        &["plan", "materialize", &id, "--steps", "1"],
    ] {
        sandbox.refused(argv, 4, "terminal_plan_mutation");
    }
    assert_eq!(file(&sandbox, &id), before);
}

#[test]
fn dry_runs_and_preconditions_hold_for_plans() {
    let (sandbox, id) = plan(&["a"]);
    let before = file(&sandbox, &id);
    for argv in [
        &["plan", "create", "Other", "--step", "x", "--dry-run"][..],
        &["plan", "add-step", &id, "b", "--dry-run"],
        &["plan", "complete-step", &id, "1", "--dry-run"],
        &["plan", "decision", &id, "--decision", "x", "--dry-run"],
        &["plan", "approve", &id, "--dry-run"],
    ] {
        let answer = sandbox.json(argv);
        assert_eq!(answer["dry_run"], true, "{argv:?}");
        assert!(answer["changes"].as_array().is_some_and(|changes| !changes.is_empty()), "{answer}");
    }
    let zeros = "0".repeat(64);
    sandbox.refused(&["plan", "add-step", &id, "b", "--if-hash", &zeros], 4, "if_hash_mismatch");
    let past = "2001-01-01T00:00:00.000Z";
    sandbox.refused(&["plan", "approve", &id, "--if-updated-at", past], 4, "if_updated_at_mismatch");
    sandbox.refused(
        &["plan", "materialize", &id, "--steps", "1", "--if-hash", &zeros],
        4,
        "if_hash_mismatch",
    );
    assert_eq!(file(&sandbox, &id), before);
    assert_eq!(sandbox.root().join("plans").read_dir().expect("the folder").count(), 1);
    assert_eq!(sandbox.root().join("tasks").read_dir().map_or(0, Iterator::count), 0);
    assert_eq!(sandbox.json(&["history", &id, "--verify"])["verification"]["ok"], true);
}
