//! `pm schema` and its subcommands.

use serde_json::{Value, json};

use crate::cases::repository::git_ok;
use crate::sandbox::Sandbox;

fn document(sandbox: &Sandbox, name: &str) -> Value {
    serde_json::from_str(&sandbox.read(&format!(".agents/pm/schema/{name}.json"))).expect("JSON")
}

fn ops(sandbox: &Sandbox, stream: &str) -> Vec<String> {
    let text = sandbox.read(&format!(".agents/pm/history/{stream}.jsonl"));
    let op =
        |line: &str| serde_json::from_str::<Value>(line).expect("an entry")["op"].as_str().map(str::to_owned);
    text.lines().filter_map(op).collect()
}

#[test]
fn a_type_is_declared_refined_and_removed() {
    let sandbox = Sandbox::tracker();
    let added =
        sandbox.json(&["schema", "add-type", "Spike", "--alias", "probe,look", "--default-status", "Draft"]);
    assert_eq!(
        added,
        json!({"action": "add-type", "registered": true, "replaced": false,
            "type": {"name": "Spike", "aliases": ["look", "probe"], "default_status": "draft"}})
    );
    let id = sandbox.create(&["probe", "What is it?"]);
    assert!(sandbox.root().join(format!("spikes/{id}.toon")).is_file());
    let again = sandbox.json(&["schema", "add-type", "Spike"]);
    assert_eq!((&again["replaced"], &again["changed"]), (&json!(true), &json!(false)));
    let refined = sandbox.json(&["schema", "add-type", "spike", "--description", "A question"]);
    assert_eq!(refined["type"]["aliases"], json!(["look", "probe"]), "what is not said stays");
    sandbox.json(&["schema", "add-type", "Bug"]);
    assert_eq!(document(&sandbox, "types")["definitions"][0]["name"], "Bug", "in the order of names");
    let shown = sandbox.json(&["schema", "show", "probe"]);
    assert_eq!((&shown["type"]["source"], &shown["item_count"]), (&json!("custom"), &json!(1)));
    let error = sandbox.refused(&["schema", "remove-type", "Spike"], 4, "schema_definition_in_use");
    assert_eq!(error["recovery"]["item_count"], 1);
    sandbox.json(&["schema", "remove-type", "bug"]);
    sandbox.json(&["schema", "remove-type", "Spike", "--force"]);
    assert_eq!(document(&sandbox, "types"), json!({"definitions": []}));
    assert_eq!(sandbox.json(&["get", &id])["item"]["type"], "Spike", "its items stay readable");
    assert_eq!(
        ops(&sandbox, "_workspace"),
        ["schema:add-type", "schema:add-type", "schema:add-type", "schema:remove-type", "schema:remove-type"]
    );
}

#[test]
fn a_type_that_cannot_be_is_refused() {
    let sandbox = Sandbox::tracker();
    let before = sandbox.read(".agents/pm/schema/types.json");
    for (argv, surface) in [
        (&["schema", "add-type"][..], "NAME"),
        (&["schema", "add-type", ""], "NAME"),
        (&["schema", "add-type", "../x"], "NAME"),
        (&["schema", "add-type", "task"], "NAME"),
        (&["schema", "add-type", "tasks"], "NAME"),
        (&["schema", "add-type", "X", "--alias", "epic"], "--alias"),
        (&["schema", "add-type", "X", "--folder", "../x"], "--folder"),
        (&["schema", "add-type", "X", "--folder", "history"], "--folder"),
        (&["schema", "add-type", "X", "--folder", "tasks"], "--folder"),
        (&["schema", "add-type", "X", "--default-status", "nope"], "--default-status"),
        (&["schema", "remove-type", "Task"], "NAME"),
        (&["schema", "apply-preset", "waterfall"], "NAME"),
    ] {
        let error = sandbox.refused(argv, 2, "invalid_argument_value");
        assert_eq!(error["refusal"]["surface"], surface, "{argv:?}");
    }
    sandbox.refused(&["schema", "remove-type", "Nope"], 3, "unknown_item_type");
    sandbox.refused(&["schema", "show", "Nope"], 3, "unknown_item_type");
    sandbox.refused(&["schema", "add-typ", "X"], 2, "unknown_subcommand");
    assert_eq!(sandbox.read(".agents/pm/schema/types.json"), before);
    assert!(!sandbox.root().join("history/_workspace.jsonl").exists());
}

