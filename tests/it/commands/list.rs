use serde_json::{Value, json};

use crate::fixture::{ids, put, small};
use crate::sandbox::Sandbox;

fn listed(sandbox: &Sandbox, line: &str) -> String {
    let argv: Vec<&str> = std::iter::once("list").chain(line.split_whitespace()).collect();
    ids(&sandbox.json(&argv), "items")
}

#[test]
fn what_is_listed_follows_filters_and_order() {
    let sandbox = small();
    for (line, expected) in [
        ("", "epic one bug two idea"),
        ("--all", "epic one bug two idea done goal"),
        ("--status closed,canceled", "done goal"),
        ("--status blocked", "two"),
        ("--status blocked,draft", "two idea"),
        ("--type bug", "bug"),
        ("--tag api,core", "epic one bug"),
        ("--tag-all api --tag-all core", "one"),
        ("--tag api,core --tag-all", "one"),
        ("--parent epic", "one two"),
        ("--parent PM-epic --all", "one two done"),
        ("--parent nobody", ""),
        ("--assignee ann", "one"),
        ("--ids one,pm-done,ghost --all", "one done"),
        ("--updated-after -2d", "one two"),
        ("--today", "two"),
        ("--has-comments", "one"),
        ("--no-files --type Task", "two"),
        ("--sort updated", "two one epic idea bug"),
        ("--sort updated --order asc", "bug idea epic one two"),
        ("--sort deadline", "bug two epic one idea"),
        ("--sort deadline --order asc", "two bug epic one idea"),
        ("--sort title", "bug epic idea one two"),
        ("--limit 2", "epic one"),
        ("--limit 2 --offset 3", "two idea"),
        ("--limit 0", ""),
    ] {
        assert_eq!(listed(&sandbox, line), expected, "list {line}");
    }
}

#[test]
fn rows_show_the_fields_asked_for() {
    let sandbox = small();
    let first = |line: &str| {
        let argv: Vec<&str> = std::iter::once("list").chain(line.split_whitespace()).collect();
        sandbox.json(&argv)["items"][0].clone()
    };
    assert_eq!(
        first("--ids one").to_string(),
        r#"{"id":"pm-one","status":"open","type":"Task","title":"Title of pm-one"}"#
    );
    assert_eq!(
        first("--ids epic --compact").to_string(),
        r#"{"id":"pm-epic","title":"Title of pm-epic","status":"open","type":"Epic","priority":0,"parent":null,"updated_at":"2026-02-20T08:00:00.000Z"}"#
    );
    assert_eq!(
        first("--ids two --fields id,item.deadline,id,comments,dependencies").to_string(),
        r#"{"id":"pm-two","deadline":"2026-03-10T00:00:00.000Z","comments":null,"dependencies":[{"id":"pm-one","kind":"blocked_by","created_at":"2026-01-03T08:00:00.000Z"}]}"#
    );
    assert_eq!(first("--ids one --full --include-body")["body"], "The body.");
    assert_eq!(first("--ids one --full")["comments"][0]["text"], "First");
    assert_eq!(first("--for triage --ids two")["risk"], "high");
    assert_eq!(first("--ids two --output-include id,deadline")["deadline"], "2026-03-10T00:00:00.000Z");
}

#[test]
fn a_tree_has_children_below_their_parents() {
    let sandbox = small();
    let answer = sandbox.json(&["list", "--all", "--tree", "--sort", "title"]);
    let titles: Vec<&str> =
        answer["items"].as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap()).collect();
    assert_eq!(
        titles,
        [
            "Title of pm-bug",
            "Title of pm-epic",
            "  Title of pm-done",
            "  Title of pm-one",
            "  Title of pm-two",
            "Title of pm-goal",
            "Title of pm-idea"
        ]
    );
    assert_eq!(listed(&sandbox, "--tree --tree-depth 0"), "epic bug idea");
    assert_eq!(listed(&sandbox, "--tree --parent epic"), "one two");
    let row = sandbox.json(&[
        "list",
        "--tree",
        "--ids",
        "epic,one",
        "--fields",
        "id,tree_depth,tree_parent,tree_children",
    ]);
    assert_eq!(
        row["items"][1],
        json!({"id": "pm-one", "tree_depth": 1, "tree_parent": "pm-epic", "tree_children": 0})
    );
}

#[test]
fn pages_continue_where_the_last_one_ended() {
    let sandbox = small();
    let first = sandbox.json(&["list", "--limit", "2"]);
    assert_eq!((&first["count"], &first["total"], &first["has_more"]), (&json!(2), &json!(5), &json!(true)));
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = sandbox.json(&["list", "--limit", "2", "--after", cursor]);
    assert_eq!(ids(&second, "items"), "bug two");
    sandbox.refused(&["list", "--all", "--after", cursor], 2, "invalid_query_cursor");
    sandbox.refused(&["list", "--after", cursor, "--offset", "1"], 2, "conflicting_arguments");
}

