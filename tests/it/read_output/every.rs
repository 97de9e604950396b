//! Every read surface of the catalog on trackers that are hard on readers: it answers, within its ceiling, and says the
//! same when it is asked again.

use pm::commands::CATALOG;
use pm::contract::ReadOutput;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// What a surface needs to be told beside its name; surfaces that need nothing are not here.
const NEEDS: &[(&[&str], &[&str])] = &[
    (&["get"], &["pm-a"]),
    (&["history"], &["pm-a"]),
    (&["deps"], &["pm-a"]),
    (&["comments"], &["pm-a"]),
    (&["notes"], &["pm-a"]),
    (&["learnings"], &["pm-a"]),
    (&["files"], &["pm-a"]),
    (&["files", "discover"], &["pm-a"]),
    (&["files", "lookup"], &["src/a.rs"]),
    (&["docs"], &["pm-a"]),
    (&["search"], &["title"]),
    (&["eval"], &["--queries", "queries.json"]),
    (&["assurance", "show"], &["gate", "g"]),
    (&["assurance", "run"], &["g"]),
    (&["graph", "ancestors"], &["pm-a"]),
    (&["graph", "descendants"], &["pm-a"]),
    (&["graph", "predecessors"], &["pm-a"]),
    (&["graph", "successors"], &["pm-a"]),
    (&["graph", "paths"], &["pm-a", "pm-b"]),
    (&["graph", "impact"], &["pm-a"]),
    (&["graph", "dominators"], &["pm-a"]),
];

/// Surfaces that tell what they themselves did to a cache: the second time it is another answer.
const TELLS_OF_CACHES: &[&[&str]] = &[&["graph", "index"]];

fn surfaces() -> Vec<(Vec<&'static str>, ReadOutput)> {
    let call = |surface: &pm::surface::Surface| {
        let contract = surface.contract;
        // Those of `kb` and `catalog` read a Git repository, and there is none here; their own tests walk them.
        if ["kb", "catalog"].contains(&contract.path[0]) {
            return None;
        }
        let needs = NEEDS.iter().find(|(path, _)| *path == contract.path).map_or(&[][..], |(_, words)| words);
        Some((contract.path.iter().chain(needs).copied().collect(), contract.read_output?))
    };
    CATALOG.iter().filter_map(call).collect()
}

fn prepare(pm: Sandbox) -> Sandbox {
    pm.write("queries.json", r#"[{"query": "title", "relevant_ids": ["pm-a"]}]"#);
    let registry = r#"{"measurements": [{"id": "m", "source": {"kind": "items"}}],
        "assertions": [{"id": "a", "measurement_id": "m", "floor": 0, "enforcement": "block"}],
        "gates": [{"id": "g", "assertion_ids": ["a"]}]}"#;
    pm.write(".agents/pm/assurance.json", registry);
    pm
}

/// Asks every surface in both encodings; `known` says whether the items that some ask for are there.
fn ask_all(pm: &Sandbox, known: &[&str], twice: bool) {
    for (words, contract) in surfaces() {
        let missing = words.iter().any(|word| ["pm-a", "pm-b"].contains(word) && !known.contains(word));
        let formats = [("toon", contract.budget.toon()), ("json", contract.budget.json())];
        // Asking twice is for small trackers, and so is asking in both encodings.
        for (format, ceiling) in formats.into_iter().take(if twice { 2 } else { 1 }) {
            let argv: Vec<&str> = words.iter().copied().chain(["--output-format", format]).collect();
            let first = pm.pm(&argv);
            let fits = (first.stdout.len() as u64).div_ceil(4) <= ceiling;
            let wanted: &[i32] = if missing { &[3] } else { &[0, 1] };
            assert!(wanted.contains(&first.code) && first.code != 2, "{first:?}");
            assert!(first.code == 0 || missing || first.stderr.is_empty(), "{first:?}");
            assert!(fits, "pm {argv:?}: {} bytes, {ceiling} tokens", first.stdout.len());
            let same = TELLS_OF_CACHES.iter().any(|path| words.starts_with(path));
            if twice && !same {
                let second = pm.pm(&argv);
                assert_eq!((first.stdout, first.code), (second.stdout, second.code), "pm {argv:?}");
            }
        }
    }
}

/// What an answer tells at a place.
fn told(pm: &Sandbox, call: &[&str], path: &str, expected: Value) {
    let answer = pm.json(call);
    let found = answer.pointer(path).cloned().unwrap_or_default();
    assert_eq!(found, expected, "pm {call:?} at {path}: {answer:.400}");
}

#[test]
fn an_empty_tracker() {
    let pm = prepare(Sandbox::with_items(&[]));
    ask_all(&pm, &[], true);
    for (call, path, expected) in [
        (&["list"][..], "/total", json!(0)),
        (&["next"], "/recommended", Value::Null),
        (&["stats"], "/totals/items", json!(0)),
        (&["graph", "analyze"], "/node_count", json!(0)),
        (&["aggregate"], "/totals/items_considered", json!(0)),
        (&["context"], "/summary/total_items", json!(0)),
        (&["validate"], "/ok", json!(true)),
        (&["health"], "/coverage/items/files", json!(0)),
    ] {
        told(&pm, call, path, expected);
    }
}

