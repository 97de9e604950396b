//! Every command of the catalog that writes: a dry run changes no byte, an expectation that does not hold is refused,
//! and the same call again writes nothing when it changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pm::commands::CATALOG;
use pm::contract::Effect;

use crate::cases::repository::git;
use crate::sandbox::Sandbox;

/// What the same call does when it is made again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Again {
    /// Nothing, or it is refused.
    Quiet,
    /// Something new: it makes or adds.
    New,
    /// It may have nothing to do the first time already.
    Idle,
}

pub(crate) use Again::{Idle, New, Quiet};

/// A call of each command: its words, what follows them, what the same call does again.
pub(crate) const CALLS: &[(&str, &[&str], Again)] = &[
    ("append", &["a", "more"], New),
    ("catalog attest", &["kept", "--kind", "publish", "--principal", "ann", "--key", "ann.key"], Quiet),
    ("catalog build", &["--worktree"], Quiet),
    ("catalog new", &["rotate-token"], Quiet),
    ("claim", &["a"], Quiet),
    ("close", &["a", "done"], Quiet),
    ("close-many", &["--filter-tag", "t", "--reason", "done"], Quiet),
    ("close-task", &["h", "done"], Quiet),
    ("comments", &["a", "said"], New),
    ("completion install", &["bash"], Quiet),
    ("config", &["set", "ids.token_length", "6"], Quiet),
    ("copy", &["a"], New),
    ("create", &["Another"], New),
    ("delete", &["b", "--leave-references"], Quiet),
    ("docs", &["a", "--add", "path=README.md"], Quiet),
    ("event", &["Fair"], New),
    ("files", &["a", "--add", "path=README.md"], Quiet),
    ("files discover", &["a", "--apply"], Quiet),
    ("focus", &["a"], Quiet),
    ("gc", &[], Quiet),
    (
        "history-author-acknowledge",
        &["--all-actionable", "--attributed-author", "ann", "--reviewer", "bob", "--reason", "log"],
        Idle,
    ),
    ("history-compact", &["a"], Quiet),
    ("history-redact", &["a", "--literal", "hunter2"], Quiet),
    ("history-repair", &["d"], Quiet),
    ("import backlog", &["their"], Quiet),
    ("import beads", &["issues.jsonl"], Quiet),
    ("import github", &["github.json"], Quiet),
    ("import jsonl", &["items.jsonl"], Idle),
    ("import ticket", &["their"], Quiet),
    ("import todotxt", &["todo.txt"], Quiet),
    ("init", &[], Idle),
    ("item complete", &["b", "--resolution", "fixed"], Quiet),
    ("item mutate", &["--stdin-json"], Quiet),
    ("item reopen", &["c", "again"], Quiet),
    ("learnings", &["a", "learnt"], New),
    ("meet", &["Talk"], New),
    ("merge driver", &["item", "base.toon", "ours.toon", "theirs.toon"], Idle),
    ("merge install", &[], Quiet),
    ("merge reconcile", &[], Idle),
    ("merge resolve", &["x", "--keep"], Quiet),
    ("next", &["--claim"], New),
    ("notes", &["a", "noted"], New),
    ("pause-task", &["h"], Quiet),
    ("plan add-step", &["p", "Fourth"], New),
    ("plan approve", &["p"], Quiet),
    ("plan block-step", &["p", "2", "--step-blocked-reason", "waits"], Quiet),
    ("plan complete-step", &["p", "1"], Quiet),
    ("plan create", &["Second plan"], New),
    ("plan decision", &["p", "--decision", "So it is"], New),
    ("plan discovery", &["p", "--discovery", "Look"], New),
    ("plan link", &["p", "2", "--link", "b"], Quiet),
    ("plan materialize", &["p", "--steps", "all"], Quiet),
    ("plan remove-step", &["p", "3"], Quiet),
    ("plan reorder-step", &["p", "plan-step-003", "1"], Quiet),
    ("plan resume", &["p", "--resume-context", "ctx"], Quiet),
    ("plan unlink", &["p", "1", "--link", "b"], Quiet),
    ("plan update-step", &["p", "1", "--step-status", "in_progress"], Quiet),
    ("plan validation", &["p", "--validation-text", "It works"], New),
    ("profile apply", &["agile"], Quiet),
    ("release", &["h"], Quiet),
    ("remind", &["Call"], New),
    ("restore", &["a", "1"], Quiet),
    ("schema add-field", &["colour"], Quiet),
    ("schema add-status", &["parked", "--role", "blocked"], Quiet),
    ("schema add-type", &["Bug"], Quiet),
    ("schema apply-preset", &["ops"], Quiet),
    ("schema remap-status", &["waiting", "--to", "open"], Quiet),
    ("schema remove-field", &["effort"], Quiet),
    ("schema remove-status", &["review"], Quiet),
    ("schema remove-type", &["Spike"], Quiet),
    ("schema rename-field", &["effort", "--to", "points"], Quiet),
    ("schema rename-type", &["Spike", "--to", "Probe"], Quiet),
    ("start-task", &["a"], Quiet),
    ("templates delete", &["t"], Quiet),
    ("templates save", &["t", "--tags", "other"], Quiet),
    ("test", &["a", "--add", "command=true"], Quiet),
    ("test-all", &[], Idle),
    ("update", &["a", "--priority", "0"], Quiet),
    ("update-many", &["--filter-tag", "t", "--priority", "0"], Quiet),
    ("validate", &["--auto-fix"], Idle),
    ("workspace snapshot create", &["now"], Quiet),
    ("workspace snapshot delete", &["then"], Quiet),
    ("workspace snapshot restore", &["then", "--force"], Quiet),
];

