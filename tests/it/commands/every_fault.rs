//! Every command of the catalog that writes, killed at each of its write points or on a disk that is full: the tracker is
//! as it was before, or as it is afterwards, and nothing is left lying about.
#![cfg(unix)]

use std::collections::BTreeMap;

use super::every_change::{self, CALLS, INPUT, copy, difference, prepared};
use crate::sandbox::Sandbox;
use crate::store::reliability::hold;

/// Commands that land one item after the other: killed, a part of them is there, each whole.
pub(super) const STEPWISE: &[&str] = &[
    "close-many",
    "files discover",
    "gc",
    "history-compact",
    "history-redact",
    "history-repair",
    "import backlog",
    "import beads",
    "import github",
    "import jsonl",
    "import ticket",
    "import todotxt",
    "init",
    "merge driver",
    "merge install",
    "merge reconcile",
    "schema rename-type",
    "test-all",
    "update-many",
    "validate",
    "workspace snapshot create",
    "workspace snapshot delete",
    "workspace snapshot restore",
];

/// Those between which something else is on disk; tests/it/store goes through all of them.
const POINTS: &[&str] = &["journal_written", "append_torn", "renamed"];

pub(super) fn words<'a>(name: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    name.split(' ').chain(rest.iter().copied()).collect()
}

/// Every file but those in the user's own folders: caches go there when the tracker takes none.
pub(super) fn bytes(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    let mut files = every_change::bytes(sandbox);
    files.retain(|path, _| !path.starts_with(".cache/") && !path.starts_with("no-home/"));
    files
}

/// Whatever is none of the tracker's files: temporary files, journals, locks.
pub(super) fn litter(files: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let is_litter = |path: &&String| {
        path.ends_with(".tmp") || path.contains("/transactions/pm/") || path.contains("/locks/")
    };
    files.keys().filter(is_litter).cloned().collect()
}

/// The ids whose histories do not verify or do not end in their item.
pub(super) fn broken(sandbox: &Sandbox) -> Vec<String> {
    let repair = sandbox.json(&["history-repair", "--all", "--dry-run"]);
    let rows = repair["rows"].as_array().cloned().unwrap_or_default();
    rows.iter().map(|row| row["id"].as_str().unwrap_or_default().to_owned()).collect()
}

/// What is wrong after a call that did not come to its end.
fn faults(
    sandbox: &Sandbox,
    name: &str,
    before: &BTreeMap<String, Vec<u8>>,
    after: &BTreeMap<String, Vec<u8>>,
) -> Vec<String> {
    let mut found = Vec::new();
    sandbox.ok(&["list"]);
    let now = bytes(sandbox);
    let left = litter(&now);
    if !left.is_empty() {
        found.push(format!("left {}", left.join(" ")));
    }
    if !STEPWISE.contains(&name) && now != *before && now != *after {
        let (one, other) = (difference(before, &now).join(" "), difference(after, &now).join(" "));
        found.push(format!("half done: against before {one}; against after {other}"));
    }
    // Two histories of the tracker were broken from the start.
    let wrong: Vec<String> = broken(sandbox).into_iter().filter(|id| id != "pm-d" && id != "pm-x").collect();
    if !wrong.is_empty() {
        found.push(format!("broken: {}", wrong.join(" ")));
    }
    found
}

/// Runs each call to its end, and then once for each way of breaking it off; a way that did not break it off says so.
fn every(of: &str, ways: &[&str], break_off: &dyn Fn(&Sandbox, &[&str], &str) -> bool) {
    let base = prepared();
    let (mut wrong, mut broken_off) = (Vec::new(), 0);
    for (name, rest, _) in CALLS {
        let argv = words(name, rest);
        let whole = copy(&base);
        let before = bytes(&whole);
        let _ = whole.pm_with(&argv, INPUT);
        let after = bytes(&whole);
        for way in ways {
            let sandbox = copy(&base);
            if break_off(&sandbox, &argv, way) {
                broken_off += 1;
                let faults = faults(&sandbox, name, &before, &after);
                wrong.extend(faults.iter().map(|fault| format!("{name} {of} {way}: {fault}")));
            }
        }
    }
    assert!(broken_off > CALLS.len(), "only {broken_off} calls were broken off");
    let wrong: Vec<String> = wrong.iter().map(|fault| fault.chars().take(400).collect()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What becomes of a change that is broken off.
const WHOLE: &str = "as before or done, nothing left behind; a bulk call item by item";

#[test]
fn a_change_that_is_killed_is_whole() {
    every("killed at", POINTS, &|sandbox, argv, point| {
        let output = sandbox.command(argv).env("PM_FAULT", point).write_stdin(INPUT).output();
        output.expect("the binary runs").status.code().is_none()
    });
    hold("every command: `kill -9` at any write point", WHOLE);
}

#[test]
fn a_change_on_a_full_disk_is_whole() {
    every("with blocks", &["0", "4"], &|sandbox, argv, blocks| {
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let plain = sandbox.process(argv);
        let mut command = std::process::Command::new("sh");
        command.arg("-c").arg(limited).arg(plain.get_program()).args(plain.get_args());
        command.env_clear().current_dir(sandbox.path());
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = assert_cmd::Command::from_std(command).write_stdin(INPUT).output();
        !output.expect("the binary runs").status.success()
    });
    hold("every command: disk full, at any write", WHOLE);
}