#[test]
fn a_single_item() {
    let pm = prepare(Sandbox::with_items(&[("pm-a", "")]));
    ask_all(&pm, &["pm-a"], true);
    for (call, path, expected) in [
        (&["next"][..], "/recommended/id", json!("pm-a")),
        (&["search", "title"], "/items/0/id", json!("pm-a")),
        (&["deps", "pm-a"], "/node_count", json!(1)),
        (&["graph", "slack"], "/scheduled_count", json!(0)),
        (&["duplicates"], "/clusters", json!([])),
        (&["aggregate"], "/groups/0/count", json!(1)),
        (&["context"], "/low_level/0/id", json!("pm-a")),
    ] {
        told(&pm, call, path, expected);
    }
}

#[test]
fn items_that_wait_for_each_other() {
    let link = |id: &str, kind: &str| {
        format!("dependencies[1]{{id,kind,created_at}}:\n      {id},{kind},\"2026-02-01T00:00:00.000Z\"")
    };
    let pm = Sandbox::with_items(&[
        ("pm-a", &format!("parent: pm-b\n{}", link("pm-b", "blocked_by"))),
        ("pm-b", &format!("parent: pm-c\n{}", link("pm-c", "blocked_by"))),
        ("pm-c", &format!("parent: pm-a\n{}", link("pm-a", "blocked_by"))),
    ]);
    let pm = prepare(pm);
    ask_all(&pm, &["pm-a", "pm-b"], true);
    for (call, path, expected) in [
        (&["next"][..], "/recommended", Value::Null),
        (&["list", "--status", "blocked"], "/total", json!(3)),
        (&["list", "--tree"], "/total", json!(3)),
        (&["get", "pm-a", "--tree"], "/tree/count", json!(2)),
        (&["deps", "pm-a"], "/node_count", json!(3)),
        (&["graph", "ancestors", "pm-a"], "/ids", json!(["pm-b", "pm-c"])),
        (&["graph", "analyze"], "/execution/cycle_count", json!(1)),
        (&["graph", "analyze"], "/hierarchy/cycle_count", json!(1)),
        (&["graph", "slack"], "/acyclic", json!(false)),
        (&["validate", "--check-lifecycle"], "/checks/0/details/dependency_cycle_item_count", json!(3)),
    ] {
        told(&pm, call, path, expected);
    }
}

#[test]
fn references_that_lead_nowhere() {
    let pm = Sandbox::with_items(&[
        (
            "pm-a",
            "parent: pm-none\nblocked_by: pm-gone\ndependencies[1]{id,kind,created_at}:\n      pm-never,related,\"2026-02-01T00:00:00.000Z\"",
        ),
        ("pm-b", "duplicate_of: pm-lost\nassignee: ann"),
    ]);
    let pm = prepare(pm);
    ask_all(&pm, &["pm-a", "pm-b"], true);
    for (call, path, expected) in [
        // What is not there is not over.
        (&["next"][..], "/summary/blocked", json!(1)),
        (&["list", "--status", "blocked"], "/items/0/id", json!("pm-a")),
        (&["list", "--parent", "pm-none"], "/total", json!(1)),
        (&["deps", "pm-a"], "/missing_count", json!(3)),
        (&["graph", "audit"], "/findings_by_code/missing_reference_active", json!(1)),
        (&["graph", "analyze"], "/node_count", json!(2)),
    ] {
        told(&pm, call, path, expected);
    }
}

#[test]
fn an_item_of_400_kb() {
    let long = "A long sentence about nothing. ".repeat(13_400);
    let pm = Sandbox::with_items(&[
        ("pm-a", &format!("body: \"{long}\"\ndescription: \"{}\"", &long[..9_000])),
        ("pm-b", "parent: pm-a"),
    ]);
    let pm = prepare(pm);
    ask_all(&pm, &["pm-a", "pm-b"], true);
    told(&pm, &["search", "sentence"], "/items/0/id", json!("pm-a"));
    told(&pm, &["get", "pm-a", "--depth", "brief"], "/item/title", json!("Title of pm-a"));
    let whole = pm.json(&["get", "pm-a", "--fields", "body", "--output-budget", "unbounded"]);
    assert_eq!(whole["item"]["body"].as_str().unwrap().trim_end(), long.trim_end());
}

#[test]
fn ten_thousand_children() {
    let pm = Sandbox::with_items(&[("pm-a", "type: Epic")]);
    for n in 0..10_000 {
        pm.item(&format!("pm-{n:05}"), "parent: pm-a");
    }
    pm.item("pm-b", "parent: pm-a");
    let pm = prepare(pm);
    ask_all(&pm, &["pm-a", "pm-b"], false);
    for (call, path) in [
        (&["graph", "descendants", "pm-a", "--limit", "1"][..], "/total"),
        (&["get", "pm-a"], "/children/count"),
        (&["list", "--parent", "pm-a", "--limit", "3"], "/total"),
        (&["deps", "pm-a", "--max-depth", "1"], "/around/descendant"),
        (&["aggregate", "--group-by", "parent"], "/groups/0/count"),
        (&["next"], "/summary/ready"),
    ] {
        told(&pm, call, path, json!(10_001));
    }
    told(&pm, &["next"], "/summary/containers", json!(1));
}
