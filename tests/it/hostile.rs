//! Files and words that nobody should have to trust: nothing of them hits another item, and all is named.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn tasks(sandbox: &Sandbox) -> Vec<String> {
    let folder = std::fs::read_dir(sandbox.root().join("tasks")).unwrap();
    let mut names: Vec<String> =
        folder.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn an_id_that_is_gone_never_stands_for_one_that_begins_alike() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "q7"]);
    sandbox.create(&["B", "--id", "q7x"]);
    sandbox.ok(&["delete", "q7"]);
    for argv in [
        &["delete", "q7"][..],
        &["update", "q7", "--title", "T"],
        &["comments", "q7", "c"],
        &["claim", "q7"],
        &["close", "q7", "Done"],
        &["get", "pm-q7"],
    ] {
        let error = sandbox.refused(argv, 3, "item_not_found");
        assert!(error.to_string().contains("pm restore pm-q7 1"), "{error}");
    }
    assert_eq!(tasks(&sandbox), ["pm-q7x.toon"]);
    assert!(sandbox.read(".agents/pm/tasks/pm-q7x.toon").contains("title: B\n"));
}

#[cfg(unix)]
#[test]
fn an_item_that_cannot_be_read_is_named_not_passed_over() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "q1"]);
    sandbox.create(&["B", "--id", "q12"]);
    let file = sandbox.root().join("tasks/pm-q1.toon");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", &file).unwrap();
    for argv in [&["delete", "q1"][..], &["close", "pm-q1", "Done"], &["get", "q1"]] {
        let error = sandbox.refused(argv, 1, "item_file_unreadable");
        assert!(error.to_string().contains("tasks/pm-q1.toon"), "{error}");
    }
    assert!(sandbox.read(".agents/pm/tasks/pm-q12.toon").contains("status: open\n"));
}

#[test]
fn the_stream_of_the_workspace_is_no_item() {
    let sandbox = Sandbox::tracker();
    sandbox.ok(&["config", "set", "locks.wait_ms", "4000"]);
    let stream = sandbox.read(".agents/pm/history/_workspace.jsonl");
    sandbox.refused(&["restore", "_workspace", "1"], 2, "invalid_argument_value");
    let error = sandbox.refused(&["get", "_workspace"], 3, "item_not_found");
    assert!(!error.to_string().contains("pm restore"), "{error}");
    assert_eq!(sandbox.read(".agents/pm/history/_workspace.jsonl"), stream);
    assert!(!sandbox.root().join("chores/_workspace.toon").exists());
}

#[test]
fn the_beginning_of_an_id_has_to_say_something() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "91f6"]);
    for typed in ["p", "pm", "pm-", "9", "pm-9", "#9"] {
        sandbox.refused(&["get", typed], 3, "item_not_found");
    }
    for typed in ["91", "pm-91", "91F", "#pm-91f6"] {
        assert_eq!(sandbox.json(&["get", typed])["item"]["id"], "pm-91f6");
    }
}

#[test]
fn every_listing_says_what_it_could_not_read() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "a"]);
    sandbox.write(".agents/pm/tasks/pm-b.toon", "id: pm-b\ntags[2]: a\n");
    for argv in [
        &["list"][..],
        &["next"],
        &["context"],
        &["search", "A"],
        &["stats"],
        &["deps", "a"],
        &["duplicates"],
    ] {
        let answer = sandbox.json(argv);
        let file = &answer["completeness"]["unreadable"][0];
        assert_eq!(file["path"], "tasks/pm-b.toon", "{argv:?} {answer}");
        assert!(file["problem"].as_str().is_some_and(|problem| !problem.is_empty()));
    }
}

#[test]
fn several_items_are_served_as_far_as_they_can_be() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "aa"]);
    sandbox.write(".agents/pm/tasks/pm-bb.toon", "none");
    let output = sandbox.pm(&["get", "aa", "nope", "bb", "--json"]).expect(3);
    let answer = output.json();
    assert_eq!(answer["items"][0]["id"], "pm-aa");
    let codes: Vec<&Value> = answer["missing"].as_array().unwrap().iter().map(|row| &row["code"]).collect();
    assert_eq!(codes, ["item_not_found", "item_document_invalid"]);
    sandbox.refused(&["get", "nope", "nada"], 3, "item_not_found");
}

#[test]
fn fields_that_only_some_item_holds_can_be_asked_for() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "aa"]);
    sandbox.create(&["B", "--id", "bb"]);
    let file = ".agents/pm/tasks/pm-aa.toon";
    sandbox.write(file, sandbox.read(file).replace("body:", "approval:\n  by: ann\nbody:"));
    let rows = sandbox.json(&["list", "--fields", "id,approval"])["items"].clone();
    assert_eq!(rows, json!([{"id": "pm-aa", "approval": {"by": "ann"}}, {"id": "pm-bb", "approval": null}]));
    assert_eq!(sandbox.json(&["get", "aa", "--fields", "approval"])["item"]["approval"]["by"], "ann");
    sandbox.refused(&["get", "bb", "--fields", "approval"], 2, "unknown_field_projection");
    sandbox.refused(&["list", "--fields", "aproval"], 2, "unknown_field_projection");
}

