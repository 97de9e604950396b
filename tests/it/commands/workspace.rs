//! `pm workspace`.

use std::fs;

use pm::store::fault::POINTS;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::store::crash::{assert_whole, files};

/// Files of the tracker without the stream in which a copy that was brought back leaves its trace.
fn state(sandbox: &Sandbox) -> Vec<(String, String)> {
    let mut found = files(&sandbox.root());
    found.retain(|(path, _)| path != "history/_workspace.jsonl");
    found
}

fn kept(sandbox: &Sandbox) -> Vec<String> {
    let list = sandbox.json(&["workspace", "snapshot", "list"]);
    let rows = list["snapshots"].as_array().expect("rows").iter();
    rows.map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
}

/// A tracker that was copied under `before`, and what was there then; since then it changed in every way.
fn changed() -> (Sandbox, Vec<(String, String)>) {
    let mut sandbox = Sandbox::tracker();
    sandbox.set("PM_LOCK_WAIT_MS", "0");
    sandbox.create(&["A", "--id", "a"]);
    sandbox.create(&["B", "--id", "b"]);
    sandbox.ok(&["schema", "add-type", "Spike"]);
    let before = state(&sandbox);
    let made = sandbox.json(&["workspace", "snapshot", "create", "Before"]);
    assert_eq!((&made["name"], &made["changed"]), (&json!("before"), &json!(true)));
    sandbox.ok(&["update", "a", "--priority", "0"]);
    sandbox.ok(&["delete", "b"]);
    sandbox.create(&["C", "--id", "c", "--type", "Spike"]);
    sandbox.ok(&["config", "set", "ids.token_length", "6"]);
    sandbox.ok(&["templates", "save", "t", "--tags", "x"]);
    sandbox.ok(&["focus", "c"]);
    (sandbox, before)
}

#[test]
fn a_copy_brings_everything_back_and_back_again() {
    let (sandbox, before) = changed();
    let now = state(&sandbox);
    let seen = sandbox.json(&["workspace", "snapshot", "inspect", "before"]);
    assert_eq!((&seen["ok"], &seen["difference"]["removed"]), (&json!(true), &json!(3)));
    sandbox.refused(
        &["workspace", "snapshot", "restore", "before"],
        2,
        "workspace_snapshot_restore_requires_force",
    );
    let dry = sandbox.json(&["workspace", "snapshot", "restore", "before", "--dry-run"]);
    assert_eq!((state(&sandbox), kept(&sandbox).len()), (now.clone(), 1));
    let done = sandbox.json(&["workspace", "snapshot", "restore", "before", "--force"]);
    assert_eq!(dry["changes"], done["changes"]);
    assert_eq!(state(&sandbox), before);
    assert_eq!(done["warnings"], json!(["focus_cleared:pm-c"]));
    assert_whole(&sandbox, "after a copy came back");
    let stream = sandbox.json(&["history", "_workspace", "--verify", "--full"]);
    let last = stream["history"].as_array().and_then(|rows| rows.last()).expect("an entry");
    assert_eq!(last["op"], "workspace_snapshot_restore");
    assert_eq!(stream["verification"]["ok"], true);
    // Settings go on from there.
    sandbox.ok(&["config", "set", "ids.token_length", "7"]);
    let recovery = done["recovery"].as_str().expect("a name");
    assert_eq!(kept(&sandbox), ["before", recovery]);
    sandbox.ok(&["workspace", "snapshot", "restore", recovery, "--force"]);
    assert_eq!(state(&sandbox), now);
    let again = sandbox.json(&["workspace", "snapshot", "inspect", recovery]);
    assert_eq!(again["difference"]["added"], 0);
}

#[test]
fn a_copy_that_is_killed_on_its_way_back_is_whole_afterwards() {
    for point in POINTS {
        let (sandbox, before) = changed();
        let now = state(&sandbox);
        let argv = ["workspace", "snapshot", "restore", "before", "--force"];
        let killed = sandbox.command(&argv).env("PM_FAULT", point).output().expect("it runs");
        assert_ne!(killed.status.code(), Some(1), "{point}: {}", String::from_utf8_lossy(&killed.stderr));
        sandbox.ok(&["list", "--all"]);
        // Nothing is appended to a stream that is written anew.
        let committed = *point != "locked";
        assert_eq!(state(&sandbox), if committed { before.clone() } else { now }, "{point}");
        sandbox.ok(&argv);
        assert_eq!(state(&sandbox), before, "{point}");
        assert_whole(&sandbox, point);
        assert_eq!(
            sandbox.json(&["history", "_workspace", "--verify"])["verification"]["ok"],
            true,
            "{point}"
        );
    }
}