/// Whoever dies between the schema and the block that Git reads leaves a journal, and the next command, a read too,
/// goes on from it.
#[test]
fn a_killed_change_of_types_takes_the_merge_fence_along() {
    let calls: [(&[&str], &str); 4] = [
        (&["schema", "add-type", "Spike"], "spikes/"),
        (&["schema", "remove-type", "Probe"], "probes/"),
        (&["schema", "rename-type", "Probe", "--to", "Look"], "looks/"),
        (&["schema", "apply-preset", "agile"], "stories/"),
    ];
    for (call, folder) in calls {
        for point in pm::store::fault::POINTS {
            let sandbox = Sandbox::empty();
            git_ok(&sandbox, &["init", "-q", "-b", "main"]);
            sandbox.ok(&["init"]);
            sandbox.ok(&["schema", "add-type", "Probe"]);
            let killed = sandbox.command(call).env("PM_FAULT", point).output().unwrap();
            assert!(killed.status.code().is_none_or(|code| code == 0), "{call:?} at {point}");
            // What of the block a process wrote that did not come to its end.
            let left = sandbox.path().join("..gitattributes.4194305.1.0123abcd.tmp");
            std::fs::write(&left, "half").unwrap();
            sandbox.ok(&["list"]);
            let has_journal = !["locked", "removed", "journal_removed"].contains(point);
            assert!(!has_journal || !left.exists(), "{call:?} at {point}");
            let declared = sandbox.read(".agents/pm/schema/types.json");
            let done = match call[1] {
                "remove-type" => !declared.contains("Probe"),
                "rename-type" => declared.contains("Look"),
                _ => declared.contains(if folder == "spikes/" { "Spike" } else { "Story" }),
            };
            let named = sandbox.read(".gitattributes").contains(&format!("{folder}*.toon"));
            assert_eq!(named, done != (call[1] == "remove-type"), "{call:?} at {point}");
        }
    }
}

#[test]
fn a_new_type_joins_the_merge_fence() {
    let sandbox = Sandbox::empty();
    let git = std::process::Command::new("git").args(["init", "-q"]).current_dir(sandbox.path()).status();
    if !git.is_ok_and(|status| status.success()) {
        return;
    }
    sandbox.ok(&["init"]);
    let added = sandbox.json(&["schema", "add-type", "Spike"]);
    assert_eq!(added["warnings"], json!(["merge_fence_refreshed"]));
    assert!(sandbox.read(".gitattributes").contains("spikes/*.toon\" merge=pm-item-toon"));
}

