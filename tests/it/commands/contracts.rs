//! `pm contracts`, and the schemas in contracts/.

use std::path::Path;

use pm::commands::CATALOG;
use pm::rows;
use serde_json::{Value, json};

use crate::json_schema::{fault, unsound};
use crate::sandbox::Sandbox;

#[test]
fn a_question_about_one_command_is_cheap() {
    let pm = Sandbox::tracker();
    let text = pm.ok(&["contracts", "--command", "list", "--summary", "--json"]);
    assert!(text.len() < 1_200, "{}: {text}", text.len());
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        answer["output_projection_contracts"],
        json!({"commands": [{"command": "list", "modes": ["brief", "compact", "full"]}],
            "global_ladder_scope": "union_not_per_command"})
    );
    let row = &answer["command_summaries"][0];
    assert_eq!(row["default_max_estimated_tokens_by_format"], json!({"toon": 4000, "json": 6000}));
    assert_eq!(answer["command_summaries"].as_array().unwrap().len(), 1);
}

#[test]
fn modes_are_the_flags_and_exclude_each_other() {
    let pm = Sandbox::tracker();
    let summaries = |mode: &[&str]| {
        pm.json(&[&["contracts", "--output-budget", "unbounded"], mode].concat())["command_summaries"].clone()
    };
    assert_eq!(summaries(&[]), summaries(&["--summary"]));
    let by_mode = pm.json(&["contracts", "--command", "get", "--output-include", "full"]);
    let by_flag = pm.json(&["contracts", "--command", "get", "--full"]);
    assert_eq!(by_mode["command_flags"], by_flag["command_flags"]);
    pm.refused(&["contracts", "--flags-only", "--schema-only"], 2, "conflicting_arguments");
    pm.refused(&["contracts", "--output-include", "brief"], 2, "unknown_output_include_selector");
}

#[test]
fn commands_are_found_by_every_name() {
    let pm = Sandbox::empty();
    let of =
        |argv: &[&str]| pm.json(&[&["contracts", "--availability-only"], argv].concat())["commands"].clone();
    assert_eq!(of(&["--command", "ctx"]), json!(["context"]));
    assert_eq!(of(&["--command", "list-open"]), json!(["list"]));
    assert_eq!(of(&["--action", "plan-add-step"]), json!(["plan add-step"]));
    assert_eq!(of(&["--command", "hooks"]), json!(["hooks list", "hooks allow", "hooks deny"]));
    let error = pm.refused(&["contracts", "--command", "lisst"], 2, "unknown_command");
    assert_eq!(error["refusal"]["rejected_value"], "lisst");
    assert!(error.to_string().contains("--command 'list' --summary"), "{error}");
    pm.refused(&["contracts", "--action", "list", "--command", "get"], 2, "conflicting_arguments");
}

#[test]
fn the_checked_in_files_are_sections_of_the_full_contract() {
    let pm = Sandbox::tracker();
    let full = pm.json(&["contracts", "--full"]);
    for (file, section) in [
        ("calls", "schema"),
        ("errors", "error_codes"),
        ("formats", "formats"),
        ("mcp-tools", "mcp_tools"),
        ("surfaces", "surfaces"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("contracts/{file}.json"));
        let held: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert!(full[section] == held, "contracts/{file}.json is not `{section}`");
    }
    for (command, schema) in full["answer_schemas"].as_object().unwrap() {
        let file = format!("contracts/schemas/{}.output.json", command.replace(' ', "-"));
        let held = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file)).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&held).unwrap(), *schema, "{file}");
    }
    let is_command = |name: &&Value| CATALOG.iter().any(|surface| surface.name() == **name);
    assert_eq!(
        full["commands"].as_array().unwrap().iter().filter(is_command).count(),
        CATALOG.iter().count()
    );
    for row in full["read_output_dimensions"].as_array().unwrap() {
        assert_eq!(row["dimensions"].as_object().unwrap().len(), 4, "{row}");
        assert!(row["projection_modes"].is_array(), "{row}");
    }
    assert_eq!(full["command_exit_contracts"]["vocabulary"].as_array().unwrap().len(), 8);
    assert_eq!(full["continuation_fingerprint_policies"][0]["row"], "telemetry");
    let fits = pm.pm(&["contracts", "--full", "--output-budget", "600", "--json"]).expect(2);
    assert_eq!(fits.json()["output_budget_exceeded"]["omitted_result"], true);
}

