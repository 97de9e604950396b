//! Processes that die in the middle of a write: the next command finds a whole tracker.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use pm::domain::chain;
use pm::store::fault::POINTS;
use serde_json::Value;

use crate::sandbox::Sandbox;

/// Every file of the tracker that Git would see, and what must not be left.
pub(crate) fn files(root: &Path) -> Vec<(String, String)> {
    fn walk(root: &Path, folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            if path.is_dir() {
                if name != "runtime" {
                    walk(root, &path, found);
                }
            } else {
                found.push((name, String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()));
            }
        }
    }
    let mut found = Vec::new();
    walk(root, root, &mut found);
    found.sort();
    found
}

/// Every stream verifies and ends in its item; no lock, journal or temporary file is left.
pub(crate) fn assert_whole(here: &Sandbox, what: &str) {
    let files = files(&here.root());
    for (name, _) in &files {
        let left = name.ends_with(".tmp") || name.ends_with(".lock") || name.starts_with("transactions/");
        assert!(!left, "{what}: {name} is left");
    }
    let items: Vec<&(String, String)> = files.iter().filter(|(name, _)| name.ends_with(".toon")).collect();
    for (name, text) in files.iter().filter(|(name, _)| name.starts_with("history/")) {
        let id = name.trim_start_matches("history/").trim_end_matches(".jsonl");
        let entries: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let replay = chain::verify(&entries);
        if id == "_workspace" {
            assert_eq!(replay.fault, None, "{what}: {id}");
            continue;
        }
        let item = items.iter().find(|(path, _)| path.ends_with(&format!("/{id}.toon"))).map(|(_, text)| {
            let status = |status: &str| Some(status.to_owned());
            let rules = pm::codec::item::Rules::lenient(&status);
            pm::codec::item::decode(text.as_bytes(), pm::codec::item::Format::Toon, &rules).unwrap().item
        });
        assert_eq!(replay.disagreement(item.as_ref()), None, "{what}: {id}");
    }
    for (path, _) in items {
        let stem = path.rsplit('/').next().unwrap().trim_end_matches(".toon");
        assert!(
            files.iter().any(|(name, _)| *name == format!("history/{stem}.jsonl")),
            "{what}: {path} has no history"
        );
    }
}

/// The part of the tracker that a write is about, without what its time changes.
fn state(here: &Sandbox) -> Vec<(String, String)> {
    let stable =
        |text: String| text.lines().filter(|line| !line.starts_with("updated_at")).collect::<String>();
    let files = files(&here.root()).into_iter().filter(|(name, _)| name.ends_with(".toon"));
    files.map(|(name, text)| (name, stable(text))).collect()
}

#[test]
fn a_write_that_is_killed_anywhere_is_whole_afterwards() {
    let writes: [&[&str]; 5] = [
        &["create", "Task", "new", "--id", "n"],
        &["update", "a", "--priority", "0", "--add-tags", "x"],
        &["update", "a", "--type", "Issue"],
        &["comments", "a", "said"],
        &["delete", "b"],
    ];
    for write in writes {
        let untouched = {
            let here = prepared();
            state(&here)
        };
        let done = {
            let here = prepared();
            here.ok(write);
            state(&here)
        };
        for point in POINTS {
            let here = prepared();
            let killed = here.command(write).env("PM_FAULT", point).output().unwrap();
            let what = format!("{write:?} at {point}");
            // A write that never comes by that point is done.
            assert_ne!(killed.status.code(), Some(1), "{what}: {}", String::from_utf8_lossy(&killed.stderr));
            if killed.status.success() {
                assert_eq!(state(&here), done, "{what}");
            }
            // A read mends it, and the next write finds no lock in its way.
            here.ok(&["list", "--all"]);
            let now = state(&here);
            let committed = *point != "locked";
            assert_eq!(now, if committed { done.clone() } else { untouched.clone() }, "{what}");
            here.ok(&["update", "a", "--priority", "4"]);
            assert_whole(&here, &what);
        }
    }
}

/// A tracker with two items, made once and copied.
pub(super) fn prepared() -> Sandbox {
    static FILES: OnceLock<Vec<(String, String)>> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        let here = Sandbox::tracker();
        here.ok(&["create", "Task", "first", "--id", "a"]);
        here.ok(&["create", "Task", "second", "--id", "b"]);
        files(&here.root())
    });
    let mut here = Sandbox::empty();
    here.set("PM_LOCK_WAIT_MS", "0");
    for (path, text) in files {
        here.write(&format!(".agents/pm/{path}"), text);
    }
    here
}

#[test]
fn a_killed_write_of_settings_is_whole_afterwards() {
    for point in POINTS {
        let here = prepared();
        let argv = ["config", "set", "ids.token_length", "6"];
        let killed = here.command(&argv).env("PM_FAULT", point).output().unwrap();
        assert_ne!(killed.status.code(), Some(1), "{point}");
        here.ok(&["config", "set", "ids.token_length", "7"]);
        let stream = here.read(".agents/pm/history/_workspace.jsonl");
        let entries: Vec<Value> = stream.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let replay = chain::verify(&entries);
        let settings: Value = serde_json::from_str(&here.read(".agents/pm/settings.json")).unwrap();
        assert_eq!(
            (replay.fault, &replay.item.metadata["documents"]["settings.json"]),
            (None, &settings),
            "{point}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_tracker_that_cannot_be_written_is_read_all_the_same() {
    use std::os::unix::fs::PermissionsExt;
    let here = prepared();
    let killed =
        here.command(&["update", "a", "--priority", "0"]).env("PM_FAULT", "appended").output().unwrap();
    assert!(!killed.status.success());
    let folders = ["locks", "tasks", "transactions/pm", "history"];
    let lock = |mode: u32| {
        for folder in folders {
            fs::set_permissions(here.root().join(folder), fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    lock(0o555);
    let writable = fs::write(here.root().join("locks/probe"), "").is_ok();
    let read = here.pm(&["list", "--all"]);
    lock(0o755);
    if writable {
        // Nothing stops the superuser: there is no such tracker to test.
        return;
    }
    assert_eq!(read.code, 0);
    here.ok(&["list", "--all"]);
    assert_whole(&here, "after the permissions came back");
}
