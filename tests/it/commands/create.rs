use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const ITEM: &str = ".agents/pm/tasks/pm-a.toon";

#[test]
fn the_least_there_is() {
    let sandbox = Sandbox::tracker();
    let receipt = sandbox.json(&["create", "Fix it", "--id", "a"]);
    assert_eq!(receipt, json!({"id": "pm-a", "status": "open", "changed_field_count": 10}));
    assert_eq!(
        sandbox.read(ITEM),
        "id: pm-a\ntitle: Fix it\ndescription: \"\"\ntype: Task\nstatus: open\npriority: 2\ntags: []\n\
         created_at: \"2026-03-01T12:00:00.000Z\"\nupdated_at: \"2026-03-01T12:00:00.000Z\"\nauthor: alice\nbody: \"\"\n"
    );
    let toon = sandbox.ok(&["create", "Again", "--id", "b"]);
    assert_eq!(toon, "id: pm-b\nstatus: open\nchanged_field_count: 10\n");
    assert_eq!(
        sandbox.json(&["create", "Short", "--id", "c", "--id-only"]),
        json!({"id": "pm-c", "status": "open"})
    );
    assert_eq!(sandbox.ok(&["create", "Still", "--quiet"]), "");
}

#[test]
fn the_full_envelope_has_the_item_and_what_comes_next() {
    let sandbox = Sandbox::tracker();
    let full = sandbox.json(&["create", "Fix it", "--id", "a", "--full-changed-fields"]);
    assert_eq!(full["item"]["title"], "Fix it");
    assert_eq!(full["changed_fields"].as_array().unwrap().len(), 10);
    assert_eq!(
        (&full["warnings"], &full["next_transition"]["command"]),
        (&json!([]), &json!("pm start-task pm-a"))
    );
    let counted = sandbox.json(&["create", "Fix that", "--no-changed-fields"]);
    assert_eq!((&counted["changed_field_count"], counted.get("changed_fields")), (&json!(10), None));
}

#[test]
fn words_before_the_flags_are_title_or_type_and_title() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["epic", "Whole thing", "--id", "a"]);
    assert!(sandbox.read(".agents/pm/epics/pm-a.toon").contains("title: Whole thing\n"));
    let receipt = sandbox.json(&["create", "bug", "It breaks", "--id", "b"]);
    assert_eq!(receipt["warnings"], json!(["type_coercion:bug:Issue"]));
    sandbox.create(&["task", "--title", "By flag", "--id", "c"]);
    sandbox.refused(&["create", "task"], 2, "create_positional_type_without_title");
    sandbox.refused(&["create", "Banana", "x"], 2, "invalid_argument_value");
    sandbox.refused(&["create", "Task", "x", "--title", "y"], 2, "conflicting_arguments");
    sandbox.refused(&["create", "Task", "x", "--type", "Epic"], 2, "conflicting_arguments");
    let error = sandbox.refused(&["create"], 2, "missing_required_option");
    assert_eq!(error["recovery"]["missing"], json!(["--title"]));
}

#[test]
fn every_value_is_checked_before_anything_is_written() {
    let sandbox = Sandbox::tracker();
    for (flags, code) in [
        (&["--priority", "9"][..], "invalid_argument_value"),
        (&["--status", "nope"], "invalid_argument_value"),
        (&["--deadline", "2026-02-30"], "invalid_argument_value"),
        (&["--deadline", "+1d+2h"], "invalid_argument_value"),
        (&["--estimate", "soon"], "invalid_argument_value"),
        (&["--confidence", "101"], "invalid_argument_value"),
        (&["--id", "a b"], "invalid_argument_value"),
        (&["--goal", ""], "invalid_argument_value"),
        (&["--completed-at", "2026-01-01"], "invalid_argument_value"),
        (&["--parent", "nope"], "parent_not_found"),
        (&["--status", "closed"], "close_reason_required"),
        (&["--create-mode", "wild"], "invalid_argument_value"),
        (&["--unset", "title"], "invalid_argument_value"),
        (&["--unset", "goal", "--goal", "g"], "conflicting_arguments"),
        (&["--clear-files", "--file", "a"], "conflicting_arguments"),
        (&["--field", "team=core"], "extension_item_field_unknown"),
    ] {
        let mut argv = vec!["create", "x"];
        argv.extend(flags);
        sandbox.refused(&argv, 2, code);
    }
    sandbox.refused(&["create", "x", "--dep", "nope"], 3, "dependency_target_not_found");
    assert!(std::fs::read_dir(sandbox.root().join("tasks")).unwrap().next().is_none());
    let error = sandbox.refused(&["create", "x", "--risk", "hihg"], 2, "invalid_argument_value");
    assert_eq!(error["recovery"]["allowed_values"][0], "high");
}

