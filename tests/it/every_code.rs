//! Every error code that is published can be reached through the binary: some test of this folder names it. Those that
//! no call can bring about stand here with the reason, and what other tests leave out is reached here.

use std::path::Path;

use pm::error::Code;
use serde_json::json;

use crate::cases::repository::git;
use crate::sandbox::Sandbox;

/// Codes that no test brings about, and why.
const UNREACHED: &[(&str, &str)] = &[
    (
        "storage_full",
        "the system says it of a disk that is full; a limit of one process is another error of the system",
    ),
    ("feature_missing", "only a program that was built without a part has it"),
    ("call_cancelled", "who takes a call back is not answered; tests/it/mcp_running.rs takes calls back"),
    ("linked_test_failed", "the answer of `pm test --run` is its report; the code is its exit code"),
    (
        "import_source_invalid",
        "`import jsonl` takes the item without its history then, and says so in a warning",
    ),
    ("internal_error", "a fault of this program, or a system without randomness: no call brings it about"),
    ("catalog_build_differs", "a build that differs from one made from nothing is a fault of this program"),
];

fn exit(code: &str) -> i32 {
    let found = Code::ALL.iter().find(|known| known.as_str() == code);
    i32::from(found.unwrap_or_else(|| panic!("`{code}` is no code")).kind().exit_code())
}

/// Refused with this code and the exit code of its class.
fn refused(pm: &Sandbox, argv: &[&str], code: &str) {
    let _ = pm.refused(argv, exit(code), code);
}

/// All texts of tests, this file left out.
fn texts(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).expect("the folder can be read").flatten();
    let text = |path: std::path::PathBuf| match path.is_dir() {
        true => texts(&path),
        false if path.ends_with("every_code.rs") => String::new(),
        false => std::fs::read_to_string(path).unwrap_or_default(),
    };
    entries.map(|entry| text(entry.path())).collect()
}

#[test]
fn every_code_is_reached_or_says_why_not() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let own = std::fs::read_to_string(here.join("every_code.rs")).expect("this file is there");
    let own = own.split("\n];\n").nth(1).expect("the table ends").to_owned();
    let told = texts(&here) + &own;
    for code in Code::ALL.iter().map(|code| code.as_str()) {
        let reason = UNREACHED.iter().find(|(known, _)| *known == code);
        let named = told.contains(&format!("\"{code}\""));
        assert!(named || reason.is_some(), "no test reaches `{code}`");
        assert!(!named || reason.is_none(), "`{code}` is reached: the table says that it cannot be");
    }
    for (code, _) in UNREACHED {
        exit(code);
    }
}

#[test]
fn places_that_are_no_tracker() {
    let pm = Sandbox::tracker();
    pm.write("file", "");
    refused(&pm, &["list", "--pm-path", "nowhere"], "tracker_root_missing");
    refused(&pm, &["list", "--pm-path", "file"], "tracker_root_not_directory");
    let odd = Sandbox::empty();
    odd.write(".gitignore/x", "");
    refused(&odd, &["init"], "init_gitignore_unwritable");
    let bare = Sandbox::empty();
    git(&bare, &["init", "-q", "--bare", "."]);
    refused(&bare, &["init"], "git_work_tree_missing");
}

#[test]
fn items_that_are_in_the_way() {
    let pm = Sandbox::tracker();
    pm.create(&["One", "--id", "aba"]);
    pm.create(&["Two", "--id", "abb"]);
    refused(&pm, &["get", "ab"], "ambiguous_item_id");
    pm.write(".agents/pm/tasks/pm-occ.toon/x", "");
    refused(&pm, &["create", "Third", "--id", "occ"], "item_path_occupied");
    let mut earlier = Sandbox::tracker();
    earlier.create(&["Late", "--id", "late"]);
    earlier.set("PM_CLOCK", "2020-01-01T00:00:00.000Z");
    let old = ["create", "Old", "--dep", "id=pm-late,kind=supersedes"];
    refused(&earlier, &old, "dependency_temporal_order_invalid");
}

