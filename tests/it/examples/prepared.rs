//! A project in which every example makes sense: copied for each, so that none needs another one before it.

use std::sync::LazyLock;

use pm::catalog::signature::sign;
use pm::catalog::statement::canonical_bytes;
use pm::contract::{Contract, Effect};
use serde_json::{Value, json};

use crate::cases::repository::{commit, git, git_ok};
use crate::catalog::shelf::{DAY, Shelf, private, replica, said, simple};
use crate::corpus;
use crate::sandbox::Sandbox;

const SETTINGS: &str = ".agents/pm/settings.json";
const RUNBOOKS: &str = ".agents/pm/runbooks";

/// The project with items, files and settings.
static PROJECT: LazyLock<Sandbox> = LazyLock::new(|| project("Issue"));

/// The same with `pm-a1b2` as a plan.
static PLANNED: LazyLock<Sandbox> = LazyLock::new(planned);

/// The same with a catalog that is built.
static CATALOG: LazyLock<Sandbox> = LazyLock::new(|| {
    let shelf = Shelf { sandbox: copy(&PROJECT) };
    shelf.build();
    corpus::copy(&shelf.dist(), &shelf.sandbox.path().join("dist/released"));
    shelf.sandbox
});

/// The same with a merge that leaves something to decide.
static CONFLICTED: LazyLock<Sandbox> = LazyLock::new(conflicted);

/// Where an example runs.
pub(super) enum Place {
    /// With others that change nothing.
    Shared(&'static Sandbox),
    /// Alone.
    Own(Sandbox),
}

impl std::ops::Deref for Place {
    type Target = Sandbox;

    fn deref(&self) -> &Sandbox {
        match self {
            Place::Shared(pm) => pm,
            Place::Own(pm) => pm,
        }
    }
}

/// A place for an example of a command.
pub(super) fn place(contract: &Contract) -> Place {
    let changed = |calls: &[&[&str]]| {
        let pm = copy(&PROJECT);
        calls.iter().for_each(|call| drop(pm.ok(call)));
        Place::Own(pm)
    };
    match contract.path {
        ["init"] => Place::Own(nothing()),
        ["catalog", "new"] => Place::Own(without_records()),
        ["catalog", "check"] => {
            let pm = copy(&PROJECT);
            // It asks for an approval that it may not waive, and `--strict` minds.
            std::fs::remove_dir_all(pm.path().join(format!("{RUNBOOKS}/restart-postgres-replica"))).unwrap();
            Place::Own(pm)
        }
        ["delete"] => changed(&[&["update", "a1", "--unset", "parent"]]),
        ["history-author-acknowledge"] => {
            let mut pm = copy(&PROJECT);
            pm.set("PM_AUTHOR", "unknown").ok(&["update", "c3d4", "--priority", "1"]);
            pm.set("PM_AUTHOR", "alice");
            Place::Own(pm)
        }
        ["item", "reopen"] => changed(&[&["close", "a1b2", "Done"]]),
        ["pause-task"] => changed(&[&["start-task", "a1b2"]]),
        ["profile", "lint"] => changed(&[&["profile", "apply", "agile"]]),
        ["release"] => changed(&[&["claim", "a1b2"]]),
        ["workspace", "snapshot", "create"] => {
            changed(&[&["workspace", "snapshot", "delete", "before-import"]])
        }
        path => {
            let of: &'static Sandbox = match path {
                ["plan", ..] => &PLANNED,
                ["merge", ..] => &CONFLICTED,
                ["catalog", action, ..] if !["build", "attest"].contains(action) => &CATALOG,
                _ => &PROJECT,
            };
            if contract.effect == Effect::Reads { Place::Shared(of) } else { Place::Own(copy(of)) }
        }
    }
}

/// A folder with nothing in it.
pub(super) fn nothing() -> Sandbox {
    surroundings(Sandbox::empty())
}

/// The project, for one document.
pub(super) fn own() -> Sandbox {
    copy(&PROJECT)
}

/// The project without the records that examples make.
pub(super) fn without_records() -> Sandbox {
    let pm = own();
    for slug in ["rotate-api-token", "restart-replica"] {
        std::fs::remove_dir_all(pm.path().join(format!("{RUNBOOKS}/{slug}"))).unwrap();
    }
    pm
}

/// The project with a released guide.
pub(super) fn released() -> Sandbox {
    let pm = own();
    pm.write(
        "docs/guide.md",
        "---\naudience: canon\ntier: 1\n---\n# Guide\n\n## Install\n\nIt is one file.\n",
    );
    commit(&pm);
    git_ok(&pm, &["tag", "v1.2"]);
    pm.write("odd/handoffs/2026-02-01.md", "---\ndate: 2026-02-01\nkind: journals\n---\n# Handed over\n");
    commit(&pm);
    pm
}

