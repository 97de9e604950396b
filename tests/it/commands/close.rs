use serde_json::json;

use crate::sandbox::Sandbox;

const ITEM: &str = ".agents/pm/tasks/pm-a.toon";

fn items(ids: &[&str]) -> Sandbox {
    let sandbox = Sandbox::tracker();
    for id in ids {
        sandbox.create(&[id, "--id", id]);
    }
    sandbox
}

#[test]
fn a_closed_item_has_times_and_reason_and_no_claim() {
    let sandbox = items(&["a"]);
    sandbox.ok(&["claim", "a"]);
    let receipt = sandbox.json(&["close", "a", "all done"]);
    assert_eq!(receipt["close_reason"], "all done");
    let item = sandbox.read(ITEM);
    assert!(
        item.contains(
            "closed_at: \"2026-03-01T12:00:00.000Z\"\ncompleted_at: \"2026-03-01T12:00:00.000Z\"\n"
        )
    );
    assert!(!item.contains("assignee") && !item.contains("claim_principal"));
    sandbox.refused(&["close", "a", "again"], 4, "terminal_state_conflict");
    sandbox.ok(&["close", "a", "again", "--force"]);
    assert!(sandbox.read(ITEM).contains("close_reason: again\n"));
}

#[test]
fn the_reason_comes_from_the_best_place() {
    let sandbox = items(&["a", "b", "c", "d"]);
    sandbox.refused(&["close", "a"], 2, "close_reason_required");
    sandbox.refused(&["close", "zzz"], 3, "item_not_found");
    for (id, flags, want) in [
        ("a", &["--message", "m"][..], "m"),
        ("b", &["--resolution", "r", "-m", "m"], "r"),
        ("c", &["-r", "f", "--resolution", "r"], "f"),
        ("d", &["word", "--close-reason", "f"], "word"),
    ] {
        let mut argv = vec!["close", id];
        argv.extend(flags);
        assert_eq!(sandbox.json(&argv)["close_reason"], want);
    }
}

#[test]
fn a_duplicate_names_its_original() {
    let sandbox = items(&["a", "b", "c"]);
    sandbox.refused(&["close", "a", "--duplicate-of", "A"], 2, "duplicate_target_self");
    sandbox.refused(&["close", "a", "--duplicate-of", "zzz"], 2, "duplicate_target_missing");
    assert_eq!(sandbox.json(&["close", "a", "--duplicate-of", "b"])["close_reason"], "Duplicate of pm-b");
    assert!(sandbox.read(ITEM).contains("duplicate_of: pm-b\n"));
    sandbox.refused(&["close", "b", "--duplicate-of", "a"], 2, "duplicate_target_circular");
    sandbox.refused(&["close", "c", "--duplicate-of", "a"], 2, "duplicate_target_is_duplicate");
}

#[test]
fn missing_evidence_is_warned_about_or_refused() {
    let sandbox = items(&["a", "b"]);
    let error =
        sandbox.refused(&["close", "a", "x", "--validate-close"], 2, "close_validation_missing_fields");
    assert_eq!(error["recovery"]["missing"], json!(["--resolution", "--expected-result", "--actual-result"]));
    let warned = sandbox.json(&[
        "close",
        "a",
        "x",
        "--validate-close",
        "warn",
        "--resolution",
        "r",
        "--expected",
        "e",
    ]);
    assert_eq!(warned["warnings"], json!(["close_validation_missing_fields:pm-a:actual_result"]));
    sandbox.ok(&[
        "close",
        "b",
        "--validate-close",
        "strict",
        "--resolution",
        "r",
        "--expected",
        "e",
        "--actual",
        "c",
    ]);
    sandbox.refused(&["close", "b", "x", "--validate-close", "wild"], 2, "invalid_argument_value");
}

#[test]
fn what_waited_for_it_alone_is_open_again() {
    let sandbox = items(&["p", "q"]);
    sandbox.create(&["W", "--id", "w", "--blocked-by", "p"]);
    sandbox.create(&["V", "--id", "v", "--blocked-by", "p"]);
    sandbox.ok(&["update", "v", "--dep", "id=q,kind=blocked_by"]);
    let receipt = sandbox.json(&["close", "p", "done"]);
    assert_eq!(receipt["warnings"], json!(["auto_unblocked:pm-w:resolved_blockers=pm-p"]));
    let freed = sandbox.read(".agents/pm/tasks/pm-w.toon");
    assert!(
        freed.contains("status: open\n") && !freed.contains("blocked_by") && freed.contains("unblock_note: "),
        "{freed}"
    );
    assert!(sandbox.read(".agents/pm/tasks/pm-v.toon").contains("status: blocked\n"));
    let receipt = sandbox.json(&["close", "q", "done"]);
    assert_eq!(receipt["warnings"], json!(["auto_unblocked:pm-v:resolved_blockers=pm-p,pm-q"]));
    for id in ["pm-w", "pm-v", "pm-p", "pm-q"] {
        let history = sandbox.json(&["history", id, "--verify"]);
        assert_eq!(history["verification"]["ok"], true, "{history}");
    }
}

#[test]
fn open_children_are_named_and_stay_open() {
    let sandbox = items(&["a"]);
    sandbox.create(&["K", "--id", "k", "--parent", "a"]);
    assert_eq!(
        sandbox.json(&["close", "a", "x"])["warnings"],
        json!(["closed_with_active_children:pm-a:pm-k"])
    );
    assert!(sandbox.read(".agents/pm/tasks/pm-k.toon").contains("status: open\n"));
}

#[test]
fn a_dry_run_closes_nothing() {
    let sandbox = items(&["p"]);
    sandbox.create(&["W", "--id", "w", "--blocked-by", "p"]);
    let before = sandbox.read(".agents/pm/tasks/pm-p.toon");
    let plan = sandbox.json(&["close", "p", "x", "--dry-run"]);
    assert_eq!((&plan["dry_run"], &plan["changed_field_count"]), (&json!(true), &json!(4)));
    assert_eq!(sandbox.read(".agents/pm/tasks/pm-p.toon"), before);
    assert!(sandbox.read(".agents/pm/tasks/pm-w.toon").contains("status: blocked\n"));
}

#[test]
fn two_that_close_at_once_free_what_waited_for_both() {
    let sandbox = items(&["p", "q"]);
    sandbox.create(&["W", "--id", "w", "--blocked-by", "p"]);
    sandbox.ok(&["update", "w", "--dep", "id=q,kind=blocked_by"]);
    std::thread::scope(|scope| {
        for id in ["p", "q"] {
            let sandbox = &sandbox;
            scope.spawn(move || sandbox.ok(&["close", id, "done"]));
        }
    });
    assert!(sandbox.read(".agents/pm/tasks/pm-w.toon").contains("status: open\n"));
}