#[test]
fn locks_of_others() {
    let mut pm = Sandbox::tracker();
    pm.set("PM_LOCK_WAIT_MS", "0");
    pm.create(&["One", "--id", "a"]);
    let lock = |pid: u32, at: &str| {
        let lock = json!({"id": "pm-a", "pid": pid, "owner": "other", "created_at": at, "ttl_seconds": 1800});
        pm.write(".agents/pm/locks/pm-a.lock", lock.to_string());
    };
    lock(std::process::id(), "2026-03-01T11:59:00.000Z");
    refused(&pm, &["update", "a", "--priority", "0"], "lock_conflict");
    refused(&pm, &["claim", "--next"], "next_items_taken");
    std::fs::remove_file(pm.root().join("locks/pm-a.lock")).expect("it is there");
    pm.ok(&["config", "set", "governance.force_required_for_stale_lock", "true"]);
    // No process has this number.
    lock(u32::MAX / 2, "2020-03-01T11:59:00.000Z");
    refused(&pm, &["update", "a", "--priority", "0"], "lock_stale");
}

#[test]
fn settings_that_stand_in_the_way() {
    let change = ["update", "a", "--priority", "0"];
    let fresh = || {
        let pm = Sandbox::tracker();
        pm.create(&["One", "--id", "a"]);
        pm
    };
    let pm = fresh();
    pm.write(".agents/pm/settings.json", r#"{"id_prefix": 5}"#);
    refused(&pm, &change, "settings_read_invalid_schema");
    let pm = fresh();
    pm.write(".agents/pm/schema/types.json", "[");
    refused(&pm, &change, "schema_read_invalid_json");
    let pm = fresh();
    pm.write(".agents/pm/settings.json", r#"{"history": {"missing_stream": "strict_error"}}"#);
    std::fs::remove_file(pm.root().join("history/pm-a.jsonl")).expect("it is there");
    refused(&pm, &change, "history_stream_missing");
    let mut pm = fresh();
    pm.write(".agents/pm/settings.json", r#"{"mutation_guard": {"require_attributed_author": true}}"#);
    pm.unset("PM_AUTHOR");
    refused(&pm, &change, "mutation_author_required");
}

#[test]
fn input_that_is_no_text() {
    let pm = Sandbox::tracker();
    let output =
        pm.command(&["create", "One", "--body", "-", "--json"]).write_stdin(vec![0xff, 0xfe]).output();
    let output = output.expect("the binary runs");
    assert_eq!(output.status.code(), Some(exit("stdin_unreadable")));
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).expect("stderr is JSON");
    assert_eq!(error["code"], "stdin_unreadable");
}

#[test]
fn batches_that_another_program_left() {
    let pm = Sandbox::tracker();
    let batch = r#"{"transactionId": "t", "mutations": [{"op": "create", "options": {"title": "One"}}]}"#;
    let _ = pm.pm_with(&["item", "mutate"], batch).expect(0);
    let folder = pm.root().join("transactions/sdk");
    for record in std::fs::read_dir(folder).expect("the record is kept").flatten() {
        std::fs::write(record.path(), "{}").expect("it can be written");
    }
    let code = "transaction_unfinished";
    let output = pm.pm_with(&["item", "mutate", "--json"], batch).expect(exit(code));
    let error: serde_json::Value = serde_json::from_str(&output.stderr).expect("stderr is JSON");
    assert_eq!(error["code"], code);
}

#[test]
fn git_that_cannot_tell() {
    let mut pm = Sandbox::tracker();
    pm.set("PATH", &std::env::var("PATH").unwrap_or_default());
    git(&pm, &["init", "-q", "-b", "main"]);
    git(&pm, &["add", "-A"]);
    git(&pm, &["commit", "-q", "-m", "all"]);
    let head = pm.read(".git/HEAD");
    pm.write(".git/HEAD", "x");
    refused(&pm, &["kb", "cost"], "repository_unreadable");
    pm.write(".git/HEAD", head);
    pm.set("PATH", "/nowhere");
    refused(&pm, &["catalog", "build"], "git_unavailable");
}
