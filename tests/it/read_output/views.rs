//! Views of the envelope: what has no place in one is told beside it or refused, never lost.

use serde_json::{Value, json};

use super::{SMALL, reads, state};
use crate::sandbox::{Output, Sandbox};

const VIEWS: [&str; 4] = ["csv", "ndjson", "markdown", "table"];

fn lines(output: &Output) -> Vec<Value> {
    output
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{output:?}")))
        .collect()
}

#[test]
fn an_omission_is_told_in_every_view() {
    for view in VIEWS {
        let output = SMALL.pm(&["list", "--format", view, "--output-budget", "5"]);
        assert_eq!((output.code, output.stderr.as_str()), (2, ""), "{output:?}");
        let words = match view {
            "csv" => [
                "omitted_result,reason,restore_with,",
                "true,requested_budget_infeasible,--output-budget unbounded,",
            ],
            "ndjson" => ["\"omitted_result\":true", "\"within_budget\":false"],
            _ => ["does not fit", "--output-budget unbounded"],
        };
        assert!(words.iter().all(|word| output.stdout.contains(word)), "{output:?}");
    }
    let answer = lines(&SMALL.pm(&["list", "--format", "ndjson", "--output-budget", "5"])).remove(0);
    assert_eq!(answer["output_budget_exceeded"]["recovery"], json!({"outputBudget": "unbounded"}));
}

#[test]
fn an_omission_is_told_in_streams() {
    for argv in [&["list"][..], &["activity"]] {
        let words: Vec<&str> =
            argv.iter().copied().chain(["--json", "--stream", "--output-budget", "5"]).collect();
        let output = SMALL.pm(&words);
        assert_eq!((output.code, output.stderr.as_str()), (2, ""), "{output:?}");
        let end = lines(&output).pop().unwrap();
        assert_eq!(
            (&end["type"], &end["output_budget_exceeded"]["omitted_result"]),
            (&json!("end"), &json!(true))
        );
        assert_eq!(end["read_output"]["estimated_tokens"], super::tokens(&output), "{output:?}");
    }
}

#[test]
fn a_stream_hands_on_the_state_of_a_session() {
    let carried = state(&["pm-001"], 4_000, 7);
    let output =
        SMALL.pm(&["list", "--limit", "3", "--json", "--stream", "--output-session", &carried]).expect(0);
    let end = lines(&output).pop().unwrap();
    let receipt = &end["read_session"];
    assert_eq!(receipt["spent_this_call_tokens"], super::tokens(&output));
    let next = receipt["next_state"].to_string();
    assert_eq!(
        SMALL.json(&["list", "--limit", "3", "--output-session", &next])["read_session"]["new_item_count"],
        0
    );
}

#[test]
fn what_a_view_cannot_show_is_refused_by_name() {
    let carried = state(&[], 4_000, 0);
    for view in VIEWS {
        for control in [&["--output-session", carried.as_str()][..], &["--output-row-contract"]] {
            let words: Vec<&str> =
                ["list", "--format", view].into_iter().chain(control.iter().copied()).collect();
            let output = SMALL.pm(&words);
            assert!(output.code == 2 && output.stdout.is_empty(), "{output:?}");
            let said = format!(
                "`{}` is answered in the envelope, which `--format {view}` does not show",
                control[0]
            );
            assert!(output.stderr.contains(&said), "{output:?}");
            // JSON is stronger than a view, and has the place.
            let words: Vec<&str> = words.into_iter().chain(["--json"]).collect();
            assert!(SMALL.json(&words).get("read_output").is_some());
        }
    }
    // A default is no wish: the answer comes in an encoding that has the place.
    let mut sandbox = super::items(2);
    sandbox.set("PM_OUTPUT_FORMAT", "csv");
    assert!(sandbox.ok(&["list", "--output-session", &carried]).contains("next_state:"));
}

#[test]
fn a_csv_of_one_item_is_its_fields() {
    let text = SMALL.ok(&["get", "pm-001", "--format", "csv"]);
    assert!(text.starts_with("id,title,"), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains("pm-001")).count(), 1, "{text}");
}

#[test]
fn what_csv_and_ndjson_leave_out_is_told_on_standard_error() {
    let sandbox = super::items(3);
    sandbox.write(".agents/pm/tasks/pm-bad.toon", "no item\n");
    for view in ["csv", "ndjson"] {
        let output = sandbox.pm(&["list", "--format", view]);
        assert!(output.code == 0 && output.stderr.contains("not read: tasks/pm-bad.toon"), "{output:?}");
    }
    let mut sandbox = super::items(30);
    sandbox.set("PM_OUTPUT_FORMAT", "csv");
    let output = sandbox.pm(&["context"]);
    assert!(output.stdout.starts_with("id,") && output.stderr.contains("not shown: low_level"), "{output:?}");
}

/// No view of any surface says nothing: there is text, or there is nothing to tell and the exit code says so.
#[test]
fn no_view_is_silent() {
    let empty = Sandbox::with_items(&[]);
    for argv in reads() {
        for view in VIEWS {
            let mut sandbox = super::items(4);
            sandbox.set("PM_OUTPUT_FORMAT", view);
            let output = sandbox.pm(&argv);
            assert_eq!(output.code, 0, "{output:?}");
            let words: Vec<&str> = argv.iter().copied().chain(["--output-budget", "1"]).collect();
            let omitted = sandbox.pm(&words);
            assert!(omitted.code != 2 || !omitted.stdout.trim().is_empty(), "{omitted:?}");
        }
    }
    assert_eq!(empty.ok(&["list", "--format", "csv"]), "");
}

#[test]
fn the_cursor_under_a_markdown_table_is_copied_as_it_stands() {
    let page = SMALL.ok(&["list", "--format", "markdown", "--output-limit", "2"]);
    let last = page.trim_end().lines().last().unwrap();
    let cursor = last.rsplit(' ').next().unwrap().trim_end_matches('*');
    // What stands around it is no letter of cursors.
    assert!(last.ends_with(&format!(" {cursor}*")), "{last}");
    let _ = SMALL.ok(&["list", "--format", "markdown", "--output-limit", "2", "--output-cursor", cursor]);
}
