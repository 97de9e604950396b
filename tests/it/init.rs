//! Making trackers.

use std::fs;

use serde_json::Value;

use crate::sandbox::Sandbox;

/// A folder that Git knows, with a `git` to ask.
fn repository() -> Option<Sandbox> {
    let mut here = Sandbox::empty();
    here.set("PATH", &std::env::var("PATH").unwrap_or_default());
    let git = std::process::Command::new("git").args(["init", "-q"]).current_dir(here.path()).status();
    git.is_ok_and(|status| status.success()).then_some(here)
}

fn git(here: &Sandbox, arguments: &[&str]) -> String {
    let output = std::process::Command::new("git").args(arguments).current_dir(here.path()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn settings(here: &Sandbox) -> Value {
    serde_json::from_str(&here.read(".agents/pm/settings.json")).unwrap()
}

#[test]
fn a_new_tracker_has_its_folders_and_files() {
    let here = Sandbox::empty();
    let answer = here.json(&["init"]);
    assert_eq!((&answer["ok"], &answer["target"]["discovery"]), (&true.into(), &"current".into()));
    let mut folders: Vec<String> = fs::read_dir(here.root())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    folders.sort();
    assert_eq!(
        folders,
        [
            "chores",
            "decisions",
            "epics",
            "events",
            "extensions",
            "features",
            "history",
            "issues",
            "locks",
            "meetings",
            "milestones",
            "plans",
            "reminders",
            "schema",
            "search",
            "tasks"
        ]
    );
    assert_eq!(here.read(".agents/pm/schema/types.json"), "{\n  \"definitions\": []\n}\n");
    assert_eq!(settings(&here)["author_default"], "alice");
    assert!(here.read(".gitignore").starts_with("# pm-cli:runtime-cache:start\n.agents/pm/runtime/\n"));
    // Outside of a repository there is nobody to merge.
    assert!(!here.path().join(".gitattributes").exists());
}

#[test]
fn a_second_init_changes_nothing() {
    let here = Sandbox::tracker();
    let before = (here.read(".agents/pm/settings.json"), here.read(".gitignore"));
    let answer = here.json(&["init", "--author", "alice"]);
    assert_eq!(answer["created_dirs"], serde_json::json!([]));
    assert_eq!(before, (here.read(".agents/pm/settings.json"), here.read(".gitignore")));
    assert!(!here.root().join("history/_workspace.jsonl").exists());
    // What is missing comes back.
    fs::remove_dir_all(here.root().join("tasks")).unwrap();
    here.ok(&["init"]);
    assert!(here.root().join("tasks").is_dir());
}

#[test]
fn other_settings_need_force() {
    let here = Sandbox::tracker();
    here.refused(&["init", "acme"], 2, "init_existing_settings_requires_force");
    here.refused(&["init", "--preset", "strict"], 2, "init_existing_settings_requires_force");
    here.ok(&["init", "acme", "--preset", "strict", "--force"]);
    let now = settings(&here);
    assert_eq!((&now["id_prefix"], &now["governance"]["preset"]), (&"acme-".into(), &"strict".into()));
    assert_eq!(now["validation"]["metadata_profile"], "strict");
    assert!(here.read(".agents/pm/history/_workspace.jsonl").contains("\"op\":\"settings:write\""));
}

#[test]
fn prefixes_and_places_are_told_apart() {
    let here = Sandbox::empty();
    here.refused(&["init", "one", "--prefix", "two"], 2, "init_id_prefix_conflict");
    here.refused(&["init", "--prefix", "./two"], 2, "init_id_prefix_path_like");
    here.refused(&["init", "./two", "--workspace", "three"], 2, "conflicting_arguments");
    here.ok(&["init", "Acme Co", "--prefix", "acme-co"]);
    assert_eq!(settings(&here)["id_prefix"], "acme-co-");
    here.ok(&["init", "./own"]);
    assert!(here.path().join("own/settings.json").exists());
    here.ok(&["init", "--workspace", "project"]);
    assert!(here.path().join("project/.agents/pm/settings.json").exists());
    here.write("app/Cargo.toml", "");
    here.refused(&["--pm-path", "app", "init"], 2, "workspace_root_pm_path");
    here.ok(&["--pm-path", "app", "init", "--force"]);
    assert!(here.read("app/.gitignore").contains("\nruntime/\n"));
}

#[test]
fn settings_that_cannot_be_read_are_put_aside_only_with_force() {
    let here = Sandbox::tracker();
    here.write(".agents/pm/tasks/odd-1.toon", "id: odd-1\n");
    here.write(".agents/pm/settings.json", "{\"id_prefix\": \"od");
    here.refused(&["init"], 1, "unsafe_init_recovery");
    here.ok(&["init", "--force"]);
    assert_eq!(settings(&here)["id_prefix"], "odd-");
    let aside = fs::read_dir(here.root()).unwrap().filter(|entry| {
        entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("settings.json.invalid-")
    });
    assert_eq!(aside.count(), 1);
    assert_eq!(here.read(".agents/pm/tasks/odd-1.toon"), "id: odd-1\n");
}

#[test]
fn a_dry_run_makes_nothing() {
    let here = Sandbox::empty();
    let answer = here.json(&["init", "--dry-run"]);
    assert_eq!(answer["created_dirs"].as_array().unwrap().len(), 21);
    assert!(!here.path().join(".agents").exists() && !here.path().join(".gitignore").exists());
}

#[test]
fn git_learns_to_ignore_and_to_merge() {
    let Some(here) = repository() else { return };
    here.write(".gitignore", "target");
    here.ok(&["init", "--type-preset", "agile"]);
    assert!(here.read(".gitignore").starts_with("target\n# pm-cli:runtime-cache:start\n"));
    let attributes = here.read(".gitattributes");
    assert!(attributes.contains("\".agents/pm/stories/*.toon\" merge=pm-item-toon\n"));
    assert!(
        git(&here, &["config", "merge.pm-history.driver"])
            .contains("pm'; test -x \"$p\" || p=pm; \"$p\" merge driver history ")
    );
    let config = here.read(".git/config");
    here.ok(&["init"]);
    assert_eq!((config, attributes), (here.read(".git/config"), here.read(".gitattributes")));
    // A kind that comes later gets its lines, too.
    here.ok(&["init", "--type-preset", "ops"]);
    assert!(here.read(".gitattributes").contains("\".agents/pm/incidents/*.toon\" merge=pm-item-toon\n"));
    assert!(here.root().join("incidents").is_dir());
}

#[test]
fn a_repository_without_work_tree_is_no_place() {
    let Some(here) = repository() else { return };
    git(&here, &["init", "-q", "--bare", "bare.git"]);
    let bare = here.path().join("bare.git");
    let inside = |argv: &[&str]| here.command(argv).current_dir(&bare).output().unwrap();
    assert_eq!(inside(&["init"]).status.code(), Some(2));
    let list = inside(&["graph", "analyze", "--json"]);
    let error: Value = serde_json::from_slice(&list.stderr).unwrap();
    assert_eq!((list.status.code(), &error["code"]), (Some(3), &"tracker_not_initialized".into()));
}

#[test]
fn guidance_for_agents_is_added_once() {
    let here = Sandbox::empty();
    here.write("AGENTS.md", "# Rules\n");
    here.ok(&["init", "--agent-guidance", "add"]);
    let text = here.read("AGENTS.md");
    assert!(text.starts_with("# Rules\n<!-- pm-cli:agent-guidance:start -->\n") && text.contains("pm next"));
    let answer: Value =
        serde_json::from_str(&here.ok(&["init", "--agent-guidance", "add", "--json"])).unwrap();
    assert_eq!(
        answer["agent_guidance"],
        serde_json::json!({"mode": "add", "present": true, "applied": false})
    );
    assert_eq!(here.read("AGENTS.md"), text);
}