#[test]
fn an_id_is_given_once() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["One", "--id", "#PM-A"]);
    sandbox.refused(&["create", "Two", "--id", "a"], 4, "item_already_exists");
    assert!(sandbox.read(ITEM).contains("title: One\n"));
}

#[test]
fn links_and_parents_are_stored_by_full_id() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["Epic", "E", "--id", "e"]);
    sandbox.create(&["B", "--id", "b"]);
    let receipt = sandbox.json(&[
        "create",
        "K",
        "--id",
        "a",
        "--parent",
        "E",
        "--blocked-by",
        "b",
        "--dep",
        "id=e,kind=implements",
    ]);
    assert_eq!(receipt["status"], "blocked");
    let item = sandbox.read(ITEM);
    assert!(item.contains("parent: pm-e\n") && item.contains("blocked_by: pm-b\n"), "{item}");
    assert!(
        item.contains(
            "  pm-b,blocked_by,\"2026-03-01T12:00:00.000Z\",alice,\"cli:create:blocked_by\",detected\n"
        ),
        "{item}"
    );
    assert!(
        item.contains("  pm-e,implements,\"2026-03-01T12:00:00.000Z\",alice,\"cli:create:dep\",detected\n"),
        "{item}"
    );
    let warned = sandbox.json(&["create", "O", "--parent", "nope", "--allow-missing-parent"]);
    assert_eq!(warned["warnings"], json!(["parent_reference_missing:pm-nope"]));
    let warned = sandbox.json(&["create", "D", "--dep", "nope", "--allow-unresolved-deps"]);
    assert_eq!(warned["warnings"], json!(["dependency_target_unresolved:pm-nope"]));
    sandbox.json(&["create", "R", "--id", "r", "--blocked-by", "the vendor"]);
    assert!(sandbox.read(".agents/pm/tasks/pm-r.toon").contains("status: open\n"));
}

/// Every item that `--blocked-by` names is waited for, however several of them are said.
#[test]
fn several_blockers_are_all_waited_for() {
    let sandbox = Sandbox::tracker();
    for id in ["a1", "b2", "c3"] {
        sandbox.create(&[id, "--id", id]);
    }
    let said: [&[&str]; 4] = [
        &["--blocked-by", "a1,pm-b2"],
        &["--blocked-by", "a1", "--blocked-by", "b2"],
        &["--blocked-by", "pm-a1, b2,a1"],
        &["--stdin-json"],
    ];
    for (n, words) in said.iter().enumerate() {
        let (made, changed) = (format!("m{n}"), format!("u{n}"));
        let document = json!({"blocked_by": ["a1", "b2"]}).to_string();
        let create = [&["create", "M", "--id", &made, "--json"], *words].concat();
        assert_eq!(sandbox.pm_with(&create, &document).expect(0).json()["status"], "blocked", "{words:?}");
        sandbox.create(&["U", "--id", &changed]);
        let _ = sandbox.pm_with(&[&["update", &changed, "--json"], *words].concat(), &document).expect(0);
        for id in [made, changed] {
            let item = sandbox.json(&["get", &id, "--full"])["item"].clone();
            let rows: Vec<&Value> =
                item["dependencies"].as_array().expect("links").iter().map(|row| &row["id"]).collect();
            assert_eq!(
                (&item["blocked_by"], rows),
                (&json!("pm-a1"), vec![&json!("pm-a1"), &json!("pm-b2")])
            );
        }
    }
    sandbox.ok(&["close", "a1", "Done"]);
    assert_eq!(sandbox.json(&["get", "m0"])["item"]["status"], "blocked", "b2 is still open");
    sandbox.ok(&["close", "b2", "Done"]);
    assert_eq!(sandbox.json(&["get", "m0"])["item"]["status"], "open");
}

