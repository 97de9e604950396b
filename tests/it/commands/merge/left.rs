//! Files as Git leaves them where nobody merged them: two files of one item, and one branch's file without a mark. What was
//! written since, and what the other branch had, is there after the merge is mended.

use serde_json::{Value, json};

use super::{ITEM, STREAM, on_branch, repository, whole};
use crate::cases::repository::{commit, git, git_ok};
use crate::sandbox::Sandbox;

fn said(sandbox: &Sandbox) -> Vec<String> {
    let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
    let rows = item["comments"].as_array().cloned().unwrap_or_default();
    rows.iter().filter_map(|row| row["text"].as_str().map(str::to_owned)).collect()
}

/// Whether an answer speaks of something.
fn tells(sandbox: &Sandbox, call: &[&str], of: &str) -> bool {
    sandbox.pm(call).json().to_string().contains(of)
}

/// The kinds of what waits for somebody.
fn waiting(sandbox: &Sandbox) -> Vec<String> {
    let rows = sandbox.json(&["merge", "status"])["conflicts"].clone();
    let kind =
        |row: &Value| format!("{}:{}", row["id"].as_str().unwrap_or(""), row["kind"].as_str().unwrap_or(""));
    rows.as_array().into_iter().flatten().map(kind).collect()
}

#[test]
fn what_was_written_beside_two_files_is_kept() {
    for committed in [false, true] {
        for mend in [
            &["merge", "reconcile"][..],
            &["merge", "resolve", "x"],
            &["merge", "resolve", "x", "--ours"],
            &["merge", "resolve", "x", "--theirs"],
        ] {
            let mut sandbox = repository();
            let text = "a long text that makes a small item look like another one altogether ".repeat(40);
            let moves: &[&str] = &["update", "x", "--type", "Issue", "--description", &text];
            on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", &[moves]);
            on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", &[&["comments", "x", "theirs"]]);
            git_ok(&sandbox, &["checkout", "-q", "a"]);
            assert_ne!(git(&sandbox, &["merge", "-q", "--no-edit", "b"]).0, 0);
            if committed {
                commit(&sandbox);
            }
            assert_eq!(waiting(&sandbox), ["pm-x:two_files"]);
            sandbox.set("PM_CLOCK", "2026-03-03T00:00:00.000Z");
            sandbox.ok(&["comments", "x", "later"]);
            sandbox.ok(&["update", "x", "--add-tags", "late"]);
            sandbox.ok(mend);
            let case = format!("{mend:?}, committed: {committed}");
            assert_eq!(said(&sandbox), ["theirs", "later"], "{case}");
            let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
            assert_eq!((&item["type"], &item["tags"]), (&json!("Issue"), &json!(["late"])), "{case}");
            assert!(!sandbox.path().join(ITEM).exists(), "{case}");
            whole(&sandbox);
            assert!(waiting(&sandbox).is_empty(), "{case}");
        }
    }
}

/// Two branches that both wrote to the item, joined in a clone whose drivers are not what they should be.
fn joined(drivers: &[&str], command: &str, calls: [&[&[&str]]; 2]) -> Sandbox {
    let mut sandbox = repository();
    on_branch(&mut sandbox, "a", "2026-03-01T00:00:00.000Z", calls[0]);
    on_branch(&mut sandbox, "b", "2026-03-02T00:00:00.000Z", calls[1]);
    git_ok(&sandbox, &["checkout", "-q", "a"]);
    for driver in drivers {
        git_ok(&sandbox, &["config", &format!("merge.pm-{driver}.driver"), command]);
    }
    assert_ne!(git(&sandbox, &["merge", "-q", "--no-edit", "b"]).0, 0);
    sandbox.set("PM_CLOCK", "2026-03-03T00:00:00.000Z");
    sandbox
}

