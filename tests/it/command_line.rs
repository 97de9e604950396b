//! Words, flags, refusals, help.

use std::io::Read;
use std::process::Stdio;

use pm::commands::CATALOG;

use crate::sandbox::Sandbox;

/// A tracker made by hand: nothing here depends on the commands that write.
fn tracker(settings: &str) -> Sandbox {
    let here = Sandbox::empty();
    here.write(".agents/pm/settings.json", settings);
    here
}

#[test]
fn version_is_one_line() {
    let here = Sandbox::empty();
    let expected = format!("{}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(here.ok(&["--version"]), expected);
    assert_eq!(here.ok(&["-V"]), expected);
}

#[test]
fn global_flags_stand_before_or_after_the_command() {
    let here = Sandbox::empty();
    let after = here.ok(&["version", "--json"]);
    assert_eq!(here.ok(&["--json", "version"]), after);
    assert_eq!(here.ok(&["--author", "bob", "version", "--json"]), after);
    assert_eq!(here.ok(&["--json", "--json", "version"]), after);
    assert_eq!(here.ok(&["version", "--quiet"]), "");
}

#[test]
fn snake_case_twins_are_the_same_flags() {
    let here = Sandbox::empty();
    assert_eq!(here.ok(&["version", "--pm_path", "x", "--json"]), here.ok(&["version", "--json"]));
    assert_eq!(here.ok(&["version", "--output_format=json"]), here.ok(&["version", "--json"]));
}

#[test]
fn the_encoding_is_said_in_rising_strength() {
    let mut here = Sandbox::empty();
    let (toon, json) = (here.ok(&["version"]), here.ok(&["version", "--json"]));
    assert!(toon.starts_with("name: pm\n"), "{toon}");
    assert_eq!(here.ok(&["version", "--format", "json"]), json);
    assert_eq!(here.ok(&["version", "--json", "--format", "toon"]), json);
    assert_eq!(here.ok(&["version", "--json", "--output-format", "toon"]), toon);
    here.set("PM_OUTPUT_FORMAT", "json");
    assert_eq!(here.ok(&["version"]), json);
    assert_eq!(here.ok(&["version", "--format", "toon"]), toon);
    here.refused(&["vers"], 2, "unknown_command");
}

#[test]
fn near_words_are_named_with_a_command_that_runs() {
    let here = tracker("{}");
    for (argv, code, way_out) in [
        (&["lst"][..], "unknown_command", "pm list"),
        (&["list", "--limt", "3"], "flag_typo_requires_retry", "pm list --limit 3"),
        (&["list", "--limt=3"], "flag_typo_requires_retry", "pm list --limit=3"),
        (&["list", "--nosuch"], "unknown_option", "pm list --help"),
        (&["graph", "anlyze"], "unknown_subcommand", "pm graph analyze"),
        (&["graph"], "missing_required_argument", "pm graph --help"),
        (&["version", "--format", "tabel"], "invalid_argument_value", "pm version --format table"),
        (&["version", "--author"], "invalid_argument_value", "pm version --help"),
        (&["version", "extra"], "invalid_argument_value", "pm version --help"),
        (&["get"], "missing_required_argument", "pm get --help"),
        (&["frobnicate"], "unknown_command", "pm --help"),
        (&["--limit", "3", "list"], "unknown_option", "pm list --limit 3"),
        (&["--jsn", "list"], "flag_typo_requires_retry", "pm --json list"),
    ] {
        let text = here.pm(argv).expect(2);
        assert_eq!(text.stdout, "", "{argv:?}");
        let lines: Vec<&str> = text.stderr.lines().collect();
        assert!(lines[0].starts_with("error: ") && lines.len() <= 4, "{argv:?}: {lines:?}");
        assert_eq!(lines[1], format!("hint: {way_out}"), "{argv:?}");
        for hint in &lines[1..] {
            let words: Vec<&str> =
                hint.strip_prefix("hint: pm ").expect("a hint is a command").split(' ').collect();
            let _ = here.pm(&words).expect(0);
        }
        assert_eq!(here.pm(argv).stderr, text.stderr, "the same words every time");
        let error = here.refused(argv, 2, code);
        assert_eq!(error["exit_code"], 2);
        assert_eq!(error["type"], format!("urn:pm-cli:error:{code}"));
        assert_eq!(
            error["next_steps"][0].as_str().map(|step| step.replace(" --json", "")),
            Some(way_out.replace("pm --json list", "pm list")),
            "{argv:?}"
        );
    }
}

#[test]
fn a_number_that_is_none_is_refused_in_words() {
    let here = tracker("{}");
    for value in ["x", "-1", "1.5", ""] {
        let error = here.refused(&["list", &format!("--limit={value}")], 2, "invalid_argument_value");
        assert_eq!(error["refusal"]["surface"], "--limit", "{value}");
        let detail = error["detail"].as_str().unwrap_or_default();
        assert!(detail.contains("non-negative integer"), "{value}: {detail}");
    }
}

#[test]
fn a_refusal_tells_programs_what_was_refused() {
    let here = Sandbox::empty();
    let error = here.refused(&["version", "--format", "tabel"], 2, "invalid_argument_value");
    let keys: Vec<&String> = error.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "code",
            "required",
            "recovery",
            "next_steps",
            "exit_code",
            "type",
            "title",
            "detail",
            "examples",
            "refusal"
        ]
    );
    assert_eq!(error["recovery"]["attempted_command"], "pm version --format tabel --json");
    assert_eq!(error["recovery"]["provided_fields"], serde_json::json!(["--format", "--json"]));
    assert_eq!(error["refusal"]["surface"], "--format");
    assert_eq!(error["refusal"]["rejected_value"], "tabel");
    assert_eq!(error["refusal"]["legal_domain"][0], "table");
}

