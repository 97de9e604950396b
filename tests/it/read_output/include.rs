//! 23 to 42: modes, selectors, amounts.

use serde_json::{Value, json};

use super::{BIG, SMALL, at, exists, keys, listed, reads, row_keys, useful};
use crate::sandbox::Sandbox;

#[test]
fn s23_s24_a_mode_and_its_older_flag_give_the_same() {
    let modes: &[(&[&str], &str)] = &[
        (&["list", "--limit", "3"], "brief compact full"),
        (&["search", "something", "--limit", "3"], "compact full"),
        (&["get", "pm-003"], "full"),
        (&["health", "--check-only"], "brief full summary"),
        (&["deps", "pm-003"], "full summary"),
        (&["graph", "analyze"], "full summary"),
        (&["history", "pm-003"], "compact full"),
        (&["activity", "--from", "2026-01-01", "--limit", "3"], "compact full"),
        (&["validate", "--check-metadata", "--check-resolution"], "counts full"),
        (&["events", "--limit", "3"], "full"),
        (&["contracts", "--command", "list"], "full summary"),
    ];
    let pairs: usize = modes.iter().map(|(_, modes)| modes.split(' ').count()).sum();
    assert_eq!(pairs, 22);
    for (argv, modes) in modes.iter().filter(|(argv, _)| exists(argv[0])) {
        for mode in modes.split(' ') {
            let canonical: Vec<&str> = argv.iter().copied().chain(["--output-include", mode]).collect();
            let flag = format!("--{mode}");
            let older: Vec<&str> = argv.iter().copied().chain([flag.as_str()]).collect();
            assert_eq!(useful(SMALL.json(&canonical)), useful(SMALL.json(&older)), "{canonical:?}");
        }
    }
}

#[test]
fn s25_to_s28_provenance_is_what_was_typed() {
    let receipt = |argv: &[&str]| SMALL.json(argv)["read_output"].clone();
    let mode = receipt(&["list", "--output-include", "brief"]);
    assert_eq!(mode["canonical_options_used"], json!(["--output-include"]));
    assert_eq!((&mode["legacy_aliases_used"], &mode["migration_hints"]), (&json!([]), &json!([])));
    let mixed = receipt(&["list", "--brief", "--output-include", "id"]);
    assert_eq!(mixed["canonical_options_used"], json!(["--output-include"]));
    assert_eq!(mixed["legacy_aliases_used"], json!(["--brief"]));
    let narrowed = SMALL.json(&["list", "--output-include", "brief,id"]);
    assert_eq!(keys(&narrowed["items"][0]), ["id"]);
    assert_eq!(narrowed["read_output"]["legacy_aliases_used"], json!([]));
    let both = receipt(&["list", "--full", "--output-include", "full", "--output-limit", "2"]);
    assert_eq!(both["legacy_aliases_used"], json!(["--full"]));
    assert_eq!(
        both["migration_hints"],
        json!(["--full is a compatibility alias; prefer --output-include full."])
    );
}

#[test]
fn s29_s30_rows_have_exactly_the_selected_fields() {
    for row in SMALL.json(&["list", "--output-include", "id,title,status"])["items"].as_array().unwrap() {
        let mut have = keys(row);
        have.sort();
        assert_eq!(have, ["id", "status", "title"]);
    }
    assert_eq!(keys(&SMALL.json(&["list", "--output-include", "items.id"])["items"][3]), ["id"]);
    assert_eq!(SMALL.json(&["list", "--output-include", "id,priority"])["items"][1]["priority"], 2);
}

#[test]
fn s31_to_s34_what_no_field_is_called_is_refused() {
    let error = SMALL.refused(&["list", "--output-include", "nosuch"], 2, "unknown_output_include_selector");
    let text = error.to_string();
    assert!(text.contains("nosuch") && text.contains("brief, compact, full"), "{text}");
    SMALL.refused(&["list", "--output-include", "id,nosuch"], 2, "unknown_output_include_selector");
    let error = SMALL.refused(
        &["comments", "pm-000", "--output-include", "nosuch"],
        2,
        "unknown_output_include_selector",
    );
    assert!(error.to_string().contains("no projection modes"), "{error}");
    let error =
        SMALL.refused(&["get", "pm-003", "--output-include", "nosuch"], 2, "unknown_output_include_selector");
    assert!(error["refusal"]["legal_domain"].as_array().unwrap().contains(&json!("title")), "{error}");
    SMALL.refused(&["get", "pm-003", "--output-include", "item,id"], 2, "unknown_output_include_selector");
    if exists("contracts") {
        SMALL.refused(&["contracts", "--output-include", "brief"], 2, "unknown_output_include_selector");
    }
}

#[test]
fn s35_get_gives_the_fields_of_the_item() {
    let answer = SMALL.json(&["get", "pm-003", "--output-include", "id,title"]);
    let mut have = keys(&answer["item"]);
    have.sort();
    assert_eq!(have, ["id", "title"]);
    assert_eq!(keys(&answer), ["item", "read_output"]);
}