#[test]
fn a_file_of_one_branch_without_a_mark_is_named_and_joined() {
    let ours: &[&[&str]] = &[&["comments", "x", "ours"], &["update", "x", "--priority", "1"]];
    let theirs: &[&[&str]] = &[&["comments", "x", "theirs"], &["update", "x", "--risk", "high"]];
    for drivers in [&["item-toon", "history"][..], &["item-toon"], &["history"]] {
        for (written, edited) in [(false, false), (true, false), (false, true)] {
            for mend in [&["merge", "reconcile"][..], &["merge", "resolve", "x"]] {
                let sandbox = joined(drivers, "exit 1", [ours, theirs]);
                let case = format!("{drivers:?}, written: {written}, edited: {edited}, {mend:?}");
                if edited {
                    sandbox.write(ITEM, sandbox.read(ITEM).replace("Shared", "By hand"));
                }
                if written {
                    sandbox.ok(&["comments", "x", "later"]);
                }
                assert_eq!(waiting(&sandbox), ["pm-x:unjoined"], "{case}");
                assert_eq!(sandbox.pm(&["validate", "--json"]).code, 1, "{case}");
                assert!(
                    tells(&sandbox, &["validate", "--json"], "validate_storage_unjoined_files:1"),
                    "{case}"
                );
                assert!(tells(&sandbox, &["health", "--json"], "integrity_unjoined_file:pm-x"), "{case}");
                sandbox.ok(mend);
                let mut wanted = vec!["ours", "theirs"];
                wanted.extend(written.then_some("later"));
                assert_eq!(said(&sandbox), wanted, "{case}");
                let item = sandbox.json(&["get", "x", "--full"])["item"].clone();
                let title = if edited { "By hand" } else { "Shared" };
                assert_eq!(
                    (&item["title"], &item["priority"], &item["risk"]),
                    (&json!(title), &json!(1), &json!("high")),
                    "{case}"
                );
                whole(&sandbox);
                assert!(waiting(&sandbox).is_empty(), "{case}");
                assert!(sandbox.read(STREAM).lines().count() >= 6, "{case}: the entries of both are there");
                commit(&sandbox);
                assert!(waiting(&sandbox).is_empty(), "{case}");
            }
        }
    }
}

#[test]
fn two_values_in_files_that_nobody_merged_are_a_question() {
    let calls: [&[&[&str]]; 2] =
        [&[&["update", "x", "--priority", "1"]], &[&["update", "x", "--priority", "3"]]];
    for side in ["--ours", "--theirs"] {
        let sandbox = joined(&["item-toon", "history"], "exit 1", calls);
        assert_eq!(sandbox.json(&["merge", "status", "x"])["fields"][0]["values"], json!([1, 3]));
        sandbox.ok(&["merge", "resolve", "x", side]);
        let wanted = if side == "--ours" { 1 } else { 3 };
        assert_eq!(sandbox.json(&["get", "x"])["item"]["priority"], wanted);
        assert!(waiting(&sandbox).is_empty());
        whole(&sandbox);
    }
}

#[test]
fn what_was_decided_and_not_yet_staged_waits_no_more() {
    let calls: [&[&[&str]]; 2] = [
        &[&["update", "x", "--priority", "1"], &["comments", "x", "ours"]],
        &[&["update", "x", "--priority", "3"], &["comments", "x", "theirs"]],
    ];
    for decide in [
        &["merge", "resolve", "x", "--ours"][..],
        &["merge", "resolve", "x", "--theirs"],
        &["update", "x", "--priority", "0"],
        &["merge", "resolve", "x", "--set", "priority=2"],
    ] {
        let sandbox = joined(&[], "", calls);
        assert_eq!(waiting(&sandbox), ["pm-x:values"], "{decide:?}");
        sandbox.ok(decide);
        sandbox.ok(&["comments", "x", "--delete", "1"]);
        assert!(waiting(&sandbox).is_empty(), "{decide:?}");
        sandbox.ok(&["merge", "reconcile"]);
        assert_eq!(said(&sandbox).len(), 1, "{decide:?}: what was taken away after the merge stays away");
        whole(&sandbox);
    }
}

