//! O15 to O20, O22: concurrency, claims, worktrees, lost caches. The races themselves are held by `store/parallel.rs`
//! (O15, O16, O18) and `store/crash.rs`.

use serde_json::json;

use super::repository::{commit, git_ok, repository};
use crate::sandbox::Sandbox;

#[test]
fn o17_agents_of_one_author_are_told_apart_by_their_sessions() {
    let mut sandbox = Sandbox::tracker();
    sandbox.create(&["X", "--id", "xx"]);
    sandbox.set("PM_SESSION", "one");
    sandbox.ok(&["claim", "xx"]);
    assert_eq!(sandbox.json(&["claim", "xx"])["already_held"], true);
    sandbox.set("PM_SESSION", "two");
    let error = sandbox.refused(&["claim", "xx"], 4, "already_claimed_by");
    assert_eq!(error["recovery"]["claimed_by"], "alice#one");
}

#[test]
fn o19_no_worktree_of_git_is_ever_left() {
    let sandbox = repository();
    sandbox.create(&["X", "--id", "xx"]);
    for argv in [&["merge", "install"][..], &["validate"], &["list"], &["merge", "reconcile"]] {
        let _ = sandbox.pm(argv);
    }
    assert_eq!(git_ok(&sandbox, &["worktree", "list"]).lines().count(), 1);
}

#[test]
fn o20_a_bare_repository_with_worktrees_beside_it_is_one() {
    let sandbox = repository();
    sandbox.create(&["X", "--id", "xx"]);
    commit(&sandbox);
    let elsewhere = Sandbox::empty();
    let (bare, side) = (elsewhere.path().join("p.git"), elsewhere.path().join("side"));
    git_ok(&sandbox, &["clone", "-q", "--bare", ".", &bare.display().to_string()]);
    git_ok(&elsewhere, &["-C", "p.git", "worktree", "add", "-q", "../side", "main"]);
    let run = |argv: &[&str]| {
        let mut command = sandbox.process(argv);
        let output = command.current_dir(&side).output().unwrap();
        assert!(output.status.success(), "{argv:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run(&["init"]);
    run(&["create", "Y", "--id", "yy"]);
    assert!(run(&["next", "--json"]).contains("pm-"));
    run(&["merge", "install"]);
    assert!(side.join(".agents/pm/tasks/pm-yy.toon").exists());
    assert!(!sandbox.path().join(".agents/pm/tasks/pm-yy.toon").exists());
    let output = sandbox.process(&["list", "--json"]).current_dir(&bare).output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("tracker_not_initialized"));
}

#[test]
fn o22_a_cache_that_is_lost_or_garbage_changes_no_answer() {
    let sandbox = Sandbox::tracker();
    for n in 0..8 {
        sandbox.create(&[&format!("Item {n}"), "--id", &format!("n{n}")]);
    }
    let answers = || {
        [&["list", "--all"][..], &["search", "Item"], &["activity", "--raw"], &["validate"]]
            .map(|argv| sandbox.pm(&[argv, &["--json"]].concat()).stdout)
    };
    let right = answers();
    let runtime = sandbox.root().join("runtime");
    std::fs::remove_dir_all(&runtime).unwrap();
    assert_eq!(answers(), right, "no folder");
    for entry in std::fs::read_dir(&runtime).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        std::fs::write(entry.path(), b"\x00\x01random\xff bytes\n".repeat(64)).unwrap();
    }
    assert_eq!(answers(), right, "garbage");
    std::fs::remove_dir_all(&runtime).unwrap();
    std::fs::write(&runtime, "a file").unwrap();
    assert_eq!(answers(), right, "a file in its place");
    assert_eq!(sandbox.json(&["create", "New", "--id", "new"])["id"], json!("pm-new"));
}