#[test]
fn a_status_is_declared_used_and_removed() {
    let sandbox = Sandbox::tracker();
    let added =
        sandbox.json(&["schema", "add-status", "In Review", "--role", "active", "--alias", "reviewing"]);
    assert_eq!(added["status"], json!({"id": "in_review", "aliases": ["reviewing"], "roles": ["active"]}));
    let id = sandbox.create(&["A", "--status", "reviewing"]);
    assert_eq!(sandbox.json(&["get", &id])["item"]["status"], "in_review");
    let shown = sandbox.json(&["schema", "show-status", "reviewing"]);
    assert_eq!((&shown["status"]["id"], &shown["item_count"]), (&json!("in_review"), &json!(1)));
    sandbox.refused(&["schema", "remove-status", "in_review", "--force"], 4, "schema_definition_in_use");
    let moved = sandbox.json(&["schema", "remap-status", "in_review", "--to", "in-progress"]);
    assert_eq!((&moved["item_count"], &moved["to"]), (&json!(1), &json!("in_progress")));
    assert_eq!(ops(&sandbox, &id), ["create", "schema_migration"]);
    sandbox.json(&["schema", "remove-status", "in_review"]);
    assert_eq!(document(&sandbox, "statuses")["statuses"].as_array().map(Vec::len), Some(6));
    for (argv, code, exit) in [
        (&["schema", "add-status", "x", "--role", "hot"][..], "invalid_argument_value", 2),
        (&["schema", "add-status", "x", "--alias", "cancelled"], "invalid_argument_value", 2),
        (&["schema", "add-status", "cancelled"], "invalid_argument_value", 2),
        (&["schema", "add-status", "a/b"], "invalid_argument_value", 2),
        (&["schema", "remove-status", "open"], "invalid_argument_value", 2),
        (&["schema", "remove-status", "nope"], "unknown_status", 3),
        (&["schema", "show-status", "nope"], "unknown_status", 3),
        (&["schema", "remap-status", "open", "--to", "open"], "invalid_argument_value", 2),
        (&["schema", "remap-status", "open"], "schema_migration_input_required", 2),
        (&["schema", "remap-status", "open", "--to", "nope"], "unknown_status", 3),
    ] {
        sandbox.refused(argv, exit, code);
    }
}

#[test]
fn a_field_is_declared_used_and_removed() {
    let sandbox = Sandbox::tracker();
    let added = sandbox.json(&["schema", "add-field", "effort", "--type", "number"]);
    assert_eq!(added["field"], json!({"key": "effort", "type": "number", "commands": ["create", "update"]}));
    let id = sandbox.create(&["A", "--effort", "3"]);
    assert!(sandbox.read(&format!(".agents/pm/tasks/{id}.toon")).ends_with("effort: 3\nbody: \"\"\n"));
    sandbox.refused(&["create", "B", "--effort", "x"], 2, "invalid_argument_value");
    let wider =
        sandbox.json(&["schema", "add-field", "effort", "--commands", "create,update,update-many,list"]);
    assert_eq!(wider["field"]["type"], "number", "what is not said stays");
    assert_eq!(sandbox.json(&["list", "--effort", "3"])["count"], 1);
    let many = sandbox.json(&["update-many", "--ids", &id, "--effort", "5"]);
    assert_eq!(many["planned_update_options"], json!({"effort": "5"}));
    assert_eq!(sandbox.json(&["schema", "show-field", "effort"])["item_count"], 1);
    assert_eq!(sandbox.json(&["schema", "list-fields"])["fields"][0]["flag"], "--effort");
    sandbox.refused(&["schema", "remove-field", "effort"], 4, "schema_definition_in_use");
    let renamed =
        sandbox.json(&["schema", "rename-field", "effort", "--to", "points", "--migration-id", "m1"]);
    assert_eq!((&renamed["item_count"], &renamed["migration_id"]), (&json!(1), &json!("m1")));
    assert_eq!(sandbox.json(&["get", &id])["item"]["points"], 5);
    assert_eq!(ops(&sandbox, "_workspace").last().map(String::as_str), Some("schema:rename-field:m1"));
    sandbox.json(&["schema", "remove-field", "points", "--force"]);
    assert_eq!(sandbox.json(&["get", &id])["item"]["points"], 5, "items keep their values");
    for (argv, code, exit) in [
        (&["schema", "add-field", "title"][..], "invalid_argument_value", 2),
        (&["schema", "add-field", "body"], "invalid_argument_value", 2),
        (&["schema", "add-field", "1st"], "invalid_argument_value", 2),
        (&["schema", "add-field", "x", "--type", "wibble"], "invalid_argument_value", 2),
        (&["schema", "add-field", "x", "--commands", "delete"], "invalid_argument_value", 2),
        (&["schema", "add-field", "message"], "invalid_argument_value", 2),
        (&["schema", "add-field", "x", "--cli-flag", "--json"], "invalid_argument_value", 2),
        (&["schema", "add-field", "x", "--required-types", "Nope"], "invalid_argument_value", 2),
        (&["schema", "remove-field", "x"], "unknown_field", 3),
        (&["schema", "show-field", "x"], "unknown_field", 3),
        (&["schema", "rename-field", "x", "--to", "y"], "unknown_field", 3),
    ] {
        sandbox.refused(argv, exit, code);
    }
    assert_eq!(sandbox.json(&["history", &id, "--verify"])["verification"]["ok"], true);
}