#[test]
fn a_version_that_nobody_can_read_is_told_by_its_history() {
    for ours_is_broken in [false, true] {
        let mut sandbox = repository();
        sandbox.ok(&["update", "x", "--tags", "t"]);
        commit(&sandbox);
        for (branch, broken) in [("a", ours_is_broken), ("b", !ours_is_broken)] {
            on_branch(&mut sandbox, branch, "2026-03-01T00:00:00.000Z", &[&["comments", "x", branch]]);
            if broken {
                sandbox.write(ITEM, sandbox.read(ITEM).replace("tags[1]: t", "tags[2]: t"));
                commit(&sandbox);
            }
        }
        git_ok(&sandbox, &["checkout", "-q", "a"]);
        assert_ne!(git(&sandbox, &["merge", "-q", "--no-edit", "b"]).0, 0);
        assert_eq!(waiting(&sandbox), ["pm-x:unjoined"], "ours: {ours_is_broken}");
        sandbox.ok(&["merge", "reconcile"]);
        let mut both = said(&sandbox);
        both.sort();
        assert_eq!(both, ["a", "b"], "ours: {ours_is_broken}");
        assert_eq!(sandbox.json(&["get", "x", "--full"])["item"]["tags"], json!(["t"]));
        whole(&sandbox);
    }
}

#[test]
fn documents_that_no_driver_merged_are_named_and_joined() {
    let ours: &[&[&str]] =
        &[&["config", "project", "set", "search.max_results", "20"], &["schema", "add-status", "review"]];
    let theirs: &[&[&str]] =
        &[&["config", "project", "set", "locks.wait_ms", "500"], &["schema", "add-status", "tested"]];
    for drivers in [&["json", "history"][..], &["json"], &["history"]] {
        let sandbox = joined(drivers, "exit 1", [ours, theirs]);
        assert!(waiting(&sandbox).iter().all(|row| row.ends_with(":unjoined")), "{drivers:?}");
        assert!(tells(&sandbox, &["validate", "--json"], "validate_storage_unjoined_files"), "{drivers:?}");
        sandbox.ok(&["merge", "reconcile"]);
        assert!(waiting(&sandbox).is_empty(), "{drivers:?}");
        let settings: Value =
            serde_json::from_str(&sandbox.read(".agents/pm/settings.json")).expect("settings");
        assert_eq!(
            (&settings["search"]["max_results"], &settings["locks"]["wait_ms"]),
            (&json!(20), &json!(500)),
            "{drivers:?}"
        );
        let statuses = sandbox.read(".agents/pm/schema/statuses.json");
        assert!(statuses.contains("review") && statuses.contains("tested"), "{drivers:?}");
        let verdict =
            sandbox.pm(&["validate", "--check-history-drift", "--check-storage-integrity", "--json"]);
        assert!(!verdict.json().to_string().contains("_workspace"), "{drivers:?}");
    }
}

#[test]
fn a_driver_whose_program_is_gone_is_named_and_another_one_on_the_path_is_found() {
    let sandbox = repository();
    let key = "merge.pm-item-toon.driver";
    let own = git_ok(&sandbox, &["config", key]);
    let program = env!("CARGO_BIN_EXE_pm");
    assert!(own.contains(program), "{own}");
    let away = own.trim_end().replace(program, "/nowhere/pm");
    git_ok(&sandbox, &["config", key, &away]);
    for call in [&["validate", "--json"][..], &["health", "--json"], &["merge", "status", "--json"]] {
        assert!(tells(&sandbox, call, "/nowhere/pm"), "{call:?}");
        assert!(tells(&sandbox, call, "pm merge install"), "{call:?}");
    }
    // The command asks for the program by its name where the path leads nowhere.
    sandbox.write("bin/pm", format!("#!/bin/sh\nexec '{program}' \"$@\"\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let script = sandbox.path().join("bin/pm");
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("a file");
        let call = away.replace("\"%O\"", "--help #");
        let path = format!("{}:/usr/bin:/bin", sandbox.path().join("bin").display());
        let output =
            std::process::Command::new("sh").args(["-c", &call]).env("PATH", path).output().expect("sh");
        assert!(output.status.success(), "{output:?}");
    }
    sandbox.ok(&["merge", "install"]);
    assert!(!tells(&sandbox, &["validate", "--json"], "/nowhere/pm"));
}