/// What commands read from standard input.
pub(crate) const INPUT: &str =
    r#"{"transactionId": "t", "mutations": [{"op": "update", "id": "pm-a", "options": {"priority": 0}}]}"#;

/// A tracker in which every call of the table has something to do.
pub(crate) fn prepared() -> Sandbox {
    let sandbox = Sandbox::tracker();
    git(&sandbox, &["init", "-q", "-b", "main"]);
    sandbox.write("README.md", "read me\n");
    let calls: &[&[&str]] = &[
        &["schema", "add-type", "Spike"],
        &["schema", "add-status", "review", "--role", "active"],
        &["schema", "add-status", "waiting", "--role", "active"],
        &["schema", "add-field", "effort", "--type", "number"],
        &["create", "Alpha", "--id", "a", "--tags", "t", "--body", "See README.md, hunter2"],
        &["create", "Beta", "--id", "b", "--tags", "t"],
        &["create", "Gamma", "--id", "c"],
        &["create", "Delta", "--id", "d"],
        &["create", "Held", "--id", "h"],
        &["create", "Disputed", "--id", "x"],
        &["create", "Ready", "--id", "r", "--priority", "0"],
        &["create", "Waits", "--id", "w", "--status", "waiting"],
        &["update", "a", "--title", "Alpha two"],
        &["close", "c", "done"],
        &["claim", "h"],
        &["start-task", "h"],
        &["create", "Plan", "A plan", "--id", "p"],
        &["plan", "add-step", "p", "One"],
        &["plan", "add-step", "p", "Two"],
        &["plan", "add-step", "p", "Three"],
        &["plan", "link", "p", "1", "--link", "b"],
        &["templates", "save", "t", "--tags", "t"],
        &["workspace", "snapshot", "create", "then"],
        &["update", "d", "--priority", "1"],
    ];
    for call in calls {
        sandbox.ok(call);
    }
    sandbox.ok(&["export", "jsonl", "--output", "items.jsonl"]);
    sources(&sandbox);
    let item = sandbox.read(".agents/pm/tasks/pm-x.toon");
    sandbox.write("base.toon", &item);
    sandbox.write("ours.toon", item.replace("priority: 2", "priority: 0"));
    sandbox.write("theirs.toon", item.replace("priority: 2", "priority: 1"));
    let merged = sandbox.pm(&[
        "merge",
        "driver",
        "item",
        "base.toon",
        "ours.toon",
        "theirs.toon",
        "--output",
        "m.toon",
    ]);
    assert!(merged.code <= 1, "{merged:?}");
    sandbox.write(".agents/pm/tasks/pm-x.toon", sandbox.read("m.toon"));
    let history = sandbox.read(".agents/pm/history/pm-d.jsonl");
    sandbox.write(
        ".agents/pm/history/pm-d.jsonl",
        history.replacen("\"before_hash\":\"", "\"before_hash\":\"0", 2),
    );
    sandbox.write(".agents/pm/index/manifest.json", "{}");
    let record = crate::catalog::shelf::simple("kept", serde_json::json!({}));
    sandbox.write(".agents/pm/runbooks/kept/runbook.json", record.to_string());
    sandbox.write("ann.key", crate::catalog::shelf::private("ann"));
    sandbox
}

/// An item in the form of each other tracker.
fn sources(sandbox: &Sandbox) {
    let front =
        "---\nid: back-1\ntitle: One\nstatus: To Do\ncreated_date: 2026-01-01\nlabels: []\n---\n\nText\n";
    sandbox.write("their/backlog/tasks/back-1 - One.md", front);
    let front = "---\nid: tk-a1\nstatus: open\ncreated: 2026-01-01T10:00:00Z\ntype: bug\npriority: 1\n---\n# One\n\nText\n";
    sandbox.write("their/.tickets/tk-a1.md", front);
    sandbox.write("todo.txt", "(A) 2026-01-01 Call Mom @phone +Family\n");
    sandbox.write(
        "issues.jsonl",
        concat!(
            r#"{"id":"bd-1","title":"One","status":"open","priority":1,"issue_type":"task","#,
            r#""created_at":"2026-01-01T10:00:00Z","updated_at":"2026-01-02T10:00:00Z"}"#,
            "\n"
        ),
    );
    sandbox.write(
        "github.json",
        concat!(
            r#"[{"number": 3, "html_url": "https://github.com/o/r/issues/3", "title": "Three", "state": "open","#,
            r#" "user": {"login": "ann"}, "labels": [], "body": "Text","#,
            r#" "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z"}]"#
        ),
    );
}

