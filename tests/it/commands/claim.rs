use serde_json::json;

use crate::sandbox::Sandbox;

const ITEM: &str = ".agents/pm/tasks/pm-a.toon";

fn one() -> Sandbox {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox
}

#[test]
fn a_claim_belongs_to_one() {
    let sandbox = one();
    let claimed = sandbox.json(&["claim", "a"]);
    assert_eq!((&claimed["claimed_by"], &claimed["previous_assignee"]), (&json!("alice"), &json!(null)));
    assert!(sandbox.read(ITEM).contains("assignee: alice\nclaim_principal: alice\n"));
    let held = sandbox.read(ITEM);
    let error = sandbox.refused(&["claim", "a", "--author", "bob"], 4, "already_claimed_by");
    assert_eq!(error["recovery"]["claimed_by"], "alice");
    let skipped = sandbox.json(&["claim", "a", "--author", "bob", "--if-available"]);
    assert_eq!(
        (&skipped["skipped"], &skipped["warnings"]),
        (&json!(true), &json!(["claim_skipped_held_by:alice"]))
    );
    assert_eq!(sandbox.read(ITEM), held);
    let taken = sandbox.json(&["claim", "a", "--author", "bob", "--force"]);
    assert_eq!(taken["warnings"], json!(["claim_takeover:alice->bob"]));
    assert!(sandbox.read(ITEM).contains("assignee: bob\nclaim_principal: bob\n"));
}

#[test]
fn claiming_again_writes_nothing_unless_it_is_refused() {
    let sandbox = one();
    sandbox.ok(&["claim", "a"]);
    let history = sandbox.read(".agents/pm/history/pm-a.jsonl");
    assert_eq!(sandbox.json(&["claim", "a"])["already_held"], true);
    sandbox.refused(&["claim", "a", "--exclusive"], 4, "already_claimed_by");
    assert_eq!(sandbox.read(".agents/pm/history/pm-a.jsonl"), history);
}

#[test]
fn sessions_of_one_author_are_different_holders() {
    let sandbox = one();
    sandbox.ok(&["claim", "a", "--session", "s1"]);
    assert!(sandbox.read(ITEM).contains("assignee: alice\nclaim_principal: alice#s1\n"));
    assert_eq!(sandbox.json(&["claim", "a", "--session", "s1"])["already_held"], true);
    sandbox.refused(&["claim", "a", "--session", "s2"], 4, "already_claimed_by");
}

#[test]
fn a_claim_that_nobody_works_on_expires() {
    let mut sandbox = one();
    sandbox.ok(&["claim", "a"]);
    sandbox.set("PM_CLOCK", "2026-03-04T11:59:00.000Z");
    sandbox.refused(&["claim", "a", "--author", "bob"], 4, "already_claimed_by");
    sandbox.set("PM_CLOCK", "2026-03-04T12:01:00.000Z");
    let taken = sandbox.json(&["claim", "a", "--author", "bob"]);
    assert_eq!(taken["warnings"], json!(["claim_expired:alice", "claim_takeover:alice->bob"]));
}

#[test]
fn what_is_over_is_not_claimed() {
    let sandbox = one();
    sandbox.ok(&["close", "a", "done"]);
    sandbox.refused(&["claim", "a"], 4, "terminal_state_conflict");
    sandbox.ok(&["claim", "a", "--force"]);
}

#[test]
fn the_next_one_is_the_best_that_is_free() {
    let sandbox = one();
    sandbox.create(&["B", "--id", "b", "--priority", "0", "--tags", "x"]);
    sandbox.create(&["C", "--id", "c", "--priority", "1", "--parent", "a"]);
    assert_eq!(sandbox.json(&["claim", "--next"])["item"]["id"], "pm-b");
    assert_eq!(
        sandbox.json(&["claim", "--next", "--author", "bob", "--explain-ranking"])["item"]["id"],
        "pm-c"
    );
    sandbox.refused(&["claim", "--next", "--author", "cy", "--tag", "x"], 3, "no_available_next_item");
    sandbox.refused(&["claim", "--next", "--author", "cy"], 3, "no_available_next_item");
    sandbox.refused(&["claim"], 2, "missing_required_argument");
    sandbox.refused(&["claim", "a", "--next"], 2, "conflicting_arguments");
    sandbox.refused(&["claim", "--next", "--max-attempts", "101"], 2, "invalid_argument_value");
}

#[test]
fn of_eight_sessions_at_once_one_wins() {
    let sandbox = one();
    let codes: Vec<i32> = std::thread::scope(|scope| {
        let claims: Vec<_> = (0..8)
            .map(|n| {
                let sandbox = &sandbox;
                scope.spawn(move || sandbox.pm(&["claim", "a", "--session", &format!("s{n}")]).code)
            })
            .collect();
        claims.into_iter().map(|claim| claim.join().unwrap()).collect()
    });
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
    assert!(codes.iter().all(|code| [0, 4].contains(code)), "{codes:?}");
}

#[test]
fn an_item_given_to_another_is_theirs() {
    let sandbox = one();
    sandbox.ok(&["claim", "a"]);
    sandbox.ok(&["update", "a", "--assignee", "carol"]);
    sandbox.refused(&["claim", "a"], 4, "already_claimed_by");
    sandbox.ok(&["claim", "a", "--author", "carol"]);
    assert!(sandbox.read(ITEM).contains("assignee: carol\nclaim_principal: carol\n"));
    sandbox.ok(&["update", "a", "--unset", "assignee"]);
    sandbox.ok(&["claim", "a"]);
}