/// An id that nothing has is refused where it can be nothing but an id; words are words, and nothing is missing.
#[test]
fn a_blocker_is_an_item_or_words() {
    let sandbox = Sandbox::tracker();
    for id in ["nape", "other"] {
        sandbox.create(&[id, "--id", id]);
    }
    for typed in ["pm-nope", "PM-NOPE", "#pm-nope", "nape,nope", "pm-nape,pm-nope"] {
        let error =
            sandbox.refused(&["create", "X", "--blocked-by", typed], 3, "dependency_target_not_found");
        assert!(error.to_string().contains("pm-nape"), "{error}");
        sandbox.refused(&["update", "other", "--blocked-by", typed], 3, "dependency_target_not_found");
    }
    let allowed = ["create", "Y", "--id", "y", "--blocked-by", "pm-nope", "--allow-unresolved-deps"];
    assert_eq!(sandbox.json(&allowed)["status"], "open");
    assert!(sandbox.read(".agents/pm/tasks/pm-y.toon").contains("blocked_by: pm-nope\n"));
    sandbox.ok(&["update", "y", "--unset", "blocked-by"]);
    for words in ["the vendor", "pm-nape, or the vendor", "vendor", "legal, vendor"] {
        sandbox.ok(&["update", "y", "--blocked-by", words]);
        let item = sandbox.json(&["get", "y", "--full"])["item"].clone();
        assert_eq!((&item["blocked_by"], &item["dependencies"]), (&json!(words), &Value::Null), "{words}");
        let told = sandbox.pm(&["validate", "--json"]).json().to_string();
        assert_eq!(told.contains("pm-y:blocked_by"), !words.contains(' '), "{words}: {told}");
    }
}

#[test]
fn lists_are_seeded_in_every_grammar() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&[
        "L",
        "--id",
        "a",
        "--comment",
        "author=bob,text=hello, you",
        "--note",
        "n",
        "--learning",
        "l",
        "--file",
        "path=src/a.rs,note=why",
        "--doc",
        "docs/x.md",
        "--test",
        "command=cargo test -p a,timeout_seconds=60",
        "--reminder",
        "at=+1d,text=ping",
        "--event",
        "start=2026-04-01T09:00Z,duration=30min,title=t",
        "--type-option",
        "severity=high",
        "--ac",
        "one",
        "--ac",
        "two",
        "--add-tags",
        "z",
        "--tags",
        "B,a",
    ]);
    let item = sandbox.json(&["get", "a", "--full"])["item"].clone();
    assert_eq!(
        item["comments"],
        json!([{"created_at": "2026-03-01T12:00:00.000Z", "author": "bob", "text": "hello, you"}])
    );
    assert_eq!(item["reminders"], json!([{"at": "2026-03-02T12:00:00.000Z", "text": "ping"}]));
    assert_eq!(item["events"][0]["end_at"], "2026-04-01T09:30:00.000Z");
    assert_eq!(
        item["tests"],
        json!([{"command": "cargo test -p a", "scope": "project", "timeout_seconds": 60}])
    );
    assert_eq!(item["type_options"], json!({"severity": "high"}));
    assert_eq!((&item["tags"], &item["acceptance_criteria"]), (&json!(["a", "b", "z"]), &json!("one; two")));
}

