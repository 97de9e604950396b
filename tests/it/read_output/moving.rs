//! Collections that change between two pages, and answers whose rows stand elsewhere than usual.

use serde_json::json;

use crate::sandbox::Sandbox;

fn ten() -> Sandbox {
    let sandbox = Sandbox::tracker();
    for n in 0..10 {
        sandbox.create(&[&format!("Item {n}"), "--id", &format!("n{n}")]);
    }
    sandbox
}

#[test]
fn a_page_whose_beginning_is_gone_is_refused_instead_of_skipping_rows() {
    for flag in ["--after", "--output-cursor"] {
        let sandbox = ten();
        let first = sandbox.json(&["list", "--limit", "3"]);
        let cursor = first["next_cursor"].as_str().unwrap().to_owned();
        for row in first["items"].as_array().unwrap() {
            sandbox.ok(&["close", row["id"].as_str().unwrap(), "Done"]);
        }
        let error = sandbox.refused(&["list", "--limit", "3", flag, &cursor], 2, "invalid_query_cursor");
        assert!(error.to_string().contains("no longer"), "{error}");
    }
}

#[test]
fn selectors_and_amounts_reach_several_items_of_get() {
    let sandbox = ten();
    let rows = sandbox.json(&["get", "n1", "n2", "--output-include", "id,title"])["items"].clone();
    assert_eq!(rows, json!([{"id": "pm-n1", "title": "Item 1"}, {"id": "pm-n2", "title": "Item 2"}]));
    let one = sandbox.json(&["get", "n1", "n2", "--output-limit", "1"]);
    assert_eq!(one["items"].as_array().map(Vec::len), Some(1), "{one}");
}

#[test]
fn the_amount_of_the_output_controls_is_stronger_than_a_default_page() {
    let sandbox = Sandbox::tracker();
    for n in 0..30 {
        sandbox.create(&[&format!("Item {n}"), "--id", &format!("n{n}")]);
    }
    let rows = |argv: &[&str], key: &str| sandbox.json(argv)[key].as_array().map_or(0, Vec::len);
    assert_eq!(rows(&["next", "--output-limit", "20"], "ready"), 20);
    assert_eq!(rows(&["next", "--output-limit", "unbounded", "--output-budget", "unbounded"], "ready"), 29);
    assert_eq!(rows(&["context", "--output-limit", "25", "--output-budget", "unbounded"], "low_level"), 25);
}

#[test]
fn a_cut_page_is_refused_when_its_rows_have_moved() {
    for (amount, code) in
        [("--output-limit", "read_output_cursor_stale"), ("--limit", "invalid_query_cursor")]
    {
        let mut sandbox = ten();
        let ask = ["list", "--sort", "updated", amount, "3"];
        let first = sandbox.json(&ask);
        let cursor = first["next_cursor"].as_str().unwrap().to_owned();
        let follow = [&ask[..], &["--output-cursor", &cursor]].concat();
        assert_eq!(sandbox.json(&follow)["items"].as_array().map(Vec::len), Some(3), "{amount}");
        let third = first["items"][2]["id"].as_str().unwrap().to_owned();
        sandbox.set("PM_CLOCK", "2027-03-01T09:00:00.000Z").ok(&["update", &third, "--title", "Moved"]);
        let _ = sandbox.refused(&follow, 2, code);
    }
}

#[test]
fn what_output_limit_cut_is_refused_when_a_row_to_come_has_changed() {
    let sandbox = ten();
    let ask = ["list", "--sort", "created", "--output-limit", "3"];
    let cursor = sandbox.json(&ask)["next_cursor"].as_str().unwrap().to_owned();
    sandbox.ok(&["update", "n8", "--title", "Another title"]);
    let _ =
        sandbox.refused(&[&ask[..], &["--output-cursor", &cursor]].concat(), 2, "read_output_cursor_stale");
}
