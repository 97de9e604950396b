use serde_json::json;

use crate::fixture::{ids, small};
use crate::sandbox::Sandbox;

#[test]
fn depths_show_more_and_more() {
    let sandbox = small();
    let brief = sandbox.json(&["get", "one", "--depth", "brief"]);
    assert!(
        brief["item"].get("body").is_none()
            && brief["item"].get("comments").is_none()
            && brief.get("linked").is_none()
    );
    assert_eq!(brief["item"]["collection_counts"]["comments"], 1);
    assert_eq!(brief, sandbox.json(&["get", "one", "--brief"]));
    let standard = sandbox.json(&["get", "one"]);
    assert_eq!(standard["item"]["body"], "The body.");
    assert_eq!(standard["linked"]["files"][0]["path"], "src/one.rs");
    assert_eq!(standard["claim_state"]["claimed"], true);
    let full = sandbox.json(&["get", "one", "--full"]);
    assert_eq!(full["item"]["comments"][0]["text"], "First");
    assert_eq!(full["item"]["notes"], json!([]));
    assert_eq!(full, sandbox.json(&["get", "one", "--depth", "deep"]));
    assert_eq!(sandbox.json(&["get", "two"])["schedule"], json!({"deadline": "2026-03-10T00:00:00.000Z"}));
}

#[test]
fn what_says_nothing_is_shown_on_request_only() {
    let sandbox = crate::sandbox::Sandbox::with_items(&[("pm-bare", "")]);
    let keys = |argv: &[&str]| {
        let answer = sandbox.json(argv);
        ["linked", "claim_state"]
            .map(|key| answer.get(key).is_some())
            .into_iter()
            .chain(
                ["notes_count", "tests_count", "collection_counts"]
                    .map(|key| answer["item"].get(key).is_some()),
            )
            .collect::<Vec<bool>>()
    };
    assert_eq!(keys(&["get", "pm-bare"]), [false; 5]);
    assert_eq!(keys(&["get", "pm-bare", "--full-envelope"]), [true; 5]);
    assert_eq!(keys(&["get", "pm-bare", "--full"]), [true; 5]);
    assert_eq!(
        keys(&["get", "pm-bare", "--fields", "linked,notes_count"]),
        [true, false, true, false, false]
    );
    assert_eq!(
        keys(&["get", "pm-bare", "--output-include", "claim_state,collection_counts"]),
        [false, true, false, false, true]
    );
}

#[test]
fn fields_and_sections_are_chosen_by_name() {
    let sandbox = small();
    let answer = sandbox.json(&["get", "epic", "--fields", "title,children,linked.files,risk"]);
    assert_eq!(answer["item"], json!({"id": "pm-epic", "title": "Title of pm-epic", "risk": null}));
    assert_eq!(answer["linked"], json!({"files": []}));
    assert_eq!(answer["children"]["by_status"], json!({"closed": 1, "in_progress": 1, "open": 1}));
    assert_eq!(ids(&answer["children"], "sample"), "done one two");
    let counted = sandbox.json(&["get", "epic"]);
    assert_eq!((&counted["children"]["count"], &counted["children"]["active"]), (&json!(3), &json!(2)));
    assert!(sandbox.json(&["get", "one"]).get("children").is_none());
}

#[test]
fn ids_are_found_in_every_spelling() {
    let sandbox = small();
    for typed in ["pm-one", "ONE", "#pm-one", "Pm-One", "on"] {
        assert_eq!(sandbox.json(&["get", typed, "--brief"])["item"]["id"], "pm-one", "{typed}");
    }
    for alias in ["show", "view", "read", "fetch"] {
        assert_eq!(sandbox.json(&[alias, "one", "--brief"])["item"]["id"], "pm-one", "{alias}");
    }
    sandbox.refused(&["get", "nobody"], 3, "item_not_found");
    sandbox.refused(&["get", "../../etc/passwd"], 2, "invalid_argument_value");
}

#[test]
fn several_items_are_rows() {
    let sandbox = small();
    let answer = sandbox.json(&["get", "one", "epic", "pm-one", "--brief"]);
    assert_eq!(ids(&answer, "items"), "one epic");
    let answer = sandbox.json(&["get", "one", "epic", "--fields", "title"]);
    assert_eq!(answer["items"][1], json!({"id": "pm-epic", "title": "Title of pm-epic"}));
    let answer = sandbox.pm(&["get", "one", "ghost", "--json"]).expect(3).json();
    assert_eq!(answer["missing"][0]["id"], "ghost");
}