fn walk(folder: &Path, each: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).expect("the folder can be read").flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, each);
        } else {
            each(&path);
        }
    }
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read").flatten();
    let own = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    own.flat_map(|entry| {
        let mut found = folders(&entry.path());
        found.push(entry.path());
        found
    })
    .collect()
}

pub(crate) fn copy(of: &Sandbox) -> Sandbox {
    let mut sandbox = Sandbox::empty();
    let home = sandbox.path().to_string_lossy().into_owned();
    sandbox.set("PM_LOCK_WAIT_MS", "0").set("HOME", &home);
    let below = |path: &Path| path.strip_prefix(of.path()).expect("it lies below").to_owned();
    walk(of.path(), &mut |path| {
        let below = below(path);
        sandbox.write(below.to_str().expect("a plain name"), fs::read(path).expect("the file can be read"));
    });
    // Without its empty folders a Git repository is none.
    for folder in folders(of.path()) {
        fs::create_dir_all(sandbox.path().join(below(&folder))).expect("the folder can be made");
    }
    sandbox
}

/// Every file that a call may not touch unasked: all but caches, locks and the inside of Git.
pub(crate) fn bytes(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    walk(sandbox.path(), &mut |path| {
        let below =
            path.strip_prefix(sandbox.path()).expect("it lies below").to_string_lossy().replace('\\', "/");
        let git = below.starts_with(".git/") && below != ".git/config";
        let local = below
            .strip_prefix(".agents/pm/runtime/")
            .is_some_and(|name| name != "session.json" && !name.starts_with("workspace-snapshots/"));
        if !git && !local {
            found.insert(below, fs::read(path).expect("the file can be read"));
        }
    });
    found
}

/// The paths in which two states differ.
pub(crate) fn difference(
    before: &BTreeMap<String, Vec<u8>>,
    after: &BTreeMap<String, Vec<u8>>,
) -> Vec<String> {
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    paths.into_iter().filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
}

#[test]
fn every_command_that_writes_has_a_call() {
    let writes = CATALOG.0.iter().filter(|surface| surface.contract.effect != Effect::Reads);
    let declared: BTreeSet<String> = writes.map(|surface| surface.name()).collect();
    let called: BTreeSet<String> = CALLS.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(declared, called);
}

#[test]
fn a_change_can_be_tried_expected_and_repeated() {
    let base = prepared();
    let mut faults = Vec::new();
    for (name, rest, again) in CALLS {
        let sandbox = copy(&base);
        let argv: Vec<&str> = name.split(' ').chain(rest.iter().copied()).collect();
        let call = |extra: &[&str]| sandbox.pm_with(&[argv.as_slice(), extra].concat(), INPUT);
        let untouched = bytes(&sandbox);
        let mut fault = |what: &str, said: String| faults.push(format!("{name}: {what}: {said}"));
        let dry = call(&["--dry-run"]);
        // A merge that leaves something open says so with 1.
        let works = |code: i32| {
            code == 0 || code == 1 && ["merge driver", "merge reconcile", "validate"].contains(name)
        };
        if !works(dry.code) {
            fault("the dry run fails", dry.stderr);
        }
        let touched = difference(&untouched, &bytes(&sandbox));
        if !touched.is_empty() {
            fault("the dry run writes", touched.join(" "));
        }
        let zeros = "0".repeat(64);
        for expectation in [["--if-hash", zeros.as_str()], ["--if-updated-at", "2001-01-01T00:00:00.000Z"]] {
            let refused = call(&expectation);
            if ![2, 4].contains(&refused.code) {
                fault(expectation[0], format!("exit {}: {}", refused.code, refused.stdout));
            }
            let touched = difference(&untouched, &bytes(&sandbox));
            if !touched.is_empty() {
                fault(expectation[0], format!("wrote {}", touched.join(" ")));
            }
        }
        let first = call(&[]);
        let done = bytes(&sandbox);
        if !works(first.code) {
            fault("it fails", format!("{}{}", first.stdout, first.stderr));
        } else if *again != Idle && done == untouched {
            fault("it does nothing", first.stdout);
        }
        if *again != New {
            let second = call(&[]);
            let touched = difference(&done, &bytes(&sandbox));
            if !touched.is_empty() {
                fault("again it writes", format!("{} {}", touched.join(" "), second.stdout));
            }
        }
    }
    let faults: Vec<String> = faults.iter().map(|fault| fault.chars().take(300).collect()).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
