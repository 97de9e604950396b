//! `pm gc`.

use serde_json::json;

use crate::sandbox::Sandbox;

fn there(sandbox: &Sandbox, path: &str) -> bool {
    sandbox.root().join(path).exists()
}

fn filled() -> Sandbox {
    let mut sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox.ok(&["list"]);
    let put = |path: &str, text: &str| sandbox.write(&format!(".agents/pm/{path}"), text);
    put("index/manifest.json", "{}");
    put("search/embeddings.jsonl", "");
    put("search/eval-queries.json", "[]");
    put("runtime/metadata-cache.json", "{}");
    put("tasks/.pm-a.toon.999999999.1700000000000.0a1b2c3d.tmp", "half");
    put(
        "locks/pm-old.lock",
        r#"{"id":"pm-old","pid":1,"owner":"x","created_at":"2026-01-01T00:00:00.000Z","ttl_seconds":1800}"#,
    );
    put(
        "locks/pm-new.lock",
        r#"{"id":"pm-new","pid":1,"owner":"x","created_at":"2026-03-01T11:59:00.000Z","ttl_seconds":1800}"#,
    );
    put(
        "checkpoints/update-many/old.json",
        r#"{"schema_version":1,"created_at":"2026-02-01T00:00:00.000Z"}"#,
    );
    put(
        "checkpoints/update-many/new.json",
        r#"{"schema_version":1,"created_at":"2026-02-28T00:00:00.000Z"}"#,
    );
    put("checkpoints/update-many/odd.json", "half a fi");
    put("transactions/sdk/old.json", r#"{"status":"committed","updatedAt":"2026-02-01T00:00:00.000Z"}"#);
    put("transactions/sdk/open.json", r#"{"status":"applying","updatedAt":"2026-02-01T00:00:00.000Z"}"#);
    sandbox.set("PM_LOCK_WAIT_MS", "0");
    sandbox
}

#[test]
fn what_is_not_needed_goes_and_the_rest_stays() {
    let sandbox = filled();
    let dry = sandbox.json(&["gc", "--dry-run"]);
    assert!(there(&sandbox, "index/manifest.json") && there(&sandbox, "checkpoints/update-many/old.json"));
    let done = sandbox.json(&["gc"]);
    assert_eq!((&dry["dry_run"], &dry["removed"]), (&json!(true), &done["removed"]));
    for path in [
        "index/manifest.json",
        "search/embeddings.jsonl",
        "runtime/metadata-cache.json",
        "tasks/.pm-a.toon.999999999.1700000000000.0a1b2c3d.tmp",
        "checkpoints/update-many/old.json",
        "transactions/sdk/old.json",
    ] {
        assert!(!there(&sandbox, path), "{path} in {done}");
    }
    for path in [
        "tasks/pm-a.toon",
        "search/eval-queries.json",
        "checkpoints/update-many/new.json",
        "checkpoints/update-many/odd.json",
        "transactions/sdk/open.json",
    ] {
        assert!(there(&sandbox, path), "{path} in {done}");
    }
    assert_eq!(done["checkpoints"], json!({"scanned": 3, "removed": 1, "retained": 2, "retention_days": 14}));
    let again = sandbox.json(&["gc"]);
    assert_eq!(again["count"], 0);
    assert_eq!(sandbox.json(&["list"])["count"], 1);
}

#[test]
fn scopes_limit_it_and_name_the_own_index() {
    let sandbox = filled();
    sandbox.json(&["gc", "--scope", "checkpoints,transactions"]);
    assert!(there(&sandbox, "index/manifest.json") && !there(&sandbox, "transactions/sdk/old.json"));
    let index = |sandbox: &Sandbox| {
        let entries = sandbox.root().join("runtime").read_dir().expect("the folder").flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".bin")).count()
    };
    sandbox.json(&["list"]);
    let before = index(&sandbox);
    sandbox.json(&["gc", "--scope", "runtime"]);
    assert_eq!(index(&sandbox), before);
    sandbox.json(&["gc", "--scope", "index"]);
    assert_eq!(index(&sandbox), 0);
    assert_eq!(sandbox.json(&["list"])["count"], 1);
    let error = sandbox.refused(&["gc", "--scope", "lock"], 2, "invalid_argument_value");
    assert_eq!(error["recovery"]["allowed_values"][0], "locks");
}

#[cfg(unix)]
#[test]
fn nothing_is_removed_through_a_link() {
    let sandbox = filled();
    let outside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("manifest.json"), "{}").expect("a file");
    std::fs::remove_dir_all(sandbox.root().join("index")).expect("the folder goes");
    std::os::unix::fs::symlink(outside.path(), sandbox.root().join("index")).expect("a link");
    sandbox.json(&["gc"]);
    assert!(outside.path().join("manifest.json").exists());
}