#[test]
fn the_schema_of_every_call_is_sound_and_fits_the_default_budget() {
    let pm = Sandbox::tracker();
    for surface in CATALOG.iter() {
        let action = surface.contract.path.join("-");
        let answer = pm.json(&["contracts", "--action", &action, "--schema-only"]);
        let branch = &answer["schema"]["oneOf"][0];
        assert_eq!(branch["properties"]["action"]["const"], action, "{answer}");
        assert_eq!(unsound(&answer["schema"], "$"), None);
        // What it answers is told beside what it takes, unless it is text.
        let told = &answer["answer_schemas"][surface.name()];
        let text = ["completion", "man", "mcp", "merge driver", "catalog serve"].contains(&&*surface.name());
        assert_eq!(told.is_null(), text, "{action}");
        assert_eq!(unsound(told, "$").filter(|_| !text), None, "{action}");
    }
}

/// Every collection that a surface names has a declared row; a command of `graph` answers with some of them.
#[test]
fn every_collection_has_a_row() {
    let declared =
        |command: &str, path: &str| rows::all().any(|row| row.command == command && row.path == path);
    for surface in CATALOG.iter().filter(|surface| surface.contract.path[0] != "graph") {
        for path in surface.contract.read_output.map_or(&[][..], |output| output.row_keys) {
            assert!(declared(&surface.name(), path), "{} {path}", surface.name());
        }
    }
    for row in rows::all() {
        let path: Vec<&str> = row.command.split(' ').collect();
        assert!(CATALOG.find(&path).is_some(), "{row:?}");
        assert_eq!(unsound(&(row.make)(), "$"), None, "{row:?}");
    }
}

#[test]
fn answers_obey_their_schemas() {
    let pm = Sandbox::tracker();
    let one = pm.create(&["First", "--tags", "ui"]);
    let two = pm.create(&["Second", "--blocked-by", &one]);
    pm.ok(&["comments", &one, "--add", "a word"]);
    for argv in [
        vec!["list"],
        vec!["list", "--output-limit", "1"],
        vec!["get", &one],
        vec!["next"],
        vec!["context"],
        vec!["search", "first"],
        vec!["stats"],
        vec!["aggregate", "--group-by", "type"],
        vec!["history", &one],
        vec!["activity", "--raw"],
        vec!["deps", &two],
        vec!["validate"],
        vec!["health"],
        vec!["comments", &one],
        vec!["notes", &one],
        vec!["files", &one],
        vec!["docs", &one],
        vec!["duplicates"],
        vec!["contracts"],
        vec!["contracts", "--output-budget", "500"],
    ] {
        let path = format!("contracts/schemas/{}.output.json", argv[0]);
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&path)).unwrap();
        let schema: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(unsound(&schema, "$"), None, "{path}");
        assert_eq!(fault(&pm.json(&argv), &schema, "$"), None, "{argv:?}");
    }
}

