//! Redacted texts that come back where Git asks no driver: one side is the version before.

use super::{repository, whole};
use crate::cases::repository::{commit, git_ok};
use crate::sandbox::Sandbox;

const SECRET: &str = "S3CRETZ";

fn tells(sandbox: &Sandbox) -> bool {
    let below = ["tasks", "history"].map(|folder| sandbox.root().join(folder));
    let files = below.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder")).flatten();
    let texts: Vec<String> = files.map(|file| std::fs::read_to_string(file.path()).expect("text")).collect();
    texts.iter().any(|text| text.contains(SECRET))
}

fn redact(sandbox: &Sandbox) {
    sandbox.ok(&["history-redact", "x", "--literal", SECRET]);
    commit(sandbox);
}

#[test]
fn a_redaction_that_was_reverted_is_named_and_made_again() {
    for way in ["revert", "checkout", "revert, then more", "uncommitted"] {
        let mut sandbox = repository();
        sandbox.ok(&["update", "x", "--description", &format!("has {SECRET} inside")]);
        commit(&sandbox);
        redact(&sandbox);
        // What was found before is not asked for again.
        assert_eq!(sandbox.pm(&["validate", "--json"]).code, 0, "{way}");
        match way {
            "checkout" | "uncommitted" => git_ok(&sandbox, &["checkout", "-q", "HEAD~1", "--", ".agents"]),
            _ => git_ok(&sandbox, &["revert", "--no-edit", "HEAD"]),
        };
        if way == "checkout" {
            commit(&sandbox);
        }
        if way == "revert, then more" {
            sandbox.ok(&["create", "Another", "--id", "y"]);
            commit(&sandbox);
        }
        assert!(tells(&sandbox), "{way}");
        sandbox.set("PM_CLOCK", "2026-04-01T00:00:00.000Z");
        let verdict = sandbox.pm(&["validate", "--json"]).expect(1).json().to_string();
        assert!(verdict.contains("validate_storage_redaction_returned:1"), "{way}: {verdict}");
        let health = sandbox.pm(&["health", "--json"]).json().to_string();
        assert!(health.contains("integrity_redaction_returned:pm-x"), "{way}: {health}");
        sandbox.ok(&["merge", "reconcile"]);
        assert!(!tells(&sandbox), "{way}");
        let verdict = sandbox.pm(&["validate", "--json"]).json().to_string();
        assert!(!verdict.contains("redaction_returned"), "{way}: {verdict}");
        whole(&sandbox);
    }
}