#[test]
fn s36_s38_two_modes_and_no_rows() {
    SMALL.refused(&["list", "--output-include", "brief,full"], 2, "projection_options_mutually_exclusive");
    let empty = Sandbox::with_items(&[]);
    assert_eq!(empty.json(&["list", "--output-include", "nosuch"])["items"], json!([]));
}

#[test]
fn s37_a_section_alone() {
    if exists("stats") {
        let answer = SMALL.json(&["stats", "--output-include", "totals"]);
        assert!(answer.get("totals").is_some() && answer.get("by_type").is_none(), "{answer}");
    }
}

#[test]
fn s39_s40_a_limited_page_says_so_and_goes_on() {
    let all = listed(&SMALL.json(&["list"]));
    let page = SMALL.json(&["list", "--output-limit", "3"]);
    assert_eq!(listed(&page), all[..3]);
    assert_eq!((&page["count"], &page["total"], &page["has_more"]), (&json!(3), &json!(40), &json!(true)));
    assert_eq!(page["applied_bound"], json!({"kind": "output_limit", "source": "explicit", "value": 3}));
    let cursor = page["next_cursor"].as_str().unwrap();
    for flag in ["--output-cursor", "--after"] {
        assert_eq!(listed(&SMALL.json(&["list", "--output-limit", "3", flag, cursor])), all[3..6], "{flag}");
    }
}

#[test]
fn s41_every_collection_is_bounded() {
    let more = [vec!["deps", "pm-003", "--format", "graph"], vec!["deps", "pm-003", "--format", "context"]];
    for argv in reads().into_iter().chain(more) {
        let words: Vec<&str> = argv.iter().copied().chain(["--output-limit", "1"]).collect();
        let answer = SMALL.json(&words);
        for path in row_keys(argv[0]) {
            let shown = match at(&answer, path) {
                Value::Array(rows) => rows.len(),
                Value::Object(entries) if !entries.contains_key("id") => entries.len(),
                _ => 0,
            };
            assert!(shown <= 1, "{argv:?} shows {shown} of {path}");
        }
    }
}

#[test]
fn s42_s50_a_control_that_changes_nothing_says_nothing() {
    let plain = SMALL.ok(&["list", "--json"]);
    for control in [
        ["--output-limit", "1000"],
        ["--output-limit", "unbounded"],
        ["--output-budget", "5000"],
        ["--output-budget", "unbounded"],
        ["--output-format", "json"],
    ] {
        assert_eq!(SMALL.ok(&["list", "--json", control[0], control[1]]), plain, "{control:?}");
    }
}

#[test]
fn seed_the_canonical_limit_beats_the_older_one() {
    assert_eq!(listed(&BIG.json(&["list", "--limit", "5", "--output-limit", "2"])).len(), 2);
    assert_eq!(listed(&BIG.json(&["list", "--limit", "2", "--output-limit", "5"])).len(), 5);
}

#[test]
fn seed_a_canonical_projection_beats_every_older_flag() {
    let told = |argv: &[&str]| SMALL.json(argv);
    let fields = told(&["list", "--fields", "title", "--output-include", "id,status", "--limit", "1"]);
    assert_eq!(keys(&fields["items"][0]), ["id", "status"], "{fields}");
    assert_eq!(fields["read_output"]["legacy_aliases_used"], json!(["--fields", "--limit"]));
    for (mode, other) in [("brief", "full"), ("full", "brief"), ("compact", "full"), ("full", "compact")] {
        let flag = format!("--{other}");
        let mixed = told(&["list", &flag, "--output-include", mode, "--limit", "1"]);
        let alone = told(&["list", "--output-include", mode, "--limit", "1"]);
        assert_eq!(mixed["items"], alone["items"], "{mode} beside {flag}");
        assert_eq!(mixed["read_output"]["legacy_aliases_used"], json!([flag, "--limit"]));
    }
    for argv in [
        &["deps", "pm-003"][..],
        &["graph", "communities"],
        &["contracts", "--command", "list"],
        &["history", "pm-003"],
        &["health", "--check-only"],
    ] {
        let modes = pm::read_output::read_output_include_mode_options(argv[0]);
        for mode in modes {
            for other in modes.iter().filter(|other| *other != mode) {
                let flag = format!("--{other}");
                let words = |extra: &[&'static str]| {
                    argv.iter().copied().chain(extra.iter().copied()).collect::<Vec<_>>()
                };
                let canonical = words(&["--output-include", mode, "--output-budget", "unbounded"]);
                let mixed: Vec<&str> = canonical.iter().copied().chain([flag.as_str()]).collect();
                assert_eq!(useful(told(&mixed)), useful(told(&canonical)), "{mixed:?}");
            }
        }
    }
}