#[test]
fn groups_are_named_beside_their_commands() {
    let sandbox = Sandbox::tracker();
    let full = sandbox.json(&["contracts", "--full", "--output-budget", "unbounded"]);
    let names: Vec<&str> =
        full["commands"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    for group in ["graph", "schema", "workspace", "workspace snapshot", "files", "merge"] {
        assert_eq!(names.iter().filter(|name| **name == group).count(), 1, "{group}: {names:?}");
    }
    let at = |name: &str| names.iter().position(|known| *known == name);
    assert!(at("graph") < at("graph ancestors"));
    assert_eq!(sandbox.json(&["contracts", "--command", "graph slack"])["commands"], json!(["graph slack"]));
}

#[test]
fn flags_of_the_tracker_and_older_names_are_told() {
    let sandbox = Sandbox::tracker();
    let flags = |command: &str| -> Vec<serde_json::Value> {
        let answer = sandbox.json(&[
            "contracts",
            "--command",
            command,
            "--flags-only",
            "--output-budget",
            "unbounded",
        ]);
        answer["command_flags"][0]["flags"].as_array().unwrap().clone()
    };
    let find =
        |flags: &[serde_json::Value], flag: &str| flags.iter().find(|row| row["flag"] == flag).cloned();
    assert_eq!(find(&flags("search"), "--effort"), None);
    sandbox.ok(&["schema", "add-field", "effort", "--type", "number", "--commands", "search,list"]);
    assert!(find(&flags("search"), "--effort").is_some());
    assert!(find(&flags("create"), "--effort").is_none());
    for (command, old, new) in [
        ("search", "--filter-docs-missing", "--no-docs"),
        ("search", "--filter-files-missing", "--no-files"),
        ("health", "--fail-on-warn", "--strict-exit"),
    ] {
        let row = find(&flags(command), old);
        assert_eq!(row, Some(serde_json::json!({"flag": old, "alias_for": new})), "{command}");
    }
}

/// Values are told of options that take one of a few, and of no switch.
#[test]
fn flags_tell_their_legal_values() {
    let sandbox = Sandbox::tracker();
    let answer =
        sandbox.json(&["contracts", "--command", "list", "--flags-only", "--output-budget", "unbounded"]);
    let flags = answer["command_flags"][0]["flags"].as_array().unwrap();
    let row = |flag: &str| flags.iter().find(|row| row["flag"] == flag).unwrap_or_else(|| panic!("{flag}"));
    assert_eq!(row("--output-format")["values"], json!(["toon", "json"]));
    assert_eq!(row("--format")["values"].as_array().map(Vec::len), Some(6));
    for switch in ["--json", "--brief", "--output-row-contract"] {
        assert_eq!((row(switch).get("values"), row(switch).get("value_name")), (None, None), "{switch}");
    }
}

/// Every declared row, against rows of real answers: all that they hold is declared, of the declared type.
#[test]
fn rows_obey_their_declarations() {
    let pm = Sandbox::tracker();
    pm.write("src/one.rs", "");
    let one = pm.create(&["First", "--tags", "ui", "--body", "see src/one.rs", "--deadline", "2026-04-01"]);
    let two = pm.create(&["Second", "--blocked-by", &one, "--type", "Epic"]);
    let three = pm.create(&["Second", "--parent", &two]);
    for (command, text) in [("comments", "a word"), ("notes", "a note"), ("learnings", "a lesson")] {
        pm.ok(&[command, &one, "--add", text]);
    }
    pm.ok(&["files", &one, "--add", "path=src/one.rs,note=it"]);
    pm.ok(&["docs", &one, "--add", "path=README.md"]);
    let mut tried = 0;
    for argv in [
        vec!["list"],
        vec!["list", "--compact"],
        vec!["search", "first"],
        vec!["search", "first", "--highlight"],
        vec!["context"],
        vec!["next"],
        vec!["next", "--blocked-limit", "5"],
        vec!["deps", &two, "--format", "graph"],
        vec!["history", &one],
        vec!["history", &one, "--compact"],
        vec!["history", &one, "--full"],
        vec!["activity"],
        vec!["activity", "--compact"],
        vec!["events"],
        vec!["validate"],
        vec!["health"],
        vec!["comments", &one],
        vec!["notes", &one],
        vec!["learnings", &one],
        vec!["files", &one],
        vec!["docs", &one],
        vec!["stats"],
        vec!["aggregate", "--group-by", "type"],
        vec!["duplicates"],
        vec!["comments-audit"],
        vec!["contracts"],
        vec!["graph", "impact", &three],
        vec!["graph", "communities"],
        vec!["graph", "slack"],
        vec!["graph", "centrality"],
        vec!["graph", "plan"],
    ] {
        let answer = pm.json(&argv);
        for declared in rows::all().filter(|row| {
            let words: Vec<&str> = row.command.split(' ').collect();
            argv.starts_with(&words) && argv.get(words.len()).is_none_or(|word| *word != "lookup")
        }) {
            let schema = (declared.make)();
            assert_eq!(unsound(&schema, "$"), None, "{declared:?}");
            let found = declared.path.split('.').try_fold(&answer, |value, key| value.get(key));
            let found: Vec<&Value> = match found {
                Some(Value::Array(rows)) => rows.iter().collect(),
                Some(row @ Value::Object(_)) => vec![row],
                _ => continue,
            };
            for row in found.into_iter().filter_map(|row| row.as_object().map(|map| (row, map))) {
                tried += 1;
                assert_eq!(fault(row.0, &schema, "$"), None, "{argv:?} {}", declared.path);
                for key in row.1.keys() {
                    let known = schema["properties"].get(key).is_some() || key.starts_with("agent_");
                    assert!(known, "{argv:?} {}: `{key}` is declared nowhere", declared.path);
                }
            }
        }
    }
    assert!(tried > 60, "{tried}");
}

/// Every section that the reference has is there, made of our own declarations.
#[test]
fn the_full_contract_has_every_section_of_the_reference() {
    let pm = Sandbox::tracker();
    let full = pm.json(&["contracts", "--full"]);
    for section in [
        "commands",
        "actions",
        "action_availability",
        "command_summaries",
        "output_policy",
        "grammar_contracts",
        "runtime_schema",
        "extension_contracts",
        "governance_contracts",
        "relationship_kind_contracts",
        "schema",
        "extension_commands",
        "command_flags",
        "list_projections",
        "command_aliases",
        "commander_aliases",
        "assurance_contracts",
        "mcp_tools",
        "context_intents",
        "read_output_dimensions",
        "error_codes",
        "command_output_contracts",
        "diagnostic_output_contracts",
        "command_exit_contracts",
    ] {
        assert!(full.get(section).is_some_and(|held| !held.is_null()), "{section}");
    }
    let hooks = &full["extension_contracts"];
    assert_eq!((&hooks["capabilities"], &hooks["services"]), (&json!(["hooks"]), &json!([])));
    for words in hooks["trust_commands"].as_array().unwrap() {
        let words: Vec<&str> = words.as_str().unwrap().split(' ').collect();
        assert!(CATALOG.find(&words).is_some(), "{words:?}");
    }
}

/// Each key that is told for an option means that option, over MCP and in the library alike.
#[test]
fn every_key_of_an_option_means_it() {
    let pm = Sandbox::tracker();
    let keys = pm.json(&["contracts", "--full"])["commander_aliases"].clone();
    let mut tried = 0;
    for surface in CATALOG.iter() {
        let parser = pm::grammar::parser(surface);
        for kind in ["string", "repeatable"] {
            let section = format!("{}_{kind}_options", surface.contract.path.join("_").replace('-', "_"));
            for row in keys[&section].as_array().into_iter().flatten() {
                for key in row["keys"].as_array().unwrap() {
                    let key = key.as_str().unwrap();
                    let property = pm::generate::schema::find(&parser, key);
                    let property = property.unwrap_or_else(|| panic!("{section}: {key}"));
                    assert_eq!(property.name(), row["target"], "{section}: {key}");
                    assert_eq!(property.is_list(), kind == "repeatable", "{section}: {key}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 500, "{tried}");
    let row = |section: &str, target: &str| {
        let rows = keys[section].as_array().unwrap();
        rows.iter().find(|row| row["target"] == target).unwrap()["keys"].clone()
    };
    assert_eq!(row("create_repeatable_options", "blockedBy"), json!(["blockedBy", "blocked_by"]));
    assert_eq!(row("update_repeatable_options", "addTags"), json!(["addTags", "add_tags"]));
}

/// Kinds of sources are those that a measurement can be observed by; the triggers are those of the tracker's gates.
#[test]
fn the_words_of_assurance_are_those_that_work() {
    let pm = Sandbox::tracker();
    let told = |pm: &Sandbox| pm.json(&["contracts", "--full"])["assurance_contracts"].clone();
    assert_eq!(told(&pm)["gate_triggers"], json!([]));
    let kinds: Vec<String> = told(&pm)["measurement_source_kinds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kind| kind.as_str().unwrap().to_owned())
        .chain(["nonsense".to_owned()])
        .collect();
    let of = |make: &dyn Fn(&String) -> Value| kinds.iter().map(make).collect::<Vec<Value>>();
    let registry = json!({
        "measurements": of(&|kind| json!({"id": kind, "source": {"kind": kind}})),
        "assertions": of(&|kind| json!({"id": kind, "measurement_id": kind, "ceiling": 9, "enforcement": "warn"})),
        "gates": [{"id": "g", "assertion_ids": kinds, "triggers": ["ci", "on-close"]}],
    });
    pm.write(".agents/pm/assurance.json", registry.to_string());
    assert_eq!(told(&pm)["gate_triggers"], json!(["ci", "on-close"]));
    let rows = pm.json(&["assurance", "run", "g", "--trigger", "ci"])["assertions"].clone();
    for row in rows.as_array().unwrap() {
        let unheard = row["reason"].as_str().is_some_and(|reason| reason.contains("no source is called"));
        assert_eq!(unheard, row["id"] == "nonsense", "{row}");
    }
    pm.write(".agents/pm/assurance.json", "{");
    assert_eq!(told(&pm)["gate_triggers"], json!([]));
}

/// Purposes of reads are those that the commands take.
#[test]
fn context_intents_are_those_that_are_taken() {
    let pm = Sandbox::tracker();
    let id = pm.create(&["First"]);
    let full = pm.json(&["contracts", "--full"]);
    let rows = full["context_intents"].as_array().unwrap();
    for command in ["context", "list", "search", "get", "next"] {
        let subject: &[&str] = match command {
            "search" => &["first"],
            "get" => &[&id],
            _ => &[],
        };
        let named: Vec<&Value> =
            rows.iter().filter(|row| row["command"] == command).map(|row| &row["intent"]).collect();
        for intent in &named {
            pm.ok(&[&[command], subject, &["--for", intent.as_str().unwrap()]].concat());
        }
        let error =
            pm.refused(&[&[command], subject, &["--for", "nothing"]].concat(), 2, "unknown_context_intent");
        let legal: Vec<&Value> = error["refusal"]["legal_domain"].as_array().unwrap().iter().collect();
        assert_eq!(legal.len(), named.len(), "{command}: {error}");
        assert!(named.iter().all(|intent| legal.contains(intent)), "{command}: {error}");
    }
    for section in ["governance_contracts", "relationship_kind_contracts", "runtime_schema"] {
        assert!(!full[section].is_null(), "{section}");
    }
    let active =
        pm.json(&["contracts", "--runtime-only", "--availability-only", "--output-budget", "unbounded"]);
    assert!(active["action_availability"].as_array().unwrap().iter().all(|row| row["available"] == true));
}
