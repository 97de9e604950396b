//! Programs that run after changes.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A tracker with a hook that writes what it reads to a file, and another program beside it.
fn hooked(hooks: &Value) -> Sandbox {
    let sandbox = Sandbox::tracker();
    for (name, text) in [
        ("keep", "#!/bin/sh\ncat >> seen\necho >> seen\n"),
        ("fail", "#!/bin/sh\necho no such luck >&2\nexit 3\n"),
        ("hang", "#!/bin/sh\nsleep 60\n"),
        ("again", "#!/bin/sh\n\"$PM\" create Again --quiet >> seen\n"),
    ] {
        sandbox.write(name, text);
        std::fs::set_permissions(sandbox.path().join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let file = ".agents/pm/settings.json";
    let mut settings: Value = serde_json::from_str(&sandbox.read(file)).unwrap();
    settings["hooks"] = json!({"after_mutation": hooks});
    sandbox.write(file, serde_json::to_string_pretty(&settings).unwrap());
    sandbox
}

fn seen(sandbox: &Sandbox) -> Vec<Value> {
    let text = std::fs::read_to_string(sandbox.path().join("seen")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_hook_reads_what_changed_and_runs_only_where_it_was_allowed() {
    let sandbox = hooked(&json!([{"command": ["./keep", "$(touch pwned)"]}]));
    let listed = sandbox.json(&["hooks", "list"]);
    assert_eq!((&listed["count"], &listed["allowed"]), (&json!(1), &json!(false)));
    let receipt = sandbox.json(&["create", "A", "--id", "aa"]);
    assert_eq!(receipt["warnings"], json!(["hooks_not_allowed:1"]));
    assert!(seen(&sandbox).is_empty());
    assert_eq!(sandbox.json(&["hooks", "allow"])["allowed"], true);
    sandbox.ok(&["close", "aa", "Done", "--json"]);
    let told = seen(&sandbox).pop().unwrap();
    assert_eq!((&told["event"], &told["command"]), (&json!("after_mutation"), &json!("close")));
    assert_eq!(told["items"], json!([{"id": "pm-aa", "ops": ["close"]}]));
    assert_eq!((&told["author"], &told["receipt"]["status"]), (&json!("alice"), &json!("closed")));
    assert!(!sandbox.path().join("pwned").exists(), "no shell reads the arguments");
    // Reads, dry runs, refusals and changes of nothing run nothing.
    sandbox.ok(&["list"]);
    sandbox.ok(&["update", "aa", "--title", "B", "--dry-run"]);
    sandbox.ok(&["update", "aa", "--title", "A"]);
    assert_eq!(seen(&sandbox).len(), 1);
    assert_eq!(sandbox.json(&["hooks", "deny"])["allowed"], false);
    sandbox.ok(&["update", "aa", "--title", "B"]);
    assert_eq!(seen(&sandbox).len(), 1);
}

#[test]
fn hooks_that_changed_since_are_not_the_ones_that_were_allowed() {
    let sandbox = hooked(&json!([{"command": ["./keep"]}]));
    sandbox.ok(&["hooks", "allow"]);
    let file = ".agents/pm/settings.json";
    sandbox.write(file, sandbox.read(file).replace("./keep", "./fail"));
    let receipt = sandbox.json(&["create", "A"]);
    assert_eq!(receipt["warnings"], json!(["hooks_not_allowed:1"]));
}

#[test]
fn what_goes_wrong_with_a_hook_is_said_and_harmless() {
    let sandbox = hooked(&json!([
        {"command": ["./fail"]}, {"command": ["./missing"]}, {"command": []}, {"command": ["./hang"], "timeout_ms": 50},
        {"command": ["./keep"], "ops": ["create"]},
    ]));
    sandbox.ok(&["hooks", "allow"]);
    let receipt = sandbox.json(&["create", "A", "--id", "aa"]);
    let warnings: Vec<&str> =
        receipt["warnings"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    assert_eq!(warnings.len(), 4, "{warnings:?}");
    assert_eq!(warnings[0], "hook_failed:./fail:exit 3: no such luck");
    assert!(warnings[1].starts_with("hook_failed:./missing:"));
    assert!(warnings[2].starts_with("hook_invalid:hooks.after_mutation entry 3"));
    assert_eq!(warnings[3], "hook_failed:./hang:timeout after 50 ms");
    assert_eq!(seen(&sandbox).len(), 1);
    sandbox.ok(&["update", "aa", "--title", "B"]);
    assert_eq!(seen(&sandbox).len(), 1, "only after `create`");
    assert_eq!(sandbox.json(&["list"])["count"], 1);
}

#[test]
fn hooks_start_no_hooks() {
    let mut sandbox = hooked(&json!([{"command": ["./again"]}]));
    let program = assert_cmd::cargo::cargo_bin!("pm").display().to_string();
    sandbox.set("PM", &program);
    sandbox.ok(&["hooks", "allow"]);
    sandbox.ok(&["create", "A"]);
    assert_eq!(sandbox.json(&["list"])["count"], 2);
}

fn script(sandbox: &Sandbox, path: &str, text: &str) {
    sandbox.write(path, text);
    std::fs::set_permissions(sandbox.path().join(path), std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A change of one file that a hook runs: the hook rests until it is allowed again.
fn rests_after(sandbox: &Sandbox, path: &str, text: &str) {
    sandbox.ok(&["hooks", "allow"]);
    let before = seen(sandbox).len();
    sandbox.ok(&["create", "Before"]);
    assert_eq!(seen(sandbox).len(), before + 1, "{path}");
    script(sandbox, path, text);
    let receipt = sandbox.json(&["create", "After"]);
    let warning = receipt["warnings"][0].as_str().unwrap_or_default().to_owned();
    assert!(warning.starts_with("hooks_not_allowed:1:"), "{path}: {receipt}");
    assert_eq!(seen(sandbox).len(), before + 1, "{path} ran though it had changed");
    let listed = sandbox.json(&["hooks", "list"]);
    assert_eq!(
        (&listed["allowed"], listed["changed"].as_array().map(Vec::len)),
        (&json!(false), Some(1)),
        "{listed}"
    );
    sandbox.ok(&["hooks", "allow"]);
    sandbox.ok(&["create", "Again"]);
    assert_eq!(seen(sandbox).len(), before + 2, "{path}");
}

#[test]
fn a_program_that_changed_does_not_run() {
    let keep = "#!/bin/sh\ncat >> seen\necho >> seen\n# changed\n";
    rests_after(&hooked(&json!([{"command": ["./keep"]}])), "keep", keep);
    // A script that an interpreter reads, by itself or behind an option.
    rests_after(&hooked(&json!([{"command": ["sh", "keep"]}])), "keep", keep);
    rests_after(&hooked(&json!([{"command": ["/bin/sh", "-e", "./keep"]}])), "keep", keep);
    rests_after(&hooked(&json!([{"command": ["./keep", "--config=hook.conf"]}])), "hook.conf", "a = 1\n");
}

#[test]
fn a_name_that_finds_another_program_does_not_run() {
    let mut sandbox = hooked(&json!([{"command": ["keeper"]}]));
    let path = format!(
        "{}:{}:/usr/bin:/bin",
        sandbox.path().join("first").display(),
        sandbox.path().join("bin").display()
    );
    script(&sandbox, "bin/keeper", "#!/bin/sh\ncat >> seen\necho >> seen\n");
    sandbox.set("PATH", &path);
    // Another one before it on the path; then one whose interpreter is a file of the repository.
    sandbox.ok(&["hooks", "allow"]);
    script(&sandbox, "first/keeper", "#!/bin/sh\ntouch pwned\n");
    sandbox.json(&["create", "A"]);
    assert!(!sandbox.path().join("pwned").exists());
    assert!(seen(&sandbox).is_empty());
    std::fs::remove_file(sandbox.path().join("first/keeper")).unwrap();
    script(&sandbox, "bin/keeper", "#!/usr/bin/env reader\nx\n");
    let reader = "#!/bin/sh\ncat >> seen\necho >> seen\n";
    script(&sandbox, "bin/reader", reader);
    let listed = sandbox.json(&["hooks", "list"]);
    assert!(listed["hooks"][0]["files"].as_str().unwrap().contains("bin/reader"), "{listed}");
    rests_after(&sandbox, "bin/reader", &format!("{reader}# other\n"));
}

#[test]
fn a_program_that_comes_after_it_was_allowed_does_not_run() {
    let sandbox = hooked(&json!([{"command": ["./later"]}]));
    sandbox.ok(&["hooks", "allow"]);
    script(&sandbox, "later", "#!/bin/sh\ntouch pwned\n");
    let receipt = sandbox.json(&["create", "A"]);
    assert!(receipt["warnings"][0].as_str().unwrap().starts_with("hooks_not_allowed:1:"), "{receipt}");
    assert!(!sandbox.path().join("pwned").exists());
}
