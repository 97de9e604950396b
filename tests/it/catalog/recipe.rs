//! The recipes of docs/catalog.md with the tools that they name: keys and signatures of `ssh-keygen`, statements of
//! `pm catalog attest`, a build, a check, and a level that rises with each (B-21, B-23, B-54, B-66).

use std::process::{Command, Stdio};

use serde_json::json;

use super::kit::{DAY, Repo, SOURCE, say, walkable};
use pm::catalog::statement::canonical_bytes;

/// Runs `ssh-keygen` in the repository; none where it is not installed.
fn keygen(repo: &Repo, words: &[&str]) -> Option<()> {
    let ran =
        Command::new("ssh-keygen").args(words).current_dir(repo.pm.path()).stdin(Stdio::null()).output();
    let Ok(output) = ran else {
        crate::corpus::skipped("ssh-keygen");
        return None;
    };
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

/// What `pm` signed is a signature to ssh-keygen too.
fn ssh_keygen_agrees(repo: &Repo, path: &str) {
    let signers = format!("{SOURCE}/_trust/allowed_signers");
    let statement = std::fs::File::open(repo.pm.path().join(path)).expect("a statement");
    let checked = Command::new("ssh-keygen")
        .args(["-q", "-Y", "verify", "-n", "pm-catalog-run", "-I", "ci@example.org", "-f", &signers, "-s"])
        .arg(format!("{path}.sig"))
        .current_dir(repo.pm.path())
        .stdin(statement)
        .output()
        .expect("it runs");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

/// C5, C26: from a new key to a record that is exercised, and a gated step that a person approved.
#[test]
fn b23_b54_b66_the_recipes_of_the_documentation_work() {
    let mut repo = Repo::new();
    repo.pm.set("PM_CLOCK", "2026-11-20T12:00:00.000Z").set("PM_AUTHOR", "ops@example.org");
    let mut signers = String::new();
    for name in ["dana", "ci"] {
        if keygen(&repo, &["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", &format!("{name}.key")])
            .is_none()
        {
            return;
        }
        signers.push_str(&format!("{name}@example.org {}", repo.pm.read(&format!("{name}.key.pub"))));
    }
    repo.pm.write(&format!("{SOURCE}/_trust/allowed_signers"), signers);
    let policy = "principals:\n  \"ops@example.org\":\n    kind: human\n    roles[1]: maintainer\n  \"dana@example.org\":\n    kind: human\n    roles[2]: reviewer,attester\n  \"ci@example.org\":\n    kind: service\n    roles[1]: attester\n";
    repo.pm.write(&format!("{SOURCE}/_trust/policy.toon"), policy);
    repo.pm.write(".gitignore", "/dist/\n*.key\n*.key.pub\n");
    let record = walkable("walk");
    repo.record(&record, &[]);
    repo.commit();
    let level = || {
        let dist = repo.build(DAY, &["--verify"]);
        let _ = repo.catalog(&["verify", "dist/catalog"]).expect(0);
        dist.trust("walk").0
    };
    assert_eq!(level(), "T1");
    let attest = |who: &str, more: &[&str]| {
        let (principal, key) = (format!("{who}@example.org"), format!("{who}.key"));
        let words = [
            &["attest", "walk", "--principal", &principal, "--key", &key],
            more,
            &["--output-format", "json"],
        ]
        .concat();
        let told = repo.catalog(&words).expect(0).json();
        assert_eq!(told["signature"], "valid", "{told}");
        let path = told["path"].as_str().expect("a path").to_owned();
        repo.commit();
        (told, path)
    };
    attest("dana", &["--kind", "review", "--verdict", "approve"]);
    assert_eq!(level(), "T2");
    let (told, path) = attest("ci", &["--kind", "run", "--outcome", "success", "--environment", "staging"]);
    assert_eq!((&told["outcome"], &told["environment"]), (&json!("success"), &json!("staging")));
    assert_eq!(level(), "T3");
    ssh_keygen_agrees(&repo, &path);
    // The approval: canonical bytes, signed by ssh-keygen as the documentation says.
    let approval = say(
        &record,
        "approval",
        "dana@example.org",
        "2026-11-20T09:00:00Z",
        json!({"steps": ["look", "drop"]}),
    );
    repo.pm.write("approval.json", canonical_bytes(&approval));
    let run = |agent: &str, exit: i32| {
        let words = [
            "run",
            "walk",
            "--dry-run",
            "--allow",
            "shell:kubectl",
            "--approval",
            "approval.json",
            "--agent",
            agent,
            "--output-format",
            "json",
        ];
        repo.catalog(&words).expect(exit).json()
    };
    assert_eq!(run("bot@example.org", 2)["error_code"], "APPROVAL_INVALID");
    keygen(&repo, &["-q", "-Y", "sign", "-n", "pm-catalog-approval", "-f", "dana.key", "approval.json"]);
    assert_eq!(run("bot@example.org", 0)["decision"], "may_run");
    // Nobody approves of himself, whatever the capitals of his name.
    for agent in ["dana@example.org", "Dana@Example.org", " DANA@EXAMPLE.ORG "] {
        assert_eq!(run(agent, 2)["error_code"], "APPROVAL_BY_SELF", "{agent}");
    }
}