#[test]
fn a_type_takes_its_items_along_when_it_is_renamed() {
    let sandbox = Sandbox::tracker();
    sandbox.ok(&["schema", "add-type", "Spike", "--alias", "probe"]);
    let id = sandbox.create(&["Spike", "What?"]);
    let dry = sandbox.json(&["schema", "rename-type", "spike", "--to", "Question", "--dry-run"]);
    assert_eq!((&dry["dry_run"], &dry["item_count"]), (&json!(true), &json!(1)));
    assert!(sandbox.root().join(format!("spikes/{id}.toon")).is_file());
    sandbox.json(&["schema", "rename-type", "spike", "--to", "Question"]);
    assert!(sandbox.root().join(format!("questions/{id}.toon")).is_file());
    assert!(!sandbox.root().join(format!("spikes/{id}.toon")).exists());
    assert_eq!(document(&sandbox, "types"), json!({"definitions": [{"name": "Question"}]}));
    assert_eq!(ops(&sandbox, &id), ["create", "schema_migration"]);
    let merged = sandbox.json(&["schema", "rename-type", "Question", "--to", "task"]);
    assert_eq!(merged["to"], "Task");
    assert!(sandbox.root().join(format!("tasks/{id}.toon")).is_file());
    assert_eq!(sandbox.json(&["history", &id, "--verify"])["verification"]["ok"], true);
    sandbox.refused(&["schema", "rename-type", "Task", "--to", "Job"], 2, "invalid_argument_value");
    sandbox.refused(&["schema", "rename-type", "Nope", "--to", "Job"], 3, "unknown_item_type");
    sandbox.refused(&["schema", "rename-type", "Nope"], 3, "unknown_item_type");
}

#[test]
fn presets_and_titles_bring_types() {
    let sandbox = Sandbox::tracker();
    sandbox.ok(&["schema", "add-type", "Story", "--description", "Ours"]);
    let applied = sandbox.json(&["schema", "apply-preset", "agile"]);
    assert_eq!(
        applied["types"],
        json!([{"name": "Story", "registered": false}, {"name": "Spike", "registered": true}])
    );
    assert_eq!(sandbox.json(&["schema", "show", "Story"])["type"]["description"], "Ours");
    assert_eq!(sandbox.json(&["schema", "apply-preset", "agile"])["changed"], false);
    for title in ["Audit: a", "[Audit] b", "Audit: c", "Rare: d"] {
        sandbox.create(&[title]);
    }
    let argv = ["schema", "add-type", "--infer", "--min-count", "2"];
    let found = sandbox.json(&argv);
    assert_eq!((&found["applied"], &found["inferred"][0]["count"]), (&json!(false), &json!(3)));
    assert_eq!(found["count"], 1);
    sandbox.json(&[&argv[..], &["--apply"]].concat());
    assert_eq!(sandbox.json(&["schema", "show", "Audit"])["type"]["source"], "custom");
    let all = sandbox.json(&["schema", "list"]);
    assert_eq!(all["types"].as_array().map(Vec::len), Some(14));
    assert_eq!(all["statuses"].as_array().map(Vec::len), Some(6));
}

#[test]
fn a_file_edited_by_hand_is_not_overwritten_unasked() {
    let sandbox = Sandbox::tracker();
    sandbox.ok(&["schema", "add-type", "Spike"]);
    sandbox.write(
        ".agents/pm/schema/types.json",
        "{\n  \"definitions\": [\n    {\n      \"name\": \"Hand\"\n    }\n  ]\n}\n",
    );
    sandbox.refused(&["schema", "add-type", "Other"], 4, "workspace_history_state_conflict");
    let dry = sandbox.json(&["schema", "add-type", "Other", "--force", "--dry-run"]);
    assert_eq!(dry["dry_run"], true);
    assert_eq!(document(&sandbox, "types")["definitions"].as_array().map(Vec::len), Some(1));
    sandbox.json(&["schema", "add-type", "Other", "--force"]);
    assert_eq!(document(&sandbox, "types"), json!({"definitions": [{"name": "Hand"}, {"name": "Other"}]}));
    assert_eq!(ops(&sandbox, "_workspace"), ["schema:add-type", "external_edit", "schema:add-type"]);
}

