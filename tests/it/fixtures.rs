//! The trackers of `fixtures/`: what users bring is read as it is, and written only where that is safe.

use std::path::Path;

use serde_json::json;

use crate::sandbox::Sandbox;

/// A copy of a fixture in a place of its own.
fn copied(name: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name), sandbox.path());
    sandbox
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn a_tracker_of_this_program_is_in_order() {
    let pm = copied("current");
    assert_eq!(pm.json(&["list", "--all"])["total"], 3);
    assert_eq!(pm.json(&["get", "rope"])["item"]["title"], "GH-7: rope frays");
    assert_eq!(pm.json(&["get", "crane", "--at", "1"])["item"]["status"], "open");
    let validate = pm.json(&["validate", "--check-history-drift"]);
    assert_eq!(validate["checks"][0]["details"]["drifted_items"], json!([]));
}

#[test]
fn older_ways_of_writing_are_read_and_written_anew() {
    for (fixture, id, title, body) in [
        ("nested-toon", "pm-boat", "Caulk the boat", "Before spring."),
        ("json-markdown", "pm-sail", "Mend the sail", "A tear of two hands."),
        ("no-settings", "pm-oar", "Carve an oar", ""),
    ] {
        let pm = copied(fixture);
        let item = pm.json(&["get", id, "--full"])["item"].clone();
        assert_eq!(item["title"], title);
        assert_eq!(item["body"].as_str().unwrap_or_default().trim(), body);
        assert_eq!(pm.json(&["list"])["items"][0]["id"], id);
        pm.ok(&["update", id, "--priority", "0"]);
        assert_eq!(pm.json(&["get", id])["item"]["priority"], 0, "{fixture}");
        assert_eq!(pm.json(&["get", id, "--full"])["item"]["body"].as_str().unwrap_or_default().trim(), body);
        let drift = pm.json(&["validate", "--check-history-drift"]);
        assert_eq!(drift["checks"][0]["details"]["drifted_items"], json!([]), "{fixture}");
    }
}

/// O23: a tracker of a newer release is readable, and changes are refused with both versions.
#[test]
fn a_newer_tracker_is_read_and_not_changed() {
    let pm = copied("newer");
    let path = ".agents/pm/tasks/pm-mast.toon";
    let before = pm.read(path);
    assert_eq!(pm.json(&["get", "mast", "--full"])["item"]["rigging"], "gaff");
    let error = pm.refused(&["update", "mast", "--priority", "0"], 1, "item_format_newer");
    let said = error["detail"].as_str().unwrap();
    assert!(said.contains("99") && said.contains('1'), "{error}");
    assert_eq!(pm.read(path), before);
}