#[test]
fn older_spellings_say_the_same_and_one_line_more() {
    let sandbox = small();
    for (old, new) in [
        ("list-all", vec!["list", "--all"]),
        ("list-blocked", vec!["list", "--status", "blocked"]),
        ("list-in-progress", vec!["list", "--status", "in_progress"]),
        ("list-closed", vec!["list", "--status", "closed"]),
    ] {
        let (old, new) = (sandbox.pm(&[old]).expect(0), sandbox.pm(&new).expect(0));
        assert_eq!(old.stdout, new.stdout);
        assert_eq!((old.stderr.lines().count(), new.stderr.as_str()), (1, ""));
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let sandbox = small();
    for (line, code) in [
        ("--status bogus", "invalid_argument_value"),
        ("--status all,open", "invalid_argument_value"),
        ("--type Taks", "invalid_argument_value"),
        ("--priority P1", "invalid_argument_value"),
        ("--order desc", "missing_required_option"),
        ("--sort priorty", "invalid_argument_value"),
        ("--tree-depth 1", "missing_required_option"),
        ("--token-budget 500", "missing_required_option"),
        ("--for triag", "unknown_context_intent"),
        ("--brief --full", "projection_options_mutually_exclusive"),
        ("--fields id,bogus", "unknown_field_projection"),
        ("--deadline-before 2026-02-30", "invalid_argument_value"),
        ("--today --recent", "conflicting_arguments"),
        ("--has-notes --no-notes", "conflicting_arguments"),
        ("--assignee none", "invalid_argument_value"),
    ] {
        let argv: Vec<&str> = std::iter::once("list").chain(line.split_whitespace()).collect();
        sandbox.refused(&argv, 2, code);
    }
}

#[test]
fn a_stream_says_what_each_line_is() {
    let sandbox = small();
    let text = sandbox.ok(&["list", "--json", "--stream", "--limit", "2"]);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["meta", "item", "item", "end"]);
    assert_eq!((&lines[1]["item"]["id"], &lines[3]["total"]), (&json!("pm-epic"), &json!(5)));
    assert!(lines[3]["next_cursor"].is_string());
    sandbox.pm(&["list", "--stream"]).expect(2).stderr.contains("--json").then_some(()).unwrap();
    sandbox.refused(&["list", "--json", "--stream", "--format", "csv"], 2, "conflicting_arguments");
}

#[test]
fn unknown_tags_are_a_warning() {
    let answer = small().json(&["list", "--tag", "ghost"]);
    assert_eq!((&answer["items"], &answer["warnings"]), (&json!([]), &json!(["unknown_tags:ghost"])));
}

#[test]
fn files_that_cannot_be_read_are_named_and_the_rest_is_served() {
    let sandbox = small();
    sandbox.write(".agents/pm/tasks/pm-torn.toon", "id: pm-torn\ntitle: \"broken\n");
    let answer = sandbox.json(&["list"]);
    assert_eq!(ids(&answer, "items"), "epic one bug two idea");
    assert_eq!(answer["completeness"]["status"], "partial");
    assert_eq!(answer["completeness"]["unreadable_item_count"], 1);
    assert!(answer.to_string().contains("tasks/pm-torn.toon"), "{answer}");
    let error = sandbox.refused(&["list", "--strict-read"], 1, "list_source_incomplete");
    assert!(error.to_string().contains("tasks/pm-torn.toon"), "{error}");
}

#[test]
fn settings_that_cannot_be_read_are_a_warning() {
    let sandbox = small();
    sandbox.write(".agents/pm/settings.json", "{\"version\"");
    let answer = sandbox.json(&["list"]);
    assert_eq!(ids(&answer, "items"), "epic one bug two idea");
    assert!(answer["warnings"].to_string().contains("settings_read_invalid_json"), "{answer}");
    sandbox.write(".agents/pm/settings.json", "{}");
    assert!(sandbox.json(&["list"]).get("warnings").is_none());
}

#[test]
fn a_tracker_without_items_has_an_empty_list() {
    let sandbox = Sandbox::empty();
    sandbox.write(".agents/pm/settings.json", "{}\n");
    let answer = sandbox.json(&["list"]);
    assert_eq!((&answer["items"], &answer["count"], &answer["total"]), (&json!([]), &json!(0), &json!(0)));
    put(
        &sandbox,
        "tasks",
        "pm-a",
        &[
            "title: A",
            "description: \"\"",
            "type: Task",
            "status: open",
            "priority: 2",
            "tags: []",
            "created_at: \"2026-01-01T00:00:00.000Z\"",
            "updated_at: \"2026-01-01T00:00:00.000Z\"",
        ],
        "",
    );
    assert_eq!(listed(&sandbox, ""), "a");
}

#[test]
fn a_field_of_the_tracker_is_a_filter() {
    let sandbox = small();
    let fields = json!({"fields": [{"key": "escape_class", "type": "string", "commands": ["list"]}]});
    sandbox.write(".agents/pm/schema/fields.json", fields.to_string());
    assert_eq!(listed(&sandbox, "--all --escape-class late"), "goal");
    assert_eq!(listed(&sandbox, "--all --escape-class other"), "");
}

#[test]
fn a_page_of_no_rows_can_be_gone_on_from() {
    let pm = Sandbox::with_items(&[("pm-a", ""), ("pm-b", ""), ("pm-c", "")]);
    let ids = |answer: &Value| -> Vec<String> {
        answer["items"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    let none = pm.json(&["list", "--limit", "0"]);
    assert_eq!((ids(&none).len(), &none["total"], &none["has_more"]), (0, &json!(3), &json!(true)), "{none}");
    let cursor = none["next_cursor"].as_str().unwrap();
    assert_eq!(ids(&pm.json(&["list", "--after", cursor])), ["pm-a", "pm-b", "pm-c"]);
    let one = pm.json(&["list", "--limit", "1", "--output-cursor", cursor]);
    assert_eq!(ids(&one), ["pm-a"]);
    let still = pm.json(&["list", "--limit", "0", "--after", one["next_cursor"].as_str().unwrap()]);
    let rest = pm.json(&["list", "--after", still["next_cursor"].as_str().unwrap()]);
    assert_eq!(ids(&rest), ["pm-b", "pm-c"]);
    assert!(Sandbox::with_items(&[]).json(&["list", "--limit", "0"]).get("next_cursor").is_none());
}