/// Every older flag of every surface, one by one: it is reported when it was typed as what it stands for, with its own
/// hint, and never otherwise.
#[test]
fn seed_provenance_names_what_was_typed_and_nothing_else() {
    for argv in reads() {
        let surface = pm::read_output::read_output_surface(argv[0]).unwrap();
        let plain: Vec<&str> = argv.iter().copied().chain(["--output-row-contract"]).collect();
        let typed =
            argv.iter().filter(|word| surface.aliases.iter().any(|alias| alias.flag == **word)).count();
        let told = SMALL.json(&plain)["read_output"]["legacy_aliases_used"].as_array().map_or(0, Vec::len);
        assert_eq!(told, typed, "{plain:?}");
        for alias in surface.aliases.iter().filter(|alias| !argv.contains(&alias.flag)) {
            let value: &[&str] = match alias.flag {
                "--limit" | "--node-limit" | "--edge-limit" | "--max-depth" | "--blocked-limit"
                | "--offset" => &["3"],
                "--fields" => &["id"],
                "--format" => &["json"],
                "--brief" | "--full" | "--compact" | "--summary" | "--counts" | "--no-truncate"
                | "--unbounded" | "--check-only" => &[],
                _ => continue,
            };
            let words: Vec<&str> =
                plain.iter().copied().chain([alias.flag]).chain(value.iter().copied()).collect();
            let output = SMALL.pm(&[&words[..], &["--json"]].concat());
            if output.code != 0 {
                continue;
            }
            let receipt = output.json()["read_output"].clone();
            let own = receipt["legacy_aliases_used"].as_array().unwrap();
            assert!(own.contains(&json!(alias.flag)) && own.len() == typed + 1, "{words:?}: {receipt}");
            let hints = receipt["migration_hints"].as_array().unwrap();
            assert!(
                hints.contains(&json!(pm::read_output::migration(alias))) && hints.len() == own.len(),
                "{receipt}"
            );
        }
    }
    // No encoding, so nothing that a control replaces.
    for format in ["graph", "context"] {
        let receipt =
            SMALL.json(&["deps", "pm-003", "--format", format, "--output-row-contract"])["read_output"]
                .clone();
        assert_eq!(receipt["legacy_aliases_used"], json!([]), "{receipt}");
        assert_eq!(receipt["requested_dimensions"], json!([]), "{receipt}");
    }
}

/// Fields that an item of this tracker can have are no unknown selectors where the item at hand lacks them.
#[test]
fn r26_get_knows_the_fields_that_the_item_lacks() {
    for (id, selectors, keys) in [
        ("pm-003", "title,blocked_by", &["title"][..]),
        ("pm-003", "item.deadline,id", &["id"]),
        ("pm-003", "severity", &[]),
        ("pm-003", "children,title", &["title"]),
        ("pm-003", "schedule,id,notes_count", &["id", "notes_count"]),
    ] {
        let answer = SMALL.json(&["get", id, "--output-include", selectors]);
        let shown = super::keys(&answer["item"]);
        assert_eq!(shown, keys, "{selectors}: {answer}");
    }
    let sections = SMALL.json(&["get", "pm-003", "--output-include", "children"]);
    assert!(sections.get("item").is_none() && sections.get("read_output").is_some(), "{sections}");
    let rows = SMALL.json(&["get", "pm-003", "pm-004", "--output-include", "id,deadline"]);
    assert_eq!(listed(&rows), ["pm-003", "pm-004"]);
    // What the tracker declares itself is known too, and everything legal is named.
    let sandbox = super::items(2);
    let _ = sandbox.pm(&["schema", "add-field", "effort_points", "--type", "number"]).expect(0);
    let answer = sandbox.json(&["get", "pm-001", "--output-include", "id,effort_points"]);
    assert_eq!(super::keys(&answer["item"]), ["id"]);
    let error = sandbox.refused(
        &["get", "pm-001", "--output-include", "effort_pints"],
        2,
        "unknown_output_include_selector",
    );
    assert_eq!(error["refusal"]["legal_domain"][0], "effort_points");
    let text = sandbox.pm(&["get", "pm-001", "--output-include", "effort_pints"]).stderr;
    assert!(text.contains("near it: effort_points"), "{text}");
}

/// Modes compose with selectors on every surface: the mode is the projection, the selectors narrow it.
#[test]
fn s27_fields_of_an_item_narrow_the_full_rows_of_search() {
    let rows = |include: &str| {
        let answer = SMALL.json(&["search", "something", "--limit", "2", "--output-include", include]);
        answer["items"].as_array().unwrap().iter().map(keys).collect::<Vec<_>>()
    };
    assert_eq!(rows("full,id"), [["id"], ["id"]]);
    assert_eq!(rows("full,items.title,score"), [["score", "title"], ["score", "title"]]);
    assert_eq!(rows("full,item"), [["item"], ["item"]]);
    assert_eq!(rows("compact,id"), [["id"], ["id"]]);
    let legacy = SMALL.json(&["search", "something", "--full", "--output-include", "id", "--limit", "1"]);
    assert_eq!(keys(&legacy["items"][0]), ["id"]);
    SMALL.refused(
        &["search", "something", "--output-include", "full,nosuch"],
        2,
        "unknown_output_include_selector",
    );
}