#[test]
fn a_document_from_stdin_is_weaker_than_flags() {
    let sandbox = Sandbox::tracker();
    let document = r#"{"id":"pm-a","title":"T","type":"Issue","priority":"high","tags":["b","A"],"acceptance_criteria":["x","y"],
        "dependencies":[],"comments":["plain",{"text":"dated","created_at":"2026-01-01T00:00:00.000Z","author":"bo"}],"goal":null}"#;
    let _ = sandbox.pm_with(&["create", "--stdin-json", "--title", "Stronger"], document).expect(0);
    let item = sandbox.json(&["get", "a", "--full"])["item"].clone();
    assert_eq!(
        (&item["title"], &item["type"], &item["priority"]),
        (&json!("Stronger"), &json!("Issue"), &json!(1))
    );
    assert_eq!(
        item["comments"][0],
        json!({"created_at": "2026-01-01T00:00:00.000Z", "author": "bo", "text": "dated"})
    );
    assert_eq!(item["acceptance_criteria"], "x; y");
    for (text, code) in [
        ("{\"title\":", "stdin_json_invalid"),
        ("[]", "stdin_json_invalid"),
        (r#"{"titel":"x"}"#, "stdin_json_unknown_key"),
    ] {
        let output = sandbox.pm_with(&["create", "--stdin-json", "--json"], text).expect(2);
        assert!(output.stderr.contains(code), "{}", output.stderr);
    }
}

#[test]
fn a_body_comes_from_a_flag_or_a_file() {
    let sandbox = Sandbox::tracker();
    sandbox.write("body.md", "\n\n- one\n- two\n\n");
    sandbox.create(&["B", "--id", "a", "--body-file", "body.md"]);
    let _ = sandbox.pm_with(&["create", "B", "--id", "b", "--body", "-"], "from stdin\n").expect(0);
    assert!(sandbox.read(".agents/pm/tasks/pm-b.toon").ends_with("body: from stdin\n"));
    assert!(sandbox.read(ITEM).ends_with("body: \"- one\\n- two\"\n"));
    sandbox.refused(
        &["create", "B", "--body-file", "body.md", "--body", "x"],
        2,
        "body_file_conflicts_with_body",
    );
    sandbox.refused(&["create", "B", "--body-file", "none.md"], 3, "body_file_unreadable");
}

#[test]
fn strict_mode_lists_everything_that_is_missing() {
    let sandbox = Sandbox::tracker();
    let error = sandbox.refused(
        &["create", "x", "--create-mode", "strict", "--clear-deps"],
        2,
        "missing_required_option",
    );
    let missing: Vec<&str> =
        error["recovery"]["missing"].as_array().unwrap().iter().filter_map(|v| v.as_str()).collect();
    assert_eq!(
        missing,
        [
            "--acceptance-criteria",
            "--assignee",
            "--body",
            "--comment",
            "--deadline",
            "--description",
            "--doc",
            "--estimate",
            "--file",
            "--learning",
            "--message",
            "--note",
            "--priority",
            "--status",
            "--tags",
            "--test",
        ]
    );
}

#[test]
fn an_item_may_be_over_when_it_is_created() {
    let sandbox = Sandbox::tracker();
    let receipt = sandbox.json(&[
        "create",
        "Old",
        "--id",
        "a",
        "--status",
        "closed",
        "--close-reason",
        "imported",
        "--completed-at",
        "2026-01-01",
    ]);
    assert_eq!(receipt["close_reason"], "imported");
    let item = sandbox.read(ITEM);
    assert!(
        item.contains(
            "closed_at: \"2026-03-01T12:00:00.000Z\"\ncompleted_at: \"2026-01-01T00:00:00.000Z\"\n"
        ),
        "{item}"
    );
}

#[test]
fn a_dry_run_says_what_would_be_and_writes_nothing() {
    let sandbox = Sandbox::tracker();
    let plan = sandbox.json(&["create", "x", "--id", "a", "--priority", "0", "--dry-run"]);
    assert_eq!((&plan["dry_run"], &plan["changed_field_count"]), (&json!(true), &json!(10)));
    assert!(
        plan["changes"]
            .as_array()
            .unwrap()
            .contains(&json!({"field": "priority", "before": null, "after": 0}))
    );
    assert!(
        !sandbox.root().join("tasks/pm-a.toon").exists()
            && !sandbox.root().join("history/pm-a.jsonl").exists()
    );
}