#[test]
fn a_half_made_reproducible_process_is_refused() {
    let mut here = Sandbox::empty();
    here.unset("PM_CLOCK").set("PM_SEED", "x");
    here.refused(&["version"], 2, "invalid_reproducible_process_environment");
    here.set("PM_CLOCK", "2026-03-01T00:00:00.000Z").set("PM_SEED", "");
    here.refused(&["version"], 2, "invalid_reproducible_process_environment");
    here.set("PM_SEED", "x").set("PM_CLOCK", "yesterday");
    here.refused(&["version"], 2, "invalid_reproducible_process_environment");
}

#[test]
fn older_spellings_run_and_say_so_once() {
    let here = tracker("{}");
    let old = here.pm(&["list-closed", "--limit", "1"]).expect(0);
    assert_eq!(old.stdout, here.ok(&["list", "--status", "closed", "--limit", "1"]));
    assert_eq!(old.stderr, "`pm list-closed` is deprecated; use `pm list --status closed`\n");
    let silent = tracker(r#"{"ux": {"deprecation_hints": false}}"#);
    assert_eq!(silent.pm(&["list-closed"]).expect(0).stderr, "");
}

#[test]
fn fields_of_the_tracker_are_flags() {
    let here = tracker("{}");
    here.write(
        ".agents/pm/schema/fields.json",
        r#"{"fields": [{"key": "effort_class", "type": "string", "commands": ["list"], "description": "How hard"}]}"#,
    );
    assert!(here.ok(&["list", "--effort-class", "hard"]).contains("total: 0"));
    assert!(here.ok(&["list", "--help"]).contains("--effort-class <STRING>"));
    here.refused(&["list", "--effort-clas", "hard"], 2, "flag_typo_requires_retry");
    tracker("{}").refused(&["list", "--effort-class", "hard"], 2, "unknown_option");
}

#[test]
fn every_command_has_a_page_of_help() {
    let here = Sandbox::empty();
    for surface in CATALOG.iter() {
        let mut argv = surface.contract.path.to_vec();
        argv.push("--help");
        let text = here.ok(&argv);
        assert!(text.starts_with("Usage: pm "), "{argv:?}");
        assert!(!text.contains('\u{1b}') && !text.contains('_') || !text.contains("--output_"), "{argv:?}");
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{argv:?}: {line}");
        }
        let page = here.json(&argv);
        assert_eq!(page["format"], "pm_help_v1");
        assert_eq!(page["resolved_path"], serde_json::json!(surface.contract.path));
        argv.pop();
        argv.insert(0, "help");
        assert_eq!(here.ok(&argv), text);
    }
}

