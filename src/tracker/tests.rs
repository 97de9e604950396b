//! Changes through the library, on trackers in temporary folders.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;
use crate::domain::chain;
use crate::environment::Env;
use crate::error::Code;

struct Home {
    dir: tempfile::TempDir,
    actor: Actor,
}

fn actor(name: &str) -> Actor {
    Actor { author: name.to_owned(), source: "asserted", principal: name.to_owned(), provenance: Vec::new() }
}

fn task(id: &str, title: &str) -> Item {
    let metadata = json!({"id": id, "title": title, "description": "", "type": "Task", "status": "open", "priority": 2,
        "tags": [], "author": "ann"});
    Item { metadata: metadata.as_object().unwrap().clone(), body: String::new() }
}

fn retitle(title: &str) -> impl FnMut(&Item, &str) -> Result<Item> {
    move |item, _| {
        let mut item = item.clone();
        item.metadata.insert("title".to_owned(), title.into());
        Ok(item)
    }
}

impl Home {
    fn new(settings: &Value) -> Home {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".agents/pm")).unwrap();
        let home = Home { dir, actor: actor("ann") };
        home.put("settings.json", &settings.to_string());
        home
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(".agents/pm").join(path)
    }

    fn put(&self, path: &str, text: &str) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), text).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn open(&self) -> Tracker {
        let env = Env::new(
            self.dir.path(),
            [("PM_SEED", "x"), ("PM_LOCK_WAIT_MS", "50")].map(|(k, v)| (k.to_owned(), v.to_owned())),
        );
        let clock = Clock::fixed(1_785_232_800_000, 1000);
        Tracker::open(&Opening { pm_path: None, env: &env, clock: &clock }).unwrap()
    }

    fn write<'a>(&'a self, op: &'a str) -> Write<'a> {
        Write {
            op,
            actor: &self.actor,
            message: None,
            context: None,
            if_hash: None,
            if_updated_at: None,
            dry_run: false,
            force: false,
        }
    }

    fn ops(&self, id: &str) -> Vec<String> {
        let entries = self.open().history(id).unwrap();
        entries.iter().map(|entry| entry["op"].as_str().unwrap().to_owned()).collect()
    }

    /// The stream verifies and ends in the item; nothing is left beside them.
    fn whole(&self, id: &str) {
        let tracker = self.open();
        let replay = chain::verify(&tracker.history(id).unwrap());
        let item = tracker.locate(id).map(|_| tracker.item(id).unwrap().item);
        assert_eq!(replay.disagreement(item.as_ref()), None);
        for folder in ["locks", "transactions/pm", "tasks", "issues", "history"] {
            for entry in fs::read_dir(self.path(folder)).into_iter().flatten() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                assert!(
                    !name.ends_with(".tmp") && !name.ends_with(".lock") && folder != "transactions/pm",
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn a_new_item_gets_an_id_and_a_history() {
    let home = Home::new(&json!({"ids": {"token_length": 6}}));
    let written = home.open().create(task("", "det"), &home.write("create")).unwrap();
    assert_eq!(written.id, "pm-6msz1s");
    assert_eq!(
        written.changed,
        [
            "id",
            "title",
            "description",
            "type",
            "status",
            "priority",
            "tags",
            "created_at",
            "updated_at",
            "author"
        ]
    );
    let line = home.text("history/pm-6msz1s.jsonl");
    let entry: Value = serde_json::from_str(&line).unwrap();
    let keys: Vec<_> = entry.as_object().unwrap().keys().map(String::as_str).collect();
    let order = [
        "ts",
        "author",
        "author_source",
        "op",
        "patch",
        "before_hash",
        "after_hash",
        "item_hash_version",
        "message",
    ];
    assert_eq!(keys, order);
    assert_eq!((&entry["message"], &entry["ts"]), (&json!(""), &json!("2026-07-28T10:00:00.000Z")));
    assert!(home.text("tasks/pm-6msz1s.toon").starts_with("id: pm-6msz1s\ntitle: det\n"));
    // The same seed again: the id is taken, the next one is not.
    let other = home.open().create(task("", "other"), &home.write("create")).unwrap();
    assert_ne!(other.id, written.id);
    home.whole(&written.id);
    home.whole(&other.id);
}

#[test]
fn a_change_is_one_entry_and_no_change_is_none() {
    let home = Home::new(&json!({}));
    home.open().create(task("pm-a", "one"), &home.write("create")).unwrap();
    let written = home.open().change("pm-a", &home.write("update"), &mut retitle("two")).unwrap();
    assert_eq!((written.changed.as_slice(), written.unchanged), (["title".to_owned()].as_slice(), false));
    let before = (home.text("tasks/pm-a.toon"), home.text("history/pm-a.jsonl"));
    let same = home.open().change("pm-a", &home.write("update"), &mut retitle("two")).unwrap();
    assert!(same.unchanged && same.changed.is_empty());
    assert_eq!(before, (home.text("tasks/pm-a.toon"), home.text("history/pm-a.jsonl")));
    assert_eq!(home.ops("pm-a"), ["create", "update"]);
    home.whole("pm-a");
}

#[test]
fn a_dry_run_writes_nothing() {
    let home = Home::new(&json!({}));
    let dry = Write { dry_run: true, ..home.write("create") };
    assert_eq!(home.open().create(task("pm-a", "one"), &dry).unwrap().id, "pm-a");
    assert!(!home.path("tasks").exists() && !home.path("locks").exists());
    home.open().create(task("pm-a", "one"), &home.write("create")).unwrap();
    let before = home.text("tasks/pm-a.toon");
    let dry = Write { dry_run: true, ..home.write("update") };
    let would = home.open().change("pm-a", &dry, &mut retitle("two")).unwrap();
    assert_eq!(would.after.unwrap().title(), "two");
    assert!(home.open().delete("pm-a", &dry).is_ok());
    assert_eq!(home.text("tasks/pm-a.toon"), before);
    assert_eq!(home.ops("pm-a"), ["create"]);
}

#[test]
fn another_kind_is_another_folder() {
    let home = Home::new(&json!({}));
    home.open().create(task("pm-a", "one"), &home.write("create")).unwrap();
    let mut edit = |item: &Item, _: &str| {
        let mut item = item.clone();
        item.metadata.insert("type".to_owned(), "Issue".into());
        Ok(item)
    };
    home.open().change("pm-a", &home.write("update"), &mut edit).unwrap();
    assert!(home.path("issues/pm-a.toon").exists() && !home.path("tasks/pm-a.toon").exists());
    home.whole("pm-a");
}

#[test]
fn an_item_of_an_unknown_kind_stays_where_it_lies() {
    let home = Home::new(&json!({}));
    home.open().create(task("pm-a", "one"), &home.write("create")).unwrap();
    let text = home.text("tasks/pm-a.toon").replace("type: Task", "type: Recipe");
    fs::remove_file(home.path("tasks/pm-a.toon")).unwrap();
    home.put("cook/book/pm-a.toon", &text);
    home.open().change("pm-a", &home.write("update"), &mut retitle("soup")).unwrap();
    assert!(home.text("cook/book/pm-a.toon").contains("title: soup"));
    assert_eq!(home.ops("pm-a"), ["create", "external_edit", "update"]);
    home.whole("pm-a");
}

#[test]
fn a_markdown_item_becomes_toon() {
    let home = Home::new(&json!({}));
    let front = json!({"id": "pm-m", "title": "old", "description": "", "type": "Task", "status": "open", "priority": 1,
        "tags": ["b", "a"], "created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-01T00:00:00.000Z"});
    home.put("tasks/pm-m.md", &format!("{front:#}\n\nbody text\n"));
    let written = home.open().change("pm-m", &home.write("update"), &mut retitle("new")).unwrap();
    assert_eq!(written.warnings, ["history_stream_auto_created:pm-m"]);
    assert!(home.path("tasks/pm-m.toon").exists() && !home.path("tasks/pm-m.md").exists());
    assert_eq!(home.ops("pm-m"), ["history_compact_baseline", "update"]);
    home.whole("pm-m");
}

#[test]
fn edits_from_outside_get_their_own_entry() {
    let home = Home::new(&json!({}));
    home.open().create(task("pm-a", "one"), &home.write("create")).unwrap();
    home.put("tasks/pm-a.toon", &home.text("tasks/pm-a.toon").replace("title: one", "title: by hand"));
    let history = home.text("history/pm-a.jsonl");
    home.put("history/pm-a.jsonl", &format!("{history}{{\"ts\":\"x\",\"au"));
    let written = home.open().change("pm-a", &home.write("update"), &mut retitle("three")).unwrap();
    assert_eq!(written.warnings, ["history_torn_line_repaired:pm-a", "history_external_edit_recorded:pm-a"]);
    assert_eq!(home.ops("pm-a"), ["create", "external_edit", "update"]);
    home.whole("pm-a");
    // Without an end of line the last entry is whole all the same.
    home.put("history/pm-a.jsonl", home.text("history/pm-a.jsonl").trim_end());
    home.open().change("pm-a", &home.write("update"), &mut retitle("four")).unwrap();
    home.whole("pm-a");
    // A file that vanished was deleted outside.
    fs::remove_file(home.path("tasks/pm-a.toon")).unwrap();
    home.open().create(task("pm-a", "again"), &home.write("create")).unwrap();
    home.whole("pm-a");
}

#[test]
fn a_broken_chain_is_told_and_not_mended_behind_the_back() {
    let home = Home::new(&json!({}));
    home.open().create(task("pm-a", "one"), &home.write("create")).unwrap();
    let broken = home.text("history/pm-a.jsonl").replace("\"value\":\"one\"", "\"value\":\"two\"");
    home.put("history/pm-a.jsonl", &broken);
    home.put("tasks/pm-a.toon", &home.text("tasks/pm-a.toon").replace("title: one", "title: by hand"));
    let written = home.open().change("pm-a", &home.write("update"), &mut retitle("three")).unwrap();
    assert_eq!(written.warnings, ["history_chain_invalid:pm-a:after_hash_mismatch:entry_1"]);
    assert_eq!(home.ops("pm-a"), ["create", "update"]);
    home.put("history/pm-a.jsonl", "<<<<<<< ours\n");
    let refused = home.open().change("pm-a", &home.write("update"), &mut retitle("x")).unwrap_err();
    assert_eq!(refused.code, Code::HistoryConflictMarkers);
}

#[test]
fn delete_ends_the_stream_and_create_goes_on() {
    let home = Home::new(&json!({}));
    home.open().create(task("pm-a", "one"), &home.write("create")).unwrap();
    let taken = home.open().create(task("pm-a", "two"), &home.write("create")).unwrap_err();
    assert_eq!((taken.code, taken.exit_code()), (Code::ItemAlreadyExists, 4));
    let gone = home.open().delete("pm-a", &home.write("delete")).unwrap();
    assert!(gone.after.is_none() && !home.path("tasks/pm-a.toon").exists());
    home.whole("pm-a");
    assert_eq!(home.open().delete("pm-a", &home.write("delete")).unwrap_err().code, Code::ItemNotFound);
    home.open().create(task("pm-a", "two"), &home.write("create")).unwrap();
    assert_eq!(home.ops("pm-a"), ["create", "delete", "create"]);
    home.whole("pm-a");
}

#[test]
fn expectations_are_checked() {
    let home = Home::new(&json!({}));
    let first = home.open().create(task("pm-a", "one"), &home.write("create")).unwrap();
    let hash = crate::domain::hash::item_hash(&first.after.unwrap(), crate::domain::hash::Epoch::Second);
    let at = "2026-07-28T12:00:00+02:00";
    let right = Write { if_hash: Some(&hash), if_updated_at: Some(at), ..home.write("update") };
    home.open().change("pm-a", &right, &mut retitle("two")).unwrap();
    let wrong = home.open().change("pm-a", &right, &mut retitle("three")).unwrap_err();
    assert_eq!((wrong.code, wrong.exit_code()), (Code::IfHashMismatch, 4));
    let late = Write { if_updated_at: Some("2026-07-28T10:00:00.001Z"), ..home.write("update") };
    let wrong = home.open().change("pm-a", &late, &mut retitle("three")).unwrap_err();
    assert_eq!((wrong.code, wrong.exit_code()), (Code::IfUpdatedAtMismatch, 4));
    home.whole("pm-a");
}

#[test]
fn ownership_is_as_strict_as_the_tracker_wants() {
    for (preset, outcome) in
        [("minimal", Ok(0)), ("default", Ok(1)), ("strict", Err(Code::OwnershipConflict))]
    {
        let home = Home::new(&json!({"governance": {"preset": preset}}));
        let mut item = task("pm-a", "one");
        item.metadata.insert("assignee".to_owned(), "bob".into());
        item.metadata.insert("claim_principal".to_owned(), "bob#s1".into());
        home.open().create(item, &home.write("create")).unwrap();
        let result = home.open().change("pm-a", &home.write("update"), &mut retitle("two"));
        assert_eq!(
            result.map(|written| written.warnings.len()).map_err(|error| error.code),
            outcome,
            "{preset}"
        );
        let forced = Write { force: true, ..home.write("update") };
        assert!(home.open().change("pm-a", &forced, &mut retitle("three")).unwrap().warnings.is_empty());
        let holder = Actor { principal: "bob#s1".to_owned(), ..actor("bob") };
        let own = Write { actor: &holder, ..home.write("update") };
        assert!(home.open().change("pm-a", &own, &mut retitle("four")).unwrap().warnings.is_empty());
    }
}

#[test]
fn nothing_is_written_on_grounds_that_cannot_be_trusted() {
    for (path, text, code) in [
        ("settings.json", "{\"id_prefix\":", Code::SettingsInvalidJson),
        ("settings.json", "{\"id_prefix\":5}", Code::SettingsInvalidSchema),
        ("schema/types.json", "[", Code::SchemaInvalidJson),
    ] {
        let home = Home::new(&json!({}));
        home.put(path, text);
        let refused = home.open().create(task("", "x"), &home.write("create")).unwrap_err();
        assert_eq!(refused.code, code);
        assert!(!home.path("tasks").exists());
    }
    let home = Home::new(&json!({}));
    home.open().create(task("pm-a", "one"), &home.write("create")).unwrap();
    let newer = home.text("tasks/pm-a.toon").replace("type: Task\n", "type: Task\npm_format_version: 99\n");
    home.put("tasks/pm-a.toon", &newer);
    let refused = home.open().change("pm-a", &home.write("update"), &mut retitle("x")).unwrap_err();
    assert!(refused.code == Code::ItemFormatNewer && refused.message.contains("99"));
    assert_eq!(home.text("tasks/pm-a.toon"), newer);
}

#[test]
fn an_item_that_could_not_be_read_again_is_not_written() {
    let home = Home::new(&json!({}));
    for (key, value) in [("status", json!("wibble")), ("priority", json!(9)), ("title", json!(7))] {
        let mut item = task("", "x");
        item.metadata.insert(key.to_owned(), value);
        assert!(home.open().create(item, &home.write("create")).is_err(), "{key}");
    }
    assert!(!home.path("tasks").exists() && !home.path("history").exists());
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    let home = Home::new(&json!({}));
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), home.path("tasks")).unwrap();
    let refused = home.open().create(task("pm-a", "x"), &home.write("create")).unwrap_err();
    assert_eq!(refused.code, Code::WriteFailed);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    assert!(!home.path("history/pm-a.jsonl").exists());
}

#[test]
fn several_items_land_together_or_not_at_all() {
    let home = Home::new(&json!({}));
    home.open().create(task("pm-a", "one"), &home.write("create")).unwrap();
    let tracker = home.open();
    let write = home.write("update");
    let mut transaction = tracker.transaction(&write).unwrap();
    transaction.change("pm-a", &write, &mut retitle("two")).unwrap();
    transaction.change("pm-a", &home.write("claim"), &mut retitle("three")).unwrap();
    transaction.create(task("pm-b", "new"), &home.write("create")).unwrap();
    assert_eq!(transaction.item("pm-a").unwrap().unwrap().title(), "three");
    assert_eq!(home.ops("pm-a"), ["create"]);
    transaction.commit().unwrap();
    assert_eq!(home.ops("pm-a"), ["create", "update", "claim"]);
    home.whole("pm-a");
    home.whole("pm-b");
    // A transaction that is dropped leaves no trace.
    let mut dropped = tracker.transaction(&write).unwrap();
    dropped.change("pm-b", &write, &mut retitle("lost")).unwrap();
    drop(dropped);
    assert_eq!(home.open().item("pm-b").unwrap().item.title(), "new");
    home.whole("pm-b");
}

#[test]
fn threads_do_not_lose_each_others_changes() {
    let home = Home::new(&json!({"locks": {"wait_ms": 20000}}));
    home.open().create(task("pm-a", "one"), &home.write("create")).unwrap();
    std::thread::scope(|scope| {
        for n in 0..8 {
            let home = &home;
            scope.spawn(move || {
                let env = Env::new(home.dir.path(), []);
                let tracker =
                    Tracker::open(&Opening { pm_path: None, env: &env, clock: &Clock::System }).unwrap();
                let mut add = |item: &Item, at: &str| {
                    let mut item = item.clone();
                    let mut comments = item.list("comments").to_vec();
                    comments.push(json!({"created_at": at, "author": "ann", "text": format!("c{n}")}));
                    item.metadata.insert("comments".to_owned(), comments.into());
                    Ok(item)
                };
                tracker.change("pm-a", &home.write("comment_add"), &mut add).unwrap();
            });
        }
    });
    assert_eq!(home.open().item("pm-a").unwrap().item.list("comments").len(), 8);
    assert_eq!(home.ops("pm-a").len(), 9);
    home.whole("pm-a");
}

fn rename(value: &'static str) -> impl FnMut(Option<&Document>) -> Result<Document> {
    move |document| {
        let mut document = document.cloned().unwrap_or_default();
        document.insert("id_prefix".to_owned(), value.into());
        Ok(document)
    }
}

#[test]
fn documents_have_a_history_of_their_own() {
    let home = Home::new(&json!({"id_prefix": "a-", "zeta": 1}));
    let write = home.write("config:set:id_prefix");
    let change = |value| home.open().change_document("settings.json", &write, &mut rename(value));
    assert!(change("a-").unwrap().unchanged && !home.path("history").exists());
    assert!(!change("b-").unwrap().unchanged);
    assert_eq!(home.text("settings.json"), "{\n  \"id_prefix\": \"b-\",\n  \"zeta\": 1\n}\n");
    change("c-").unwrap();
    let mut types = |_: Option<&Document>| Ok(json!({"definitions": []}).as_object().unwrap().clone());
    home.open().change_document("schema/types.json", &home.write("schema:add-type"), &mut types).unwrap();
    let entries = home.open().history("_workspace").unwrap();
    let replay = chain::verify(&entries);
    assert_eq!(replay.fault, None);
    assert_eq!(
        replay.item.metadata["documents"],
        json!({"settings.json": {"id_prefix": "c-", "zeta": 1}, "schema/types.json": {"definitions": []}})
    );
    assert_eq!(entries[1]["patch"][0]["path"], "/metadata/documents/settings.json/id_prefix");
    assert_eq!(replay.item.text("updated_at"), replay.item.text("created_at"));
}

#[test]
fn documents_edited_by_hand_are_refused_or_recorded() {
    let home = Home::new(&json!({"id_prefix": "a-"}));
    let write = home.write("config:set:id_prefix");
    home.open().change_document("settings.json", &write, &mut rename("b-")).unwrap();
    home.put("settings.json", "{\"id_prefix\":\"hand-\"}");
    let refused = home.open().change_document("settings.json", &write, &mut rename("c-")).unwrap_err();
    assert_eq!((refused.code, refused.exit_code()), (Code::WorkspaceHistoryStateConflict, 4));
    assert_eq!(home.text("settings.json"), "{\"id_prefix\":\"hand-\"}");
    let forced = Write { force: true, ..write.clone() };
    let written = home.open().change_document("settings.json", &forced, &mut rename("c-")).unwrap();
    assert_eq!(written.warnings, ["workspace_external_edit_recorded:settings.json"]);
    assert_eq!(home.ops("_workspace"), ["config:set:id_prefix", "external_edit", "config:set:id_prefix"]);
    assert_eq!(chain::verify(&home.open().history("_workspace").unwrap()).fault, None);
    let broken = home.text("history/_workspace.jsonl").replacen("b-", "x-", 1);
    home.put("history/_workspace.jsonl", &broken);
    let refused = home.open().change_document("settings.json", &forced, &mut rename("d-")).unwrap_err();
    assert_eq!(refused.code, Code::WorkspaceHistoryChainInvalid);
}

#[test]
fn a_tracker_may_want_to_know_its_authors() {
    let home = Home {
        actor: actor("unknown"),
        ..Home::new(&json!({"mutation_guard": {"require_attributed_author": true}}))
    };
    let refused = home.open().create(task("", "x"), &home.write("create")).unwrap_err();
    assert_eq!((refused.code, refused.exit_code()), (Code::MutationAuthorRequired, 2));
}
