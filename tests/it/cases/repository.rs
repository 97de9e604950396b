//! A Git repository in a sandbox, hermetic: no configuration of the machine, an identity of its own.

use std::process::Command;

use crate::sandbox::Sandbox;

/// Runs `git` in the folder of a sandbox; exit code and everything it said.
pub(crate) fn git(sandbox: &Sandbox, arguments: &[&str]) -> (i32, String) {
    let output = Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(sandbox.path())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", sandbox.path())
        .output()
        .expect("git runs");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap_or(-1), text)
}

/// Runs `git`, which must succeed; what it said.
pub(crate) fn git_ok(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let (code, text) = git(sandbox, arguments);
    assert_eq!(code, 0, "git {arguments:?}: {text}");
    text
}

/// Commits everything.
pub(crate) fn commit(sandbox: &Sandbox) {
    git_ok(sandbox, &["add", "-A"]);
    git_ok(sandbox, &["commit", "-qm", "step"]);
}

/// A repository with an empty tracker, committed.
pub(crate) fn repository() -> Sandbox {
    let sandbox = Sandbox::empty();
    git_ok(&sandbox, &["init", "-q", "-b", "main"]);
    sandbox.ok(&["init"]);
    commit(&sandbox);
    sandbox
}

/// What Git knows to differ, a line a file.
pub(crate) fn status(sandbox: &Sandbox) -> Vec<String> {
    git_ok(sandbox, &["status", "--porcelain", "-uall"]).lines().map(str::to_owned).collect()
}

/// The chain of an item holds and ends in the item.
pub(crate) fn assert_verified(sandbox: &Sandbox, id: &str) {
    let answer = sandbox.json(&["history", id, "--verify"]);
    let verification = &answer["verification"];
    assert!(verification["ok"] == true && verification["current_matches_latest"] == true, "{verification}");
}