#[test]
fn a_tree_shows_what_lies_below() {
    let sandbox = small();
    let answer = sandbox.json(&["get", "epic", "--tree", "--brief"]);
    assert_eq!((&answer["tree"]["count"], &answer["tree"]["root_id"]), (&json!(3), &json!("pm-epic")));
    assert_eq!(ids(&answer["tree"], "items"), "one two done");
    assert_eq!(answer["tree"]["items"][0]["tree_parent"], "pm-epic");
}

#[test]
fn what_excludes_each_other_is_refused() {
    let sandbox = small();
    for (line, code) in [
        ("one --full --depth brief", "conflicting_arguments"),
        ("one --fields id --full", "projection_options_mutually_exclusive"),
        ("one --depth huge", "invalid_argument_value"),
        ("one --tree-depth 1", "missing_required_option"),
        ("one two --tree", "conflicting_arguments"),
        ("one --fields titel", "unknown_field_projection"),
        ("one --at 1 --tree", "conflicting_arguments"),
        ("one --at 1", "history_target_out_of_range"),
        ("one --at soon", "invalid_argument_value"),
    ] {
        let argv: Vec<&str> = std::iter::once("get").chain(line.split_whitespace()).collect();
        let output = sandbox.pm(&[&argv[..], &["--json"]].concat());
        assert!(output.stderr.contains(code), "get {line}: {output:?}");
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "get {line}");
    }
}

#[test]
fn an_item_is_not_below_itself() {
    let pm =
        Sandbox::with_items(&[("pm-a", "parent: pm-b"), ("pm-b", "parent: pm-c"), ("pm-c", "parent: pm-a")]);
    for call in [&["get", "pm-a", "--tree"][..], &["list", "--tree", "--parent", "pm-a"]] {
        let answer = pm.json(call);
        let rows = answer["tree"]["items"].as_array().or(answer["items"].as_array()).unwrap();
        let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["pm-c", "pm-b"], "{answer}");
    }
}

#[test]
fn an_item_is_shown_as_it_was_at_a_version_or_a_time() {
    let mut sandbox = crate::sandbox::Sandbox::tracker();
    let steps: [(&str, &[&str]); 4] = [
        ("2026-03-01T09:00:00.000Z", &["create", "First", "--id", "x", "--priority", "3", "--body", "one"]),
        ("2026-03-02T09:00:00.000Z", &["update", "x", "--title", "Second", "--priority", "1"]),
        ("2026-03-03T09:00:00.000Z", &["comments", "x", "heard"]),
        ("2026-03-04T09:00:00.000Z", &["close", "x", "over"]),
    ];
    for (clock, argv) in steps {
        sandbox.set("PM_CLOCK", clock).ok(argv);
    }
    sandbox.set("PM_CLOCK", "2026-03-05T09:00:00.000Z");
    let fields = "title,status,priority,comments,body,close_reason";
    let at = |moment: &str| {
        let answer = sandbox.json(&["get", "x", "--at", moment, "--fields", fields]);
        let item = &answer["item"];
        let comments = item["comments"].as_array().map_or(0, Vec::len);
        let told = ["title", "status", "body", "close_reason"].map(|key| item[key].as_str().unwrap_or("-"));
        (answer["as_of_version"].clone(), format!("{} {} {comments}", told.join(" "), item["priority"]))
    };
    let was = [
        (json!(1), "First open one - 3 0"),
        (json!(2), "Second open one - 1 0"),
        (json!(3), "Second open one - 1 1"),
        (json!(4), "Second closed one over 1 1"),
    ];
    for (n, moments) in [
        (0, ["1", "2026-03-01T09:00:00Z", "2026-03-02T10:59:59+02:00", "4d", "-75h"]),
        (1, ["2", "2026-03-02T09:00:00.000Z", "2026-03-03", "3d", "-50h"]),
        (2, ["3", "2026-03-03T10:00:00+01:00", "2026-03-04T08:59:59.999Z", "2d", "-25h"]),
        (3, ["4", "2026-03-04T09:00:00Z", "2027-01-01", "1d", "now"]),
    ] {
        for moment in moments {
            assert_eq!(at(moment), (was[n].0.clone(), was[n].1.to_owned()), "--at {moment}");
        }
    }
    sandbox.ok(&["delete", "x"]);
    assert_eq!(at("4").1, was[3].1, "also of an item that is gone");
    let gone = sandbox.refused(&["get", "x", "--at", "5"], 3, "item_not_found");
    assert!(gone.to_string().contains("pm get pm-x --at 4"), "{gone}");
    for moment in ["6", "2026-03-01T08:59:59Z"] {
        let error = sandbox.refused(&["get", "x", "--at", moment], 2, "history_target_out_of_range");
        assert!(error.to_string().contains("pm get pm-x --at 1"), "{error}");
    }
}