/// What a call reads from standard input.
pub(super) fn input(argv: &[&str]) -> &'static str {
    match argv {
        ["item", "mutate", ..] => {
            r#"{"mutations": [{"op": "create", "ref": "e", "options": {"title": "E"}}, {"op": "update", "id": "pm-a1b2", "options": {"parent": "@e"}}]}"#
        }
        _ => "",
    }
}

fn copy(of: &Sandbox) -> Sandbox {
    let pm = surroundings(Sandbox::empty());
    corpus::copy(of.path(), pm.path());
    pm
}

/// What a person's machine has: a shell, programs, a home.
fn surroundings(mut pm: Sandbox) -> Sandbox {
    let here = pm.path().to_string_lossy().into_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    pm.set("PM_CLOCK", &format!("{DAY}T12:00:00.000Z"))
        .set("PATH", &format!("{here}/bin:{path}"))
        .set("HOME", &format!("{here}/home"))
        .set("SHELL", "/bin/bash");
    pm
}

fn project(kind: &str) -> Sandbox {
    let shelf = Shelf::with_examples();
    let mut pm = surroundings(shelf.sandbox);
    pm.set("PM_CLOCK", "2026-03-01T12:00:00.000Z");
    files(&pm);
    items(&pm, kind);
    settings(&pm);
    other_trackers(&pm);
    commit(&pm);
    git_ok(&pm, &["mv", "docs/old-name.md", "docs/new-name.md"]);
    pm.set("PM_CLOCK", &format!("{DAY}T12:00:00.000Z"));
    let shelf = Shelf { sandbox: pm };
    runbooks(&shelf);
    shelf.commit();
    // Copied often: few files.
    git_ok(&shelf.sandbox, &["gc", "-q"]);
    std::fs::remove_dir_all(shelf.sandbox.path().join(".git/hooks")).unwrap();
    shelf.sandbox
}

fn files(pm: &Sandbox) {
    let lines: String = (1..=30).map(|n| format!("// line {n}\n")).collect();
    for (path, text) in [
        ("README.md", "# Read me\n\n> What a release is.\n\nThe release process begins here.\n"),
        ("src/main.rs", lines.as_str()),
        ("src/store/mod.rs", "// the store\n"),
        (
            "docs/old-name.md",
            "# Retrieval\n\n> How retrieval works.\n\nA retrieval action reads documents.\n",
        ),
        ("journals/2026-02-01-start.md", "---\ndate: 2026-02-01\n---\n# Start\n\nHow it came to be.\n"),
        ("home/.keep", ""),
        ("bin/cargo", "#!/bin/sh\nexit 0\n"),
        (".git/info/exclude", "dist/\nhome/\n"),
    ] {
        pm.write(path, text);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let all = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(pm.path().join("bin/cargo"), all).unwrap();
    }
}

fn items(pm: &Sandbox, kind: &str) {
    for call in [
        &["create", kind, "Login fails behind the merge queue", "--id", "a1b2", "--tags", "ui,area:ui"][..],
        &["update", "a1b2", "--body", "See README.md. The password was hunter2.", "--deadline", "2026-12-24"],
        &["create", "Retry the connection with a backoff", "--id", "c3d4", "--tags", "api"],
        &["update", "a1b2", "--dep", "id=pm-c3d4,kind=related", "--assignee", "alice"],
        &["create", "Lock contention", "--id", "a1", "--sprint", "12", "--tags", "ui", "--parent", "pm-a1b2"],
        &["create", "Lock contention again", "--id", "b2", "--sprint", "12", "--blocked-by", "pm-a1"],
        &["create", "Spike: measure", "--id", "c3"],
        &["comments", "a1b2", "Seen on two systems"],
        &["notes", "a1b2", "A note"],
        &["learnings", "a1b2", "A lesson"],
        &["files", "a1b2", "--add", "path=src/main.rs"],
        &["test", "a1b2", "--add", "command=cargo test parser"],
        &["schema", "add-type", "Spike"],
        &["schema", "add-status", "review", "--role", "active"],
        &["schema", "add-field", "effort", "--type", "number"],
        &["templates", "save", "bug", "--type", "Issue"],
        &["workspace", "snapshot", "create", "before-import"],
        &["export", "jsonl", "--output", "items.jsonl"],
    ] {
        pm.ok(call);
    }
}

fn settings(pm: &Sandbox) {
    let mut settings: Value = serde_json::from_str(&pm.read(SETTINGS)).unwrap();
    settings["hooks"] = json!({"after_mutation": [{"command": ["true"]}]});
    pm.write(SETTINGS, serde_json::to_string_pretty(&settings).unwrap());
    let registry = json!({
        "measurements": [{"id": "open", "source": {"kind": "items"}}],
        "assertions": [{"id": "some", "measurement_id": "open", "floor": 0, "enforcement": "block"}],
        "gates": [{"id": "release", "assertion_ids": ["some"], "triggers": ["ci"]}],
    });
    pm.write(".agents/pm/assurance.json", registry.to_string());
    let queries = json!([{"query": "lock contention", "relevant_ids": ["pm-a1", "pm-b2"]}]);
    pm.write(".agents/pm/search/eval-queries.json", queries.to_string());
}