#[test]
fn the_help_of_the_program_names_every_command_and_no_older_spelling() {
    let here = Sandbox::empty();
    let text = here.ok(&["--help"]);
    assert_eq!(here.ok(&[]), text);
    assert_eq!(here.ok(&["help"]), text);
    for surface in CATALOG.iter() {
        assert!(text.contains(surface.contract.path[0]), "{}", surface.name());
    }
    assert!(!text.contains("list-closed"));
    here.refused(&["help", "nosuch"], 2, "unknown_command");
}

#[test]
fn examples_are_calls_that_parse() {
    for surface in CATALOG.iter() {
        for example in surface.contract.examples {
            let own = &example.argv[surface.contract.path.len()..];
            let parsed = pm::grammar::parser(surface).try_get_matches_from(own);
            assert!(
                parsed.is_ok(),
                "{:?}: {}",
                example.argv,
                parsed.err().map(|e| e.to_string()).unwrap_or_default()
            );
        }
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let here = Sandbox::empty();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_pm"))
        .args(["--help"])
        .current_dir(here.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("text");
    assert_eq!((child.wait().expect("it ends").code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_shell_completes_commands_flags_values_and_ids() {
    let here = tracker("{}");
    here.write(
        ".agents/pm/tasks/pm-ab12.toon",
        "id: pm-ab12\ntitle: Fix login\ndescription: \"\"\ntype: Task\nstatus: open\npriority: 2\ntags[1]: web\n\
         created_at: \"2026-01-01T00:00:00.000Z\"\nupdated_at: \"2026-01-01T00:00:00.000Z\"\nbody: \"\"\n",
    );
    for (words, expected) in [
        (&["pm", "ver"][..], "version"),
        (&["pm", "list", "--output-b"], "--output-budget"),
        (&["pm", "version", "--format", "mark"], "markdown"),
        (&["pm", "get", "pm-"], "pm-ab12"),
        (&["pm", "get", "ab"], "pm-ab12"),
        (&["pm", "list", "--status", "in_"], "in_progress"),
        (&["pm", "list", "--status", "open,cl"], "open,closed"),
        (&["pm", "list", "--type", "ta"], "Task"),
        (&["pm", "list", "--tag", ""], "web"),
        (&["pm", "graph", "anc"], "ancestors"),
        (&["pm", "list", "--output-format", "j"], "json"),
        (&["pm", "list", "--sort", "up"], "updated_at"),
        (&["pm", "list-c"], ""),
    ] {
        assert_eq!(completed(&here, words), expected, "{words:?}");
    }
}

#[test]
fn every_completed_word_is_taken() {
    let here = tracker("{}");
    for (flag, with) in [
        ("--sort", &[][..]),
        ("--order", &["--sort", "title"]),
        ("--assignee-filter", &[]),
        ("--priority", &[]),
    ] {
        for word in completed(&here, &["pm", "list", flag, ""]).split('\u{b}') {
            let mut argv = vec!["list", flag, word];
            argv.extend(with);
            let _ = here.pm(&argv).expect(0);
        }
    }
}

/// What bash is told about the last of these words.
fn completed(here: &Sandbox, words: &[&str]) -> String {
    let mut command = here.command(&["--"]);
    let index = (words.len() - 1).to_string();
    command
        .args(words)
        .env("PM_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", index)
        .env("_CLAP_IFS", "\u{b}");
    let output = command.output().expect("the binary runs");
    String::from_utf8(output.stdout).expect("it is UTF-8")
}