#[test]
fn fields_that_nobody_declared_are_kept_told_or_refused() {
    let sandbox = Sandbox::tracker();
    let id = sandbox.create(&["A"]);
    let path = format!(".agents/pm/tasks/{id}.toon");
    sandbox.write(&path, sandbox.read(&path).replace("body:", "zzz: 1\nbody:"));
    assert_eq!(sandbox.json(&["get", &id]).get("warnings"), None);
    sandbox.ok(&["config", "set", "schema-unknown-field-policy", "warn"]);
    let warning = json!("item_unknown_schema_fields:zzz");
    assert_eq!(sandbox.json(&["get", &id])["warnings"][0], warning);
    let written = sandbox.json(&["update", &id, "--priority", "1"]);
    assert!(written["warnings"].as_array().is_some_and(|all| all.contains(&warning)), "{written}");
    assert_eq!(sandbox.json(&["list"])["count"], 1);
    sandbox.ok(&["config", "set", "schema-unknown-field-policy", "reject"]);
    let error = sandbox.refused(&["get", &id], 1, "item_unknown_schema_fields");
    assert_eq!(error["recovery"]["unknown_fields"], json!(["zzz"]));
    let before = sandbox.read(&path);
    sandbox.refused(&["update", &id, "--priority", "2"], 1, "item_unknown_schema_fields");
    assert_eq!(sandbox.read(&path), before);
    let listed = sandbox.json(&["list"]);
    assert_eq!((&listed["count"], &listed["completeness"]["status"]), (&json!(0), &json!("partial")));
    sandbox.ok(&["schema", "add-field", "zzz", "--type", "number"]);
    assert_eq!(sandbox.json(&["list"])["count"], 1);
    sandbox.ok(&["update", &id, "--priority", "2"]);
    sandbox.ok(&["schema", "remove-field", "zzz", "--force"]);
    sandbox.ok(&["config", "set", "schema-unknown-field-policy", "allow"]);
    assert_eq!(sandbox.json(&["get", &id])["item"]["zzz"], 1);
}

#[test]
fn items_that_a_migration_ends_say_why_and_free_those_that_wait() {
    let sandbox = Sandbox::tracker();
    sandbox.ok(&["schema", "add-status", "review", "--role", "active"]);
    sandbox.create(&["A", "--id", "a", "--status", "review", "--assignee", "ann"]);
    sandbox.create(&["W", "--id", "w", "--blocked-by", "a"]);
    let refused =
        sandbox.refused(&["schema", "remap-status", "review", "--to", "closed"], 2, "close_reason_required");
    assert_eq!(refused["refusal"]["surface"], "--reason", "{refused}");
    sandbox.refused(
        &["schema", "remap-status", "review", "--to", "open", "--reason", "x"],
        2,
        "invalid_argument_value",
    );
    let done = sandbox.json(&["schema", "remap-status", "review", "--to", "closed", "--reason", "Reviewed"]);
    assert_eq!(done["item_count"], 1);
    let item = sandbox.json(&["get", "a", "--full"])["item"].clone();
    assert_eq!((&item["status"], &item["close_reason"]), (&json!("closed"), &json!("Reviewed")));
    assert_eq!((&item["assignee"], item["closed_at"].is_string()), (&serde_json::Value::Null, true));
    assert_eq!(sandbox.json(&["get", "w"])["item"]["status"], "open");
    for id in ["a", "w"] {
        assert_eq!(sandbox.json(&["history", id, "--verify"])["verification"]["ok"], true);
    }
}