#[test]
fn look_alikes_are_refused_where_the_tracker_wants_that() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["Fix the login page", "--id", "a"]);
    let settings = sandbox.read(".agents/pm/settings.json");
    sandbox.write(
        ".agents/pm/settings.json",
        settings.replace("\"duplicate_detection_mode\": \"off\"", "\"duplicate_detection_mode\": \"strict\""),
    );
    let error = sandbox.refused(&["create", "fix the  LOGIN page"], 2, "likely_duplicate");
    assert_eq!(error["recovery"]["similar"][0]["id"], "pm-a");
    sandbox.create(&["fix the login page", "--allow-duplicate"]);
    sandbox.create(&["Fix the logout page"]);
}

#[test]
fn fields_of_the_tracker_have_flags() {
    let sandbox = Sandbox::tracker();
    sandbox.write(".agents/pm/schema/fields.json", r#"{"fields":[{"key":"effort","type":"number"}]}"#);
    sandbox.create(&["E", "--id", "a", "--effort", "3"]);
    assert!(sandbox.read(ITEM).ends_with("effort: 3\nbody: \"\"\n"));
    sandbox.refused(&["create", "E", "--effort", "x"], 2, "invalid_argument_value");
    let _ = sandbox.pm_with(&["create", "--stdin-json"], r#"{"title":"j","id":"b","effort":2.5}"#).expect(0);
    assert!(sandbox.read(".agents/pm/tasks/pm-b.toon").contains("effort: 2.5\n"));
}

#[test]
fn a_blocker_that_is_over_blocks_nothing() {
    let sandbox = Sandbox::tracker();
    sandbox.create(&["P", "--id", "p"]);
    sandbox.ok(&["close", "p", "done"]);
    assert_eq!(sandbox.json(&["create", "W", "--id", "a", "--blocked-by", "p"])["status"], "open");
    assert!(sandbox.read(ITEM).contains("pm-p,blocked_by,"));
}

#[test]
fn what_looks_like_a_secret_is_said_or_refused() {
    let sandbox = Sandbox::tracker();
    let body = format!("key {}{}", "AKIA", "IOSFODNN7EXAMPLE");
    let warned = sandbox.json(&["create", "S", "--id", "a", "--body", &body]);
    assert_eq!(warned["warnings"], json!(["secret_guard_detected:1:rules=aws_access_key"]));
    assert_eq!(sandbox.json(&["update", "a", "--priority", "0"]).get("warnings"), None);
    let settings = sandbox.read(".agents/pm/settings.json");
    sandbox.write(
        ".agents/pm/settings.json",
        settings.replace("\"secret_guard\": \"advise\"", "\"secret_guard\": \"block\""),
    );
    sandbox.refused(&["comments", "a", &format!("again {body}")], 4, "mutation_secret_guard_blocked");
    sandbox.refused(
        &["create", "S", "--id", "b", "--description", &body],
        4,
        "mutation_secret_guard_blocked",
    );
    assert!(!sandbox.root().join("tasks/pm-b.toon").exists());
}

/// Hints do what was meant: a title that lost its quotation marks is a title, a slip of the fingers no new type, and
/// what all ids begin with makes none of them near.
#[test]
fn hints_are_what_was_meant() {
    let sandbox = Sandbox::tracker();
    for id in ["kid", "oth", "log"] {
        sandbox.create(&[id, "--id", id]);
    }
    let hints = |words: &[&str], code: i32, name: &str| -> Vec<String> {
        let error = sandbox.refused(words, code, name);
        let steps = error["next_steps"].as_array().expect("steps").iter();
        steps.map(|step| step.as_str().expect("a command").to_owned()).collect()
    };
    let first = hints(&["create", "Fix", "login"], 2, "invalid_argument_value").remove(0);
    assert_eq!(first, "pm create 'Fix login'");
    let slip = hints(&["create", "X", "--type", "Isue"], 2, "invalid_argument_value");
    assert!(slip.iter().all(|hint| !hint.contains("add-type")), "{slip:?}");
    let new = hints(&["create", "X", "--type", "Experiment"], 2, "invalid_argument_value");
    assert_eq!(new, ["pm schema add-type Experiment"]);
    assert_eq!(hints(&["get", "xyz"], 3, "item_not_found"), ["pm list"]);
    assert_eq!(hints(&["get", "kidd"], 3, "item_not_found"), ["pm get pm-kid"]);
}