#[test]
fn histories_with_markers_are_not_gone_on_with() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "aa"]);
    let stream = ".agents/pm/history/pm-aa.jsonl";
    sandbox.write(stream, format!("<<<<<<< HEAD\n{}", sandbox.read(stream)));
    let before = sandbox.read(stream);
    sandbox.refused(&["update", "aa", "--title", "T"], 1, "history_merge_conflict_markers_detected");
    assert_eq!(sandbox.read(stream), before);
    assert!(sandbox.read(".agents/pm/tasks/pm-aa.toon").contains("title: A\n"));
}

#[test]
fn expectations_that_mean_nothing_are_refused() {
    let sandbox = Sandbox::tracker();
    sandbox.refused(&["create", "A", "--if-hash", "x"], 2, "invalid_argument_value");
    sandbox.refused(
        &["config", "set", "locks.wait_ms", "4000", "--if-hash", "x"],
        2,
        "invalid_argument_value",
    );
    sandbox.refused(
        &["config", "set", "locks.wait_ms", "4000", "--if-updated-at", "x"],
        2,
        "invalid_argument_value",
    );
}

#[test]
fn trackers_of_a_newer_program_are_read_and_not_written() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "aa"]);
    let file = ".agents/pm/settings.json";
    sandbox.write(file, sandbox.read(file).replacen("\"version\": 1", "\"version\": 99", 1));
    assert_eq!(sandbox.json(&["list"])["count"], 1);
    let error = sandbox.refused(&["update", "aa", "--title", "T"], 1, "item_format_newer");
    assert_eq!(
        (&error["recovery"]["found_version"], &error["recovery"]["supported_version"]),
        (&json!(99), &json!(1))
    );
}

#[test]
fn a_paused_item_was_not_over() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "aa"]);
    sandbox.ok(&["close", "aa", "Done"]);
    let closed = sandbox.read(".agents/pm/tasks/pm-aa.toon");
    sandbox.refused(&["pause-task", "aa"], 4, "terminal_state_conflict");
    assert_eq!(sandbox.read(".agents/pm/tasks/pm-aa.toon"), closed);
    sandbox.ok(&["pause-task", "aa", "--force"]);
}

#[test]
fn a_session_gives_its_own_claims_up() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "aa"]);
    sandbox.ok(&["claim", "aa", "--session", "s2"]);
    sandbox.refused(&["release", "aa", "--session", "s1"], 4, "ownership_conflict");
    sandbox.ok(&["release", "aa", "--session", "s2"]);
    sandbox.ok(&["claim", "aa", "--session", "s2"]);
    sandbox.ok(&["release", "aa", "--session", "s1", "--force"]);
}

#[test]
fn parents_may_have_odd_names() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["A", "--id", "pm-null"]);
    sandbox.create(&["B", "--id", "bb", "--parent", "null"]);
    sandbox.create(&["C", "--id", "cc", "--parent", "none"]);
    assert!(sandbox.read(".agents/pm/tasks/pm-bb.toon").contains("parent: pm-null\n"));
    assert!(!sandbox.read(".agents/pm/tasks/pm-cc.toon").contains("parent"));
}

#[test]
fn an_environment_that_names_no_format_is_refused() {
    let mut sandbox = Sandbox::tracker();
    sandbox.set("PM_OUTPUT_FORMAT", "zzz");
    let output = sandbox.pm(&["list"]).expect(2);
    let said = output.stderr.clone();
    assert!(said.contains("PM_OUTPUT_FORMAT") && output.stdout.is_empty(), "{said}");
    assert_eq!(sandbox.json(&["list"])["count"], 0);
}

#[test]
fn a_file_that_bears_another_items_name_is_not_served() {
    let pm = Sandbox::with_items(&[("pm-a", ""), ("pm-b", "")]);
    let other = pm.read(".agents/pm/tasks/pm-b.toon");
    pm.write(".agents/pm/tasks/pm-x.toon", &other);
    pm.write(".agents/pm/issues/PM-A.toon", pm.read(".agents/pm/tasks/pm-a.toon").replace("pm-a", "pm-A"));
    let list = pm.json(&["list"]);
    assert_eq!(
        (&list["total"], &list["completeness"]["unreadable_item_count"]),
        (&3.into(), &1.into()),
        "{list}"
    );
    assert!(list["completeness"].to_string().contains("pm-x"), "{list}");
    let error = pm.refused(&["get", "pm-x"], 1, "item_document_invalid");
    assert!(error.to_string().contains("pm-b"), "{error}");
    assert_eq!(pm.json(&["get", "pm-b"])["item"]["title"], "Title of pm-b");
    assert!(pm.json(&["health"])["warnings"].to_string().contains("tasks/pm-x.toon"));
    assert_eq!(other, pm.read(".agents/pm/tasks/pm-x.toon"));
}