#[test]
fn the_same_state_is_kept_once() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    let objects =
        || fs::read_dir(sandbox.root().join("runtime/workspace-snapshots/objects")).unwrap().count();
    let one = sandbox.json(&["workspace", "snapshot", "create", "one"]);
    let two = sandbox.json(&["workspace", "snapshot", "create", "two"]);
    assert_eq!((&one["snapshot"], objects()), (&two["snapshot"], 1));
    assert_eq!(sandbox.json(&["workspace", "snapshot", "create", "two"])["changed"], false);
    sandbox.ok(&["append", "a", "more"]);
    sandbox.refused(&["workspace", "snapshot", "create", "two"], 4, "workspace_snapshot_exists");
    assert_eq!(sandbox.json(&["workspace", "snapshot", "delete", "one"])["removed_objects"], 0);
    sandbox.ok(&["workspace", "snapshot", "create", "two", "--force"]);
    let object = one["snapshot"].as_str().expect("a name");
    sandbox.refused(&["workspace", "snapshot", "inspect", object], 3, "workspace_snapshot_not_found");
    let digits = sandbox.json(&["workspace", "snapshot", "create"])["snapshot"].clone();
    let digits = &digits.as_str().expect("a name")[..8];
    assert_eq!(
        sandbox.json(&["workspace", "snapshot", "delete", digits])["names"].as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(sandbox.json(&["workspace", "snapshot", "list"])["count"], 0);
}

#[test]
fn a_damaged_copy_changes_nothing() {
    let (sandbox, _) = changed();
    let now = state(&sandbox);
    let seen = sandbox.json(&["workspace", "snapshot", "inspect", "before"]);
    let object = format!(
        ".agents/pm/runtime/workspace-snapshots/objects/{}",
        seen["snapshot"].as_str().expect("a name")
    );
    sandbox.write(&format!("{object}/files/tasks/pm-a.toon"), "id: pm-a\n");
    let seen = sandbox.json(&["workspace", "snapshot", "inspect", "before"]);
    assert_eq!(seen["ok"], false);
    let restore = ["workspace", "snapshot", "restore", "before", "--force"];
    sandbox.refused(&restore, 1, "workspace_snapshot_damaged");
    assert_eq!(state(&sandbox), now);
    sandbox.write(&format!("{object}/manifest.json"), "{\"files\":[{\"path\":\"../../evil\"}]}");
    sandbox.refused(&restore, 1, "workspace_snapshot_damaged");
    assert_eq!(state(&sandbox), now);
    sandbox.write(".agents/pm/runtime/workspace-snapshots/refs/odd.json", "{\"object\":\"../..\"}");
    let list = sandbox.json(&["workspace", "snapshot", "list"]);
    assert_eq!(list["warnings"], json!(["workspace_snapshot_unreadable:odd"]));
}

#[test]
fn claims_tell_who_holds_what() {
    let mut sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox.create(&["B", "--id", "b"]);
    sandbox.create(&["C", "--id", "c"]);
    sandbox.ok(&["claim", "a"]);
    sandbox.ok(&["claim", "b", "--author", "bob"]);
    let rows = |sandbox: &Sandbox| -> Vec<(Value, Value, Value)> {
        let claims = sandbox.json(&["workspace", "claims"]);
        let rows = claims["claims"].as_array().expect("rows").clone();
        rows.into_iter()
            .map(|row| (row["holder"].clone(), row["mine"].clone(), row["expired"].clone()))
            .collect()
    };
    let (yes, no) = (json!(true), json!(false));
    assert_eq!(rows(&sandbox), [(json!("alice"), yes.clone(), no.clone()), (json!("bob"), no.clone(), no)]);
    sandbox.set("PM_CLOCK", "2026-03-09T12:00:00.000Z");
    assert!(rows(&sandbox).iter().all(|(_, _, expired)| *expired == yes));
}