/// An item in the form of each other tracker.
fn other_trackers(pm: &Sandbox) {
    for (path, text) in [
        (
            "backlog/tasks/task-1 - One.md",
            "---\nid: task-1\ntitle: One\nstatus: To Do\ncreated_date: 2026-01-01\nlabels: []\n---\n\nText\n",
        ),
        (
            ".tickets/tk-a1.md",
            "---\nid: tk-a1\nstatus: open\ncreated: 2026-01-01T10:00:00Z\ntype: bug\npriority: 1\n---\n# One\n\nText\n",
        ),
        ("todo.txt", "(A) 2026-01-01 Call Mom @phone +Family\n"),
        (
            "issues.json",
            r#"[{"number": 1, "title": "One", "body": "Text", "state": "OPEN", "labels": [], "createdAt": "2026-01-01T10:00:00Z"}]"#,
        ),
        (
            ".beads/issues.jsonl",
            "{\"id\":\"bd-1\",\"title\":\"One\",\"status\":\"open\",\"priority\":1,\"issue_type\":\"task\",\"created_at\":\"2026-01-01T10:00:00Z\",\"updated_at\":\"2026-01-02T10:00:00Z\"}\n",
        ),
    ] {
        pm.write(path, text);
    }
}

/// The records that examples name, a trust root that knows who signs, an approval.
fn runbooks(shelf: &Shelf) {
    let pm = &shelf.sandbox;
    shelf.record(&simple("rotate-token", json!({})));
    let mut record = replica();
    record["slug"] = json!("restart-replica");
    // Of the example with an approval: what it needs, and nothing that only a server of the protocol could give.
    record["capabilities"] = json!(["shell:kubectl"]);
    record["inputs"] = json!([{"name": "pod", "type": "string"}]);
    record["steps"][1]["requires_approval"] = json!(true);
    for step in record["steps"].as_array_mut().unwrap() {
        if step["capability"] == "mcp:pg.query" {
            step["capability"] = json!("shell:kubectl");
        }
    }
    shelf.reviewed(&record);
    let approval = said(
        &record,
        "approval",
        "dana@example.org",
        &format!("{DAY}T08:00:00Z"),
        json!({"steps": ["restart"]}),
    );
    let bytes = canonical_bytes(&approval);
    pm.write("ok.json", &bytes);
    pm.write("ok.json.sig", sign(&private("dana@example.org"), "pm-catalog-approval", &bytes).unwrap());
    let (signers, policy) =
        (format!("{RUNBOOKS}/_trust/allowed_signers"), format!("{RUNBOOKS}/_trust/policy.toon"));
    let (mut lines, mut people) = (pm.read(&signers), pm.read(&policy));
    for (name, role) in [("dana", "reviewer"), ("ops", "maintainer")] {
        let key = ssh_key::PrivateKey::from_openssh(private(name)).unwrap();
        lines.push_str(&format!("{name} {}\n", key.public_key().to_openssh().unwrap()));
        people.push_str(&format!("  {name}:\n    kind: human\n    roles[1]: {role}\n"));
        pm.write(&format!("{name}.key"), private(name));
    }
    pm.write(&signers, lines);
    pm.write(&policy, people);
}

fn planned() -> Sandbox {
    let pm = project("Plan");
    for title in ["Build", "Test", "Release", "Tell"] {
        pm.ok(&["plan", "add-step", "a1b2", title]);
    }
    pm.ok(&["plan", "link", "a1b2", "1", "--link", "pm-c3d4"]);
    pm
}

/// Two branches that changed the same values, merged by Git.
fn conflicted() -> Sandbox {
    let mut pm = copy(&PROJECT);
    pm.ok(&["merge", "install"]);
    for (branch, clock, priority, preset) in [
        ("theirs", "2026-11-27T13:00:00.000Z", "0", "default"),
        ("ours", "2026-11-27T14:00:00.000Z", "3", "strict"),
    ] {
        git_ok(&pm, &["checkout", "-q", "-b", branch, "main"]);
        pm.set("PM_CLOCK", clock);
        pm.ok(&["update", "a1b2", "--priority", priority]);
        pm.ok(&["config", "project", "set", "governance.preset", preset]);
        commit(&pm);
    }
    let (code, text) = git(&pm, &["merge", "-q", "--no-edit", "theirs"]);
    assert_ne!(code, 0, "{text}");
    let item = PROJECT.read(".agents/pm/tasks/pm-c3d4.toon");
    pm.write("base.toon", &item);
    pm.write("ours.toon", item.replace("api", "rest"));
    pm.write("theirs.toon", &item);
    pm
}
